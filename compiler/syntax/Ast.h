// The syntax tree of one `.lie` file: what was written, with places, before any name is looked up.
//
// The tree is the same for every kind of declaration: models, manifolds, groups, methods share one expression
// language (docs/language.md). A construct that could not be read is an `Error` node; a diagnostic says why,
// and later phases pass over it in silence.
#pragma once

#include "base/Source.h"

#include <memory>
#include <string>
#include <vector>

namespace lmc::syntax {

struct Expr;
using ExprPtr = std::shared_ptr<const Expr>;

/// `i in a..b` (or `i in a..b, j in …`), as in sums, families and `for`.
struct Binder {
  std::string name;
  Range nameRange;
  ExprPtr lo, hi;
};

enum class ExprKind : std::uint8_t {
  Error,
  Number,  ///< text as written; `number`, `isInteger`
  String,  ///< text without the quotes
  Name,    ///< text
  Call,    ///< args[0] is the callee (a Name, or a Field of a manifold), args[1…] the arguments
  Index,   ///< args[0][args[1], …]
  Field,   ///< args[0].text
  Prime,   ///< args[0]'
  Next,    ///< next args[0]: the value after the step (methods)
  Negate,  ///< -args[0]
  Not,     ///< not args[0]
  Binary,  ///< args[0] op args[1]
  If,      ///< if args[0] then args[1] else args[2]
  Sum,     ///< sum(binders where condition: args[0]); `where` may be null
  Product, ///< product(binders where condition: args[0])
  List,    ///< [args…]: vector, matrix rows, or bracket (in methods)
  Parts,   ///< (names[k] = args[k], …): an element given by its parts
};

enum class BinaryOp : std::uint8_t { Add, Sub, Mul, Div, Pow, Cross, Dot, Eq, Ne, Lt, Le, Gt, Ge, And, Or };

struct Expr {
  ExprKind kind = ExprKind::Error;
  Range range;
  std::string text;
  double number = 0;
  bool isInteger = false;
  BinaryOp op = BinaryOp::Add;
  Range opRange; ///< of the operator, of the field's name, of the prime
  std::vector<ExprPtr> args;
  std::vector<std::string> names; ///< of Parts
  std::vector<Range> nameRanges;
  std::vector<Binder> binders; ///< of Sum and Product
  ExprPtr where;
  bool parenthesized = false; ///< written in parentheses; `range` includes them

  /// Frees long chains without recursion: a flat sum of 100,000 terms is a left-leaning tree as deep.
  ~Expr();
  Expr() = default;
  Expr(const Expr&) = default;
  Expr(Expr&&) = default;
  Expr& operator=(const Expr&) = default;
  Expr& operator=(Expr&&) = default;
};

/// The Binary nodes of a left-leaning chain `a + b - c …`, outermost first: what must be walked by a loop, as such
/// chains may be long (everything else nests at most a few thousand levels). Empty if `e` is no Binary.
[[nodiscard]] std::vector<const Expr*> leftSpine(const Expr& e);

/// `real`, `int`, `vec(3)`, `mat(3,3)`, `SO(3)`, `R^(n-1)`, `dual(SE(3))`, `tangent`-free: a name, perhaps an exponent,
/// perhaps arguments.
struct Type {
  std::string name;
  Range nameRange;
  Range range;
  ExprPtr exponent;                               ///< S^2, R^n, S^(n-1)
  std::vector<ExprPtr> args;                      ///< vec(3), SO(n); empty for dual
  std::vector<std::shared_ptr<const Type>> types; ///< dual(SE(3))
  bool hasArgs = false;                           ///< `SO()` differs from `SO`
};
using TypePtr = std::shared_ptr<const Type>;

/// A declared name with what may follow it: `q`, `m[N]`, `x[1]`, `x[i in 2..N]`, `mu.w`.
struct Target {
  std::string name;
  Range nameRange;
  Range range;
  std::vector<Binder> binders;    ///< `[i in a..b]`
  std::vector<ExprPtr> indices;   ///< `[N]`, `[1]`: extent or index, by the declaration that it stands in
  std::vector<std::string> parts; ///< `.w`
  std::vector<Range> partRanges;
};

enum class Frame : std::uint8_t { Default, Body, Space };

enum class StatementKind : std::uint8_t {
  Error,
  Param,       ///< param target : type = value;
  Let,         ///< let target : type = value;                (models, methods, manifolds)
  Function,    ///< fn name(params) = value;                  (everywhere; also exp(w) = … in groups)
  Config,      ///< config target : type velocity|momentum second in frame;
  State,       ///< state target : type in frame;
  Lagrangian,  ///< lagrangian = value;   discrete lagrangian(params) = value;
  Hamiltonian, ///< hamiltonian = value;
  Constraint,  ///< constraint target when second : equations[0];
  Contact,     ///< contact target : value; contact target : value { target = value; … } (`body`, of Definitions)
  Joint,       ///< joint target when second = value;     an instance: a call of a joint
  ForceOn,     ///< force on target = value;   discrete force left|right = value;
  ForceAt,     ///< force value at second;
  Dissipation, ///< dissipation = value;
  Input,       ///< input target : type = value;
  Flow,        ///< flow target = value;
  For,         ///< for binders { body }
  Initial,     ///< initial target = value;
  Adjust,      ///< initial adjust unknowns;
  Observe,     ///< observe target = value;
  Event,       ///< event target = value;   event target = value { body } (Resets)
  Every,       ///< every value from second { body }                 (Resets)
  Discrete,    ///< discrete target : type = value;
  Reset,       ///< reset target = value;        in the block of an event, or of every
  Simulate,    ///< simulate { key = value; … }
  View,        ///< view { target = value; … } (`body`, of Definitions) or view = value;
  // groups and manifolds
  Element,     ///< element target : type;
  Algebra,     ///< algebra target : type;
  Point,       ///< point target : type;
  ActingGroup, ///< group type;                 (the group that acts on a manifold)
  Definition,  ///< name = value;  name(params) = value;   identity, product(A, B), basis, random, order …
  Holds,       ///< holds a = b, c = d;         equations
  // methods and tableaux
  Solve,    ///< solve targets from starts tolerance t limit n : equations;
  Keep,     ///< keep target from value;
  Next,     ///< next target = value;
  Embedded, ///< embedded target = value;
  Order,    ///< order p(q);                 (tableaux)
};

struct Equation {
  ExprPtr left, right;
};

struct Statement;
using StatementPtr = std::shared_ptr<const Statement>;

/// One `key = value` of `simulate`; `output every e`, `output steps n` have key "output" and `word` every|steps.
struct Setting {
  std::string key;
  Range keyRange;
  std::string word;
  ExprPtr value;
  ExprPtr to; ///< `time = value..to`
};

struct Statement {
  StatementKind kind = StatementKind::Error;
  Range range;   ///< the whole statement
  Range keyword; ///< its first word(s)
  Target target;
  TypePtr type;
  ExprPtr value;
  ExprPtr second;         ///< ForceAt: the point; Constraint: the condition behind `when`; Every: its first time
  std::string secondName; ///< Config: the velocity's or momentum's name; Element: that of the algebra of a group
  Range secondRange;
  bool momentum = false; ///< Config: `momentum` instead of `velocity`
  std::string word;      ///< ForceOn: left|right of a discrete force; Lagrangian: "discrete"
  Frame frame = Frame::Default;
  Range frameRange;
  std::vector<Target> params; ///< of a Function or Definition: names only
  bool hasParams = false;
  std::vector<Binder> binders;     ///< of For
  std::vector<StatementPtr> body;  ///< of For, Event, Every, Contact
  bool hasBlock = false;           ///< of Event: a block follows, perhaps an empty one
  std::vector<Equation> equations; ///< of Holds, Solve, Constraint (one)
  std::vector<Target> unknowns;    ///< of Solve, Adjust
  std::vector<ExprPtr> starts;     ///< of Solve: one per unknown, or empty
  ExprPtr tolerance, limit;        ///< of Solve
  std::vector<Setting> settings;   ///< of Simulate
};

enum class DeclKind : std::uint8_t {
  Error,
  Import,
  Function,
  Model,
  Group,
  Manifold,
  Method,
  Tableau,
  Variational,
  Joint
};

/// A top-level declaration.
struct Declaration {
  DeclKind kind = DeclKind::Error;
  Range range;
  std::string name; ///< of Import: the file as written
  Range nameRange;
  /// Head of a group or manifold: `SO(3)`, `R^n`; the name is also in `name`.
  TypePtr head;
  ExprPtr condition; ///< `where …` behind the head: which sizes there are
  /// Function: its one statement. Others: their bodies in order.
  std::vector<StatementPtr> body;
  /// Method: `order p`, `on kind`, parameters with defaults; `= constructor(args)` for built-in constructors.
  ExprPtr order;
  ExprPtr embeddedOrder; ///< q of `order p(q)`
  std::string kindName;  ///< manifold | cotangent | lagrangian | rigid_body | embedding; empty: the default
  Range kindRange;
  std::vector<Target> params;
  std::vector<ExprPtr> paramDefaults; ///< same length as params; null where there is none
  std::vector<TypePtr> paramTypes;    ///< likewise
  ExprPtr constructor;                ///< method NAME = rkmk(…);
  std::string doc;                    ///< the comment lines directly above, without their slashes
};

/// One parsed file.
struct File {
  SourceId source = 0;
  std::vector<Declaration> declarations;
};

} // namespace lmc::syntax
