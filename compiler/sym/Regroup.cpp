#include "sym/Regroup.h"

#include <algorithm>
#include <set>

namespace lmc::sym {

namespace {

constexpr int productsOfCross = 6;

bool isVectorSum(const Node& n) {
  return n.op == Op::Add && n.shape == Shape::vec(3);
}

bool contains(const std::vector<Expr>& all, const std::vector<Expr>& some) {
  return std::all_of(some.begin(), some.end(),
                     [&](Expr e) { return std::find(all.begin(), all.end(), e) != all.end(); });
}

Expr withoutScale(Expr e) {
  while (e->op == Op::Mul) e = e->args[1];
  return e;
}

} // namespace

Regrouping::Regrouping(const std::vector<Expr>& roots) {
  std::vector<const Node*> sums, all;
  visitPostOrder(roots, [&](const Node& n) {
    if (isVectorSum(n)) sums.push_back(&n);
    all.push_back(&n);
  });
  any_ = !sums.empty();
  if (!any_) return;
  findParts(sums);
  countUses(roots, all);
}

void Regrouping::findParts(const std::vector<const Node*>& sums) {
  std::unordered_map<const Node*, std::vector<const Node*>> byFirst;
  for (const Node* s : sums) byFirst[s->args[0].node()].push_back(s);
  for (const Node* s : sums) {
    std::size_t best = 1;
    for (const Expr& first : s->args) {
      const auto found = byFirst.find(first.node());
      if (found == byFirst.end()) continue;
      for (const Node* part : found->second) {
        if (part == s || part->args.size() <= best || part->args.size() >= s->args.size()) continue;
        if (!contains(s->args, part->args)) continue;
        best = part->args.size();
        part_[s] = part;
      }
    }
  }
}

/// What a node is computed from: of a sum with a part, the part and the other terms.
std::vector<Expr> Regrouping::operands(const Node& n) const {
  const auto found = isVectorSum(n) ? part_.find(&n) : part_.end();
  if (found == part_.end()) return n.args;
  std::vector<Expr> result{Expr(found->second)};
  const std::vector<Expr>& inside = found->second->args;
  for (const Expr& e : n.args)
    if (std::find(inside.begin(), inside.end(), e) == inside.end()) result.push_back(e);
  return result;
}

/// Calls `visit` for each operand; most nodes have no part, and nothing is copied.
template <typename Visit> void Regrouping::visitOperands(const Node& n, Visit visit) const {
  if (isVectorSum(n) && part_.contains(&n))
    for (const Expr& a : operands(n)) visit(a);
  else
    for (const Expr& a : n.args) visit(a);
}

void Regrouping::countUses(const std::vector<Expr>& roots, const std::vector<const Node*>& all) {
  for (const Node* n : all) numbers_.add(*n);
  uses_.assign(all.size(), 0);
  made_.assign(all.size(), {});
  const auto use = [&](Expr e) { ++uses_[numbers_[*e]]; };
  for (const Expr& r : roots)
    if (r) use(r);
  for (const Node* n : all) {
    visitOperands(*n, use);
    // What no sum is in stays what it is.
    const auto same = [&](Expr a) { return known(a) == a; };
    if (!isVectorSum(*n) && std::all_of(n->args.begin(), n->args.end(), same)) made_[numbers_[*n]] = Expr(n);
  }
}

int Regrouping::uses(const Node* n) const {
  const std::uint32_t k = numbers_[*n];
  return k < uses_.size() ? uses_[k] : 1;
}

Regrouping::Term Regrouping::peel(Expr e, Expr x) const {
  Graph& g = *e->graph;
  Term t{g.number(1), e, 0, {}};
  for (;;) {
    Expr inner = t.vector;
    Expr scale = t.scale;
    for (; inner->op == Op::Mul; inner = inner->args[1]) scale = g.mul(scale, inner->args[0]);
    if (inner->op != Op::Cross || (inner->args[0] != x && inner->args[1] != x)) break;
    const bool left = inner->args[0] == x;
    t.scale = left ? scale : g.neg(scale);
    t.vector = inner->args[left ? 1 : 0];
    t.products.push_back(inner.node());
    ++t.degree;
  }
  return t;
}

int Regrouping::gain(const std::vector<Expr>& terms, Expr x, std::vector<bool>& grouped) const {
  std::set<std::pair<const Node*, const Node*>> uses; // (user, product) within the group
  std::set<const Node*> products;
  std::set<const Node*> elsewhere;
  int degree = 0;
  grouped.assign(terms.size(), false);
  for (std::size_t k = 0; k < terms.size(); ++k) {
    const Term t = peel(terms[k], x);
    if (t.degree == 0) continue;
    grouped[k] = true;
    degree = std::max(degree, t.degree);
    // From the term down: factors, then the products; a factor with another user brings the product along.
    const Node* user = nullptr;
    bool shared = false;
    Expr e = terms[k];
    for (const Node* product : t.products) {
      for (; e->op == Op::Mul; e = e->args[1]) {
        shared = shared || this->uses(e.node()) > 1;
        user = e.node();
      }
      uses.emplace(user, product);
      products.insert(product);
      if (shared) elsewhere.insert(product);
      user = product;
      e = product->args[product->args[0] == x ? 1 : 0];
    }
  }
  for (const Node* p : products) {
    const auto own = std::count_if(uses.begin(), uses.end(), [&](const auto& u) { return u.second == p; });
    if (this->uses(p) > own) elsewhere.insert(p);
  }
  return productsOfCross * (static_cast<int>(products.size()) - degree - static_cast<int>(elsewhere.size()));
}

/// Σ scale_k X^degree_k v_k with X = x ×.
Expr Regrouping::horner(const std::vector<Term>& terms, Expr x) {
  Graph& g = *x->graph;
  int degree = 0;
  for (const Term& t : terms) degree = std::max(degree, t.degree);
  Expr sum = g.zero(Shape::vec(3));
  for (; degree > 0; --degree) {
    for (const Term& t : terms)
      if (t.degree == degree) sum = g.add(sum, g.mul(known(t.scale), known(t.vector)));
    sum = g.cross(known(x), sum);
  }
  return sum;
}

Expr Regrouping::sum(const std::vector<Expr>& terms, const Shape& shape) {
  std::vector<Expr> rest = terms;
  Graph& g = *terms[0]->graph;
  Expr result = g.zero(shape);
  while (true) {
    int best = 0;
    Expr factor;
    std::vector<bool> grouped;
    std::set<const Node*> tried;
    for (const Expr& t : rest) {
      const Expr product = withoutScale(t);
      if (product->op != Op::Cross) continue;
      for (const Expr& x : product->args) {
        if (!tried.insert(x.node()).second) continue;
        std::vector<bool> members;
        if (const int won = gain(rest, x, members); won > best) {
          best = won;
          factor = x;
          grouped = members;
        }
      }
    }
    if (best == 0) break;
    std::vector<Term> group;
    std::vector<Expr> others;
    for (std::size_t k = 0; k < rest.size(); ++k) {
      if (!grouped[k]) {
        others.push_back(rest[k]);
        continue;
      }
      group.push_back(peel(rest[k], factor));
      for (const Expr& part : {group.back().scale, group.back().vector})
        if (!known(part)) (*this)(part);
    }
    result = g.add(result, horner(group, factor));
    rest = std::move(others);
  }
  for (const Expr& t : rest) result = g.add(result, known(t));
  return result;
}

Expr Regrouping::rebuilt(const Node& n) {
  if (isVectorSum(n)) return sum(operands(n), n.shape);
  std::vector<Expr> args;
  args.reserve(n.args.size());
  for (const Expr& a : n.args) args.push_back(known(a));
  return args == n.args ? Expr(&n) : n.graph->rebuild(n, args);
}

Expr Regrouping::operator()(Expr root) {
  if (!any_) return root;
  std::vector<const Node*> stack{root.node()};
  while (!stack.empty()) {
    const Node* n = stack.back();
    if (known(Expr(n))) {
      stack.pop_back();
      continue;
    }
    const std::size_t own = stack.size();
    visitOperands(*n, [&](Expr a) {
      if (!known(a)) stack.push_back(a.node());
    });
    if (stack.size() > own) continue;
    stack.pop_back();
    const Expr made = rebuilt(*n); // may come back to here
    numbers_.add(*n);              // of the sums on the way
    made_.resize(numbers_.size());
    made_[numbers_[*n]] = made;
  }
  return known(root);
}

} // namespace lmc::sym
