// What a kind of method (`on manifold`, `on cotangent`, …) makes of a model: the state that a method reads and
// advances, the functions and operators that its body may use, the spaces of its values.
#pragma once

#include "methods/phase/Phase.h"
#include "methods/phase/Space.h"
#include "methods/phase/Step.h"
#include "sema/Compilation.h"

#include <memory>

namespace lmc {

class MethodKind : public MethodOperations {
public:
  /// Why methods of this kind cannot step the model, for a person; empty if they can. To be asked before all else.
  [[nodiscard]] virtual std::string refusal() = 0;
  /// Names of the state's variables (y; g, mu) and their values at the begin of a step.
  [[nodiscard]] virtual std::vector<std::string> stateNames() const = 0;
  [[nodiscard]] virtual std::vector<Value> state() = 0;
  /// Whether a value may be the k-th variable of the state; if not, what to say: "must be a point …", a suggestion.
  struct Misfit {
    std::string message, suggestion;
  };
  [[nodiscard]] virtual std::optional<Misfit> misfit(std::size_t k, const Value& v) const = 0;
  /// A value as it is used further on: held in arrays where that pays.
  [[nodiscard]] virtual Value hold(const Value& v, const std::string& name) = 0;
  /// What iterations start from beside the state, carried from step to step of a composition. A step within an
  /// iteration must not leave its own behind.
  [[nodiscard]] virtual Tuple guess() const { return {}; }
  virtual void setGuess(const Tuple&) {}
  /// What `retract` is from now on: exp, cay, or a function that the groups declare.
  virtual void useRetraction(const std::string&) {}
  /// Sets `state` and `next` of the step from the values after it.
  virtual void finish(const std::vector<Value>& next) = 0;
  /// Sets `embedded` of the step, after `finish`. False when methods of this kind have no error estimate.
  virtual bool embed(const std::vector<Value>&) { return false; }

  /// The space of a linear value (an algebra element, a momentum); nothing for points.
  [[nodiscard]] virtual std::optional<Space> space(const Value& v) const = 0;
  /// What an unknown of `solve` is and starts from when nothing is said.
  [[nodiscard]] virtual Value defaultStart() = 0;
  /// Points as unknowns: point = exp(shift)*start, equal points as equal numbers.
  [[nodiscard]] virtual Space shiftSpace() const = 0;
  [[nodiscard]] virtual Tuple shifted(const Tuple& point, const Tuple& shift) = 0;
  /// As many numbers as a shift has, which vanish exactly when a = b near `start`; `shift` is free along the isotropy
  /// and is fixed there.
  [[nodiscard]] virtual Tuple difference(const Tuple& a, const Tuple& b, const Tuple& shift) = 0;
};

/// Shared by the kinds: the step in work and what counts its cost.
struct KindContext {
  Compilation& compilation;
  System& system;
  Step& step;
};

[[nodiscard]] std::unique_ptr<MethodKind> manifoldKind(const KindContext& context);
[[nodiscard]] std::unique_ptr<MethodKind> cotangentKind(const KindContext& context);
[[nodiscard]] std::unique_ptr<MethodKind> lagrangianKind(const KindContext& context);
[[nodiscard]] std::unique_ptr<MethodKind> variationalKind(const KindContext& context);
[[nodiscard]] std::unique_ptr<MethodKind> rigidBodyKind(const KindContext& context);
[[nodiscard]] std::unique_ptr<MethodKind> embeddingKind(const KindContext& context, const ast::Declaration& method);
/// The kind of a declared method; null and a diagnostic if there is none.
[[nodiscard]] std::unique_ptr<MethodKind> makeKind(const KindContext& context, const Found& method);

/// A method's parameter of this name chooses the retraction that its body calls `retract`.
inline constexpr const char* retractionParameter = "retract";

/// A method as a model or a composition names it: `NAME`, `NAME(theta = 0.5)`, `adjoint(NAME)`.
struct MethodReference {
  Found found;
  std::vector<std::pair<std::string, Value>> arguments;
  bool adjoint = false;
};
/// Nothing when there is no such method or an argument is wrong (reported).
[[nodiscard]] std::optional<MethodReference> resolveMethod(Compilation& compilation, const ast::Expr& reference);

} // namespace lmc
