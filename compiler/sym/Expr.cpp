// Shapes, arrays, and walks over expressions.
#include "sym/Expr.h"

#include "base/Budget.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

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

namespace {
enum class Mark : std::uint8_t { New, Open, Done };
} // namespace

void visitPostOrder(const std::vector<Expr>& roots, const std::function<void(const Node&)>& visit) {
  NodeTable<Mark> marks;
  std::vector<const Node*> stack;
  for (const Expr& root : roots) {
    if (root) stack.push_back(root.node());
    while (!stack.empty()) {
      const Node* n = stack.back();
      spendWork();
      Mark& mark = marks[n];
      if (mark == Mark::New) {
        mark = Mark::Open;
        const std::size_t own = stack.size();
        for (auto a = n->args.rbegin(); a != n->args.rend(); ++a) {
          if (marks[a->node()] == Mark::New) stack.push_back(a->node());
        }
        if (stack.size() > own) continue;
      }
      stack.pop_back();
      if (marks[n] == Mark::Done) continue;
      marks[n] = Mark::Done;
      visit(*n);
    }
  }
}

bool contains(Expr e, const std::function<bool(const Node&)>& predicate) {
  NodeTable<bool> seen;
  std::vector<const Node*> stack;
  if (e) stack.push_back(e.node());
  while (!stack.empty()) {
    const Node* const n = stack.back();
    stack.pop_back();
    if (std::exchange(seen[n], true)) continue;
    spendWork();
    if (predicate(*n)) return true;
    for (const Expr& a : n->args) stack.push_back(a.node());
  }
  return false;
}

} // namespace lmc::sym
