// A method as it was checked: what its body computes, as terms of known kinds, in the order of evaluation.
//
// Nothing here is syntax. Names are resolved, functions that the method declares are written out where they are called,
// arguments of the method have their values, words are rows of the table of kinds (Kinds.h) with arguments that fit.
// Instantiation on a model, proofs of orders and the tool read this form.
#pragma once

#include "methods/checked/Constructor.h"
#include "methods/checked/Kinds.h"

#include <memory>
#include <optional>

namespace lmc::methods {

/// The place of a term among those of its method.
using TermId = std::size_t;

enum class TermOp : std::uint8_t {
  State,    ///< the variable `index` of the state, at the begin of the step
  Given,    ///< what the statement around it puts here: an unknown, its solution, an argument of a formula
  Number,   ///< a number, vector or matrix: `number`
  Word,     ///< a word of the kind, of `args`
  Product,  ///< of two elements of the group
  Act,      ///< an element of the group times a point
  ActRight, ///< a point times an element of the group
  Add,      ///< of two linear values (algebra elements, momenta, vectors)
  Subtract,
  Scale,  ///< `number` times a linear value
  Divide, ///< a linear value divided by `number`
  Negate,
  Bracket,
  Select, ///< args[0] where `number` is true, else args[1]
  Hold,   ///< a value that has the name `name` from here on
};

struct Term {
  TermOp op = TermOp::Number;
  sema::ValueKind kind = sema::ValueKind::Tensor;
  std::vector<TermId> args;
  /// Of numbers that terms give (a Lagrangian, an unknown) as loads of their `handle`; of h and t likewise.
  sym::Expr number;
  const Word* word = nullptr;
  std::size_t index = 0;
  std::string name;
  Range where;
  const sym::Array* handle = nullptr; ///< what stands for the term in the numbers of others
};

/// Terms first … last - 1.
struct Terms {
  TermId first = 0, last = 0;
};

struct CheckedSolve {
  struct Unknown {
    std::string name;
    Terms terms;                 ///< of its start
    std::optional<TermId> start; ///< nothing: zero
    TermId iterate = 0, solution = 0;
  };
  struct Equation {
    Terms terms;
    TermId left = 0, right = 0;
    Range where;
  };
  std::vector<Unknown> unknowns;
  std::vector<Equation> equations;
  sym::Expr tolerance;    ///< empty: to round-off
  std::int64_t limit = 0; ///< turns; 0: not given
};

struct CheckedStatement {
  enum class What : std::uint8_t { Define, Next, Embedded, Solve, Keep, Hand };
  What what = What::Define;
  Terms terms;
  TermId value = 0;         ///< of Next and Embedded; of Keep what it begins with, of Hand what the next step is given
  std::size_t variable = 0; ///< of the state; of Keep and Hand: of what is kept
  CheckedSolve solve;
  Range keyword;
};

/// Numbers that a step hands to the next one: `keep a from e; … next a = e;`.
struct CheckedKept {
  std::string name;
  TermId value = 0; ///< at the begin of the step: what the last one has handed on, else the start
  Range where;
};

/// A discrete Lagrangian, and discrete forces where there are any.
struct CheckedFormula {
  TermId q = 0;
  std::vector<TermId> unknowns; ///< xi, then internal elements
  Terms terms;
  sym::Expr lagrangian;
  struct Force {
    Terms terms;
    TermId value = 0;
  };
  std::optional<Force> left, right;
  /// The point retract(q, X) of each internal element X at which the Lagrangian is taken, and the time there: where
  /// constraints hold, too. Nothing of one that is no such node.
  struct Node {
    TermId point = 0, time = 0;
  };
  std::vector<std::optional<Node>> nodes;
};

struct CheckedMethod;

/// A method where another one, or a model, uses it.
struct MethodUse {
  std::shared_ptr<const CheckedMethod> method;
  bool adjoint = false; ///< the inverse of its step with -h
};

/// Steps one after the other. No method is a part of itself.
struct CheckedComposition {
  struct Part {
    MethodUse use;
    sym::Expr part;        ///< of the step size
    std::size_t clock = 0; ///< the steps of one clock go on from each other
  };
  std::vector<Part> parts; ///< one with an empty `part`: the adjoint of a method
  bool symmetric = false;  ///< the one part is moved by the same multipliers before and behind its step
};

struct CheckedMethod {
  std::string name;
  const KindOfMethod* kind = nullptr;
  int order = 0;                  ///< as declared, of these arguments; of a tableau its own; 0: none
  int embeddedOrder = 0;          ///< of the second result
  bool orderVaries = false;       ///< with the parameters
  bool ownOrder = false;          ///< whether it says that it steps the whole equations
  std::string retraction = "exp"; ///< what its body calls `retract`
  Range nameRange, bodyRange;
  Range orderRange; ///< of the claim of an order, or the name

  const sym::Array* stepSize = nullptr; ///< h in its numbers
  const sym::Array* time = nullptr;     ///< t in its numbers
  std::vector<Term> terms;
  std::vector<TermId> state; ///< one for each variable of the kind

  // One of these:
  std::optional<Constructed> tableau;
  std::optional<CheckedComposition> composition;
  std::optional<CheckedFormula> formula;
  std::vector<CheckedStatement> body;
  std::vector<CheckedKept> kept; ///< of a body

  [[nodiscard]] bool isImplicit() const;
  /// How often the body calls a word, as it is written out.
  [[nodiscard]] int calls(std::string_view word) const;
  /// Whether all internal elements of its formula, and of those that it is composed of, are nodes.
  [[nodiscard]] bool holdsAtNodes() const;
  /// Whether it, or every method that it is composed of, calls a word.
  [[nodiscard]] bool alwaysCalls(std::string_view word) const;
  /// Of a method in storage coordinates: whether it, or every method that it is composed of, puts its result back.
  [[nodiscard]] bool endsOnManifold() const;
};

} // namespace lmc::methods
