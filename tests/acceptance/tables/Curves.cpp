#include "Curves.h"

#include <Eigen/Dense>
#include <cmath>
#include <fmt/format.h>

namespace lmc::acceptance::tables {

Curve::Curve(Kind kind, List x, List y) : x_(std::move(x)) {
  const auto pieces = static_cast<Eigen::Index>(x_.size()) - 1;
  using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
  Matrix a = Matrix::Zero(4 * pieces, 4 * pieces);
  Eigen::Matrix<Real, Eigen::Dynamic, 1> b = Eigen::Matrix<Real, Eigen::Dynamic, 1>::Zero(4 * pieces);
  Eigen::Index row = 0;
  // The derivative of an order at the begin (s = 0) or the end (s = h) of a piece, with a factor.
  const auto add = [&](Eigen::Index piece, Real s, int order, Real factor) {
    for (int power = order; power < 4; ++power) {
      Real c = factor;
      for (int k = 0; k < order; ++k) c *= static_cast<Real>(power - k);
      a(row, 4 * piece + power) += c * std::pow(s, static_cast<Real>(power - order));
    }
  };
  const auto width = [&](Eigen::Index k) {
    return x_[static_cast<std::size_t>(k) + 1] - x_[static_cast<std::size_t>(k)];
  };
  for (Eigen::Index k = 0; k < pieces; ++k) {
    add(k, 0, 0, 1);
    b(row++) = y[static_cast<std::size_t>(k)];
    add(k, width(k), 0, 1);
    b(row++) = y[static_cast<std::size_t>(k) + 1];
    if (kind != Kind::Linear) continue;
    for (const int power : {2, 3}) a(row++, 4 * k + power) = 1;
  }
  if (kind != Kind::Linear) {
    for (Eigen::Index k = 0; k + 1 < pieces; ++k)
      for (const int order : {1, 2}) {
        add(k, width(k), order, 1);
        add(k + 1, 0, order, -1);
        ++row;
      }
    for (const int order : {1, 2}) {
      if (kind == Kind::Periodic) {
        add(pieces - 1, width(pieces - 1), order, 1);
        add(0, 0, order, -1);
      } else if (order == 1) {
        add(0, 0, 2, 1);
      } else {
        add(pieces - 1, width(pieces - 1), 2, 1);
      }
      ++row;
    }
  }
  const Eigen::Matrix<Real, Eigen::Dynamic, 1> c = a.partialPivLu().solve(b);
  coefficients_.assign(c.data(), c.data() + c.size());
}

Real Curve::operator()(Real at, int order) const {
  std::size_t k = 0;
  while (k + 2 < x_.size() && x_[k + 1] <= at) ++k;
  const Real s = at - x_[k];
  Real value = 0;
  for (int power = 3; power >= order; --power) {
    Real c = coefficients_[4 * k + static_cast<std::size_t>(power)];
    for (int j = 0; j < order; ++j) c *= static_cast<Real>(power - j);
    value = value * s + c;
  }
  return value;
}

Data someData(int n, bool periodic) {
  Data d;
  Real at = -0.5L;
  for (int k = 0; k < n; ++k) {
    d.x.push_back(static_cast<double>(at));
    d.y.push_back(static_cast<double>(std::sin(2.3L * static_cast<Real>(k) + 0.1L)));
    d.z.push_back(static_cast<double>(std::cos(1.7L * static_cast<Real>(k * k))));
    at += 0.2L + 0.15L * std::cos(static_cast<Real>(5 * k));
  }
  if (periodic) {
    d.y.back() = d.y.front();
    d.z.back() = d.z.front();
  }
  return d;
}

std::string csv(const Data& data) {
  std::string text = "x [m],y,z\n";
  for (std::size_t k = 0; k < data.x.size(); ++k)
    text += fmt::format("{},{},{}\n", static_cast<double>(data.x[k]), static_cast<double>(data.y[k]),
                        static_cast<double>(data.z[k]));
  return text;
}

std::string model(const std::string& body, const std::string& settings) {
  return "model M {\n  param d = read(\"d.csv\");\n  config q : R velocity v;\n" + body + "  simulate { " + settings +
         " }\n}\n";
}

} // namespace lmc::acceptance::tables
