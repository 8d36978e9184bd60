// Coefficients of power series as a loop of the tape over orders.
#pragma once

#include "lower/LowerContext.h"

namespace lmc::lower {

/// Emits the loop of one `sym::SeriesRecursion`: `begin` opens it and sets the places of what changes from order to
/// order; the caller lowers the equations of one order; `end` hands on what they gave, and closes it.
class SeriesLowering {
public:
  /// `coefficients`: buffer [P][d] of the result.
  SeriesLowering(Builder& builder, Scalars& scalars, ExpressionLowering& expressions,
                 const sym::SeriesRecursion& series, int coefficients)
      : b_(builder), s_(scalars), x_(expressions), series_(series), coefficients_(coefficients) {}

  void begin();
  /// What the equations of one order are wanted for.
  [[nodiscard]] std::vector<const sym::Array*> results() const;
  void end();

private:
  /// Copies an array of numbers to a row of a buffer, which counts from 0.
  void copy(const sym::Array* array, const Place& from, int to, tape::Value row);

  Builder& b_;
  Scalars& s_;
  ExpressionLowering& x_;
  const sym::SeriesRecursion& series_;
  int coefficients_;
  int point_ = -1, history_ = -1;
  tape::Value order_ = tape::none;
};

} // namespace lmc::lower
