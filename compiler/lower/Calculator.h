// Evaluation without compiling: a tape module and its memory, executed by the interpreter.
#pragma once

#include "tape/Tape.h"

#include <algorithm>
#include <vector>

namespace lmc::lower {

/// A tape module with its memory, executed by the interpreter.
class Calculator {
public:
  explicit Calculator(tape::Module module) : module_(std::move(module)) {
    for (int r = 0; r < runtime::roleCount; ++r) {
      memory_[r].assign(static_cast<std::size_t>(std::max<std::int64_t>(module_.roleSize[r], 1)), 0.0);
      bases_.base[r] = memory_[r].data();
    }
  }
  Calculator(const Calculator& other) : Calculator(other.module_) {
    for (int r = 0; r < runtime::roleCount; ++r)
      std::copy(other.memory_[r].begin(), other.memory_[r].end(), memory_[r].begin());
  }
  Calculator& operator=(const Calculator&) = delete;
  ~Calculator() = default;
  std::int32_t run(int function, double t) { return tape::interpret(module_, function, bases_, &t); }
  std::vector<double>& at(runtime::Role r) { return memory_[static_cast<int>(r)]; }

private:
  tape::Module module_;
  std::vector<double> memory_[runtime::roleCount];
  runtime::Bases bases_;
};

} // namespace lmc::lower
