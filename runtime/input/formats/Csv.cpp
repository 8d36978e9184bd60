// Tables of numbers with commas between them, under a line of names. A last line that no line break ends does not
// count: a kill may have cut its last number. Tables of others may have blanks around numbers and names, names in
// quotes, empty lines, a byte-order mark.
#include "base/ByteOrderMark.h"
#include "base/Files.h"
#include "runtime/input/Input.h"

#include <charconv>
#include <fmt/format.h>
#include <string_view>

namespace lmc::runtime {

namespace {

std::string_view withoutBlanks(std::string_view cell) {
  constexpr const char* blanks = " \t\r";
  const std::size_t first = cell.find_first_not_of(blanks);
  return first == std::string_view::npos ? "" : cell.substr(first, cell.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> cells;
  for (;;) {
    const std::size_t comma = line.find(',');
    cells.push_back(withoutBlanks(line.substr(0, comma)));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

/// "R[1][2]" as a field and its indices; a name of another form is a field of one number.
Entry entryOf(std::string_view name) {
  if (name.size() > 1 && name.front() == '"' && name.back() == '"') name = name.substr(1, name.size() - 2);
  Entry entry{std::string(name.substr(0, name.find('['))), {}};
  std::string_view rest = name.substr(entry.field.size());
  while (!rest.empty()) {
    std::int64_t index = 0;
    const auto [stop, failure] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), index);
    if (failure != std::errc() || stop == rest.data() + rest.size() || *stop != ']') return {std::string(name), {}};
    entry.index.push_back(index);
    rest.remove_prefix(static_cast<std::size_t>(stop - rest.data()) + 1);
    if (!rest.empty() && rest.front() != '[') return {std::string(name), {}};
  }
  return entry;
}

void readCsv(const std::filesystem::path& file, InputTable& table) {
  const std::optional<std::string> bytes = readFile(file);
  if (!bytes) throw InputError("cannot read `" + file.string() + "`");
  std::string_view text = withoutByteOrderMark(*bytes);
  std::size_t number = 0;
  for (; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (end == std::string_view::npos && number > 0 && !withoutBlanks(line).empty()) {
      table.leftOut = fmt::format("`{}`, line {}: the last line is left out: no line break ends it, so its last number "
                                  "may have been cut; with one it counts",
                                  file.string(), number + 1);
      return;
    }
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (number > 0 && withoutBlanks(line).empty()) continue;
    const std::vector<std::string_view> cells = split(line);
    if (number == 0) {
      for (const std::string_view name : cells) table.columns.push_back({entryOf(name), {}});
      continue;
    }
    const auto wrong = [&](const std::string& what) {
      return InputError(fmt::format("`{}`, line {}: {}", file.string(), number + 1, what));
    };
    if (cells.size() != table.columns.size())
      throw wrong(fmt::format("{} numbers expected, {} found", table.columns.size(), cells.size()));
    for (std::size_t k = 0; k < cells.size(); ++k) {
      double x = 0;
      const std::string_view digits = cells[k].starts_with('+') ? cells[k].substr(1) : cells[k];
      const auto [stop, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), x);
      if (failure != std::errc() || stop != digits.data() + digits.size())
        throw wrong(fmt::format("`{}` under `{}` is not a number{}", cells[k], table.columns[k].entry.name(),
                                table.columns.size() == 1 ? "; numbers have commas between them" : ""));
      table.columns[k].values.push_back(x);
    }
  }
}

} // namespace

extern const InputFormat csvInputFormat = {
    .name = "csv",
    .place = 0,
    .endings = {".csv"},
    .read = readCsv,
};

} // namespace lmc::runtime
