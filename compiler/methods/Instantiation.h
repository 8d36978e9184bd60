// A checked method on a model: its statements carried out one after the other from a given state.
#pragma once

#include "methods/kinds/VariationalKind.h"
#include "methods/solve/Elimination.h"

namespace lmc::methods {

/// A method on its way to becoming a step: from the state, the time and the step size that it is given. `compose`
/// instantiates a method several times in one step, each from what the one before left.
class Instantiation {
public:
  struct Begin {
    std::vector<sema::Value> state;
    sym::Expr h, t;
  };

  Instantiation(const KindContext& context, MethodKind& kind, const CheckedMethod& method, const Begin& begin);

  /// The state after the step; nothing when the model cannot have it (reported).
  std::optional<std::vector<sema::Value>> run();
  /// The state from which a step of a method with -h leads back to the begin.
  static std::optional<std::vector<sema::Value>> adjointStep(const KindContext& context, MethodKind& kind,
                                                             const CheckedMethod& method, const Begin& begin);
  /// The other results, for the error estimate; empty when the method has none.
  [[nodiscard]] const MethodKind::ForEstimate& forEstimate() const { return others_; }
  /// What a trial hands on to the next one; nothing where constraints move the end.
  [[nodiscard]] const std::optional<LastStage>& last() const { return last_; }

  /// After the kind has finished a step: the copies of the state beside what is kept are those of its end.
  static void finishKept(Step& step);

private:
  bool body();
  [[nodiscard]] bool sharesCalls() const;
  bool bodyOfCalls();
  bool statement(const CheckedStatement& s);
  bool formula(const CheckedFormula& f);
  bool atRest(const CheckedFormula& f, VariationalKind::Formula& formula);
  void fromTableau(const Constructed& constructed);
  bool compose(const CheckedComposition& composition);
  bool symmetric(const MethodUse& use);
  using StepOf = std::function<std::optional<std::vector<sema::Value>>(const Begin&)>;
  bool symmetricSparse(const sema::Value& start, const StepOf& step, int evaluations);
  bool keep(const CheckedStatement& s);
  void hand(const CheckedStatement& s);
  sym::Expr isFresh();
  sym::Expr remembered(const std::string& name, sym::Expr now, sym::Expr next, sym::Expr change);

  /// What `solve` finds: a linear value, or a point as the shift that moves the start there.
  struct Unknown {
    sema::Value start;
    Space space;
    bool isPoint = false;
  };
  static Unknown unknownFrom(MethodKind& kind, sym::Graph& g, sema::Value start, const std::string& name);
  static sema::Value unknownValue(MethodKind& kind, const Unknown& u, const sema::Tuple& numbers);
  bool solve(const CheckedStatement& s);
  [[nodiscard]] bool isSparse(const CheckedSolve& system) const;
  bool solveSparse(const CheckedStatement& s);
  Newton::Settings settingsOf(const CheckedSolve& system);
  [[nodiscard]] static std::vector<std::size_t> multipliersAmong(const std::vector<Unknown>& unknowns);
  [[nodiscard]] bool holdsPositions(const CheckedSolve& system, const std::vector<Unknown>& unknowns) const;
  ImplicitEquation residual(const CheckedSolve::Equation& e, const sema::Tuple& shift);
  void iterate(const CheckedSolve& s, const std::vector<Unknown>& unknowns, const Newton& system,
               const std::vector<ImplicitEquation>& equations, const Newton::Settings& settings);

  KindContext context_;
  MethodKind& kind_;
  sym::Graph& g_;
  const CheckedMethod& method_;
  Begin begin_;
  Replay values_;
  std::vector<sema::Value> next_; ///< one per variable of the state
  MethodKind::ForEstimate others_;
  std::optional<LastStage> last_;
  struct Kept {
    Space space;
    sema::ArrayTuple now;
  };
  std::vector<Kept> kept_; ///< by the numbers of the method
  sym::Expr fresh_;        ///< whether what is kept does not hold here; empty: not asked for yet
};

} // namespace lmc::methods
