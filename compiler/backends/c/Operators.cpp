#include "backends/c/Operators.h"

namespace lmc::ahead {

using tape::Op;
using tape::Type;

const char* functionName(Op op) {
  switch (op) {
  case Op::Sqrt:
    return "sqrt";
  case Op::Abs:
    return "fabs";
  case Op::Floor:
    return "floor";
  case Op::Exp:
    return "exp";
  case Op::Log:
    return "log";
  case Op::Sin:
    return "sin";
  case Op::Cos:
    return "cos";
  case Op::Tan:
    return "tan";
  case Op::Asin:
    return "asin";
  case Op::Acos:
    return "acos";
  case Op::Atan:
    return "atan";
  case Op::Atan2:
    return "atan2";
  case Op::Sinh:
    return "sinh";
  case Op::Cosh:
    return "cosh";
  case Op::Tanh:
    return "tanh";
  case Op::Pow:
    return "pow";
  // helpers of the file
  case Op::Min:
    return "lmc_min";
  case Op::Max:
    return "lmc_max";
  case Op::PowInt:
    return "lmc_power";
  case Op::IDiv:
    return "lmc_floor_div";
  case Op::IMod:
    return "lmc_floor_mod";
  case Op::IMin:
    return "lmc_imin";
  case Op::IMax:
    return "lmc_imax";
  case Op::IAbs:
    return "lmc_iabs";
  case Op::FloorToInt:
    return "lmc_floor_to_int";
  default:
    return nullptr;
  }
}

const char* operatorOf(Op op) {
  switch (op) {
  case Op::Add:
  case Op::IAdd:
    return "+";
  case Op::Sub:
  case Op::ISub:
    return "-";
  case Op::Mul:
  case Op::IMul:
    return "*";
  case Op::Div:
    return "/";
  case Op::Lt:
  case Op::ILt:
    return "<";
  case Op::Le:
  case Op::ILe:
    return "<=";
  case Op::Eq:
  case Op::IEq:
    return "==";
  case Op::Ne:
  case Op::INe:
    return "!=";
  case Op::And:
    return "&&";
  case Op::Or:
    return "||";
  default:
    return nullptr;
  }
}

int strengthOf(Op op) {
  switch (op) {
  case Op::Add:
  case Op::IAdd:
  case Op::Sub:
  case Op::ISub:
    return Sum;
  case Op::Mul:
  case Op::IMul:
  case Op::Div:
    return Product;
  case Op::And:
  case Op::Or:
    return Logic;
  default:
    return Comparison;
  }
}

const char* typeName(Type type) {
  return type == Type::Real ? "double" : type == Type::Int ? "long" : "int";
}

const char* kernelFile(tape::KernelId id) {
  switch (id) {
  case tape::KernelId::CholeskyFactor:
  case tape::KernelId::CholeskySolve:
    return "cholesky";
  case tape::KernelId::LuFactor:
  case tape::KernelId::LuSolve:
  case tape::KernelId::LuDeterminant:
    return "lu";
  case tape::KernelId::MatrixExponential:
    return "matrix_exponential";
  case tape::KernelId::NewtonChange:
    return "newton_change";
  default:
    return "gmres";
  }
}

} // namespace lmc::ahead
