// Prints processor time of compilation, warm load time and cost of a step for tapes of several sizes. A tool for
// tuning, not a test.
//   codegen_measure [optimization] [tops… | straight lengths…]; with $LMC_LISTING, IR and assembly of the last size go
//   to that file
#include "HeavyTop.h"
#include "jit/Compile.h"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <vector>

using namespace lmc::jit;
using namespace lmc;

namespace {

/// Processor time of this thread: other work on the machine disturbs it least.
double now() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

std::size_t operations(const tape::Module& m) {
  std::size_t n = 0;
  for (const auto& f : m.functions)
    for (const auto& b : f.blocks) n += b.code.size();
  return n;
}

double compileTime(const tape::Module& m, int level) {
  CompileOptions options;
  options.optimization = level;
  options.useCache = false;
  const double started = now();
  (void)compile(m, options);
  return now() - started;
}

void measure(int tops, int level) {
  const test::HeavyTop top(tops);
  CompileOptions options;
  options.optimization = level;
  options.cacheDirectory = std::filesystem::temp_directory_path() / "lmc-measure";
  options.useCache = false;
  const double started = now();
  const auto cold = compile(top.module, options);
  const double compileSeconds = now() - started;
  options.useCache = true;
  (void)compile(top.module, options);
  const auto warm = compile(top.module, options);
  test::Memory memory(top.module);
  test::HeavyTop::start(memory);
  const runtime::Bases bases = memory.bases();
  double best = 1e9;
  std::int64_t done = 0;
  const std::int64_t n = 50000 / tops + 1;
  for (int k = 0; k < 15; ++k) {
    double t = 0;
    done = 0;
    const double start = now();
    (void)cold->advance()(bases.base, &t, 1e-3, n, &done);
    best = std::min(best, (now() - start) / static_cast<double>(n));
  }
  std::printf(
      "level %d  %6zu operations  compile %8.2f ms  load %6.3f ms (%s)  code %7zu bytes  step %8.1f ns  W3 %.17g\n",
      level, operations(top.module), compileSeconds * 1e3, warm->compileSeconds() * 1e3,
      warm->fromCache() ? "cache" : "compiled", warm->codeBytes(), best * 1e9, memory.of(runtime::Role::State)[11]);
}

/// One block of arithmetic with operands from near and far, and some memory traffic.
tape::Module straight(int length) {
  tape::Module m;
  const int x = test::addBuffer(m, "x", runtime::Role::State, 50);
  const int w = test::addBuffer(m, "w", runtime::Role::Work, 1000);
  test::FunctionBuilder f(m, "step", 2);
  std::vector<test::V> values;
  for (int k = 0; k < 50; ++k) values.push_back(f.load(x, k));
  unsigned state = 1;
  const auto random = [&](std::size_t n) {
    state = state * 1664525U + 1013904223U;
    return (state >> 8U) % n;
  };
  for (int k = 0; k < length; ++k) {
    const std::size_t n = values.size();
    const test::V a = values[n - 1 - random(30)];
    const test::V b = values[random(4) == 0 ? random(n) : n - 1 - random(50)];
    const auto kind = random(16);
    if (kind == 0)
      f.store(w, static_cast<std::int64_t>(random(1000)), a);
    else if (kind == 1)
      values.push_back(f.load(w, static_cast<std::int64_t>(random(1000))));
    else if (kind < 8)
      values.push_back(a * b);
    else
      values.push_back(kind < 12 ? a + b : a - b);
  }
  for (int k = 0; k < 50; ++k) f.store(x, k, values[values.size() - 1 - static_cast<std::size_t>(k)]);
  m.step = f.finish();
  return m;
}

} // namespace

int main(int argc, char** argv) {
  const int level = argc > 1 ? std::atoi(argv[1]) : 2;
  measure(1, level); // opens LLVM
  if (const char* path = std::getenv("LMC_LISTING")) {
    CompileOptions options;
    options.optimization = level;
    options.keepIr = true;
    const auto c = compile(test::HeavyTop(argc > 2 ? std::atoi(argv[argc - 1]) : 1).module, options);
    std::FILE* const file = std::fopen(path, "w");
    std::fputs(c->ir().c_str(), file);
    std::fputs("; assembly\n", file);
    std::fputs(c->assembly().c_str(), file);
    std::fclose(file);
  }
  if (argc > 2 && std::string(argv[2]) == "straight") {
    for (int k = 3; k < argc; ++k)
      std::printf("straight %s: %.1f ms\n", argv[k], compileTime(straight(std::atoi(argv[k])), level) * 1e3);
    return 0;
  }
  for (int k = 2; k < argc; ++k) measure(std::atoi(argv[k]), level);
}
