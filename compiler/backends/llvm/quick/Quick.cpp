#include "backends/llvm/quick/Quick.h"

#include "backends/CodeGenerator.h"
#include "backends/llvm/quick/FunctionCode.h"
#include "backends/llvm/quick/Object.h"
#include "backends/llvm/quick/Outline.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>

namespace lmc::backends {

namespace {

using quick::Assembler;
using quick::FunctionCode;
using quick::Symbol;

/// Called by code of LLVM in the way of C.
bool isPlain(const llvm::Function& f) {
  return f.getCallingConv() == llvm::CallingConv::C;
}

class ModuleCode {
public:
  ModuleCode(const llvm::Module& module, const std::function<std::string(llvm::Module&)>& others)
      : module_(module), others_(others) {
    for (const llvm::Function& f : module) {
      if (f.isDeclaration()) continue;
      (quick::isSupported(f) ? own_ : left_).push_back(&f);
      if (unique_.empty() && !f.hasLocalLinkage()) unique_ = f.getName().str();
    }
  }

  /// Nothing is left to LLVM.
  [[nodiscard]] bool isWhole() const { return left_.empty(); }

  std::vector<std::string> run() {
    if (own_.empty()) return {others_(*llvm::CloneModule(module_))};
    for (const llvm::Function* const f : own_) {
      code_.align();
      const std::size_t symbol = symbolOf(*f);
      symbols_[symbol].place = Symbol::Place::Code;
      symbols_[symbol].offset = code_.size();
      FunctionCode(*f, code_, [this](const llvm::GlobalValue& v) { return symbolOf(v); }).run();
    }
    code_.finish();
    std::size_t room = 0;
    if (const llvm::GlobalVariable* const table = module_.getNamedGlobal(tableSymbol);
        table != nullptr && table->hasInitializer()) {
      symbols_[symbolOf(*table)].place = Symbol::Place::Room;
      room = module_.getDataLayout().getTypeAllocSize(table->getValueType());
    }
    std::vector<std::string> objects{quick::elfObject(code_, symbols_, room)};
    if (!left_.empty()) objects.push_back(restByLlvm());
    return objects;
  }

private:
  /// A name that no other part of the program has.
  [[nodiscard]] std::string nameOf(const llvm::GlobalValue& v) const {
    if (!v.hasLocalLinkage()) return v.getName().str();
    return v.getName().str() + "." + unique_;
  }

  std::size_t symbolOf(const llvm::GlobalValue& v) {
    const auto [found, isNew] = numbers_.try_emplace(&v, symbols_.size());
    if (isNew) {
      symbols_.emplace_back();
      symbols_.back().name = nameOf(v);
    }
    return found->second;
  }

  /// The functions that are left, which call those that have code, and are called by them. What is not called in the
  /// way of C stays on both sides.
  std::string restByLlvm() {
    llvm::ValueToValueMapTy copies;
    const std::unique_ptr<llvm::Module> rest = llvm::CloneModule(module_, copies, [&](const llvm::GlobalValue* v) {
      const auto* const f = llvm::dyn_cast<llvm::Function>(v);
      if (f == nullptr) return v->getName() != tableSymbol;
      return !isPlain(*f) || std::find(own_.begin(), own_.end(), f) == own_.end();
    });
    for (const llvm::Function& f : module_) {
      if (f.isDeclaration() || !isPlain(f) || !f.hasLocalLinkage()) continue;
      auto* const copied = llvm::cast<llvm::Function>(copies[&f]);
      copied->setName(nameOf(f));
      copied->setLinkage(llvm::GlobalValue::ExternalLinkage);
      copied->setVisibility(llvm::GlobalValue::HiddenVisibility);
      copied->setDSOLocal(true);
    }
    if (llvm::GlobalVariable* const table = rest->getNamedGlobal(tableSymbol)) {
      table->setVisibility(llvm::GlobalValue::HiddenVisibility);
      table->setDSOLocal(true);
    }
    for (const llvm::Function* const f : own_) // declared: exported ones are as near as the others
      llvm::cast<llvm::Function>(copies[f])->setDSOLocal(true);
    return others_(*rest);
  }

  const llvm::Module& module_;
  const std::function<std::string(llvm::Module&)>& others_;
  std::vector<const llvm::Function*> own_, left_;
  std::string unique_; ///< name of a function that other parts of the program know
  Assembler code_;
  std::vector<Symbol> symbols_;
  llvm::DenseMap<const llvm::GlobalValue*, std::size_t> numbers_;
};

} // namespace

std::vector<std::string> quickObjects(const llvm::Module& module,
                                      const std::function<std::string(llvm::Module&)>& others) {
  ModuleCode code(module, others);
  if (code.isWhole()) return code.run();
  const std::unique_ptr<llvm::Module> copy = llvm::CloneModule(module);
  quick::outlineOthers(*copy);
  return ModuleCode(*copy, others).run();
}

} // namespace lmc::backends
