// The symbolic layer: a hash-consed graph of shaped expressions.
//
// A node is a scalar, a vector or a matrix, of reals (integers and truth values occur in indices and conditions).
// Nodes of one Graph are unique: equal expressions are the same pointer. The functions that build nodes simplify
// locally, and only by identities of real arithmetic. Loops are not in expressions: a `Load` reads an element of
// an Array, which equations (sym/Program.h) define.
#pragma once

#include "base/PointerTable.h"
#include "sym/Number.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace lmc::sym {

enum class Op : std::uint8_t {
  // leaves
  Const,    ///< a Number; scalar
  Zero,     ///< the zero of a vector or matrix shape
  Identity, ///< unit matrix
  Basis,    ///< unit vector e_i of R^n; args {i} (Int, from 1)
  Index,    ///< a loop index; imm its id; Int
  Load,     ///< element of an array; args are Int indices, from 1
  // any shape
  Add,    ///< sum of two or more terms of one shape
  Mul,    ///< scalar times anything (a constant factor comes first)
  Select, ///< args {condition, a, b}; the branch that is not taken has no effect
  // scalar functions
  Div,
  Pow,
  Sqrt,
  Exp,
  Log,
  Sin,
  Cos,
  Tan,
  Asin,
  Acos,
  Atan,
  Atan2,
  Sinh,
  Cosh,
  Tanh,
  Abs,
  Min,
  Max,
  Floor,
  PowInt,  ///< args {a}, imm the exponent
  Stumpff, ///< c_imm(s), s = theta^2 (see tape::Op::Stumpff)
  // vectors and matrices
  MatMul, ///< matrix times matrix or vector
  Transpose,
  Inner, ///< sum of products of entries of two tensors of one shape
  Cross,
  Hat,
  Unhat, ///< adjoint of hat: (A32 - A23, A13 - A31, A21 - A12)
  Outer, ///< a b^T
  Trace,
  Det,
  Inverse,
  Exponential, ///< exp of a square matrix
  Solve,       ///< args {A, b}: A^-1 b, b a vector or matrix; imm is a Definite
  Component,   ///< args {v, i} or {A, i, j}: a scalar entry; indices are Int, from 1
  Vector,      ///< a vector from scalars
  Matrix,      ///< a matrix from its entries, by rows
  Diag,        ///< diagonal matrix of a vector
  DiagOf,      ///< the diagonal of a matrix
  // integers: mathematical (mod and div round down); Add, Mul, Min, Max, Abs, Select serve them too
  IDiv,
  IMod,
  ToReal,     ///< Int to Real
  FloorToInt, ///< Real to Int
  // conditions
  Lt,
  Le,
  Eq,
  Ne,
  And,
  Or,
  Not,
};

enum class Type : std::uint8_t { Real, Int, Bool };

/// What is known of the matrix of a linear system. Semi: symmetric positive definite, or, where code is made for such
/// matrices, semidefinite; of all solutions the shortest is then meant.
enum class Definite : std::uint8_t { No, Yes, Semi };

/// rank 0: scalar; rank 1: vector (cols = 1); rank 2: matrix.
struct Shape {
  std::uint8_t rank = 0;
  int rows = 1;
  int cols = 1;
  static Shape scalar() { return {}; }
  static Shape vec(int n) { return {1, n, 1}; }
  static Shape mat(int m, int n) { return {2, m, n}; }
  [[nodiscard]] int size() const { return rows * cols; }
  bool operator==(const Shape&) const = default;
  /// `real`, `vec(3)`, `mat(3,3)`
  [[nodiscard]] std::string text() const;
};

class Graph;
struct Array;
struct Node;

/// A handle of a node; empty by default.
class Expr {
public:
  Expr() = default;
  explicit Expr(const Node* n) : n_(n) {}
  explicit operator bool() const { return n_ != nullptr; }
  const Node* operator->() const { return n_; }
  const Node& operator*() const { return *n_; }
  [[nodiscard]] const Node* node() const { return n_; }
  bool operator==(const Expr& o) const { return n_ == o.n_; }

private:
  const Node* n_ = nullptr;
};

struct Node {
  Op op = Op::Const;
  Type type = Type::Real;
  Shape shape;
  std::int64_t imm = 0;
  Number number;
  const Array* array = nullptr;
  std::vector<Expr> args;
  std::uint32_t id = 0;
  Graph* graph = nullptr;
  bool parametric = false; ///< only constants, parameters and loop indices below
  bool indexed = false;    ///< some loop index below
  bool reads = false;      ///< some element of an array below
  bool gathers = false;    ///< some element below that data choose: an index of it is read, or computed from what is

  [[nodiscard]] bool isConst() const { return op == Op::Const; }
  [[nodiscard]] bool isZero() const { return op == Op::Zero || (op == Op::Const && number.isZero()); }
  [[nodiscard]] bool isOne() const { return op == Op::Const && number.isOne(); }
};

/// What an array is for; decides where its values come from at run time.
enum class Role : std::uint8_t {
  Temp,     ///< defined by equations
  Time,     ///< t
  StepSize, ///< h
  Param,    ///< a parameter (run-time data)
  State,    ///< a part of the phase point y
  Unknown,  ///< what an iteration has reached so far (Newton)
  Random,   ///< standard normal or uniform numbers, drawn once per run (imm of `draw`)
  Data,     ///< the contents of a file
};

/// An array of shaped elements with constant extents; no extents: a single value.
struct Array {
  std::uint32_t id = 0;
  std::string name;
  std::vector<std::int64_t> extents;
  Shape shape;
  Type type = Type::Real;
  Role role = Role::Temp;
  [[nodiscard]] std::int64_t count() const;                                  ///< number of elements
  [[nodiscard]] std::int64_t size() const { return count() * shape.size(); } ///< number of scalars
};

/// A value for each node that is met.
template <typename T> using NodeTable = PointerTable<Node, T>;

/// Numbers for nodes of one graph, from 0 in the order in which they are met. A thread has a few tables for them, which
/// are used in turn and never emptied: so it costs what is met, however large the graph is.
class NodeNumbers {
public:
  static constexpr std::uint32_t none = 0xffffffff;

  NodeNumbers() : table_(take()) {}
  ~NodeNumbers();
  NodeNumbers(const NodeNumbers&) = delete;
  NodeNumbers& operator=(const NodeNumbers&) = delete;

  /// True at the first call with a node: it gets a number.
  bool add(const Node& n) {
    if (n.id >= table_->met.size()) grow(n.id);
    Met& met = table_->met[n.id];
    if (met.user == table_->user) return false;
    met = {table_->user, size_++};
    return true;
  }
  /// Of a node; none if it has not been met.
  [[nodiscard]] std::uint32_t operator[](const Node& n) const {
    if (n.id >= table_->met.size()) return none;
    const Met& met = table_->met[n.id];
    return met.user == table_->user ? met.number : none;
  }
  [[nodiscard]] std::uint32_t size() const { return size_; }
  void clear() {
    renew(*table_);
    size_ = 0;
  }

private:
  struct Met {
    std::uint32_t user = 0; ///< for whom the node was met last; 0: for nobody
    std::uint32_t number = 0;
  };
  struct Table {
    std::vector<Met> met; ///< by the numbers that nodes have in their graph
    std::uint32_t user = 0;
  };
  static std::vector<std::unique_ptr<Table>>& unused();
  static std::unique_ptr<Table> take();
  static void renew(Table& table);
  void grow(std::uint32_t id);

  std::unique_ptr<Table> table_;
  std::uint32_t size_ = 0;
};

/// The nodes, arrays and loop indices that one piece of work adds to a graph, over those of the work before it, which
/// do not grow any more. Numbers go on from below, so they depend on what lies below alone: the same work over the same
/// layer makes the same nodes, whatever else was made of it before or in between. Ends after what stands on it.
class GraphLayer {
public:
  GraphLayer() = default;
  explicit GraphLayer(const GraphLayer& below);
  ~GraphLayer();
  GraphLayer& operator=(const GraphLayer&) = delete;

private:
  friend class Graph;
  const GraphLayer* below_ = nullptr;
  mutable int above_ = 0; ///< layers that stand on it
  std::size_t firstNode_ = 0, firstArray_ = 0, firstIndex_ = 0;
  std::deque<Node> nodes_;
  std::deque<Array> arrays_;
  std::deque<std::string> indexNames_;
  ObjectsByHash<Node> table_;
};

/// Owns nodes and arrays; builds simplified nodes. Not for concurrent use.
class Graph {
public:
  Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  /// While it lives, what is made belongs to a layer; then to what it was before. One ends before the one around it.
  class Work {
  public:
    Work(Graph& graph, GraphLayer& layer) : graph_(graph), before_(graph.top_) { graph.top_ = &layer; }
    ~Work() { graph_.top_ = before_; }
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;

  private:
    Graph& graph_;
    GraphLayer* before_;
  };
  /// That new nodes belong to.
  [[nodiscard]] const GraphLayer& layer() const { return *top_; }

  // leaves
  Expr number(const Number& n);
  Expr integer(std::int64_t n); ///< an Int constant
  Expr boolean(bool b);
  Expr zero(const Shape& s);
  Expr identity(int n);
  Expr basis(int n, Expr index);
  Expr newIndex(const std::string& name); ///< a fresh loop index
  Expr load(const Array* a, std::vector<Expr> indices = {});
  Array* newArray(std::string name, std::vector<std::int64_t> extents, Shape shape, Role role, Type type = Type::Real);
  [[nodiscard]] const std::string& indexName(const Node& index) const;

  // arithmetic; shapes must fit (the caller has checked them)
  Expr add(Expr a, Expr b);
  Expr sum(const std::vector<Expr>& terms, const Shape& shape);
  Expr sub(Expr a, Expr b) { return add(a, neg(b)); }
  Expr neg(Expr a);
  Expr mul(Expr scalar, Expr a);
  Expr scale(const Number& c, Expr a);
  Expr div(Expr a, Expr scalar);
  Expr pow(Expr a, Expr b);
  Expr powInt(Expr a, std::int64_t n);
  Expr function(Op op, Expr a);         ///< Sqrt … Floor of one scalar argument
  Expr function(Op op, Expr a, Expr b); ///< Atan2, Min, Max
  Expr stumpff(int k, Expr s);
  Expr select(Expr condition, Expr a, Expr b);

  Expr matmul(Expr a, Expr b);
  Expr transpose(Expr a);
  Expr inner(Expr a, Expr b);
  Expr cross(Expr a, Expr b);
  Expr hat(Expr a);
  Expr unhat(Expr a);
  Expr outer(Expr a, Expr b);
  Expr trace(Expr a);
  Expr det(Expr a);
  Expr inverse(Expr a);
  Expr exponential(Expr a); ///< of a square matrix
  Expr solve(Expr a, Expr b, bool positiveDefinite) {
    return solve(a, b, positiveDefinite ? Definite::Yes : Definite::No);
  }
  Expr solve(Expr a, Expr b, Definite definite);
  Expr component(Expr v, Expr i);
  Expr component(Expr a, Expr i, Expr j);
  Expr entry(Expr a, int row, int col = 0); ///< constant position, counted from 0
  Expr vector(std::vector<Expr> entries);
  Expr matrix(int rows, int cols, std::vector<Expr> entries);
  Expr diag(Expr v);
  Expr diagOf(Expr a);

  Expr idiv(Expr a, Expr b);
  Expr imod(Expr a, Expr b);
  Expr toReal(Expr a);
  Expr floorToInt(Expr a);
  Expr compare(Op op, Expr a, Expr b); ///< Lt, Le, Eq, Ne
  Expr logic(Op op, Expr a, Expr b);   ///< And, Or
  Expr logicNot(Expr a);

  /// The same node with other arguments, simplified anew.
  Expr rebuild(const Node& n, const std::vector<Expr>& args);

  /// Nodes of the present layer and of those below.
  [[nodiscard]] std::size_t size() const { return top_->firstNode_ + top_->nodes_.size(); }

private:
  Expr intern(Node n);
  Expr make(Op op, Type type, Shape shape, std::vector<Expr> args, std::int64_t imm = 0);
  Expr addTerms(const std::vector<Expr>& terms, const Shape& shape, Type type);
  Expr mulScalar(Expr a, Expr b);
  Expr applied(Expr a, Expr v);
  Expr absorbed(Expr s, Expr a);

  /// The present layer, to which something is to be added.
  GraphLayer& growing();

  GraphLayer ground_;
  GraphLayer* top_ = &ground_;
};

/// s I, s hat(w) or s hat(w) hat(w) with any scalars s: the terms of exp on so(3), which cost less applied to a vector
/// than written out as a matrix.
[[nodiscard]] bool isRotationTerm(Expr e);

/// Replaces nodes: `leaf` is asked for each Load and Index and returns the replacement or an empty Expr to keep it
/// (a kept Load still has its indices replaced).
class Substitution {
public:
  using Leaf = std::function<Expr(const Node&, const std::vector<Expr>& newArgs)>;
  Substitution(Graph& graph, Leaf leaf) : graph_(graph), leaf_(std::move(leaf)) {}
  Expr operator()(Expr e);

private:
  Graph& graph_;
  Leaf leaf_;
  NodeTable<Expr> memo_;
};

/// Calls `visit` once for every node below `roots`, arguments before their users.
void visitPostOrder(const std::vector<Expr>& roots, const std::function<void(const Node&)>& visit);

/// True if some node below `e` satisfies the predicate, which is not asked about others then.
[[nodiscard]] bool contains(Expr e, const std::function<bool(const Node&)>& predicate);

} // namespace lmc::sym
