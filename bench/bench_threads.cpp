// Threads inside of a step: models with one thread and with two, in turns; and what two take in processor time. Where
// there is too little to share two do what one does.
#include "bench/Measure.h"
#include "bench/Tool.h"

#include <algorithm>
#include <cmath>
#include <fstream>
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

/// A run that is measured.
struct Case {
  std::string name, file;
  std::vector<std::string> set;
  double step = 0;
  std::int64_t steps = 0;
};

Case spheres(int members) {
  return {"dipolar_spheres, N = " + std::to_string(members),
          bench::example("dipolar_spheres"),
          {"--set", "N=" + std::to_string(members)},
          1e-4,
          400'000'000 / (4 * members * members) + 1};
}

/// Steps of the chain's own length are too long for thousands of links.
Case chain(int members) {
  return {"pendulum_chain, N = " + std::to_string(members),
          bench::example("pendulum_chain"),
          {"--set", "N=" + std::to_string(members), "--method", "RKMK4"},
          1e-5,
          16'000'000 / members};
}

/// Members of a family that see none, or their neighbours.
Case family(const std::string& name, const std::string& text, int members, const bench::CacheFolder& folder) {
  const std::string file = (folder.path() / (name + ".lie")).string();
  std::ofstream(file) << text;
  return {name + ", N = " + std::to_string(members),
          file,
          {"--set", "N=" + std::to_string(members)},
          1e-4,
          16'000'000 / members};
}

const char* const pendula = R"(model Pendula {
  param N : int = 4000;
  config q[N] : S^2 velocity w;
  lagrangian = sum(i in 1..N: 0.5*dot(w[i], w[i]) - 9.81*q[i][3])
             - sum(i in 1..N-1: 1.5*dot(q[i+1] - q[i], q[i+1] - q[i]));
  initial q[i in 1..N] = [sqrt(2)/2, 0, sqrt(2)/2];
  initial w[i in 1..N] = [0, 1, 0];
  simulate { method = RKMK4; time = 0..1; step = 1e-4; }
}
)";

const char* const bodies = R"(model Bodies {
  param N : int = 4000;
  param J : mat(3,3) = diag(1, 2, 3);
  config R[N] : SO(3) velocity W;
  lagrangian = sum(i in 1..N: 0.5*dot(W[i], J*W[i]) - 9.81*(R[i]*e3)[3]);
  initial R[i in 1..N] = eye(3);
  initial W[i in 1..N] = [1, 2, 0.1];
  simulate { method = RKMK4; time = 0..1; step = 1e-4; }
}
)";

Taken take(const Case& c, int threads, const bench::CacheFolder& cache) {
  const double begin = processorSeconds();
  const std::string end = std::to_string(c.step * static_cast<double>(c.steps));
  std::vector<std::string> arguments{"--step",    std::to_string(c.step), "--time", "0.." + end, "--every", end,
                                     "--threads", std::to_string(threads)};
  arguments.insert(arguments.end(), c.set.begin(), c.set.end());
  const bench::ToolRun run = bench::runTool(c.file, arguments, cache, 300);
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
  std::vector<Case> cases;
  for (const int members : {100, 400, 1000, 2000}) cases.push_back(spheres(members));
  for (const int members : {200, 1000, 4000}) cases.push_back(chain(members));
  for (const int members : {200, 4000}) {
    cases.push_back(family("pendula", pendula, members, cache));
    cases.push_back(family("bodies", bodies, members, cache));
  }
  for (const Case& c : cases) {
    std::vector<double> efficiency, processor;
    double one = INFINITY, two = INFINITY;
    for (int round = 0; round <= options.repeats; ++round) {
      const Taken alone = take(c, 1, cache);
      const Taken both = take(c, 2, cache);
      if (round == 0) continue;
      one = std::min(one, alone.run);
      two = std::min(two, both.run);
      efficiency.push_back(alone.run / both.run / 2);
      processor.push_back(both.processor / alone.processor);
    }
    const auto steps = static_cast<double>(c.steps);
    std::cout << c.name << ": " << bench::duration(one / steps) << " and " << bench::duration(two / steps)
              << " a step, the least; efficiency of two threads " << bench::spreadOf(efficiency).median << ' '
              << bench::percent(bench::spreadOf(efficiency)) << ", their processor time over that of one "
              << bench::spreadOf(processor).median << ' ' << bench::percent(bench::spreadOf(processor)) << std::endl;
    results[c.name] = {{"efficiency", bench::toJson(bench::spreadOf(efficiency))},
                       {"processor", bench::toJson(bench::spreadOf(processor))},
                       {"one", one / steps},
                       {"two", two / steps}};
  }
  bench::writeJson(options, results);
  return 0;
}
