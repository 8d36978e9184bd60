#include "methods/GroupCalculus.h"

namespace lmc {

Tuple GroupCalculus::handed(const Tuple& u) const {
  return opposite_ ? scale(g_, sym::Number(-1), u) : u;
}

template <class Map> Tuple GroupCalculus::transpose(const Tuple& mu, const Map& map) const {
  const auto v = dummies(g_, m_.algebra(), "eta");
  return transposed(p_, map(loads(g_, v, {})), v, mu);
}

template <class Map> std::optional<Tuple> GroupCalculus::transposeIf(const Tuple& mu, const Map& map) const {
  const auto v = dummies(g_, m_.algebra(), "eta");
  const std::optional<Tuple> value = map(loads(g_, v, {}));
  return value ? std::optional(transposed(p_, *value, v, mu)) : std::nullopt;
}

Tuple GroupCalculus::exp(const Tuple& u) const {
  return required(m_, "exp", {u});
}

Tuple GroupCalculus::product(const Tuple& a, const Tuple& b) const {
  return opposite_ ? required(m_, "product", {b, a}) : required(m_, "product", {a, b});
}

Tuple GroupCalculus::inverse(const Tuple& a) const {
  return required(m_, "inverse", {a});
}

Tuple GroupCalculus::bracket(const Tuple& u, const Tuple& v) const {
  return handed(lmc::bracket(m_, u, v));
}

Tuple GroupCalculus::adstar(const Tuple& u, const Tuple& mu) const {
  return handed(lmc::adstar(p_, m_, u, mu));
}

Tuple GroupCalculus::Ad(const Tuple& element, const Tuple& v) const {
  return adjoint(p_, m_, opposite_ ? inverse(element) : element, v);
}

Tuple GroupCalculus::Adstar(const Tuple& element, const Tuple& mu) const {
  return transpose(mu, [&](const Tuple& v) { return Ad(element, v); });
}

Tuple GroupCalculus::dexp(const Tuple& u, const Tuple& v) const {
  return lmc::dexp(p_, m_, handed(u), v);
}

Tuple GroupCalculus::dexpT(const Tuple& u, const Tuple& mu) const {
  return transpose(mu, [&](const Tuple& v) { return dexp(u, v); });
}

Tuple GroupCalculus::dexpinv(const Tuple& u, const Tuple& v, const DexpinvCut& cut) const {
  if (cut.exact) {
    if (auto r = declared("dexpinv", u, v)) return *r;
  }
  return dexpinvSeries(g_, v, cut, [&](const Tuple& x) { return bracket(u, x); });
}

Tuple GroupCalculus::dexpinvT(const Tuple& u, const Tuple& mu, const DexpinvCut& cut) const {
  return transpose(mu, [&](const Tuple& v) { return dexpinv(u, v, cut); });
}

std::optional<Tuple> GroupCalculus::declared(const char* operation, const Tuple& u, const Tuple& v) const {
  return m_.apply(operation, {handed(u), v});
}

std::optional<Tuple> GroupCalculus::cay(const Tuple& u) const {
  return m_.apply("cay", {u});
}
std::optional<Tuple> GroupCalculus::dcay(const Tuple& u, const Tuple& v) const {
  return declared("dcay", u, v);
}
std::optional<Tuple> GroupCalculus::dcayinv(const Tuple& u, const Tuple& v) const {
  return declared("dcayinv", u, v);
}
std::optional<Tuple> GroupCalculus::dcayT(const Tuple& u, const Tuple& mu) const {
  return transposeIf(mu, [&](const Tuple& v) { return dcay(u, v); });
}
std::optional<Tuple> GroupCalculus::dcayinvT(const Tuple& u, const Tuple& mu) const {
  return transposeIf(mu, [&](const Tuple& v) { return dcayinv(u, v); });
}

} // namespace lmc
