// Shapes, arrays, and walks over expressions.
#include "sym/Expr.h"

#include "base/Budget.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace lmc::sym {

std::string Shape::text() const {
  if (rank == 0) return "real";
  if (rank == 1) return "vec(" + std::to_string(rows) + ")";
  return "mat(" + std::to_string(rows) + "," + std::to_string(cols) + ")";
}

std::int64_t Array::count() const {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

Expr Substitution::operator()(Expr root) {
  std::vector<Expr> result;
  visitPostOrder({root}, [&](const Node& n) {
    if (memo_.contains(&n)) return;
    std::vector<Expr> args;
    args.reserve(n.args.size());
    for (const Expr& a : n.args) args.push_back(*memo_.find(a.node()));
    Expr r;
    if (n.op == Op::Load || n.op == Op::Index) r = leaf_(n, args);
    if (!r) r = args == n.args ? Expr(&n) : graph_.rebuild(n, args);
    memo_[&n] = r;
  });
  return *memo_.find(root.node());
}

std::vector<std::unique_ptr<NodeNumbers::Table>>& NodeNumbers::unused() {
  thread_local std::vector<std::unique_ptr<Table>> tables;
  return tables;
}

std::unique_ptr<NodeNumbers::Table> NodeNumbers::take() {
  std::vector<std::unique_ptr<Table>>& tables = unused();
  auto table = tables.empty() ? std::make_unique<Table>() : std::move(tables.back());
  if (!tables.empty()) tables.pop_back();
  renew(*table);
  return table;
}

void NodeNumbers::renew(Table& table) {
  if (++table.user != 0) return;
  table.met.clear(); // there have been as many users as there are numbers for them
  table.user = 1;
}

NodeNumbers::~NodeNumbers() {
  unused().push_back(std::move(table_));
}

void NodeNumbers::grow(std::uint32_t id) {
  table_->met.resize(std::max(2 * table_->met.size(), std::size_t{id} + 1));
}

void visitPostOrder(const std::vector<Expr>& roots, const std::function<void(const Node&)>& visit) {
  struct Frame {
    const Node* node;
    std::size_t next; ///< of its arguments, to be visited
  };
  NodeNumbers visited;
  std::vector<Frame> open;
  const auto enter = [&](Expr e) {
    if (!visited.add(*e)) return;
    spendWork();
    if (e->args.empty())
      visit(*e);
    else
      open.push_back({e.node(), 0});
  };
  for (const Expr& root : roots) {
    if (root) enter(root);
    while (!open.empty()) {
      Frame& f = open.back();
      const Node& n = *f.node;
      if (f.next < n.args.size()) {
        enter(n.args[f.next++]);
        continue;
      }
      open.pop_back();
      visit(n);
    }
  }
}

bool contains(Expr e, const std::function<bool(const Node&)>& predicate) {
  NodeNumbers visited;
  std::vector<const Node*> stack;
  if (e) stack.push_back(e.node());
  while (!stack.empty()) {
    const Node* const n = stack.back();
    stack.pop_back();
    if (!visited.add(*n)) continue;
    spendWork();
    if (predicate(*n)) return true;
    for (const Expr& a : n->args) stack.push_back(a.node());
  }
  return false;
}

} // namespace lmc::sym
