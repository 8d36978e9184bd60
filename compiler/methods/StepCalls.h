// A method's body as calls of functions that stand in the code once (SharedCalls).
#pragma once

#include "methods/kinds/MethodKind.h"

#include <functional>
#include <map>

namespace lmc::methods {

/// Whether a step by calls has f put its end on constraints (MethodKind::projectsByRates).
[[nodiscard]] bool asksForVelocities(const KindContext& context, MethodKind& kind);

/// What the terms of a body are where each word with work in it is called: a value is a row of numbers, so that sums
/// and multiples are loops over rows, and words, actions and brackets of rows are calls of what the kind makes of them
/// once. A call ends a piece of the step. What a later piece needs of an earlier one is left in memory.
class StepCalls final : public Meanings {
public:
  StepCalls(const KindContext& context, MethodKind& kind);

  using Arguments = std::vector<sema::Value>;
  using Work = std::function<sema::Value(const Arguments&)>;
  /// A value of the step's begin as rows.
  [[nodiscard]] sema::Value begin(const sema::Value& v);
  /// A result of the body, for the equations behind all pieces. `own`: the step's, not one for its estimate alone.
  [[nodiscard]] sema::Value end(const sema::Value& v, bool own);
  /// The step's result at a time, moved onto constraints where calls do that (MethodKind::projectsByRates).
  [[nodiscard]] sema::Value endOnConstraints(const sema::Value& state, sym::Expr time);
  /// What `work` makes of values like `args`, which stands in the code once for each `name`.
  [[nodiscard]] sema::Value call(const std::string& name, const Arguments& args, const Work& work);
  /// f, which is what `work` makes of a time and a state.
  [[nodiscard]] sema::Value rate(const std::string& name, const Arguments& args, const Work& work);
  /// All pieces. Nothing may be called behind it.
  [[nodiscard]] SharedCalls finish();

  sema::Value word(const Word& word, const Arguments& args, Range where) override;
  sema::Value product(const sema::Value& a, const sema::Value& b) override { return kind_.product(a, b); }
  sema::Value act(const sema::Value& element, const sema::Value& point) override;
  sema::Value actRight(const sema::Value& /*point*/, const sema::Value& /*element*/, Range /*where*/) override {
    return sema::Value::error(); // no kind that has rows
  }
  sema::Value bracket(const sema::Value& a, const sema::Value& b) override;
  sema::Value hold(const sema::Value& v, const std::string& name) override;

private:
  /// Of a routine: its place in SharedCalls, and what the step counts of it.
  struct Routine {
    std::size_t number = 0;
    sema::Value result;                 ///< of the kind that it gives, without parts
    std::vector<sym::Expr> given;       ///< what stands in memory for each argument: as written by the last call
    std::vector<std::size_t> writtenBy; ///< the write that did it, among all
    int exponentials = 0;
  };
  /// One of SharedCalls::Write, by its piece and its place in it.
  struct Place {
    std::size_t piece = 0, write = 0;
  };

  [[nodiscard]] std::int64_t rowOf(const sema::Value& v) const;
  [[nodiscard]] sym::Expr index(std::int64_t row);
  [[nodiscard]] sema::Value rowsLike(const sema::Value& v, std::vector<sym::Expr> rows) const;
  const sym::Array* store(sym::Expr value, std::int64_t row, const std::string& name);
  [[nodiscard]] sym::Expr recalled(sym::Expr e);
  std::size_t write(std::size_t piece, const sym::Array* value, const sym::Array* to, bool own = false);
  Routine& routine(const std::string& name, const Arguments& args, const Work& work);
  sema::Value call(Routine& routine, const Arguments& args);
  [[nodiscard]] sema::Value askFor(bool forces) const;
  [[nodiscard]] sema::Value unpacked(const sema::Value& v, const std::vector<const sym::Array*>& rows) const;
  void markOwn();

  KindContext context_;
  MethodKind& kind_;
  sym::Program& p_;
  sym::Graph& g_;
  SharedCalls calls_;
  std::map<std::string, Routine> routines_;
  std::optional<bool> asks_;                  ///< asksForVelocities, once it was needed
  Routine* rate_ = nullptr;                   ///< f, where it also gives velocities that constraints permit
  std::map<std::int64_t, sym::Expr> indices_; ///< of loops over rows, by their lengths
  struct Held {
    std::size_t piece = 0;
    const sym::Array* copy = nullptr; ///< role State: in memory; null: no later piece has asked for it
  };
  std::unordered_map<const sym::Array*, Held> held_;
  std::vector<Place> writes_;
  std::vector<std::vector<std::size_t>> uses_; ///< the writes that the call of each piece reads
};

} // namespace lmc::methods
