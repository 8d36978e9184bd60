// The groups that act on phase variables: group laws of the action, exp as a one-parameter group, brackets and dexpinv,
// for velocities, momenta and elements of duals, in both frames.
#include "mechanics/Derived.h"
#include "methods/phase/PhaseGroup.h"
#include "sema/manifolds/Generator.h"

#include <fmt/format.h>

using namespace lmc::mechanics;
using namespace lmc::methods;
using namespace lmc::sema;
using namespace lmc::test;
using namespace lmc;

namespace {

struct Setting {
  const char* name;
  const char* manifold;
  PhaseKind kind;
  Handed handed;
  friend std::ostream& operator<<(std::ostream& out, const Setting& s) { return out << s.name; }
};

constexpr Setting settings[] = {
    {"StateSO3", "SO(3)", PhaseKind::State, Handed::Group},
    {"VelocitySO3Body", "SO(3)", PhaseKind::Velocity, Handed::Opposite},
    {"VelocityS2", "S^2", PhaseKind::Velocity, Handed::Group},
    {"MomentumSO3", "SO(3)", PhaseKind::Momentum, Handed::Group},
    {"MomentumSO3Body", "SO(3)", PhaseKind::Momentum, Handed::Opposite},
    {"MomentumSE3", "SE(3)", PhaseKind::Momentum, Handed::Group},
    {"MomentumSE3Body", "SE(3)", PhaseKind::Momentum, Handed::Opposite},
    {"MomentumR2", "R^2", PhaseKind::Momentum, Handed::Opposite},
    {"MomentumS2", "S^2", PhaseKind::Momentum, Handed::Group},
    {"DualSO3", "SO(3)", PhaseKind::Dual, Handed::Group},
    {"DualSE3Body", "SE(3)", PhaseKind::Dual, Handed::Opposite},
};

class PhaseAction : public testing::TestWithParam<Setting> {
protected:
  PhaseAction()
      : derived_(fmt::format("model M {{\n  config X : {} velocity V;\n  lagrangian = 0;\n{}}}\n", GetParam().manifold,
                             GetParam().manifold == std::string("S^2") ? "  initial X = e3;\n" : "")),
        program_(derived_.program()), g_(program_.graph()), manifold_(*derived_.factor().manifold), values_(program_),
        group_(program_, manifold_, GetParam().kind, GetParam().handed) {
    algebra_ = manifold_.algebra();
    if (GetParam().kind == PhaseKind::Velocity || GetParam().kind == PhaseKind::Momentum)
      algebra_.insert(algebra_.end(), manifold_.algebra().begin(), manifold_.algebra().end());
  }

  Tuple held(const std::vector<Part>& parts, const Tuple& contents) {
    const auto arrays = dummies(g_, parts, "held");
    for (std::size_t k = 0; k < arrays.size(); ++k) values_.set(arrays[k], values_.value(contents[k]));
    return loads(g_, arrays, {});
  }
  Tuple element(const std::vector<Part>& parts, double size) {
    Tuple t;
    for (const Part& p : parts) {
      std::vector<sym::Expr> entries;
      for (int k = 0; k < p.shape.size(); ++k)
        entries.push_back(g_.number(sym::Number::real(size * std::sin(2.3 * ++seed_))));
      t.push_back(p.shape.rank == 0 ? entries[0] : g_.vector(entries));
    }
    return held(parts, t);
  }
  Tuple algebra(double size) { return element(algebra_, size); }
  /// A point with its fiber, horizontal where that has a meaning.
  Tuple point() {
    const PhaseKind kind = GetParam().kind;
    if (kind == PhaseKind::Dual) return element(manifold_.algebra(), 1.2);
    const Tuple move = required(manifold_.group(), "exp", {element(manifold_.algebra(), 1)});
    Tuple y = manifold_.isGroup() ? move : required(manifold_, "action", {move, {g_.basis(3, g_.integer(3))}});
    y = held(manifold_.point(), y);
    if (kind == PhaseKind::State) return y;
    const Tuple fiber =
        held(manifold_.algebra(), horizontalProjection(program_, manifold_, y, element(manifold_.algebra(), 1.2)));
    y.insert(y.end(), fiber.begin(), fiber.end());
    return y;
  }
  Numbers of(const Tuple& t) {
    Numbers all;
    for (const sym::Expr& e : t) {
      const Numbers n = values_.value(e);
      all.insert(all.end(), n.begin(), n.end());
    }
    return all;
  }
  Tuple times(double c, const Tuple& t) { return scale(g_, sym::Number::real(c), t); }
  Numbers difference(const Numbers& a, const Numbers& b, double h) {
    Numbers r;
    for (std::size_t k = 0; k < a.size(); ++k) r.push_back((a[k] - b[k]) / h);
    return r;
  }

  Derived derived_;
  sym::Program& program_;
  sym::Graph& g_;
  const Manifold& manifold_;
  Evaluate values_;
  PhaseGroup group_;
  std::vector<Part> algebra_;
  int seed_ = 0;
};

} // namespace

TEST_P(PhaseAction, ExpIsAOneParameterGroup) {
  const Tuple k = algebra(0.9);
  const Tuple y = point();
  expectNear(of(group_.act(times(0.3, k), group_.act(times(0.7, k), y))), of(group_.act(k, y)), 1e-14);
}

TEST_P(PhaseAction, TheBracketIsThatOfTheAction) {
  // exp(sa) exp(sb) exp(-sa) exp(-sb) = exp(s^2 [a, b] + …)
  const Tuple a = algebra(0.8);
  const Tuple b = algebra(0.8);
  const Tuple y = point();
  const auto commutator = [&](double s) {
    const Tuple first = group_.act(times(-s, a), group_.act(times(-s, b), y));
    return of(group_.act(times(s, a), group_.act(times(s, b), first)));
  };
  // The odd powers of s beyond the second cancel in the mean over s and -s.
  const double s = 2e-4;
  const Numbers plus = commutator(s);
  const Numbers minus = commutator(-s);
  Numbers mean;
  for (std::size_t k = 0; k < plus.size(); ++k) mean.push_back((plus[k] + minus[k]) / 2);
  const Numbers got = difference(mean, of(y), s * s);
  const double h = 1e-5;
  const Tuple bracket = group_.bracket(a, b);
  const Numbers wanted = difference(of(group_.act(times(h, bracket), y)), of(group_.act(times(-h, bracket), y)), 2 * h);
  expectNear(got, wanted, 1e-6);
}

TEST_P(PhaseAction, DexpinvIsTheSeriesOfTheBracket) {
  const Tuple u = algebra(0.25);
  const Tuple v = algebra(0.9);
  const Numbers exact = of(group_.dexpinv(u, v, DexpinvCut::forOrder(4)));
  expectNear(exact, of(group_.dexpinv(u, v, DexpinvCut::after(10))), 1e-10);
}

TEST_P(PhaseAction, DexpinvInvertsTheDerivativeOfExp) {
  // d/dt exp(u + t w)·y = exp(s v) exp(u)·y with w = dexpinv_u v
  const Tuple u = algebra(0.8);
  const Tuple v = algebra(0.9);
  const Tuple y = point();
  const Tuple w = held(algebra_, group_.dexpinv(u, v, DexpinvCut::forOrder(4)));
  const double h = 1e-5;
  const auto moved = [&](double t) { return of(group_.act(add(g_, u, times(t, w)), y)); };
  const Tuple there = group_.act(u, y);
  const auto wanted = [&](double t) { return of(group_.act(times(t, v), there)); };
  expectNear(difference(moved(h), moved(-h), 2 * h), difference(wanted(h), wanted(-h), 2 * h), 1e-8);
}

TEST_P(PhaseAction, KeepsTheFiberHorizontal) {
  if (!manifold_.gives("horizontal")) return;
  const Tuple moved = group_.act(algebra(0.8), point());
  const auto c = manifold_.apply("horizontal", {{moved[0]}, {moved[1]}});
  expectNear(of(*c), {0}, 1e-15);
}

INSTANTIATE_TEST_SUITE_P(Kinds, PhaseAction, testing::ValuesIn(settings),
                         [](const auto& p) { return std::string(p.param.name); });

TEST(CotangentDexpinv, HasTheClosedFormOfTheLiterature) {
  // On T*SO(3), in space, the group is SE(3): the value of docs/conventions.md, section 8.
  const Derived d("model M {\n  config X : SO(3) velocity V;\n  lagrangian = 0;\n}\n");
  sym::Program& p = d.program();
  sym::Graph& g = p.graph();
  const auto e = [&](int k) { return g.basis(3, g.integer(k)); };
  const PhaseGroup group(p, *d.factor().manifold, PhaseKind::Momentum, Handed::Group);
  const sym::Expr a = g.vector({g.number(sym::Number::ratio(1, 2)), g.number(1), g.number(0)});
  Evaluate values(p);
  const Tuple r = group.dexpinv({e(1), a}, {e(2), e(1)}, DexpinvCut::forOrder(4));
  expectNear(values.value(r[0]), {0, 0.9152438608562261, -0.5}, 1e-15);
  expectNear(values.value(r[1]), {1.0847561391437743, -0.0862137319893924, -0.25}, 1e-15);
}
