// The phase manifold of a model and the group that acts on it, factor by factor.
//
// A factor has the phase variables (g, xi) or (g, mu), a state is one variable. The group of each is in PhaseGroup.h; a
// body factor is seen as the opposite group, so that methods are written for left actions throughout
// (docs/conventions.md).
#pragma once

#include "mechanics/system/Layer.h"
#include "methods/phase/PhaseGroup.h"
#include "methods/phase/Space.h"
#include "sym/Inline.h"

#include <string>
#include <vector>

namespace lmc::methods {

/// One phase variable with its storage. `index` is the loop index that expressions of a family use.
struct PhaseSlot {
  std::string name;
  const sema::Manifold* manifold = nullptr;
  PhaseKind kind = PhaseKind::State;
  Handed handed = Handed::Group;
  std::int64_t extent = 0;
  std::vector<sym::Expr> index;
  std::size_t pointCount = 0;                       ///< parts of a point of the manifold; 0 for an element of a dual
  sema::ArrayTuple state;                           ///< parts of the point, then of the velocity or momentum
  std::vector<sema::Part> pointParts, algebraParts; ///< of the phase variable and of the acting algebra
  std::size_t pointOffset = 0, algebraOffset = 0;   ///< of its first part among all parts
};

class Phase {
public:
  /// Of a Lagrangian model with constraints, one list of equations for two questions, as `forces` says. If true, f. If
  /// false, in place of xi' the velocities without a rate of the constraints that are nearest to those of y in the
  /// metric of the kinetic energy: with v for xi' without constraint forces, and the rate at rest for gamma, the system
  /// of the multipliers is S nu = -d, and what comes of it v + M^-1 B^T nu.
  struct Asked {
    sym::Expr forces;
  };
  explicit Phase(mechanics::Layer& layer);

  [[nodiscard]] const std::vector<PhaseSlot>& slots() const { return slots_; }
  [[nodiscard]] const sym::Program& program() const { return p_; }
  [[nodiscard]] std::size_t pointSize() const { return pointSize_; }
  [[nodiscard]] std::size_t algebraSize() const { return algebraSize_; }

  /// The parts of points and of algebra elements.
  [[nodiscard]] Space pointSpace() const;
  [[nodiscard]] Space algebraSpace() const;
  /// As many numbers as an algebra element has, which vanish exactly when the points a and b (near each other) are
  /// equal: T(b)^T (a - b), the difference of velocities, and along the isotropy the components of `shift`.
  [[nodiscard]] sema::Tuple difference(const sema::Tuple& a, const sema::Tuple& b, const sema::Tuple& shift);
  /// A point near y, by as many numbers as an algebra element has: exp(shift)*y, but an element of a dual is added to,
  /// since its orbit is smaller than the group.
  [[nodiscard]] sema::Tuple shifted(const sema::Tuple& y, const sema::Tuple& shift);

  /// The state y as loads.
  [[nodiscard]] sema::Tuple state();
  /// F(k)*y with the retraction F: exp, cay, or a function that the groups declare.
  [[nodiscard]] sema::Tuple act(const sema::Tuple& k, const sema::Tuple& y, const std::string& retraction = "exp");
  /// The name of the first variable whose group does not offer a retraction; empty if all do.
  [[nodiscard]] std::string without(const std::string& retraction);
  /// [a, b] in the algebra of the phase group.
  [[nodiscard]] sema::Tuple bracket(const sema::Tuple& a, const sema::Tuple& b);
  /// dexpinv_u v: exact where the group gives it, else the series of the bracket.
  [[nodiscard]] sema::Tuple dexpinv(const sema::Tuple& u, const sema::Tuple& v, const DexpinvCut& cut);
  /// The right-trivialized derivative of a retraction, its inverse, Ad_{F(k)} l; exact.
  [[nodiscard]] sema::Tuple dretract(const std::string& retraction, const sema::Tuple& k, const sema::Tuple& l);
  [[nodiscard]] sema::Tuple dretractinv(const std::string& retraction, const sema::Tuple& k, const sema::Tuple& l);
  [[nodiscard]] sema::Tuple Ad(const std::string& retraction, const sema::Tuple& k, const sema::Tuple& l);
  /// The arrays of the model that f is made of, beside velocities.
  [[nodiscard]] sema::ArrayTuple rateArrays() const;
  /// f(t, y); what belongs to this evaluation is named with `name`. `multipliers`: set to those of constraints there.
  [[nodiscard]] sema::Tuple field(const sema::Tuple& y, sym::Expr time, const std::string& name,
                                  const sym::Array** multipliers = nullptr, const Asked& asked = {});
  /// Arrays of the system at another point and time; what belongs to this evaluation is named with `name`.
  [[nodiscard]] sema::ArrayTuple at(const sema::Tuple& y, sym::Expr time, const sema::ArrayTuple& roots,
                                    const std::string& name);

  /// Stores a point or an algebra element in fresh arrays, one per part, named name.slot.part.
  [[nodiscard]] sema::ArrayTuple storePoint(const sema::Tuple& y, const std::string& name);
  [[nodiscard]] sema::ArrayTuple storeAlgebra(const sema::Tuple& k, const std::string& name);
  [[nodiscard]] sema::Tuple loadPoint(const sema::ArrayTuple& arrays);
  /// A point as it is used further on: arrays, but for points of single groups the expressions themselves, so that a
  /// product of group elements that acts on a vector is never written out.
  [[nodiscard]] sema::Tuple hold(const sema::Tuple& y, const std::string& name);
  /// An algebra element as it is used further on: arrays, but h times a single vector stays a product, so that a
  /// coefficient joins h instead of every entry.
  [[nodiscard]] sema::Tuple holdAlgebra(const sema::Tuple& k, const std::string& name);
  [[nodiscard]] sema::Tuple loadAlgebra(const sema::ArrayTuple& arrays);

private:
  sema::ArrayTuple placesOf(const sema::Tuple& y, const std::string& name);
  sym::Replacement replacement(const sema::Tuple& y, const sema::ArrayTuple& stored, sym::Expr time);
  void replaceByAsked(sym::Replacement& there, const sema::ArrayTuple& stored, sym::Expr forces,
                      const std::string& name);
  void addSlot(PhaseSlot slot);
  /// `operation(group, own part of k, own part of l)` for every variable.
  template <class Operation> sema::Tuple each(const sema::Tuple& k, const sema::Tuple& l, Operation operation);
  PhaseGroup groupOf(const PhaseSlot& s) { return {p_, *s.manifold, s.kind, s.handed}; }
  sema::Tuple algebraOf(const PhaseSlot& s, const sema::Tuple& k) const {
    return sema::part(k, s.algebraOffset, s.algebraParts.size());
  }

  const mechanics::System& system_;
  sym::Program& p_;
  sym::Graph& g_;
  std::vector<PhaseSlot> slots_;
  std::size_t pointSize_ = 0, algebraSize_ = 0;
};

} // namespace lmc::methods
