// Tables of nodes against std::map and brute force: growth, neighbours in memory, hashes that are all alike.
#include "sym/Sandbox.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

using namespace lmc::sym;
using lmc::test::Sandbox;

namespace {

/// Nodes side by side, some of them more than once and in any order.
std::vector<const Node*> visits(const std::vector<Node>& nodes, std::size_t count) {
  std::mt19937 random(7);
  std::vector<const Node*> list;
  for (std::size_t k = 0; k < count; ++k) list.push_back(&nodes[random() % nodes.size()]);
  return list;
}

} // namespace

TEST(NodeTable, HoldsWhatAMapHolds) {
  for (const std::size_t size : {1U, 7U, 8U, 9U, 31U, 33U, 1000U}) {
    const std::vector<Node> nodes(size);
    NodeTable<int> table;
    std::map<const Node*, int> expected;
    int next = 0;
    for (const Node* n : visits(nodes, 3 * size)) {
      EXPECT_EQ(table.contains(n), expected.contains(n));
      table[n] += ++next;
      expected[n] += next;
    }
    const NodeTable<int> copy = table;
    table[&nodes[0]] = -1; // the copy has numbers of its own
    for (const Node& n : nodes) {
      const auto found = expected.find(&n);
      ASSERT_EQ(copy.find(&n) != nullptr, found != expected.end()) << size;
      if (found != expected.end()) EXPECT_EQ(*copy.find(&n), found->second) << size;
    }
    EXPECT_EQ(copy.find(nullptr), nullptr);
  }
}

TEST(NodeNumbers, CountNodesInTheOrderOfTheirFirstCalls) {
  std::vector<Node> nodes(300);
  for (std::size_t k = 0; k < nodes.size(); ++k) nodes[k].id = static_cast<std::uint32_t>(k);
  NodeNumbers outer;
  EXPECT_EQ(outer[nodes[5]], NodeNumbers::none);
  EXPECT_TRUE(outer.add(nodes[5]));
  for (int round = 0; round < 3; ++round) { // the table of one is the next one's
    NodeNumbers numbers;
    std::map<const Node*, std::uint32_t> expected;
    for (const Node* n : visits(nodes, 200)) {
      const auto [found, isNew] = expected.try_emplace(n, static_cast<std::uint32_t>(expected.size()));
      EXPECT_EQ(numbers.add(*n), isNew);
      EXPECT_EQ(numbers[*n], found->second);
    }
    EXPECT_EQ(numbers.size(), expected.size());
    for (const Node& n : nodes) EXPECT_EQ(numbers[n] == NodeNumbers::none, !expected.contains(&n));
    numbers.clear();
    EXPECT_EQ(numbers.size(), 0U);
    for (const Node& n : nodes) EXPECT_EQ(numbers[n], NodeNumbers::none);
    EXPECT_TRUE(numbers.add(nodes[7]));
    EXPECT_EQ(numbers[nodes[7]], 0U);
  }
  EXPECT_EQ(outer[nodes[5]], 0U);
  EXPECT_EQ(outer.size(), 1U);
}

TEST(ObjectsByHash, FindsTheNodeThatIsMeant) {
  for (const std::uint64_t spread : {0ULL, 1ULL, 3ULL, 0x9E3779B97F4A7C15ULL}) { // 0: all have one hash
    const std::vector<Node> nodes(300);
    lmc::ObjectsByHash<Node> table;
    EXPECT_EQ(table.find(0, [](const Node&) { return true; }), nullptr);
    const auto hash = [&](std::size_t k) { return spread * (k / 3); };
    for (std::size_t k = 0; k < nodes.size(); k += 2) table.add(hash(k), &nodes[k]);
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      const Node* const found = table.find(hash(k), [&](const Node& n) { return &n == &nodes[k]; });
      EXPECT_EQ(found, k % 2 == 0 ? &nodes[k] : nullptr) << spread << ", " << k;
    }
  }
}

TEST(Walks, AskNoFurtherThanTheyMust) {
  Sandbox s;
  Graph& g = s.g;
  Expr e = s.scalar("x", 0.5);
  for (int k = 0; k < 100; ++k) e = g.function(Op::Sin, g.mul(e, e));
  int asked = 0;
  EXPECT_TRUE(contains(e, [&](const Node&) { return ++asked > 0; }));
  EXPECT_EQ(asked, 1);
  asked = 0;
  EXPECT_FALSE(contains(e, [&](const Node&) { return ++asked < 0; }));
  int nodes = 0;
  visitPostOrder({e}, [&](const Node&) { ++nodes; });
  EXPECT_EQ(asked, nodes) << "each once, though each is used twice";
  EXPECT_FALSE(contains(Expr(), [](const Node&) { return true; }));
}

TEST(Choices, AreFoundWithTheEquation) {
  Sandbox s;
  Graph& g = s.g;
  Program p(g);
  const Array* const table = g.newArray("table", {8}, Shape::scalar(), Role::Param);
  const Array* const where = g.newArray("where", {}, Shape::scalar(), Role::Param, Type::Int);
  const Array* const plain = g.newArray("plain", {8}, Shape::scalar(), Role::Param);
  const Array* const out = g.newArray("out", {}, Shape::scalar(), Role::Temp);
  const Expr chosen = g.load(table, {g.add(g.load(where), g.integer(1))});
  Equation e;
  e.array = out;
  e.value = g.add(chosen, g.load(plain, {g.integer(2)}));
  p.append(e);
  EXPECT_EQ(p.choices(0), std::vector<const Array*>{table});
  e.array = g.newArray("written", {8}, Shape::scalar(), Role::Temp);
  e.index = {g.load(where)};
  e.value = g.load(plain, {g.integer(3)});
  p.append(e);
  EXPECT_EQ(p.choices(1), std::vector<const Array*>{e.array});
  const Program over = Program::over(p);
  EXPECT_EQ(over.choices(0), p.choices(0));
}
