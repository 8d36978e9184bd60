// An instantiated group or homogeneous manifold: the declaration of a `.lie` file with its sizes filled in.
//
// Elements of manifolds, of Lie algebras and of their duals are tuples of tensors, one per declared part. The
// operations that a declaration gives are evaluated on symbolic tuples; what can be derived from them (generator,
// Ad, tangent lifts, projections) is in mechanics/system/Geometry.h.
#pragma once

#include "base/Source.h"
#include "sym/Expr.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lmc::sema {

/// A tuple of tensors: a point, an algebra element or a dual element, by parts.
using Tuple = std::vector<sym::Expr>;

/// Of velocities and momenta: left or right trivialized.
enum class Frame : std::uint8_t { Body, Space };

/// A named component of a point's or an algebra element's storage.
struct Part {
  std::string name;
  sym::Shape shape;
};

/// One equation of a `holds` clause, evaluated at a point: left = right (scalars or tensors of one shape).
struct HeldEquation {
  sym::Expr left, right;
};

class Manifold {
public:
  virtual ~Manifold() = default;

  /// As written: "SO(3)", "R^5", "S^2".
  [[nodiscard]] virtual const std::string& name() const = 0;
  /// True for a group (acting on itself), false for a manifold with an acting group.
  [[nodiscard]] virtual bool isGroup() const = 0;
  /// The group that acts: the manifold itself if it is a group.
  [[nodiscard]] virtual const Manifold& group() const = 0;
  [[nodiscard]] virtual const std::vector<Part>& point() const = 0;
  /// Parts of the Lie algebra of `group()`.
  [[nodiscard]] virtual const std::vector<Part>& algebra() const = 0;
  [[nodiscard]] virtual Range declaredAt() const = 0;

  /// Evaluates an operation on tuples; nothing if the declaration neither gives it nor lets it follow. A group has
  /// identity, product, inverse, bracket, exp, hat, vee, ad, adstar, Ad, Adstar, dexp, and what is declared of dexpinv,
  /// log, cay, dcay, dcayinv (dexpinv also where it has a closed form); a manifold has action, and perhaps horizontal,
  /// project. A scalar- or vector-valued operation (horizontal) returns a tuple of one or more tensors.
  [[nodiscard]] virtual std::optional<Tuple> apply(std::string_view operation,
                                                   const std::vector<Tuple>& args) const = 0;
  /// Whether `apply` returns a value.
  [[nodiscard]] virtual bool gives(std::string_view operation) const = 0;
  /// Of a group: a function `NAME(w)` of its declaration, clause or not, as a map from the algebra to the group; with
  /// two arguments as a map from pairs of algebra elements to the algebra. Nothing if there is none.
  [[nodiscard]] virtual std::optional<Tuple> retraction(const std::string& name,
                                                        const std::vector<Tuple>& args) const = 0;
  [[nodiscard]] virtual std::vector<HeldEquation> holds(const Tuple& point) const = 0;
  /// Of a group with a clause `action(A, x)`: the length of the vectors x that it moves; nothing if there is none.
  [[nodiscard]] virtual std::optional<int> actsOn() const = 0;

  /// Dimension of the manifold: of the algebra less the isotropy, which the conditions of `horizontal` count, or the
  /// trace of `project` at the base point. Nothing where that is no number.
  [[nodiscard]] virtual std::optional<int> dimension() const = 0;

  /// Number of real coordinates of the algebra (the sum of its parts' sizes).
  [[nodiscard]] int algebraSize() const {
    int n = 0;
    for (const Part& p : algebra()) n += p.shape.size();
    return n;
  }
};

} // namespace lmc::sema
