#include "lower/LowerNewton.h"

namespace lmc {

using tape::Op;
using tape::Type;
using tape::Value;

namespace {
/// Systems of at most this many numbers are written out.
constexpr std::int64_t writtenOut = 24;
/// Rows of the basis of GMRES: products with the Jacobian in a turn, and one.
constexpr std::int64_t basisRows = 81;
/// Relative size of a change that is not seen any more.
constexpr double unseen = 1e-16;
/// Changes below this relative size that do not become smaller are round-off.
constexpr double nearRoundOff = 1e-10;
} // namespace

template <typename Turn> void NewtonLowering::repeat(std::int64_t count, Turn turn) {
  if (newton_.residual->size() <= writtenOut) {
    for (std::int64_t k = 0; k < count; ++k) turn(b_.integer(k));
    return;
  }
  turn(b_.beginLoop(b_.integer(0), b_.integer(count - 1), false));
  b_.endLoop();
}

/// turn(buffer, element in it, position among all numbers), for buffers like those of the iterate
template <typename Turn> void NewtonLowering::forEach(const std::vector<int>& buffers, Turn turn) {
  std::int64_t first = 0;
  for (std::size_t c = 0; c < buffers.size(); ++c) {
    repeat(newton_.iterate[c]->size(), [&](Value k) { turn(buffers[c], k, shifted(k, first)); });
    first += newton_.iterate[c]->size();
  }
}

Value NewtonLowering::shifted(Value k, std::int64_t by) {
  return b_.pure(Op::IAdd, Type::Int, {k, b_.integer(by)});
}

Value NewtonLowering::absolute(Value x) {
  return b_.pure(Op::Abs, Type::Real, {x});
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

/// The same in memory that every turn writes anew.
int NewtonLowering::renewed(const Place& p, const sym::Array* a) {
  if (p.storage != ArrayStorage::Memory || p.depth == b_.depth()) return inMemory(p, a);
  const int buffer = x_.scratch(a->name, a->size());
  repeat(a->size(), [&](Value k) { b_.store(buffer, k, b_.load(p.buffer, k, true)); });
  return buffer;
}

void NewtonLowering::begin() {
  state_ = x_.scratch("newton", 2);
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
  turn_ = b_.beginLoop(b_.integer(1), b_.integer(newton_.limit), false);
}

/// The residual's buffer, after its size was reported.
int NewtonLowering::reported(const Place& residual) {
  const int buffer = inMemory(residual, newton_.residual);
  if (places_.report < 0) return buffer;
  const bool loops = newton_.residual->size() > writtenOut; // they find the numbers in memory
  Sum size = sum();
  repeat(newton_.residual->size(),
         [&](Value k) { add(size, absolute(loops ? b_.load(buffer, k, true) : element(residual, k))); });
  b_.store(places_.report, b_.integer(0), total(size));
  b_.accumulate(places_.report, b_.integer(1), b_.real(static_cast<double>(newton_.evaluations)));
  return buffer;
}

void NewtonLowering::direct(const Place& residual, const Place& jacobian) {
  const std::int64_t n = newton_.residual->size();
  change_ = reported(residual);
  const int matrix = renewed(jacobian, newton_.jacobian);
  const int pivots = x_.scratch("pivots", n);
  b_.kernel(tape::KernelId::NewtonChange, {matrix, pivots, change_}, {b_.integer(n)});
}

void NewtonLowering::beginProducts(const Place& residual) {
  const std::int64_t n = newton_.residual->size();
  change_ = reported(residual);
  basis_ = x_.scratch("basis", basisRows * n);
  work_ = x_.scratch("gmres", 2 * basisRows * basisRows);
  b_.kernel(tape::KernelId::GmresBegin, {change_, basis_, work_}, {b_.integer(n), b_.integer(basisRows)});
  const Value row = b_.beginLoop(b_.integer(0), b_.integer(basisRows - 2), false);
  b_.breakIf(b_.pure(Op::Lt, Type::Bool, {b_.real(0.5), b_.load(work_, b_.integer(0), true)}));
  std::vector<int> direction;
  for (const sym::Array* a : newton_.direction) {
    Place p;
    p.buffer = x_.scratch(a->name, a->size());
    p.depth = b_.depth();
    direction.push_back(p.buffer);
    x_.places[a] = std::move(p);
  }
  const Value first = b_.pure(Op::IMul, Type::Int, {row, b_.integer(n)});
  forEach(direction, [&](int buffer, Value k, Value position) {
    b_.store(buffer, k, b_.load(basis_, b_.pure(Op::IAdd, Type::Int, {first, position}), true));
  });
}

void NewtonLowering::endProducts(const Place& product) {
  const std::int64_t n = newton_.residual->size();
  b_.kernel(tape::KernelId::GmresStep, {inMemory(product, newton_.product), basis_, work_},
            {b_.integer(n), b_.integer(basisRows)});
  b_.endLoop();
  b_.kernel(tape::KernelId::GmresEnd, {change_, basis_, work_}, {b_.integer(n), b_.integer(basisRows)});
}

void NewtonLowering::end(std::optional<Value> tolerance) {
  Sum changed = sum();
  Sum size = sum();
  forEach(iterate_, [&](int buffer, Value k, Value position) {
    const Value d = b_.load(change_, position, true);
    const Value u = b_.sub(b_.load(buffer, k, true), d);
    b_.store(buffer, k, u);
    add(changed, absolute(d));
    add(size, absolute(u));
  });
  const Value finished = done(total(changed), total(size), tolerance);
  b_.store(state_, b_.integer(0), total(changed));
  b_.store(state_, b_.integer(1), b_.select(finished, b_.real(1), b_.real(0)));
  b_.breakIf(finished);
  b_.endLoop();
  const Value converged = b_.load(state_, b_.integer(1), true);
  b_.failIf(b_.pure(Op::Lt, Type::Bool, {converged, b_.real(1)}), tape::NoConvergence);
  forEach(iterate_,
          [&](int buffer, Value k, Value position) { b_.store(places_.solution, position, b_.load(buffer, k, true)); });
}

Value NewtonLowering::done(Value changed, Value size, std::optional<Value> tolerance) {
  const auto atMost = [&](Value a, Value b) { return b_.pure(Op::Le, Type::Bool, {a, b}); };
  const auto both = [&](Value a, Value b) { return b_.pure(Op::And, Type::Bool, {a, b}); };
  const auto either = [&](Value a, Value b) { return b_.pure(Op::Or, Type::Bool, {a, b}); };
  // A number that is not finite never converges.
  b_.failIf(b_.pure(Op::Not, Type::Bool, {atMost(changed, b_.real(1e300))}), tape::NoConvergence);
  const Value before = b_.load(state_, b_.integer(0), true);
  const Value second = b_.pure(Op::ILt, Type::Bool, {b_.integer(1), turn_});
  const Value stalled =
      both(atMost(b_.mul(b_.real(0.5), before), changed), atMost(changed, b_.mul(b_.real(nearRoundOff), size)));
  if (tolerance) return either(atMost(changed, b_.mul(*tolerance, size)), both(second, stalled));
  // changed/before is the rate; squared, it is the next one.
  const Value cube = b_.mul(changed, b_.mul(changed, changed));
  const Value next = atMost(cube, b_.mul(b_.mul(b_.real(unseen), size), b_.mul(before, before)));
  return either(atMost(changed, b_.mul(b_.real(unseen), size)), both(second, either(next, stalled)));
}

} // namespace lmc
