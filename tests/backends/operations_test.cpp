// Every row of tape/Operations.def: the interpreter against closed forms in long double, and against machine code for
// one trajectory, for lanes, and C by the compiler of this machine.
#include "Lanes.h"
#include "backends/c/Source.h"
#include "jit/Compile.h"
#include "unit/Unit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>

namespace lmc {
namespace {

using tape::Kind;
using tape::Op;

/// An instruction to be looked at: an operation, and an immediate where it has one.
struct Row {
  Op op;
  std::int64_t imm = 0;
  [[nodiscard]] const tape::OpInfo& info() const { return tape::info(op); }
  [[nodiscard]] std::string name() const { return std::string(info().name) + " " + std::to_string(imm); }
};

/// All operations that make a value of values.
std::vector<Row> rows() {
  std::vector<Row> all;
  for (int k = 0; k < tape::opCount; ++k) {
    const auto op = static_cast<Op>(k);
    const bool value = tape::info(op).kind != Kind::Other || op == Op::IntToReal || op == Op::FloorToInt;
    if (op == Op::PowInt) {
      for (const int n : {-3, -1, 0, 1, 2, 7}) all.push_back({op, n});
    } else if (op == Op::Stumpff) {
      for (int n = 0; n < 8; ++n) all.push_back({op, n});
    } else if (value) {
      all.push_back({op});
    }
  }
  return all;
}

/// A function that writes the result of each row, of the parameters x and y, as a number into an output: integers are
/// their floors, truth values say that they are positive.
struct Everything {
  Everything() {
    const int in = test::addBuffer(module, "in", runtime::Role::Params, 2);
    const int state = test::addBuffer(module, "state", runtime::Role::State, 1);
    const int out = test::addBuffer(module, "out", runtime::Role::Output, static_cast<std::int64_t>(list.size()));
    test::FunctionBuilder f(module, "everything", 1);
    const test::V real[2] = {f.load(in, 0), f.load(in, 1)};
    for (std::size_t k = 0; k < list.size(); ++k) {
      std::vector<test::V> args;
      for (const char letter : list[k].info().args) {
        const test::V x = real[args.size()];
        args.push_back(letter == 'r' ? x : letter == 'i' ? f.op(Op::FloorToInt, {x}) : f.op(Op::Lt, {f.real(0), x}));
      }
      test::V y = f.op(list[k].op, args, list[k].imm);
      if (list[k].info().result == tape::Type::Int) y = f.op(Op::IntToReal, {y});
      if (list[k].info().result == tape::Type::Bool) y = f.select(y, f.real(1), f.real(0));
      f.store(out, static_cast<std::int64_t>(k), y);
    }
    function = f.finish();
    test::FunctionBuilder step(module, "step", 2);
    step.store(state, 0, step.argument(0));
    module.step = step.finish();
    test::FunctionBuilder nothing(module, "setup", 0);
    setup = nothing.finish();
  }
  [[nodiscard]] std::vector<double> interpreted(double x, double y) const {
    test::Memory memory = at(x, y);
    EXPECT_EQ(tape::interpret(module, function, memory.bases(), &x), runtime::Ok);
    return memory.of(runtime::Role::Output);
  }
  [[nodiscard]] test::Memory at(double x, double y) const {
    test::Memory memory(module);
    memory.of(runtime::Role::Params) = {x, y};
    return memory;
  }

  std::vector<Row> list = rows();
  tape::Module module;
  int function = 0, setup = 0;
};

/// Points of an interval: its ends, zero or what is nearest, and some that nobody would pick.
std::vector<double> pointsIn(double low, double high) {
  std::vector<double> points = {low, high, std::min(std::max(0.0, low), high)};
  for (const double part : {0.0317, 0.2718, 0.4142, 0.5773, 0.7321, 0.9449})
    points.push_back(low + part * (high - low));
  return points;
}

/// Where no row promises more than that all do the same.
const std::vector<double>& edges() {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  static const std::vector<double> points = {
      0.0,    -0.0,     5e-324,    -2.5e-310, 1e-17,     -1.0, 1.0,
      -3.0,   2.0,      0.0625,    1.0625,    1e6 + 0.5, 1e17, 1e300,
      -1e300, infinite, -infinite, 3e9,       -7.5,      1e19, std::numeric_limits<double>::quiet_NaN()};
  return points;
}

bool sameBits(double a, double b) {
  return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b));
}

// --- closed forms ---------------------------------------------------------------------------------------------

using Long = long double;

Long stumpffSeries(int k, Long s) {
  Long term = 1;
  for (int n = 2; n <= k; ++n) term /= n;
  Long sum = 0;
  for (int n = k; n < k + 120; n += 2) {
    sum += term;
    term *= -s / (static_cast<Long>(n + 1) * static_cast<Long>(n + 2));
  }
  return sum;
}

/// What each name means, for numbers that are not special.
using Meaning = std::function<Long(Long, Long, std::int64_t)>;
const std::map<std::string_view, Meaning>& meanings() {
  const auto real = [](Long (*f)(Long)) -> Meaning { return [f](Long a, Long, std::int64_t) { return f(a); }; };
  const auto floored = [](auto f) -> Meaning {
    return [f](Long a, Long b, std::int64_t) -> Long { return f(std::floor(a), std::floor(b)); };
  };
  const auto quotient = [](Long a, Long b) { return b == 0 ? Long{0} : std::floor(a / b); };
  static const std::map<std::string_view, Meaning> all = {
      {"add", [](Long a, Long b, auto) { return a + b; }},
      {"sub", [](Long a, Long b, auto) { return a - b; }},
      {"mul", [](Long a, Long b, auto) { return a * b; }},
      {"div", [](Long a, Long b, auto) { return a / b; }},
      {"neg", [](Long a, Long, auto) { return -a; }},
      {"sqrt", real([](Long a) { return std::sqrt(a); })},
      {"abs", real([](Long a) { return std::fabs(a); })},
      {"floor", real([](Long a) { return std::floor(a); })},
      {"min", [](Long a, Long b, auto) { return std::min(a, b); }},
      {"max", [](Long a, Long b, auto) { return std::max(a, b); }},
      {"exp", real([](Long a) { return std::exp(a); })},
      {"log", real([](Long a) { return std::log(a); })},
      {"sin", real([](Long a) { return std::sin(a); })},
      {"cos", real([](Long a) { return std::cos(a); })},
      {"tan", real([](Long a) { return std::tan(a); })},
      {"asin", real([](Long a) { return std::asin(a); })},
      {"acos", real([](Long a) { return std::acos(a); })},
      {"atan", real([](Long a) { return std::atan(a); })},
      {"atan2", [](Long a, Long b, auto) { return std::atan2(a, b); }},
      {"sinh", real([](Long a) { return std::sinh(a); })},
      {"cosh", real([](Long a) { return std::cosh(a); })},
      {"tanh", real([](Long a) { return std::tanh(a); })},
      {"pow", [](Long a, Long b, auto) { return std::pow(a, b); }},
      {"powint", [](Long a, Long, std::int64_t n) { return std::pow(a, static_cast<Long>(n)); }},
      {"stumpff", [](Long a, Long, std::int64_t k) { return stumpffSeries(static_cast<int>(k), a); }},
      {"iadd", floored([](Long a, Long b) { return a + b; })},
      {"isub", floored([](Long a, Long b) { return a - b; })},
      {"imul", floored([](Long a, Long b) { return a * b; })},
      {"idiv", floored(quotient)},
      {"imod", floored([quotient](Long a, Long b) { return b == 0 ? Long{0} : a - b * quotient(a, b); })},
      {"ineg", floored([](Long a, Long) { return -a; })},
      {"imin", floored([](Long a, Long b) { return std::min(a, b); })},
      {"imax", floored([](Long a, Long b) { return std::max(a, b); })},
      {"iabs", floored([](Long a, Long) { return std::fabs(a); })},
      {"inttoreal", floored([](Long a, Long) { return a; })},
      {"floortoint", floored([](Long a, Long) { return a; })},
      {"lt", [](Long a, Long b, auto) -> Long { return a < b; }},
      {"le", [](Long a, Long b, auto) -> Long { return a <= b; }},
      {"eq", [](Long a, Long b, auto) -> Long { return a == b; }},
      {"ne", [](Long a, Long b, auto) -> Long { return a != b; }},
      {"ilt", floored([](Long a, Long b) -> Long { return a < b; })},
      {"ile", floored([](Long a, Long b) -> Long { return a <= b; })},
      {"ieq", floored([](Long a, Long b) -> Long { return a == b; })},
      {"ine", floored([](Long a, Long b) -> Long { return a != b; })},
      {"and", [](Long a, Long b, auto) -> Long { return a > 0 && b > 0; }},
      {"or", [](Long a, Long b, auto) -> Long { return a > 0 || b > 0; }},
      {"not", [](Long a, Long, auto) -> Long { return !(a > 0); }},
  };
  return all;
}

TEST(Operations, MeanWhatTheirNamesSay) {
  const Everything e;
  for (std::size_t k = 0; k < e.list.size(); ++k) {
    const Row& row = e.list[k];
    const auto found = meanings().find(row.info().name);
    ASSERT_NE(found, meanings().end()) << "this test has no closed form of " << row.name();
    const bool real = row.info().result == tape::Type::Real && row.op != Op::IntToReal;
    const double low = real ? row.info().low : -7, high = real ? row.info().high : 7;
    for (const double x : pointsIn(low, high))
      for (const double y : pointsIn(low, high)) {
        if (row.op == Op::Div && y == 0) continue;
        if (row.op == Op::PowInt && x == 0 && row.imm < 0) continue;
        // A product of n rounded factors, or sums of terms of size one.
        const Long expected = found->second(x, y, row.imm);
        const Long got = e.interpreted(x, y)[k];
        EXPECT_LE(std::fabs(got - expected),
                  8e-16L * std::max(std::fabs(expected), row.op == Op::Stumpff ? 0.2L : 0.0L))
            << row.name() << " of " << x << ", " << y;
      }
  }
}

TEST(Operations, ExtremaOfWhatIsNoNumberAreNone) {
  const Everything e;
  const double none = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t k = 0; k < e.list.size(); ++k) {
    if (e.list[k].op != Op::Min && e.list[k].op != Op::Max) continue;
    for (const double x : edges()) {
      EXPECT_TRUE(std::isnan(e.interpreted(x, none)[k])) << e.list[k].name() << " of " << x;
      EXPECT_TRUE(std::isnan(e.interpreted(none, x)[k])) << e.list[k].name() << " of " << x;
    }
  }
}

TEST(Operations, DomainsAreWhereValuesAreFinite) {
  for (const Row& row : rows()) {
    if (row.info().result != tape::Type::Real || row.op == Op::IntToReal) continue;
    EXPECT_LT(row.info().low, row.info().high) << row.name();
  }
}

// --- machine code ---------------------------------------------------------------------------------------------

/// At all points: those of the domains and the edges, in pairs.
template <typename F> void everywhere(F f) {
  std::vector<double> points = edges();
  for (const double x : pointsIn(-1, 1)) points.push_back(x);
  for (const double x : pointsIn(-9, 9)) points.push_back(x);
  for (const double x : points)
    for (const double y : {1.75, -0.3, 0.0, -1.0, 4.0, x, 1e300, std::numeric_limits<double>::quiet_NaN()}) f(x, y);
}

jit::CompileOptions options(int level, bool contract, int lanes) {
  jit::CompileOptions o;
  o.optimization = level;
  o.contract = contract;
  o.lanes = lanes;
  o.useCache = false;
  return o;
}

TEST(Operations, OneTrajectoryDoesWhatTheInterpreterDoes) {
  const Everything e;
  struct How {
    int level;
    jit::Tiers tiers;
  };
  for (const How how : {How{0, jit::Tiers::Optimised}, How{2, jit::Tiers::Optimised}, How{2, jit::Tiers::Quick}})
    for (const bool contract : {false, true}) {
      jit::CompileOptions o = options(how.level, contract, 0);
      o.tiers = how.tiers;
      const auto code = jit::compile(e.module, o);
      everywhere([&](double x, double y) {
        const std::vector<double> expected = e.interpreted(x, y);
        test::Memory memory = e.at(x, y);
        ASSERT_EQ(code->function(e.function)(memory.bases().base, &x), runtime::Ok);
        for (std::size_t k = 0; k < expected.size(); ++k) {
          const double got = memory.of(runtime::Role::Output)[k];
          if (e.list[k].op == Op::Stumpff && std::isfinite(expected[k])) // polynomials of their own
            EXPECT_NEAR(got, expected[k], 2e-15 * std::max(1.0, std::fabs(expected[k])))
                << e.list[k].name() << " " << x;
          else
            EXPECT_TRUE(sameBits(got, expected[k]))
                << e.list[k].name() << " of " << x << ", " << y << ": " << got << " and " << expected[k];
        }
      });
    }
}

TEST(Operations, LanesDoWhatTheInterpreterDoes) {
  const Everything e;
  for (const int lanes : {1, 4})
    for (const bool contract : {false, true}) {
      const auto code = jit::compile(e.module, options(2, contract, lanes));
      everywhere([&](double x, double y) {
        test::LaneMemory memory(e.module, lanes);
        const auto count = static_cast<std::size_t>(lanes);
        const auto of = [&](std::size_t lane) { return lane % 2 == 0 ? x : 0.25 - x / 3; };
        for (std::size_t l = 0; l < count; ++l) memory.put(e.at(of(l), y), l);
        memory.call(*code, e.function);
        for (std::size_t l = 0; l < count; ++l) {
          const std::vector<double> expected = e.interpreted(of(l), y);
          test::Memory made = memory.take(e.module, l);
          for (std::size_t k = 0; k < expected.size(); ++k) {
            const double got = made.of(runtime::Role::Output)[k];
            const Op op = e.list[k].op;
            // Elementary functions of lanes are their own (elementary_test.cpp); what is exact is so here, too.
            const bool polynomial = op == Op::Stumpff || (contract && e.list[k].info().kind == Kind::Library);
            if (polynomial && std::isfinite(expected[k]))
              EXPECT_NEAR(got, expected[k], 2e-15 * std::max(1.0, std::fabs(expected[k])))
                  << e.list[k].name() << " " << of(l);
            else
              EXPECT_TRUE(sameBits(got, expected[k]))
                  << e.list[k].name() << " of " << of(l) << ", " << y << ": " << got << " and " << expected[k];
          }
        }
      });
    }
}

TEST(Operations, CDoesWhatTheInterpreterDoes) {
  if (std::system("command -v cc > /dev/null 2>&1") != 0) GTEST_SKIP() << "there is no C compiler";
  const Everything e;
  unit::Exported unit;
  unit.prefix = "every";
  unit.unit.module = e.module;
  runtime::Problem& p = unit.unit.problem;
  p.functions.setup = e.setup;
  p.functions.step = e.module.step;
  p.functions.observe = e.function;
  p.fields = {{"in", {2}, {}, 1, runtime::Role::Params, 0},
              {"state", {}, {}, 0, runtime::Role::State, 0},
              {"out", {static_cast<std::int64_t>(e.list.size())}, {}, 1, runtime::Role::Output, 0}};
  unit.parameters = {0, 0};
  p.initialState = {0};
  unit::arrange(unit);
  std::string name = (std::filesystem::temp_directory_path() / "lmc-operations-XXXXXX").string();
  const std::filesystem::path folder = mkdtemp(name.data());
  std::ofstream(folder / "every.h") << backends::header(unit);
  std::ofstream(folder / "every.c") << backends::source(unit, "every.h", false);
  const std::string command =
      "cd '" + folder.string() +
      "' && cc -std=c99 -O1 -ffp-contract=off -fno-math-errno -fPIC -shared every.c -o every.so -lm";
  ASSERT_EQ(std::system(command.c_str()), 0);
  void* const library = dlopen((folder / "every.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  const auto function = reinterpret_cast<int (*)(double*, double)>(dlsym(library, "every_observables"));
  ASSERT_NE(function, nullptr);
  everywhere([&](double x, double y) {
    if (std::fabs(x) > 1e9 || std::fabs(y) > 1e9) return; // integers of C do not wrap round
    std::vector<double> memory(static_cast<std::size_t>(unit.size));
    memory[static_cast<std::size_t>(unit.place(runtime::Role::Params, 0))] = x;
    memory[static_cast<std::size_t>(unit.place(runtime::Role::Params, 1))] = y;
    ASSERT_EQ(function(memory.data(), 0), 0);
    const std::vector<double> expected = e.interpreted(x, y);
    for (std::size_t k = 0; k < expected.size(); ++k) {
      const double got =
          memory[static_cast<std::size_t>(unit.place(runtime::Role::Output, static_cast<std::int64_t>(k)))];
      if (e.list[k].op == Op::Stumpff && std::isfinite(expected[k]))
        EXPECT_NEAR(got, expected[k], 2e-15 * std::max(1.0, std::fabs(expected[k]))) << e.list[k].name() << " " << x;
      else
        EXPECT_TRUE(sameBits(got, expected[k]))
            << e.list[k].name() << " of " << x << ", " << y << ": " << got << " and " << expected[k];
    }
  });
  dlclose(library);
  std::filesystem::remove_all(folder);
}

} // namespace
} // namespace lmc
