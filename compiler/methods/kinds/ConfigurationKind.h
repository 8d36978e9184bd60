// What methods on the configurations of a model share: points, algebra elements and dual elements of all factors, the
// calculus of their groups, retractions.
#pragma once

#include "methods/kinds/MethodKind.h"
#include "methods/phase/GroupCalculus.h"
#include "sym/Inline.h"

#include <fmt/format.h>
#include <functional>

namespace lmc {

/// How a method's formulas are written. A factor that is declared in the other frame is seen as the opposite group.
enum class Convention : std::uint8_t {
  LeftAction, ///< exp(k)*g: body factors are seen as the opposite group
  Body,       ///< Q*exp(k): space factors are seen as the opposite group
  Declared,   ///< every symbol means what it says in the declared frame
};

class ConfigurationKind : public MethodKind {
public:
  ConfigurationKind(const KindContext& context, Convention convention);

  Value hold(const Value& v, const std::string& name) override;
  std::optional<Space> space(const Value& v) const override;
  Value defaultStart() override;
  Space shiftSpace() const override { return algebra_; }
  Tuple shifted(const Tuple& point, const Tuple& shift) override;
  Tuple difference(const Tuple& a, const Tuple& b, const Tuple& shift) override;
  void useRetraction(const std::string& name) override { retraction_ = name; }

  Value word(const Word& word, const std::vector<Value>& args, Range where) override;
  Value product(const Value& a, const Value& b) override;
  Value act(const Value& element, const Value& point) override;
  Value actRight(const Value& point, const Value& element, Range where) override;
  Value bracket(const Value& a, const Value& b) override;

protected:
  /// One factor: where its parts stand among those of all points, of all elements of acting groups and of all algebra
  /// elements.
  struct Slot {
    const Factor* factor = nullptr;
    std::vector<sym::Expr> index;
    Handed handed = Handed::Group;
    std::size_t point = 0, element = 0, algebra = 0;
    [[nodiscard]] const Manifold& manifold() const { return *factor->manifold; }
    [[nodiscard]] bool body() const { return factor->frame == Frame::Body && manifold().isGroup(); }
  };

  static Value valueOf(ValueKind kind, Tuple parts);
  static Tuple part(const Tuple& all, std::size_t first, std::size_t count);
  [[nodiscard]] Tuple pointOf(const Slot& s, const Tuple& all) const {
    return part(all, s.point, s.manifold().point().size());
  }
  [[nodiscard]] Tuple elementOf(const Slot& s, const Tuple& all) const {
    return part(all, s.element, s.manifold().group().point().size());
  }
  [[nodiscard]] Tuple algebraOf(const Slot& s, const Tuple& all) const {
    return part(all, s.algebra, s.manifold().algebra().size());
  }
  [[nodiscard]] GroupCalculus calculus(const Slot& s) { return {p_, s.manifold(), s.handed}; }
  [[nodiscard]] GroupCalculus calculus(const Slot& s, Handed handed) { return {p_, s.manifold(), handed}; }
  /// `operation(calculus, own part of a, own part of b)` for every factor.
  template <class Operation> Tuple each(const Tuple& a, const Tuple& b, Operation operation) {
    Tuple r;
    for (const Slot& s : slots_) append(r, operation(calculus(s), algebraOf(s, a), algebraOf(s, b)));
    return r;
  }
  static void append(Tuple& a, const Tuple& b) { a.insert(a.end(), b.begin(), b.end()); }

  /// The elements F(k) of the acting groups.
  Tuple elements(const std::string& retraction, const Tuple& k);
  /// F·q: on a group the product from the left (in the group as the slot sees it).
  Tuple act(const Tuple& element, const Tuple& point);
  /// q moved along the manifold in the declared frame: q F in body, F q in space.
  Tuple moved(const Tuple& point, const Tuple& element);
  /// The first factor whose group does not offer a retraction; null if all do.
  const Factor* without(const std::string& retraction);
  Value noRetraction(const Factor& f, const std::string& retraction, Range where);
  /// How a method of this kind writes a point that is moved by an algebra element k, for messages.
  [[nodiscard]] virtual std::string movedPoint() const = 0;

  /// A point, a velocity there and a time.
  struct Place {
    Tuple q, xi;
    sym::Expr time;
  };
  /// What is put instead of the state and the time where the model's equations are copied.
  struct Copy {
    sym::Replacement replacement;
    std::string suffix;
  };
  [[nodiscard]] Copy newCopy() { return {{}, fmt::format("@C{}", ++copies_)}; }
  Copy copyAt(const Place& place);
  /// Arrays of all factors, part by part of the algebra, in a copy, as loads.
  Tuple algebraAt(const Copy& copy, const std::vector<const sym::Array*>& roots);

  /// dL/dxi of a Lagrangian model for horizontal velocities.
  Tuple legendre(const Place& place);
  using LinearMap = std::function<Tuple(const Tuple&)>;
  /// The velocity of a momentum p, with one step of iterative refinement. The next step begins with the momentum of
  /// this velocity: without it the errors of the reciprocals in a constant mass matrix add up, and momentum maps drift
  /// by 1e-17 a step. `velocityOf` is affine, and is the inverse of `legendre` at the same point and time.
  Tuple refinedVelocity(const Tuple& point, const Tuple& p, sym::Expr time, const LinearMap& velocityOf);

  /// The state of a Lagrangian model: all points, all velocities.
  [[nodiscard]] std::vector<Value> pointAndVelocity() const;
  /// Sets `state` and `next` of the step: points, then per factor its velocity or momentum.
  void setNext(const ArrayTuple& points, const ArrayTuple& fibers);
  /// Stage values instead of the state: adds the factors' points to a replacement.
  void replacePoints(sym::Replacement& replacement, const Tuple& point, const ArrayTuple& stored) const;

  KindContext context_;
  Diagnostics& d_;
  sym::Program& p_;
  sym::Graph& g_;
  std::vector<Slot> slots_;
  Space points_, elements_, algebra_;
  std::string retraction_ = "exp"; ///< what `retract` means in the method at hand

private:
  Value retractionWord(const std::string& name, const std::vector<Value>& args, Range where);
  Value adjointWord(const std::string& name, const std::vector<Value>& args);
  Value groupElement(Tuple elements, std::int64_t factors);

  std::vector<const sym::Array*> legendre_; ///< dL/dxi of all factors for horizontal velocities, once they are needed
  int copies_ = 0;
};

} // namespace lmc
