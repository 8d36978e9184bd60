// Parameters, tables and inputs, with the values of the command line.
#include "sema/model/ModelBuilder.h"

#include "sema/expressions/Turns.h"
#include "sema/session/ConfinedReader.h"
#include "sema/session/TableFile.h"
#include "sema/values/IndexMath.h"
#include "sema/values/Table.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc::sema {

using sym::Expr;

bool ModelBuilder::fewMembers(const std::vector<std::int64_t>& extents, const std::string& name, Range range) {
  constexpr double most = 1e7; // with names for each in every output, memory ends not far beyond
  double members = 1;
  for (const std::int64_t n : extents) members *= static_cast<double>(n);
  if (members <= most) return true;
  s_.diagnostics.error(Code::LIE0192, range,
                       fmt::format("`{}` has {:.4g} members; there may be {:.0e}", name, members, most));
  return false;
}

std::optional<std::vector<std::int64_t>> ModelBuilder::extentsOf(const syntax::Target& target, bool one) {
  std::vector<std::int64_t> extents;
  bool fine = true;
  const auto extent = [&](const syntax::Expr& e) {
    const auto n = evaluator_.constant(evaluator_.evaluate(e, topContext()), e, "a size", 1);
    fine = fine && n;
    extents.push_back(n.value_or(1));
  };
  for (const syntax::Binder& b : target.binders) {
    const auto first = evaluator_.constant(evaluator_.evaluate(*b.lo, topContext()), *b.lo, "the first index", 1);
    if (first && *first != 1) evaluator_.report(Code::LIE0141, b.lo->range, "members count from 1");
    fine = fine && first && *first == 1;
    extent(*b.hi);
  }
  for (const syntax::ExprPtr& e : target.indices) extent(*e);
  fine = fine && fewMembers(extents, target.name, target.range);
  if (fine && one && extents.size() > 1) {
    s_.diagnostics.error(Code::LIE0109, target.range, "a family of factors with several indices is not supported yet");
    fine = false;
  }
  if (!fine) return std::nullopt;
  return extents;
}

/// The file of `param NAME = read("FILE");`, or of an override that says so: null where a number is meant.
const syntax::Expr* ModelBuilder::tableOf(const Symbol& symbol) {
  const syntax::Statement& s = *symbol.statements[0];
  if (s.type || !s.target.binders.empty() || !s.target.indices.empty() || !s.target.parts.empty()) return nullptr;
  const syntax::Expr* e = s.value.get();
  for (const ParsedOverride* o : overridesOf(symbol.name))
    if (o->index.empty() && o->part.empty()) e = o->value.get();
  const bool reads = e != nullptr && e->kind == syntax::ExprKind::Call && e->args.size() == 2 &&
                     e->args[0]->kind == syntax::ExprKind::Name && e->args[0]->text == "read" &&
                     e->args[1]->kind == syntax::ExprKind::String && !function("read");
  return reads ? e->args[1].get() : nullptr;
}

/// True if the parameter is a table, with errors or without; a file of one number is that number.
bool ModelBuilder::elaborateTable(Symbol& symbol, const syntax::Expr& file) {
  auto read = readTable(s_, file.text, file.range);
  if (!read) return true;
  if (read->rows == 1 && read->width == 1) return false;
  for (const ParsedOverride* o : overridesOf(symbol.name)) {
    if (o->index.empty() && o->part.empty()) continue;
    s_.diagnostics.error(Code::LIE0181, o->nameRange, "`" + symbol.name + "` is a table, which is set as a whole")
        .suggest("--set '" + symbol.name + "=read(\"FILE\")'");
    return true;
  }
  if (!fewMembers({read->rows, read->width}, symbol.name, symbol.range)) return true;
  auto table = std::make_shared<Table>();
  table->name = symbol.name;
  table->file = file.text;
  table->rows = read->rows;
  table->lines = std::move(read->lines);
  table->secret = confined(s_.options);
  for (FileColumn& c : read->columns) table->columns.push_back(columnOf(symbol, *read, c));
  symbol.storage.extents = {table->rows};
  symbol.value = rowsOf(table);
  return true;
}

/// A column as a parameter: a family with a member for each row.
TableColumn ModelBuilder::columnOf(const Symbol& symbol, const TableFile& file, FileColumn& c) {
  const std::string name = symbol.name + "." + c.name;
  const std::vector<std::int64_t> extents{file.rows};
  const sym::Array* data = g_.newArray("file of " + name, extents, c.shape, sym::Role::Data);
  const sym::Array* array = g_.newArray(name, extents, c.shape, sym::Role::Param);
  const sym::Array* value = temp(name + ".value", extents, c.shape);
  std::vector<double> numbers;
  numbers.reserve(static_cast<std::size_t>(file.rows) * c.places.size());
  for (std::int64_t row = 0; row < file.rows; ++row)
    for (const int k : c.places) numbers.push_back(file.values[static_cast<std::size_t>(row * file.width + k)]);
  TableColumn column{c.name, std::move(c.headers), array, {}};
  if (c.shape.rank == 0) column.numbers = numbers;
  model_->data.push_back({data, std::move(numbers)});
  const std::vector<sym::Loop> loops = memberLoops(g_, extents);
  const std::vector<Expr> index = indicesOf(loops);
  model_->program.append({sym::EquationKind::Set, value, loops, {}, index, g_.load(data, index), nullptr, nullptr});
  model_->parameters.push_back({name, array, value, symbol.range, Parameter::Use::Table, {}, 0});
  return column;
}

/// A table as a family of its rows: numbers of one column as they are, of several as one vector.
Value ModelBuilder::rowsOf(const std::shared_ptr<const Table>& table) {
  Value v;
  v.kind = ValueKind::Family;
  v.extents = {table->rows};
  v.table = table;
  v.member = [table, g = &g_](const std::vector<Expr>& index, Range) {
    std::vector<Expr> numbers;
    for (const TableColumn& c : table->columns) {
      const Expr x = g->load(c.array, index);
      if (table->columns.size() == 1) return Value::tensor(x);
      for (int k = 0; k < c.array->shape.size(); ++k)
        numbers.push_back(c.array->shape.rank == 0   ? x
                          : c.array->shape.rank == 1 ? g->entry(x, k)
                                                     : g->entry(x, k / c.array->shape.cols, k % c.array->shape.cols));
    }
    return Value::tensor(g->vector(numbers));
  };
  return v;
}

std::optional<Value> ModelBuilder::noteJumps(const Value& v, std::optional<Value> rate) {
  if (!rate || rate->isError()) return rate;
  const bool kinks = std::any_of(v.parts.begin(), v.parts.end(),
                                 [&](const Expr& p) { return evaluator_.hasKinks(dependence_.arrays(p)); });
  if (!kinks) return rate;
  for (Expr& part : rate->parts) {
    const Turns turns = turnsOf(g_, evaluator_.loops(), freeIndices(part));
    const sym::Array* a = temp("rate", turns.extents, part->shape);
    model_->program.append({sym::EquationKind::Set, a, turns.loops, {}, turns.index, part, nullptr, nullptr});
    dependence_.mark(a, dependence_.of(part));
    jumping_.insert(a);
    part = g_.load(a, turns.index);
  }
  return rate;
}

bool ModelBuilder::reportsKinks(Expr value, bool kinksMatter, Range where, const std::string& what) {
  const std::unordered_set<const sym::Array*> read = dependence_.arrays(value);
  const bool jumps = std::any_of(read.begin(), read.end(), [&](const sym::Array* a) { return jumping_.contains(a); });
  if (!jumps && !(kinksMatter && evaluator_.hasKinks(read))) return false;
  s_.diagnostics
      .error(Code::LIE0186, where,
             what +
                 " reads a curve that is straight between nodes, whose rate jumps there: at each node the motion gets "
                 "an impulse, which the equations would lose")
      .suggest("interpolate(..., cubic) is smooth");
  return true;
}

void ModelBuilder::lookUp(const std::string& text, const LoopContext& loops, Expr argument, Expr first, Expr last,
                          Expr disorder) {
  // Where a condition is false nothing is looked up.
  const Expr middle = g_.scale(sym::Number::ratio(1, 2), g_.add(first, last));
  const Expr at = loops.guard ? g_.select(loops.guard, argument, middle) : argument;
  if (!lookedUp_.insert({at.node(), first.node(), disorder.node()}).second) return;
  const Turns around = turnsOf(g_, loops.loops, freeIndices(at));
  const auto define = [&](const char* what, Expr value, const Turns& turns) {
    const sym::Array* a = temp(what, turns.extents, sym::Shape::scalar());
    model_->program.append({sym::EquationKind::Set, a, turns.loops, {}, turns.index, value, nullptr, nullptr});
    return a;
  };
  LookUp l;
  l.text = text;
  l.argument = define("looked up", at, around);
  l.first = define("first node", first, {});
  l.last = define("last node", last, {});
  l.disorder = define("disorder", disorder, {});
  model_->lookUps.push_back(std::move(l));
}

void ModelBuilder::elaborateParameter(Symbol& symbol) {
  if (const syntax::Expr* const file = tableOf(symbol); file != nullptr && elaborateTable(symbol, *file)) return;
  draws_ = true;
  const syntax::Statement& s = *symbol.statements[0];
  std::pair<sym::Shape, sym::Type> type{sym::Shape::scalar(), sym::Type::Real};
  if (s.type) {
    bool wrong = false;
    const auto declared = evaluator_.tensorType(*s.type, topContext(), wrong);
    if (wrong) return;
    if (declared) {
      type = *declared;
    } else {
      const FoundManifold* m = evaluator_.manifold(*s.type, topContext());
      if (m == nullptr) return;
      if (m->point().size() != 1) {
        s_.diagnostics.error(Code::LIE0109, s.type->range,
                             "a parameter that is an element with several parts is not supported yet");
        return;
      }
      type.first = m->point()[0].shape;
      symbol.storage.kind = ValueKind::Point;
      symbol.storage.manifold = m;
    }
  }
  if (!s.target.parts.empty()) {
    s_.diagnostics.error(Code::LIE0164, s.target.range, "a parameter is declared by its name alone");
    return;
  }
  if (type.second == sym::Type::Real)
    elaborateRealParameter(symbol, type.first);
  else
    elaborateConstant(symbol, type.second);
}

void ModelBuilder::elaborateConstant(Symbol& symbol, sym::Type type) {
  const syntax::Statement& s = *symbol.statements[0];
  const bool isInt = type == sym::Type::Int;
  if (!s.target.binders.empty() || !s.target.indices.empty()) {
    s_.diagnostics.error(Code::LIE0109, s.target.range,
                         "a family of parameters that are not real is not supported yet");
    return;
  }
  const syntax::Expr* e = s.value.get();
  for (const ParsedOverride* o : overridesOf(symbol.name)) {
    if (checkOverrideIndex(*o, {}) && hasNoParts(*o)) e = o->value.get();
  }
  if (e == nullptr) {
    s_.diagnostics.error(Code::LIE0160, symbol.range,
                         "the parameter `" + symbol.name + "` needs a value: give one here, or --set " + symbol.name +
                             "=...");
    return;
  }
  const Value v = evaluator_.evaluate(*e, topContext());
  const Expr t = isInt ? evaluator_.integer(v, *e) : evaluator_.condition(v, *e);
  if (!t) return;
  const auto n = valueAt(t, {});
  if (!n || !n->isInteger()) {
    evaluator_.report(Code::LIE0143, e->range, "the value of `" + symbol.name + "` must be known before the run");
    return;
  }
  model_->constants.emplace_back(symbol.name, n->num());
  symbol.value = Value::tensor(isInt ? g_.integer(n->num()) : g_.boolean(!n->isZero()));
}

bool ModelBuilder::parameterValueIsKnown(const Symbol& symbol, const sym::Equation& equation, Range where) {
  const unsigned kinds = dependence_.of(equation.value);
  if ((kinds & ~static_cast<unsigned>(OnRandom)) == 0) return true;
  s_.diagnostics.error(Code::LIE0167, where,
                       "the value of the parameter `" + symbol.name +
                           "` may use parameters only, nothing that changes during a run");
  return false;
}

void ModelBuilder::setEntry(Expr& tensor, const ParsedOverride& o, const std::string& name) {
  const sym::Shape shape = tensor->shape;
  const auto at = [&](std::size_t k) { return static_cast<int>(o.index[k]) - 1; };
  const int place = shape.rank == 1 ? at(0) : at(0) * shape.cols + at(1);
  const Place target{{}, {{name, sym::Shape::scalar()}}, {}, "an entry of `" + name + "`"};
  const Emit emit = [&](std::size_t, const sym::Equation& e) {
    std::vector<Expr> numbers;
    for (int k = 0; k < shape.size(); ++k) {
      const bool row = shape.rank == 1;
      numbers.push_back(k == place ? e.value
                        : row      ? g_.entry(tensor, k)
                                   : g_.entry(tensor, k / shape.cols, k % shape.cols));
    }
    tensor = shape.rank == 1 ? g_.vector(numbers) : g_.matrix(shape.rows, shape.cols, numbers);
  };
  (void)assignMember(target, *o.value, memberClause({}, o.range), {}, emit);
}

void ModelBuilder::elaborateRealParameter(Symbol& symbol, const sym::Shape& shape) {
  const syntax::Statement& s = *symbol.statements[0];
  const auto extents = extentsOf(s.target, false);
  if (!extents) return;
  const std::vector<const ParsedOverride*> overrides = overridesOf(symbol.name);
  const sym::Array* array = g_.newArray(symbol.name, *extents, shape, sym::Role::Param);
  const sym::Array* value = temp(symbol.name + ".value", *extents, shape);
  const syntax::Expr* whole = nullptr;
  const bool plain = extents->empty() && shape.rank > 0; // indices are those of entries
  const std::vector<std::int64_t> entries =
      shape.rank == 1 ? std::vector<std::int64_t>{shape.rows} : std::vector<std::int64_t>{shape.rows, shape.cols};
  for (const ParsedOverride* o : overrides) {
    if (!checkOverrideIndex(*o, plain ? entries : *extents, plain ? "entries" : "members")) return;
    if (!hasNoParts(*o)) return;
    if (o->index.empty()) whole = o->value.get();
  }
  Place place{{value}, {{symbol.name, shape}}, *extents, "`" + symbol.name + "`"};
  std::vector<std::pair<sym::Equation, Range>> equations;
  Range where = symbol.range;
  const Emit emit = [&](std::size_t, sym::Equation e) { equations.emplace_back(std::move(e), where); };
  auto except = plain ? std::vector<std::vector<std::int64_t>>() : overriddenMembers(overrides);
  std::int64_t count = 1;
  for (const std::int64_t n : *extents) count *= n;
  bool fine = true;
  if (whole != nullptr) {
    where = whole->range;
    fine = assignWhole(place, *whole, except, emit);
  } else if (s.value) {
    where = s.value->range;
    if (s.target.binders.empty()) {
      fine = assignWhole(place, *s.value, except, emit);
    } else {
      const auto clause = open(s, {&emptyScope_, {}}, *extents, symbol.name);
      fine = clause && assignMember(place, *s.value, *clause, except, emit);
    }
  } else if (static_cast<std::int64_t>(except.size()) < count) {
    s_.diagnostics.error(Code::LIE0160, symbol.range,
                         "the parameter `" + symbol.name + "` needs a value: give one here, or --set " + symbol.name +
                             "=...");
    fine = false;
  }
  for (const ParsedOverride* o : overrides) {
    if (o->index.empty()) continue;
    where = o->range;
    if (plain) {
      if (!equations.empty()) setEntry(equations.back().first.value, *o, symbol.name);
      continue;
    }
    fine = assignMember(place, *o->value, memberClause(o->index, o->range), {}, emit) && fine;
  }
  for (auto& [equation, at] : equations) {
    if (parameterValueIsKnown(symbol, equation, at)) model_->program.append(std::move(equation));
  }
  (void)fine; // its type is known whether the value is right or not
  model_->parameters.push_back({symbol.name, array, value, symbol.range, Parameter::Use::Parameter, {}, 0});
  symbol.storage.arrays = {array};
  symbol.storage.extents = *extents;
  symbol.value = valueOf(symbol.storage);
}

// --- inputs ---------------------------------------------------------------------------------------------------

void ModelBuilder::elaborateInput(Symbol& symbol) {
  const syntax::Statement& s = *symbol.statements[0];
  const auto extents = extentsOf(s.target, false);
  std::optional<sym::Shape> shape;
  if (s.type) {
    bool wrong = false;
    const auto type = evaluator_.tensorType(*s.type, topContext(), wrong);
    if (!type || type->second != sym::Type::Real) {
      if (!wrong) s_.diagnostics.error(Code::LIE0110, s.type->range, "an input is `real`, `vec(n)` or `mat(m,n)`");
      return;
    }
    shape = type->first;
  } else {
    shape = sym::Shape::scalar();
  }
  if (!extents) return;
  const sym::Array* value = temp(symbol.name, *extents, *shape);
  dependence_.mark(value, OnInputs);
  symbol.storage.arrays = {value};
  symbol.storage.extents = *extents;
  inputValues(symbol, {{value}, {{symbol.name, *shape}}, *extents, "`" + symbol.name + "`"}, value);
  symbol.value = valueOf(symbol.storage);
}

/// The run-time side of an input: given[i] says whether value[i] replaces the default.
struct ModelBuilder::InputSetting {
  const sym::Array* given = nullptr;
  const sym::Array* value = nullptr;
  const sym::Array* givenValue = nullptr; ///< what `given` is at the start of a run
  const sym::Array* valueValue = nullptr;
  const syntax::Expr* law = nullptr; ///< an override that changes during a run takes the place of the default
  std::vector<std::vector<std::int64_t>> members; ///< set one by one
  bool all = false;                               ///< set as a whole
};

void ModelBuilder::overrideInput(const Symbol& symbol, const Place& place, InputSetting& input) {
  const Place target{{input.valueValue}, place.parts, place.extents, place.what};
  const std::vector<const ParsedOverride*> overrides = overridesOf(symbol.name);
  for (const ParsedOverride* o : overrides) {
    if (!checkOverrideIndex(*o, place.extents) || !hasNoParts(*o)) continue;
    std::vector<sym::Equation> equations;
    bool constant = true;
    const Emit emit = [&](std::size_t, sym::Equation e) {
      constant = constant && dependence_.of(e.value) == 0;
      equations.push_back(std::move(e));
    };
    const bool whole = o->index.empty();
    const bool fine = whole ? assignWhole(target, *o->value, overriddenMembers(overrides), emit)
                            : assignMember(target, *o->value, memberClause(o->index, o->range), {}, emit);
    if (!fine) continue;
    if (constant) {
      for (sym::Equation& e : equations) model_->program.append(std::move(e));
      if (whole)
        input.all = true;
      else
        input.members.push_back(o->index);
    } else if (whole) {
      input.law = o->value.get();
    } else {
      s_.diagnostics.error(Code::LIE0181, o->nameRange,
                           "a member of an input is set to a value that does not change; set the whole input instead");
    }
  }
}

void ModelBuilder::fillInput(const Place& place, const InputSetting& input) {
  const std::vector<sym::Loop> loops = memberLoops(g_, place.extents);
  const std::vector<Expr> index = indicesOf(loops);
  const auto fill = [&](const sym::Array* a, Expr e, Expr guard) {
    if (guard && guard->isConst() && guard->isZero()) return;
    model_->program.append({sym::EquationKind::Set, a, loops, guard, index, e, nullptr, nullptr});
  };
  if (input.all) {
    fill(input.givenValue, g_.number(1), {});
    return;
  }
  const Expr others = exceptGuard(index, input.members);
  fill(input.valueValue, g_.zero(input.value->shape), others);
  fill(input.givenValue, g_.number(0), others);
  for (const auto& member : input.members) {
    model_->program.append({sym::EquationKind::Set,
                            input.givenValue,
                            {},
                            {},
                            memberClause(member, {}).index,
                            g_.number(1),
                            nullptr,
                            nullptr});
  }
}

void ModelBuilder::inputValues(Symbol& symbol, const Place& place, const sym::Array* value) {
  const syntax::Statement& s = *symbol.statements[0];
  InputSetting input;
  input.given = g_.newArray(symbol.name + ".given", place.extents, sym::Shape::scalar(), sym::Role::Param);
  input.value = g_.newArray(symbol.name + ".value", place.extents, place.parts[0].shape, sym::Role::Param);
  input.givenValue = temp(input.given->name + ".value", place.extents, input.given->shape);
  input.valueValue = temp(input.value->name + ".value", place.extents, input.value->shape);
  overrideInput(symbol, place, input);
  fillInput(place, input);
  const std::size_t first = model_->parameters.size();
  model_->parameters.push_back({input.given->name, input.given, input.givenValue, symbol.range,
                                Parameter::Use::InputGiven, symbol.name, first + 1});
  model_->parameters.push_back(
      {input.value->name, input.value, input.valueValue, symbol.range, Parameter::Use::InputValue, symbol.name, first});
  const Emit emit = [&](std::size_t, sym::Equation e) {
    const Expr use = g_.compare(sym::Op::Ne, g_.load(input.given, e.index), g_.number(0));
    // A value that is not given is zero. It is added to the law, so that a change of it is one of the input either way.
    const Expr given = g_.load(input.value, e.index);
    e.value = g_.select(use, given, g_.add(e.value, given));
    e.array = value;
    model_->program.append(std::move(e));
  };
  if (input.law != nullptr) {
    assignWhole(place, *input.law, {}, emit);
  } else if (!s.value) {
    if (!input.all) {
      s_.diagnostics.error(Code::LIE0160, symbol.range,
                           "the input `" + symbol.name + "` needs a default: give one here, or --set " + symbol.name +
                               "=...");
    }
    const std::vector<sym::Loop> loops = memberLoops(g_, place.extents);
    const std::vector<Expr> index = indicesOf(loops);
    model_->program.append(
        {sym::EquationKind::Set, value, loops, {}, index, g_.load(input.value, index), nullptr, nullptr});
  } else if (s.target.binders.empty()) {
    assignWhole(place, *s.value, {}, emit);
  } else if (const auto clause = open(s, {&emptyScope_, {}}, place.extents, symbol.name)) {
    assignMember(place, *s.value, *clause, {}, emit);
  }
}

} // namespace lmc::sema
