#include "tool/plot/Figure.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lmc::tool {

namespace {

constexpr std::size_t mostParts = 700, evenPoints = 20000;

void keepEvenly(Curve& c) {
  const std::size_t n = c.x.size(), stride = (n + evenPoints - 1) / evenPoints;
  std::size_t to = 0;
  for (std::size_t k = 0; k < n; k += stride, ++to) {
    c.x[to] = c.x[k];
    c.y[to] = c.y[k];
  }
  if ((n - 1) % stride != 0) { // the end belongs to it
    c.x[to] = c.x[n - 1];
    c.y[to] = c.y[n - 1];
    ++to;
  }
  c.x.resize(to);
  c.y.resize(to);
}

} // namespace

bool Figure::empty() const {
  for (const Panel& p : panels) {
    if (p.surface && std::any_of(p.surface->z.begin(), p.surface->z.end(), [](double z) { return std::isfinite(z); }))
      return false;
    for (const Curve& c : p.curves)
      for (std::size_t k = 0; k < c.x.size(); ++k)
        if (std::isfinite(c.x[k]) && std::isfinite(c.y[k])) return false;
    for (const Band& b : p.bands)
      if (!b.x.empty()) return false;
  }
  return true;
}

void Thinner::join(Part& a, const Part& b) const {
  if (std::isfinite(b.least.y) && !(a.least.y <= b.least.y && std::isfinite(a.least.y))) a.least = b.least;
  if (std::isfinite(b.most.y) && !(a.most.y >= b.most.y && std::isfinite(a.most.y))) a.most = b.most;
  a.last = b.last;
  a.gap = a.gap || b.gap;
}

void Thinner::add(double x, double y) {
  const Point p{x, y};
  const Part part{p, p, p, p, !std::isfinite(y)};
  if (!parts_.empty() && inLast_ < perPart_) {
    join(parts_.back(), part);
    ++inLast_;
    return;
  }
  if (parts_.size() == mostParts) {
    for (std::size_t k = 0; 2 * k + 1 < mostParts; ++k) {
      parts_[k] = parts_[2 * k];
      join(parts_[k], parts_[2 * k + 1]);
    }
    parts_.resize(mostParts / 2);
    perPart_ *= 2;
  }
  parts_.push_back(part);
  inLast_ = 1;
}

void Thinner::give(Curve& curve) const {
  const auto put = [&](const Point& p) {
    curve.x.push_back(p.x);
    curve.y.push_back(p.y);
  };
  for (const Part& part : parts_) {
    put(part.first);
    const bool rises = part.least.x <= part.most.x;
    for (const Point& p : {rises ? part.least : part.most, rises ? part.most : part.least})
      if (p.x > curve.x.back() && std::isfinite(p.y)) put(p);
    if (part.gap && std::isfinite(curve.y.back())) put({part.last.x, std::numeric_limits<double>::quiet_NaN()});
    if (part.last.x > curve.x.back()) put(part.last);
  }
}

void thin(Curve& curve) {
  if (curve.x.size() > 4 * mostParts && std::is_sorted(curve.x.begin(), curve.x.end())) {
    Thinner thinner;
    for (std::size_t k = 0; k < curve.x.size(); ++k) thinner.add(curve.x[k], curve.y[k]);
    curve.x.clear();
    curve.y.clear();
    thinner.give(curve);
  } else if (curve.x.size() > evenPoints) {
    keepEvenly(curve);
  }
}

} // namespace lmc::tool
