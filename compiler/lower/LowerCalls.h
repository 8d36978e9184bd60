// Calls of functions of arrays (sym::Call) on the tape.
#pragma once

#include "lower/LowerContext.h"

#include <memory>

namespace lmc::lower {

/// Functions that stand in a module once, and their calls: the numbers of the inputs are written to memory of the
/// function, it leaves its results in another, and these are read. A caller knows of the results what the function
/// knows: numbers, zeros above all, and what parameters decide are no memory, equal numbers one. With a matrix that
/// callers solve for stand its factors.
class CallLowering {
public:
  CallLowering(Scalars& scalars, ExpressionLowering& expressions, tape::Module& module)
      : s_(scalars), x_(expressions), module_(module) {}

  [[nodiscard]] bool has(const sym::Function& f) const { return routines_.contains(f.results); }
  /// Before the equations of the function are lowered: its inputs get their places.
  void beginRoutine(const sym::Function& f);
  /// Behind them: its results are written. It uses the memory from `firstBuffer` on.
  void endRoutine(const sym::Function& f, std::size_t firstBuffer, Builder& made);

  /// Before the equations of a function.
  void beginFunction() { written_.clear(); }
  /// The results of the call of which this is an equation, as far as they have places by now.
  void lower(const sym::Equation& e);
  /// Functions that are called become the last ones of the module, by `finished`, without results that nobody reads.
  void finish(const std::function<tape::Function(Builder&)>& finished);

private:
  /// A number that a function leaves: known, or at a place of its results.
  struct Result {
    std::optional<double> number;
    Scalar ofSetup; ///< none: not one
    std::int64_t place = -1;
  };
  struct Factors {
    std::size_t matrix = 0; ///< among the results
    ExpressionLowering::SymmetricFactors shape;
    std::vector<Result> inverse;
    std::vector<std::vector<Result>> columns;
  };
  struct Routine {
    std::vector<int> inputs; ///< buffers
    int results = -1;        ///< the buffer
    std::int64_t size = 0;   ///< of it
    std::vector<std::vector<Result>> values;
    std::vector<int> whole; ///< of each result the buffer where loops have written it; -1: not so
    std::vector<Factors> factors;
    std::size_t number = 0;
  };
  void keepFrom(std::size_t firstBuffer);
  [[nodiscard]] std::unordered_set<std::int64_t> placesRead(int buffer) const;
  [[nodiscard]] std::vector<Scalar> read(const Routine& r, const std::vector<Result>& results,
                                         std::vector<Scalar>& loaded);
  void put(const sym::Array* a, const std::vector<Scalar>& values);
  void copy(const sym::Array* a, int from);

  Scalars& s_;
  ExpressionLowering& x_;
  tape::Module& module_;
  std::map<std::vector<const sym::Array*>, Routine> routines_; ///< by what they give
  struct Made {
    Builder function;
    int results = -1; ///< the buffer
  };
  std::vector<Made> made_;
  std::unordered_set<const sym::Array*> written_;
};

} // namespace lmc::lower
