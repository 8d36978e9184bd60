#include "checks/model/HorizontalSpaces.h"

#include "linear/Decompositions.h"
#include "mechanics/system/Equations.h"
#include "methods/phase/GroupCalculus.h"

namespace lmc::checks {

using sym::Expr;

namespace {
/// Of the differences that T is found by.
constexpr double width = 1e-3;
/// States whose projections are remembered.
constexpr std::size_t remembered = 4096;
} // namespace

HorizontalSpaces::HorizontalSpaces(StateSpace& space) : s_(space) {
  sym::Program& p = s_.layer().program();
  sym::Graph& g = p.graph();
  for (std::size_t v = 0; v < s_.variables().size(); ++v) {
    if (!has(v)) continue;
    const Variable& x = s_.variables()[v];
    const sema::Factor& f = s_.system().model->factors[x.index];
    const std::vector<Expr> index = x.extent > 0 ? std::vector<Expr>{g.newIndex("i")} : std::vector<Expr>{};
    const sema::Tuple u = sema::loads(g, s_.pointDirection(v), index);
    if (x.manifold->gives("horizontal")) {
      const sema::Tuple held = mechanics::required(*x.manifold, "horizontal", {sema::loads(g, f.point, index), u});
      const Expr all = g.vector(sema::entries(g, held));
      conditions_[v] = s_.functions().function(
          "conditions", mechanics::defineParts(p, "conditions." + x.name, {{"", all->shape}}, x.extent, index, {all}));
    }
    const methods::GroupCalculus calculus(p, *x.manifold, methods::Handed::Group);
    const sema::Tuple fiber = sema::loads(g, f.velocity, index);
    const bool momentum = x.kind == methods::PhaseKind::Momentum;
    const sema::Tuple element = calculus.exp(momentum ? sema::scale(g, sym::Number(-1), u) : u);
    const sema::Tuple moved = momentum ? calculus.Adstar(element, fiber) : calculus.Ad(element, fiber);
    carried_[v] = s_.functions().function(
        "carried", mechanics::defineParts(p, "carried." + x.name, x.manifold->algebra(), x.extent, index, moved));
  }
}

bool HorizontalSpaces::has(std::size_t v) const {
  const Variable& x = s_.variables()[v];
  return x.isFactor() && !x.manifold->isGroup();
}

namespace {
/// Where the numbers of one member stand among those of arrays with these parts for all members, one after the other.
std::vector<std::size_t> placesOf(const std::vector<sema::Part>& parts, std::int64_t members, std::int64_t member) {
  std::vector<std::size_t> places;
  std::int64_t first = 0;
  for (const sema::Part& part : parts) {
    for (int k = 0; k < part.shape.size(); ++k)
      places.push_back(static_cast<std::size_t>(first + member * part.shape.size() + k));
    first += members * part.shape.size();
  }
  return places;
}
} // namespace

std::vector<std::size_t> HorizontalSpaces::places(std::size_t v, std::int64_t member) const {
  const Variable& x = s_.variables()[v];
  return placesOf(x.manifold->algebra(), x.members(), member);
}

HorizontalSpaces::Projections HorizontalSpaces::found(const State& y, std::size_t v) {
  const Variable& x = s_.variables()[v];
  const auto members = static_cast<std::size_t>(x.members());
  const std::size_t n = x.size / members, stored = x.pointSize / members;
  const bool held = conditions_.contains(v);
  const std::size_t rows = held ? conditions_.at(v).size / members : 0;
  std::vector<Eigen::MatrixXd> motion(members, Eigen::MatrixXd(stored, n)), normal(members, Eigen::MatrixXd(rows, n));
  for (std::size_t k = 0; k < n; ++k) { // of all members at once
    Direction unit(s_.directionSize(), 0.0);
    for (std::size_t i = 0; i < members; ++i) unit[x.points + places(v, static_cast<std::int64_t>(i))[k]] = 1;
    const State far = s_.moved(y, unit, 2 * width), near = s_.moved(y, unit, width);
    const State back = s_.moved(y, unit, -width), farBack = s_.moved(y, unit, -2 * width);
    const std::vector<double> conditions = held ? s_.call(conditions_.at(v), y, 0, unit) : std::vector<double>();
    for (std::size_t i = 0; i < members; ++i) {
      const auto own = placesOf(x.manifold->point(), x.members(), static_cast<std::int64_t>(i));
      for (std::size_t r = 0; r < stored; ++r) {
        const std::size_t c = x.pointState + own[r];
        motion[i](r, k) = (8 * (near[c] - back[c]) - (far[c] - farBack[c])) / (12 * width);
      }
      for (std::size_t r = 0; r < rows; ++r) normal[i](r, k) = conditions[i * rows + r];
    }
  }
  Projections result;
  for (std::size_t i = 0; i < members; ++i) {
    const double size = normal[i].norm();
    if (size > 0) normal[i] *= motion[i].norm() / size;
    Eigen::MatrixXd both(stored + rows, n), wanted = Eigen::MatrixXd::Zero(stored + rows, n);
    both << motion[i], normal[i];
    wanted.topRows(stored) = motion[i];
    result.push_back(both.allFinite() ? linear::PivotedQR(both).solve(wanted)
                                      : Eigen::MatrixXd::Constant(n, n, std::nan("")));
  }
  return result;
}

const HorizontalSpaces::Projections& HorizontalSpaces::at(const State& y, std::size_t v) {
  const Variable& x = s_.variables()[v];
  const auto first = y.begin() + static_cast<std::ptrdiff_t>(x.pointState);
  State points(first, first + static_cast<std::ptrdiff_t>(x.pointSize));
  const auto it = known_.find({v, points});
  if (it != known_.end()) return it->second;
  if (known_.size() >= remembered) known_.clear();
  return known_[{v, std::move(points)}] = found(y, v);
}

void HorizontalSpaces::apply(std::vector<double>& numbers, std::size_t first, const Projections& projections,
                             std::size_t v, bool transposed) const {
  for (std::size_t i = 0; i < projections.size(); ++i) {
    const std::vector<std::size_t> own = places(v, static_cast<std::int64_t>(i));
    Eigen::VectorXd w(own.size());
    for (std::size_t k = 0; k < own.size(); ++k) w[static_cast<Eigen::Index>(k)] = numbers[first + own[k]];
    const Eigen::MatrixXd map = transposed ? Eigen::MatrixXd(projections[i].transpose()) : projections[i];
    const Eigen::VectorXd u = map * w;
    for (std::size_t k = 0; k < own.size(); ++k) numbers[first + own[k]] = u[static_cast<Eigen::Index>(k)];
  }
}

State HorizontalSpaces::settled(State y) {
  for (std::size_t v = 0; v < s_.variables().size(); ++v) {
    if (!has(v)) continue;
    const Variable& x = s_.variables()[v];
    apply(y, x.fiberState, at(y, v), v, x.kind == methods::PhaseKind::Momentum);
  }
  return y;
}

State HorizontalSpaces::along(const State& y, const Direction& d, double s) {
  State moved = s_.moved(y, d, s);
  for (std::size_t v = 0; v < s_.variables().size(); ++v) {
    if (!has(v)) continue;
    const Variable& x = s_.variables()[v];
    for (std::size_t k = 0; k < x.size; ++k) moved[x.fiberState + k] = y[x.fiberState + k] + s * d[x.fibers + k];
  }
  return settled(std::move(moved));
}

State HorizontalSpaces::carried(const State& y, const Direction& eta, std::size_t v, double s) {
  const Variable& x = s_.variables()[v];
  Direction scaled(eta.size(), 0.0);
  for (std::size_t k = 0; k < x.size; ++k) scaled[x.points + k] = s * eta[x.points + k];
  State moved = s_.moved(y, scaled);
  for (std::size_t other = 0; other < s_.variables().size(); ++other) { // the others do not move at all
    const Variable& o = s_.variables()[other];
    for (std::size_t k = 0; o.hasFiber() && k < o.size; ++k) moved[o.fiberState + k] = y[o.fiberState + k];
  }
  const std::vector<double> fiber = s_.call(carried_.at(v), y, 0, scaled);
  std::copy(fiber.begin(), fiber.end(), moved.begin() + static_cast<std::ptrdiff_t>(x.fiberState));
  return moved;
}

Direction HorizontalSpaces::horizontal(const State& y, std::size_t v, const Direction& eta) {
  Direction d = eta;
  if (has(v)) apply(d, s_.variables()[v].points, at(y, v), v, false);
  return d;
}

Direction HorizontalSpaces::annihilating(const State& y, std::size_t v, const Direction& zeta) {
  Direction d = zeta;
  if (has(v)) apply(d, s_.variables()[v].points, at(y, v), v, true);
  return d;
}

} // namespace lmc::checks
