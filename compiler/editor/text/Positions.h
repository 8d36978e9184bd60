// Places in texts as editors count them: lines from 0, and in a line units of UTF-16.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace lmc::editor {

struct TextPosition {
  std::size_t line = 0;
  std::size_t character = 0; ///< units of UTF-16; a character beyond 16 bits is two
  bool operator==(const TextPosition&) const = default;
};

/// Converts places of one text, which must outlive it. Lines end by \n, \r\n or \r.
class Positions {
public:
  explicit Positions(std::string_view text);
  [[nodiscard]] std::size_t lineCount() const { return starts_.size(); }
  /// The place of a byte; that of the end for bytes behind it. Within a character: its begin.
  [[nodiscard]] TextPosition position(std::size_t offset) const;
  /// The same, counted on from a byte before it whose place is known: for many places of a long line.
  [[nodiscard]] TextPosition position(std::size_t offset, std::size_t before, const TextPosition& known) const;
  [[nodiscard]] std::size_t line(std::size_t offset) const;
  /// The byte of a place; the end of the line or of the text for places behind it.
  [[nodiscard]] std::size_t offset(const TextPosition& position) const;
  /// The byte at which a line begins; the end of the text for lines behind it.
  [[nodiscard]] std::size_t lineStart(std::size_t line) const;

private:
  std::string_view text_;
  std::vector<std::size_t> starts_;
};

} // namespace lmc::editor
