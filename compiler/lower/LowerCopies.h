// Between memory in which an array stands element after element, such as the state, and what loops read and write.
#pragma once

#include "lower/Lower.h"
#include "lower/LowerContext.h"

namespace lmc::lower {

class MemoryCopies {
public:
  MemoryCopies(const sym::Program& program, Scalars& scalars, ExpressionLowering& expressions, tape::Module& module)
      : p_(program), s_(scalars), x_(expressions), module_(module) {}

  /// Families of the state that more than one loop reads are copied, with their entries separate: loops find what they
  /// read side by side, where each of them would have to gather it. An equation that only gives such a family another
  /// name gets no code and is taken out: its array is the copy. To be called before `equations` and those in the bodies
  /// of their iterations are lowered; `stacked` arrays stay as they are.
  void separateInputs(std::vector<std::size_t>& equations, const Bodies& bodies,
                      const std::unordered_set<const sym::Array*>& stacked);

  /// Outputs that are made in their buffers and not copied, if they are in memory: coefficients of series, and within a
  /// step, where nobody looks at them if it fails, all numbers one after the other. Nothing that is read stands there.
  /// To be called before the equations are lowered.
  void place(const std::vector<std::size_t>& equations, const std::vector<OutputBinding>& outputs, bool inStep);
  /// The buffer of such an output; -1 of all others.
  [[nodiscard]] int inPlace(const sym::Array* a) const;

  /// Writes the outputs' values, which are complete, into their buffers: an output may overwrite an input.
  void write(const std::vector<OutputBinding>& outputs);

private:
  using Counts = std::unordered_map<const sym::Array*, int>;

  void count(const std::vector<std::size_t>& equations, const Bodies& bodies, int weight, Counts& loops) const;
  [[nodiscard]] bool isJoined(const sym::Array* a, const Place& p) const;
  [[nodiscard]] const sym::Array* renamed(const sym::Equation& e) const;
  [[nodiscard]] bool readsFrom(const std::vector<std::size_t>& equations, const std::vector<OutputBinding>& outputs,
                               const OutputBinding& o) const;
  int bufferOf(const OutputBinding& o);

  const sym::Program& p_;
  Scalars& s_;
  ExpressionLowering& x_;
  tape::Module& module_;
  std::unordered_map<const sym::Array*, int> inPlace_;
};

} // namespace lmc::lower
