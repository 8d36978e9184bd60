// Time per step of RKMK4: plain Eigen programs and programs tuned by hand against the tool, on the same models and
// machine.
#include "bench/Measure.h"
#include "bench/Plain.h"
#include "bench/PlainCheck.h"
#include "bench/Tool.h"
#include "bench/Tuned.h"

#include <chrono>
#include <cstdio>
#include <iostream>

using namespace lmc::bench;

namespace {

/// Keeps a value alive without storing it.
template <class T> void keep(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

/// Seconds per step of a plain program, repeated.
template <class System> Spread plainTimes(const System& system, const Options& options) {
  const int steps = options.quick ? 20000 : 200000;
  constexpr double h = 1e-4;
  std::vector<double> seconds;
  for (int r = 0; r <= options.repeats; ++r) {
    typename System::State y = System::start();
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < steps; ++i) y = plain::step(system, y, h);
    const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    keep(y);
    if (r > 0) seconds.push_back(elapsed / steps); // the first one warms up
  }
  return spreadOf(seconds);
}

/// Seconds per step of a tuned program, repeated.
template <class System> Spread tunedTimes(const Options& options) {
  const int steps = options.quick ? 20000 : 200000;
  constexpr double h = 1e-4;
  std::vector<double> seconds;
  for (int r = 0; r <= options.repeats; ++r) {
    typename System::State y = System::start();
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < steps; ++i) System::step(y, h);
    const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    keep(y);
    if (r > 0) seconds.push_back(elapsed / steps);
  }
  return spreadOf(seconds);
}

/// The largest difference of the tuned programs from the plain ones after 200 steps.
double tunedError() {
  constexpr double h = 1e-3;
  const plain::Top top;
  const plain::Chain chain;
  const plain::Quadrotors quadrotors;
  auto t = top.start();
  auto c = chain.start();
  auto q = quadrotors.start();
  auto tt = tuned::Top::start();
  auto tc = tuned::Chain::start();
  auto tq = tuned::Quadrotors::start();
  for (int i = 0; i < 200; ++i) {
    t = plain::step(top, t, h);
    c = plain::step(chain, c, h);
    q = plain::step(quadrotors, q, h);
    tuned::Top::step(tt, h);
    tuned::Chain::step(tc, h);
    tuned::Quadrotors::step(tq, h);
  }
  double error = 0;
  const auto compare = [&](const Eigen::Vector3d& a, const tuned::V& b) {
    error = std::max(error, (a - Eigen::Vector3d(b.x, b.y, b.z)).cwiseAbs().maxCoeff());
  };
  compare(t.R.row(2), tt.R.r3);
  compare(t.Omega, tt.Omega);
  compare(q.y, tq.y);
  compare(q.v, tq.v);
  for (int i = 0; i < 2; ++i) {
    compare(c.q[i], tc.l[i].q);
    compare(c.w[i], tc.l[i].w);
    compare(q.R[i].row(0), tq.R[i].r1);
    compare(q.Omega[i], tq.Omega[i]);
    compare(q.q[i], tq.l[i].q);
    compare(q.w[i], tq.l[i].w);
  }
  return error;
}

/// Seconds per step of the tool: one run of many steps, nothing written, `run_seconds` over `steps`.
Spread toolTimes(const std::string& model, const Options& options, const CacheFolder& cache) {
  const std::string time = options.quick ? "0..2" : "0..20";
  std::vector<double> seconds;
  for (int r = 0; r <= options.repeats && toolExists(); ++r) {
    const ToolRun run =
        runTool(example(model), {"--method", "RKMK4", "--step", "1e-4", "--time", time, "--every", "1"}, cache);
    if (run.summary.is_null()) break;
    if (r > 0) seconds.push_back(run.summary.at("run_seconds").get<double>() / run.summary.at("steps").get<double>());
  }
  return spreadOf(seconds);
}

struct Line {
  std::string model;
  Spread plain, tuned, tool;
};

std::string ratio(const Spread& a, const Spread& b) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f", a.median / b.median);
  return a.repeats > 0 && b.repeats > 0 ? text.data() : "-";
}

} // namespace

int main(int argc, char** argv) {
  const Options options = readOptions(argc, argv);
  for (const auto& [what, error] : {std::pair{"plain programs differ from the references", plainError()},
                                    {"tuned programs differ from the plain ones", tunedError()}}) {
    if (error < 1e-10) continue;
    std::cerr << "the " << what << " by " << error << '\n';
    return 1;
  }
  const CacheFolder cache;
  const std::vector<Line> lines{{"heavy_top", plainTimes(plain::Top{}, options), tunedTimes<tuned::Top>(options),
                                 toolTimes("heavy_top", options, cache)},
                                {"heavy_top_basis", plainTimes(plain::Top{}, options), tunedTimes<tuned::Top>(options),
                                 toolTimes("heavy_top_basis", options, cache)},
                                {"pendulum_chain, N = 2", plainTimes(plain::Chain{}, options),
                                 tunedTimes<tuned::Chain>(options), toolTimes("pendulum_chain", options, cache)},
                                {"two_quadrotors", plainTimes(plain::Quadrotors{}, options),
                                 tunedTimes<tuned::Quadrotors>(options), toolTimes("two_quadrotors", options, cache)}};
  nlohmann::json results{{"bench", "step"}, {"machine", machine()}, {"unit", "seconds per step of RKMK4"}};
  std::vector<std::vector<std::string>> rows{
      {"RKMK4, time per step", "Eigen", "", "tuned", "", "lmc", "", "Eigen/lmc", "lmc/tuned"}};
  for (const Line& line : lines) {
    rows.push_back({line.model, duration(line.plain.median), percent(line.plain), duration(line.tuned.median),
                    percent(line.tuned), duration(line.tool.median), percent(line.tool), ratio(line.plain, line.tool),
                    ratio(line.tool, line.tuned)});
    results["results"].push_back({{"model", line.model},
                                  {"eigen", toJson(line.plain)},
                                  {"tuned", toJson(line.tuned)},
                                  {"lmc", toJson(line.tool)},
                                  {"ratio", line.plain.median / line.tool.median}});
  }
  std::cout << table(rows);
  if (!toolExists()) std::cout << "(the tool is not built)\n";
  writeJson(options, results);
  return 0;
}
