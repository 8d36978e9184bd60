// Tables of numbers with commas between them, under a line of names. A last line that a kill has cut does not count.
#include "base/Files.h"
#include "runtime/input/Input.h"

#include <charconv>
#include <fmt/format.h>
#include <string_view>

namespace lmc::runtime {

namespace {

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> cells;
  for (;;) {
    const std::size_t comma = line.find(',');
    cells.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

/// "R[1][2]" as a field and its indices; a name of another form is a field of one number.
Entry entryOf(std::string_view name) {
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
  std::string_view text = *bytes;
  std::size_t number = 0;
  for (; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos && number > 0) return; // cut
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
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
      const auto [stop, failure] = std::from_chars(cells[k].data(), cells[k].data() + cells[k].size(), x);
      if (failure != std::errc() || stop != cells[k].data() + cells[k].size())
        throw wrong(fmt::format("`{}` under `{}` is not a number", cells[k], table.columns[k].entry.name()));
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
