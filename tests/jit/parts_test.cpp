// Modules whose functions are made in several objects at once: the same bits as in one.
#include "RandomTape.h"
#include "base/Budget.h"
#include "jit/Cache.h"
#include "jit/Compile.h"
#include "jit/Key.h"
#include "jit/Parts.h"
#include "tape/TapeCost.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <stdexcept>
#include <thread>
#include <unistd.h>

namespace lmc {
namespace {

namespace fs = std::filesystem;

/// The statuses of all functions and of five steps, and the bits of memory behind each.
std::vector<std::uint64_t> everythingOf(const tape::Module& m, const runtime::Compiled& code, unsigned seed) {
  std::vector<std::uint64_t> all;
  const auto note = [&](std::int32_t status, const test::Memory& memory) {
    const std::vector<std::uint64_t> bits = test::bits(m, memory);
    all.push_back(static_cast<std::uint32_t>(status));
    all.insert(all.end(), bits.begin(), bits.end());
  };
  const double arguments[3] = {0.25, -1.5, 0.75};
  for (int f = 0; f < static_cast<int>(m.functions.size()); ++f) {
    test::Memory memory = test::filled(m, seed);
    note(code.function(f)(memory.bases().base, arguments), memory);
  }
  double t = 0.1;
  std::int64_t done = 0;
  test::Memory memory = test::filled(m, seed);
  note(code.advance()(memory.bases().base, &t, 0.07, 5, &done), memory);
  all.push_back(static_cast<std::uint64_t>(done));
  return all;
}

class Parts : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "lmc-parts-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    options.cacheDirectory = pattern;
  }
  void TearDown() override {
    std::error_code ignored;
    fs::remove_all(options.cacheDirectory, ignored);
  }
  /// As many objects as the cache keeps of a module.
  [[nodiscard]] std::size_t objectsOf(const tape::Module& m) const {
    return jit::separated(jit::Cache(options.cacheDirectory).find(jit::cacheKey(m, options)).value()).size();
  }
  void forget() const {
    for (const auto& file : fs::directory_iterator(options.cacheDirectory)) fs::remove(file);
  }

  jit::CompileOptions options;
};

TEST_F(Parts, HaveTheBitsOfTheWhole) {
  int several = 0;
  for (unsigned seed = 0; seed < 4; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const test::RandomTape tape(seed, test::Exactness::Rounded, 25);
    options.threads = 1;
    options.tiers = jit::Tiers::Optimised;
    const std::vector<std::uint64_t> whole = everythingOf(tape.module, *jit::compile(tape.module, options), seed);
    EXPECT_EQ(objectsOf(tape.module), 1U);
    for (const int threads : {2, 8})
      for (const jit::Tiers tiers : {jit::Tiers::Optimised, jit::Tiers::QuickFirst}) {
        forget();
        options.threads = threads;
        options.tiers = tiers;
        const auto code = jit::compile(tape.module, options);
        ASSERT_EQ(everythingOf(tape.module, *code, seed), whole) << threads;
        EXPECT_EQ(code->settle().trouble, "");
        ASSERT_EQ(everythingOf(tape.module, *code, seed), whole) << threads;
        const auto cached = jit::compile(tape.module, options);
        EXPECT_TRUE(cached->fromCache());
        ASSERT_EQ(everythingOf(tape.module, *cached, seed), whole) << threads;
        if (objectsOf(tape.module) > 1) ++several;
      }
    options.link = jit::LinkMode::Llvm;
    EXPECT_EQ(everythingOf(tape.module, *jit::compile(tape.module, options), seed), whole);
    options.link = jit::LinkMode::Own;
    forget();
  }
  EXPECT_GT(several, 10) << "they are made in one piece";
}

TEST_F(Parts, HaveEachFunctionOnce) {
  const test::RandomTape shortOne(3, test::Exactness::Exact), longOne(3, test::Exactness::Exact, 60);
  EXPECT_EQ(jit::partsOf(shortOne.module, 8).size(), 1U);
  EXPECT_EQ(jit::partsOf(longOne.module, 1).size(), 1U);
  const tape::Module& m = longOne.module;
  std::size_t longest = 0, all = 0;
  for (const tape::Function& f : m.functions) {
    longest = std::max(longest, tape::lengthOf(f));
    all += tape::lengthOf(f);
  }
  const auto parts = jit::partsOf(m, 2);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts, jit::partsOf(m, 2));
  for (std::size_t f = 0; f < m.functions.size(); ++f) EXPECT_NE(parts[0][f], parts[1][f]);
  for (const auto& p : parts) {
    std::size_t length = 0;
    for (std::size_t f = 0; f < m.functions.size(); ++f)
      if (p[f]) length += tape::lengthOf(m.functions[f]);
    EXPECT_LE(length, std::max(longest, all / 2 + longest / 2));
  }
  EXPECT_LE(jit::partsOf(m, 100).size(), m.functions.size());
  EXPECT_EQ(jit::partsOf({}, 4).size(), 1U);
}

/// A function of t and h that adds 1 so many times to a number in memory, and then calls another one (-1: none).
tape::Function adding(int count, int callee) {
  using tape::Op;
  tape::Function f;
  f.name = "adding";
  f.arguments = 2;
  f.blocks.emplace_back();
  const auto append = [&](Op op, tape::Type type, std::vector<tape::Value> args, std::int64_t imm = 0) {
    tape::Instr i;
    i.op = op;
    i.type = type;
    i.args = std::move(args);
    i.imm = imm;
    if (op == Op::ConstReal) i.real = 1;
    if (op == Op::Load || op == Op::Store) i.buffer = 0;
    if (type != tape::Type::Void) i.result = f.values++;
    f.blocks[0].code.push_back(i);
    return i.result;
  };
  const tape::Value place = append(Op::ConstInt, tape::Type::Int, {}),
                    one = append(Op::ConstReal, tape::Type::Real, {});
  tape::Value x = append(Op::Load, tape::Type::Real, {place});
  for (int k = 0; k < count; ++k) x = append(Op::Add, tape::Type::Real, {x, one});
  append(Op::Store, tape::Type::Void, {place, x});
  if (callee < 0) return f;
  const tape::Value t = append(Op::Argument, tape::Type::Real, {}, 0),
                    h = append(Op::Argument, tape::Type::Real, {}, 1);
  append(Op::Call, tape::Type::Void, {t, h}, callee);
  return f;
}

/// What is short stands in each caller, and so what it calls is called from wherever a caller is.
TEST_F(Parts, CallWhatFunctionsCallThatAreInlined) {
  tape::Module m;
  m.buffers.push_back({"x", runtime::Role::Output, 0, 1});
  m.roleSize[static_cast<int>(runtime::Role::Output)] = 1;
  m.functions = {adding(1, -1), adding(3000, -1), adding(1, 1), adding(2000, 2), adding(1500, 2)};
  m.functions[1].inner = m.functions[2].inner = true; // what is long, and what is short and calls it
  ASSERT_EQ(tape::verify(m), "");
  options.threads = 2;
  const auto parts = jit::partsOf(m, 2);
  ASSERT_EQ(parts.size(), 2U);
  ASSERT_EQ(parts[0], (std::vector<bool>{true, true, true, false, false})) << "the callers are in the other part";
  for (const jit::Tiers tiers : {jit::Tiers::Optimised, jit::Tiers::QuickFirst}) {
    options.tiers = tiers;
    const auto code = jit::compile(m, options);
    for (const auto& [function, sum] : {std::pair(3, 5001.0), std::pair(4, 4501.0)}) {
      double x = 0;
      runtime::Bases bases{};
      bases.base[static_cast<int>(runtime::Role::Output)] = &x;
      const double arguments[] = {0, 0};
      EXPECT_EQ(code->function(function)(bases.base, arguments), runtime::Ok);
      EXPECT_EQ(x, sum);
    }
    EXPECT_EQ(code->settle().trouble, "");
    forget();
  }
}

TEST_F(Parts, AreMadeAtOnceAndTellWhatWentWrong) {
  std::atomic<int> running = 0, most = 0;
  jit::atOnce(4, [&](std::size_t) {
    const int now = ++running;
    for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
    }
    for (int k = 0; k < 1000 && most < 2; ++k) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    --running;
  });
  EXPECT_GT(most, 1);
  std::atomic<int> done = 0;
  const auto failing = [&](std::size_t k) {
    ++done;
    if (k >= 2) throw std::runtime_error("part " + std::to_string(k));
  };
  try {
    jit::atOnce(4, failing);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "part 2");
  }
  EXPECT_EQ(done, 4);
}

TEST_F(Parts, SpendTheBudgetOfTheirCaller) {
  const auto busy = [](double seconds) { // of the processor
    const auto now = [] { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; };
    for (const double end = now() + seconds; now() < end;) {
    }
  };
  Limits limits;
  limits.seconds = 0.1;
  Budget budget(limits);
  const Budget::Scope scope(budget);
  jit::atOnce(2, [](std::size_t) {});
  EXPECT_NO_THROW(checkBudget());
  std::atomic<bool> sawTheEnd = false;
  jit::atOnce(2, [&](std::size_t k) {
    if (k == 0) return;
    for (int n = 0; n < 100 && !budgetIsSpent(); ++n) busy(0.01);
    sawTheEnd = budgetIsSpent();
  });
  EXPECT_TRUE(sawTheEnd);
  EXPECT_THROW(checkBudget(), BudgetSpent);
}

TEST_F(Parts, AreKeptTogether) {
  const std::vector<std::string> objects{"one", "", std::string("t\0wo", 4)};
  EXPECT_EQ(jit::separated(jit::joined(objects)), objects);
  EXPECT_TRUE(jit::separated(jit::joined({})).empty());
  const std::string text = jit::joined(objects);
  for (std::size_t size = 0; size < text.size(); ++size)
    EXPECT_THROW((void)jit::separated(text.substr(0, size)), std::runtime_error) << size;
  EXPECT_THROW((void)jit::separated(text + "x"), std::runtime_error);
  std::string many = text;
  many[7] = '\x7f'; // 2^63 objects
  EXPECT_THROW((void)jit::separated(many), std::runtime_error);
}

} // namespace
} // namespace lmc
