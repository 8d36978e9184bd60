#include "syntax/Print.h"
#include "syntax/Operators.h"

namespace lmc::syntax {

namespace {

class TreeWriter {
public:
  std::string out;

  void write(const ExprPtr& e) {
    if (e == nullptr)
      out += "none";
    else
      write(*e);
  }

  void write(const Expr& e) {
    switch (e.kind) {
    case ExprKind::Error:
      out += "error";
      break;
    case ExprKind::Number:
    case ExprKind::Name:
      out += e.text;
      break;
    case ExprKind::String:
      out += '"' + e.text + '"';
      break;
    case ExprKind::Call:
      node("call", e);
      break;
    case ExprKind::Index:
      node("index", e);
      break;
    case ExprKind::Field:
      out += "(field ";
      write(e.args[0]);
      out += " " + e.text + ")";
      break;
    case ExprKind::Prime:
      node("prime", e);
      break;
    case ExprKind::Next:
      node("next", e);
      break;
    case ExprKind::Negate:
      node("neg", e);
      break;
    case ExprKind::Not:
      node("not", e);
      break;
    case ExprKind::Binary:
      binary(e);
      break;
    case ExprKind::If:
      node("if", e);
      break;
    case ExprKind::Sum:
      reduction("sum", e);
      break;
    case ExprKind::Product:
      reduction("product", e);
      break;
    case ExprKind::List:
      node("list", e);
      break;
    case ExprKind::Parts:
      out += "(parts";
      for (std::size_t i = 0; i < e.args.size(); ++i) {
        out += " " + e.names[i] + "=";
        write(e.args[i]);
      }
      out += ')';
      break;
    }
  }

  void binders(const std::vector<Binder>& list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      out += (i > 0 ? ", " : "") + list[i].name + " in ";
      write(list[i].lo);
      out += "..";
      write(list[i].hi);
    }
  }

private:
  void node(std::string_view head, const Expr& e) {
    out += '(';
    out += head;
    for (const auto& arg : e.args) {
      out += ' ';
      write(arg);
    }
    out += ')';
  }

  /// The left spine by a loop: flat sums may be long.
  void binary(const Expr& e) {
    const std::vector<const Expr*> spine = leftSpine(e);
    for (const Expr* at : spine) {
      out += '(';
      out += operatorInfo(at->op).spelling;
      out += ' ';
    }
    write(spine.back()->args[0]);
    for (auto at = spine.rbegin(); at != spine.rend(); ++at) {
      out += ' ';
      write((*at)->args[1]);
      out += ')';
    }
  }

  void reduction(std::string_view word, const Expr& e) {
    out += '(';
    out += word;
    out += " [";
    binders(e.binders);
    out += ']';
    if (e.where != nullptr) {
      out += " where ";
      write(e.where);
    }
    out += ' ';
    write(e.args[0]);
    out += ')';
  }
};

/// Long because it has one case a kind of statement.
std::string_view word(StatementKind kind) {
  switch (kind) {
  case StatementKind::Error:
    return "error";
  case StatementKind::Param:
    return "param";
  case StatementKind::Let:
    return "let";
  case StatementKind::Function:
    return "fn";
  case StatementKind::Config:
    return "config";
  case StatementKind::State:
    return "state";
  case StatementKind::Lagrangian:
    return "lagrangian";
  case StatementKind::Hamiltonian:
    return "hamiltonian";
  case StatementKind::Constraint:
    return "constraint";
  case StatementKind::Contact:
    return "contact";
  case StatementKind::Joint:
    return "joint";
  case StatementKind::ForceOn:
    return "force-on";
  case StatementKind::ForceAt:
    return "force-at";
  case StatementKind::Dissipation:
    return "dissipation";
  case StatementKind::Input:
    return "input";
  case StatementKind::Flow:
    return "flow";
  case StatementKind::For:
    return "for";
  case StatementKind::Initial:
    return "initial";
  case StatementKind::Adjust:
    return "adjust";
  case StatementKind::Observe:
    return "observe";
  case StatementKind::Event:
    return "event";
  case StatementKind::Every:
    return "every";
  case StatementKind::Discrete:
    return "discrete";
  case StatementKind::Reset:
    return "reset";
  case StatementKind::Simulate:
    return "simulate";
  case StatementKind::View:
    return "view";
  case StatementKind::Element:
    return "element";
  case StatementKind::Algebra:
    return "algebra";
  case StatementKind::Point:
    return "point";
  case StatementKind::ActingGroup:
    return "group";
  case StatementKind::Definition:
    return "define";
  case StatementKind::Holds:
    return "holds";
  case StatementKind::Solve:
    return "solve";
  case StatementKind::Keep:
    return "keep";
  case StatementKind::Next:
    return "next";
  case StatementKind::Embedded:
    return "embedded";
  case StatementKind::Order:
    return "order";
  }
  return "error";
}

std::string_view word(DeclKind kind) {
  switch (kind) {
  case DeclKind::Error:
    return "error";
  case DeclKind::Import:
    return "import";
  case DeclKind::Function:
    return "function";
  case DeclKind::Model:
    return "model";
  case DeclKind::Group:
    return "group";
  case DeclKind::Manifold:
    return "manifold";
  case DeclKind::Method:
    return "method";
  case DeclKind::Tableau:
    return "tableau";
  case DeclKind::Variational:
    return "variational";
  case DeclKind::Joint:
    return "joint";
  }
  return "error";
}

class Printer {
public:
  std::string out;

  void declaration(const Declaration& d) {
    for (std::size_t at = 0; at < d.doc.size();) {
      const std::size_t end = std::min(d.doc.find('\n', at), d.doc.size());
      out += "; ";
      out.append(d.doc, at, end - at);
      out += '\n';
      at = end + 1;
    }
    out += word(d.kind);
    out += ' ';
    out += d.head != nullptr ? unparse(*d.head) : d.name;
    for (std::size_t i = 0; i < d.params.size(); ++i) {
      out += " param " + d.params[i].name;
      if (d.paramTypes[i] != nullptr) out += " : " + unparse(*d.paramTypes[i]);
      add("=", d.paramDefaults[i]);
    }
    add(" order ", d.order);
    add(" | ", d.embeddedOrder);
    if (!d.kindName.empty()) out += " on " + d.kindName;
    add(" = ", d.constructor);
    out += '\n';
    for (const auto& s : d.body) statement(*s, 1);
  }

private:
  /// An expression behind what introduces it; nothing where there is none.
  void add(std::string_view lead, const ExprPtr& e) {
    if (e == nullptr) return;
    out += lead;
    out += printTree(*e);
  }

  void statement(const Statement& s, unsigned depth) {
    const std::string indent(2 * static_cast<std::size_t>(depth), ' ');
    out += indent;
    out += word(s.kind);
    if (!s.word.empty()) out.append(" ").append(s.word);
    if (!s.target.name.empty() && s.unknowns.empty() && s.word.empty()) out.append(" ").append(unparse(s.target));
    head(s);
    add(" = ", s.value);
    add(" | ", s.second);
    equations(s);
    out += '\n';
    for (const Setting& setting : s.settings) {
      out += indent + "  " + setting.key + (setting.word.empty() ? "" : " " + setting.word) + " = ";
      out += printTree(*setting.value);
      add(" .. ", setting.to);
      out += '\n';
    }
    for (const auto& inner : s.body) statement(*inner, depth + 1);
  }

  void head(const Statement& s) {
    if (s.hasParams) {
      out += '(';
      for (std::size_t i = 0; i < s.params.size(); ++i) out += (i > 0 ? ", " : "") + s.params[i].name;
      out += ')';
    }
    if (s.type != nullptr) out += " : " + unparse(*s.type);
    if (!s.secondName.empty()) out += (s.momentum ? " momentum " : " velocity ") + s.secondName;
    if (s.frame != Frame::Default) out += s.frame == Frame::Body ? " in body" : " in space";
    if (!s.binders.empty()) {
      TreeWriter w;
      w.binders(s.binders);
      out += " " + w.out;
    }
    for (std::size_t i = 0; i < s.unknowns.size(); ++i) out += (i > 0 ? ", " : " ") + unparse(s.unknowns[i]);
    for (std::size_t i = 0; i < s.starts.size(); ++i) out += (i > 0 ? ", " : " from ") + printTree(*s.starts[i]);
    add(" tolerance ", s.tolerance);
    add(" limit ", s.limit);
  }

  void equations(const Statement& s) {
    for (std::size_t i = 0; i < s.equations.size(); ++i) {
      const Equation& e = s.equations[i];
      out += (i > 0 ? ", " : " : ") + printTree(*e.left) + " = " + printTree(*e.right);
    }
  }
};

} // namespace

std::string printTree(const Expr& e) {
  TreeWriter w;
  w.write(e);
  return std::move(w.out);
}

std::string print(const File& file) {
  Printer p;
  for (const Declaration& d : file.declarations) p.declaration(d);
  return std::move(p.out);
}

} // namespace lmc::syntax
