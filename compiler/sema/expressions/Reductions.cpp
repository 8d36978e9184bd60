// sum and product: equations of the program where there is one, unrolled otherwise.
#include "sema/expressions/ExpressionEvaluator.h"
#include "sema/expressions/InterpolationRequest.h"
#include "sema/expressions/Turns.h"
#include "sema/values/IndexMath.h"

#include <algorithm>

namespace lmc::sema {

using sym::Expr;

namespace {

constexpr std::int64_t unrollLimit = 32;        ///< longer products become a scan
constexpr std::int64_t withoutProgram = 100000; ///< terms that may be written out where there are no loops

void addConjuncts(Expr guard, std::vector<Expr>& out) {
  if (!guard) return;
  if (guard->op == sym::Op::And) {
    for (const Expr& a : guard->args) addConjuncts(a, out);
  } else {
    out.push_back(guard);
  }
}

/// The part of a guard that can be decided inside the given loops.
Expr guardWithin(sym::Graph& g, Expr guard, const std::vector<sym::Loop>& loops) {
  std::vector<Expr> conjuncts;
  addConjuncts(guard, conjuncts);
  Expr result;
  for (const Expr& part : conjuncts) {
    const auto free = freeIndices(part);
    const bool known = std::all_of(free.begin(), free.end(), [&](const sym::Node* n) {
      return std::any_of(loops.begin(), loops.end(), [&](const sym::Loop& l) { return l.index.node() == n; });
    });
    if (known) result = result ? g.logic(sym::Op::And, result, part) : part;
  }
  return result;
}

/// Looks through families of two indices and more that a condition reads, where their members depend on the state: what
/// a member is stands in their place. A condition that bounds a distance is seen to do so then (lower/Distances.h), and
/// members that no term wants are not worked out.
class Seen {
public:
  explicit Seen(const sym::Program& program) : p_(program) {}

  Expr condition(Expr e) {
    noteFamilies_ = true;
    return through(e);
  }
  /// The same families in a term.
  Expr term(Expr e) {
    noteFamilies_ = false;
    return through(e);
  }

private:
  static constexpr int deepest = 16; ///< of families whose members are those of another one

  Expr through(Expr e) {
    for (int depth = 0; depth < deepest; ++depth) {
      sym::Substitution written(p_.graph(), [&](const sym::Node& n, const std::vector<Expr>& index) {
        return n.op == sym::Op::Load && isSeen(n) ? member(*n.array, index) : Expr();
      });
      const Expr now = written(e);
      if (now == e) break;
      e = now;
    }
    return e;
  }

  bool isSeen(const sym::Node& load) {
    if (families_.contains(load.array)) return true;
    const bool seen =
        noteFamilies_ && load.array->extents.size() > 1 && !isFixed(p_, Expr(&load)) && isPlain(*load.array);
    if (seen) families_.insert(load.array);
    return seen;
  }

  /// One equation says what all members are, each by the indices of its own.
  [[nodiscard]] bool isPlain(const sym::Array& a) const {
    if (a.role != sym::Role::Temp || p_.writers(&a).size() != 1) return false;
    const std::size_t writer = p_.writers(&a).front();
    const sym::Equation& e = p_.equation(writer);
    if (e.kind != sym::EquationKind::Set || e.guard || e.loops.size() != e.index.size() || p_.reads(writer, &a))
      return false;
    for (std::size_t k = 0; k < e.index.size(); ++k)
      if (!sym::bounds(e.index[k], e.loops) || freeIndices(e.index[k]).size() != 1 || !shiftOf(e, k)) return false;
    return true;
  }
  /// Index k is that of loop k and this number.
  [[nodiscard]] std::optional<std::int64_t> shiftOf(const sym::Equation& e, std::size_t k) const {
    return constantInteger(p_.graph().sub(e.index[k], e.loops[k].index));
  }
  [[nodiscard]] Expr member(const sym::Array& a, const std::vector<Expr>& index) const {
    const sym::Equation& e = p_.equation(p_.writers(&a).front());
    sym::Graph& g = p_.graph();
    sym::Substitution at(g, [&](const sym::Node& n, const std::vector<Expr>&) {
      for (std::size_t k = 0; k < e.loops.size(); ++k)
        if (e.loops[k].index.node() == &n) return g.sub(index[k], g.integer(*shiftOf(e, k)));
      return Expr();
    });
    return at(e.value);
  }

  const sym::Program& p_;
  std::unordered_set<const sym::Array*> families_;
  bool noteFamilies_ = false;
};

} // namespace

bool ExpressionEvaluator::constantRange(const syntax::Expr& e, const Context& c, std::int64_t limit) {
  Scope scope(c.scope);
  LoopContext loops;
  if (!openBinders(e.binders, c, scope, loops)) return false;
  std::int64_t count = 0;
  return enumerate(loops.loops, static_cast<std::size_t>(limit),
                   [&](const IndexValues&) { return ++count <= limit; }) &&
         count <= limit;
}

Value ExpressionEvaluator::reduction(const syntax::Expr& e, const Context& c) {
  Scope scope(c.scope);
  LoopContext inner = *c.loops;
  if (!openBinders(e.binders, c, scope, inner)) return Value::error();
  if (host_.program() == nullptr) return unrolled(e, c);
  const Context at{c.env, &scope, &inner};
  bool byData = false; // which terms there are
  if (e.where) {
    const Expr test = condition(evaluate(*e.where, at), *e.where);
    if (!test) return Value::error();
    byData = !isIndexOnly(test);
    inner.guard = inner.guard ? g_.logic(sym::Op::And, inner.guard, test) : test;
  }
  if (e.kind == syntax::ExprKind::Product) {
    if (constantRange(e, c, unrollLimit)) return unrolled(e, c);
    return productScan(e, c, 0);
  }
  const Expr body = tensor(evaluate(*e.args[0], at), *e.args[0]);
  if (!body) return Value::error();
  if (body->type == sym::Type::Bool) {
    report(Code::LIE0129, e.args[0]->range, "a condition cannot be summed; write `if … then 1 else 0`");
    return Value::error();
  }
  if (body->type == sym::Type::Int && isIndexOnly(body) && !byData && constantRange(e, c, withoutProgram)) {
    if (const auto turns = turnsWithout(e, *c.loops, inner, body))
      return Value::tensor(g_.mul(g_.integer(*turns), body));
    return unrolled(e, c);
  }
  return sumEquation(e, *c.loops, inner, asReal(body));
}

/// The number of terms of a sum whose terms are all equal; nothing where they differ. Its summand is not evaluated
/// again for each of them then, nor the sums in it: nested sums take the sum of their turns, not the product.
std::optional<std::int64_t> ExpressionEvaluator::turnsWithout(const syntax::Expr& e, const LoopContext& outer,
                                                              const LoopContext& inner, Expr body) {
  if (e.where) return std::nullopt;
  const std::vector<sym::Loop> own(inner.loops.begin() + static_cast<std::ptrdiff_t>(outer.loops.size()),
                                   inner.loops.end());
  const auto used = freeIndices(body);
  if (std::any_of(own.begin(), own.end(), [&](const sym::Loop& l) { return used.contains(l.index.node()); }))
    return std::nullopt;
  std::int64_t turns = 0;
  const bool complete = enumerate(own, static_cast<std::size_t>(withoutProgram), [&](const IndexValues&) {
    ++turns;
    return true;
  });
  return complete ? std::optional(turns) : std::nullopt;
}

Value ExpressionEvaluator::sumEquation(const syntax::Expr& e, const LoopContext& outer, const LoopContext& inner,
                                       Expr body) {
  std::vector<sym::Loop> own(inner.loops.begin() + static_cast<std::ptrdiff_t>(outer.loops.size()), inner.loops.end());
  if (body->isZero() || someLoopIsEmpty(own)) return Value::tensor(g_.zero(body->shape));
  Expr guard = inner.guard;
  if (e.where && !isIndexOnly(guard)) {
    Seen seen(*host_.program());
    guard = seen.condition(guard);
    body = seen.term(body);
  }
  auto needed = freeIndices(body);
  for (const sym::Loop& loop : own) {
    needed.merge(freeIndices(loop.lo));
    needed.merge(freeIndices(loop.hi));
  }
  if (e.where) needed.merge(freeIndices(guard));
  Turns places = turnsOf(g_, outer.loops, std::move(needed));
  sym::Equation equation;
  equation.kind = sym::EquationKind::Accumulate;
  equation.loops = places.loops;
  equation.loops.insert(equation.loops.end(), own.begin(), own.end());
  equation.guard = guardWithin(g_, guard, equation.loops);
  if (equation.guard && equation.guard->isConst()) {
    if (equation.guard->isZero()) return Value::tensor(g_.zero(body->shape));
    equation.guard = {};
  }
  const sym::Array* total = g_.newArray("sum", places.extents, body->shape, sym::Role::Temp);
  equation.array = total;
  equation.index = places.index;
  equation.value = body;
  host_.program()->append(std::move(equation));
  return Value::tensor(g_.load(total, places.index));
}

// --- products -------------------------------------------------------------------------------------------------

Value ExpressionEvaluator::productScan(const syntax::Expr& e, const Context& c, std::size_t binder) {
  Scope scope(c.scope);
  LoopContext inner = *c.loops;
  const std::vector<syntax::Binder> one{e.binders[binder]};
  if (!openBinders(one, c, scope, inner)) return Value::error();
  const Context at{c.env, &scope, &inner};
  Expr body;
  if (binder + 1 < e.binders.size()) {
    const Value v = productScan(e, at, binder + 1);
    if (v.isError()) return v;
    body = v.parts[0];
  } else {
    Expr test;
    if (e.where) {
      test = condition(evaluate(*e.where, at), *e.where);
      if (!test) return Value::error();
      inner.guard = inner.guard ? g_.logic(sym::Op::And, inner.guard, test) : test;
    }
    body = tensor(evaluate(*e.args[0], at), *e.args[0]);
    if (!body) return Value::error();
    body = asReal(body);
    const bool fits = body->shape.rank == 0 || (body->shape.rank == 2 && body->shape.rows == body->shape.cols);
    if (!fits || body->type == sym::Type::Bool) {
      report(Code::LIE0122, e.args[0]->range, "a product needs numbers or square matrices, not " + describe(body));
      return Value::error();
    }
    if (test) body = g_.select(test, body, body->shape.rank == 0 ? g_.number(1) : g_.identity(body->shape.rows));
  }
  const sym::Loop loop = inner.loops.back();
  auto needed = freeIndices(body);
  needed.merge(freeIndices(loop.lo));
  needed.merge(freeIndices(loop.hi));
  Turns places = turnsOf(g_, c.loops->loops, std::move(needed));
  // partial[k + 1] = partial[k] * factor number k
  const Expr steps = g_.add(g_.sub(loop.hi, loop.lo), g_.integer(1));
  const auto longest = sym::bounds(steps, places.loops);
  places.extents.push_back(std::max<std::int64_t>(longest ? longest->hi : 0, 0) + 1);
  const sym::Array* partial = g_.newArray("product", places.extents, body->shape, sym::Role::Temp);
  const auto at1 = [&](Expr k) {
    std::vector<Expr> index = places.index;
    index.push_back(k);
    return index;
  };
  const Expr unit = body->shape.rank == 0 ? g_.number(1) : g_.identity(body->shape.rows);
  host_.program()->append(
      {sym::EquationKind::Set, partial, places.loops, {}, at1(g_.integer(1)), unit, nullptr, nullptr});
  const Expr k = g_.add(g_.sub(loop.index, loop.lo), g_.integer(1));
  const Expr before = g_.load(partial, at1(k));
  std::vector<sym::Loop> loops = places.loops;
  loops.push_back(loop);
  const Expr next = body->shape.rank == 0 ? g_.mul(before, body) : g_.matmul(before, body);
  host_.program()->append(
      {sym::EquationKind::Set, partial, loops, {}, at1(g_.add(k, g_.integer(1))), next, nullptr, nullptr});
  const Expr last = g_.function(sym::Op::Max, g_.add(steps, g_.integer(1)), g_.integer(1));
  return Value::tensor(g_.load(partial, at1(last)));
}

// --- unrolling ------------------------------------------------------------------------------------------------

Value ExpressionEvaluator::unrolled(const syntax::Expr& e, const Context& c) {
  std::vector<Expr> terms;
  bool failed = false;
  unrollFrom(e, 0, c, terms, failed);
  if (failed) return Value::error();
  if (terms.empty()) { // the shape of an empty sum is that of its summand
    Scope scope(c.scope);
    LoopContext loops = *c.loops;
    if (!openBinders(e.binders, c, scope, loops)) return Value::error();
    const Expr t = tensor(evaluate(*e.args[0], Context{c.env, &scope, &loops}), *e.args[0]);
    if (!t) return Value::error();
    const bool isSum = e.kind == syntax::ExprKind::Sum;
    if (t->shape.rank == 0)
      return Value::tensor(t->type == sym::Type::Int ? g_.integer(isSum ? 0 : 1) : g_.number(isSum ? 0 : 1));
    return Value::tensor(isSum ? g_.zero(t->shape) : g_.identity(t->shape.rows));
  }
  return combine(e, terms);
}

bool ExpressionEvaluator::unrollFrom(const syntax::Expr& e, std::size_t binder, const Context& c,
                                     std::vector<Expr>& terms, bool& failed) {
  if (static_cast<std::int64_t>(terms.size()) > withoutProgram) {
    report(Code::LIE0132, e.range,
           "this " + std::string(e.kind == syntax::ExprKind::Sum ? "sum" : "product") + " is too long here");
    failed = true;
    return false;
  }
  if (binder < e.binders.size()) {
    const syntax::Binder& b = e.binders[binder];
    const Expr first = integer(evaluate(*b.lo, c), *b.lo);
    const Expr last = integer(evaluate(*b.hi, c), *b.hi);
    const auto lo = first ? constantInteger(first) : std::nullopt;
    const auto hi = last ? constantInteger(last) : std::nullopt;
    if (!lo || !hi) {
      report(Code::LIE0132, e.range, "the bounds of this range must be known here");
      failed = true;
      return false;
    }
    for (std::int64_t k = *lo; k <= *hi; ++k) {
      Scope scope(c.scope);
      scope.bind(b.name, Value::tensor(g_.integer(k)));
      if (!unrollFrom(e, binder + 1, Context{c.env, &scope, c.loops}, terms, failed)) return false;
    }
    return true;
  }
  LoopContext loops = *c.loops;
  Expr test;
  if (e.where) {
    test = condition(evaluate(*e.where, c), *e.where);
    if (test && test->isConst() && test->isZero()) return true;
    if (test && !test->isConst()) loops.guard = loops.guard ? g_.logic(sym::Op::And, loops.guard, test) : test;
  }
  Expr term = tensor(evaluate(*e.args[0], Context{c.env, c.scope, &loops}), *e.args[0]);
  if (!term || (e.where && !test)) {
    failed = true;
    return false;
  }
  if (test && !test->isConst()) {
    term = asReal(term);
    const bool isSum = e.kind == syntax::ExprKind::Sum;
    const Expr unit = isSum                   ? g_.zero(term->shape)
                      : term->shape.rank == 0 ? g_.number(1)
                                              : g_.identity(term->shape.rows);
    term = g_.select(test, term, unit);
  }
  terms.push_back(term);
  return true;
}

Value ExpressionEvaluator::combine(const syntax::Expr& e, const std::vector<Expr>& terms) {
  Expr result = terms[0];
  const bool isSum = e.kind == syntax::ExprKind::Sum;
  const bool square = result->shape.rank == 0 || (result->shape.rank == 2 && result->shape.rows == result->shape.cols);
  if (result->type == sym::Type::Bool || (!isSum && !square)) {
    report(
        Code::LIE0122, e.args[0]->range,
        std::string(isSum ? "a sum needs numbers, vectors or matrices" : "a product needs numbers or square matrices") +
            ", not " + describe(result));
    return Value::error();
  }
  for (std::size_t k = 1; k < terms.size(); ++k) {
    Expr t = terms[k];
    if (t->type != result->type) {
      t = asReal(t);
      result = asReal(result);
    }
    if (isSum)
      result = g_.add(result, t);
    else
      result = result->shape.rank == 0 ? g_.mul(result, t) : g_.matmul(result, t);
  }
  return Value::tensor(result);
}

} // namespace lmc::sema
