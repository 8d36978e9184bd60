// Code for graphics processors: LLVM's back end makes PTX of it for every example, and this machine, thread by thread,
// computes with it what the interpreter does.
#include "RandomTape.h"
#include "jit/Ahead.h"
#include "products/Pipeline.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace lmc {
namespace {

namespace fs = std::filesystem;

/// LLVM's compiler of IR; empty if it is not installed.
std::string llc() {
  for (const std::string name : {"llc-19", "/usr/lib/llvm-19/bin/llc", "llc"})
    if (std::system(("command -v " + name + " > /dev/null 2>&1").c_str()) == 0) return name;
  return {};
}

class Folder {
public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "lmc-device-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string operator/(const std::string& name) const { return (path_ / name).string(); }

private:
  fs::path path_;
};

std::string read(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

void replaceAll(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

std::string listingOf(const std::string& example) {
  products::PipelineOptions options;
  options.compilation.libraryRoot = LMC_SOURCE_DIR;
  products::Pipeline pipeline(std::move(options));
  EXPECT_TRUE(pipeline.load(std::string(LMC_SOURCE_DIR) + "/examples/" + example + ".lie"));
  std::string text = pipeline.dump("nvptx");
  EXPECT_FALSE(text.empty()) << renderAll(pipeline.diagnostics(), pipeline.sources(), false);
  return text;
}

std::vector<std::string> examples() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(std::string(LMC_SOURCE_DIR) + "/examples"))
    if (entry.path().extension() == ".lie") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

class EveryExample : public testing::TestWithParam<std::string> {};

TEST_P(EveryExample, BecomesPtx) {
  const std::string program = llc();
  if (program.empty()) GTEST_SKIP() << "llc is not installed";
  const Folder folder;
  const std::string listing = listingOf(GetParam());
  std::ofstream(folder / "x.ll") << listing;
  const std::string command = program + " -mcpu=sm_70 -O1 '" + (folder / "x.ll") + "' -o '" + (folder / "x.ptx") + "'";
  ASSERT_EQ(std::system(command.c_str()), 0);
  const std::string ptx = read(folder / "x.ptx");
  // A method with adaptive steps has a function that tries one, and no loop.
  int kernels = 0;
  // What it calls are functions of libdevice and routines that are written for any machine.
  std::istringstream lines(listing);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("define ptx_kernel ")) {
      ++kernels;
      const std::size_t at = line.find('@') + 1;
      const std::string name = line.substr(at, line.find('(') - at);
      EXPECT_NE(ptx.find(".visible .entry " + name + "("), std::string::npos) << line;
    }
    if (!line.starts_with("declare ")) continue;
    const std::string name = line.substr(line.find('@'));
    EXPECT_TRUE(name.starts_with("@llvm.") || name.starts_with("@__nv_") || name.starts_with("@lmc_")) << line;
  }
  EXPECT_GT(kernels, 2);
}

INSTANTIATE_TEST_SUITE_P(Device, EveryExample, testing::ValuesIn(examples()), [](const auto& p) { return p.param; });

TEST(Device, TheListingIsTheSameEveryTime) {
  const std::string listing = listingOf("two_quadrotors");
  EXPECT_EQ(listingOf("two_quadrotors"), listing);
  EXPECT_NE(listing.find("define ptx_kernel void @lmc_advance("), std::string::npos);
}

// --- what it computes -----------------------------------------------------------------------------------------

constexpr std::size_t threads = 5; // of which the last has no trajectory
constexpr std::size_t trajectories = 4;

/// Device code compiled for this machine: its registers of threads become variables, libdevice the mathematical
/// library.
class HostedDevice {
public:
  explicit HostedDevice(const tape::Module& m) : module_(m) {
    std::string text = jit::deviceListing(m);
    for (const char* line : {"target triple = \"nvptx64-nvidia-cuda\"",
                             "target datalayout = \"e-i64:64-i128:128-v16:16-v32:32-n16:32:64\"", "ptx_kernel "})
      replaceAll(text, line, "");
    replaceAll(text, "llvm.nvvm.read.ptx.sreg.", "hosted_");
    replaceAll(text, "__nv_", "");
    std::ofstream(folder_ / "x.ll") << text;
    std::ofstream(folder_ / "x.c")
        << "int thread, block;\n"
           "int tid(void) __asm__(\"hosted_tid.x\"); int tid(void) { return thread; }\n"
           "int ntid(void) __asm__(\"hosted_ntid.x\"); int ntid(void) { return 2; }\n"
           "int ctaid(void) __asm__(\"hosted_ctaid.x\"); int ctaid(void) { return block; }\n";
    std::string sources;
    for (const char* k : {"cholesky", "gmres", "lu", "matrix_exponential", "newton_change", "sincos", "stumpff"})
      sources += std::string(" '") + LMC_SOURCE_DIR + "/runtime/kernels/" + k + ".c'";
    const std::string command = llc() + " -filetype=obj -relocation-model=pic '" + (folder_ / "x.ll") + "' -o '" +
                                (folder_ / "x.o") + "' && cc -shared -fPIC -O1 -ffp-contract=off -I'" + LMC_SOURCE_DIR +
                                "' '" + (folder_ / "x.c") + "' '" + (folder_ / "x.o") + "'" + sources + " -o '" +
                                (folder_ / "x.so") + "' -lm";
    if (std::system(command.c_str()) != 0) return;
    handle_ = dlopen((folder_ / "x.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    for (int r = 0; r < runtime::roleCount; ++r)
      data_[r].assign(static_cast<std::size_t>(m.roleSize[r]) * trajectories + 1, 0.0);
  }
  ~HostedDevice() {
    if (handle_ != nullptr) dlclose(handle_);
  }
  HostedDevice(const HostedDevice&) = delete;
  HostedDevice& operator=(const HostedDevice&) = delete;

  [[nodiscard]] bool works() const { return handle_ != nullptr; }
  void put(std::size_t l, const test::Memory& m) {
    for (int r = 0; r < runtime::roleCount; ++r)
      for (std::size_t k = 0; k < m.data[r].size(); ++k) data_[r][k * trajectories + l] = m.data[r][k];
  }
  [[nodiscard]] test::Memory take(std::size_t l) const {
    test::Memory m(module_);
    for (int r = 0; r < runtime::roleCount; ++r)
      for (std::size_t k = 0; k < m.data[r].size(); ++k) m.data[r][k] = data_[r][k * trajectories + l];
    return m;
  }
  /// Each thread, one after the other.
  template <typename... A> void launch(const std::string& name, A... arguments) {
    using Kernel = void (*)(double*, double*, double*, double*, double*, std::int64_t, A...);
    const auto kernel = reinterpret_cast<Kernel>(dlsym(handle_, name.c_str()));
    ASSERT_NE(kernel, nullptr) << name;
    for (std::size_t t = 0; t < threads; ++t) {
      *static_cast<int*>(dlsym(handle_, "thread")) = static_cast<int>(t % 2);
      *static_cast<int*>(dlsym(handle_, "block")) = static_cast<int>(t / 2);
      kernel(data_[0].data(), data_[1].data(), data_[2].data(), data_[3].data(), data_[4].data(),
             static_cast<std::int64_t>(trajectories), arguments...);
    }
  }

private:
  const tape::Module& module_;
  Folder folder_;
  void* handle_ = nullptr;
  std::vector<double> data_[runtime::roleCount];
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

void expectSame(const tape::Module& m, test::Memory a, test::Memory b, int lastRole) {
  test::forgetScratch(m, a);
  test::forgetScratch(m, b);
  for (int r = 0; r <= lastRole; ++r)
    for (std::size_t k = 0; k < a.data[r].size(); ++k)
      ASSERT_TRUE(sameBits(a.data[r][k], b.data[r][k]))
          << tape::name(static_cast<runtime::Role>(r)) << "[" << k << "]: " << a.data[r][k] << " and " << b.data[r][k];
}

class Threads : public testing::TestWithParam<unsigned> {};

TEST_P(Threads, DoWhatTheInterpreterDoes) {
  if (llc().empty() || std::system("command -v cc > /dev/null 2>&1") != 0) GTEST_SKIP() << "no llc or C compiler";
  const unsigned seed = GetParam();
  const test::RandomTape tape(seed, test::Exactness::Exact);
  const tape::Module& m = tape.module;
  HostedDevice device(m);
  ASSERT_TRUE(device.works());
  for (int f = 0; f < static_cast<int>(m.functions.size()); ++f) {
    std::vector<double> arguments(3 * trajectories);
    for (std::size_t k = 0; k < arguments.size(); ++k) arguments[k] = 0.25 * static_cast<double>(k) - 1;
    std::vector<std::int32_t> statuses(trajectories, -7);
    for (std::size_t l = 0; l < trajectories; ++l) device.put(l, startOf(m, seed, l));
    device.launch("lmc_f" + std::to_string(f), arguments.data(), statuses.data());
    for (std::size_t l = 0; l < trajectories; ++l) {
      test::Memory expected = startOf(m, seed, l);
      double own[3];
      for (std::size_t k = 0; k < 3; ++k) own[k] = arguments[k * trajectories + l];
      ASSERT_EQ(statuses[l], tape::interpret(m, f, expected.bases(), own)) << "function " << f;
      if (statuses[l] == runtime::Ok) expectSame(m, expected, device.take(l), runtime::roleCount - 1);
      if (HasFatalFailure()) FAIL() << "function " << f << " of seed " << seed;
    }
  }
  // Steps 3…6, each from the state before; a failed one is undone.
  std::vector<std::int32_t> statuses(trajectories, -7);
  std::vector<std::int64_t> done(trajectories, 3);
  for (std::size_t l = 0; l < trajectories; ++l) device.put(l, startOf(m, seed, l));
  device.launch("lmc_advance", 0.1, 0.07, std::int64_t{4}, done.data(), statuses.data());
  for (std::size_t l = 0; l < trajectories; ++l) {
    test::Memory expected = startOf(m, seed, l);
    std::vector<double>& state = expected.of(runtime::Role::State);
    std::int32_t status = runtime::Ok;
    std::int64_t made = 0;
    for (; made < 4 && status == runtime::Ok; made += status == runtime::Ok ? 1 : 0) {
      const std::vector<double> before = state;
      const double own[2] = {0.1 + static_cast<double>(3 + made) * 0.07, 0.07};
      status = tape::interpret(m, m.step, expected.bases(), own);
      for (const double x : state)
        if (status == runtime::Ok && !std::isfinite(x)) status = runtime::NonFinite;
      if (status != runtime::Ok) state = before;
    }
    ASSERT_EQ(statuses[l], status);
    EXPECT_EQ(done[l], made);
    const test::Memory got = device.take(l);
    for (std::size_t k = 0; k < state.size(); ++k)
      ASSERT_TRUE(sameBits(got.data[2][k], state[k])) << "state " << k << " of trajectory " << l << ", seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Device, Threads, testing::Range(40U, 48U));

} // namespace
} // namespace lmc
