#include "methods/Instantiation.h"

#include "base/Budget.h"
#include "methods/Parts.h"
#include "methods/TableauStep.h"
#include "methods/kinds/EmbeddingKind.h"
#include "methods/kinds/VariationalKind.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace lmc::methods {

using sym::Expr;

namespace {

/// Of f, which `rates` are.
std::size_t operationsOf(const sym::Program& program, sema::ArrayTuple rates) {
  Step f;
  f.next = std::move(rates);
  return operations(program, f);
}

/// Terms of the sums between stages, each of so many numbers.
std::size_t operationsOfSums(const Tableau& tableau, std::int64_t numbers) {
  std::size_t terms = 0;
  for (const auto& row : tableau.a)
    terms += static_cast<std::size_t>(std::count_if(row.begin(), row.end(), [](const auto& x) { return !x.isZero(); }));
  return terms * static_cast<std::size_t>(numbers);
}

/// Whether the stages of a step in storage coordinates shall call one f, by measurement. Calls go through memory, some
/// 30 ns a stage, and gain where the code of all would leave the caches of instructions, or where much of it are sums
/// of `numbers` numbers, which become vectors.
bool shareRate(std::size_t ofRate, const Tableau& tableau, std::int64_t numbers) {
  constexpr std::size_t most = 12000, mostOfLongRows = 4000;
  constexpr std::int64_t longRow = 32; // numbers, some vectors
  const std::size_t total = ofRate * tableau.stages() + operationsOfSums(tableau, numbers);
  return total > (numbers >= longRow ? mostOfLongRows : most);
}

/// Whether sums between stages that are written out shall be those of rows in memory, by measurement: where they are
/// more work than f, and longer than a vector.
bool addRows(std::size_t ofRate, const Tableau& tableau, std::int64_t numbers) {
  constexpr std::int64_t vector = 8;
  return numbers > vector && operationsOfSums(tableau, numbers) > ofRate * tableau.stages();
}

/// The same of the stages of a Munthe-Kaas method: exponentials and dexpinv, which stand in each, are some 50
/// operations for a number of the algebra. Below, at about 45 kB of code, both are equally fast.
bool shareStage(std::size_t ofRate, const Tableau& tableau, std::int64_t numbers) {
  constexpr std::size_t most = 7500, ofNumber = 50;
  return (ofRate + ofNumber * static_cast<std::size_t>(numbers)) * tableau.stages() > most;
}

} // namespace

Instantiation::Instantiation(const KindContext& context, MethodKind& kind, const CheckedMethod& method,
                             const Begin& begin)
    : context_(context), kind_(kind), g_(context.compilation.graph()), method_(method), begin_(begin),
      values_(g_, method, kind, begin.h, begin.t), next_(method.state.size()) {
  for (std::size_t k = 0; k < method.state.size(); ++k) values_.give(method.state[k], begin.state[k]);
}

std::optional<std::vector<sema::Value>> Instantiation::run() {
  kind_.useRetraction(method_.retraction);
  // Of a composition the whole has the order, not its parts.
  if (context_.step.order == 0) context_.step.order = method_.order;
  if (context_.step.embeddedOrder == 0) context_.step.embeddedOrder = method_.embeddedOrder;
  bool good = true;
  if (method_.tableau)
    fromTableau(*method_.tableau);
  else if (method_.composition)
    good = compose(*method_.composition);
  else if (method_.formula)
    good = body() && formula(*method_.formula);
  else
    good = body();
  if (!good) return std::nullopt;
  return next_;
}

bool Instantiation::body() {
  for (const CheckedStatement& s : method_.body) {
    if (!statement(s)) return false;
  }
  return true;
}

bool Instantiation::statement(const CheckedStatement& s) {
  using What = CheckedStatement::What;
  if (s.what == What::Solve) return solve(s);
  if (s.what == What::Keep) return keep(s);
  const int exponentials = context_.step.exponentials;
  if (!values_.evaluate(s.terms)) return false;
  if (s.what == What::Hand) hand(s);
  if (s.what == What::Next) next_[s.variable] = values_[s.value];
  if (s.what == What::Embedded) {
    context_.step.exponentials = exponentials; // those of `next` are counted
    embedded_.resize(next_.size());
    embedded_[s.variable] = values_[s.value];
  }
  return true;
}

/// From a discrete Lagrangian to a step.
bool Instantiation::formula(const CheckedFormula& f) {
  auto& kind = dynamic_cast<VariationalKind&>(kind_);
  VariationalKind::Formula formula = kind.begin(f.unknowns.size());
  values_.give(f.q, formula.q);
  for (std::size_t k = 0; k < f.unknowns.size(); ++k) values_.give(f.unknowns[k], formula.unknowns[k]);
  if (!values_.evaluate(f.terms)) return false;
  formula.lagrangian = values_.number(f.lagrangian);
  for (const auto& node : f.nodes)
    if (node) formula.nodes.push_back({values_[node->point].parts, values_[node->time].parts[0]});
  const auto force = [&](const std::optional<CheckedFormula::Force>& checked, std::optional<sema::Tuple>& result) {
    if (!checked) return true;
    if (!values_.evaluate(checked->terms)) return false;
    result = values_[checked->value].parts;
    return true;
  };
  if (!force(f.left, formula.left) || !force(f.right, formula.right)) return false;
  if (kind.isSparse() && !atRest(f, formula)) return false;
  next_ = kind.step(formula, begin_.state, begin_.h, begin_.t);
  return true;
}

void Instantiation::fromTableau(const Constructed& constructed) {
  const sema::Tuple& y = begin_.state[0].parts;
  const Tableau& tableau = constructed.tableau;
  if (constructed.kind == MethodClass::Projected) {
    auto& kind = dynamic_cast<EmbeddingKind&>(kind_);
    const bool joins = context_.sharesStages && kind.isWrittenOut();
    const std::size_t ofRate = joins ? operationsOf(context_.layer.program(), kind.rateArrays()) : 0;
    const auto results = joins && shareRate(ofRate, tableau, kind.numbers())
                             ? kind.rungeShared(tableau, y, begin_.t, constructed.where)
                         : joins && addRows(ofRate, tableau, kind.numbers())
                             ? kind.rungeByRows(tableau, y, begin_.h, begin_.t, constructed.where)
                             : kind.runge(tableau, y, begin_.h, begin_.t, constructed.where);
    next_[0] = results[0];
    if (results.size() > 1) embedded_ = {results[1]};
    if (results.size() > 2) embedded2_ = {results[2]};
    return;
  }
  auto& kind = dynamic_cast<ManifoldKind&>(kind_);
  const TableauStep step(kind, context_, tableau, begin_.h, begin_.t);
  const DexpinvCut cut = constructed.truncate ? DexpinvCut::after(*constructed.truncate)
                                              : DexpinvCut::forOrder(std::max(tableau.order, tableau.embeddedOrder));
  const auto results = [&] {
    if (constructed.kind != MethodClass::MuntheKaas) return step.crouchGrossman(y);
    const Space numbers = kind.phase().algebraSpace();
    const bool shares =
        context_.sharesStages && tableau.isExplicit() && isWrittenOut(numbers) &&
        shareStage(operationsOf(context_.layer.program(), kind.phase().rateArrays()), tableau, sizeOf(numbers));
    return shares ? step.muntheKaasShared(y, cut) : step.muntheKaas(y, cut);
  }();
  next_[0] = ManifoldKind::point(results.next);
  if (!results.embedded.empty()) embedded_ = {ManifoldKind::point(results.embedded)};
  if (!results.embedded2.empty()) embedded2_ = {ManifoldKind::point(results.embedded2)};
}

/// Steps one after the other, each from what the one before left.
bool Instantiation::compose(const CheckedComposition& composition) {
  context_.sharesStages = false; // of one step, not of parts that go on from each other
  const Place place(method_.bodyRange);
  if (composition.symmetric && context_.system.constraints) return symmetric(composition.parts.front().use);
  Begin begin = begin_;
  std::map<std::size_t, Expr> times;
  for (const CheckedComposition::Part& part : composition.parts) {
    if (part.part) {
      begin.t = times.try_emplace(part.clock, begin_.t).first->second;
      begin.h = g_.mul(values_.number(part.part), begin_.h);
    }
    const CheckedMethod& method = *part.use.method;
    auto after = part.use.adjoint ? adjointStep(context_, kind_, method, begin)
                                  : Instantiation(context_, kind_, method, begin).run();
    if (!after) return false;
    if (!part.part) {
      begin.state = std::move(*after);
      continue;
    }
    for (std::size_t i = 0; i < after->size(); ++i) begin.state[i] = kind_.hold((*after)[i], "composed");
    times[part.clock] = g_.add(begin.t, begin.h);
  }
  next_ = begin.state;
  return true;
}

} // namespace lmc::methods
