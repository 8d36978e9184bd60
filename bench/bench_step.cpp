// Time per step of two explicit methods: plain Eigen programs and programs tuned by hand against the tool, on the same
// models and machine.
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

using tuned::Method;

constexpr double stepSize = 1e-4;

int stepsOf(const Options& options) {
  return options.quick ? 20000 : 200000;
}

/// Keeps a value alive without storing it.
template <class T> void keep(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

/// Seconds per step of a plain program, repeated.
template <class System> Spread plainTimes(const System& system, Method method, const Options& options) {
  const int steps = stepsOf(options);
  std::vector<double> seconds;
  for (int r = 0; r <= options.repeats; ++r) {
    typename System::State y = System::start();
    const auto start = std::chrono::steady_clock::now();
    if (method == Method::RKMK4)
      for (int i = 0; i < steps; ++i) y = plain::step(system, y, stepSize);
    else
      for (int i = 0; i < steps; ++i) y = plain::stepFree(system, y, stepSize);
    const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    keep(y);
    if (r > 0) seconds.push_back(elapsed / steps); // the first one warms up
  }
  return spreadOf(seconds);
}

/// Seconds per step of a tuned program, repeated.
Spread tunedTimes(tuned::System system, Method method, const Options& options) {
  const int steps = stepsOf(options);
  std::vector<double> seconds;
  for (int r = 0; r <= options.repeats; ++r) {
    const double elapsed = tuned::run(system, method, steps, stepSize);
    if (r > 0) seconds.push_back(elapsed / steps);
  }
  return spreadOf(seconds);
}

/// Seconds per step of the tool: one run of many steps, nothing written, `run_seconds` over `steps`.
Spread toolTimes(const std::string& model, const std::string& method, const Options& options,
                 const CacheFolder& cache) {
  const std::string time = options.quick ? "0..2" : "0..20";
  std::vector<double> seconds;
  for (int r = 0; r <= options.repeats && toolExists(); ++r) {
    const ToolRun run =
        runTool(example(model), {"--method", method, "--step", "1e-4", "--time", time, "--every", "1"}, cache);
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

std::vector<Line> measure(Method method, const std::string& name, const Options& options, const CacheFolder& cache) {
  using tuned::System;
  const auto line = [&](const std::string& model, const std::string& title, const auto& system, System tuned) {
    return Line{title, plainTimes(system, method, options), tunedTimes(tuned, method, options),
                toolTimes(model, name, options, cache)};
  };
  return {line("heavy_top", "heavy_top", plain::Top{}, System::Top),
          line("heavy_top_basis", "heavy_top_basis", plain::Top{}, System::Top),
          line("pendulum_chain", "pendulum_chain, N = 2", plain::Chain{}, System::Chain),
          line("two_quadrotors", "two_quadrotors", plain::Quadrotors{}, System::Quadrotors)};
}

void report(const std::string& method, const std::vector<Line>& lines, nlohmann::json& results) {
  std::vector<std::vector<std::string>> rows{
      {method + ", time per step", "Eigen", "", "tuned", "", "lmc", "", "Eigen/lmc", "lmc/tuned"}};
  for (const Line& line : lines) {
    rows.push_back({line.model, duration(line.plain.median), percent(line.plain), duration(line.tuned.median),
                    percent(line.tuned), duration(line.tool.median), percent(line.tool), ratio(line.plain, line.tool),
                    ratio(line.tool, line.tuned)});
    results["results"].push_back({{"model", line.model},
                                  {"method", method},
                                  {"eigen", toJson(line.plain)},
                                  {"tuned", toJson(line.tuned)},
                                  {"lmc", toJson(line.tool)},
                                  {"ratio", line.plain.median / line.tool.median}});
  }
  std::cout << table(rows);
}

} // namespace

int main(int argc, char** argv) {
  const Options options = readOptions(argc, argv);
  for (const auto& [what, error] : {std::pair{"plain programs differ from the references", plainError()},
                                    {"tuned programs differ from the plain ones", tuned::error()}}) {
    if (error < 1e-10) continue;
    std::cerr << "the " << what << " by " << error << '\n';
    return 1;
  }
  const CacheFolder cache;
  nlohmann::json results{{"bench", "step"}, {"machine", machine()}, {"unit", "seconds per step"}};
  report("RKMK4", measure(Method::RKMK4, "RKMK4", options, cache), results);
  report("CF4", measure(Method::CF4, "CF4", options, cache), results);
  if (!toolExists()) std::cout << "(the tool is not built)\n";
  writeJson(options, results);
  return 0;
}
