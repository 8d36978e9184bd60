#include "sema/groups/LinearFamily.h"

#include <Eigen/Core>

#include <array>
#include <cmath>
#include <random>

namespace lmc {

using sym::Expr;
using sym::Number;

namespace {

/// Relative size below which a number that was computed from rounded constants counts as zero.
constexpr double roundOff = 1e-12;

bool vanishes(const Number& x, double scale) {
  return x.isZero() || (!x.exact() && std::abs(x.value()) <= roundOff * scale);
}

Number inner(const ConstantMatrix& a, const ConstantMatrix& b) {
  Number sum;
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (!a[k].isZero() && !b[k].isZero()) sum = sum + a[k] * b[k];
  }
  return sum;
}

double size(const ConstantMatrix& a) {
  double largest = 0;
  for (const Number& x : a) largest = std::max(largest, std::abs(x.value()));
  return largest;
}

/// The inverse of a symmetric positive definite matrix; exact where the numbers are.
ConstantMatrix inverted(ConstantMatrix a, int n) {
  ConstantMatrix r(a.size());
  for (int i = 0; i < n; ++i) r[i * n + i] = Number(1);
  for (int k = 0; k < n; ++k) {
    const Number pivot = Number(1) / a[k * n + k];
    for (int j = 0; j < n; ++j) {
      a[k * n + j] = a[k * n + j] * pivot;
      r[k * n + j] = r[k * n + j] * pivot;
    }
    for (int i = 0; i < n; ++i) {
      if (i == k || a[i * n + k].isZero()) continue;
      const Number f = a[i * n + k];
      for (int j = 0; j < n; ++j) {
        a[i * n + j] = a[i * n + j] - f * a[k * n + j];
        r[i * n + j] = r[i * n + j] - f * r[k * n + j];
      }
    }
  }
  return r;
}

using Dense = Eigen::MatrixXd;

/// Members at a few random coordinates, to decide whether a polynomial identity holds: one that does not fails at a
/// random point, and by far more than round-off.
std::vector<std::pair<Eigen::VectorXd, Dense>> samples(const LinearFamily& f) {
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<std::pair<Eigen::VectorXd, Dense>> list;
  for (int k = 0; k < 4; ++k) {
    Eigen::VectorXd w(f.dimension());
    for (double& x : w) x = uniform(generator);
    Dense a = Dense::Zero(f.rows(), f.rows());
    for (int i = 0; i < f.dimension(); ++i) {
      for (int e = 0; e < f.rows() * f.rows(); ++e) {
        a(e / f.rows(), e % f.rows()) += w[i] * f.matrices()[static_cast<std::size_t>(i)][e].value();
      }
    }
    list.emplace_back(std::move(w), std::move(a));
  }
  return list;
}

/// Matrices larger than this have no equation looked for.
constexpr int largestAnnihilated = 40;
/// Highest multiplicity of a pair of eigenvalues: that of ad on the cotangent bundle of a group whose ad has it twice.
constexpr int mostPairs = 4;

} // namespace

Expr LinearFamily::at(sym::Graph& g, const std::vector<Expr>& w) const {
  std::vector<Expr> list;
  for (int e = 0; e < rows_ * rows_; ++e) {
    std::vector<Expr> terms;
    for (int k = 0; k < dimension(); ++k) {
      const Number& c = matrices_[static_cast<std::size_t>(k)][static_cast<std::size_t>(e)];
      if (!c.isZero()) terms.push_back(g.scale(c, w[static_cast<std::size_t>(k)]));
    }
    list.push_back(g.sum(terms, sym::Shape::scalar()));
  }
  // A skew matrix of three rows stays a cross product.
  if (rows_ == 3 && skew()) return g.hat(g.vector({list[7], list[2], list[3]}));
  return g.matrix(rows_, rows_, list);
}

std::vector<Expr> LinearFamily::coordinates(sym::Graph& g, Expr matrix) const {
  const int n = dimension();
  std::vector<Expr> rhs;
  const bool axial = rows_ == 3 && skew();
  const Expr axis = axial ? g.unhat(matrix) : Expr();
  for (const ConstantMatrix& m : matrices_) {
    std::vector<Expr> terms;
    for (int k = 0; axial && k < 3; ++k) { // <hat(l), M> is the product of l with the axial vector of M
      const sym::Number& l = m[static_cast<std::size_t>(std::array{7, 2, 3}[static_cast<std::size_t>(k)])];
      if (!l.isZero()) terms.push_back(g.scale(l, g.entry(axis, k)));
    }
    if (axial) {
      rhs.push_back(g.sum(terms, sym::Shape::scalar()));
      continue;
    }
    for (int e = 0; e < rows_ * rows_; ++e) {
      if (!m[static_cast<std::size_t>(e)].isZero())
        terms.push_back(g.scale(m[static_cast<std::size_t>(e)], g.entry(matrix, e / rows_, e % rows_)));
    }
    rhs.push_back(g.sum(terms, sym::Shape::scalar()));
  }
  const ConstantMatrix& inverse = gramInverse();
  std::vector<Expr> r;
  for (int i = 0; i < n; ++i) {
    std::vector<Expr> terms;
    for (int j = 0; j < n; ++j) {
      const Number& c = inverse[static_cast<std::size_t>(i * n + j)];
      if (!c.isZero()) terms.push_back(g.scale(c, rhs[static_cast<std::size_t>(j)]));
    }
    r.push_back(g.sum(terms, sym::Shape::scalar()));
  }
  return r;
}

const ConstantMatrix& LinearFamily::gramInverse() const {
  if (!gramInverse_.empty()) return gramInverse_;
  ConstantMatrix gram;
  for (const ConstantMatrix& a : matrices_) {
    for (const ConstantMatrix& b : matrices_) gram.push_back(inner(a, b));
  }
  gramInverse_ = inverted(std::move(gram), dimension());
  return gramInverse_;
}

std::pair<ConstantMatrix, bool> LinearFamily::solve(const ConstantMatrix& m) const {
  const int n = dimension();
  const ConstantMatrix& inverse = gramInverse();
  ConstantMatrix rhs;
  for (const ConstantMatrix& e : matrices_) rhs.push_back(inner(e, m));
  ConstantMatrix c(static_cast<std::size_t>(n));
  ConstantMatrix rest = m;
  for (int i = 0; i < n; ++i) {
    Number& x = c[static_cast<std::size_t>(i)];
    for (int j = 0; j < n; ++j) x = x + inverse[static_cast<std::size_t>(i * n + j)] * rhs[static_cast<std::size_t>(j)];
    if (vanishes(x, 1)) x = Number(0);
    if (x.isZero()) continue;
    const ConstantMatrix& e = matrices_[static_cast<std::size_t>(i)];
    for (std::size_t k = 0; k < rest.size(); ++k) {
      if (!e[k].isZero()) rest[k] = rest[k] - x * e[k];
    }
  }
  bool inSpan = true;
  for (const Number& x : rest) inSpan = inSpan && vanishes(x, std::max(size(m), 1.0));
  return {c, inSpan};
}

std::optional<int> LinearFamily::dependent() const {
  // Gram-Schmidt without normalization, exact where the numbers are.
  std::vector<ConstantMatrix> orthogonal;
  for (int k = 0; k < dimension(); ++k) {
    ConstantMatrix m = matrices_[static_cast<std::size_t>(k)];
    const double scale = size(m);
    for (const ConstantMatrix& o : orthogonal) {
      const Number c = inner(o, m) / inner(o, o);
      for (std::size_t e = 0; e < m.size(); ++e) m[e] = m[e] - c * o[e];
    }
    bool zero = true;
    for (const Number& x : m) zero = zero && vanishes(x, scale);
    if (zero) return k;
    orthogonal.push_back(std::move(m));
  }
  return std::nullopt;
}

bool LinearFamily::skew() const {
  for (const ConstantMatrix& m : matrices_) {
    for (int i = 0; i < rows_; ++i) {
      for (int j = 0; j <= i; ++j) {
        if (!vanishes(m[static_cast<std::size_t>(i * rows_ + j)] + m[static_cast<std::size_t>(j * rows_ + i)], size(m)))
          return false;
      }
    }
  }
  return true;
}

bool LinearFamily::traceFree() const {
  for (const ConstantMatrix& m : matrices_) {
    Number trace;
    for (int i = 0; i < rows_; ++i) trace = trace + m[static_cast<std::size_t>(i * rows_ + i)];
    if (!vanishes(trace, size(m))) return false;
  }
  return true;
}

ConstantMatrix LinearFamily::commutator(int i, int j) const {
  const ConstantMatrix& a = matrices_[static_cast<std::size_t>(i)];
  const ConstantMatrix& b = matrices_[static_cast<std::size_t>(j)];
  const int n = rows_;
  ConstantMatrix r(a.size());
  for (int row = 0; row < n; ++row) {
    for (int k = 0; k < n; ++k) {
      const Number& x = a[static_cast<std::size_t>(row * n + k)];
      const Number& y = b[static_cast<std::size_t>(row * n + k)];
      for (int col = 0; col < n && !(x.isZero() && y.isZero()); ++col) {
        Number& entry = r[static_cast<std::size_t>(row * n + col)];
        const Number& p = b[static_cast<std::size_t>(k * n + col)];
        const Number& q = a[static_cast<std::size_t>(k * n + col)];
        if (!x.isZero() && !p.isZero()) entry = entry + x * p;
        if (!y.isZero() && !q.isZero()) entry = entry - y * q;
      }
    }
  }
  return r;
}

std::optional<std::pair<int, int>> LinearFamily::unclosed() const {
  for (int j = 1; j < dimension(); ++j) {
    for (int i = 0; i < j; ++i) {
      if (!solve(commutator(i, j)).second) return std::pair{i, j};
    }
  }
  return std::nullopt;
}

LinearFamily LinearFamily::adjoint() const {
  const int n = dimension();
  std::vector<ConstantMatrix> ad(static_cast<std::size_t>(n), ConstantMatrix(static_cast<std::size_t>(n * n)));
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) {
      const ConstantMatrix c = solve(commutator(i, j)).first; // column j of ad of E_i
      for (int k = 0; k < n; ++k) {
        ad[static_cast<std::size_t>(i)][static_cast<std::size_t>(k * n + j)] = c[static_cast<std::size_t>(k)];
        ad[static_cast<std::size_t>(j)][static_cast<std::size_t>(k * n + i)] = -c[static_cast<std::size_t>(k)];
      }
    }
  }
  return {n, std::move(ad)};
}

std::optional<Annihilator> LinearFamily::annihilator() const {
  if (rows_ > largestAnnihilated) return std::nullopt;
  const auto points = samples(*this);
  // A pair of eigenvalues with square -s, `copies` times, has tr A^2 = -2 copies s.
  const auto form = [&](int copies) {
    const int n = dimension();
    ConstantMatrix f(static_cast<std::size_t>(n * n));
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        Number trace;
        for (int r = 0; r < rows_; ++r) {
          for (int c = 0; c < rows_; ++c) {
            trace = trace + matrices_[static_cast<std::size_t>(i)][static_cast<std::size_t>(r * rows_ + c)] *
                                matrices_[static_cast<std::size_t>(j)][static_cast<std::size_t>(c * rows_ + r)];
          }
        }
        f[static_cast<std::size_t>(i * n + j)] = trace * Number::ratio(-1, 2 * copies);
      }
    }
    return f;
  };
  const auto holds = [&](int zeros, int pairs, int copies) {
    for (const auto& [w, a] : points) {
      Dense r = Dense::Identity(rows_, rows_);
      const double s = pairs == 0 ? 0 : -(a * a).trace() / (2 * copies);
      const double scale = std::pow(std::max(a.norm(), 1e-300), zeros + 2 * pairs);
      for (int k = 0; k < zeros; ++k) r = (a * r).eval();
      for (int k = 0; k < pairs; ++k) r = (a * (a * r) + s * r).eval();
      if (!(r.norm() <= roundOff * scale)) return false;
    }
    return true;
  };
  for (int degree = 1; degree <= rows_; ++degree) {
    if (holds(degree, 0, 1)) return Annihilator{degree, 0, {}};
    for (int pairs = 1; pairs <= mostPairs && 2 * pairs <= degree; ++pairs) {
      for (int copies = pairs; 2 * copies <= rows_; ++copies) {
        if (holds(degree - 2 * pairs, pairs, copies)) return Annihilator{degree - 2 * pairs, pairs, form(copies)};
      }
    }
  }
  return std::nullopt;
}

} // namespace lmc
