#include "sym/Rewrite.h"

#include "base/Budget.h"

namespace lmc::sym {

// Arguments before their users. What is known already is not entered: the values of a program share most of their
// nodes.
Expr Rewriter::operator()(Expr root) {
  if (const Expr* const known = memo_.find(root.node())) return *known;
  struct Frame {
    const Node* node;
    std::size_t first; ///< of the values of its arguments
  };
  std::vector<Frame> open{{root.node(), 0}};
  std::vector<Expr> values; // of the arguments so far of all that are open, the innermost last
  while (!open.empty()) {
    const auto [node, first] = open.back();
    spendWork();
    const Node* unknown = nullptr;
    while (unknown == nullptr && values.size() - first < node->args.size()) {
      const Node* const a = node->args[values.size() - first].node();
      if (const Expr* const value = memo_.find(a))
        values.push_back(*value);
      else
        unknown = a;
    }
    if (unknown != nullptr) {
      open.push_back({unknown, values.size()});
      continue;
    }
    if (!memo_.contains(node)) {
      const std::vector<Expr> args(values.begin() + static_cast<std::ptrdiff_t>(first), values.end());
      Expr r;
      if (node->op == Op::Load) r = leaf_(*this, *node, args);
      if (!r) r = args == node->args ? Expr(node) : g_.rebuild(*node, args);
      const Expr improved = improve(r); // may come back to here, and to this node
      memo_[node] = improved;
    }
    values.resize(first);
    open.pop_back();
  }
  return *memo_.find(root.node());
}

void Rewriter::learn(Expr load) {
  if (!knowledge_ || !learned_.emplace(load.node(), true).second) return;
  for (const auto& [left, right] : knowledge_(load->array, load->args)) {
    if (left->op != Op::Load && !left->isConst()) known_[left.node()] = right;
  }
}

Expr Rewriter::known(Expr e) const {
  const auto it = known_.find(e.node());
  return it == known_.end() ? e : it->second;
}

Expr Rewriter::innerNumber(Expr a, Expr b) {
  const Expr e = known(g_.inner(a, b));
  return e->isConst() ? e : Expr();
}

Expr Rewriter::improve(Expr e) {
  if (e->op == Op::Load) learn(e);
  e = known(e);
  if (e->op == Op::MatMul && e->args[1]->op == Op::MatMul && e->args[1]->shape.rank == 1) { // A (B v), A B known
    const Expr product = g_.matmul(e->args[0], e->args[1]->args[0]);
    if (known(product) != product) return improve(g_.matmul(known(product), e->args[1]->args[1]));
  }
  if (e->op == Op::Cross) return crossRule(e);
  if (e->op == Op::Inner) return innerRule(e);
  if (e->op == Op::Add && e->shape == Shape::vec(3)) return sumRule(e);
  if (e->op == Op::Mul && (e->args[1]->op == Op::Cross || e->args[1]->op == Op::Inner)) {
    return g_.mul(e->args[0], improve(e->args[1]));
  }
  return e;
}

/// c (a x b) + d (b x a) = (c - d) (a x b)
Expr Rewriter::sumRule(Expr e) {
  const auto split = [&](Expr t) {
    const bool scaled = t->op == Op::Mul && t->args[1]->op == Op::Cross;
    return std::pair{scaled ? t->args[0] : g_.number(1), scaled ? t->args[1] : t};
  };
  std::vector<Expr> terms = e->args;
  bool changed = false;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const auto [c, first] = split(terms[i]);
    if (first->op != Op::Cross) continue;
    for (std::size_t j = i + 1; j < terms.size(); ++j) {
      const auto [d, second] = split(terms[j]);
      if (second->op != Op::Cross || first->args[0] != second->args[1] || first->args[1] != second->args[0]) continue;
      terms[i] = g_.mul(g_.sub(c, d), first);
      terms[j] = g_.zero(e->shape);
      changed = true;
      break;
    }
  }
  return changed ? g_.sum(terms, e->shape) : e;
}

/// a x (b x c) = b (a.c) - c (a.b), where that is simpler.
Expr Rewriter::doubleCross(Expr a, Expr b, Expr c) {
  const Expr ac = innerNumber(a, c);
  const Expr ab = innerNumber(a, b);
  const bool simpler = (ac && ab) || (ac && ac->isZero()) || (ab && ab->isZero());
  if (!simpler) return {};
  return g_.sub(g_.mul(ac ? ac : g_.inner(a, c), b), g_.mul(ab ? ab : g_.inner(a, b), c));
}

Expr Rewriter::crossRule(Expr e) {
  const Expr a = e->args[0];
  const Expr b = e->args[1];
  if (b->op == Op::Cross) {
    if (const Expr r = doubleCross(a, b->args[0], b->args[1])) return r;
  }
  if (a->op == Op::Cross) {
    if (const Expr r = doubleCross(b, a->args[0], a->args[1])) return g_.neg(r);
  }
  for (const bool second : {true, false}) { // a x (b + c), where a term vanishes
    const Expr sum = second ? b : a;
    const Expr other = second ? a : b;
    if (sum->op != Op::Add || sum->args.size() > 8) continue;
    Expr total = g_.zero(Shape::vec(3));
    bool vanished = false;
    for (const Expr& t : sum->args) {
      const Expr term = improve(second ? g_.cross(other, t) : g_.cross(t, other));
      vanished = vanished || term->isZero();
      total = g_.add(total, term);
    }
    if (vanished) return total;
  }
  return e;
}

/// (a x b).(c x d) = (a.c)(b.d) - (a.d)(b.c), where a product is known to vanish.
Expr Rewriter::innerRule(Expr e) {
  const Expr x = e->args[0];
  const Expr y = e->args[1];
  if (x->op != Op::Cross || y->op != Op::Cross) return e;
  const Expr ad = innerNumber(x->args[0], y->args[1]);
  const Expr bc = innerNumber(x->args[1], y->args[0]);
  if (!(ad && ad->isZero()) && !(bc && bc->isZero())) return e;
  return g_.mul(known(g_.inner(x->args[0], y->args[0])), known(g_.inner(x->args[1], y->args[1])));
}

Expr Unfolding::operator()(const Array* a, const std::vector<Expr>& index, const std::function<Expr(Expr)>& rewrite) {
  if (a->role != Role::Temp || p_.writers(a).size() != 1) return {};
  const Equation e = p_.equations()[p_.writers(a)[0]];
  if (e.kind != EquationKind::Set || e.guard || e.loops.size() != e.index.size() || p_.reads(p_.writers(a)[0], a))
    return {};
  for (std::size_t k = 0; k < e.loops.size(); ++k) {
    const Loop& l = e.loops[k];
    if (e.index[k] != l.index || !l.lo->isOne() || !l.hi->isConst() || l.hi->number.num() != a->extents[k]) return {};
  }
  Substitution at(p_.graph(), [&](const Node& n, const std::vector<Expr>&) {
    for (std::size_t k = 0; k < e.loops.size(); ++k) {
      if (e.loops[k].index.node() == &n) return index[k];
    }
    return Expr();
  });
  const Expr value = rewrite(at(e.value));
  std::size_t nodes = 0;
  visitPostOrder({value}, [&](const Node&) { ++nodes; });
  return nodes <= limit_ ? value : Expr();
}

} // namespace lmc::sym
