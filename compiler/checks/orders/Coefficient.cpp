#include "checks/orders/Coefficient.h"

#include <fmt/format.h>

namespace lmc::orders {

Coefficient::Coefficient(const sym::Number& n) : isExact_(n.exact()) {
  if (isExact_)
    exact_ = Rational(n.num(), n.den());
  else
    approximate_ = n.value();
}

long double Coefficient::value() const {
  return isExact_ ? exact_.convert_to<long double>() : approximate_;
}

std::string Coefficient::text() const {
  constexpr std::size_t longest = 24; // a longer fraction says nothing to a reader
  const std::string fraction = isExact_ ? exact_.str() : std::string();
  return isExact_ && fraction.size() <= longest ? fraction : fmt::format("{:.17g}", static_cast<double>(value()));
}

void Coefficient::approximate() {
  if (!isExact_) return;
  approximate_ = value();
  exact_ = 0;
  isExact_ = false;
}

Coefficient& Coefficient::operator+=(const Coefficient& o) {
  if (isExact_ && o.isExact_) {
    exact_ += o.exact_;
    return *this;
  }
  approximate();
  approximate_ += o.value();
  return *this;
}

Coefficient& Coefficient::operator*=(const Coefficient& o) {
  if (isExact_ && o.isExact_) {
    exact_ *= o.exact_;
    return *this;
  }
  approximate();
  approximate_ *= o.value();
  return *this;
}

Coefficient Coefficient::inverse() const {
  if (isExact_) return Coefficient(Rational(1) / exact_);
  Coefficient r;
  r.isExact_ = false;
  r.approximate_ = 1 / approximate_;
  return r;
}

} // namespace lmc::orders
