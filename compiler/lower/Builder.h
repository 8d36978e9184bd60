// Builds one tape function: scalar values with folding, shared subexpressions and hoisting out of loops.
//
// A pure value is put into the outermost open block in which its operands exist (but not out of an `If`), so what
// does not depend on a loop's index is computed before the loop.
#pragma once

#include "lower/Tape.h"

#include <array>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

namespace lmc {

class Builder {
public:
  using Value = tape::Value;

  explicit Builder(std::string name, int arguments);

  // constants and arguments
  Value real(double v);
  Value integer(std::int64_t v);
  Value boolean(bool v);
  Value argument(int position);
  [[nodiscard]] std::optional<double> constant(Value v) const;
  [[nodiscard]] std::optional<std::int64_t> constantInt(Value v) const;

  // folded real arithmetic
  Value add(Value a, Value b);
  Value sub(Value a, Value b);
  Value mul(Value a, Value b);
  Value div(Value a, Value b);
  Value neg(Value a);
  Value powInt(Value a, std::int64_t n);
  /// Any other pure operation (functions, integers, comparisons), folded where the operands are constants.
  Value pure(tape::Op op, tape::Type type, std::vector<Value> args, std::int64_t imm = 0);
  Value select(Value condition, Value a, Value b);

  // memory; a load is shared and hoisted unless `pinned` (the buffer is written in an open block)
  /// Not before the block at `minimumDepth` of the open ones, in which the buffer gets its values.
  Value load(int buffer, Value index, bool pinned, std::size_t minimumDepth = 0);
  void store(int buffer, Value index, Value value);
  void accumulate(int buffer, Value index, Value value);
  void fill(int buffer);
  void kernel(tape::KernelId id, std::vector<std::int32_t> buffers, std::vector<Value> args);
  void failIf(Value condition, std::int64_t status);
  void breakIf(Value condition); ///< leaves the innermost open loop

  // structure
  Value beginLoop(Value lo, Value hi, bool descending);
  void endLoop();
  void beginIf(Value condition);
  void endIf();
  /// Position of the innermost open block in the stack of open blocks.
  [[nodiscard]] std::size_t depth() const { return open_.size() - 1; }
  /// True if the block that holds the value is still open (the value may be used).
  [[nodiscard]] bool visible(Value v) const;
  [[nodiscard]] tape::Type type(Value v) const { return info_[v].type; }
  [[nodiscard]] std::size_t instructions() const { return info_.size(); }

  /// Keeps a name of a value for tape::Function::notes. The first one stays.
  void note(Value v, std::string name, std::string equation);

  /// Removes what nothing uses and returns the function.
  tape::Function finish();

private:
  struct Info {
    tape::Op op;
    tape::Type type;
    std::int32_t depth; ///< position in the stack of open blocks
    std::int32_t block; ///< the block that holds it
    std::int64_t imm = 0;
    double real = 0;
    std::vector<Value> args;
  };
  struct Key {
    tape::Op op;
    std::int64_t imm;
    std::uint64_t bits;
    std::int32_t buffer;
    std::vector<Value> args;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& k) const;
  };
  struct Open {
    std::int32_t block;
    bool isIf;
    std::unordered_map<Key, Value, KeyHash> table;
    tape::Instr closing; ///< the Loop or If that is appended to the outer block when this one ends
  };

  Value define(std::size_t depth, tape::Instr instr);
  Value shared(tape::Instr instr, std::uint64_t bits, std::size_t minimumDepth = 0);
  void effect(tape::Instr instr);
  [[nodiscard]] std::size_t homeDepth(const std::vector<Value>& args) const;
  [[nodiscard]] bool isZero(Value v) const { return constant(v) == 0.0; }
  std::optional<Value> foldUnary(tape::Op op, const std::vector<Value>& args, std::int64_t imm);
  std::optional<Value> foldInt(tape::Op op, const std::vector<Value>& args);
  void removeUnused();

  tape::Function function_;
  std::vector<Info> info_;
  std::vector<Open> open_;
  std::map<Value, tape::Note> notes_;
};

} // namespace lmc
