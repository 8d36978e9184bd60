#include "runtime/ensemble/Statistics.h"

#include <algorithm>
#include <cmath>

namespace lmc::runtime {

void Moments::add(double x) {
  if (std::isnan(x)) return;
  ++count;
  least = std::min(least, x);
  most = std::max(most, x);
  if (std::isinf(x)) return;
  const double before = x - mean;
  mean += before / static_cast<double>(count);
  squares += before * (x - mean);
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

bool Moments::finite() const {
  return std::isfinite(least) && std::isfinite(most);
}

double Moments::average() const {
  if (count == 0) return std::numeric_limits<double>::quiet_NaN();
  return finite() ? mean : least + most;
}

double Moments::deviation() const {
  return count < 2 || !finite() ? std::numeric_limits<double>::quiet_NaN()
                                : std::sqrt(squares / static_cast<double>(count - 1));
}

} // namespace lmc::runtime
