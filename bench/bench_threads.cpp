// Threads inside of a step: dipolar_spheres with one thread and with two, in turns; and what two take in processor
// time.
#include "bench/Measure.h"
#include "bench/Tool.h"

#include <cmath>
#include <iostream>
#include <sys/resource.h>

using namespace lmc;

namespace {

/// Seconds of processor time of programs that have ended.
double processorSeconds() {
  rusage used{};
  getrusage(RUSAGE_CHILDREN, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

struct Taken {
  double run = std::nan("");       ///< seconds of the steps
  double processor = std::nan(""); ///< seconds of the whole program on all processors
};

Taken take(int members, int threads, const bench::CacheFolder& cache) {
  const double begin = processorSeconds();
  const int steps = 400'000'000 / (4 * members * members) + 1;
  const std::string end = std::to_string(1e-4 * steps);
  const bench::ToolRun run = bench::runTool(bench::example("dipolar_spheres"),
                                            {"--set", "N=" + std::to_string(members), "--step", "1e-4", "--time",
                                             "0.." + end, "--every", end, "--threads", std::to_string(threads)},
                                            cache, 300);
  if (run.summary.is_null()) return {};
  return {run.summary.at("run_seconds").get<double>(), processorSeconds() - begin};
}

} // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::readOptions(argc, argv);
  if (!bench::toolExists()) {
    std::cerr << "the tool is not built\n";
    return 1;
  }
  const bench::CacheFolder cache;
  nlohmann::json results{{"bench", "threads"}, {"machine", bench::machine()}};
  for (const int members : {100, 400, 1000, 2000}) {
    std::vector<double> efficiency, processor;
    for (int round = 0; round <= options.repeats; ++round) {
      const Taken one = take(members, 1, cache);
      const Taken two = take(members, 2, cache);
      if (round == 0) continue;
      efficiency.push_back(one.run / two.run / 2);
      processor.push_back(two.processor / one.processor);
    }
    std::cout << "dipolar_spheres, N = " << members << ": efficiency of two threads "
              << bench::spreadOf(efficiency).median << ' ' << bench::percent(bench::spreadOf(efficiency))
              << ", their processor time over that of one " << bench::spreadOf(processor).median << ' '
              << bench::percent(bench::spreadOf(processor)) << std::endl;
    results[std::to_string(members)] = {{"efficiency", bench::toJson(bench::spreadOf(efficiency))},
                                        {"processor", bench::toJson(bench::spreadOf(processor))}};
  }
  bench::writeJson(options, results);
  return 0;
}
