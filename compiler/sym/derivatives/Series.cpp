#include "sym/derivatives/Series.h"

#include "base/Budget.h"
#include "base/Integers.h"
#include "sym/derivatives/OrderEquations.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc::sym {

namespace {

bool sameLoops(const std::vector<Loop>& a, const std::vector<Loop>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Loop& x, const Loop& y) {
    return x.index == y.index && x.lo == y.lo && x.hi == y.hi && x.descending == y.descending;
  });
}

} // namespace

Expr entryOf(Graph& g, Expr e, int k) {
  if (e->shape.rank == 0) return e;
  return e->shape.rank == 1 ? g.entry(e, k) : g.entry(e, k / e->shape.cols, k % e->shape.cols);
}

Expr tensorOf(Graph& g, const Shape& shape, std::vector<Expr> entries) {
  if (shape.rank == 0) return entries[0];
  return shape.rank == 1 ? g.vector(std::move(entries)) : g.matrix(shape.rows, shape.cols, std::move(entries));
}

std::int64_t paddedRow(std::int64_t numbers) {
  constexpr std::int64_t widest = 8;
  return numbers <= widest / 2 ? numbers : roundUp(numbers, widest);
}

Expr OrderEquations::inverse(Expr shift) {
  const Array*& array = inverses_[shift.node()];
  if (array == nullptr) {
    Equation e;
    e.array = g_.newArray("1/n", {}, Shape::scalar(), Role::Temp);
    e.value = g_.div(g_.number(1), g_.toReal(g_.add(g_.load(order_), shift)));
    array = e.array;
    p_.append(std::move(e));
  }
  return g_.load(array);
}

SeriesContext& OrderEquations::context(const std::vector<Loop>& loops, Expr guard) {
  for (SeriesContext& c : contexts_)
    if (c.guard == guard && sameLoops(c.loops, loops)) return c;
  return contexts_.emplace_back(SeriesContext{loops, guard, {}});
}

bool OrderEquations::active(const Array* a) {
  if (seeds_.contains(a)) return true;
  const auto it = active_.find(a);
  if (it != active_.end()) return it->second;
  checkStack();
  active_[a] = false; // an array that reads itself is active only through others
  for (const std::size_t k : p_.writers(a)) {
    for (const Array* r : p_.reads(k)) {
      if (r != a && active(r)) {
        active_[a] = true;
        return true;
      }
    }
  }
  return false;
}

Expr OrderEquations::of(Expr e) {
  visitPostOrder({e}, [&](const Node& n) {
    if (isKnown(n)) return;
    const Expr c = compute(n); // may recurse for other arrays
    remembered(n) = c;
  });
  const Expr c = remembered(*e);
  return c ? c : g_.zero(e->shape);
}

/// The coefficient, or an empty Expr where it vanishes.
Expr OrderEquations::compute(const Node& n) {
  if (n.op == Op::Load) return load(n);
  if (n.type != Type::Real) return {};
  std::vector<Expr> d;
  bool any = false;
  for (const Expr& a : n.args) {
    const Expr c = remembered(*a);
    any = any || c;
    d.push_back(c ? c : g_.zero(a->shape));
  }
  if (!any) return {};
  const Expr c = rule(n, std::move(d));
  return c && !c->isZero() ? c : Expr();
}

Expr OrderEquations::load(const Node& n) {
  if (n.type != Type::Real) return {};
  if (const auto s = seeds_.find(n.array); s != seeds_.end()) return s->second(n.args);
  if (!active(n.array)) return {};
  const Array* c = coefficients(n.array);
  return c != nullptr ? g_.load(c, n.args) : Expr();
}

const Array* OrderEquations::coefficients(const Array* a) {
  if (const auto it = arrays_.find(a); it != arrays_.end()) return it->second;
  checkStack();
  const Array* c = g_.newArray(a->name + ".n", a->extents, a->shape, Role::Temp);
  arrays_[a] = c;
  bool written = false;
  const std::vector<std::size_t> writers = p_.writers(a);
  for (const std::size_t k : writers) {
    const Equation source = p_.equations()[k];
    if (source.kind == EquationKind::LinearSolve) {
      linearSolve(source, c);
      written = true;
      continue;
    }
    if (source.kind == EquationKind::Newton || source.kind == EquationKind::Series) {
      refuse(fmt::format("`{}` is found by an iteration", a->name));
      continue;
    }
    Equation e = source;
    e.array = c;
    e.value = ofIn(context(source.loops, source.guard), source.value);
    e.positive = {};
    if (source.kind == EquationKind::Accumulate && e.value->isZero()) continue;
    p_.append(std::move(e));
    written = true;
  }
  if (!written) arrays_[a] = nullptr;
  return arrays_[a];
}

/// M_0 x_n = r_n - M_n x_0 - S_n(M, x)
void OrderEquations::linearSolve(const Equation& source, const Array* result) {
  const std::int64_t n = source.matrix->extents[0];
  const Array* rhs = g_.newArray(source.rhs->name + ".n", source.rhs->extents, source.rhs->shape, Role::Temp);
  std::vector<Loop> own = memberLoops(g_, source.array->extents);
  const Loop j = fullLoop(g_, "j", n);
  const auto accumulate = [&](const std::vector<Loop>& loops, Expr value) {
    if (value->isZero()) return;
    Equation e;
    e.kind = EquationKind::Accumulate;
    e.array = rhs;
    e.loops = loops;
    e.index = indicesOf(own);
    e.value = value;
    p_.append(std::move(e));
  };
  accumulate(own, ofIn(context(own, {}), g_.load(source.rhs, indicesOf(own))));
  // Of several right-hand sides the last index counts the rows (as extents [..., n]).
  std::vector<Loop> pairs = own;
  pairs.push_back(j);
  SeriesContext& c = context(pairs, {});
  const Expr entry = g_.load(source.matrix, {own.back().index, j.index});
  const Expr change = ofIn(c, entry);
  if (!change->isZero()) {
    std::vector<Expr> index = indicesOf(own);
    index.back() = j.index;
    const Expr x = g_.load(source.array, index);
    const Expr xn = g_.load(result, index);
    SeriesContext* const before = std::exchange(now_, &c);
    const Expr s = product(
        *g_.mul(entry, x), [change] { return change; }, [xn] { return xn; });
    now_ = before;
    accumulate(pairs, g_.neg(g_.add(g_.mul(change, x), s)));
  }
  Equation solve = source;
  solve.array = result;
  solve.rhs = rhs;
  p_.append(std::move(solve));
}

// --- sums of products ---------------------------------------------------------------------------------------------

/// Those loops of the present context that a node depends on; all of them where a guard says for which indices it is.
std::vector<Loop> OrderEquations::loopsOf(const Node& n) const {
  if (!n.indexed) return {};
  if (now_->guard) return now_->loops;
  std::unordered_set<const Node*> needed;
  const auto need = [&](Expr e) {
    visitPostOrder({e}, [&](const Node& m) {
      if (m.op == Op::Index) needed.insert(&m);
    });
  };
  need(Expr(&n));
  std::vector<Loop> loops;
  for (auto l = now_->loops.rbegin(); l != now_->loops.rend(); ++l) {
    if (!needed.contains(l->index.node())) continue;
    need(l->lo);
    need(l->hi);
    loops.insert(loops.begin(), *l);
  }
  return loops;
}

bool OrderEquations::readsSums(Expr e) {
  const auto arrays = reads(e);
  return std::any_of(arrays.begin(), arrays.end(), [this](const Array* a) { return readsSums(a); });
}

bool OrderEquations::readsSums(const Array* a) {
  if (a == early_.sums || a == late_.sums) return true;
  const auto known = readsSums_.find(a);
  if (known != readsSums_.end()) return known->second;
  checkStack();
  const std::vector<std::size_t> writers = p_.writers(a);
  if (writers.empty() && a->role == Role::Temp) return true; // its equations are being made
  readsSums_[a] = false;                                     // an array that reads itself does so through others
  const bool result = std::any_of(writers.begin(), writers.end(), [this, a](std::size_t k) {
    const auto read = p_.reads(k);
    return std::any_of(read.begin(), read.end(), [this, a](const Array* r) { return r != a && readsSums(r); });
  });
  return readsSums_[a] = result;
}

Expr OrderEquations::product(const Node& n, Products& among, std::function<Expr()> a, std::function<Expr()> b) {
  Product made{now_, loopsOf(n), among.count, g_.integer(among.count + 1), std::move(a), std::move(b)};
  std::int64_t elements = 1;
  for (std::size_t k = made.loops.size(); k-- > 0;) {
    const std::vector<Loop> outer(made.loops.begin(), made.loops.begin() + static_cast<std::ptrdiff_t>(k) + 1);
    const auto range = bounds(made.loops[k].index, outer);
    if (!range) {
      refuse("a sum has bounds that the state decides");
      return g_.number(0);
    }
    const Expr from = g_.add(made.loops[k].index, g_.integer(-range->lo));
    made.position = g_.add(made.position, g_.mul(g_.integer(elements), from));
    elements *= std::max<std::int64_t>(1, range->hi - range->lo + 1);
    if (elements > mostProducts) break;
  }
  among.count += elements;
  if (products() > mostProducts) {
    refuse(fmt::format("its equations have more than {} products, of which a series keeps all orders", mostProducts));
    return g_.number(0);
  }
  const Expr position = made.position;
  among.list.push_back(std::move(made));
  return g_.load(among.sums, {position});
}

void OrderEquations::finish(SeriesRecursion& series) {
  struct Operands {
    const Product* product;
    Expr a, b;
  };
  std::vector<Operands> early, late;
  // Operands may need further products.
  while ((early.size() < early_.list.size() || late.size() < late_.list.size()) && refusal.empty()) {
    const bool first = early.size() < early_.list.size();
    const Product& p = first ? early_.list[early.size()] : late_.list[late.size()];
    now_ = p.context;
    const Expr a = p.a();
    const Expr b = p.b();
    (first ? early : late).push_back({&p, a, b});
  }
  if (!refusal.empty()) return;
  const auto define = [&](Products& products, const std::vector<Operands>& operands) {
    if (products.count == 0) return;
    const std::int64_t w = paddedRow(products.count);
    products.sums->extents = {w};
    const Array* const rows =
        g_.newArray("operands", {std::max<std::int64_t>(1, orders_ - 1), 2 * w}, Shape::scalar(), Role::Temp);
    const auto write = [&](const Product& p, Expr position, Expr value) {
      Equation e;
      e.array = rows;
      e.loops = p.loops;
      e.guard = p.loops.empty() ? Expr() : p.context->guard;
      e.index = {g_.load(order_), position};
      e.value = value;
      p_.append(std::move(e));
    };
    for (const Operands& o : operands) {
      write(*o.product, o.product->position, o.a);
      write(*o.product, g_.add(o.product->position, g_.integer(w)), o.b);
    }
    series.products.push_back({products.sums, rows});
  };
  define(early_, early);
  define(late_, late);
}

namespace {

/// Where entry e of the element of a variable stands among all numbers, from 1.
Expr placeOf(Graph& g, const SeriesVariable& v, std::int64_t first, const std::vector<Expr>& index, int entry) {
  Expr element = g.integer(0);
  for (std::size_t k = 0; k < index.size(); ++k)
    element = g.add(g.mul(g.integer(v.array->extents[k]), element), g.add(index[k], g.integer(-1)));
  return g.add(g.mul(g.integer(v.array->shape.size()), element), g.integer(first + entry + 1));
}

} // namespace

TaylorSeries taylorSeries(Program& p, const std::vector<SeriesVariable>& variables, const Array* time,
                          std::int64_t orders) {
  Graph& g = p.graph();
  std::int64_t d = 0;
  std::vector<std::int64_t> first;
  for (const SeriesVariable& v : variables) {
    first.push_back(d);
    d += v.array->size();
  }
  auto series = std::make_shared<SeriesRecursion>();
  const Array* const point = g.newArray("x.n", {d}, Shape::scalar(), Role::Unknown);
  const Array* const start = g.newArray("x.1", {d}, Shape::scalar(), Role::Temp);
  const Array* const next = g.newArray("x.next", {d}, Shape::scalar(), Role::Temp);
  OrderEquations equations(p, orders);
  for (std::size_t k = 0; k < variables.size(); ++k) {
    const SeriesVariable& v = variables[k];
    equations.seed(v.array, [&g, v, point, from = first[k]](const std::vector<Expr>& index) {
      std::vector<Expr> entries;
      entries.reserve(v.array->shape.size());
      for (int e = 0; e < v.array->shape.size(); ++e) entries.push_back(g.load(point, {placeOf(g, v, from, index, e)}));
      return tensorOf(g, v.array->shape, std::move(entries));
    });
  }
  if (time != nullptr) {
    equations.seed(time, [&](const std::vector<Expr>&) {
      return g.select(g.compare(Op::Eq, g.load(equations.orderArray()), g.integer(1)), g.number(1), g.number(0));
    });
  }
  const Expr divisor = equations.inverse(g.integer(1));
  for (std::size_t k = 0; k < variables.size(); ++k) {
    const SeriesVariable& v = variables[k];
    std::vector<Loop> loops;
    for (std::size_t i = 0; i < v.index.size(); ++i)
      loops.push_back({v.index[i], g.integer(1), g.integer(v.array->extents[i]), false});
    const Expr rate = equations.ofIn(equations.context(loops, {}), v.rate);
    const auto define = [&](const Array* array, Expr value, int entry) {
      Equation e;
      e.array = array;
      e.loops = loops;
      e.index = {placeOf(g, v, first[k], v.index, entry)};
      e.value = value;
      p.append(std::move(e));
    };
    for (int e = 0; e < v.array->shape.size(); ++e) {
      define(start, entryOf(g, v.rate, e), e);
      define(next, g.mul(divisor, entryOf(g, rate, e)), e);
    }
  }
  equations.finish(*series);
  TaylorSeries result;
  result.refusal = equations.refusal;
  if (!result.refusal.empty()) return result;
  result.products = equations.products();
  result.coefficients = g.newArray("taylor", {orders, paddedRow(d)}, Shape::scalar(), Role::Temp);
  series->orders = orders;
  series->order = equations.orderArray();
  series->point = point;
  series->start = start;
  series->next = next;
  Equation e;
  e.kind = EquationKind::Series;
  e.array = result.coefficients;
  e.series = std::move(series);
  p.append(std::move(e));
  return result;
}

namespace {

/// Calls `visit` with the equations of the rates that depend on the variables, and with a predicate that tells whether
/// an expression does, until it returns true. Returns whether it has.
template <class Visit>
bool anyActive(const Program& p, const std::vector<const Array*>& variables, const std::vector<const Array*>& rates,
               const Visit& visit) {
  std::unordered_set<const Array*> active(variables.begin(), variables.end());
  const auto depends = [&](Expr e) { return contains(e, [&](const Node& n) { return active.contains(n.array); }); };
  for (const std::size_t k : p.slice(rates)) {
    const auto& read = p.reads(k);
    if (std::none_of(read.begin(), read.end(), [&](const Array* a) { return active.contains(a); })) continue;
    active.insert(p.equation(k).array);
    if (visit(p.equation(k), depends)) return true;
  }
  return false;
}

/// Of an operation that is one formula or another by the values of its first arguments, how many these are.
std::size_t deciding(const Node& n) {
  switch (n.op) {
  case Op::Select:
  case Op::Abs:
  case Op::Floor:
  case Op::FloorToInt:
    return 1;
  case Op::Min:
  case Op::Max:
    return n.args.size();
  default:
    return 0;
  }
}

} // namespace

std::string lacksSeries(const Program& p, const std::vector<const Array*>& variables,
                        const std::vector<const Array*>& rates) {
  std::string reason;
  anyActive(p, variables, rates, [&](const Equation& e, const auto& depends) {
    if (e.kind == EquationKind::Newton)
      reason = fmt::format("`{}` is found by an iteration", e.array->name);
    else if (e.semidefinite)
      reason = "its masses may be singular";
    else if (e.guard && depends(e.guard))
      reason = "it has a sum whose members the state chooses";
    else if (e.value)
      visitPostOrder({e.value}, [&](const Node& n) {
        if (!reason.empty() || n.type != Type::Real) return;
        const bool semi = n.op == Op::Solve && static_cast<Definite>(n.imm) == Definite::Semi;
        const bool large = n.op == Op::Det && n.args[0]->shape.rows > mostRows;
        if (n.op != Op::Exponential && !semi && !large) return;
        if (!depends(Expr(&n))) return;
        reason = semi    ? "its masses may be singular"
                 : large ? fmt::format("it has the determinant of {} rows", n.args[0]->shape.rows)
                         : "it has the exponential of a matrix";
      });
    return !reason.empty();
  });
  return reason;
}

bool hasBranches(const Program& p, const std::vector<const Array*>& variables, const std::vector<const Array*>& rates) {
  return anyActive(p, variables, rates, [](const Equation& e, const auto& depends) {
    std::vector<Expr> open;
    if (e.value) open.push_back(e.value);
    std::unordered_set<const Node*> seen;
    while (!open.empty()) {
      const Expr at = open.back();
      open.pop_back();
      if (!seen.insert(at.node()).second) continue;
      const Node& n = *at;
      const auto decides = n.args.begin() + static_cast<std::ptrdiff_t>(deciding(n));
      if (std::any_of(n.args.begin(), decides, depends)) return true;
      // Where masses have branches, forces have their derivatives. What else is in their matrix, sizes beside which a
      // part without mass is regular, leaves the solution alone.
      const bool ofMasses = n.op == Op::Solve && static_cast<Definite>(n.imm) == Definite::Yes;
      open.insert(open.end(), n.args.begin() + (ofMasses ? 1 : 0), n.args.end());
    }
    return false;
  });
}

} // namespace lmc::sym
