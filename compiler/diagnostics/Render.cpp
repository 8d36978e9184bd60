#include "diagnostics/Diagnostics.h"

#include "base/Harmless.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace lmc {

namespace {

/// The characters of a line, one string each; what a terminal could not show is replaced.
std::vector<std::string> characters(std::string_view line) {
  std::vector<std::string> result;
  for (const char byte : line) {
    const auto value = static_cast<unsigned char>(byte);
    if ((value & 0xC0U) == 0x80U && !result.empty())
      result.back() += byte;
    else if ((value < 0x20 && byte != '\t') || value == 0x7F)
      result.emplace_back("?");
    else
      result.emplace_back(1, byte);
  }
  // Bytes that are no UTF-8 stand alone; show them as the replacement character.
  for (std::string& c : result) {
    const auto first = static_cast<unsigned char>(c[0]);
    const std::size_t length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    const bool control = c.size() == 2 && first == 0xC2 && static_cast<unsigned char>(c[1]) < 0xA0;
    if (control || c.size() != length || (first >= 0x80 && first < 0xC2) || first > 0xF4) c = "\xEF\xBF\xBD";
  }
  return result;
}

/// The start of the character that a byte of a line belongs to.
std::size_t startOfCharacter(std::string_view line, std::size_t byte) {
  while (byte > 0 && byte < line.size() && (static_cast<unsigned char>(line[byte]) & 0xC0U) == 0x80U) --byte;
  return byte;
}

struct Colors {
  const char *bold, *error, *warning, *note, *caret, *end;
};
constexpr Colors plain{"", "", "", "", "", ""};
constexpr Colors ansi{"\033[1m", "\033[1;31m", "\033[1;35m", "\033[1;36m", "\033[1;32m", "\033[0m"};

std::string place(const Range& range, const Sources& sources) {
  const Source& source = sources[range.source];
  const Position at = source.position(range.begin);
  return harmless(source.name()) + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": ";
}

/// A line with carets under its characters [first, last); of a long line the part around them.
std::string windowed(std::vector<std::string> line, std::size_t first, std::size_t last, std::size_t window,
                     const Colors& color) {
  if (line.size() > window) {
    const std::size_t from = first > window / 4 ? first - window / 4 : 0;
    const std::size_t to = std::min(line.size(), from + window);
    const bool cutRight = to < line.size();
    line = {line.begin() + static_cast<std::ptrdiff_t>(from), line.begin() + static_cast<std::ptrdiff_t>(to)};
    first -= from;
    last = std::min(last - from, line.size());
    if (from > 0) {
      line.insert(line.begin(), 3, ".");
      first += 3;
      last += 3;
    }
    if (cutRight) line.emplace_back("...");
  }
  std::string text, carets;
  for (std::size_t i = 0; i < line.size(); ++i) {
    text += line[i];
    if (i < first) carets += line[i] == "\t" ? '\t' : ' ';
  }
  carets += std::string(color.caret) + '^' + std::string(last > first + 1 ? last - first - 1 : 0, '~') + color.end;
  return text + "\n" + carets + "\n";
}

/// The source line of a range and a line with carets under it; long lines show a window around the range.
std::string excerpt(const Range& range, const Sources& sources, const Colors& color) {
  constexpr std::size_t window = 200;
  const Source& source = sources[range.source];
  const std::string_view whole = source.line(source.position(range.begin).line);
  const auto lineBegin = static_cast<std::size_t>(whole.data() - source.text().data());
  const auto within = [&](std::size_t offset) {
    return std::min(offset > lineBegin ? offset - lineBegin : 0, whole.size());
  };
  const std::size_t beginByte = within(range.begin), endByte = within(std::max(range.begin, range.end));
  // Of a very long line no more is looked at than the window may show, at four bytes a character.
  constexpr std::size_t reach = 4 * (window + 1);
  const std::size_t from = startOfCharacter(whole, beginByte > reach ? beginByte - reach : 0);
  const std::size_t to = startOfCharacter(whole, std::min(whole.size(), beginByte + reach));
  std::vector<std::string> line = characters(whole.substr(from, to - from));
  const std::size_t first = std::min(characters(whole.substr(from, beginByte - from)).size(), line.size());
  const std::size_t last = std::max(characters(whole.substr(from, std::min(endByte, to) - from)).size(), first);
  return windowed(std::move(line), first, last, window, color);
}

std::string counted(std::size_t n, const std::string& noun) {
  return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

nlohmann::json toObject(const Range& range, const Sources& sources) {
  const Source& source = sources[range.source];
  const Position begin = source.position(range.begin);
  const Position end = source.position(range.end);
  return {{"file", source.name()},
          {"line", begin.line},
          {"column", begin.column},
          {"end_line", end.line},
          {"end_column", end.column}};
}

} // namespace

std::string render(const Diagnostic& d, const Sources& sources, bool color) {
  const Colors& c = color ? ansi : plain;
  const bool isError = d.severity == Severity::Error;
  std::string out = c.bold + place(d.range, sources) + c.end;
  out += (isError ? c.error : c.warning) + std::string(isError ? "error[" : "warning[");
  out += std::string(info(d.code).name) + "]: " + c.end + c.bold + harmless(d.message) + c.end + "\n";
  out += excerpt(d.range, sources, c);
  for (const Note& note : d.notes) {
    if (note.range) out += c.bold + place(*note.range, sources) + c.end;
    out += c.note + std::string("note: ") + c.end + harmless(note.message) + "\n";
    if (note.range) out += excerpt(*note.range, sources, c);
  }
  if (!d.suggestion.empty()) out += c.note + std::string("help: ") + c.end + harmless(d.suggestion) + "\n";
  return out;
}

std::string renderAll(const Diagnostics& diagnostics, const Sources& sources, bool color) {
  std::string out;
  for (const Diagnostic& d : diagnostics.sorted()) out += render(d, sources, color);
  const std::size_t errors = diagnostics.errorCount();
  const std::size_t warnings = diagnostics.warningCount();
  if (errors > 0) out += counted(errors, "error");
  if (errors > 0 && warnings > 0) out += ", ";
  if (warnings > 0) out += counted(warnings, "warning");
  if (!out.empty()) out += "\n";
  return out;
}

std::string toJson(const Diagnostics& diagnostics, const Sources& sources) {
  nlohmann::json list = nlohmann::json::array();
  for (const Diagnostic& d : diagnostics.sorted()) {
    nlohmann::json object = toObject(d.range, sources);
    object["code"] = std::string(info(d.code).name);
    object["severity"] = d.severity == Severity::Error ? "error" : "warning";
    object["message"] = d.message;
    object["suggestion"] = d.suggestion;
    object["notes"] = nlohmann::json::array();
    for (const Note& note : d.notes) {
      nlohmann::json entry = note.range ? toObject(*note.range, sources) : nlohmann::json::object();
      entry["message"] = note.message;
      object["notes"].push_back(std::move(entry));
    }
    list.push_back(std::move(object));
  }
  return list.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

} // namespace lmc
