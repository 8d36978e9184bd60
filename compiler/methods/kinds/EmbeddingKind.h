// Methods on `embedding`: the model in its storage coordinates, where states are vectors that can be added. A method
// leaves the manifold there; `onto` leads back.
#pragma once

#include "methods/checked/Tableau.h"
#include "methods/kinds/AmbientMechanics.h"
#include "methods/kinds/Constraints.h"
#include "methods/kinds/MethodKind.h"
#include "methods/kinds/NearestPoint.h"

#include <functional>

namespace lmc::methods {

/// The state is y, all numbers of the phase point, with ydot(t, y); or, in a method that says `next q` and `next v`,
/// the coordinates q of the configuration and their rates v = q', with vdot(t, q, v) = q''. Velocities of the model
/// are T(q) xi = v on entry and found from v by least squares at the end.
///
/// Such a method may also use the Lagrangian beside the manifold (AmbientMechanics) and the manifold's constraints:
/// momentum(t, q, v), force(t, q, v), holds(q), holdsT(q, lam), holdsdot(q, v). Multipliers lam are values of their own
/// kind (PhaseDual here), with as many numbers as there are constraints.
class EmbeddingKind final : public MethodKind {
public:
  /// With rates: q and v, else y. A step that ends on the manifold takes any smooth continuation of f beside it: f is
  /// simplified by what holds on the manifold, where it is the same.
  EmbeddingKind(const KindContext& context, bool withRates, bool endsOnManifold);

  /// A step of an explicit Runge–Kutta method, put back onto the manifold, and then the results with other weights that
  /// the tableau has, which stay where they are: y + h sum b_i k_i, k_i = ydot(t + c_i h, y + h sum a_ij k_j).
  std::vector<sema::Value> runge(const Tableau& tableau, const sema::Tuple& y, sym::Expr h, sym::Expr time,
                                 Range where);

  /// The same with sums over rows of numbers in memory, which become vectors. The terms of the last two stages stay
  /// apart, in registers: so nobody waits until what was written number by number can be read as a vector.
  std::vector<sema::Value> rungeByRows(const Tableau& tableau, const sema::Tuple& y, sym::Expr h, sym::Expr time,
                                       Range where);
  /// The same where all stages call one f (SharedStages).
  std::vector<sema::Value> rungeShared(const Tableau& tableau, const sema::Tuple& y, sym::Expr time, Range where);
  /// What the last of these steps hands on, where its tableau ends with its result.
  [[nodiscard]] const std::optional<LastStage>& last() const { return last_; }
  sema::ArrayTuple rateArrays() const override;
  Space rowSpace(sema::ValueKind kind) const override {
    if (kind == sema::ValueKind::PhaseDual) return multipliers_;
    return secondOrder_ ? points_ : all_;
  }

  std::vector<sema::Value> state() override;
  sema::Value hold(const sema::Value& v, const std::string& name) override;
  void finish(const std::vector<sema::Value>& next) override;
  void embed(const ForEstimate& results) override;
  /// Rates are the unknowns, and those known to the round-off of positions over h. Of it a part, by which the motion
  /// itself counts where there is one.
  sym::Expr positionSize(sym::Expr h) override;
  /// Where accelerations are found by a division, or by constraint forces and the masses in storage coordinates.
  [[nodiscard]] bool hasRegularMass() const override;
  std::optional<Space> space(const sema::Value& v) const override;
  sema::Value defaultStart() override;
  // There are no points: every state is a vector.
  Space shiftSpace() const override { return {}; }
  sema::Tuple shifted(const sema::Tuple& point, const sema::Tuple&) override { return point; }
  sema::Tuple difference(const sema::Tuple&, const sema::Tuple&, const sema::Tuple&) override { return {}; }

  sema::Value word(const Word& word, const std::vector<sema::Value>& args, Range where) override;
  // There is no group: these are not in the table.
  sema::Value product(const sema::Value&, const sema::Value&) override { return sema::Value::error(); }
  sema::Value act(const sema::Value&, const sema::Value&) override { return sema::Value::error(); }
  sema::Value actRight(const sema::Value&, const sema::Value&, Range) override { return sema::Value::error(); }
  sema::Value bracket(const sema::Value&, const sema::Value&) override { return sema::Value::error(); }

private:
  /// A variable of the model: a point, and for a configuration its velocity or momentum.
  struct Slot {
    const sema::Manifold* manifold = nullptr;
    sema::Frame frame = sema::Frame::Body;
    const sema::Factor* factor = nullptr; ///< or null
    std::vector<sym::Expr> index;
    sema::ArrayTuple state;     ///< parts of the point, then of the velocity or momentum
    sema::ArrayTuple rate;      ///< the algebra element that moves the point; none for elements of a dual
    sema::ArrayTuple fiberRate; ///< xi' or mu'; for an element of a dual mu'
    std::size_t points = 0;     ///< parts of the point; 0 for an element of a dual
    std::size_t first = 0;      ///< of its parts among all
  };

  static sema::Value vectorValue(sema::Tuple parts);
  /// The begin and a sum of rates, with these coefficients times h.
  using StageSum = std::function<sema::Tuple(const std::vector<sym::Number>&, const std::vector<sema::Tuple>& rates)>;
  /// The results of a step by such sums.
  std::vector<sema::Value> stages(const Tableau& tableau, sym::Expr h, sym::Expr time, Range where,
                                  const StageSum& sum);
  /// Of a step that ends with `end_`: the second result but for the last stage, and the rate there with its weight.
  void handOn(const sema::Tuple& second, const sema::Tuple& rate, sym::Expr weight);
  /// All numbers of a state, one after the other, and zeros up to the end of the last vector.
  const sym::Array* row(const sema::Tuple& y, const std::string& name);
  void addSlot(Slot s, const std::string& name, std::int64_t extent, const std::vector<sema::Part>& fiber);
  /// Copies of arrays of the model for the state y at a time; the copies' loads.
  sema::Tuple evaluate(sym::Expr time, const sema::Tuple& y, const std::vector<const sym::Array*>& roots);
  sema::Tuple ydot(sym::Expr time, const sema::Tuple& y);
  /// The Taylor polynomial of a degree of the solution through y, a time `h` later (sym/derivatives/Series.h).
  sema::Value taylor(sym::Expr time, const sema::Tuple& y, sym::Expr h, std::int64_t degree, Range where);
  /// A vector of its numbers, which stand in the order of all parts.
  sema::Tuple ofNumbers(const std::function<sym::Expr(sym::Expr number)>& at) const;
  /// The point of the phase manifold near v.
  sema::Tuple onto(const sema::Tuple& v, Range where);
  /// Warns of functions of points in f that may not be defined beside the manifold.
  void lookBeside(Range where);
  [[nodiscard]] sema::Tuple onConstraints(const sema::Tuple& y);
  [[nodiscard]] sym::Knowledge knowledge(const sema::ArrayTuple& arrays);
  sema::Tuple vdot(sym::Expr time, const sema::Tuple& q, const sema::Tuple& v);
  /// xi with T(q) xi = v, by least squares, horizontal.
  sema::Tuple algebraOf(const Slot& s, const sema::Tuple& point, const sema::Tuple& rate);
  // functions of q and v
  sema::Value mechanics(const std::string& name, const std::vector<sema::Value>& args);
  sema::Value constraint(const std::string& name, const std::vector<sema::Value>& args, Range where);
  bool prepareConstraints(Range where);

  KindContext context_;
  Diagnostics& d_;
  sym::Program& p_;
  sym::Graph& g_;
  bool secondOrder_, endsOnManifold_;
  std::vector<Slot> slots_;
  Space all_;                                   ///< of y
  Space points_;                                ///< of q and v
  std::unique_ptr<AmbientMechanics> mechanics_; ///< made when first asked for
  std::vector<Constraints> constraints_;        ///< of each slot, likewise
  Space multipliers_;                           ///< of constraints and their multipliers
  std::vector<NearestPoint> nearest_;           ///< of each slot, likewise
  std::vector<sema::Tuple> fields_;             ///< the evaluations of f
  sema::Tuple end_;                             ///< of a step of a tableau, before it is moved onto the manifold
  sema::Tuple next_;                            ///< what a step ends with, before constraints hold
  std::optional<LastStage> last_;
  /// Series that were asked for: words that name one state share it.
  struct Series {
    sym::Expr time;
    sema::Tuple y;
    std::int64_t degree = 0;
    const sym::Array* coefficients = nullptr;
  };
  std::vector<Series> series_;
  /// A value that is a sum of such a series, or what `onto` has made of it.
  struct PartialSum {
    sema::Tuple value;
    std::size_t series = 0;
    std::int64_t degree = 0;
    sym::Expr h;
    bool onManifold = false;
  };
  std::vector<PartialSum> sums_;
  [[nodiscard]] const PartialSum* sumOf(const sema::Tuple& value) const;
  /// Where `end`, the end of a step, and `second` are sums of one series, what they differ by.
  [[nodiscard]] std::optional<StepSeries> differenceOfSums(const sema::Tuple& end, const sema::Tuple& second);
  /// Whether f changes from one formula to another where the state or the time decide.
  [[nodiscard]] bool hasBranches() const;
  /// The weights of sums at the end of a step: `edges`, the last ones, where f has branches.
  [[nodiscard]] ListsOfWeights sumsOf(const Tableau& tableau) const;
  [[nodiscard]] sema::Tuple offAtEdges(const sema::Tuple& edges);
  /// By how much the motion leaves such a sum within the step, to first order.
  sema::Tuple defect(const PartialSum& sum);
  int counter_ = 0;
};

} // namespace lmc::methods
