// Time per step and sample of ensembles, against the step of one trajectory, per core and for all cores.
#include "bench/Measure.h"
#include "bench/Tool.h"

#include <cstdio>
#include <iostream>
#include <thread>

using namespace lmc::bench;

namespace {

struct Case {
  std::string name, model;
  std::vector<std::string> arguments; ///< of both
  std::string time;                   ///< of a sample
  std::string vary;
};

/// Seconds per step of one trajectory, by the tool's own account.
Spread single(const Case& c, const Options& options, const CacheFolder& cache) {
  std::vector<double> seconds;
  for (int r = 0; r <= options.repeats; ++r) {
    std::vector<std::string> arguments = c.arguments;
    arguments.insert(arguments.end(), {"--every", "1e3", "--time", options.quick ? "0..1" : "0..10"});
    const ToolRun run = runTool(example(c.model), arguments, cache);
    if (run.summary.is_null()) break;
    if (r > 0) seconds.push_back(run.summary.at("run_seconds").get<double>() / run.summary.at("steps").get<double>());
  }
  return spreadOf(seconds);
}

/// Seconds of a processor per step and sample of an ensemble.
Spread many(const Case& c, int threads, int lanes, const Options& options, const CacheFolder& cache) {
  std::vector<double> seconds;
  for (int r = 0; r <= options.repeats; ++r) {
    std::vector<std::string> arguments = c.arguments;
    arguments.insert(arguments.end(), {"--samples", options.quick ? "1024" : "4096", "--time", c.time, "--vary", c.vary,
                                       "--threads", std::to_string(threads)});
    if (lanes > 0) arguments.insert(arguments.end(), {"--lanes", std::to_string(lanes)});
    const ToolRun run = runTool(example(c.model), arguments, cache, 120, "ensemble");
    if (run.summary.is_null()) break;
    if (r > 0) seconds.push_back(run.summary.at("cpu_seconds").get<double>() / run.summary.at("steps").get<double>());
  }
  return spreadOf(seconds);
}

std::string ratio(const Spread& a, const Spread& b) {
  if (a.repeats == 0 || b.repeats == 0) return "-";
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f", a.median / b.median);
  return text.data();
}

} // namespace

int main(int argc, char** argv) {
  const Options options = readOptions(argc, argv);
  if (!toolExists()) {
    std::cout << "(the tool is not built)\n";
    return 0;
  }
  const CacheFolder cache;
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const std::vector<std::string> rkmk4 = {"--method", "RKMK4", "--step", "1e-4"};
  const std::vector<Case> cases{
      {"heavy_top, RKMK4", "heavy_top", rkmk4, "0..0.5", "m ~ normal(15, 1)"},
      {"heavy_top, CF4", "heavy_top", {"--method", "CF4", "--step", "1e-4"}, "0..0.5", "m ~ normal(15, 1)"},
      {"spherical_pendulum, RKMK4", "spherical_pendulum", rkmk4, "0..0.5", "g ~ uniform(9, 10)"},
      {"pendulum_chain (N = 2), RKMK4", "pendulum_chain", rkmk4, "0..0.05", "g ~ uniform(9, 10)"},
      {"two_quadrotors, RKMK4", "two_quadrotors", rkmk4, "0..0.05", "my ~ normal(0.5, 0.01)"},
      {"heavy_top, theta = 1/2", "heavy_top", {"--method", "SLGI", "--step", "1e-3"}, "0..0.2", "m ~ normal(15, 1)"},
      {"heavy_top, adaptive 5(4), 1e-8",
       "heavy_top",
       {"--method", "RKMK54", "--tolerance", "1e-8"},
       "0..0.2",
       "m ~ normal(15, 1)"},
  };
  nlohmann::json results{
      {"bench", "ensemble"}, {"machine", machine()}, {"unit", "seconds per step and sample, of one core"}};
  std::vector<std::vector<std::string>> rows{
      {"time per step and sample, of a core", "one trajectory", "", "ensemble, 1 core", "", "ratio",
       std::to_string(cores) + " cores, CPU time over cores", "", "one core / all", "1 lane", "4 lanes", "16 lanes"}};
  for (const Case& c : cases) {
    const Spread one = single(c, options, cache), core = many(c, 1, 0, options, cache),
                 all = many(c, cores, 0, options, cache), lane1 = many(c, 1, 1, options, cache),
                 lane4 = many(c, 1, 4, options, cache), lane16 = many(c, 1, 16, options, cache);
    rows.push_back({c.name, duration(one.median), percent(one), duration(core.median), percent(core), ratio(one, core),
                    duration(all.median / cores), percent(all), ratio(core, all), duration(lane1.median),
                    duration(lane4.median), duration(lane16.median)});
    results["results"].push_back({{"case", c.name},
                                  {"one_trajectory", toJson(one)},
                                  {"one_core", toJson(core)},
                                  {"all_cores", toJson(all)},
                                  {"ratio", one.median / core.median},
                                  {"lanes_1", toJson(lane1)},
                                  {"lanes_4", toJson(lane4)},
                                  {"lanes_16", toJson(lane16)}});
  }
  std::cout << table(rows);
  writeJson(options, results);
  return 0;
}
