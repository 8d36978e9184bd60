#include "lower/LowerSeries.h"

namespace lmc::lower {

using tape::Type;
using tape::Value;

void SeriesLowering::copy(const sym::Array* array, const Place& from, int to, Value row, std::int64_t rowSize) {
  constexpr std::int64_t shortest = 32; // a short loop costs more than its turns
  const std::int64_t n = array->size();
  const Value first = b_.pure(tape::Op::IMul, Type::Int, {row, b_.integer(rowSize)});
  const auto at = [&](Value k) { return b_.pure(tape::Op::IAdd, Type::Int, {first, k}); };
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
  if (series_.history != nullptr) {
    history_ = x_.scratch(series_.history->name, series_.history->size());
    place(series_.history, history_);
  }
  order_ = b_.beginLoop(b_.integer(1), b_.integer(series_.orders - 1), false);
  Place order;
  order.storage = ArrayStorage::Registers;
  order.registers = {{order_, s_.inSetup()}};
  x_.places[series_.order] = std::move(order);
}

std::vector<const sym::Array*> SeriesLowering::results() const {
  if (series_.row == nullptr) return {series_.next};
  return {series_.next, series_.row};
}

void SeriesLowering::end() {
  Place point;
  point.buffer = point_;
  const Value before = b_.pure(tape::Op::ISub, Type::Int, {order_, b_.integer(1)});
  copy(series_.start, point, coefficients_, before, width_);
  if (series_.row != nullptr) copy(series_.row, x_.placeOf(series_.row), history_, before, series_.row->size());
  copy(series_.next, x_.placeOf(series_.next), point_, b_.integer(0), series_.next->size());
  b_.endLoop();
  copy(series_.start, point, coefficients_, b_.integer(series_.orders - 1), width_);
  x_.forgetIndexed();
}

} // namespace lmc::lower
