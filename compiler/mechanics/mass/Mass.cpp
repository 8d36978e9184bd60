#include "mechanics/mass/Mass.h"

#include "mechanics/mass/Chain.h"
#include "mechanics/mass/Gauge.h"
#include "mechanics/mass/MassEntries.h"
#include "mechanics/mass/Multipliers.h"
#include "mechanics/mass/Reach.h"
#include "mechanics/mass/Surroundings.h"
#include "mechanics/system/Equations.h"
#include "mechanics/system/Regular.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace lmc::mechanics {

using sym::Expr;

namespace {

/// Largest matrix of a chain that is assembled to be looked into before the run.
constexpr std::int64_t inspectionLimit = 200;
/// Products of entries of conormals that are written out.
constexpr std::int64_t writtenOutGauges = 4000;

class MassSolver : private MassEntries {
public:
  MassSolver(Layer& s, const MassEquation& equation)
      : MassEntries(s.program()), s_(s), m_(s.model), equation_(equation), n_(m_.factors.size()), massTimes_(n_),
        solution_(n_), ownNumber_(n_) {}

  void accelerations(System& system, Diagnostics& diagnostics) {
    couple();
    if (!structurallyRegular(s_, diagnostics)) return;
    diagnostics_ = &diagnostics;
    system.groups = solve();
    for (std::size_t k = 0; k < n_; ++k) {
      system.factors[k].massTimes = massTimes_[k];
      system.factors[k].acceleration = solution_[k];
    }
  }

  std::vector<sema::ArrayTuple> unknowns() {
    couple();
    (void)solve();
    return solution_;
  }

private:
  std::vector<MassGroup> solve() {
    std::vector<bool> done(n_, false);
    for (std::size_t k = 0; k < n_; ++k) {
      if (done[k]) continue;
      std::vector<std::size_t> group;
      for (std::size_t j = k; j < n_; ++j) {
        if (parent(j) == parent(k)) {
          group.push_back(j);
          done[j] = true;
        }
      }
      solveGroup(group);
    }
    return std::move(groups_);
  }

  const sema::Factor& factor(std::size_t k) const { return m_.factors[k]; }
  const FactorEquations& equations(std::size_t k) const { return s_.system.factors[k]; }
  int dimension(std::size_t k) const { return factor(k).manifold->algebraSize(); }
  std::int64_t members(std::size_t k) const { return std::max<std::int64_t>(factor(k).extent, 1); }

  std::size_t parent(std::size_t k) const { return parent_[k] == k ? k : parent(parent_[k]); }

  /// Derivative of every momentum along a symbolic velocity of each factor: who depends on whom.
  void couple() {
    parent_.resize(n_);
    std::iota(parent_.begin(), parent_.end(), 0);
    reach_.assign(n_, std::vector<Reach>(n_, Reach::None));
    for (std::size_t j = 0; j < n_; ++j) {
      sym::Tangent t(p_);
      seedDirection(t, j);
      ReachAnalysis analysis(p_, s_.system.direction[j]);
      for (std::size_t k = 0; k < n_; ++k) {
        sema::Tuple d;
        for (const Expr& mu : equations(k).momentum) {
          d.push_back(s_.simplify(t.of(mu)));
          reach_[k][j] = std::max(reach_[k][j], analysis.of(d.back(), equations(k).index));
        }
        if (k == j) massTimes_[k] = d;
        if (reach_[k][j] != Reach::None && k != j) parent_[parent(k)] = parent(j);
      }
    }
  }

  void seedDirection(sym::Tangent& t, std::size_t j) {
    for (std::size_t part = 0; part < factor(j).velocity.size(); ++part) {
      t.seed(factor(j).velocity[part],
             [this, j, part](const std::vector<Expr>& index) { return g_.load(s_.system.direction[j][part], index); });
    }
  }

  /// Seeds the velocity of factor k with its c-th unit element: of all members, or of member `only`.
  void seedUnit(sym::Tangent& t, std::size_t k, int c, Expr only) {
    const sema::Tuple e = sema::unit(g_, factor(k).manifold->algebra(), c);
    for (std::size_t part = 0; part < e.size(); ++part) {
      t.seed(factor(k).velocity[part], [this, value = e[part], only](const std::vector<Expr>& index) {
        if (!only || index.empty()) return value;
        return g_.select(g_.compare(sym::Op::Eq, index[0], only), value, g_.zero(value->shape));
      });
    }
  }

  void solveGroup(const std::vector<std::size_t>& group) {
    MassGroup result;
    result.factors = group;
    for (const std::size_t k : group) declareUnknowns(k);
    if (group.size() == 1 && solveScalar(group[0], result)) {
      groups_.push_back(std::move(result));
      return;
    }
    std::int64_t total = 0;
    int blockSize = 0;
    bool memberwise = true;
    bool singles = true;
    for (const std::size_t k : group) {
      total += members(k) * dimension(k);
      blockSize += dimension(k);
      singles = singles && factor(k).extent == 0;
      memberwise = memberwise && factor(k).extent == factor(group[0]).extent;
      for (const std::size_t j : group) memberwise = memberwise && reach_[k][j] != Reach::All;
    }
    memberwise = memberwise && !singles;
    result.size = total;
    if (isRate() && !memberwise && m_.constraints.empty() && multipliers(group, result)) {
    } else if ((singles || memberwise) && blockSize <= straightLineLimit) {
      result.structure = singles ? MassStructure::Block : MassStructure::Members;
      result.size = blockSize;
      result.reason =
          singles ? "single factors, coupled with each other" : "each member depends on its own velocity only";
      if (group.size() == 1 && singles) result.reason = "one factor, coupled with no other";
      solveBlock(group, result);
    } else if (m_.constraints.empty() && solveByChain(group, result)) {
    } else {
      result.structure = MassStructure::Dense;
      result.size = total;
      result.reason = "members of a family are coupled with each other or with other factors";
      solveDense(group, result);
    }
    groups_.push_back(std::move(result));
  }

  bool multipliers(const std::vector<std::size_t>& group, MassGroup& result) {
    const bool few = result.size <= straightLineLimit || numbersAround(m_, group) <= largestSurroundings;
    if (!few && group.size() > 1) return false;
    const auto solution =
        few ? solveByMultipliers(s_, group, solution_) : solveByMultiplierChain(s_, group[0], solution_[group[0]]);
    if (!solution) return false;
    result.structure = MassStructure::Multipliers;
    result.constant = solution->constant;
    result.multipliers = solution->multipliers;
    // Where the group is much larger than the space around, K is looked into instead of M.
    const bool small = few ? result.size <= straightLineLimit : result.size <= inspectionLimit;
    if (small) result.dense = denseMatrix(group, offsets(group), nullptr);
    result.reason = "the kinetic energy is constant in the space around the points: the forces that hold them on "
                    "their manifold are found first";
    if (!few) result.reason += ", by elimination along the family";
    return true;
  }

  /// Where the unknowns of each factor of the group begin when they are stacked.
  std::vector<std::int64_t> offsets(const std::vector<std::size_t>& group) {
    std::vector<std::int64_t> offset(n_, 0);
    std::int64_t next = 0;
    for (const std::size_t k : group) {
      offset[k] = next;
      next += members(k) * dimension(k);
    }
    return offset;
  }

  void declareUnknowns(std::size_t k) {
    const sema::Factor& f = factor(k);
    const std::string name = isRate() ? f.velocityName + "'" : f.velocityName + "(mu)";
    for (const sema::Part& part : f.manifold->algebra()) {
      solution_[k].push_back(g_.newArray(name + (f.manifold->algebra().size() > 1 ? "." + part.name : ""),
                                         memberExtents(f.extent), part.shape, sym::Role::Temp));
    }
  }

  [[nodiscard]] bool isRate() const { return equation_.unknown == MassUnknown::Acceleration; }

  std::vector<sym::Loop> memberLoop(std::size_t k, Expr index) {
    return lmc::mechanics::memberLoop(g_, factor(k).extent, {index});
  }

  /// `positive`: the mass by which it is divided, if it is one number that varies.
  void setUnknown(std::size_t k, const sema::Tuple& value, Expr positive = {}) {
    const FactorEquations& e = equations(k);
    const Expr index = e.index.empty() ? Expr() : e.index[0];
    for (std::size_t part = 0; part < value.size(); ++part) {
      set(solution_[k][part], memberLoop(k, index), e.index, value[part], sym::EquationKind::Set, positive);
    }
  }

  /// s where a factor's own block of M is s times the identity for horizontal velocities, at `index`; else empty.
  Expr ownNumber(std::size_t k) {
    if (!ownNumber_[k]) ownNumber_[k] = findOwnNumber(k);
    return *ownNumber_[k];
  }

  Expr findOwnNumber(std::size_t k) {
    const FactorEquations& e = equations(k);
    if (massTimes_[k].size() != 1 || (reach_[k][k] == Reach::All && factor(k).extent > 0)) return {};
    const Expr number = multipleOf(g_, massTimes_[k][0], g_.load(s_.system.direction[k][0], e.index));
    if (!number) return {};
    // M keeps horizontal elements horizontal; so must xi'.
    for (const Gauge& gauge : gaugesOf(s_, k, e.index, equation_.unknown)) {
      if (!gauge.rate->isZero()) return {};
    }
    return number;
  }

  /// On a homogeneous manifold such a block is taken to be s times the identity along the isotropy, too: nothing is
  /// simpler to eliminate, and it is regular.
  Expr isotropicBlock(std::size_t k) { return factor(k).manifold->isGroup() ? Expr() : ownNumber(k); }

  /// M v = s v for a number s: the acceleration is r/s.
  bool solveScalar(std::size_t k, MassGroup& result) {
    const FactorEquations& e = equations(k);
    if (reach_[k][k] == Reach::All && factor(k).extent > 0) return false;
    if (massTimes_[k].size() != 1) return false;
    Expr s = ownNumber(k);
    if (!s && e.rhs[0]->shape.rank == 0 && gaugesOf(s_, k, e.index, equation_.unknown).empty()) {
      sym::Tangent t(p_);
      seedUnit(t, k, 0, Expr());
      s = t.of(e.momentum[0]);
    }
    if (!s || sym::reads(s).contains(s_.system.direction[k][0])) return false;
    result.structure = MassStructure::Scalar;
    result.size = dimension(k);
    result.constant = ofParameters(s);
    result.matrix = s;
    result.index = e.index;
    result.reason = "the mass is a number times the identity";
    setUnknown(k, {g_.div(equation_.rhs[k][0], s)}, result.constant ? Expr() : s);
    return true;
  }

  /// M and r of single factors, or of one member of each family, as expressions of a common index.
  void solveBlock(const std::vector<std::size_t>& group, MassGroup& result) {
    const int n = static_cast<int>(result.size);
    const std::vector<Expr> index = equations(group[0]).index;
    std::vector<Expr> m(static_cast<std::size_t>(n) * n, g_.number(0));
    std::vector<Expr> r;
    int column = 0;
    for (const std::size_t j : group) {
      for (int c = 0; c < dimension(j); ++c, ++column) {
        sym::Tangent t(p_);
        seedUnit(t, j, c, Expr());
        int row = 0;
        for (const std::size_t k : group) {
          sema::Tuple d;
          for (const Expr& mu : equations(k).momentum) d.push_back(s_.simplify(t.of(mu)));
          for (const Expr& entry : sema::entries(g_, at(d, equations(k).index, index))) m[row++ * n + column] = entry;
        }
      }
    }
    int offset = 0;
    for (const std::size_t k : group) {
      const sema::Tuple rhs = at(equation_.rhs[k], equations(k).index, index);
      const std::vector<Expr> list = sema::entries(g_, rhs);
      r.insert(r.end(), list.begin(), list.end());
      if (const Expr s = isotropicBlock(k)) {
        setDiagonal(m, n, offset, dimension(k), at({s}, equations(k).index, index)[0]);
      } else {
        addGauge(k, index, m, n, offset, r);
      }
      offset += dimension(k);
    }
    const Expr matrix = g_.matrix(n, n, m);
    result.constant = ofParameters(matrix);
    result.matrix = matrix;
    result.index = index;
    const Expr x = n == 1 ? g_.div(r[0], m[0]) : g_.solve(matrix, g_.vector(r), true);
    offset = 0;
    for (const std::size_t k : group) {
      std::vector<Expr> own(dimension(k));
      for (Expr& e : own) e = g_.entry(x, offset++);
      setUnknown(k, at(sema::fromEntries(g_, factor(k).manifold->algebra(), own), index, equations(k).index));
    }
  }

  /// Along the isotropy: s n n^T/|n|^2 to M and s n (-dc/dg T xi)/|n|^2 to r, with s of M's own size.
  void addGauge(std::size_t k, const std::vector<Expr>& index, std::vector<Expr>& m, int n, int offset,
                std::vector<Expr>& r) {
    const std::vector<Gauge> gauges = gaugesOf(s_, k, index, equation_.unknown);
    const int dim = dimension(k);
    if (gauges.empty()) return;
    const Expr size = isotropyScale(dim, [&](int a, int b) { return m[(offset + a) * n + offset + b]; });
    for (const Gauge& gauge : gauges) {
      const Expr s = g_.div(size, gauge.square);
      for (int a = 0; a < dim; ++a) {
        for (int b = 0; b < dim; ++b) {
          Expr& entry = m[(offset + a) * n + offset + b];
          entry = g_.add(entry, g_.mul(s, g_.mul(gauge.normal[a], gauge.normal[b])));
        }
        r[offset + a] = g_.sub(r[offset + a], g_.mul(g_.mul(s, gauge.rate), gauge.normal[a]));
      }
    }
  }

  /// Position of component c of factor k in the stacked unknowns, as an index expression of its member.
  Expr position(std::size_t k, std::int64_t offset, Expr member, int c) {
    const Expr first = g_.integer(offset + c + 1);
    if (!member) return first;
    return g_.add(first, g_.mul(g_.integer(dimension(k)), g_.sub(member, g_.integer(1))));
  }

  /// Families of one extent whose members are coupled with their neighbours, directly or by recursions.
  bool solveByChain(const std::vector<std::size_t>& group, MassGroup& result) {
    const std::int64_t extent = factor(group[0]).extent;
    const auto fits = [&](std::size_t k) { return extent > 0 && factor(k).extent == extent; };
    if (!std::all_of(group.begin(), group.end(), fits)) return false;
    const std::vector<Expr> index = equations(group[0]).index;
    sema::Tuple momentum;
    sema::ArrayTuple velocity, unknown;
    std::vector<sema::Part> parts;
    for (const std::size_t k : group) {
      for (const Expr& mu : at(equations(k).momentum, equations(k).index, index)) momentum.push_back(mu);
      velocity.insert(velocity.end(), factor(k).velocity.begin(), factor(k).velocity.end());
      unknown.insert(unknown.end(), solution_[k].begin(), solution_[k].end());
      parts.insert(parts.end(), factor(k).manifold->algebra().begin(), factor(k).manifold->algebra().end());
    }
    const auto chain = chainAlong(p_, momentum, velocity, index[0], [this](Expr x) { return s_.simplify(x); });
    if (!chain || (result.size <= straightLineLimit && isConstant(*chain))) return false; // its inverse costs less
    result.structure = MassStructure::Chain;
    if (isRate() && result.size <= inspectionLimit) result.dense = denseMatrix(group, offsets(group), nullptr);
    result.reason = "each member is coupled with its neighbours, perhaps by sums along the family: two sweeps";
    const auto rhs = [&](Expr member) {
      sema::Tuple all;
      for (const std::size_t k : group) {
        for (const Expr& e : at(equation_.rhs[k], equations(k).index, {member})) all.push_back(e);
      }
      return g_.vector(sema::entries(g_, all));
    };
    const auto complete = [&](Expr member, const ChainPivot& bare) { return gaugedPivot(group, member, bare); };
    solveChain(p_, *chain, rhs, complete, [&](const ChainLinks& range, Expr value) {
      const sema::Tuple values = sema::fromEntries(g_, parts, sema::entries(g_, {value}));
      for (std::size_t k = 0; k < values.size(); ++k)
        defineRange(p_, unknown[k], range.index, range.lo, range.hi, values[k]);
    });
    return true;
  }

  [[nodiscard]] bool isConstant(const Chain& chain) const {
    return std::all_of(chain.links.begin(), chain.links.end(), [this](const ChainLinks& l) {
      const std::vector<Expr> all{l.A, l.B, l.C, l.E, l.F, l.G, l.K, l.N};
      return std::all_of(all.begin(), all.end(), [this](Expr x) { return ofParameters(x); });
    });
  }

  ChainPivot gaugedPivot(const std::vector<std::size_t>& group, Expr index, const ChainPivot& bare) {
    std::vector<Expr> m = sema::entries(g_, {bare.matrix}), r = sema::entries(g_, {bare.rhs});
    int offset = 0, n = bare.matrix->shape.rows;
    for (const std::size_t k : group) {
      addGauge(k, {index}, m, n, offset, r);
      offset += dimension(k);
    }
    return {g_.matrix(n, n, m), g_.vector(r)};
  }

  void solveDense(const std::vector<std::size_t>& group, MassGroup& result) {
    const auto large = [&](std::size_t k) { return !isotropicBlock(k) && hasTooManyConormals(m_, k, diagnostics_); };
    if (std::any_of(group.begin(), group.end(), large)) return;
    const std::int64_t n = result.size;
    const sym::Array* rhs = g_.newArray("r", {n}, sym::Shape::scalar(), sym::Role::Temp);
    const sym::Array* x = g_.newArray("xi'", {n}, sym::Shape::scalar(), sym::Role::Temp);
    const std::vector<std::int64_t> offset = offsets(group);
    for (const std::size_t k : group) {
      for (int c = 0; c < dimension(k); ++c) {
        const FactorEquations& e = equations(k);
        const Expr member = e.index.empty() ? Expr() : e.index[0];
        set(rhs, memberLoop(k, member), {position(k, offset[k], member, c)}, sema::entries(g_, equation_.rhs[k])[c],
            sym::EquationKind::Accumulate);
      }
    }
    const sym::Array* mass = denseMatrix(group, offset, rhs);
    result.constant = ofParameters(mass);
    result.dense = mass;
    solveStacked(n, m_.constraints.empty() ? mass : apart(mass, n), rhs, x);
    for (const std::size_t k : group) {
      const FactorEquations& e = equations(k);
      const Expr member = e.index.empty() ? Expr() : e.index[0];
      std::vector<Expr> own(dimension(k));
      for (int c = 0; c < dimension(k); ++c) own[c] = g_.load(x, {position(k, offset[k], member, c)});
      setUnknown(k, sema::fromEntries(g_, factor(k).manifold->algebra(), own));
    }
  }

  /// M over all members of the group's factors, at their offsets, made regular along isotropies, which adds to `rhs`.
  const sym::Array* denseMatrix(const std::vector<std::size_t>& group, const std::vector<std::int64_t>& offset,
                                const sym::Array* rhs) {
    std::int64_t n = 0;
    for (const std::size_t k : group) n += members(k) * dimension(k);
    const sym::Array* raw = g_.newArray("M.kinetic", {n, n}, sym::Shape::scalar(), sym::Role::Temp);
    const sym::Array* mass = g_.newArray("M", {n, n}, sym::Shape::scalar(), sym::Role::Temp);
    for (const std::size_t j : group) assemble(group, j, offset, raw);
    copyMatrix(raw, mass, n);
    for (const std::size_t k : group) gaugeDense(k, offset[k], raw, mass, rhs);
    return mass;
  }

  /// The columns of factor j: one forward pass per component, over all members j' at once.
  void assemble(const std::vector<std::size_t>& group, std::size_t j, const std::vector<std::int64_t>& offset,
                const sym::Array* raw) {
    const Expr column = factor(j).extent > 0 ? g_.newIndex("j") : Expr();
    for (int c = 0; c < dimension(j); ++c) {
      sym::Tangent t(p_, memberLoop(j, column));
      seedUnit(t, j, c, column);
      for (const std::size_t k : group) {
        if (reach_[k][j] == Reach::None) continue;
        const FactorEquations& e = equations(k);
        if (const Expr s = k == j ? isotropicBlock(k) : Expr()) {
          const Expr place = position(k, offset[k], column, c);
          const Expr number = column ? at({s}, e.index, {column})[0] : s;
          set(raw, memberLoop(j, column), {place, place}, number, sym::EquationKind::Accumulate);
          continue;
        }
        const Expr row = e.index.empty() ? Expr() : e.index[0];
        sema::Tuple d;
        for (const Expr& mu : e.momentum) d.push_back(s_.simplify(t.of(mu)));
        const std::vector<Expr> list = sema::entries(g_, d);
        for (int a = 0; a < dimension(k); ++a) {
          std::vector<sym::Loop> loops = memberLoop(j, column);
          const std::vector<sym::Loop> rows = memberLoop(k, row);
          loops.insert(loops.end(), rows.begin(), rows.end());
          set(raw, loops, {position(k, offset[k], row, a), position(j, offset[j], column, c)}, list[a],
              sym::EquationKind::Accumulate);
        }
      }
    }
  }

  void gaugeDense(std::size_t k, std::int64_t offset, const sym::Array* raw, const sym::Array* mass,
                  const sym::Array* rhs) {
    const FactorEquations& e = equations(k);
    const Expr member = e.index.empty() ? Expr() : e.index[0];
    const int dim = dimension(k);
    if (isotropicBlock(k)) return;
    const std::vector<Gauge> gauges = gaugesOf(s_, k, e.index, equation_.unknown);
    if (gauges.empty()) return;
    const Expr size = isotropyScale(dim, [&](int a, int b) {
      if (reach_[k][k] == Reach::None) return g_.number(0);
      return g_.load(raw, {position(k, offset, member, a), position(k, offset, member, b)});
    });
    if (static_cast<std::int64_t>(gauges.size()) * dim * dim > writtenOutGauges) {
      const Expr before = g_.sub(position(k, offset, member, 0), g_.integer(1));
      return addGauges(p_, gauges, size, memberLoop(k, member), before, mass, rhs);
    }
    for (const Gauge& gauge : gauges) {
      const Expr s = g_.div(size, gauge.square);
      for (int a = 0; a < dim; ++a) {
        const Expr row = position(k, offset, member, a);
        for (int b = 0; b < dim; ++b) {
          set(mass, memberLoop(k, member), {row, position(k, offset, member, b)},
              g_.mul(s, g_.mul(gauge.normal[a], gauge.normal[b])), sym::EquationKind::Accumulate);
        }
        if (rhs == nullptr || gauge.rate->isZero()) continue;
        set(rhs, memberLoop(k, member), {row}, g_.neg(g_.mul(g_.mul(s, gauge.rate), gauge.normal[a])),
            sym::EquationKind::Accumulate);
      }
    }
  }

  Layer& s_;
  const sema::Model& m_;
  const MassEquation& equation_;
  Diagnostics* diagnostics_ = nullptr;
  std::size_t n_ = 0;
  std::vector<sema::Tuple> massTimes_; ///< M v of each factor, for v = `direction`
  std::vector<sema::ArrayTuple> solution_;
  std::vector<std::optional<Expr>> ownNumber_;
  std::vector<MassGroup> groups_;
  std::vector<std::size_t> parent_;
  std::vector<std::vector<Reach>> reach_;
};

} // namespace

void solveAccelerations(System& system, Layer& layer, Diagnostics& diagnostics) {
  MassEquation equation{{}, MassUnknown::Acceleration};
  for (const FactorEquations& e : system.factors) equation.rhs.push_back(e.rhs);
  MassSolver(layer, equation).accelerations(system, diagnostics);
}

std::vector<sema::ArrayTuple> solveMass(Layer& layer, const MassEquation& equation) {
  return MassSolver(layer, equation).unknowns();
}

} // namespace lmc::mechanics
