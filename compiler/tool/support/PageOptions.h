// Options of what writes a page of a run, films and pictures of it.
#pragma once

#include "tool/support/Option.h"

#include <string>

namespace lmc::tool {

/// A positive number.
[[nodiscard]] double readRate(const std::string& option, const std::string& text);
/// A number of bytes: 8M, 500k.
[[nodiscard]] double readBytes(const std::string& option, const std::string& text);

namespace options {

constexpr Option<double> fps("--fps", "N", "frames in a second of showing", readRate, {.standard = "30"});
constexpr Option<double> speed("--speed", "X", "model seconds that a second of showing takes", readRate,
                               {.standard = "12 s for all, and no frame turns more than 0.3 rad"});
constexpr Option<double> maxSize("--max-size", "BYTES", "what the page may take: 8M, 500k", readBytes,
                                 {.standard = "8M"});
/// Of what writes a page.
constexpr OptionList page(fps, speed, maxSize);

} // namespace options

} // namespace lmc::tool
