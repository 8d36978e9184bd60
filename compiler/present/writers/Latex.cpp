// Trees as a person sets them in LaTeX.
#include "present/writers/Document.h"
#include "present/writers/Symbols.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc::present {

namespace {
namespace tex {

/// Binding strength, loosest first.
enum Level { Condition = 0, Sum = 1, Vectors = 2, Product = 3, Unary = 4, Power = 5, Postfix = 6, Atom = 7 };
using Form = std::pair<std::string, int>;

std::string at(const TreePtr& t, int level);

std::string list(const std::vector<TreePtr>& kids, std::size_t from = 0) {
  std::string s;
  for (std::size_t k = from; k < kids.size(); ++k) s += (k > from ? ", " : "") + at(kids[k], Condition);
  return s;
}

/// As small brackets as will do.
std::string bracketed(const std::string& s) {
  const bool tall = s.find("\\frac") != std::string::npos || s.find("\\sum") != std::string::npos ||
                    s.find("matrix") != std::string::npos;
  return tall ? "\\left(" + s + "\\right)" : "(" + s + ")";
}

std::string numeral(const sym::Number& v) {
  const std::string s = v.text();
  const bool simple = v.exact() && (v.den() == 2 || (std::abs(v.num()) == 1 && v.den() <= 12));
  const bool ratio = v.exact() && v.den() > 1 && (s.find('/') != std::string::npos || simple);
  if (ratio) return fmt::format("{}\\tfrac{{{}}}{{{}}}", v.negative() ? "-" : "", std::abs(v.num()), v.den());
  const std::size_t e = s.find('e');
  return e == std::string::npos ? s : s.substr(0, e) + " \\cdot 10^{" + s.substr(e + 1) + "}";
}

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

/// Words beside other factors need a space that is seen: speed t.
const char* apart(const std::string& before, const std::string& part) {
  const auto isWord = [](const std::string& f) { return f.starts_with("\\mathrm{"); };
  return isWord(before) || isWord(part) ? " \\, " : " ";
}

std::string product(const std::vector<TreePtr>& kids) {
  std::string s, before;
  for (std::size_t k = 0; k < kids.size(); ++k) {
    const bool last = k + 1 == kids.size();
    // a sum that ends a product needs no brackets around it, nor does a vector product that stands alone
    const bool open = kids[k]->op == Op::Sum || kids[k]->op == Op::Cross || kids[k]->op == Op::Dot;
    const bool factors =
        kids[k]->op == Op::Mul || kids[k]->op == Op::MatMul || (k == 0 && kids[k]->op == Op::Div); // g (A v) is g A v
    const int level = open && last ? Vectors : factors ? Product : Unary;
    const std::string part = at(kids[k], level);
    const bool dot = !s.empty() && isDigit(s.back()) && !part.empty() && isDigit(part.front());
    s += (s.empty() ? "" : dot ? " \\cdot " : apart(before, part)) + part;
    before = part;
  }
  return s;
}

/// A sum stands at its end without brackets, and would take in what follows.
bool endsOpen(const Tree& t) {
  if (t.op == Op::Sum) return true;
  const bool last = t.op == Op::Mul || t.op == Op::Neg || t.op == Op::Cross || t.op == Op::Dot;
  return last && endsOpen(*t.kids.back());
}

Form sum(const Tree& t) {
  std::string s;
  for (const TreePtr& k : t.kids) {
    const bool minus = k->op == Op::Neg;
    const bool open = endsOpen(*k) && k != t.kids.back();
    const std::string part = at(minus ? k->kids[0] : k, open ? Product : minus ? Vectors : Sum);
    if (s.empty())
      s = (minus ? "-" : "") + part;
    else if (!minus && part[0] == '-')
      s += " - " + part.substr(1);
    else
      s += (minus ? " - " : " + ") + part;
  }
  return {s, Sum};
}

std::string relation(const std::string& name) {
  if (name == "<=") return "\\le";
  if (name == "==") return "=";
  if (name == "!=") return "\\ne";
  if (name == "and") return "\\wedge";
  if (name == "or") return "\\vee";
  return name;
}

bool isSquare(const Tree& t) {
  return t.op == Op::Dot && equal(t.kids[0], t.kids[1]);
}

Form call(const Tree& t) {
  static const std::vector<std::string> known = {"sin", "cos", "tan", "sinh", "cosh", "tanh",
                                                 "exp", "log", "det", "min",  "max"};
  const std::string& n = t.text;
  if (n == "<" || n == "<=" || n == "==" || n == "!=" || n == "and" || n == "or")
    return {at(t.kids[0], Sum) + " " + relation(n) + " " + at(t.kids[1], Sum), Condition};
  if (n == "curve") { // primes are derivatives by the argument, not by time
    const std::string& name = t.kids[0]->text;
    const std::size_t end = name.find_last_not_of('\'') + 1;
    return {symbol(name.substr(0, end)) + name.substr(end) + bracketed(list(t.kids, 1)), Atom};
  }
  if (n == "momentum") {
    std::string of = at(t.kids[0], Condition);
    if (t.kids.size() == 2) of += ", " + at(t.kids[1], Condition);
    return {"\\mu_{" + of + "}", Postfix};
  }
  if (n == "rate") return {"\\dot{" + at(t.kids[0], Postfix) + "}", Postfix};
  if (n == "gamma") return {"\\gamma" + bracketed(list(t.kids)), Atom};
  if (n == "M" || n == "c") return {n + "_{" + list(t.kids) + "}", Postfix};
  if (n == "joint") {
    std::string name;
    for (const char c : t.kids[0]->text) name += c == '_' ? std::string("\\_") : std::string(1, c);
    return {"\\mathrm{" + name + "}" + bracketed(list(t.kids, 1)), Atom};
  }
  if (n == "reaction_of") {
    std::string of = at(t.kids[1], Condition);
    if (t.kids.size() > 2) of += ", " + at(t.kids[2], Condition);
    return {"\\lambda_{" + of + "}^{" + at(t.kids[0], Condition) + "}", Postfix};
  }
  if (n == "reaction") return {"\\lambda_{" + list(t.kids) + "}", Postfix};
  if (n == "force") return {"F_{" + list(t.kids) + "}", Postfix};
  if (n == "f" && t.kids.size() == 2)
    return {"f(" + at(t.kids[0], Condition) + ")_{" + at(t.kids[1], Condition) + "}", Postfix};
  if (n == "f") return {"f(" + at(t.kids[0], Condition) + ")", Postfix};
  if (n == "sqrt") {
    if (isSquare(*t.kids[0])) return {"\\lVert " + at(t.kids[0]->kids[0], Condition) + " \\rVert", Atom};
    return {"\\sqrt{" + at(t.kids[0], Condition) + "}", Atom};
  }
  if (n == "abs") return {"\\lvert " + at(t.kids[0], Condition) + " \\rvert", Atom};
  if (n == "pow") return {at(t.kids[0], Postfix) + "^{" + at(t.kids[1], Condition) + "}", Power};
  if (n == "quotient") return {"\\frac{" + at(t.kids[0], Condition) + "}{" + at(t.kids[1], Condition) + "}", Atom};
  if (n == "axial" && t.kids[0]->op == Op::Outer) {
    const TreePtr &a = t.kids[0]->kids[0], &b = t.kids[0]->kids[1];
    return {bracketed(at(a, Unary) + " " + at(b, Postfix) + "^{\\top} - " + at(b, Unary) + " " + at(a, Postfix) +
                      "^{\\top}") +
                "^{\\vee}",
            Power};
  }
  if (n == "axial") return {"(" + at(t.kids[0], Sum) + " - " + at(t.kids[0], Postfix) + "^{\\top})^{\\vee}", Power};
  if (n == "stumpff") return {"c_{" + at(t.kids[0], Condition) + "}(" + at(t.kids[1], Condition) + ")", Atom};
  std::string name = "\\operatorname{" + n + "}";
  for (const std::string& k : known)
    if (k == n) name = "\\" + n;
  const bool plain =
      t.kids.size() == 1 && t.kids[0]->op == Op::Name && known.end() != std::find(known.begin(), known.end(), n);
  if (plain) return {name + " " + at(t.kids[0], Atom - 1), Unary};
  return {name + bracketed(list(t.kids)), Atom};
}

std::string matrix(const Tree& t, int cols) {
  std::string s = "\\begin{bmatrix} ";
  for (std::size_t k = 0; k < t.kids.size(); ++k) {
    if (k > 0) s += k % static_cast<std::size_t>(cols) == 0 ? " \\\\ " : " & ";
    s += at(t.kids[k], Condition);
  }
  return s + " \\end{bmatrix}";
}

std::string summation(const Tree& t) {
  std::string below = symbol(t.text) + " = " + at(t.kids[0], Condition);
  if (t.kids.size() > 3)
    below = "\\substack{" + below + " \\\\ " + symbol(t.text) + " \\ne " + at(t.kids[3], Condition) + "}";
  return "\\sum_{" + below + "}^{" + at(t.kids[1], Condition) + "} " + at(t.kids[2], Vectors);
}

/// (J w) x w: of a product of matrices it is seen what is multiplied by what.
int operandLevel(const Tree& t) {
  return t.op == Op::MatMul ? Unary : Product;
}

/// A sum that ends a product needs no brackets.
std::string lastOperand(const TreePtr& t) {
  return at(t, t->op == Op::Sum ? Vectors : Product);
}

/// Long because it has one case an operation.
Form form(const Tree& t) {
  switch (t.op) {
  case Op::Number:
    return {numeral(t.number), t.number.negative() ? Sum : Atom};
  case Op::Zero:
    return {"0", Atom};
  case Op::Identity:
    return {"I", Atom};
  case Op::Basis:
    return {"e_{" + at(t.kids[0], Condition) + "}", Atom};
  case Op::Name: {
    if (t.kids.empty()) return {symbol(t.text), Postfix};
    return {symbol(t.text, list(t.kids)), Postfix};
  }
  case Op::Add:
    return sum(t);
  case Op::Neg:
    return {"-" + at(t.kids[0], Vectors), Sum};
  case Op::Mul:
    return {product(t.kids),
            t.kids.back()->op == Op::Sum || t.kids.back()->op == Op::Cross || t.kids.back()->op == Op::Dot ? Vectors
                                                                                                           : Product};
  case Op::Div:
    return {"\\frac{" + at(t.kids[0], Condition) + "}{" + at(t.kids[1], Condition) + "}", Atom};
  case Op::Pow: {
    const Tree& base = *t.kids[0];
    if (base.op == Op::Call && base.kids.size() == 1 && base.kids[0]->op == Op::Name && base.text != "sqrt" &&
        base.text != "abs") {
      const Form f = call(base); // \sin^2 x
      const std::size_t cut = f.first.find(' ');
      if (f.first[0] == '\\' && cut != std::string::npos)
        return {f.first.substr(0, cut) + "^{" + at(t.kids[1], Condition) + "}" + f.first.substr(cut), Unary};
    }
    if (isSquare(base) && t.kids[1]->op == Op::Number && t.kids[1]->number.isInteger())
      return {fmt::format("\\lVert {} \\rVert^{{{}}}", at(base.kids[0], Condition), 2 * t.kids[1]->number.num()),
              Power};
    return {at(t.kids[0], Postfix) + "^{" + at(t.kids[1], Condition) + "}", Power};
  }
  case Op::MatMul: {
    std::string s;
    std::string before;
    for (const TreePtr& k : t.kids) {
      const std::string part = at(k, Unary);
      s += (s.empty() ? "" : apart(before, part)) + part;
      before = part;
    }
    return {s, Product};
  }
  case Op::Transpose:
    return {at(t.kids[0], Postfix) + "^{\\top}", Power};
  case Op::Inverse:
    return {at(t.kids[0], Postfix) + "^{-1}", Power};
  case Op::Dot:
    if (isSquare(t)) return {"\\lVert " + at(t.kids[0], Condition) + " \\rVert^{2}", Power};
    return {at(t.kids[0], operandLevel(*t.kids[0])) + " \\cdot " + lastOperand(t.kids[1]), Vectors};
  case Op::Cross:
    return {at(t.kids[0], operandLevel(*t.kids[0])) + " \\times " + lastOperand(t.kids[1]), Vectors};
  case Op::Hat:
    return {"\\widehat{" + at(t.kids[0], Condition) + "}", Atom};
  case Op::Outer:
    return {at(t.kids[0], Unary) + " " + at(t.kids[1], Postfix) + "^{\\top}", Product};
  case Op::Sum:
    return {summation(t), Vectors};
  case Op::Call:
    return call(t);
  case Op::If:
    return {"\\begin{cases} " + at(t.kids[1], Condition) + " & \\text{if } " + at(t.kids[0], Condition) + " \\\\ " +
                at(t.kids[2], Condition) + " & \\text{otherwise} \\end{cases}",
            Atom};
  case Op::Entry:
    if (t.kids[0]->op == Op::Name && t.kids[0]->kids.empty())
      return {symbol(t.kids[0]->text, list(t.kids, 1)), Postfix};
    if (t.kids.size() == 2) return {"e_{" + list(t.kids, 1) + "} \\cdot " + at(t.kids[0], Product), Vectors};
    return {bracketed(at(t.kids[0], Condition)) + "_{" + list(t.kids, 1) + "}", Postfix};
  case Op::Vector:
    return {matrix(t, 1), Atom};
  case Op::Matrix:
    return {matrix(t, t.shape.cols), Atom};
  }
  return {"?", Atom};
}

std::string at(const TreePtr& t, int level) {
  const auto [s, own] = form(*t);
  return own >= level ? s : bracketed(s);
}

} // namespace tex
} // namespace

std::string latex(const TreePtr& tree) {
  return tex::at(tree, tex::Condition);
}

std::string latex(const Document& d) {
  std::string out = fmt::format("% model {}\n", d.model);
  for (const Section& s : d.sections) {
    out += fmt::format("% {}\n\\begin{{align*}}\n", s.title);
    for (std::size_t k = 0; k < s.lines.size(); ++k) {
      const Line& l = s.lines[k];
      out += "  " + (l.left ? latex(l.left) + " &= " : "& ") + latex(l.right);
      for (const IndexRange& r : rangesOf(l))
        out += fmt::format(", \\quad {} = {}{}, {}", symbol(r.index), latex(r.from),
                           latex(r.to) == "2" ? "" : ", \\dots", latex(r.to));
      out += k + 1 < s.lines.size() ? " \\\\\n" : "\n";
    }
    out += "\\end{align*}\n";
  }
  if (!d.curves.empty()) {
    out += "% Tables\n\\begin{align*}\n";
    for (std::size_t k = 0; k < d.curves.size(); ++k) {
      std::string words;
      for (const char c : d.curves[k].words) words += c == '_' ? std::string("\\_") : std::string(1, c);
      out +=
          "  & " + symbol(d.curves[k].name) + ": \\text{ " + words + "}" + (k + 1 < d.curves.size() ? " \\\\\n" : "\n");
    }
    out += "\\end{align*}\n";
  }
  for (const std::string& m : d.masses) out += "% mass matrix: " + m + "\n";
  for (const std::string& a : d.assumptions) out += "% " + a + "\n";
  return out;
}

} // namespace lmc::present
