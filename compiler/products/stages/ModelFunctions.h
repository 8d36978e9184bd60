// Numbers from the equations of a model without compiling: functions of its program, run by the tape interpreter.
#pragma once

#include "mechanics/system/Layer.h"
#include "runtime/contract/Problem.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lmc::products {

/// Functions of the state, of further inputs and of time. First all inputs and functions are declared, then `prepare`
/// is called, then they can be evaluated.
class ModelFunctions {
public:
  /// Parameters have the values of `problem`. The layer, whose equations define what is asked for, must outlive it.
  ModelFunctions(const mechanics::Layer& layer, const runtime::Problem& problem);
  ~ModelFunctions();
  ModelFunctions(const ModelFunctions&) = delete;
  ModelFunctions& operator=(const ModelFunctions&) = delete;

  /// Arrays that functions read beside the state. Their numbers follow, in the order of declaration, the state in
  /// `memory`; returns where the first one stands.
  std::size_t input(const sema::ArrayTuple& arrays);
  /// All that `memory` holds.
  [[nodiscard]] std::size_t memorySize() const { return memorySize_; }

  struct Function {
    int index = -1;
    std::size_t size = 0; ///< numbers that it returns
  };
  /// A function that returns the numbers of arrays that equations define, one array after the other.
  Function function(const std::string& name, const sema::ArrayTuple& arrays);

  void prepare();
  /// Moves all parameters by this part of themselves, some up and the others down; 0: their values.
  void moveParameters(double part);
  /// Not numbers where a matrix is singular or an iteration does not converge.
  [[nodiscard]] std::vector<double> operator()(Function f, std::span<const double> memory, double t);

private:
  struct Body {
    std::string name;
    sema::ArrayTuple arrays;
  };
  const mechanics::Layer& layer_;
  std::vector<double> params_;
  std::size_t memorySize_ = 0;
  sema::ArrayTuple inputs_;
  std::vector<Body> bodies_;
  class Machine; ///< that runs them
  std::unique_ptr<Machine> machine_;
};

/// The numbers of arrays that equations define of constants alone, one array after the other; nothing where a matrix is
/// singular.
[[nodiscard]] std::optional<std::vector<double>> constantNumbers(const sym::Program& program,
                                                                 const sema::ArrayTuple& arrays);

} // namespace lmc::products
