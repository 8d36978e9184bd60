// Methods on `embedding`: the model in its storage coordinates, where states are vectors that can be added. Nothing
// keeps such a method on the manifold; it is there for comparison.
#pragma once

#include "methods/kinds/AmbientMechanics.h"
#include "methods/kinds/Constraints.h"
#include "methods/kinds/MethodKind.h"

namespace lmc {

/// The state is y, all numbers of the phase point, with ydot(t, y); or, in a method that says `next q` and `next v`,
/// the coordinates q of the configuration and their rates v = q', with vdot(t, q, v) = q''. Velocities of the model
/// are T(q) xi = v on entry and found from v by least squares at the end.
///
/// Such a method may also use the Lagrangian beside the manifold (AmbientMechanics) and the manifold's constraints:
/// momentum(t, q, v), force(t, q, v), holds(q), holdsT(q, lam), holdsdot(q, v). Multipliers lam are values of their own
/// kind (PhaseDual here), with as many numbers as there are constraints.
class EmbeddingKind final : public MethodKind {
public:
  /// With rates: q and v, else y.
  EmbeddingKind(const KindContext& context, bool withRates);

  std::vector<Value> state() override;
  Value hold(const Value& v, const std::string& name) override;
  void finish(const std::vector<Value>& next) override;
  std::optional<Space> space(const Value& v) const override;
  Value defaultStart() override;
  // There are no points: every state is a vector.
  Space shiftSpace() const override { return {}; }
  Tuple shifted(const Tuple& point, const Tuple&) override { return point; }
  Tuple difference(const Tuple&, const Tuple&, const Tuple&) override { return {}; }

  Value word(const Word& word, const std::vector<Value>& args, Range where) override;
  // There is no group: these are not in the table.
  Value product(const Value&, const Value&) override { return Value::error(); }
  Value act(const Value&, const Value&) override { return Value::error(); }
  Value actRight(const Value&, const Value&, Range) override { return Value::error(); }
  Value bracket(const Value&, const Value&) override { return Value::error(); }

private:
  /// A variable of the model: a point, and for a configuration its velocity or momentum.
  struct Slot {
    const Manifold* manifold = nullptr;
    Frame frame = Frame::Body;
    const Factor* factor = nullptr; ///< or null
    std::vector<sym::Expr> index;
    ArrayTuple state;       ///< parts of the point, then of the velocity or momentum
    ArrayTuple rate;        ///< the algebra element that moves the point; none for elements of a dual
    ArrayTuple fiberRate;   ///< xi' or mu'; for an element of a dual mu'
    std::size_t points = 0; ///< parts of the point; 0 for an element of a dual
    std::size_t first = 0;  ///< of its parts among all
  };

  static Value vectorValue(Tuple parts);
  void addSlot(Slot s, const std::string& name, std::int64_t extent, const std::vector<Part>& fiber);
  Tuple part(const Tuple& all, std::size_t first, std::size_t count) const;
  /// Copies of arrays of the model for the state y at a time; the copies' loads.
  Tuple evaluate(sym::Expr time, const Tuple& y, const std::vector<const sym::Array*>& roots);
  Tuple ydot(sym::Expr time, const Tuple& y);
  Tuple vdot(sym::Expr time, const Tuple& q, const Tuple& v);
  /// xi with T(q) xi = v, by least squares, horizontal.
  Tuple algebraOf(const Slot& s, const Tuple& point, const Tuple& rate);
  // functions of q and v
  Value mechanics(const std::string& name, const std::vector<Value>& args);
  Value constraint(const std::string& name, const std::vector<Value>& args, Range where);
  bool prepareConstraints(Range where);

  KindContext context_;
  Diagnostics& d_;
  sym::Program& p_;
  sym::Graph& g_;
  bool secondOrder_;
  std::vector<Slot> slots_;
  Space all_;                                   ///< of y
  Space points_;                                ///< of q and v
  std::unique_ptr<AmbientMechanics> mechanics_; ///< made when first asked for
  std::vector<Constraints> constraints_;        ///< of each slot, likewise
  Space multipliers_;                           ///< of constraints and their multipliers
  int counter_ = 0;
};

} // namespace lmc
