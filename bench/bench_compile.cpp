// Time from process start to the first step: nothing in the cache, a run that repeats an earlier one, a run with other
// values; and the size of the code of families of 40, 400 and 4,000 members. Of every example with methods of every
// sort the cold start and the code: the longest of each method.
#include "bench/Measure.h"
#include "bench/Tool.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
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
    const ToolRun second = runTool(s.file, s.arguments, cache, limitSeconds);
    if (second.summary.is_null()) break;
    costs.codeBytes = second.summary.at("code_bytes"); // optimised
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

/// Methods whose steps are long, of every sort.
const std::vector<std::string> longMethods = {"RKMK4",      "RKMK78",      "CF6",      "RATTLE", "SLGI6",
                                              "VIMidpoint", "VITrapezoid", "VIGauss4", "VI4",    "VI6"};

std::vector<std::string> examples() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(example("x")).parent_path()))
    if (entry.path().extension() == ".lie") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// A cold start of one method on each example that it can step: the longest, the most code, and how many there are.
struct Extremes {
  double seconds = 0, bytes = 0;
  std::string slowest, largest;
  int count = 0;
};

Extremes extremesOf(const std::string& method, nlohmann::json& results) {
  Extremes most;
  for (const std::string& name : examples()) {
    const CacheFolder cache;
    const std::vector<std::string> arguments = {"--method", method, "--tolerance", "none",
                                                "--step",   "1e-6", "--time",      "0..1e-6"};
    const ToolRun run = runTool(example(name), arguments, cache);
    if (run.summary.is_null() || !run.summary.contains("compile_seconds")) continue;
    const ToolRun warm = runTool(example(name), arguments, cache); // with optimised code
    if (warm.summary.is_null()) continue;
    const double seconds = run.summary.at("compile_seconds"), bytes = warm.summary.at("code_bytes");
    ++most.count;
    if (seconds > most.seconds) most.slowest = name, most.seconds = seconds;
    if (bytes > most.bytes) most.largest = name, most.bytes = bytes;
    results["methods"].push_back({{"model", name}, {"method", method}, {"cold", seconds}, {"code_bytes", bytes}});
  }
  return most;
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
  if (!options.quick) {
    rows = {{"all examples, cold", "models", "longest start", "of", "most code", "of"}};
    for (const std::string& method : longMethods) {
      const Extremes m = extremesOf(method, results);
      rows.push_back({method, std::to_string(m.count), duration(m.seconds), m.slowest, bytes(m.bytes), m.largest});
    }
    std::cout << '\n' << table(rows);
  }
  writeJson(options, results);
  return 0;
}
