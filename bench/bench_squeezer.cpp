// Andrews' squeezer from 0 to 0.03: time to reach an accuracy, beside RADAU5 with the index 3 (R package deSolve,
// right-hand side and Jacobian in C) and Boost.odeint with accelerations by elimination that is written by hand.
#include "bench/Measure.h"
#include "bench/Squeezer.h"
#include "bench/Tool.h"

#include <Eigen/Dense>
#include <boost/numeric/odeint.hpp>

#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <sstream>

using namespace lmc::bench;
namespace odeint = boost::numeric::odeint;

namespace {

using State = std::array<double, 14>; ///< q, q'

/// q'' = M^-1 (f - G^T lambda), G M^-1 G^T lambda = bend + G M^-1 f: M by its blocks, six multipliers by LDL^T.
void rates(const State& y, State& out, double) {
  SqueezerTerms s;
  squeezer_terms(y.data(), y.data() + 7, &s);
  const double d1 = 1 / (s.m11 * s.m22 - s.m12 * s.m12), d2 = 1 / (s.m44 * s.m55 - s.m45 * s.m45),
               d3 = 1 / (s.m66 * s.m77 - s.m67 * s.m67), d0 = 1 / s.m33;
  const auto solve = [&](const double* b, double* x) {
    x[0] = d1 * (s.m22 * b[0] - s.m12 * b[1]);
    x[1] = d1 * (s.m11 * b[1] - s.m12 * b[0]);
    x[2] = d0 * b[2];
    x[3] = d2 * (s.m55 * b[3] - s.m45 * b[4]);
    x[4] = d2 * (s.m44 * b[4] - s.m45 * b[3]);
    x[5] = d3 * (s.m77 * b[5] - s.m67 * b[6]);
    x[6] = d3 * (s.m66 * b[6] - s.m67 * b[5]);
  };
  std::array<double, 7> free{};
  std::array<std::array<double, 7>, 6> columns{};
  solve(s.f, free.data());
  Eigen::Matrix<double, 6, 6> schur;
  Eigen::Matrix<double, 6, 1> right;
  for (int j = 0; j < 6; ++j) {
    solve(s.G[j], columns[static_cast<std::size_t>(j)].data());
    right[j] = s.bend[j];
    for (std::size_t k = 0; k < 7; ++k) right[j] += s.G[j][k] * free[k];
  }
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j <= i; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < 7; ++k) sum += s.G[i][k] * columns[static_cast<std::size_t>(j)][k];
      schur(i, j) = schur(j, i) = sum;
    }
  const Eigen::Matrix<double, 6, 1> lambda = schur.ldlt().solve(right);
  for (std::size_t k = 0; k < 7; ++k) {
    out[k] = y[7 + k];
    out[7 + k] = free[k];
    for (std::size_t j = 0; j < 6; ++j) out[7 + k] -= columns[j][k] * lambda[static_cast<Eigen::Index>(j)];
  }
}

template <class Stepper> std::optional<State> byHand(double tolerance) {
  State y{};
  std::copy_n(squeezer_start, 7, y.begin());
  try {
    odeint::integrate_adaptive(odeint::make_controlled<Stepper>(tolerance, tolerance), rates, y, 0.0, 0.03, 1e-5);
  } catch (const std::exception&) { // no step is small enough
    return std::nullopt;
  }
  return y;
}

template <class Stepper> void scan(const char* method, const Options& options, std::vector<Candidate>& all) {
  for (double tolerance = 1e-4; tolerance > 1e-14; tolerance /= std::sqrt(10)) {
    double best = INFINITY;
    std::optional<State> y;
    for (int k = 0; k <= options.repeats; ++k) {
      const auto start = std::chrono::steady_clock::now();
      y = byHand<Stepper>(tolerance);
      best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    if (y) all.push_back({"odeint", method, tolerance, best, squeezer_error(y->data())});
  }
}

/// q in the last line of a file of samples.
std::optional<std::array<double, 7>> lastAngles(const std::string& file) {
  std::ifstream in(file);
  std::string head, line, last;
  if (!std::getline(in, head)) return std::nullopt;
  while (std::getline(in, line)) last = line;
  std::istringstream names(head), cells(last);
  std::map<std::string, double> values;
  for (std::string name, cell; std::getline(names, name, ',') && std::getline(cells, cell, ',');)
    values[name] = std::strtod(cell.c_str(), nullptr);
  std::array<double, 7> q{};
  std::size_t k = 0;
  for (const char* name : {"beta", "Theta", "gamma", "phi", "delta", "Omega", "epsilon"}) {
    if (!values.contains(name)) return std::nullopt;
    q.at(k++) = values.at(name);
  }
  return q;
}

void tool(const std::string& method, const CacheFolder& cache, const Options& options, std::vector<Candidate>& all) {
  const std::string file = (cache.path() / "squeezer.csv").string();
  for (double tolerance = 1e-4; tolerance > 1e-13; tolerance /= std::sqrt(10)) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.8g", tolerance);
    const std::vector<std::string> arguments{"--method", method,    "--tolerance", text.data(), "--time",
                                             "0..0.03",  "--every", "0.03",        "--output",  file};
    double best = INFINITY;
    std::optional<std::array<double, 7>> q;
    for (int k = 0; k <= options.repeats; ++k) { // the first may compile
      const ToolRun run = runTool(example("andrews_squeezer"), arguments, cache);
      if (run.summary.is_null()) break;
      if (k == 0) continue;
      best = std::min(best, run.summary.at("run_seconds").get<double>());
      q = lastAngles(file);
    }
    if (q) all.push_back({"lmc", method, tolerance, best, squeezer_error(q->data())});
  }
}

/// Nothing where R, its package or a C compiler are not there.
void radau5(const CacheFolder& cache, const Options& options, std::vector<Candidate>& all) {
  const std::string library = (cache.path() / "squeezer.so").string();
  const std::string folder = LMC_SOURCE_DIR "/bench/";
  const std::string build =
      "cc -O3 -march=native -std=c99 -shared -fPIC '" + folder + "squeezer.c' -o '" + library + "' -lm 2> /dev/null";
  if (std::system(build.c_str()) != 0) return;
  const std::string command =
      "Rscript '" + folder + "squeezer.R' '" + library + "' " + std::to_string(options.repeats) + " 2> /dev/null";
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return;
  std::array<char, 4096> buffer{};
  std::string text;
  for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) text.append(buffer.data(), n);
  ::pclose(pipe);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string mark, jacobian, number;
    double tolerance = NAN, seconds = NAN;
    if (!(words >> mark >> jacobian >> tolerance >> seconds) || mark != "squeezer") continue;
    std::array<double, 7> q{};
    for (double& x : q) x = words >> number ? std::strtod(number.c_str(), nullptr) : NAN;
    all.push_back({"RADAU5", "Jacobian " + jacobian, tolerance, seconds, squeezer_error(q.data())});
  }
}

} // namespace

int main(int argc, char** argv) {
  const Options options = readOptions(argc, argv);
  if (!toolExists()) {
    std::cerr << "the tool is not built\n";
    return 1;
  }
  const CacheFolder cache;
  std::vector<Candidate> all;
  for (const char* method : {"RKMK54", "RKMK78", "P54", "P853"}) tool(method, cache, options, all);
  scan<odeint::runge_kutta_dopri5<State>>("Dormand-Prince 5", options, all);
  scan<odeint::runge_kutta_fehlberg78<State>>("Fehlberg 7(8)", options, all);
  radau5(cache, options, all);

  nlohmann::json results{{"bench", "squeezer"}, {"machine", machine()}, {"unit", "seconds"}};
  results["results"] = nlohmann::json::array();
  const std::vector<std::string> peers{"lmc", "odeint", "RADAU5"};
  std::vector<std::vector<std::string>> rows{
      {"error of q(0.03)", "lmc", "", "odeint, by hand", "", "RADAU5", "", "by hand/lmc", "RADAU5/lmc"}};
  for (double target = 1e-4; target > 0.9e-12; target /= 10) {
    const std::map<std::string, Candidate> best = fastest(all, target);
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.0e", target);
    std::vector<std::string> row{text.data()};
    nlohmann::json line{{"accuracy", target}};
    for (const std::string& peer : peers) {
      const auto it = best.find(peer);
      row.push_back(it == best.end() ? "-" : duration(it->second.seconds));
      row.push_back(it == best.end() ? "" : it->second.method);
      if (it == best.end()) continue;
      line[peer] = toJson(it->second);
    }
    for (const char* peer : {"odeint", "RADAU5"}) {
      const bool both = best.contains("lmc") && best.contains(peer);
      std::snprintf(text.data(), text.size(), "%.1f", both ? best.at(peer).seconds / best.at("lmc").seconds : 0.0);
      row.push_back(both ? text.data() : "-");
    }
    rows.push_back(row);
    results["results"].push_back(line);
  }
  std::cout << table(rows);
  writeJson(options, results);
  return 0;
}
