#include "differential/Tree.h"

#include <array>
#include <cstdio>
#include <stdexcept>

namespace lmc::differential {

namespace {

std::string list(const std::vector<Tree>& kids, const std::string& between = ", ") {
  std::string text;
  for (const Tree& k : kids) text += (text.empty() ? "" : between) + print(k);
  return text;
}

/// In parentheses, unless it is one word or one call.
std::string operand(const Tree& t) {
  switch (t->op) {
  case Op::Time:
  case Op::Counter:
  case Op::Reference:
  case Op::Call:
  case Op::Build:
  case Op::Entry:
  case Op::Prime:
  case Op::Sum:
    return print(t);
  case Op::Number:
    return t->number < 0 ? "(" + print(t) + ")" : print(t);
  default:
    return "(" + print(t) + ")";
  }
}

/// The left operand of a sum.
std::string left(const Tree& t) {
  return t->op == Op::Choice ? operand(t) : print(t);
}

std::string at(const Place& p) {
  if (!p.family) return "";
  if (p.backwards) return "[N+1-" + p.counter + "]";
  if (p.counter.empty()) return "[" + std::to_string(p.offset) + "]";
  if (p.offset == 0) return "[" + p.counter + "]";
  return "[" + p.counter + (p.offset < 0 ? "-" : "+") + std::to_string(p.offset < 0 ? -p.offset : p.offset) + "]";
}

std::string built(const Node& n) {
  if (n.cols == 1) return "[" + list(n.kids) + "]";
  std::string text;
  for (int r = 0; r < n.rows; ++r) {
    const auto first = n.kids.begin() + static_cast<std::ptrdiff_t>(r) * n.cols;
    text += (r == 0 ? "[" : ", [") + list({first, first + n.cols}) + "]";
  }
  return "[" + text + "]";
}

std::string summed(const Node& n) {
  const std::string& i = n.place.counter;
  return "sum(" + i + " in " + (n.k > 0 ? std::to_string(n.k) : n.part + "+1") + ".." +
         (n.l > 0    ? std::to_string(n.l)
          : n.l == 0 ? std::string("N")
                     : "N-" + std::to_string(-n.l)) +
         (n.name.empty() ? "" : " where " + i + " != " + n.name) + ": " + print(n.kids[0]) + ")";
}

} // namespace

std::string exactly(double x) {
  std::array<char, 40> text{};
  for (int digits = 1; digits <= 17; ++digits) {
    std::snprintf(text.data(), text.size(), "%.*g", digits, x);
    if (std::stod(text.data()) == x) break;
  }
  return text.data();
}

std::string print(const Tree& t) {
  const Node& n = *t;
  switch (n.op) {
  case Op::Number:
    return exactly(n.number);
  case Op::Time:
    return "t";
  case Op::Counter:
    return n.name;
  case Op::Reference:
    return n.name + at(n.place) + (n.part.empty() ? "" : "." + n.part);
  case Op::Add:
    return left(n.kids[0]) + " + " + operand(n.kids[1]);
  case Op::Subtract:
    return left(n.kids[0]) + " - " + operand(n.kids[1]);
  case Op::Multiply:
    return operand(n.kids[0]) + "*" + operand(n.kids[1]);
  case Op::Divide:
    return operand(n.kids[0]) + "/" + operand(n.kids[1]);
  case Op::Negate:
    return "-" + operand(n.kids[0]);
  case Op::Power:
    return operand(n.kids[0]) + "^" + std::to_string(n.k);
  case Op::Call:
    return n.name + "(" + (n.name == "stumpff" ? std::to_string(n.k) + ", " : "") + list(n.kids) + ")" +
           (n.part.empty() ? "" : "." + n.part);
  case Op::Build:
    return built(n);
  case Op::Entry:
    return operand(n.kids[0]) + "[" + std::to_string(n.k) + (n.l > 0 ? "," + std::to_string(n.l) : "") + "]";
  case Op::Prime:
    return operand(n.kids[0]) + "'";
  case Op::Choice:
    return "if " + operand(n.kids[0]) + " < " + operand(n.kids[1]) + " then " + operand(n.kids[2]) + " else " +
           operand(n.kids[3]);
  case Op::Sum:
    return summed(n);
  }
  throw std::logic_error("no such expression");
}

void namesIn(const Tree& t, std::set<std::string>& names) {
  if (t->op == Op::Reference) names.insert(t->name);
  for (const Tree& k : t->kids) namesIn(k, names);
}

} // namespace lmc::differential
