#include "products/initial/Consistency.h"

#include "linear/Decompositions.h"
#include "lower/Calculator.h"
#include "methods/phase/Phase.h"
#include "products/initial/Dependence.h"
#include "products/initial/MetricRows.h"
#include "products/initial/SparseRows.h"
#include "unit/builder/UnitBuilder.h"

#include <cmath>
#include <fmt/format.h>
#include <map>
#include <random>

namespace lmc::products {

namespace {

/// What is off by this part of the size of the numbers is moved without a word (docs/language.md, section 6).
constexpr double unsaid = 1e-8;
/// Of the velocities, which depend on the positions, so many times as much.
constexpr double perMovedPosition = 10;
constexpr double exactlyOn = 1e-14, converged = 1e-11;
/// Rows below this part of the largest pivot depend on the others.
constexpr double dependent = 1e-9;
constexpr int mostTurns = 100, mostHalvings = 30;

} // namespace

class Consistency::Impl : private DependenceMessages {
public:
  Impl(mechanics::Layer& layer, const Layout& layout)
      : DependenceMessages(layer.model, *layer.system.constraints), layout_(layout), contacts_(layer.system.contacts),
        calculator_(program(layer)) {}

  std::optional<Result> settle(const std::vector<double>& params, std::vector<double>& state, double t,
                               Diagnostics& diagnostics) {
    std::copy(params.begin(), params.end(), calculator_.at(runtime::Role::Params).begin());
    t_ = t;
    d_ = &diagnostics;
    const double moved = level(state, true, 0);
    if (moved < 0 || level(state, false, moved) < 0) return std::nullopt;
    if (contacts_) {
      const Numbers x = look(state);
      double size = 1;
      for (const double number : state) size = std::max(size, std::abs(number));
      if (!contactsHold(x.gaps, x.allRates, unsaid * size)) return std::nullopt;
    }
    auto result = judge(state);
    if (result && contacts_) result->redundant = true; // whichever contacts will be closed
    return result;
  }

private:
  /// What the functions give at a state.
  struct Numbers {
    ColumnVector value, rate, bias, inactive;
    ColumnVector gaps;                ///< of contacts: c of all rows as if they were closed
    RowMatrix allRates;               ///< and their dd/dxi
    RowMatrix rates, forces, mass;    ///< dd/dxi (dd/dp), B, M
    std::optional<SparseRows> sparse; ///< instead, of many equations
    bool finite = true;
  };

  tape::Module program(mechanics::Layer& layer) {
    sym::Program& p = layer.program();
    unit::UnitBuilder unit(p, false);
    unit.usePivots(lower::Lowering::Pivots::All);
    readModel(unit, m_, layout_);
    unit::UnitBuilder::Outputs outputs;
    const sym::SparseJacobian none;
    const sym::SparseJacobian& s = c_.blocks ? *c_.blocks->matrix : none;
    for (const sym::Array* a :
         {c_.value, c_.rate, c_.bias, c_.inactive, c_.jacobian, c_.force, c_.mass, s.nodes, s.blocks, s.values,
          contacts_ ? contacts_->value : nullptr, contacts_ ? contacts_->jacobian : nullptr}) {
      places_.push_back(-1);
      if (a == nullptr) continue;
      const runtime::Field field = unit.place(runtime::Role::Output, a->name, {a});
      for (const lower::OutputBinding& o : unit::UnitBuilder::into(field, {a})) outputs.push_back(o);
      places_.back() = field.offset;
    }
    // exp(k) y
    methods::Phase phase(layer);
    sema::Tuple k;
    unit::UnitBuilder::Arrays inputs;
    for (const methods::Component& part : phase.algebraSpace()) {
      inputs.push_back(p.graph().newArray("k." + part.name, part.extents(), part.shape, sym::Role::Param));
      k.push_back(p.graph().load(inputs.back(), part.index));
    }
    const runtime::Field move = unit.place(runtime::Role::Constants, "k", inputs);
    unit.reads(inputs, move);
    const sema::ArrayTuple moved = phase.storePoint(phase.act(k, phase.state()), "moved");
    const runtime::Field after = unit.place(unit::numbersField(runtime::Role::Output, "moved", layout_.stateSize));
    moved_ = after.offset;
    unit::UnitBuilder::Outputs written;
    std::size_t next = 0;
    for (const methods::PhaseSlot& slot : phase.slots())
      for (const sym::Array* a : slot.state)
        written.push_back({moved[next++], after.role, after.offset + layout_.of(a).offset});
    std::int64_t offset = move.offset;
    std::size_t part = 0;
    for (std::size_t v = 0; v < m_.order.size(); ++v) {
      const std::size_t own = phase.slots()[v].algebraParts.size();
      if (m_.order[v].isFactor) partOfMove_[m_.order[v].index] = part;
      for (std::size_t i = 0; i < own; ++i, ++part) {
        shapes_.push_back({offset, inputs[part]->shape.size()});
        offset += inputs[part]->size();
      }
    }
    look_ = unit.function("constraints", 1, std::move(outputs));
    move_ = unit.function("move", 1, std::move(written));
    return unit.build().module;
  }

  Numbers look(const std::vector<double>& state) {
    std::copy(state.begin(), state.end(), calculator_.at(runtime::Role::State).begin());
    Numbers x;
    x.finite = calculator_.run(look_, t_) == 0;
    const double* out = calculator_.at(runtime::Role::Output).data();
    const auto vector = [&](std::size_t k) { return Eigen::Map<const ColumnVector>(out + places_[k], c_.rows); };
    const auto matrix = [&](std::size_t k) {
      return Eigen::Map<const RowMatrix>(out + places_[k], c_.rows, c_.columns);
    };
    x.value = vector(0);
    x.rate = vector(1);
    x.bias = vector(2);
    x.inactive = vector(3);
    if (contacts_) {
      x.gaps = vector(10);
      x.allRates = matrix(11);
    }
    x.finite = x.finite && x.value.allFinite() && x.rate.allFinite();
    if (c_.blocks) {
      x.sparse = SparseRows::of(c_, out + places_[7], out + places_[8], out + places_[9]);
      x.finite = x.finite && x.sparse->norms().allFinite();
      return x;
    }
    x.rates = matrix(4);
    x.forces = matrix(5);
    x.mass = RowMatrix::Identity(c_.columns, c_.columns);
    if (c_.mass != nullptr) x.mass = Eigen::Map<const RowMatrix>(out + places_[6], c_.columns, c_.columns);
    x.finite = x.finite && x.rates.allFinite() && x.forces.allFinite();
    return x;
  }

  // --- positions, then velocities ------------------------------------------------------------------------------

  /// How far the state was moved, in units of its numbers; below zero after an error.
  double level(std::vector<double>& state, bool positions, double movedBefore) {
    const std::int64_t rows = positions ? c_.positions : c_.rows;
    if (rows == 0) return 0;
    const std::vector<double> start = state;
    Numbers now = look(state);
    if (!now.finite) return fail(now, positions, "cannot be computed at the initial values");
    const ColumnVector first = residual(now, positions);
    const std::vector<bool> chosen = columns(positions);
    const bool adjust = std::any_of(m_.adjusted.begin(), m_.adjusted.end(),
                                    [&](const sema::AdjustedVariable& a) { return a.fiber == !positions; });
    std::vector<double> best = state;
    for (int turn = 0; turn < mostTurns; ++turn) {
      const ColumnVector c = residual(now, positions);
      if (!(scaled(now, c, positions) > exactlyOn)) break;
      const ColumnVector u = change(now, c, positions, chosen);
      double part = 1;
      bool better = false;
      for (int k = 0; k < mostHalvings && !better; ++k, part /= 2) {
        std::vector<double> next = moved(best, part * u, positions);
        const Numbers then = look(next);
        better = then.finite && residual(then, positions).norm() < c.norm();
        if (!better) continue;
        best = std::move(next);
        now = then;
      }
      if (!better) break;
    }
    const double distance = difference(start, best, positions);
    const ColumnVector left = residual(now, positions);
    const bool reached = scaled(now, left, positions) <= converged;
    const double allowed = unsaid + (positions ? 0 : perMovedPosition * movedBefore);
    if (reached && (adjust || distance <= allowed)) {
      state = best;
      return distance;
    }
    if (!reached) return unreachable(now, left, first, positions, adjust);
    return off(first, start, best, positions);
  }

  [[nodiscard]] ColumnVector residual(const Numbers& x, bool positions) const {
    return positions ? ColumnVector(x.value.head(c_.positions)) : x.rate;
  }

  [[nodiscard]] RowMatrix slopes(const Numbers& x, bool positions) const {
    return positions ? RowMatrix(x.forces.topRows(c_.positions)) : x.rates;
  }

  /// The largest residual in units of what changes of size one make of it.
  [[nodiscard]] double scaled(const Numbers& x, const ColumnVector& c, bool positions) const {
    const ColumnVector norms = x.sparse ? x.sparse->norms() : ColumnVector(slopes(x, positions).rowwise().norm());
    double worst = 0;
    for (Eigen::Index k = 0; k < c.size(); ++k) worst = std::max(worst, std::abs(c[k]) / std::max(1e-3, norms[k]));
    return worst;
  }

  /// Which velocities may change: all, or those that the model names.
  [[nodiscard]] std::vector<bool> columns(bool positions) const {
    std::vector<bool> chosen(static_cast<std::size_t>(c_.columns), false);
    bool any = false;
    for (const sema::AdjustedVariable& a : m_.adjusted) {
      if (a.fiber == positions) continue;
      any = true;
      const sema::Factor& f = m_.factors[a.factor];
      const std::int64_t count = std::max<std::int64_t>(f.extent, 1) * f.manifold->algebraSize();
      for (std::int64_t k = 0; k < count; ++k) chosen[static_cast<std::size_t>(c_.firstColumn[a.factor] + k)] = true;
    }
    if (!any) chosen.assign(chosen.size(), true);
    return chosen;
  }

  [[nodiscard]] ColumnVector change(const Numbers& x, const ColumnVector& c, bool positions,
                                    const std::vector<bool>& chosen) const {
    return x.sparse ? x.sparse->change(c, chosen) : smallestChange(slopes(x, positions), x.mass, c, chosen, dependent);
  }

  /// exp(u) for positions; the sum for velocities.
  std::vector<double> moved(const std::vector<double>& state, const ColumnVector& u, bool positions) {
    std::vector<double> next = state;
    if (!positions) {
      for (std::size_t j = 0; j < m_.factors.size(); ++j)
        eachNumber(j, [&](std::int64_t at, std::int64_t column) { next[static_cast<std::size_t>(at)] += u[column]; });
      return next;
    }
    std::copy(state.begin(), state.end(), calculator_.at(runtime::Role::State).begin());
    std::vector<double>& k = calculator_.at(runtime::Role::Constants);
    std::fill(k.begin(), k.end(), 0.0);
    for (std::size_t j = 0; j < m_.factors.size(); ++j) {
      const sema::Factor& f = m_.factors[j];
      std::int64_t before = 0; // components of the parts so far
      for (std::size_t part = 0; part < f.velocity.size(); ++part) {
        const auto [offset, size] = shapes_[partOfMove_.at(j) + part];
        for (std::int64_t i = 0; i < std::max<std::int64_t>(f.extent, 1); ++i)
          for (std::int64_t e = 0; e < size; ++e)
            k[static_cast<std::size_t>(offset + i * size + e)] =
                u[c_.firstColumn[j] + i * f.manifold->algebraSize() + before + e];
        before += size;
      }
    }
    if (calculator_.run(move_, t_) != 0) return state;
    const double* out = calculator_.at(runtime::Role::Output).data();
    std::copy_n(out + moved_, next.size(), next.begin());
    return next;
  }

  /// Calls `body` with the place in the state and the column of every number of a factor's velocity.
  void eachNumber(std::size_t j, const std::function<void(std::int64_t, std::int64_t)>& body) const {
    const sema::Factor& f = m_.factors[j];
    std::int64_t before = 0;
    for (const sym::Array* a : f.velocity) {
      const std::int64_t size = a->shape.size();
      for (std::int64_t i = 0; i < std::max<std::int64_t>(f.extent, 1); ++i)
        for (std::int64_t e = 0; e < size; ++e)
          body(layout_.of(a).offset + i * size + e, c_.firstColumn[j] + i * f.manifold->algebraSize() + before + e);
      before += size;
    }
  }

  /// The largest change, in units of the largest number of its kind, or of one.
  [[nodiscard]] double difference(const std::vector<double>& a, const std::vector<double>& b, bool positions) const {
    double most = 0, size = 1;
    for (const sema::Factor& f : m_.factors) {
      for (const sym::Array* x : positions ? f.point : f.velocity) {
        const auto first = static_cast<std::size_t>(layout_.of(x).offset);
        for (std::size_t k = first; k < first + static_cast<std::size_t>(x->size()); ++k) {
          most = std::max(most, std::abs(a[k] - b[k]));
          size = std::max(size, std::abs(a[k]));
        }
      }
    }
    return most / size;
  }

  // --- messages ---------------------------------------------------------------------------------------------------

  double fail(const Numbers& x, bool positions, const char* what) {
    const ColumnVector c = residual(x, positions);
    Eigen::Index row = 0;
    for (Eigen::Index k = 0; k < c.size(); ++k) {
      const bool slope = x.sparse ? std::isfinite(x.sparse->norms()[k]) : x.rates.row(k).allFinite();
      if (!std::isfinite(c[k]) || (std::isfinite(c[row]) && !slope)) row = k;
    }
    const sema::Constraint& at = m_.constraints[constraintOf(row)];
    d_->error(Code::LIE0425, at.range, fmt::format("the constraint `{}` {}", at.name, what))
        .note(std::isfinite(c[row])
                  ? "its rate, or its gradient, is not a number there: norm and sqrt have no derivative at 0"
                  : "left - right is not a number there: a divisor, a root or a logarithm may be the reason")
        .suggest("other initial values or parameters");
    return -1;
  }

  double unreachable(const Numbers& x, const ColumnVector& left, const ColumnVector& first, bool positions,
                     bool adjust) {
    const Eigen::Index row = worst(left);
    const sema::Constraint& at = m_.constraints[constraintOf(row)];
    std::vector<Eigen::Index> rest;
    for (Eigen::Index k = 0; k < left.size(); ++k)
      if (std::abs(left[k]) > converged * std::max(1.0, first.cwiseAbs().maxCoeff())) rest.push_back(k);
    const char* const of = positions ? "" : "the rates of ";
    if (rest.size() > 1 && !adjust && dependsOnOthers(x, positions)) {
      d_->error(Code::LIE0424, at.range,
                fmt::format("the constraints contradict each other: {}{} cannot hold together", of, namesOf(rest)))
          .note(
              fmt::format("nearest to the initial values `{}` is missed by {:.3g}", nameOf(row), std::abs(left[row])));
      return -1;
    }
    auto report =
        d_->error(Code::LIE0425, at.range,
                  fmt::format("no {} that satisfy the constraints were found: what remains is {:.3g} in {}{}",
                              positions ? "positions" : "velocities", std::abs(left[row]), of, namesOf(rest)));
    if (adjust)
      report.suggest("name more variables in `initial adjust`, or begin nearer");
    else
      report.suggest("begin nearer");
    return -1;
  }

  /// Do rows that hold depend on each other?
  [[nodiscard]] bool dependsOnOthers(const Numbers& x, bool positions) const {
    const Eigen::Index n = positions ? c_.positions : c_.rows;
    std::vector<Eigen::Index> active;
    for (Eigen::Index k = 0; k < n; ++k)
      if (x.inactive[k] == 0) active.push_back(k);
    if (x.sparse) return x.sparse->dependence(active, dependent, 0).rank < static_cast<Eigen::Index>(active.size());
    const auto [own, l] = inMetric(slopes(x, positions), x.mass, columns(positions));
    return linear::PivotedQR(own.transpose(), dependent).rank() < static_cast<Eigen::Index>(active.size());
  }

  double off(const ColumnVector& first, const std::vector<double>& start, const std::vector<double>& best,
             bool positions) {
    const Eigen::Index row = worst(first);
    const sema::Constraint& at = m_.constraints[constraintOf(row)];
    const bool rate = !positions && !at.velocities;
    std::vector<std::string> values, names;
    for (const sema::Factor& f : m_.factors) {
      const sema::ArrayTuple& arrays = positions ? f.point : f.velocity;
      if (!changes(arrays, start, best)) continue;
      names.push_back(positions ? f.name : f.velocityName);
      if (f.extent > 0) continue;
      const auto& parts = positions ? f.manifold->point() : f.manifold->algebra();
      values.push_back(fmt::format(
          "initial {} = {};", names.back(),
          shownValues(arrays, parts, [&](const sym::Array* a) { return best.data() + layout_.of(a).offset; })));
    }
    auto report = d_->error(Code::LIE0425, at.range,
                            fmt::format("the initial values are off {}`{}`: {} is {:.3g}", rate ? "the rate of " : "",
                                        nameOf(row), rate ? "d/dt (left - right)" : "left - right", first[row]));
    if (!values.empty()) report.note(fmt::format("the nearest values that satisfy it: {}", fmt::join(values, " ")));
    report.suggest(fmt::format("write them, or: initial adjust {};", fmt::join(names, ", ")));
    return -1;
  }

  [[nodiscard]] bool changes(const sema::ArrayTuple& arrays, const std::vector<double>& a,
                             const std::vector<double>& b) const {
    for (const sym::Array* x : arrays) {
      const auto first = static_cast<std::size_t>(layout_.of(x).offset);
      for (std::size_t k = first; k < first + static_cast<std::size_t>(x->size()); ++k)
        if (std::abs(a[k] - b[k]) > exactlyOn * std::max(1.0, std::abs(a[k]))) return true;
    }
    return false;
  }

  // --- rows that depend on each other -------------------------------------------------------------------------------

  std::optional<Result> judge(const std::vector<double>& state) {
    const Numbers x = look(state);
    const std::vector<bool> all(static_cast<std::size_t>(c_.columns), true);
    RowMatrix b;
    if (!x.sparse) b = inMetric(x.forces, x.mass, all).first;
    const ColumnVector norms = x.sparse ? x.sparse->norms() : ColumnVector(b.rowwise().norm());
    std::vector<Eigen::Index> active;
    double largest = 0;
    for (Eigen::Index k = 0; k < c_.rows; ++k) {
      if (x.inactive[k] != 0) continue;
      active.push_back(k);
      largest = std::max(largest, norms[k]);
    }
    for (const Eigen::Index k : active) {
      if (norms[k] > dependent * largest && norms[k] > 0) continue;
      const sema::Constraint& at = m_.constraints[constraintOf(k)];
      d_->error(
            Code::LIE0426, at.range,
            fmt::format("the constraint `{}` has no gradient at the initial state: no force can keep it", nameOf(k)))
          .suggest("write as many equations as the motion loses dimensions; of two unit vectors u, w that shall be one "
                   "line: two components of cross(u, w)");
      return std::nullopt;
    }
    Result result;
    result.freedoms = c_.columns - isotropies();
    if (active.empty()) return result;
    if (x.sparse) return judgeSparse(x, active, result);
    RowMatrix rows(static_cast<Eigen::Index>(active.size()), b.cols());
    for (std::size_t k = 0; k < active.size(); ++k)
      rows.row(static_cast<Eigen::Index>(k)) = b.row(active[k]) / b.row(active[k]).norm();
    const linear::PivotedQR qr(rows.transpose(), dependent);
    result.freedoms -= qr.rank();
    result.redundant = qr.rank() < rows.rows();
    if (result.redundant && !explain(x.bias, rows, b, active, qr)) return std::nullopt;
    if (result.redundant) result.dependent = alwaysDependent(state, x);
    return result;
  }

  /// Compares with a state nearby that has no symmetry.
  [[nodiscard]] std::map<std::int64_t, std::int64_t> alwaysDependent(const std::vector<double>& state,
                                                                     const Numbers& here) {
    std::mt19937_64 engine(1);
    std::normal_distribution<double> normal;
    ColumnVector u(c_.columns);
    for (double& k : u) k = normal(engine);
    const std::vector<bool> all(static_cast<std::size_t>(c_.columns), true);
    for (const double reach : {0.05, 0.01, 0.002}) {
      std::vector<double> near = moved(state, reach * u, true);
      Numbers x = look(near);
      for (int turn = 0; turn < mostTurns && x.finite; ++turn) {
        const ColumnVector c = residual(x, true);
        if (!(scaled(x, c, true) > exactlyOn)) break;
        std::vector<double> next = moved(near, change(x, c, true, all), true);
        const Numbers then = look(next);
        if (!then.finite || !(residual(then, true).norm() < c.norm())) break;
        near = std::move(next);
        x = then;
      }
      if (!x.finite || (c_.positions > 0 && scaled(x, residual(x, true), true) > converged)) continue;
      std::map<std::int64_t, std::int64_t> both;
      for (const std::int64_t first : {c_.positions, c_.rows})
        if (first > 0)
          both[first] = std::min(dependentRows(here.forces, here.mass, here.inactive, first, dependent),
                                 dependentRows(x.forces, x.mass, x.inactive, first, dependent));
      return both;
    }
    return {};
  }

  std::optional<Result> judgeSparse(const Numbers& x, const std::vector<Eigen::Index>& active, Result result) {
    constexpr std::size_t most = 6;
    const SparseRows::Dependence d = x.sparse->dependence(active, dependent, most);
    result.freedoms -= d.rank;
    result.redundant = !d.follow.empty();
    if (!result.redundant) return result;
    std::vector<std::string> notes;
    for (std::size_t k = 0; k < d.part.size(); ++k) {
      const Eigen::Index own = d.follow[k];
      std::vector<Eigen::Index> others;
      double bias = x.bias[own] / d.length[own], size = std::abs(bias);
      for (const Eigen::Index i : active) {
        if (std::abs(d.part[k][i]) <= worthAName) continue;
        others.push_back(i);
        const double term = d.part[k][i] * x.bias[i] / d.length[i];
        bias -= term;
        size = std::max(size, std::abs(term));
      }
      if (std::abs(bias) > worthAName * std::max(1.0, size)) {
        contradict(own, others);
        return std::nullopt;
      }
      notes.push_back(fmt::format("`{}` follows from {}", nameOf(own), namesOf(others)));
    }
    warn(d.follow, static_cast<Eigen::Index>(active.size()), notes,
         "the motion is determined; the multipliers are not, and those of these equations are zero; long steps may "
         "take them for independent: leave them out");
    return result;
  }

  const Layout& layout_;
  std::shared_ptr<const mechanics::ContactEquations> contacts_; ///< null without
  std::vector<std::int64_t> places_;
  std::map<std::size_t, std::size_t> partOfMove_; ///< by factors: the first part of their velocity in the algebra
  std::vector<std::pair<std::int64_t, std::int64_t>> shapes_; ///< of parts of the algebra: offset, numbers of a member
  std::int64_t moved_ = 0;                                    ///< where the function `move` writes
  int look_ = -1, move_ = -1;
  lower::Calculator calculator_;
  double t_ = 0;
};

Consistency::Consistency(mechanics::Layer& layer, const Layout& layout)
    : impl_(std::make_unique<Impl>(layer, layout)) {}
Consistency::Consistency(const Consistency& other) : impl_(std::make_unique<Impl>(*other.impl_)) {}
Consistency::~Consistency() = default;

std::optional<Consistency::Result> Consistency::settle(const std::vector<double>& params, std::vector<double>& state,
                                                       double t, Diagnostics& diagnostics) {
  return impl_->settle(params, state, t, diagnostics);
}

} // namespace lmc::products
