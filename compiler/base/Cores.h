// How many threads are worth starting.
#pragma once

namespace lmc {

/// Processors that this process may use: a scheduler, or mpirun, may have given it some of the machine only.
[[nodiscard]] int usableCores();
/// The same, shared with `neighbours` ranks on this machine, this one among them.
[[nodiscard]] int usableCores(int neighbours);

} // namespace lmc
