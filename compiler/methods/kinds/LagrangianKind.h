// Methods on `lagrangian`: the configuration q, the velocity xi and the Lagrangian L(q, xi, t) of a model on groups and
// homogeneous manifolds, in the frames that the model declares.
#pragma once

#include "mechanics/Cotangent.h"
#include "mechanics/MotionEquation.h"
#include "mechanics/constraints/StepBlocks.h"
#include "methods/kinds/ConfigurationKind.h"

namespace lmc::methods {

class LagrangianKind : public ConfigurationKind {
public:
  using Expr = sym::Expr;
  explicit LagrangianKind(const KindContext& context);

  std::vector<sema::Value> state() override;
  void finish(const std::vector<sema::Value>& next) override;

  sema::Value hold(const sema::Value& v, const std::string& name) override;
  std::optional<Space> space(const sema::Value& v) const override;
  sema::Value word(const Word& word, const std::vector<sema::Value>& args, Range where) override;
  /// Accelerations of a model without constraints.
  std::vector<DefinedValues> defined() override;

  /// Whether accelerations and multipliers are those of one sparse system. Iterations then have the numbers of algebra
  /// elements in the order of its unknowns.
  [[nodiscard]] bool isSparse() const;
  [[nodiscard]] Space stackedSpace();
  /// Algebra elements of all factors whose numbers stand one after the other, member by member; and back.
  sema::Tuple fromStacked(const sym::Array* numbers);
  const sym::Array* stackedAs(const sema::Tuple& value, const std::string& name);
  /// Of a sparse system: M w - factor (r + B^T lam), stacked, of a value of the word `accelerated(q, xi, lam, t)`,
  /// which has no numbers otherwise.
  const sym::Array* missingForces(const sema::Value& accelerated, const sema::Value& w, Expr factor);
  /// Matrices of constrained motion at a point, between unknowns and equations of a sparse system.
  std::shared_ptr<const sym::SparseJacobian> near(const std::vector<mechanics::StepBlocks::Unknown>& unknowns,
                                                  const std::vector<mechanics::StepBlocks::Term>& terms,
                                                  const sema::Tuple& q, Expr time);

protected:
  /// L at a place: a single value.
  virtual sym::Expr lagrangian(const Place& place);
  /// dL/dxi, as it is differentiated.
  sema::Tuple momentum(const Place& place);
  /// T(q)* dL/dq + F.
  sema::Tuple force(const Place& place);
  /// The forces F of the model without those of L, as dual elements; zero if it has none.
  sema::Tuple external(const Place& place);
  /// The same as covectors of the storage: T(q)* of them is F.
  sema::Tuple externalCovector(const Place& place);
  [[nodiscard]] bool hasForces() const;
  /// dxi/dt.
  sema::Tuple acceleration(const Place& place);
  /// The velocity of the curve retract(q, k(t)) with k' = change, in the declared frame.
  sema::Tuple curveVelocity(const sema::Tuple& k, const sema::Tuple& change);
  /// k' of that curve where it has the given velocity.
  sema::Tuple curveChange(const sema::Tuple& k, const sema::Tuple& velocity);
  /// The momentum at the end of that curve from the slope of a function of k: the inverse of the transpose.
  sema::Tuple curveMomentum(const sema::Tuple& k, const sema::Tuple& m);
  /// Each factor's k times sin(a/2)/(a/2) with its angle a: as long as the chord of the arc.
  sema::Tuple chord(const sema::Tuple& k);
  sema::Value retractPoint(const sema::Tuple& q, const sema::Tuple& k);

  /// sum over rows of factors[row] matrix[row, …] at a place: of B, forces; of B M^-1, accelerations. There may be
  /// fewer factors than rows, those of constraints on positions.
  sema::Tuple combination(const Place& place, const sym::Array* matrix, Expr factors);
  /// B(q)^T times numbers, one for each equation.
  sema::Tuple constraintForce(const Place& place, Expr factors);
  /// The numbers of the blocks of masses and constraints at a place.
  const sym::Array* blocksAt(const Place& place);
  /// Where the first component of a slot's velocity stands among those of all factors, from 1.
  Expr columnOf(const Slot& s);
  /// An array of the constraints at a place: its entries as loads at the index of their rows.
  Expr rowsAt(const Place& place, const sym::Array* rows, Expr row);
  /// Of multipliers at a place what makes no force: lam - S^+ S lam where equations depend on each other, lam of a
  /// member that does not hold.
  const sym::Array* idle(const Place& place, Expr lambda, Expr row);
  sema::Value constraintWord(const std::string& name, const std::vector<sema::Value>& args, Range where);
  sema::Value accelerated(const std::vector<sema::Value>& args, Range where);
  sema::Value multipliers(Expr value) const;
  sema::Value placeWord(const std::string& name, const std::vector<sema::Value>& args);
  [[nodiscard]] std::string movedPoint() const override { return "retract(q, k)"; }

private:
  struct Forces {
    sema::Tuple slope, direct;
  };
  void defineForces();
  Forces forcesAt(const Place& place);

  const sym::Array* lagrangian_ = nullptr;
  std::vector<const sym::Array*> momenta_, forces_, accelerations_; ///< of all factors, part by part
  std::vector<const sym::Array*> slopes_, direct_;                  ///< of the external forces
  Space multipliers_;                                               ///< of all constraints; empty without
  int held_ = 0;
  struct Promise {
    std::vector<sema::Value> args;
    Range where;
  };
  std::vector<std::pair<Place, sema::ArrayTuple>> taken_;   ///< accelerations that a method has asked for
  std::optional<mechanics::MotionEquation> motion_;         ///< once it is asked for
  std::unordered_map<const sym::Array*, Promise> promised_; ///< accelerations of sparse systems that nothing defines
};

} // namespace lmc::methods
