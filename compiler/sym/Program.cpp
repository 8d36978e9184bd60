#include "sym/Program.h"

#include "base/Budget.h"
#include "base/Integers.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <stdexcept>

namespace lmc::sym {

namespace {
/// Appends every array that is read below `roots`, once for each element.
void collect(const std::vector<Expr>& roots, std::vector<const Array*>& out) {
  NodeNumbers visited;
  std::vector<const Node*> stack;
  const auto enter = [&](Expr e) {
    if (e && e->reads && visited.add(*e)) stack.push_back(e.node());
  };
  for (const Expr& root : roots) enter(root);
  while (!stack.empty()) {
    const Node& n = *stack.back();
    stack.pop_back();
    spendWork();
    if (n.op == Op::Load) out.push_back(n.array);
    for (const Expr& a : n.args) enter(a);
  }
}

/// In the order of their ids, not of their addresses; none twice.
std::vector<const Array*> ordered(std::vector<const Array*> list) {
  std::sort(list.begin(), list.end(), [](const Array* x, const Array* y) { return x->id < y->id; });
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

/// An index that is read from an array, or computed from such.
bool fromData(Expr index) {
  return index->reads;
}

std::vector<const Array*> orderedChoices(const Equation& e) {
  std::vector<const Array*> out;
  if (std::any_of(e.index.begin(), e.index.end(), fromData)) out.push_back(e.array);
  std::vector<Expr> roots;
  const auto root = [&](Expr x) {
    if (x && x->gathers) roots.push_back(x);
  };
  std::for_each(e.index.begin(), e.index.end(), root);
  for (const Expr& x : {e.value, e.guard, e.positive}) root(x);
  visitPostOrder(roots, [&](const Node& n) {
    if (n.op == Op::Load && std::any_of(n.args.begin(), n.args.end(), fromData)) out.push_back(n.array);
  });
  return ordered(std::move(out));
}

std::vector<const Array*> orderedReads(const Equation& e) {
  std::vector<const Array*> out;
  std::vector<Expr> roots{e.value, e.guard, e.positive};
  roots.insert(roots.end(), e.index.begin(), e.index.end());
  for (const Loop& l : e.loops) roots.insert(roots.end(), {l.lo, l.hi});
  if (e.newton) roots.push_back(e.newton->tolerance);
  collect(roots, out);
  if (e.matrix != nullptr) out.push_back(e.matrix);
  if (e.rhs != nullptr) out.push_back(e.rhs);
  if (e.newton) {
    const NewtonIteration& n = *e.newton;
    out.insert(out.end(), {n.start, n.residual});
    if (n.sparse) out.insert(out.end(), {n.sparse->nodes, n.sparse->blocks, n.sparse->values});
    if (n.change != nullptr) {
      out.push_back(n.change);
      out.insert(out.end(), n.factors.begin(), n.factors.end());
    }
    if (n.jacobian != nullptr || n.product != nullptr) out.push_back(n.jacobian != nullptr ? n.jacobian : n.product);
    for (const JacobianColumns& c : n.columns) out.push_back(c.product);
  }
  if (e.series) {
    out.insert(out.end(), {e.series->start, e.series->next});
    for (const SeriesRecursion::Products& products : e.series->products) out.push_back(products.operands);
  }
  return ordered(std::move(out));
}
} // namespace

Program Program::over(const Program& below) {
  Program p(*below.graph_);
  p.below_ = &below;
  p.first_ = below.size();
  p.layer_ = std::make_unique<GraphLayer>(below.layer_ ? *below.layer_ : below.graph_->layer());
  return p;
}

const Array* Program::inverseJacobian(const Array* solution) const {
  const auto it = inverseJacobians_.find(solution);
  if (it != inverseJacobians_.end()) return it->second;
  return below_ != nullptr ? below_->inverseJacobian(solution) : nullptr;
}

void Program::append(Equation e) {
  if (below_ != nullptr && !below_->writers(e.array).empty())
    throw std::logic_error("`" + e.array->name + "` is defined in a layer below");
  spendNodes(1);
  writers_[e.array].push_back(size());
  reads_.push_back(orderedReads(e));
  choices_.push_back(orderedChoices(e));
  equations_.push_back(std::move(e));
}

bool Program::reads(std::size_t k, const Array* a) const {
  const std::vector<const Array*>& list = reads(k);
  const auto it =
      std::lower_bound(list.begin(), list.end(), a, [](const Array* x, const Array* y) { return x->id < y->id; });
  return it != list.end() && *it == a;
}

const std::vector<std::size_t>& Program::writers(const Array* a) const {
  static const std::vector<std::size_t> nothing;
  const auto it = writers_.find(a);
  if (it != writers_.end()) return it->second;
  return below_ != nullptr ? below_->writers(a) : nothing;
}

namespace {
/// Depth-first over arrays, each array's writers after what they read.
class Slicer {
public:
  explicit Slicer(const Program& p) : p_(p) {}

  void need(const Array* root) {
    std::vector<Frame> open;
    enter(root, open);
    while (!open.empty()) {
      Frame& f = open.back();
      if (f.next < f.reads().size()) {
        enter(f.reads()[f.next++], open);
        continue;
      }
      order.insert(order.end(), f.writers->begin(), f.writers->end());
      open.pop_back();
    }
  }

  std::vector<std::size_t> order;

private:
  struct Frame {
    const std::vector<std::size_t>* writers;
    const std::vector<const Array*>* ofOne; ///< what the only one reads; null where there are several
    std::vector<const Array*> ofSeveral;
    std::size_t next = 0;
    [[nodiscard]] const std::vector<const Array*>& reads() const { return ofOne != nullptr ? *ofOne : ofSeveral; }
  };

  void enter(const Array* a, std::vector<Frame>& open) {
    if (a->id >= seen_.size()) seen_.resize(std::max(2 * seen_.size(), std::size_t{a->id} + 1));
    if (seen_[a->id]) return;
    seen_[a->id] = true;
    const std::vector<std::size_t>& writers = p_.writers(a);
    if (writers.empty()) return;
    if (writers.size() == 1) {
      open.push_back({&writers, &p_.reads(writers[0]), {}});
      return;
    }
    std::vector<const Array*> list;
    for (const std::size_t k : writers) list.insert(list.end(), p_.reads(k).begin(), p_.reads(k).end());
    open.push_back({&writers, nullptr, ordered(std::move(list))});
  }

  const Program& p_;
  std::vector<bool> seen_; ///< by the numbers of arrays
};
} // namespace

std::vector<std::size_t> Program::slice(const std::vector<const Array*>& roots,
                                        const std::vector<Expr>& expressions) const {
  Slicer slicer(*this);
  for (const Expr& e : expressions) {
    std::vector<const Array*> used;
    collect({e}, used);
    for (const Array* a : ordered(std::move(used))) slicer.need(a);
  }
  for (const Array* a : roots) slicer.need(a);
  return std::move(slicer.order);
}

std::unordered_set<const Array*> reads(const Equation& e) {
  const std::vector<const Array*> list = orderedReads(e);
  return {list.begin(), list.end()};
}

std::unordered_set<const Array*> reads(Expr e) {
  std::vector<const Array*> list;
  collect({e}, list);
  return {list.begin(), list.end()};
}

std::int64_t constantInt(Expr e) {
  if (!e->isConst()) throw std::logic_error("an integer constant was expected");
  return e->number.num();
}

namespace {
__extension__ using Wide = __int128;

/// Nothing where the integers of generated code would not do.
std::optional<Interval> interval(Wide lo, Wide hi) {
  constexpr Wide most = std::numeric_limits<std::int64_t>::max();
  if (lo < -most || hi > most) return std::nullopt;
  return Interval{static_cast<std::int64_t>(lo), static_cast<std::int64_t>(hi)};
}

std::optional<Interval> sumBounds(const std::vector<Interval>& terms) {
  Wide lo = 0;
  Wide hi = 0;
  for (const Interval& a : terms) {
    lo += a.lo;
    hi += a.hi;
  }
  return interval(lo, hi);
}

std::optional<Interval> productBounds(const Interval& a, const Interval& b) {
  const Wide corners[] = {Wide{a.lo} * b.lo, Wide{a.lo} * b.hi, Wide{a.hi} * b.lo, Wide{a.hi} * b.hi};
  return interval(*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4));
}

Interval sizeBounds(const Interval& a) {
  const std::int64_t most = std::max(std::abs(a.lo), std::abs(a.hi));
  return {a.lo > 0 ? a.lo : a.hi < 0 ? -a.hi : 0, most};
}

std::optional<Interval> divisionBounds(Op op, const Interval& a, const Interval& b) {
  if (b.lo != b.hi || b.lo <= 0) return std::nullopt;
  const Interval q{floorDiv(a.lo, b.lo), floorDiv(a.hi, b.lo)};
  if (op == Op::IDiv) return q;
  if (q.lo == q.hi) return Interval{a.lo - b.lo * q.lo, a.hi - b.lo * q.lo};
  return Interval{0, b.lo - 1};
}
} // namespace

std::optional<Interval> bounds(Expr e, const std::vector<Loop>& loops) {
  spendWork();
  checkStack();
  if (e->isConst()) {
    if (!e->number.isInteger()) return std::nullopt;
    return Interval{e->number.num(), e->number.num()};
  }
  if (e->op == Op::Index) {
    for (std::size_t k = 0; k < loops.size(); ++k) {
      if (loops[k].index != e) continue;
      const std::vector<Loop> outer(loops.begin(), loops.begin() + static_cast<std::ptrdiff_t>(k));
      const auto lo = bounds(loops[k].lo, outer);
      const auto hi = bounds(loops[k].hi, outer);
      if (!lo || !hi) return std::nullopt;
      return Interval{lo->lo, hi->hi};
    }
    return std::nullopt;
  }
  std::vector<Interval> args;
  for (const Expr& a : e->args) {
    if (a->type == Type::Bool) {
      args.push_back({0, 1});
      continue;
    }
    if (a->type != Type::Int) return std::nullopt;
    const auto b = bounds(a, loops);
    if (!b) return std::nullopt;
    args.push_back(*b);
  }
  switch (e->op) {
  case Op::Add:
    return sumBounds(args);
  case Op::Abs:
    return sizeBounds(args[0]);
  case Op::Mul:
    return productBounds(args[0], args[1]);
  case Op::Min:
    return Interval{std::min(args[0].lo, args[1].lo), std::min(args[0].hi, args[1].hi)};
  case Op::Max:
    return Interval{std::max(args[0].lo, args[1].lo), std::max(args[0].hi, args[1].hi)};
  case Op::Select:
    return Interval{std::min(args[1].lo, args[2].lo), std::max(args[1].hi, args[2].hi)};
  case Op::IDiv:
  case Op::IMod:
    return divisionBounds(e->op, args[0], args[1]);
  default:
    return std::nullopt;
  }
}

Loop fullLoop(Graph& g, const std::string& name, std::int64_t n) {
  return {g.newIndex(name), g.integer(1), g.integer(n), false};
}

std::vector<Loop> memberLoops(Graph& g, const std::vector<std::int64_t>& extents) {
  std::vector<Loop> loops;
  for (std::size_t k = 0; k < extents.size(); ++k)
    loops.push_back(fullLoop(g, k == 0 ? "i" : "i" + std::to_string(k + 1), extents[k]));
  return loops;
}

std::vector<Expr> indicesOf(const std::vector<Loop>& loops) {
  std::vector<Expr> index;
  index.reserve(loops.size());
  for (const Loop& l : loops) index.push_back(l.index);
  return index;
}

const Array* defineLike(Program& p, const Array& like, const std::string& name,
                        const std::function<Expr(const std::vector<Expr>&)>& value) {
  Equation e;
  e.array = p.graph().newArray(name, like.extents, like.shape, Role::Temp);
  e.loops = memberLoops(p.graph(), like.extents);
  e.index = indicesOf(e.loops);
  e.value = value(e.index);
  const Array* array = e.array;
  p.append(std::move(e));
  return array;
}

} // namespace lmc::sym
