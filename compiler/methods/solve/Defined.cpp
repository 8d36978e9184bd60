#include "methods/solve/Defined.h"

#include <algorithm>
#include <unordered_set>

namespace lmc::methods {

using sym::Expr;

namespace {

bool readsOneOf(Expr e, const sema::ArrayTuple& arrays) {
  return sym::contains(e, [&](const sym::Node& n) {
    return n.op == sym::Op::Load && std::find(arrays.begin(), arrays.end(), n.array) != arrays.end();
  });
}

/// The factor of the one load of an array in a sum of products; empty where it is read otherwise.
Expr factorOf(sym::Graph& g, Expr e, const sym::Array* a, const std::vector<Expr>& index) {
  if (!readsOneOf(e, {a})) return g.number(0);
  switch (e->op) {
  case sym::Op::Load:
    return e->args == index ? g.number(1) : Expr();
  case sym::Op::Mul: {
    if (readsOneOf(e->args[0], {a})) return {};
    const Expr inner = factorOf(g, e->args[1], a, index);
    return inner ? g.mul(e->args[0], inner) : Expr();
  }
  case sym::Op::Add: {
    Expr total = g.number(0);
    for (const Expr& term : e->args) {
      const Expr one = factorOf(g, term, a, index);
      if (!one) return {};
      total = g.add(total, one);
    }
    return total;
  }
  default:
    return {};
  }
}

class Definitions {
public:
  Definitions(sym::Program& p, const Newton& system, const DefinedValues& defined)
      : p_(p), g_(p.graph()), system_(system), d_(defined) {}

  /// Puts the definition in the place of the first equation that gives the values.
  bool apply(std::vector<ImplicitEquation>& equations) {
    for (std::size_t e = 0; e < equations.size(); ++e) {
      const sema::Tuple values = given(equations[e]);
      if (values.empty()) continue;
      const DefinedValues::Given known{values, store(p_, d_.space, values, "given")};
      const DefinedValues::Definition definition = d_.definition(known);
      sym::Replacement replacement;
      for (std::size_t k = 0; k < values.size(); ++k) known.replace(replacement, k, d_.value[k]);
      for (const auto& [from, to] : definition.known) replacement.arrays[from] = to;
      equations[e] = {d_.space, {}, {}, definition.residual};
      for (ImplicitEquation& q : equations)
        for (sema::Tuple* side : {&q.left, &q.right, &q.residual}) *side = copied(q.space, *side, replacement);
      return true;
    }
    return false;
  }

private:
  /// What an equation says that the values are; empty where it does not.
  sema::Tuple given(const ImplicitEquation& e) {
    if (e.left.empty() || e.residual.size() != d_.value.size()) return {};
    sema::Tuple values;
    for (std::size_t k = 0; k < d_.value.size(); ++k) {
      const std::vector<Expr>& index = d_.space[k].index;
      const Expr r = e.residual[k];
      const Expr factor = readsOneOf(r, d_.value) ? factorOf(g_, r, d_.value[k], index) : Expr();
      if (!factor || factor->isZero() || dependsOnIterates({factor})) return {};
      const sema::Tuple rest = sema::replaceArrays(g_, {r}, {d_.value[k]}, {g_.zero(d_.value[k]->shape)});
      values.push_back(g_.div(g_.neg(rest[0]), factor));
    }
    return dependsOn(values, d_.value) ? sema::Tuple{} : values;
  }

  [[nodiscard]] bool dependsOn(const sema::Tuple& values, const sema::ArrayTuple& arrays) const {
    if (std::any_of(values.begin(), values.end(), [&](Expr e) { return readsOneOf(e, arrays); })) return true;
    const std::unordered_set<const sym::Array*> wanted(arrays.begin(), arrays.end());
    const auto slice = p_.slice({}, values);
    return std::any_of(slice.begin(), slice.end(), [&](std::size_t k) {
      const auto& read = p_.reads(k);
      return std::any_of(read.begin(), read.end(), [&](const sym::Array* a) { return wanted.contains(a); });
    });
  }

  [[nodiscard]] bool dependsOnIterates(const sema::Tuple& values) const {
    for (std::size_t u = 0; u < system_.unknowns(); ++u)
      if (dependsOn(values, system_.iterateArrays(u))) return true;
    return false;
  }

  /// A side of an equation with other arrays; iterates stay what they are.
  sema::Tuple copied(const Space& space, const sema::Tuple& side, const sym::Replacement& replacement) {
    if (side.empty()) return side;
    sema::ArrayTuple replaced;
    for (const auto& [from, to] : replacement.arrays) replaced.push_back(from);
    for (const auto& [from, to] : replacement.scalars) replaced.push_back(from);
    if (!dependsOn(side, replaced)) return side;
    const sema::ArrayTuple plain = store(p_, space, side, "equation");
    return load(g_, space, sym::inlineCopy(p_, plain, replacement, "="));
  }

  sym::Program& p_;
  sym::Graph& g_;
  const Newton& system_;
  const DefinedValues& d_;
};

} // namespace

std::vector<ImplicitEquation> withDefinitions(sym::Program& p, const Newton& system,
                                              const std::vector<ImplicitEquation>& equations,
                                              const std::vector<DefinedValues>& defined) {
  std::vector<ImplicitEquation> result = equations;
  bool some = false;
  for (const DefinedValues& d : defined) some = Definitions(p, system, d).apply(result) || some;
  return some ? result : std::vector<ImplicitEquation>{};
}

} // namespace lmc::methods
