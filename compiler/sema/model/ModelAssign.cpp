// Assignments to single things and to (members of) families.
#include "sema/model/ModelBuilder.h"

#include "sema/values/IndexMath.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc::sema {

using sym::Expr;

std::vector<Expr> shifted(sym::Graph& g, std::vector<Expr> index, const std::vector<std::int64_t>& first) {
  for (std::size_t k = 0; k < first.size(); ++k) {
    if (first[k] != 1) index[k] = g.add(index[k], g.integer(1 - first[k]));
  }
  return index;
}

const sym::Array* ModelBuilder::temp(const std::string& name, const std::vector<std::int64_t>& extents,
                                     const sym::Shape& shape) {
  return g_.newArray(name, extents, shape, sym::Role::Temp);
}

Value ModelBuilder::valueOf(const Storage& storage) const {
  const auto load = [g = &g_, storage](const std::vector<Expr>& index) {
    Value v;
    v.kind = storage.kind;
    v.manifold = storage.manifold;
    v.frame = storage.frame;
    for (const sym::Array* a : storage.arrays) v.parts.push_back(g->load(a, shifted(*g, index, storage.first)));
    return v;
  };
  if (storage.extents.empty()) return load({});
  Value family;
  family.kind = ValueKind::Family;
  family.extents = storage.extents;
  family.first = storage.first;
  family.member = [load](const std::vector<Expr>& index, Range) { return load(index); };
  return family;
}

std::optional<MemberClause> ModelBuilder::open(const syntax::Statement& s, const Surroundings& around,
                                               const std::vector<std::int64_t>& extents, const std::string& name) {
  MemberClause c;
  c.statement = &s;
  c.range = s.target.range;
  c.scope = std::make_unique<Scope>(around.scope);
  c.loops = around.loops;
  const bool unknown = extents.size() == 1 && extents[0] == 0; // a family whose size its clauses give
  const std::size_t given = s.target.binders.size() + s.target.indices.size();
  const auto check = [&](Expr index, const syntax::Expr& e, std::size_t k) {
    if (unknown || k >= extents.size()) return isIndexOnly(index) ? index : Expr();
    return evaluator_.checkedIndex(index, {1, extents[k]}, c.loops, e, name);
  };
  const std::size_t outer = c.loops.loops.size();
  if (!evaluator_.openBinders(s.target.binders, context(around), *c.scope, c.loops)) return std::nullopt;
  bool fine = true;
  for (std::size_t k = 0; k < s.target.binders.size(); ++k) {
    const Expr checked = check(c.loops.loops[outer + k].index, *s.target.binders[k].hi, k);
    fine = fine && checked;
    c.index.push_back(checked);
  }
  for (const syntax::ExprPtr& e : s.target.indices) {
    if (!unknown && c.index.size() < extents.size() && evaluator_.isUnknownName(*e, context(around))) {
      evaluator_.report(Code::LIE0100, e->range, "there is nothing named `" + e->text + "` here")
          .suggest(fmt::format("for all members, name the index with its range: `{}[{} in 1..{}]`", name, e->text,
                               extents[c.index.size()]));
      fine = false;
      c.index.emplace_back();
      continue;
    }
    const Expr i = evaluator_.integer(evaluator_.evaluate(*e, context(around)), *e);
    const Expr checked = i ? check(i, *e, c.index.size()) : i;
    if (i && !checked && unknown)
      evaluator_.report(Code::LIE0126, e->range, "an index is built of loop indices and whole numbers");
    fine = fine && checked;
    c.index.push_back(checked);
  }
  if (!unknown && given != extents.size()) {
    const bool whole = given == 0;
    evaluator_.report(whole ? Code::LIE0130 : Code::LIE0127, s.target.range,
                      extents.empty() ? "`" + name + "` is no family and has no index"
                      : whole         ? "`" + name + "` is a family: give its members, as in `" + name + "[i in 1.." +
                                    std::to_string(extents[0]) + "]`"
                              : "`" + name + "` has " + std::to_string(extents.size()) +
                                    (extents.size() == 1 ? " index" : " indices"));
    return std::nullopt;
  }
  if (!fine) return std::nullopt;
  return c;
}

MemberClause ModelBuilder::memberClause(const std::vector<std::int64_t>& index, Range range) {
  MemberClause c;
  c.range = range;
  c.scope = std::make_unique<Scope>();
  for (const std::int64_t i : index) c.index.push_back(g_.integer(i));
  return c;
}

Expr ModelBuilder::exceptGuard(const std::vector<Expr>& index, const std::vector<std::vector<std::int64_t>>& except) {
  Expr guard;
  for (const auto& member : except) {
    Expr differs = g_.boolean(false);
    for (std::size_t k = 0; k < index.size() && k < member.size(); ++k) {
      differs = g_.logic(sym::Op::Or, differs, g_.compare(sym::Op::Ne, index[k], g_.integer(member[k])));
    }
    guard = guard ? g_.logic(sym::Op::And, guard, differs) : differs;
  }
  return guard && guard->isConst() && !guard->isZero() ? Expr() : guard;
}

/// Of a file as many numbers are taken, row by row, as the places ask for: `member` (empty: there is one place) says
/// which of `count` places it is. Nothing where the numbers do not go into the places, or are no file's.
Expr ModelBuilder::fromFile(const Value& v, const sym::Shape& shape, std::int64_t count, Expr member) {
  if (!isOneTensor(v) || v.parts[0]->op != sym::Op::Load || v.parts[0]->array->role != sym::Role::Data) return {};
  const Expr data = v.parts[0];
  if (data->shape == shape || data->shape.size() != shape.size() * count) return {};
  const Expr columns = g_.integer(data->shape.cols);
  const auto number = [&](int k) {
    Expr place = g_.integer(k);
    if (member) place = g_.add(g_.mul(g_.integer(shape.size()), g_.sub(member, g_.integer(1))), place);
    const auto fromOne = [&](Expr i) { return g_.add(i, g_.integer(1)); };
    if (data->shape.rank == 1) return g_.component(data, fromOne(place));
    return g_.component(data, fromOne(g_.idiv(place, columns)), fromOne(g_.imod(place, columns)));
  };
  std::vector<Expr> numbers;
  for (int k = 0; k < shape.size(); ++k) numbers.push_back(number(k));
  return shape.rank == 0   ? numbers[0]
         : shape.rank == 1 ? g_.vector(numbers)
                           : g_.matrix(shape.rows, shape.cols, numbers);
}

Expr ModelBuilder::keptNumber(sym::Type type, const Value& v, const syntax::Expr& e) {
  if (type == sym::Type::Int) {
    // Whole numbers that data decide are real to the graph.
    if (isOneTensor(v) && v.parts[0]->type == sym::Type::Real && ExpressionEvaluator::isWhole(v.parts[0]))
      return v.parts[0];
    const Expr i = evaluator_.integer(v, e);
    return i ? asReal(i) : i;
  }
  const Expr b = evaluator_.condition(v, e);
  return b ? g_.select(b, g_.number(1), g_.number(0)) : b;
}

bool ModelBuilder::assignMember(const Place& place, const syntax::Expr& e, const MemberClause& clause,
                                const std::vector<std::vector<std::int64_t>>& except, const Emit& emit) {
  Value v = evaluator_.evaluate(e, Context{this, clause.scope.get(), &clause.loops});
  if (place.type != sym::Type::Real) {
    const Expr kept = keptNumber(place.type, v, e);
    if (!kept) return false;
    v = Value::tensor(kept);
  }
  if (place.parts.size() == 1) {
    if (const Expr data = fromFile(v, place.parts[0].shape, 1, {})) v = Value::tensor(data);
  }
  const auto parts = evaluator_.parts(v, place.parts, place.what, e, Code::LIE0133, place.element);
  if (!parts) return false;
  const Expr guard = exceptGuard(clause.index, except);
  if (guard && guard->isConst() && guard->isZero()) return true;
  for (std::size_t k = 0; k < parts->size(); ++k) {
    emit(k, {sym::EquationKind::Set, place.arrays.empty() ? nullptr : place.arrays[k], clause.loops.loops, guard,
             clause.index, (*parts)[k], nullptr, nullptr});
  }
  return true;
}

bool ModelBuilder::assignWhole(const Place& place, const syntax::Expr& e,
                               const std::vector<std::vector<std::int64_t>>& except, const Emit& emit) {
  MemberClause all = memberClause({}, e.range);
  if (place.extents.empty()) return assignMember(place, e, all, except, emit);
  if (place.type != sym::Type::Real) {
    all.loops.loops = memberLoops(g_, place.extents);
    all.index = indicesOf(all.loops.loops);
    return assignMember(place, e, all, except, emit);
  }
  const std::int64_t n = place.extents[0];
  const bool oneTensor = place.parts.size() == 1 && place.extents.size() == 1;
  const sym::Shape shape = place.parts[0].shape;
  all.loops.loops = memberLoops(g_, place.extents);
  all.index = indicesOf(all.loops.loops);
  const Expr guard = exceptGuard(all.index, except);
  const auto array = [&](std::size_t k) { return place.arrays.empty() ? nullptr : place.arrays[k]; };
  Value v;
  if (e.kind == syntax::ExprKind::List && oneTensor && static_cast<std::int64_t>(e.args.size()) == n) {
    std::vector<Value> values;
    for (const syntax::ExprPtr& a : e.args) values.push_back(evaluator_.evaluate(*a, topContext()));
    const bool members = std::all_of(values.begin(), values.end(), [&](const Value& m) {
      return isOneTensor(m) && m.parts[0]->shape == shape && !evaluator_.reportsMix(m, place.element, place.what, e);
    });
    for (std::int64_t k = 1; members && k <= n; ++k) {
      if (std::find(except.begin(), except.end(), std::vector{k}) != except.end()) continue;
      emit(0, {sym::EquationKind::Set,
               array(0),
               {},
               {},
               {g_.integer(k)},
               asReal(values[static_cast<std::size_t>(k - 1)].parts[0]),
               nullptr,
               nullptr});
    }
    if (members) return true;
    v = evaluator_.listOf(e, values);
  } else {
    v = evaluator_.evaluate(e, topContext());
  }
  if (oneTensor) {
    if (const Expr data = fromFile(v, shape, n, all.index[0])) v = Value::tensor(data);
  }
  if (oneTensor && v.kind == ValueKind::Tensor) {
    const Expr t = asReal(v.parts[0]);
    const auto each = [&](Expr member) {
      emit(0, {sym::EquationKind::Set, array(0), all.loops.loops, guard, all.index, member, nullptr, nullptr});
      return true;
    };
    if (t->shape != shape && shape.rank == 0 && t->shape == sym::Shape::vec(static_cast<int>(n))) {
      return each(g_.component(t, all.index[0]));
    }
    if (t->shape != shape && shape.rank == 1 && t->shape == sym::Shape::mat(static_cast<int>(n), shape.rows)) {
      std::vector<Expr> row;
      for (int j = 0; j < shape.rows; ++j) row.push_back(g_.component(t, all.index[0], g_.integer(j + 1)));
      return each(g_.vector(row));
    }
    if (t->shape != shape) {
      evaluator_.report(Code::LIE0133, e.range,
                        "`" + evaluator_.text(e) + "` is " + describe(t) + "; each of the " + std::to_string(n) +
                            " members of " + place.what + " is " + shape.text());
      return false;
    }
  }
  const auto parts = evaluator_.parts(v, place.parts, place.what, e, Code::LIE0133, place.element);
  if (!parts) return false;
  for (std::size_t k = 0; k < parts->size(); ++k) {
    emit(k, {sym::EquationKind::Set, array(k), all.loops.loops, guard, all.index, (*parts)[k], nullptr, nullptr});
  }
  return true;
}

std::vector<const ParsedOverride*> ModelBuilder::overridesOf(const std::string& name) {
  return overrides_ == nullptr ? std::vector<const ParsedOverride*>() : overrides_->of(name);
}

std::vector<std::vector<std::int64_t>>
ModelBuilder::overriddenMembers(const std::vector<const ParsedOverride*>& overrides) const {
  std::vector<std::vector<std::int64_t>> members;
  for (const ParsedOverride* o : overrides) {
    if (!o->index.empty()) members.push_back(o->index);
  }
  return members;
}

bool ModelBuilder::hasNoParts(const ParsedOverride& o) {
  if (o.part.empty()) return true;
  s_.diagnostics.error(Code::LIE0181, o.nameRange,
                       "`" + o.name + "` has no parts: there is no `" + o.name + "." + o.part + "`");
  return false;
}

bool ModelBuilder::checkOverrideIndex(const ParsedOverride& o, const std::vector<std::int64_t>& extents,
                                      const char* what) {
  if (o.index.empty()) return true;
  bool fine = o.index.size() == extents.size();
  for (std::size_t k = 0; fine && k < extents.size(); ++k) fine = o.index[k] >= 1 && o.index[k] <= extents[k];
  if (fine) return true;
  std::string sizes;
  for (const std::int64_t n : extents) sizes += (sizes.empty() ? "" : " x ") + std::to_string(n);
  s_.diagnostics.error(Code::LIE0181, o.nameRange,
                       "`" + o.name + "` " +
                           (extents.empty() ? std::string("is no family and has no index")
                                            : std::string("has the ") + what + " 1 to " + sizes));
  return false;
}

} // namespace lmc::sema
