// Steps of heaps of balls of one depth, with 300, 1,200 and 4,800 balls: time per ball of a step, and of a sweep over
// its contacts, in turns.
#include "bench/Measure.h"
#include "bench/Tool.h"

#include <array>
#include <iostream>

using namespace lmc;

namespace {

struct Taken {
  double step = 0;  ///< seconds for a ball and step
  double sweep = 0; ///< seconds for a contact that acts and sweep
};

Taken take(int columns, const bench::CacheFolder& cache) {
  const int balls = 12 * columns * columns;
  const bench::ToolRun run =
      bench::runTool(bench::example("heap"),
                     {"--set", "N=" + std::to_string(balls), "--set", "columns=" + std::to_string(columns), "--time",
                      "0..0.8", "--every", "0.8"},
                     cache, 600);
  if (run.summary.is_null()) return {};
  const double seconds = run.summary.at("run_seconds").get<double>();
  const nlohmann::json& c = run.summary.at("contacts");
  const double acting = c.at("acting").get<double>(), steps = c.at("steps").get<double>();
  return {seconds / run.summary.at("steps").get<double>() / balls,
          seconds / (c.at("sweeps").get<double>() * acting / steps)};
}

} // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::readOptions(argc, argv);
  if (!bench::toolExists()) {
    std::cerr << "the tool is not built\n";
    return 1;
  }
  const bench::CacheFolder cache;
  constexpr std::array<int, 3> sizes{5, 10, 20};
  nlohmann::json results{{"bench", "heap"}, {"machine", bench::machine()}};
  std::array<std::vector<double>, 3> steps, sweeps;
  for (int round = 0; round <= options.repeats; ++round) {
    std::array<Taken, 3> taken;
    for (std::size_t k = 0; k < sizes.size(); ++k) taken[k] = take(sizes[k], cache);
    if (round == 0) continue;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      steps[k].push_back(taken[k].step / taken[0].step);
      sweeps[k].push_back(taken[k].sweep / taken[0].sweep);
    }
  }
  for (std::size_t k = 1; k < sizes.size(); ++k) {
    const int balls = 12 * sizes[k] * sizes[k];
    std::cout << balls << " balls over 300: time of a ball and step " << bench::spreadOf(steps[k]).median << ' '
              << bench::percent(bench::spreadOf(steps[k])) << ", of a contact and sweep "
              << bench::spreadOf(sweeps[k]).median << ' ' << bench::percent(bench::spreadOf(sweeps[k])) << std::endl;
    results[std::to_string(balls)] = {{"step", bench::toJson(bench::spreadOf(steps[k]))},
                                      {"sweep", bench::toJson(bench::spreadOf(sweeps[k]))}};
  }
  bench::writeJson(options, results);
  return 0;
}
