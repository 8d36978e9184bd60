// The calculus of a Lie group as methods see it: exp, Ad, ad, their duals, the derivative of exp and its inverse.
//
// A factor in the body frame is moved by right multiplication, which is a left action of the opposite group. With
// Handed::Opposite every operation is that of the opposite group: products are reversed, brackets and odd powers of
// ad change sign, Ad of A is Ad of A^-1. So the formulas of a method, written for left actions, hold in both frames
// (docs/conventions.md, section 6). What a declaration does not give is derived: Ad and dexp by differentiation,
// the duals by transposition, dexpinv by the series of the bracket.
//
// Elements are tuples by parts of the group's storage, algebra and dual elements by parts of its algebra. The pairing
// is the sum of products of entries.
#pragma once

#include "mechanics/system/Geometry.h"

namespace lmc::methods {

enum class Handed : std::uint8_t { Group, Opposite };

/// How far a method needs dexpinv.
struct DexpinvCut {
  int highest = 1;   ///< the series of the bracket ends after ad^highest
  bool exact = true; ///< the group's own dexpinv is taken where it has one
  /// What keeps order `order` (Hairer, Lubich, Wanner, IV.7).
  static DexpinvCut forOrder(int order) { return {order > 3 ? order - 2 : 1, true}; }
  /// The series after ad^k, whatever the group has.
  static DexpinvCut after(int k) { return {k, false}; }
};

class GroupCalculus {
public:
  /// Of `manifold.group()`; Opposite for a body factor.
  GroupCalculus(sym::Program& program, const sema::Manifold& manifold, Handed handed)
      : p_(program), g_(program.graph()), m_(manifold.group()), opposite_(handed == Handed::Opposite) {}

  [[nodiscard]] sema::Tuple exp(const sema::Tuple& u) const;
  /// a b; b a in the opposite group.
  [[nodiscard]] sema::Tuple product(const sema::Tuple& a, const sema::Tuple& b) const;
  [[nodiscard]] sema::Tuple inverse(const sema::Tuple& a) const;

  /// [u, v] = ad_u v.
  [[nodiscard]] sema::Tuple bracket(const sema::Tuple& u, const sema::Tuple& v) const;
  /// <ad*_u mu, v> = <mu, [u, v]>.
  [[nodiscard]] sema::Tuple adstar(const sema::Tuple& u, const sema::Tuple& mu) const;
  /// Ad_A v.
  [[nodiscard]] sema::Tuple Ad(const sema::Tuple& element, const sema::Tuple& v) const;
  /// <Ad*_A mu, v> = <mu, Ad_A v>; Ad*_{AB} = Ad*_B Ad*_A.
  [[nodiscard]] sema::Tuple Adstar(const sema::Tuple& element, const sema::Tuple& mu) const;

  /// Right trivialized: d/dt exp(u) = (dexp_u u') exp(u). Exact.
  [[nodiscard]] sema::Tuple dexp(const sema::Tuple& u, const sema::Tuple& v) const;
  /// <dexp*_u mu, v> = <mu, dexp_u v>. Exact.
  [[nodiscard]] sema::Tuple dexpT(const sema::Tuple& u, const sema::Tuple& mu) const;
  /// The inverse of dexp_u: exact where the group gives it, else sum B_k/k! ad_u^k v.
  [[nodiscard]] sema::Tuple dexpinv(const sema::Tuple& u, const sema::Tuple& v, const DexpinvCut& cut) const;
  [[nodiscard]] sema::Tuple dexpinvT(const sema::Tuple& u, const sema::Tuple& mu, const DexpinvCut& cut) const;
  [[nodiscard]] bool exactDexpinv() const { return m_.gives("dexpinv"); }

  /// Retractions by name: exp, cay, or a function NAME(w) that the group declares. The others need it to be offered.
  [[nodiscard]] bool offers(const std::string& retraction) const;
  [[nodiscard]] sema::Tuple retract(const std::string& retraction, const sema::Tuple& u) const;
  /// Right trivialized, d/dt F(u) = (dF_u u') F(u): as declared (dNAME), else derived. Exact.
  [[nodiscard]] sema::Tuple dretract(const std::string& retraction, const sema::Tuple& u, const sema::Tuple& v) const;
  [[nodiscard]] sema::Tuple dretractT(const std::string& retraction, const sema::Tuple& u, const sema::Tuple& mu) const;
  /// Its inverse: as declared (dNAMEinv), else by solving linear equations. Exact.
  [[nodiscard]] sema::Tuple dretractinv(const std::string& retraction, const sema::Tuple& u,
                                        const sema::Tuple& v) const;
  [[nodiscard]] sema::Tuple dretractinvT(const std::string& retraction, const sema::Tuple& u,
                                         const sema::Tuple& mu) const;

  /// One number: -tr(ad_u ad_u)/2. On rotations of space the squared angle |u|^2, zero on commutative groups.
  [[nodiscard]] sym::Expr squaredAngle(const sema::Tuple& u) const;

  [[nodiscard]] const sema::Manifold& group() const { return m_; }

private:
  [[nodiscard]] sema::Tuple handed(const sema::Tuple& u) const; ///< -u in the opposite group
  [[nodiscard]] std::optional<sema::Tuple> declared(const char* operation, const sema::Tuple& u,
                                                    const sema::Tuple& v) const;
  /// The transpose of the linear map v -> map(v).
  template <class Map> [[nodiscard]] sema::Tuple transpose(const sema::Tuple& mu, const Map& map) const;
  /// The derivative of a retraction in the group itself, and its inverse.
  [[nodiscard]] sema::Tuple derivative(const std::string& retraction, const sema::Tuple& u, const sema::Tuple& v) const;
  [[nodiscard]] sema::Tuple inverseDerivative(const std::string& retraction, const sema::Tuple& u,
                                              const sema::Tuple& v) const;

  sym::Program& p_;
  sym::Graph& g_;
  const sema::Manifold& m_;
  bool opposite_;
};

/// sum B_k/k! ad_u^k v, k up to `cut.highest`, for any bracket: ad_u is `ad`.
template <class Ad>
[[nodiscard]] sema::Tuple dexpinvSeries(sym::Graph& g, const sema::Tuple& v, const DexpinvCut& cut, const Ad& ad) {
  static const std::pair<int, sym::Number> bernoulli[] = {
      {1, sym::Number::ratio(-1, 2)},    {2, sym::Number::ratio(1, 12)},       {4, sym::Number::ratio(-1, 720)},
      {6, sym::Number::ratio(1, 30240)}, {8, sym::Number::ratio(-1, 1209600)}, {10, sym::Number::ratio(1, 47900160)}};
  sema::Tuple r = v;
  sema::Tuple power = v;
  int k = 0;
  for (const auto& [n, coefficient] : bernoulli) {
    if (n > cut.highest) break;
    for (; k < n; ++k) power = ad(power);
    r = sema::add(g, r, sema::scale(g, coefficient, power));
  }
  return r;
}

} // namespace lmc::methods
