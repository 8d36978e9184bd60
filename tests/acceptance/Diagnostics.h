// The diagnostics that the tool printed, and those that a wrong program expects.
#pragma once

#include <string>
#include <vector>

namespace lmc::acceptance {

/// One printed diagnostic.
struct Reported {
  int line = 0, column = 0;
  bool warning = false;
  std::string code; ///< LIE0123
  std::string text; ///< the message and all lines up to the next diagnostic
};

/// One `//!` expectation (see errors/README.md).
struct Expected {
  int line = 0; ///< 0: anywhere
  int from = 0, to = 0;
  bool warning = false;
  bool optional = false;
  std::vector<std::string> fragments;

  [[nodiscard]] bool matches(const Reported& r) const;
};

struct Expectations {
  bool run = false;
  std::vector<Expected> list;
};

/// Reads `FILE:LINE:COL: error[LIE####]: message` and what follows each.
[[nodiscard]] std::vector<Reported> parseDiagnostics(const std::string& text);

/// Reads the `//!` lines of a program.
[[nodiscard]] Expectations parseExpectations(const std::string& program);

/// What is wrong with the reported diagnostics; empty if every expectation met one of its own and nothing was left.
[[nodiscard]] std::string compare(const Expectations& expected, const std::vector<Reported>& reported);

} // namespace lmc::acceptance
