#include "tool/plot/Scales.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>

namespace lmc::tool {

namespace {

/// What is subtracted from the numbers of an axis, and by what they are then divided.
struct Scale {
  bool logarithmic = false;
  double offset = 0, unit = 1;
  /// 0, a gap, for what a logarithmic axis of 600 decades does not reach.
  [[nodiscard]] double operator()(double x) const {
    const double shown = (x - offset) / unit;
    return logarithmic && shown < 1e-305 ? 0 : shown;
  }
  [[nodiscard]] std::string label(const std::string& of) const {
    std::string text = of;
    if (offset != 0) text += fmt::format(" {} {}", offset < 0 ? "+" : "−", std::abs(offset));
    if (unit != 1) text += fmt::format("{}(in {:.0e})", text.empty() ? "" : " ", unit);
    return text;
  }
};

/// Powers of ten whose numbers are within what is easily calculated with.
constexpr double largest = 1e300, smallest = 1e-290;

Scale scaleOf(const Extent& e, bool logarithmic) {
  Scale scale{logarithmic};
  if (e.empty()) return scale;
  constexpr double close = 1e-4;
  const double span = e.most / 2 - e.least / 2; // half of it, which is a number
  if (!logarithmic && e.spread() && 2 * span < close * e.size()) {
    const double middle = e.least + span;
    const int digits = static_cast<int>(std::floor(std::log10(std::abs(middle))) - std::ceil(std::log10(2 * span)));
    scale.offset = std::strtod(fmt::format("{:.{}e}", middle, std::max(digits, 0)).c_str(), nullptr);
  }
  const double size = std::max(std::abs(e.least - scale.offset), std::abs(e.most - scale.offset));
  if (logarithmic && size > largest) scale.unit = 1e10;
  if (logarithmic && size < largest && e.least < smallest) scale.unit = size < 1 ? 1e-300 : 1e-20;
  if (!logarithmic && (size > largest || (size > 0 && size < smallest)))
    scale.unit = std::pow(10, std::max(std::floor(std::log10(size)), -300.0)); // of those below, none is precise
  return scale;
}

void apply(const Scale& scale, std::vector<double>& values) {
  for (double& x : values) x = scale(x);
}

void makeReadable(Surface& s, Panel& p) {
  Extent x, y, z;
  for (const double v : s.x) x.add(v);
  for (const double v : s.y) y.add(v);
  for (const double v : s.z)
    if (std::isfinite(v)) z.add(v);
  const Scale ofX = scaleOf(x, false), ofY = scaleOf(y, false), ofZ = scaleOf(z, false);
  apply(ofX, s.x);
  apply(ofY, s.y);
  apply(ofZ, s.z);
  p.x.label = ofX.label(p.x.label);
  p.y.label = ofY.label(p.y.label);
  s.name = ofZ.label(s.name);
}

} // namespace

void Extent::add(double x) {
  least = std::min(least, x);
  most = std::max(most, x);
}

double Extent::size() const {
  return std::max(std::abs(least), std::abs(most));
}

bool Extent::spread() const {
  return most / 2 - least / 2 > 0.5e-12 * size();
}

bool visible(double x, double y, const Panel& p) {
  return std::isfinite(x) && std::isfinite(y) && (!p.x.logarithmic || x > 0) && (!p.y.logarithmic || y > 0);
}

Extents extentsOf(const Panel& p) {
  Extents e;
  const auto add = [&](double x, double y) {
    if (!visible(x, y, p)) return;
    e.x.add(x);
    e.y.add(y);
  };
  for (const Curve& c : p.curves)
    for (std::size_t k = 0; k < c.x.size(); ++k) add(c.x[k], c.y[k]);
  for (const Band& b : p.bands)
    for (std::size_t k = 0; k < b.x.size(); ++k) {
      add(b.x[k], b.low[k]);
      add(b.x[k], b.high[k]);
    }
  return e;
}

Figure readable(Figure figure) {
  for (Panel& p : figure.panels) {
    if (p.surface) {
      makeReadable(*p.surface, p);
      continue;
    }
    const Extents e = extentsOf(p);
    const Scale x = scaleOf(e.x, p.x.logarithmic), y = scaleOf(e.y, p.y.logarithmic);
    for (Curve& c : p.curves) {
      apply(x, c.x);
      apply(y, c.y);
    }
    for (Band& b : p.bands) {
      apply(x, b.x);
      apply(y, b.low);
      apply(y, b.high);
    }
    p.x.label = x.label(p.x.label);
    p.y.label = y.label(p.y.label);
  }
  return figure;
}

} // namespace lmc::tool
