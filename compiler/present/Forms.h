// The forms in which equations can be shown.
#pragma once

#include "mechanics/constraints/Shown.h"
#include "present/Engine.h"
#include "present/Joints.h"
#include "sym/derivatives/Derivative.h"

namespace lmc::present {

/// What the forms share: lines of equations and the names in them.
class FormBase {
protected:
  FormBase(mechanics::Layer& layer, Shower& show);
  std::vector<Line> motion();
  std::vector<Line> momenta();
  std::vector<Line> momentumEquations();
  Line energy();
  /// One line for all members of a family, or one for each where families are written out.
  void put(std::vector<Line>& lines, const std::function<TreePtr()>& left, sym::Expr right,
           const std::vector<sym::Expr>& index, std::int64_t extent);
  [[nodiscard]] TreePtr shown(sym::Expr e, const std::vector<sym::Expr>& index) { return show_(e, index, member_); }
  Line line(const TreePtr& left, const TreePtr& right, std::int64_t extent);
  TreePtr named(const std::string& text, std::int64_t extent);
  TreePtr partName(const std::string& base, const sema::Manifold& manifold, std::size_t part, std::int64_t extent,
                   const char* prime = "");
  static TreePtr partOf(const char* function, TreePtr of, const std::vector<sema::Part>& parts, std::size_t part);
  TreePtr momentumName(const sema::Factor& f, std::size_t part);
  /// An equation of motion, of a part of the velocity or momentum of a factor.
  void putEquation(std::vector<Line>& lines, const std::function<TreePtr()>& left, sym::Expr right, std::size_t factor,
                   std::size_t part);

  const mechanics::System& s_;
  mechanics::Layer& layer_;
  const sema::Model& m_;
  Shower& show_;
  std::int64_t member_ = 0; ///< of the line that is being made; 0: all
};

/// M xi' = r, with all of M xi'.
class MotionForm : private FormBase {
public:
  MotionForm(mechanics::Layer& layer, Shower& show);
  [[nodiscard]] Document document();

private:
  std::vector<Line> rates();
  std::vector<Line> equations();

  sym::Tangent momenta_; ///< along xi' = the arrays of System::direction
};

/// M(q) xi' + c(q, xi) = f, in blocks of coordinates of the algebras.
class MatrixForm : private FormBase {
public:
  MatrixForm(mechanics::Layer& layer, Shower& show);
  /// Nothing where the blocks of M are not seen in the expressions.
  [[nodiscard]] std::optional<Document> document();

private:
  struct Unknown { ///< a part of the velocity of a factor, or of a member of a family
    std::size_t factor = 0, part = 0;
    std::int64_t member = 0; ///< 0: a single factor
    TreePtr name, rate;
    Atom atom = nullptr; ///< its derivative
  };
  void addUnknowns(Engine& engine);
  std::optional<Poly> block(Terms& t, const Poly& row, Atom unknown);
  std::optional<Poly> blockOfTerm(Terms& t, const Monomial& m, Atom unknown);
  Poly rowOf(Engine& engine, sym::Expr e, const Unknown& u);
  std::optional<Document> tryDocument(Engine& engine);

  sym::Tangent momenta_;
  std::vector<Unknown> unknowns_;
};

/// Momenta, the velocities that belong to them, and Hamilton's equations.
class HamiltonForm : private FormBase {
public:
  HamiltonForm(mechanics::Layer& layer, Shower& show) : FormBase(layer, show) {}
  [[nodiscard]] Document document();

private:
  std::vector<Line> velocities();
  std::vector<Line> equations();
};

/// Beside each form, of a model with constraints: c = 0, its rate along the motion, gamma, the part of d' without
/// accelerations, and the forces of the constraints, which are added to the equations of motion by name.
class ConstraintSections : private FormBase {
public:
  ConstraintSections(mechanics::Layer& layer, Shower& show, const Presentation& how)
      : FormBase(layer, show), how_(how), joints_(layer, show, how) {}
  void addTo(Document& document);
  /// Constraints that `where` defines, perhaps part by part, have these lines in their place.
  static void defineInPlace(Document& document, std::vector<Line>& where);
  /// What has a name of its own only to be gamma or a force, member by member, is said without it.
  static void sayDirectly(Document& document, std::vector<Line>& where);
  /// Forces on members of a family with sums over the constraints of each, which differ from part to part, are said
  /// part by part.
  static void sayByMembers(Document& document, std::vector<Line>& where);
  /// Forces whose sum is not seen, as over the members of a ring, are described: neither their lines nor those of
  /// `where` say what they are.
  static void dropUndefined(Document& document, const std::vector<Line>& where);

private:
  void addEquations(Document& document, const mechanics::ShownConstraints& constraints);
  void addForces(Document& document, const mechanics::ShownConstraints& constraints);
  void putForce(std::vector<Line>& lines, std::size_t factor, std::size_t part, sym::Expr force,
                const std::vector<JointLines::Share>& shares);

  const Presentation& how_;
  JointLines joints_;
};

/// `where` behind the lines of a document, with what they name; long parts that occur often get a name, too.
void addDefinitions(Document& document, Shower& show, const mechanics::System& system);

/// Seeds the velocities of all factors with the arrays of System::direction.
void seedDirections(sym::Tangent& momenta, mechanics::Layer& layer);

/// How the accelerations are found, group by group.
[[nodiscard]] std::vector<std::string> massRemarks(const mechanics::System& system);
/// By what system the forces of constraints are found; of a system that has constraints.
[[nodiscard]] std::string constraintRemark(const mechanics::System& system);

} // namespace lmc::present
