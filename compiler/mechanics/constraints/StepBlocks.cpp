#include "mechanics/constraints/StepBlocks.h"

#include <algorithm>

namespace lmc::mechanics {

using sym::Expr;

namespace {

/// Nodes of one size that stand one behind the other: the members of a factor, or of a constraint.
struct StepNodes {
  std::int64_t first = 0; ///< before its first number, among velocities or rows
  std::int64_t count = 0;
  int size = 0;
  bool velocities = false; ///< of a constraint on velocities
  [[nodiscard]] std::int64_t end() const { return first + count * size; }
};

class ComposingSteps {
public:
  using Unknown = StepBlocks::Unknown;

  ComposingSteps(sym::Program& program, const System& system, const std::vector<Unknown>& unknowns,
                 const sym::Array* values)
      : p_(program), g_(program.graph()), blocks_(*system.constraints->blocks), values_(values), pattern_(program),
        unknowns_(unknowns) {
    const sema::Model& m = *system.model;
    const ConstraintEquations& c = *system.constraints;
    for (std::size_t j = 0; j < m.factors.size(); ++j)
      columns_.push_back({c.firstColumn[j], std::max<std::int64_t>(m.factors[j].extent, 1),
                          m.factors[j].manifold->algebraSize(), false});
    for (std::size_t k = 0; k < m.constraints.size(); ++k) {
      const sema::Constraint& own = m.constraints[k];
      rows_.push_back({c.firstRow[k], own.array->count(), own.array->shape.size(), own.velocities});
    }
    std::sort(rows_.begin(), rows_.end(), [](const StepNodes& a, const StepNodes& b) { return a.first < b.first; });
    for (const Unknown u : unknowns) {
      first_.push_back(nodes_);
      if (u == Unknown::Number) nodes_ = pattern_.addNodes(1, 1, false) + 1;
      for (const StepNodes& n : nodesOf(u)) nodes_ = pattern_.addNodes(n.count, n.size, isRows(u)) + n.count;
    }
    for (std::size_t k = 0; k < unknowns.size(); ++k)
      if (unknowns[k] == Unknown::Number) ones({}, g_.integer(first_[k]), g_.integer(first_[k]), 1, g_.number(1));
  }

  void add(const StepBlocks::Term& t) {
    using What = StepBlocks::What;
    switch (t.what) {
    case What::Identity:
      return identity(t);
    case What::Mass:
      return families(t, blocks_.mass, 1);
    case What::Transposed: // the blocks are those of -B^T
      return families(t, blocks_.transposed, -1);
    case What::Rows:
      return families(t, blocks_.jacobian, 1);
    case What::Off:
      return families(t, blocks_.diagonal, 1);
    }
  }

  std::shared_ptr<const sym::SparseJacobian> finish() {
    const auto matrix = pattern_.finish();
    if (matrix == nullptr) return nullptr;
    matrix->values = g_.newArray("near", {pattern_.numbers()}, sym::Shape::scalar(), sym::Role::Temp);
    for (const auto& fill : fills_) fill(matrix->values);
    return matrix;
  }

private:
  [[nodiscard]] static bool isRows(Unknown u) { return u == Unknown::Multipliers; }
  [[nodiscard]] const std::vector<StepNodes>& nodesOf(Unknown u) const {
    static const std::vector<StepNodes> none;
    return u == Unknown::Number ? none : isRows(u) ? rows_ : columns_;
  }

  /// The node of an unknown in which a number stands, that is given as its place among velocities or rows, from 1.
  Expr node(std::size_t of, Expr place) {
    const std::vector<StepNodes>& all = nodesOf(unknowns_[of]);
    std::int64_t first = first_[of];
    std::vector<Expr> list;
    for (const StepNodes& n : all) {
      const Expr own = g_.sub(place, g_.integer(n.first + 1));
      list.push_back(g_.add(g_.integer(first), n.size == 1 ? own : g_.idiv(own, g_.integer(n.size))));
      first += n.count;
    }
    Expr at = list.back();
    for (std::size_t k = list.size() - 1; k > 0; --k)
      at = g_.select(g_.compare(sym::Op::Le, place, g_.integer(all[k - 1].end())), list[k - 1], at);
    return at;
  }

  void number(const sym::Array* array, const std::vector<sym::Loop>& loops, Expr position, int k, Expr value) {
    sym::Equation e;
    e.array = array;
    e.loops = loops;
    e.index = {g_.add(position, g_.integer(k))};
    e.value = value;
    p_.append(std::move(e));
  }

  void families(const StepBlocks::Term& t, const std::vector<ConstraintBlocks::Family>& list, int sign) {
    for (const ConstraintBlocks::Family& f : list) {
      const Expr factor = f.velocities ? t.velocities : t.positions;
      if (factor->isZero()) continue;
      const std::size_t id =
          pattern_.addBlocks(f.loops, node(t.equation, f.row), node(t.unknown, f.column), f.rows, f.columns);
      const Expr to = pattern_.position(id, 0, 0), signedFactor = sign < 0 ? g_.neg(factor) : factor;
      fills_.push_back([this, f, to, signedFactor](const sym::Array* near) {
        for (int k = 0; k < f.rows * f.columns; ++k)
          number(near, f.loops, to, k, g_.mul(signedFactor, g_.load(values_, {g_.add(f.position, g_.integer(k))})));
      });
    }
  }

  void identity(const StepBlocks::Term& t) {
    std::int64_t among = 0;
    for (const StepNodes& n : nodesOf(unknowns_[t.unknown])) {
      const std::int64_t before = std::exchange(among, among + n.count);
      const Expr factor = n.velocities ? t.velocities : t.positions;
      if (factor->isZero()) continue;
      const sym::Loop k = sym::fullLoop(g_, "k", n.count);
      const auto at = [&](std::size_t of) { return g_.add(g_.integer(first_[of] + before - 1), k.index); };
      ones({k}, at(t.equation), at(t.unknown), n.size, factor);
    }
  }

  /// Blocks with one factor on their diagonals.
  void ones(const std::vector<sym::Loop>& loops, Expr row, Expr column, int size, Expr factor) {
    const std::size_t id = pattern_.addBlocks(loops, row, column, size, size);
    const Expr to = pattern_.position(id, 0, 0);
    fills_.push_back([this, loops, to, size, factor](const sym::Array* near) {
      for (int k = 0; k < size * size; ++k) number(near, loops, to, k, k % (size + 1) == 0 ? factor : g_.number(0));
    });
  }

  sym::Program& p_;
  sym::Graph& g_;
  const ConstraintBlocks& blocks_;
  const sym::Array* values_;
  BlockPattern pattern_;
  std::vector<StepNodes> columns_, rows_;
  std::int64_t nodes_ = 0;
  std::vector<std::int64_t> first_; ///< of each unknown: its first node
  const std::vector<Unknown>& unknowns_;
  std::vector<std::function<void(const sym::Array*)>> fills_;
};

} // namespace

std::shared_ptr<const sym::SparseJacobian> StepBlocks::matrix(sym::Program& program, const System& system,
                                                              const std::vector<Unknown>& unknowns,
                                                              const std::vector<Term>& terms,
                                                              const sym::Array* values) {
  ComposingSteps composing(program, system, unknowns, values);
  for (const Term& t : terms) composing.add(t);
  return composing.finish();
}

} // namespace lmc::mechanics
