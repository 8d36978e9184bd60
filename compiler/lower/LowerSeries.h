// Coefficients of power series as a loop of the tape over orders.
#pragma once

#include "lower/LowerContext.h"

namespace lmc::lower {

/// Emits the loop of one `sym::SeriesRecursion`: `begin` opens it and sets the places of what changes from order to
/// order; the caller lowers the equations of one order; `end` hands on what they gave, and closes it.
class SeriesLowering {
public:
  /// `coefficients`: buffer of the result, with rows of `width` numbers.
  SeriesLowering(Builder& builder, Scalars& scalars, ExpressionLowering& expressions,
                 const sym::SeriesRecursion& series, int coefficients, std::int64_t width)
      : b_(builder), s_(scalars), x_(expressions), series_(series), coefficients_(coefficients), width_(width) {}

  void begin();
  /// What the equations of one order are wanted for.
  [[nodiscard]] std::vector<const sym::Array*> results() const;
  void end();

private:
  /// Copies an array of numbers to the begin of a row of a buffer; rows count from 0.
  void copy(const sym::Array* array, const Place& from, int to, tape::Value row, std::int64_t rowSize);

  Builder& b_;
  Scalars& s_;
  ExpressionLowering& x_;
  const sym::SeriesRecursion& series_;
  int coefficients_;
  std::int64_t width_;
  int point_ = -1, history_ = -1;
  tape::Value order_ = tape::none;
};

} // namespace lmc::lower
