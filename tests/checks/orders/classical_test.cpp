// The classical conditions of Runge-Kutta methods, over rooted trees, for the pairs whose order is beyond the proofs.
#include "methods/checked/Constructor.h"
#include "sema/Support.h"

#include <gtest/gtest.h>
#include <set>

using namespace lmc::methods;
using namespace lmc::sema;
using namespace lmc::test;
using namespace lmc;

namespace {

/// A rooted tree: its children, in a fixed order.
struct Tree {
  std::vector<Tree> children;
  bool operator<(const Tree& other) const { return children < other.children; }
  [[nodiscard]] int order() const {
    int n = 1;
    for (const Tree& t : children) n += t.order();
    return n;
  }
  [[nodiscard]] long double density() const {
    long double g = order();
    for (const Tree& t : children) g *= t.density();
    return g;
  }
};

/// All trees of one node more: a leaf added to each node.
void grown(const Tree& tree, std::set<Tree>& to) {
  const auto add = [&](Tree t) {
    std::sort(t.children.begin(), t.children.end());
    to.insert(std::move(t));
  };
  Tree wider = tree;
  wider.children.emplace_back();
  add(std::move(wider));
  for (std::size_t k = 0; k < tree.children.size(); ++k) {
    std::set<Tree> branches;
    grown(tree.children[k], branches);
    for (const Tree& branch : branches) {
      Tree higher = tree;
      higher.children[k] = branch;
      add(std::move(higher));
    }
  }
}

using Weights = std::vector<long double>;

Weights values(const std::vector<sym::Number>& numbers) {
  Weights w;
  for (const sym::Number& n : numbers)
    w.push_back(n.exact() ? static_cast<long double>(n.num()) / static_cast<long double>(n.den()) : n.value());
  return w;
}

/// The elementary weights of a tree's root, stage by stage.
Weights stages(const Tree& tree, const std::vector<Weights>& a) {
  Weights phi(a.size(), 1);
  for (const Tree& child : tree.children) {
    const Weights inner = stages(child, a);
    for (std::size_t i = 0; i < a.size(); ++i) {
      long double sum = 0;
      for (std::size_t j = 0; j < a.size(); ++j) sum += a[i][j] * inner[j];
      phi[i] *= sum;
    }
  }
  return phi;
}

/// The order up to which all conditions hold, at most `highest`.
int classicalOrder(const Weights& b, const std::vector<Weights>& a, int highest, long double rounding = 1e-15L) {
  std::set<Tree> trees = {Tree{}};
  for (int order = 1; order <= highest; ++order) {
    for (const Tree& tree : trees) {
      const Weights phi = stages(tree, a);
      long double sum = 0;
      for (std::size_t i = 0; i < b.size(); ++i) sum += b[i] * phi[i];
      if (std::abs(sum * tree.density() - 1) > rounding) return order - 1;
    }
    std::set<Tree> next;
    for (const Tree& tree : trees) grown(tree, next);
    trees = std::move(next);
  }
  return highest;
}

} // namespace

TEST(ClassicalConditions, HoldForBothWeightsOfAPair) {
  const std::vector<std::tuple<const char*, int, int>> pairs = {
      {"BogackiShampine", 3, 2}, {"Fehlberg45", 5, 4}, {"DormandPrince", 5, 4}, {"Fehlberg78", 8, 7}};
  const Checked c = check("");
  for (const auto& [name, order, embedded] : pairs) {
    const Found found = c.compilation->findTableau(name);
    ASSERT_TRUE(found) << name;
    const auto tableau = readTableau(*c.compilation, found);
    ASSERT_TRUE(tableau) << name;
    EXPECT_EQ(tableau->order, order);
    EXPECT_EQ(tableau->embeddedOrder, embedded);
    std::vector<Weights> a;
    for (const auto& row : tableau->a) a.push_back(values(row));
    EXPECT_EQ(classicalOrder(values(tableau->b), a, order + 1), order) << name;
    EXPECT_EQ(classicalOrder(values(tableau->bhat), a, order + 1), embedded) << name;
  }
}

TEST(ClassicalConditions, HoldForAllWeightsOfDecimalCoefficients) {
  const Checked c = check("");
  const auto tableau = readTableau(*c.compilation, c.compilation->findTableau("DormandPrince853"));
  ASSERT_TRUE(tableau);
  std::vector<Weights> a;
  for (const auto& row : tableau->a) a.push_back(values(row));
  constexpr long double rounding = 2e-12L; // of coefficients up to 43, times densities up to 8!
  EXPECT_EQ(classicalOrder(values(tableau->b), a, 9, rounding), 8);
  EXPECT_EQ(classicalOrder(values(tableau->bhat), a, 9, rounding), 5);
  EXPECT_EQ(classicalOrder(values(tableau->bhat2), a, 9, rounding), 3);
}
