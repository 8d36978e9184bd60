// Members of families and components of vectors and matrices, with their bounds checked before the run.
#include "sema/expressions/ExpressionEvaluator.h"
#include "sema/expressions/Interpolation.h"
#include "sema/values/IndexMath.h"
#include "sema/values/Table.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace lmc::sema {

using sym::Expr;

namespace {

constexpr std::size_t enumerationLimit = 200000;
/// Values of all indices of a sum: as many take minutes.
constexpr double mostTurns = 1e11;

/// The loops that the given expressions need: those of their indices, and those of their bounds.
std::vector<sym::Loop> loopsOf(Expr e, const std::vector<sym::Loop>& loops) {
  auto needed = freeIndices(e);
  std::vector<sym::Loop> result;
  for (auto it = loops.rbegin(); it != loops.rend(); ++it) {
    if (!needed.contains(it->index.node())) continue;
    needed.merge(freeIndices(it->lo));
    needed.merge(freeIndices(it->hi));
    result.insert(result.begin(), *it);
  }
  return result;
}

/// The indices that the members of a family have in one dimension.
sym::Interval membersOf(const Value& family, std::size_t dimension) {
  const std::int64_t first = family.first.empty() ? 1 : family.first[dimension];
  return {first, first + family.extents[dimension] - 1};
}

constexpr std::int64_t few = 16; // members that a comparison each may choose from

Expr noNumber(sym::Graph& g, const sym::Shape& shape) {
  const Expr none = g.number(sym::Number::real(std::numeric_limits<double>::quiet_NaN()));
  const std::vector<Expr> all(static_cast<std::size_t>(shape.size()), none);
  return shape.rank == 0 ? none : shape.rank == 1 ? g.vector(all) : g.matrix(shape.rows, shape.cols, all);
}

std::string shownValues(const IndexValues& values, const std::vector<sym::Loop>& loops) {
  std::string text;
  for (const sym::Loop& loop : loops) {
    const auto it = values.find(loop.index.node());
    if (it == values.end()) continue;
    text += (text.empty() ? " for " : ", ") + loop.index->graph->indexName(*loop.index) + " = " +
            std::to_string(it->second);
  }
  return text;
}

} // namespace

Value ExpressionEvaluator::index(const syntax::Expr& e, const Context& c) {
  Value base = evaluate(*e.args[0], c);
  if (base.isError()) {
    for (std::size_t k = 1; k < e.args.size(); ++k) integer(evaluate(*e.args[k], c), *e.args[k]);
    return base;
  }
  if (base.table && base.column < 0 && e.args.size() == 2 && e.args[1]->kind == syntax::ExprKind::String)
    return columnOf(base, e.args[1]->text, e.args[1]->range);
  return base.kind == ValueKind::Family ? memberOf(base, e, c) : componentOf(base, e, c);
}

Value ExpressionEvaluator::columnOf(const Value& table, const std::string& name, Range where) {
  const Table& t = *table.table;
  std::vector<std::string> names;
  for (std::size_t k = 0; k < t.columns.size(); ++k) {
    const TableColumn& column = t.columns[k];
    names.push_back(column.name);
    if (column.name != name && (column.headers.size() != 1 || column.headers[0] != name)) continue;
    Value v;
    v.kind = ValueKind::Family;
    v.extents = {t.rows};
    v.table = table.table;
    v.column = static_cast<std::ptrdiff_t>(k);
    v.member = [array = column.array, &g = g_](const std::vector<Expr>& index, Range) {
      return Value::tensor(g.load(array, index));
    };
    return v;
  }
  if (name == "rows") return Value::tensor(g_.integer(t.rows));
  const std::string what = "the table `" + t.name + "` has no column `" + name + "`";
  if (t.secret) {
    report(Code::LIE0139, where, what);
    return Value::error();
  }
  auto r = report(Code::LIE0139, where, what + ": it has " + listed(names));
  const std::string near = nearest(name, names);
  if (!near.empty()) r.suggest(didYouMean(near));
  return Value::error();
}

Expr ExpressionEvaluator::indexOf(const Value& v, const syntax::Expr& e) {
  const bool data =
      isOneTensor(v) && v.parts[0]->type == sym::Type::Real && isWhole(v.parts[0]) && !isIndexOnly(v.parts[0]);
  return data ? v.parts[0] : integer(v, e);
}

Value ExpressionEvaluator::chosenEntry(Expr index, sym::Interval among, const std::function<Expr(Expr)>& entry,
                                       const syntax::Expr& e, const Context& c) {
  const auto nothing = [&](const sym::Shape& shape) { return noNumber(g_, shape); };
  if (among.hi - among.lo < few || host_.program() == nullptr) {
    Expr result;
    for (std::int64_t k = among.hi; k >= among.lo; --k) {
      const Expr value = entry(g_.integer(k));
      if (!value) return Value::error();
      const Expr here = g_.compare(sym::Op::Eq, index, g_.number(k));
      result = g_.select(here, asReal(value), result ? result : nothing(value->shape));
    }
    return Value::tensor(result);
  }
  LoopContext inner = *c.loops;
  const Expr k = g_.newIndex("k");
  inner.loops.push_back({k, g_.integer(among.lo), g_.integer(among.hi), false});
  const Expr value = entry(k);
  if (!value) return Value::error();
  const Expr here = g_.compare(sym::Op::Eq, index, asReal(k));
  const Value sum = sumEquation(e, *c.loops, inner, g_.select(here, asReal(value), g_.zero(value->shape)));
  const Expr inside = g_.logic(sym::Op::And, g_.compare(sym::Op::Le, g_.number(among.lo), index),
                               g_.compare(sym::Op::Le, index, g_.number(among.hi)));
  return Value::tensor(g_.select(inside, sum.parts[0], nothing(value->shape)));
}

std::optional<Value> ExpressionEvaluator::chosenMember(const Value& family, Expr index, const syntax::Expr& e,
                                                       const Context& c) {
  sym::Program* const program = host_.program();
  const sym::Interval among = membersOf(family, 0);
  if (program == nullptr || among.hi - among.lo < few) return std::nullopt;
  const Value first = family.member({g_.integer(among.lo)}, e.range);
  if (first.isError() ||
      !std::all_of(first.parts.begin(), first.parts.end(), [&](Expr part) { return isFixed(*program, part); }))
    return std::nullopt;
  const Expr lo = g_.number(among.lo), hi = g_.number(among.hi);
  const Expr kept = g_.function(sym::Op::Min, g_.function(sym::Op::Max, index, lo), hi);
  Value chosen = family.member({g_.floorToInt(kept)}, e.range);
  const Expr inside = g_.logic(sym::Op::And, g_.compare(sym::Op::Le, lo, index), g_.compare(sym::Op::Le, index, hi));
  for (Expr& part : chosen.parts) part = g_.select(inside, asReal(part), noNumber(g_, part->shape));
  host_.lookUp(text(e), *c.loops, index, lo, hi, g_.number(0));
  return chosen;
}

Value ExpressionEvaluator::memberOf(const Value& family, const syntax::Expr& e, const Context& c) {
  const std::size_t given = e.args.size() - 1;
  std::vector<Expr> at;
  for (std::size_t k = 0; k < given; ++k) {
    const Expr i = indexOf(evaluate(*e.args[k + 1], c), *e.args[k + 1]);
    if (!i) continue;
    if (i->type == sym::Type::Real && given == 1 && family.extents.size() == 1) {
      if (auto chosen = chosenMember(family, i, e, c)) return *chosen;
      const sym::Interval among = membersOf(family, 0);
      host_.lookUp(text(e), *c.loops, i, g_.number(among.lo), g_.number(among.hi), g_.number(0));
      const auto member = [&](Expr which) {
        const Value v = family.member({which}, e.range);
        return isOneTensor(v) ? v.parts[0] : tensor(v, e);
      };
      return chosenEntry(i, membersOf(family, 0), member, e, c);
    }
    const Expr checked = k < family.extents.size()
                             ? checkedIndex(i, membersOf(family, k), *c.loops, *e.args[k + 1], text(*e.args[0]))
                             : i;
    if (checked) at.push_back(checked);
  }
  if (given != family.extents.size()) {
    report(Code::LIE0127, e.range,
           "`" + text(*e.args[0]) + "` has " + std::to_string(family.extents.size()) +
               (family.extents.size() == 1 ? " index" : " indices") + ", not " + std::to_string(given));
    return Value::error();
  }
  if (at.size() != given) return Value::error();
  return family.member(at, e.range);
}

Value ExpressionEvaluator::componentOf(const Value& v, const syntax::Expr& e, const Context& c) {
  const Expr t = tensor(v, *e.args[0]);
  const std::size_t given = e.args.size() - 1;
  std::vector<Expr> at;
  for (std::size_t k = 0; k < given; ++k) {
    const Expr i = indexOf(evaluate(*e.args[k + 1], c), *e.args[k + 1]);
    if (i) at.push_back(i);
  }
  if (!t) return Value::error();
  if (given != t->shape.rank) {
    const std::string& name = text(*e.args[0]);
    if (t->shape.rank == 0) {
      report(Code::LIE0127, e.range, "`" + name + "` is a single number and has no index");
    } else {
      report(Code::LIE0127, e.range,
             "`" + name + "` is " + describe(t) + " and takes " +
                 (t->shape.rank == 1 ? "one index" : "two indices, row and column") + ", not " + std::to_string(given));
    }
    return Value::error();
  }
  if (at.size() != given) return Value::error();
  const std::string whole = text(*e.args[0]);
  if (given == 1 && at[0]->type == sym::Type::Real) {
    host_.lookUp(text(e), *c.loops, at[0], g_.number(1), g_.number(t->shape.rows), g_.number(0));
    return chosenEntry(
        at[0], {1, t->shape.rows}, [&](Expr k) { return g_.component(t, k); }, e, c);
  }
  const Expr i = checkedIndex(at[0], {1, t->shape.rows}, *c.loops, *e.args[1], whole);
  if (given == 1) return i ? Value::tensor(g_.component(t, i)) : Value::error();
  const Expr j = checkedIndex(at[1], {1, t->shape.cols}, *c.loops, *e.args[2], whole);
  return i && j ? Value::tensor(g_.component(t, i, j)) : Value::error();
}

bool ExpressionEvaluator::reportsOutside(Expr index, sym::Interval allowed, const LoopContext& loops,
                                         const syntax::Expr& e, const std::string& whole, bool& inside) {
  inside = true;
  const std::vector<sym::Loop> needed = loopsOf(index, loops.loops);
  std::optional<std::int64_t> wrong;
  std::string where;
  const bool complete = enumerate(needed, enumerationLimit, [&](const IndexValues& values) {
    const auto v = integerAt(index, values);
    if (!v || (*v >= allowed.lo && *v <= allowed.hi)) return true;
    wrong = v;
    where = shownValues(values, needed);
    return false;
  });
  if (!wrong && complete) return false;
  inside = false;
  if (loops.guard) return false;
  if (!wrong) { // too many to try
    report(Code::LIE0125, e.range,
           "it cannot be seen that `" + text(e) + "` stays within " + std::to_string(allowed.lo) + ".." +
               std::to_string(allowed.hi) + ", the members of `" + whole + "`");
    return true;
  }
  report(Code::LIE0125, e.range,
         "index " + (where.empty() ? "" : "`" + text(e) + "` is ") + std::to_string(*wrong) + where + ", but `" +
             whole + "` has " +
             (allowed.lo == allowed.hi
                  ? "the index " + std::to_string(allowed.lo) + " only"
                  : "the indices " + std::to_string(allowed.lo) + " to " + std::to_string(allowed.hi)));
  return true;
}

bool ExpressionEvaluator::reportsZero(Expr divisor, const LoopContext& loops, const syntax::Expr& e) {
  std::string where;
  bool zero = divisor->isZero();
  if (!zero && divisor->type == sym::Type::Int && !divisor->isConst()) {
    const auto range = sym::bounds(divisor, loops.loops);
    if (range && (range->lo > 0 || range->hi < 0)) return false;
    enumerate(loops.loops, enumerationLimit, [&](const IndexValues& values) {
      const auto taken = loops.guard ? valueAt(loops.guard, values) : sym::Number(1);
      if (!taken || taken->isZero()) return true; // if data decide, the user's condition is trusted
      const auto v = integerAt(divisor, values);
      zero = v && *v == 0;
      if (zero) where = shownValues(values, loops.loops);
      return !zero;
    });
  }
  if (!zero || someLoopIsEmpty(loops.loops)) return false;
  if (!unreachable()) report(Code::LIE0124, e.range, "`" + text(e) + "`: division by zero" + where);
  return true;
}

Expr ExpressionEvaluator::checkedIndex(Expr index, sym::Interval allowed, const LoopContext& loops,
                                       const syntax::Expr& e, const std::string& whole) {
  if (!isIndexOnly(index)) {
    report(Code::LIE0126, e.range,
           "an index is built of loop indices and whole numbers; `" + text(e) + "` depends on data");
    return {};
  }
  const auto interval = sym::bounds(index, loops.loops);
  if (interval && interval->lo >= allowed.lo && interval->hi <= allowed.hi) return index;
  if (someLoopIsEmpty(loops.loops)) return index;
  bool inside = true;
  if (reportsOutside(index, allowed, loops, e, whole, inside)) return {};
  if (inside) return index;
  return g_.function(sym::Op::Min, g_.function(sym::Op::Max, index, g_.integer(allowed.lo)), g_.integer(allowed.hi));
}

bool ExpressionEvaluator::openBinders(const std::vector<syntax::Binder>& binders, const Context& c, Scope& scope,
                                      LoopContext& loops) {
  bool fine = true;
  for (const syntax::Binder& b : binders) {
    const Context inner{c.env, &scope, &loops};
    Expr bound[2];
    for (int side = 0; side < 2; ++side) {
      const syntax::Expr& e = side == 0 ? *b.lo : *b.hi;
      Expr v = integer(evaluate(e, inner), e);
      if (v && !isIndexOnly(v)) {
        report(Code::LIE0132, e.range,
               "a bound of a range must be known before the run: a whole number, an outer index or parameters declared "
               "`: int`");
        v = {};
      }
      bound[side] = v;
      fine = fine && v;
    }
    const Expr index = g_.newIndex(b.name);
    scope.bind(b.name, fine ? Value::tensor(index) : Value::error());
    if (fine) loops.loops.push_back({index, bound[0], bound[1], false});
    fine = fine && fewTurns(loops.loops, b);
  }
  return fine;
}

bool ExpressionEvaluator::fewTurns(const std::vector<sym::Loop>& loops, const syntax::Binder& innermost) {
  double turns = 1;
  for (const sym::Loop& l : loops) {
    const auto lo = sym::bounds(l.lo, loops);
    const auto hi = sym::bounds(l.hi, loops);
    if (lo && hi) turns *= std::max(0.0, static_cast<double>(hi->hi) - static_cast<double>(lo->lo) + 1);
  }
  if (turns <= mostTurns) return true;
  report(Code::LIE0192, innermost.hi->range,
         fmt::format("{:.4g} values for every evaluation; there may be {:.0e}", turns, mostTurns));
  return false;
}

} // namespace lmc::sema
