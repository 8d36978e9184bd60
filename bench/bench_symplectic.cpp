// Time per step of two symplectic methods: hand-written Newton iterations against the tool.
#include "bench/Measure.h"
#include "bench/PlainSymplectic.h"
#include "bench/PlainVariational.h"
#include "bench/Tool.h"

#include <chrono>
#include <cstdio>
#include <iostream>

using namespace lmc::bench;

namespace {

template <class T> void keep(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

/// A method of the library on an example.
struct Case {
  std::string example, method;
  std::string title;
  double h = 0;
  bool countsTurns = true; ///< by the evaluations of f: one in each turn and one before
};

struct Times {
  Spread seconds;
  double turns = 0; ///< a step
};

int stepsOf(const Options& options) {
  return options.quick ? 5000 : 50000;
}

template <class System> Times plainTimes(const System& system, double h, const Options& options) {
  const int steps = stepsOf(options);
  std::vector<double> seconds;
  Times result;
  for (int r = 0; r <= options.repeats; ++r) {
    typename System::State y = system.start();
    long turns = 0;
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < steps; ++i) y = system.step(y, h, turns);
    const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    keep(y);
    result.turns = static_cast<double>(turns) / steps;
    if (r > 0) seconds.push_back(elapsed / steps);
  }
  result.seconds = spreadOf(seconds);
  return result;
}

ToolRun run(const Case& c, int steps, int samples, const CacheFolder& cache) {
  const double end = c.h * steps;
  return runTool(example(c.example),
                 {"--method", c.method, "--step", std::to_string(c.h), "--time", "0.." + std::to_string(end), "--every",
                  std::to_string(end / samples)},
                 cache);
}

Times toolTimes(const Case& c, const Options& options, const CacheFolder& cache) {
  std::vector<double> seconds;
  Times result;
  for (int r = 0; r <= options.repeats && toolExists(); ++r) {
    const ToolRun answer = run(c, stepsOf(options), 1, cache);
    if (answer.summary.is_null()) break;
    const double steps = answer.summary.at("steps").get<double>();
    result.turns = answer.summary.at("evaluations").get<double>() / steps - 1;
    if (r > 0) seconds.push_back(answer.summary.at("run_seconds").get<double>() / steps);
  }
  result.seconds = spreadOf(seconds);
  return result;
}

/// The hand-written program and the tool have the same largest energy error in 200 steps: a mistake in one would show.
template <class System> bool agree(const System& system, const Case& c, const CacheFolder& cache) {
  constexpr int steps = 200;
  typename System::State y = system.start();
  const double first = system.energy(y);
  double worst = 0;
  long turns = 0;
  for (int i = 0; i < steps; ++i) {
    y = system.step(y, c.h, turns);
    worst = std::max(worst, std::abs(system.energy(y) - first));
  }
  const ToolRun answer = toolExists() ? run(c, steps, steps, cache) : ToolRun{};
  if (answer.summary.is_null()) return true; // nothing to compare with; the table shows it
  const double tool = answer.summary.at("energy_error").get<double>();
  const double relative = worst / std::abs(first);
  if (std::abs(tool - relative) < 1e-3 * relative || std::abs(tool - worst) < 1e-3 * worst) return true;
  std::cerr << c.title << ": the energy error is " << relative << " by hand and " << tool << " by the tool\n";
  return false;
}

std::string number(double x) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.2f", x);
  return text.data();
}

template <class System>
bool measure(const System& system, const Case& c, const Options& options, const CacheFolder& cache,
             std::vector<std::vector<std::string>>& rows, nlohmann::json& results) {
  if (!agree(system, c, cache)) return false;
  const Times hand = plainTimes(system, c.h, options);
  const Times tool = toolTimes(c, options, cache);
  const double ratio = hand.seconds.median / tool.seconds.median;
  rows.push_back({c.title, duration(hand.seconds.median), percent(hand.seconds), number(hand.turns),
                  duration(tool.seconds.median), percent(tool.seconds), c.countsTurns ? number(tool.turns) : "-",
                  tool.seconds.repeats > 0 ? number(ratio) : "-"});
  results.push_back({{"method", c.method},
                     {"example", c.example},
                     {"step", c.h},
                     {"by_hand", toJson(hand.seconds)},
                     {"by_hand_turns", hand.turns},
                     {"lmc", toJson(tool.seconds)},
                     {"lmc_turns", c.countsTurns ? nlohmann::json(tool.turns) : nlohmann::json(nullptr)},
                     {"ratio", ratio}});
  return true;
}

} // namespace

int main(int argc, char** argv) {
  const Options options = readOptions(argc, argv);
  const CacheFolder cache;
  nlohmann::json results{{"bench", "symplectic"}, {"machine", machine()}, {"unit", "seconds per step"}};
  results["results"] = nlohmann::json::array();
  std::vector<std::vector<std::string>> rows{
      {"time per step", "by hand", "", "turns", "lmc", "", "turns", "by hand/lmc"}};
  bool good = true;
  for (const double h : {1e-3, 1e-2}) {
    const Case c{"heavy_top_hamiltonian", "SLGI(theta = 0.5)",
                 "theta = 1/2, heavy_top, h = " + number(h * 1000) + "e-3", h};
    good = measure(plain::SymplecticTop{}, c, options, cache, rows, results["results"]) && good;
  }
  for (const double h : {0.125, 0.25}) {
    const Case c{"energy_test", "VLV", "VLV, energy_test, h = " + std::to_string(h).substr(0, 5), h, false};
    good = measure(plain::VariationalBody{}, c, options, cache, rows, results["results"]) && good;
  }
  std::cout << table(rows);
  writeJson(options, results);
  return good ? 0 : 1;
}
