// Writes tapes by hand, for tests: values with operators, blocks as lambdas.
#pragma once

#include "tape/TapeOps.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace lmc::test {

class FunctionBuilder;

/// A value of the function being built.
struct V {
  FunctionBuilder* f = nullptr;
  tape::Value id = tape::none;
};

class FunctionBuilder {
public:
  FunctionBuilder(tape::Module& m, const std::string& name, int arguments) : module_(m) {
    f_.name = name;
    f_.arguments = arguments;
    f_.blocks.emplace_back();
  }

  /// Adds the function to the module; returns its index.
  int finish() {
    module_.functions.push_back(f_);
    return static_cast<int>(module_.functions.size()) - 1;
  }

  V real(double x) {
    tape::Instr i = make(tape::Op::ConstReal, tape::Type::Real, {});
    i.real = x;
    return add(i);
  }
  V integer(std::int64_t n) { return op(tape::Op::ConstInt, {}, n); }
  V boolean(bool b) { return op(tape::Op::ConstBool, {}, b ? 1 : 0); }
  V argument(int n) { return op(tape::Op::Argument, {}, n); }

  V op(tape::Op o, const std::vector<V>& args, std::int64_t imm = 0) {
    return typed(o, tape::info(o).result, args, imm);
  }
  V typed(tape::Op o, tape::Type type, const std::vector<V>& args, std::int64_t imm = 0) {
    tape::Instr i = make(o, type, args);
    i.imm = imm;
    return add(i);
  }
  V select(V c, V a, V b, tape::Type type = tape::Type::Real) { return typed(tape::Op::Select, type, {c, a, b}); }

  V load(int buffer, V index) { return memory(tape::Op::Load, buffer, {index}); }
  V load(int buffer, std::int64_t index) { return load(buffer, integer(index)); }
  void store(int buffer, V index, V x) { memory(tape::Op::Store, buffer, {index, x}); }
  void store(int buffer, std::int64_t index, V x) { store(buffer, integer(index), x); }
  void accum(int buffer, V index, V x) { memory(tape::Op::Accum, buffer, {index, x}); }
  void fill(int buffer) { memory(tape::Op::Fill, buffer, {}); }

  void loop(V low, V high, const std::function<void(V)>& body, bool down = false) {
    tape::Instr i = make(tape::Op::Loop, tape::Type::Int, {low, high});
    i.imm = down ? -1 : 1;
    nest(i, [&] { body(V{this, i.result}); });
  }
  void when(V condition, const std::function<void()>& body) {
    tape::Instr i = make(tape::Op::If, tape::Type::Void, {condition});
    nest(i, body);
  }

  void call(int function, const std::vector<V>& args) { op(tape::Op::Call, args, function); }
  void kernel(tape::KernelId k, const std::vector<std::int32_t>& buffers, const std::vector<V>& args) {
    tape::Instr i = make(tape::Op::Kernel, tape::Type::Void, args);
    i.imm = static_cast<std::int64_t>(k);
    i.buffers = buffers;
    add(i);
  }
  void breakIf(V condition) { op(tape::Op::BreakIf, {condition}); }
  void failIf(V condition, std::int64_t status) { op(tape::Op::FailIf, {condition}, status); }

private:
  tape::Instr make(tape::Op o, tape::Type type, const std::vector<V>& args) {
    tape::Instr i;
    i.op = o;
    i.type = type;
    if (type != tape::Type::Void) i.result = f_.values++;
    for (const V& a : args) i.args.push_back(a.id);
    return i;
  }
  V add(const tape::Instr& i) {
    f_.blocks[current_].code.push_back(i);
    return {this, i.result};
  }
  V memory(tape::Op o, int buffer, const std::vector<V>& args) {
    tape::Instr i = make(o, tape::info(o).result, args);
    i.buffer = buffer;
    return add(i);
  }
  void nest(tape::Instr i, const std::function<void()>& body) {
    i.block = static_cast<std::int32_t>(f_.blocks.size());
    add(i);
    f_.blocks.emplace_back();
    const std::size_t outer = std::exchange(current_, f_.blocks.size() - 1);
    body();
    current_ = outer;
  }

  tape::Module& module_;
  tape::Function f_;
  std::size_t current_ = 0;
};

inline V operator+(V a, V b) {
  return a.f->op(tape::Op::Add, {a, b});
}
inline V operator-(V a, V b) {
  return a.f->op(tape::Op::Sub, {a, b});
}
inline V operator*(V a, V b) {
  return a.f->op(tape::Op::Mul, {a, b});
}
inline V operator/(V a, V b) {
  return a.f->op(tape::Op::Div, {a, b});
}
inline V operator-(V a) {
  return a.f->op(tape::Op::Neg, {a});
}

/// Adds a buffer at the end of its role; returns its index.
inline int addBuffer(tape::Module& m, const std::string& name, runtime::Role role, std::int64_t size) {
  std::int64_t& end = m.roleSize[static_cast<int>(role)];
  m.buffers.push_back({name, role, end, size});
  end += size;
  return static_cast<int>(m.buffers.size()) - 1;
}

/// Memory for all roles of a module, filled with a value.
struct Memory {
  explicit Memory(const tape::Module& m, double x = 0.0) {
    for (int r = 0; r < runtime::roleCount; ++r) {
      data[r].assign(static_cast<std::size_t>(m.roleSize[r]), x);
    }
  }
  runtime::Bases bases() {
    runtime::Bases b;
    for (int r = 0; r < runtime::roleCount; ++r) b.base[r] = data[r].data();
    return b;
  }
  std::vector<double>& of(runtime::Role r) { return data[static_cast<int>(r)]; }
  std::vector<double> data[runtime::roleCount];
};

} // namespace lmc::test
