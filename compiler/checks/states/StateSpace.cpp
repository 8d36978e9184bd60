#include "checks/states/StateSpace.h"

#include "mechanics/system/Equations.h"
#include "products/stages/Stages.h"
#include "sema/manifolds/Generator.h"

#include <algorithm>
#include <cmath>

namespace lmc::checks {

using sym::Expr;

namespace {

/// How far random states are from the given one: angles and other group parameters, and fractions of the size of
/// vectors and of velocities. Small enough to stay in the domain of a potential, large enough for generic states.
constexpr double pointSpread = 0.3, vectorSpread = 0.05, fiberSpread = 0.3;

const sema::ArrayTuple& pointOf(const sema::Model& m, const Variable& v) {
  return v.isFactor() ? m.factors[v.index].point : m.states[v.index].point;
}

/// Velocity, momentum, or the element of a dual.
const sema::ArrayTuple& fiberOf(const sema::Model& m, const Variable& v) {
  return v.isFactor() ? m.factors[v.index].velocity : m.states[v.index].point;
}

std::vector<Expr> memberIndex(sym::Graph& g, const Variable& v) {
  return v.extent > 0 ? std::vector<Expr>{g.newIndex("i")} : std::vector<Expr>{};
}

sema::Tuple acted(const Variable& v, const sema::Tuple& element, const sema::Tuple& point) {
  if (!v.manifold->isGroup()) return mechanics::required(*v.manifold, "action", {element, point});
  return v.frame == sema::Frame::Body ? mechanics::required(*v.manifold, "product", {point, element})
                                      : mechanics::required(*v.manifold, "product", {element, point});
}

bool isVectorSpace(sym::Program& p, const sema::Manifold& m) {
  if (!m.isGroup() || m.point().size() != 1 || m.algebra().size() != 1) return false;
  if (!(m.point()[0].shape == m.algebra()[0].shape)) return false;
  sym::Graph& g = p.graph();
  const auto q = sema::dummies(g, m.point(), "q"), u = sema::dummies(g, m.algebra(), "u");
  return sema::generator(p, m, sema::Frame::Space, sema::loads(g, q, {}), sema::loads(g, u, {}))[0] == g.load(u[0]);
}

double largest(const State& y, std::size_t first, std::size_t count) {
  double size = 0;
  for (std::size_t k = first; k < first + count; ++k) size = std::max(size, std::abs(y[k]));
  return size;
}

} // namespace

bool finite(const std::vector<double>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}

StateSpace::StateSpace(const mechanics::System& system, const runtime::Problem& problem)
    : system_(system), layer_(system), work_(layer_.work()), p_(layer_.program()), functions_(layer_, problem),
      stateSize_(problem.initialState.size()) {
  addVariables();
  addDirections();
  addMotion();
  addField();
}

void StateSpace::addVariables() {
  const sema::Model& m = *system_.model;
  const products::Layout layout = products::layoutOf(m);
  for (const sema::PhaseVariable& v : m.order) {
    Variable x;
    x.index = v.index;
    if (v.isFactor) {
      const sema::Factor& f = m.factors[v.index];
      x.name = f.name;
      x.kind = f.fiber == sema::Fiber::Momentum ? methods::PhaseKind::Momentum : methods::PhaseKind::Velocity;
      x.manifold = f.manifold;
      x.frame = f.frame;
      x.extent = f.extent;
    } else {
      const sema::StateVariable& z = m.states[v.index];
      x.name = z.name;
      x.kind = z.dual ? methods::PhaseKind::Dual : methods::PhaseKind::State;
      x.manifold = z.manifold;
      x.frame = z.frame;
      x.extent = z.extent;
    }
    x.vector = isVectorSpace(p_, *x.manifold);
    x.size = static_cast<std::size_t>(x.manifold->algebraSize() * x.members());
    if (x.hasPoint()) x.pointState = static_cast<std::size_t>(layout.of(pointOf(m, x).front()).offset);
    if (x.hasFiber()) x.fiberState = static_cast<std::size_t>(layout.of(fiberOf(m, x).front()).offset);
    for (const sym::Array* a : pointOf(m, x)) x.pointSize += static_cast<std::size_t>(a->size());
    variables_.push_back(std::move(x));
  }
}

void StateSpace::addDirections() {
  sym::Graph& g = p_.graph();
  const auto add = [&](const Variable& v, const std::string& name) {
    sema::ArrayTuple arrays;
    for (const sema::Part& part : v.manifold->algebra())
      arrays.push_back(g.newArray(name + v.name, mechanics::memberExtents(v.extent), part.shape, sym::Role::Temp));
    return arrays;
  };
  for (Variable& v : variables_) {
    points_.push_back(v.hasPoint() ? add(v, "u.") : sema::ArrayTuple{});
    v.points = functions_.input(points_.back()) - stateSize_;
    fibers_.push_back(v.hasFiber() ? add(v, "a.") : sema::ArrayTuple{});
    v.fibers = functions_.input(fibers_.back()) - stateSize_;
  }
  directionSize_ = functions_.memorySize() - stateSize_;
  for (const sym::Array* a : products::layoutOf(*system_.model).stateArrays) {
    frozen_[a] = g.newArray("frozen." + a->name, a->extents, a->shape, sym::Role::Temp);
    (void)functions_.input({frozen_[a]});
  }
}

void StateSpace::addMotion() {
  sym::Graph& g = p_.graph();
  const sema::Model& m = *system_.model;
  sema::ArrayTuple outputs;
  const auto define = [&](const Variable& v, const std::vector<sema::Part>& parts, const std::vector<Expr>& index,
                          const sema::Tuple& values) {
    const sema::ArrayTuple arrays = mechanics::defineParts(p_, "moved." + v.name, parts, v.extent, index, values);
    outputs.insert(outputs.end(), arrays.begin(), arrays.end());
    return sema::loads(g, arrays, index);
  };
  for (std::size_t k = 0; k < variables_.size(); ++k) {
    const Variable& v = variables_[k];
    const std::vector<Expr> index = memberIndex(g, v);
    sema::Tuple point;
    if (v.hasPoint()) {
      const sema::Tuple element = mechanics::required(v.manifold->group(), "exp", {sema::loads(g, points_[k], index)});
      point = define(v, v.manifold->point(), index, acted(v, element, sema::loads(g, pointOf(m, v), index)));
    }
    if (!v.hasFiber()) continue;
    const sema::Tuple fiber = sema::add(g, sema::loads(g, fiberOf(m, v), index), sema::loads(g, fibers_[k], index));
    define(v, v.manifold->algebra(), index,
           v.kind == methods::PhaseKind::Dual       ? fiber
           : v.kind == methods::PhaseKind::Momentum ? sema::momentumProjection(p_, *v.manifold, point, fiber)
                                                    : sema::horizontalProjection(p_, *v.manifold, point, fiber));
  }
  for (const sema::DiscreteVariable& d : m.discretes) // they stay
    for (const sym::Array* a : d.arrays)
      outputs.push_back(sym::defineLike(p_, *a, "moved." + a->name,
                                        [&](const std::vector<Expr>& index) { return g.load(a, index); }));
  moved_ = functions_.function("moved", outputs);
}

void StateSpace::addField() {
  sym::Graph& g = p_.graph();
  const sema::Model& m = *system_.model;
  const auto copy = [&](const Variable& v, const sema::ArrayTuple& arrays) {
    const std::vector<Expr> index = memberIndex(g, v);
    const sema::ArrayTuple own = mechanics::defineParts(p_, "f." + v.name, v.manifold->algebra(), v.extent, index,
                                                        sema::loads(g, arrays, index));
    fieldArrays_.insert(fieldArrays_.end(), own.begin(), own.end());
  };
  for (const Variable& v : variables_) {
    if (v.isFactor()) {
      copy(v, m.factors[v.index].rate);
      copy(v, system_.factors[v.index].acceleration);
    } else if (v.kind == methods::PhaseKind::State) {
      copy(v, m.states[v.index].flow);
    } else {
      for (const mechanics::DualEquations& e : system_.duals)
        if (e.state == v.index) copy(v, e.derivative);
    }
  }
  field_ = functions_.function("field", fieldArrays_);
  if (const auto& c = system_.constraints) constraints_ = functions_.function("constraints", {c->value, c->rate});
}

std::vector<double> StateSpace::call(products::ModelFunctions::Function f, const State& y, double t, const Direction& d,
                                     const State& frozen) {
  std::vector<double> memory(functions_.memorySize(), 0.0);
  std::copy(y.begin(), y.end(), memory.begin());
  std::copy(d.begin(), d.end(), memory.begin() + static_cast<std::ptrdiff_t>(stateSize_));
  std::copy(frozen.begin(), frozen.end(), memory.begin() + static_cast<std::ptrdiff_t>(stateSize_ + directionSize_));
  return functions_(f, memory, t);
}

const Direction& StateSpace::field(const State& y, double t) {
  if (last_.y != y || last_.t != t) last_ = {y, t, call(field_, y, t)};
  return last_.f;
}

State StateSpace::moved(const State& y, const Direction& d, double s) {
  Direction scaled = d;
  for (double& x : scaled) x *= s;
  return call(moved_, y, 0, scaled);
}

double StateSpace::pointScale(const Variable& v, const State& y) const {
  const double size = v.vector && v.hasPoint() ? largest(y, v.pointState, v.pointSize) : 1;
  return size > 0 ? size : 1;
}

double StateSpace::fiberScale(const Variable& v, const State& y) const {
  const double size = largest(y, v.fiberState, v.size);
  return size > 0 ? size : 1;
}

double StateSpace::ownRate(const State& y, const Direction& f) const {
  double rate = 0;
  for (const Variable& v : variables_) {
    if (v.hasPoint()) rate = std::max(rate, largest(f, v.points, v.size) / pointScale(v, y));
    if (!v.hasFiber()) continue;
    const double change = largest(f, v.fibers, v.size);
    const double least = v.kind == methods::PhaseKind::Velocity ? std::sqrt(change * pointScale(v, y)) : 0;
    rate = std::max(rate, change / std::max(fiberScale(v, y), least));
  }
  return rate;
}

double StateSpace::rate(const State& y, const Direction& f) const {
  const double own = ownRate(y, f);
  return own > 0 ? own : 1;
}

std::vector<double> StateSpace::rates(const std::vector<std::pair<State, double>>& states) {
  std::vector<double> list;
  list.reserve(states.size());
  for (const auto& [y, t] : states) list.push_back(ownRate(y, field(y, t)));
  const double largest = list.empty() ? 0 : *std::max_element(list.begin(), list.end());
  for (double& r : list) r = largest > 0 ? std::max(r, smallPart * largest) : 1;
  return list;
}

double StateSpace::velocityScale(const Variable& v, const State& y, double rate) const {
  return v.kind == methods::PhaseKind::Velocity ? std::max(fiberScale(v, y), rate * pointScale(v, y))
                                                : fiberScale(v, y);
}

State StateSpace::near(const State& y, double t, std::mt19937_64& engine) {
  std::normal_distribution<double> normal;
  constexpr int attempts = 10;
  double reach = 1;
  for (int attempt = 0; attempt < attempts; ++attempt, reach /= 2) {
    Direction d(directionSize_, 0.0);
    for (const Variable& v : variables_) {
      const double point = reach * (v.vector ? vectorSpread * pointScale(v, y) : pointSpread);
      const double fiber = reach * fiberSpread * fiberScale(v, y);
      for (std::size_t k = 0; v.hasPoint() && k < v.size; ++k) d[v.points + k] = point * normal(engine);
      for (std::size_t k = 0; v.hasFiber() && k < v.size; ++k) d[v.fibers + k] = fiber * normal(engine);
    }
    const std::optional<State> near = onConstraints(moved(y, d), t);
    if (near && finite(*near) && finite(field(*near, t))) return *near;
  }
  return y;
}

State StateSpace::rounded(const State& y, int sign) {
  State near = y;
  for (std::size_t k = 0; k < near.size(); ++k) near[k] *= 1 + (k % 2 == 0 ? sign : -sign) * rounding;
  return near;
}

Direction StateSpace::roundedField(const State& y, double t, int sign) {
  functions().moveParameters(sign * rounding);
  Direction f = call(field_, rounded(y, sign), rounded({t}, sign)[0]);
  functions().moveParameters(0);
  return f;
}

void Deviation::include(double otherValue, double otherDoubt) {
  const auto most = [](double a, double b) { return std::isnan(b) ? INFINITY : std::max(a, b); };
  value = most(value, otherValue);
  doubt = most(doubt, otherDoubt);
}

double Deviation::tolerance(double doubt) {
  constexpr double zero = 1e-9, manyTimes = 100;
  return std::max(zero, manyTimes * doubt);
}

std::optional<bool> Deviation::vanishes() const {
  const double most = tolerance(doubt);
  if (value > most) return false;
  return most <= coarsest ? std::optional(true) : std::nullopt;
}

} // namespace lmc::checks
