// How many threads are worth starting.
#pragma once

#include <filesystem>

namespace lmc {

/// Processors that this process may use: a scheduler, or mpirun, may have given it some of the machine only, and a
/// container, or a service, a part of their time.
[[nodiscard]] int usableCores();
/// The same, shared with `neighbours` ranks on this machine, this one among them.
[[nodiscard]] int usableCores(int neighbours);

/// How many processors' time the control groups of a process leave it, the groups above included; infinity without a
/// limit. `root`: where their files stand, of version 2 (`cpu.max`) or 1 (`cpu/cpu.cfs_quota_us`). `process`: the file
/// that names its groups (/proc/self/cgroup).
[[nodiscard]] double coresOfGroups(const std::filesystem::path& root, const std::filesystem::path& process);

} // namespace lmc
