#include "sema/session/TableFile.h"

#include "base/ByteOrderMark.h"
#include "base/Harmless.h"
#include "sema/session/ConfinedReader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

namespace lmc::sema {

namespace {

constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view s) {
  const std::size_t begin = s.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return s.substr(begin, s.find_last_not_of(blanks) - begin + 1);
}

/// The sign between the cells of a file; a blank: any number of blanks.
char separatorOf(std::string_view line) {
  bool quoted = false;
  std::string plain;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (!quoted) plain += c;
  }
  for (const char c : {'\t', ';', ','})
    if (plain.find(c) != std::string::npos) return c;
  return ' ';
}

/// The cells of a line, without blanks and quotes around them; a separator at the end has none behind it.
std::vector<std::string_view> cellsOf(std::string_view line, char separator) {
  std::vector<std::string_view> cells;
  const auto add = [&](std::string_view cell) {
    cell = trimmed(cell);
    if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"') cell = trimmed(cell.substr(1, cell.size() - 2));
    cells.push_back(cell);
  };
  std::size_t begin = 0;
  bool quoted = false;
  for (std::size_t k = 0; k <= line.size(); ++k) {
    const bool end = k == line.size();
    if (!end && line[k] == '"') quoted = !quoted;
    const bool cut =
        end || (!quoted && (separator == ' ' ? blanks.find(line[k]) != std::string_view::npos : line[k] == separator));
    if (!cut) continue;
    const std::string_view cell = line.substr(begin, k - begin);
    const bool nothing = trimmed(cell).empty();
    if (!nothing || (separator != ' ' && !end)) add(cell);
    begin = k + 1;
  }
  return cells;
}

std::optional<double> numberOf(std::string_view cell) {
  if (!cell.empty() && cell.front() == '+') cell.remove_prefix(1);
  double value = 0;
  const auto [stop, status] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (cell.empty() || status != std::errc() || stop != cell.data() + cell.size()) return std::nullopt;
  return value;
}

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}
bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// Letters, digits and _ of a header, Greek letters too; _ for anything else between them.
std::string nameOf(std::string_view header) {
  std::string name;
  bool gap = false;
  for (std::size_t k = 0; k < header.size(); ++k) {
    const auto c = static_cast<unsigned char>(header[k]);
    const bool greek = (c == 0xCE || c == 0xCF) && k + 1 < header.size();
    if (!greek && !isLetter(header[k]) && !isDigit(header[k])) {
      gap = true;
      continue;
    }
    if (gap && !name.empty()) name += '_';
    gap = false;
    name += header[k];
    if (greek) name += header[++k];
  }
  if (name.empty() || isDigit(name[0])) name.insert(0, "_");
  return name;
}

/// A header taken apart: "R[1][2]" is R with the indices 1 and 2, "force [N]" is force.
struct Header {
  std::string name;
  std::vector<int> index;
};

Header readHeader(std::string_view text) {
  Header h;
  const std::size_t open = text.find_first_of("[(");
  std::string_view head = text.substr(0, open);
  for (std::size_t at = open; at < text.size() && text[at] == '[';) {
    int k = 0;
    const auto [stop, status] = std::from_chars(text.data() + at + 1, text.data() + text.size(), k);
    const bool closed = status == std::errc() && stop != text.data() + text.size() && *stop == ']' && k >= 1;
    if (!closed) break;
    h.index.push_back(k);
    at = static_cast<std::size_t>(stop - text.data()) + 1;
    if (at < text.size() && text[at] != '[') h.index.clear(); // something follows: no component
  }
  if (h.index.size() > 2) h.index.clear();
  if (h.index.empty() && open != std::string_view::npos && text.back() != ']' && text.back() != ')') head = text;
  h.name = nameOf(trimmed(head).empty() ? text : head);
  return h;
}

class TableReader {
public:
  TableReader(Session& session, std::string file, Range where)
      : s_(session), file_(std::move(file)), where_(where), secret_(confined(session.options)) {}

  std::optional<TableFile> run() {
    std::filesystem::path found;
    std::vector<std::string> tried;
    const auto text = s_.library.readBeside(file_, where_.source, found, tried);
    if (!text) {
      auto r = s_.diagnostics.error(Code::LIE0190, where_, "there is no file `" + file_ + "` to read");
      for (const std::string& place : tried) r.note("looked for " + place);
      return std::nullopt;
    }
    if (!lines(*text)) return std::nullopt;
    if (t_.rows == 0) {
      wrong(Code::LIE0138, "`" + file_ + "` holds no rows of numbers", "");
      return std::nullopt;
    }
    if (!columns()) return std::nullopt;
    return std::move(t_);
  }

private:
  bool wrong(Code code, const std::string& message, const std::string& cure) {
    auto r = s_.diagnostics.error(code, where_, message);
    if (!cure.empty()) r.suggest(cure);
    return false;
  }
  [[nodiscard]] std::string place() const { return "`" + file_ + "` line " + std::to_string(line_); }
  /// A cell for a message; nothing of it where the model is not trusted.
  [[nodiscard]] std::string shown(std::string_view cell, std::size_t number) const {
    constexpr std::size_t most = 40;
    if (secret_) return "cell " + std::to_string(number);
    return "`" + harmless(std::string(cell.substr(0, most))) + (cell.size() > most ? "...`" : "`");
  }

  bool lines(std::string_view text) {
    text = withoutByteOrderMark(text);
    bool begun = false;
    char separator = ' ';
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      const std::string_view line = trimmed(text.substr(begin, end - begin));
      const std::string_view whole = text.substr(begin, end - begin); // tabs at the begin are cells
      begin = end + 1;
      ++line_;
      if (line.empty() || line.front() == '#') continue;
      if (!begun) separator = separatorOf(whole);
      const std::vector<std::string_view> cells = cellsOf(separator == '\t' ? whole : line, separator);
      const bool first = !std::exchange(begun, true);
      if (first && !cells.empty() &&
          std::none_of(cells.begin(), cells.end(), [](std::string_view c) { return numberOf(c).has_value(); })) {
        for (const std::string_view c : cells) headers_.emplace_back(c);
        t_.width = static_cast<int>(cells.size());
        headerLine_ = line_;
        continue;
      }
      if (!row(cells, separator)) return false;
    }
    return true;
  }

  bool row(const std::vector<std::string_view>& cells, char separator) {
    if (t_.width == 0) t_.width = static_cast<int>(cells.size());
    for (std::size_t k = 0; k < cells.size(); ++k) {
      const std::string in = " in column " + std::to_string(k + 1);
      if (cells[k].empty())
        return wrong(Code::LIE0138, place() + ": there is a hole" + in,
                     "every row has a number in every column; leave incomplete rows out");
      const auto x = numberOf(cells[k]);
      if (!x) {
        const bool comma = separator == ';' && cells[k].find(',') != std::string_view::npos;
        return wrong(Code::LIE0138, place() + ": " + shown(cells[k], k + 1) + in + " is not a number",
                     comma ? "numbers have a decimal point, not a comma" : "");
      }
      if (!std::isfinite(*x))
        return wrong(Code::LIE0138, place() + ": " + shown(cells[k], k + 1) + in + " is not a finite number",
                     "leave incomplete rows out");
      t_.values.push_back(*x);
    }
    if (static_cast<int>(cells.size()) != t_.width)
      return wrong(Code::LIE0138,
                   place() + " has " + std::to_string(cells.size()) + " numbers, the lines above have " +
                       std::to_string(t_.width),
                   "");
    ++t_.rows;
    t_.lines.push_back(line_);
    return true;
  }

  // --- names ----------------------------------------------------------------------------------------------------

  bool columns() {
    for (int k = static_cast<int>(headers_.size()); k < t_.width; ++k) headers_.push_back("c" + std::to_string(k + 1));
    struct Found {
      std::size_t column = 0;
      std::vector<std::pair<std::vector<int>, int>> parts; ///< index, place in a row
    };
    std::map<std::string, Found> byName;
    for (std::size_t k = 0; k < headers_.size(); ++k) {
      const Header h = readHeader(headers_[k]);
      const auto [it, isNew] = byName.try_emplace(h.name);
      if (isNew) {
        it->second.column = t_.columns.size();
        t_.columns.push_back({h.name, {}, {}, {}});
      }
      FileColumn& column = t_.columns[it->second.column];
      const auto& parts = it->second.parts;
      const bool twice = std::any_of(parts.begin(), parts.end(), [&](const auto& p) {
        return p.first == h.index || p.first.empty() || h.index.empty() || p.first.size() != h.index.size();
      });
      if (twice) return namedTwice(h, column);
      it->second.parts.emplace_back(h.index, static_cast<int>(k));
      column.headers.push_back(headers_[k]);
    }
    for (const auto& [name, found] : byName)
      if (!arrange(t_.columns[found.column], found.parts)) return false;
    return true;
  }

  bool namedTwice(const Header& h, const FileColumn& column) {
    line_ = headerLine_;
    const std::string other = secret_ ? "" : " (" + shown(column.headers.back(), 1) + ")";
    return wrong(Code::LIE0139, place() + ": two columns are named " + (secret_ ? "alike" : "`" + h.name + "`") + other,
                 "give each column a name of its own");
  }

  /// Puts the numbers of a vector or a matrix in order.
  bool arrange(FileColumn& column, std::vector<std::pair<std::vector<int>, int>> parts) {
    std::sort(parts.begin(), parts.end());
    const std::vector<int> last = parts.back().first;
    if (last.size() == 1) column.shape = sym::Shape::vec(last[0]);
    if (last.size() == 2) column.shape = sym::Shape::mat(last[0], last[1]);
    std::size_t size = 1;
    for (const int n : last) size *= static_cast<std::size_t>(n);
    if (size != parts.size()) {
      line_ = headerLine_;
      return wrong(Code::LIE0139,
                   place() + ": of " + (secret_ ? "a vector or matrix" : "`" + column.name + "`") + " there are " +
                       std::to_string(parts.size()) + " columns, but its last index says " + std::to_string(size),
                   "a vector has the columns x[1], x[2], ..., a matrix A[1][1], A[1][2], ...");
    }
    for (const auto& [index, where] : parts) column.places.push_back(where);
    return true;
  }

  Session& s_;
  std::string file_;
  Range where_;
  bool secret_;
  int line_ = 0, headerLine_ = 0;
  std::vector<std::string> headers_;
  TableFile t_;
};

} // namespace

std::optional<TableFile> readTable(Session& session, const std::string& file, Range where) {
  return TableReader(session, file, where).run();
}

} // namespace lmc::sema
