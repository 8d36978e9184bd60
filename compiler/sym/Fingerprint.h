// Values of expressions in a finite field: equal polynomials have equal values.
#pragma once

#include "sym/Expr.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace lmc::sym {

/// Evaluates expressions modulo the prime 2^61 - 1, with a fixed pseudo-random number for every entry of every array
/// and for every value of a function that is no sum, product or quotient. Two rational expressions of degree d that
/// are not equal get equal values with a probability of d/2^61 (J. T. Schwartz, Journal of the ACM 27 (1980) 701-717),
/// so matrices can be compared without being multiplied out. What holds on a manifold only (R^T R = I) is not seen.
class Fingerprint {
public:
  using Value = std::uint64_t;
  static constexpr Value prime = (Value{1} << 61) - 1;

  /// `index` has the value `at`; other loop indices have random ones.
  Fingerprint(Expr index, Value at);

  /// The entries of an expression, by rows.
  const std::vector<Value>& of(Expr e);

  [[nodiscard]] static Value of(const Number& n);
  [[nodiscard]] static Value of(std::int64_t n);
  [[nodiscard]] static Value sum(Value a, Value b);
  [[nodiscard]] static Value product(Value a, Value b);
  [[nodiscard]] static Value inverse(Value a); ///< of 0 it is 0

private:
  std::vector<Value> evaluate(const Node& n);
  std::vector<Value> arithmetic(const Node& n);
  std::vector<Value> tensor(const Node& n);
  std::vector<Value> component(const Node& n);
  std::vector<Value> unknown(const Node& n);

  std::unordered_map<const Node*, std::vector<Value>> values_;
};

} // namespace lmc::sym
