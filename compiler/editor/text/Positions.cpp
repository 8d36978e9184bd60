#include "editor/text/Positions.h"

#include <algorithm>

namespace lmc::editor {

namespace {

/// The bytes of the character that begins with this one; 1 for what is no UTF-8.
std::size_t bytesOf(char first) {
  const auto u = static_cast<unsigned char>(first);
  return u >= 0xF0 ? 4 : u >= 0xE0 ? 3 : u >= 0xC0 ? 2 : 1;
}

} // namespace

Positions::Positions(std::string_view text) : text_(text), starts_{0} {
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\n' || (text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n'))) starts_.push_back(i + 1);
}

std::size_t Positions::line(std::size_t offset) const {
  return static_cast<std::size_t>(std::upper_bound(starts_.begin(), starts_.end(), offset) - starts_.begin()) - 1;
}

TextPosition Positions::position(std::size_t offset) const {
  return position(offset, 0, {0, 0});
}

TextPosition Positions::position(std::size_t offset, std::size_t before, const TextPosition& known) const {
  offset = std::min(offset, text_.size());
  const std::size_t line = this->line(offset);
  const bool goesOn = known.line == line && before <= offset;
  TextPosition found = goesOn ? known : TextPosition{line, 0};
  for (std::size_t at = goesOn ? before : starts_[line]; at < offset;) {
    const std::size_t bytes = bytesOf(text_[at]);
    if (at + bytes > offset) break;
    found.character += bytes == 4 ? 2 : 1;
    at += bytes;
  }
  return found;
}

std::size_t Positions::lineStart(std::size_t line) const {
  return line < starts_.size() ? starts_[line] : text_.size();
}

std::size_t Positions::offset(const TextPosition& position) const {
  std::size_t at = lineStart(position.line);
  std::size_t left = position.character;
  while (left > 0 && at < text_.size() && text_[at] != '\n' && text_[at] != '\r') {
    const std::size_t bytes = bytesOf(text_[at]);
    at = std::min(at + bytes, text_.size());
    left -= std::min<std::size_t>(left, bytes == 4 ? 2 : 1);
  }
  return at;
}

} // namespace lmc::editor
