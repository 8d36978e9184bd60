#include "mechanics/constraints/Sparse.h"

#include "mechanics/constraints/Flat.h"
#include "mechanics/constraints/Rows.h"
#include "mechanics/system/Equations.h"
#include "sema/manifolds/Generator.h"

namespace lmc::mechanics {

using sym::Expr;

namespace {

class Collecting : private Rows {
public:
  Collecting(const System& system, Layer& layer, const ConstraintEquations& c, const std::vector<ConstraintRow>& rows,
             std::string& why)
      : Rows(layer.program()), s_(system), layer_(layer), m_(layer.model), c_(c), rows_(rows), why_(why), pattern_(p_) {
  }

  std::shared_ptr<const ConstraintBlocks> run() {
    for (const MassGroup& group : s_.groups) {
      if (group.dense == nullptr) continue;
      why_ = "masses couple members of a family";
      return nullptr;
    }
    for (std::size_t j = 0; j < m_.factors.size(); ++j)
      firstNode_.push_back(pattern_.addNodes(members(j), dimension(j), false));
    diagonal_ = std::any_of(m_.constraints.begin(), m_.constraints.end(),
                            [&](const sema::Constraint& c) { return c.active != nullptr; }) ||
                c_.positions < c_.rows;
    std::vector<std::size_t> order(m_.constraints.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return c_.firstRow[a] < c_.firstRow[b]; });
    rowNode_.resize(order.size());
    for (const std::size_t k : order)
      rowNode_[k] = pattern_.addNodes(m_.constraints[k].array->count(), m_.constraints[k].array->shape.size(), true);
    masses();
    for (const std::size_t k : order)
      if (!blocksOf(k)) return nullptr;
    const auto matrix = pattern_.finish();
    if (matrix == nullptr) {
      why_ = "an index is not known before the run";
      return nullptr;
    }
    matrix->values = vector("blocks", pattern_.numbers());
    for (const auto& fill : fills_) fill(matrix->values);
    blocks_.fill = pattern_.fill();
    blocks_.matrix = matrix;
    return std::make_shared<const ConstraintBlocks>(std::move(blocks_));
  }

private:
  [[nodiscard]] int dimension(std::size_t j) const { return m_.factors[j].manifold->algebraSize(); }
  [[nodiscard]] std::int64_t members(std::size_t j) const { return std::max<std::int64_t>(m_.factors[j].extent, 1); }

  Expr nodeOf(std::size_t j, Expr member) {
    return member ? g_.add(g_.integer(firstNode_[j] - 1), member) : g_.integer(firstNode_[j]);
  }

  Expr ordinal(std::size_t k) {
    const sym::Array& a = *m_.constraints[k].array;
    Expr n = g_.integer(0);
    for (std::size_t d = 0; d < a.extents.size(); ++d)
      n = g_.add(g_.mul(g_.integer(a.extents[d]), n), g_.sub(rows_[k].index[d], g_.integer(1)));
    return n;
  }

  /// A family of blocks whose numbers are `entries`, by rows.
  ConstraintBlocks::Family family(const std::vector<sym::Loop>& loops, Expr rowNode, Expr columnNode, Expr row,
                                  Expr column, int rows, int columns, std::vector<Expr> entries) {
    const std::size_t id = pattern_.addBlocks(loops, rowNode, columnNode, rows, columns);
    ConstraintBlocks::Family f{loops, row, column, rows, columns, pattern_.position(id, 0, 0), false};
    fills_.push_back([this, f, entries = std::move(entries)](const sym::Array* values) {
      for (std::size_t k = 0; k < entries.size(); ++k)
        set(values, f.loops, {g_.add(f.position, g_.integer(static_cast<std::int64_t>(k)))}, entries[k]);
    });
    return f;
  }

  void masses() {
    for (const MassGroup& group : s_.groups) {
      const std::int64_t extent = m_.factors[group.factors[0]].extent;
      const std::vector<sym::Loop> own = memberLoop(g_, extent, group.index);
      const Expr member = group.index.empty() ? Expr() : group.index[0];
      int before = 0;
      for (const std::size_t j : group.factors) {
        int left = 0;
        for (const std::size_t l : group.factors) {
          std::vector<Expr> entries;
          bool any = false;
          for (int a = 0; a < dimension(j); ++a)
            for (int b = 0; b < dimension(l); ++b) {
              Expr e = group.matrix;
              if (group.structure == MassStructure::Scalar)
                e = before + a == left + b ? group.matrix : g_.number(0);
              else if (group.matrix->shape.rank == 2)
                e = g_.entry(group.matrix, before + a, left + b);
              any = any || !e->isZero();
              entries.push_back(e);
            }
          if (any)
            blocks_.mass.push_back(family(
                own, nodeOf(j, member), nodeOf(l, member), column(c_.firstColumn[j], dimension(j), member, 0),
                column(c_.firstColumn[l], dimension(l), member, 0), dimension(j), dimension(l), std::move(entries)));
          left += dimension(l);
        }
        before += dimension(j);
      }
    }
  }

  struct Slot {
    std::size_t factor;
    Expr member; ///< as it occurs; empty for a single one
  };

  [[nodiscard]] std::vector<Slot> slotsOf(Expr flat) const {
    std::vector<Slot> slots;
    sym::visitPostOrder({flat}, [&](const sym::Node& n) {
      if (n.op != sym::Op::Load) return;
      for (std::size_t j = 0; j < m_.factors.size(); ++j) {
        const sema::ArrayTuple& own = m_.factors[j].velocity;
        if (std::find(own.begin(), own.end(), n.array) == own.end()) continue;
        const Expr member = n.args.empty() ? Expr() : n.args[0];
        const bool known =
            std::any_of(slots.begin(), slots.end(), [&](const Slot& s) { return s.factor == j && s.member == member; });
        if (!known) slots.push_back({j, member});
      }
    });
    return slots;
  }

  /// An index that exists, also where the value at it is not used.
  Expr inside(std::int64_t extent, Expr index, const std::vector<sym::Loop>& loops) {
    const auto range = sym::bounds(index, loops);
    if (range && range->lo >= 1 && range->hi <= extent) return index;
    return g_.function(sym::Op::Max, g_.integer(1), g_.function(sym::Op::Min, g_.integer(extent), index));
  }
  Expr insideFamily(std::size_t j, Expr member, const std::vector<sym::Loop>& loops) {
    return member ? inside(m_.factors[j].extent, member, loops) : member;
  }
  /// The same in all that an expression reads: of a member before the first one, in a branch that is not taken.
  Expr readingInside(Expr e, const std::vector<sym::Loop>& loops) {
    sym::Substitution substitution(g_, [&](const sym::Node& n, const std::vector<Expr>& index) -> Expr {
      if (n.op != sym::Op::Load || index.empty()) return {};
      std::vector<Expr> own;
      for (std::size_t d = 0; d < index.size(); ++d) own.push_back(inside(n.array->extents[d], index[d], loops));
      return own == index ? Expr() : g_.load(n.array, own);
    });
    return substitution(e);
  }

  bool blocksOf(std::size_t k) {
    const ConstraintRow& row = rows_[k];
    std::unordered_set<const sym::Array*> leaves;
    for (const sema::Factor& f : m_.factors) {
      leaves.insert(f.point.begin(), f.point.end());
      leaves.insert(f.velocity.begin(), f.velocity.end());
    }
    const auto flat = Flat(p_, leaves)(row.rate);
    if (!flat) {
      why_ = "`" + m_.constraints[k].name + "` is not an equation of few members";
      return false;
    }
    const int entries = m_.constraints[k].array->shape.size();
    const Expr rowNode = g_.add(g_.integer(rowNode_[k]), ordinal(k));
    const Expr rowAt = g_.add(g_.integer(c_.firstRow[k] + 1), g_.mul(g_.integer(entries), ordinal(k)));
    for (const Slot& slot : slotsOf(*flat)) {
      const int width = dimension(slot.factor);
      std::vector<std::vector<Expr>> slopes; // by columns
      for (int c = 0; c < width; ++c) {
        slopes.push_back(sema::entries(g_, {readingInside(layer_.simplify(slope(*flat, slot, c)), row.loops)}));
        for (const Expr& e : slopes.back())
          if (readsVelocities(e)) return false; // it is refused elsewhere
      }
      std::vector<Expr> forwards, backwards;
      for (int r = 0; r < entries; ++r)
        for (int c = 0; c < width; ++c) forwards.push_back(slopes[c][r]);
      for (int c = 0; c < width; ++c)
        for (int r = 0; r < entries; ++r) backwards.push_back(g_.neg(slopes[c][r]));
      const Expr member = insideFamily(slot.factor, slot.member, row.loops);
      const Expr node = nodeOf(slot.factor, member);
      const Expr columnAt = column(c_.firstColumn[slot.factor], width, member, 0);
      const auto put = [&](std::vector<ConstraintBlocks::Family>& list, ConstraintBlocks::Family f) {
        f.constraint = k;
        f.factor = slot.factor;
        f.velocities = m_.constraints[k].velocities;
        list.push_back(std::move(f));
      };
      put(blocks_.jacobian, family(row.loops, rowNode, node, rowAt, columnAt, entries, width, forwards));
      put(blocks_.transposed, family(row.loops, node, rowNode, columnAt, rowAt, width, entries, backwards));
    }
    if (!diagonal_) return true;
    std::vector<Expr> off;
    for (int r = 0; r < entries; ++r)
      for (int c = 0; c < entries; ++c)
        off.push_back(r == c ? g_.load(c_.inactive, {g_.add(rowAt, g_.integer(r))}) : g_.number(0));
    ConstraintBlocks::Family f = family(row.loops, rowNode, rowNode, rowAt, rowAt, entries, entries, off);
    f.constraint = k;
    f.velocities = m_.constraints[k].velocities;
    blocks_.diagonal.push_back(std::move(f));
    return true;
  }

  Expr slope(Expr flat, const Slot& slot, int c) {
    const sema::Factor& f = m_.factors[slot.factor];
    sym::Tangent t(p_);
    const sema::Tuple e = sema::unit(g_, f.manifold->algebra(), c);
    for (std::size_t part = 0; part < e.size(); ++part) {
      const Expr unit = e[part];
      const Expr member = slot.member;
      t.seed(f.velocity[part], [unit, member](const std::vector<Expr>& index) {
        return index.empty() || index[0] == member ? unit : Expr();
      });
    }
    return t.of(flat);
  }

  [[nodiscard]] bool readsVelocities(Expr e) const {
    const auto read = sym::reads(e);
    return std::any_of(m_.factors.begin(), m_.factors.end(), [&](const sema::Factor& f) {
      return std::any_of(f.velocity.begin(), f.velocity.end(), [&](const sym::Array* a) { return read.contains(a); });
    });
  }

  const System& s_;
  Layer& layer_;
  const sema::Model& m_;
  const ConstraintEquations& c_;
  const std::vector<ConstraintRow>& rows_;
  std::string& why_;
  BlockPattern pattern_;
  ConstraintBlocks blocks_;
  bool diagonal_ = false;
  std::vector<std::int64_t> firstNode_, rowNode_;
  std::vector<std::function<void(const sym::Array*)>> fills_;
};

} // namespace

std::shared_ptr<const ConstraintBlocks> sparseBlocks(const System& system, Layer& layer,
                                                     const ConstraintEquations& equations,
                                                     const std::vector<ConstraintRow>& rows, std::string& why) {
  return Collecting(system, layer, equations, rows, why).run();
}

} // namespace lmc::mechanics
