// Models for the tests of the host interface.
#pragma once

#include "lmc/lmc.hpp"

#include <gtest/gtest.h>

namespace host {

inline std::string example(const std::string& name) {
  return std::string(LMC_SOURCE_DIR "/examples/") + name + ".lie";
}

/// The model of a compilation that must succeed.
inline lmc::Model model(const lmc::Compilation& c) {
  if (!c) throw std::runtime_error(c.format());
  return *c.model;
}

inline lmc::Model compiled(const std::string& text, const lmc::Options& options = {}) {
  return model(lmc::compileText("test.lie", text, options));
}

inline lmc::Model ofExample(const std::string& name, const lmc::Options& options = {}) {
  return model(lmc::compileFile(example(name), options));
}

/// The kind of the Error that `body` throws; a failure when it throws none.
template <class Body> lmc::Error::Kind kindOf(Body body, std::string* message = nullptr) {
  try {
    body();
  } catch (const lmc::Error& e) {
    if (message != nullptr) *message = e.what();
    return e.kind();
  }
  ADD_FAILURE() << "nothing was thrown";
  return lmc::Error::Kind::Internal;
}

inline const char* const pendulum = R"(
model Pendulum {
  param m = 2;  param l = 0.5;  param g = 9.81;
  config q : S^2 velocity w;
  lagrangian = 0.5*m*l^2*dot(q', q') - m*g*l*dot(e3, q);
  initial q = [1, 0, 0];
  initial w = [0, 0.5, 0];
  observe height = l*dot(e3, q);
  simulate { method = RKMK4; time = 0..1; step = 0.01; }
}
)";

/// A rotor with a torque that is an input.
inline const char* const rotor = R"(
model Rotor {
  param J : mat(3,3) = diag(1, 2, 3);
  config R : SO(3) velocity w;
  input torque : vec(3) = [0, 0, 0.3]*t;
  lagrangian = 0.5*dot(w, J*w);
  force on R = torque;
  initial R = eye(3);
  initial w = [0.1, 0.2, 0.3];
  simulate { method = RKMK4; time = 0..1; step = 0.01; }
}
)";

/// A pendulum of a constraint that a reset leaves, and that `initial adjust` brings back.
inline constexpr const char* kickedPendulum = R"(
model Pendulum {
  config x : R^2 velocity v;
  lagrangian = 0.5*dot(v, v) - 9.81*x[2];
  constraint rod : dot(x, x) = 1;
  event kick = falling(x[1] - 0.1) { reset v = v + [0.1, 0.2]; }
  initial adjust v;
  initial x = [0.8, -0.6];
  simulate { method = RKMK4; time = 0..1; step = 0.01; }
}
)";

} // namespace host
