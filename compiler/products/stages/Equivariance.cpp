#include "products/stages/Equivariance.h"

#include "lower/Calculator.h"
#include "sema/manifolds/Generator.h"
#include "sema/values/Tuples.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>

namespace lmc::products {

using sym::Expr;

namespace {

constexpr int places = 3;
/// Far from the point that a model begins at, where a condition may hold by chance, and not out of the manifold's
/// charts.
constexpr double reach = 0.4;
/// What is off is compared with the terms that should cancel.
constexpr double tolerance = 1e-6;
/// Terms smaller than this are round-off of those that make them.
constexpr double least = 1e-6;

/// d/ds c(exp(s eta) q, Ad w) for w = P zeta, in two terms that cancel where the condition c is equivariant: what the
/// point changes, what the bracket [eta, w] changes. q is exp(u) times the given point.
class Test {
public:
  explicit Test(const sema::Manifold& m, sym::Graph& graph) : p_(graph), g_(graph) {
    const auto q = sema::dummies(g_, m.point(), "q"), u = sema::dummies(g_, m.algebra(), "u"),
               eta = sema::dummies(g_, m.algebra(), "eta"), zeta = sema::dummies(g_, m.algebra(), "zeta");
    const sema::Tuple point =
        *m.apply("action", {*m.group().apply("exp", {sema::loads(g_, u, {})}), sema::loads(g_, q, {})});
    const sema::Tuple w = store(sema::horizontalProjection(p_, m, point, sema::loads(g_, zeta, {})), m.algebra());
    const sema::Tuple direction = sema::loads(g_, eta, {});
    const auto x = sema::dummies(g_, m.point(), "x");
    const sema::Tuple change = sema::generator(p_, m, sema::Frame::Space, point, direction);
    const sema::Tuple moved =
        sema::directional(p_, *m.apply("horizontal", {sema::loads(g_, x, {}), w}), x, change, point);
    const sema::Tuple turned = *m.apply("horizontal", {point, *m.group().apply("bracket", {direction, w})});
    output(moved, turned);
    inputs_ = {q, u, eta, zeta};
    lower();
  }

  /// The largest of |sum|/sizes over the conditions; not a number where it cannot be computed.
  double operator()(const double* point, std::mt19937_64& engine) {
    std::normal_distribution<double> normal;
    std::vector<double>& memory = calculator_->at(runtime::Role::State);
    std::size_t next = 0;
    for (const sym::Array* a : inputs_[0])
      for (int k = 0; k < a->shape.size(); ++k) memory[next++] = *point++;
    for (std::size_t n = 1; n < inputs_.size(); ++n) {
      for (const sym::Array* a : inputs_[n])
        for (int k = 0; k < a->shape.size(); ++k) memory[next++] = (n == 1 ? reach : 1) * normal(engine);
    }
    if (calculator_->run(0, 0) != 0) return std::nan("");
    const std::vector<double>& terms = calculator_->at(runtime::Role::Output);
    double sum = 0, size = 0;
    for (std::size_t k = 0; k < count_; ++k) {
      sum = std::max(sum, std::abs(terms[k] + terms[count_ + k]));
      size = std::max({size, std::abs(terms[k]), std::abs(terms[count_ + k])});
    }
    return sum / std::max(size, least);
  }

private:
  sema::Tuple store(const sema::Tuple& value, const std::vector<sema::Part>& parts) {
    sema::Tuple loaded;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      sym::Equation e;
      e.array = g_.newArray("w", {}, parts[k].shape, sym::Role::Temp);
      e.value = value[k];
      loaded.push_back(g_.load(e.array));
      p_.append(std::move(e));
    }
    return loaded;
  }

  void output(const sema::Tuple& first, const sema::Tuple& second) {
    std::vector<Expr> all = sema::entries(g_, first);
    count_ = all.size();
    for (const Expr& e : sema::entries(g_, second)) all.push_back(e);
    sym::Equation e;
    e.array = g_.newArray("terms", {}, sym::Shape::vec(static_cast<int>(all.size())), sym::Role::Temp);
    e.value = g_.vector(all);
    result_ = e.array;
    p_.append(std::move(e));
  }

  void lower() {
    unit::UnitBuilder unit(p_, false);
    for (const auto& input : inputs_) unit.reads(input, unit.place(runtime::Role::State, "argument", input));
    const runtime::Field terms = unit.place(runtime::Role::Output, "terms", {result_});
    (void)unit.function("equivariance", 0, unit::UnitBuilder::into(terms, {result_}));
    calculator_ = std::make_unique<lower::Calculator>(unit.build().module);
  }

  sym::Program p_;
  sym::Graph& g_;
  std::vector<std::vector<const sym::Array*>> inputs_;
  const sym::Array* result_ = nullptr;
  std::size_t count_ = 0;
  std::unique_ptr<lower::Calculator> calculator_;
};

} // namespace

bool checkEquivariance(const mechanics::System& system, const Layout& layout, const std::vector<double>& state,
                       Diagnostics& diagnostics) {
  std::vector<const sema::Manifold*> tested;
  bool good = true;
  for (const sema::Factor& f : system.model->factors) {
    if (f.manifold->isGroup() || !f.manifold->gives("horizontal")) continue;
    if (std::find(tested.begin(), tested.end(), f.manifold) != tested.end()) continue;
    tested.push_back(f.manifold);
    std::vector<double> point;
    for (const sym::Array* a : f.point) {
      const double* first = state.data() + layout.of(a).offset;
      point.insert(point.end(), first, first + a->shape.size());
    }
    Test test(*f.manifold, system.model->program.graph());
    std::mt19937_64 engine(1);
    int wrong = 0;
    for (int n = 0; n < places; ++n) wrong += test(point.data(), engine) > tolerance ? 1 : 0;
    if (wrong < places) continue; // near the edge of a chart one of them may be ill-conditioned
    good = false;
    diagnostics
        .error(Code::LIE0578, f.range,
               "velocities on " + f.manifold->name() +
                   " cannot be used: its horizontal condition is not equivariant; moved by the group, a horizontal "
                   "velocity is not horizontal any more")
        .note("the manifold is declared here", f.manifold->declaredAt())
        .suggest("`lmc verify` of the file shows where; a first-order `state` with a `flow` needs no such condition");
  }
  return good;
}

} // namespace lmc::products
