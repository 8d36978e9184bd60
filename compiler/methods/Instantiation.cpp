#include "methods/Instantiation.h"

#include "base/Budget.h"
#include "methods/Parts.h"
#include "methods/StepCalls.h"
#include "methods/TableauStep.h"
#include "methods/kinds/EmbeddingKind.h"
#include "methods/kinds/VariationalKind.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace lmc::methods {

using sym::Expr;

namespace {

/// Operations of f, which `rates` are, however their loops come to stand in the code: turn by turn, or as vectors and
/// what is left.
std::size_t mostOperations(const sym::Program& program, const sema::ArrayTuple& rates) {
  Step f;
  f.next = rates;
  return std::max(operations(program, f), operationsOfTurns(program, rates));
}

/// Of a space as they stand in the code: those of a loop are about as many as of 16 members.
std::size_t numbersWrittenOut(const Space& space) {
  constexpr std::int64_t ofLoops = 16;
  std::int64_t n = 0;
  for (const Component& c : space) n += c.shape.size() * std::clamp<std::int64_t>(c.extent, 1, ofLoops);
  return static_cast<std::size_t>(n);
}

/// Whether code of so many operations, which has f so many times, is better made of calls: where it is longer than
/// `most`. Where families are loops, calls cost up to a fifth of the time of a step, and only longer code gains. An f
/// that is long itself is always called, of families one with constraints, whose elimination is no loop that shares
/// anything with others: what a call costs, some 30 to 60 ns, is a tenth of it at most.
bool isLong(const KindContext& context, const Space& space, std::size_t operations, std::size_t most,
            std::size_t ofRates, std::size_t times) {
  constexpr std::size_t mostOfLoops = 45000, longRates = 2000, longRatesOfLoops = 5000;
  const bool loops = !isWrittenOut(space);
  if (operations > (loops ? mostOfLoops : most)) return true;
  return times > 1 &&
         (loops ? context.system.constraints != nullptr && ofRates > longRatesOfLoops : ofRates > longRates);
}

/// Terms of the sums between stages, each of so many numbers.
std::size_t operationsOfSums(const Tableau& tableau, std::int64_t numbers) {
  std::size_t terms = 0;
  for (const auto& row : tableau.a)
    terms += static_cast<std::size_t>(std::count_if(row.begin(), row.end(), [](const auto& x) { return !x.isZero(); }));
  return terms * static_cast<std::size_t>(numbers);
}

/// How the stages of a step in storage coordinates shall stand in the code.
enum class StageForm : std::uint8_t { WrittenOut, Rows, Shared };

/// By measurement. Calls of one f go through memory, some 30 ns a stage, and gain where the code of all would leave the
/// caches of instructions, or where much of it are sums of so many numbers, which become vectors. Sums of rows in
/// memory beside an f that is written out gain where they are more work than f, and longer than a vector.
StageForm stageForm(const KindContext& context, const sema::ArrayTuple& rates, const Tableau& tableau,
                    const Space& space) {
  const sym::Program& program = context.layer.program();
  constexpr std::size_t most = 12000, mostOfLongRows = 4000;
  constexpr std::int64_t longRow = 32, vector = 8; // numbers; a long row is some vectors
  const bool loops = !isWrittenOut(space);
  const std::int64_t numbers = loops ? static_cast<std::int64_t>(numbersWrittenOut(space)) : sizeOf(space);
  const std::size_t ofOne = loops ? operationsOfTurns(program, rates) : mostOperations(program, rates);
  const std::size_t ofRates = ofOne * tableau.stages(), ofSums = operationsOfSums(tableau, numbers);
  if (isLong(context, space, ofRates + ofSums, numbers >= longRow ? mostOfLongRows : most, ofOne, tableau.stages()))
    return StageForm::Shared;
  return !loops && numbers > vector && ofSums > ofRates ? StageForm::Rows : StageForm::WrittenOut;
}

/// Whether stages of a Munthe-Kaas method shall call one function: exponentials and dexpinv, which stand in each, are
/// some 50 operations for a number of the algebra. Below, at about 45 kB of code, both are equally fast.
bool shareStage(const KindContext& context, const sema::ArrayTuple& rates, const Tableau& tableau, const Space& space) {
  const sym::Program& program = context.layer.program();
  constexpr std::size_t most = 7500, ofNumber = 50;
  const bool loops = !isWrittenOut(space);
  const std::size_t numbers = loops ? numbersWrittenOut(space) : static_cast<std::size_t>(sizeOf(space));
  const std::size_t ofOne = loops ? operationsOfTurns(program, rates) : mostOperations(program, rates);
  return isLong(context, space, (ofOne + ofNumber * numbers) * tableau.stages(), most, ofOne, tableau.stages());
}

/// Whether stages of a tableau that are equations, each of its own, shall stand in the code once: with f, its
/// derivative, and what makes both of an element of the algebra, for each number on the diagonal. Below this bound, at
/// about 80 kB of code, they are written out: calls cost up to a fifth of the time of such a step. A single equation is
/// worth a call where it is so long that f beside it, at the begin and for constraints at the end, is better called.
bool sharesEquations(const KindContext& context, MethodKind& kind, const Tableau& tableau, const Space& space) {
  constexpr std::size_t most = 4000, mostOfOne = 30000, ofRates = 4, ofNumber = 50;
  const std::size_t count = tableau.equations();
  if (!context.sharesStages || !tableau.isTriangular() || count == 0) return false;
  const std::size_t ofEquation =
      ofRates * operationsOfTurns(context.layer.program(), kind.rateArrays()) + ofNumber * numbersWrittenOut(space);
  return count > 1 ? ofEquation * count > most : ofEquation > mostOfOne && asksForVelocities(context, kind);
}

/// The same of a body.
struct BodyCount {
  std::size_t evaluations = 0, exponentials = 0, brackets = 0, sums = 0;
  /// The most elements of the group that act one after the other on the begin to make a point. Points of single groups
  /// are products, so that code that is written out may grow with it in all that f makes of a point.
  std::size_t depth = 0;

  void add(const Term& t) {
    if (t.op == TermOp::Bracket) ++brackets;
    if (t.op == TermOp::Add || t.op == TermOp::Subtract) ++sums;
    if (t.op != TermOp::Word) return;
    if (t.word->takes.starts_with('t'))
      ++evaluations;
    else
      ++exponentials; // and their derivatives
  }

  /// By measurement: where 9,000 operations are written out they are about 80 kB. Calls cost up to a sixth of the time
  /// of such a step.
  [[nodiscard]] bool sharesRates(const KindContext& context, const sema::ArrayTuple& rates, const Space& space) const {
    constexpr std::size_t most = 9000, ofExponential = 25, ofBracket = 9;
    constexpr std::size_t deep = 3, leastToTry = 2500;
    const std::size_t ofNumber = ofExponential * exponentials + ofBracket * brackets + sums;
    const std::size_t ofRates = operationsOfTurns(context.layer.program(), rates);
    const std::size_t total = ofRates * evaluations + ofNumber * numbersWrittenOut(space);
    if (isLong(context, space, total, most, ofRates, evaluations)) return true;
    return isWrittenOut(space) && depth >= deep && total > leastToTry && context.writtenOut() > most;
  }
};

BodyCount countOf(const std::vector<Term>& terms) {
  BodyCount count;
  std::vector<std::size_t> depths; // of elements of the group how many they are
  for (const Term& t : terms) {
    count.add(t);
    const auto depth = [&](std::size_t k) { return depths[t.args[k]]; };
    std::size_t own = 0;
    if (t.op == TermOp::Word && (t.word->gives == 'e' || t.word->gives == 'g')) own = 1;
    if (t.op == TermOp::Product || t.op == TermOp::Act) own = depth(0) + depth(1);
    if (t.op == TermOp::Hold) own = depth(0);
    depths.push_back(own);
    if (t.op == TermOp::Act) count.depth = std::max(count.depth, own);
  }
  return count;
}

/// The same of a Crouch–Grossman method, which has an exponential for each coefficient.
BodyCount countOf(const Tableau& tableau) {
  BodyCount count;
  count.evaluations = tableau.stages();
  const auto nonzero = [&](const std::vector<sym::Number>& row) {
    return static_cast<std::size_t>(std::count_if(row.begin(), row.end(), [](const auto& x) { return !x.isZero(); }));
  };
  for (const auto& row : tableau.a) {
    count.exponentials += nonzero(row);
    count.depth = std::max(count.depth, nonzero(row));
  }
  for (const auto* weights : {&tableau.b, &tableau.bhat, &tableau.bhat2}) count.exponentials += nonzero(*weights);
  return count;
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
    good = sharesCalls() ? bodyOfCalls() : body();
  if (!good) return std::nullopt;
  return next_;
}

bool Instantiation::body() {
  for (const CheckedStatement& s : method_.body) {
    if (!statement(s)) return false;
  }
  return true;
}

/// Whether the body is one of calls: explicit, long, and with several evaluations of f.
bool Instantiation::sharesCalls() const {
  const sema::ArrayTuple rates = kind_.rateArrays();
  if (!context_.sharesStages || rates.empty() || !method_.kept.empty()) return false;
  using What = CheckedStatement::What;
  for (const CheckedStatement& s : method_.body)
    if (s.what != What::Define && s.what != What::Next && s.what != What::Embedded) return false;
  const auto isPartOfTheWord = [](const Term& t) { // a whole number, which no memory holds
    return t.op == TermOp::Word && t.word->takes.find_first_of("sn") != std::string::npos;
  };
  if (std::any_of(method_.terms.begin(), method_.terms.end(), isPartOfTheWord)) return false;
  const BodyCount count = countOf(method_.terms);
  return count.evaluations > 1 && count.sharesRates(context_, rates, kind_.rowSpace(sema::ValueKind::PhaseAlgebra));
}

/// The same as `body`, where the values are rows and what is done to them are calls.
bool Instantiation::bodyOfCalls() {
  StepCalls calls(context_, kind_);
  Replay values(g_, method_, calls, begin_.h, begin_.t);
  for (std::size_t k = 0; k < method_.state.size(); ++k) values.give(method_.state[k], calls.begin(begin_.state[k]));
  const Expr end = g_.add(begin_.t, begin_.h);
  for (const CheckedStatement& s : method_.body) {
    const int exponentials = context_.step.exponentials;
    if (!values.evaluate(s.terms)) return false;
    if (s.what == CheckedStatement::What::Next) next_[s.variable] = calls.endOnConstraints(values[s.value], end);
    if (s.what != CheckedStatement::What::Embedded) continue;
    context_.step.exponentials = exponentials; // those of `next` are counted
    others_.second.resize(next_.size());
    others_.second[s.variable] = calls.end(values[s.value], false);
  }
  context_.step.calls = calls.finish();
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
    others_.second.resize(next_.size());
    others_.second[s.variable] = values_[s.value];
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
    const auto formOf = [&] {
      if (!context_.sharesStages) return StageForm::WrittenOut;
      if (constructed.turns) return StageForm::Shared; // of a turn all at once (products/stages/StageBlocks.h)
      return stageForm(context_, kind.rateArrays(), tableau, kind.rowSpace(sema::ValueKind::PhaseVector));
    };
    const StageForm form = formOf();
    const auto results = form == StageForm::Shared ? kind.rungeShared(tableau, y, begin_.t, constructed.where)
                         : form == StageForm::Rows ? kind.rungeByRows(tableau, y, begin_.h, begin_.t, constructed.where)
                                                   : kind.runge(tableau, y, begin_.h, begin_.t, constructed.where);
    next_[0] = results[0];
    std::size_t given = 1;
    const auto take = [&](const std::vector<sym::Number>& weights, std::vector<sema::Value>& to) {
      if (!weights.empty() && given < results.size()) to = {results[given++]};
    };
    take(tableau.bhat, others_.second);
    take(tableau.bhat2, others_.third);
    take(tableau.before, others_.turnBefore);
    take(tableau.edges, others_.edges);
    if (!context_.system.constraints) last_ = kind.last();
    return;
  }
  auto& kind = dynamic_cast<ManifoldKind&>(kind_);
  const TableauStep step(kind, context_, tableau, begin_.h, begin_.t);
  const DexpinvCut cut = constructed.truncate ? DexpinvCut::after(*constructed.truncate)
                                              : DexpinvCut::forOrder(std::max(tableau.order, tableau.embeddedOrder));
  const auto results = [&] {
    const Space numbers = kind.phase().algebraSpace();
    const bool equations = sharesEquations(context_, kind, tableau, numbers);
    if (constructed.kind != MethodClass::MuntheKaas) {
      const bool calls = equations || (context_.sharesStages && tableau.isExplicit() &&
                                       countOf(tableau).sharesRates(context_, kind.rateArrays(), numbers));
      return calls ? step.crouchGrossmanCalls(y) : step.crouchGrossman(y);
    }
    if (equations) return step.muntheKaasCalls(y, cut);
    const bool shares =
        context_.sharesStages && tableau.isExplicit() && shareStage(context_, kind.rateArrays(), tableau, numbers);
    if (!shares) return step.muntheKaas(y, cut);
    return asksForVelocities(context_, kind) ? step.muntheKaasCalls(y, cut) : step.muntheKaasShared(y, cut);
  }();
  next_[0] = ManifoldKind::point(results.next);
  if (!results.embedded.empty()) others_.second = {ManifoldKind::point(results.embedded)};
  if (!results.embedded2.empty()) others_.third = {ManifoldKind::point(results.embedded2)};
  if (!context_.system.constraints) last_ = results.last;
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
