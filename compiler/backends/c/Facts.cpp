#include "backends/c/Facts.h"

#include "tape/TapeOps.h"

#include <string_view>

namespace lmc::backends {

using tape::Instr;
using tape::Op;

FunctionFacts::FunctionFacts(const tape::Module& module, const tape::Function& f)
    : module_(module), f_(f), values_(f.values) {
  collect(0);
}

/// Buffers that the instruction itself writes, without what is nested in it.
std::set<std::int32_t> FunctionFacts::writtenBy(const Instr& i) const {
  if (i.op == Op::Store || i.op == Op::Accum || i.op == Op::Fill) return {i.buffer};
  std::set<std::int32_t> list;
  if (i.op == Op::Kernel) {
    const std::string_view written = tape::info(static_cast<tape::KernelId>(i.imm)).written;
    for (std::size_t b = 0; b < i.buffers.size(); ++b)
      if (written[b] == 'w') list.insert(i.buffers[b]);
  }
  if (i.op == Op::Call)
    for (const tape::Block& b : module_.functions[static_cast<std::size_t>(i.imm)].blocks)
      for (const Instr& inner : b.code) list.merge(writtenBy(inner));
  return list;
}

void FunctionFacts::collect(std::int32_t index) {
  for (const Instr& i : f_.blocks[static_cast<std::size_t>(index)].code) {
    for (const tape::Value a : i.args) {
      ValueFacts& v = values_[a];
      ++v.uses;
      v.elsewhere = v.elsewhere || v.block != index;
    }
    if (i.result != tape::none) values_[i.result].block = i.op == Op::Loop ? i.block : index;
    written_.merge(writtenBy(i));
    if (i.block >= 0) collect(i.block);
  }
}

void FunctionFacts::addWrittenBy(const Instr& i, std::set<std::int32_t>& out) const {
  out.merge(writtenBy(i));
  if (i.block < 0) return;
  for (const Instr& inner : f_.blocks[static_cast<std::size_t>(i.block)].code) addWrittenBy(inner, out);
}

bool functionLike(const std::string& name) {
  static const std::set<std::string> names = {"sqrt", "fabs", "floor", "exp",   "log",   "sin",  "cos",
                                              "tan",  "asin", "acos",  "atan",  "atan2", "sinh", "cosh",
                                              "tanh", "pow",  "fma",   "ldexp", "log2",  "ceil", "hypot"};
  return names.contains(name);
}

} // namespace lmc::backends
