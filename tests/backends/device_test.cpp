// Code for graphics processors: PTX of every example, and that its threads, carried out by this machine instruction by
// instruction (tests/runtime/device/stub), have the bits of lanes.
#include "Lanes.h"
#include "RandomTape.h"
#include "jit/Device.h"
#include "products/Pipeline.h"
#include "runtime/contract/HandedBack.h"
#include "tests/runtime/device/stub/Ptx.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>

namespace lmc {
namespace {

namespace fs = std::filesystem;

// --- every example ----------------------------------------------------------------------------------------------

/// NVIDIA's assembler; empty where there is none, as on most machines.
std::string assembler() {
  for (const std::string name : {"ptxas", "/usr/local/cuda/bin/ptxas"})
    if (std::system(("command -v " + name + " > /dev/null 2>&1").c_str()) == 0) return name;
  return {};
}

/// What the assembler says of a text: registers and spills; the test fails where it refuses it.
std::string assembled(const std::string& ptx) {
  const std::string program = assembler();
  if (program.empty()) return {};
  std::string name = (fs::temp_directory_path() / "lmc-device-XXXXXX").string();
  const fs::path folder = mkdtemp(name.data());
  std::ofstream(folder / "x.ptx") << ptx;
  const std::string command =
      program + " -arch=sm_90 -v '" + (folder / "x.ptx").string() + "' -o '" + (folder / "x.cubin").string() + "' 2>&1";
  std::string text;
  if (std::FILE* const pipe = popen(command.c_str(), "r")) {
    std::array<char, 4096> part{};
    while (std::fgets(part.data(), part.size(), pipe) != nullptr) text += part.data();
    EXPECT_EQ(pclose(pipe), 0) << text;
  }
  fs::remove_all(folder);
  return text;
}

std::vector<std::string> examples() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(std::string(LMC_SOURCE_DIR) + "/examples"))
    if (entry.path().extension() == ".lie") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// The PTX of an example with a method (empty: its own); empty where the method or the device refuses it, with `why`.
std::string textOf(const std::string& example, const std::string& method, std::string& why) {
  products::PipelineOptions options;
  options.compilation.libraryRoot = LMC_SOURCE_DIR;
  if (!method.empty()) options.method = method;
  products::Pipeline pipeline(std::move(options));
  if (!pipeline.load(std::string(LMC_SOURCE_DIR) + "/examples/" + example + ".lie")) return {};
  std::string text = pipeline.dump("nvptx");
  why = renderAll(pipeline.diagnostics(), pipeline.sources(), false);
  return text;
}

class EveryExample : public testing::TestWithParam<std::string> {};

TEST_P(EveryExample, BecomesPtxOrIsRefused) {
  for (const std::string method : {"", "RKMK54", "VIMidpoint"}) {
    std::string why;
    const std::string ptx = textOf(GetParam(), method, why);
    if (ptx.empty()) { // the method's own refusals, or what a device has no code for
      EXPECT_NE(why.find("error["), std::string::npos) << GetParam() << " with `" << method << "`";
      continue;
    }
    std::map<std::string, stub::Kernel> kernels;
    ASSERT_NO_THROW(kernels = stub::readPtx(ptx)) << GetParam() << " with `" << method << "`";
    EXPECT_TRUE(kernels.contains("lmc_f0") && kernels.contains("lmc_finite") && kernels.contains("lmc_restore"));
    if (kernels.contains("lmc_advance"))
      RecordProperty((method.empty() ? "own" : method) + "_operations",
                     static_cast<int>(kernels.at("lmc_advance").code.size()));
    // A sum and a product of which an assembler may make one operation have no `.rn`.
    for (const char* free : {"add.f64", "sub.f64", "mul.f64", "mad.f64", "fma.rz", "div.full", "sqrt.approx"})
      EXPECT_EQ(ptx.find(free), std::string::npos) << free;
    // Longer texts take the assembler minutes.
    constexpr std::size_t brief = 300'000;
    if (method.empty() && ptx.size() < brief) RecordProperty("assembled", assembled(ptx));
  }
}

INSTANTIATE_TEST_SUITE_P(Device, EveryExample, testing::ValuesIn(examples()), [](const auto& p) { return p.param; });

TEST(Device, RefusalsNameWhatIsMissing) {
  std::string why;
  EXPECT_TRUE(textOf("closed_chain", "", why).empty());
  EXPECT_NE(why.find("sparse system of constraints"), std::string::npos) << why;
}

TEST(Device, TheCodeIsTheSameEveryTime) {
  std::string why;
  const std::string once = textOf("two_quadrotors", "", why);
  EXPECT_FALSE(once.empty());
  EXPECT_EQ(textOf("two_quadrotors", "", why), once);
}

// --- what it computes -------------------------------------------------------------------------------------------

constexpr std::size_t lanes = 5;
constexpr unsigned threadsOfBlock = 2; // so that the last block has a thread without a lane

/// The memory of a device: that of its lanes, in arrays of their own.
class Threads {
public:
  explicit Threads(const tape::Module& m) : module_(m), kernels_(stub::readPtx(jit::deviceCode(m, options()).ptx)) {
    for (int r = 0; r < runtime::roleCount; ++r) {
      auto size = static_cast<std::size_t>(m.roleSize[r]);
      if (r == static_cast<int>(runtime::Role::Work)) size += static_cast<std::size_t>(m.roleSize[state]);
      data_[r].assign(size * lanes, 0.0);
    }
    arguments_.assign(3 * lanes, 0);
    statuses.assign(lanes, 0);
    done.assign(lanes, 0);
  }
  static jit::CompileOptions options() {
    jit::CompileOptions o;
    o.useCache = false;
    return o;
  }

  void put(std::size_t l, const test::Memory& m) {
    for (int r = 0; r < runtime::roleCount; ++r)
      for (std::size_t k = 0; k < m.data[r].size(); ++k) data_[r][k * lanes + l] = m.data[r][k];
  }
  [[nodiscard]] test::Memory take(std::size_t l) const {
    test::Memory m(module_);
    for (int r = 0; r < runtime::roleCount; ++r)
      for (std::size_t k = 0; k < m.data[r].size(); ++k) m.data[r][k] = data_[r][k * lanes + l];
    return m;
  }
  void argument(std::size_t k, std::size_t l, double x) { arguments_[k * lanes + l] = x; }
  void call(int function) {
    std::vector<void*> parameters = bases();
    add(parameters, arguments_);
    add(parameters, statuses);
    start("lmc_f" + std::to_string(function), parameters);
  }
  void advance(double t0, double h, std::int64_t first, std::int64_t n) {
    std::vector<void*> parameters = bases();
    parameters.insert(parameters.end(), {&t0, &h, &first, &n});
    add(parameters, statuses);
    add(parameters, done);
    start("lmc_advance", parameters);
  }
  /// Which lanes have finite states, by their statuses.
  void finite() {
    parts_.clear();
    std::vector<void*> parameters;
    add(parameters, data_[state]);
    parameters.push_back(&count_);
    add(parameters, statuses);
    start("lmc_finite", parameters);
  }

  std::vector<std::int32_t> statuses;
  std::vector<std::int64_t> done;

private:
  static constexpr auto state = static_cast<std::size_t>(runtime::Role::State);
  template <typename T> void add(std::vector<void*>& parameters, std::vector<T>& array) {
    parts_.push_back({reinterpret_cast<std::uint64_t>(array.data()), array.size() * sizeof(T)});
    parameters.push_back(&parts_.back().address);
  }
  std::vector<void*> bases() {
    parts_.clear();
    std::vector<void*> parameters;
    for (std::vector<double>& role : data_) add(parameters, role);
    parameters.push_back(&count_);
    return parameters;
  }
  void start(const std::string& name, const std::vector<void*>& parameters) {
    const auto allowed = [&](std::uint64_t address, std::size_t bytes) {
      return std::any_of(parts_.begin(), parts_.end(),
                         [&](const Part& p) { return address >= p.address && address + bytes <= p.address + p.bytes; });
    };
    const auto blocks = static_cast<unsigned>((lanes + threadsOfBlock - 1) / threadsOfBlock);
    ASSERT_NO_THROW(stub::launch(kernels_.at(name), blocks, threadsOfBlock, parameters.data(), allowed)) << name;
  }

  struct Part {
    std::uint64_t address;
    std::size_t bytes;
  };
  const tape::Module& module_;
  std::map<std::string, stub::Kernel> kernels_;
  std::array<std::vector<double>, runtime::roleCount> data_;
  std::vector<double> arguments_;
  std::deque<Part> parts_; ///< places of parameters do not move
  std::int64_t count_ = lanes;
};

test::Memory startOf(const tape::Module& m, unsigned seed, std::size_t l) {
  test::Memory memory(m);
  std::mt19937 random(seed * 100 + static_cast<unsigned>(l));
  std::uniform_real_distribution<double> number(-2, 2);
  for (auto& role : memory.data)
    for (double& x : role) x = number(random);
  return memory;
}

bool sameBits(double a, double b) {
  return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b));
}

void expectSame(const tape::Module& m, test::Memory a, test::Memory b, const std::string& what) {
  test::forgetScratch(m, a);
  test::forgetScratch(m, b);
  for (int r = 0; r < runtime::roleCount; ++r)
    for (std::size_t k = 0; k < a.data[r].size(); ++k)
      ASSERT_TRUE(sameBits(a.data[r][k], b.data[r][k])) << what << ", " << tape::name(static_cast<runtime::Role>(r))
                                                        << "[" << k << "]: " << a.data[r][k] << " and " << b.data[r][k];
}

/// Lanes of this machine and threads of the device with the same memory, the last lane of which has failed before.
struct Both {
  Both(const tape::Module& m, unsigned seed) : module(m), own(m, 8), device(m) {
    for (std::size_t l = 0; l < lanes; ++l) {
      own.put(startOf(m, seed, l), l);
      device.put(l, startOf(m, seed, l));
      for (std::size_t k = 0; k < 3; ++k) {
        own.argument(k, l, 0.25 * static_cast<double>(k) - 0.1 * static_cast<double>(l));
        device.argument(k, l, 0.25 * static_cast<double>(k) - 0.1 * static_cast<double>(l));
      }
    }
    std::fill(own.statuses.begin() + lanes - 1, own.statuses.end(), runtime::NoConvergence);
    device.statuses[lanes - 1] = runtime::NoConvergence;
  }
  /// The lanes that a device has served; counts those that it has handed back.
  void compare(const std::string& what, int& served, int& handedBack) {
    for (std::size_t l = 0; l < lanes; ++l) {
      if (device.statuses[l] == runtime::HandedBack) {
        ++handedBack;
        continue;
      }
      ++served;
      ASSERT_EQ(device.statuses[l], own.statuses[l]) << what << ", lane " << l;
      if (own.statuses[l] == runtime::Ok) expectSame(module, own.take(module, l), device.take(l), what);
    }
  }
  const tape::Module& module;
  test::LaneMemory own;
  Threads device;
};

TEST(Device, ThreadsHaveTheBitsOfLanes) {
  int modules = 0, served = 0, handedBack = 0;
  for (unsigned seed = 40; modules < 25 && !testing::Test::HasFatalFailure(); ++seed) {
    const test::RandomTape tape(seed, test::Exactness::Rounded);
    const tape::Module& m = tape.module;
    if (!tape::deviceObstacle(m).empty()) continue;
    ++modules;
    jit::CompileOptions o = Threads::options();
    o.lanes = 8;
    const auto code = jit::compile(m, o);
    for (int f = 0; f < static_cast<int>(m.functions.size()); ++f) {
      if (m.functions[static_cast<std::size_t>(f)].inner) continue;
      Both both(m, seed);
      both.own.call(*code, f);
      both.device.call(f);
      both.compare("function " + std::to_string(f) + " of seed " + std::to_string(seed), served, handedBack);
    }
    // Steps 3…6.
    Both both(m, seed);
    both.own.advance(*code, 0.1, 0.07, 3, 4);
    both.device.advance(0.1, 0.07, 3, 4);
    for (std::size_t l = 0; l < lanes; ++l) {
      if (both.device.statuses[l] == runtime::HandedBack) continue;
      ASSERT_EQ(both.device.statuses[l], both.own.statuses[l]) << "seed " << seed;
      ASSERT_EQ(both.device.done[l], both.own.done[l]) << "seed " << seed;
      const test::Memory expected = both.own.take(m, l), got = both.device.take(l);
      constexpr auto state = static_cast<std::size_t>(runtime::Role::State);
      for (std::size_t k = 0; k < expected.data[state].size() && l + 1 < lanes; ++k)
        ASSERT_TRUE(sameBits(got.data[state][k], expected.data[state][k])) << "state " << k << ", seed " << seed;
    }
  }
  EXPECT_GT(served, 4 * handedBack);
  EXPECT_GT(served, 200);
}

TEST(Device, StatesThatAreNotFiniteAreFound) {
  unsigned seed = 1;
  while (!tape::deviceObstacle(test::RandomTape(seed, test::Exactness::Rounded).module).empty()) ++seed;
  const test::RandomTape tape(seed, test::Exactness::Rounded);
  Threads device(tape.module);
  const double inf = std::numeric_limits<double>::infinity();
  for (std::size_t l = 0; l < lanes; ++l) {
    test::Memory m = startOf(tape.module, 1, l);
    std::vector<double>& state = m.of(runtime::Role::State);
    if (l == 1) state.back() = inf;
    if (l == 3) state.front() = std::nan("");
    device.put(l, m);
  }
  device.finite();
  EXPECT_EQ(device.statuses, (std::vector<std::int32_t>{0, runtime::NonFinite, 0, runtime::NonFinite, 0}));
}

} // namespace
} // namespace lmc
