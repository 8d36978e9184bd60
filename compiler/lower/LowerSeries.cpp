#include "lower/LowerSeries.h"

namespace lmc::lower {

using tape::Type;
using tape::Value;

namespace {
/// Turns of a loop that are one vector of the widest kind.
constexpr std::int64_t pairsOfVector = 8;
/// Vectors whose sums are kept in registers together: two registers each where vectors are of four numbers.
constexpr std::int64_t mostVectors = 4;
/// Orders that are summed up in one turn.
constexpr std::int64_t ordersTogether = 2;
} // namespace

void SeriesLowering::copy(const sym::Array* array, const Place& from, int to, Value row, std::int64_t rowSize) {
  constexpr std::int64_t shortest = 32; // a short loop costs more than its turns
  const std::int64_t n = array->size();
  const Value first = integers(tape::Op::IMul, row, b_.integer(rowSize));
  const auto at = [&](Value k) { return plus(first, k); };
  const bool registers = from.storage == ArrayStorage::Registers;
  if (registers || n <= shortest) {
    std::vector<Value> values;
    for (std::int64_t k = 0; k < n; ++k)
      values.push_back(registers ? s_.local(from.registers[static_cast<std::size_t>(k)])
                                 : b_.load(from.buffer, b_.integer(k), true));
    for (std::int64_t k = 0; k < n; ++k) b_.store(to, at(b_.integer(k)), values[static_cast<std::size_t>(k)]);
    return;
  }
  const Value k = b_.beginLoop(b_.integer(0), b_.integer(n - 1), false);
  b_.store(to, at(k), b_.load(from.buffer, k, true));
  b_.endLoop();
}

void SeriesLowering::begin() {
  const std::int64_t d = series_.start->size();
  point_ = x_.scratch(series_.point->name, d);
  copy(series_.start, x_.placeOf(series_.start), point_, b_.integer(0), d);
  const auto place = [&](const sym::Array* array, int buffer) {
    Place p;
    p.buffer = buffer;
    p.depth = b_.depth() + 1;
    x_.places[array] = std::move(p);
  };
  place(series_.point, point_);
  for (const sym::SeriesRecursion::Products& products : series_.products) {
    const Products p{x_.scratch(products.sums->name, products.sums->size()),
                     x_.scratch(products.operands->name, products.operands->size()), products.sums->size()};
    place(products.sums, p.sums);
    place(products.operands, p.operands);
    products_.push_back(p);
  }
  order_ = b_.beginLoop(b_.integer(1), b_.integer(series_.orders - 1), false);
  Place order;
  order.storage = ArrayStorage::Registers;
  order.registers = {{order_, s_.inSetup()}};
  x_.places[series_.order] = std::move(order);
  for (const Products& p : products_) sum(p);
}

Value SeriesLowering::operand(const Products& p, Value order, bool second) {
  const Value row = integers(tape::Op::IMul, shifted(order, -1), b_.integer(2 * p.width));
  return second ? shifted(row, p.width) : row;
}

void SeriesLowering::sum(const Products& p) {
  if (p.width % pairsOfVector != 0) {
    sumBlocks(p, b_.integer(0), 1, p.width);
  } else {
    const std::int64_t vectors = p.width / pairsOfVector;
    const std::int64_t parts = (vectors + mostVectors - 1) / mostVectors;
    const std::int64_t size = (vectors + parts - 1) / parts, whole = vectors / size;
    if (whole > 1) {
      const Value part = b_.beginLoop(b_.integer(0), b_.integer(whole - 1), false);
      sumBlocks(p, integers(tape::Op::IMul, part, b_.integer(size * pairsOfVector)), size, pairsOfVector);
      b_.endLoop();
    } else {
      sumBlocks(p, b_.integer(0), size, pairsOfVector);
    }
    if (vectors % size > 0) sumBlocks(p, b_.integer(whole * size * pairsOfVector), vectors % size, pairsOfVector);
  }
}

void SeriesLowering::sumBlocks(const Products& p, Value first, std::int64_t blocks, std::int64_t pairs) {
  const auto each = [&](auto&& write) {
    for (std::int64_t k = 0; k < blocks; ++k) {
      const Value begin = shifted(first, k * pairs);
      const Value i = b_.beginLoop(b_.integer(0), b_.integer(pairs - 1), false);
      write(plus(begin, i));
      b_.endLoop();
    }
  };
  const auto addOrders = [&](const std::vector<Value>& orders) {
    std::vector<std::pair<Value, Value>> rows;
    rows.reserve(orders.size());
    for (const Value k : orders)
      rows.emplace_back(operand(p, k, false), operand(p, integers(tape::Op::ISub, order_, k), true));
    each([&](Value place) {
      Value terms = b_.real(0);
      for (const auto& [a, b] : rows)
        terms =
            b_.add(terms, b_.mul(b_.load(p.operands, plus(a, place), true), b_.load(p.operands, plus(b, place), true)));
      b_.accumulate(p.sums, place, terms);
    });
  };
  each([&](Value place) { b_.store(p.sums, place, b_.real(0)); });
  // The orders 1 … n - 1, some at a time, and then the rest.
  const Value count = shifted(order_, -1);
  const Value together = b_.integer(ordersTogether);
  const Value turn = b_.beginLoop(b_.integer(1), integers(tape::Op::IDiv, count, together), false);
  std::vector<Value> orders;
  for (std::int64_t s = 0; s < ordersTogether; ++s)
    orders.push_back(shifted(integers(tape::Op::IMul, turn, together), 1 + s - ordersTogether));
  addOrders(orders);
  b_.endLoop();
  const Value rest = b_.beginLoop(b_.integer(1), integers(tape::Op::IMod, count, together), false);
  addOrders({integers(tape::Op::ISub, order_, rest)});
  b_.endLoop();
}

std::vector<const sym::Array*> SeriesLowering::sums() const {
  std::vector<const sym::Array*> arrays;
  for (const sym::SeriesRecursion::Products& products : series_.products) arrays.push_back(products.sums);
  return arrays;
}

std::vector<const sym::Array*> SeriesLowering::results() const {
  std::vector<const sym::Array*> arrays = {series_.next};
  for (const sym::SeriesRecursion::Products& products : series_.products) arrays.push_back(products.operands);
  return arrays;
}

void SeriesLowering::end() {
  Place point;
  point.buffer = point_;
  copy(series_.start, point, coefficients_, shifted(order_, -1), width_);
  copy(series_.next, x_.placeOf(series_.next), point_, b_.integer(0), series_.next->size());
  b_.endLoop();
  copy(series_.start, point, coefficients_, b_.integer(series_.orders - 1), width_);
  x_.forgetIndexed();
}

} // namespace lmc::lower
