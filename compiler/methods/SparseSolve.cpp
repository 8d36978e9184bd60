// `solve` in a method's body for models whose constraints are one sparse system: Newton's method with products of its
// Jacobian, and the matrices of constrained motion in the place of their inverse.
#include "methods/AtRest.h"
#include "methods/Instantiation.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc::methods {

using sym::Expr;

namespace {

using SparseBlocks = mechanics::StepBlocks;

/// A side of an equation that is a multiple of `accelerated(…)`.
struct Accelerated {
  TermId word = 0;
  Expr factor;
};

/// The equations of a `solve`, put at the places of unknowns of their kind.
class SparseEquations {
public:
  SparseEquations(sym::Graph& graph, const CheckedMethod& method, LagrangianKind& kind, Replay& values)
      : g_(graph), method_(method), kind_(kind), values_(values),
        rest_(graph, method, [&values](Expr e) { return values.number(e); }) {}

  using Unknown = SparseBlocks::Unknown;

  void unknown(TermId iterate, const Space& space, Unknown what) {
    rest_.unknown(iterate, spaces_.size());
    spaces_.push_back(space);
    kinds_.push_back(what);
    residuals_.emplace_back();
  }
  /// A number that is known.
  void number(const Space& space, Expr residual) {
    spaces_.push_back(space);
    kinds_.push_back(Unknown::Number);
    residuals_.push_back({residual});
  }

  /// False where there are more equations of a kind than unknowns, or a part of one has no form (`failure`).
  bool add(const CheckedSolve::Equation& e) {
    const bool rows = method_.terms[e.left].kind == sema::ValueKind::PhaseVector;
    const auto at = place(rows ? Unknown::Multipliers : Unknown::Velocities);
    if (!at) return false;
    if (rows) return take(*at, {g_.sub(values_[e.left].parts[0], values_[e.right].parts[0])}, e);
    for (const bool mirrored : {false, true}) {
      const TermId forces = mirrored ? e.left : e.right, other = mirrored ? e.right : e.left;
      if (const auto a = accelerated(forces)) return takeForces(*at, *a, other);
    }
    const sema::Tuple off = sema::sub(g_, values_[e.left].parts, values_[e.right].parts);
    return take(*at, stackedEquation(kind_.stackedAs(off, "equation"), *at), e);
  }

  [[nodiscard]] bool complete() const {
    return std::none_of(residuals_.begin(), residuals_.end(), [](const sema::Tuple& r) { return r.empty(); });
  }
  [[nodiscard]] const std::string& failure() const { return rest_.failure(); }
  [[nodiscard]] Newton::Residuals residuals() const {
    Newton::Residuals list;
    for (std::size_t k = 0; k < spaces_.size(); ++k) list.emplace_back(spaces_[k], residuals_[k]);
    return list;
  }

  /// At the first point of the equations that does not depend on the unknowns, else at that of `begin`.
  [[nodiscard]] std::shared_ptr<const sym::SparseJacobian> near(const CheckedSolve& system, const sema::Value& begin,
                                                                Expr time) {
    sema::Tuple q = begin.parts;
    for (const CheckedSolve::Equation& e : system.equations)
      for (TermId k = e.terms.first; k < e.terms.last; ++k) {
        const Term& t = method_.terms[k];
        if (t.op != TermOp::Word || t.word->takes.find('y') != 0 || t.word->takes.back() != 't') continue;
        const auto form = rest_.of(t.args[0]);
        if (!form || !form->empty()) continue;
        return kind_.near(kinds_, terms_, values_[t.args[0]].parts, values_[t.args.back()].parts[0]);
      }
    return kind_.near(kinds_, terms_, q, time);
  }

private:
  std::optional<std::size_t> place(Unknown what) const {
    for (std::size_t k = 0; k < kinds_.size(); ++k)
      if (kinds_[k] == what && residuals_[k].empty()) return k;
    return std::nullopt;
  }

  sema::Tuple stackedEquation(const sym::Array* numbers, std::size_t at) {
    return {g_.load(numbers, spaces_[at][0].index)};
  }

  bool take(std::size_t at, sema::Tuple residual, const CheckedSolve::Equation& e) {
    residuals_[at] = std::move(residual);
    const auto left = rest_.of(e.left), right = rest_.of(e.right);
    if (!left || !right) return false;
    note(at, *left);
    note(at, rest_.scaled(*right, g_.number(-1)));
    return true;
  }

  void note(std::size_t at, const AtRest::Form& form) {
    for (const AtRest::Part& p : form) terms_.push_back({at, p.unknown, p.what, p.positions, p.velocities});
  }

  std::optional<Accelerated> accelerated(TermId side) {
    Accelerated a{side, g_.number(1)};
    for (;;) {
      const Term& t = method_.terms[a.word];
      if (t.op == TermOp::Word) return t.word->name == "accelerated" ? std::optional(a) : std::nullopt;
      if (t.op == TermOp::Scale)
        a.factor = g_.mul(values_.number(t.number), a.factor);
      else if (t.op == TermOp::Divide)
        a.factor = g_.div(a.factor, values_.number(t.number));
      else if (t.op == TermOp::Negate)
        a.factor = g_.neg(a.factor);
      else if (t.op != TermOp::Hold)
        return std::nullopt;
      a.word = t.args[0];
    }
  }

  /// w = s accelerated(q, xi, lam, t) as M w = s (r + B^T lam).
  bool takeForces(std::size_t at, const Accelerated& a, TermId other) {
    const Term& word = method_.terms[a.word];
    const sym::Array* off = kind_.missingForces(values_[a.word], values_[other], a.factor);
    residuals_[at] = stackedEquation(off, at);
    const auto left = rest_.of(other), factors = rest_.of(word.args[2]);
    if (!left || !factors) return false;
    for (AtRest::Part p : *left) {
      if (p.what != SparseBlocks::What::Identity) return false;
      terms_.push_back({at, p.unknown, SparseBlocks::What::Mass, p.positions, p.velocities});
    }
    for (const AtRest::Part& p : rest_.scaled(*factors, g_.neg(a.factor))) {
      if (p.what != SparseBlocks::What::Identity) return false;
      terms_.push_back({at, p.unknown, SparseBlocks::What::Transposed, p.positions, p.velocities});
    }
    return true;
  }

  sym::Graph& g_;
  const CheckedMethod& method_;
  LagrangianKind& kind_;
  Replay& values_;
  AtRest rest_;
  std::vector<Space> spaces_;
  std::vector<Unknown> kinds_;         ///< by unknown
  std::vector<sema::Tuple> residuals_; ///< by unknown: of the equation at its place
  std::vector<SparseBlocks::Term> terms_;
};

} // namespace

/// The unknowns of `solve`, and multipliers among them.
bool Instantiation::isSparse(const CheckedSolve& system) const {
  const auto* kind = dynamic_cast<const LagrangianKind*>(&kind_);
  if (kind == nullptr || !kind->isSparse()) return false;
  return std::any_of(system.unknowns.begin(), system.unknowns.end(), [&](const CheckedSolve::Unknown& u) {
    return method_.terms[u.iterate].kind == sema::ValueKind::PhaseVector;
  });
}

bool Instantiation::solveSparse(const CheckedStatement& s) {
  const CheckedSolve& system = s.solve;
  auto& kind = dynamic_cast<LagrangianKind&>(kind_);
  const auto refuse = [&](const std::string& why) {
    context_.compilation.diagnostics().error(
        Code::LIE0460, s.keyword, fmt::format("constraints of this model are one sparse system, and {}", why));
    return false;
  };
  std::vector<Unknown> unknowns;
  std::vector<Space> spaces;
  for (const CheckedSolve::Unknown& u : system.unknowns) {
    if (!values_.evaluate(u.terms)) return false;
    unknowns.push_back(unknownFrom(kind_, g_, u.start ? values_[*u.start] : kind_.defaultStart(), u.name));
    Unknown& own = unknowns.back();
    if (own.start.kind == sema::ValueKind::PhaseAlgebra)
      own.space = kind.stackedSpace();
    else if (own.start.kind != sema::ValueKind::PhaseVector)
      return refuse(fmt::format("the unknown `{}` is neither an algebra element nor multipliers", u.name));
    spaces.push_back(own.space);
  }
  Expr size = holdsPositions(system, unknowns) ? kind_.positionSize(begin_.h) : Expr();
  if (size) { // of many bodies a small part, as in steps of discrete Lagrangians
    size = g_.scale(sym::Number::ratio(1, 1000), size);
    spaces.push_back({{"size", sym::Shape::scalar(), 0, {}}});
  }
  Newton newton(context_.layer.program(), spaces);
  const auto valueOf = [&](std::size_t k, const sema::ArrayTuple& numbers) {
    sema::Value v = unknowns[k].start;
    v.parts =
        v.kind == sema::ValueKind::PhaseAlgebra ? kind.fromStacked(numbers[0]) : load(g_, unknowns[k].space, numbers);
    return v;
  };
  SparseEquations equations(g_, method_, kind, values_);
  std::vector<sema::Tuple> starts;
  for (std::size_t k = 0; k < unknowns.size(); ++k) {
    const Unknown& u = unknowns[k];
    const bool rows = u.start.kind == sema::ValueKind::PhaseVector;
    values_.give(system.unknowns[k].iterate, valueOf(k, newton.iterateArrays(k)));
    equations.unknown(system.unknowns[k].iterate, u.space,
                      rows ? SparseBlocks::Unknown::Multipliers : SparseBlocks::Unknown::Velocities);
    starts.push_back(rows ? u.start.parts
                          : sema::Tuple{g_.load(kind.stackedAs(u.start.parts, "start"), u.space[0].index)});
  }
  if (size) {
    equations.number(spaces.back(), g_.sub(newton.iterate(unknowns.size())[0], size));
    starts.push_back({size});
  }
  const int before = context_.step.evaluations;
  for (const CheckedSolve::Equation& e : system.equations) {
    if (!values_.evaluate(e.terms)) return false;
    if (equations.add(e)) continue;
    return refuse(equations.failure().empty()
                      ? "there is not one equation for each unknown of its kind, or it is not linear in matrices"
                      : fmt::format("`{}` is taken of what another matrix makes of an unknown", equations.failure()));
  }
  if (!equations.complete()) return refuse("an unknown has no equation of its kind");
  Newton::Settings settings = settingsOf(system);
  settings.constrained = true;
  settings.multipliers = multipliersAmong(unknowns);
  settings.evaluations = std::exchange(context_.step.evaluations, before) - before;
  settings.near = equations.near(system, begin_.state[0], begin_.t);
  newton.finish(starts, equations.residuals(), settings);
  context_.step.independent = true;
  for (std::size_t k = 0; k < unknowns.size(); ++k) {
    const std::string& name = system.unknowns[k].name;
    const auto numbers = store(context_.layer.program(), unknowns[k].space, newton.solution(k), name);
    values_.give(system.unknowns[k].solution, kind_.hold(valueOf(k, numbers), name));
  }
  return true;
}

/// Of a discrete Lagrangian: where it takes L, and nodes, as multiples of its unknowns.
bool Instantiation::atRest(const CheckedFormula& f, VariationalKind::Formula& formula) {
  AtRest rest(g_, method_, [this](Expr e) { return values_.number(e); });
  for (std::size_t k = 0; k < f.unknowns.size(); ++k) rest.unknown(f.unknowns[k], k);
  const auto add = [&](TermId term, std::vector<std::vector<Expr>>& list) {
    std::vector<Expr>& factors = list.emplace_back(f.unknowns.size(), g_.number(0));
    const auto form = rest.of(term);
    if (!form) return false;
    for (const AtRest::Part& p : *form) factors[p.unknown] = g_.add(factors[p.unknown], p.positions);
    return true;
  };
  bool good = true;
  for (TermId k = f.terms.first; k < f.terms.last; ++k) {
    const Term& t = method_.terms[k];
    if (t.op == TermOp::Word && t.word->name == "L") good = add(t.args[1], formula.velocities) && good;
  }
  for (const auto& node : f.nodes)
    if (node) good = add(node->point, formula.displacements) && good;
  if (!good)
    context_.compilation.diagnostics().error(
        Code::LIE0460, method_.nameRange,
        fmt::format("constraints of this model are one sparse system, and {} takes `{}` of its unknowns", method_.name,
                    rest.failure()));
  return good;
}

} // namespace lmc::methods
