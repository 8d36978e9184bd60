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
#include <optional>

using namespace lmc::bench::tuned;
using namespace lmc::bench;

namespace {

using lmc::bench::tuned::Method;

constexpr double stepSize = 1e-4;

int stepsOf(const Options& options) {
  return options.quick ? 20000 : 50000;
}

/// Keeps a value alive without storing it.
template <class T> void keep(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

/// Seconds per step of a plain program.
template <class System> double plainTime(const System& system, Method method, int steps) {
  typename System::State y = System::start();
  const auto start = std::chrono::steady_clock::now();
  if (method == Method::RKMK4)
    for (int i = 0; i < steps; ++i) y = lmc::bench::plain::step(system, y, stepSize);
  else
    for (int i = 0; i < steps; ++i) y = lmc::bench::plain::stepFree(system, y, stepSize);
  const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  keep(y);
  return elapsed / steps;
}

/// Seconds per step of the tool: one run of many steps, nothing written, `run_seconds` over `steps`. Nothing without
/// it.
std::optional<double> toolTime(const std::string& model, const std::string& method, int steps,
                               const CacheFolder& cache) {
  if (!toolExists()) return {};
  const std::string time = "0.." + std::to_string(stepSize * steps);
  const ToolRun run =
      runTool(example(model), {"--method", method, "--step", "1e-4", "--time", time, "--every", "1"}, cache);
  if (run.summary.is_null()) return {};
  return run.summary.at("run_seconds").get<double>() / run.summary.at("steps").get<double>();
}

struct Line {
  std::string model;
  Spread plain, tuned, tool;
  Spread plainToTool, toolToTuned; ///< ratios of one round
};

std::string ratio(const Spread& s) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f", s.median);
  return s.repeats > 0 ? text.data() : "-";
}

/// The three programs take turns, so that what else the machine does meets all of them.
template <class System>
Line compare(const std::string& model, const std::string& title, const System& system, lmc::bench::tuned::System tuned,
             Method method, const std::string& name, const Options& options, const CacheFolder& cache) {
  const int steps = stepsOf(options);
  const int rounds = 3 * options.repeats;
  std::vector<double> plain, fast, tool, plainToTool, toolToTuned;
  for (int r = 0; r <= rounds; ++r) {
    const double a = plainTime(system, method, steps);
    const double b = lmc::bench::tuned::run(tuned, method, steps, stepSize) / steps;
    const std::optional<double> c = toolTime(model, name, steps, cache);
    if (r == 0) continue; // warms up, and fills the cache
    plain.push_back(a);
    fast.push_back(b);
    if (!c) continue;
    tool.push_back(*c);
    plainToTool.push_back(a / *c);
    toolToTuned.push_back(*c / b);
  }
  return {title, spreadOf(plain), spreadOf(fast), spreadOf(tool), spreadOf(plainToTool), spreadOf(toolToTuned)};
}

std::vector<Line> measure(Method method, const std::string& name, const Options& options, const CacheFolder& cache) {
  using lmc::bench::tuned::System;
  const auto line = [&](const std::string& model, const std::string& title, const auto& system, System tuned) {
    return compare(model, title, system, tuned, method, name, options, cache);
  };
  return {line("heavy_top", "heavy_top", lmc::bench::plain::Top{}, System::Top),
          line("heavy_top_basis", "heavy_top_basis", lmc::bench::plain::Top{}, System::Top),
          line("pendulum_chain", "pendulum_chain, N = 2", lmc::bench::plain::Chain{}, System::Chain),
          line("two_quadrotors", "two_quadrotors", lmc::bench::plain::Quadrotors{}, System::Quadrotors)};
}

void report(const std::string& method, const std::vector<Line>& lines, nlohmann::json& results) {
  std::vector<std::vector<std::string>> rows{
      {method + ", time per step", "Eigen", "", "tuned", "", "lmc", "", "Eigen/lmc", "lmc/tuned", ""}};
  for (const Line& line : lines) {
    rows.push_back({line.model, duration(line.plain.median), percent(line.plain), duration(line.tuned.median),
                    percent(line.tuned), duration(line.tool.median), percent(line.tool), ratio(line.plainToTool),
                    ratio(line.toolToTuned), percent(line.toolToTuned)});
    results["results"].push_back({{"model", line.model},
                                  {"method", method},
                                  {"eigen", toJson(line.plain)},
                                  {"tuned", toJson(line.tuned)},
                                  {"lmc", toJson(line.tool)},
                                  {"ratio", line.plainToTool.median},
                                  {"lmc_to_tuned", toJson(line.toolToTuned)}});
  }
  std::cout << table(rows);
}

} // namespace

int main(int argc, char** argv) {
  const Options options = readOptions(argc, argv);
  for (const auto& [what, error] : {std::pair{"plain programs differ from the references", plainError()},
                                    {"tuned programs differ from the plain ones", lmc::bench::tuned::error()}}) {
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
