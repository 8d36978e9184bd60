#include "runtime/ensemble/Statistics.h"

#include <algorithm>
#include <cmath>

namespace lmc::runtime {

void Moments::add(double x) {
  if (!std::isfinite(x)) return;
  ++count;
  const double before = x - mean;
  mean += before / static_cast<double>(count);
  squares += before * (x - mean);
  least = std::min(least, x);
  most = std::max(most, x);
}

void Moments::add(const Moments& other) {
  if (other.count == 0) return;
  if (count == 0) {
    *this = other;
    return;
  }
  const double n = static_cast<double>(count), m = static_cast<double>(other.count);
  const double distance = other.mean - mean;
  mean += distance * (m / (n + m));
  squares += other.squares + distance * distance * (n * m / (n + m));
  count += other.count;
  least = std::min(least, other.least);
  most = std::max(most, other.most);
}

double Moments::deviation() const {
  return count < 2 ? std::numeric_limits<double>::quiet_NaN() : std::sqrt(squares / static_cast<double>(count - 1));
}

} // namespace lmc::runtime
