#include "backends/llvm/emit/EmitCommon.h"

#include "backends/CodeGenerator.h"
#include "backends/FunctionTable.h"

#include <llvm/IR/MDBuilder.h>

namespace lmc::codegen {

using tape::Op;

double inverseFactorial(int k) {
  long double x = 1;
  for (int n = 2; n <= k; ++n) x /= n;
  return static_cast<double>(x);
}

llvm::GlobalVariable* makeFunctionTable(llvm::Module& module) {
  auto* const type = llvm::ArrayType::get(llvm::PointerType::getUnqual(module.getContext()), externalCount);
  auto* const table = new llvm::GlobalVariable(module, type, false, llvm::GlobalValue::ExternalLinkage,
                                               llvm::ConstantAggregateZero::get(type), tableSymbol);
  table->setVisibility(llvm::GlobalValue::HiddenVisibility);
  table->setDSOLocal(true);
  return table;
}

std::vector<llvm::MDNode*> makeAliasTags(const tape::Module& tape, llvm::LLVMContext& context) {
  std::vector<llvm::MDNode*> tags;
  llvm::MDBuilder md(context);
  llvm::MDNode* const root = md.createTBAARoot("lmc");
  for (std::size_t b = 0; b < tape.buffers.size(); ++b) {
    llvm::MDNode* const type = md.createTBAAScalarTypeNode(std::string("b").append(std::to_string(b)), root);
    tags.push_back(md.createTBAAStructTagNode(type, type, 0, tape.buffers[b].role == tape::Role::Params));
  }
  return tags;
}

llvm::Value* logicOf(llvm::IRBuilder<>& builder, Op op, llvm::Value* a, llvm::Value* b) {
  switch (op) {
  case Op::Lt:
    return builder.CreateFCmpOLT(a, b);
  case Op::Le:
    return builder.CreateFCmpOLE(a, b);
  case Op::Eq:
    return builder.CreateFCmpOEQ(a, b);
  case Op::Ne:
    return builder.CreateFCmpUNE(a, b);
  case Op::ILt:
    return builder.CreateICmpSLT(a, b);
  case Op::ILe:
    return builder.CreateICmpSLE(a, b);
  case Op::IEq:
    return builder.CreateICmpEQ(a, b);
  case Op::INe:
    return builder.CreateICmpNE(a, b);
  case Op::And:
    return builder.CreateAnd(a, b);
  case Op::Or:
    return builder.CreateOr(a, b);
  default:
    return builder.CreateNot(a);
  }
}

} // namespace lmc::codegen
