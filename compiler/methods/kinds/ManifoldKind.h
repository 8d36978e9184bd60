// Methods on `manifold`: y' = f(t, y) on the phase manifold, acted on by the phase group.
#pragma once

#include "methods/kinds/MethodKind.h"
#include "methods/phase/Phase.h"

namespace lmc {

class ManifoldKind final : public MethodKind {
public:
  explicit ManifoldKind(const KindContext& context);

  std::vector<Value> state() override;
  Value hold(const Value& v, const std::string& name) override;
  void finish(const std::vector<Value>& next) override;
  void embed(const std::vector<Value>& embedded) override;
  std::optional<Space> space(const Value& v) const override;
  Value defaultStart() override;
  Space shiftSpace() const override { return phase_.algebraSpace(); }
  Tuple shifted(const Tuple& point, const Tuple& shift) override { return phase_.shifted(point, shift); }
  Tuple difference(const Tuple& a, const Tuple& b, const Tuple& shift) override {
    return phase_.difference(a, b, shift);
  }

  void useRetraction(const std::string& name) override { retraction_ = name; }

  Value word(const Word& word, const std::vector<Value>& args, Range where) override;
  Value product(const Value& a, const Value& b) override;
  Value act(const Value& element, const Value& point) override;
  Value actRight(const Value&, const Value&, Range) override { return Value::error(); } // not in the table
  Value bracket(const Value& a, const Value& b) override;

  [[nodiscard]] Phase& phase() { return phase_; }
  /// f(t, y), counted.
  Tuple evaluate(const Tuple& y, sym::Expr time);
  /// F(k)*y, counted.
  Tuple flow(const Tuple& k, const Tuple& y, const std::string& retraction = "exp");
  std::string fresh(const std::string& name);

  static Value point(Tuple parts);
  static Value algebra(Tuple parts);

private:
  /// The end of a step, moved onto the constraints of the model.
  Tuple onConstraints(const Tuple& y, const std::string& name);
  Value calculus(const std::string& name, const std::vector<Value>& args, Range where);

  KindContext context_;
  Diagnostics& d_;
  Phase phase_;
  std::vector<Tuple> fields_;      ///< the evaluations of f
  std::string retraction_ = "exp"; ///< what `retract` means in the method at hand
  int counter_ = 0;
};

} // namespace lmc
