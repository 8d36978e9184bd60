// Newton's iteration as a loop of the tape.
#pragma once

#include "lower/LowerContext.h"

#include <optional>

namespace lmc {

/// Where an iteration finds and leaves its data.
struct NewtonPlaces {
  Place start;
  int solution = -1; ///< buffer [n]
  int report = -1;   ///< buffer of Lowering::bindReport, or none
};

/// Emits one iteration: `begin` opens the loop and sets the places of the iterate's arrays; then the caller lowers
/// residual and Jacobian and calls `direct`, or, for a large system, lowers the residual, calls `beginProducts`, lowers
/// the product of the Jacobian with a direction, and calls `endProducts` (GMRES); `end` moves the iterate, decides and
/// closes the loop.
///
/// The iteration ends when the change is small enough relative to the iterate (sums of absolute values): below the
/// tolerance if one is given. By default it goes on to round-off: until, with the rate that the two last changes show
/// and that squares in every turn, the next change would not be seen any more; or until changes near round-off do
/// not become smaller. A turn more than the limit, or a number that is not finite, is status NoConvergence.
class NewtonLowering {
public:
  NewtonLowering(Builder& builder, Scalars& scalars, ExpressionLowering& expressions,
                 const sym::NewtonIteration& newton, NewtonPlaces places)
      : b_(builder), s_(scalars), x_(expressions), newton_(newton), places_(std::move(places)) {}

  void begin();
  void direct(const Place& residual, const Place& jacobian);
  void beginProducts(const Place& residual);
  void endProducts(const Place& product);
  void end(std::optional<tape::Value> tolerance);

private:
  /// A sum over all n numbers: values where the numbers are written out, else memory.
  struct Sum {
    tape::Value value = tape::none;
    int buffer = -1;
  };

  template <typename Turn> void repeat(std::int64_t count, Turn turn);
  template <typename Turn> void forEach(const std::vector<int>& buffers, Turn turn);
  Sum sum();
  void add(Sum& s, tape::Value x);
  tape::Value total(const Sum& s);
  tape::Value element(const Place& p, tape::Value k);
  tape::Value shifted(tape::Value k, std::int64_t by);
  tape::Value absolute(tape::Value x);
  int inMemory(const Place& p, const sym::Array* a);
  int renewed(const Place& p, const sym::Array* a);
  int reported(const Place& residual);
  tape::Value done(tape::Value changed, tape::Value size, std::optional<tape::Value> tolerance);

  Builder& b_;
  Scalars& s_;
  ExpressionLowering& x_;
  const sym::NewtonIteration& newton_;
  NewtonPlaces places_;
  std::vector<int> iterate_;   ///< buffers of newton.iterate
  int change_ = -1;            ///< buffer of the residual, then of J^-1 residual
  int basis_ = -1, work_ = -1; ///< buffers of GMRES
  int state_ = -1;             ///< size of the last change; 1 when converged
  tape::Value turn_ = tape::none;
};

} // namespace lmc
