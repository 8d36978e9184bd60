#include "backends/llvm/Link.h"

#include <llvm/ExecutionEngine/RuntimeDyld.h>
#include <llvm/ExecutionEngine/SectionMemoryManager.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>

#include <cstring>
#include <memory>

namespace lmc::backends {

namespace {

/// Memory and bookkeeping of linked objects. Symbols that no object defines are looked up in the process
/// (memcpy and the like on targets that need them).
struct Owner {
  llvm::SectionMemoryManager memory;
  llvm::RuntimeDyld linker{memory, memory};
};

} // namespace

void link(const std::vector<std::string>& objects, const std::vector<std::string>& symbols,
          const std::vector<void*>& table, Linked& linked) {
  auto owner = std::make_unique<Owner>();
  for (const std::string& object : objects) {
    auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(object, "tape"));
    if (!file) {
      linked.error = llvm::toString(file.takeError());
      return;
    }
    if (!owner->linker.loadObject(**file)) {
      linked.error = owner->linker.getErrorString().str();
      return;
    }
  }
  owner->linker.resolveRelocations();
  if (owner->linker.hasError()) {
    linked.error = owner->linker.getErrorString().str();
    return;
  }
  const auto find = [&](const std::string& name) { return owner->linker.getSymbolLocalAddress(name); };
  if (void* const place = find(tableSymbol)) std::memcpy(place, table.data(), table.size() * sizeof(void*));
  if (owner->memory.finalizeMemory(&linked.error)) return;
  for (const std::string& s : symbols) linked.addresses.push_back(find(s));
  linked.owner = owner.release();
}

void release(void* owner) {
  delete static_cast<Owner*>(owner);
}

} // namespace lmc::backends
