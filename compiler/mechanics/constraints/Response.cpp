#include "mechanics/constraints/Response.h"

#include "mechanics/constraints/Held.h"
#include "mechanics/constraints/Rows.h"
#include "mechanics/system/Equations.h"

namespace lmc::mechanics {

using sym::Expr;

namespace {

class Responding : private Rows {
public:
  Responding(const System& system, Layer& layer, ConstraintEquations& equations)
      : Rows(layer.program()), s_(system), m_(layer.model), c_(equations) {}

  const sym::Array* run() {
    w_ = g_.newArray("M^-1 B^T", {c_.rows, c_.columns}, sym::Shape::scalar(), sym::Role::Temp);
    held_ = c_.mass != nullptr; // it is that of the one group
    if (held_) written_ = std::min(written_, mostWrittenOutHeld);
    if (!held_) c_.mass = g_.newArray("M(all)", {c_.columns, c_.columns}, sym::Shape::scalar(), sym::Role::Temp);
    for (const MassGroup& group : s_.groups) {
      if (group.dense != nullptr)
        dense(group);
      else
        memberwise(group);
    }
    return w_;
  }

private:
  [[nodiscard]] int dimension(std::size_t j) const { return m_.factors[j].manifold->algebraSize(); }

  /// One matrix, or number, for each member: M^-1 of it in the loop over the members.
  void memberwise(const MassGroup& group) {
    const std::int64_t extent = m_.factors[group.factors[0]].extent;
    const std::vector<sym::Loop> own = memberLoop(g_, extent, group.index);
    const Expr member = group.index.empty() ? Expr() : group.index[0];
    std::vector<Expr> columns;
    for (const std::size_t j : group.factors) {
      for (int c = 0; c < dimension(j); ++c) columns.push_back(column(c_.firstColumn[j], dimension(j), member, c));
    }
    const bool number = group.structure == MassStructure::Scalar;
    const int n = static_cast<int>(columns.size());
    each(c_.rows, "r", [&](Expr r, const std::vector<sym::Loop>& rows) {
      std::vector<sym::Loop> loops = rows;
      loops.insert(loops.end(), own.begin(), own.end());
      std::vector<Expr> b;
      for (const Expr& at : columns) b.push_back(g_.load(c_.jacobian, {r, at}));
      const Expr x = number || n == 1 ? Expr() : g_.solve(group.matrix, g_.vector(b), true);
      for (int a = 0; a < n; ++a) set(w_, loops, {r, columns[a]}, x ? g_.entry(x, a) : g_.div(b[a], one(group.matrix)));
    });
    for (int a = 0; a < n; ++a) {
      for (int b = 0; b < n; ++b) {
        const Expr entry = !number ? entryOf(group.matrix, a, b) : a == b ? group.matrix : g_.number(0);
        if (!entry->isZero()) set(c_.mass, own, {columns[a], columns[b]}, entry, sym::EquationKind::Accumulate);
      }
    }
  }

  Expr one(Expr matrix) { return matrix->shape.rank == 2 ? g_.entry(matrix, 0, 0) : matrix; }
  Expr entryOf(Expr matrix, int a, int b) { return matrix->shape.rank == 2 ? g_.entry(matrix, a, b) : matrix; }

  /// A matrix over all members of the group's factors, which stand one after the other.
  void dense(const MassGroup& group) {
    std::int64_t n = 0;
    std::vector<std::pair<std::int64_t, std::int64_t>> places; // of each factor: in the group, among all columns
    std::vector<std::int64_t> sizes;
    for (const std::size_t j : group.factors) {
      places.emplace_back(n, c_.firstColumn[j]);
      sizes.push_back(std::max<std::int64_t>(m_.factors[j].extent, 1) * dimension(j));
      n += sizes.back();
    }
    const sym::Array* b = g_.newArray("b", {c_.rows, n}, sym::Shape::scalar(), sym::Role::Temp);
    const sym::Array* x = g_.newArray("M^-1 b", {c_.rows, n}, sym::Shape::scalar(), sym::Role::Temp);
    const auto copy = [&](const sym::Array* to, const sym::Array* from, bool intoGroup) {
      for (std::size_t k = 0; k < places.size(); ++k) {
        each(c_.rows, "r", [&](Expr r, const std::vector<sym::Loop>& rows) {
          each(sizes[k], "a", [&](Expr a, const std::vector<sym::Loop>& columns) {
            std::vector<sym::Loop> loops = rows;
            loops.insert(loops.end(), columns.begin(), columns.end());
            const Expr inGroup = g_.add(g_.integer(places[k].first), a);
            const Expr among = g_.add(g_.integer(places[k].second), a);
            set(to, loops, {r, intoGroup ? inGroup : among}, g_.load(from, {r, intoGroup ? among : inGroup}));
          });
        });
      }
    };
    copy(b, c_.jacobian, true);
    const sym::Array* mass = g_.newArray("M", {n, n}, sym::Shape::scalar(), sym::Role::Temp);
    copyMatrix(group.dense, mass, n); // its factors take the place of a large one
    solveAll(n, mass, b, x);
    copy(w_, x, false);
    if (held_) return;
    for (std::size_t k = 0; k < places.size(); ++k) {
      for (std::size_t l = 0; l < places.size(); ++l) {
        const sym::Loop i = sym::fullLoop(g_, "i", sizes[k]);
        const sym::Loop j = sym::fullLoop(g_, "j", sizes[l]);
        const auto at = [&](std::int64_t first, Expr e) { return g_.add(g_.integer(first), e); };
        set(c_.mass, {i, j}, {at(places[k].second, i.index), at(places[l].second, j.index)},
            g_.load(group.dense, {at(places[k].first, i.index), at(places[l].first, j.index)}),
            sym::EquationKind::Accumulate);
      }
    }
  }

  /// Rows of x with M x = b.
  void solveAll(std::int64_t n, const sym::Array* mass, const sym::Array* b, const sym::Array* x) {
    if (n > (held_ ? mostWrittenOutHeld : straightLineLimit)) {
      sym::Equation e;
      e.kind = sym::EquationKind::LinearSolve;
      e.array = x;
      e.matrix = mass;
      e.rhs = b;
      p_.append(std::move(e));
      return;
    }
    const int size = static_cast<int>(n);
    std::vector<Expr> m;
    for (int i = 1; i <= size; ++i) {
      for (int j = 1; j <= size; ++j) m.push_back(g_.load(mass, {g_.integer(i), g_.integer(j)}));
    }
    const Expr matrix = g_.matrix(size, size, m);
    each(c_.rows, "r", [&](Expr r, const std::vector<sym::Loop>& rows) {
      std::vector<Expr> rhs;
      for (int a = 1; a <= size; ++a) rhs.push_back(g_.load(b, {r, g_.integer(a)}));
      const Expr solution = g_.solve(matrix, g_.vector(rhs), true);
      for (int a = 0; a < size; ++a) set(x, rows, {r, g_.integer(a + 1)}, g_.entry(solution, a));
    });
  }

  const System& s_;
  const sema::Model& m_;
  ConstraintEquations& c_;
  const sym::Array* w_ = nullptr;
  bool held_ = false;
};

} // namespace

const sym::Array* response(const System& system, Layer& layer, ConstraintEquations& equations) {
  return Responding(system, layer, equations).run();
}

} // namespace lmc::mechanics
