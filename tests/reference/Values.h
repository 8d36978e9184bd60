// Reference values in quadruple precision, from programs independent of this project, and how near a method at the
// stated step must come.
#pragma once

#include <vector>

namespace lmc::reference::values {

/// One component of a state, by its place among the state's columns.
struct Component {
  int place;
  long double value;
};

/// heavy_top at t = 10; RKMK4 and CF4 with step 1e-4.
inline const std::vector<Component> heavyTopAttitude{
    {0, -0.39900823487854305L}, {1, 0.81002238276928682L},    {2, -0.42971638078141310L},
    {3, -0.54331935593838771L}, {4, -0.58636557463307938L},   {5, -0.60081568750151171L},
    {6, -0.73864504734128218L}, {7, -0.0062571797149841708L}, {8, 0.67406553222977468L}};
/// The body momentum JΩ in place of Ω.
inline const std::vector<Component> heavyTopMomentum{
    {9, -0.38428582660352280L}, {10, 70.3125L}, {11, -1.3731937283789096L}};
inline constexpr double heavyTopAttitudeTolerance = 1e-7;
inline constexpr double heavyTopMomentumTolerance = 5e-6;

/// pendulum_chain at t = 3, N = 2; RKMK4 with step 1e-3.
inline const std::vector<Component> chainOfTwo{{0, 0.71399745910914633L},
                                               {1, 0},
                                               {2, 0.70014829028262499L},
                                               {3, -0.57770641402254608L},
                                               {4, 0},
                                               {5, 0.81624463195613763L},
                                               {7, -0.96588181331702654L},
                                               {10, 1.2891476897070415L}};
inline constexpr double chainOfTwoTolerance = 1e-8;
/// The same from w[1] = [0.5, 1, -0.5], w[2] = [-1, 0.5, 1]; printed to 14 digits.
inline const std::vector<Component> chainOutOfPlane{{0, 0.76038846397525L},  {1, 0.13269532054072L},
                                                    {2, 0.63576830351942L},  {3, 0.19497411773381L},
                                                    {4, -0.67467830275568L}, {5, 0.71189485263249L}};
/// N = 20.
inline const std::vector<Component> chainOfTwenty{{0, -0.94582963863780568L}, {1, 0}, {2, 0.32466335591544347L}};
inline constexpr double chainOfTwentyTolerance = 2e-6;

} // namespace lmc::reference::values
