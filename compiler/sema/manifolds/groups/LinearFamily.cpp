#include "sema/manifolds/groups/LinearFamily.h"

#include "base/Budget.h"

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <random>

namespace lmc::sema {

using sym::Expr;
using sym::Number;

namespace {

/// Relative size below which a number that was computed from rounded constants counts as zero.
constexpr double roundOff = 1e-12;

bool vanishes(const Number& x, double scale) {
  return x.isZero() || (!x.exact() && std::abs(x.value()) <= roundOff * scale);
}

Number inner(const SparseMatrix& a, const SparseMatrix& b) {
  Number sum;
  auto y = b.begin();
  for (const SparseEntry& x : a) {
    while (y != b.end() && y->place < x.place) ++y;
    if (y != b.end() && y->place == x.place) sum = sum + x.value * y->value;
  }
  return sum;
}

double size(const SparseMatrix& a) {
  double largest = 0;
  for (const SparseEntry& x : a) largest = std::max(largest, std::abs(x.value.value()));
  return largest;
}

/// The entry at a place; zero where there is none.
Number at(const SparseMatrix& a, int place) {
  const auto it =
      std::lower_bound(a.begin(), a.end(), place, [](const SparseEntry& e, int wanted) { return e.place < wanted; });
  return it != a.end() && it->place == place ? it->value : Number(0);
}

SparseMatrix sparse(const std::map<int, Number>& entries) {
  SparseMatrix r;
  for (const auto& [place, value] : entries) {
    if (!value.isZero()) r.push_back({place, value});
  }
  return r;
}

SparseMatrix sparse(const ConstantMatrix& m) {
  SparseMatrix r;
  for (std::size_t e = 0; e < m.size(); ++e) {
    if (!m[e].isZero()) r.push_back({static_cast<int>(e), m[e]});
  }
  return r;
}

/// a += c b
void addTo(std::map<int, Number>& a, const Number& c, const SparseMatrix& b) {
  for (const SparseEntry& x : b) {
    Number& entry = a[x.place];
    entry = entry + c * x.value;
  }
}

/// The inverse of a symmetric positive definite matrix; exact where the numbers are.
ConstantMatrix inverted(ConstantMatrix a, int n) {
  ConstantMatrix r(a.size());
  for (int i = 0; i < n; ++i) r[i * n + i] = Number(1);
  for (int k = 0; k < n; ++k) {
    spendWork(n);
    const Number pivot = Number(1) / a[k * n + k];
    for (int j = 0; j < n; ++j) {
      a[k * n + j] = a[k * n + j] * pivot;
      r[k * n + j] = r[k * n + j] * pivot;
    }
    for (int i = 0; i < n; ++i) {
      if (i == k || a[i * n + k].isZero()) continue;
      spendWork(n);
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
      for (const SparseEntry& e : f.matrices()[static_cast<std::size_t>(i)])
        a(e.place / f.rows(), e.place % f.rows()) += w[i] * e.value.value();
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

LinearFamily::LinearFamily(int rows, const std::vector<ConstantMatrix>& matrices)
    : LinearFamily(rows, [&] {
        std::vector<SparseMatrix> list;
        list.reserve(matrices.size());
        for (const ConstantMatrix& m : matrices) list.push_back(sparse(m));
        return list;
      }()) {}

LinearFamily::LinearFamily(int rows, std::vector<SparseMatrix> matrices)
    : rows_(rows), matrices_(std::move(matrices)), touching_(static_cast<std::size_t>(rows) * rows) {
  for (int k = 0; k < dimension(); ++k) {
    for (const SparseEntry& e : matrices_[static_cast<std::size_t>(k)])
      touching_[static_cast<std::size_t>(e.place)].push_back({k, e.value});
  }
}

ConstantMatrix LinearFamily::full(int k) const {
  ConstantMatrix m(static_cast<std::size_t>(rows_ * rows_));
  for (const SparseEntry& e : matrices_[static_cast<std::size_t>(k)]) m[static_cast<std::size_t>(e.place)] = e.value;
  return m;
}

Expr LinearFamily::at(sym::Graph& g, const std::vector<Expr>& w) const {
  std::vector<Expr> list;
  for (const SparseMatrix& entry : touching_) {
    std::vector<Expr> terms;
    for (const SparseEntry& e : entry) terms.push_back(g.scale(e.value, w[static_cast<std::size_t>(e.place)]));
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
  for (const SparseMatrix& m : matrices_) {
    std::vector<Expr> terms;
    for (int k = 0; axial && k < 3; ++k) { // <hat(l), M> is the product of l with the axial vector of M
      const Number l = lmc::sema::at(m, std::array{7, 2, 3}[static_cast<std::size_t>(k)]);
      if (!l.isZero()) terms.push_back(g.scale(l, g.entry(axis, k)));
    }
    for (const SparseEntry& e : m) {
      if (!axial) terms.push_back(g.scale(e.value, g.entry(matrix, e.place / rows_, e.place % rows_)));
    }
    rhs.push_back(g.sum(terms, sym::Shape::scalar()));
  }
  std::vector<Expr> r;
  for (int i = 0; i < n; ++i) {
    std::vector<Expr> terms;
    for (const SparseEntry& c : gramInverse()[static_cast<std::size_t>(i)])
      terms.push_back(g.scale(c.value, rhs[static_cast<std::size_t>(c.place)]));
    r.push_back(g.sum(terms, sym::Shape::scalar()));
  }
  return r;
}

const std::vector<SparseMatrix>& LinearFamily::gramInverse() const {
  if (!gramInverse_.empty() || matrices_.empty()) return gramInverse_;
  const int n = dimension();
  ConstantMatrix gram;
  for (const SparseMatrix& a : matrices_) {
    spendWork(n);
    for (const SparseMatrix& b : matrices_) gram.push_back(inner(a, b));
  }
  const ConstantMatrix inverse = inverted(std::move(gram), n);
  for (int i = 0; i < n; ++i)
    gramInverse_.push_back(sparse(ConstantMatrix(inverse.begin() + static_cast<std::ptrdiff_t>(i) * n,
                                                 inverse.begin() + static_cast<std::ptrdiff_t>(i + 1) * n)));
  return gramInverse_;
}

std::pair<SparseMatrix, bool> LinearFamily::solve(const SparseMatrix& m) const {
  std::map<int, Number> rhs;
  for (const SparseEntry& x : m) addTo(rhs, x.value, touching_[static_cast<std::size_t>(x.place)]);
  // The inverse is symmetric: its rows are its columns.
  std::map<int, Number> coordinates;
  for (const auto& [j, value] : rhs) {
    if (!value.isZero()) addTo(coordinates, value, gramInverse()[static_cast<std::size_t>(j)]);
  }
  spendWork(static_cast<std::int64_t>(rhs.size() + coordinates.size()));
  std::map<int, Number> rest;
  addTo(rest, Number(1), m);
  SparseMatrix c;
  for (const auto& [i, value] : coordinates) {
    if (vanishes(value, 1)) continue;
    c.push_back({i, value});
    addTo(rest, -value, matrices_[static_cast<std::size_t>(i)]);
  }
  bool inSpan = true;
  for (const auto& [place, x] : rest) inSpan = inSpan && vanishes(x, std::max(size(m), 1.0));
  return {std::move(c), inSpan};
}

std::optional<int> LinearFamily::dependent() const {
  // Gram-Schmidt without normalization, exact where the numbers are.
  std::vector<std::pair<SparseMatrix, Number>> orthogonal; // with the squares of their lengths
  for (int k = 0; k < dimension(); ++k) {
    spendWork(k);
    SparseMatrix m = matrices_[static_cast<std::size_t>(k)];
    const double scale = size(m);
    for (const auto& [o, square] : orthogonal) {
      const Number c = inner(o, m) / square;
      if (c.isZero()) continue;
      std::map<int, Number> rest;
      addTo(rest, Number(1), m);
      addTo(rest, -c, o);
      m = sparse(rest);
    }
    if (std::all_of(m.begin(), m.end(), [&](const SparseEntry& x) { return vanishes(x.value, scale); })) return k;
    const Number square = inner(m, m);
    orthogonal.emplace_back(std::move(m), square);
  }
  return std::nullopt;
}

bool LinearFamily::skew() const {
  return std::all_of(matrices_.begin(), matrices_.end(), [&](const SparseMatrix& m) {
    const double scale = size(m);
    return std::all_of(m.begin(), m.end(), [&](const SparseEntry& e) {
      return vanishes(e.value + lmc::sema::at(m, e.place % rows_ * rows_ + e.place / rows_), scale);
    });
  });
}

bool LinearFamily::traceFree() const {
  return std::all_of(matrices_.begin(), matrices_.end(), [&](const SparseMatrix& m) {
    Number trace;
    for (const SparseEntry& e : m) {
      if (e.place % (rows_ + 1) == 0) trace = trace + e.value;
    }
    return vanishes(trace, size(m));
  });
}

SparseMatrix LinearFamily::commutator(int i, int j) const {
  const SparseMatrix& a = matrices_[static_cast<std::size_t>(i)];
  const SparseMatrix& b = matrices_[static_cast<std::size_t>(j)];
  std::map<int, Number> r;
  // adds c times row k of m to the row
  const auto addRow = [&](int row, const Number& c, const SparseMatrix& m, int k) {
    const auto first = std::lower_bound(m.begin(), m.end(), k * rows_,
                                        [](const SparseEntry& e, int wanted) { return e.place < wanted; });
    for (auto it = first; it != m.end() && it->place < (k + 1) * rows_; ++it) {
      Number& entry = r[row * rows_ + it->place - k * rows_];
      entry = entry + c * it->value;
    }
  };
  auto x = a.begin();
  auto y = b.begin();
  while (x != a.end() || y != b.end()) {
    const int place = std::min(x != a.end() ? x->place : rows_ * rows_, y != b.end() ? y->place : rows_ * rows_);
    if (x != a.end() && x->place == place) addRow(place / rows_, x++->value, b, place % rows_);
    if (y != b.end() && y->place == place) addRow(place / rows_, -y++->value, a, place % rows_);
  }
  return sparse(r);
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
  std::vector<SparseMatrix> ad(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) {
      for (const SparseEntry& c : solve(commutator(i, j)).first) { // column j of ad of E_i
        ad[static_cast<std::size_t>(i)].push_back({c.place * n + j, c.value});
        ad[static_cast<std::size_t>(j)].push_back({c.place * n + i, -c.value});
      }
    }
  }
  for (SparseMatrix& m : ad)
    std::sort(m.begin(), m.end(), [](const SparseEntry& x, const SparseEntry& y) { return x.place < y.place; });
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
        for (const SparseEntry& e : matrices_[static_cast<std::size_t>(i)]) {
          const int transposed = e.place % rows_ * rows_ + e.place / rows_;
          trace = trace + e.value * lmc::sema::at(matrices_[static_cast<std::size_t>(j)], transposed);
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

} // namespace lmc::sema
