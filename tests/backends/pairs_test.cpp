// Two numbers that stand side by side are worked on at once, with the same bits.
#include "Builder.h"
#include "RandomTape.h"
#include "jit/Compile.h"

#include <gtest/gtest.h>

namespace lmc {
namespace {

using runtime::Role;
using test::FunctionBuilder;
using test::V;

/// The optimised IR of the first function, whose results are those of the interpreter without fused operations, bit by
/// bit, and of the quick code.
std::string compared(const tape::Module& m) {
  const double arguments[1] = {0.375};
  const test::Memory begin = test::filled(m, 7);
  test::Memory expected = begin;
  EXPECT_EQ(tape::interpret(m, 0, expected.bases(), arguments), 0);
  std::string ir;
  std::vector<std::vector<std::uint64_t>> results;
  for (const bool contract : {false, true})
    for (const jit::Tiers tiers : {jit::Tiers::Quick, jit::Tiers::Optimised}) {
      jit::CompileOptions options;
      options.useCache = false;
      options.tiers = tiers;
      options.contract = contract;
      options.keepIr = tiers == jit::Tiers::Optimised;
      const auto code = jit::compile(m, options);
      test::Memory memory = begin;
      EXPECT_EQ(code->function(0)(memory.bases().base, arguments), 0);
      if (!contract) EXPECT_EQ(test::bits(m, memory), test::bits(m, expected));
      results.push_back(test::bits(m, memory));
      ir = code->ir();
    }
  EXPECT_EQ(results[2], results[3]);
  return ir;
}

std::size_t count(const std::string& text, const std::string& wanted) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(wanted, at)) != std::string::npos; at += wanted.size()) ++n;
  return n;
}

/// Cross products of three vectors with one, of two members, whose numbers take turns in memory.
tape::Module crossProducts(std::int64_t first) {
  tape::Module m;
  const int in = test::addBuffer(m, "in", Role::Output, 24); // where f finds its point
  const int out = test::addBuffer(m, "out", Role::Output, 32);
  FunctionBuilder f(m, "f", 1);
  for (std::int64_t k = 0; k < first; ++k) f.store(out, k, f.load(in, k) + f.argument(0));
  const auto at = [&](std::int64_t vector, std::int64_t k, std::int64_t member) {
    return f.load(in, 2 * (3 * vector + k) + member);
  };
  for (std::int64_t vector = 1; vector < 4; ++vector)
    for (std::int64_t k = 0; k < 3; ++k)
      for (std::int64_t member = 0; member < 2; ++member)
        f.store(out, first + 2 * (3 * vector - 3 + k) + member,
                at(vector, (k + 1) % 3, member) * at(0, (k + 2) % 3, member) -
                    at(vector, (k + 2) % 3, member) * at(0, (k + 1) % 3, member));
  for (std::int64_t k = first + 18; k < 32; ++k) f.store(out, k, f.load(in, k - first - 18) - f.argument(0));
  f.finish();
  return m;
}

TEST(Pairs, NumbersOfTwoMembers) {
  const std::string ir = compared(crossProducts(0));
  EXPECT_GE(count(ir, "fmul <2 x double>"), 9U);
  EXPECT_EQ(count(ir, "fmul double"), 0U);
}

/// What a loop reads as a vector of eight is stored as one, whichever pairs it consists of: a pair may go into two.
TEST(Pairs, AreStoredAsVectorsOfLoops) {
  for (const std::int64_t first : {0, 1, 3}) {
    SCOPED_TRACE(first);
    const std::string ir = compared(crossProducts(first));
    EXPECT_GE(count(ir, "fmul <2 x double>"), 9U);
    EXPECT_EQ(count(ir, "store <8 x double>"), 4U);
    EXPECT_EQ(count(ir, "store <2 x double>"), 0U);
    EXPECT_EQ(count(ir, "store double"), 0U);
  }
}

} // namespace
} // namespace lmc
