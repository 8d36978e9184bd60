#include "sym/Print.h"

#include "base/Budget.h"

#include <array>
#include <fmt/format.h>
#include <map>

namespace lmc::sym {

namespace {

/// Binding strength, loosest first.
enum Level { Condition = 0, Sum = 1, Product = 2, Unary = 3, Power = 4, Postfix = 5, Atom = 6 };

std::string functionName(Op op) {
  static const std::map<Op, std::string> names = {
#define LMC_FUNCTION(op, name, ...) {Op::op, #name},
#include "sym/functions/Functions.def"
      {Op::Atan2, "atan2"},     {Op::Min, "min"},     {Op::Max, "max"},          {Op::Transpose, "transpose"},
      {Op::Inner, "dot"},       {Op::Cross, "cross"}, {Op::Hat, "hat"},          {Op::Unhat, "axial"},
      {Op::Outer, "outer"},     {Op::Trace, "trace"}, {Op::Det, "det"},          {Op::Inverse, "inverse"},
      {Op::Exponential, "exp"}, {Op::Solve, "solve"}, {Op::Diag, "diag"},        {Op::DiagOf, "diagonal"},
      {Op::IDiv, "div"},        {Op::IMod, "mod"},    {Op::FloorToInt, "floor"}, {Op::Not, "not"}};
  const auto it = names.find(op);
  return it == names.end() ? "?" : it->second;
}

class Printer {
public:
  Printer(Notation n, std::size_t most) : latex_(n == Notation::Latex), left_(most) {}

  std::string at(Expr e, int level) {
    if (left_ == 0) return latex_ ? "\\ldots" : "...";
    --left_;
    auto [text, own] = form(*e);
    spendWork(1 + static_cast<std::int64_t>(text.size() / 64));
    if (own >= level) return text;
    return latex_ ? "\\left(" + text + "\\right)" : "(" + text + ")";
  }

private:
  using Form = std::pair<std::string, int>;

  std::string list(const std::vector<Expr>& args) {
    std::string s;
    for (std::size_t k = 0; k < args.size(); ++k) s += (k > 0 ? ", " : "") + at(args[k], Condition);
    return s;
  }

  /// Long because it has one case an operation.
  Form form(const Node& n) {
    switch (n.op) {
    case Op::Const:
      if (n.type == Type::Bool) return {n.number.isZero() ? "false" : "true", Atom};
      return number(n.number);
    case Op::Zero:
      return {n.shape.rank == 1 ? fmt::format("zeros({})", n.shape.rows)
                                : fmt::format("zeros({},{})", n.shape.rows, n.shape.cols),
              Atom};
    case Op::Identity:
      return {latex_ ? "I" : fmt::format("eye({})", n.shape.rows), Atom};
    case Op::Basis:
      if (n.args[0]->isConst())
        return {fmt::format(fmt::runtime(latex_ ? "e_{{{}}}" : "e{}"), n.args[0]->number.num()), Atom};
      return {"e[" + at(n.args[0], Condition) + "]", Atom};
    case Op::Index:
      return {n.graph->indexName(n), Atom};
    case Op::Load:
      return loadForm(n);
    case Op::Add:
      return {sum(n), Sum};
    case Op::Mul:
      return product(n);
    case Op::MatMul:
      return {at(n.args[0], Product) + (latex_ ? " " : "*") + at(n.args[1], Unary), Product};
    case Op::Div:
      return quotient(n);
    case Op::PowInt:
      return {at(n.args[0], Postfix) + fmt::format(fmt::runtime(latex_ ? "^{{{}}}" : "^{}"), n.imm), Power};
    case Op::Pow:
      return {at(n.args[0], Postfix) + "^{" + at(n.args[1], Power) + "}", Power};
    case Op::Stumpff:
      return {fmt::format(fmt::runtime(latex_ ? "c_{{{}}}({})" : "stumpff({}, {})"), n.imm, at(n.args[0], Condition)),
              Atom};
    case Op::Select:
      return {"if " + at(n.args[0], Condition) + " then " + at(n.args[1], Condition) + " else " +
                  at(n.args[2], Condition),
              -1};
    case Op::Component:
      return {at(n.args[0], Postfix) + "[" + list({n.args.begin() + 1, n.args.end()}) + "]", Postfix};
    case Op::Vector:
      return {"[" + list(n.args) + "]", Atom};
    case Op::Matrix:
      return {matrix(n), Atom};
    case Op::ToReal:
      return form(*n.args[0]);
    case Op::Lt:
      return relation(n, " < ");
    case Op::Le:
      return relation(n, " <= ");
    case Op::Eq:
      return relation(n, " == ");
    case Op::Ne:
      return relation(n, " != ");
    case Op::And:
      return relation(n, " and ");
    case Op::Or:
      return relation(n, " or ");
    default:
      return function(n);
    }
  }

  Form relation(const Node& n, const std::string& op) {
    return {at(n.args[0], Sum) + op + at(n.args[1], Sum), Condition};
  }

  Form number(const Number& v) {
    const bool ratio = v.exact() && v.text().find('/') != std::string::npos;
    if (latex_ && ratio)
      return {fmt::format("{}\\tfrac{{{}}}{{{}}}", v.negative() ? "-" : "", std::abs(v.num()), v.den()),
              v.negative() ? Sum : Atom};
    return {v.text(), v.negative() ? Sum : ratio ? Product : Atom};
  }

  Form loadForm(const Node& n) {
    const std::string& name = n.array->name;
    if (n.args.empty()) return {latex_ ? latexName(name) : name, Atom};
    return {latex_ ? latexName(name, list(n.args)) : name + "[" + list(n.args) + "]", Postfix};
  }

  std::string sum(const Node& n) {
    std::string s;
    for (const Expr& t : n.args) {
      std::string text = at(t, Sum);
      if (s.empty()) {
        s = text;
      } else if (!text.empty() && text[0] == '-') {
        s += " - " + text.substr(1);
      } else {
        s += " + " + text;
      }
    }
    return s;
  }

  Form product(const Node& n) {
    const std::string times = latex_ ? " " : "*";
    if (n.args[0]->isConst()) {
      const Number c = n.args[0]->number;
      if (c.isMinusOne()) return {"-" + at(n.args[1], Product), Sum};
      if (c.exact() && std::abs(c.num()) == 1 && c.den() > 1 && !latex_) {
        return {(c.negative() ? "-" : "") + at(n.args[1], Product) + fmt::format("/{}", c.den()),
                c.negative() ? Sum : Product};
      }
      const Number size = c.negative() ? -c : c;
      const std::string coefficient = number(size).first;
      return {(c.negative() ? "-" : "") + coefficient + times + at(n.args[1], Product), c.negative() ? Sum : Product};
    }
    const Op first = n.args[0]->op; // (a · b) c, not a · b c
    const bool dotted = first == Op::Inner || first == Op::Cross || first == Op::Outer;
    return {at(n.args[0], dotted ? Unary : Product) + times + at(n.args[1], n.args[1]->op == Op::Mul ? Product : Unary),
            Product};
  }

  Form quotient(const Node& n) {
    if (latex_) return {"\\frac{" + at(n.args[0], Condition) + "}{" + at(n.args[1], Condition) + "}", Atom};
    return {at(n.args[0], Product) + "/" + at(n.args[1], Unary), Product};
  }

  std::string matrix(const Node& n) {
    std::string s = latex_ ? "\\begin{bmatrix}" : "[";
    for (int i = 0; i < n.shape.rows; ++i) {
      const auto row = n.args.begin() + static_cast<std::ptrdiff_t>(i) * n.shape.cols;
      if (latex_) {
        for (int j = 0; j < n.shape.cols; ++j) s += (j > 0 ? " & " : "") + at(row[j], Condition);
        s += i + 1 < n.shape.rows ? " \\\\ " : "";
      } else {
        s += (i > 0 ? ", [" : "[") + list({row, row + n.shape.cols}) + "]";
      }
    }
    return s + (latex_ ? "\\end{bmatrix}" : "]");
  }

  Form function(const Node& n) {
    if (!latex_) return {functionName(n.op) + "(" + list(n.args) + ")", Atom};
    switch (n.op) {
    case Op::Transpose:
      return {at(n.args[0], Postfix) + "^{\\top}", Power};
    case Op::Inverse:
      return {at(n.args[0], Postfix) + "^{-1}", Power};
    case Op::Cross:
      return {at(n.args[0], Unary) + " \\times " + at(n.args[1], Unary), Product};
    case Op::Inner:
      return {at(n.args[0], Unary) + " \\cdot " + at(n.args[1], Unary), Product};
    case Op::Outer:
      return {at(n.args[0], Unary) + " \\otimes " + at(n.args[1], Unary), Product};
    case Op::Hat:
      return {"\\widehat{" + at(n.args[0], Condition) + "}", Atom};
    case Op::Sqrt:
      return {"\\sqrt{" + at(n.args[0], Condition) + "}", Atom};
    case Op::Solve:
      return {at(n.args[0], Postfix) + "^{-1} " + at(n.args[1], Unary), Product};
    default:
      return {"\\operatorname{" + functionName(n.op) + "}\\left(" + list(n.args) + "\\right)", Atom};
    }
  }

  bool latex_;
  std::size_t left_; ///< operations that may still be written
};

} // namespace

std::string latexName(const std::string& name) {
  static const std::map<std::string, std::string> unicode = {
      {"α", "\\alpha"}, {"β", "\\beta"},  {"γ", "\\gamma"}, {"δ", "\\delta"}, {"θ", "\\theta"},  {"λ", "\\lambda"},
      {"μ", "\\mu"},    {"ξ", "\\xi"},    {"π", "\\pi"},    {"ρ", "\\rho"},   {"φ", "\\varphi"}, {"ψ", "\\psi"},
      {"ω", "\\omega"}, {"Ω", "\\Omega"}, {"Σ", "\\Sigma"}, {"Γ", "\\Gamma"}, {"Π", "\\Pi"}};
  static const std::array<const char*, 32> greek = {
      "alpha", "beta",  "gamma",  "delta", "epsilon", "zeta",  "eta", "theta", "iota",  "kappa", "lambda",
      "mu",    "nu",    "xi",     "rho",   "sigma",   "tau",   "phi", "chi",   "psi",   "omega", "Gamma",
      "Delta", "Theta", "Lambda", "Xi",    "Pi",      "Sigma", "Phi", "Psi",   "Omega", "pi"};
  constexpr std::string_view slope = "dH/d"; // the derivative of a Hamiltonian
  if (name.starts_with(slope)) return "\\partial H/\\partial " + latexName(name.substr(slope.size()));
  if (const std::size_t dot = name.find('.'); dot != std::string::npos && dot > 0) { // a part: q.R' is dot(q)_R
    const std::size_t end = name.find_last_not_of('\'') + 1;
    return latexName(name.substr(0, dot) + name.substr(end)) + "_{" + latexName(name.substr(dot + 1, end - dot - 1)) +
           "}";
  }
  std::string base = name;
  std::size_t primes = 0;
  while (!base.empty() && base.back() == '\'') {
    base.pop_back();
    ++primes;
  }
  std::size_t digits = base.size();
  while (digits > 1 && base[digits - 1] >= '0' && base[digits - 1] <= '9') --digits;
  std::string sub = base.substr(digits);
  base.resize(digits);
  if (const std::size_t cut = base.find('_'); cut != std::string::npos && cut > 0 && cut + 1 < base.size()) {
    sub = base.substr(cut + 1) + sub;
    base.resize(cut);
  }
  std::string tex;
  for (const char* g : greek) {
    if (base == g) tex = "\\" + base;
  }
  if (const auto it = unicode.find(base); it != unicode.end()) tex = it->second;
  if (tex.empty()) tex = base.size() == 1 ? base : "\\mathrm{" + base + "}";
  if (primes == 1) tex = "\\dot{" + tex + "}";
  if (primes == 2) tex = "\\ddot{" + tex + "}";
  if (!sub.empty()) tex += "_{\\mathrm{" + sub + "}}";
  return tex;
}

std::string latexName(const std::string& name, const std::string& index) {
  std::string tex = latexName(name);
  if (tex.find("_{\\mathrm{") == std::string::npos) return tex + "_{" + index + "}";
  tex.pop_back();
  return tex + ", " + index + "}";
}

std::string print(Expr e, Notation notation, std::size_t most) {
  return Printer(notation, most).at(e, -1);
}

std::string print(const Equation& e, Notation notation, std::size_t most) {
  const bool latex = notation == Notation::Latex;
  std::string left = latex ? latexName(e.array->name) : e.array->name;
  if (e.kind == EquationKind::LinearSolve) {
    return fmt::format("{} = solve({}, {})", left, e.matrix->name, e.rhs->name);
  }
  if (e.kind == EquationKind::Newton) {
    return fmt::format("{} = newton({} = 0, {}; from {})", left, e.newton->residual->name,
                       (e.newton->sparse                ? e.newton->sparse->values
                        : e.newton->jacobian != nullptr ? e.newton->jacobian
                        : e.newton->change != nullptr   ? e.newton->change
                                                        : e.newton->product)
                           ->name,
                       e.newton->start->name);
  }
  if (e.kind == EquationKind::Series) {
    return fmt::format("{} = series({}, {}; {} orders)", left, e.series->start->name, e.series->next->name,
                       e.series->orders);
  }
  if (!e.index.empty()) {
    std::string index;
    for (std::size_t k = 0; k < e.index.size(); ++k) index += (k > 0 ? ", " : "") + print(e.index[k], notation);
    left = latex ? latexName(e.array->name, index) : left + "[" + index + "]";
  }
  std::string text = left + (e.kind == EquationKind::Accumulate ? " += " : " = ") + print(e.value, notation, most);
  // The direction matters only where an equation reads what it writes.
  const bool recursive = reads(e).contains(e.array);
  std::string range;
  for (const Loop& l : e.loops) {
    const bool down = l.descending && recursive;
    range += fmt::format("{}{} = {}..{}", range.empty() ? "" : ", ", print(l.index, notation),
                         print(down ? l.hi : l.lo, notation), print(down ? l.lo : l.hi, notation));
  }
  if (!range.empty()) text += latex ? ",\\quad " + range : "   (" + range + ")";
  if (e.guard) text += " where " + print(e.guard, notation);
  return text;
}

} // namespace lmc::sym
