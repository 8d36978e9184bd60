// Builds one tape function: scalar values with folding, shared subexpressions and hoisting out of loops.
//
// A pure value is put into the outermost open block in which its operands exist (but not out of an `If`), so what
// does not depend on a loop's index is computed before the loop.
#pragma once

#include "tape/Tape.h"

#include <array>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace lmc::lower {

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
  Value pure(tape::Op op, tape::Type type, std::span<const Value> args, std::int64_t imm = 0);
  Value pure(tape::Op op, tape::Type type, std::initializer_list<Value> args, std::int64_t imm = 0) {
    return pure(op, type, std::span<const Value>(args.begin(), args.size()), imm);
  }
  Value select(Value condition, Value a, Value b);

  // memory; a load is shared and hoisted unless `pinned` (the buffer is written in an open block)
  /// Not before the block at `minimumDepth` of the open ones, in which the buffer gets its values.
  Value load(int buffer, Value index, bool pinned, std::size_t minimumDepth = 0);
  void store(int buffer, Value index, Value value);
  /// With `inOrder`, terms are added in the order in which they come.
  void accumulate(int buffer, Value index, Value value, bool inOrder = false);
  void fill(int buffer);
  void kernel(tape::KernelId id, std::vector<std::int32_t> buffers, std::vector<Value> args);
  void call(int function, std::vector<Value> args); ///< another function of the module
  void failIf(Value condition, std::int64_t status);
  void breakIf(Value condition); ///< leaves the innermost open loop

  // structure
  Value beginLoop(Value lo, Value hi, bool descending);
  /// A loop whose turns outside of a row of a list of pairs (lmc_near_update) do nothing.
  Value beginListedLoop(Value lo, Value hi, int list, Value row);
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

  /// Removes what nothing uses and returns the function. `ownMemory` tells of which buffers nobody else reads what the
  /// function writes: what it does not read itself either is not written.
  tape::Function finish(const std::function<bool(std::int32_t)>& ownMemory = {});

private:
  /// What defines a value. Nothing here is on the heap: there is one for each of many thousand values.
  struct Info {
    tape::Op op = tape::Op::ConstReal;
    tape::Type type = tape::Type::Real;
    std::uint8_t count = 0;   ///< of operands
    std::int32_t depth = 0;   ///< position in the stack of open blocks
    std::int32_t block = 0;   ///< the block that holds it
    std::int32_t buffer = -1; ///< of a load
    std::int64_t imm = 0;
    double real = 0;
    std::array<Value, 3> args{}; ///< no pure operation has more

    /// The same operation on the same operands; constants by their bits.
    [[nodiscard]] bool same(const Info& other) const;
    [[nodiscard]] std::size_t hash() const;
  };
  /// Values by what defines them: a hash table of the values alone.
  class Table {
  public:
    /// The value that `wanted` defines, or none.
    [[nodiscard]] Value find(const std::vector<Info>& info, const Info& wanted, std::size_t hash) const;
    void insert(const std::vector<Info>& info, Value v, std::size_t hash);

  private:
    std::vector<Value> slots_; ///< a power of two of them; none: free
    std::size_t used_ = 0;
  };
  struct Open {
    std::int32_t block;
    bool isIf;
    Table table;
    tape::Instr closing; ///< the Loop or If that is appended to the outer block when this one ends
  };

  Value define(std::size_t depth, Info info);
  Value shared(Info info, std::size_t minimumDepth = 0);
  /// A constant or an argument: in scope everywhere, so it goes to the function's first block.
  Value everywhere(const Info& info);
  void effect(tape::Instr instr);
  [[nodiscard]] std::size_t homeDepth(const Info& info) const;
  [[nodiscard]] bool isZero(Value v) const { return constant(v) == 0.0; }
  std::optional<Value> foldUnary(tape::Op op, std::span<const Value> args, std::int64_t imm);
  std::optional<Value> foldInt(tape::Op op, std::span<const Value> args);
  void removeUnread(const std::function<bool(std::int32_t)>& ownMemory);

  tape::Function function_;
  std::vector<Info> info_;
  std::vector<Open> open_;
  std::vector<Value> integers_;                ///< the first natural numbers, as far as they have been asked for
  Value zero_ = tape::none, one_ = tape::none; ///< the real numbers, likewise
  std::map<Value, tape::Note> notes_;
};

} // namespace lmc::lower
