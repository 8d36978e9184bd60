#include "runtime/mass/ConstraintRows.h"

#include "linear/BlockRows.h"
#include "linear/RowDependence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace lmc::runtime {

namespace {

/// Rows of length one that are nearer than this to the span of others follow from them, also at the begin.
constexpr double alwaysDependent = 1e-5;
/// A row that has shrunk to this part of its length counts as what is left of it: its gradient vanishes.
constexpr double vanishing = 0.01;
/// The smallest singular value as a part of the largest, and that as a part of what it was at the begin: what it is
/// where equations are said to depend on each other.
constexpr double gone = 0.01;
/// What it may be at the end of the run where that is in the next step, and where it is in one of the next steps:
/// iterations may fail before.
struct Search {
  double steps = 1, part = 0;
};
constexpr std::array searches{Search{1.25, 0.3}, Search{6, 0.1}};
/// Singular values up to this part of the begin's smallest go with the one that has vanished.
constexpr double goneTogether = 0.05;
/// On the way there it falls straight: half-way it is at most this part of what it was.
constexpr double halfWay = 0.8;
/// Part of a row in what vanishes that is worth its name.
constexpr double worthNaming = 0.1;
/// Points between which the smallest value is looked for, and turns that narrow it down.
constexpr int points = 37, narrowings = 40;

/// The equations that are independent at the begin, at other states.
class Gradients {
public:
  Gradients(const ConstraintRows& check, std::span<const double> params) : check_(check) {
    for (std::size_t r = 0; r < memory_.size(); ++r) {
      memory_[r].assign(static_cast<std::size_t>(std::max<std::int64_t>(check.module.roleSize[r], 1)), 0.0);
      bases_.base[r] = memory_[r].data();
    }
    fill(Role::Params, params);
  }

  /// False where there is nothing to compare with.
  bool begin(const StateAt& at) {
    if (!compute(at)) return false;
    for (std::size_t k = 0; k < check_.names.size(); ++k)
      if (output(check_.inactive)[k] == 0) own_.push_back(static_cast<Eigen::Index>(k));
    linear::RowNumbers all = chosen();
    length_ = all.lengths();
    keep([&](Eigen::Index k) { return length_[k] > 0; });
    all = scaled();
    const std::vector<Eigen::Index> independent = linear::independentRows(all, alwaysDependent);
    keep([&](Eigen::Index k) { return std::binary_search(independent.begin(), independent.end(), k); });
    return !own_.empty();
  }

  /// The smallest singular value as a part of the largest, where the velocities of `at` lead in a time s; infinite
  /// where that cannot be computed.
  double ratio(const StateAt& at, double s) {
    if (!moved(at, s)) return INFINITY;
    const linear::SingularRange r = linear::singularRange(scaled());
    return r.largest > 0 ? r.smallest / r.largest : INFINITY;
  }

  /// The equations that take part in what is below a part of the largest singular value there.
  std::vector<std::string> weakest(const StateAt& at, double s, double part) {
    std::vector<std::string> names;
    if (!moved(at, s)) return names;
    const linear::RowNumbers a = scaled();
    const Eigen::VectorXd parts = linear::partsBelow(a, part * linear::singularRange(a).largest);
    for (Eigen::Index k = 0; k < parts.size(); ++k)
      if (parts[k] > worthNaming)
        names.push_back("`" + check_.names[static_cast<std::size_t>(own_[static_cast<std::size_t>(k)])] + "`");
    return names;
  }

private:
  void fill(Role role, std::span<const double> from) {
    std::vector<double>& to = memory_[static_cast<std::size_t>(role)];
    std::copy_n(from.begin(), std::min(from.size(), to.size()), to.begin());
  }
  [[nodiscard]] const double* output(std::int64_t offset) const {
    return memory_[static_cast<std::size_t>(Role::Output)].data() + offset;
  }

  bool compute(const StateAt& at) {
    fill(Role::State, at.state);
    if (tape::interpret(check_.module, check_.rows, bases_, &at.t) != Ok) return false;
    numbers_.rows = static_cast<Eigen::Index>(check_.names.size());
    numbers_.columns = check_.columns;
    numbers_.places.clear();
    bool finite = true;
    const auto add = [&](std::int64_t row, std::int64_t column, double x) {
      finite = finite && std::isfinite(x);
      if (x != 0) numbers_.places.push_back({row, column, x});
    };
    if (check_.blockCount > 0) {
      linear::eachOfBlocks(output(check_.nodes), check_.nodeCount, output(check_.blocks), check_.blockCount,
                           output(check_.numbers), [&](std::int64_t row, std::int64_t column, double x) {
                             if (row >= check_.columns && column < check_.columns) add(row - check_.columns, column, x);
                           });
      return finite;
    }
    const double* x = output(check_.numbers);
    for (std::int64_t row = 0; row < numbers_.rows; ++row)
      for (std::int64_t column = 0; column < check_.columns; ++column) add(row, column, *x++);
    return finite;
  }

  bool moved(const StateAt& at, double s) {
    if (s == 0) return compute(at);
    fill(Role::State, at.state);
    memory_[static_cast<std::size_t>(Role::Constants)].front() = s;
    if (tape::interpret(check_.module, check_.move, bases_, &at.t) != Ok) return false;
    const std::vector<double> state(output(check_.moved),
                                    output(check_.moved) + static_cast<std::ptrdiff_t>(at.state.size()));
    return compute({state, at.t + s});
  }

  /// Rows of `own_` alone.
  [[nodiscard]] linear::RowNumbers chosen() const {
    linear::RowNumbers a{static_cast<Eigen::Index>(own_.size()), numbers_.columns, {}};
    for (const linear::RowNumbers::Place& p : numbers_.places) {
      const auto at = std::lower_bound(own_.begin(), own_.end(), p.row);
      if (at != own_.end() && *at == p.row) a.places.push_back({at - own_.begin(), p.column, p.value});
    }
    return a;
  }

  /// With rows of length one, but for those that have nearly vanished.
  [[nodiscard]] linear::RowNumbers scaled() const {
    linear::RowNumbers a = chosen();
    const Eigen::VectorXd now = a.lengths();
    for (linear::RowNumbers::Place& p : a.places) p.value /= std::max(now[p.row], vanishing * length_[p.row]);
    return a;
  }

  template <class Wanted> void keep(Wanted wanted) {
    std::vector<Eigen::Index> rows;
    std::vector<double> lengths;
    for (std::size_t k = 0; k < own_.size(); ++k) {
      if (!wanted(static_cast<Eigen::Index>(k))) continue;
      rows.push_back(own_[k]);
      lengths.push_back(length_[static_cast<Eigen::Index>(k)]);
    }
    own_ = std::move(rows);
    length_ = Eigen::Map<const Eigen::VectorXd>(lengths.data(), static_cast<Eigen::Index>(lengths.size()));
  }

  const ConstraintRows& check_;
  std::array<std::vector<double>, roleCount> memory_;
  Bases bases_{};
  linear::RowNumbers numbers_;    ///< B, as computed last
  std::vector<Eigen::Index> own_; ///< the rows that are looked at, ascending
  Eigen::VectorXd length_;        ///< theirs at the begin
};

struct Least {
  double at = 0, value = INFINITY;
};

/// The least value of a function between -reach and reach.
template <class Function> Least least(double reach, Function function) {
  const double from = -reach, step = 2 * reach / (points - 1);
  Least found{0, function(0.0)};
  for (int k = 0; k < points; ++k) {
    const double s = from + k * step, value = function(s);
    if (value < found.value) found = {s, value};
  }
  constexpr double golden = 0.6180339887498949;
  double a = found.at - step, b = found.at + step;
  double left = b - golden * (b - a), right = a + golden * (b - a);
  double atLeft = function(left), atRight = function(right);
  for (int k = 0; k < narrowings; ++k) {
    const bool lower = atLeft < atRight;
    (lower ? b : a) = lower ? right : left;
    (lower ? right : left) = lower ? left : right;
    (lower ? atRight : atLeft) = lower ? atLeft : atRight;
    double& next = lower ? left : right;
    next = lower ? b - golden * (b - a) : a + golden * (b - a);
    (lower ? atLeft : atRight) = function(next);
  }
  for (const auto& [s, value] : {std::pair{left, atLeft}, {right, atRight}})
    if (value < found.value) found = {s, value};
  return found;
}

} // namespace

bool mayFollowFromDependence(std::int32_t status) {
  constexpr std::array may{Ok, SingularMass, SingularMatrix, NoConvergence, NonFinite, FarFromManifold};
  return std::find(may.begin(), may.end(), status) != may.end();
}

std::optional<std::string> dependentConstraints(const ConstraintRows& check, std::span<const double> params,
                                                const StateAt& begin, const StateAt& end, double reach) {
  const auto finite = [](double x) { return std::isfinite(x); };
  if (!(reach > 0) || !std::all_of(end.state.begin(), end.state.end(), finite)) return {};
  Gradients gradients(check, params);
  if (!gradients.begin(begin)) return {};
  const double first = gradients.ratio(begin, 0), last = gradients.ratio(end, 0);
  if (!(first > 0)) return {};
  const auto at = [&](double s) { return gradients.ratio(end, s); };
  const auto straight = [&](const Least& l) { return last <= gone * first || at(l.at / 2) <= halfWay * last; };
  Least found;
  for (const Search& s : searches) {
    if (!(last <= s.part * first)) break;
    found = least(s.steps * reach, at);
    if (found.value <= gone * first && straight(found)) break;
    found = {};
  }
  if (!std::isfinite(found.value)) return {};
  const std::vector<std::string> names = gradients.weakest(end, found.at, goneTogether * first);
  if (names.empty()) return {};
  constexpr std::size_t shown = 8;
  const std::string list = fmt::format(
      "{}{}",
      fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), shown)), ", "),
      names.size() > shown ? fmt::format(" and {} more", names.size() - shown) : "");
  const std::string what = names.size() == 1
                               ? fmt::format("the gradient of the constraint {} vanishes", list)
                               : fmt::format("the gradients of the constraints {} become dependent", list);
  // Below, the iterations that find it tell no more.
  constexpr double known = 1e-7;
  const std::string ratio =
      found.value < known ? fmt::format("below {:.0e}", known) : fmt::format("{:.2g}", found.value);
  return fmt::format("near t = {:.6g} {}: the ratio of the smallest singular value to the largest is {} there, and "
                     "{:.2g} at the begin; another method, as those on `manifold`, or steps that end farther from this "
                     "singular configuration may lead across it",
                     end.t + found.at, what, ratio, first);
}

} // namespace lmc::runtime
