// Time per evaluation of a pair in sums over all pairs: plain Eigen programs against the tool, RKMK4.
#include "bench/Measure.h"
#include "bench/PlainPairs.h"
#include "bench/Tool.h"

#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>

using namespace lmc::bench;

namespace {

template <class T> void keep(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

/// The members of a model, and how to ask for them.
struct Case {
  std::string example;
  std::string set; ///< the size, as for --set
  double members = 0;
  double h = 0;

  [[nodiscard]] double evaluations() const { return 4 * members * (members - 1) / 2; } ///< of a pair, in a step
};

/// A state of the tool, in the order of its columns.
class Row {
public:
  explicit Row(std::vector<double> numbers) : numbers_(std::move(numbers)) {}
  Eigen::Matrix3Xd vectors(Eigen::Index n) {
    Eigen::Matrix3Xd m(3, n);
    for (double& x : m.reshaped()) x = next();
    return m;
  }
  std::vector<Eigen::Matrix3d> matrices(Eigen::Index n) {
    std::vector<Eigen::Matrix3d> list;
    for (Eigen::Index i = 0; i < n; ++i) list.emplace_back(vectors(3).transpose());
    return list;
  }

private:
  double next() { return numbers_.at(position_++); }
  std::vector<double> numbers_;
  std::size_t position_ = 1; // behind the time
};

void read(Row row, Eigen::Index n, lmc::bench::plain::DipolarSpheres::State& y) {
  y.q = row.vectors(n);
  y.p = row.vectors(n);
  y.Q = row.matrices(n);
  y.Pi = row.vectors(n);
}

void read(Row row, Eigen::Index n, lmc::bench::plain::Needles::State& y) {
  y.q = row.vectors(n);
  y.w = row.vectors(n);
}

/// First and last line of a trajectory of 20 steps.
std::pair<Row, Row> trajectory(const Case& c, const CacheFolder& cache) {
  const std::string file = (cache.path() / "pairs.csv").string();
  (void)runTool(example(c.example),
                {"--set", c.set, "--method", "RKMK4", "--step", std::to_string(c.h), "--time",
                 "0.." + std::to_string(20 * c.h), "--output", file},
                cache);
  std::ifstream in(file);
  std::vector<std::vector<double>> rows;
  std::string line;
  for (std::getline(in, line); std::getline(in, line);) {
    rows.emplace_back();
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(std::stod(cell));
  }
  return {Row(rows.front()), Row(rows.back())};
}

template <class System>
Spread plainTimes(const System& system, typename System::State y, const Case& c, int steps, int repeats) {
  std::vector<double> seconds;
  for (int r = 0; r <= repeats; ++r) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < steps; ++i) y = lmc::bench::plain::step(system, y, c.h);
    const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    keep(y);
    if (r > 0) seconds.push_back(elapsed / steps / c.evaluations());
  }
  return spreadOf(seconds);
}

Spread toolTimes(const Case& c, int steps, int repeats, const CacheFolder& cache) {
  std::vector<double> seconds;
  const std::string end = std::to_string(steps * c.h);
  for (int r = 0; r <= repeats && toolExists(); ++r) {
    const ToolRun run = runTool(example(c.example),
                                {"--set", c.set, "--method", "RKMK4", "--step", std::to_string(c.h), "--time",
                                 "0.." + end, "--every", end, "--threads", "1"},
                                cache);
    if (run.summary.is_null()) break;
    const double steps_made = run.summary.at("steps").get<double>();
    if (r > 0) seconds.push_back(run.summary.at("run_seconds").get<double>() / steps_made / c.evaluations());
  }
  return spreadOf(seconds);
}

/// The plain program makes the same 20 steps to 1e-9 (both methods have order 4, but other groups); then the times.
template <class System>
bool measure(const System& system, const Case& c, const Options& options, const CacheFolder& cache,
             std::vector<std::vector<std::string>>& rows, nlohmann::json& results) {
  const auto n = static_cast<Eigen::Index>(c.members);
  auto [first, last] = trajectory(c, cache);
  typename System::State start, wanted;
  read(first, n, start);
  read(last, n, wanted);
  typename System::State y = start;
  for (int i = 0; i < 20; ++i) y = lmc::bench::plain::step(system, y, c.h);
  const double error = (y.q - wanted.q).cwiseAbs().maxCoeff();
  if (!(error < 1e-9)) {
    std::cerr << c.example << ": the plain program differs from the tool by " << error << '\n';
    return false;
  }
  const int steps = static_cast<int>((options.quick ? 1e6 : 2e7) / c.evaluations()) + 1;
  const Spread hand = plainTimes(system, start, c, steps, options.repeats);
  const Spread tool = toolTimes(c, steps, options.repeats, cache);
  const double ratio = hand.median / tool.median;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", ratio);
  rows.push_back({c.example + ", " + c.set, duration(hand.median), percent(hand), duration(tool.median), percent(tool),
                  text.data(), duration(tool.median * c.evaluations())});
  results.push_back(
      {{"model", c.example}, {"size", c.set}, {"eigen", toJson(hand)}, {"lmc", toJson(tool)}, {"ratio", ratio}});
  return true;
}

} // namespace

int main(int argc, char** argv) {
  const Options options = readOptions(argc, argv);
  if (!toolExists()) {
    std::cerr << "the tool is not built\n";
    return 1;
  }
  const CacheFolder cache;
  nlohmann::json results{{"bench", "pairs"}, {"machine", machine()}, {"unit", "seconds per evaluation of a pair"}};
  results["results"] = nlohmann::json::array();
  std::vector<std::vector<std::string>> rows{
      {"RKMK4, time per evaluation of a pair", "Eigen", "", "lmc", "", "Eigen/lmc", "lmc, a step"}};
  bool good = true;
  for (const int n : {10, 100, 400}) {
    const Case c{"dipolar_spheres", "N=" + std::to_string(n), static_cast<double>(n), 1e-4};
    good = measure(lmc::bench::plain::DipolarSpheres{}, c, options, cache, rows, results["results"]) && good;
  }
  for (const int n : {4, 10, 20}) {
    const Case c{"magnetic_dipoles", "n=" + std::to_string(n), static_cast<double>(n) * n, 1e-4};
    good = measure(lmc::bench::plain::Needles(n), c, options, cache, rows, results["results"]) && good;
  }
  std::cout << table(rows);
  writeJson(options, results);
  return good ? 0 : 1;
}
