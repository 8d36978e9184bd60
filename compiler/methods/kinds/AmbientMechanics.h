// Momenta and forces of a Lagrangian model in the storage coordinates q of its points and their rates v.
#pragma once

#include "methods/kinds/MethodKind.h"

namespace lmc::methods {

/// The Lagrangian beside the manifold: L(q, v, t) for any q and v. Where the model writes x' it is the derivative along
/// v itself; where it reads a velocity xi, xi is the least-squares solution of T(q) xi = v. So L is the model's
/// Lagrangian on the manifold, and its constant mass matrices are those of the ambient space.
///
/// Forces and dissipation act on tangent directions only; as vectors of storage coordinates they are tangent.
class AmbientMechanics {
public:
  /// One factor of the model, as the embedding sees it.
  struct Variable {
    const sema::Factor* factor = nullptr;
    std::vector<sym::Expr> index; ///< of a member of a family
  };
  /// Appends L and its derivatives to the program. The model must have a Lagrangian, and velocities only.
  AmbientMechanics(const KindContext& context, const std::vector<Variable>& variables);

  /// dL/dv, by parts of the points of all factors.
  [[nodiscard]] sema::Tuple momentum(sym::Expr time, const sema::ArrayTuple& q, const sema::ArrayTuple& v,
                                     const std::string& name);
  /// dL/dq + F.
  [[nodiscard]] sema::Tuple force(sym::Expr time, const sema::ArrayTuple& q, const sema::ArrayTuple& v,
                                  const std::string& name);

private:
  void declarePlaceholders();
  void differentiate();
  void externalForces();
  sema::Tuple evaluate(const sema::ArrayTuple& roots, sym::Expr time, const sema::ArrayTuple& q,
                       const sema::ArrayTuple& v, const std::string& name);
  sema::ArrayTuple define(const Variable& v, const std::string& name, const std::vector<sema::Part>& parts,
                          const sema::Tuple& values);

  KindContext context_;
  sym::Program& p_;
  sym::Graph& g_;
  std::vector<Variable> variables_;
  std::vector<sema::ArrayTuple> points_, rates_; ///< placeholders q and v, one tuple for each variable
  std::vector<sema::ArrayTuple> velocities_;     ///< xi as a function of them
  sema::ArrayTuple momenta_, slopes_, external_; ///< by parts of all points
};

} // namespace lmc::methods
