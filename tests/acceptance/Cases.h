// Every model file that has an independent reference, with what the tests need of it.
#pragma once

#include "acceptance/Tool.h"
#include "reference/Layout.h"

#include <functional>
#include <ostream>

namespace lmc::acceptance {

struct Case {
  using Real = long double;
  std::string name;  ///< of the test
  std::string file;  ///< path
  Arguments set;     ///< what makes the file the reference's model
  int states = 1000; ///< random states to compare at; fewer where the reference is slow
  double time = 1;   ///< of the compared motion; 0: none
  bool hasEnergy = true;

  reference::Layout layout{{}};
  std::function<reference::Vector<double>(double t, const reference::Vector<double>&)> rates;
  std::function<double(double t, const reference::Vector<double>&)> energy;
  /// The exact motion from time 0 to `time`.
  std::function<reference::Vector<Real>(const reference::Vector<double>&)> exact;
  /// The motion by the reference RKMK4 with n steps.
  std::function<reference::Vector<double>(const reference::Vector<double>&, int n)> rkmk4;

  friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }
};

/// All of them, with RKMK4 as the method.
[[nodiscard]] const std::vector<Case>& cases();

} // namespace lmc::acceptance
