// `variational` methods: a discrete Lagrangian L_d(q, xi) of a pair of configurations q, retract(q, xi), stepped in
// position-momentum form. Source: J. E. Marsden, M. West, "Discrete mechanics and variational integrators", Acta
// Numerica 10 (2001) 357-514; on groups N. Bou-Rabee, J. E. Marsden, "Hamilton-Pontryagin integrators on Lie groups",
// Foundations of Computational Mathematics 9 (2009) 197-219.
#pragma once

#include "methods/kinds/LagrangianKind.h"

namespace lmc::methods {

class Newton;

/// The state is (q, p) with p = dL/dxi: the Legendre transform of the model's velocities at the begin, and back at the
/// end.
class VariationalKind final : public LagrangianKind {
public:
  explicit VariationalKind(const KindContext& context)
      : LagrangianKind(context), field_(mechanics::cotangentField(context.layer)) {}

  std::vector<sema::Value> state() override;
  void finish(const std::vector<sema::Value>& next) override;

  sema::Tuple guess() const override { return velocity_; }
  void setGuess(const sema::Tuple& velocity) override { velocity_ = velocity; }

  /// A discrete Lagrangian on its way to a step: q, xi and the internal algebra elements X of the formula are symbols
  /// until `step` puts the state and the unknowns of an iteration in their places.
  struct Formula {
    sema::Value q;                     ///< the symbols, for the scope of the formula
    std::vector<sema::Value> unknowns; ///< xi, then the internal ones
    sym::Expr lagrangian;              ///< L_d
    struct Node {
      sema::Tuple q;
      sym::Expr time;
    };
    std::vector<Node> nodes;                ///< of internal elements: where the constraints of a model hold, too
    std::optional<sema::Tuple> left, right; ///< discrete forces; if neither is given, those of the quadrature of L_d
    /// Of models with sparse constraints: for small steps the velocity at which each value of L is taken, and the
    /// displacement of each node, as multiples of the unknowns.
    std::vector<std::vector<sym::Expr>> velocities, displacements;
  };
  /// Begins a formula with that many unknowns.
  [[nodiscard]] Formula begin(std::size_t unknowns);
  /// The state after a step of size h from (q, p) at the time t. Of a model with constraints the momentum at the begin
  /// gets h/2 B^T lambda such that c = 0 at the end; what the momentum at the end gets follows from d = 0 there, when
  /// the step is finished (S. Hante, M. Arnold, "RATTLie: a variational Lie group integration scheme for constrained
  /// mechanical systems", Journal of Computational and Applied Mathematics 387 (2021) 112492).
  [[nodiscard]] std::vector<sema::Value> step(const Formula& formula, const std::vector<sema::Value>& state,
                                              sym::Expr h, sym::Expr t);

protected:
  sym::Expr lagrangian(const Place& place) override;

private:
  /// A value of L in the formula: where it was taken, and the array that holds it.
  struct Stage {
    Place place;
    sym::Expr value;
  };
  struct Slopes {
    sema::Tuple q;                     ///< dL_d/dq as dual elements, forces included
    std::vector<sema::Tuple> unknowns; ///< dL_d/dxi, dL_d/dX
  };
  /// `held` are multipliers of the constraints at the nodes.
  Slopes slopes(const Formula& formula, const std::vector<sema::Tuple>& iterates, const std::vector<sema::Tuple>& held,
                const Space& rows);
  void addForces(const Formula& formula, std::vector<sym::SeededTerm>& terms);
  void addIsotropy(const Formula& formula, const std::vector<sema::Tuple>& iterates,
                   std::vector<sym::SeededTerm>& terms);
  std::vector<mechanics::StepBlocks::Term> nearTerms(const Formula& formula, Expr h);
  /// p at q and p at the other end, and what must vanish.
  sema::Tuple balance(const Formula& formula, const sema::Tuple& momentum, const Slopes& slopes, sema::Tuple& end);
  void settle(const sema::Value& symbol, const Space& space, const sema::Tuple& value);
  sema::Tuple horizontal(const sema::Tuple& point, const sema::Tuple& k); ///< of algebra elements
  sema::Tuple projected(const sema::Tuple& point,
                        const sema::Tuple& p); ///< momenta, as they act on horizontal algebra elements
  sema::Tuple atSolution(const sema::Tuple& value, const Newton& newton, const std::string& name);
  sema::Tuple velocityOf(const sema::Tuple& q, const sema::Tuple& p, sym::Expr time);
  sema::Tuple constraintDefect(const sema::Tuple& q, sym::Expr time, const Space& rows);
  sema::Tuple onRates(const sema::ArrayTuple& q, const sema::Tuple& xi, sym::Expr time);
  sema::Tuple newtonVelocity(const sema::Tuple& q, const sema::Tuple& p, sym::Expr time);

  mechanics::CotangentField field_;
  std::vector<Stage> stages_;
  sema::Tuple velocity_; ///< near that of the state, where an iteration starts
  int counter_ = 0;
};

} // namespace lmc::methods
