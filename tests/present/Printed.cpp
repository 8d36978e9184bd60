#include "Printed.h"

#include <array>
#include <cctype>
#include <stdexcept>

namespace lmc::test {

using nlohmann::json;

namespace {

/// Calls whose arguments are names of variables.
bool isOfNames(const std::string& f) {
  return f == "momentum" || f == "f" || f == "gamma" || f == "reaction" || f == "M" || f == "c" || f == "force";
}

class Parser {
public:
  Parser(const std::string& text, const PrintedNames& names) : s_(text), names_(names) {}

  json all() {
    json t = condition();
    if (at_ != s_.size()) fail("the end");
    return t;
  }

private:
  [[noreturn]] void fail(const std::string& wanted) const {
    throw std::runtime_error("`" + s_ + "`: " + wanted + " is missing at " + std::to_string(at_));
  }
  void blanks() {
    while (at_ < s_.size() && s_[at_] == ' ') ++at_;
  }
  bool take(const std::string& what) {
    const std::size_t before = at_;
    blanks();
    if (s_.compare(at_, what.size(), what) == 0) {
      at_ += what.size();
      return true;
    }
    at_ = before;
    return false;
  }
  void expect(const std::string& what) {
    if (!take(what)) fail("`" + what + "`");
  }
  [[nodiscard]] bool isPartOfName(std::size_t k) const {
    return k < s_.size() && (std::isalnum(static_cast<unsigned char>(s_[k])) != 0 || s_[k] == '_');
  }
  bool word(const std::string& w) {
    const std::size_t before = at_;
    if (take(w) && !isPartOfName(at_)) return true;
    at_ = before;
    return false;
  }

  json condition() {
    if (word("if")) {
      json c = condition();
      expect("then");
      json a = condition();
      expect("else");
      return {"if", std::move(c), std::move(a), condition()};
    }
    json left = relation();
    for (const char* f : {"and", "or"})
      while (word(f)) left = {"call", f, left, relation()};
    return left;
  }
  json relation() {
    json left = sum();
    for (const char* f : {"<=", "==", "!=", "<"})
      if (take(f)) return {"call", f, left, sum()};
    return left;
  }
  json sum() {
    json t = take("-") ? json{"neg", product()} : product();
    for (;;) {
      if (take("+ "))
        t = {"add", t, product()};
      else if (take("- "))
        t = {"add", t, {"neg", product()}};
      else
        return t;
    }
  }
  json product() {
    json t = power();
    for (;;) {
      if (at_ < s_.size() && s_[at_] == '*') {
        ++at_;
        t = {"times", t, power()};
      } else if (at_ < s_.size() && s_[at_] == '/') {
        ++at_;
        t = {"div", t, power()};
      } else {
        return t;
      }
    }
  }
  json power() {
    json t = postfix();
    if (at_ < s_.size() && s_[at_] == '^') {
      ++at_;
      t = {"pow", t, postfix()};
    }
    return t;
  }
  json postfix() {
    json t = primary();
    while (at_ < s_.size() && s_[at_] == '[') {
      json e = {"entry", t};
      for (json& i : list('[', ']')) e.push_back(std::move(i));
      t = std::move(e);
    }
    return t;
  }
  std::vector<json> list(char open, char close) {
    std::vector<json> items;
    expect(std::string(1, open));
    if (take(std::string(1, close))) return items;
    do items.push_back(condition());
    while (take(","));
    expect(std::string(1, close));
    return items;
  }

  json primary() {
    blanks();
    if (at_ >= s_.size()) fail("a value");
    if (s_[at_] == '(') {
      ++at_;
      json t = condition();
      expect(")");
      return t;
    }
    if (s_[at_] == '[') return brackets();
    if (std::isdigit(static_cast<unsigned char>(s_[at_])) != 0) {
      std::size_t used = 0;
      const double x = std::stod(s_.substr(at_), &used);
      if (s_.compare(at_ + used - 1, 2, "..") == 0) --used; // 1..N
      at_ += used;
      return x;
    }
    return named();
  }
  json brackets() {
    const std::vector<json> rows = list('[', ']');
    const bool isMatrix = !rows.empty() && rows[0].is_array() && rows[0].at(0) == "vector";
    json t = {isMatrix ? "matrix" : "vector"};
    if (isMatrix) {
      t.push_back(rows.size());
      t.push_back(rows[0].size() - 1);
    }
    for (const json& row : rows) {
      if (isMatrix)
        for (std::size_t k = 1; k < row.size(); ++k) t.push_back(row[k]);
      else
        t.push_back(row);
    }
    return t;
  }

  /// The longest name that is known, else letters, digits, underscores, dots and primes.
  std::string name() {
    std::string best;
    const auto consider = [&](const std::string& n) {
      const std::size_t end = at_ + n.size();
      const bool goesOn = isPartOfName(end) || (end < s_.size() && s_[end] == '\'') ||
                          (end + 1 < s_.size() && s_[end] == '.' && isPartOfName(end + 1) &&
                           std::isdigit(static_cast<unsigned char>(s_[end + 1])) == 0);
      if (n.size() > best.size() && s_.compare(at_, n.size(), n) == 0 && !goesOn) best = n;
    };
    for (const auto& [n, family] : names_.families) consider(n);
    std::size_t end = at_;
    while (isPartOfName(end) || (end < s_.size() && end > at_ && s_[end] == '\'') ||
           (end + 1 < s_.size() && s_[end] == '.' && isPartOfName(end + 1) && end > at_))
      ++end;
    if (best.size() < end - at_) best = s_.substr(at_, end - at_);
    if (best.empty()) fail("a name");
    at_ += best.size();
    return best;
  }

  json named() {
    if (s_.compare(at_, 4, "sum(") == 0) return series();
    const std::string n = name();
    const bool isCall = at_ < s_.size() && s_[at_] == '(';
    if (isCall && names_.curves.contains(n.substr(0, n.find('\'')))) return {"call", "curve", n, list('(', ')').at(0)};
    if (isCall) return call(n);
    if (!names_.families.contains(n) && n[0] == 'e') { // e1, e[i]
      if (n == "e" && at_ < s_.size() && s_[at_] == '[') return {"unit", list('[', ']').at(0)};
      if (n.size() > 1 && n.find_first_not_of("0123456789", 1) == std::string::npos)
        return {"unit", std::stoi(n.substr(1))};
    }
    const auto it = names_.families.find(n);
    if (it == names_.families.end() || !it->second || at_ >= s_.size() || s_[at_] != '[') return n;
    json t = {"at", n};
    for (json& i : list('[', ']')) t.push_back(std::move(i));
    return t;
  }
  json series() {
    at_ += 4;
    json t = {"sum", name()};
    expect("in");
    t.push_back(sum());
    expect("..");
    t.push_back(sum());
    json except;
    if (word("where")) {
      (void)sum();
      expect("!=");
      except = sum();
    }
    expect(":");
    t.push_back(condition());
    if (!except.is_null()) t.push_back(except);
    expect(")");
    return t;
  }
  json call(const std::string& f) {
    const std::vector<json> a = list('(', ')');
    if (isOfNames(f)) {
      json t = {"call", f == "reaction" && a.size() > 1 ? "reaction_of" : f};
      for (const json& x : a) t.push_back(x);
      if ((f == "momentum" || f == "f" || f == "reaction") && at_ < s_.size() && s_[at_] == '.') {
        ++at_;
        t.push_back(name());
        std::string part = t.back();
        while (part.ends_with('\'')) { // momentum(A).w'
          part.pop_back();
          --at_;
        }
        t.back() = part;
      }
      if (at_ < s_.size() && s_[at_] == '\'') {
        ++at_;
        t = {"call", "rate", t};
      }
      return t;
    }
    static const std::set<std::string> operations = {"dot", "cross", "hat", "outer", "transpose", "inverse", "eye"};
    json t;
    if (operations.contains(f))
      t = {f};
    else if (f == "zeros")
      return {f, a.at(0), a.size() > 1 ? a[1] : json(0)};
    else
      t = {"call", f};
    for (const json& x : a) t.push_back(x);
    return t;
  }

  const std::string& s_;
  const PrintedNames& names_;
  std::size_t at_ = 0;
};

} // namespace

json parsed(const std::string& text, const PrintedNames& names) {
  return Parser(text, names).all();
}

void addNames(PrintedNames& names, const json& lines) {
  for (const json& line : lines) {
    if (!line.contains("left")) continue;
    const std::string left = line.at("left");
    if (left.find('(') != std::string::npos) continue; // momentum(q), M(a, b)
    const std::size_t bracket = left.find('[');
    names.families[left.substr(0, bracket)] = bracket != std::string::npos;
  }
}

json readAgain(const json& lines, const PrintedNames& names) {
  json again = json::array();
  for (const json& line : lines) {
    json l = line;
    l["tree"] = json::object();
    if (line.contains("left")) l["tree"]["left"] = parsed(line.at("left"), names);
    l["tree"]["right"] = parsed(line.at("right"), names);
    std::string ranges = line.value("for", ""); // k = 1..2, i = 1..N
    while (!ranges.empty()) {
      const std::size_t comma = ranges.find(", ");
      const std::string range = ranges.substr(0, comma);
      ranges = comma == std::string::npos ? "" : ranges.substr(comma + 2);
      const std::size_t equals = range.find(" = "), dots = range.find("..");
      l["tree"]["for"].push_back(json{range.substr(0, equals),
                                      parsed(range.substr(equals + 3, dots - equals - 3), names),
                                      parsed(range.substr(dots + 2), names)});
    }
    again.push_back(std::move(l));
  }
  return again;
}

} // namespace lmc::test
