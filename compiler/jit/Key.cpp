#include "jit/Key.h"

#include "jit/Version.h"

#include <fstream>
#include <iterator>
#include <string>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace lmc::jit {

namespace {

void hashInstruction(Hash& hash, const tape::Instr& i) {
  hash.word(static_cast<std::uint64_t>(i.op) | static_cast<std::uint64_t>(i.type) << 8U |
            std::uint64_t{i.result} << 16U);
  hash.add(i.imm);
  hash.add(i.real);
  hash.word(static_cast<std::uint32_t>(i.buffer) | static_cast<std::uint64_t>(static_cast<std::uint32_t>(i.block))
                                                       << 32U);
  hash.word(i.args.size() | i.buffers.size() << 32U);
  for (const tape::Value a : i.args) hash.word(a);
  for (const std::int32_t b : i.buffers) hash.add(b);
}

void hashTape(Hash& hash, const tape::Module& module) {
  hash.add(module.step);
  for (const std::int64_t size : module.roleSize) hash.add(size);
  hash.add(module.buffers.size());
  for (const tape::Buffer& b : module.buffers) {
    hash.add(b.role);
    hash.add(b.offset);
    hash.add(b.size);
  }
  hash.add(module.functions.size());
  for (const tape::Function& f : module.functions) {
    hash.add(f.arguments);
    hash.add(f.part);
    hash.add(f.inner);
    hash.add(f.values);
    hash.add(f.blocks.size());
    for (const tape::Block& b : f.blocks) {
      hash.add(b.code.size());
      for (const tape::Instr& i : b.code) hashInstruction(hash, i);
    }
  }
}

Digest processor() {
  Hash hash;
#if defined(__x86_64__)
  const auto leaf = [&](unsigned level, unsigned sub, unsigned maskB) {
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    __get_cpuid_count(level, sub, &a, &b, &c, &d);
    hash.word(std::uint64_t{a} << 32U | (b & maskB));
    hash.word(std::uint64_t{c} << 32U | d);
    return a;
  };
  constexpr unsigned all = ~0U;
  leaf(0, 0, all);
  leaf(1, 0, 0x0000FFFFU); // the upper half names the core that answers
  leaf(7, 0, all);
  leaf(7, 1, all);
  leaf(0x80000001U, 0, all);
  // What the operating system saves and restores; LLVM uses AVX registers only if they are among it.
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_OSXSAVE) != 0) {
    unsigned low = 0;
    unsigned high = 0;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    hash.word(std::uint64_t{high} << 32U | low);
  }
#else
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line) && !line.empty()) // the first processor; clock rates change
    if (line.find("MHz") == std::string::npos && line.find("BogoMIPS") == std::string::npos) hash.text(line);
#endif
  return hash.digest();
}

} // namespace

void hashProcessor(Hash& hash) {
  static const Digest digest = processor();
  for (const std::uint64_t word : digest) hash.word(word);
}

Digest cacheKey(const tape::Module& module, const CompileOptions& options) {
  Hash hash;
  hash.text(codegenVersion);
  hashProcessor(hash);
  hash.add(options.optimization);
  hash.add(options.contract);
  hash.add(options.lanes);
  hashTape(hash, module);
  return hash.digest();
}

} // namespace lmc::jit
