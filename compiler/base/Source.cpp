#include "base/Source.h"

#include "base/ByteOrderMark.h"

#include <algorithm>

namespace lmc {

namespace {

/// True for a byte that starts a character; continuation bytes of UTF-8 do not count as columns.
bool startsCharacter(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

} // namespace

Range Range::cover(const Range& a, const Range& b) {
  return {a.source, std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

Source::Source(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {
  lineStarts_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i) {
    const bool loneReturn = text_[i] == '\r' && (i + 1 == text_.size() || text_[i + 1] != '\n');
    if (text_[i] == '\n' || loneReturn) lineStarts_.push_back(static_cast<std::uint32_t>(i + 1));
  }
}

Position Source::position(std::uint32_t offset) const {
  offset = std::min(offset, static_cast<std::uint32_t>(text_.size()));
  const auto after = std::upper_bound(lineStarts_.begin(), lineStarts_.end(), offset);
  const auto line = static_cast<std::uint32_t>(after - lineStarts_.begin());
  std::uint32_t begin = *(after - 1);
  // The byte-order mark is no character of the first line.
  if (begin == 0 && text_.starts_with(byteOrderMark)) begin = std::min<std::uint32_t>(3, offset);
  const auto characters = std::count_if(text_.begin() + begin, text_.begin() + offset, startsCharacter);
  return {line, static_cast<std::uint32_t>(characters) + 1};
}

std::string_view Source::line(std::uint32_t number) const {
  if (number == 0 || number > lineCount()) return {};
  std::uint32_t begin = lineStarts_[number - 1];
  const std::size_t end = number < lineCount() ? lineStarts_[number] : text_.size();
  if (begin == 0 && text_.starts_with(byteOrderMark)) begin = 3;
  std::string_view line = std::string_view(text_).substr(begin, end - begin);
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
  return line;
}

SourceId Sources::add(std::string name, std::string text) {
  sources_.push_back(std::make_unique<Source>(std::move(name), std::move(text)));
  return static_cast<SourceId>(sources_.size() - 1);
}

std::string_view Sources::text(const Range& range) const {
  const std::string_view all = (*this)[range.source].text();
  if (range.begin >= all.size() || range.end <= range.begin) return {};
  return all.substr(range.begin, range.end - range.begin);
}

} // namespace lmc
