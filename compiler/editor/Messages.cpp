#include "editor/Messages.h"

#include <algorithm>
#include <charconv>
#include <istream>
#include <nlohmann/json.hpp>
#include <ostream>

namespace lmc::editor {

std::optional<std::string> MessageReader::next() {
  constexpr std::size_t most = 64U << 20U;
  std::optional<std::size_t> length;
  std::string line;
  while (std::getline(in_, line)) {
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty()) {
      if (!length) continue; // between messages
      std::string text(*length, '\0');
      in_.read(text.data(), static_cast<std::streamsize>(*length));
      if (static_cast<std::size_t>(in_.gcount()) != *length) return std::nullopt;
      return text;
    }
    const std::size_t colon = line.find(':');
    std::string name = line.substr(0, colon);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (name != "content-length" || colon == std::string::npos) continue;
    const std::size_t digits = line.find_first_not_of(' ', colon + 1);
    std::size_t value = 0;
    if (digits == std::string::npos) return std::nullopt;
    const auto result = std::from_chars(line.data() + digits, line.data() + line.size(), value);
    if (result.ec != std::errc() || value > most) return std::nullopt;
    length = value;
  }
  return std::nullopt;
}

std::string withWholeCharacters(std::string json) {
  // The value of the escape \uXXXX at a place; 0 if there is none.
  const auto unit = [&](std::size_t at) {
    unsigned value = 0;
    if (at + 6 > json.size() || json[at] != '\\' || json[at + 1] != 'u') return 0U;
    const char* const end = json.data() + at + 6;
    const auto result = std::from_chars(json.data() + at + 2, end, value, 16);
    return result.ec == std::errc() && result.ptr == end ? value : 0U;
  };
  const auto high = [](unsigned u) { return u >= 0xD800U && u < 0xDC00U; };
  const auto low = [](unsigned u) { return u >= 0xDC00U && u < 0xE000U; };
  for (std::size_t at = 0; at < json.size(); ++at) {
    if (json[at] != '\\') continue;
    const unsigned first = unit(at);
    if (high(first) && low(unit(at + 6)))
      at += 11;
    else if (high(first) || low(first))
      json.replace(at, 6, "\\ufffd"), at += 5;
    else
      ++at; // what stands behind a backslash is no escape
  }
  return json;
}

void MessageWriter::log(const std::string& direction, const std::string& text) {
  if (!log_) return;
  const std::lock_guard lock(mutex_);
  log_(direction, text);
}

void MessageWriter::write(const nlohmann::json& message) {
  // Texts that are no UTF-8 are possible: of a client, or in a file's name.
  const std::string text = message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  const std::lock_guard lock(mutex_);
  out_ << "Content-Length: " << text.size() << "\r\n\r\n" << text;
  out_.flush();
  if (log_) log_("out", text);
}

} // namespace lmc::editor
