// Executes a tape directly: initial values and parameters, where compiling would not pay, and the oracle of the code
// generator. Instructions are executed where they stand; values live in one array per call.
#include "base/Budget.h"
#include "tape/TapeOps.h"

#include "runtime/kernels/Kernels.h"

#include <cmath>
#include <tuple>
#include <type_traits>

namespace lmc::tape {

namespace {

union Slot {
  double r;
  std::int64_t i;
};

std::int64_t wrap(std::uint64_t x) {
  return static_cast<std::int64_t>(x);
}

/// What a letter of a row says that a value is.
template <char letter> auto operand(Slot x) {
  if constexpr (letter == 'r')
    return x.r;
  else if constexpr (letter == 'i')
    return x.i;
  else
    return x.i != 0;
}

/// f of one operand or of two, by the size of the text with their letters.
template <std::size_t size, typename F> double applied(double a, double b, F f) {
  if constexpr (size == 2)
    return f(a);
  else
    return f(a, b);
}

class Machine {
public:
  Machine(const Module& m, const runtime::Bases& bases) : module_(m) {
    buffers_.reserve(m.buffers.size());
    for (const Buffer& b : m.buffers) buffers_.push_back(bases.base[static_cast<int>(b.role)] + b.offset);
  }

  std::int32_t call(std::int64_t index, const double* arguments) const {
    const Function& f = module_.functions[static_cast<std::size_t>(index)];
    std::vector<Slot> values(f.values, Slot{0.0});
    return block(f, 0, values.data(), arguments);
  }

private:
  std::int32_t block(const Function& f, std::int32_t index, Slot* v, const double* arguments) const {
    const std::vector<Instr>& code = f.blocks[static_cast<std::size_t>(index)].code;
    spendWork(static_cast<std::int64_t>(code.size()));
    for (const Instr& i : code) {
      const std::int32_t status = isPure(i.op) ? pure(i, v, arguments) : effect(f, i, v, arguments);
      if (status != runtime::Ok) return status;
    }
    return runtime::Ok;
  }

  static std::int32_t pure(const Instr& i, Slot* v, const double* arguments) {
    Slot& out = v[i.result];
    const std::int64_t imm = i.imm;
    switch (i.op) {
    case Op::ConstReal:
      out.r = i.real;
      break;
    case Op::ConstInt:
      out.i = i.imm;
      break;
    case Op::ConstBool:
      out.i = i.imm != 0 ? 1 : 0;
      break;
    case Op::Argument:
      out.r = arguments[i.imm];
      break;
    case Op::Select:
      out = v[i.args[0]].i != 0 ? v[i.args[1]] : v[i.args[2]];
      break;
    case Op::IntToReal:
      out.r = static_cast<double>(v[i.args[0]].i);
      break;
    case Op::FloorToInt:
      out.i = floorToInt(v[i.args[0]].r);
      break;
// The operand of a row that stands last: the second of two, the first of one.
#define LMC_LAST(letters) i.args[sizeof(letters) - 2]
#define LMC_LIBRARY_VALUE(function, letters)                                                                           \
  applied<sizeof(letters)>(a, b, [](auto... x) { return std::function(x...); })
#define LMC_REAL(op, name, letters, value, ...)                                                                        \
  case Op::op: {                                                                                                       \
    const double a = v[i.args[0]].r;                                                                                   \
    [[maybe_unused]] const double b = v[LMC_LAST(letters)].r;                                                          \
    out.r = value;                                                                                                     \
    break;                                                                                                             \
  }
#define LMC_INTEGER(op, name, letters, value, ...)                                                                     \
  case Op::op: {                                                                                                       \
    [[maybe_unused]] const std::int64_t a = v[i.args[0]].i, b = v[LMC_LAST(letters)].i;                                \
    [[maybe_unused]] const auto ua = static_cast<std::uint64_t>(a), ub = static_cast<std::uint64_t>(b);                \
    out.i = value;                                                                                                     \
    break;                                                                                                             \
  }
#define LMC_TRUTH(op, name, letters, value, ...)                                                                       \
  case Op::op: {                                                                                                       \
    const auto a = operand<letters[0]>(v[i.args[0]]);                                                                  \
    [[maybe_unused]] const auto b = operand<letters[0]>(v[LMC_LAST(letters)]);                                         \
    out.i = (value) ? 1 : 0;                                                                                           \
    break;                                                                                                             \
  }
#include "tape/Operations.def"
#undef LMC_LIBRARY_VALUE
#undef LMC_LAST
    default:
      break;
    }
    return runtime::Ok;
  }

  std::int32_t effect(const Function& f, const Instr& i, Slot* v, const double* arguments) const {
    switch (i.op) {
    case Op::Load:
      v[i.result].r = buffer(i.buffer)[v[i.args[0]].i];
      return runtime::Ok;
    case Op::Store:
      buffer(i.buffer)[v[i.args[0]].i] = v[i.args[1]].r;
      return runtime::Ok;
    case Op::Accum:
      buffer(i.buffer)[v[i.args[0]].i] += v[i.args[1]].r;
      return runtime::Ok;
    case Op::Fill: {
      double* b = buffer(i.buffer);
      std::fill(b, b + module_.buffers[static_cast<std::size_t>(i.buffer)].size, 0.0);
      return runtime::Ok;
    }
    case Op::Loop:
      return loop(f, i, v, arguments);
    case Op::If:
      return v[i.args[0]].i != 0 ? block(f, i.block, v, arguments) : static_cast<std::int32_t>(runtime::Ok);
    case Op::Call: {
      std::vector<double> values(i.args.size());
      for (std::size_t a = 0; a < values.size(); ++a) values[a] = v[i.args[a]].r;
      return call(i.imm, values.data());
    }
    case Op::Kernel:
      return kernel(i, v);
    case Op::BreakIf:
      return v[i.args[0]].i != 0 ? leave : static_cast<std::int32_t>(runtime::Ok);
    default:
      return v[i.args[0]].i != 0 ? static_cast<std::int32_t>(i.imm) : static_cast<std::int32_t>(runtime::Ok); // FailIf
    }
  }

  /// Returned by `block` when a loop is to be left; no status of generated code.
  static constexpr std::int32_t leave = -1;

  std::int32_t loop(const Function& f, const Instr& i, Slot* v, const double* arguments) const {
    const std::int64_t low = v[i.args[0]].i;
    const std::int64_t high = v[i.args[1]].i;
    if (low > high) return runtime::Ok;
    const std::int64_t first = i.imm < 0 ? high : low;
    const std::int64_t last = i.imm < 0 ? low : high;
    for (std::int64_t k = first;; k += i.imm < 0 ? -1 : 1) {
      v[i.result].i = k;
      const std::int32_t status = block(f, i.block, v, arguments);
      if (status != runtime::Ok) return status == leave ? static_cast<std::int32_t>(runtime::Ok) : status;
      if (k == last) return runtime::Ok;
    }
  }

  std::int32_t kernel(const Instr& i, const Slot* v) const {
    switch (static_cast<KernelId>(i.imm)) {
#define LMC_ROUTINE(id, function, ...)                                                                                 \
  case KernelId::id:                                                                                                   \
    return routine(lmc_##function, i, v);
#include "tape/Kernels.def"
    }
    return runtime::Ok;
  }

  /// Calls a routine with the arrays and the integers of an instruction.
  template <typename... P> std::int32_t routine(std::int32_t (*f)(P...), const Instr& i, const Slot* v) const {
    std::size_t array = 0, number = 0;
    const auto next = [&]<typename T>(const T*) -> T {
      if constexpr (std::is_pointer_v<T>)
        return buffer(i.buffers[array++]);
      else
        return v[i.args[number++]].i;
    };
    const std::tuple<P...> all{next(static_cast<const P*>(nullptr))...};
    return std::apply(f, all);
  }

  [[nodiscard]] double* buffer(std::int32_t b) const {
    return buffers_[static_cast<std::size_t>(b)];
  }

  const Module& module_;
  std::vector<double*> buffers_;
};

} // namespace

std::int32_t interpret(const Module& module, int function, const runtime::Bases& bases, const double* arguments) {
  return Machine(module, bases).call(function, arguments);
}

} // namespace lmc::tape
