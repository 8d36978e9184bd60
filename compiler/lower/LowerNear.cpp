#include "lower/LowerNear.h"

#include "runtime/kernels/Kernels.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc::lower {

namespace {

constexpr auto axes = static_cast<std::int64_t>(DistanceBound::axes);
/// Entries of a list that have room: beyond, rows are made when they are wanted.
constexpr std::int64_t entriesARow = 128, leastEntries = std::int64_t{1} << 19;

/// Text that is the same for points of the same sort, whatever state they are of: stages of a method share a list.
std::string sortOf(sym::Expr e) {
  std::string text;
  sym::visitPostOrder({e}, [&](const sym::Node& n) {
    text += fmt::format("{} ", static_cast<int>(n.op));
    if (n.op == sym::Op::Const) text += fmt::format("{} ", n.number.value());
    if (n.op == sym::Op::Load && n.array->role == sym::Role::Param) text += fmt::format("#{} ", n.array->id);
  });
  return text;
}

/// Whether the second one is the first one with another index.
bool isSame(sym::Expr first, sym::Expr second, sym::Expr outer, sym::Expr inner) {
  if (first == outer || second == inner) return first == outer && second == inner;
  if (first == second) return !first->indexed;
  const sym::Node &a = *first, &b = *second;
  if (a.args.empty() || a.op != b.op || a.imm != b.imm || a.array != b.array || a.args.size() != b.args.size())
    return false;
  for (std::size_t k = 0; k < a.args.size(); ++k)
    if (!isSame(a.args[k], b.args[k], outer, inner)) return false;
  return true;
}

/// Whether the second points are among the first ones, so that both may be the first ones.
bool isOneSet(const sym::Equation& e, const DistanceBound& bound) {
  const sym::Expr outer = e.loops[0].index, inner = e.loops[1].index;
  return bound.outer.lo <= bound.inner.lo && bound.inner.hi <= bound.outer.hi &&
         std::all_of(bound.axis.begin(), bound.axis.end(),
                     [&](const DistanceBound::Axis& a) { return isSame(a.first, a.second, outer, inner); });
}

} // namespace

void NearLowering::beginFunction(bool step) {
  step_ = step;
  used_.clear();
}

/// Stages of a step share the lists that a function which evaluates everything once has. With fewer or more of them a
/// list is made more often, and no less right.
int NearLowering::listFor(const DistanceBound& bound, std::int64_t columns) {
  std::string key =
      fmt::format("{} {} {} {} {} {} {} {}", bound.outer.count(), columns, bound.low.shift, bound.low.follows,
                  bound.high.shift, bound.high.follows, bound.limit->id, bound.squared);
  for (const DistanceBound::Axis& a : bound.axis) key += "; " + sortOf(a.first) + "; " + sortOf(a.second);
  std::vector<int>& lists = lists_[key];
  std::size_t k = used_[key]++;
  if (step_ && !lists.empty()) k %= lists.size();
  if (k < lists.size()) return lists[k];
  const std::int64_t rows = bound.outer.count();
  const std::int64_t entries = std::min(rows * columns, std::max(entriesARow * rows, leastEntries));
  lists.push_back(x_.scratch("near pairs", lmc_near_size(rows, columns, entries)));
  module_.buffers.back().kept = true;
  return lists.back();
}

/// The points in memory, as lmc_near_update reads them.
int NearLowering::pointsOf(const sym::Equation& e, const DistanceBound& bound, bool second) {
  Builder& b = s_.builder();
  const DistanceBound::Range range = second ? bound.inner : bound.outer;
  const int points = x_.scratch(second ? "second points" : "points", axes * range.count());
  const auto integer = [&](std::int64_t k) { return b.integer(k); };
  const tape::Value index = b.beginLoop(integer(range.lo), integer(range.hi), false);
  x_.bindIndex(e.loops[second ? 1 : 0].index, {index, false});
  const tape::Value row = b.pure(tape::Op::ISub, tape::Type::Int, {index, integer(range.lo)});
  const tape::Value first = b.pure(tape::Op::IMul, tape::Type::Int, {row, integer(axes)});
  for (std::size_t k = 0; k < DistanceBound::axes; ++k) {
    const bool has = k < bound.axis.size();
    const tape::Value x = has ? s_.local(x_.scalar(second ? bound.axis[k].second : bound.axis[k].first)) : b.real(0);
    b.store(points, b.pure(tape::Op::IAdd, tape::Type::Int, {first, integer(static_cast<std::int64_t>(k))}), x);
  }
  b.endLoop();
  x_.forgetIndexed();
  return points;
}

int NearLowering::aboutOf(const DistanceBound& bound, std::int64_t firstColumn) {
  Builder& b = s_.builder();
  const int about = x_.scratch("bound", LMC_NEAR_ABOUT);
  const auto put = [&](std::int64_t k, tape::Value x) { b.store(about, b.integer(k), x); };
  const auto number = [&](std::int64_t k, std::int64_t x) { put(k, b.real(static_cast<double>(x))); };
  for (std::size_t k = 0; k < DistanceBound::axes; ++k) {
    const sym::Expr period = k < bound.axis.size() ? bound.axis[k].period : sym::Expr();
    put(static_cast<std::int64_t>(k),
        period ? s_.local(s_.pure(tape::Op::Abs, tape::Type::Real, {x_.scalar(period)})) : b.real(0));
  }
  put(LMC_NEAR_LIMIT, s_.local(x_.scalar(bound.limit)));
  number(LMC_NEAR_SQUARED, bound.squared ? 1 : 0);
  number(LMC_NEAR_FIRST_ROW, bound.outer.lo);
  number(LMC_NEAR_FIRST_COLUMN, firstColumn);
  number(LMC_NEAR_LOW, bound.low.shift);
  number(LMC_NEAR_LOW_ROW, bound.low.follows);
  number(LMC_NEAR_HIGH, bound.high.shift);
  number(LMC_NEAR_HIGH_ROW, bound.high.follows);
  return about;
}

NearLowering::List NearLowering::list(const sym::Equation& e, const DistanceBound& bound) {
  constexpr std::int64_t most = std::int64_t{1} << 30; // indices in a list have 32 bits
  const bool one = isOneSet(e, bound);
  const std::int64_t rows = bound.outer.count(), columns = one ? rows : bound.inner.count();
  if (!wanted || s_.inSetup() || rows > most || columns > most || !isLong(bound)) return {};
  const int first = pointsOf(e, bound, false);
  const int second = one ? first : pointsOf(e, bound, true);
  const int about = aboutOf(bound, one ? bound.outer.lo : bound.inner.lo);
  const int list = listFor(bound, columns);
  Builder& b = s_.builder();
  const std::int64_t size = module_.buffers[static_cast<std::size_t>(list)].size;
  b.kernel(tape::KernelId::NearUpdate, {first, second, about, list},
           {b.integer(rows), b.integer(columns), b.integer(size)});
  return {list, bound.outer.lo};
}

tape::Value NearLowering::beginLoop(tape::Value lo, tape::Value hi, const List& list, tape::Value outer) {
  Builder& b = s_.builder();
  const tape::Value row = b.pure(tape::Op::ISub, tape::Type::Int, {outer, b.integer(list.firstRow)});
  return b.beginListedLoop(lo, hi, list.buffer, row);
}

void NearLowering::beginTotals(const sym::Program& program, const NearSums& sums) {
  totals_.clear();
  if (!isLong(sums.bound)) return;
  for (const std::size_t k : sums.equations) {
    const sym::Equation& e = program.equation(k);
    const auto indexed = [](const sym::Expr& i) { return i->indexed; };
    if (x_.places.at(e.array).storage != ArrayStorage::Memory || std::any_of(e.index.begin(), e.index.end(), indexed))
      continue;
    Total total{&e, -1, sums.bound.outer.lo, sums.bound.outer.count()};
    total.rows = x_.scratch("rows of " + e.array->name, total.count * e.array->shape.size());
    s_.builder().fill(total.rows);
    totals_[k] = total;
  }
}

void NearLowering::endTotals() {
  for (const auto& [k, total] : totals_) end(total);
  totals_.clear();
}

tape::Value NearLowering::numberOf(const Total& total, tape::Value row, std::size_t k) {
  Builder& b = s_.builder();
  const tape::Value begin =
      b.pure(tape::Op::IMul, tape::Type::Int, {row, b.integer(total.equation->array->shape.size())});
  return b.pure(tape::Op::IAdd, tape::Type::Int, {begin, b.integer(static_cast<std::int64_t>(k))});
}

void NearLowering::add(std::size_t equation, const std::vector<Scalar>& value, tape::Value outer) {
  const Total& total = totals_.at(equation);
  Builder& b = s_.builder();
  const tape::Value row = b.pure(tape::Op::ISub, tape::Type::Int, {outer, b.integer(total.first)});
  for (std::size_t k = 0; k < value.size(); ++k)
    b.accumulate(total.rows, numberOf(total, row, k), s_.local(value[k]), true);
}

void NearLowering::end(const Total& total) {
  Builder& b = s_.builder();
  const sym::Equation& e = *total.equation;
  const Place& p = x_.places.at(e.array);
  std::vector<Scalar> index;
  for (const sym::Expr& i : e.index) index.push_back(x_.scalar(i));
  const Scalar element = x_.position(e.array, index);
  std::vector<tape::Value> to;
  for (std::size_t k = 0; k < static_cast<std::size_t>(e.array->shape.size()); ++k)
    to.push_back(s_.local(x_.entry(e.array, p, element, k)));
  const tape::Value row = b.beginLoop(b.integer(0), b.integer(total.count - 1), false);
  for (std::size_t k = 0; k < to.size(); ++k)
    b.accumulate(p.buffer, to[k], b.load(total.rows, numberOf(total, row, k), true), true);
  b.endLoop();
}

} // namespace lmc::lower
