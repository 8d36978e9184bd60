// Constrained motion: the step of the pinned top against a program written by hand for its nine accelerations and three
// forces, and what a step of chains and rings of bodies costs with their number.
#include "bench/Measure.h"
#include "bench/Tool.h"

#include <Eigen/Dense>

#include <chrono>
#include <cmath>
#include <fstream>
#include <iostream>

namespace {

using Matrix = Eigen::Matrix3d;
using Vector = Eigen::Vector3d;
namespace bench = lmc::bench;

Matrix hat(const Vector& w) {
  Matrix m;
  m << 0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0;
  return m;
}

Matrix exponential(const Vector& w) {
  const double s = w.squaredNorm(), angle = std::sqrt(s);
  const double a = s < 1e-8 ? 1 - s / 6 : std::sin(angle) / angle;
  const double b = s < 1e-8 ? 0.5 - s / 24 : (1 - std::cos(angle)) / s;
  const Matrix h = hat(w);
  return Matrix::Identity() + a * h + b * h * h;
}

struct State {
  Matrix r = Matrix::Identity();
  Vector x{0, 1, 0}, w{0, 150, -4.61538}, v = Vector(0, 150, -4.61538).cross(Vector(0, 1, 0));
};
struct Rates {
  Vector r, x, w, v; ///< of the rotation in the body
  Rates operator*(double f) const { return {r * f, x * f, w * f, v * f}; }
  Rates operator+(const Rates& o) const { return {r + o.r, x + o.x, w + o.w, v + o.v}; }
};

/// The pinned top: M xi' = r + B^T lambda with B = [-R hat(chi), -1], by the 3×3 matrix of Schur.
struct Top {
  double m = 15;
  Vector j{0.234375, 0.46875, 0.234375}, chi{0, 1, 0};
  Vector gravity{0, 0, -9.81};

  [[nodiscard]] Matrix schur(const Matrix& b) const {
    Matrix s = b * j.cwiseInverse().asDiagonal() * b.transpose();
    s.diagonal().array() += 1 / m;
    return s;
  }
  [[nodiscard]] Rates operator()(const State& y) const {
    const Matrix b = -y.r * hat(chi);
    const Vector free = (j.cwiseProduct(y.w)).cross(y.w).cwiseQuotient(j);
    const Vector gamma = y.r * y.w.cross(y.w.cross(chi));
    const Vector lambda = schur(b).ldlt().solve(-(gamma + b * free - gravity));
    return {y.w, y.v, free + (b.transpose() * lambda).cwiseQuotient(j), gravity - lambda / m};
  }
  [[nodiscard]] static State moved(const State& y, const Rates& u) {
    return {y.r * exponential(u.r), y.x + u.x, y.w + u.w, y.v + u.v};
  }
  [[nodiscard]] static Rates corrected(const Rates& u, const Rates& k) { // dexpinv of right factors
    Rates r = k;
    const Vector bracket = u.r.cross(k.r);
    r.r += 0.5 * bracket + u.r.cross(bracket) / 12;
    return r;
  }
  /// RKMK4, then positions and velocities onto the constraint.
  void step(State& y, double h) const {
    const Rates k1 = (*this)(y);
    const Rates u2 = k1 * (h / 2);
    const Rates k2 = corrected(u2, (*this)(moved(y, u2)));
    const Rates u3 = k2 * (h / 2);
    const Rates k3 = corrected(u3, (*this)(moved(y, u3)));
    const Rates u4 = k3 * h;
    const Rates k4 = corrected(u4, (*this)(moved(y, u4)));
    y = moved(y, (k1 + k2 * 2 + k3 * 2 + k4) * (h / 6));
    const Matrix b = -y.r * hat(chi);
    const Eigen::LDLT<Matrix> s = schur(b).ldlt();
    Vector mu = Vector::Zero();
    State next = y;
    for (int turn = 0; turn < 10; ++turn) {
      next.r = y.r * exponential((b.transpose() * mu).cwiseQuotient(j));
      next.x = y.x - mu / m;
      const Vector c = next.r * chi - next.x;
      const Vector change = s.solve(c);
      mu -= change;
      if (change.norm() < 1e-12) break; // the next one would be 1e-4 of it
    }
    const Matrix at = -next.r * hat(chi);
    const Vector nu = schur(at).ldlt().solve(at * next.w - next.v);
    next.w -= (at.transpose() * nu).cwiseQuotient(j);
    next.v += nu / m;
    y = next;
  }
};

/// Seconds per step of the tool; not a number where it fails.
double tool(const std::string& file, const std::vector<std::string>& arguments, const bench::CacheFolder& cache) {
  const bench::ToolRun run = bench::runTool(file, arguments, cache, 300);
  if (run.summary.is_null()) return std::nan("");
  return run.summary.at("run_seconds").get<double>() / run.summary.at("steps").get<double>();
}

const char* const network = R"(model Network {
  param N : int = 100;
  param closed : int = 0;
  config x[N] : R^3 velocity v;
  lagrangian = sum(k in 1..N: dot(v[k], v[k])/2 - 9.81*x[k][3]);
  CONSTRAINT
  initial x[k in 1..N] = START;
  initial v[k in 1..N] = [0, 0, 0];
  simulate { method = RKMK4; time = 0..0.05; step = 1e-3; output every 0.05; }
}
)";

std::string modelOf(const std::string& constraint, const std::string& start) {
  std::string text = network;
  text.replace(text.find("CONSTRAINT"), 10, constraint);
  text.replace(text.find("START"), 5, start);
  return text;
}

} // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::readOptions(argc, argv);
  const bench::CacheFolder cache;
  nlohmann::json results{{"bench", "constraints"}, {"machine", bench::machine()}};
  const double h = 1e-4;
  { // Both sides compute the same: at t = 0.1, against the tool's own digits of the reference problem.
    std::vector<double> byHand, byTool, ratio;
    const int rounds = options.quick ? 5 : 3 * options.repeats;
    State last;
    for (int round = 0; round <= rounds; ++round) {
      State y;
      const Top top;
      const auto start = std::chrono::steady_clock::now();
      const int steps = 20'000;
      for (int k = 0; k < steps; ++k) top.step(y, h);
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
      last = y;
      const double other = tool(bench::example("heavy_top_constrained"), {"--step", "1e-4", "--time", "0..2"}, cache);
      if (round == 0) continue;
      byHand.push_back(elapsed.count() / steps);
      byTool.push_back(other);
      ratio.push_back(other / byHand.back());
    }
    const Vector reference(-0.15041682274565, -0.72416559163691, -0.67302226956044);
    std::cout << "pinned top, RKMK4, h = 1e-4, t = 2: by hand " << bench::duration(bench::spreadOf(byHand).median)
              << ", lmc " << bench::duration(bench::spreadOf(byTool).median) << ", lmc/by hand "
              << bench::spreadOf(ratio).median << ' ' << bench::percent(bench::spreadOf(ratio))
              << "; x of the program by hand is off by " << (last.x - reference).norm() << "\n";
    results["top"] = {{"hand", bench::toJson(bench::spreadOf(byHand))},
                      {"lmc", bench::toJson(bench::spreadOf(byTool))},
                      {"ratio", bench::toJson(bench::spreadOf(ratio))}};
  }
  const std::string rod = "dot(x[k] - x[k-1], x[k] - x[k-1]) = 1";
  for (const auto& [name, text] : std::vector<std::pair<std::string, std::string>>{
           {"chain", modelOf("constraint first : dot(x[1], x[1]) = 1;\n  constraint rod[k in 2..N] : " + rod + ";",
                             "[0.6*k, 0, -0.8*k]")},
           {"ring", modelOf("constraint rod[k in 1..N] : dot(x[mod(k, N) + 1] - x[k], x[mod(k, N) + 1] - x[k]) = "
                            "4*sin(pi/N)^2;",
                            "[cos(2*pi*k/N), sin(2*pi*k/N), 0]")}}) {
    const auto file = cache.path() / (name + ".lie");
    std::ofstream(file) << text;
    for (const std::string method : {"RKMK4", "VITrapezoid"}) {
      std::vector<double> ratio, few, many;
      for (int round = 0; round <= options.repeats; ++round) {
        // Ten times the steps, so that both take as long, and what else the machine does meets both.
        const double small = tool(file.string(), {"--set", "N=100", "--method", method, "--time", "0..0.5"}, cache);
        const double large = tool(file.string(), {"--set", "N=1000", "--method", method}, cache);
        if (round == 0) continue;
        few.push_back(small);
        many.push_back(large);
        ratio.push_back(large / small);
      }
      std::cout << name << ", " << method << ": N = 100 " << bench::duration(bench::spreadOf(few).median)
                << ", N = 1000 " << bench::duration(bench::spreadOf(many).median) << ", ratio "
                << bench::spreadOf(ratio).median << ' ' << bench::percent(bench::spreadOf(ratio)) << "\n";
      results[name][method] = bench::toJson(bench::spreadOf(ratio));
    }
  }
  bench::writeJson(options, results);
  return 0;
}
