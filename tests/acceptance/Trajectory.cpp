#include "acceptance/Trajectory.h"

#include <algorithm>
#include <charconv>
#include <gtest/gtest.h>
#include <limits>

namespace lmc::acceptance {

namespace {

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> fields;
  for (std::size_t from = 0;;) {
    const std::size_t comma = line.find(',', from);
    fields.push_back(line.substr(from, comma - from));
    if (comma == std::string_view::npos) return fields;
    from = comma + 1;
  }
}

std::string shortest(double value) {
  std::array<char, 40> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

} // namespace

int Trajectory::find(const std::string& column) const {
  const auto place = std::find(columns.begin(), columns.end(), column);
  return place == columns.end() ? -1 : static_cast<int>(place - columns.begin());
}

double Trajectory::at(std::size_t row, const std::string& column) const {
  const int k = find(column);
  if (k < 0 || row >= rows.size()) {
    ADD_FAILURE() << "no column " << column << " or row " << row;
    return std::numeric_limits<double>::quiet_NaN();
  }
  return rows[row][static_cast<std::size_t>(k)];
}

reference::Vector<double> Trajectory::pick(std::size_t row, const std::vector<std::string>& names) const {
  reference::Vector<double> x(static_cast<Eigen::Index>(names.size()));
  for (std::size_t i = 0; i < names.size(); ++i) x[static_cast<Eigen::Index>(i)] = at(row, names[i]);
  return x;
}

reference::Vector<double> Trajectory::state(const reference::Layout& layout, std::size_t row) const {
  return pick(row, reference::stateColumns(layout));
}

std::optional<Trajectory> parseCsv(const std::string& text) {
  Trajectory trajectory;
  if (text.empty() || text.back() != '\n') {
    ADD_FAILURE() << "a CSV file ends its last line";
    return std::nullopt;
  }
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = text.find('\n', from);
    const std::vector<std::string_view> fields = split(std::string_view(text).substr(from, end - from));
    from = end + 1;
    if (trajectory.columns.empty()) {
      trajectory.columns.assign(fields.begin(), fields.end());
      continue;
    }
    std::vector<double>& row = trajectory.rows.emplace_back();
    for (const std::string_view field : fields) {
      double value = 0;
      const auto [stop, error] = std::from_chars(field.data(), field.data() + field.size(), value);
      if (error != std::errc() || stop != field.data() + field.size()) {
        ADD_FAILURE() << "not a number: '" << field << "'";
        return std::nullopt;
      }
      row.push_back(value);
    }
    if (row.size() != trajectory.columns.size()) {
      ADD_FAILURE() << "line " << trajectory.rows.size() + 1 << " has " << row.size() << " fields, the header "
                    << trajectory.columns.size();
      return std::nullopt;
    }
  }
  return trajectory;
}

std::string statesCsv(const reference::Layout& layout, const std::vector<double>& times,
                      const std::vector<reference::Vector<double>>& states) {
  std::string text = "t";
  for (const std::string& column : reference::stateColumns(layout)) text.append(",").append(column);
  text.append("\n");
  for (std::size_t i = 0; i < states.size(); ++i) {
    text.append(shortest(times[i]));
    for (const double value : states[i]) text.append(",").append(shortest(value));
    text.append("\n");
  }
  return text;
}

Trajectory runModel(const Workspace& workspace, const std::string& file, const Arguments& arguments) {
  const std::filesystem::path output = workspace.path("out.csv");
  std::filesystem::remove(output);
  Arguments all{"run", file, "--output", output.string(), "--quiet"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  const Outcome outcome = workspace.lmc(all);
  EXPECT_EQ(outcome.status, 0) << file << "\n" << outcome.err;
  if (outcome.status != 0) return {};
  return parseCsv(readFile(output)).value_or(Trajectory{});
}

} // namespace lmc::acceptance
