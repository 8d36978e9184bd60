// Source texts and places in them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lmc {

/// Identifies one source text of a compilation (an index into `Sources`).
using SourceId = std::uint32_t;

/// A half-open range of bytes [begin, end) of one source text.
struct Range {
  SourceId source = 0;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  /// The smallest range that covers both; both must lie in the same source.
  static Range cover(const Range& a, const Range& b);
  bool operator==(const Range&) const = default;
};

/// A line and a column, both counted from 1; columns count characters (code points), not bytes.
struct Position {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

/// One source text with the name under which diagnostics show it.
class Source {
public:
  Source(std::string name, std::string text);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] Position position(std::uint32_t offset) const;
  /// The text of a line (counted from 1), without its line end.
  [[nodiscard]] std::string_view line(std::uint32_t number) const;
  [[nodiscard]] std::uint32_t lineCount() const { return static_cast<std::uint32_t>(lineStarts_.size()); }

private:
  std::string name_;
  std::string text_;
  std::vector<std::uint32_t> lineStarts_;
};

/// All source texts of a compilation. References stay valid while it lives.
class Sources {
public:
  SourceId add(std::string name, std::string text);
  [[nodiscard]] const Source& operator[](SourceId id) const { return *sources_.at(id); }
  [[nodiscard]] std::size_t size() const { return sources_.size(); }
  [[nodiscard]] std::string_view text(const Range& range) const;

private:
  std::vector<std::unique_ptr<Source>> sources_;
};

} // namespace lmc
