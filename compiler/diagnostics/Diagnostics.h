// Diagnostics: what went wrong, where, and what would be right.
//
// Every message has a code of the registry `codes/all.def`; `lmc explain CODE` prints its entry. Nothing here
// prints by itself: `render` and `toJson` turn a diagnostic into text, the caller decides where it goes.
#pragma once

#include "base/Source.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lmc {

enum class Severity : std::uint8_t { Error, Warning };

/// The registered codes; `Code::LIE0001` prints as `LIE0001`.
enum class Code : std::uint16_t {
#define LMC_DIAGNOSTIC(code, title, explanation, bad, good) code,
#include "diagnostics/codes/all.def"
#undef LMC_DIAGNOSTIC
};

/// One entry of the registry.
struct CodeInfo {
  Code code;
  std::string_view name;        ///< "LIE0001"
  std::string_view title;       ///< one line
  std::string_view explanation; ///< a paragraph
  std::string_view bad;         ///< a short program that shows the error (may be empty)
  std::string_view good;        ///< the same, put right
};

[[nodiscard]] const std::vector<CodeInfo>& allCodes();
[[nodiscard]] const CodeInfo& info(Code code);
/// Finds "LIE0001" (case-insensitive, the prefix may be left out); nullptr if there is none.
[[nodiscard]] const CodeInfo* findCode(std::string_view name);

/// A remark below a diagnostic, with or without a place of its own.
struct Note {
  std::string message;
  std::optional<Range> range;
};

struct Diagnostic {
  Code code{};
  Severity severity = Severity::Error;
  Range range;
  std::string message;
  std::vector<Note> notes;
  /// Text that would be right in place of `range` ("did you mean …"), or a sentence of advice.
  std::string suggestion;
};

/// Collects the diagnostics of a compilation: none twice, at most `limit` errors (then one that says so).
class Diagnostics {
public:
  static constexpr std::size_t defaultLimit = 100;
  explicit Diagnostics(std::size_t limit = defaultLimit) : limit_(limit) {}

  /// Chain notes and a suggestion onto a report.
  class Report {
  public:
    explicit Report(Diagnostic* d) : d_(d) {}
    Report& note(std::string message) {
      if (d_ != nullptr) d_->notes.push_back({std::move(message), std::nullopt});
      return *this;
    }
    Report& note(std::string message, Range range) {
      if (d_ != nullptr) d_->notes.push_back({std::move(message), range});
      return *this;
    }
    Report& suggest(std::string text) {
      if (d_ != nullptr) d_->suggestion = std::move(text);
      return *this;
    }

  private:
    Diagnostic* d_; // nullptr when the report was dropped as a repetition or over the limit
  };

  Report error(Code code, Range range, std::string message);
  Report warning(Code code, Range range, std::string message);

  /// Takes back what is reported from a mark on, of a trial or to be said in other words.
  [[nodiscard]] std::size_t mark() const { return list_.size(); }
  std::vector<Diagnostic> takeBack(std::size_t mark);

  [[nodiscard]] bool hasErrors() const { return errors_ > 0; }
  [[nodiscard]] std::size_t errorCount() const { return errors_; }
  [[nodiscard]] std::size_t warningCount() const { return warnings_; }
  /// True once `limit` errors were reported: a phase may stop early.
  [[nodiscard]] bool full() const { return errors_ >= limit_; }
  /// In the order of (source, position).
  [[nodiscard]] std::vector<Diagnostic> sorted() const;

private:
  Report add(Code code, Severity severity, Range range, std::string message);
  std::vector<std::unique_ptr<Diagnostic>> list_;
  std::size_t limit_;
  std::size_t errors_ = 0;
  std::size_t warnings_ = 0;
};

/// `FILE:LINE:COL: error[LIE####]: message`, the source line, a caret line under the whole range, notes, suggestion.
[[nodiscard]] std::string render(const Diagnostic& d, const Sources& sources, bool color);
/// All of them and the closing line that counts errors and warnings (empty for no diagnostics).
[[nodiscard]] std::string renderAll(const Diagnostics& diagnostics, const Sources& sources, bool color);
/// A JSON array of objects {code, severity, file, line, column, end_line, end_column, message, notes, suggestion}.
[[nodiscard]] std::string toJson(const Diagnostics& diagnostics, const Sources& sources);

/// The nearest of `candidates` to `name` by edit distance, if near enough to be meant; empty otherwise.
[[nodiscard]] std::string nearest(std::string_view name, const std::vector<std::string>& candidates);

} // namespace lmc
