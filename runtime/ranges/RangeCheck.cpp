#include "runtime/ranges/RangeCheck.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace lmc::runtime {

namespace {

/// The numbers of all look-ups at one state and time.
class Reading {
public:
  Reading(const RangeCheck& check, std::span<const double> params, std::span<const double> y) : check_(check) {
    for (std::size_t r = 0; r < memory_.size(); ++r)
      memory_[r].assign(static_cast<std::size_t>(check.module.roleSize[r]) + 1, 0.0);
    const auto fill = [this](Role role, std::span<const double> from) {
      std::vector<double>& to = memory_[static_cast<std::size_t>(role)];
      std::copy_n(from.begin(), std::min(from.size(), to.size()), to.begin());
    };
    fill(Role::Params, params);
    fill(Role::State, y);
  }

  std::span<const double> at(double t) {
    Bases bases{};
    for (std::size_t r = 0; r < memory_.size(); ++r) bases.base[r] = memory_[r].data();
    (void)tape::interpret(check_.module, check_.function, bases, &t);
    return memory_[static_cast<std::size_t>(Role::Output)];
  }

private:
  const RangeCheck& check_;
  std::array<std::vector<double>, roleCount> memory_;
};

/// One look-up within the numbers of all.
struct Numbers {
  std::span<const double> arguments;
  double first = 0, last = 0, disorder = 0;

  /// What is allowed for rounding is not outside.
  [[nodiscard]] bool outside(double x) const {
    const double slack = 1e-9 * (last - first);
    return !(x >= first - slack && x <= last + slack);
  }
  [[nodiscard]] bool near(double x) const {
    const double part = 0.01 * (last - first);
    return std::min(x - first, last - x) < part;
  }
};

std::vector<Numbers> numbersOf(const RangeCheck& check, std::span<const double> all) {
  std::vector<Numbers> list;
  std::size_t at = 0;
  for (const RangeCheck::LookUp& l : check.list) {
    const auto n = static_cast<std::size_t>(l.turns);
    list.push_back({all.subspan(at, n), all[at + n], all[at + n + 1], all[at + n + 2]});
    at += n + 3;
  }
  return list;
}

std::string range(const Numbers& n) {
  return fmt::format("which goes from {:.10g} to {:.10g}", n.first, n.last);
}

/// What is wrong with certainty; `suspected` gets what is near.
std::optional<std::string> wrongAmong(const RangeCheck& check, const std::vector<Numbers>& list,
                                      std::optional<std::string>& suspected) {
  for (std::size_t k = 0; k < list.size(); ++k) {
    const Numbers& n = list[k];
    const std::string& text = check.list[k].text;
    if (n.disorder > 0)
      return fmt::format(
          "`{}` has no value: in {} of its rows the node is not above the one before, or the point is not "
          "on its manifold",
          text, n.disorder);
    for (const double x : n.arguments) {
      if (n.outside(x)) return fmt::format("`{}` is looked up at {:.10g}, beyond its table, {}", text, x, range(n));
      if (n.near(x) && !suspected)
        suspected = fmt::format("`{}` left its table, {}; it was at {:.10g} last", text, range(n), x);
    }
  }
  return std::nullopt;
}

} // namespace

std::optional<std::string> whatIsOutside(const RangeCheck& check, std::span<const double> params,
                                         std::span<const double> y, double t) {
  Reading reading(check, params, y);
  std::optional<std::string> suspected;
  return wrongAmong(check, numbersOf(check, reading.at(t)), suspected);
}

std::optional<std::string> whatWasLeft(const RangeCheck& check, std::span<const double> params,
                                       std::span<const double> y, double t, double h) {
  Reading reading(check, params, y);
  std::optional<std::string> suspected;
  for (const double time : {t, t + h / 2, t + h})
    if (auto wrong = wrongAmong(check, numbersOf(check, reading.at(time)), suspected)) return wrong;
  return suspected;
}

} // namespace lmc::runtime
