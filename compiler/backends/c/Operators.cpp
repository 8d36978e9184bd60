#include "backends/c/Operators.h"

namespace lmc::backends {

using tape::Op;
using tape::Type;

namespace {

/// The last column of a row.
struct Written {
  const char* sign = nullptr;
  int strength = Comparison;
  const char* function = nullptr;
};

Written written(Op op) {
#define INFIX(sign, strength)                                                                                          \
  Written {                                                                                                            \
    sign, strength, nullptr                                                                                            \
  }
#define CALL(function)                                                                                                 \
  Written {                                                                                                            \
    nullptr, Comparison, function                                                                                      \
  }
#define SPECIAL                                                                                                        \
  Written {}
#define LMC_REAL(op, name, args, value, llvm, c, ...)                                                                  \
  case Op::op:                                                                                                         \
    return c;
#define LMC_INTEGER(op, name, args, value, llvm, c)                                                                    \
  case Op::op:                                                                                                         \
    return c;
#define LMC_TRUTH(op, name, args, value, llvm, c)                                                                      \
  case Op::op:                                                                                                         \
    return c;
  switch (op) {
#include "tape/Operations.def"
  case Op::FloorToInt:
    return CALL("lmc_floor_to_int");
  default:
    return SPECIAL;
  }
#undef INFIX
#undef CALL
#undef SPECIAL
}

} // namespace

const char* functionName(Op op) {
  return written(op).function;
}

const char* operatorOf(Op op) {
  return written(op).sign;
}

int strengthOf(Op op) {
  return written(op).strength;
}

const char* typeName(Type type) {
  return type == Type::Real ? "double" : type == Type::Int ? "long" : "int";
}

const char* pointerTo(runtime::Role role) {
  return role == runtime::Role::Params ? "p" : role == runtime::Role::State ? "y" : "o";
}

} // namespace lmc::backends
