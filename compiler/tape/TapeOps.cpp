#include "tape/TapeOps.h"

#include <array>
#include <cmath>
#include <limits>

namespace lmc::tape {

namespace {

constexpr Type V = Type::Void;
constexpr Type R = Type::Real;
constexpr Type I = Type::Int;
constexpr Type B = Type::Bool;

constexpr Immediate immediateOf(Op op) {
  return op == Op::PowInt || op == Op::Stumpff ? Immediate::Number : Immediate::None;
}

// In the order of enum Op.
constexpr std::array<OpInfo, opCount> table = {{
#define LMC_REAL(op, name, args, value, llvm, c, latency, slow, low, high)                                             \
  {name, Kind::Real, R, args, immediateOf(Op::op), latency, (slow) != 0, low, high},
#define LMC_LIBRARY(op, function, args, llvm, latency, low, high)                                                      \
  {#function, Kind::Library, R, args, Immediate::None, latency, true, low, high},
#define LMC_INTEGER(op, name, args, ...) {name, Kind::Integer, I, args, Immediate::None, 1, false, 0, 0},
#define LMC_TRUTH(op, name, args, ...) {name, Kind::Truth, B, args, Immediate::None, 1, false, 0, 0},
#define LMC_OTHER(op, name, result, args, immediate)                                                                   \
  {name, Kind::Other, result, args, Immediate::immediate, 1, false, 0, 0},
#include "tape/Operations.def"
}};

constexpr std::array<KernelInfo, kernelCount> kernels = {{
#define LMC_ROUTINE(id, function, buffers, args, sizes, written, file)                                                 \
  {#function, buffers, args, sizes, written, "lmc_" #function, #file},
#include "tape/Kernels.def"
}};

static_assert(table[static_cast<int>(Op::Stumpff)].name == "stumpff");
static_assert(table[static_cast<int>(Op::BreakIf)].name == "breakif");

} // namespace

const OpInfo& info(Op op) {
  return table[static_cast<std::size_t>(op)];
}

const KernelInfo& info(KernelId kernel) {
  return kernels[static_cast<std::size_t>(kernel)];
}

std::string_view name(runtime::Role role) {
  constexpr std::array<std::string_view, runtime::roleCount> names = {"params", "constants", "state", "work", "output"};
  return names[static_cast<std::size_t>(role)];
}

std::string_view name(Type type) {
  constexpr std::array<std::string_view, 4> names = {"void", "real", "int", "bool"};
  return names[static_cast<std::size_t>(type)];
}

std::int64_t floorToInt(double x) {
  constexpr double limit = 9223372036854775808.0; // 2^63
  const double f = std::floor(x);
  if (f >= limit) return std::numeric_limits<std::int64_t>::max();
  if (f < -limit) return std::numeric_limits<std::int64_t>::min();
  return std::isnan(f) ? 0 : static_cast<std::int64_t>(f);
}

void removeUnused(Function& f, std::int32_t block, std::vector<bool>& used) {
  const auto blockOf = [&](std::int32_t b) -> std::vector<Instr>& {
    return f.blocks[static_cast<std::size_t>(b)].code;
  };
  const auto wanted = [&](const Instr& i) {
    return hasEffect(i.op) || (i.result != none && used[static_cast<std::size_t>(i.result)]);
  };
  std::vector<Instr>& code = blockOf(block);
  for (auto i = code.rbegin(); i != code.rend(); ++i) {
    if (!wanted(*i)) continue;
    if (i->block >= 0) removeUnused(f, i->block, used);
    for (const Value a : i->args) used[static_cast<std::size_t>(a)] = true;
  }
  std::erase_if(code, [&](const Instr& i) { return i.block >= 0 ? blockOf(i.block).empty() : !wanted(i); });
}

} // namespace lmc::tape
