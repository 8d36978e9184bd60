// Methods on `cotangent`: the configuration g and the momentum mu of a model on groups, with the two components of f
// on G ⋉ 𝔤* (docs/conventions.md).
#pragma once

#include "mechanics/Cotangent.h"
#include "methods/GroupCalculus.h"
#include "methods/MethodKind.h"

#include <deque>

namespace lmc {

/// The state is (g, mu) of all factors, right trivialized; a body factor is seen as the opposite group. A Lagrangian
/// model enters by its Legendre transform: mu of the initial velocities, and velocities of the final mu.
class CotangentKind final : public MethodKind {
public:
  explicit CotangentKind(const KindContext& context);

  bool fits(Range where) override;
  std::vector<std::string> stateNames() const override { return {"g", "mu"}; }
  std::vector<Value> state() override;
  std::optional<Misfit> misfit(std::size_t k, const Value& v) const override;
  Value hold(const Value& v, const std::string& name) override;
  void finish(const std::vector<Value>& next) override;
  std::optional<Space> space(const Value& v) const override;
  Value defaultStart() override;
  Space shiftSpace() const override { return algebra_; }
  Tuple shifted(const Tuple& point, const Tuple& shift) override { return act(shift, point); }
  Tuple difference(const Tuple& a, const Tuple& b, const Tuple& shift) override;

  std::optional<Value> binary(ast::BinaryOp op, const Value& a, const Value& b, Range where) override;
  std::optional<Value> negate(const Value&) override { return std::nullopt; }
  std::optional<Value> call(const std::string& name, const std::vector<Value>& args, Range where) override;
  std::optional<Value> bracket(const Value& a, const Value& b, Range where) override;
  std::vector<std::string> names() const override;

private:
  /// One factor: where its parts stand among those of all points and of all algebra elements.
  struct Slot {
    const Factor* factor = nullptr;
    std::vector<sym::Expr> index;
    Handed handed = Handed::Group;
    std::size_t point = 0, algebra = 0;
  };
  struct Field {
    Tuple velocity, force;
  };

  static Tuple part(const Tuple& all, std::size_t first, std::size_t count);
  [[nodiscard]] GroupCalculus calculus(const Slot& s) { return {p_, *s.factor->manifold, s.handed}; }
  /// `operation(calculus, own part of a, own part of b)` for every factor.
  template <class Operation> Tuple each(const Tuple& a, const Tuple& b, Operation operation);
  Tuple act(const Tuple& k, const Tuple& g);
  const Field& field(sym::Expr time, const Tuple& g, const Tuple& mu);
  std::optional<Value> component(const std::string& name, const std::vector<Value>& args, Range where);
  std::optional<Value> calculusCall(const std::string& name, const std::vector<Value>& args);
  Value wrong(const std::string& name, Range where);
  Tuple storedPoint(const Tuple& g, ArrayTuple& arrays, const std::string& name);

  KindContext context_;
  Diagnostics& d_;
  sym::Program& p_;
  sym::Graph& g_;
  CotangentField system_;
  std::vector<Slot> slots_;
  Space points_, algebra_;
  std::deque<std::pair<std::vector<const sym::Node*>, Field>> fields_; ///< evaluated so far
  int counter_ = 0;
};

} // namespace lmc
