// Appends instructions to a list that becomes a block, where a function is changed.
#pragma once

#include "tape/Tape.h"

#include <utility>
#include <vector>

namespace lmc::tape {

class Writer {
public:
  /// Values are those of `f`; the list is none of its blocks, as these move when one is added.
  Writer(Function& f, std::vector<Instr>& to) : f_(f), to_(to) {}

  Value value(Op op, Type type, std::vector<Value> args, std::int64_t imm = 0, std::int32_t buffer = -1) {
    Instr i = make(op, type, f_.values++, std::move(args));
    i.imm = imm;
    i.buffer = buffer;
    to_.push_back(std::move(i));
    return to_.back().result;
  }
  Value integer(std::int64_t x) { return value(Op::ConstInt, Type::Int, {}, x); }
  Value integer(Op op, Value a, Value b) { return value(op, Type::Int, {a, b}); }
  Value real(double x) {
    const Value v = value(Op::ConstReal, Type::Real, {});
    to_.back().real = x;
    return v;
  }
  Value load(std::int32_t buffer, Value at) { return value(Op::Load, Type::Real, {at}, 0, buffer); }
  void store(std::int32_t buffer, Value at, Value x) { write(Op::Store, buffer, at, x); }
  void accumulate(std::int32_t buffer, Value at, Value x) { write(Op::Accum, buffer, at, x); }

  /// A loop with a new block, which is empty. It is not appended yet.
  Instr loop(Value low, Value high, std::int64_t direction = 1) {
    const auto block = static_cast<std::int32_t>(f_.blocks.size());
    f_.blocks.emplace_back();
    return loop(low, high, direction, block);
  }
  Instr loop(Value low, Value high, std::int64_t direction, std::int32_t block) {
    Instr i = make(Op::Loop, Type::Int, f_.values++, {low, high});
    i.imm = direction;
    i.block = block;
    return i;
  }
  void append(const Instr& i) { to_.push_back(i); }

  static Instr make(Op op, Type type, Value result, std::vector<Value> args) {
    Instr i;
    i.op = op;
    i.type = type;
    i.result = result;
    i.args = std::move(args);
    return i;
  }

private:
  void write(Op op, std::int32_t buffer, Value at, Value x) {
    Instr i = make(op, Type::Void, none, {at, x});
    i.buffer = buffer;
    to_.push_back(std::move(i));
  }

  Function& f_;
  std::vector<Instr>& to_;
};

} // namespace lmc::tape
