// A direct interpreter of array programs: numbers in, numbers out, one node at a time. For tests; nothing is fast.
#pragma once

#include "sym/Program.h"

#include <cmath>
#include <functional>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace lmc::test {

/// Entries by rows. Integers and truth values are numbers too.
using Numbers = std::vector<double>;

/// Evaluates expressions of a program for given contents of its input arrays.
class Evaluate {
public:
  explicit Evaluate(const sym::Program& program) : program_(program) {}

  /// The contents of an array: all members in row order, each by rows.
  void set(const sym::Array* array, Numbers contents) { arrays_[array] = std::move(contents); }
  /// The contents of an array that was set, or that equations define.
  const Numbers& array(const sym::Array* a) {
    const auto it = arrays_.find(a);
    if (it != arrays_.end()) return it->second;
    for (const std::size_t k : program_.slice({a})) run(k);
    return at(a);
  }
  /// An expression outside of loops.
  Numbers value(sym::Expr e) {
    for (const std::size_t k : program_.slice({}, {e})) run(k);
    Memo memo;
    return node(*e.node(), memo);
  }
  double scalar(sym::Expr e) { return value(e).at(0); }

private:
  using Memo = std::unordered_map<const sym::Node*, Numbers>;

  Numbers& at(const sym::Array* a) {
    const auto [it, fresh] = arrays_.try_emplace(a);
    if (!fresh) return it->second;
    if (program_.writers(a).empty() && a->role != sym::Role::Temp)
      throw std::logic_error("array " + a->name + " is not set");
    it->second.assign(static_cast<std::size_t>(a->size()), 0.0);
    return it->second;
  }

  static std::size_t offset(const sym::Array* a, const std::vector<std::int64_t>& index) {
    std::int64_t p = 0;
    for (std::size_t k = 0; k < a->extents.size(); ++k) {
      if (index[k] < 1 || index[k] > a->extents[k]) throw std::out_of_range("index of " + a->name);
      p = p * a->extents[k] + index[k] - 1;
    }
    return static_cast<std::size_t>(p * a->shape.size());
  }

  void run(std::size_t k) {
    if (!done_.insert(k).second) return;
    const sym::Equation& e = program_.equations()[k];
    if (e.kind == sym::EquationKind::LinearSolve) {
      solveAll(e);
      return;
    }
    at(e.array);
    loop(e, 0);
  }

  void loop(const sym::Equation& e, std::size_t depth) {
    if (depth == e.loops.size()) {
      body(e);
      return;
    }
    const sym::Loop& l = e.loops[depth];
    const std::int64_t lo = integer(l.lo);
    const std::int64_t hi = integer(l.hi);
    for (std::int64_t n = lo; n <= hi; ++n) {
      indices_[l.index.node()] = l.descending ? hi + lo - n : n;
      loop(e, depth + 1);
    }
  }

  void body(const sym::Equation& e) {
    Memo memo;
    if (e.guard && node(*e.guard.node(), memo)[0] == 0) return;
    std::vector<std::int64_t> index;
    for (const sym::Expr& i : e.index) index.push_back(std::llround(node(*i.node(), memo)[0]));
    const Numbers v = node(*e.value.node(), memo);
    Numbers& target = at(e.array);
    const std::size_t begin = offset(e.array, index);
    for (std::size_t k = 0; k < v.size(); ++k) {
      if (e.kind == sym::EquationKind::Accumulate)
        target[begin + k] += v[k];
      else
        target[begin + k] = v[k];
    }
  }

  void solveAll(const sym::Equation& e) {
    const int n = static_cast<int>(at(e.rhs).size());
    at(e.array) = gauss(at(e.matrix), n, at(e.rhs), 1);
  }

  std::int64_t integer(sym::Expr e) {
    Memo memo;
    return std::llround(node(*e.node(), memo)[0]);
  }

  /// A^-1 B by elimination with pivots; A is n x n, B is n x m.
  static Numbers gauss(Numbers a, int n, Numbers b, int m) {
    const auto entry = [](Numbers& x, int cols, int i, int j) -> double& {
      return x[static_cast<std::size_t>(i * cols + j)];
    };
    for (int c = 0; c < n; ++c) {
      int pivot = c;
      for (int r = c + 1; r < n; ++r) {
        if (std::abs(entry(a, n, r, c)) > std::abs(entry(a, n, pivot, c))) pivot = r;
      }
      for (int j = 0; j < n; ++j) std::swap(entry(a, n, c, j), entry(a, n, pivot, j));
      for (int j = 0; j < m; ++j) std::swap(entry(b, m, c, j), entry(b, m, pivot, j));
      for (int r = 0; r < n; ++r) {
        if (r == c) continue;
        const double f = entry(a, n, r, c) / entry(a, n, c, c);
        for (int j = 0; j < n; ++j) entry(a, n, r, j) -= f * entry(a, n, c, j);
        for (int j = 0; j < m; ++j) entry(b, m, r, j) -= f * entry(b, m, c, j);
      }
    }
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < m; ++j) entry(b, m, i, j) /= entry(a, n, i, i);
    }
    return b;
  }

  /// Taylor's series of a/2^k, squared k times.
  static Numbers exponential(Numbers a, int n) {
    double size = 0;
    for (const double x : a) size += std::abs(x);
    const int halvings = size > 0.1 ? static_cast<int>(std::ceil(std::log2(size / 0.1))) : 0;
    for (double& x : a) x = std::ldexp(x, -halvings);
    const auto product = [n](Numbers& x, Numbers& y) {
      Numbers r(x.size(), 0.0);
      for (int i = 0; i < n; ++i) {
        for (int k = 0; k < n; ++k) {
          for (int j = 0; j < n; ++j)
            r[static_cast<std::size_t>(i * n + j)] +=
                x[static_cast<std::size_t>(i * n + k)] * y[static_cast<std::size_t>(k * n + j)];
        }
      }
      return r;
    };
    Numbers term(a.size(), 0.0);
    for (int i = 0; i < n; ++i) term[static_cast<std::size_t>(i * n + i)] = 1;
    Numbers sum = term;
    for (int k = 1; k <= 12; ++k) {
      term = product(term, a);
      for (std::size_t e = 0; e < sum.size(); ++e) sum[e] += (term[e] /= k);
    }
    for (int k = 0; k < halvings; ++k) sum = product(sum, sum);
    return sum;
  }

  static double determinant(Numbers a, int n) {
    double d = 1;
    for (int c = 0; c < n; ++c) {
      int pivot = c;
      for (int r = c + 1; r < n; ++r) {
        if (std::abs(a[static_cast<std::size_t>(r * n + c)]) > std::abs(a[static_cast<std::size_t>(pivot * n + c)]))
          pivot = r;
      }
      if (pivot != c) d = -d;
      for (int j = 0; j < n; ++j)
        std::swap(a[static_cast<std::size_t>(c * n + j)], a[static_cast<std::size_t>(pivot * n + j)]);
      const double p = a[static_cast<std::size_t>(c * n + c)];
      d *= p;
      if (p == 0) return 0;
      for (int r = c + 1; r < n; ++r) {
        const double f = a[static_cast<std::size_t>(r * n + c)] / p;
        for (int j = 0; j < n; ++j)
          a[static_cast<std::size_t>(r * n + j)] -= f * a[static_cast<std::size_t>(c * n + j)];
      }
    }
    return d;
  }

  /// c_k(s) by its series, with halving of the angle where s is large.
  static double stumpff(int k, double s) {
    if (k == 0) return s >= 0 ? std::cos(std::sqrt(s)) : std::cosh(std::sqrt(-s));
    if (std::abs(s) < 4) {
      double term = 1;
      for (int i = 2; i <= k; ++i) term /= i;
      double sum = 0;
      for (int i = 0; i < 40; ++i) {
        sum += term;
        term *= -s / ((k + 2 * i + 1) * (k + 2 * i + 2));
      }
      return sum;
    }
    if (k == 1) return s > 0 ? std::sin(std::sqrt(s)) / std::sqrt(s) : std::sinh(std::sqrt(-s)) / std::sqrt(-s);
    double factorial = 1;
    for (int i = 2; i <= k - 2; ++i) factorial *= i;
    return (1 / factorial - stumpff(k - 2, s)) / s;
  }

  const Numbers& node(const sym::Node& n, Memo& memo) {
    const auto it = memo.find(&n);
    if (it != memo.end()) return it->second;
    return memo[&n] = compute(n, memo);
  }

  Numbers compute(const sym::Node& n, Memo& memo) {
    using sym::Op;
    const auto size = static_cast<std::size_t>(n.shape.size());
    if (n.op == sym::Op::Select) { // the branch that is not taken is not looked at
      const bool yes = node(*n.args[0], memo)[0] != 0;
      return node(*n.args[yes ? 1 : 2], memo);
    }
    std::vector<Numbers> a;
    for (const sym::Expr& e : n.args) a.push_back(node(*e, memo));
    switch (n.op) {
    case sym::Op::Const:
      return {n.number.value()};
    case sym::Op::Zero:
      return Numbers(size, 0.0);
    case sym::Op::Identity: {
      Numbers r(size, 0.0);
      for (int i = 0; i < n.shape.rows; ++i) r[static_cast<std::size_t>(i * n.shape.cols + i)] = 1;
      return r;
    }
    case sym::Op::Basis: {
      Numbers r(size, 0.0);
      r.at(static_cast<std::size_t>(a[0][0]) - 1) = 1;
      return r;
    }
    case sym::Op::Index:
      return {static_cast<double>(indices_.at(&n))};
    case sym::Op::Load:
      return load(n, a);
    case sym::Op::Add: {
      Numbers r = a[0];
      for (std::size_t k = 1; k < a.size(); ++k) {
        for (std::size_t i = 0; i < size; ++i) r[i] += a[k][i];
      }
      return r;
    }
    case sym::Op::Mul: {
      Numbers r = a[1];
      for (double& x : r) x *= a[0][0];
      return r;
    }
    default:
      break;
    }
    if (n.shape.rank == 0 && n.args.size() <= 2 && n.args[0]->shape.rank == 0) {
      return {scalarOp(n, a[0][0], a.size() > 1 ? a[1][0] : 0)};
    }
    return tensorOp(n, a);
  }

  Numbers load(const sym::Node& n, const std::vector<Numbers>& a) {
    std::vector<std::int64_t> index;
    for (const Numbers& i : a) index.push_back(std::llround(i[0]));
    const Numbers& contents = at(n.array);
    const std::size_t begin = offset(n.array, index);
    const auto first = contents.begin() + static_cast<std::ptrdiff_t>(begin);
    return {first, first + n.shape.size()};
  }

  static double scalarOp(const sym::Node& n, double x, double y) {
    using sym::Op;
    switch (n.op) {
    case sym::Op::Div:
      return x / y;
    case sym::Op::Pow:
      return std::pow(x, y);
    case sym::Op::Sqrt:
      return std::sqrt(x);
    case sym::Op::Exp:
      return std::exp(x);
    case sym::Op::Log:
      return std::log(x);
    case sym::Op::Sin:
      return std::sin(x);
    case sym::Op::Cos:
      return std::cos(x);
    case sym::Op::Tan:
      return std::tan(x);
    case sym::Op::Asin:
      return std::asin(x);
    case sym::Op::Acos:
      return std::acos(x);
    case sym::Op::Atan:
      return std::atan(x);
    case sym::Op::Atan2:
      return std::atan2(x, y);
    case sym::Op::Sinh:
      return std::sinh(x);
    case sym::Op::Cosh:
      return std::cosh(x);
    case sym::Op::Tanh:
      return std::tanh(x);
    case sym::Op::Abs:
      return std::abs(x);
    case sym::Op::Min:
      return std::min(x, y);
    case sym::Op::Max:
      return std::max(x, y);
    case sym::Op::Floor:
    case sym::Op::FloorToInt:
      return std::floor(x);
    case sym::Op::PowInt:
      return std::pow(x, static_cast<double>(n.imm));
    case sym::Op::Stumpff:
      return stumpff(static_cast<int>(n.imm), x);
    case sym::Op::IDiv:
      return std::floor(x / y);
    case sym::Op::IMod:
      return x - y * std::floor(x / y);
    case sym::Op::ToReal:
      return x;
    case sym::Op::Lt:
      return x < y ? 1 : 0;
    case sym::Op::Le:
      return x <= y ? 1 : 0;
    case sym::Op::Eq:
      return x == y ? 1 : 0;
    case sym::Op::Ne:
      return x != y ? 1 : 0;
    case sym::Op::And:
      return x != 0 && y != 0 ? 1 : 0;
    case sym::Op::Or:
      return x != 0 || y != 0 ? 1 : 0;
    case sym::Op::Not:
      return x == 0 ? 1 : 0;
    case sym::Op::Inner:
      return x * y;
    default:
      throw std::logic_error("scalar operation");
    }
  }

  static Numbers tensorOp(const sym::Node& n, const std::vector<Numbers>& a) {
    using sym::Op;
    const int rows = n.args[0]->shape.rows;
    const int cols = n.args[0]->shape.cols;
    const auto entry = [&](int i, int j) { return a[0][static_cast<std::size_t>(i * cols + j)]; };
    Numbers r;
    switch (n.op) {
    case sym::Op::MatMul:
      for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < n.shape.cols; ++j) {
          double s = 0;
          for (int k = 0; k < cols; ++k) s += entry(i, k) * a[1][static_cast<std::size_t>(k * n.shape.cols + j)];
          r.push_back(s);
        }
      }
      return r;
    case sym::Op::Transpose:
      for (int j = 0; j < cols; ++j) {
        for (int i = 0; i < rows; ++i) r.push_back(entry(i, j));
      }
      return r;
    case sym::Op::Inner: {
      double s = 0;
      for (std::size_t k = 0; k < a[0].size(); ++k) s += a[0][k] * a[1][k];
      return {s};
    }
    case sym::Op::Cross: {
      const Numbers& u = a[0];
      const Numbers& v = a[1];
      return {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    }
    case sym::Op::Hat:
      return {0, -a[0][2], a[0][1], a[0][2], 0, -a[0][0], -a[0][1], a[0][0], 0};
    case sym::Op::Unhat:
      return {entry(2, 1) - entry(1, 2), entry(0, 2) - entry(2, 0), entry(1, 0) - entry(0, 1)};
    case sym::Op::Outer:
      for (const double x : a[0]) {
        for (const double y : a[1]) r.push_back(x * y);
      }
      return r;
    case sym::Op::Trace: {
      double s = 0;
      for (int i = 0; i < rows; ++i) s += entry(i, i);
      return {s};
    }
    case sym::Op::Det:
      return {determinant(a[0], rows)};
    case sym::Op::Inverse: {
      Numbers unit(a[0].size(), 0.0);
      for (int i = 0; i < rows; ++i) unit[static_cast<std::size_t>(i * rows + i)] = 1;
      return gauss(a[0], rows, unit, rows);
    }
    case sym::Op::Exponential:
      return exponential(a[0], rows);
    case sym::Op::Solve:
      return gauss(a[0], rows, a[1], n.shape.cols);
    case sym::Op::Component: {
      const auto i = static_cast<int>(std::llround(a[1][0])) - 1;
      const int j = a.size() > 2 ? static_cast<int>(std::llround(a[2][0])) - 1 : 0;
      if (i < 0 || i >= rows || j < 0 || j >= cols) throw std::out_of_range("component");
      return {entry(i, j)};
    }
    case sym::Op::Vector:
    case sym::Op::Matrix:
      for (const Numbers& x : a) r.push_back(x[0]);
      return r;
    case sym::Op::Diag:
      for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < rows; ++j) r.push_back(i == j ? a[0][static_cast<std::size_t>(i)] : 0);
      }
      return r;
    case sym::Op::DiagOf:
      for (int i = 0; i < rows; ++i) r.push_back(entry(i, i));
      return r;
    default:
      throw std::logic_error("operation of tensors");
    }
  }

  const sym::Program& program_;
  std::unordered_map<const sym::Array*, Numbers> arrays_;
  std::unordered_map<const sym::Node*, std::int64_t> indices_;
  std::unordered_set<std::size_t> done_;
};

} // namespace lmc::test
