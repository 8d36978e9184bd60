// The same motion in different clothes: on manifolds that describe one system, every method gives one motion, up to its
// error.
#include "acceptance/Trajectory.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace lmc::acceptance;

namespace {

/// A system told in several ways. Each observes the same columns under the same names.
struct System {
  const char* name;
  std::vector<std::string> models;
  std::vector<std::string> columns;

  friend std::ostream& operator<<(std::ostream& out, const System& s) { return out << s.name; }
};

/// A method with what sets its accuracy: the option, its value, and one that makes the error at least four times
/// smaller.
struct Stepper {
  const char* method;
  const char* option;
  const char* coarse;
  const char* fine;

  friend std::ostream& operator<<(std::ostream& out, const Stepper& s) { return out << s.method; }
};

const Stepper steppers[] = {{"RKMK4", "--step", "4e-3", "2e-3"},        {"CF4", "--step", "4e-3", "2e-3"},
                            {"RKMK54", "--tolerance", "1e-9", "1e-11"}, {"P853", "--tolerance", "1e-9", "1e-11"},
                            {"VIMidpoint", "--step", "4e-3", "2e-3"},   {"VI4", "--step", "4e-3", "2e-3"}};

const std::string body = "param J : mat(3,3) = diag(1, 2, 2.5); param W : vec(3) = [0.4, 3, -0.6];\n";
const std::string top = body + "param c : vec(3) = [0.1, -0.2, 0.6]; param G : vec(3) = [0, 0, -9.81];\n";
const std::string seen = "observe a = R*e1; observe b = R*e3; observe s = w;\n";

System freeBody() {
  return {"free_body",
          {body + "config R : SO(3) velocity w; lagrangian = 0.5*dot(w, J*w); initial w = W; " + seen,
           body + "config q : SU(2) velocity w; lagrangian = 0.5*dot(w, J*w); initial w = W;\n"
                  "observe a = q*e1; observe b = q*e3; observe s = w;",
           body + "config X : SE(3) velocity u; lagrangian = 0.5*dot(u.w, J*u.w) + dot(u.v, u.v);\n"
                  "initial u = (w = W, v = [0.3, -0.4, 1]); observe a = X.R*e1; observe b = X.R*e3; observe s = u.w;"},
          {"a[1]", "a[2]", "b[1]", "b[3]", "s[1]", "s[2]", "s[3]"}};
}

System heavyBody() {
  return {"heavy_body",
          {top + "config R : SO(3) velocity w; lagrangian = 0.5*dot(w, J*w) + dot(G, R*c); initial w = W; " + seen,
           top + "config q : SU(2) velocity w; lagrangian = 0.5*dot(w, J*w) + dot(G, q*c); initial w = W;\n"
                 "observe a = q*e1; observe b = q*e3; observe s = w;",
           // The place moves on a straight line and has no part in it.
           top + "config X : SE(3) velocity u; lagrangian = 0.5*dot(u.w, J*u.w) + dot(u.v, u.v) + dot(G, X.R*c);\n"
                 "initial u = (w = W, v = [0.3, -0.4, 1]); observe a = X.R*e1; observe b = X.R*e3; observe s = u.w;"},
          {"a[1]", "a[2]", "b[1]", "b[3]", "s[1]", "s[2]", "s[3]"}};
}

/// Of length 1 and mass 1, down being the first axis.
System planarPendulum() {
  const std::string start = "param g = 9.81; param phi0 = 1.2; param w0 = 3;\n";
  return {"planar_pendulum",
          {start + "config phi : R velocity w; lagrangian = 0.5*w^2 + g*cos(phi); initial phi = phi0; initial w = w0;\n"
                   "observe p = [cos(phi), sin(phi)]; observe s = w;",
           start + "config R : SO(2) velocity w; lagrangian = 0.5*w^2 + g*R[1,1]; initial R = SO(2).exp(phi0);\n"
                   "initial w = w0; observe p = [R[1,1], R[2,1]]; observe s = w;",
           start + "config q : S^1 velocity w; lagrangian = 0.5*w^2 + g*q[1]; initial q = [cos(phi0), sin(phi0)];\n"
                   "initial w = w0; observe p = [q[1], q[2]]; observe s = w;",
           start + "config q : S^2 velocity w; lagrangian = 0.5*dot(w, w) + g*q[1];\n"
                   "initial q = [cos(phi0), sin(phi0), 0]; initial w = [0, 0, w0];\n"
                   "observe p = [q[1], q[2]]; observe s = w[3];"},
          {"p[1]", "p[2]", "s"}};
}

/// On SO(3) the body is symmetric about its third axis and does not spin about it.
System sphericalPendulum() {
  const std::string start = "param G : vec(3) = [0, 0, -9.81]; param A : vec(3) = [0.4, -1.9, 0.3];\n";
  return {"spherical_pendulum",
          {start + "config R : SO(3) velocity w; lagrangian = 0.5*dot(w, diag(1, 1, 0.4)*w) + dot(G, R*e3);\n"
                   "initial R = SO(3).exp(A); initial w = [0.5, 2, 0]; observe p = R*e3; observe o = R*w;",
           start +
               "config q : S^2 velocity w; lagrangian = 0.5*dot(w, w) + dot(G, q);\n"
               "initial q = SO(3).exp(A)*e3; initial w = SO(3).exp(A)*[0.5, 2, 0]; observe p = q*1; observe o = w;"},
          {"p[1]", "p[2]", "p[3]", "o[1]", "o[2]", "o[3]"}};
}

/// A free body that a spring holds at a point beside its centre of mass.
System movingBody() {
  const std::string start = body + "param c : vec(3) = [0.1, -0.2, 0.6]; param V : vec(3) = [0.5, 0, -1];\n";
  return {"moving_body",
          {start + "config X : SE(3) velocity u; lagrangian = 0.5*dot(u.w, J*u.w) + dot(u.v, u.v) - 3*dot(X*c, X*c);\n"
                   "initial u = (w = W, v = V); initial X.x = [1, 0.5, 0];\n"
                   "observe a = X.R*e1; observe p = X.x; observe s = u.w; observe v = X.R*u.v;",
           start + "config x : R^3 velocity v; config R : SO(3) velocity w; let e = x + R*c;\n"
                   "lagrangian = 0.5*dot(w, J*w) + dot(v, v) - 3*dot(e, e);\n"
                   "initial w = W; initial v = V; initial x = [1, 0.5, 0];\n"
                   "observe a = R*e1; observe p = 1*x; observe s = w;"},
          {"a[1]", "a[2]", "p[1]", "p[3]", "s[1]", "s[2]", "s[3]", "v[1]", "v[2]"}};
}

using Case = std::tuple<System, Stepper>;
class SameMotion : public testing::TestWithParam<Case> {};

} // namespace

TEST_P(SameMotion, InDifferentClothes) {
  const auto& [system, stepper] = GetParam();
  const Workspace w;
  const auto run = [&, &columns = system.columns, &s = stepper](const std::string& model, const char* accuracy) {
    const std::string file =
        w.write("model.lie", "model M {\n" + model + "\n simulate { time = 0..2; step = 4e-3; }\n}\n").string();
    Arguments arguments{"--method", s.method, s.option, accuracy, "--every", "0.25"};
    const Trajectory t = runModel(w, file, arguments);
    std::vector<double> values;
    for (std::size_t row = 0; row < t.rows.size(); ++row) {
      for (const std::string& column : columns) values.push_back(t.at(row, column));
    }
    return values;
  };
  const auto distance = [](const std::vector<double>& a, const std::vector<double>& b) {
    double worst = a.size() == b.size() && !a.empty() ? 0 : INFINITY;
    for (std::size_t k = 0; k < a.size() && k < b.size(); ++k) worst = std::max(worst, std::abs(a[k] - b[k]));
    return worst;
  };
  // The error of the finer run is at most a third of its distance to the coarser one; both clothes have one.
  std::vector<double> reference;
  double referenceError = 0;
  for (const std::string& model : system.models) {
    const std::vector<double> fine = run(model, stepper.fine);
    const double error = distance(run(model, stepper.coarse), fine) / 3;
    ASSERT_LT(error, 1e-2) << model;
    if (reference.empty()) {
      reference = fine;
      referenceError = error;
    }
    constexpr double roundOff = 1e-11; // of a thousand steps and their Newton iterations
    EXPECT_LE(distance(fine, reference), error + referenceError + roundOff) << model;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Systems, SameMotion,
    testing::Combine(testing::Values(freeBody(), heavyBody(), planarPendulum(), sphericalPendulum(), movingBody()),
                     testing::ValuesIn(steppers)),
    [](const auto& p) { return std::string(std::get<0>(p.param).name) + "_" + std::get<1>(p.param).method; });
