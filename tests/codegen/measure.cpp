// Prints compile time, warm load time and cost of a step for tapes of several sizes. A tool for tuning, not a test.
//   codegen_measure [optimization] [tops…]
#include "HeavyTop.h"
#include "jit/Compiled.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

using namespace lmc;

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::size_t operations(const tape::Module& m) {
  std::size_t n = 0;
  for (const auto& f : m.functions)
    for (const auto& b : f.blocks) n += b.code.size();
  return n;
}

void measure(int tops, int level) {
  const test::HeavyTop top(tops);
  CompileOptions options;
  options.optimization = level;
  options.cacheDirectory = std::filesystem::temp_directory_path() / "lmc-measure";
  options.useCache = false;
  const auto cold = compile(top.module, options);
  options.useCache = true;
  (void)compile(top.module, options);
  const auto warm = compile(top.module, options);
  test::Memory memory(top.module);
  test::HeavyTop::start(memory);
  const tape::Bases bases = memory.bases();
  double best = 1e9;
  std::int64_t done = 0;
  const std::int64_t n = 200000 / tops + 1;
  for (int k = 0; k < 7; ++k) {
    double t = 0;
    const double start = now();
    (void)warm->advance()(bases.base, &t, 1e-3, n, &done);
    best = std::min(best, (now() - start) / static_cast<double>(n));
  }
  std::printf(
      "level %d  %6zu operations  compile %8.2f ms  load %6.3f ms (%s)  code %7zu bytes  step %8.1f ns  W3 %.17g\n",
      level, operations(top.module), cold->compileSeconds() * 1e3, warm->compileSeconds() * 1e3,
      warm->fromCache() ? "cache" : "compiled", warm->codeBytes(), best * 1e9, memory.of(tape::Role::State)[11]);
}

} // namespace

int main(int argc, char** argv) {
  const int level = argc > 1 ? std::atoi(argv[1]) : 2;
  measure(1, level); // opens LLVM
  if (const char* path = std::getenv("LMC_LISTING")) {
    CompileOptions options;
    options.optimization = level;
    options.keepIr = true;
    const auto c = compile(test::HeavyTop().module, options);
    std::FILE* const file = std::fopen(path, "w");
    std::fputs(c->ir().c_str(), file);
    std::fputs(c->assembly().c_str(), file);
    std::fclose(file);
  }
  for (int k = 2; k < argc; ++k) measure(std::atoi(argv[k]), level);
}
