#include "mechanics/constraints/Constrain.h"

#include "mechanics/constraints/Contacts.h"
#include "mechanics/constraints/Held.h"
#include "mechanics/constraints/Refusals.h"
#include "mechanics/constraints/Response.h"
#include "mechanics/constraints/Rows.h"
#include "mechanics/constraints/Saddle.h"
#include "mechanics/constraints/Sparse.h"
#include "mechanics/system/Equations.h"
#include "sema/manifolds/Generator.h"

namespace lmc::mechanics {

using sym::Expr;

namespace {

/// Up to so many equations, those of five moving bodies, are solved for together: rows that follow from others are left
/// out there for good, where the elimination of blocks has only their pivots to go by.
constexpr std::int64_t fewRows = 30;

} // namespace

class Constraints::Impl : private Rows {
public:
  Impl(System& system, Layer& layer, Diagnostics& diagnostics)
      : Rows(layer.program(), layer.model.contacts.empty() ? straightLineLimit : contactLimit), s_(system),
        layer_(layer), m_(layer.model), diagnostics_(diagnostics), flow_(p_), momenta_(m_.hamiltonian) {}

  void hold() {
    begin();
    held_ = true;
    written_ = std::min(written_, mostWrittenOutHeld);
    if (findBlocks())
      s_.groups = {heldGroup(m_, c_.columns, wholeMass(p_, *c_.blocks, c_.columns))};
    else if (!isTooLarge(m_, order_, c_, diagnostics_) && defineMatrices())
      solveHeld(s_, layer_, c_, diagnostics_);
    if (!s_.groups.empty()) c_.mass = s_.groups.front().dense;
  }

  void run() {
    if (held_) return c_.blocks ? finishSparse() : finish();
    begin();
    if (findBlocks()) return finishSparse();
    if (!isTooLarge(m_, order_, c_, diagnostics_) && defineMatrices()) finish();
  }

private:
  void begin() {
    number();
    seedFlow(flow_);
    for (const std::size_t k : order_) defineRow(k);
    for (const sema::Constraint& c : m_.constraints) conditional_ = conditional_ || c.active != nullptr;
  }

  /// Whether the system is a sparse one.
  bool findBlocks() {
    const bool contacts = !m_.contacts.empty();
    c_.why = momenta_ ? "the model has momenta" : contacts ? "the model has contacts" : "they are few";
    if (momenta_ || contacts || c_.rows <= fewRows) return false;
    if (held_) defineBias();
    c_.blocks = sparseBlocks(s_, layer_, c_, rows_, c_.why, right_);
    return c_.blocks != nullptr;
  }

  /// B, of momenta dd/dp too, and gamma.
  bool defineMatrices() {
    c_.jacobian = matrix("B", c_.columns);
    for (std::size_t j = 0; j < m_.factors.size(); ++j) columnsOfRates(j);
    if (diagnostics_.hasErrors()) return false;
    c_.force = c_.jacobian;
    if (momenta_) {
      c_.force = matrix("B(p)", c_.columns);
      for (std::size_t j = 0; j < m_.factors.size(); ++j) columnsOfForces(j);
    }
    defineBias();
    return true;
  }

  void finish() {
    c_.response = momenta_ ? c_.force : response(s_, layer_, c_);
    if (!m_.contacts.empty()) all_ = splitContacts(layer_, c_, stackedFree());
    c_.moves = momenta_ ? c_.jacobian : c_.response;
    defineMatrix();
    defineMultipliers();
    for (std::size_t j = 0; j < m_.factors.size(); ++j) defineAcceleration(j);
    for (const std::size_t k : order_) defineOfModel(k);
    if (!m_.contacts.empty()) s_.contacts = std::make_shared<const ContactEquations>(all_);
    s_.constraints = std::make_shared<const ConstraintEquations>(std::move(c_));
  }

  const sym::Array* matrix(const std::string& name, std::int64_t columns) {
    return g_.newArray(name, {c_.rows, columns}, sym::Shape::scalar(), sym::Role::Temp);
  }

  // --- numbering: constraints on positions come first -------------------------------------------------------------

  void number() {
    for (const bool velocities : {false, true}) {
      for (std::size_t k = 0; k < m_.constraints.size(); ++k) {
        if (m_.constraints[k].velocities == velocities) order_.push_back(k);
      }
    }
    c_.firstRow.resize(m_.constraints.size());
    rows_.resize(m_.constraints.size());
    for (const std::size_t k : order_) {
      c_.firstRow[k] = c_.rows;
      c_.rows += m_.constraints[k].array->size();
      if (!m_.constraints[k].velocities) c_.positions = c_.rows;
    }
    for (const sema::Factor& f : m_.factors) {
      c_.firstColumn.push_back(c_.columns);
      c_.columns += members(f) * f.manifold->algebraSize();
    }
  }

  static std::int64_t members(const sema::Factor& f) { return std::max<std::int64_t>(f.extent, 1); }

  /// The position of an entry of constraint k among all rows, from 1.
  Expr rowOf(std::size_t k, int entry) {
    const sym::Array& a = *m_.constraints[k].array;
    Expr member = g_.integer(0);
    for (std::size_t e = 0; e < a.extents.size(); ++e) {
      const Expr own = g_.sub(rows_[k].index[e], g_.integer(1));
      member = g_.add(g_.mul(g_.integer(a.extents[e]), member), own);
    }
    return g_.add(g_.integer(c_.firstRow[k] + entry + 1), g_.mul(g_.integer(a.shape.size()), member));
  }

  Expr columnOf(std::size_t j, Expr member, int component) {
    return column(c_.firstColumn[j], m_.factors[j].manifold->algebraSize(), member, component);
  }

  // --- c and its rate ---------------------------------------------------------------------------------------------

  [[nodiscard]] const sema::ArrayTuple& velocityOf(const sema::Factor& f) const {
    return momenta_ ? f.rate : f.velocity;
  }

  /// Tangents along (g', t') = (T(g) xi, 1).
  void seedFlow(sym::Tangent& flow) {
    for (const sema::Factor& f : m_.factors) {
      for (std::size_t part = 0; part < f.point.size(); ++part) {
        flow.seed(f.point[part], [this, &f, part](const std::vector<Expr>& index) {
          return sema::generator(p_, *f.manifold, f.frame, sema::loads(g_, f.point, index),
                                 sema::loads(g_, velocityOf(f), index))[part];
        });
      }
    }
    flow.seed(m_.time, [this](const std::vector<Expr>&) { return g_.number(1); });
  }

  void defineRow(std::size_t k) {
    if (c_.value == nullptr) {
      c_.value = vector("c", c_.rows);
      c_.rate = vector("dc", c_.rows);
      c_.inactive = vector("free", c_.rows);
    }
    const sema::Constraint& c = m_.constraints[k];
    ConstraintRow& row = rows_[k];
    for (const std::int64_t n : c.array->extents) {
      row.loops.push_back(sym::fullLoop(g_, "i", n));
      row.index.push_back(row.loops.back().index);
    }
    row.value = g_.load(c.array, row.index);
    const Expr active = c.active != nullptr ? g_.load(c.active, row.index) : Expr();
    const bool contact = std::any_of(m_.contacts.begin(), m_.contacts.end(), [&](const sema::Contact& x) {
      return x.normal == k || x.slip == std::optional(k);
    });
    if (active && !contact) row.value = g_.mul(active, row.value); // rows of contacts are split later
    row.rate = c.velocities ? row.value : flow_.of(row.value);
    const std::vector<Expr> value = sema::entries(g_, {row.value});
    const std::vector<Expr> rate = sema::entries(g_, {layer_.simplify(row.rate)});
    for (int e = 0; e < c.array->shape.size(); ++e) {
      set(c_.value, row.loops, {rowOf(k, e)}, c.velocities ? g_.number(0) : value[e]);
      set(c_.rate, row.loops, {rowOf(k, e)}, rate[e]);
      set(c_.inactive, row.loops, {rowOf(k, e)}, active ? g_.sub(g_.number(1), active) : g_.number(0));
    }
  }

  // --- derivatives --------------------------------------------------------------------------------------------------

  Expr memberIndex(const sema::Factor& f) { return f.extent > 0 ? g_.newIndex("j") : Expr(); }

  [[nodiscard]] sym::Tangent::Seed unitSeed(Expr unit, Expr member) const {
    return [this, unit, member](const std::vector<Expr>& index) {
      if (!member || index.empty()) return unit;
      return g_.select(g_.compare(sym::Op::Eq, index[0], member), unit, g_.zero(unit->shape));
    };
  }

  /// dd/dxi, of a factor with a momentum dd/dp: one forward pass per component, over all members at once.
  void columnsOfRates(std::size_t j) {
    const sema::Factor& f = m_.factors[j];
    const Expr member = memberIndex(f);
    for (int c = 0; c < f.manifold->algebraSize(); ++c) {
      sym::Tangent t(p_, memberLoop(g_, f.extent, {member}));
      const sema::Tuple e = sema::unit(g_, f.manifold->algebra(), c);
      for (std::size_t part = 0; part < e.size(); ++part) t.seed(f.velocity[part], unitSeed(e[part], member));
      for (const std::size_t k : order_) {
        const Expr slope = t.of(rows_[k].rate);
        if (m_.constraints[k].velocities && !momenta_ && readsVelocities(slope))
          return reportNonlinear(m_.constraints[k], diagnostics_);
        add(c_.jacobian, k, j, member, c, slope);
      }
    }
  }

  /// The directions of constraint forces on momenta: dc/dq T(q), or dc/dxi of a constraint on velocities.
  void columnsOfForces(std::size_t j) {
    const sema::Factor& f = m_.factors[j];
    const Expr member = memberIndex(f);
    for (int c = 0; c < f.manifold->algebraSize(); ++c) {
      const sema::Tuple e = sema::unit(g_, f.manifold->algebra(), c);
      sym::Tangent position(p_, memberLoop(g_, f.extent, {member}));
      sym::Tangent velocity(p_, memberLoop(g_, f.extent, {member}));
      for (std::size_t part = 0; part < f.point.size(); ++part) {
        position.seed(f.point[part], [this, &f, e, part, member](const std::vector<Expr>& index) {
          const Expr moved = sema::generator(p_, *f.manifold, f.frame, sema::loads(g_, f.point, index), e)[part];
          return unitSeed(moved, member)(index);
        });
      }
      for (std::size_t part = 0; part < e.size(); ++part) velocity.seed(f.rate[part], unitSeed(e[part], member));
      for (const std::size_t k : order_) {
        const bool velocities = m_.constraints[k].velocities;
        const Expr slope = (velocities ? velocity : position).of(rows_[k].value);
        if (velocities && readsVelocities(slope)) return reportNonlinear(m_.constraints[k], diagnostics_);
        add(c_.force, k, j, member, c, slope);
      }
    }
  }

  void add(const sym::Array* matrix, std::size_t k, std::size_t j, Expr member, int component, Expr slope) {
    if (slope->isZero()) return;
    const std::vector<Expr> list = sema::entries(g_, {layer_.simplify(slope)});
    std::vector<sym::Loop> loops = memberLoop(g_, m_.factors[j].extent, {member});
    loops.insert(loops.end(), rows_[k].loops.begin(), rows_[k].loops.end());
    for (std::size_t e = 0; e < list.size(); ++e) {
      if (list[e]->isZero()) continue;
      set(matrix, loops, {rowOf(k, static_cast<int>(e)), columnOf(j, member, component)}, list[e],
          sym::EquationKind::Accumulate);
    }
  }

  [[nodiscard]] bool readsVelocities(Expr e) const {
    std::unordered_set<const sym::Array*> velocities;
    for (const sema::Factor& f : m_.factors) velocities.insert(velocityOf(f).begin(), velocityOf(f).end());
    const auto any = [&](const auto& arrays) {
      return std::any_of(arrays.begin(), arrays.end(), [&](const sym::Array* a) { return velocities.contains(a); });
    };
    if (any(sym::reads(e))) return true;
    for (const std::size_t k : p_.slice({}, {e})) {
      if (!momenta_ && any(p_.reads(k))) return true;
    }
    return false;
  }

  /// dd/dt at xi' = 0; of factors with momenta along the free motion.
  void defineBias() {
    if (c_.bias != nullptr) return;
    sym::Tangent t(p_);
    seedFlow(t);
    if (momenta_) {
      for (std::size_t j = 0; j < m_.factors.size(); ++j) {
        for (std::size_t part = 0; part < m_.factors[j].velocity.size(); ++part) {
          const sym::Array* rate = s_.factors[j].acceleration[part];
          t.seed(m_.factors[j].velocity[part],
                 [this, rate](const std::vector<Expr>& index) { return g_.load(rate, index); });
        }
      }
    }
    c_.bias = vector("gamma", c_.rows);
    for (const std::size_t k : order_) {
      const std::vector<Expr> list = sema::entries(g_, {layer_.simplify(t.of(rows_[k].rate))});
      for (std::size_t e = 0; e < list.size(); ++e)
        set(c_.bias, rows_[k].loops, {rowOf(k, static_cast<int>(e))}, list[e]);
    }
  }

  // --- the solution -------------------------------------------------------------------------------------------------

  /// S = D W^T, symmetric; 1 on the diagonal where a member does not hold.
  void defineMatrix() {
    c_.matrix = matrix("S", c_.rows);
    const auto term = [&](Expr i, Expr k, Expr a) {
      return g_.mul(g_.load(c_.jacobian, {i, a}), g_.load(c_.response, {k, a}));
    };
    if (c_.rows <= written_ && c_.columns <= written_) return writeMatrix(term);
    each(c_.rows, "i", [&](Expr i, const std::vector<sym::Loop>& rows) {
      each(c_.rows, "k", [&](Expr k, const std::vector<sym::Loop>& others) {
        std::vector<sym::Loop> loops = rows;
        loops.insert(loops.end(), others.begin(), others.end());
        sum(c_.matrix, loops, {i, k}, c_.columns, [&](Expr a) { return term(i, k, a); });
      });
      if (conditional_) set(c_.matrix, rows, {i, i}, g_.load(c_.inactive, {i}), sym::EquationKind::Accumulate);
    });
  }

  void writeMatrix(const std::function<Expr(Expr, Expr, Expr)>& term) {
    for (std::int64_t i = 1; i <= c_.rows; ++i) {
      for (std::int64_t k = 1; k <= i; ++k) {
        const Expr row = g_.integer(i), other = g_.integer(k);
        Expr total = i == k && conditional_ ? g_.load(c_.inactive, {row}) : g_.number(0);
        for (std::int64_t a = 1; a <= c_.columns; ++a) total = g_.add(total, term(row, other, g_.integer(a)));
        set(c_.matrix, {}, {row, other}, total);
        if (i != k) set(c_.matrix, {}, {other, row}, total);
      }
    }
  }

  void defineMultipliers() {
    const sym::Array* rhs = vector("-(gamma + B a)", c_.rows);
    const sym::Array* free = momenta_ ? nullptr : stackedFree();
    each(c_.rows, "i", [&](Expr i, const std::vector<sym::Loop>& loops) {
      const Expr bias = g_.neg(g_.load(c_.bias, {i}));
      if (free == nullptr) return set(rhs, loops, {i}, bias);
      sum(
          rhs, loops, {i}, c_.columns,
          [&](Expr a) {
            return g_.neg(g_.mul(g_.load(c_.jacobian, {i, a}), g_.load(free, {a})));
          },
          bias);
    });
    c_.multiplier = solveRows(c_.matrix, rhs, "lambda");
    if (!m_.contacts.empty())
      c_.multiplier = contactForces(
          layer_, c_, all_, c_.multiplier, [this](std::size_t k, int e) { return rowOf(k, e); },
          [this](std::size_t k) { return rows_[k].loops; });
  }

  /// xi' without the forces of constraints, stacked.
  const sym::Array* stackedFree() {
    if (free_ != nullptr) return free_;
    free_ = vector("a", c_.columns);
    for (std::size_t j = 0; j < m_.factors.size(); ++j) stack(free_, j, s_.factors[j].acceleration);
    return free_;
  }

  /// Values of a factor by parts, stacked.
  void stack(const sym::Array* to, std::size_t j, const sema::ArrayTuple& arrays) {
    const sema::Factor& f = m_.factors[j];
    const FactorEquations& e = s_.factors[j];
    const Expr member = e.index.empty() ? Expr() : e.index[0];
    const std::vector<Expr> list = sema::entries(g_, sema::loads(g_, arrays, e.index));
    for (int c = 0; c < f.manifold->algebraSize(); ++c)
      set(to, memberLoop(g_, f.extent, e.index), {columnOf(j, member, c)}, list[c]);
  }

  /// sum over rows of factors[row] times matrix[row, …] for the velocities of factor j, by parts.
  sema::Tuple combination(std::size_t j, const sym::Array* matrix, const std::string& name) {
    const sema::Factor& f = m_.factors[j];
    const FactorEquations& e = s_.factors[j];
    const Expr member = e.index.empty() ? Expr() : e.index[0];
    const sym::Array* total = vector(name, members(f) * f.manifold->algebraSize());
    std::vector<Expr> list;
    for (int c = 0; c < f.manifold->algebraSize(); ++c) {
      const Expr at = column(0, f.manifold->algebraSize(), member, c);
      sum(total, memberLoop(g_, f.extent, e.index), {at}, c_.rows, [&](Expr r) {
        return g_.mul(g_.load(matrix, {r, columnOf(j, member, c)}), g_.load(c_.multiplier, {r}));
      });
      list.push_back(g_.load(total, {at}));
    }
    return sema::fromEntries(g_, f.manifold->algebra(), list);
  }

  void defineAcceleration(std::size_t j) {
    const sema::Factor& f = m_.factors[j];
    FactorEquations& e = s_.factors[j];
    const bool contacts = all_.response != nullptr;
    const sema::Tuple change = combination(j, contacts ? all_.response : c_.response, "M^-1 B^T lambda");
    const sema::Tuple force = momenta_ ? change : combination(j, contacts ? all_.jacobian : c_.force, "B^T lambda");
    const auto plus = [&](const std::string& name, const sema::ArrayTuple& free) {
      return defineParts(p_, name, f.manifold->algebra(), f.extent, e.index,
                         lmc::sema::add(g_, sema::loads(g_, free, e.index), change));
    };
    e.reaction = defineParts(p_, "B^T lambda(" + f.velocityName + ")", f.manifold->algebra(), f.extent, e.index, force);
    c_.free.push_back(e.acceleration);
    if (momenta_) e.forceArray = plus("f(" + f.velocityName + ")", e.forceArray);
    e.acceleration = plus(f.velocityName + "'", e.acceleration);
  }

  void defineMultiplierOfModel(std::size_t k) {
    const sema::Constraint& c = m_.constraints[k];
    const ConstraintRow& row = rows_[k];
    std::vector<Expr> list;
    for (int e = 0; e < c.array->shape.size(); ++e) list.push_back(g_.load(c_.multiplier, {rowOf(k, e)}));
    set(c.multiplier, row.loops, row.index, sema::fromEntries(g_, {{c.name, c.array->shape}}, list)[0]);
  }

  /// multiplier(c) and reaction(c, q).
  void defineOfModel(std::size_t k) {
    const sema::Constraint& c = m_.constraints[k];
    defineMultiplierOfModel(k);
    for (const auto& [j, arrays] : c.reactions) {
      const sema::Factor& f = m_.factors[j];
      const FactorEquations& e = s_.factors[j];
      const Expr member = e.index.empty() ? Expr() : e.index[0];
      const sym::Array* total = vector("reaction", members(f) * f.manifold->algebraSize());
      std::vector<Expr> parts;
      for (int a = 0; a < f.manifold->algebraSize(); ++a) {
        const Expr at = column(0, f.manifold->algebraSize(), member, a);
        sum(total, memberLoop(g_, f.extent, e.index), {at}, c.array->size(), [&, factor = j](Expr r) {
          const Expr own = g_.add(g_.integer(c_.firstRow[k]), r);
          const sym::Array* const directions = all_.jacobian != nullptr ? all_.jacobian : c_.force;
          return g_.mul(g_.load(directions, {own, columnOf(factor, member, a)}), g_.load(c_.multiplier, {own}));
        });
        parts.push_back(g_.load(total, {at}));
      }
      const sema::Tuple values = sema::fromEntries(g_, f.manifold->algebra(), parts);
      for (std::size_t part = 0; part < values.size(); ++part)
        define(p_, arrays[part], f.extent, e.index, values[part]);
    }
  }

  // --- by blocks ----------------------------------------------------------------------------------------------------

  /// M (xi' - a) = B^T lambda, B xi' = -gamma, in one system.
  void finishSparse() {
    defineBias();
    const Expr size = right_ != nullptr ? sizeOfRates(p_, c_, right_) : sizeOfRates(p_, stackedFree());
    Saddle saddle(p_, c_, c_.blocks->matrix->values, size);
    saddle.addRows();
    const sym::Loop r = sym::fullLoop(g_, "r", c_.rows);
    saddle.addToRow({r}, r.index, g_.load(c_.bias, {r.index}));
    if (right_ != nullptr)
      saddle.subtract(right_);
    else
      saddle.subtractMass(stackedFree());
    const Saddle::Solution solution = saddle.finish("xi', lambda", true);
    c_.multiplier = solution.multipliers;
    const sym::Array* forces = vector("B^T lambda", c_.columns);
    addProduct(p_, c_.blocks->jacobian, c_.blocks->matrix->values, c_.multiplier, forces, 0, 1, true);
    for (std::size_t j = 0; j < m_.factors.size(); ++j) {
      const sema::Factor& f = m_.factors[j];
      FactorEquations& e = s_.factors[j];
      e.reaction = unstacked("B^T lambda(" + f.velocityName + ")", j, forces);
      c_.free.push_back(right_ != nullptr ? unstacked("r(" + f.velocityName + ")", j, right_) : e.acceleration);
      e.acceleration = unstacked(f.velocityName + "'", j, solution.change);
    }
    for (const std::size_t k : order_) {
      defineMultiplierOfModel(k);
      for (const auto& [j, arrays] : m_.constraints[k].reactions) {
        const sym::Array* own = vector("reaction", c_.columns);
        std::vector<ConstraintBlocks::Family> list;
        for (const ConstraintBlocks::Family& f : c_.blocks->jacobian)
          if (f.constraint == k && f.factor == j) list.push_back(f);
        addProduct(p_, list, c_.blocks->matrix->values, c_.multiplier, own, 0, 1, true);
        const FactorEquations& e = s_.factors[j];
        const sema::Tuple values = partsOf(j, own);
        for (std::size_t part = 0; part < values.size(); ++part)
          define(p_, arrays[part], m_.factors[j].extent, e.index, values[part]);
      }
    }
    s_.constraints = std::make_shared<const ConstraintEquations>(std::move(c_));
  }

  /// The numbers of a factor among all velocities, by parts, at its index.
  sema::Tuple partsOf(std::size_t j, const sym::Array* stacked) {
    const FactorEquations& e = s_.factors[j];
    const Expr member = e.index.empty() ? Expr() : e.index[0];
    std::vector<Expr> list;
    for (int c = 0; c < m_.factors[j].manifold->algebraSize(); ++c)
      list.push_back(g_.load(stacked, {columnOf(j, member, c)}));
    return sema::fromEntries(g_, m_.factors[j].manifold->algebra(), list);
  }

  sema::ArrayTuple unstacked(const std::string& name, std::size_t j, const sym::Array* stacked) {
    const sema::Factor& f = m_.factors[j];
    return defineParts(p_, name, f.manifold->algebra(), f.extent, s_.factors[j].index, partsOf(j, stacked));
  }

  System& s_;
  Layer& layer_;
  const sema::Model& m_;
  Diagnostics& diagnostics_;
  sym::Tangent flow_;
  const bool momenta_;
  bool conditional_ = false; ///< some hold by a condition
  bool held_ = false;        ///< the mass matrix was made with the constraints
  ConstraintEquations c_;
  ContactEquations all_; ///< nothing without contacts
  const sym::Array* free_ = nullptr;
  const sym::Array* right_ = nullptr; ///< r, of masses that are solved for with the constraints
  std::vector<std::size_t> order_;
  std::vector<ConstraintRow> rows_;
};

Constraints::Constraints(System& system, Layer& layer, Diagnostics& diagnostics)
    : impl_(std::make_unique<Impl>(system, layer, diagnostics)) {}
Constraints::~Constraints() = default;

void Constraints::holdMasses() {
  impl_->hold();
}
void Constraints::constrain() {
  impl_->run();
}

} // namespace lmc::mechanics
