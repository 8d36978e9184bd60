// Implicit steps of long chains: the time of a link and step over that of a step of RKMK4 of the top, in turns.
#include "bench/Measure.h"
#include "bench/Tool.h"

#include <cmath>
#include <fstream>
#include <iostream>

using namespace lmc;

namespace {

/// Seconds per step of the tool; not a number where it fails.
double tool(const std::string& file, const std::vector<std::string>& arguments, const bench::CacheFolder& cache) {
  const bench::ToolRun run = bench::runTool(file, arguments, cache, 300);
  if (run.summary.is_null()) return std::nan("");
  return run.summary.at("run_seconds").get<double>() / run.summary.at("steps").get<double>();
}

/// Bodies with the mass in their middle: SO(3), where neighbours are coupled strongly.
const char* const rods = R"(model Rods {
  param N : int = 10;  param J = 0.08;  param g = 9.81;
  config R[N] : SO(3) velocity W;
  let j[1] = zeros(3);
  let j[i in 2..N] = j[i-1] - R[i-1]*e3;
  let c[i in 1..N] = j[i] - 0.5*R[i]*e3;
  lagrangian = sum(i in 1..N: 0.5*dot(c[i]', c[i]') + 0.5*J*dot(W[i], W[i]) - g*c[i][3]);
  initial R[i in 1..N] = SO(3).exp([0.9, 0.2*sin(i), 0.1]);
  simulate { method = VIMidpoint; time = 0..1; step = 1e-3; }
}
)";

/// A lattice: neighbours without recursion.
const char* const springs = R"(model Springs {
  param N : int = 10;  param k = 1000;
  config x[N] : R^3 velocity v;
  lagrangian = sum(i in 1..N: 0.5*dot(v[i], v[i])) - sum(i in 2..N: 0.5*k*(norm(x[i] - x[i-1]) - 1)^2);
  initial x[i in 1..N] = [1.01*i, 0.1*sin(i), 0];
  simulate { method = VIMidpoint; time = 0..1; step = 1e-2; }
}
)";

} // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::readOptions(argc, argv);
  const bench::CacheFolder cache;
  nlohmann::json results{{"bench", "chains"}, {"machine", bench::machine()}};
  const auto rodFile = cache.path() / "rods.lie", springFile = cache.path() / "springs.lie";
  std::ofstream(rodFile) << rods;
  std::ofstream(springFile) << springs;
  struct Row {
    std::string name, file, method;
  };
  const std::string chain = bench::example("pendulum_chain");
  for (const Row& row :
       {Row{"pendulum_chain", chain, "VIMidpoint"}, Row{"pendulum_chain", chain, "VITrapezoid"},
        Row{"pendulum_chain", chain, "DMV"}, Row{"pendulum_chain", chain, "RATTLE"},
        Row{"rods", rodFile.string(), "VIMidpoint"}, Row{"springs", springFile.string(), "VIMidpoint"}})
    for (const int links : {20, 100, 1000, 4000}) {
      const double h = row.name == "springs" ? 1e-2 : links > 1000 ? 2e-4 : 1e-3;
      const int steps = std::max(20, 40'000 / links);
      std::vector<double> link, ratio;
      for (int round = 0; round <= options.repeats; ++round) {
        const double top = tool(bench::example("heavy_top"), {"--step", "1e-4", "--time", "0..5"}, cache);
        const double own = tool(row.file,
                                {"--method", row.method, "--set", "N=" + std::to_string(links), "--step",
                                 std::to_string(h), "--time", "0.." + std::to_string(h * steps)},
                                cache);
        if (round == 0) continue;
        link.push_back(own / links);
        ratio.push_back(own / links / top);
      }
      std::cout << row.name << ", " << row.method << ", N = " << links << ": a link and step "
                << bench::duration(bench::spreadOf(link).median)
                << ", over a step of heavy_top, RKMK4: " << bench::spreadOf(ratio).median << ' '
                << bench::percent(bench::spreadOf(ratio)) << std::endl;
      results[row.name][row.method][std::to_string(links)] = bench::toJson(bench::spreadOf(ratio));
    }
  bench::writeJson(options, results);
  return 0;
}
