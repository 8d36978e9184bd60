// A group in numbers: its operations, what follows from them by differentiation, and the elements that laws are tested
// with.
//
// Nothing here uses the bracket, Ad or the derivatives of exp that a declaration gives: those are what is tested.
#pragma once

#include "checks/laws/elements/Law.h"
#include "checks/laws/elements/Operations.h"

#include <optional>

namespace lmc::laws {

struct Sample {
  Place place = Place::Origin;
  Vector value;
  bool fromExp = false; ///< of an element: computed with exp
  bool product = false; ///< of two exponentials, which need not be one
};

/// The farther of two places.
[[nodiscard]] inline Place farther(Place a, Place b) {
  return std::max(a, b);
}
/// The size of numbers for the comparison of laws: the largest, at least 1.
[[nodiscard]] double sizeOf(const Vector& v);
[[nodiscard]] bool isFinite(const Vector& v);
/// The rank of a matrix whose numbers are known to about 1e-12 of the largest, and an orthonormal basis of its kernel.
[[nodiscard]] Eigen::Index rankOf(const Matrix& m);
[[nodiscard]] Matrix kernelOf(const Matrix& m);

class Group {
public:
  Group(sym::Graph& graph, const sema::DeclaredManifold& manifold);

  [[nodiscard]] const sema::DeclaredManifold& manifold() const { return ops_.manifold(); }
  [[nodiscard]] Operations& operations() { return ops_; }
  /// The declaration itself gives the clause.
  [[nodiscard]] bool declares(const std::string& clause) const { return manifold().clause(clause) != nullptr; }
  [[nodiscard]] bool hasHolds() { return ops_.has("holds"); }
  [[nodiscard]] int dimension() const { return manifold().algebraSize(); }

  [[nodiscard]] Vector identity() { return ops_.value("identity", {}); }
  [[nodiscard]] Vector product(const Vector& a, const Vector& b) { return ops_.value("product", {a, b}); }
  [[nodiscard]] Vector inverse(const Vector& a) { return ops_.value("inverse", {a}); }
  [[nodiscard]] Vector exp(const Vector& u) { return ops_.value("exp", {u}); }
  [[nodiscard]] Vector bracket(const Vector& u, const Vector& v) { return ops_.value("bracket", {u, v}); }
  [[nodiscard]] Vector unit(int k) const { return Vector::Unit(dimension(), k); }

  /// The derivative of exp at 0: columns are the tangent vectors at the identity that the coordinates stand for.
  [[nodiscard]] const Matrix& tangents();
  /// The algebra element of a tangent vector at the identity, by least squares.
  [[nodiscard]] Vector vee(const Vector& tangent);
  /// The algebra element x of a change of an element A, change = x A.
  [[nodiscard]] Vector rightTrivialized(const Vector& element, const Vector& change);
  /// A exp(s v) A^-1 = exp(s Ad_A v), differentiated.
  [[nodiscard]] Vector conjugate(const Vector& element, const Vector& v);
  /// d/ds F(u + s v) = (dF_u v) F(u) for a map from the algebra, by name; the derivative of F is exact.
  [[nodiscard]] Vector derivative(const std::string& map, const Vector& u, const Vector& v);
  /// The same for all directions, by columns.
  [[nodiscard]] Matrix derivative(const std::string& map, const Vector& u);
  /// The derivative of the commutator exp(s u) exp(t v) − exp(t v) exp(s u) by s and t at 0: the bracket of the group.
  [[nodiscard]] Vector commutator(const Vector& u, const Vector& v);
  /// What `holds` misses at an element, and the size of what it is the difference of: entries times how much they
  /// matter.
  [[nodiscard]] Vector defect(const Vector& element) { return ops_.value("holds", {element}); }
  [[nodiscard]] double defectSize(const Vector& element);
  /// The same for an element whose small entries are sums of large ones, as those of exp: all have the rounding of the
  /// largest.
  [[nodiscard]] double defectSizeOfSums(const Vector& element);

  /// Algebra elements: 0, units, random ones of size 1, 1e-4, 1e-8, 3, 7 and 20.
  [[nodiscard]] const std::vector<Sample>& algebraSamples() const { return algebra_; }
  /// Elements: the identity, random ones, exponentials, products of exponentials. Those that are off the group are left
  /// out, and exponentials once they are not to be trusted.
  [[nodiscard]] std::vector<Sample> elements();
  /// Values of the clause `random`; none without it.
  [[nodiscard]] const std::vector<Sample>& randomElements();
  void distrustExp() { trustsExp_ = false; }

  [[nodiscard]] Quantity element(const std::string& name, const Vector& v) const {
    return {name, v, &manifold().point()};
  }
  [[nodiscard]] Quantity algebra(const std::string& name, const Vector& v) const {
    return {name, v, &manifold().algebra()};
  }

private:
  Vector farElement(double size);
  [[nodiscard]] Vector direction(double size);
  [[nodiscard]] bool isOnGroup(const Vector& element);

  Operations ops_;
  Engine engine_;
  std::vector<Sample> algebra_;
  std::optional<std::vector<Sample>> random_, elements_;
  std::optional<Matrix> tangents_;
  bool trustsExp_ = true;
};

} // namespace lmc::laws
