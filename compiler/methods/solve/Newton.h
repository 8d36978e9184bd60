// Systems of implicit equations: unknowns of several spaces stacked into one vector of numbers, with a derived
// Jacobian.
#pragma once

#include "methods/phase/Space.h"

namespace lmc::methods {

/// Systems inside of one that is solved with all of them together: their unknowns are unknowns of it. Where they would
/// be iterations of their own in each of its turns, its Jacobian would have the derivatives of their solutions.
struct JoinedSystems {
  struct Part {
    Space space;
    sema::ArrayTuple iterate; ///< role Unknown
    sema::Tuple residual;
  };
  std::vector<Part> parts;
  std::vector<sema::Tuple> starts; ///< one for each part: the solutions of a step from another begin, in their order
  bool begun = false;              ///< the starts are there
};

/// One `solve`: make it, build the residuals from `iterate`, then `finish`.
class Newton {
public:
  /// Systems up to this size are solved with a matrix, larger ones by products with it.
  static constexpr std::int64_t denseLimit = 18;
  /// Equations that are to vanish, part by part.
  using Residuals = std::vector<std::pair<Space, sema::Tuple>>;
  /// What a user may choose; by default the iteration goes on to round-off.
  struct Settings {
    sym::Expr tolerance;          ///< relative, of the last change; may be empty
    std::int64_t limit = 30;      ///< turns
    std::int64_t evaluations = 0; ///< of f in one turn
    bool constrained = false;     ///< some unknowns are multipliers of constraints
    /// Unknowns that are multipliers. Near configurations where constraints depend on each other these are known to
    /// rounding over the square of what is left of a slope; where the changes of the others are rounding, the iteration
    /// has ended.
    std::vector<std::size_t> multipliers = {};
    /// A matrix near the Jacobian, of all unknowns, that does not depend on them: of large systems it makes products
    /// with the Jacobian few.
    std::shared_ptr<const sym::SparseJacobian> near = {};
    bool alongFamilyAlone = false; ///< elimination along a family, or nothing
    /// The Jacobian is near 1 where the iteration begins: changes are residuals, mended by what earlier changes have
    /// shown (secants), and no derivative is made.
    bool nearOne = false;
  };

  Newton(sym::Program& p, std::vector<Space> unknowns);
  /// The same iterates without those of unknowns that follow from the others.
  [[nodiscard]] Newton without(const std::vector<bool>& eliminated) const;

  /// Unknowns of other systems become the last ones of this.
  void join(const JoinedSystems& others);

  /// The k-th unknown during the iteration.
  [[nodiscard]] sema::Tuple iterate(std::size_t k) const;
  /// The arrays of which `iterate` is made.
  [[nodiscard]] const sema::ArrayTuple& iterateArrays(std::size_t k) const { return iterate_[k]; }
  [[nodiscard]] const Space& spaceOf(std::size_t k) const { return unknowns_[k]; }
  [[nodiscard]] std::size_t unknowns() const { return unknowns_.size(); }
  [[nodiscard]] std::int64_t size() const { return size_; }
  /// Appends the iteration. `residuals` are as many numbers as the unknowns. False: only where `alongFamilyAlone` is
  /// asked for and members read others than neighbours, or too much; nothing is solved then.
  bool finish(const std::vector<sema::Tuple>& starts, const Residuals& residuals, const Settings& settings);
  /// The k-th unknown after `finish`.
  [[nodiscard]] sema::Tuple solution(std::size_t k) const;

private:
  [[nodiscard]] std::size_t counted(const std::vector<std::size_t>& multipliers) const;
  sym::Expr position(std::int64_t first, const Component& c, sym::Expr member, int entry) const;
  void stack(const sym::Array* array, std::int64_t first, const Space& space, const sema::Tuple& value);
  bool directional(const Residuals& residuals, const sym::Array* residual, const Settings& settings,
                   sym::NewtonIteration& newton);
  /// An inner product of the iterate on which the residual depends by functions of one number: a narrow place of its
  /// graph. d residual = (d at fixed products) + sum over products of (d residual / d product) d product takes one
  /// pass for each product and some multiplications, where whole columns would carry all these functions along.
  struct Waist {
    sym::Expr product;
    sema::Tuple slope; ///< twice d residual / d product, entry by entry of all residuals
  };
  void jacobian(const sym::Array* array, const Residuals& residuals);
  [[nodiscard]] std::vector<Waist> waists(const Residuals& residuals) const;
  /// The same by loops over the directions of each variable (sym::JacobianColumns).
  [[nodiscard]] std::vector<sym::JacobianColumns> columns(const Residuals& residuals);
  void productOf(const sym::JacobianColumns& columns, const Residuals& residuals, const std::vector<Waist>& waists,
                 const sym::Array* iterate, std::int64_t member);
  void column(const sym::Array* array, const Residuals& residuals, const std::vector<Waist>& waists,
              std::size_t unknown, std::size_t part, std::int64_t first, int entry);

  sym::Program& p_;
  sym::Graph& g_;
  std::vector<Space> unknowns_;
  std::vector<sema::ArrayTuple> iterate_;
  std::int64_t size_ = 0;
  const sym::Array* solution_ = nullptr;
};

} // namespace lmc::methods
