// Pieces of C source.
#pragma once

#include <string>

namespace lmc::backends {

/// A comment in C, filled to the width of a line, `indent` columns from the left.
[[nodiscard]] std::string comment(const std::string& text, int indent);
/// A text that may stand in a comment: without its delimiters.
[[nodiscard]] std::string safe(const std::string& text);
/// A text, or what of it fits into so many bytes, up to a blank, and " ...".
[[nodiscard]] std::string beginning(const std::string& text, std::size_t most);
/// A line of code, broken at blanks where it is too long; further lines are indented more.
[[nodiscard]] std::string statement(const std::string& text, int indent);
/// The shortest literal that is read as the same double.
[[nodiscard]] std::string literal(double x);

/// The C source of a routine of runtime/kernels ("lu"), without includes and with internal linkage.
[[nodiscard]] std::string kernelSource(const std::string& name);

} // namespace lmc::backends
