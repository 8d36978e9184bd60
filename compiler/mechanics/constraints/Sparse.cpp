#include "mechanics/constraints/Sparse.h"

#include "mechanics/constraints/Flat.h"
#include "mechanics/constraints/Held.h"
#include "mechanics/constraints/Refusals.h"
#include "mechanics/constraints/Rows.h"
#include "mechanics/constraints/Saddle.h"
#include "mechanics/mass/Gauge.h"
#include "mechanics/system/Equations.h"
#include "mechanics/system/Regular.h"
#include "sema/manifolds/Generator.h"

namespace lmc::mechanics {

using sym::Expr;

namespace {

class Collecting : private Rows {
public:
  Collecting(const System& system, Layer& layer, const ConstraintEquations& c, const std::vector<ConstraintRow>& rows,
             std::string& why)
      : Rows(layer.program()), s_(system), layer_(layer), m_(layer.model), c_(c), rows_(rows), why_(why), pattern_(p_),
        held_(system.groups.empty()), coupled_(held_ || hasDense(system)) {}

  [[nodiscard]] const sym::Array* right() const { return right_; }
  [[nodiscard]] static bool hasDense(const System& system) {
    return std::any_of(system.groups.begin(), system.groups.end(),
                       [](const MassGroup& group) { return group.dense != nullptr; });
  }

  std::shared_ptr<const ConstraintBlocks> run() {
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
    if (!masses()) return nullptr;
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

  bool masses() {
    if (coupled_) {
      right_ = vector("r", c_.columns);
      if (held_) beginWeights();
      for (std::size_t k = 0; k < m_.factors.size(); ++k)
        if (!coupledMasses(k)) return false;
      return true;
    }
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
    return true;
  }

  [[nodiscard]] std::unordered_set<const sym::Array*> leaves() const {
    std::unordered_set<const sym::Array*> list;
    for (const sema::Factor& f : m_.factors) {
      list.insert(f.point.begin(), f.point.end());
      list.insert(f.velocity.begin(), f.velocity.end());
    }
    return list;
  }

  /// The rows of M of factor k, whose momentum depends on velocities of few members.
  bool coupledMasses(std::size_t k) {
    const FactorEquations& e = s_.factors[k];
    const Expr member = e.index.empty() ? Expr() : e.index[0];
    const std::vector<sym::Loop> own = memberLoop(g_, m_.factors[k].extent, e.index);
    std::vector<Expr> flat;
    Flat write(p_, leaves());
    for (const Expr& mu : e.momentum) {
      const auto part = write(mu);
      if (!part) {
        why_ = "the kinetic energy couples `" + m_.factors[k].name + "` with more than a few members";
        return false;
      }
      flat.push_back(*part);
    }
    std::vector<Slot> slots = {{k, member}};
    for (const Expr& part : flat)
      for (const Slot& s : slotsOf(part))
        if (std::none_of(slots.begin(), slots.end(),
                         [&](const Slot& x) { return x.factor == s.factor && x.member == s.member; }))
          slots.push_back(s);
    for (const Slot& slot : slots) {
      const int rows = dimension(k), columns = dimension(slot.factor);
      std::vector<Expr> entries(static_cast<std::size_t>(rows) * columns);
      for (int c = 0; c < columns; ++c) {
        sema::Tuple d;
        for (const Expr& part : flat) d.push_back(readingInside(layer_.simplify(slope(part, slot, c)), own));
        const std::vector<Expr> column = sema::entries(g_, d);
        for (int r = 0; r < rows; ++r) entries[static_cast<std::size_t>(r) * columns + c] = column[r];
      }
      if (slot.factor == k && slot.member == member) defineRight(k, member, own, entries);
      const Expr other = insideFamily(slot.factor, slot.member, own);
      blocks_.mass.push_back(
          family(own, nodeOf(k, member), nodeOf(slot.factor, other), column(c_.firstColumn[k], rows, member, 0),
                 column(c_.firstColumn[slot.factor], columns, other, 0), rows, columns, std::move(entries)));
    }
    return true;
  }

  /// r of factor k. Along the isotropy of a homogeneous manifold it and the own block of M are as in all mass matrices
  /// (mechanics/mass/Gauge.h).
  void defineRight(std::size_t k, Expr member, const std::vector<sym::Loop>& own, std::vector<Expr>& block) {
    const auto n = static_cast<std::size_t>(dimension(k));
    std::vector<Expr> r = sema::entries(g_, s_.factors[k].rhs);
    const std::vector<Gauge> gauges = gaugesOf(layer_, k, s_.factors[k].index, MassUnknown::Acceleration);
    for (std::size_t a = 0; held_ && a < n; ++a)
      set(masses_, own, {column(c_.firstColumn[k], dimension(k), member, static_cast<int>(a))},
          g_.function(sym::Op::Abs, block[a * n + a]), sym::EquationKind::Accumulate);
    const Expr size = gauges.empty() ? Expr()
                      : held_        ? g_.load(mean_)
                                     : isotropyScale(dimension(k), [&](int a, int b) { return block[a * n + b]; });
    for (const Gauge& gauge : gauges) {
      const Expr s = g_.div(size, gauge.square);
      for (std::size_t a = 0; a < n; ++a) {
        for (std::size_t b = 0; b < n; ++b)
          block[a * n + b] = g_.add(block[a * n + b], g_.mul(s, g_.mul(gauge.normal[a], gauge.normal[b])));
        r[a] = g_.sub(r[a], g_.mul(g_.mul(s, gauge.rate), gauge.normal[a]));
      }
    }
    for (std::size_t a = 0; a < n; ++a)
      set(right_, own, {column(c_.firstColumn[k], dimension(k), member, static_cast<int>(a))}, r[a],
          sym::EquationKind::Accumulate);
  }

  /// W as of dense matrices (mechanics/constraints/Held.cpp), by sums over the slots of each constraint.
  void beginWeights() {
    masses_ = vector("masses", c_.columns);
    mean_ = g_.newArray("mean mass", {}, sym::Shape::scalar(), sym::Role::Temp);
    const sym::Array* all = g_.newArray("all masses", {}, sym::Shape::scalar(), sym::Role::Temp);
    const sym::Loop k = sym::fullLoop(g_, "k", c_.columns);
    set(all, {k}, {}, g_.load(masses_, {k.index}), sym::EquationKind::Accumulate);
    set(mean_, {}, {}, g_.scale(sym::Number::ratio(1, c_.columns), g_.load(all)));
    weights_ = vector("W", c_.rows);
  }

  /// What a constraint acts on: B at one slot, by rows.
  struct Action {
    Expr node, column;
    int width;
    std::vector<Expr> slopes;
  };

  void hold(const ConstraintRow& row, int entries, Expr rowAt, const std::vector<Action>& actions) {
    const Expr none = g_.number(0);
    for (int r = 0; r < entries; ++r) {
      Expr mobility = none;
      for (const Action& a : actions)
        for (int c = 0; c < a.width; ++c) {
          const Expr b = a.slopes[static_cast<std::size_t>(r) * a.width + c];
          const Expr mass = g_.load(masses_, {g_.add(a.column, g_.integer(c))});
          mobility = g_.add(mobility, g_.div(g_.mul(b, b), massOr(g_, mass, g_.load(mean_))));
        }
      set(weights_, row.loops, {g_.add(rowAt, g_.integer(r))},
          g_.select(g_.compare(sym::Op::Lt, none, mobility), g_.div(g_.number(1), mobility), none));
    }
    const auto at = [&](const sym::Array* a, int r) { return g_.load(a, {g_.add(rowAt, g_.integer(r))}); };
    const auto slope = [](const Action& a, int r, int c) {
      return a.slopes[static_cast<std::size_t>(r) * a.width + c];
    };
    for (const Action& a : actions) {
      for (int c = 0; c < a.width; ++c) {
        Expr total = none;
        for (int r = 0; r < entries; ++r)
          total = g_.add(total, g_.mul(g_.mul(at(weights_, r), at(c_.bias, r)), slope(a, r, c)));
        set(right_, row.loops, {g_.add(a.column, g_.integer(c))}, g_.neg(total), sym::EquationKind::Accumulate);
      }
      for (const Action& b : actions) {
        std::vector<Expr> block;
        for (int i = 0; i < a.width; ++i)
          for (int j = 0; j < b.width; ++j) {
            Expr total = none;
            for (int r = 0; r < entries; ++r)
              total = g_.add(total, g_.mul(at(weights_, r), g_.mul(slope(a, r, i), slope(b, r, j))));
            block.push_back(total);
          }
        blocks_.mass.push_back(
            family(row.loops, a.node, b.node, a.column, b.column, a.width, b.width, std::move(block)));
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
    const auto flat = Flat(p_, leaves())(row.rate);
    if (!flat) {
      why_ = "`" + m_.constraints[k].name + "` is not an equation of few members";
      return false;
    }
    const int entries = m_.constraints[k].array->shape.size();
    const Expr rowNode = g_.add(g_.integer(rowNode_[k]), ordinal(k));
    const Expr rowAt = g_.add(g_.integer(c_.firstRow[k] + 1), g_.mul(g_.integer(entries), ordinal(k)));
    std::vector<Action> actions;
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
      actions.push_back({node, columnAt, width, forwards});
      const auto put = [&](std::vector<ConstraintBlocks::Family>& list, ConstraintBlocks::Family f) {
        f.constraint = k;
        f.factor = slot.factor;
        f.velocities = m_.constraints[k].velocities;
        list.push_back(std::move(f));
      };
      put(blocks_.jacobian, family(row.loops, rowNode, node, rowAt, columnAt, entries, width, forwards));
      put(blocks_.transposed, family(row.loops, node, rowNode, columnAt, rowAt, width, entries, backwards));
    }
    if (held_) hold(row, entries, rowAt, actions);
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
  const bool held_;    ///< constraints make the masses regular (mechanics/constraints/Held.h)
  const bool coupled_; ///< masses couple members
  const sym::Array *masses_ = nullptr, *mean_ = nullptr, *weights_ = nullptr; ///< M's diagonal, its mean, W
  const sym::Array* right_ = nullptr;
  bool diagonal_ = false;
  std::vector<std::int64_t> firstNode_, rowNode_;
  std::vector<std::function<void(const sym::Array*)>> fills_;
};

} // namespace

std::shared_ptr<const ConstraintBlocks> sparseBlocks(const System& system, Layer& layer,
                                                     const ConstraintEquations& equations,
                                                     const std::vector<ConstraintRow>& rows, std::string& why,
                                                     const sym::Array*& right) {
  Collecting collecting(system, layer, equations, rows, why);
  auto blocks = collecting.run();
  right = collecting.right();
  return blocks;
}

const sym::Array* wholeMass(sym::Program& p, const ConstraintBlocks& blocks, std::int64_t columns) {
  if (columns > mostConstrainedVelocities) return nullptr;
  sym::Graph& g = p.graph();
  const sym::Array* mass = g.newArray("M(all)", {columns, columns}, sym::Shape::scalar(), sym::Role::Temp);
  for (const ConstraintBlocks::Family& f : blocks.mass)
    for (int a = 0; a < f.rows; ++a)
      for (int b = 0; b < f.columns; ++b) {
        sym::Equation e;
        e.kind = sym::EquationKind::Accumulate;
        e.array = mass;
        e.loops = f.loops;
        e.index = {g.add(f.row, g.integer(a)), g.add(f.column, g.integer(b))};
        e.value = g.load(blocks.matrix->values, {g.add(f.position, g.integer(a * f.columns + b))});
        p.append(std::move(e));
      }
  return mass;
}

bool hasCoupledBlocks(const System& system) {
  return system.constraints && system.constraints->blocks && (Collecting::hasDense(system) || isHeld(system));
}

std::vector<sema::ArrayTuple> solveSparseMass(Layer& layer, const std::vector<sema::Tuple>& rhs) {
  const ConstraintEquations& c = *layer.system.constraints;
  sym::Program& p = layer.program();
  sym::Graph& g = p.graph();
  const auto place = [&](std::size_t k, int component) {
    const std::vector<Expr>& index = layer.system.factors[k].index;
    const Expr first = g.integer(c.firstColumn[k] + component + 1);
    if (index.empty()) return first;
    return g.add(first,
                 g.mul(g.integer(layer.model.factors[k].manifold->algebraSize()), g.sub(index[0], g.integer(1))));
  };
  const sym::Array* r = g.newArray("mu", {c.columns}, sym::Shape::scalar(), sym::Role::Temp);
  for (std::size_t k = 0; k < rhs.size(); ++k) {
    const std::vector<Expr> list = sema::entries(g, rhs[k]);
    for (std::size_t a = 0; a < list.size(); ++a) {
      sym::Equation e;
      e.array = r;
      e.loops = memberLoop(g, layer.model.factors[k].extent, layer.system.factors[k].index);
      e.index = {place(k, static_cast<int>(a))};
      e.value = list[a];
      p.append(std::move(e));
    }
  }
  Saddle saddle(p, c, c.blocks->matrix->values, sizeOfRates(p, c, r));
  saddle.addRows();
  saddle.subtract(r);
  const sym::Array* all = saddle.finish("xi(mu)", true).change;
  std::vector<sema::ArrayTuple> result;
  for (std::size_t k = 0; k < rhs.size(); ++k) {
    const sema::Factor& f = layer.model.factors[k];
    std::vector<Expr> own;
    own.reserve(f.manifold->algebraSize());
    for (int a = 0; a < f.manifold->algebraSize(); ++a) own.push_back(g.load(all, {place(k, a)}));
    result.push_back(defineParts(p, f.velocityName + "(mu)", f.manifold->algebra(), f.extent,
                                 layer.system.factors[k].index, sema::fromEntries(g, f.manifold->algebra(), own)));
  }
  return result;
}

} // namespace lmc::mechanics
