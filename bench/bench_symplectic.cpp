// Time per step of the symplectic method with theta = 1/2 on the heavy top: a hand-written Newton iteration against
// the tool.
#include "bench/Measure.h"
#include "bench/PlainSymplectic.h"
#include "bench/Tool.h"

#include <chrono>
#include <cstdio>
#include <iostream>

using namespace lmc::bench;

namespace {

template <class T> void keep(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

struct Plain {
  Spread seconds;
  double turns = 0; ///< a step
};

Plain plainTimes(double h, const Options& options) {
  const plain::SymplecticTop top;
  const int steps = options.quick ? 5000 : 50000;
  std::vector<double> seconds;
  Plain result;
  for (int r = 0; r <= options.repeats; ++r) {
    plain::SymplecticTop::State y = plain::SymplecticTop::start();
    long turns = 0;
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < steps; ++i) y = top.step(y, h, turns);
    const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    keep(y);
    result.turns = static_cast<double>(turns) / steps;
    if (r > 0) seconds.push_back(elapsed / steps);
  }
  result.seconds = spreadOf(seconds);
  return result;
}

std::vector<std::string> toolArguments(double h, double end) {
  return {"--method", "SLGI(theta = 0.5)",         "--step",  std::to_string(h),
          "--time",   "0.." + std::to_string(end), "--every", std::to_string(end)};
}

Plain toolTimes(double h, const Options& options, const CacheFolder& cache) {
  std::vector<double> seconds;
  Plain result;
  for (int r = 0; r <= options.repeats && toolExists(); ++r) {
    const ToolRun run =
        runTool(example("heavy_top_hamiltonian"), toolArguments(h, h * (options.quick ? 5000 : 50000)), cache);
    if (run.summary.is_null()) break;
    const double steps = run.summary.at("steps").get<double>();
    result.turns = run.summary.at("evaluations").get<double>() / steps - 1; // one starting value
    if (r > 0) seconds.push_back(run.summary.at("run_seconds").get<double>() / steps);
  }
  result.seconds = spreadOf(seconds);
  return result;
}

/// The largest change of the energy over a second of the hand-written program: a mistake in it would show.
double energyChange() {
  const plain::SymplecticTop top;
  const auto energy = [&](const plain::SymplecticTop::State& y) {
    const Eigen::Vector3d body = y.R.transpose() * y.p;
    return 0.5 * body.dot(body.cwiseQuotient(top.J)) - top.ml * top.gravity.dot(y.R * top.chi);
  };
  plain::SymplecticTop::State y = plain::SymplecticTop::start();
  const double first = energy(y);
  double worst = 0;
  long turns = 0;
  for (int i = 0; i < 1000; ++i) {
    y = top.step(y, 1e-3, turns);
    worst = std::max(worst, std::abs(energy(y) / first - 1));
  }
  return worst;
}

} // namespace

int main(int argc, char** argv) {
  const Options options = readOptions(argc, argv);
  if (const double error = energyChange(); !(error < 1e-7)) {
    std::cerr << "the hand-written program changes the energy by " << error << '\n';
    return 1;
  }
  const CacheFolder cache;
  nlohmann::json results{{"bench", "symplectic"}, {"machine", machine()}, {"unit", "seconds per step, theta = 1/2"}};
  std::vector<std::vector<std::string>> rows{
      {"theta = 1/2, heavy_top", "by hand", "", "turns", "lmc", "", "turns", "by hand/lmc"}};
  for (const double h : {1e-3, 1e-2}) {
    const Plain hand = plainTimes(h, options);
    const Plain tool = toolTimes(h, options, cache);
    std::array<char, 64> text{};
    const auto number = [&](double x) {
      std::snprintf(text.data(), text.size(), "%.2f", x);
      return std::string(text.data());
    };
    const double ratio = hand.seconds.median / tool.seconds.median;
    rows.push_back({"h = " + number(h * 1000) + "e-3", duration(hand.seconds.median), percent(hand.seconds),
                    number(hand.turns), duration(tool.seconds.median), percent(tool.seconds), number(tool.turns),
                    tool.seconds.repeats > 0 ? number(ratio) : "-"});
    results["results"].push_back({{"step", h},
                                  {"by_hand", toJson(hand.seconds)},
                                  {"by_hand_turns", hand.turns},
                                  {"lmc", toJson(tool.seconds)},
                                  {"lmc_turns", tool.turns},
                                  {"ratio", ratio}});
  }
  std::cout << table(rows);
  writeJson(options, results);
  return 0;
}
