// The operators of the expression language: one table of spelling, precedence and associativity, used by the tree
// builder and by the printer.
#pragma once

#include "diagnostics/Diagnostics.h"
#include "syntax/Ast.h"

namespace lmc::syntax {

/// How tightly an operator binds; larger is tighter.
enum class Precedence : std::uint8_t {
  Lowest, ///< `if … then … else …`
  Or,
  And,
  Not,
  Comparison,
  Sum,
  Product,
  Negate,
  Power,
  Postfix,
};

enum class Associativity : std::uint8_t { Left, Right, None };

struct OperatorInfo {
  BinaryOp op;
  std::string_view spelling;
  Precedence precedence;
  Associativity associativity;
};

[[nodiscard]] const OperatorInfo& operatorInfo(BinaryOp op);

/// Turns a flat chain of prefixes, operands and operators into a tree, in time linear in its length and without
/// recursion.
class ChainFolder {
public:
  explicit ChainFolder(Diagnostics& diagnostics) : diagnostics_(&diagnostics) {}

  /// `kind` is Negate or Not.
  void prefix(ExprKind kind, Range range);
  void operand(ExprPtr operand) { operands_.push_back(std::move(operand)); }
  void binary(BinaryOp op, Range range);
  [[nodiscard]] ExprPtr finish();

private:
  struct Pending {
    ExprKind kind;
    BinaryOp op;
    Range range;
    Precedence precedence;
  };
  void reduce();
  Diagnostics* diagnostics_;
  std::vector<ExprPtr> operands_;
  std::vector<Pending> pending_;
};

} // namespace lmc::syntax
