// Time from process start to the first step: nothing in the cache, a run that repeats an earlier one, a run with other
// values; and the size of the code of families of 40, 400 and 4,000 members.
#include "bench/Measure.h"
#include "bench/Tool.h"

#include <cmath>
#include <iostream>
#include <limits>

using namespace lmc::bench;

namespace {

/// A model and the size of its family.
struct Subject {
  std::string name, file;
  std::vector<std::string> arguments;
};

Subject subject(const std::string& model, const std::string& size) {
  Subject s{model, example(model), {"--method", "RKMK4", "--step", "1e-6", "--time", "0..1e-6"}};
  if (!size.empty()) {
    s.name += ", " + size;
    s.arguments.insert(s.arguments.end(), {"--set", size});
  }
  return s;
}

/// Measurements of one subject.
struct Costs {
  Spread cold, warm, process; ///< start to first step; process: the whole call, warm
  Spread other;               ///< the same with other values, for which the code is there and nothing else
  double codeBytes = std::numeric_limits<double>::quiet_NaN();
};

Costs measure(const Subject& s, int repeats, double limitSeconds) {
  Costs costs;
  std::vector<double> cold, warm, process, other;
  for (int r = 0; r < repeats; ++r) {
    const CacheFolder cache;
    const ToolRun first = runTool(s.file, s.arguments, cache, limitSeconds);
    if (first.summary.is_null()) break;
    cold.push_back(first.summary.at("compile_seconds"));
    costs.codeBytes = first.summary.at("code_bytes");
    const ToolRun second = runTool(s.file, s.arguments, cache, limitSeconds);
    if (second.summary.is_null()) break;
    warm.push_back(second.summary.at("compile_seconds"));
    process.push_back(second.seconds);
    std::vector<std::string> changed = s.arguments;
    changed.insert(changed.end(), {"--seed", "1"});
    const ToolRun third = runTool(s.file, changed, cache, limitSeconds);
    if (third.summary.is_null()) break;
    other.push_back(third.summary.at("compile_seconds"));
  }
  costs.cold = spreadOf(cold);
  costs.warm = spreadOf(warm);
  costs.process = spreadOf(process);
  costs.other = spreadOf(other);
  return costs;
}

std::string bytes(double n) {
  return std::isfinite(n) ? std::to_string(static_cast<long>(n)) : "-";
}

} // namespace

int main(int argc, char** argv) {
  const Options options = readOptions(argc, argv);
  if (!toolExists()) {
    std::cerr << "the tool is not built\n";
    return 1;
  }
  std::vector<Subject> subjects{subject("heavy_top", ""), subject("two_quadrotors", "")};
  for (const char* size : {"N=2", "N=40", "N=400", "N=4000"}) subjects.push_back(subject("pendulum_chain", size));
  for (const char* size : {"n=4", "n=6", "n=20", "n=63"}) subjects.push_back(subject("magnetic_dipoles", size));
  nlohmann::json results{{"bench", "compile"}, {"machine", machine()}, {"unit", "seconds from process start"}};
  std::vector<std::vector<std::string>> rows{
      {"start to first step", "cold", "", "warm", "", "whole process, warm", "other values", "", "code bytes"}};
  for (const Subject& s : subjects) {
    const Costs c = measure(s, options.repeats, options.quick ? 20 : 120);
    rows.push_back({s.name, duration(c.cold.median), percent(c.cold), duration(c.warm.median), percent(c.warm),
                    duration(c.process.median), duration(c.other.median), percent(c.other), bytes(c.codeBytes)});
    results["results"].push_back({{"model", s.name},
                                  {"cold", toJson(c.cold)},
                                  {"warm", toJson(c.warm)},
                                  {"process", toJson(c.process)},
                                  {"other", toJson(c.other)},
                                  {"code_bytes", c.codeBytes}});
  }
  std::cout << table(rows);
  writeJson(options, results);
  return 0;
}
