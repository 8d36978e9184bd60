#include "syntax/Operators.h"

#include <array>

namespace lmc::syntax {

const OperatorInfo& operatorInfo(BinaryOp op) {
  using enum Precedence;
  using enum Associativity;
  static constexpr std::array<OperatorInfo, 15> table = {{
      {BinaryOp::Add, "+", Sum, Left},
      {BinaryOp::Sub, "-", Sum, Left},
      {BinaryOp::Mul, "*", Product, Left},
      {BinaryOp::Div, "/", Product, Left},
      {BinaryOp::Pow, "^", Power, Right},
      {BinaryOp::Cross, "×", Product, Left},
      {BinaryOp::Dot, "·", Product, Left},
      {BinaryOp::Eq, "==", Comparison, None},
      {BinaryOp::Ne, "!=", Comparison, None},
      {BinaryOp::Lt, "<", Comparison, None},
      {BinaryOp::Le, "<=", Comparison, None},
      {BinaryOp::Gt, ">", Comparison, None},
      {BinaryOp::Ge, ">=", Comparison, None},
      {BinaryOp::And, "and", And, Left},
      {BinaryOp::Or, "or", Or, Left},
  }};
  return table.at(static_cast<std::size_t>(op));
}

void ChainFolder::prefix(ExprKind kind, Range range) {
  const Precedence precedence = kind == ExprKind::Not ? Precedence::Not : Precedence::Negate;
  if (kind == ExprKind::Not && !pending_.empty() && pending_.back().precedence > Precedence::Not)
    diagnostics_->error(Code::LIE0018, range, "`not` inside an operator needs parentheses")
        .note("`not` binds looser than comparisons, `+`, `*` and `^`")
        .suggest("write (not …)");
  pending_.push_back({kind, BinaryOp::Add, range, precedence});
}

void ChainFolder::binary(BinaryOp op, Range range) {
  const OperatorInfo& now = operatorInfo(op);
  while (!pending_.empty()) {
    const Pending& top = pending_.back();
    if (top.precedence < now.precedence) break;
    if (top.precedence == now.precedence && now.associativity == Associativity::Right) break;
    if (top.precedence == now.precedence && now.associativity == Associativity::None)
      diagnostics_->error(Code::LIE0017, range, "comparisons do not chain")
          .note("the first comparison is here", top.range)
          .suggest("join two comparisons with `and`: a < b and b < c");
    reduce();
  }
  pending_.push_back({ExprKind::Binary, op, range, now.precedence});
}

void ChainFolder::reduce() {
  const Pending top = pending_.back();
  pending_.pop_back();
  auto node = std::make_shared<Expr>();
  node->kind = top.kind;
  node->op = top.op;
  node->opRange = top.range;
  ExprPtr right = std::move(operands_.back());
  operands_.pop_back();
  if (top.kind == ExprKind::Binary) {
    ExprPtr left = std::move(operands_.back());
    operands_.pop_back();
    node->range = Range::cover(left->range, right->range);
    node->args.push_back(std::move(left));
  } else {
    node->range = Range::cover(top.range, right->range);
  }
  node->args.push_back(std::move(right));
  operands_.push_back(std::move(node));
}

ExprPtr ChainFolder::finish() {
  while (!pending_.empty()) reduce();
  return std::move(operands_.back());
}

} // namespace lmc::syntax
