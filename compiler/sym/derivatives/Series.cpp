#include "sym/derivatives/Series.h"

#include "base/Budget.h"
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
  return numbers <= widest / 2 ? numbers : (numbers + widest - 1) / widest * widest;
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

Expr OrderEquations::product(const Node& n, std::function<Expr()> a, std::function<Expr()> b) {
  Product made{now_, loopsOf(n), count_, g_.integer(count_ + 1), std::move(a), std::move(b)};
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
  count_ += elements;
  if (count_ > mostProducts) {
    refuse(fmt::format("its equations have more than {} products, of which a series keeps all orders", mostProducts));
    return g_.number(0);
  }
  const Expr position = made.position;
  list_.push_back(std::move(made));
  return g_.load(sums_, {position});
}

void OrderEquations::finish(SeriesRecursion& series) {
  Array* const row = g_.newArray("operands", {0}, Shape::scalar(), Role::Temp);
  struct Operand {
    const Product* product;
    Expr value;
    bool second;
  };
  std::vector<Operand> operands;
  for (std::size_t k = 0; k < list_.size() && refusal.empty(); ++k) { // operands may need further products
    now_ = list_[k].context;
    const Expr a = list_[k].a();
    const Expr b = list_[k].b();
    operands.push_back({&list_[k], a, false});
    operands.push_back({&list_[k], b, true});
  }
  if (!refusal.empty() || count_ == 0) return;
  const std::int64_t w = paddedRow(count_);
  row->extents = {2 * w};
  sums_->extents = {w};
  Array* const history = g_.newArray("history", {orders_, 2 * w}, Shape::scalar(), Role::Unknown);
  for (const Operand& o : operands) {
    Equation e;
    e.array = row;
    e.loops = o.product->loops;
    e.guard = o.product->loops.empty() ? Expr() : o.product->context->guard;
    e.index = {o.second ? g_.add(o.product->position, g_.integer(w)) : o.product->position};
    e.value = o.value;
    p_.append(std::move(e));
  }
  // The orders k = 1 … n - 1 four at a time, which spares reading and writing the sums, and then the rest.
  const Expr last = g_.add(g_.load(order_), g_.integer(-1));
  const auto term = [&](Expr k, Expr i) {
    return g_.mul(g_.load(history, {k, i}), g_.load(history, {g_.sub(g_.load(order_), k), g_.add(i, g_.integer(w))}));
  };
  const auto accumulate = [&](const Loop& outer, const Loop& i, Expr value) {
    Equation sum;
    sum.kind = EquationKind::Accumulate;
    sum.array = sums_;
    sum.loops = {outer, i};
    sum.index = {i.index};
    sum.value = value;
    p_.append(std::move(sum));
  };
  constexpr std::int64_t together = 4;
  const Loop m{g_.newIndex("m"), g_.integer(1), g_.idiv(last, g_.integer(together)), false};
  const Loop i = fullLoop(g_, "i", w), j = fullLoop(g_, "i", w);
  std::vector<Expr> terms;
  for (std::int64_t s = 0; s < together; ++s)
    terms.push_back(term(g_.add(g_.mul(g_.integer(together), m.index), g_.integer(-s)), i.index));
  accumulate(m, i, g_.sum(terms, Shape::scalar()));
  const Loop rest{g_.newIndex("k"), g_.integer(1), g_.imod(last, g_.integer(together)), false};
  const Expr k = g_.add(g_.sub(last, rest.index), g_.integer(1));
  accumulate(rest, j, term(k, j.index));
  series.history = history;
  series.row = row;
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
    const SeriesVariable v = variables[k];
    equations.seed(v.array, [&g, v, point, from = first[k]](const std::vector<Expr>& index) {
      std::vector<Expr> entries;
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

std::string lacksSeries(const Program& p, const std::vector<const Array*>& variables,
                        const std::vector<const Array*>& rates) {
  std::unordered_set<const Array*> active(variables.begin(), variables.end());
  const auto depends = [&](Expr e) { return contains(e, [&](const Node& n) { return active.contains(n.array); }); };
  std::string reason;
  for (const std::size_t k : p.slice(rates)) {
    const Equation& e = p.equation(k);
    const auto& read = p.reads(k);
    if (std::none_of(read.begin(), read.end(), [&](const Array* a) { return active.contains(a); })) continue;
    active.insert(e.array);
    if (e.kind == EquationKind::Newton) return fmt::format("`{}` is found by an iteration", e.array->name);
    if (e.semidefinite) return "its masses may be singular";
    if (e.guard && depends(e.guard)) return "it has a sum whose members the state chooses";
    if (!e.value) continue;
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
    if (!reason.empty()) return reason;
  }
  return {};
}

} // namespace lmc::sym
