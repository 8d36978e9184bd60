// Ordered (planar) rooted trees and forests: the basis of Lie–Butcher series.
//
// A node stands for f, its children for what f is differentiated along, in order. A forest is a word of trees; the
// product of words is concatenation, in the order of group elements: the word `a b` belongs to exp(a)*exp(b)*y.
// With time, a node may also carry derivatives with respect to t; they commute with everything.
// There are 1, 1, 2, 5, 14, 42, 132, … forests of 0, 1, 2, … nodes, and as many trees of one node more.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace lmc::orders {

/// All forests of up to `highest` nodes (derivatives in time count as nodes), numbered by order. Number 0 is empty.
class Forests {
public:
  using Id = std::int32_t;
  using Split = std::pair<Id, Id>; ///< the word in two parts

  Forests(int highest, bool withTime);

  [[nodiscard]] int highest() const { return highest_; }
  [[nodiscard]] bool withTime() const { return withTime_; }
  [[nodiscard]] std::size_t size() const { return forests_.size(); }
  [[nodiscard]] int order(Id w) const { return forests_[at(w)].order; }
  /// All ways to cut the word in two, the empty parts included.
  [[nodiscard]] const std::vector<Split>& splits(Id w) const { return forests_[at(w)].splits; }
  /// The tree whose root has the trees of `w` for children and is differentiated `times` times in t; -1 if it has more
  /// than `highest` nodes.
  [[nodiscard]] Id graft(Id w, int times = 0) const;
  /// The tree with one node.
  [[nodiscard]] Id node() const { return graft(0); }
  /// As a derivative: f'(f), f''(f, f'(f)), f'(t); a word with `·` between its trees.
  [[nodiscard]] std::string text(Id w) const;

private:
  struct Tree {
    int times = 0;
    Id children = 0;
    int order = 1;
  };
  struct Forest {
    int first = -1; ///< a tree
    Id rest = 0;
    int order = 0;
    std::vector<Split> splits;
  };

  static std::size_t at(std::int32_t k) { return static_cast<std::size_t>(k); }
  void addTrees(int order);
  void addForests(int order);
  [[nodiscard]] std::string treeText(const Tree& tree) const;

  int highest_;
  bool withTime_;
  std::vector<Tree> trees_;
  std::vector<std::vector<int>> treesOf_;     ///< by order
  std::vector<std::vector<Id>> forestsOf_;    ///< by order
  std::vector<Forest> forests_;               ///< by number
  std::map<std::pair<int, Id>, Id> joined_;   ///< (tree, forest) -> the forest that begins with the tree
  std::map<std::pair<int, Id>, int> grafted_; ///< (derivatives in time, children) -> tree
};

} // namespace lmc::orders
