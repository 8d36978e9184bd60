// Evaluates the terms of a checked method: what words, points and group elements mean is said by whoever asks, sums and
// multiples are taken part by part.
#pragma once

#include "methods/checked/CheckedMethod.h"

#include <unordered_map>

namespace lmc::methods {

/// What the terms of a method are, to one of its readers. An error value ends the evaluation (reported).
class Meanings {
public:
  virtual ~Meanings() = default;
  [[nodiscard]] virtual sema::Value word(const Word& word, const std::vector<sema::Value>& args, Range where) = 0;
  /// a*b of two elements of the group; the rightmost acts first.
  [[nodiscard]] virtual sema::Value product(const sema::Value& a, const sema::Value& b) = 0;
  [[nodiscard]] virtual sema::Value act(const sema::Value& element, const sema::Value& point) = 0;
  [[nodiscard]] virtual sema::Value actRight(const sema::Value& point, const sema::Value& element, Range where) = 0;
  [[nodiscard]] virtual sema::Value bracket(const sema::Value& a, const sema::Value& b) = 0;
  /// A value as it is used further on: held in arrays where that pays.
  [[nodiscard]] virtual sema::Value hold(const sema::Value& v, const std::string& name) = 0;
};

class Replay {
public:
  /// h and t: the step size and the time at the begin.
  Replay(sym::Graph& graph, const CheckedMethod& method, Meanings& meanings, sym::Expr h, sym::Expr t);

  /// Sets a term of the state, or one that a statement gives.
  void give(TermId term, sema::Value value);
  /// Evaluates terms in their order; false when one has no value here (reported).
  bool evaluate(const Terms& terms);
  [[nodiscard]] const sema::Value& operator[](TermId term) const { return values_[term]; }
  /// A number of the method.
  [[nodiscard]] sym::Expr number(sym::Expr e);

private:
  sema::Value valueOf(const Term& t);
  sema::Value linear(const Term& t);

  sym::Graph& g_;
  const CheckedMethod& method_;
  Meanings& meanings_;
  std::vector<sema::Value> values_;
  std::unordered_map<const sym::Array*, sym::Expr> handles_; ///< h, t, and numbers that terms give
  std::unordered_map<const sym::Node*, sym::Expr> numbers_;  ///< those that have been worked out
};

} // namespace lmc::methods
