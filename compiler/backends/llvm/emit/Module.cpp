// What is common to a module: types, function table, alias information.
#include "backends/llvm/emit/Emitter.h"

#include <llvm/IR/MDBuilder.h>

#include <algorithm>

namespace lmc::backends {

double inverseFactorial(int k) {
  long double x = 1;
  for (int n = 2; n <= k; ++n) x /= n;
  return static_cast<double>(x);
}

namespace {

llvm::Type* inLanes(llvm::Type* scalar, unsigned lanes) {
  return lanes == 0 ? scalar : llvm::FixedVectorType::get(scalar, lanes);
}

std::vector<llvm::MDNode*> makeAliasTags(const tape::Module& tape, llvm::LLVMContext& context) {
  std::vector<llvm::MDNode*> tags;
  llvm::MDBuilder md(context);
  llvm::MDNode* const root = md.createTBAARoot("lmc");
  for (std::size_t b = 0; b < tape.buffers.size(); ++b) {
    llvm::MDNode* const type = md.createTBAAScalarTypeNode(std::string("b").append(std::to_string(b)), root);
    tags.push_back(md.createTBAAStructTagNode(type, type, 0, tape.buffers[b].role == runtime::Role::Params));
  }
  return tags;
}

} // namespace

Types::Types(llvm::LLVMContext& context, unsigned laneCount)
    : lanes(std::max(laneCount, 1U)), real(llvm::Type::getDoubleTy(context)), reals(inLanes(real, laneCount)),
      truth(llvm::Type::getInt1Ty(context)), mask(inLanes(truth, laneCount)), status(llvm::Type::getInt32Ty(context)),
      statuses(inLanes(status, laneCount)), integer(llvm::Type::getInt64Ty(context)),
      pointer(llvm::PointerType::get(context, 0)), nothing(llvm::Type::getVoidTy(context)),
      aligned(std::min(64U, 8 * lanes)) {}

llvm::Constant* Types::constant(double x) const {
  return llvm::ConstantFP::get(real, x);
}

llvm::Constant* Types::index(std::int64_t i) const {
  return llvm::ConstantInt::get(integer, static_cast<std::uint64_t>(i), true);
}

llvm::Constant* Types::statusOf(std::int64_t s) const {
  return llvm::ConstantInt::get(status, static_cast<std::uint64_t>(s), true);
}

llvm::Type* Types::numbers(std::int64_t count) const {
  return llvm::ArrayType::get(reals, static_cast<std::uint64_t>(count));
}

ModuleEmitter::ModuleEmitter(const tape::Module& tape, llvm::LLVMContext& context, const Options& options,
                             unsigned lanes)
    : tape_(tape), context_(context), options_(options), types_(context, lanes),
      module_(std::make_unique<llvm::Module>("lmc", context)), aliasTags_(makeAliasTags(tape, context)) {}

void ModuleEmitter::makeFunctionTable() {
  auto* const type = llvm::ArrayType::get(types_.pointer, externalCount);
  table_ = new llvm::GlobalVariable(*module_, type, false, llvm::GlobalValue::ExternalLinkage,
                                    options_.has(0) ? llvm::ConstantAggregateZero::get(type) : nullptr, tableSymbol);
  table_->setVisibility(llvm::GlobalValue::HiddenVisibility);
  table_->setDSOLocal(true);
}

llvm::Function* ModuleEmitter::declare(const std::string& name, llvm::Type* result,
                                       const std::vector<llvm::Type*>& args, bool exported) {
  auto* const f = llvm::Function::Create(
      llvm::FunctionType::get(result, args, false),
      exported ? llvm::GlobalValue::ExternalLinkage : llvm::GlobalValue::InternalLinkage, name, *module_);
  f->setDSOLocal(true);
  f->addFnAttr(llvm::Attribute::NoUnwind);
  f->addFnAttr(llvm::Attribute::WillReturn);
  f->addFnAttr("no-builtins");
  return f;
}

llvm::Function* ModuleEmitter::declareProper(const std::string& name, llvm::Type* result,
                                             const std::vector<llvm::Type*>& rest) {
  std::vector<llvm::Type*> args(runtime::roleCount, types_.pointer);
  args.insert(args.end(), rest.begin(), rest.end());
  llvm::Function* const f = declare(name, result, args, false);
  for (unsigned r = 0; r < runtime::roleCount; ++r) f->addParamAttr(r, llvm::Attribute::NoAlias);
  return f;
}

const std::vector<double>& ModuleEmitter::stumpffPolynomial(int k, const StumpffInterval& interval) {
  std::vector<double>& known = polynomials_[{static_cast<double>(k), interval.low, interval.high}];
  if (known.empty()) known = backends::stumpffPolynomial(k, interval);
  return known;
}

llvm::Value* ModuleEmitter::externalAddress(llvm::IRBuilder<>& b, External f, llvm::FunctionType*) {
  llvm::Value* const slot = b.CreateConstInBoundsGEP1_64(types_.pointer, table_, static_cast<std::uint64_t>(f));
  auto* const loaded = b.CreateAlignedLoad(types_.pointer, slot, llvm::Align(8));
  loaded->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context_, {}));
  return loaded;
}

bool ModuleEmitter::isInvariant(const tape::Buffer& buffer, std::size_t) const {
  return buffer.role == runtime::Role::Params;
}

std::vector<llvm::Value*> ModuleEmitter::loadBases(llvm::IRBuilder<>& b, llvm::Value* array) const {
  std::vector<llvm::Value*> bases;
  for (unsigned r = 0; r < runtime::roleCount; ++r)
    bases.push_back(b.CreateLoad(types_.pointer, b.CreateConstInBoundsGEP1_64(types_.pointer, array, r)));
  return bases;
}

} // namespace lmc::backends
