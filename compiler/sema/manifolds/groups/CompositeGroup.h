// A group made of groups: a direct product, or a semidirect product in which the first factor acts on the others.
//
//   (g, n) (g', n') = (g g', n phi_g(n'))           phi_g an automorphism of N = N_1 x N_2 x …, phi_{gg'} = phi_g
//   phi_g'
//   [(u, a), (v, b)] = ([u, v], [a, b] + rho(u) b - rho(v) a)                     rho(u) the derivative of phi_exp(su)
//   exp(u, a)        = (exp u, sum_k rho(u)^k a/(k + 1)!)                         where N is a vector space
//   Ad_(g, n)(v, b)  = (Ad_g v, phi_g b - rho(Ad_g v) n)                          where N is a vector space
//
// (J. E. Marsden, T. S. Ratiu, A. Weinstein, "Semidirect products and reduction in mechanics", Transactions of the AMS
// 281 (1984) 147-177, section 2.)
#pragma once

#include "sema/manifolds/groups/MatrixFunction.h"
#include "sema/values/Tuples.h"

#include <functional>
#include <optional>
#include <string_view>

namespace lmc::sema {

/// One factor: a group, or a vector space under addition.
struct GroupFactor {
  std::string name;                ///< of its elements
  const Manifold* group = nullptr; ///< null: a vector space
  std::vector<Part> point;         ///< its own parts, which are also those of a vector space's algebra
  std::vector<Part> algebra;
};

class CompositeGroup {
public:
  /// phi applied to an element of the first factor and elements of the others; empty for a direct product. The result
  /// has the parts of all the others.
  using Action = std::function<std::optional<Tuple>(const std::vector<Tuple>&)>;

  CompositeGroup(sym::Graph& graph, std::vector<GroupFactor> factors, Action action);

  /// The operation, if it follows; nothing otherwise.
  [[nodiscard]] std::optional<Tuple> apply(std::string_view operation, const std::vector<Tuple>& args) const;
  [[nodiscard]] bool gives(std::string_view operation) const;
  [[nodiscard]] std::vector<HeldEquation> holds(const Tuple& point) const;

private:
  using Tuples = std::vector<Tuple>; ///< one per factor
  [[nodiscard]] Tuples split(const Tuple& t, bool algebra) const;
  [[nodiscard]] static Tuple joined(const Tuples& t);
  [[nodiscard]] std::optional<Tuple> each(std::string_view operation, const std::vector<Tuple>& args) const;
  [[nodiscard]] std::optional<Tuple> one(std::size_t factor, std::string_view operation,
                                         const std::vector<Tuple>& args) const;
  [[nodiscard]] Tuple must(std::size_t factor, std::string_view operation, const std::vector<Tuple>& args) const;
  [[nodiscard]] Tuple moved(const Tuple& g, const Tuples& others) const;
  [[nodiscard]] Tuple tangentMoved(const Tuple& g, const Tuples& others) const;
  [[nodiscard]] Tuple rho(const Tuple& u, const Tuple& b) const;
  [[nodiscard]] bool isVectorSpace(std::size_t factor) const;
  void findRho();
  [[nodiscard]] Tuple product(const Tuple& a, const Tuple& b) const;
  [[nodiscard]] std::optional<Tuple> semidirect(std::string_view operation, const std::vector<Tuple>& args) const;
  [[nodiscard]] Tuple exponential(const Tuple& w) const;

  sym::Graph& g_;
  std::vector<GroupFactor> factors_;
  Action action_;
  std::optional<LinearFamily> rho_; ///< on the coordinates of a vector space N
  std::optional<Annihilator> annihilator_;
};

} // namespace lmc::sema
