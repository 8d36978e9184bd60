#include "syntax/Operators.h"
#include "syntax/Print.h"

namespace lmc::syntax {

namespace {

Precedence precedenceOf(const Expr& e) {
  switch (e.kind) {
  case ExprKind::Binary:
    return operatorInfo(e.op).precedence;
  case ExprKind::Negate:
    return Precedence::Negate;
  case ExprKind::Not:
    return Precedence::Not;
  case ExprKind::If:
    return Precedence::Lowest;
  default:
    return Precedence::Postfix;
  }
}

Precedence tighter(Precedence p) {
  return static_cast<Precedence>(static_cast<std::uint8_t>(p) + 1);
}

class Writer {
public:
  std::string out;

  void write(const ExprPtr& e) {
    if (e != nullptr) write(*e);
  }

  /// In parentheses if it binds looser than its surroundings ask for.
  void write(const Expr& e, Precedence least) {
    if (precedenceOf(e) >= least) return write(e);
    out += '(';
    write(e);
    out += ')';
  }

  void write(const Expr& e) {
    switch (e.kind) {
    case ExprKind::Error:
      out += "?";
      break;
    case ExprKind::Number:
    case ExprKind::Name:
      out += e.text;
      break;
    case ExprKind::String:
      out += '"' + e.text + '"';
      break;
    case ExprKind::Call:
      call(e);
      break;
    case ExprKind::Index:
      base(e);
      list("[", e, 1, "]");
      break;
    case ExprKind::Field:
      base(e);
      out += '.' + e.text;
      break;
    case ExprKind::Prime:
      base(e);
      out += '\'';
      break;
    case ExprKind::Next:
      out += "next ";
      write(e.args[0]);
      break;
    case ExprKind::Negate:
      out += '-';
      write(*e.args[0], Precedence::Negate);
      break;
    case ExprKind::Not:
      out += "not ";
      write(*e.args[0], Precedence::Not);
      break;
    case ExprKind::Binary:
      binary(e);
      break;
    case ExprKind::If:
      conditional(e);
      break;
    case ExprKind::Sum:
      reduction("sum", e);
      break;
    case ExprKind::Product:
      reduction("product", e);
      break;
    case ExprKind::List:
      list("[", e, 0, "]");
      break;
    case ExprKind::Parts:
      parts(e, true);
      break;
    }
  }

  void binders(const std::vector<Binder>& list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i > 0) out += ", ";
      out += list[i].name + " in ";
      write(list[i].lo);
      out += "..";
      write(list[i].hi);
    }
  }

  void list(std::string_view open, const Expr& e, std::size_t from, std::string_view close) {
    out += open;
    for (std::size_t i = from; i < e.args.size(); ++i) {
      if (i > from) out += ", ";
      write(e.args[i]);
    }
    out += close;
  }

private:
  void base(const Expr& e) { write(*e.args[0], Precedence::Postfix); }

  void call(const Expr& e) {
    base(e);
    const bool named = e.args.size() > 1 && e.args.back()->kind == ExprKind::Parts && !e.args.back()->parenthesized;
    if (!named) return list("(", e, 1, ")");
    out += '(';
    for (std::size_t i = 1; i + 1 < e.args.size(); ++i) {
      write(e.args[i]);
      out += ", ";
    }
    parts(*e.args.back(), false);
    out += ')';
  }

  void parts(const Expr& e, bool enclosed) {
    if (enclosed) out += '(';
    for (std::size_t i = 0; i < e.names.size(); ++i) {
      if (i > 0) out += ", ";
      out += e.names[i] + " = ";
      write(e.args[i]);
    }
    if (enclosed) out += ')';
  }

  /// Walks down the left spine by a loop: flat sums may be long.
  void binary(const Expr& e) {
    std::vector<const Expr*> spine = {&e};
    while (true) {
      const Expr& left = *spine.back()->args[0];
      const OperatorInfo& outer = operatorInfo(spine.back()->op);
      const bool open = left.kind == ExprKind::Binary && outer.associativity == Associativity::Left &&
                        precedenceOf(left) >= outer.precedence;
      if (!open) break;
      spine.push_back(&left);
    }
    const OperatorInfo& first = operatorInfo(spine.back()->op);
    const bool leftToo = first.associativity == Associativity::Left;
    write(*spine.back()->args[0], leftToo ? first.precedence : tighter(first.precedence));
    for (auto at = spine.rbegin(); at != spine.rend(); ++at) {
      const OperatorInfo& op = operatorInfo((*at)->op);
      const bool spaced = op.precedence <= Precedence::Sum || op.spelling.size() > 1;
      if (spaced) out += ' ';
      out += op.spelling;
      if (spaced) out += ' ';
      right(*(*at)->args[1], op);
    }
  }

  void right(const Expr& e, const OperatorInfo& op) {
    // The right side of any operator tighter than `not` may start with `-`.
    const bool sign = e.kind == ExprKind::Negate && op.precedence > Precedence::Not;
    const Precedence least = op.associativity == Associativity::Right ? op.precedence : tighter(op.precedence);
    write(e, sign ? Precedence::Negate : least);
  }

  void conditional(const Expr& e) {
    out += "if ";
    write(e.args[0]);
    out += " then ";
    write(e.args[1]);
    out += " else ";
    write(e.args[2]);
  }

  void reduction(std::string_view word, const Expr& e) {
    out += word;
    out += '(';
    binders(e.binders);
    if (e.where != nullptr) {
      out += " where ";
      write(e.where);
    }
    out += ": ";
    write(e.args[0]);
    out += ')';
  }
};

} // namespace

std::string unparse(const Expr& e) {
  Writer w;
  w.write(e);
  return std::move(w.out);
}

std::string unparse(const Type& type) {
  Writer w;
  w.out = type.name;
  if (type.exponent != nullptr) {
    w.out += '^';
    w.write(*type.exponent, Precedence::Postfix);
  }
  if (!type.hasArgs) return std::move(w.out);
  w.out += '(';
  for (std::size_t i = 0; i < type.args.size() + type.types.size(); ++i) {
    if (i > 0) w.out += ", ";
    if (i < type.args.size())
      w.write(type.args[i]);
    else
      w.out += unparse(*type.types[i - type.args.size()]);
  }
  return w.out + ')';
}

std::string unparse(const Target& target) {
  Writer w;
  w.out = target.name;
  if (!target.binders.empty() || !target.indices.empty()) {
    w.out += '[';
    w.binders(target.binders);
    for (std::size_t i = 0; i < target.indices.size(); ++i) {
      if (i > 0) w.out += ", ";
      w.write(target.indices[i]);
    }
    w.out += ']';
  }
  for (const std::string& part : target.parts) w.out += '.' + part;
  return std::move(w.out);
}

} // namespace lmc::syntax
