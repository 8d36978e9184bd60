// The evaluator of expressions: syntax to typed symbolic values, with every error reported once.
#pragma once

#include "sema/session/FoundManifold.h"
#include "sema/values/Values.h"

namespace lmc::sema {

struct KnownInterpolations; // Interpolation.h

/// Where an expression stands while it is evaluated.
struct Context {
  Environment* env = nullptr;
  const Scope* scope = nullptr;
  const LoopContext* loops = nullptr;
};

/// What an element must be that goes somewhere: its kind, its manifold (the group of a velocity or momentum), its frame
/// where it has one. A force is a momentum for which a velocity may stand, in a drag.
struct Expected {
  ValueKind kind = ValueKind::Point;
  const Manifold* manifold = nullptr;
  std::optional<Frame> frame;
  bool force = false;
};

/// A call of a built-in function with its arguments evaluated.
struct BuiltinCall {
  const syntax::Expr& e; ///< the whole call
  const std::string& name;
  std::vector<Value> args;
  const Context& context;
  [[nodiscard]] const syntax::Expr& arg(std::size_t k) const { return *e.args[k + 1]; }
};

class ExpressionEvaluator final : public Evaluator {
public:
  ExpressionEvaluator(Session& session, Environment& env, Host& host, MethodOperations* operations = nullptr)
      : s_(session), g_(session.graph), env_(env), host_(host), operations_(operations) {}

  Value evaluate(const syntax::Expr& e, const Scope& scope, const LoopContext& loops) override;
  Value evaluate(const syntax::Expr& e, const Context& c);

  [[nodiscard]] Session& session() { return s_; }
  [[nodiscard]] Host& host() { return host_; }
  /// Reports an error; inside a function's body the places of the calls are added.
  Diagnostics::Report report(Code code, Range range, std::string message);
  /// The source text of an expression, shortened for a message.
  [[nodiscard]] std::string text(const syntax::Expr& e) const { return text(e.range); }
  [[nodiscard]] std::string text(Range range) const;

  // Conversions: an empty expression means that an error was reported (now or before).
  /// One tensor: points, velocities and momenta of one part convert.
  sym::Expr tensor(const Value& v, const syntax::Expr& e);
  sym::Expr scalar(const Value& v, const syntax::Expr& e); ///< real (an int converts)
  sym::Expr vector(const Value& v, const syntax::Expr& e, int length = 0);
  sym::Expr matrix(const Value& v, const syntax::Expr& e, bool square);
  sym::Expr integer(const Value& v, const syntax::Expr& e);
  sym::Expr condition(const Value& v, const syntax::Expr& e);
  /// A constant integer of at least `least`; reports what is not.
  std::optional<std::int64_t> constant(const Value& v, const syntax::Expr& e, const std::string& what,
                                       std::int64_t least);
  /// A constant from `least` on that counts numbers which are held in memory: a length, rows, columns. Within the limit
  /// of sizes, so that it and products of it with small numbers fit every kind of integer.
  std::optional<int> size(const Value& v, const syntax::Expr& e, const std::string& what, std::int64_t least = 1);
  /// A real that is a whole number whatever the data are: `floor` of something, and sums and products of such.
  /// (An int is one, too.)
  [[nodiscard]] static bool isWhole(sym::Expr e);
  /// True, and reported, if an integer is zero in some turn of the loops that are not excluded by a condition.
  bool reportsZero(sym::Expr divisor, const LoopContext& loops, const syntax::Expr& e);
  /// True where what is being evaluated is in a branch of an `if` that is never taken: what is wrong with its values is
  /// not reported, and the `if` has the value of the other branch.
  [[nodiscard]] bool unreachable() const { return position_.untaken > 0; }
  /// The parts of an element of this storage; a tensor for a single part, named parts, or an element that fits.
  std::optional<Tuple> parts(const Value& v, const std::vector<Part>& wanted, const std::string& what,
                             const syntax::Expr& e, Code code, const std::optional<Expected>& expected = {});

  /// True for a name that nothing here has, nor one that is like it.
  [[nodiscard]] bool isUnknownName(const syntax::Expr& e, const Context& c) const;

  /// True where points are added like vectors: R^n, a torus.
  [[nodiscard]] bool isVectorSpace(const Manifold& m) const;
  // Elements of different spaces (Mixing.cpp): true and an error if these two do not go together.
  /// In a sum, a comparison or the branches of an `if`.
  bool reportsMix(const Value& a, const Value& b, const syntax::Expr& e, const std::string& cannot);
  /// In a product of two vectors: a momentum and a velocity of one group do, velocities of different groups only where
  /// `across`.
  bool reportsMixedProduct(const Value& a, const Value& b, const syntax::Expr& e, bool across);
  /// A value that goes to `what`, where an element of another kind is expected.
  bool reportsMix(const Value& v, const std::optional<Expected>& expected, const std::string& what,
                  const syntax::Expr& e);

  /// Loops and scope of binders; false when a bound is wrong (reported).
  bool openBinders(const std::vector<syntax::Binder>& binders, const Context& c, Scope& scope, LoopContext& loops);
  /// Reports loops that would not end in a reasonable time.
  bool fewTurns(const std::vector<sym::Loop>& loops, const syntax::Binder& innermost);
  /// An index within an interval; reports what is outside. In a guarded place it is kept inside instead.
  sym::Expr checkedIndex(sym::Expr index, sym::Interval allowed, const LoopContext& loops, const syntax::Expr& e,
                         const std::string& whole);
  /// The manifold that an expression or type names; null and a diagnostic if there is none.
  const FoundManifold* manifold(const syntax::Type& type, const Context& c);
  /// Resolves `vec(3)`, `mat(3,3)`, `real`, …: the shape and base type. Nothing if it is no such type (not reported)
  /// or wrong (reported, `wrong` set).
  std::optional<std::pair<sym::Shape, sym::Type>> tensorType(const syntax::Type& type, const Context& c, bool& wrong);

  /// The vector or matrix (or bracket) that a list of evaluated entries makes.
  Value listOf(const syntax::Expr& e, const std::vector<Value>& values);
  /// random(M), momentum(q), velocity(q): their arguments are names.
  Value randomPoint(const syntax::Expr& call, const Context& c);
  Value fiberOf(const syntax::Expr& call, const Context& c);
  /// multiplier(c), reaction(c, q)
  Value forceOf(const syntax::Expr& call, const Context& c);
  std::optional<std::vector<std::string>> constraintsNamed(const std::vector<std::string>& path, const syntax::Expr& e,
                                                           bool sum);
  Value total(const std::vector<Value>& values, const syntax::Expr& e);
  Value callFunction(const FunctionRef& f, const std::vector<Value>& args, const syntax::Expr& e, const Context& c);

  struct Call {                        ///< a function (or a joint) whose body is being evaluated
    const syntax::Statement* function; ///< null of a joint
    std::string name;
    Range declared; ///< of its name
    Range where{};  ///< of the call
  };
  struct Position { ///< of what is being evaluated
    std::vector<Call> calls;
    int untaken = 0; ///< branches around that are never taken
  };
  /// Evaluates the body of what `call` calls: what is wrong there is reported there with the place of the call, in the
  /// library at the call.
  Value within(Call callee, const syntax::Expr& call, const std::function<Value()>& body);
  /// Exchanges the position: a name that is worked out on the way stands in no call and no branch.
  void exchangePosition(Position& other) { std::swap(position_, other); }

  /// Whether one of these arrays is a curve that is straight between nodes.
  [[nodiscard]] bool hasKinks(const std::unordered_set<const sym::Array*>& arrays) const;
  /// The loops around what is being evaluated.
  [[nodiscard]] const std::vector<sym::Loop>& loops() const;

private:
  Value evaluateKind(const syntax::Expr& e, const Context& c);
  /// An error value, and reported, if a value has more numbers than memory is meant to hold.
  Value checkedSize(Value v, const syntax::Expr& e);
  /// Reports integers that 64 bits do not hold, in a place that needs integers; true if they are.
  bool reportsLarge(sym::Expr e, const syntax::Expr& where);
  /// Both real when one of them is, or one is too large for a computation with what a loop changes.
  static void promote(sym::Expr& a, sym::Expr& b);
  /// Reports a difference of integers too large to be exact: what is left has no right digit.
  bool reportsCancellation(bool subtract, sym::Expr a, sym::Expr b, const syntax::Expr& e);
  /// False, and reported, if a vector or matrix has too many numbers to be one.
  bool withinLimit(std::int64_t size, const syntax::Expr& e);
  Value number(const syntax::Expr& e);
  Value binary(syntax::BinaryOp op, const Value& a, const Value& b, const syntax::Expr& e);
  Value name(const syntax::Expr& e, const Context& c);
  Value unknownName(const syntax::Expr& e, const Context& c);
  Value field(const syntax::Expr& e, const Context& c);
  Value prime(const syntax::Expr& e, const Context& c);
  Value primeOf(const Value& v, const syntax::Expr& e);
  Value nextValue(const syntax::Expr& e, const Context& c);
  Value negate(const syntax::Expr& e, const Context& c);
  Value logicalNot(const syntax::Expr& e, const Context& c);
  Value conditional(const syntax::Expr& e, const Context& c);
  Value unify(sym::Expr condition, const Value& a, const Value& b, const syntax::Expr& e);
  Value list(const syntax::Expr& e, const Context& c);
  Value partsLiteral(const syntax::Expr& e, const Context& c);
  // operators
  std::optional<Value> phaseBinary(syntax::BinaryOp op, const Value& a, const Value& b, const syntax::Expr& e);
  Value addSub(bool subtract, const Value& a, const Value& b, const syntax::Expr& e);
  Value addElements(bool subtract, const Value& a, const Value& b, const syntax::Expr& e);
  Value multiply(const Value& a, const Value& b, const syntax::Expr& e);
  Value multiplyTensors(sym::Expr a, sym::Expr b, const syntax::Expr& e);
  std::optional<Value> multiplyByElement(const Value& element, const Value& b, const syntax::Expr& e);
  Value divide(const Value& a, const Value& b, const syntax::Expr& e);
  Value power(const Value& a, const Value& b, const syntax::Expr& e);
  Value matrixPower(sym::Expr a, sym::Expr b, const syntax::Expr& e);
  Value compare(syntax::BinaryOp op, const Value& a, const Value& b, const syntax::Expr& e);
  Value logical(syntax::BinaryOp op, const Value& a, const Value& b, const syntax::Expr& e);
  // indices
  Value index(const syntax::Expr& e, const Context& c);
  Value memberOf(const Value& family, const syntax::Expr& e, const Context& c);
  /// The member of a family of data that a whole number chooses while the model runs; nothing where a family is short,
  /// or moves.
  std::optional<Value> chosenMember(const Value& family, sym::Expr index, const syntax::Expr& e, const Context& c);
  /// A column of a table, by its name or by a header of the file; its number of rows by `rows`.
  Value columnOf(const Value& table, const std::string& name, Range where);
  Value componentOf(const Value& v, const syntax::Expr& e, const Context& c);
  /// An index: an integer, or a whole number that data decide.
  sym::Expr indexOf(const Value& v, const syntax::Expr& e);
  /// The entry that a whole number chooses while the model runs; not a number where there is none.
  Value chosenEntry(sym::Expr index, sym::Interval among, const std::function<sym::Expr(sym::Expr)>& entry,
                    const syntax::Expr& e, const Context& c);
  bool reportsOutside(sym::Expr index, sym::Interval allowed, const LoopContext& loops, const syntax::Expr& e,
                      const std::string& whole, bool& inside);
  // sums and products
  Value reduction(const syntax::Expr& e, const Context& c);
  Value unrolled(const syntax::Expr& e, const Context& c);
  bool unrollFrom(const syntax::Expr& e, std::size_t binder, const Context& c, std::vector<sym::Expr>& terms,
                  bool& failed);
  Value combine(const syntax::Expr& e, const std::vector<sym::Expr>& terms);
  Value sumEquation(const syntax::Expr& e, const LoopContext& outer, const LoopContext& inner, sym::Expr body);
  Value productScan(const syntax::Expr& e, const Context& c, std::size_t binder);
  static std::optional<std::int64_t> turnsWithout(const syntax::Expr& e, const LoopContext& outer,
                                                  const LoopContext& inner, sym::Expr body);
  bool constantRange(const syntax::Expr& e, const Context& c, std::int64_t limit);
  // calls
  Value call(const syntax::Expr& e, const Context& c);
  Value callFunction(const FunctionRef& f, const syntax::Expr& e, const Context& c);
  void reportCall(const syntax::Expr& e, std::size_t before);
  Value callManifold(const syntax::Expr& e, const Context& c);
  Value callHelper(const FunctionRef& f, std::vector<Value> args, const syntax::Expr& e, const Context& c);
  std::optional<Tuple> operand(const FoundManifold& m, const ClauseSignature& s, std::size_t k, const Value& v,
                               const syntax::Expr& e);
  Value unknownFunction(const syntax::Expr& e, const Context& c);
  std::vector<Value> arguments(const syntax::Expr& e, const Context& c);
  [[nodiscard]] std::vector<std::string> visibleNames(const Context& c) const;
  Diagnostics::Report mismatch(const syntax::Expr& e, const std::string& message);

  Session& s_;
  sym::Graph& g_;
  Environment& env_;
  Host& host_;
  MethodOperations* operations_;
  Position position_;
  const LoopContext* loops_ = nullptr; ///< of the expression that is being evaluated
  std::shared_ptr<KnownInterpolations> interpolations_;
};

/// A built-in function: its name, how many arguments it takes, what it does.
struct Builtin {
  std::string_view name;
  std::size_t least;
  std::size_t most;
  Value (*evaluate)(ExpressionEvaluator&, const BuiltinCall&);
};

[[nodiscard]] const std::vector<Builtin>& builtins();
[[nodiscard]] const Builtin* findBuiltin(std::string_view name);

/// Reads an expression such as `SO(3)`, `S^2`, `R` as a type; nothing if it is none.
[[nodiscard]] std::optional<syntax::Type> typeOf(const syntax::Expr& e);
/// Names with a meaning of their own everywhere in a model: t, pi, e1 e2 e3, energy.
[[nodiscard]] const std::vector<std::string>& predefinedNames();
/// Built-in functions that are not in the table because they take names or types: momentum, random.
[[nodiscard]] const std::vector<std::string>& specialFunctions();

} // namespace lmc::sema
