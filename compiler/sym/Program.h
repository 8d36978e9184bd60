// Array programs: equations over loops that define arrays element by element.
//
// An equation is  array[index…] = value  or  array[index…] += value  for all values of its loop indices where its
// guard holds. The rule that makes derivatives simple (docs: ARCHITECTURE.md, "Programs"): every read of an
// element sees its final value. Hence an array is a value, equations of one loop may be split or fused, and both
// derivatives of a program are again programs.
#pragma once

#include "sym/Expr.h"

#include <iterator>
#include <unordered_set>

namespace lmc::sym {

/// index = lo … hi (both included; Int expressions of outer indices and constants), or from hi down to lo.
struct Loop {
  Expr index;
  Expr lo, hi;
  bool descending = false;
};

enum class EquationKind : std::uint8_t {
  Set,         ///< array[index] = value
  Accumulate,  ///< array[index] += value (the array starts as zero)
  LinearSolve, ///< array = matrix^-1 rhs, for a symmetric positive definite matrix array [n][n] and vectors […][n]
  Newton,      ///< array = the n numbers at which a residual vanishes, see NewtonIteration
  Series,      ///< array[n] = coefficients of power series, order by order, see SeriesRecursion
};

/// The derivative of a residual as blocks between small groups of unknowns (lmc_sparse_plan): the pattern is known
/// before the run, so the order of elimination is found once, and a turn takes the time that the factors have numbers.
struct SparseJacobian {
  const Array* nodes = nullptr;  ///< [2 nodeCount]: unknowns, and whether they are multipliers
  const Array* blocks = nullptr; ///< [2 blockCount]: the nodes of rows and columns, from 0
  const Array* values = nullptr; ///< the numbers of all blocks
  std::int64_t nodeCount = 0, blockCount = 0, entries = 0, unknowns = 0;
  std::int64_t planSize = 0, factorSize = 0;
  bool transposed = false; ///< the derivative is the transpose of this
};

/// Columns of a Jacobian that one list of equations gives, one after the other: the derivative of the residual along
/// `direction`, of whose numbers one is 1 and the others are 0.
struct JacobianColumns {
  const Array* direction = nullptr; ///< role Unknown, without extents
  const Array* product = nullptr;   ///< n numbers
  std::int64_t first = 0;           ///< the column of the first number of `direction`, from 0
};

/// A system of n equations for n numbers. The equations that depend on `iterate` are evaluated in every turn of the
/// iteration, at its present point; an iteration inside of them depends on what its own equations depend on. Arrays of
/// n numbers have one extent n, or several with this product.
struct NewtonIteration {
  std::vector<const Array*> iterate;   ///< role Unknown; one after the other they are the n numbers
  const Array* start = nullptr;        ///< n numbers
  const Array* residual = nullptr;     ///< n numbers
  const Array* jacobian = nullptr;     ///< [n][n], d residual / d iterate; or, for large systems,
  std::vector<const Array*> direction; ///< role Unknown, shaped like `iterate`, and
  const Array* product = nullptr;      ///< n numbers, the derivative of the residual along `direction`
  /// Instead of both, n numbers, the solution of J x = residual by equations that read `factors`, which depend on the
  /// iterate, but not on the residual; `residual` itself where J is near 1, which turns then mend by secants.
  const Array* change = nullptr;
  std::vector<const Array*> factors;
  /// Instead of all. It need not be exact: a turn takes what it gives for the change. Of n numbers, or of each of
  /// several systems one after the other.
  std::shared_ptr<const SparseJacobian> sparse = {};
  /// All columns of `jacobian`, by less code than its equations are; empty: these are evaluated in the turns.
  std::vector<JacobianColumns> columns = {};
  bool linear = false;          ///< the residual is; `sparse` does not depend on the iterate
  bool constrained = false;     ///< some unknowns are multipliers of constraints
  std::size_t counted = 0;      ///< bit k: array k of `iterate` is of no multipliers; 0: all count
  Expr tolerance;               ///< of the last change, relative to the size of the iterate; empty: round-off
  std::int64_t limit = 0;       ///< turns
  std::int64_t evaluations = 0; ///< of the map f in one turn
};

/// Coefficients x_1 … x_P of power series, of which each order follows from those before: x_1 = start, and for n = 1 …
/// P - 1 x_{n+1} = next. What depends on `order`, `point` and the sums is evaluated anew for every n. The array of the
/// equation has P rows, of d numbers or more.
struct SeriesRecursion {
  /// Sums of products S_n of w pairs of operands.
  struct Products {
    const Array* sums = nullptr;     ///< role Unknown, [w]: S_n, of orders before n
    const Array* operands = nullptr; ///< [P - 1][2w]: its equations write row n, all a and then all b of order n
  };
  std::int64_t orders = 0;      ///< P, at least 1
  const Array* order = nullptr; ///< role Unknown, an Int: n
  const Array* point = nullptr; ///< role Unknown, [d]: x_n
  std::vector<Products> products;
  const Array* start = nullptr; ///< [d]
  const Array* next = nullptr;  ///< [d]
};

struct Equation {
  EquationKind kind = EquationKind::Set;
  const Array* array = nullptr;
  std::vector<Loop> loops; ///< outermost first
  Expr guard;              ///< Bool; may be empty
  std::vector<Expr> index; ///< one per extent of the array
  Expr value;
  const Array* matrix = nullptr; ///< LinearSolve
  const Array* rhs = nullptr;    ///< LinearSolve
  std::shared_ptr<const NewtonIteration> newton = {};
  /// By what `value` divides, a mass that is one number; may be empty. Code for definite matrices fails where it is not
  /// positive, as it does at the pivots of larger matrices.
  Expr positive = {};
  bool semidefinite = false; ///< LinearSolve: as Definite::Semi
  /// `positive` is no mass, but tells how much nearer to its manifold a point is than it must be.
  bool near = false;
  std::shared_ptr<const SeriesRecursion> series = {};
};

/// Equations in an order in which they can be executed. Grows; nothing is ever removed.
///
/// A stage that reads the program of another adds its own equations as a layer over it: it sees both, and what is below
/// stays as it is. An array is defined in one layer alone.
class Program {
public:
  /// Equations alone; their expressions are made in whatever layer of the graph work is in.
  explicit Program(Graph& graph) : graph_(&graph) {}
  /// A layer over `below`, which it must not outlive and which does not grow any more, with expressions of its own:
  /// they are made while `work()` lives.
  [[nodiscard]] static Program over(const Program& below);
  Program(Program&&) = default;
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  Program& operator=(Program&&) = delete;
  ~Program() = default;

  [[nodiscard]] Graph& graph() const { return *graph_; }
  /// Of a layer: new expressions belong to it while this lives.
  [[nodiscard]] Graph::Work work() { return {*graph_, *layer_}; }
  void append(Equation e);

  /// All of them, those of the layers below first.
  class Equations {
  public:
    class Iterator {
    public:
      using iterator_category = std::forward_iterator_tag;
      using value_type = Equation;
      using difference_type = std::ptrdiff_t;
      using pointer = const Equation*;
      using reference = const Equation&;
      Iterator(const Program* program, std::size_t k) : program_(program), k_(k) {}
      reference operator*() const { return program_->equation(k_); }
      pointer operator->() const { return &program_->equation(k_); }
      Iterator& operator++() {
        ++k_;
        return *this;
      }
      Iterator operator++(int) {
        const Iterator before = *this;
        ++k_;
        return before;
      }
      bool operator==(const Iterator& o) const { return k_ == o.k_; }

    private:
      const Program* program_;
      std::size_t k_;
    };
    explicit Equations(const Program& program) : program_(&program) {}
    const Equation& operator[](std::size_t k) const { return program_->equation(k); }
    [[nodiscard]] std::size_t size() const { return program_->size(); }
    [[nodiscard]] const Equation& back() const { return program_->equation(size() - 1); }
    [[nodiscard]] Iterator begin() const { return {program_, 0}; }
    [[nodiscard]] Iterator end() const { return {program_, size()}; }

  private:
    const Program* program_;
  };
  /// A reference to an equation is valid while the program lives, whatever is appended.
  [[nodiscard]] Equations equations() const { return Equations(*this); }
  [[nodiscard]] const Equation& equation(std::size_t k) const {
    return k < first_ ? below_->equation(k) : equations_[k - first_];
  }
  [[nodiscard]] std::size_t size() const { return first_ + equations_.size(); }
  /// Positions of the equations that write an array, in order.
  [[nodiscard]] const std::vector<std::size_t>& writers(const Array* a) const;
  /// Every array that equation k reads, in the order of their ids; valid while the program lives.
  [[nodiscard]] const std::vector<const Array*>& reads(std::size_t k) const {
    return k < first_ ? below_->reads(k) : reads_[k - first_];
  }
  /// The arrays of which equation k reads or writes an element that data choose, in the order of their ids.
  [[nodiscard]] const std::vector<const Array*>& choices(std::size_t k) const {
    return k < first_ ? below_->choices(k) : choices_[k - first_];
  }
  /// True when equation k reads the array.
  [[nodiscard]] bool reads(std::size_t k, const Array* a) const;
  /// The equations that `roots` (arrays) and `expressions` need, in order.
  [[nodiscard]] std::vector<std::size_t> slice(const std::vector<const Array*>& roots,
                                               const std::vector<Expr>& expressions = {}) const;
  /// What derivatives share: the inverse of an iteration's Jacobian at its solution, by the array of the solution; null
  /// until a derivative has made it.
  [[nodiscard]] const Array* inverseJacobian(const Array* solution) const;
  void setInverseJacobian(const Array* solution, const Array* inverse) { inverseJacobians_[solution] = inverse; }

private:
  Graph* graph_;
  const Program* below_ = nullptr;
  std::size_t first_ = 0; ///< position of the first equation of its own
  std::unique_ptr<GraphLayer> layer_;
  std::unordered_map<const Array*, const Array*> inverseJacobians_;
  std::deque<Equation> equations_;
  std::deque<std::vector<const Array*>> reads_, choices_; ///< of each equation: asked for again and again, found once
  std::unordered_map<const Array*, std::vector<std::size_t>> writers_;
};

/// Every array that an equation reads (in value, guard, indices, bounds, matrix and right-hand side).
[[nodiscard]] std::unordered_set<const Array*> reads(const Equation& e);
[[nodiscard]] std::unordered_set<const Array*> reads(Expr e);

/// Evaluates an Int expression of constants only; throws std::logic_error otherwise.
[[nodiscard]] std::int64_t constantInt(Expr e);

/// The smallest and largest value of an Int expression when loop indices range over `loops` (interval arithmetic:
/// may be wider than the truth). Nothing if it depends on data.
struct Interval {
  std::int64_t lo, hi;
};
[[nodiscard]] std::optional<Interval> bounds(Expr e, const std::vector<Loop>& loops);

/// A loop over 1…n with a fresh index of the given name.
[[nodiscard]] Loop fullLoop(Graph& g, const std::string& name, std::int64_t n);
/// Loops over all members of an array with these extents, outermost first, with the indices i, i2, …
[[nodiscard]] std::vector<Loop> memberLoops(Graph& g, const std::vector<std::int64_t>& extents);
[[nodiscard]] std::vector<Expr> indicesOf(const std::vector<Loop>& loops);
/// A fresh array of the form of another one, with array[index] = value(index) for all members.
const Array* defineLike(Program& p, const Array& like, const std::string& name,
                        const std::function<Expr(const std::vector<Expr>&)>& value);

} // namespace lmc::sym
