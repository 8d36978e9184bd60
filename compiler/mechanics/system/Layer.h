// What one stage adds to a derived system: equations of its own, with their expressions.
#pragma once

#include "mechanics/system/System.h"

namespace lmc::mechanics {

/// Equations over those of a system, or over those of another layer. The stage that makes them owns them; what is below
/// stays as it is, so the same work over the same layer gives the same equations, whatever else was made of the system
/// before. A function that takes a layer adds to it; functions of a system alone read. Derivation is the first: its
/// layer lies over the model, and becomes the system's program.
class Layer {
public:
  /// Over the program of a system, or over another layer; both must outlive it.
  explicit Layer(const System& of) : Layer(of, *of.program, of.known) {}
  [[nodiscard]] static Layer over(const Layer& below);
  /// Derivation's own: of a system that is being made, over its model.
  [[nodiscard]] static Layer ofDerivation(const System& beingMade);
  Layer(const Layer&) = delete;
  Layer& operator=(const Layer&) = delete;
  ~Layer() = default;

  /// Expressions that are made while it lives belong to this layer.
  [[nodiscard]] sym::Graph::Work work() { return program_->work(); }

  const System& system;
  const sema::Model& model;
  /// This layer's equations, over those below.
  [[nodiscard]] sym::Program& program() { return *program_; }
  [[nodiscard]] const sym::Program& program() const { return *program_; }

  /// Simplifies a value by what holds on the phase manifold; the result must not be differentiated off it.
  [[nodiscard]] sym::Expr simplify(sym::Expr value) { return (*rewriter())(value); }
  [[nodiscard]] sema::Tuple simplified(const sema::Tuple& values) {
    sema::Tuple r;
    for (const sym::Expr& e : values) r.push_back(simplify(e));
    return r;
  }

  /// At the end of derivation this becomes the system's, and the layer is not added to any more.
  [[nodiscard]] std::shared_ptr<const sym::Program> equations() const { return program_; }
  [[nodiscard]] std::shared_ptr<const sym::Rewriter> known() { return rewriter(); }

private:
  Layer(const System& of, const sym::Program& below, std::shared_ptr<const sym::Rewriter> known);
  /// Made when it is first asked for.
  const std::shared_ptr<sym::Rewriter>& rewriter();

  std::shared_ptr<sym::Program> program_;
  std::shared_ptr<const sym::Rewriter> known_; ///< what is known below; null: nothing yet
  std::shared_ptr<sym::Rewriter> rewriter_;
};

} // namespace lmc::mechanics
