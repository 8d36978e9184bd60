#include "methods/kinds/NearestPoint.h"

#include "methods/phase/PhaseGroup.h"

#include <fmt/format.h>

namespace lmc::methods {

using sym::Expr;

namespace {

/// Newton's method with the slopes of the manifold leaves of a defect d less than 3/4 d^2 on spheres and rotations.
/// With so many turns a defect up to `reach` ends below 4 units of rounding. Methods of low orders leave the manifold
/// further at the steps for which they are made.
struct Turns {
  int count;
  sym::Number reach;
};
Turns turnsOf(int order) {
  if (order >= 4) return {2, sym::Number::decimal("1e-4")};
  if (order == 1) return {4, sym::Number::decimal("0.1")};
  return {3, sym::Number::decimal("0.01")};
}

/// Turns from the begin of a step, which is O(h) away, to an error of O(h^(order + 1)).
int exponentialsOf(int order) {
  int turns = 1;
  for (int reached = 2; reached < (order == 0 ? 8 : order + 1); reached *= 2) ++turns;
  return turns;
}

} // namespace

NearestPoint::NearestPoint(sym::Program& program, const sema::Manifold& manifold, sema::Frame frame, Space space,
                           int order)
    : p_(program), g_(program.graph()), m_(manifold), frame_(frame), space_(std::move(space)), order_(order),
      constraints_(program, manifold), flat_(constraints_.refusal().empty() && constraints_.count() == 0),
      byEquations_(constraints_.count() == 1 || !constraints_.inverseOnManifold().empty()) {}

sema::Tuple NearestPoint::held(const sema::Tuple& v, const std::string& name, Expr margin) const {
  return load(g_, space_, store(p_, space_, v, name, margin));
}

sema::Tuple NearestPoint::of(const sema::Tuple& begin, const sema::Tuple& v, const std::string& name) const {
  if (flat_) return v;
  sema::Tuple y = v;
  if (byEquations_) {
    for (int k = 0; k < turnsOf(order_).count; ++k)
      y = held(turned(y), fmt::format("{}.{}", name, k + 1), k == 0 ? margin(v) : Expr());
    return y;
  }
  const bool body = frame_ == sema::Frame::Body && m_.isGroup();
  const PhaseGroup group(p_, m_, PhaseKind::State, body ? Handed::Opposite : Handed::Group);
  y = begin;
  for (int k = 0; k < exponentialsOf(order_); ++k) {
    const sema::Tuple u = mechanics::velocityOf(p_, m_, body, y, sema::sub(g_, v, y));
    y = held(group.act(u, y), fmt::format("{}.{}", name, k + 1));
  }
  return y;
}

/// reach^2 - |c|^2
Expr NearestPoint::margin(const sema::Tuple& v) const {
  const sym::Number reach = turnsOf(order_).reach;
  const Expr c = constraints_.value(v);
  return g_.sub(g_.number(reach * reach), g_.inner(c, c));
}

sema::Tuple NearestPoint::turned(const sema::Tuple& v) const {
  const int n = constraints_.count();
  const Expr c = constraints_.value(v);
  Expr multiplier;
  if (const auto& inverse = constraints_.inverseOnManifold(); !inverse.empty()) {
    std::vector<Expr> list;
    for (int i = 0; i < n; ++i) {
      Expr sum = g_.number(0);
      for (int j = 0; j < n; ++j)
        sum = g_.add(sum, g_.scale(inverse[static_cast<std::size_t>(i * n + j)], n == 1 ? c : g_.entry(c, j)));
      list.push_back(sum);
    }
    multiplier = n == 1 ? list[0] : g_.vector(list);
  } else {
    const sema::Tuple slope = constraints_.transposed(v, g_.number(1));
    multiplier = g_.div(c, sema::pairing(g_, slope, slope));
  }
  return sema::sub(g_, v, constraints_.transposed(v, multiplier));
}

} // namespace lmc::methods
