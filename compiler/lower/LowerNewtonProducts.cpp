// Newton's iteration by products of its Jacobian with directions: all columns of the matrix, or GMRES.
#include "lower/LowerNewton.h"
#include "tape/TapeLanes.h"

namespace lmc::lower {

using tape::Type;
using tape::Value;

namespace {
/// Rows of the basis of GMRES: products with the Jacobian in a turn, and one.
constexpr std::int64_t basisRows = 81;
/// Systems with multipliers of at most this many numbers, of which no matrix is known that is near their Jacobian, are
/// solved by elimination: its condition is that of a saddle point, for which GMRES takes about as many products as
/// there are numbers, and near singular configurations more than its basis has room for.
constexpr std::int64_t mostColumns = 128;
} // namespace

std::vector<int> NewtonLowering::directionInMemory() {
  std::vector<int> direction;
  for (const sym::Array* a : newton_.direction) {
    Place p;
    p.buffer = x_.scratch(a->name, a->size());
    p.depth = b_.depth();
    direction.push_back(p.buffer);
    x_.places[a] = std::move(p);
  }
  return direction;
}

void NewtonLowering::beginProducts(const Place& residual, int plan, int factors) {
  if (byAllColumns()) {
    beginJacobian(residual);
    return beginAllColumns();
  }
  const std::int64_t n = newton_.residual->size();
  plan_ = plan;
  factors_ = factors;
  change_ = inMemory(residual, newton_.residual);
  report(residual);
  basis_ = x_.scratch("basis", basisRows * n);
  work_ = x_.scratch("gmres", 2 * basisRows * basisRows);
  b_.kernel(tape::KernelId::GmresBegin, {change_, basis_, work_}, {b_.integer(n), b_.integer(basisRows)});
  const Value row = b_.beginLoop(b_.integer(0), b_.integer(basisRows - 2), false);
  b_.breakIf(b_.pure(tape::Op::Lt, Type::Bool, {b_.real(0.5), b_.load(work_, b_.integer(0), true)}));
  const std::vector<int> direction = directionInMemory();
  const Value first = b_.pure(tape::Op::IMul, Type::Int, {row, b_.integer(n)});
  if (plan_ < 0) {
    forEach(direction, [&](int buffer, Value k, Value position) {
      b_.store(buffer, k, b_.load(basis_, b_.pure(tape::Op::IAdd, Type::Int, {first, position}), true));
    });
    return;
  }
  const int near = x_.scratch("near", n);
  const Value k = b_.beginLoop(b_.integer(0), b_.integer(n - 1), false);
  b_.store(near, k, b_.load(basis_, b_.pure(tape::Op::IAdd, Type::Int, {first, k}), true));
  b_.endLoop();
  solveSparse(plan_, factors_, near);
  forEach(direction,
          [&](int buffer, Value at, Value position) { b_.store(buffer, at, b_.load(near, position, true)); });
}

bool NewtonLowering::byAllColumns() const {
  return newton_.product != nullptr && !newton_.sparse && newton_.constrained &&
         newton_.residual->size() <= mostColumns;
}

/// The Jacobian column by column, by products with unit vectors.
void NewtonLowering::beginAllColumns() {
  const std::int64_t n = newton_.residual->size();
  matrix_ = x_.scratch("jacobian", n * n);
  column_ = b_.beginLoop(b_.integer(0), b_.integer(n - 1), false);
  const std::vector<int> direction = directionInMemory();
  forEach(direction, [&](int buffer, Value k, Value position) {
    const Value here = b_.pure(tape::Op::IEq, Type::Bool, {column_, position});
    b_.store(buffer, k, b_.select(here, b_.real(1), b_.real(0)));
  });
}

void NewtonLowering::endAllColumns(const Place& product) {
  const std::int64_t n = newton_.residual->size();
  const int values = inMemory(product, newton_.product);
  repeat(n, [&](Value row) {
    const Value first = b_.pure(tape::Op::IMul, Type::Int, {row, b_.integer(n)});
    b_.store(matrix_, b_.pure(tape::Op::IAdd, Type::Int, {first, column_}), b_.load(values, row, true));
  });
  b_.endLoop();
  if (n <= tape::largestInLanes) return endJacobian();
  const int pivots = x_.scratch("pivots", n);
  b_.kernel(tape::KernelId::NewtonFactor, {matrix_, pivots}, {b_.integer(n)});
  b_.endIf();
  if (residual_->storage == ArrayStorage::Memory && residual_->depth != b_.depth()) copyResidual(*residual_);
  b_.kernel(tape::KernelId::LuSolve, {matrix_, pivots, change_}, {b_.integer(n), b_.integer(1)});
}

void NewtonLowering::endProducts(const Place& product) {
  const std::int64_t n = newton_.residual->size();
  if (byAllColumns()) return endAllColumns(product);
  b_.kernel(tape::KernelId::GmresStep, {inMemory(product, newton_.product), basis_, work_},
            {b_.integer(n), b_.integer(basisRows)});
  b_.endLoop();
  b_.kernel(tape::KernelId::GmresEnd, {change_, basis_, work_}, {b_.integer(n), b_.integer(basisRows)});
  if (plan_ >= 0) solveSparse(plan_, factors_, change_);
}

} // namespace lmc::lower
