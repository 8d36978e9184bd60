#include "backends/llvm/Link.h"

#include <llvm/ExecutionEngine/RuntimeDyld.h>
#include <llvm/ExecutionEngine/SectionMemoryManager.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>

#include <cstring>
#include <memory>

namespace lmc::backends {

namespace {

/// Memory and bookkeeping of one linked object. Symbols that an object does not define are looked up in the process
/// (memcpy and the like on targets that need them).
struct Owner {
  llvm::SectionMemoryManager memory;
  llvm::RuntimeDyld linker{memory, memory};
};

} // namespace

void link(const std::string& object, const std::vector<std::string>& symbols, const std::vector<void*>& table,
          Linked& linked) {
  auto owner = std::make_unique<Owner>();
  auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(object, "tape"));
  if (!file) {
    linked.error = llvm::toString(file.takeError());
    return;
  }
  const auto info = owner->linker.loadObject(**file);
  owner->linker.resolveRelocations();
  if (!info || owner->linker.hasError()) {
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
