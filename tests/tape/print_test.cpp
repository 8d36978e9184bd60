// The listing of a tape.
#include "Builder.h"

#include <gtest/gtest.h>

namespace lmc {
namespace {

using test::FunctionBuilder;
using test::V;

TEST(TapePrint, EveryForm) {
  tape::Module m;
  const int g = test::addBuffer(m, "g", runtime::Role::Params, 1);
  const int x = test::addBuffer(m, "x", runtime::Role::State, 4);
  const int a = test::addBuffer(m, "A", runtime::Role::Work, 4);
  const int w = test::addBuffer(m, "w", runtime::Role::Work, 4);
  FunctionBuilder sub(m, "scale", 1);
  const V amount = sub.argument(0);
  sub.accum(x, sub.integer(0), amount);
  const int scale = sub.finish();
  FunctionBuilder f(m, "step", 2);
  const V h = f.argument(1);
  const V n = f.integer(2);
  f.fill(a);
  const V low = f.integer(1);
  const V high = f.integer(3);
  f.loop(
      low, high,
      [&](V i) {
        const V c = f.op(tape::Op::Stumpff, {f.load(x, i)}, 2);
        f.when(f.op(tape::Op::Lt, {c, f.real(0.1)}), [&] { f.store(x, i, f.op(tape::Op::PowInt, {c * h}, -3)); });
      },
      true);
  f.kernel(tape::KernelId::CholeskyFactor, {a, w}, {n, low});
  f.call(scale, {f.load(g, 0)});
  f.failIf(f.boolean(false), runtime::NoConvergence);
  m.step = f.finish();
  ASSERT_EQ(tape::verify(m), "");
  EXPECT_EQ(tape::print(m), R"(role params size 1
role constants size 0
role state size 4
role work size 8
role output size 0
buffer g in params at 0 size 1
buffer x in state at 0 size 4
buffer A in work at 0 size 4
buffer w in work at 4 size 4
function scale(1) {
  %0 = argument 0
  %1 = int 0
  accum x %1 %0
}
function step(2) {
  %0 = argument 1
  %1 = int 2
  fill A
  %2 = int 1
  %3 = int 3
  %4 = loop down %2 %3 {
    %5 = load x %4
    %6 = stumpff 2 %5
    %7 = real 0.1
    %8 = lt %6 %7
    if %8 {
      %9 = mul %6 %0
      %10 = powint -3 %9
      store x %4 %10
    }
  }
  kernel cholesky_factor A w %1 %2
  %11 = int 0
  %12 = load g %11
  call scale %12
  %13 = bool false
  failif 3 %13
}
step step
)");
}

TEST(TapePrint, MalformedTapesPrintToo) {
  tape::Module m;
  FunctionBuilder f(m, "f", 0);
  f.call(7, {});
  f.kernel(static_cast<tape::KernelId>(99), {5}, {});
  f.finish();
  m.functions[0].blocks[0].code[0].block = 3;
  EXPECT_NE(tape::print(m).find("<function 7>"), std::string::npos);
  EXPECT_NE(tape::print(m).find("<kernel 99> <buffer 5>"), std::string::npos);
  EXPECT_NE(tape::print(m).find("<no such block>"), std::string::npos);
}

} // namespace
} // namespace lmc
