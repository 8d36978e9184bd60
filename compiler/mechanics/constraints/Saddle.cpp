#include "mechanics/constraints/Saddle.h"

namespace lmc::mechanics {

using sym::Expr;

namespace {
Expr shifted(sym::Graph& g, Expr e, std::int64_t by) {
  return g.add(e, g.integer(by));
}
} // namespace

void addProduct(sym::Program& p, const std::vector<ConstraintBlocks::Family>& blocks, const sym::Array* values,
                const sym::Array* x, const sym::Array* to, std::int64_t first, int sign, bool transposed) {
  sym::Graph& g = p.graph();
  for (const ConstraintBlocks::Family& f : blocks) {
    const int outer = transposed ? f.columns : f.rows, inner = transposed ? f.rows : f.columns;
    for (int a = 0; a < outer; ++a) {
      Expr total = g.number(0);
      for (int b = 0; b < inner; ++b) {
        const Expr at = shifted(g, f.position, transposed ? b * f.columns + a : a * f.columns + b);
        total = g.add(total, g.mul(g.load(values, {at}), g.load(x, {shifted(g, transposed ? f.row : f.column, b)})));
      }
      sym::Equation e;
      e.kind = sym::EquationKind::Accumulate;
      e.array = to;
      e.loops = f.loops;
      e.index = {shifted(g, transposed ? f.column : f.row, first + a)};
      e.value = sign < 0 ? g.neg(total) : total;
      p.append(std::move(e));
    }
  }
}

namespace {
/// The sum of sizes of numbers.
class Sizes {
public:
  explicit Sizes(sym::Program& p)
      : p_(p), g_(p.graph()), sum_(g_.newArray("sizes", {}, sym::Shape::scalar(), sym::Role::Temp)) {}
  void add(const std::vector<sym::Loop>& loops, Expr value) {
    sym::Equation e;
    e.kind = sym::EquationKind::Accumulate;
    e.array = sum_;
    e.loops = loops;
    e.value = g_.function(sym::Op::Abs, value);
    p_.append(std::move(e));
  }
  void addAll(const sym::Array* numbers) {
    const sym::Loop k = sym::fullLoop(g_, "k", numbers->extents[0]);
    add({k}, g_.load(numbers, {k.index}));
  }
  /// A thousandth of it, over a number.
  Expr over(Expr by) {
    const sym::Array* size = g_.newArray("size", {}, sym::Shape::scalar(), sym::Role::Temp);
    sym::Equation e;
    e.array = size;
    e.value = g_.div(g_.load(sum_), g_.mul(g_.number(1000), by));
    p_.append(std::move(e));
    return g_.load(size);
  }
  Expr all() { return g_.load(sum_); }

private:
  sym::Program& p_;
  sym::Graph& g_;
  const sym::Array* sum_;
};
} // namespace

Expr sizeOfRates(sym::Program& p, const sym::Array* rates) {
  Sizes sizes(p);
  sizes.addAll(rates);
  return sizes.over(p.graph().number(rates->extents[0]));
}

Expr sizeOfRates(sym::Program& p, const ConstraintEquations& c, const sym::Array* r) {
  sym::Graph& g = p.graph();
  Sizes forces(p), masses(p);
  forces.addAll(r);
  for (const ConstraintBlocks::Family& f : c.blocks->mass)
    for (int a = 0; f.row == f.column && a < f.rows; ++a)
      masses.add(f.loops, g.load(c.blocks->matrix->values, {shifted(g, f.position, a * f.columns + a)}));
  return forces.over(masses.all());
}

namespace {
/// Other numbers for the same blocks, each `value` of its family, place in the block and number.
const sym::Array* changedBlocks(sym::Program& p, const ConstraintBlocks& blocks, const sym::Array* values,
                                const std::function<Expr(const std::vector<ConstraintBlocks::Family>&,
                                                         const ConstraintBlocks::Family&, bool, Expr)>& value) {
  sym::Graph& g = p.graph();
  const sym::Array* own = g.newArray("blocks", values->extents, sym::Shape::scalar(), sym::Role::Temp);
  for (const auto* list : {&blocks.mass, &blocks.jacobian, &blocks.transposed, &blocks.diagonal})
    for (const ConstraintBlocks::Family& f : *list)
      for (int a = 0; a < f.rows; ++a)
        for (int b = 0; b < f.columns; ++b) {
          const Expr at = shifted(g, f.position, a * f.columns + b);
          sym::Equation e;
          e.array = own;
          e.loops = f.loops;
          e.index = {at};
          e.value = value(*list, f, a == b, g.load(values, {at}));
          p.append(std::move(e));
        }
  return own;
}
} // namespace

const sym::Array* positionBlocks(sym::Program& p, const ConstraintEquations& c, const sym::Array* values) {
  if (c.positions == c.rows) return values;
  sym::Graph& g = p.graph();
  return changedBlocks(p, *c.blocks, values, [&](const auto& list, const auto& f, bool diagonal, Expr before) {
    if (!f.velocities) return before;
    return g.number(&list == &c.blocks->diagonal && diagonal ? 1 : 0);
  });
}

const sym::Array* scaledBlocks(sym::Program& p, const ConstraintBlocks& blocks, const sym::Array* values, Expr m,
                               Expr t, Expr b) {
  sym::Graph& g = p.graph();
  return changedBlocks(p, blocks, values, [&](const auto& list, const auto&, bool, Expr before) {
    if (&list == &blocks.mass) return g.mul(m, before);
    if (&list == &blocks.transposed) return g.neg(g.mul(t, before)); // they are those of -B^T
    return &list == &blocks.jacobian ? g.mul(b, before) : before;
  });
}

Saddle::Saddle(sym::Program& program, const ConstraintEquations& equations, const sym::Array* values, Expr offset)
    : Rows(program), c_(equations), values_(values), offset_(offset) {
  change_ = g_.newArray("?u", {c_.columns}, sym::Shape::scalar(), sym::Role::Unknown);
  multipliers_ = g_.newArray("?mu", {c_.rows}, sym::Shape::scalar(), sym::Role::Unknown);
  residual_ = vector("residual", c_.columns + c_.rows);
  u_ = change_;
  if (offset_) {
    u_ = vector("u", c_.columns);
    const sym::Loop k = sym::fullLoop(g_, "k", c_.columns);
    set(u_, {k}, {k.index}, g_.sub(g_.load(change_, {k.index}), offset_));
  }
  addProduct(p_, c_.blocks->mass, values_, u_, residual_, 0, 1, false);
  addProduct(p_, c_.blocks->jacobian, values_, multipliers_, residual_, 0, -1, true);
  addProduct(p_, c_.blocks->diagonal, values_, multipliers_, residual_, c_.columns, 1, false);
}

void Saddle::addRows() {
  addProduct(p_, c_.blocks->jacobian, values_, u_, residual_, c_.columns, 1, false);
}

void Saddle::subtractMass(const sym::Array* a) {
  addProduct(p_, c_.blocks->mass, values_, a, residual_, 0, -1, false);
}

void Saddle::subtract(const sym::Array* r) {
  const sym::Loop k = sym::fullLoop(g_, "k", c_.columns);
  set(residual_, {k}, {k.index}, g_.neg(g_.load(r, {k.index})), sym::EquationKind::Accumulate);
}

void Saddle::addToRow(const std::vector<sym::Loop>& loops, Expr row, Expr value) {
  set(residual_, loops, {g_.add(g_.integer(c_.columns), row)}, value, sym::EquationKind::Accumulate);
}

Saddle::Solution Saddle::finish(const std::string& name, bool linear) {
  const std::int64_t n = c_.columns + c_.rows;
  auto newton = std::make_shared<sym::NewtonIteration>();
  newton->iterate = {change_, multipliers_};
  newton->start = vector("start", n);
  const sym::Loop k = sym::fullLoop(g_, "k", c_.columns), r = sym::fullLoop(g_, "r", c_.rows);
  const Expr row = g_.add(g_.integer(c_.columns), r.index);
  set(newton->start, {k}, {k.index}, offset_ ? offset_ : g_.number(0));
  set(newton->start, {r}, {row}, g_.number(0));
  newton->residual = residual_;
  auto sparse = std::make_shared<sym::SparseJacobian>(*c_.blocks->matrix);
  sparse->values = values_;
  newton->sparse = std::move(sparse);
  newton->linear = linear;
  newton->counted = 1;
  newton->limit = 30;
  sym::Equation e;
  e.kind = sym::EquationKind::Newton;
  e.array = vector(name, n);
  e.newton = std::move(newton);
  const sym::Array* all = e.array;
  p_.append(std::move(e));
  Solution s;
  s.change = vector(name + ".u", c_.columns);
  s.multipliers = vector(name + ".mu", c_.rows);
  const Expr found = g_.load(all, {k.index});
  set(s.change, {k}, {k.index}, linear && offset_ ? g_.sub(found, offset_) : found);
  set(s.multipliers, {r}, {r.index}, g_.load(all, {row}));
  return s;
}

} // namespace lmc::mechanics
