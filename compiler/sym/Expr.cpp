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
    for (const Expr& a : n.args) args.push_back(memo_.at(a.node()));
    Expr r;
    if (n.op == Op::Load || n.op == Op::Index) r = leaf_(n, args);
    if (!r) r = args == n.args ? Expr(&n) : graph_.rebuild(n, args);
    memo_.emplace(&n, r);
  });
  return memo_.at(root.node());
}

namespace {

/// Marks of nodes by open addressing: most expressions are small, and traversals are what deriving and lowering do
/// most.
class NodeMarks {
public:
  enum Mark : std::uint8_t { New, Open, Done };

  /// The mark of a node, New at first; valid until the next call.
  Mark& operator[](const Node* n) {
    if (2 * used_ >= size_) grow();
    Slot& s = find(n);
    if (s.node == nullptr) {
      s.node = n;
      ++used_;
    }
    return s.mark;
  }

private:
  struct Slot {
    const Node* node = nullptr;
    Mark mark = New;
  };

  Slot& find(const Node* n) {
    std::size_t k = (reinterpret_cast<std::uintptr_t>(n) >> 4U) * 0x9E3779B97F4A7C15ULL >> 32U & (size_ - 1);
    while (slots_[k].node != nullptr && slots_[k].node != n) k = (k + 1) & (size_ - 1);
    return slots_[k];
  }

  void grow() {
    const Slot* const old = slots_;
    const std::vector<Slot> keep = std::move(large_);
    const std::size_t oldSize = size_;
    size_ *= 4;
    large_.assign(size_, {});
    slots_ = large_.data();
    for (std::size_t k = 0; k < oldSize; ++k) {
      if (old[k].node != nullptr) find(old[k].node) = old[k];
    }
  }

  static constexpr std::size_t small = 16; // a power of two
  Slot few_[small];
  std::vector<Slot> large_;
  Slot* slots_ = few_;
  std::size_t size_ = small, used_ = 0;
};

} // namespace

void visitPostOrder(const std::vector<Expr>& roots, const std::function<void(const Node&)>& visit) {
  NodeMarks marks;
  std::vector<const Node*> stack;
  for (const Expr& root : roots) {
    if (root) stack.push_back(root.node());
    while (!stack.empty()) {
      const Node* n = stack.back();
      spendWork();
      NodeMarks::Mark& mark = marks[n];
      if (mark == NodeMarks::New) {
        mark = NodeMarks::Open;
        const std::size_t own = stack.size();
        for (auto a = n->args.rbegin(); a != n->args.rend(); ++a) {
          if (marks[a->node()] == NodeMarks::New) stack.push_back(a->node());
        }
        if (stack.size() > own) continue;
      }
      stack.pop_back();
      if (marks[n] == NodeMarks::Done) continue;
      marks[n] = NodeMarks::Done;
      visit(*n);
    }
  }
}

bool contains(Expr e, const std::function<bool(const Node&)>& predicate) {
  bool found = false;
  visitPostOrder({e}, [&](const Node& n) { found = found || predicate(n); });
  return found;
}

} // namespace lmc::sym
