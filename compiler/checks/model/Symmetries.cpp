#include "checks/model/Symmetries.h"

#include "checks/states/NullSpace.h"
#include "mechanics/Cotangent.h"
#include "mechanics/system/Equations.h"
#include "sema/manifolds/Generator.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace lmc::checks {

using sym::Expr;

namespace {

/// Families up to this size have candidates for each member.
constexpr std::int64_t membersApart = 8;
/// Combinations of quantities below this fraction of their sizes are constant.
constexpr double vanishing = 1e-9;
/// States beyond the number of candidates.
constexpr Eigen::Index spareStates = 8;

/// n unit elements of an algebra.
std::vector<sema::Tuple> units(sym::Graph& g, const sema::Manifold& m) {
  std::vector<sema::Tuple> list;
  for (int k = 0; k < m.algebraSize(); ++k) list.push_back(sema::unit(g, m.algebra(), k));
  return list;
}

} // namespace

Symmetries::Symmetries(StateSpace& space) : s_(space), p_(space.layer().program()), g_(p_.graph()) {
  const mechanics::System& system = s_.system();
  const std::vector<sema::ArrayTuple> momenta = system.model->lagrangian || system.model->hamiltonian
                                                    ? mechanics::momentumArrays(s_.layer())
                                                    : std::vector<sema::ArrayTuple>{};
  for (std::size_t k = 0; k < s_.variables().size(); ++k) {
    const Variable& v = s_.variables()[k];
    if (v.isFactor()) {
      if (!momenta.empty()) addMomenta(k, momenta[v.index]);
      continue;
    }
    const std::vector<Expr> index = v.extent > 0 ? std::vector<Expr>{g_.newIndex("i")} : std::vector<Expr>{};
    addGroup(k, Motion::Linear, index, sema::entries(g_, sema::loads(g_, system.model->states[v.index].point, index)));
  }
  defineChanges();
}

void Symmetries::addMomenta(std::size_t variable, const sema::ArrayTuple& momentum) {
  const Variable& v = s_.variables()[variable];
  const sema::Manifold& m = *v.manifold;
  const std::vector<Expr> index = v.extent > 0 ? std::vector<Expr>{g_.newIndex("i")} : std::vector<Expr>{};
  const sema::Tuple mu = sema::loads(g_, momentum, index);
  const sema::Tuple point = sema::loads(g_, s_.system().model->factors[v.index].point, index);
  const bool body = m.isGroup() && v.frame == sema::Frame::Body;
  addGroup(variable, body && !v.vector ? Motion::Body : Motion::Space, index, sema::entries(g_, mu));
  if (v.vector) { // the other translations are the same
    const int n = point[0]->shape.rank == 1 ? point[0]->shape.rows : 0;
    if (n == 3) {
      addGroup(variable, Motion::Rotation, index, sema::entries(g_, {g_.cross(point[0], mu[0])}));
    } else if (n == 2) {
      const auto at = [&](Expr x, int k) { return g_.entry(x, k); };
      addGroup(variable, Motion::Rotation, index,
               {g_.sub(g_.mul(at(point[0], 0), at(mu[0], 1)), g_.mul(at(point[0], 1), at(mu[0], 0)))});
    }
    return;
  }
  if (!m.isGroup()) return;
  const sema::Tuple element = body ? mechanics::required(m, "inverse", {point}) : point;
  std::vector<Expr> others;
  for (const sema::Tuple& e : units(g_, m)) others.push_back(sema::pairing(g_, mu, mechanics::adjoint(m, element, e)));
  addGroup(variable, body ? Motion::Space : Motion::Body, index, others);
}

void Symmetries::addGroup(std::size_t variable, Motion motion, const std::vector<Expr>& index,
                          const std::vector<Expr>& list) {
  const Variable& v = s_.variables()[variable];
  const int n = static_cast<int>(list.size());
  const sym::Array* a =
      g_.newArray("J." + v.name, mechanics::memberExtents(v.extent), sym::Shape::vec(n), sym::Role::Temp);
  mechanics::define(p_, a, v.extent, index, g_.vector(list));
  groups_.push_back({variable, motion, list.size(), size_, size_});
  size_ += static_cast<std::size_t>(a->size());
  values_.push_back(a);
}

/// The derivatives of all candidates, and of the energy, along the motion.
void Symmetries::defineChanges() {
  const mechanics::System& system = s_.system();
  const sema::Model& m = *system.model;
  sym::Tangent along(p_);
  along.seed(m.time, [this](const std::vector<Expr>&) { return g_.number(1); });
  const auto seedPoint = [&](const sema::Manifold& manifold, sema::Frame frame, const sema::ArrayTuple& point,
                             const sema::ArrayTuple& rate) {
    for (std::size_t part = 0; part < point.size(); ++part) {
      along.seed(point[part], [this, &manifold, frame, &point, &rate, part](const std::vector<Expr>& index) {
        return sema::generator(p_, manifold, frame, sema::loads(g_, point, index), sema::loads(g_, rate, index))[part];
      });
    }
  };
  const auto seedVector = [&](const sema::ArrayTuple& vector, const sema::ArrayTuple& rate) {
    for (std::size_t part = 0; part < vector.size(); ++part)
      along.seed(vector[part], [this, a = rate[part]](const std::vector<Expr>& index) { return g_.load(a, index); });
  };
  for (std::size_t k = 0; k < m.factors.size(); ++k) {
    const sema::Factor& f = m.factors[k];
    seedPoint(*f.manifold, f.frame, f.point, f.rate);
    seedVector(f.velocity, system.factors[k].acceleration);
  }
  for (const sema::StateVariable& z : m.states)
    if (!z.dual) seedPoint(*z.manifold, z.frame, z.point, z.flow);
  for (const mechanics::DualEquations& e : system.duals) seedVector(m.states[e.state].point, e.derivative);

  sema::ArrayTuple changes;
  for (std::size_t k = 0; k < groups_.size(); ++k) {
    const Variable& v = s_.variables()[groups_[k].variable];
    const std::vector<Expr> index = v.extent > 0 ? std::vector<Expr>{g_.newIndex("i")} : std::vector<Expr>{};
    changes.push_back(g_.newArray("dJ." + v.name, values_[k]->extents, values_[k]->shape, sym::Role::Temp));
    mechanics::define(p_, changes.back(), v.extent, index, along.of(g_.load(values_[k], index)));
  }
  value_ = s_.functions().function("momentum maps", values_);
  change_ = s_.functions().function("changes of momentum maps", changes);
  if (system.energy == nullptr) return;
  const sym::Array* change = g_.newArray("dE", {}, sym::Shape::scalar(), sym::Role::Temp);
  mechanics::define(p_, change, 0, {}, along.of(g_.load(system.energy)));
  const sym::Array* energy = g_.newArray("E", {}, sym::Shape::scalar(), sym::Role::Temp);
  mechanics::define(p_, energy, 0, {}, g_.load(system.energy));
  const sym::Array* lagrangian = g_.newArray("L", {}, sym::Shape::scalar(), sym::Role::Temp);
  mechanics::define(p_, lagrangian, 0, {}, m.lagrangian ? m.lagrangian : g_.number(0));
  energy_ = s_.functions().function("energy and its change", {energy, change, lagrangian});
}

std::vector<Candidate> Symmetries::candidates() const {
  std::vector<Candidate> list;
  for (std::size_t k = 0; k < groups_.size(); ++k) {
    const Variable& v = s_.variables()[groups_[k].variable];
    const std::int64_t last = v.extent > membersApart ? 0 : v.extent;
    for (std::int64_t member = last > 0 ? 1 : 0; member <= last; ++member)
      for (std::size_t entry = 0; entry < groups_[k].entries; ++entry) list.push_back({k, entry, member});
  }
  return list;
}

/// The value of a candidate, from those of all members; the sum of their absolute values.
Reading Symmetries::reading(const Candidate& c, const std::vector<double>& numbers) const {
  const CandidateGroup& group = groups_[c.group];
  const std::int64_t members = s_.variables()[group.variable].members();
  Reading r;
  for (std::int64_t i = 0; i < members; ++i) {
    if (c.member > 0 && c.member != i + 1) continue;
    const double x = numbers[group.values + static_cast<std::size_t>(i) * group.entries + c.entry];
    r.value += x;
    r.size += std::abs(x);
  }
  return r;
}

/// Values and derivatives of all candidates at random states, by rows; derivatives per rate of the motion.
struct Symmetries::Samples {
  Samples(Eigen::Index rows, Eigen::Index columns)
      : values(rows, columns), changes(rows, columns), sizes(Eigen::VectorXd::Zero(columns)),
        doubts(Eigen::VectorXd::Zero(columns)) {}
  Eigen::MatrixXd values, changes;
  Eigen::VectorXd sizes;  ///< largest sizes
  Eigen::VectorXd doubts; ///< what rounding the state changes of the derivatives, at most
};

std::optional<Symmetries::Samples> Symmetries::sample(const std::vector<Candidate>& all, const State& y, double from,
                                                      double to, std::mt19937_64& engine) {
  const auto columns = static_cast<Eigen::Index>(all.size());
  Samples s(columns + spareStates, columns);
  std::uniform_real_distribution<double> time(from, to);
  Eigen::Index rejected = 0;
  for (Eigen::Index row = 0; row < s.values.rows();) {
    const double t = time(engine);
    const State near = s_.near(y, t, engine);
    const double rate = s_.rate(near, s_.field(near, t));
    const std::vector<double> value = s_.call(value_, near, t), change = s_.call(change_, near, t);
    const std::vector<double> other = s_.call(change_, StateSpace::rounded(near, row % 2 == 0 ? 1 : -1), t);
    if (!finite(value) || !finite(change) || !finite(other)) { // outside of the domain of the model
      if (++rejected > s.values.rows()) return std::nullopt;
      continue;
    }
    for (Eigen::Index k = 0; k < columns; ++k) {
      const Candidate& c = all[static_cast<std::size_t>(k)];
      const Reading r = reading(c, value);
      s.values(row, k) = r.value;
      s.sizes(k) = std::max(s.sizes(k), r.size);
      s.changes(row, k) = reading(c, change).value / rate;
      s.doubts(k) = std::max(s.doubts(k), std::abs(reading(c, other).value / rate - s.changes(row, k)));
    }
    ++row;
  }
  s.sizes = (s.sizes.array() > 0).select(s.sizes, 1.0);
  return s;
}

namespace {

/// Takes the scales of the candidates out of a basis of combinations, and says how large coefficients then are: of a
/// kind of motion of one variable the power of two next to the largest. Of a kind that takes no part but by round-off
/// it is that of all, so that round-off stays small.
Eigen::VectorXd unitsOf(Eigen::MatrixXd& null, const std::vector<Eigen::Index>& kept, const Eigen::VectorXd& scale,
                        const std::vector<std::size_t>& groups) {
  constexpr double roundOff = 1e-10;
  std::map<std::size_t, double> part, largest;
  double most = 0;
  for (std::size_t k = 0; k < kept.size() && null.cols() > 0; ++k) {
    auto row = null.row(static_cast<Eigen::Index>(k));
    part[groups[k]] = std::max(part[groups[k]], row.cwiseAbs().maxCoeff());
    row *= scale(kept[k]);
    largest[groups[k]] = std::max(largest[groups[k]], row.cwiseAbs().maxCoeff());
    most = std::max(most, largest[groups[k]]);
  }
  Eigen::VectorXd units(static_cast<Eigen::Index>(kept.size()));
  for (std::size_t k = 0; k < kept.size(); ++k) {
    const double size = part[groups[k]] > roundOff ? largest[groups[k]] : most;
    units(static_cast<Eigen::Index>(k)) = size > 0 ? std::exp2(std::round(std::log2(size))) : 1;
  }
  return units;
}

} // namespace

std::vector<Conserved> Symmetries::find(const State& y, double from, double to, std::mt19937_64& engine,
                                        std::vector<std::string>& undecided) {
  const std::vector<Candidate> all = candidates();
  const std::optional<Samples> samples = sample(all, y, from, to, engine);
  if (!samples) return {};
  const auto& [values, changes, sizes, doubts] = *samples;
  const Eigen::Index rows = values.rows();
  const Eigen::VectorXd scale = sizes.cwiseInverse();
  std::vector<Eigen::Index> kept = independentFunctions(values * scale.asDiagonal(), vanishing);
  double doubt = 0;
  std::erase_if(kept, [&, &changed = changes, &rounding = doubts](Eigen::Index k) {
    const double own = rounding(k) * scale(k);
    const bool hidden = Deviation::tolerance(own) > coarsest;
    if (!hidden) doubt = std::max(doubt, own);
    // Of what changes by far more, it is known that it is not conserved, alone.
    if (hidden && changed.col(k).cwiseAbs().maxCoeff() * scale(k) <= Deviation::tolerance(own))
      undecided.push_back(describe(s_, groups_, {{all[static_cast<std::size_t>(k)], 1.0}}));
    return hidden;
  });
  Eigen::MatrixXd own(rows, static_cast<Eigen::Index>(kept.size()));
  for (std::size_t k = 0; k < kept.size(); ++k)
    own.col(static_cast<Eigen::Index>(k)) = changes.col(kept[k]) * scale(kept[k]);
  Eigen::MatrixXd null = nullSpace(own, Deviation::tolerance(doubt));
  std::vector<std::size_t> groupOf;
  for (const Eigen::Index k : kept) groupOf.push_back(all[static_cast<std::size_t>(k)].group);
  const Eigen::VectorXd units = unitsOf(null, kept, scale, groupOf);
  std::vector<Conserved> result;
  for (const Eigen::VectorXd& c : readableBasis(null, units)) {
    Conserved found;
    for (std::size_t k = 0; k < kept.size(); ++k) {
      const double x = c(static_cast<Eigen::Index>(k));
      if (x == 0) continue;
      found.terms.emplace_back(all[static_cast<std::size_t>(kept[k])], x);
      found.size += std::abs(x) * sizes(kept[k]);
    }
    found.name = describe(s_, groups_, found.terms);
    result.push_back(std::move(found));
  }
  return result;
}

std::vector<Reading> Symmetries::read(const std::vector<Conserved>& list, const State& y, double t) {
  const std::vector<double> numbers = s_.call(value_, y, t);
  std::vector<Reading> result;
  for (const Conserved& c : list) {
    Reading sum;
    for (const auto& [candidate, factor] : c.terms) {
      const Reading r = reading(candidate, numbers);
      sum.value += factor * r.value;
      sum.size += std::abs(factor) * r.size;
    }
    result.push_back(sum);
  }
  return result;
}

std::optional<double> Symmetries::energy(const State& y, double t) {
  if (!energy_) return std::nullopt;
  return s_.call(*energy_, y, t)[0];
}

std::optional<Deviation> Symmetries::energyRate(const State& y, double from, double to, std::mt19937_64& engine) {
  if (!energy_) return std::nullopt;
  std::uniform_real_distribution<double> time(from, to);
  Deviation worst;
  for (Eigen::Index n = 0; n < spareStates; ++n) {
    const double t = time(engine);
    const State near = s_.near(y, t, engine);
    const std::vector<double> numbers = s_.call(*energy_, near, t);
    const double size = std::max(std::abs(numbers[0]), std::abs(numbers[2])) * s_.rate(near, s_.field(near, t));
    double doubt = 0;
    for (const int sign : {1, -1})
      doubt = std::max(doubt, std::abs(s_.call(*energy_, StateSpace::rounded(near, sign), t)[1] - numbers[1]));
    if (numbers[1] != 0 || doubt != 0) worst.include(std::abs(numbers[1]) / size, doubt / size);
  }
  return worst;
}

} // namespace lmc::checks
