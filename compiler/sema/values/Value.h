// Typed values of the expression language, and the evaluator that turns syntax into the symbolic layer.
#pragma once

#include "diagnostics/Diagnostics.h"
#include "sema/values/Manifold.h"
#include "sym/Program.h"
#include "syntax/Ast.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lmc::sema {

enum class ValueKind : std::uint8_t {
  Error,        ///< something was reported already; every use of it is silent
  Tensor,       ///< parts[0]: a real, int, bool, vector or matrix
  Point,        ///< a point of `manifold`, by parts
  Velocity,     ///< an element of the Lie algebra of `manifold`
  Momentum,     ///< an element of its dual
  String,       ///< text
  Family,       ///< a family that was named without its index
  Parts,        ///< named parts `(R = …, x = …)` that belong to no manifold yet; `names` gives their names
  PhasePoint,   ///< in methods: a point of the phase manifold, by parts of all factors
  PhaseAlgebra, ///< in methods: an element of its Lie algebra
  PhaseDual,    ///< in methods: an element of the dual of the Lie algebra, by parts of all factors
  PhaseVector,  ///< in methods: a vector of storage coordinates of all factors
  Opaque,       ///< in methods: something that only the method knows (a tableau); `text` names it
};

struct Table; // sema/values/Table.h

/// A value during elaboration. `parts` are symbolic tensors.
struct Value {
  ValueKind kind = ValueKind::Error;
  Tuple parts;
  const Manifold* manifold = nullptr; ///< of Point, Velocity, Momentum
  std::optional<Frame> frame;         ///< of Velocity, Momentum, where it is known
  std::string text;
  std::function<Value(const std::vector<sym::Expr>& index, Range where)> member; ///< of Family
  std::vector<std::int64_t> extents;                                             ///< of Family
  std::vector<std::int64_t> first;    ///< of Family: the index of the first member, per extent; empty: 1
  std::vector<std::string> names;     ///< of Parts
  std::shared_ptr<const Table> table; ///< of Family: a table of a file, or one of its columns
  std::ptrdiff_t column = -1;         ///< of that table, from 0; -1: the table as a whole

  static Value error() { return {}; }
  static Value tensor(sym::Expr e) {
    Value v;
    v.kind = ValueKind::Tensor;
    v.parts = {e};
    return v;
  }
  [[nodiscard]] bool isError() const { return kind == ValueKind::Error; }
  [[nodiscard]] bool isPhase() const {
    return kind == ValueKind::PhasePoint || isPhaseLinear() || kind == ValueKind::Opaque;
  }
  /// In methods: a value that can be added to its like and scaled.
  [[nodiscard]] bool isPhaseLinear() const {
    return kind == ValueKind::PhaseAlgebra || kind == ValueKind::PhaseDual || kind == ValueKind::PhaseVector;
  }
};

/// Whether a value is an element of an algebra or of its dual.
[[nodiscard]] inline bool isElement(const Value& v) {
  return v.kind == ValueKind::Velocity || v.kind == ValueKind::Momentum;
}

/// Names visible to an expression, innermost first.
class Scope {
public:
  explicit Scope(const Scope* outer = nullptr) : outer_(outer) {}
  void bind(const std::string& name, Value v) { values_[name] = std::move(v); }
  [[nodiscard]] const Value* find(const std::string& name) const {
    const auto it = values_.find(name);
    if (it != values_.end()) return &it->second;
    return outer_ != nullptr ? outer_->find(name) : nullptr;
  }
  [[nodiscard]] std::vector<std::string> names() const; ///< for suggestions

private:
  const Scope* outer_;
  std::map<std::string, Value> values_;
};

/// The loops and conditions inside which an expression stands; sums and families become equations of them.
struct LoopContext {
  std::vector<sym::Loop> loops;
  sym::Expr guard; ///< may be empty
};

/// Turns expressions into symbolic values; reports every error once and goes on.
class Evaluator {
public:
  virtual ~Evaluator() = default;
  [[nodiscard]] virtual Value evaluate(const syntax::Expr& e, const Scope& scope, const LoopContext& loops) = 0;
};

/// What a method adds to the language: asked when an operand is a phase value (or nothing else knows the name).
class MethodOperations {
public:
  virtual ~MethodOperations() = default;
  /// a op b where a or b is a phase value; nothing if it has no meaning (the evaluator reports it).
  [[nodiscard]] virtual std::optional<Value> binary(syntax::BinaryOp op, const Value& a, const Value& b,
                                                    Range where) = 0;
  [[nodiscard]] virtual std::optional<Value> negate(const Value& a) = 0;
  /// name(args…) where an argument is a phase value or the name is one of `names()`.
  [[nodiscard]] virtual std::optional<Value> call(const std::string& name, const std::vector<Value>& args,
                                                  Range where) = 0;
  /// [a, b] of two phase algebra elements.
  [[nodiscard]] virtual std::optional<Value> bracket(const Value& a, const Value& b, Range where) = 0;
  /// Functions that a method may call (f, exp, …).
  [[nodiscard]] virtual std::vector<std::string> names() const = 0;
};

} // namespace lmc::sema
