// Reverse mode: adjoints of expressions, and of arrays by equations of the reversed loops.
#include "sym/derivatives/Implicit.h"

#include <algorithm>
#include <fmt/format.h>
#include <stdexcept>

namespace lmc::sym {

namespace {

/// Adjoints of the nodes of one expression.
class Sweep {
public:
  Sweep(Graph& graph, const std::function<bool(const Node&)>& wanted) : g_(graph), wanted_(wanted) {}

  std::vector<std::pair<Expr, Expr>> run(Expr value, Expr seed) {
    std::vector<const Node*> order;
    visitPostOrder({value}, [&](const Node& n) {
      bool live = n.op == Op::Load && n.type == Type::Real && wanted_(n);
      if (n.type == Type::Real) {
        for (const Expr& a : n.args) live = live || live_[a.node()];
      }
      live_[&n] = live;
      if (live) order.push_back(&n);
    });
    std::vector<std::pair<Expr, Expr>> result;
    add(value, seed);
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      const Node& n = **it;
      const auto w = adjoint_.find(&n);
      if (w == adjoint_.end() || w->second->isZero()) continue;
      if (n.op == Op::Load) {
        result.emplace_back(Expr(&n), w->second);
      } else {
        propagate(n, w->second);
      }
    }
    result.insert(result.end(), fromBranches_.begin(), fromBranches_.end());
    std::sort(result.begin(), result.end(), [](const auto& a, const auto& b) { return a.first->id < b.first->id; });
    return merge(result);
  }

private:
  std::vector<std::pair<Expr, Expr>> merge(const std::vector<std::pair<Expr, Expr>>& list) {
    std::vector<std::pair<Expr, Expr>> out;
    for (const auto& [load, w] : list) {
      if (!out.empty() && out.back().first == load) {
        out.back().second = g_.add(out.back().second, w);
      } else {
        out.emplace_back(load, w);
      }
    }
    return out;
  }

  void add(Expr e, Expr w) {
    if (!live_[e.node()]) return;
    const auto [it, fresh] = adjoint_.emplace(e.node(), w);
    if (!fresh) it->second = g_.add(it->second, w);
  }

  /// The branch not taken has no effect, NaN included: its contributions are cut off one by one, at the leaves.
  void branch(Expr condition, Expr e, Expr w, bool taken) {
    if (!live_[e.node()]) return;
    Sweep inner(g_, wanted_);
    for (const auto& [load, c] : inner.run(e, w)) {
      const Expr zero = g_.zero(c->shape);
      fromBranches_.emplace_back(load, taken ? g_.select(condition, c, zero) : g_.select(condition, zero, c));
    }
  }

  void propagate(const Node& n, Expr w);
  void propagateTensor(const Node& n, Expr w);

  Graph& g_;
  const std::function<bool(const Node&)>& wanted_;
  std::unordered_map<const Node*, bool> live_;
  std::unordered_map<const Node*, Expr> adjoint_;
  std::vector<std::pair<Expr, Expr>> fromBranches_;
};

void Sweep::propagate(const Node& n, Expr w) {
  const Expr self(&n);
  const auto a = [&](std::size_t k) { return n.args[k]; };
  switch (n.op) {
  case Op::Add:
    for (const Expr& t : n.args) add(t, w);
    break;
  case Op::Mul:
    add(a(0), g_.inner(w, a(1)));
    add(a(1), g_.mul(a(0), w));
    break;
  case Op::Select:
    branch(a(0), a(1), w, true);
    branch(a(0), a(2), w, false);
    break;
  case Op::Div:
    add(a(0), g_.div(w, a(1)));
    add(a(1), g_.neg(g_.div(g_.mul(self, w), a(1))));
    break;
  case Op::Pow:
    add(a(0), g_.mul(w, g_.mul(a(1), g_.pow(a(0), g_.sub(a(1), g_.number(1))))));
    if (live_[a(1).node()]) add(a(1), g_.mul(w, g_.mul(self, g_.function(Op::Log, a(0)))));
    break;
  case Op::Atan2: {
    const Expr r2 = g_.add(g_.mul(a(0), a(0)), g_.mul(a(1), a(1)));
    add(a(0), g_.mul(w, g_.div(a(1), r2)));
    add(a(1), g_.neg(g_.mul(w, g_.div(a(0), r2))));
    break;
  }
  case Op::Min:
  case Op::Max: {
    const Expr first = g_.compare(Op::Le, n.op == Op::Min ? a(0) : a(1), n.op == Op::Min ? a(1) : a(0));
    add(a(0), g_.select(first, w, g_.number(0)));
    add(a(1), g_.select(first, g_.number(0), w));
    break;
  }
  default:
    if (n.args.size() == 1 && n.shape.rank == 0 && a(0)->shape.rank == 0) {
      add(a(0), g_.mul(w, scalarDerivative(g_, n)));
    } else {
      propagateTensor(n, w);
    }
  }
}

/// Long because it has one case an operation.
void Sweep::propagateTensor(const Node& n, Expr w) {
  const Expr self(&n);
  const auto a = [&](std::size_t k) { return n.args[k]; };
  switch (n.op) {
  case Op::MatMul:
    if (live_[a(0).node()]) {
      add(a(0), a(1)->shape.rank == 1 ? g_.outer(w, a(1)) : g_.matmul(w, g_.transpose(a(1))));
    }
    add(a(1), g_.matmul(g_.transpose(a(0)), w));
    break;
  case Op::Transpose:
    add(a(0), g_.transpose(w));
    break;
  case Op::Inner:
    add(a(0), g_.mul(w, a(1)));
    add(a(1), g_.mul(w, a(0)));
    break;
  case Op::Cross:
    add(a(0), g_.cross(a(1), w));
    add(a(1), g_.cross(w, a(0)));
    break;
  case Op::Hat:
    add(a(0), g_.unhat(w));
    break;
  case Op::Unhat:
    add(a(0), g_.hat(w));
    break;
  case Op::Outer:
    add(a(0), g_.matmul(w, a(1)));
    add(a(1), g_.matmul(g_.transpose(w), a(0)));
    break;
  case Op::Trace:
    add(a(0), g_.mul(w, g_.identity(a(0)->shape.rows)));
    break;
  case Op::Det:
    add(a(0), g_.mul(g_.mul(w, self), g_.transpose(g_.inverse(a(0)))));
    break;
  case Op::Inverse: {
    const Expr t = g_.transpose(self);
    add(a(0), g_.neg(g_.matmul(g_.matmul(t, w), t)));
    break;
  }
  case Op::Exponential: // the transpose of a derivative is the derivative at the transpose
    add(a(0), exponentialDerivative(g_, g_.transpose(a(0)), w));
    break;
  case Op::Solve: {
    const Expr y = g_.solve(n.imm != 0 ? a(0) : g_.transpose(a(0)), w, static_cast<Definite>(n.imm));
    add(a(1), y);
    if (live_[a(0).node()]) {
      add(a(0), g_.neg(n.shape.rank == 1 ? g_.outer(y, self) : g_.matmul(y, g_.transpose(self))));
    }
    break;
  }
  case Op::Component:
    if (n.args.size() == 2) {
      add(a(0), g_.mul(w, g_.basis(a(0)->shape.rows, a(1))));
    } else {
      add(a(0), g_.mul(w, g_.outer(g_.basis(a(0)->shape.rows, a(1)), g_.basis(a(0)->shape.cols, a(2)))));
    }
    break;
  case Op::Vector:
  case Op::Matrix:
    for (std::size_t k = 0; k < n.args.size(); ++k) {
      const int row = static_cast<int>(k) / n.shape.cols;
      add(a(k), g_.entry(w, row, static_cast<int>(k) % n.shape.cols));
    }
    break;
  case Op::Diag:
    add(a(0), g_.diagOf(w));
    break;
  case Op::DiagOf:
    add(a(0), g_.diag(w));
    break;
  default:
    throw std::logic_error("no adjoint of this operation");
  }
}

std::size_t nodeCount(Expr e) {
  std::size_t n = 0;
  visitPostOrder({e}, [&](const Node&) { ++n; });
  return n;
}

} // namespace

std::vector<std::pair<Expr, Expr>> pullback(Graph& graph, Expr value, Expr seed,
                                            const std::function<bool(const Node&)>& wanted) {
  return Sweep(graph, wanted).run(value, seed);
}

/// The reverse pass over a program.
class Reverse {
public:
  Reverse(Program& program, const std::vector<const Array*>& inputs, std::string name)
      : p_(program), g_(program.graph()), name_(std::move(name)) {
    for (const Array* a : inputs) active_[a] = true;
    inputs_ = inputs;
  }

  Gradient run(const std::vector<SeededTerm>& terms) {
    std::vector<Expr> roots;
    for (const SeededTerm& t : terms) {
      roots.push_back(t.value);
      spread(t.value, t.seed, t.loops, t.guard);
    }
    const std::vector<std::size_t> order = p_.slice({}, roots);
    for (std::size_t k = order.size(); k > 0;) {
      const Array* a = p_.equations()[order[k - 1]].array;
      std::size_t first = k; // all writers of an array stand together in a slice
      while (first > 0 && p_.equations()[order[first - 1]].array == a) --first;
      if (active(a)) reverseArray(a, {order.begin() + std::ptrdiff_t(first), order.begin() + std::ptrdiff_t(k)});
      k = first;
    }
    for (const Array* a : inputs_) finalize(a, !solved_.empty());
    moveToSolutions();
    Gradient result;
    result.graph_ = &g_;
    for (const Array* a : inputs_) result.entries_[a] = {entries_[a].index, entries_[a].value};
    return result;
  }

private:
  struct Entry {
    std::vector<Expr> index;
    Expr value; ///< empty: zero
    const Array* array = nullptr;
  };

  bool active(const Array* a) {
    const auto it = active_.find(a);
    if (it != active_.end()) return it->second;
    active_[a] = false;
    bool result = false;
    for (const std::size_t k : p_.writers(a)) {
      for (const Array* r : p_.reads(k)) result = result || (r != a && active(r));
    }
    active_[a] = result;
    return result;
  }

  /// Records the contributions of <seed, value> over the loops.
  void spread(Expr value, Expr seed, const std::vector<Loop>& loops, Expr guard) {
    const auto wanted = [this](const Node& n) { return active(n.array); };
    for (const auto& [load, w] : pullback(g_, value, seed, wanted)) {
      contributions_[load->array].push_back({loops, guard, load->args, w});
    }
  }

  void reverseArray(const Array* a, const std::vector<std::size_t>& equations) {
    const auto implicit = [this](std::size_t k) {
      const EquationKind kind = p_.equations()[k].kind;
      return kind == EquationKind::LinearSolve || kind == EquationKind::Newton;
    };
    bool self = false;
    for (const std::size_t k : equations) self = self || p_.reads(k, a);
    finalize(a, self || implicit(equations.front()));
    if (!entries_[a].value) return;
    const auto isSelf = [a](const Node& n) { return n.array == a; };
    const auto isOther = [this, a](const Node& n) { return n.array != a && active(n.array); };
    for (auto it = equations.rbegin(); it != equations.rend(); ++it) {
      const Equation e = p_.equations()[*it];
      if (implicit(*it)) {
        reverseImplicit(e);
        continue;
      }
      std::vector<Loop> loops = e.loops;
      for (Loop& l : loops) l.descending = self != l.descending; // only a recursion has an order
      const Expr seed = at(entries_[a].index, entries_[a].value, e.index);
      if (self) appendRecursion(entries_[a].array, loops, e.guard, pullback(g_, e.value, seed, isSelf));
      for (const auto& [load, w] : pullback(g_, e.value, seed, isOther)) {
        contributions_[load->array].push_back({loops, e.guard, load->args, w});
      }
    }
  }

  void reverseImplicit(const Equation& e) {
    const Array* adjoint = entries_[e.array].array;
    std::vector<ArrayContribution> list;
    if (e.kind == EquationKind::LinearSolve) {
      list = adjointOfLinearSolve(p_, e, adjoint, name_);
    } else {
      list = {adjointOfNewton(p_, e, adjoint, name_)};
      solved_.push_back(e);
    }
    for (ArrayContribution& c : list) {
      if (active(c.first)) contributions_[c.first].push_back(std::move(c.second));
    }
  }

  /// Adjoints that came through a residual are functions of the iterate; their values are wanted at the solution. An
  /// iteration inside of another was met later and is replaced first.
  void moveToSolutions() {
    std::vector<const Array*> inputs, adjoints;
    for (const Array* a : inputs_) {
      if (!entries_[a].value || solved_.empty()) continue;
      inputs.push_back(a);
      adjoints.push_back(entries_[a].array);
    }
    for (auto e = solved_.rbegin(); e != solved_.rend(); ++e) adjoints = copiesAt(p_, *e, adjoints);
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      Entry& entry = entries_[inputs[k]];
      entry.array = adjoints[k];
      entry.value = g_.load(adjoints[k], entry.index);
    }
  }

  /// The adjoint of a recursion. When one iteration reads several earlier elements, all of them get their parts before
  /// the next iteration: one equation with an inner loop over the parts.
  void appendRecursion(const Array* adjoint, std::vector<Loop> loops, Expr guard,
                       const std::vector<std::pair<Expr, Expr>>& parts) {
    if (parts.empty()) return;
    std::vector<Expr> index = parts.back().first->args;
    Expr value = parts.back().second;
    if (parts.size() > 1) loops.push_back(fullLoop(g_, "k", static_cast<std::int64_t>(parts.size())));
    for (std::size_t k = parts.size() - 1; k > 0; --k) {
      const Expr mine = g_.compare(Op::Eq, loops.back().index, g_.integer(static_cast<std::int64_t>(k)));
      for (std::size_t d = 0; d < index.size(); ++d) index[d] = g_.select(mine, parts[k - 1].first->args[d], index[d]);
      value = g_.select(mine, parts[k - 1].second, value);
    }
    p_.append({EquationKind::Accumulate, adjoint, std::move(loops), guard, std::move(index), value, nullptr, nullptr});
  }

  Expr at(const std::vector<Expr>& from, Expr value, const std::vector<Expr>& to) {
    Substitution s(g_, [&](const Node& n, const std::vector<Expr>&) {
      for (std::size_t k = 0; k < from.size(); ++k) {
        if (from[k].node() == &n) return to[k];
      }
      return Expr();
    });
    return from.empty() ? value : s(value);
  }

  /// The loops run over every element exactly once, index by index: the contribution is a map.
  bool covers(const Contribution& c, const Array* a) const {
    if (c.guard || c.loops.size() != a->extents.size()) return false;
    for (std::size_t d = 0; d < c.index.size(); ++d) {
      const auto l = std::find_if(c.loops.begin(), c.loops.end(), [&](const Loop& x) { return x.index == c.index[d]; });
      if (l == c.loops.end() || !l->lo->isOne() || !l->hi->isConst() || l->hi->number.num() != a->extents[d])
        return false;
      for (std::size_t e = 0; e < d; ++e) {
        if (c.index[e] == c.index[d]) return false;
      }
    }
    return true;
  }

  /// Sums what has been contributed to the adjoint of `a`; afterwards entries_[a] tells its value at any index.
  void finalize(const Array* a, bool materialize) {
    Entry& entry = entries_[a];
    std::vector<Expr> index;
    for (std::size_t d = 0; d < a->extents.size(); ++d) index.push_back(g_.newIndex(fmt::format("i{}", d + 1)));
    entry.index = index;
    Expr whole = g_.zero(a->shape);
    std::vector<Contribution> scattered;
    for (const Contribution& c : contributions_[a]) {
      if (covers(c, a)) {
        whole = g_.add(whole, at(c.index, c.value, index));
      } else {
        scattered.push_back(c);
      }
    }
    if (whole->isZero() && scattered.empty()) return;
    if (scattered.empty() && !materialize && (a->extents.empty() || nodeCount(whole) <= 24)) {
      entry.value = whole;
      return;
    }
    Array* adjoint = g_.newArray(name_ + "/d" + a->name, a->extents, a->shape, Role::Temp);
    entry.array = adjoint;
    std::vector<Loop> loops;
    for (std::size_t d = 0; d < index.size(); ++d)
      loops.push_back({index[d], g_.integer(1), g_.integer(a->extents[d]), false});
    const bool separate = a->extents.empty() && !materialize; // the straight part of a single value stays an expression
    if (!separate && !whole->isZero()) {
      p_.append({EquationKind::Set, adjoint, loops, Expr(), index, whole, nullptr, nullptr});
    }
    for (const Contribution& c : scattered) {
      p_.append({EquationKind::Accumulate, adjoint, c.loops, c.guard, c.index, c.value, nullptr, nullptr});
    }
    // Canonical indices are loop indices of the Set equation; readers get fresh ones.
    std::vector<Expr> readIndex;
    for (std::size_t d = 0; d < index.size(); ++d) readIndex.push_back(g_.newIndex(g_.indexName(*index[d])));
    entry.index = readIndex;
    entry.value = g_.load(adjoint, readIndex);
    if (separate) entry.value = g_.add(entry.value, whole);
  }

  Program& p_;
  Graph& g_;
  std::string name_;
  std::vector<const Array*> inputs_;
  std::unordered_map<const Array*, bool> active_;
  std::unordered_map<const Array*, std::vector<Contribution>> contributions_;
  std::unordered_map<const Array*, Entry> entries_;
  std::vector<Equation> solved_; ///< iterations in the order in which they were met, from the end
};

Expr Gradient::of(const Array* input, const std::vector<Expr>& index) const {
  const Entry& e = entries_.at(input);
  if (!e.value) return graph_->zero(input->shape);
  if (index.empty()) return e.value;
  Substitution s(*graph_, [&](const Node& n, const std::vector<Expr>&) {
    for (std::size_t k = 0; k < e.index.size(); ++k) {
      if (e.index[k].node() == &n) return index[k];
    }
    return Expr();
  });
  return s(e.value);
}

Gradient gradient(Program& program, Expr root, const std::vector<const Array*>& inputs, const std::string& name) {
  return gradient(program, {{{}, Expr(), root, program.graph().number(1)}}, inputs, name);
}

Gradient gradient(Program& program, const std::vector<SeededTerm>& terms, const std::vector<const Array*>& inputs,
                  const std::string& name) {
  return Reverse(program, inputs, name).run(terms);
}

} // namespace lmc::sym
