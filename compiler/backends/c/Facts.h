// What is known of the values and the memory of a function before it is printed.
#pragma once

#include "tape/Tape.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace lmc::backends {

struct ValueFacts {
  std::size_t uses = 0;
  std::int32_t block = -1; ///< where it is defined
  bool elsewhere = false;  ///< used in another block
};

class FunctionFacts {
public:
  /// Module and function must outlive it.
  FunctionFacts(const tape::Module& module, const tape::Function& f);
  [[nodiscard]] const ValueFacts& operator[](tape::Value v) const { return values_[v]; }
  /// Whether the function writes a buffer, or one that it calls does.
  [[nodiscard]] bool writes(std::int32_t buffer) const { return written_.contains(buffer); }
  /// Adds the buffers that an instruction writes, with what stands inside of it.
  void addWrittenBy(const tape::Instr& i, std::set<std::int32_t>& out) const;

private:
  void collect(std::int32_t block);
  [[nodiscard]] std::set<std::int32_t> writtenBy(const tape::Instr& i) const;

  const tape::Module& module_;
  const tape::Function& f_;
  std::vector<ValueFacts> values_;
  std::set<std::int32_t> written_;
};

/// Whether the text of a function may call a function of this name.
[[nodiscard]] bool functionLike(const std::string& name);

} // namespace lmc::backends
