/// @file
/// What is wrong with a model, as data.
#pragma once

#include "lmc/Base.hpp"

#include <optional>

namespace lmc {
LMC_INLINE namespace v1 {

  /// How bad it is. With an error there is no model.
  enum class Severity : std::int32_t {
    Error = 0,   ///< there is no model
    Warning = 1, ///< the model works, perhaps not as meant
  };

  /// A place in a source text.
  struct Position {
    std::uint32_t line = 1;   ///< from 1
    std::uint32_t column = 1; ///< from 1, counted in characters (code points)
    std::uint32_t offset = 0; ///< from 0, in bytes
  };

  /// A part of a source text, from `begin` up to but not including `end`.
  struct SourceRange {
    std::string source; ///< name of the text: a path, or the name that was given with it
    Position begin;     ///< of the first character
    Position end;       ///< behind the last character
  };

  /// A remark that belongs to a diagnostic.
  struct Note {
    std::string message;              ///< a sentence without a full stop
    std::optional<SourceRange> range; ///< a place of its own, where it has one
  };

  /// One error or warning.
  class LMC_API Diagnostic {
  public:
    std::string code;                    ///< "LIE0301"; `lmc explain CODE` tells more
    Severity severity = Severity::Error; ///< error or warning
    SourceRange range;                   ///< what it is about
    std::string message;                 ///< a sentence without a full stop
    std::vector<Note> notes;             ///< reasons and related places
    std::string suggestion;              ///< what would be right, or advice; may be empty

    /// The text that the tool prints: place and message, the source line with a mark below, notes, suggestion. With
    /// `color` it has the escape sequences of terminals.
    [[nodiscard]] const std::string& format(bool color = false) const noexcept { return color ? colored_ : plain_; }

  private:
    friend struct detail::Access;
    std::string plain_, colored_;
  };

} // namespace v1
} // namespace lmc
