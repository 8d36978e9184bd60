#include "acceptance/Diagnostics.h"

#include <algorithm>
#include <regex>
#include <sstream>

namespace lmc::acceptance {

namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

/// "this|or that" is found if one of its alternatives is.
bool contains(const std::string& text, const std::string& fragment) {
  std::istringstream alternatives(lower(fragment));
  for (std::string one; std::getline(alternatives, one, '|');) {
    if (text.find(one) != std::string::npos) return true;
  }
  return false;
}

/// The words and quoted fragments at the end of an expectation.
void readWords(const std::string& text, Expected& e) {
  static const std::regex item(R"re("([^"]*)"|(warning|maybe))re");
  for (std::sregex_iterator i(text.begin(), text.end(), item), end; i != end; ++i) {
    if ((*i)[2] == "warning") {
      e.warning = true;
    } else if ((*i)[2] == "maybe") {
      e.optional = true;
    } else {
      e.fragments.push_back((*i)[1]);
    }
  }
}

} // namespace

bool Expected::matches(const Reported& r) const {
  if (warning != r.warning) return false;
  if (line != 0 && (line != r.line || r.column < from || r.column > to)) return false;
  const std::string text = lower(r.text);
  return std::all_of(fragments.begin(), fragments.end(), [&](const std::string& f) { return contains(text, f); });
}

std::vector<Reported> parseDiagnostics(const std::string& text) {
  static const std::regex head(R"re(^.*:(\d+):(\d+): (error|warning)\[(LIE\d{4})\]: (.*)$)re");
  std::vector<Reported> list;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::smatch m;
    if (std::regex_match(line, m, head)) {
      list.push_back({std::stoi(m[1]), std::stoi(m[2]), m[3] == "warning", m[4], m[5]});
    } else if (!list.empty()) {
      list.back().text.append("\n").append(line);
    }
  }
  return list;
}

Expectations parseExpectations(const std::string& program) {
  static const std::regex columns(R"re(^//! at (\d+)(?:-(\d+))?(.*)$)re");
  Expectations all;
  std::istringstream lines(program);
  int number = 0, code = 0; // code: the last line that is no expectation
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (!line.starts_with("//!")) {
      code = number;
      continue;
    }
    std::smatch m;
    Expected e;
    if (line == "//! run") {
      all.run = true;
      continue;
    }
    if (std::regex_match(line, m, columns)) {
      e.line = code;
      e.from = std::stoi(m[1]);
      e.to = m[2].matched ? std::stoi(m[2]) : e.from;
      readWords(m[3], e);
    } else if (line.starts_with("//! anywhere")) {
      readWords(line, e);
    } else {
      const std::size_t caret = line.find('^');
      const std::size_t end = line.find_first_not_of('~', caret + 1);
      e.line = code;
      e.from = static_cast<int>(caret) + 1;
      e.to = static_cast<int>(end == std::string::npos ? line.size() : end);
      if (end != std::string::npos) readWords(line.substr(end), e);
    }
    all.list.push_back(std::move(e));
  }
  return all;
}

std::string compare(const Expectations& expected, const std::vector<Reported>& reported) {
  std::vector<bool> used(reported.size(), false);
  std::ostringstream wrong;
  // Those with a place choose first.
  for (const bool placed : {true, false}) {
    for (const Expected& e : expected.list) {
      if ((e.line != 0) != placed) continue;
      std::size_t k = 0;
      while (k < reported.size() && (used[k] || !e.matches(reported[k]))) ++k;
      if (k < reported.size()) {
        used[k] = true;
      } else if (!e.optional) {
        wrong << "not reported: line " << e.line << ", columns " << e.from << " to " << e.to;
        for (const std::string& f : e.fragments) wrong << " \"" << f << '"';
        wrong << '\n';
      }
    }
  }
  for (std::size_t k = 0; k < reported.size(); ++k) {
    if (!used[k])
      wrong << "not expected: " << reported[k].line << ':' << reported[k].column << ' ' << reported[k].text << '\n';
  }
  return wrong.str();
}

} // namespace lmc::acceptance
