// The algebra of printed equations: sums of products of atoms, in a normal form where equal things are the same.
//
// A `Poly` is a linear combination of monomials; a monomial is a product of powers of scalar atoms and at most one atom
// that is a vector or a matrix. Atoms are interned: equal atoms are the same pointer. The functions of `Terms` build
// normal forms; every rule that they use is an identity of real arithmetic, or follows from a fact that was declared
// (Facts.h). Nothing of this is compiled: it is for readers alone.
#pragma once

#include "sym/Expr.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lmc::present {

using sym::Number;
using sym::Shape;

struct Term;
using Atom = const Term*;

/// A product of powers of scalar atoms, and perhaps a tensor; sorted by the numbers of the atoms.
struct Monomial {
  std::vector<std::pair<Atom, int>> powers;
  Atom core = nullptr;
};
struct MonomialOrder {
  bool operator()(const Monomial& a, const Monomial& b) const;
};

/// sum of coefficient * monomial.
struct Poly {
  sym::Shape shape;
  std::map<Monomial, sym::Number, MonomialOrder> terms;
  [[nodiscard]] bool isZero() const { return terms.empty(); }
};

enum class Kind : std::uint8_t {
  Index,     ///< a free index, or one that a Series binds ("#1" binds tighter than "#2")
  Symbol,    ///< an array, or its element at the indices in `kids`
  Basis,     ///< e_i of R^n; kids {i}
  Identity,  ///<
  Transpose, ///< of a matrix that is no product; kids {A}
  Inverse,   ///< kids {A}
  Hat,       ///< kids {v}
  Outer,     ///< a b^T; kids {a, b}
  Chain,     ///< a product of matrices, the last perhaps a vector; two kids or more
  Cross,     ///< kids {a, b}
  Form,      ///< u^T M1 … Mk v; kids {u, M1, …, Mk, v}
  Triple,    ///< a . (b x c); kids {a, b, c}
  Call,      ///< a function `name` of sealed kids
  Series,    ///< sum over an index; kids {index, lo, hi, body} and perhaps what the index leaves out
  Select,    ///< kids {condition, a, b}
  Matrix,    ///< a literal; kids are its entries by rows
  Sealed,    ///< a Poly that stands as one thing
};

struct Term {
  Kind kind = Kind::Symbol;
  sym::Shape shape;
  std::string name;
  const sym::Array* array = nullptr;
  std::vector<Atom> kids;
  std::shared_ptr<const Poly> poly; ///< Sealed
  std::uint32_t id = 0;
  int height = 0;            ///< of bound indices below
  std::vector<Atom> indices; ///< index atoms below, sorted
  [[nodiscard]] bool mentions(Atom index) const;
};

/// Whether an atom, or one that it is made of, has a property. Atoms share what they are made of: each is looked at
/// once.
class Search {
public:
  explicit Search(std::function<bool(Atom)> property) : property_(std::move(property)) {}
  bool in(Atom a);
  bool in(const Monomial& m);

private:
  std::function<bool(Atom)> property_;
  std::unordered_map<Atom, bool> known_;
};

/// Thrown where a normal form gets longer than a person would read.
class TooLong : public std::runtime_error {
public:
  TooLong() : std::runtime_error("too long to be written out") {}
};

/// Whether it is [[0, -1], [1, 0]].
[[nodiscard]] bool isQuarterTurn(Atom a);

/// What is known of arrays beyond the laws of vectors and matrices; from declarations, never from names.
struct Traits {
  bool symmetric = false;  ///< A^T = A
  bool columns = false;    ///< A^T A = I
  bool orthogonal = false; ///< and A A^T = I
  bool rotation = false;   ///< and det A = 1, of 3 x 3
  bool idempotent = false; ///< A A = A
};

/// A basis of the skew matrices of one size: e_j e_i^T - e_i e_j^T for each plane (j, i), counted from 1.
using Planes = std::vector<std::pair<int, int>>;

struct Identity;

class Terms {
public:
  /// `distribute`: products of sums are multiplied out. `budget`: of monomials made.
  Terms(bool distribute, std::int64_t budget) : distribute_(distribute), left_(budget) {}
  Terms(const Terms&) = delete;
  Terms& operator=(const Terms&) = delete;
  [[nodiscard]] bool distributes() const { return distribute_; }
  /// For a while; returns how it was.
  bool distribute(bool now) { return std::exchange(distribute_, now); }

  // leaves
  Poly number(const sym::Number& n) const;
  static Poly zero(const sym::Shape& s);
  Poly of(Atom a) const;
  Poly scaled(const sym::Number& c, const Poly& a) const;
  Atom index(const std::string& name);
  Atom symbol(const sym::Array* array, const std::string& name, const sym::Shape& shape, std::vector<Atom> indices);
  Poly basis(int n, const Poly& i);
  Poly identity(int n);

  // arithmetic
  Poly add(const Poly& a, const Poly& b) const;
  /// The same into the memory of `a`, which long sums are made of.
  Poly add(Poly&& a, const Poly& b) const;
  Poly sub(const Poly& a, const Poly& b) const { return add(a, scaled(-1, b)); }
  Poly mul(const Poly& scalar, const Poly& a);
  Poly power(const Poly& a, int n);
  Poly quotient(const Poly& a, const Poly& scalar) { return mul(power(scalar, -1), a); }
  Poly call(const std::string& name, const std::vector<Poly>& args, const sym::Shape& shape);
  Poly select(const Poly& condition, const Poly& a, const Poly& b);

  // vectors and matrices
  Poly matmul(const Poly& a, const Poly& b);
  Poly transpose(const Poly& a);
  Poly inverse(const Poly& a);
  Poly dot(const Poly& a, const Poly& b);
  Poly cross(const Poly& a, const Poly& b);
  /// A(a), the skew matrix with these coordinates: of three the matrix of the vector product.
  Poly hat(const Poly& a);
  Poly outer(const Poly& a, const Poly& b);
  /// axial(S) with <A(w), S> = w . axial(S): the coordinates of S - S^T.
  Poly unhat(const Poly& a);
  Poly unit(int n, int i);
  Poly vector(const std::vector<Poly>& entries);
  Poly matrix(int rows, int cols, const std::vector<Poly>& entries);
  /// [[0, -1], [1, 0]]: what skew matrices of the plane are multiples of.
  Poly quarterTurn();
  /// A chain without its first matrix.
  Poly tail(Atom chain);
  /// The vector g with f = u . g for a Form or a Triple f; nothing where u is none of its ends.
  std::optional<Poly> gradientOf(Atom f, Atom u);
  /// Without any rule but the anticommutative one: what identities of `Identities.def` may leave.
  Poly plainCross(const Poly& a, const Poly& b);
  Poly plainDot(const Poly& a, const Poly& b);
  /// The table of identities, made once.
  const std::vector<Identity>& rules();

  /// Coordinates of skew matrices of size n; those of 3 x 3 are known.
  void knowPlanes(int n, const Planes& planes);
  /// Null where nothing is known of this size.
  [[nodiscard]] const Planes* planesOfSize(int n) const;
  /// n of skew matrices with so many coordinates; 0 where there are none.
  [[nodiscard]] int sizeOfAlgebra(int dimension) const;
  /// Sums over all coordinates (of vectors, of planes) as what they are the coordinates of. The sum itself unless
  /// `recombines`.
  Poly recombined(const Poly& a);
  bool recombines = false;
  /// Whether skew matrices of size 3 times vectors are vector products.
  bool crosses = true;
  Poly trace(const Poly& a);

  /// sum over index = lo…hi of body; `except`: the value that it leaves out.
  Poly series(Atom index, const Poly& lo, const Poly& hi, const std::optional<Poly>& except, const Poly& body);
  /// Sums over j < c and over j > c of the same as one that leaves c out.
  Poly withHalvesJoined(const Poly& a);
  /// The body of a Series with its index free, `index`.
  Poly opened(Atom series, Atom index);
  /// Whether integers compare so for all values of indices within the bounds that are known; only constants are.
  [[nodiscard]] static std::optional<std::int64_t> constant(const Poly& a);
  /// With sums over at most so many members written out.
  Poly writtenOut(const Poly& a, std::int64_t members);

  Atom seal(const Poly& a);
  [[nodiscard]] Poly open(Atom a) const;
  Poly substitute(const Poly& a, Atom index, const Poly& by);
  /// With the members of families at `from`, an index or a constant, at `to`.
  Poly withIndex(const Poly& a, Atom from, Atom to);
  [[nodiscard]] static bool mentions(const Poly& a, Atom index);
  /// A fresh free index.
  Atom fresh();

  /// Velocities: by their products scalars are collected first.
  std::function<bool(Atom)> isVelocity;

  // facts
  std::unordered_map<const sym::Array*, Traits> traits;
  /// Declares that an atom has a value; its indices are those of the pattern, all the same index `pattern` or none.
  void know(Atom atom, Atom pattern, const Poly& value);
  /// Declares that a product of matrices is zero, wherever it stands in a longer one.
  void vanishes(const std::vector<Atom>& product) { vanishing_.push_back(product); }
  /// The value of integer arithmetic that stands for a name ("N"): how it counts.
  std::function<Poly(const Poly&)> asCount;

private:
  friend class Rebuilder;
  Atom intern(Term t);
  Atom make(Kind kind, const sym::Shape& shape, std::vector<Atom> kids, const std::string& name = {});
  Poly known(Atom atom);
  void spend(std::int64_t n) const;
  void put(Poly& sum, Monomial m, sym::Number c) const;
  Monomial times(const Monomial& a, const Monomial& b, sym::Number& c) const;
  Poly bilinear(const Poly& a, const Poly& b, const sym::Shape& shape, const std::function<Poly(Atom, Atom)>& product);
  Poly linear(const Poly& a, const sym::Shape& shape, const std::function<Poly(Atom)>& f);
  Poly chain(std::vector<Atom> elements);
  bool cancels(Atom a, Atom b) const;
  [[nodiscard]] const Traits& traitsOf(Atom a) const;
  Poly coreMatmul(Atom a, Atom b);
  Poly coreTranspose(Atom a);
  Poly coreInverse(Atom a);
  Poly coreDot(Atom a, Atom b);
  Poly coreCross(Atom a, Atom b);
  Poly form(Atom u, std::vector<Atom> list, Atom v);
  Poly triple(Atom a, Atom b, Atom c);
  std::optional<Poly> exchanged(Atom index, const Poly& lo, const Poly& hi, const Monomial& body);
  Poly through(Atom series, const std::function<Poly(const Poly&)>& f);
  Poly basePower(Atom a, int n);
  Poly mapped(const Poly& a, const std::function<Poly(Atom)>& atom);
  Poly rebuilt(Atom a, const std::function<Poly(Atom)>& kid);
  std::optional<Poly> withoutTriple(const Monomial& m);
  std::optional<Poly> quarterTurned(const std::vector<Poly>& entries);
  struct Slot {
    Atom unit;   ///< e_i
    Atom factor; ///< the scalar that it is in; null: the vector or matrix
    std::function<Poly(const Poly&)> put;
  };
  std::vector<Slot> slots(const Monomial& m);
  using Completions = std::vector<std::pair<Poly, Poly>>;
  using Offer = std::function<void(const Monomial& rest, const Poly& whole, const Poly& said)>;
  const Completions& completions(const Monomial& m);
  void contractions(const Monomial& m, const Offer& offer);
  void planeSums(const Monomial& m, const Offer& offer);
  Poly beforeLast(Atom a);
  [[nodiscard]] bool cancelling(Atom a, Atom b) const;
  Poly functionRule(const std::string& name, const std::vector<Poly>& args);

  bool distribute_;
  std::int64_t members_ = 0; ///< sums over so many are written out; 0: none
  mutable std::int64_t left_;
  int freshIndices_ = 0;
  std::map<std::string, std::unique_ptr<Term>> table_;
  struct Fact {
    Atom atom, pattern;
    Poly value;
  };
  std::vector<Fact> facts_;
  std::shared_ptr<const std::vector<Identity>> rules_;
  bool knowing_ = false;
  std::vector<std::vector<Atom>> vanishing_;
  std::map<Monomial, Completions, MonomialOrder> completions_;
  std::map<int, Planes> planes_ = {{3, {{3, 2}, {1, 3}, {2, 1}}}};
};

} // namespace lmc::present
