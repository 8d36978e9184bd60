#include "sema/manifolds/groups/ClosedEquations.h"

#include "linear/MatrixFunctions.h"

#include <cmath>
#include <random>

namespace lmc::sema {

using sym::Number;

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Terms = std::vector<ClosedEquations::Term>;

/// Below this part of their size numbers are round-off.
constexpr double visible = 1e-9;
/// More monomials than this are not looked at: the work grows with the third power.
constexpr Eigen::Index mostMonomials = 260;
/// Of larger matrices only the entries are looked at that no product of the E_k reaches.
constexpr int mostRows = 12;

Matrix numbers(const ConstantMatrix& m, int n) {
  Matrix a(n, n);
  for (int e = 0; e < n * n; ++e) a(e / n, e % n) = m[static_cast<std::size_t>(e)].value();
  return a;
}

/// The entries by rows.
Vector byRows(const Matrix& a) {
  return a.transpose().reshaped();
}

/// The nearest fraction with a small denominator, if it is near.
Number rational(double x) {
  for (int d = 1; d <= 60; ++d) {
    const double n = std::round(x * d);
    if (std::abs(x * d - n) < visible * d && std::abs(n) < 1e9) return Number::ratio(static_cast<std::int64_t>(n), d);
  }
  return Number::real(x);
}

/// Orthonormal vectors that span what was added.
class Span {
public:
  bool add(Vector v) {
    const double size = v.norm();
    if (!(size > 0)) return false;
    v /= size;
    for (int pass = 0; pass < 2; ++pass)
      for (const Vector& b : basis_) v -= b.dot(v) * b;
    if (v.norm() <= visible) return false;
    basis_.push_back(v.normalized());
    return true;
  }
  [[nodiscard]] const std::vector<Vector>& basis() const { return basis_; }

private:
  std::vector<Vector> basis_;
};

/// The reduced row echelon form of a matrix: rows of full rank with unit columns at the pivots.
struct Echelon {
  Matrix rows;
  std::vector<Eigen::Index> pivots;
  explicit Echelon(Matrix a) {
    const double size = a.size() > 0 ? a.cwiseAbs().maxCoeff() : 0;
    Eigen::Index done = 0;
    for (Eigen::Index k = 0; k < a.cols() && done < a.rows(); ++k) {
      Eigen::Index pivot = 0;
      if (a.col(k).tail(a.rows() - done).cwiseAbs().maxCoeff(&pivot) <= visible * size) continue;
      a.row(done).swap(a.row(done + pivot));
      a.row(done) /= a(done, k);
      for (Eigen::Index i = 0; i < a.rows(); ++i)
        if (i != done) a.row(i) -= (a(i, k) * a.row(done)).eval();
      pivots.push_back(k);
      ++done;
    }
    rows = a.topRows(done);
  }
  [[nodiscard]] bool isPivot(Eigen::Index k) const {
    return std::find(pivots.begin(), pivots.end(), k) != pivots.end();
  }
};

Matrix stacked(const std::vector<Vector>& rows) {
  Matrix m(static_cast<Eigen::Index>(rows.size()), rows.empty() ? 0 : rows.front().size());
  for (std::size_t k = 0; k < rows.size(); ++k) m.row(static_cast<Eigen::Index>(k)) = rows[k].transpose();
  return m;
}

class Search {
public:
  explicit Search(const LinearFamily& family) : f_(family), n_(family.rows()) {
    for (int k = 0; k < family.dimension(); ++k) e_.push_back(numbers(family.full(k), n_));
    drawElements();
  }

  ClosedEquations run() {
    ClosedEquations c;
    c.orthogonal = f_.skew();
    c.unimodular = f_.traceFree();
    if (c.orthogonal) addOrthogonality();
    if (c.unimodular) addIfIndependent({byRows(Matrix::Identity(n_, n_))});
    if (missing() > 0 && n_ > mostRows) addUnreached(c);
    if (missing() > 0 && n_ <= mostRows) addAffine(c);
    if (missing() > 0 && n_ <= mostRows) addForms(c);
    if (missing() > 0) addQuadratic(c);
    c.missing = missing();
    return c;
  }

private:
  [[nodiscard]] int missing() const { return n_ * n_ - static_cast<int>(gradients_.basis().size()) - f_.dimension(); }

  /// Adds the gradients of equations at the identity; true if one of them is independent of those before.
  bool addIfIndependent(const std::vector<Vector>& gradients) {
    bool more = false;
    for (const Vector& g : gradients)
      if (g.norm() > visible) more = gradients_.add(g) || more;
    return more;
  }

  void addOrthogonality() {
    for (int i = 0; i < n_; ++i) {
      for (int j = i; j < n_; ++j) {
        Vector g = Vector::Zero(n_ * n_);
        g(i * n_ + j) += 1;
        g(j * n_ + i) += 1;
        gradients_.add(g);
      }
    }
  }

  /// Elements to test equations with.
  void drawElements() {
    std::mt19937_64 generator(3);
    std::normal_distribution<double> normal(0, 0.4);
    for (int k = 0; k < 4; ++k) {
      Matrix g = Matrix::Identity(n_, n_);
      for (int factor = 0; factor < 3; ++factor) {
        Matrix a = Matrix::Zero(n_, n_);
        for (const Matrix& e : e_) a += normal(generator) / std::max(e.norm(), 1e-300) * e;
        g = g * linear::exponential(a);
      }
      elements_.push_back(g);
    }
  }

  [[nodiscard]] double entry(const Matrix& a, int k) const { return k < 0 ? 1 : a(k / n_, k % n_); }

  /// Keeps a polynomial that is zero on elements of the group, and says something new.
  void add(ClosedEquations& c, const Terms& terms, bool always) {
    for (const Matrix& a : elements_) {
      double sum = 0, size = 0;
      for (const auto& t : terms) {
        const double x = t.coefficient.value() * entry(a, t.first) * entry(a, t.second);
        sum += x;
        size += std::abs(x);
      }
      if (!(std::abs(sum) <= 100 * visible * size)) return;
    }
    const Matrix one = Matrix::Identity(n_, n_);
    Vector g = Vector::Zero(n_ * n_);
    for (const auto& t : terms) {
      if (t.first >= 0) g(t.first) += t.coefficient.value() * entry(one, t.second);
      if (t.second >= 0) g(t.second) += t.coefficient.value() * entry(one, t.first);
    }
    if (addIfIndependent({g}) || always) c.polynomials.push_back(terms);
  }

  /// Entries that no product of members of the family can have are those of the unit matrix.
  void addUnreached(ClosedEquations& c) {
    std::vector<bool> reached(static_cast<std::size_t>(n_ * n_));
    const auto at = [&](int i, int j) { return static_cast<std::size_t>(i * n_ + j); };
    for (const Matrix& e : e_)
      for (int k = 0; k < n_ * n_; ++k)
        reached[static_cast<std::size_t>(k)] = reached[static_cast<std::size_t>(k)] || entry(e, k) != 0;
    for (int k = 0; k < n_; ++k)
      for (int i = 0; i < n_; ++i)
        for (int j = 0; j < n_; ++j)
          if (reached[at(i, k)] && reached[at(k, j)]) reached[at(i, j)] = true;
    for (int k = 0; k < n_ * n_; ++k) {
      if (reached[static_cast<std::size_t>(k)]) continue;
      const bool diagonal = k % (n_ + 1) == 0;
      Terms terms = {{Number(1), k, -1}};
      if (diagonal) terms.push_back({Number(-1), -1, -1});
      add(c, terms, false);
    }
  }

  void addAffine(ClosedEquations& c) {
    const auto element = [&](double one, const Matrix& a) {
      Vector v(1 + n_ * n_);
      v << one, byRows(a);
      return v;
    };
    const auto matrix = [&](const Vector& v) -> Matrix { return v.tail(n_ * n_).reshaped(n_, n_).transpose(); };
    Span span;
    span.add(element(1, Matrix::Identity(n_, n_)));
    for (std::size_t k = 0; k < span.basis().size(); ++k) {
      const Matrix a = matrix(span.basis()[k]);
      for (const Matrix& e : e_) span.add(element(0, a * e));
    }
    const Echelon echelon(stacked(span.basis()));
    for (Eigen::Index k = 1; k <= n_ * n_; ++k) {
      if (echelon.isPivot(k)) continue;
      Terms terms = {{Number(1), static_cast<int>(k) - 1, -1}};
      for (std::size_t p = 0; p < echelon.pivots.size(); ++p) {
        const double x = echelon.rows(static_cast<Eigen::Index>(p), k);
        if (std::abs(x) > visible) terms.push_back({rational(-x), static_cast<int>(echelon.pivots[p]) - 1, -1});
      }
      add(c, terms, true);
    }
    // Coordinates on the space, and what the algebra does to them: for the equations of second degree.
    coordinates_ = echelon.pivots;
    const auto m = static_cast<Eigen::Index>(coordinates_.size());
    for (const Matrix& e : e_) {
      Matrix image(m, m);
      for (Eigen::Index p = 0; p < m; ++p) {
        const Vector v = element(0, matrix(echelon.rows.row(p).transpose()) * e);
        for (Eigen::Index q = 0; q < m; ++q) image(q, p) = v(coordinates_[static_cast<std::size_t>(q)]);
      }
      moves_.push_back(image);
    }
    const Vector identity = element(1, Matrix::Identity(n_, n_));
    start_.resize(m);
    for (Eigen::Index q = 0; q < m; ++q) start_(q) = identity(coordinates_[static_cast<std::size_t>(q)]);
  }

  /// B with a(E_k)^T B + B a(E_k) = 0, entries by rows.
  std::vector<Matrix> invariantForms(bool transposed) const {
    std::vector<Vector> rows;
    for (const Matrix& given : e_) {
      const Matrix e = transposed ? Matrix(given.transpose()) : given;
      for (int i = 0; i < n_; ++i) {
        for (int j = 0; j < n_; ++j) {
          Vector row = Vector::Zero(n_ * n_);
          for (int k = 0; k < n_; ++k) {
            row(k * n_ + j) += e(k, i);
            row(i * n_ + k) += e(k, j);
          }
          rows.push_back(row);
        }
      }
    }
    const Echelon echelon(stacked(rows));
    std::vector<Matrix> list;
    for (Eigen::Index k = 0; k < n_ * n_; ++k) {
      if (echelon.isPivot(k)) continue;
      Vector b = Vector::Unit(n_ * n_, k);
      for (std::size_t p = 0; p < echelon.pivots.size(); ++p)
        b(echelon.pivots[p]) = -echelon.rows(static_cast<Eigen::Index>(p), k);
      list.emplace_back(b.reshaped(n_, n_).transpose());
    }
    return list;
  }

  void addForms(ClosedEquations& c) {
    for (const bool transposed : {false, true}) {
      for (const Matrix& b : invariantForms(transposed)) {
        std::vector<Vector> gradients;
        for (int k = 0; k < n_ * n_; ++k) {
          Matrix x = Matrix::Zero(n_, n_);
          x(k / n_, k % n_) = 1;
          const Matrix change = transposed ? Matrix(x * b + b * x.transpose()) : Matrix(x.transpose() * b + b * x);
          if (k == 0) gradients.assign(static_cast<std::size_t>(n_ * n_), Vector::Zero(n_ * n_));
          for (int e = 0; e < n_ * n_; ++e) gradients[static_cast<std::size_t>(e)](k) = change(e / n_, e % n_);
        }
        if (!addIfIndependent(gradients)) continue;
        ConstantMatrix exact;
        for (const double x : byRows(b)) exact.push_back(rational(x));
        (transposed ? c.outside : c.inside).push_back(exact);
      }
    }
  }

  void addQuadratic(ClosedEquations& c) {
    const auto m = static_cast<Eigen::Index>(coordinates_.size());
    const Eigen::Index count = m * (m + 1) / 2;
    if (m == 0 || count > mostMonomials) return;
    std::vector<std::pair<Eigen::Index, Eigen::Index>> places;
    for (Eigen::Index i = 0; i < m; ++i)
      for (Eigen::Index j = i; j < m; ++j) places.emplace_back(i, j);
    const auto monomials = [&](const Matrix& q) {
      Vector v(count);
      for (Eigen::Index k = 0; k < count; ++k)
        v(k) = q(places[static_cast<std::size_t>(k)].first, places[static_cast<std::size_t>(k)].second);
      return v;
    };
    const auto square = [&](const Vector& v) {
      Matrix q(m, m);
      for (Eigen::Index k = 0; k < count; ++k) {
        const auto [i, j] = places[static_cast<std::size_t>(k)];
        q(i, j) = q(j, i) = v(k);
      }
      return q;
    };
    Span span;
    span.add(monomials(start_ * start_.transpose()));
    for (std::size_t k = 0; k < span.basis().size(); ++k) {
      const Matrix q = square(span.basis()[k]);
      for (const Matrix& move : moves_) span.add(monomials(move * q + q * move.transpose()));
    }
    const Echelon echelon(stacked(span.basis()));
    const auto entryOf = [&](Eigen::Index i) {
      return static_cast<int>(coordinates_[static_cast<std::size_t>(i)]) - 1;
    };
    const auto term = [&](Number x, Eigen::Index k) {
      const auto [i, j] = places[static_cast<std::size_t>(k)];
      return ClosedEquations::Term{std::move(x), entryOf(i), entryOf(j)};
    };
    for (Eigen::Index k = 0; k < count; ++k) {
      if (echelon.isPivot(k)) continue;
      Terms terms = {term(Number(1), k)};
      for (std::size_t p = 0; p < echelon.pivots.size(); ++p) {
        const double x = echelon.rows(static_cast<Eigen::Index>(p), k);
        if (std::abs(x) > visible) terms.push_back(term(rational(-x), echelon.pivots[p]));
      }
      add(c, terms, true);
    }
  }

  const LinearFamily& f_;
  int n_;
  std::vector<Matrix> e_, elements_;
  Span gradients_; ///< of the equations at the identity
  std::vector<Eigen::Index> coordinates_;
  std::vector<Matrix> moves_;
  Vector start_;
};

} // namespace

ClosedEquations closedEquations(const LinearFamily& family) {
  const int n = family.rows(), dimension = family.dimension();
  ClosedEquations all;
  all.orthogonal = family.skew();
  all.unimodular = family.traceFree();
  // Groups of all orthogonal, of all unimodular, of all matrices.
  if (dimension == (all.orthogonal ? n * (n - 1) / 2 : all.unimodular ? n * n - 1 : n * n)) return all;
  return Search(family).run();
}

} // namespace lmc::sema
