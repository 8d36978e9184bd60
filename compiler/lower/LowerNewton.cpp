#include "lower/LowerNewton.h"

#include <algorithm>

namespace lmc::lower {

using tape::Type;
using tape::Value;

namespace {
/// Systems of at most this many numbers are solved by the inverse, from cofactors.
constexpr std::int64_t byInverse = 3;
/// Determinants up to this size are inverted.
constexpr double largestDeterminant = 1e300;
/// Expected contraction up to which a Jacobian is kept.
constexpr double keepBelow = 1e-2;
/// Size of the first change, relative to the iterate, up to which factors along a family are kept: they cost as much as
/// several turns, and the second change shows how good they are.
constexpr double keepFirst = 0.03;
/// Relative size of a change that is not seen any more.
constexpr double unseen = 1e-16;
/// Changes below this relative size that do not become smaller are round-off.
constexpr double nearRoundOff = 1e-10;
/// The same of iterations that find multipliers: near configurations where constraints depend on each other these are
/// known to no more.
constexpr double roundOffOfMultipliers = 1e-8;
/// What changes of multipliers may be, where those of all other unknowns are round-off: their forces are then known to
/// round-off as well, since the equations are solved to it.
constexpr double vagueMultipliers = 1e-4;
/// The same along a family, for changes that stay twice although the Jacobian is new: the condition of a chain grows
/// like the square of its members, that of multipliers of positions like 1/h^2.
constexpr double roundOffOfChains = 1e-7;

/// Ratio of rates with the same factors, and relative size of a change, from which on the change is rounding.
constexpr double slowerByRounding = 8, roundOffOfSame = 1e-9;

/// What an iteration remembers from turn to turn, by position in a buffer.
enum State : std::int64_t {
  LastChange,
  Converged, ///< 1 or 0
  LastRate,  ///< of the last change to the one before
  Renew,     ///< 1 or 0: the next turn needs a new Jacobian
  stateSize
};
} // namespace

Value NewtonLowering::shifted(Value k, std::int64_t by) {
  return b_.pure(tape::Op::IAdd, Type::Int, {k, b_.integer(by)});
}

Value NewtonLowering::absolute(Value x) {
  return b_.pure(tape::Op::Abs, Type::Real, {x});
}

NewtonLowering::Sum NewtonLowering::sum() {
  Sum s;
  if (newton_.residual->size() <= writtenOut) {
    s.value = b_.real(0);
  } else {
    s.buffer = x_.scratch("newton.sum", 1);
    b_.fill(s.buffer);
  }
  return s;
}

void NewtonLowering::add(Sum& s, Value x) {
  if (s.buffer >= 0) {
    b_.accumulate(s.buffer, b_.integer(0), x);
  } else {
    s.value = b_.add(s.value, x);
  }
}

Value NewtonLowering::total(const Sum& s) {
  return s.buffer >= 0 ? b_.load(s.buffer, b_.integer(0), true) : s.value;
}

Value NewtonLowering::element(const Place& p, Value k) {
  if (p.storage == ArrayStorage::Memory) return b_.load(p.buffer, k, true);
  return s_.local(p.registers.at(static_cast<std::size_t>(b_.constantInt(k).value())));
}

int NewtonLowering::inMemory(const Place& p, const sym::Array* a) {
  if (p.storage == ArrayStorage::Memory) return p.buffer;
  const int buffer = x_.scratch(a->name, a->size());
  for (std::int64_t k = 0; k < a->size(); ++k) b_.store(buffer, b_.integer(k), element(p, b_.integer(k)));
  return buffer;
}

void NewtonLowering::begin() {
  state_ = x_.scratch("newton", stateSize);
  const int start = inMemory(places_.start, newton_.start);
  for (const sym::Array* a : newton_.iterate) {
    Place p;
    p.buffer = x_.scratch(a->name, a->size());
    p.depth = b_.depth() + 1;
    iterate_.push_back(p.buffer);
    x_.places[a] = std::move(p);
  }
  forEach(iterate_, [&](int buffer, Value k, Value position) { b_.store(buffer, k, b_.load(start, position, true)); });
  b_.fill(state_);
  if (keepsJacobian()) {
    const std::int64_t n = newton_.residual->size();
    b_.store(state_, b_.integer(Renew), b_.real(1));
    if (n <= byInverse && !newton_.sparse && newton_.change == nullptr) {
      matrix_ = x_.scratch("inverse", n * n);
      b_.fill(matrix_);
    }
  }
  turn_ = b_.beginLoop(b_.integer(1), b_.integer(newton_.limit), false);
}

/// Reports the size of the residual.
void NewtonLowering::report(const Place& residual) {
  if (places_.report < 0) return;
  Sum size = sum();
  repeat(newton_.residual->size(), [&](Value k) {
    add(size, absolute(change_ >= 0 && newton_.residual->size() > writtenOut ? b_.load(change_, k, true)
                                                                             : element(residual, k)));
  });
  b_.store(places_.report, b_.integer(0), total(size));
  b_.accumulate(places_.report, b_.integer(1), b_.real(static_cast<double>(newton_.evaluations)));
  b_.accumulate(places_.report, b_.integer(2), b_.real(1));
}

void NewtonLowering::beginJacobian(const Place& residual) {
  residual_ = &residual;
  if (newton_.residual->size() > byInverse) change_ = inMemory(residual, newton_.residual);
  report(residual);
  fresh_ = b_.pure(tape::Op::Lt, Type::Bool, {b_.real(0.5), b_.load(state_, b_.integer(Renew), true)});
  b_.beginIf(fresh_);
}

void NewtonLowering::endJacobian(const Place& jacobian) {
  if (newton_.residual->size() <= byInverse) {
    invert(jacobian);
    b_.endIf();
    moveByInverse(*residual_);
  } else {
    matrix_ = inMemory(jacobian, newton_.jacobian);
    b_.endIf();
    moveByElimination(*residual_);
  }
}

void NewtonLowering::beginColumns(const sym::JacobianColumns& columns) {
  const std::int64_t n = newton_.residual->size();
  if (matrix_ < 0) matrix_ = x_.scratch("jacobian", n * n);
  column_ = b_.beginLoop(b_.integer(0), b_.integer(columns.direction->size() - 1), false);
  Place p;
  p.buffer = x_.scratch(columns.direction->name, columns.direction->size());
  p.depth = b_.depth();
  for (std::int64_t k = 0; k < columns.direction->size(); ++k) {
    const Value here = b_.pure(tape::Op::IEq, Type::Bool, {column_, b_.integer(k)});
    b_.store(p.buffer, b_.integer(k), b_.select(here, b_.real(1), b_.real(0)));
  }
  x_.places[columns.direction] = std::move(p);
}

void NewtonLowering::endColumns(const sym::JacobianColumns& columns, const Place& product) {
  const std::int64_t n = newton_.residual->size();
  for (std::int64_t row = 0; row < n; ++row)
    b_.store(matrix_, shifted(column_, row * n + columns.first), element(product, b_.integer(row)));
  b_.endLoop();
}

void NewtonLowering::endJacobian() {
  b_.endIf();
  moveByElimination(*residual_);
}

/// The inverse by cofactors; of a singular matrix it is not finite.
void NewtonLowering::invert(const Place& jacobian) {
  const std::int64_t n = newton_.residual->size();
  const auto at = [&](std::int64_t i, std::int64_t j) { return element(jacobian, b_.integer(i % n * n + j % n)); };
  const auto cofactor = [&](std::int64_t i, std::int64_t j) { // with its sign, by cyclic neighbours
    if (n == 1) return b_.real(1);
    if (n == 2) return (i + j) % 2 == 0 ? at(i + 1, j + 1) : b_.neg(at(i + 1, j + 1));
    return b_.sub(b_.mul(at(i + 1, j + 1), at(i + 2, j + 2)), b_.mul(at(i + 1, j + 2), at(i + 2, j + 1)));
  };
  Value determinant = b_.real(0);
  for (std::int64_t j = 0; j < n; ++j) determinant = b_.add(determinant, b_.mul(at(0, j), cofactor(0, j)));
  // Beyond, the inverse would be zeros, with which any iterate has converged.
  const Value size = absolute(determinant);
  b_.failIf(b_.pure(tape::Op::Lt, Type::Bool, {b_.real(largestDeterminant), size}), runtime::NoConvergence);
  const Value scale = b_.div(b_.real(1), determinant);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) b_.store(matrix_, b_.integer(i * n + j), b_.mul(scale, cofactor(j, i)));
}

void NewtonLowering::moveByInverse(const Place& residual) {
  const std::int64_t n = newton_.residual->size();
  for (std::int64_t i = 0; i < n; ++i) {
    Value x = b_.real(0);
    for (std::int64_t j = 0; j < n; ++j) {
      const Value m = b_.load(matrix_, b_.integer(i * n + j), true);
      x = b_.add(x, b_.mul(m, element(residual, b_.integer(j))));
    }
    values_.push_back(x);
  }
}

/// In a copy: the matrix may be wanted again.
void NewtonLowering::moveByElimination(const Place& residual) {
  const std::int64_t n = newton_.residual->size();
  if (residual.storage == ArrayStorage::Memory && residual.depth != b_.depth()) copyResidual(residual);
  const int eliminated = x_.scratch("eliminated", n * n);
  const Value k = b_.beginLoop(b_.integer(0), b_.integer(n * n - 1), false);
  b_.store(eliminated, k, b_.load(matrix_, k, true));
  b_.endLoop();
  const int pivots = x_.scratch("pivots", n);
  b_.kernel(tape::KernelId::NewtonChange, {eliminated, pivots, change_}, {b_.integer(n)});
}

/// The k-th number of J^-1 residual.
Value NewtonLowering::change(Value k) {
  if (values_.empty()) return b_.load(change_, k, true);
  return values_.at(static_cast<std::size_t>(b_.constantInt(k).value()));
}

/// For the change: the residual may not be written in every turn.
void NewtonLowering::copyResidual(const Place& residual) {
  const int values = inMemory(residual, newton_.residual);
  change_ = x_.scratch("change", newton_.residual->size());
  repeat(newton_.residual->size(), [&](Value k) { b_.store(change_, k, b_.load(values, k, true)); });
}

void NewtonLowering::beginSparse(const Place& residual, bool inLoop) {
  copyResidual(residual);
  if (!newton_.linear) report(residual);
  fresh_ = inLoop ? b_.pure(tape::Op::Lt, Type::Bool, {b_.real(0.5), b_.load(state_, b_.integer(Renew), true)})
                  : b_.pure(tape::Op::ILe, Type::Bool, {b_.integer(1), turn_});
  if (inLoop) b_.beginIf(fresh_);
}

void NewtonLowering::endSparse(int plan, int factors, bool inLoop) {
  if (inLoop) b_.endIf();
  solveSparse(plan, factors, change_);
}

void NewtonLowering::solveSparse(int plan, int factors, int x) {
  const sym::SparseJacobian& s = *newton_.sparse;
  const std::int64_t rows = newton_.residual->size() / s.unknowns;
  b_.kernel(tape::KernelId::SparseSolve, {plan, factors, x},
            {b_.integer(s.nodeCount), b_.integer(rows), b_.integer(s.transposed ? 1 : 0)});
}

void NewtonLowering::beginFactors(const Place& residual) {
  change_ = inMemory(residual, newton_.residual);
  report(residual);
  fresh_ = b_.pure(tape::Op::Lt, Type::Bool, {b_.real(0.5), b_.load(state_, b_.integer(Renew), true)});
  b_.beginIf(fresh_);
}

void NewtonLowering::endFactors(const sym::Program& program, const std::vector<std::size_t>& equations) {
  for (const std::size_t k : equations) { // factors that do not depend on the iterate stand before the loop
    const sym::Array* a = program.equation(k).array;
    if (std::find(newton_.factors.begin(), newton_.factors.end(), a) == newton_.factors.end()) continue;
    Place& p = x_.places.at(a);
    if (p.depth < b_.depth()) continue; // it has several equations
    p.buffer = inMemory(p, a);
    p.storage = ArrayStorage::Memory;
    p.registers.clear();
    p.depth = b_.depth() - 1;
  }
  b_.endIf();
}

void NewtonLowering::move(const Place& change) {
  change_ = inMemory(change, newton_.change);
}

/// Broyden's method ("good"), from the Jacobian 1, by its changes d alone (C. T. Kelley, "Iterative Methods for Linear
/// and Nonlinear Equations", section 7.3): z = residual; z += (d_j.z / d_j.d_j) d_{j+1} for all j but the last one, and
/// with that d = z / (1 - d_j.z / d_j.d_j).
void NewtonLowering::moveBySecants(const Place& residual) {
  constexpr double largest = 0.9; // of d.z / d.d: a change is at most ten times what the residual asks for
  const std::int64_t n = newton_.residual->size();
  report(residual);
  copyResidual(residual);
  const int changes = x_.scratch("secants", newton_.limit * n), squares = x_.scratch("squares", newton_.limit);
  const auto z = [&](Value k) { return b_.load(change_, k, true); };
  const auto at = [&](Value turn, Value k) { // turns are counted from 1
    const Value first = b_.pure(tape::Op::IMul, Type::Int, {shifted(turn, -1), b_.integer(n)});
    return b_.pure(tape::Op::IAdd, Type::Int, {first, k});
  };
  const auto share = [&](Value turn) { // d.z / d.d
    Sum product = sum();
    repeat(n, [&](Value k) { add(product, b_.mul(b_.load(changes, at(turn, k), true), z(k))); });
    return b_.div(total(product), b_.load(squares, shifted(turn, -1), true));
  };
  const Value earlier = b_.beginLoop(b_.integer(1), shifted(turn_, -2), false);
  const Value part = share(earlier);
  repeat(n, [&](Value k) {
    b_.store(change_, k, b_.add(z(k), b_.mul(part, b_.load(changes, at(shifted(earlier, 1), k), true))));
  });
  b_.endLoop();
  b_.beginIf(b_.pure(tape::Op::ILt, Type::Bool, {b_.integer(1), turn_}));
  const Value last = b_.pure(tape::Op::Min, Type::Real, {b_.real(largest), share(shifted(turn_, -1))});
  const Value factor = b_.div(b_.real(1), b_.sub(b_.real(1), last));
  repeat(n, [&](Value k) { b_.store(change_, k, b_.mul(factor, z(k))); });
  b_.endIf();
  Sum square = sum();
  repeat(n, [&](Value k) {
    b_.store(changes, at(turn_, k), z(k));
    add(square, b_.mul(z(k), z(k)));
  });
  b_.store(squares, shifted(turn_, -1), total(square));
  fresh_ = b_.boolean(false);
}

double NewtonLowering::roundOffHere() const {
  return newton_.constrained ? roundOffOfMultipliers : nearRoundOff;
}

void NewtonLowering::end(std::optional<Value> tolerance) {
  Sum changed = sum(), size = sum(), own, ownSize; // own: of what is none of multipliers
  const bool apart = newton_.counted > 0 && !tolerance;
  if (apart) own = sum(), ownSize = sum();
  forEach(iterate_, [&](int buffer, Value k, Value position) {
    const Value d = change(position);
    const Value u = b_.sub(b_.load(buffer, k, true), d);
    b_.store(buffer, k, u);
    add(changed, absolute(d));
    add(size, absolute(u));
    const auto place = std::find(iterate_.begin(), iterate_.end(), buffer) - iterate_.begin();
    if (!apart || ((newton_.counted >> static_cast<unsigned>(place)) & 1U) == 0) return;
    add(own, absolute(d));
    add(ownSize, absolute(u));
  });
  std::optional<Value> ownAtRest;
  if (apart)
    ownAtRest = b_.pure(tape::Op::Le, Type::Bool, {total(own), b_.mul(b_.real(roundOffHere()), total(ownSize))});
  const Value finished = done(total(changed), total(size), tolerance, ownAtRest);
  b_.store(state_, b_.integer(LastChange), total(changed));
  b_.store(state_, b_.integer(Converged), b_.select(finished, b_.real(1), b_.real(0)));
  b_.breakIf(finished);
  b_.endLoop();
  const Value converged = b_.load(state_, b_.integer(Converged), true);
  b_.failIf(b_.pure(tape::Op::Lt, Type::Bool, {converged, b_.real(1)}), runtime::NoConvergence);
  forEach(iterate_,
          [&](int buffer, Value k, Value position) { b_.store(places_.solution, position, b_.load(buffer, k, true)); });
}

/// Whether the next change would not be seen, with the expected contraction; decides on the next Jacobian.
Value NewtonLowering::unseenNext(Value changed, Value size) {
  const Value first = b_.pure(tape::Op::ILe, Type::Bool, {turn_, b_.integer(1)});
  const Value before = b_.select(first, size, b_.load(state_, b_.integer(LastChange), true));
  const Value rate = b_.div(changed, before), last = b_.load(state_, b_.integer(LastRate), true);
  const Value slower = b_.select(b_.pure(tape::Op::Lt, Type::Bool, {last, rate}), rate, last); // last where 0/0
  const Value later = b_.pure(tape::Op::And, Type::Bool, {fresh_, b_.pure(tape::Op::Not, Type::Bool, {first})});
  const Value contraction = b_.mul(slower, b_.select(later, rate, b_.real(1)));
  const bool along = alongFamily();
  b_.store(state_, b_.integer(LastRate), along ? b_.select(first, b_.real(0), rate) : rate);
  const Value limit = along ? b_.select(first, b_.real(keepFirst), b_.real(keepBelow)) : b_.real(keepBelow);
  const Value keep = b_.pure(tape::Op::Le, Type::Bool, {contraction, limit});
  b_.store(state_, b_.integer(Renew), b_.select(keep, b_.real(0), b_.real(1)));
  return b_.pure(tape::Op::Le, Type::Bool, {b_.mul(changed, contraction), b_.mul(b_.real(unseen), size)});
}

/// The same with a Jacobian of every turn: changed/before is the rate; squared, it is the next one.
Value NewtonLowering::unseenNextSquared(Value changed, Value size) {
  const Value before = b_.load(state_, b_.integer(LastChange), true);
  const Value cube = b_.mul(changed, b_.mul(changed, changed));
  const Value bound = b_.mul(b_.mul(b_.real(unseen), size), b_.mul(before, before));
  return b_.pure(
      tape::Op::And, Type::Bool,
      {b_.pure(tape::Op::ILt, Type::Bool, {b_.integer(1), turn_}), b_.pure(tape::Op::Le, Type::Bool, {cube, bound})});
}

Value NewtonLowering::done(Value changed, Value size, std::optional<Value> tolerance, std::optional<Value> ownAtRest) {
  const auto atMost = [&](Value a, Value b) { return b_.pure(tape::Op::Le, Type::Bool, {a, b}); };
  const auto both = [&](Value a, Value b) { return b_.pure(tape::Op::And, Type::Bool, {a, b}); };
  const auto either = [&](Value a, Value b) { return b_.pure(tape::Op::Or, Type::Bool, {a, b}); };
  // A number that is not finite never converges.
  b_.failIf(b_.pure(tape::Op::Not, Type::Bool, {atMost(changed, b_.real(1e300))}), runtime::NoConvergence);
  const Value before = b_.load(state_, b_.integer(LastChange), true);
  const Value second = b_.pure(tape::Op::ILt, Type::Bool, {b_.integer(1), turn_});
  const Value stays = atMost(b_.mul(b_.real(0.5), before), changed);
  Value small = atMost(changed, b_.mul(b_.real(roundOffHere()), size));
  if (ownAtRest) small = either(small, both(*ownAtRest, atMost(changed, b_.mul(b_.real(vagueMultipliers), size))));
  Value stalled = both(stays, small);
  if (alongFamily()) {
    const Value rate = b_.load(state_, b_.integer(LastRate), true);
    const Value again = atMost(b_.real(0.5), rate);
    const Value renewed = both(fresh_, both(again, atMost(b_.mul(b_.real(0.5), before), changed)));
    const Value little = atMost(changed, b_.mul(b_.real(roundOffOfChains), size));
    // With the same factors changes shrink alike, until they are rounding: what they missed is gone then.
    const Value known = both(b_.pure(tape::Op::Lt, Type::Bool, {b_.real(0), rate}), atMost(rate, b_.real(keepBelow)));
    const Value slower = atMost(b_.mul(b_.mul(b_.real(slowerByRounding), rate), before), changed);
    const Value same = both(b_.pure(tape::Op::Not, Type::Bool, {fresh_}), both(known, slower));
    const Value tiny = atMost(changed, b_.mul(b_.real(roundOffOfSame), size));
    stalled = either(stalled, either(both(renewed, little), both(same, tiny)));
  }
  const Value next = keepsJacobian() ? unseenNext(changed, size) : unseenNextSquared(changed, size);
  if (tolerance) return either(atMost(changed, b_.mul(*tolerance, size)), both(second, stalled));
  return either(atMost(changed, b_.mul(b_.real(unseen), size)), either(next, both(second, stalled)));
}

} // namespace lmc::lower
