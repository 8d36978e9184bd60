#include "backends/llvm/Archive.h"

#include <llvm/Object/ArchiveWriter.h>
#include <llvm/Support/MemoryBuffer.h>

#include <stdexcept>
#include <vector>

namespace lmc::backends {

std::string archive(const std::string& object, const std::string& memberName) {
  std::vector<llvm::NewArchiveMember> members;
  members.emplace_back(llvm::MemoryBufferRef(object, memberName));
  auto buffer = llvm::writeArchiveToBuffer(members, llvm::SymtabWritingMode::NormalSymtab, llvm::object::Archive::K_GNU,
                                           true, false);
  if (!buffer) throw std::runtime_error(llvm::toString(buffer.takeError()));
  return (*buffer)->getBuffer().str();
}

} // namespace lmc::backends
