// A parameter study in threads: how deep does a heavy top nod, as a function of its mass?
//
// The model is compiled once. Every thread has a workspace of its own, in which it sets the parameter; nothing is
// compiled again.
#include <lmc/lmc.hpp>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

namespace {

const char* const text = R"(
model HeavyTop {
  param m = 15;  param l = 2;
  param J : mat(3,3) = diag(0.234375, 0.46875, 0.234375);
  param chi : vec(3) = [0, 1, 0];
  config R : SO(3) velocity Omega;
  lagrangian = 0.5*dot(Omega, J*Omega) - 9.81*m*l*dot(e3, R*chi);
  initial Omega = [0, 150, -4.61538];
  observe height = l*dot(e3, R*chi);
  simulate { method = RKMK4; time = 0..2; step = 1e-3; }
}
)";

/// The lowest point of the tip.
double lowest(lmc::Workspace& top, double mass) {
  top.reset();
  top.set("m", mass);
  double low = 2;
  const lmc::RunResult run = top.run({}, [&](const lmc::Sample& s) {
    low = std::min(low, s.observables[0]);
    return true;
  });
  if (!run) throw lmc::Error(lmc::Error::Kind::RunFailed, run.failure->message);
  return low;
}

} // namespace

int main() {
  const lmc::Compilation compilation = lmc::compileText("heavy_top.lie", text);
  if (!compilation) {
    std::fputs(compilation.format().c_str(), stderr);
    return 1;
  }
  const lmc::Model& model = *compilation.model;

  constexpr int samples = 64;
  std::vector<double> mass(samples), low(samples);
  for (int k = 0; k < samples; ++k) mass[k] = 5 + 20.0 * k / (samples - 1);

  std::atomic<int> next{0};
  const auto work = [&] {
    lmc::Workspace top = model.workspace(); // one per thread
    for (int k = next++; k < samples; k = next++) low[k] = lowest(top, mass[k]);
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::max(2U, std::thread::hardware_concurrency()); ++i) threads.emplace_back(work);
  for (std::thread& t : threads) t.join();

  for (int k = 0; k < samples; k += 9) std::printf("mass %6.3f kg: lowest tip at %9.6f m\n", mass[k], low[k]);
  // A heavier top of the same spin nods deeper.
  return std::is_sorted(low.rbegin(), low.rend()) ? 0 : 1;
}
