// Expressions of random models: trees that can be printed as text of the language and evaluated in plain arithmetic.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace lmc::differential {

enum class Op {
  Number,    ///< `number`, printed as `text`
  Time,      ///< t
  Counter,   ///< the value of an index as a number
  Reference, ///< `name`, with an index if it is a family, and a part
  Add,
  Subtract,
  Multiply,
  Divide,
  Negate,
  Power,  ///< by the integer `k`
  Call,   ///< `name` of the children; `k`: the first argument of stumpff
  Build,  ///< a vector or matrix of numbers
  Entry,  ///< entry (k, l) of a child, from 1; of a vector l = 0
  Prime,  ///< derivative in time
  Choice, ///< if a < b then c else d
  Sum,    ///< over `index` from `k` to `l` (0: the extent N), where it is not `name` if that is given
};

/// Where in a family: nowhere, at a fixed member, or at a counter plus an offset.
struct Place {
  bool family = false;
  std::string counter;    ///< empty: fixed
  int offset = 0;         ///< or the fixed member, from 1
  bool backwards = false; ///< counted from the end: N + 1 − counter
};

struct Node;
using Tree = std::shared_ptr<const Node>;

struct Node {
  Op op = Op::Number;
  int rows = 1, cols = 1;
  bool vector = false; ///< written with one index
  std::vector<Tree> kids;
  double number = 0;
  std::string name, part;
  Place place;
  int k = 0, l = 0;
};

/// A number that reads back as itself.
[[nodiscard]] std::string exactly(double x);
/// The text of an expression; parentheses wherever they might be needed.
[[nodiscard]] std::string print(const Tree& t);
/// The names that an expression refers to.
void namesIn(const Tree& t, std::set<std::string>& names);

} // namespace lmc::differential
