// Methods on `cotangent`: the configuration g and the momentum mu of a model, with the two components of f on G ⋉ 𝔤*
// (docs/conventions.md).
#pragma once

#include "mechanics/Cotangent.h"
#include "mechanics/Legendre.h"
#include "methods/kinds/ConfigurationKind.h"

#include <deque>

namespace lmc::methods {

/// The state is (g, mu) of all factors, right trivialized; a body factor is seen as the opposite group. A Lagrangian
/// model enters by its Legendre transform: mu of the initial velocities, and velocities of the final mu.
class CotangentKind final : public ConfigurationKind {
public:
  CotangentKind(const KindContext& context, mechanics::CotangentField field)
      : ConfigurationKind(context, Convention::LeftAction), system_(std::move(field)) {}

  std::vector<sema::Value> state() override;
  void finish(const std::vector<sema::Value>& next) override;

  sema::Value word(const Word& word, const std::vector<sema::Value>& args, Range where) override;
  /// Velocities of momenta within steps, on groups; each has its momentum as a function of it.
  std::vector<DefinedValues> defined() override;

private:
  struct Field {
    sema::Tuple velocity, force;
    sema::Tuple g, mu; ///< of what
    sym::Expr time;
    sema::ArrayTuple points, momenta;    ///< g and mu
    sema::ArrayTuple velocities, forces; ///< the components, part by part; none at the begin
  };
  DefinedValues::Definition momentaOf(const Field& field, const DefinedValues::Given& velocities);

  sema::Tuple alongManifold(const sema::Tuple& g, const sema::Tuple& mu);
  sema::Tuple isotropyForce(const Slot& s, const sema::Tuple& point, const sema::Tuple& velocity,
                            const sema::Tuple& isotropy);
  const Field& field(sym::Expr time, const sema::Tuple& g, const sema::Tuple& mu);
  [[nodiscard]] std::string movedPoint() const override { return "exp(k)*g"; }

  mechanics::CotangentField system_;
  std::vector<const sym::Node*> begin_;                                ///< time and state of the begin of the step
  std::deque<std::pair<std::vector<const sym::Node*>, Field>> fields_; ///< evaluated so far
  int counter_ = 0;
  std::optional<std::optional<mechanics::MomentaOfVelocities>> inverse_; ///< of f1, once it is asked for
};

} // namespace lmc::methods
