#include "sym/Inline.h"

namespace lmc::sym {

namespace {
class Copier {
public:
  /// Copies equations of `source`, which may be p itself, to the end of p.
  Copier(Program& p, const Program& source, const Replacement& r, std::string suffix)
      : p_(p), source_(source), r_(r), suffix_(std::move(suffix)),
        rewrite_(
            p.graph(), [this](Rewriter&, const Node& n, const std::vector<Expr>& args) { return leaf(n, args); },
            r.knowledge) {
    for (const auto& [from, to] : r.arrays) map_[from] = to;
  }

  std::vector<const Array*> run(const std::vector<const Array*>& roots) {
    const std::vector<std::size_t> slice = source_.slice(roots);
    renewUnknowns(slice);
    for (const std::size_t k : slice) {
      const Array* a = source_.equations()[k].array;
      if (!depends(a) || map_.contains(a)) continue;
      map_[a] = p_.graph().newArray(a->name + suffix_, a->extents, a->shape, a->role, a->type);
      fresh_.push_back(a);
    }
    for (const Array* a : fresh_) {
      const std::vector<std::size_t> writers = source_.writers(a);
      for (const std::size_t k : writers) copy(source_.equations()[k], writers.size() == 1);
    }
    std::vector<const Array*> result;
    result.reserve(roots.size());
    for (const Array* a : roots) result.push_back(mapped(a));
    return result;
  }

private:
  const Array* mapped(const Array* a) const {
    const auto it = map_.find(a);
    return it == map_.end() ? a : it->second;
  }

  /// An iteration that is copied has an iterate of its own, so that everything depends on it that did before.
  void renewUnknowns(const std::vector<std::size_t>& slice) {
    for (const std::size_t k : slice) {
      const Equation& e = source_.equations()[k];
      if (e.kind == EquationKind::Newton && r_.arrays.contains(e.newton->iterate[0])) solved_.insert(e.array);
    }
    for (const std::size_t k : slice) {
      const Equation& e = source_.equations()[k];
      const auto renew = [&](const Array* a) {
        map_[a] = p_.graph().newArray(a->name + suffix_, a->extents, a->shape, a->role, a->type);
      };
      if (e.kind == EquationKind::Series && depends(e.array)) {
        renew(e.series->order);
        renew(e.series->point);
        for (const SeriesRecursion::Products& products : e.series->products) renew(products.sums);
        depends_.clear();
      }
      if (e.kind != EquationKind::Newton || !depends(e.array)) continue;
      for (const auto* list : {&e.newton->iterate, &e.newton->direction})
        for (const Array* a : *list) renew(a);
      for (const JacobianColumns& c : e.newton->columns) renew(c.direction);
      depends_.clear();
    }
  }

  bool depends(const Array* a) {
    if (map_.contains(a) || r_.scalars.contains(a)) return true;
    if (solved_.contains(a)) return false;
    if (&source_ != &p_) return !source_.writers(a).empty(); // nothing of another program is shared
    const auto it = depends_.find(a);
    if (it != depends_.end()) return it->second;
    depends_[a] = false;
    bool result = false;
    for (const std::size_t k : source_.writers(a)) {
      for (const Array* b : source_.reads(k)) result = result || (b != a && depends(b));
    }
    depends_[a] = result;
    return result;
  }

  Expr leaf(const Node& n, const std::vector<Expr>& args) {
    if (const auto c = constants_.find(n.array); c != constants_.end()) return c->second;
    if (const auto s = r_.scalars.find(n.array); s != r_.scalars.end()) return s->second;
    const Array* to = mapped(n.array);
    return to == n.array ? Expr() : p_.graph().load(to, args);
  }

  void copy(Equation e, bool only) {
    const Array* from = e.array;
    e.array = mapped(from);
    if (e.value) e.value = rewrite_(e.value);
    if (e.guard) e.guard = rewrite_(e.guard);
    if (e.positive) e.positive = rewrite_(e.positive);
    for (Expr& i : e.index) i = rewrite_(i);
    if (e.matrix != nullptr) e.matrix = mapped(e.matrix);
    if (e.rhs != nullptr) e.rhs = mapped(e.rhs);
    if (e.newton) e.newton = copy(*e.newton);
    if (e.series) e.series = copy(*e.series);
    if (only && e.kind == EquationKind::Set && (e.value->isZero() || e.value->isConst())) constants_[from] = e.value;
    p_.append(std::move(e));
  }

  std::shared_ptr<const SeriesRecursion> copy(SeriesRecursion s) {
    for (const Array** a : {&s.order, &s.point, &s.start, &s.next}) *a = mapped(*a);
    for (SeriesRecursion::Products& products : s.products) {
      products.sums = mapped(products.sums);
      products.operands = mapped(products.operands);
    }
    return std::make_shared<const SeriesRecursion>(s);
  }

  std::shared_ptr<const NewtonIteration> copy(NewtonIteration n) {
    for (auto* list : {&n.iterate, &n.direction}) {
      for (const Array*& a : *list) a = mapped(a);
    }
    for (const Array** a : {&n.start, &n.residual, &n.jacobian, &n.product, &n.change}) {
      if (*a != nullptr) *a = mapped(*a);
    }
    for (JacobianColumns& c : n.columns) c = {mapped(c.direction), mapped(c.product), c.first};
    for (const Array*& a : n.factors) a = mapped(a);
    if (n.sparse) {
      SparseJacobian sparse = *n.sparse;
      for (const Array** a : {&sparse.nodes, &sparse.blocks, &sparse.values}) *a = mapped(*a);
      n.sparse = std::make_shared<const SparseJacobian>(sparse);
    }
    if (n.tolerance) n.tolerance = rewrite_(n.tolerance);
    return std::make_shared<const NewtonIteration>(std::move(n));
  }

  Program& p_;
  const Program& source_;
  const Replacement& r_;
  std::string suffix_;
  Rewriter rewrite_;
  std::unordered_map<const Array*, Expr> constants_; ///< copies that turned out to be one number everywhere
  std::unordered_map<const Array*, const Array*> map_;
  std::unordered_map<const Array*, bool> depends_;
  std::vector<const Array*> fresh_;
  std::unordered_set<const Array*> solved_; ///< by iterations whose own iterate is replaced: what they find stays
};
} // namespace

std::vector<const Array*> inlineCopy(Program& program, const std::vector<const Array*>& roots,
                                     const Replacement& replacement, const std::string& suffix) {
  return Copier(program, program, replacement, suffix).run(roots);
}

std::vector<const Array*> importCopy(Program& program, const Program& source, const std::vector<const Array*>& roots,
                                     const Replacement& replacement, const std::string& suffix) {
  return Copier(program, source, replacement, suffix).run(roots);
}

} // namespace lmc::sym
