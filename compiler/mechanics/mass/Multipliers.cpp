#include "mechanics/mass/Multipliers.h"

#include "mechanics/mass/Surroundings.h"
#include "mechanics/system/Equations.h"
#include "sema/manifolds/Generator.h"
#include "sym/Elements.h"

#include <algorithm>

namespace lmc::mechanics {

using sym::Expr;
using sym::Graph;

namespace {

/// Of nodes that the written out Lagrangian may have.
constexpr std::size_t largestLagrangian = 20000;
/// Of nodes that a written out force may have: more are computed once, as they stand.
constexpr std::size_t largestForce = 500;

/// A member of a factor: a point in the space around it, and the equations that hold it there.
struct Member : HeldPoint {
  std::size_t factor = 0;
  std::vector<Expr> index;    ///< of its arrays
  Expr pointValue, rateValue; ///< of the state
  Expr force;                 ///< F
};

/// A row of K: a whole point where K consists of numbers times identities, else one coordinate.
struct Slot {
  std::size_t member = 0;
  int entry = -1; ///< the coordinate, or -1: all
};

class Multipliers {
public:
  Multipliers(Layer& s, const std::vector<std::size_t>& group)
      : s_(s), m_(s.model), p_(s.program()), g_(p_.graph()), group_(group) {}

  std::optional<MultiplierSolution> run(const std::vector<sema::ArrayTuple>& unknowns) {
    for (const std::size_t k : group_) {
      if (!addMembers(k)) return {};
    }
    int equations = 0;
    for (const Member& m : members_) equations += static_cast<int>(m.normals.size());
    if (equations == 0 || !writeLagrangian() || !findMatrix()) return {};
    findForces();
    return solve(equations, unknowns);
  }

private:
  // ---- members and their manifolds

  bool addMembers(std::size_t k) {
    const sema::Factor& f = m_.factors[k];
    for (std::int64_t i = 1; i <= std::max<std::int64_t>(f.extent, 1); ++i) {
      const auto held = heldPoint(s_, f);
      if (!held) return false;
      Member m;
      static_cast<HeldPoint&>(m) = *held;
      m.factor = k;
      if (f.extent > 0) m.index = {g_.integer(i)};
      m.pointValue = g_.load(f.point[0], m.index);
      m.rateValue = rateOf(s_, k, m.index)[0];
      members_.push_back(std::move(m));
    }
    return true;
  }

  // ---- the Lagrangian as a function of q and q'

  bool writeLagrangian() {
    std::unordered_map<const sym::Node*, Expr> stand; // what the variables stand for
    std::unordered_map<const sym::Array*, bool> own;  // velocities of the group
    for (const Member& m : members_) {
      const sema::Factor& f = m_.factors[m.factor];
      stand[m.pointValue.node()] = g_.load(m.point);
      for (const sema::ArrayTuple& velocity : {f.velocity, f.usedVelocity}) {
        const sema::Tuple xi = sema::loads(g_, velocity, m.index);
        // The points in it are replaced before it is met.
        const sema::Tuple rate = sema::generator(p_, *f.manifold, f.frame, {g_.load(m.point)}, xi);
        stand[rate[0].node()] = g_.load(m.rate);
        for (const sym::Array* a : velocity) own[a] = true;
      }
    }
    sym::Elements elements(
        p_,
        [&](Expr e) {
          if (const auto it = stand.find(e.node()); it != stand.end()) return it->second;
          return e->op == sym::Op::Load && own.contains(e->array) ? e : Expr();
        },
        largestLagrangian);
    lagrangian_ = elements(m_.lagrangian);
    return lagrangian_ && !sym::contains(lagrangian_, [&](const sym::Node& n) { return own.contains(n.array); });
  }

  sema::Tuple slopes(Expr value, const sym::Array* Member::*variable) {
    std::vector<const sym::Array*> arrays;
    for (const Member& m : members_) arrays.push_back(m.*variable);
    return sema::transposed(p_, {value}, arrays, {g_.number(1)});
  }

  // ---- K

  bool findMatrix() {
    momenta_ = slopes(lagrangian_, &Member::rate);
    std::vector<std::vector<Expr>> rows; // all entries
    for (std::size_t b = 0; b < members_.size(); ++b) {
      const sym::Shape shape = members_[b].rate->shape;
      for (int c = 0; c < shape.size(); ++c) {
        sym::Tangent t(p_);
        const Expr direction = shape.rank == 0 ? g_.number(1) : g_.basis(shape.size(), g_.integer(c + 1));
        t.seed(members_[b].rate, [direction](const std::vector<Expr>&) { return direction; });
        rows.emplace_back();
        for (const Expr& momentum : momenta_) {
          const Expr change = t.of(momentum);
          if (!change->parametric) return false;
          for (int r = 0; r < momentum->shape.size(); ++r) rows.back().push_back(coordinate(g_, change, r));
        }
      }
    }
    chooseSlots(rows);
    return invert(rows);
  }

  void chooseSlots(const std::vector<std::vector<Expr>>& rows) {
    const int width = members_[0].rate->shape.size();
    bool whole = true;
    for (const Member& m : members_) whole = whole && m.rate->shape == members_[0].rate->shape;
    for (std::size_t i = 0; whole && i < rows.size(); ++i) {
      for (std::size_t j = 0; whole && j < rows.size(); ++j) {
        const std::size_t a = i % width;
        const std::size_t b = j % width;
        whole = a == b ? rows[i][j] == rows[i - a][j - a] : rows[i][j]->isZero();
      }
    }
    for (std::size_t k = 0; k < members_.size(); ++k) {
      const int count = whole ? 1 : members_[k].rate->shape.size();
      for (int c = 0; c < count; ++c) slots_.push_back({k, whole ? -1 : c});
    }
    stride_ = whole ? width : 1;
  }

  /// K^-1, of numbers between slots. False if a coordinate carries no kinetic energy.
  bool invert(const std::vector<std::vector<Expr>>& rows) {
    const std::size_t n = slots_.size();
    std::vector<Expr> k;
    for (std::size_t i = 0; i < n; ++i) {
      if (rows[i * stride_][i * stride_]->isZero()) return false;
      for (std::size_t j = 0; j < n; ++j) k.push_back(rows[i * stride_][j * stride_]);
    }
    const int size = static_cast<int>(n);
    matrix_ = g_.matrix(size, size, k);
    const Expr inverse =
        defined("K^-1", n == 1 ? g_.div(g_.number(1), k[0]) : g_.solve(matrix_, g_.identity(size), true));
    for (int i = 0; i < size; ++i) {
      for (int j = 0; j < size; ++j)
        inverse_.push_back(n == 1 ? inverse : g_.entry(inverse, std::max(i, j), std::min(i, j)));
    }
    return true;
  }

  /// A load of a new array with this value.
  Expr defined(const std::string& name, Expr value) {
    const sym::Array* a = g_.newArray(name, {}, value->shape, sym::Role::Temp);
    define(p_, a, 0, {}, value);
    return g_.load(a);
  }

  // ---- forces

  void findForces() {
    const sema::Tuple slope = slopes(lagrangian_, &Member::point);
    sym::Tangent flow(p_); // along the motion, at q'' = 0
    for (const Member& m : members_)
      flow.seed(m.point, [this, &m](const std::vector<Expr>&) { return g_.load(m.rate); });
    seedMotion(s_, flow, group_);
    const ExternalForces external(s_);
    for (std::size_t b = 0; b < members_.size(); ++b) {
      const Expr own = ofState(g_.sub(slope[b], flow.of(momenta_[b])));
      members_[b].force = g_.add(own, externalForce(members_[b], external));
    }
  }

  /// In terms of the state instead of the variables that stand for it.
  Expr ofState(Expr e) {
    std::vector<const sym::Array*> variables;
    sema::Tuple values;
    for (const Member& m : members_) {
      variables.insert(variables.end(), {m.point, m.rate});
      values.insert(values.end(), {m.pointValue, m.rateValue});
    }
    return s_.simplify(sema::replaceArrays(g_, {e}, variables, values)[0]);
  }

  Expr externalForce(const Member& m, const ExternalForces& external) {
    Expr force = surroundingForce(s_, external, m.factor);
    const std::vector<Expr>& index = s_.system.factors[m.factor].index;
    if (!index.empty()) {
      sym::Substitution at(g_, [&](const sym::Node& n, const std::vector<Expr>&) {
        return &n == index[0].node() ? m.index[0] : Expr();
      });
      force = at(force);
    }
    sym::Elements elements(
        p_, [](Expr) { return Expr(); }, largestForce);
    const Expr written = elements(force); // so that a vector in several of them is seen to be one
    return written ? s_.simplify(written) : force;
  }

  // ---- multipliers and accelerations

  Expr at(Expr vector, const Slot& s) { return s.entry < 0 ? vector : coordinate(g_, vector, s.entry); }

  Expr product(Expr a, Expr b) { return a->shape.rank == 0 ? g_.mul(a, b) : s_.simplify(g_.inner(a, b)); }

  Expr inverse(std::size_t i, std::size_t j) const { return inverse_[i * slots_.size() + j]; }

  struct Equation {
    std::size_t member = 0;
    Expr normal, curvature, multiplier;
  };

  /// A force as a sum of vectors with coefficients that parameters decide.
  using Terms = std::vector<std::pair<Expr, Expr>>; ///< vector, coefficient

  void gather(Expr e, Expr coefficient, Terms& terms) {
    if (e->isZero()) return;
    if (e->op == sym::Op::Add) {
      for (const Expr& term : e->args) gather(term, coefficient, terms);
      return;
    }
    if (e->op == sym::Op::Mul && e->args[0]->parametric)
      return gather(e->args[1], g_.mul(coefficient, e->args[0]), terms);
    const auto it = std::find_if(terms.begin(), terms.end(), [&](const auto& t) { return t.first == e; });
    if (it == terms.end())
      terms.emplace_back(e, coefficient);
    else
      it->second = g_.add(it->second, coefficient);
  }

  /// K^-1 F of each slot: every vector once, with coefficients that are found once per run. These solve equations with
  /// K: a product with K^-1 would lose what the condition of K is.
  std::vector<Expr> freeAccelerations() {
    const std::size_t n = slots_.size();
    std::vector<Terms> terms(n);
    std::vector<Expr> vectors;
    for (std::size_t j = 0; j < n; ++j) {
      gather(at(members_[slots_[j].member].force, slots_[j]), g_.number(1), terms[j]);
      for (const auto& [vector, coefficient] : terms[j]) {
        if (std::find(vectors.begin(), vectors.end(), vector) == vectors.end()) vectors.push_back(vector);
      }
    }
    std::vector<Expr> columns(n * vectors.size(), g_.number(0));
    for (std::size_t j = 0; j < n; ++j) {
      for (const auto& [vector, coefficient] : terms[j]) {
        const auto place = std::find(vectors.begin(), vectors.end(), vector) - vectors.begin();
        columns[j * vectors.size() + static_cast<std::size_t>(place)] = coefficient;
      }
    }
    const int count = static_cast<int>(vectors.size());
    std::vector<Expr> free;
    for (std::size_t i = 0; i < n; ++i) free.push_back(g_.zero(at(members_[slots_[i].member].force, slots_[i])->shape));
    if (count == 0) return free;
    const Expr solution = defined("K^-1 F", g_.solve(matrix_, g_.matrix(static_cast<int>(n), count, columns), true));
    for (std::size_t i = 0; i < n; ++i) {
      for (int v = 0; v < count; ++v)
        free[i] =
            g_.add(free[i], g_.mul(g_.entry(solution, static_cast<int>(i), v), vectors[static_cast<std::size_t>(v)]));
    }
    return free;
  }

  MultiplierSolution solve(int count, const std::vector<sema::ArrayTuple>& unknowns) {
    const std::vector<Expr> free = freeAccelerations();
    std::vector<Equation> equations;
    for (std::size_t b = 0; b < members_.size(); ++b) {
      for (std::size_t c = 0; c < members_[b].normals.size(); ++c)
        equations.push_back({b, ofState(members_[b].normals[c]), ofState(members_[b].curvatures[c]), {}});
    }
    const Expr matrix = findMultipliers(equations, free);

    MultiplierSolution result;
    result.multipliers = count;
    result.constant = ofParameters(matrix);
    for (std::size_t b = 0; b < members_.size(); ++b) {
      define(p_, unknowns[members_[b].factor][0], 0, members_[b].index, acceleration(b, equations, free)[0]);
    }
    return result;
  }

  [[nodiscard]] static bool ofParameters(Expr matrix) { // K^-1 is
    const auto reads = sym::reads(matrix);
    return std::all_of(reads.begin(), reads.end(),
                       [](const sym::Array* a) { return a->role == sym::Role::Param || a->role == sym::Role::Temp; });
  }

  /// Solves (N K^-1 N^T) lam = -curvature - N K^-1 F; returns the matrix.
  Expr findMultipliers(std::vector<Equation>& equations, const std::vector<Expr>& free) {
    const int count = static_cast<int>(equations.size());
    std::vector<Expr> s;
    std::vector<Expr> rhs;
    for (const Equation& c : equations) {
      Expr r = g_.neg(c.curvature);
      for (std::size_t i = 0; i < slots_.size(); ++i) {
        if (slots_[i].member == c.member) r = g_.sub(r, product(at(c.normal, slots_[i]), free[i]));
      }
      rhs.push_back(r);
      for (const Equation& d : equations) s.push_back(coupling(c, d));
    }
    const Expr matrix = g_.matrix(count, count, s);
    const Expr solution = defined("lam", count == 1 ? g_.div(rhs[0], s[0]) : g_.solve(matrix, g_.vector(rhs), true));
    for (int c = 0; c < count; ++c) equations[c].multiplier = count == 1 ? solution : g_.entry(solution, c);
    return matrix;
  }

  Expr coupling(const Equation& c, const Equation& d) {
    Expr sum = g_.number(0);
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i].member != c.member) continue;
      for (std::size_t j = 0; j < slots_.size(); ++j) {
        if (slots_[j].member != d.member) continue;
        sum = g_.add(sum, g_.mul(inverse(i, j), product(at(c.normal, slots_[i]), at(d.normal, slots_[j]))));
      }
    }
    return sum;
  }

  /// xi' of a member. Its own multipliers push along normals, which T does not see, if K couples whole points.
  sema::Tuple acceleration(std::size_t b, const std::vector<Equation>& equations, const std::vector<Expr>& free) {
    const Member& m = members_[b];
    std::vector<Expr> parts;
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i].member != b) continue;
      Expr sum = free[i];
      for (const Equation& c : equations) {
        if (c.member == b && slots_[i].entry < 0) continue;
        for (std::size_t j = 0; j < slots_.size(); ++j) {
          if (slots_[j].member != c.member) continue;
          sum = g_.add(sum, g_.mul(g_.mul(inverse(i, j), c.multiplier), at(c.normal, slots_[j])));
        }
      }
      parts.push_back(sum);
    }
    const bool single = slots_[0].entry < 0 || m.rate->shape.rank == 0;
    const Expr change = single ? parts[0] : g_.vector(parts);
    return accelerationOf(s_, m.factor, m.index, {change});
  }

  Layer& s_;
  const sema::Model& m_;
  sym::Program& p_;
  Graph& g_;
  const std::vector<std::size_t>& group_;
  std::vector<Member> members_;
  Expr lagrangian_;
  sema::Tuple momenta_; ///< dL/dq' of each member
  std::vector<Slot> slots_;
  std::size_t stride_ = 1;    ///< coordinates of a slot
  Expr matrix_;               ///< K
  std::vector<Expr> inverse_; ///< K^-1, by rows
};

} // namespace

std::optional<MultiplierSolution> solveByMultipliers(Layer& layer, const std::vector<std::size_t>& group,
                                                     const std::vector<sema::ArrayTuple>& unknowns) {
  return Multipliers(layer, group).run(unknowns);
}

} // namespace lmc::mechanics
