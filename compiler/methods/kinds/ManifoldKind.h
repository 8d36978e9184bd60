// Methods on `manifold`: y' = f(t, y) on the phase manifold, acted on by the phase group.
#pragma once

#include "methods/kinds/MethodKind.h"
#include "methods/phase/Phase.h"

namespace lmc::methods {

class ManifoldKind final : public MethodKind {
public:
  explicit ManifoldKind(const KindContext& context);

  std::vector<sema::Value> state() override;
  sema::Value hold(const sema::Value& v, const std::string& name) override;
  void finish(const std::vector<sema::Value>& next) override;
  void embed(const ForEstimate& results) override;
  sema::ArrayTuple rateArrays() const override { return phase_.rateArrays(); }
  Space rowSpace(sema::ValueKind kind) const override {
    return kind == sema::ValueKind::PhasePoint ? phase_.pointSpace() : phase_.algebraSpace();
  }
  bool projectsByRates() override;
  void ask(sym::Expr forces) override { asked_ = {forces}; }
  sema::Value onPositions(sym::Expr time, const sema::Value& state) override;
  sema::Value withVelocities(const sema::Value& state, const sema::Value& given) const override;
  std::optional<Space> space(const sema::Value& v) const override;
  sema::Value defaultStart() override;
  Space shiftSpace() const override { return phase_.algebraSpace(); }
  sema::Tuple shifted(const sema::Tuple& point, const sema::Tuple& shift) override {
    return phase_.shifted(point, shift);
  }
  sema::Tuple difference(const sema::Tuple& a, const sema::Tuple& b, const sema::Tuple& shift) override {
    return phase_.difference(a, b, shift);
  }

  void useRetraction(const std::string& name) override { retraction_ = name; }

  sema::Value word(const Word& word, const std::vector<sema::Value>& args, Range where) override;
  sema::Value product(const sema::Value& a, const sema::Value& b) override;
  sema::Value act(const sema::Value& element, const sema::Value& point) override;
  sema::Value actRight(const sema::Value&, const sema::Value&, Range) override {
    return sema::Value::error();
  } // not in the table
  sema::Value bracket(const sema::Value& a, const sema::Value& b) override;

  [[nodiscard]] Phase& phase() { return phase_; }
  /// f(t, y), counted.
  sema::Tuple evaluate(const sema::Tuple& y, sym::Expr time);
  /// F(k)*y, counted.
  sema::Tuple flow(const sema::Tuple& k, const sema::Tuple& y, const std::string& retraction = "exp");
  std::string fresh(const std::string& name);
  /// The evaluation of f counted so far is code that `stages` stages call; it is part of any result.
  void shareStages(SharedStages shared, std::size_t stages);
  /// y moved by multipliers of constraints, positions by mu (null without constraints on them), velocities by nu, with
  /// the mass matrix and the Jacobian of z.
  sema::Tuple moved(const sema::Tuple& y, const sema::Tuple& z, sym::Expr time, const sym::Array* mu,
                    const sym::Array* nu);
  /// One, and the sum of the absolute values of all velocities.
  [[nodiscard]] const sym::Array* sizeOf(const sema::Tuple& y);
  /// c and d, one entry for each row.
  [[nodiscard]] sema::ArrayTuple defects(const sema::Tuple& y, sym::Expr time);

  static sema::Value point(sema::Tuple parts);
  static sema::Value algebra(sema::Tuple parts);

private:
  /// The end of a step, moved onto the constraints of the model.
  sema::Tuple onConstraints(const sema::Tuple& y, const std::string& name);
  sema::Value calculus(const std::string& name, const std::vector<sema::Value>& args, Range where);

  KindContext context_;
  Diagnostics& d_;
  Phase phase_;
  std::vector<sema::Tuple> fields_; ///< the evaluations of f
  std::string retraction_ = "exp";  ///< what `retract` means in the method at hand
  Phase::Asked asked_;
  int counter_ = 0;
};

} // namespace lmc::methods
