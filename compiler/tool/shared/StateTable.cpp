#include "tool/shared/StateTable.h"

#include "products/Pipeline.h"
#include "products/States.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <string_view>
#include <utility>

namespace lmc::tool {

namespace {

std::string_view trimmed(std::string_view s) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t begin = s.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  s = s.substr(begin, s.find_last_not_of(blanks) - begin + 1);
  if (s.size() >= 2 && s.front() == '"' && s.back() == '"') s = s.substr(1, s.size() - 2);
  return s;
}

/// The cells of a line; their places are those of the views.
void split(std::string_view line, std::vector<std::string_view>& cells) {
  cells.clear();
  for (std::size_t begin = 0;;) {
    const std::size_t comma = line.find(',', begin);
    cells.push_back(trimmed(line.substr(begin, comma == std::string_view::npos ? comma : comma - begin)));
    if (comma == std::string_view::npos) return;
    begin = comma + 1;
  }
}

class Reader {
public:
  Reader(const std::string& name, std::string_view text, Sources& sources, Diagnostics& diagnostics, bool finite)
      : name_(name), text_(text), sources_(sources), diagnostics_(diagnostics), finite_(finite) {}

  StateTable read(const std::vector<std::string>& names) {
    constexpr std::string_view mark = "\xEF\xBB\xBF";
    if (text_.starts_with(mark)) text_.remove_prefix(mark.size());
    StateTable table;
    table.columns = names.size();
    nextLine();
    if (!findColumns(names)) return table;
    while (nextLine() && !diagnostics_.full())
      if (!trimmed(line_).empty() && readLine(names)) {
        table.values.insert(table.values.end(), row_.begin(), row_.end());
        ++table.rows;
      }
    return table;
  }

private:
  bool nextLine() {
    if (next_ >= text_.size()) return false;
    const std::size_t end = std::min(text_.find('\n', next_), text_.size());
    line_ = text_.substr(next_, end - next_);
    next_ = end + 1;
    ++number_;
    return true;
  }

  /// A report about a part of the current line. The source that it shows has this line only, at its own number.
  Diagnostics::Report error(Code code, std::string_view part, std::string message) {
    const std::string before(number_ > 0 ? number_ - 1 : 0, '\n');
    const SourceId id = sources_.add(name_, before + std::string(line_));
    std::size_t at = before.size();
    std::size_t size = line_.size();
    if (part.data() != nullptr) {
      at += static_cast<std::size_t>(part.data() - line_.data());
      size = part.size();
    }
    const Range range{id, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + size)};
    return diagnostics_.error(code, range, std::move(message));
  }

  bool findColumns(const std::vector<std::string>& names) {
    split(line_, cells_);
    std::string missing;
    std::size_t count = 0;
    for (const std::string& name : names) {
      const auto found = std::find(cells_.begin(), cells_.end(), name);
      places_.push_back(static_cast<std::size_t>(found - cells_.begin()));
      if (found != cells_.end()) continue;
      constexpr std::size_t shown = 8;
      if (count < shown) missing += fmt::format("{}`{}`", count > 0 ? ", " : "", name);
      if (count == shown) missing += ", ...";
      ++count;
    }
    width_ = cells_.size();
    if (count == 0) return true;
    error(Code::LIE0610, {}, fmt::format("the table has no column{} {}", count == 1 ? "" : "s", missing));
    return false;
  }

  bool readLine(const std::vector<std::string>& names) {
    split(line_, cells_);
    if (cells_.size() != width_) {
      error(Code::LIE0611, {}, fmt::format("{} columns expected, {} found", width_, cells_.size()));
      return false;
    }
    row_.resize(places_.size());
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const std::string_view cell = cells_[places_[i]];
      const auto [stop, failure] = std::from_chars(cell.data(), cell.data() + cell.size(), row_[i]);
      const bool number = failure == std::errc() && stop == cell.data() + cell.size();
      if (number && (!finite_ || std::isfinite(row_[i]))) continue;
      error(Code::LIE0611, cell,
            fmt::format("`{}` under `{}` is not a {}number", cell, names[i], number ? "finite " : ""));
      return false;
    }
    return true;
  }

  const std::string& name_;
  std::string_view text_, line_;
  Sources& sources_;
  Diagnostics& diagnostics_;
  bool finite_;
  std::size_t next_ = 0, number_ = 0, width_ = 0;
  std::vector<std::string_view> cells_;
  std::vector<std::size_t> places_;
  std::vector<double> row_;
};

} // namespace

StateTable readStates(const std::string& name, const std::string& text, const std::vector<std::string>& names,
                      Sources& sources, Diagnostics& diagnostics, bool finite) {
  return Reader(name, text, sources, diagnostics, finite).read(names);
}

void settleStates(const std::string& name, products::Pipeline& pipeline, const std::vector<double>& params,
                  const std::vector<std::int64_t>& offsets, StateTable& states) {
  products::StateSettler settler(*pipeline.system());
  bool warned = false;
  std::vector<double> state(states.columns - 1);
  const auto place = [&](std::size_t k) { return offsets.empty() ? k : static_cast<std::size_t>(offsets[k]); };
  for (std::size_t i = 0; i < states.rows; ++i) {
    double* const row = states.values.data() + i * states.columns + 1;
    for (std::size_t k = 0; k < state.size(); ++k) state[place(k)] = row[k];
    const auto off = settler.settle(params, state);
    for (std::size_t k = 0; k < state.size(); ++k) row[k] = state[place(k)];
    if (!off || std::exchange(warned, true)) continue; // one is enough
    sema::Compilation& c = pipeline.compilation();
    c.diagnostics().warning(Code::LIE0402, {c.sources().add("--at", name), 0, static_cast<std::uint32_t>(name.size())},
                            fmt::format("in state {} of {} {}", i + 1, states.rows, *off));
  }
}

} // namespace lmc::tool
