// The group that acts on one phase variable, by kind. Elements are pairs: the part that moves the point, then, of a
// factor, the part that moves its velocity or momentum.
//
//   kind      group                        (exp(u, a))·(g, fiber)
//   State     G                            exp(u) z
//   Dual      G, coadjoint                 Ad*_{exp(-u)} mu
//   Velocity  G × 𝔤, on a group            (exp(u) g, xi + a)
//             G ⋉ 𝔤, tangent lift          (exp(u) q, Ad_exp(u) xi + the horizontal part of dexp_u a at exp(u) q)
//   Momentum  G ⋉ 𝔤*, cotangent lift       (exp(u) g, Ad*_{exp(-u)} mu + dexp*_{-u} a), on a homogeneous manifold of
//   the
//                                          second term what vanishes along the isotropy at exp(u) q
//
// With the brackets (docs/conventions.md, section 8)
//
//   G ⋉ 𝔤:   [(u, a), (v, b)] = ([u, v], [u, b] - [v, a])
//   G ⋉ 𝔤*:  [(u, a), (v, b)] = ([u, v], -ad*_u b + ad*_v a)
//
// A body factor is seen as the opposite group (GroupCalculus).
#pragma once

#include "methods/phase/GroupCalculus.h"

namespace lmc::methods {

enum class PhaseKind : std::uint8_t { State, Dual, Velocity, Momentum };

class PhaseGroup {
public:
  PhaseGroup(sym::Program& program, const sema::Manifold& manifold, PhaseKind kind, Handed handed)
      : p_(program), g_(program.graph()), m_(manifold), kind_(kind), calculus_(program, manifold, handed) {}

  /// F(k)·y for the parts of one variable, with a retraction F of the group of the points (exp, cay, …). Beside exp its
  /// lift to pairs needs F(-u) = F(u)^-1.
  [[nodiscard]] sema::Tuple act(const sema::Tuple& k, const sema::Tuple& y,
                                const std::string& retraction = "exp") const;
  /// [a, b] in the algebra of the group.
  [[nodiscard]] sema::Tuple bracket(const sema::Tuple& a, const sema::Tuple& b) const;
  /// dexpinv_u v: exact where the group gives it, else the series of the bracket.
  [[nodiscard]] sema::Tuple dexpinv(const sema::Tuple& u, const sema::Tuple& v, const DexpinvCut& cut) const;
  /// The right-trivialized derivative of the retraction of pairs, and its inverse; exact.
  [[nodiscard]] sema::Tuple dretract(const std::string& retraction, const sema::Tuple& k, const sema::Tuple& l) const;
  [[nodiscard]] sema::Tuple dretractinv(const std::string& retraction, const sema::Tuple& k,
                                        const sema::Tuple& l) const;
  /// Ad_{F(k)} l.
  [[nodiscard]] sema::Tuple Ad(const std::string& retraction, const sema::Tuple& k, const sema::Tuple& l) const;
  [[nodiscard]] bool offers(const std::string& retraction) const { return calculus_.offers(retraction); }

private:
  [[nodiscard]] sema::Tuple moved(const sema::Tuple& element, const sema::Tuple& point) const;
  [[nodiscard]] sema::Tuple coact(const sema::Tuple& element, const sema::Tuple& mu) const;
  [[nodiscard]] sema::Tuple second(const std::string& retraction, const sema::Tuple& u, const sema::Tuple& a) const;
  [[nodiscard]] sema::Tuple cotangentDexpinv(const sema::Tuple& u, const sema::Tuple& a, const sema::Tuple& v,
                                             const sema::Tuple& b, const DexpinvCut& cut) const;

  sym::Program& p_;
  sym::Graph& g_;
  const sema::Manifold& m_;
  PhaseKind kind_;
  GroupCalculus calculus_;
};

} // namespace lmc::methods
