// Equations as they are shown: a tree, from which text, LaTeX and JSON are written, and which tests evaluate.
#pragma once

#include "sym/Expr.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lmc::present {

struct Tree;
using TreePtr = std::shared_ptr<const Tree>;

struct Tree {
  enum class Op : std::uint8_t {
    Number,    ///< `number`
    Zero,      ///< of `shape`
    Identity,  ///<
    Basis,     ///< kids {i}
    Name,      ///< `text`, with indices in kids
    Add,       ///< kids
    Neg,       ///< kids {a}
    Mul,       ///< scalars, and last perhaps a tensor
    Div,       ///< kids {a, scalar}
    Pow,       ///< kids {a, exponent}
    MatMul,    ///< kids
    Transpose, ///< kids {A}
    Inverse,   ///< kids {A}
    Dot,       ///< kids {a, b}
    Cross,     ///< kids {a, b}
    Hat,       ///< kids {a}
    Outer,     ///< kids {a, b}
    Sum,       ///< sum over the index `text`; kids {lo, hi, body} and perhaps the value that it leaves out
    Call,      ///< the function `text` of kids
    If,        ///< kids {condition, a, b}
    Entry,     ///< kids {v, i} or {A, i, j}
    Vector,    ///< kids
    Matrix,    ///< kids by rows, of `shape`
  };
  Op op = Op::Number;
  std::string text;
  sym::Number number;
  sym::Shape shape;
  std::vector<TreePtr> kids;
  std::uint32_t order = 0; ///< where it stands among the factors of a product, smaller first
};

using Op = Tree::Op;

[[nodiscard]] inline TreePtr tree(Tree::Op op, std::vector<TreePtr> kids, const sym::Shape& shape = {},
                                  const std::string& text = {}) {
  auto t = std::make_shared<Tree>();
  t->op = op;
  t->kids = std::move(kids);
  t->shape = shape;
  t->text = text;
  for (const TreePtr& k : t->kids) t->order = std::max(t->order, k->order);
  return t;
}

/// The places of kinds of factors.
struct Order {
  static constexpr std::uint32_t parameter = 1'000, parameters = 1'000'000, state = 2'000'000, function = 3'000'000,
                                 product = 4'000'000, sum = 5'000'000;
};

[[nodiscard]] inline TreePtr ordered(std::uint32_t order, const TreePtr& of) {
  auto t = std::make_shared<Tree>(*of);
  t->order = order;
  return t;
}

[[nodiscard]] inline TreePtr numberTree(const sym::Number& n) {
  auto t = std::make_shared<Tree>();
  t->number = n;
  return t;
}

/// Symbols and numbers in it, and one for every operation that is written: how long it is to read.
[[nodiscard]] std::size_t costOf(const TreePtr& t);
/// The number of summands, in brackets too: what is counted against a textbook.
[[nodiscard]] std::size_t termsOf(const TreePtr& t);
[[nodiscard]] bool equal(const TreePtr& a, const TreePtr& b);
/// With other parts, from the whole down; `by`: null for what stays, whose parts are asked for then.
[[nodiscard]] TreePtr replaced(const TreePtr& t, const std::function<TreePtr(const TreePtr&)>& by);
/// With what `by` makes of each of its kids; the tree itself where that is nothing new.
[[nodiscard]] TreePtr withKids(const TreePtr& t, const std::function<TreePtr(const TreePtr&)>& by);
/// Whether the name occurs, as an array or as an index.
[[nodiscard]] bool mentions(const TreePtr& t, const std::string& name);

} // namespace lmc::present
