// What instructions of a function read, as quick code reads it: addresses and negations are part of those that use
// them.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <cstdint>

namespace lmc::backends::quick {

/// base + index·2^scale + offset. The base is a value, or the symbol of a global variable.
struct Address {
  const llvm::Value* base = nullptr;
  const llvm::Value* index = nullptr;
  int scale = 0;
  std::int64_t offset = 0;
};

/// All instructions, types and calls of a function are among those that quick code is made of.
[[nodiscard]] bool isSupported(const llvm::Function& f);
[[nodiscard]] bool isSupported(const llvm::Instruction& i, const llvm::DataLayout& layout);

class Uses {
public:
  explicit Uses(const llvm::Function& f);

  /// As far as it is part of a load or store.
  [[nodiscard]] Address addressOf(const llvm::Value* pointer) const;
  /// No code of its own.
  [[nodiscard]] bool isPart(const llvm::Instruction& i) const;
  /// The operand of a fused operation, and whether it is taken with the other sign.
  [[nodiscard]] std::pair<const llvm::Value*, bool> term(const llvm::IntrinsicInst& fused, unsigned k) const;
  /// The comparison that a branch makes itself; null if it tests a value.
  [[nodiscard]] const llvm::CmpInst* comparisonOf(const llvm::BranchInst& branch) const;
  /// Calls `each` with every value that an instruction reads, without constants; a terminator reads what the first
  /// instructions of its successors get from it.
  void eachRead(const llvm::Instruction& i, llvm::function_ref<void(const llvm::Value*)> each) const;
  /// Another block than its own reads the value, so that it has a place in memory.
  [[nodiscard]] bool crossesBlocks(const llvm::Value* v) const { return crossing_.contains(v); }

private:
  [[nodiscard]] Address step(const llvm::GetElementPtrInst& g) const;

  const llvm::DataLayout& layout_;
  llvm::DenseSet<const llvm::Value*> addresses_; ///< that somebody needs as values
  llvm::DenseSet<const llvm::Value*> crossing_;
};

} // namespace lmc::backends::quick
