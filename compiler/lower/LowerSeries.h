// Coefficients of power series as a loop of the tape over orders.
//
// The sums S_n of products of pairs of operands have nothing to do with each other: they are vectors, of which some at
// a time are summed up in registers over the orders. A processor hands a store on to a load only if the store covers
// all that is loaded, and operands are written one by one. So those that follow from x_n alone have rows of their own
// and are written first of all: they have left the core when order n + 1 reads them as vectors.
#pragma once

#include "lower/LowerContext.h"

namespace lmc::lower {

/// Emits the loop of one `sym::SeriesRecursion`: `begin` opens it, sets the places of what changes from order to order
/// and forms the sums; the caller lowers the equations of one order; `end` hands on what they gave, and closes it.
class SeriesLowering {
public:
  /// `coefficients`: buffer of the result, with rows of `width` numbers.
  SeriesLowering(Builder& builder, Scalars& scalars, ExpressionLowering& expressions,
                 const sym::SeriesRecursion& series, int coefficients, std::int64_t width)
      : b_(builder), s_(scalars), x_(expressions), series_(series), coefficients_(coefficients), width_(width) {}

  void begin();
  /// What is formed of the orders before.
  [[nodiscard]] std::vector<const sym::Array*> sums() const;
  /// What the equations of one order are wanted for.
  [[nodiscard]] std::vector<const sym::Array*> results() const;
  void end();

private:
  struct Products {
    int sums = -1, operands = -1; ///< buffers
    std::int64_t width = 0;
  };
  /// The sums S_n, n being the order of this turn.
  void sum(const Products& p);
  /// Of some blocks of pairs from `first` on.
  void sumBlocks(const Products& p, tape::Value first, std::int64_t blocks, std::int64_t pairs);
  /// Where the a or b of an order begin.
  tape::Value operand(const Products& p, tape::Value order, bool second);
  tape::Value integers(tape::Op op, tape::Value a, tape::Value b) { return b_.pure(op, tape::Type::Int, {a, b}); }
  tape::Value plus(tape::Value a, tape::Value b) { return integers(tape::Op::IAdd, a, b); }
  tape::Value shifted(tape::Value a, std::int64_t by) { return plus(a, b_.integer(by)); }
  /// Copies an array of numbers to the begin of a row of a buffer; rows count from 0.
  void copy(const sym::Array* array, const Place& from, int to, tape::Value row, std::int64_t rowSize);

  Builder& b_;
  Scalars& s_;
  ExpressionLowering& x_;
  const sym::SeriesRecursion& series_;
  int coefficients_;
  std::int64_t width_;
  int point_ = -1;
  std::vector<Products> products_;
  tape::Value order_ = tape::none;
};

} // namespace lmc::lower
