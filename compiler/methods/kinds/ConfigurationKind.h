// What methods on the configurations of a model share: points, algebra elements and dual elements of all factors, the
// calculus of their groups, retractions.
#pragma once

#include "methods/kinds/MethodKind.h"
#include "methods/phase/GroupCalculus.h"
#include "sym/Inline.h"

#include <fmt/format.h>
#include <functional>

namespace lmc::methods {

/// How a method's formulas are written. A factor that is declared in the other frame is seen as the opposite group.
enum class Convention : std::uint8_t {
  LeftAction, ///< exp(k)*g: body factors are seen as the opposite group
  Body,       ///< Q*exp(k): space factors are seen as the opposite group
  Declared,   ///< every symbol means what it says in the declared frame
};

class ConfigurationKind : public MethodKind {
public:
  ConfigurationKind(const KindContext& context, Convention convention);

  sema::Value hold(const sema::Value& v, const std::string& name) override;
  std::optional<Space> space(const sema::Value& v) const override;
  sema::Value defaultStart() override;
  Space shiftSpace() const override { return algebra_; }
  sema::Tuple shifted(const sema::Tuple& point, const sema::Tuple& shift) override;
  sema::Tuple difference(const sema::Tuple& a, const sema::Tuple& b, const sema::Tuple& shift) override;
  void useRetraction(const std::string& name) override { retraction_ = name; }
  /// Displacements are the unknowns.
  sym::Expr positionSize(sym::Expr h) override;

  sema::Value word(const Word& word, const std::vector<sema::Value>& args, Range where) override;
  sema::Value product(const sema::Value& a, const sema::Value& b) override;
  sema::Value act(const sema::Value& element, const sema::Value& point) override;
  sema::Value actRight(const sema::Value& point, const sema::Value& element, Range where) override;
  sema::Value bracket(const sema::Value& a, const sema::Value& b) override;

protected:
  /// One factor: where its parts stand among those of all points, of all elements of acting groups and of all algebra
  /// elements.
  struct Slot {
    const sema::Factor* factor = nullptr;
    std::vector<sym::Expr> index;
    Handed handed = Handed::Group;
    std::size_t point = 0, element = 0, algebra = 0;
    [[nodiscard]] const sema::Manifold& manifold() const { return *factor->manifold; }
    [[nodiscard]] bool body() const { return factor->frame == sema::Frame::Body && manifold().isGroup(); }
  };

  static sema::Value valueOf(sema::ValueKind kind, sema::Tuple parts);
  [[nodiscard]] sema::Tuple pointOf(const Slot& s, const sema::Tuple& all) const {
    return sema::part(all, s.point, s.manifold().point().size());
  }
  [[nodiscard]] sema::Tuple elementOf(const Slot& s, const sema::Tuple& all) const {
    return sema::part(all, s.element, s.manifold().group().point().size());
  }
  [[nodiscard]] sema::Tuple algebraOf(const Slot& s, const sema::Tuple& all) const {
    return sema::part(all, s.algebra, s.manifold().algebra().size());
  }
  [[nodiscard]] GroupCalculus calculus(const Slot& s) { return {p_, s.manifold(), s.handed}; }
  [[nodiscard]] GroupCalculus calculus(const Slot& s, Handed handed) { return {p_, s.manifold(), handed}; }
  /// `operation(calculus, own part of a, own part of b)` for every factor.
  template <class Operation> sema::Tuple each(const sema::Tuple& a, const sema::Tuple& b, Operation operation) {
    sema::Tuple r;
    for (const Slot& s : slots_) append(r, operation(calculus(s), algebraOf(s, a), algebraOf(s, b)));
    return r;
  }
  static void append(sema::Tuple& a, const sema::Tuple& b) { a.insert(a.end(), b.begin(), b.end()); }

  /// The elements F(k) of the acting groups.
  sema::Tuple elements(const std::string& retraction, const sema::Tuple& k);
  /// F·q: on a group the product from the left (in the group as the slot sees it).
  sema::Tuple act(const sema::Tuple& element, const sema::Tuple& point);
  /// q moved along the manifold in the declared frame: q F in body, F q in space.
  sema::Tuple moved(const sema::Tuple& point, const sema::Tuple& element);
  /// The first factor whose group does not offer a retraction; null if all do.
  const sema::Factor* without(const std::string& retraction);
  sema::Value noRetraction(const sema::Factor& f, const std::string& retraction, Range where);
  /// How a method of this kind writes a point that is moved by an algebra element k, for messages.
  [[nodiscard]] virtual std::string movedPoint() const = 0;

  /// A point, a velocity there and a time.
  struct Place {
    sema::Tuple q, xi;
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
  sema::Tuple algebraAt(const Copy& copy, const std::vector<const sym::Array*>& roots);

  /// dL/dxi of a Lagrangian model for horizontal velocities.
  sema::Tuple legendre(const Place& place);
  using LinearMap = std::function<sema::Tuple(const sema::Tuple&)>;
  /// The velocity of a momentum p, with one step of iterative refinement. The next step begins with the momentum of
  /// this velocity: without it the errors of the reciprocals in a constant mass matrix add up, and momentum maps drift
  /// by 1e-17 a step. `velocityOf` is affine, and is the inverse of `legendre` at the same point and time.
  sema::Tuple refinedVelocity(const sema::Tuple& point, const sema::Tuple& p, sym::Expr time,
                              const LinearMap& velocityOf);

  /// The state of a Lagrangian model: all points, all velocities.
  [[nodiscard]] std::vector<sema::Value> pointAndVelocity() const;
  /// Sets `state` and `next` of the step: points, then per factor its velocity or momentum.
  void setNext(const sema::ArrayTuple& points, const sema::ArrayTuple& fibers);
  /// Stage values instead of the state: adds the factors' points to a replacement.
  void replacePoints(sym::Replacement& replacement, const sema::Tuple& point, const sema::ArrayTuple& stored) const;

  KindContext context_;
  Diagnostics& d_;
  sym::Program& p_;
  sym::Graph& g_;
  std::vector<Slot> slots_;
  Space points_, elements_, algebra_;
  std::string retraction_ = "exp"; ///< what `retract` means in the method at hand

private:
  sema::Value retractionWord(const std::string& name, const std::vector<sema::Value>& args, Range where);
  sema::Value adjointWord(const std::string& name, const std::vector<sema::Value>& args);
  sema::Value groupElement(sema::Tuple elements, std::int64_t factors);

  std::vector<const sym::Array*> legendre_; ///< dL/dxi of all factors for horizontal velocities, once they are needed
  int copies_ = 0;
};

} // namespace lmc::methods
