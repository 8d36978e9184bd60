#include "checks/orders/Forests.h"

#include <fmt/format.h>

namespace lmc::orders {

Forests::Forests(int highest, bool withTime) : highest_(highest), withTime_(withTime) {
  treesOf_.emplace_back();
  forestsOf_.push_back({0});
  forests_.push_back({-1, 0, 0, {{0, 0}}});
  for (int order = 1; order <= highest; ++order) {
    addTrees(order);
    addForests(order);
  }
}

void Forests::addTrees(int order) {
  treesOf_.emplace_back();
  for (int times = 0; times < (withTime_ ? order : 1); ++times) {
    for (const Id children : forestsOf_[at(order - 1 - times)]) {
      const int tree = static_cast<int>(trees_.size());
      trees_.push_back({times, children, order});
      treesOf_.back().push_back(tree);
      grafted_[{times, children}] = tree;
    }
  }
}

/// Words with the fewest trees come first: a single tree is the easiest to read when its condition fails.
void Forests::addForests(int order) {
  forestsOf_.emplace_back();
  for (int first = order; first > 0; --first) {
    for (const int tree : treesOf_[at(first)]) {
      for (const Id rest : forestsOf_[at(order - first)]) {
        const Id id = static_cast<Id>(forests_.size());
        joined_[{tree, rest}] = id;
        Forest forest{tree, rest, order, {{0, id}}};
        for (const auto& [left, right] : splits(rest)) forest.splits.emplace_back(joined_.at({tree, left}), right);
        forests_.push_back(std::move(forest));
        forestsOf_.back().push_back(id);
      }
    }
  }
}

Forests::Id Forests::graft(Id w, int times) const {
  const auto tree = grafted_.find({times, w});
  return tree == grafted_.end() ? -1 : joined_.at({tree->second, 0});
}

std::string Forests::treeText(const Tree& tree) const {
  std::vector<std::string> arguments(at(tree.times), "t");
  for (Id w = tree.children; w != 0; w = forests_[at(w)].rest)
    arguments.push_back(treeText(trees_[at(forests_[at(w)].first)]));
  if (arguments.empty()) return "f";
  return fmt::format("f{}({})", std::string(arguments.size(), '\''), fmt::join(arguments, ", "));
}

std::string Forests::text(Id w) const {
  std::string out;
  for (; w != 0; w = forests_[at(w)].rest)
    out += (out.empty() ? "" : " · ") + treeText(trees_[at(forests_[at(w)].first)]);
  return out.empty() ? "1" : out;
}

} // namespace lmc::orders
