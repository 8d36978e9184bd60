// Executes a tape directly: initial values and parameters, where compiling would not pay, and the oracle of the code
// generator. Instructions are executed where they stand; values live in one array per call.
#include "base/Budget.h"
#include "tape/TapeOps.h"

#include "runtime/kernels/Kernels.h"

#include <cmath>

namespace lmc::tape {

namespace {

union Slot {
  double r;
  std::int64_t i;
};

std::int64_t wrap(std::uint64_t x) {
  return static_cast<std::int64_t>(x);
}

class Machine {
public:
  Machine(const Module& m, const Bases& bases) : module_(m) {
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
      const std::int32_t status = i.op < Op::Load ? pure(i, v, arguments) : effect(f, i, v, arguments);
      if (status != Ok) return status;
    }
    return Ok;
  }

  static std::int32_t pure(const Instr& i, Slot* v, const double* arguments) {
    Slot& out = v[i.result];
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
    default:
      if (i.op <= Op::Stumpff)
        out.r = real(i, v[i.args[0]].r, i.args.size() > 1 ? v[i.args[1]].r : 0.0);
      else if (i.op <= Op::IAbs)
        out.i = integer(i.op, v[i.args[0]].i, i.args.size() > 1 ? v[i.args[1]].i : 0);
      else
        out.i = logic(i, v) ? 1 : 0;
    }
    return Ok;
  }

  static double real(const Instr& i, double a, double b) {
    switch (i.op) {
    case Op::Add:
      return a + b;
    case Op::Sub:
      return a - b;
    case Op::Mul:
      return a * b;
    case Op::Div:
      return a / b;
    case Op::Neg:
      return -a;
    case Op::Sqrt:
      return std::sqrt(a);
    case Op::Abs:
      return std::fabs(a);
    case Op::Floor:
      return std::floor(a);
    case Op::Min:
      return a < b ? a : b; // b when either is NaN: one machine instruction
    case Op::Max:
      return a > b ? a : b;
    case Op::PowInt:
      return powInt(a, i.imm);
    case Op::Stumpff:
      return lmc_stumpff_value(static_cast<std::int32_t>(i.imm), a);
    default:
      return transcendental(i.op, a, b);
    }
  }

  static double transcendental(Op op, double a, double b) {
    switch (op) {
    case Op::Exp:
      return std::exp(a);
    case Op::Log:
      return std::log(a);
    case Op::Sin:
      return std::sin(a);
    case Op::Cos:
      return std::cos(a);
    case Op::Tan:
      return std::tan(a);
    case Op::Asin:
      return std::asin(a);
    case Op::Acos:
      return std::acos(a);
    case Op::Atan:
      return std::atan(a);
    case Op::Atan2:
      return std::atan2(a, b);
    case Op::Sinh:
      return std::sinh(a);
    case Op::Cosh:
      return std::cosh(a);
    case Op::Tanh:
      return std::tanh(a);
    case Op::Pow:
      return std::pow(a, b);
    default:
      return NAN;
    }
  }

  static std::int64_t integer(Op op, std::int64_t a, std::int64_t b) {
    const auto ua = static_cast<std::uint64_t>(a); // overflow wraps round
    const auto ub = static_cast<std::uint64_t>(b);
    switch (op) {
    case Op::IAdd:
      return wrap(ua + ub);
    case Op::ISub:
      return wrap(ua - ub);
    case Op::IMul:
      return wrap(ua * ub);
    case Op::IDiv:
      return floorDiv(a, b);
    case Op::IMod:
      return floorMod(a, b);
    case Op::INeg:
      return wrap(0U - ua);
    case Op::IMin:
      return a < b ? a : b;
    case Op::IMax:
      return a > b ? a : b;
    default:
      return a < 0 ? wrap(0U - ua) : a; // IAbs
    }
  }

  static bool logic(const Instr& i, const Slot* v) {
    const Slot a = v[i.args[0]];
    const Slot b = i.args.size() > 1 ? v[i.args[1]] : a;
    switch (i.op) {
    case Op::Lt:
      return a.r < b.r;
    case Op::Le:
      return a.r <= b.r;
    case Op::Eq:
      return a.r == b.r;
    case Op::Ne:
      return a.r != b.r;
    case Op::ILt:
      return a.i < b.i;
    case Op::ILe:
      return a.i <= b.i;
    case Op::IEq:
      return a.i == b.i;
    case Op::INe:
      return a.i != b.i;
    case Op::And:
      return a.i != 0 && b.i != 0;
    case Op::Or:
      return a.i != 0 || b.i != 0;
    default:
      return a.i == 0; // Not
    }
  }

  std::int32_t effect(const Function& f, const Instr& i, Slot* v, const double* arguments) const {
    switch (i.op) {
    case Op::Load:
      v[i.result].r = buffer(i.buffer)[v[i.args[0]].i];
      return Ok;
    case Op::Store:
      buffer(i.buffer)[v[i.args[0]].i] = v[i.args[1]].r;
      return Ok;
    case Op::Accum:
      buffer(i.buffer)[v[i.args[0]].i] += v[i.args[1]].r;
      return Ok;
    case Op::Fill: {
      double* b = buffer(i.buffer);
      std::fill(b, b + module_.buffers[static_cast<std::size_t>(i.buffer)].size, 0.0);
      return Ok;
    }
    case Op::Loop:
      return loop(f, i, v, arguments);
    case Op::If:
      return v[i.args[0]].i != 0 ? block(f, i.block, v, arguments) : static_cast<std::int32_t>(Ok);
    case Op::Call: {
      std::vector<double> values(i.args.size());
      for (std::size_t a = 0; a < values.size(); ++a) values[a] = v[i.args[a]].r;
      return call(i.imm, values.data());
    }
    case Op::Kernel:
      return kernel(i, v);
    case Op::BreakIf:
      return v[i.args[0]].i != 0 ? leave : static_cast<std::int32_t>(Ok);
    default:
      return v[i.args[0]].i != 0 ? static_cast<std::int32_t>(i.imm) : static_cast<std::int32_t>(Ok); // FailIf
    }
  }

  /// Returned by `block` when a loop is to be left; no status of generated code.
  static constexpr std::int32_t leave = -1;

  std::int32_t loop(const Function& f, const Instr& i, Slot* v, const double* arguments) const {
    const std::int64_t low = v[i.args[0]].i;
    const std::int64_t high = v[i.args[1]].i;
    if (low > high) return Ok;
    const std::int64_t first = i.imm < 0 ? high : low;
    const std::int64_t last = i.imm < 0 ? low : high;
    for (std::int64_t k = first;; k += i.imm < 0 ? -1 : 1) {
      v[i.result].i = k;
      const std::int32_t status = block(f, i.block, v, arguments);
      if (status != Ok) return status == leave ? static_cast<std::int32_t>(Ok) : status;
      if (k == last) return Ok;
    }
  }

  std::int32_t kernel(const Instr& i, const Slot* v) const {
    const auto array = [&](std::size_t k) { return buffer(i.buffers[k]); };
    const std::int64_t n = v[i.args[0]].i;
    switch (static_cast<KernelId>(i.imm)) {
    case KernelId::CholeskyFactor:
      return lmc_cholesky_factor(array(0), array(1), n, v[i.args[1]].i);
    case KernelId::CholeskySolve:
      return lmc_cholesky_solve(array(0), array(1), array(2), n, v[i.args[1]].i);
    case KernelId::LuFactor:
      return lmc_lu_factor(array(0), array(1), n);
    case KernelId::LuSolve:
      return lmc_lu_solve(array(0), array(1), array(2), n, v[i.args[1]].i);
    case KernelId::LuDeterminant:
      return lmc_lu_determinant(array(0), array(1), array(2), n);
    case KernelId::MatrixExponential:
      return lmc_matrix_exponential(array(0), array(1), array(2), n);
    case KernelId::NewtonChange:
      return lmc_newton_change(array(0), array(1), array(2), n);
    case KernelId::GmresBegin:
      return lmc_gmres_begin(array(0), array(1), array(2), n, v[i.args[1]].i);
    case KernelId::GmresStep:
      return lmc_gmres_step(array(0), array(1), array(2), n, v[i.args[1]].i);
    case KernelId::GmresEnd:
      return lmc_gmres_end(array(0), array(1), array(2), n, v[i.args[1]].i);
    }
    return Ok;
  }

  [[nodiscard]] double* buffer(std::int32_t b) const { return buffers_[static_cast<std::size_t>(b)]; }

  const Module& module_;
  std::vector<double*> buffers_;
};

} // namespace

std::int32_t interpret(const Module& module, int function, const Bases& bases, const double* arguments) {
  return Machine(module, bases).call(function, arguments);
}

} // namespace lmc::tape
