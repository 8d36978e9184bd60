// Roots of a smooth function between two places, double ones included, from few values of it.
#pragma once

#include "runtime/roots/Cubic.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace lmc::runtime {

/// 1, 0 or -1; 0 of what is no number.
inline int signOf(double x) {
  return x > 0 ? 1 : x < 0 ? -1 : 0;
}

/// What a number says of a function that is computed.
struct RootScale {
  double rounding = 0;   ///< a value that may be zero, up to rounding
  double doubt = 0;      ///< a value whose sign the errors of the function decide; not below `rounding`
  double resolution = 0; ///< the least distance of two places
};

/// Looks for what the signs at two places do not tell: pairs of roots between them, and extrema at zero.
///
/// With rates the cubic through values and rates at the ends tells where to look: at its extrema, if it comes nearer to
/// zero there than half of the values at the ends, or crosses it. So pairs, and three roots, are found however near to
/// each other they are, where the function differs from this cubic by less than that; whether it does is for the caller
/// to ask (`tells`), and where it does not the way is halved until it does. Without rates three values in
/// equal distances are looked at where the parabola through the ends and an earlier place may come near to zero: pairs
/// that are a quarter of the distance apart are found, and nearer ones at an extremum that those values show.
class RootScan {
public:
  /// Fills in value and rate at `at`. Not 0: that fails, and ends the search.
  using Evaluate = std::function<std::int32_t(RootPoint&)>;
  RootScan(Evaluate evaluate, RootScale scale) : evaluate_(std::move(evaluate)), scale_(scale) {}

  /// What `evaluate` returned last. Of both ends values and rates are known, and the left value is not zero.
  [[nodiscard]] std::int32_t withRates(const RootPoint& left, const RootPoint& right);
  /// The same where the left value is zero up to rounding, and the function goes to the sign `side`.
  [[nodiscard]] std::int32_t afterZero(const RootPoint& left, int side, const RootPoint& right);
  /// The same where the cubic does not tell: halved until the cubics of the parts do, or a part is a 256th. `side`:
  /// that to which a function goes whose left value is zero up to rounding; 0: it is not.
  [[nodiscard]] std::int32_t halved(RootPoint left, const RootPoint& right, int side);
  /// The same by values. `earlier` lies before the left end; without it the values within are looked at always.
  [[nodiscard]] std::int32_t withoutRates(const std::optional<RootPoint>& earlier, const RootPoint& left,
                                          const RootPoint& right);

  /// Whether the cubic through values and rates at two places is near enough to a function that differs from it by
  /// `deviation` at most.
  [[nodiscard]] static bool tells(double deviation, const RootPoint& left, const RootPoint& right);
  /// Likewise where a deviation that is small by chance is to be told from one that is.
  [[nodiscard]] static bool tellsSurely(double deviation, const RootPoint& left, const RootPoint& right);
  /// By how much the cubic through two places misses value and rate between them.
  [[nodiscard]] static double missedAt(const RootPoint& left, const RootPoint& between, const RootPoint& right);
  /// By how much it may differ, by what the cubic from `earlier` to `right` misses the function by at `left`: the error
  /// of a cubic goes with the squares of the distances from both ends.
  [[nodiscard]] static double deviation(const RootPoint& earlier, const RootPoint& left, const RootPoint& right);
  /// Of two places of one sign: `withRates` looks nowhere between them, as the cubic stays far from zero. By its
  /// control points (those of Bernstein) alone, so that false says nothing.
  [[nodiscard]] static bool farFromZero(const RootPoint& left, const RootPoint& right);
  /// `withoutRates` looks nowhere between left and right, as the function bends too little.
  [[nodiscard]] static bool nearlyStraight(const RootPoint& earlier, const RootPoint& left, const RootPoint& right);

  /// Places from the left end to the right one: between two neighbours of different signs there is a root.
  [[nodiscard]] const std::vector<RootPoint>& points() const { return points_; }
  /// An extremum near zero, of a function that has the sign `side` around it.
  struct Extremum {
    double at = 0, value = 0;
    int side = 0;
  };
  /// Those with values below `doubt`, from left to right; those below `rounding` are double roots.
  [[nodiscard]] const std::vector<Extremum>& extrema() const { return extrema_; }

private:
  [[nodiscard]] std::int32_t look(double at, RootPoint& found);
  [[nodiscard]] std::int32_t halve(const RootPoint& left, const RootPoint& right, int times);
  [[nodiscard]] std::int32_t extremaBetween(const RootPoint& left, const RootPoint& right, bool always);
  [[nodiscard]] std::int32_t bottoms();
  void insert(RootPoint p);
  void note(const RootPoint& p, int side);
  [[nodiscard]] bool touchesAtEnd(const RootPoint& left, const RootPoint& right) const;
  [[nodiscard]] std::int32_t bottom(RootPoint a, RootPoint b);
  [[nodiscard]] std::int32_t bottom(RootPoint a, RootPoint m, RootPoint b);
  [[nodiscard]] std::int32_t nearEnd(bool left);

  Evaluate evaluate_;
  RootScale scale_;
  std::vector<RootPoint> points_;
  std::vector<Extremum> extrema_;
};

} // namespace lmc::runtime
