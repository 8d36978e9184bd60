// Contacts of a model whose method steps them itself: inequalities and laws as functions of a member's indices. Nothing
// is kept for a member, so a family may have a member for each pair of bodies.
#pragma once

#include "sema/model/Model.h"

namespace lmc::sema {

/// One `contact NAME : left >= right { … }` of a model, whose method is declared `on contacts`.
struct SteppedContact {
  /// One clause. The expressions are in terms of the indices of its loops, none, one or two.
  struct Clause {
    std::vector<sym::Loop> loops;
    std::vector<sym::Expr> index; ///< of the member, as it is named
    sym::Expr gap;                ///< left - right
    sym::Expr size;               ///< |left| + |right|, of which rounding is a part
    sym::Expr restitution, friction;
    sym::Expr rest; ///< the speed of approach below which there is no restitution; below zero: 0
    sym::Expr slip; ///< a number, or a vector of 2; empty without friction
    Range range;    ///< of the comparison
  };
  std::string name;
  Range range; ///< of the name
  std::vector<Clause> clauses;
};

} // namespace lmc::sema
