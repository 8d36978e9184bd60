#include "checks/model/PlainValues.h"

#include "checks/model/PlainNodes.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace lmc::checks {

using sym::Equation;
using sym::EquationKind;
using sym::Expr;
using sym::Node;
using sym::Op;

namespace {
constexpr std::size_t largestSystem = 300;
/// Nodes that are evaluated, about a tenth of a microsecond each.
constexpr std::size_t mostWork = 2'000'000;
} // namespace

class PlainValues::Reading {
public:
  explicit Reading(const sym::Program& p) : p_(p) {}

  void set(const sym::Array* a, std::span<const double> numbers) { given_[a].assign(numbers.begin(), numbers.end()); }

  std::optional<std::vector<double>> of(const std::vector<const sym::Array*>& arrays) {
    values_ = given_;
    const std::vector<std::size_t> order = p_.slice(arrays);
    for (const std::size_t k : order) ++left_[p_.equations()[k].array];
    work_ = 0;
    bool done = true;
    for (std::size_t n = 0; done && n < order.size(); ++n) done = execute(order[n]);
    left_.clear();
    if (!done) return std::nullopt;
    std::vector<double> list;
    for (const sym::Array* a : arrays) {
      const auto it = values_.find(a);
      if (it == values_.end()) return std::nullopt;
      list.insert(list.end(), it->second.begin(), it->second.end());
    }
    return list;
  }

private:
  /// The expressions of one equation: every node once, after its arguments.
  struct Nodes {
    struct Entry {
      const Node* node;
      std::vector<const Plain*> args;
      Plain* value;
      std::vector<long double>* array; ///< of a Load
    };
    std::vector<Entry> fixed, moving, bounds;      ///< moving: read anew in every turn of the loops
    std::unordered_map<const Node*, Plain> values; ///< addresses of its elements stay
  };

  /// Whether all that the equation reads is there: given, or written by equations that are done (or by its own
  /// array's).
  [[nodiscard]] bool canRead(std::size_t k) {
    const sym::Array* own = p_.equations()[k].array;
    for (const sym::Array* a : p_.reads(k)) {
      if (a == own) continue;
      const auto open = left_.find(a);
      if (open != left_.end() && open->second > 0) return false;
      if (!values_.contains(a)) return false;
    }
    return true;
  }

  bool execute(std::size_t k) {
    const Equation& e = p_.equations()[k];
    if (e.kind == EquationKind::Newton || !canRead(k)) return false;
    Plain& target = values_.try_emplace(e.array, static_cast<std::size_t>(e.array->size()), 0).first->second;
    --left_[e.array];
    if (e.kind == EquationKind::LinearSolve) return solve(e, target);
    Nodes nodes = collect(e, p_.reads(k, e.array));
    for (Nodes::Entry& n : nodes.fixed) evaluate(n);
    run(e, 0, nodes, target);
    return work_ <= mostWork;
  }

  Nodes collect(const Equation& e, bool recursive) {
    Nodes nodes;
    const auto entry = [&](const Node& n) {
      Plain& value = nodes.values[&n];
      value.assign(static_cast<std::size_t>(n.shape.size()), 0);
      Nodes::Entry made{&n, {}, &value, nullptr};
      for (const Expr& a : n.args) made.args.push_back(&nodes.values.at(a.node()));
      if (n.op == Op::Load) made.array = &values_.at(n.array);
      return made;
    };
    std::vector<Expr> roots = e.index, bounds;
    roots.push_back(e.value);
    if (e.guard) roots.push_back(e.guard);
    for (const sym::Loop& l : e.loops) bounds.insert(bounds.end(), {l.index, l.lo, l.hi});
    sym::visitPostOrder(bounds, [&](const Node& n) {
      Nodes::Entry made = entry(n);
      if (n.op != Op::Index) nodes.bounds.push_back(std::move(made));
    });
    sym::visitPostOrder(roots, [&](const Node& n) {
      Nodes::Entry made = entry(n);
      if (n.op != Op::Index) (n.indexed || recursive ? nodes.moving : nodes.fixed).push_back(std::move(made));
    });
    return nodes;
  }

  static void evaluate(const Nodes::Entry& n) {
    if (n.node->op != Op::Load) {
      *n.value = plainNode(*n.node, n.args);
      return;
    }
    const std::optional<std::size_t> place = placeOf(*n.node->array, n.args);
    for (std::size_t k = 0; k < n.value->size(); ++k) (*n.value)[k] = place ? (*n.array)[*place + k] : nothing;
  }

  /// Of an element; nothing where there is none.
  static std::optional<std::size_t> placeOf(const sym::Array& a, const std::vector<const Plain*>& index) {
    std::size_t place = 0;
    for (std::size_t d = 0; d < a.extents.size(); ++d) {
      const long double i = (*index[d])[0];
      if (!(i >= 1 && i <= static_cast<long double>(a.extents[d]))) return std::nullopt;
      place = place * static_cast<std::size_t>(a.extents[d]) + static_cast<std::size_t>(i - 1);
    }
    return place * static_cast<std::size_t>(a.shape.size());
  }

  void run(const Equation& e, std::size_t depth, Nodes& nodes, Plain& target) {
    if (depth == e.loops.size()) {
      work_ += nodes.moving.size() + 1;
      if (work_ > mostWork) return;
      for (const Nodes::Entry& n : nodes.moving) evaluate(n);
      assign(e, nodes, target);
      return;
    }
    const sym::Loop& l = e.loops[depth];
    for (const Nodes::Entry& n : nodes.bounds) evaluate(n);
    const auto lo = static_cast<std::int64_t>(nodes.values.at(l.lo.node())[0]);
    const auto hi = static_cast<std::int64_t>(nodes.values.at(l.hi.node())[0]);
    for (std::int64_t k = 0; k <= hi - lo && work_ <= mostWork; ++k) {
      nodes.values.at(l.index.node()) = {static_cast<long double>(l.descending ? hi - k : lo + k)};
      run(e, depth + 1, nodes, target);
    }
  }

  static void assign(const Equation& e, Nodes& nodes, Plain& target) {
    if (e.guard && nodes.values.at(e.guard.node())[0] == 0) return;
    std::vector<const Plain*> index;
    for (const Expr& i : e.index) index.push_back(&nodes.values.at(i.node()));
    const std::optional<std::size_t> place = placeOf(*e.array, index);
    if (!place) return;
    const Plain& value = nodes.values.at(e.value.node());
    for (std::size_t k = 0; k < value.size(); ++k) {
      long double& entry = target[*place + k];
      entry = e.kind == EquationKind::Accumulate ? entry + value[k] : value[k];
    }
  }

  /// All right-hand sides at once.
  bool solve(const Equation& e, Plain& target) {
    const auto n = static_cast<std::size_t>(e.matrix->extents.front());
    if (n > largestSystem) return false;
    const Plain &matrix = values_.at(e.matrix), &rhs = values_.at(e.rhs);
    const std::size_t count = rhs.size() / n;
    Plain a = matrix, b(rhs.size());
    for (std::size_t i = 0; i < n; ++i) // symmetric: the lower part counts
      for (std::size_t j = i + 1; j < n; ++j) a[i * n + j] = a[j * n + i];
    for (std::size_t r = 0; r < count; ++r)
      for (std::size_t i = 0; i < n; ++i) b[i * count + r] = rhs[r * n + i];
    const Plain x = plainSolve(std::move(a), std::move(b), n, count);
    for (std::size_t r = 0; r < count; ++r)
      for (std::size_t i = 0; i < n; ++i) target[r * n + i] = x[i * count + r];
    return true;
  }

  const sym::Program& p_;
  std::unordered_map<const sym::Array*, Plain> given_, values_;
  std::size_t work_ = 0;
  std::unordered_map<const sym::Array*, int> left_; ///< equations of an array that are still to be done
};

PlainValues::PlainValues(const sym::Program& program) : reading_(std::make_unique<Reading>(program)) {}
PlainValues::~PlainValues() = default;

void PlainValues::set(const sym::Array* array, std::span<const double> numbers) {
  reading_->set(array, numbers);
}

std::optional<std::vector<double>> PlainValues::of(const std::vector<const sym::Array*>& arrays) {
  return reading_->of(arrays);
}

} // namespace lmc::checks
