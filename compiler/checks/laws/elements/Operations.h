// The operations of one instantiated manifold, evaluated with numbers, and their exact derivatives.
#pragma once

#include "checks/laws/elements/NumericFunction.h"
#include "sema/manifolds/Manifolds.h"

#include <map>
#include <memory>
#include <random>

namespace lmc::laws {

using Engine = std::mt19937_64;

/// An operation is named as in a declaration: a clause (`product`), a function of a group from its algebra, or `holds`,
/// whose value is left − right of all equations. `derived exp` is what follows from a basis or from the factors of the
/// group where the clause `exp` is given, too.
class Operations {
public:
  Operations(sym::Graph& graph, const sema::DeclaredManifold& manifold);
  ~Operations();
  Operations(const Operations&) = delete;
  Operations& operator=(const Operations&) = delete;

  [[nodiscard]] const sema::DeclaredManifold& manifold() const { return manifold_; }
  /// The declaration gives the operation, or the compiler derives it as one.
  [[nodiscard]] bool has(const std::string& operation);

  /// Throws std::logic_error for an operation that the manifold does not have.
  [[nodiscard]] Vector value(const std::string& operation, const std::vector<Vector>& arguments);
  /// The derivative along a change of every argument.
  [[nodiscard]] Vector derivative(const std::string& operation, const std::vector<Vector>& arguments,
                                  const std::vector<Vector>& directions);
  /// The mixed second derivative of an operation of two arguments, along a change of each.
  [[nodiscard]] Vector mixedDerivative(const std::string& operation, const std::vector<Vector>& arguments,
                                       const std::vector<Vector>& directions);
  /// The columns are derivatives along the unit vectors of one argument.
  [[nodiscard]] Matrix jacobian(const std::string& operation, const std::vector<Vector>& arguments,
                                std::size_t argument);
  /// A value of the clause `random`.
  [[nodiscard]] Vector random(Engine& engine);

private:
  struct Symbolic;
  struct Random;
  struct Numeric {
    std::unique_ptr<NumericFunction> value, derivative, mixed;
  };
  [[nodiscard]] const Symbolic* symbolic(const std::string& operation);
  [[nodiscard]] const Symbolic& known(const std::string& operation);
  [[nodiscard]] std::vector<std::vector<sema::Part>> arguments(const std::string& operation) const;
  [[nodiscard]] std::optional<sema::Tuple> apply(const std::string& operation,
                                                 const std::vector<sema::Tuple>& arguments) const;
  void prepareRandom();

  sym::Graph& g_;
  sym::Program program_;
  const sema::DeclaredManifold& manifold_;
  std::map<std::string, std::unique_ptr<Symbolic>> symbolic_;
  std::map<std::string, Numeric> numeric_;
  std::unique_ptr<Random> random_;
};

} // namespace lmc::laws
