// Time per step of two symplectic methods: hand-written Newton iterations, with Eigen and tuned, against the tool.
#include "bench/Measure.h"
#include "bench/PlainSymplectic.h"
#include "bench/PlainVariational.h"
#include "bench/Tool.h"
#include "bench/TunedSymplectic.h"

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
  double outside = 0; ///< evaluations of f in a step that no turn makes; 0: turns are not counted
};

struct Times {
  Spread seconds;
  double turns = 0; ///< a step
};

int stepsOf(const Options& options) {
  return options.quick ? 5000 : 50000;
}

template <class System> void advance(const System& system, typename System::State& y, double h, long& turns) {
  if constexpr (std::is_void_v<decltype(system.step(y, h, turns))>) {
    system.step(y, h, turns);
  } else {
    y = system.step(y, h, turns);
  }
}

template <class System> Times handTimes(const System& system, double h, const Options& options) {
  const int steps = stepsOf(options);
  std::vector<double> seconds;
  Times result;
  for (int r = 0; r <= options.repeats; ++r) {
    typename System::State y = system.start();
    long turns = 0;
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < steps; ++i) advance(system, y, h, turns);
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
    result.turns = answer.summary.at("evaluations").get<double>() / steps - c.outside;
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
    advance(system, y, c.h, turns);
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

template <class Plain, class Tuned>
bool measure(const Plain& plain, const Tuned& tuned, const Case& c, const Options& options, const CacheFolder& cache,
             std::vector<std::vector<std::string>>& rows, nlohmann::json& results) {
  if (!agree(plain, c, cache) || !agree(tuned, c, cache)) return false;
  const Times hand = handTimes(plain, c.h, options);
  const Times expert = handTimes(tuned, c.h, options);
  const Times tool = toolTimes(c, options, cache);
  const bool both = tool.seconds.repeats > 0;
  const double ratio = hand.seconds.median / tool.seconds.median;
  const double over = tool.seconds.median / expert.seconds.median;
  rows.push_back({c.title, duration(hand.seconds.median), percent(hand.seconds), number(hand.turns),
                  duration(expert.seconds.median), percent(expert.seconds), number(expert.turns),
                  duration(tool.seconds.median), percent(tool.seconds), c.outside > 0 ? number(tool.turns) : "-",
                  both ? number(ratio) : "-", both ? number(over) : "-"});
  results.push_back({{"method", c.method},
                     {"example", c.example},
                     {"step", c.h},
                     {"by_hand", toJson(hand.seconds)},
                     {"by_hand_turns", hand.turns},
                     {"tuned", toJson(expert.seconds)},
                     {"tuned_turns", expert.turns},
                     {"lmc", toJson(tool.seconds)},
                     {"lmc_turns", c.outside > 0 ? nlohmann::json(tool.turns) : nlohmann::json(nullptr)},
                     {"ratio", ratio},
                     {"over_tuned", over}});
  return true;
}

} // namespace

int main(int argc, char** argv) {
  const Options options = readOptions(argc, argv);
  const CacheFolder cache;
  nlohmann::json results{{"bench", "symplectic"}, {"machine", machine()}, {"unit", "seconds per step"}};
  results["results"] = nlohmann::json::array();
  std::vector<std::vector<std::string>> rows{
      {"time per step", "Eigen", "", "turns", "tuned", "", "turns", "lmc", "", "turns", "Eigen/lmc", "lmc/tuned"}};
  nlohmann::json& list = results["results"];
  bool good = true;
  // Two evaluations to start from, and one for the velocities at the end.
  for (const auto& [example, outside] : {std::pair{"heavy_top", 3.0}, std::pair{"heavy_top_hamiltonian", 2.0}}) {
    for (const double h : {1e-4, 1e-3, 1e-2}) {
      const Case c{example, "SLGI(theta = 0.5)",
                   "theta = 1/2, " + std::string(example) + ", h = " + number(h * 1000) + "e-3", h, outside};
      good = measure(lmc::bench::plain::SymplecticTop{}, lmc::bench::tuned::SymplecticTop{}, c, options, cache, rows,
                     list) &&
             good;
    }
  }
  for (const double h : {0.125, 0.25}) {
    const Case c{"energy_test", "VLV", "VLV, energy_test, h = " + std::to_string(h).substr(0, 5), h};
    good = measure(lmc::bench::plain::VariationalBody{},
                   lmc::bench::tuned::VariationalBody<lmc::bench::tuned::TestBody>{}, c, options, cache, rows, list) &&
           good;
  }
  for (const double h : {1e-4, 1e-3}) {
    const Case c{"heavy_top", "VLV", "VLV, heavy_top, h = " + number(h * 1000) + "e-3", h};
    const lmc::bench::tuned::VariationalBody<lmc::bench::tuned::TopBody> top;
    good = measure(lmc::bench::plain::VariationalTop{}, top, c, options, cache, rows, list) && good;
  }
  std::cout << table(rows);
  writeJson(options, results);
  return good ? 0 : 1;
}
