#include "sema/session/DataFile.h"

#include "base/ByteOrderMark.h"
#include "base/Harmless.h"
#include "sema/session/ConfinedReader.h"

#include <algorithm>
#include <charconv>

namespace lmc::sema {

namespace {

bool isSeparator(char c) {
  return c == ',' || c == ';' || c == ' ' || c == '\t' || c == '\r';
}

/// A word of a data file for a message: its begin, and nothing that could steer a terminal. Nothing of it where the
/// model is not trusted: it could show what its author may not read.
std::string shown(const std::string& word, bool secret, std::size_t number) {
  if (secret) return "number " + std::to_string(number) + " is none";
  constexpr std::size_t most = 40;
  const std::string text = harmless(word.substr(0, most));
  return "`" + text + (word.size() > most ? "...` is not a number" : "` is not a number");
}

/// The numbers of one line; the word that is none, if there is one.
std::optional<std::string> readLine(std::string_view line, std::vector<double>& out) {
  std::size_t at = 0;
  while (at < line.size()) {
    if (isSeparator(line[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < line.size() && !isSeparator(line[end])) ++end;
    std::string_view word = line.substr(at, end - at);
    if (word.front() == '+') word.remove_prefix(1);
    double value = 0;
    const auto [stop, status] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (status != std::errc() || stop != word.data() + word.size()) return std::string(word);
    out.push_back(value);
    at = end;
  }
  return std::nullopt;
}

/// A line of names of columns: nothing in it is a number.
bool isHeader(std::string_view line) {
  bool some = false;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t end = std::min(line.find_first_of(",; \t\r", at), line.size());
    const std::string_view word = line.substr(at, end - at);
    at = end + 1;
    if (word.empty()) continue;
    some = true;
    // A mistyped number is none either, but it begins like one.
    std::vector<double> number;
    if (std::string_view("0123456789+-.").find(word.front()) != std::string_view::npos || !readLine(word, number))
      return false;
  }
  return some;
}

} // namespace

std::optional<DataTable> readData(Session& session, const std::string& file, Range where) {
  std::filesystem::path found;
  std::vector<std::string> tried;
  const auto text = session.library.readBeside(file, where.source, found, tried);
  if (!text) {
    auto r = session.diagnostics.error(Code::LIE0190, where, "there is no file `" + file + "` to read");
    for (const std::string& place : tried) r.note("looked for " + place);
    return std::nullopt;
  }
  DataTable table;
  bool headed = false;
  std::size_t begin = 0;
  for (int number = 1; begin < text->size(); ++number) {
    const std::size_t end = std::min(text->find('\n', begin), text->size());
    std::string_view line = std::string_view(*text).substr(begin, end - begin);
    if (begin == 0) line = withoutByteOrderMark(line);
    begin = end + 1;
    std::vector<double> row;
    const bool comment = line.empty() || line.front() == '#';
    if (table.rows == 0 && !headed && !comment && isHeader(line)) {
      headed = true;
      continue;
    }
    const auto wrong = comment ? std::nullopt : readLine(line, row);
    const std::string place = "`" + file + "` line " + std::to_string(number);
    if (wrong) {
      session.diagnostics.error(Code::LIE0191, where,
                                place + ": " + shown(*wrong, confined(session.options), row.size() + 1));
      return std::nullopt;
    }
    if (row.empty()) continue;
    if (table.rows == 0) table.columns = static_cast<int>(row.size());
    if (static_cast<int>(row.size()) != table.columns) {
      session.diagnostics.error(Code::LIE0191, where,
                                place + " has " + std::to_string(row.size()) + " numbers, the lines above have " +
                                    std::to_string(table.columns));
      return std::nullopt;
    }
    table.values.insert(table.values.end(), row.begin(), row.end());
    ++table.rows;
  }
  if (table.rows == 0) {
    session.diagnostics.error(Code::LIE0191, where, "`" + file + "` holds no numbers");
    return std::nullopt;
  }
  return table;
}

} // namespace lmc::sema
