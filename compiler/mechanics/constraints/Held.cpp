#include "mechanics/constraints/Held.h"

#include "mechanics/constraints/Rows.h"
#include "mechanics/mass/Gauge.h"
#include "mechanics/system/Equations.h"

namespace lmc::mechanics {

using sym::Expr;

namespace {

/// Products of rows and columns that are written out.
constexpr std::int64_t writtenOutProducts = 4000;

class Holding : private Rows {
public:
  Holding(Layer& layer, std::int64_t rows, std::int64_t columns)
      : Rows(layer.program(), rows * columns * columns > writtenOutProducts ? 0 : straightLineLimit), layer_(layer),
        m_(layer.model), n_(columns) {
    std::int64_t next = 0;
    for (std::size_t k = 0; k < m_.factors.size(); ++k) {
      first_.push_back(next);
      next += std::max<std::int64_t>(m_.factors[k].extent, 1) * dimension(k);
    }
  }

  void accelerations(System& system, const ConstraintEquations& c, Diagnostics& diagnostics) {
    for (std::size_t k = 0; k < m_.factors.size(); ++k)
      if (hasTooManyConormals(m_, k, &diagnostics)) return;
    const sym::Array* kinetic = square("M.kinetic");
    for (std::size_t j = 0; j < m_.factors.size(); ++j) assemble(j, kinetic);
    const sym::Array* weights = weightsOf(c, kinetic);
    const sym::Array* held = square("M + B^T W B");
    const sym::Array* rhs = vector("r", n_);
    std::vector<sema::Tuple> right;
    for (const FactorEquations& e : system.factors) right.push_back(e.rhs);
    stack(right, rhs);
    hold(c, weights, kinetic, held, rhs);
    const sym::Array* mass = square("M");
    copyMatrix(held, mass, n_);
    for (std::size_t k = 0; k < m_.factors.size(); ++k) addIsotropy(k, held, mass, rhs);
    MassGroup group = heldGroup(m_, n_, mass);
    group.constant = ofParameters(mass);
    system.groups = {std::move(group)};
    const std::vector<sema::ArrayTuple> solution = solved(mass, rhs, "'");
    for (std::size_t k = 0; k < m_.factors.size(); ++k) system.factors[k].acceleration = solution[k];
  }

  std::vector<sema::ArrayTuple> velocities(const std::vector<sema::Tuple>& right) {
    const sym::Array* rhs = vector("r", n_);
    stack(right, rhs);
    return solved(layer_.system.groups.front().dense, rhs, "(mu)");
  }

private:
  [[nodiscard]] int dimension(std::size_t k) const { return m_.factors[k].manifold->algebraSize(); }
  const sym::Array* square(const std::string& name) {
    return g_.newArray(name, {n_, n_}, sym::Shape::scalar(), sym::Role::Temp);
  }
  Expr place(std::size_t k, Expr member, int c) { return column(first_[k], dimension(k), member, c); }
  [[nodiscard]] const std::vector<Expr>& indexOf(std::size_t k) const { return layer_.system.factors[k].index; }
  Expr memberOf(std::size_t k) const { return indexOf(k).empty() ? Expr() : indexOf(k)[0]; }

  /// d^2 L/dxi dxi, the columns of factor j: one forward pass for each component, over all members at once.
  void assemble(std::size_t j, const sym::Array* kinetic) {
    const sema::Factor& f = m_.factors[j];
    const Expr member = f.extent > 0 ? g_.newIndex("j") : Expr();
    for (int c = 0; c < dimension(j); ++c) {
      sym::Tangent t(p_, memberLoop(g_, f.extent, {member}));
      const sema::Tuple e = sema::unit(g_, f.manifold->algebra(), c);
      for (std::size_t part = 0; part < e.size(); ++part) {
        t.seed(f.velocity[part], [this, value = e[part], member](const std::vector<Expr>& index) {
          if (!member || index.empty()) return value;
          return g_.select(g_.compare(sym::Op::Eq, index[0], member), value, g_.zero(value->shape));
        });
      }
      for (std::size_t k = 0; k < m_.factors.size(); ++k) {
        sema::Tuple d;
        for (const Expr& mu : layer_.system.factors[k].momentum) d.push_back(layer_.simplify(t.of(mu)));
        std::vector<sym::Loop> loops = memberLoop(g_, f.extent, {member});
        const std::vector<sym::Loop> own = memberLoop(g_, m_.factors[k].extent, indexOf(k));
        loops.insert(loops.end(), own.begin(), own.end());
        const std::vector<Expr> list = sema::entries(g_, d);
        for (int a = 0; a < dimension(k); ++a)
          if (!list[a]->isZero())
            set(kinetic, loops, {place(k, memberOf(k), a), place(j, member, c)}, list[a],
                sym::EquationKind::Accumulate);
      }
    }
  }

  /// W = 1/(sum over a of b_a^2/m_a), with the masses M_aa of the velocities, and their mean for those that have none:
  /// so it stays of the size of masses where a row turns away from those that have one. Nothing depends on it but
  /// rounding.
  const sym::Array* weightsOf(const ConstraintEquations& c, const sym::Array* kinetic) {
    const Expr none = g_.number(0);
    const auto own = [&](Expr a) { return g_.function(sym::Op::Abs, g_.load(kinetic, {a, a})); };
    const sym::Array* all = vector("masses", 1);
    sum(all, {}, {g_.integer(1)}, n_, own);
    const Expr mean = g_.scale(sym::Number::ratio(1, n_), g_.load(all, {g_.integer(1)}));
    const sym::Array* mobility = vector("b M^-1 b^T", c.rows);
    const sym::Array* weights = vector("W", c.rows);
    each(c.rows, "r", [&](Expr r, const std::vector<sym::Loop>& loops) {
      sum(mobility, loops, {r}, n_, [&](Expr a) {
        const Expr b = g_.load(c.jacobian, {r, a});
        return g_.div(g_.mul(b, b), massOr(g_, own(a), mean));
      });
      const Expr moved = g_.load(mobility, {r});
      set(weights, loops, {r}, g_.select(g_.compare(sym::Op::Lt, none, moved), g_.div(g_.number(1), moved), none));
    });
    return weights;
  }

  /// mass = kinetic + B^T W B, rhs -= B^T W gamma.
  void hold(const ConstraintEquations& c, const sym::Array* weights, const sym::Array* kinetic, const sym::Array* mass,
            const sym::Array* rhs) {
    const auto weighted = [&](Expr r, Expr a) { return g_.mul(g_.load(weights, {r}), g_.load(c.jacobian, {r, a})); };
    each(n_, "a", [&](Expr a, const std::vector<sym::Loop>& rows) {
      each(n_, "b", [&](Expr b, const std::vector<sym::Loop>& columns) {
        std::vector<sym::Loop> loops = rows;
        loops.insert(loops.end(), columns.begin(), columns.end());
        sum(
            mass, loops, {a, b}, c.rows,
            [&](Expr r) {
              return g_.mul(weighted(r, a), g_.load(c.jacobian, {r, b}));
            },
            g_.load(kinetic, {a, b}));
      });
      sum(rhs, rows, {a}, c.rows, [&](Expr r) { return g_.neg(g_.mul(weighted(r, a), g_.load(c.bias, {r}))); });
    });
  }

  /// Along the isotropy of a homogeneous manifold, as in all mass matrices (mechanics/mass/Gauge.h).
  void addIsotropy(std::size_t k, const sym::Array* held, const sym::Array* mass, const sym::Array* rhs) {
    const std::vector<Gauge> gauges = gaugesOf(layer_, k, indexOf(k), MassUnknown::Acceleration);
    if (gauges.empty()) return;
    const Expr member = memberOf(k);
    const sym::Array* size =
        g_.newArray("size of M", memberExtents(m_.factors[k].extent), sym::Shape::scalar(), sym::Role::Temp);
    define(p_, size, m_.factors[k].extent, indexOf(k), isotropyScale(dimension(k), [&](int a, int b) {
             return g_.load(held, {place(k, member, a), place(k, member, b)});
           }));
    addGauges(p_, gauges, g_.load(size, indexOf(k)), memberLoop(g_, m_.factors[k].extent, indexOf(k)),
              g_.sub(place(k, member, 0), g_.integer(1)), mass, rhs);
  }

  void stack(const std::vector<sema::Tuple>& values, const sym::Array* to) {
    for (std::size_t k = 0; k < m_.factors.size(); ++k) {
      const std::vector<Expr> list = sema::entries(g_, values[k]);
      for (int c = 0; c < dimension(k); ++c)
        set(to, memberLoop(g_, m_.factors[k].extent, indexOf(k)), {place(k, memberOf(k), c)}, list[c],
            sym::EquationKind::Accumulate);
    }
  }

  std::vector<sema::ArrayTuple> solved(const sym::Array* mass, const sym::Array* rhs, const std::string& suffix) {
    const sym::Array* x = vector("xi" + suffix, n_);
    if (n_ > mostWrittenOutHeld) {
      sym::Equation e;
      e.kind = sym::EquationKind::LinearSolve;
      e.array = x;
      e.matrix = square("M"); // the factors take its place
      copyMatrix(mass, e.matrix, n_);
      e.rhs = rhs;
      p_.append(std::move(e));
    } else {
      solveStacked(n_, mass, rhs, x);
    }
    std::vector<sema::ArrayTuple> result;
    for (std::size_t k = 0; k < m_.factors.size(); ++k) {
      const sema::Factor& f = m_.factors[k];
      std::vector<Expr> own;
      for (int c = 0; c < dimension(k); ++c) own.push_back(g_.load(x, {place(k, memberOf(k), c)}));
      result.push_back(defineParts(p_, f.velocityName + suffix, f.manifold->algebra(), f.extent, indexOf(k),
                                   sema::fromEntries(g_, f.manifold->algebra(), own)));
    }
    return result;
  }

  Layer& layer_;
  const sema::Model& m_;
  std::int64_t n_;
  std::vector<std::int64_t> first_; ///< of each factor among all velocities
};

} // namespace

Expr massOr(sym::Graph& g, Expr mass, Expr mean) {
  constexpr double none = 1e-12; // masses below this part of their mean count as none
  return g.select(g.compare(sym::Op::Lt, g.scale(sym::Number::real(none), mean), mass), mass, mean);
}

MassGroup heldGroup(const sema::Model& model, std::int64_t size, const sym::Array* matrix) {
  MassGroup group;
  group.structure = MassStructure::Dense;
  for (std::size_t k = 0; k < model.factors.size(); ++k) group.factors.push_back(k);
  group.size = size;
  group.dense = matrix;
  group.reason = "it is singular, and regular together with the constraints that hold the bodies: M + BᵀWB";
  return group;
}

void solveHeld(System& system, Layer& layer, const ConstraintEquations& constraints, Diagnostics& diagnostics) {
  Holding(layer, constraints.rows, constraints.columns).accelerations(system, constraints, diagnostics);
}

std::vector<sema::ArrayTuple> solveHeldMass(Layer& layer, const std::vector<sema::Tuple>& rhs) {
  const ConstraintEquations& c = *layer.system.constraints;
  return Holding(layer, c.rows, c.columns).velocities(rhs);
}

} // namespace lmc::mechanics
