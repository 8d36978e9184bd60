#include "checks/model/FieldDerivatives.h"

#include "checks/model/Balances.h"

#include "checks/model/DerivativeCheck.h"
#include "mechanics/system/Equations.h"
#include "products/stages/Stages.h"
#include "sym/derivatives/Derivative.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lmc::checks {

using sym::Expr;

namespace {

/// Derivatives of many numbers through a dense mass matrix take longer than all other checks.
constexpr std::size_t largestState = 400;
constexpr double widths[] = {1e-2, 1e-3, 1e-4, 1e-5};
constexpr std::size_t motions = 2; ///< random ones at each state

std::vector<Expr> freshIndex(sym::Graph& g, const sym::Array& a) {
  std::vector<Expr> index;
  for (std::size_t d = 0; d < a.extents.size(); ++d) index.push_back(g.newIndex("i"));
  return index;
}

std::vector<sym::Loop> memberLoops(sym::Graph& g, const sym::Array& a, const std::vector<Expr>& index) {
  std::vector<sym::Loop> loops;
  for (std::size_t d = 0; d < index.size(); ++d)
    loops.push_back({index[d], g.integer(1), g.integer(a.extents[d]), false});
  return loops;
}

/// An array that sums what the loops over each of `over` give.
template <class Term>
const sym::Array* summed(sym::Program& p, const std::string& name, const sema::ArrayTuple& over, const Term& term) {
  sym::Graph& g = p.graph();
  const sym::Array* sum = g.newArray(name, {}, sym::Shape::scalar(), sym::Role::Temp);
  const auto accumulate = [&](std::vector<sym::Loop> loops, Expr value) {
    sym::Equation e;
    e.kind = sym::EquationKind::Accumulate;
    e.array = sum;
    e.loops = std::move(loops);
    e.value = value;
    p.append(std::move(e));
  };
  accumulate({}, g.number(0));
  for (std::size_t k = 0; k < over.size(); ++k) {
    const std::vector<Expr> index = freshIndex(g, *over[k]);
    accumulate(memberLoops(g, *over[k], index), term(k, index));
  }
  return sum;
}

/// NaN counts as infinite, so that it is the worst.
double asError(double x) {
  return std::isfinite(x) ? x : std::numeric_limits<double>::infinity();
}

double median(std::vector<double> list) {
  const auto middle = list.begin() + static_cast<std::ptrdiff_t>(list.size() / 2);
  std::nth_element(list.begin(), middle, list.end());
  return *middle;
}

} // namespace

bool FieldDerivativeErrors::holds() const {
  return forward <= derivativeTolerance && backward <= derivativeTolerance;
}

FieldDerivatives::FieldDerivatives(StateSpace& space) : s_(space) {
  const products::Layout layout = products::layoutOf(*s_.system().model);
  stateSize_ = static_cast<std::size_t>(layout.stateSize);
  if (stateSize_ > largestState) return;
  defineForward(layout.stateArrays);
  defineBackward(layout.stateArrays);
}

/// df along the change of the state that stands in the place of the frozen state.
void FieldDerivatives::defineForward(const sema::ArrayTuple& stateArrays) {
  sym::Program& p = s_.layer().program();
  sym::Graph& g = p.graph();
  sym::Tangent along(p);
  for (const sym::Array* a : stateArrays) {
    const sym::Array* change = s_.frozen().at(a);
    along.seed(a, [&g, change](const std::vector<Expr>& index) { return g.load(change, index); });
  }
  sema::ArrayTuple outputs;
  for (const sym::Array* f : s_.fieldArrays()) {
    const std::vector<Expr> index = freshIndex(g, *f);
    sym::Equation e;
    e.array = g.newArray("d" + f->name, f->extents, f->shape, sym::Role::Temp);
    e.loops = memberLoops(g, *f, index);
    e.index = index;
    e.value = along.of(g.load(f, index));
    outputs.push_back(e.array);
    p.append(std::move(e));
  }
  forward_ = s_.functions().function("forward derivative of f", outputs);
}

/// d<w, f> along the same change; w is the direction.
void FieldDerivatives::defineBackward(const sema::ArrayTuple& stateArrays) {
  sym::Program& p = s_.layer().program();
  sym::Graph& g = p.graph();
  const sema::ArrayTuple& f = s_.fieldArrays();
  sema::ArrayTuple weights;
  for (std::size_t v = 0; v < s_.variables().size(); ++v)
    for (const sema::ArrayTuple* part : {&s_.pointDirection(v), &s_.fiberDirection(v)})
      weights.insert(weights.end(), part->begin(), part->end());
  const sym::Array* combination = summed(p, "<w, f>", f, [&](std::size_t k, const std::vector<Expr>& index) {
    return g.inner(g.load(weights[k], index), g.load(f[k], index));
  });
  const sym::Gradient slope = sym::gradient(p, g.load(combination), stateArrays, "backward");
  const sym::Array* change = summed(p, "d<w, f>", stateArrays, [&](std::size_t k, const std::vector<Expr>& index) {
    return g.inner(slope.of(stateArrays[k], index), g.load(s_.frozen().at(stateArrays[k]), index));
  });
  backward_ = s_.functions().function("backward derivative of f", {change});
}

FieldDerivativeErrors FieldDerivatives::at(const State& y, double t, std::mt19937_64& engine) {
  std::normal_distribution<double> normal;
  Direction motion(s_.directionSize(), 0.0), weights(s_.directionSize(), 0.0);
  for (const Variable& v : s_.variables()) {
    const double point = s_.pointScale(v, y), fiber = v.hasFiber() ? s_.fiberScale(v, y) : 1;
    for (std::size_t k = 0; v.hasPoint() && k < v.size; ++k) motion[v.points + k] = point * normal(engine);
    for (std::size_t k = 0; v.hasFiber() && k < v.size; ++k) motion[v.fibers + k] = fiber * normal(engine);
  }
  for (double& w : weights) w = normal(engine);
  const Direction f = s_.field(y, t);
  constexpr double change = 1e-3; // of polynomials and exponentials, the difference is right to 1e-11
  const State rate = differences([&](double s) { return s_.moved(y, motion, s); }, change);
  const std::vector<double> forward = s_.call(forward_, y, t, {}, rate);
  const double backward = s_.call(backward_, y, t, weights, rate)[0];

  const bool constrained = s_.system().constraints != nullptr;
  const double pace = s_.rate(y, f);
  constexpr double infinite = std::numeric_limits<double>::infinity();
  FieldDerivativeErrors best{infinite, infinite};
  for (const double step : widths) {
    const std::vector<double> slope = differences([&](double s) { return s_.field(s_.moved(y, motion, s), t); }, step);
    double worst = 0, sum = 0, size = 0;
    // What constraints hold at a rate, as that of a driven crank, changes by round-off only: it counts at least as a
    // small part of what a motion of this rate makes of it.
    const auto compare = [&](std::size_t first, std::size_t count, double usual) {
      double largest = 0, own = usual, off = 0;
      for (std::size_t k = first; k < first + count; ++k) {
        largest = std::max(largest, std::abs(slope[k]));
        own = std::max(own, std::abs(f[k]));
        off = std::max(off, asError(std::abs(slope[k] - forward[k])));
        sum += weights[k] * slope[k];
        size += std::abs(weights[k] * slope[k]) + smallPart * std::abs(weights[k] * f[k]);
      }
      const double scale = std::max(largest, smallPart * own);
      if (off > 0) worst = std::max(worst, scale > 0 ? off / scale : off);
    };
    for (const Variable& v : s_.variables()) {
      if (v.hasPoint()) compare(v.points, v.size, constrained ? pace * s_.pointScale(v, y) : 0);
      if (v.hasFiber()) compare(v.fibers, v.size, constrained ? pace * s_.fiberScale(v, y) : 0);
    }
    best.forward = std::min(best.forward, asError(worst));
    const double off = asError(std::abs(sum - backward));
    best.backward = std::min(best.backward, asError(off > 0 && size > 0 ? off / size : off));
  }
  return best;
}

std::optional<FieldDerivativeErrors> FieldDerivatives::run(const std::vector<std::pair<State, double>>& states,
                                                           std::mt19937_64& engine) {
  if (stateSize_ > largestState || states.empty()) return std::nullopt;
  std::vector<double> forward, backward;
  for (const auto& [y, t] : states) {
    FieldDerivativeErrors worst;
    for (std::size_t n = 0; n < motions; ++n) {
      const FieldDerivativeErrors one = at(y, t, engine);
      worst.forward = std::max(worst.forward, one.forward);
      worst.backward = std::max(worst.backward, one.backward);
    }
    forward.push_back(worst.forward);
    backward.push_back(worst.backward);
  }
  return FieldDerivativeErrors{median(forward), median(backward)};
}

} // namespace lmc::checks
