// How much memory a process may have.
#pragma once

namespace lmc {

/// Bytes that this process may have at most: those of the machine, or fewer where a limit (ulimit -v) says so.
[[nodiscard]] double usableMemory();

} // namespace lmc
