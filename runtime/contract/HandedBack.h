// A trajectory that a device leaves to the processor.
#pragma once

#include <cstdint>

namespace lmc::runtime {

/// The status (Memory.h) of a lane of a device whose trajectory goes on where the processor alone has the functions for
/// it. No reader of results sees it: the processor makes such a trajectory again, from its begin.
inline constexpr std::int32_t HandedBack = 90;

} // namespace lmc::runtime
