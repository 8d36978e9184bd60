// Whether an ensemble is made by a device or by the processor.
#pragma once

#include "tool/ensemble/Study.h"

#include <string>

namespace lmc::tool {

enum class DeviceWish : std::uint8_t { Processor, Device, Auto };
/// Of the option --device; throws UsageError.
[[nodiscard]] DeviceWish deviceWish(const std::string& word);

/// Gives the study, compiled for a device if one may be taken, to a device, or leaves it to the processor. Returns what
/// was chosen, and for `Auto` why, in words; empty, and an error is reported (LIE0684 to LIE0686), where a device is
/// wanted and cannot make it. `threads` give it work.
[[nodiscard]] std::string chooseDevice(Study& study, DeviceWish wish, int threads);

} // namespace lmc::tool
