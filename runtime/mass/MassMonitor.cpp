#include "runtime/mass/MassMonitor.h"

#include "runtime/mass/Spectrum.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace lmc::runtime {

namespace {

/// Part of the terms of an equation that its residual may be. Stable elimination leaves 1e-15, the detour by constraint
/// forces more where masses are very different; what is worse than this has not been solved.
constexpr double largestDefect = 1e-8;
/// The same for each part that points are off their manifolds by: on a sphere it is 0.3 to 0.5.
constexpr double offPart = 10;
/// Relative change of the state by which the size of forces that balance each other is seen.
constexpr double nudge = 1e-8;
/// Signs are counted, and the condition found, for so many velocities.
constexpr std::size_t signLimit = 64, conditionLimit = 200;
/// Numbers of this size are on their way to infinity.
constexpr double overflowing = 1e75;

/// Part of the largest term of a factor's equation that a residual may be without a closer look.
constexpr double unsuspicious = 1e-9;

/// Plus or minus one, without a pattern; the same in every run.
double sign(std::size_t k, std::uint64_t series) {
  std::uint64_t x = (k + 1) * 0x9E3779B97F4A7C15ULL + series * 0xD1B54A32D192ED03ULL;
  x ^= x >> 31U;
  x *= 0xBF58476D1CE4E5B9ULL;
  return ((x >> 40U) & 1U) == 0 ? 1 : -1;
}

/// A number from 1/2 to 1, without a pattern; the same in every run.
double weight(std::size_t k, std::uint64_t series) {
  std::uint64_t x = (k + 1) * 0xD1B54A32D192ED03ULL + series * 0x9E3779B97F4A7C15ULL;
  x ^= x >> 29U;
  x *= 0xBF58476D1CE4E5B9ULL;
  return 0.5 + static_cast<double>(x >> 44U) / static_cast<double>(1U << 21U);
}

bool finite(const std::vector<double>& list) {
  return std::all_of(list.begin(), list.end(), [](double x) { return std::isfinite(x); });
}

double largest(const std::vector<double>& list) {
  double most = 0;
  for (const double x : list) most = std::isnan(x) ? INFINITY : std::max(most, std::abs(x));
  return most;
}

} // namespace

bool isSuspicious(const MassCheck& check, const double* product, const double* rhs, std::size_t stride) {
  // Whether a matrix of any signs has passed through a singular one, no residual tells.
  if (!check.definite && check.varies) return true;
  const auto n = static_cast<std::int64_t>(check.names.size());
  for (std::size_t factor = 0; factor < check.factors.size(); ++factor) {
    const std::int64_t end = factor + 1 < check.factors.size() ? check.factors[factor + 1] : n;
    double size = 0, worst = 0;
    for (std::int64_t k = check.factors[factor]; k < end; ++k) {
      const std::size_t at = static_cast<std::size_t>(k) * stride;
      size = std::max({size, std::abs(product[at]), std::abs(rhs[at])});
      worst = std::max(worst, std::abs(product[at] - rhs[at]));
    }
    if (worst > unsuspicious * size) return true;
  }
  return false;
}

MassMonitor::MassMonitor(const MassCheck& check, std::span<const double> params)
    : check_(check), n_(check.names.size()) {
  for (int r = 0; r < roleCount; ++r) {
    memory_[r].assign(static_cast<std::size_t>(std::max<std::int64_t>(check.module.roleSize[r], 1)), 0.0);
    bases_.base[r] = memory_[r].data();
  }
  std::vector<double>& own = memory(Role::Params);
  std::copy_n(params.begin(), std::min(params.size(), own.size()), own.begin());
}

std::int32_t MassMonitor::run(int function, double t) {
  return tape::interpret(check_.module, function, bases_, &t);
}

std::size_t MassMonitor::factorOf(std::size_t number) const {
  const auto after = std::upper_bound(check_.factors.begin(), check_.factors.end(), static_cast<std::int64_t>(number));
  return static_cast<std::size_t>(after - check_.factors.begin()) - 1;
}

std::optional<MassMonitor::Equation> MassMonitor::evaluate(std::span<const double> state, double t) {
  std::vector<double>& own = memory(Role::State);
  std::copy_n(state.begin(), std::min(state.size(), own.size()), own.begin());
  time_ = t;
  if (run(check_.equation, t) != Ok) return {};
  const double* out = memory(Role::Output).data();
  Equation e{{out, out + n_}, {out + n_, out + 2 * n_}, {}};
  for (const std::int64_t place : check_.off) e.off = std::max(e.off, std::abs(out[place]));
  if (check_.terms >= 0) e.terms.assign(out + check_.terms, out + check_.terms + static_cast<std::ptrdiff_t>(n_));
  return e;
}

std::optional<std::vector<double>> MassMonitor::product(const std::vector<double>& direction) {
  std::copy(direction.begin(), direction.end(), memory(Role::Constants).begin());
  if (run(check_.product, time_) != Ok) return {};
  const double* out = memory(Role::Output).data() + 2 * n_;
  return std::vector<double>(out, out + n_);
}

/// Of each factor: how large r and its terms are.
std::vector<double> MassMonitor::forces(const Equation& e) const {
  std::vector<double> size(check_.factors.size());
  for (std::size_t k = 0; k < n_; ++k) {
    double& force = size[factorOf(k)];
    force = std::max(force, std::abs(e.rhs[k]));
    if (!e.terms.empty()) force = std::max(force, std::abs(e.terms[k]));
  }
  return size;
}

/// How large terms of M xi' are: M's own size shows in products with velocities of random signs and sizes. With signs
/// alone the product is M xi' itself where they happen to be those of xi', and terms that balance each other, as of two
/// bodies without a force on one of them, would not be seen.
void MassMonitor::addMomenta(const Equation& e, std::vector<double>& size) {
  std::vector<double> rate(check_.factors.size());
  for (std::size_t k = 0; k < n_; ++k) {
    double& own = rate[factorOf(k)];
    own = std::max(own, std::abs(e.rates[k]));
  }
  for (const std::uint64_t series : {1U, 2U}) {
    std::vector<double> direction(n_);
    for (std::size_t k = 0; k < n_; ++k) direction[k] = sign(k, series) * weight(k, series) * rate[factorOf(k)];
    const auto momentum = product(direction);
    for (std::size_t k = 0; momentum && k < n_; ++k) {
      double& own = size[factorOf(k)];
      if (std::isfinite((*momentum)[k])) own = std::max(own, std::abs((*momentum)[k]));
    }
  }
}

/// Forces that balance each other are larger than their sum: it changes with the state as they do.
void MassMonitor::addForces(const Equation& e, std::span<const double> state, double t, std::vector<double>& size) {
  for (const std::uint64_t series : {3U, 4U}) {
    std::vector<double> moved(state.begin(), state.end());
    for (std::size_t k = 0; k < moved.size(); ++k)
      moved[k] += nudge * sign(k, series) * std::max(1.0, std::abs(moved[k]));
    const auto other = evaluate(moved, t);
    if (!other || !finite(other->rhs)) continue;
    for (std::size_t k = 0; k < n_; ++k) {
      double& own = size[factorOf(k)];
      own = std::max(own, std::abs(other->rhs[k] - e.rhs[k]) / nudge);
    }
  }
  (void)evaluate(state, t);
}

MassMonitor::Defect MassMonitor::defect(const Equation& e, std::span<const double> state, double t, double enough) {
  const auto momentum = product(e.rates);
  if (!momentum || !finite(*momentum)) return {NAN, 0};
  const auto worst = [&](const std::vector<double>& size) {
    Defect found;
    for (std::size_t k = 0; k < n_; ++k) {
      const double residual = std::abs((*momentum)[k] - e.rhs[k]);
      const double part = residual > 0 ? residual / size[factorOf(k)] : 0;
      if (part > found.part) found = {part, k};
    }
    return found;
  };
  std::vector<double> size = forces(e);
  if (const Defect first = worst(size); first.part <= enough) return first;
  addMomenta(e, size);
  const Defect second = worst(size);
  if (second.part <= largestDefect) return second;
  addForces(e, state, t, size);
  return worst(size);
}

std::optional<double> MassMonitor::missed(std::span<const double> state, double t) {
  const auto e = evaluate(state, t);
  if (!e) return {};
  return finite(e->rates) && finite(e->rhs) ? defect(*e, state, t, 0).part : NAN;
}

std::vector<double> MassMonitor::matrix() {
  std::vector<double> m(n_ * n_);
  std::vector<double> unit(n_);
  for (std::size_t k = 0; k < n_; ++k) {
    unit[k] = 1;
    const auto column = product(unit);
    unit[k] = 0;
    if (!column) return {};
    std::copy(column->begin(), column->end(), m.begin() + static_cast<std::ptrdiff_t>(k * n_));
  }
  return m;
}

std::optional<std::string> MassMonitor::signs(double t) {
  const std::vector<double> m = matrix();
  if (m.empty()) return {};
  const Spectrum s = spectrumOf(m.data(), static_cast<std::int64_t>(n_), check_.gauges);
  if (!s.finite || s.zeros > 0) return {};
  const auto before = negative_;
  const double since = counted_;
  negative_ = s.negative;
  counted_ = t;
  if (!before || *before == s.negative) return {};
  return fmt::format(
      "between t = {} and t = {} the mass matrix has passed through a singular one, where accelerations are not "
      "determined: it has {} negative eigenvalues now, and had {}",
      since, t, s.negative, *before);
}

std::optional<std::string> MassMonitor::look(std::span<const double> state, double t) {
  const auto e = evaluate(state, t);
  if (!e || !finite(e->rates) || !finite(e->rhs)) return {};
  const double allowed = largestDefect + offPart * e->off;
  if (const Defect found = defect(*e, state, t, allowed); found.part > allowed)
    return fmt::format(
        "the accelerations do not solve the mass equation: the one of {} is missed by {:.2g} of its terms",
        check_.names[found.where], found.part);
  return check_.varies && n_ <= signLimit ? signs(t) : std::nullopt;
}

std::string MassMonitor::namesOf(const std::vector<std::int64_t>& numbers) const {
  constexpr std::size_t shown = 6;
  std::vector<std::string> names;
  for (const std::int64_t k : numbers) {
    if (names.size() < shown) names.push_back(check_.names[static_cast<std::size_t>(k)]);
  }
  return fmt::format("{}{}", fmt::join(names, ", "), numbers.size() > shown ? ", …" : "");
}

std::string MassMonitor::hint(std::span<const double> state, double t) {
  constexpr double remarkable = 1e5;
  if (!check_.varies || n_ > conditionLimit || !evaluate(state, t)) return {};
  const std::vector<double> m = matrix();
  if (m.empty()) return {};
  const Spectrum s = spectrumOf(m.data(), static_cast<std::int64_t>(n_), check_.gauges);
  if (!s.finite || s.condition < remarkable) return {};
  return fmt::format("; the mass matrix is nearly singular there: its condition number is {:.2g}, because of {}",
                     s.condition, namesOf(s.weakest));
}

std::string MassMonitor::account(std::span<const double> state, double t) {
  const auto e = evaluate(state, t);
  const double size = largest({state.begin(), state.end()});
  const double rate = e ? largest(e->rates) : 0;
  if (size > overflowing || rate > overflowing)
    return fmt::format("the accelerations overflow: the largest number of the {} is {:.2g}",
                       rate > size ? "accelerations" : "state", std::max(size, rate));
  const std::vector<double> m = n_ <= conditionLimit ? matrix() : std::vector<double>();
  if (m.empty()) return "the mass matrix is singular";
  if (!finite(m)) return "the accelerations overflow: the mass matrix is not finite";
  const Spectrum s = spectrumOf(m.data(), static_cast<std::int64_t>(n_), check_.gauges);
  if (check_.constrained && !s.singular() && s.negative == 0)
    return "the constraints are in a singular configuration: some of their equations depend on each other there, and "
           "do "
           "not at the begin";
  return fmt::format("the mass matrix {}: its condition number is {:.2g}, because of {}",
                     check_.definite && s.negative > 0  ? "is not positive definite any more"
                     : check_.definite && !s.singular() ? "is singular, or not positive definite behind"
                                                        : "is singular",
                     s.condition, namesOf(s.weakest));
}

} // namespace lmc::runtime
