// Every rule of the verifier, broken once.
#include "Builder.h"

#include <gtest/gtest.h>

namespace lmc {
namespace {

using tape::Op;
using test::FunctionBuilder;
using test::V;

/// A module with one buffer per role and a matrix, and a function that `body` writes.
class Sample {
public:
  Sample() {
    test::addBuffer(m, "p", runtime::Role::Params, 2);
    test::addBuffer(m, "c", runtime::Role::Constants, 2);
    test::addBuffer(m, "x", runtime::Role::State, 3);
    test::addBuffer(m, "A", runtime::Role::Work, 9);
    test::addBuffer(m, "b", runtime::Role::Work, 3);
  }
  template <typename Body> Sample(Body body) : Sample() { add("f", 2, body); }
  template <typename Body> int add(const char* name, int arguments, Body body) {
    FunctionBuilder f(m, name, arguments);
    body(f);
    return f.finish();
  }
  tape::Instr& at(std::size_t instruction, std::size_t block = 0) {
    return m.functions[0].blocks[block].code[instruction];
  }
  tape::Module m;
};

void expect(const Sample& s, const char* part) {
  const std::string message = tape::verify(s.m);
  EXPECT_NE(message.find(part), std::string::npos) << "got: " << message;
}

Sample sum() {
  return Sample([](FunctionBuilder& f) {
    const V one = f.real(1);
    const V x = f.argument(0);
    f.store(2, 0, one + x);
  });
}

TEST(TapeVerify, Accepts) {
  EXPECT_EQ(tape::verify(sum().m), "");
  EXPECT_EQ(tape::verify(tape::Module{}), "");
}

TEST(TapeVerify, Operands) {
  Sample s = sum();
  s.at(2).args[1] = 77;
  expect(s, "does not exist");
  s = sum();
  std::swap(s.at(0), s.at(2));
  expect(s, "used before its definition");
  s = sum();
  s.at(2).args.pop_back();
  expect(s, "takes 2 operands, not 1");
  s = Sample([](FunctionBuilder& f) { f.op(Op::Add, {f.real(1), f.integer(1)}); });
  expect(s, "is int, not real");
  s = Sample([](FunctionBuilder& f) { f.select(f.boolean(true), f.real(1), f.integer(2)); });
  expect(s, "is int, not real");
}

TEST(TapeVerify, Results) {
  Sample s = sum();
  s.at(1).result = 0;
  expect(s, "is defined twice");
  s = sum();
  s.at(2).type = tape::Type::Int;
  expect(s, "its type is real, not int");
  s = sum();
  s.at(2).result = tape::none;
  expect(s, "not one of the function's values");
  s = sum();
  s.at(4).result = 0;
  expect(s, "has no result");
  s = Sample([](FunctionBuilder& f) { f.op(Op::Add, {f.real(1), f.real(1)}); });
  s.at(2).op = static_cast<Op>(200);
  expect(s, "unknown operation");
}

TEST(TapeVerify, Scopes) {
  V inner;
  Sample s([&](FunctionBuilder& f) {
    f.when(f.boolean(true), [&] { inner = f.real(1); });
    f.op(Op::Neg, {inner});
  });
  expect(s, "defined in a block that does not enclose its use");
  s = Sample([&](FunctionBuilder& f) {
    f.loop(f.integer(0), f.integer(1), [&](V i) { inner = i; });
    f.op(Op::INeg, {inner});
  });
  expect(s, "defined in a block that does not enclose its use");
}

TEST(TapeVerify, Blocks) {
  const auto two = [](FunctionBuilder& f) {
    f.when(f.boolean(true), [] {});
    f.when(f.boolean(true), [] {});
  };
  Sample s(two);
  s.at(3).block = 1;
  expect(s, "block 1 is used twice");
  s = Sample(two);
  s.at(3).block = 0;
  expect(s, "block 0 is used twice");
  s = Sample(two);
  s.at(3).block = 9;
  expect(s, "block 9 does not exist");
  s = Sample(two);
  s.at(3).block = -1;
  expect(s, "has no block");
  s = sum();
  s.at(0).block = 0;
  expect(s, "cannot have a block");
  s = Sample([](FunctionBuilder& f) { f.loop(f.integer(0), f.integer(1), [](V) {}); });
  s.at(2).imm = 5;
  expect(s, "the direction must be 1 or -1");
  s = Sample([](FunctionBuilder& f) {
    f.loop(f.integer(0), f.integer(1), [&](V) { f.breakIf(f.op(tape::Op::Lt, {f.real(1), f.real(2)})); });
  });
  for (tape::Instr& i : s.m.functions[0].blocks[0].code)
    if (i.op == tape::Op::Loop) i.imm = 2;
  expect(s, "stands in a turn that may be made together with others");
  s = sum();
  s.m.functions[0].blocks.clear();
  expect(s, "no body");
}

TEST(TapeVerify, Immediates) {
  expect(Sample([](FunctionBuilder& f) { f.argument(2); }), "the function has no argument 2");
  expect(Sample([](FunctionBuilder& f) { f.op(Op::Stumpff, {f.real(1)}, 61); }), "the order must be in 0..60");
  expect(Sample([](FunctionBuilder& f) { f.failIf(f.boolean(true), 0); }), "the status must be positive");
  expect(Sample([](FunctionBuilder& f) { f.typed(Op::Select, tape::Type::Void, {}); }), "takes 3 operands");
}

TEST(TapeVerify, Memory) {
  expect(Sample([](FunctionBuilder& f) { f.load(2, 3); }), "index 3 is outside x, which has 3 elements");
  expect(Sample([](FunctionBuilder& f) { f.load(2, -1); }), "index -1 is outside x");
  expect(Sample([](FunctionBuilder& f) { f.load(9, 0); }), "buffer 9 does not exist");
  expect(Sample([](FunctionBuilder& f) { f.store(0, 0, f.real(1)); }), "parameters are read only, but p is written");
  expect(Sample([](FunctionBuilder& f) { f.fill(0); }), "parameters are read only");
}

TEST(TapeVerify, Buffers) {
  Sample s = sum();
  s.m.buffers[4].offset = 5;
  expect(s, "buffers A and b overlap");
  s = sum();
  s.m.buffers[4].size = 4;
  expect(s, "buffer b lies outside its role");
  s = sum();
  s.m.buffers[0].role = static_cast<runtime::Role>(9);
  expect(s, "unknown role");
}

TEST(TapeVerify, Kernels) {
  using tape::KernelId;
  expect(Sample([](FunctionBuilder& f) {
           f.kernel(tape::KernelId::CholeskyFactor, {3, 4}, {f.integer(4), f.integer(1)});
         }),
         "A has 9 elements, 16 are needed");
  expect(Sample([](FunctionBuilder& f) {
           f.kernel(tape::KernelId::CholeskySolve, {3}, {f.integer(3), f.integer(1)});
         }),
         "takes 3 buffers and 2 integers");
  expect(Sample([](FunctionBuilder& f) {
           f.kernel(tape::KernelId::CholeskySolve, {3, 4, 3}, {f.integer(1), f.integer(1)});
         }),
         "must be different");
  expect(Sample([](FunctionBuilder& f) {
           f.kernel(tape::KernelId::CholeskySolve, {3, 4, 0}, {f.integer(1), f.integer(1)});
         }),
         "parameters are read only");
  expect(Sample([](FunctionBuilder& f) {
           f.kernel(tape::KernelId::LuFactor, {3, 4}, {f.real(3)});
         }),
         "is real, not int");
  expect(Sample([](FunctionBuilder& f) {
           f.kernel(tape::KernelId::LuFactor, {3, 4}, {f.integer(-1)});
         }),
         "dimension is out of range");
  expect(Sample([](FunctionBuilder& f) { f.kernel(static_cast<tape::KernelId>(17), {}, {}); }),
         "kernel 17 does not exist");
}

TEST(TapeVerify, Calls) {
  expect(Sample([](FunctionBuilder& f) { f.call(5, {}); }), "function 5 does not exist");
  expect(Sample([](FunctionBuilder& f) { f.call(0, {f.real(1)}); }), "f takes 2 arguments, not 1");
  expect(Sample([](FunctionBuilder& f) { f.call(0, {f.real(1), f.real(1)}); }), "function f calls itself");
}

TEST(TapeVerify, Step) {
  Sample s = sum();
  s.m.step = 3;
  expect(s, "the step function does not exist");
  s = Sample();
  s.m.step = s.add("f", 1, [](FunctionBuilder&) {});
  expect(s, "a step takes the arguments t and h");
  s = Sample();
  s.add("setup", 0, [](FunctionBuilder& f) { f.store(1, 0, f.real(1)); });
  s.m.step = s.add("f", 2, [](FunctionBuilder& f) { f.call(0, {}); });
  expect(s, "a step must not write constants");
}

} // namespace
} // namespace lmc
