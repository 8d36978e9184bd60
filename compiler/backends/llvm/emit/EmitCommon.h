// What code for one trajectory and code for many lanes are made of alike.
#pragma once

#include "tape/Tape.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <vector>

namespace lmc::codegen {

/// Keys of values that instructions of one operand share. Orders of Stumpff functions take 0…64.
inline constexpr std::uint64_t sineKey = 100;
inline constexpr std::uint64_t cosineKey = 101;
[[nodiscard]] constexpr std::uint64_t sharedKey(tape::Value operand, std::uint64_t function) {
  return std::uint64_t{operand} << 8U | function;
}

/// The base of the state among those of a call.
inline constexpr unsigned stateRole = static_cast<unsigned>(tape::Role::State);

/// 1/k!
[[nodiscard]] double inverseFactorial(int k);

/// The hidden table of external functions that the loader fills.
[[nodiscard]] llvm::GlobalVariable* makeFunctionTable(llvm::Module& module);

/// Per buffer a tag that says that it overlaps no other one; those of Params are constant.
[[nodiscard]] std::vector<llvm::MDNode*> makeAliasTags(const tape::Module& tape, llvm::LLVMContext& context);

/// A comparison or logical operation, of scalars or of vectors; b of `Not` is not looked at.
[[nodiscard]] llvm::Value* logicOf(llvm::IRBuilder<>& builder, tape::Op op, llvm::Value* a, llvm::Value* b);

} // namespace lmc::codegen
