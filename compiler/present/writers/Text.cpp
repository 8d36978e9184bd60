// Trees in the notation of the language.
#include "present/writers/Document.h"

#include <fmt/format.h>

namespace lmc::present {

namespace {
namespace plain {

/// Binding strength, loosest first.
enum Level { Condition = 0, Sum = 1, Product = 2, Unary = 3, Power = 4, Postfix = 5, Atom = 6 };
using Form = std::pair<std::string, int>;

std::string at(const TreePtr& t, int level);

std::string list(const std::vector<TreePtr>& kids, std::size_t from = 0) {
  std::string s;
  for (std::size_t k = from; k < kids.size(); ++k) s += (k > from ? ", " : "") + at(kids[k], Condition);
  return s;
}

bool isRelation(const std::string& name) {
  return name == "<" || name == "<=" || name == "==" || name == "!=" || name == "and" || name == "or";
}

/// c*a*b, or a*b/n where c = 1/n.
Form product(const Tree& t) {
  std::string s, over;
  for (std::size_t k = 0; k < t.kids.size(); ++k) {
    const Tree& kid = *t.kids[k];
    if (k == 0 && kid.op == Op::Number && kid.number.exact() && kid.number.num() == 1 && kid.number.den() > 1) {
      over = fmt::format("/{}", kid.number.den());
      continue;
    }
    const bool open = kid.op == Op::Div || kid.op == Op::MatMul || kid.op == Op::Mul; // a*(b/c) is a*b/c
    s += (s.empty() ? "" : "*") + at(t.kids[k], open ? Product : Unary);
  }
  return {s + over, Product};
}

Form sum(const Tree& t) {
  std::string s;
  for (const TreePtr& k : t.kids) {
    const bool minus = k->op == Op::Neg;
    const std::string part = at(minus ? k->kids[0] : k, minus ? Product : Sum);
    if (s.empty())
      s = (minus ? "-" : "") + part;
    else if (!minus && part[0] == '-')
      s += " - " + part.substr(1);
    else
      s += (minus ? " - " : " + ") + part;
  }
  return {s, Sum};
}

Form call(const Tree& t) {
  if (t.text == "joint") return {t.kids[0]->text + "(" + list(t.kids, 1) + ")", Atom};
  if (t.text == "curve") return {t.kids[0]->text + "(" + list(t.kids, 1) + ")", Atom};
  if (isRelation(t.text)) return {at(t.kids[0], Sum) + " " + t.text + " " + at(t.kids[1], Sum), Condition};
  if (t.text == "axial" && t.kids[0]->op == Op::Outer) {
    const std::string a = at(t.kids[0]->kids[0], Condition), b = at(t.kids[0]->kids[1], Condition);
    return {"vee(outer(" + a + ", " + b + ") - outer(" + b + ", " + a + "))", Atom};
  }
  if (t.text == "axial") return {"vee(" + at(t.kids[0], Sum) + " - transpose(" + at(t.kids[0], Condition) + "))", Atom};
  if (t.text == "sqrt" && t.kids[0]->op == Op::Dot && equal(t.kids[0]->kids[0], t.kids[0]->kids[1]))
    return {"norm(" + at(t.kids[0]->kids[0], Condition) + ")", Atom};
  if ((t.text == "momentum" || t.text == "f" || t.text == "reaction") && t.kids.size() == 2)
    return {t.text + "(" + at(t.kids[0], Sum) + ")." + t.kids[1]->text, Postfix};
  if (t.text == "reaction_of") // of a joint, on a body
    return {"reaction(" + at(t.kids[0], Sum) + ", " + at(t.kids[1], Sum) + ")" +
                (t.kids.size() > 2 ? "." + t.kids[2]->text : ""),
            Postfix};
  if (t.text == "rate") return {at(t.kids[0], Postfix) + "'", Postfix};
  if (t.text == "quotient") return {at(t.kids[0], Product) + "/" + at(t.kids[1], Unary), Product};
  return {t.text + "(" + list(t.kids) + ")", Atom};
}

std::string matrix(const Tree& t) {
  std::string s = "[";
  for (int i = 0; i < t.shape.rows; ++i) {
    const auto row = t.kids.begin() + static_cast<std::ptrdiff_t>(i) * t.shape.cols;
    s += (i > 0 ? ", [" : "[") + list({row, row + t.shape.cols}) + "]";
  }
  return s + "]";
}

std::string chain(const Tree& t) {
  std::string s;
  for (const TreePtr& k : t.kids) s += (s.empty() ? "" : "*") + at(k, Unary);
  return s;
}

/// Long because it has one case an operation.
Form form(const Tree& t) {
  switch (t.op) {
  case Op::Number: {
    const std::string s = t.number.text();
    return {s, t.number.negative() ? Sum : s.find('/') != std::string::npos ? Product : Atom};
  }
  case Op::Zero:
    return {t.shape.rank == 1 ? fmt::format("zeros({})", t.shape.rows)
                              : fmt::format("zeros({},{})", t.shape.rows, t.shape.cols),
            Atom};
  case Op::Identity:
    return {fmt::format("eye({})", t.shape.rows), Atom};
  case Op::Basis: {
    const std::string i = at(t.kids[0], Condition);
    return {t.kids[0]->op == Op::Number ? "e" + i : "e[" + i + "]", Atom};
  }
  case Op::Name:
    return {t.kids.empty() ? t.text : t.text + "[" + list(t.kids) + "]", Postfix};
  case Op::Add:
    return sum(t);
  case Op::Neg:
    return {"-" + at(t.kids[0], Product), Sum};
  case Op::Mul:
    return product(t);
  case Op::Div:
    return {at(t.kids[0], Product) + "/" + at(t.kids[1], Unary), Product};
  case Op::Pow:
    return {at(t.kids[0], Postfix) + "^" + at(t.kids[1], Power), Power};
  case Op::MatMul:
    return {chain(t), Product};
  case Op::Transpose:
    return {"transpose(" + list(t.kids) + ")", Atom};
  case Op::Inverse:
    return {"inverse(" + list(t.kids) + ")", Atom};
  case Op::Dot:
    return {"dot(" + list(t.kids) + ")", Atom};
  case Op::Cross:
    return {"cross(" + list(t.kids) + ")", Atom};
  case Op::Hat:
    return {"hat(" + list(t.kids) + ")", Atom};
  case Op::Outer:
    return {"outer(" + list(t.kids) + ")", Atom};
  case Op::Sum:
    return {fmt::format("sum({} in {}..{}{}: {})", t.text, at(t.kids[0], Sum), at(t.kids[1], Sum),
                        t.kids.size() > 3 ? fmt::format(" where {} != {}", t.text, at(t.kids[3], Sum)) : "",
                        at(t.kids[2], Condition)),
            Atom};
  case Op::Call:
    return call(t);
  case Op::If:
    return {"if " + at(t.kids[0], Condition) + " then " + at(t.kids[1], Condition) + " else " +
                at(t.kids[2], Condition),
            -1};
  case Op::Entry:
    return {at(t.kids[0], Postfix) + "[" + list(t.kids, 1) + "]", Postfix};
  case Op::Vector:
    return {"[" + list(t.kids) + "]", Atom};
  case Op::Matrix:
    return {matrix(t), Atom};
  }
  return {"?", Atom};
}

std::string at(const TreePtr& t, int level) {
  const auto [s, own] = form(*t);
  return own >= level ? s : "(" + s + ")";
}

} // namespace plain
} // namespace

std::string text(const TreePtr& tree) {
  return plain::at(tree, -1);
}

std::string JointHead::title() const {
  return fmt::format("{}({})", name, fmt::join(parameters, ", "));
}

std::string ranges(const Line& l) {
  std::string out;
  for (const IndexRange& r : rangesOf(l))
    out += fmt::format("{}{} = {}..{}", out.empty() ? "" : ", ", r.index, text(r.from), text(r.to));
  return out;
}

std::string text(const Document& d) {
  std::string out = fmt::format("model {}\n", d.model);
  for (const Section& s : d.sections) {
    out += fmt::format("\n{}\n", s.title);
    for (const Line& l : s.lines) {
      out += "  " + (l.left ? text(l.left) + " = " : std::string()) + text(l.right);
      if (const std::string range = ranges(l); !range.empty()) out += "   (" + range + ")";
      out += "\n";
    }
  }
  if (!d.curves.empty()) out += "\nTables\n";
  for (const CurveLine& c : d.curves) out += "  " + c.name + ": " + c.words + "\n";
  if (!d.masses.empty()) out += "\nMass matrix\n";
  for (const std::string& m : d.masses) out += "  " + m + "\n";
  if (!d.assumptions.empty()) out += "\n";
  for (const std::string& a : d.assumptions) out += a + "\n";
  return out;
}

} // namespace lmc::present
