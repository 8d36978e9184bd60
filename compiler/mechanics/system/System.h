// The derived system: equations of motion y' = f(t, y) on the phase manifold, energy and momenta.
#pragma once

#include "mechanics/system/Geometry.h"
#include "sema/model/Model.h"
#include "sym/Rewrite.h"

#include <memory>
#include <string>
#include <vector>

namespace lmc::mechanics {

/// How the accelerations of a group of coupled factors are found from M xi' = r.
enum class MassStructure : std::uint8_t {
  Scalar,      ///< M is a number times the identity: divide
  Block,       ///< one small symmetric matrix: factored in straight-line code
  Members,     ///< one small matrix per member of a family: factored in the loop over the members
  Chain,       ///< members of a family coupled with their neighbours: eliminated by two sweeps (mechanics/mass/Chain.h)
  Dense,       ///< a matrix over a whole family: assembled by loops, factored by a routine
  Multipliers, ///< constraint forces first, in coordinates of the space around (mechanics/mass/Multipliers.h)
};

/// Factors whose accelerations are found together.
struct MassGroup {
  MassStructure structure = MassStructure::Block;
  std::vector<std::size_t> factors; ///< indices into Model::factors
  std::int64_t size = 0;            ///< unknowns: of the whole group, or of one member (Members)
  std::int64_t multipliers = 0;     ///< constraint forces that are solved for (Multipliers)
  bool constant = false;            ///< M depends on parameters only: factored once per run
  std::string reason;               ///< why this structure, for a person
  std::vector<sym::Expr> index;     ///< of `matrix`: the member (Members), else empty
  sym::Expr matrix; ///< M as a matrix (Block, Members) or its one number (Scalar); empty for Dense, Chain, Multipliers
  const sym::Array* dense = nullptr; ///< M as an array [n, n] (Dense; Chain and Multipliers, for inspection)
};

/// What was derived for one factor. Expressions are in terms of `index` (empty for a single factor).
struct FactorEquations {
  std::vector<sym::Expr> index;  ///< loop index of the member, or empty
  sema::Tuple point, velocity;   ///< loads of the state; of a factor with a momentum `velocity` is mu
  sema::Tuple momentum;          ///< mu = dl/dxi, as it is differentiated; of a factor with a momentum mu itself
  sema::Tuple momentumValue;     ///< its value on the phase manifold, simplified
  sema::Tuple rhs;               ///< r of M xi' = r; of a factor with a momentum mu' = ± ad*_xi mu + f_mu
  sema::Tuple massTimes;         ///< M v for v = `direction` (own factor's velocity only, for printing)
  sema::ArrayTuple acceleration; ///< xi', or mu', Temp arrays
  sema::ArrayTuple reaction;     ///< B^T lambda of all constraints; empty without
  sema::Tuple force;             ///< f_mu = T(g)^T dl/dg + F, or -T(g)^T dH/dg + F; without ad*
  // of a factor with a momentum
  sema::Tuple rate;            ///< xi = dH/dmu
  sema::ArrayTuple forceArray; ///< f_mu, Temp arrays
};

/// What was derived for one state in the dual of an algebra: mu' = ± ad*_xi mu (plus in body, minus in space).
struct DualEquations {
  std::size_t state = 0;        ///< index into Model::states
  std::vector<sym::Expr> index; ///< loop index of the member, or empty
  sema::Tuple rate;             ///< xi = dH/dmu, or the given flow
  sema::Tuple rhs;              ///< mu'
  sema::ArrayTuple derivative;  ///< mu', Temp arrays
};

/// The matrix of accelerations and multipliers, [M, -B^T; B, off], as blocks between members and constraints. `off` has
/// 1 on the diagonal where a constraint does not hold.
struct ConstraintBlocks {
  /// Blocks for all members of loops.
  struct Family {
    std::vector<sym::Loop> loops;
    sym::Expr row, column;      ///< of the first number: among rows of constraints or columns of velocities, from 1
    int rows = 0, columns = 0;  ///< of a block
    sym::Expr position;         ///< of its first number among those of all blocks, from 1; they stand row by row
    bool velocities = false;    ///< of a constraint on velocities
    std::size_t constraint = 0; ///< index into Model::constraints, but for masses
    std::size_t factor = 0;     ///< that it acts on (B)
  };
  std::vector<Family> mass, jacobian, transposed, diagonal; ///< M, B, -B^T, off
  std::shared_ptr<const sym::SparseJacobian> matrix;        ///< with the numbers at the state
  double fill = 0;                                          ///< numbers of its factors for each unknown
};

/// What was derived of the constraints of a model, all of their equations stacked: constraints on positions first, in
/// the order of declaration. Rows are equations, columns components of the velocities of all factors, member after
/// member; arrays hold single numbers.
struct ConstraintEquations {
  std::int64_t rows = 0, positions = 0, columns = 0; ///< equations, those on positions among them, velocities
  std::vector<std::int64_t> firstRow;                ///< of each constraint of the model
  std::vector<std::int64_t> firstColumn;             ///< of each factor
  const sym::Array* value = nullptr;                 ///< c, zero for equations on velocities
  const sym::Array* rate = nullptr;                  ///< d: dc/dt, or c of an equation on velocities
  const sym::Array* inactive = nullptr;              ///< 1 where a member does not hold
  const sym::Array* jacobian = nullptr;              ///< dd/dxi, of momenta dd/dp
  const sym::Array* force = nullptr;                 ///< B: forces are B^T lambda; in a Lagrangian model `jacobian`
  const sym::Array* response = nullptr;              ///< what a multiplier changes of xi' (p'): B M^-1, or B
  const sym::Array* moves = nullptr;                 ///< velocities by which positions are put right: B M^-1, or dd/dp
  const sym::Array* matrix = nullptr;                ///< S: dd/dt is S lambda and what it is without forces
  const sym::Array* bias = nullptr;                  ///< gamma: dd/dt at xi' = 0 (of momenta: along the free motion)
  const sym::Array* multiplier = nullptr;            ///< lambda
  const sym::Array* mass = nullptr;                  ///< M of all factors, for inspection; null for momenta
  std::vector<sema::ArrayTuple> free;                ///< xi' (p') without constraint forces, by factors
  /// Of large systems that are sparse; all matrices above are null then.
  std::shared_ptr<const ConstraintBlocks> blocks;
  std::string why; ///< the matrices are not sparse, for a person
};

/// The rows of `ConstraintEquations` as they are where all contacts are closed and stick, for impacts.
struct ContactEquations {
  const sym::Array* value = nullptr;    ///< c
  const sym::Array* rate = nullptr;     ///< d
  const sym::Array* jacobian = nullptr; ///< B
  const sym::Array* response = nullptr; ///< B M^-1
  const sym::Array* bias = nullptr;     ///< gamma
  const sym::Array* free = nullptr;     ///< xi' without forces of constraints and contacts, stacked
};

/// The result of derivation; it does not change any more. What a later stage adds to its equations is a `Layer`.
struct System {
  const sema::Model* model = nullptr;
  std::shared_ptr<const sym::Program> program; ///< the derived equations, a layer over those of the model
  std::vector<FactorEquations> factors;
  std::vector<DualEquations> duals;
  std::vector<MassGroup> groups;
  std::shared_ptr<const ConstraintEquations> constraints; ///< null without
  std::shared_ptr<const ContactEquations> contacts;       ///< null without
  const sym::Array* energy = nullptr;                     ///< 0-dimensional Temp; null when the model has none
  sym::Expr energyExpression;                             ///< the same for printing
  /// Directions of printing: arrays named like the derivative of the velocity, one tuple per factor.
  std::vector<sema::ArrayTuple> direction;
  /// What derivation has found about values on the phase manifold; `Layer::simplify` goes on from it.
  std::shared_ptr<const sym::Rewriter> known;
};

/// Derives the equations (ARCHITECTURE.md, "Derivation"). Reports a structurally singular mass matrix; the system is
/// then incomplete.
[[nodiscard]] System deriveSystem(const sema::Model& model, Diagnostics& diagnostics);

} // namespace lmc::mechanics
