// Linking in memory by LLVM, for hosts without a loader of their own.
#pragma once

#include "backends/CodeGenerator.h"

namespace lmc::backends {

/// See Interface::link.
void link(const std::vector<std::string>& objects, const std::vector<std::string>& symbols,
          const std::vector<void*>& table, Linked& linked);
/// See Interface::release.
void release(void* owner);

} // namespace lmc::backends
