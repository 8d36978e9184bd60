// Numbers from the equations of a model without compiling: functions of its program, run by the tape interpreter.
#pragma once

#include "lower/Calculator.h"
#include "mechanics/system/Layer.h"
#include "runtime/contract/Problem.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace lmc::study {

/// By this part of themselves numbers are moved where it is asked what their rounding changes.
inline constexpr double rounding = 4e-16;

/// Functions of the state, of further inputs and of time. First all inputs and functions are declared, then `prepare`
/// is called, then they can be evaluated.
class Evaluator {
public:
  /// Parameters have the values of `problem`. The system must outlive the evaluator.
  Evaluator(const Layer& layer, const Problem& problem);
  ~Evaluator();
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  /// Arrays that functions read beside the state. Their numbers follow, in the order of declaration, the state in
  /// `memory`; returns where the first one stands.
  std::size_t input(const ArrayTuple& arrays);
  /// All that `memory` holds.
  [[nodiscard]] std::size_t memorySize() const { return memorySize_; }

  struct Function {
    int index = -1;
    std::size_t size = 0; ///< numbers that it returns
  };
  /// A function that returns the numbers of arrays that equations define, one array after the other.
  Function function(const std::string& name, const ArrayTuple& arrays);

  void prepare();
  /// Moves all parameters by about their rounding, some up and the others down, or (`sign` -1) the other way; 0: their
  /// values.
  void roundParameters(int sign);
  /// Not numbers where a matrix is singular or an iteration does not converge.
  [[nodiscard]] std::vector<double> operator()(Function f, std::span<const double> memory, double t);

private:
  struct Input {
    const sym::Array* array = nullptr;
    std::int64_t offset = 0;
  };
  struct Body {
    std::string name;
    ArrayTuple arrays;
  };
  const Layer& layer_;
  std::vector<double> params_;
  std::size_t memorySize_ = 0;
  std::vector<Input> inputs_;
  std::vector<Body> bodies_;
  std::unique_ptr<Calculator> calculator_;
};

} // namespace lmc::study
