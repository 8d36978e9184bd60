#include "methods/AtRest.h"

#include <algorithm>

namespace lmc::methods {

using sym::Expr;

void AtRest::unknown(TermId term, std::size_t k) {
  known_[term] = Form{{k, What::Identity, g_.number(1), g_.number(1)}};
}

std::optional<AtRest::Form> AtRest::of(TermId term) {
  if (!known_[term]) known_[term] = made(method_.terms[term]);
  return *known_[term];
}

AtRest::Form AtRest::added(Form a, const Form& b, sym::Graph& g) {
  for (const Part& p : b) {
    const auto same =
        std::find_if(a.begin(), a.end(), [&](const Part& q) { return q.unknown == p.unknown && q.what == p.what; });
    if (same == a.end()) {
      a.push_back(p);
      continue;
    }
    same->positions = g.add(same->positions, p.positions);
    same->velocities = g.add(same->velocities, p.velocities);
  }
  return a;
}

AtRest::Form AtRest::scaled(Form form, Expr factor) const {
  for (Part& p : form) {
    p.positions = g_.mul(factor, p.positions);
    p.velocities = g_.mul(factor, p.velocities);
  }
  return form;
}

/// a + factor b
std::optional<AtRest::Form> AtRest::sum(TermId a, TermId b, Expr factor) {
  const auto left = of(a), right = of(b);
  if (!left || !right) return std::nullopt;
  return added(*left, scaled(*right, factor), g_);
}

std::optional<AtRest::Form> AtRest::made(const Term& t) {
  const auto scaledBy = [&](Expr factor) -> std::optional<Form> {
    const auto form = of(t.args[0]);
    if (!form) return std::nullopt;
    return scaled(*form, factor);
  };
  switch (t.op) {
  case TermOp::State:
  case TermOp::Given:
  case TermOp::Number:
  case TermOp::Bracket: // of small elements
    return Form{};
  case TermOp::Hold:
    return of(t.args[0]);
  case TermOp::Product:
  case TermOp::Act:
  case TermOp::ActRight:
  case TermOp::Add:
    return sum(t.args[0], t.args[1], g_.number(1));
  case TermOp::Subtract:
    return sum(t.args[0], t.args[1], g_.number(-1));
  case TermOp::Negate:
    return scaledBy(g_.number(-1));
  case TermOp::Scale:
    return scaledBy(number_(t.number));
  case TermOp::Divide:
    return scaledBy(g_.div(g_.number(1), number_(t.number)));
  case TermOp::Select: {
    const Expr chosen = g_.select(number_(t.number), g_.number(1), g_.number(0));
    const auto a = of(t.args[0]), b = of(t.args[1]);
    if (!a || !b) return std::nullopt;
    return added(scaled(*a, chosen), scaled(*b, g_.sub(g_.number(1), chosen)), g_);
  }
  case TermOp::Word:
    return word(t);
  }
  return std::nullopt;
}

/// A matrix times an argument that is a multiple of unknowns itself.
std::optional<AtRest::Form> AtRest::through(const Term& t, TermId argument, What what, Expr positions,
                                            Expr velocities) {
  const auto form = of(argument);
  if (!form) return std::nullopt;
  Form result = *form;
  for (Part& p : result) {
    if (p.what != What::Identity) {
      failure_ = t.word->name;
      return std::nullopt;
    }
    p.what = what;
    p.positions = g_.mul(positions, p.positions);
    p.velocities = g_.mul(velocities, p.velocities);
  }
  return result;
}

std::optional<AtRest::Form> AtRest::word(const Term& t) {
  const std::string name(t.word->name);
  const auto argument = [&](std::size_t k) { return t.args[k]; };
  const Expr one = g_.number(1), none = g_.number(0);
  const auto isOne = [&](std::initializer_list<const char*> list) {
    return std::any_of(list.begin(), list.end(), [&](const char* x) { return name == x; });
  };
  if (name == "momentum") return through(t, argument(1), What::Mass, one, one);
  if (name == "holds") return through(t, argument(0), What::Rows, one, none);
  if (name == "holdsdot") return through(t, argument(1), What::Rows, one, one);
  if (name == "holdsT" || name == "along") return through(t, argument(1), What::Transposed, one, one);
  if (name == "idle") return through(t, argument(1), What::Off, one, one);
  if (name == "positions" || name == "rolls") {
    const auto form = of(argument(0));
    if (!form) return std::nullopt;
    Form own = *form;
    for (Part& p : own) (name == "positions" ? p.velocities : p.positions) = none;
    return own;
  }
  if (name == "retract" && t.args.size() == 2) return sum(argument(0), argument(1), one);
  if (isOne({"force", "F", "xidot", "multipliers", "L", "adstar"})) return Form{};     // of higher order in the step
  if (t.args.size() == 2 && t.word->gives == t.word->takes[1]) return of(argument(1)); // derivatives of curves, Ad
  if (t.args.size() == 1) return of(argument(0));                                      // exp(k), chord(k)
  for (const TermId a : t.args) {
    const auto form = of(a);
    if (form && form->empty()) continue;
    if (form) failure_ = name;
    return std::nullopt;
  }
  return Form{};
}

} // namespace lmc::methods
