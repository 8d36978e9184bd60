#include "source_text.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <regex>
#include <sstream>

namespace fs = std::filesystem;

namespace lmc::test {
namespace {

bool isWordChar(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Reads one C++ source from left to right; each method consumes one lexical form.
class CppReader {
public:
  explicit CppReader(std::string_view source) : s_(source) {}

  CppText read() {
    while (i_ < s_.size()) {
      if (at("//"))
        skipTo("\n", false);
      else if (at("/*"))
        skipTo("*/", true);
      else if (at("R\"") && (i_ == 0 || !isWordChar(s_[i_ - 1])))
        rawString();
      else if (s_[i_] == '"')
        quoted('"');
      else if (s_[i_] == '\'' && (i_ == 0 || !isWordChar(s_[i_ - 1])))
        quoted('\'');
      else
        out_.code += s_[i_++];
    }
    return std::move(out_);
  }

private:
  [[nodiscard]] bool at(std::string_view what) const { return s_.substr(i_, what.size()) == what; }

  /// Blanks everything up to `end` (and over it, if `over`), keeping line breaks.
  void skipTo(std::string_view end, bool over) {
    std::size_t j = s_.find(end, i_ + (over ? 2 : 0));
    j = j == std::string_view::npos ? s_.size() : j + (over ? end.size() : 0);
    blank(j);
  }

  void blank(std::size_t to) {
    for (; i_ < to; ++i_) out_.code += s_[i_] == '\n' ? '\n' : ' ';
  }

  void quoted(char quote) {
    std::size_t j = i_ + 1;
    while (j < s_.size() && s_[j] != quote && s_[j] != '\n') j += s_[j] == '\\' ? 2 : 1;
    keep(i_ + 1, std::min(j, s_.size()), std::min(j + 1, s_.size()));
  }

  void rawString() {
    const std::size_t open = s_.find('(', i_);
    if (open == std::string_view::npos) return blank(s_.size());
    const std::string close = ")" + std::string(s_.substr(i_ + 2, open - i_ - 2)) + "\"";
    const std::size_t end = std::min(s_.find(close, open), s_.size());
    keep(open + 1, end, std::min(end + close.size(), s_.size()));
  }

  void keep(std::size_t from, std::size_t to, std::size_t next) {
    out_.literals.push_back({std::string(s_.substr(from, to - from)), lineAt(s_, from)});
    blank(next);
  }

  std::string_view s_;
  std::size_t i_ = 0;
  CppText out_;
};

} // namespace

CppText splitCpp(std::string_view source) {
  return CppReader(source).read();
}

std::vector<Declared> declarations(const fs::path& file) {
  static const std::regex head(R"(^(group|manifold|method|variational|tableau)\s+([A-Za-z_]\w*).*)");
  std::vector<Declared> found;
  std::istringstream in(readFile(file));
  std::string line;
  std::string doc;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    std::smatch m;
    if (line.rfind("//", 0) == 0) {
      doc += line.substr(2) + "\n";
      continue;
    }
    if (std::regex_match(line, m, head)) found.push_back({m[1], m[2], doc, file, number});
    doc.clear();
  }
  return found;
}

std::vector<std::string> includes(std::string_view source) {
  static const std::regex form(R"(^\s*#\s*include\s*[<"]([^>"]+)[>"].*)");
  std::vector<std::string> found;
  std::istringstream in{std::string(source)};
  std::string line;
  while (std::getline(in, line)) {
    std::smatch m;
    if (std::regex_match(line, m, form)) found.push_back(m[1]);
  }
  return found;
}

bool hasWord(std::string_view text, std::string_view word) {
  for (std::size_t p = text.find(word); p != std::string_view::npos; p = text.find(word, p + 1)) {
    const bool left = p == 0 || !isWordChar(text[p - 1]);
    const std::size_t end = p + word.size();
    const bool right = end == text.size() || !isWordChar(text[end]);
    if (left && right) return true;
  }
  return false;
}

std::vector<fs::path> filesBelow(const fs::path& folder, const std::set<std::string>& extensions) {
  std::vector<fs::path> found;
  if (!fs::exists(folder)) return found;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && extensions.count(entry.path().extension().string()) != 0)
      found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

std::string readFile(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::size_t lineAt(std::string_view text, std::size_t position) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(position);
  return 1 + static_cast<std::size_t>(std::count(text.begin(), end, '\n'));
}

std::vector<std::string> codeLines(const CppText& text) {
  std::vector<std::string> lines = {""};
  for (const char c : text.code)
    if (c == '\n')
      lines.emplace_back();
    else
      lines.back() += c;
  return lines;
}

} // namespace lmc::test
