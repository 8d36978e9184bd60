#include "checks/model/PlainNodes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace lmc::checks {

using sym::Node;
using sym::Op;

namespace {

/// c_k(s) = sum over j of (-s)^j/(k + 2j)!. The series loses the digits by which its largest term exceeds the sum,
/// about exp(sqrt s): beyond 20 c_k is found upwards from cosine and sine, by c_(k+2) = (1/k! - c_k)/s.
long double stumpff(std::int64_t k, long double s) {
  long double factorial = 1;
  for (std::int64_t n = 2; n <= k; ++n) factorial *= static_cast<long double>(n);
  if (std::abs(s) <= 20) {
    long double term = 1 / factorial, sum = 0;
    for (std::int64_t n = k; std::abs(term) > 1e-25L * std::abs(sum) || n < k + 8; n += 2) {
      sum += term;
      term *= -s / static_cast<long double>((n + 1) * (n + 2));
    }
    return sum;
  }
  const long double x = std::sqrt(std::abs(s));
  const bool odd = k % 2 != 0;
  long double c = s > 0 ? (odd ? std::sin(x) / x : std::cos(x)) : (odd ? std::sinh(x) / x : std::cosh(x));
  long double own = 1; // j!
  for (std::int64_t j = odd ? 1 : 0; j < k; j += 2) {
    c = (1 / own - c) / s;
    own *= static_cast<long double>((j + 1) * (j + 2));
  }
  return c;
}

Plain product(const Plain& a, const Plain& b, std::size_t rows, std::size_t inner, std::size_t cols) {
  Plain r(rows * cols, 0);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < inner; ++k)
      for (std::size_t j = 0; j < cols; ++j) r[i * cols + j] += a[i * inner + k] * b[k * cols + j];
  return r;
}

Plain identity(std::size_t n) {
  Plain r(n * n, 0);
  for (std::size_t i = 0; i < n; ++i) r[i * n + i] = 1;
  return r;
}

/// Its series for a part of the matrix that is small, squared again.
Plain exponential(Plain a, std::size_t n) {
  long double size = 0;
  for (const long double x : a) size = std::max(size, std::abs(x));
  if (!std::isfinite(size)) return Plain(a.size(), nothing);
  const long double norm = size * static_cast<long double>(n);
  const int halvings = norm > 0.5L ? std::ilogb(norm) + 2 : 0; // to at most one half
  for (long double& x : a) x = std::ldexp(x, -halvings);
  Plain sum = identity(n), term = sum;
  constexpr int terms = 20; // 0.5^20/20! is below the last digit
  for (int k = 1; k <= terms; ++k) {
    term = product(term, a, n, n, n);
    for (std::size_t e = 0; e < sum.size(); ++e) sum[e] += term[e] /= k;
  }
  for (int k = 0; k < halvings; ++k) sum = product(sum, sum, n, n, n);
  return sum;
}

/// By elimination with the largest pivots.
long double determinant(Plain a, std::size_t n) {
  long double det = 1;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t best = k;
    for (std::size_t i = k; i < n; ++i)
      if (std::abs(a[i * n + k]) > std::abs(a[best * n + k])) best = i;
    if (a[best * n + k] == 0) return 0;
    if (best != k) det = -det;
    for (std::size_t j = 0; j < n; ++j) std::swap(a[k * n + j], a[best * n + j]);
    det *= a[k * n + k];
    for (std::size_t i = k + 1; i < n; ++i) {
      const long double f = a[i * n + k] / a[k * n + k];
      for (std::size_t j = k; j < n; ++j) a[i * n + j] -= f * a[k * n + j];
    }
  }
  return det;
}

long double scalar(const Node& n, long double a) {
  switch (n.op) {
  case Op::Sqrt:
    return std::sqrt(a);
  case Op::Exp:
    return std::exp(a);
  case Op::Log:
    return std::log(a);
  case Op::Sin:
    return std::sin(a);
  case Op::Cos:
    return std::cos(a);
  case Op::Tan:
    return std::tan(a);
  case Op::Asin:
    return std::asin(a);
  case Op::Acos:
    return std::acos(a);
  case Op::Atan:
    return std::atan(a);
  case Op::Sinh:
    return std::sinh(a);
  case Op::Cosh:
    return std::cosh(a);
  case Op::Tanh:
    return std::tanh(a);
  case Op::Abs:
    return std::abs(a);
  case Op::Floor:
  case Op::FloorToInt:
    return std::floor(a);
  case Op::PowInt:
    return std::pow(a, static_cast<long double>(n.imm));
  case Op::Stumpff:
    return stumpff(n.imm, a);
  case Op::ToReal:
    return a;
  case Op::Not:
    return a == 0 ? 1 : 0;
  default:
    throw std::logic_error("an operation without a plain value");
  }
}

long double binary(Op op, long double a, long double b) {
  switch (op) {
  case Op::Div:
    return a / b;
  case Op::Pow:
    return std::pow(a, b);
  case Op::Atan2:
    return std::atan2(a, b);
  case Op::Min:
    return std::isnan(b) || b < a ? b : a;
  case Op::Max:
    return std::isnan(b) || a < b ? b : a;
  case Op::IDiv:
    return std::floor(a / b);
  case Op::IMod:
    return a - b * std::floor(a / b);
  case Op::Lt:
    return a < b ? 1 : 0;
  case Op::Le:
    return a <= b ? 1 : 0;
  case Op::Eq:
    return a == b ? 1 : 0;
  case Op::Ne:
    return a != b ? 1 : 0;
  case Op::And:
    return a != 0 && b != 0 ? 1 : 0;
  case Op::Or:
    return a != 0 || b != 0 ? 1 : 0;
  default:
    throw std::logic_error("an operation without a plain value");
  }
}

long double component(const Plain& a, const sym::Shape& shape, const std::vector<const Plain*>& args) {
  const long double row = (*args[1])[0], col = args.size() > 2 ? (*args[2])[0] : 1;
  if (!(row >= 1 && row <= shape.rows && col >= 1 && col <= shape.cols)) return nothing;
  return a[static_cast<std::size_t>(row - 1) * static_cast<std::size_t>(shape.cols) +
           static_cast<std::size_t>(col - 1)];
}

/// Of vectors and matrices. Long because it has one case an operation.
Plain tensor(const Node& n, const std::vector<const Plain*>& args) {
  const auto rows = static_cast<std::size_t>(n.shape.rows), cols = static_cast<std::size_t>(n.shape.cols);
  const auto shape = [&](std::size_t k) { return n.args[k]->shape; };
  Plain r(rows * cols, 0);
  const auto at = [&args](std::size_t k) -> const Plain& { return *args[k]; };
  switch (n.op) {
  case Op::Identity:
    return identity(rows);
  case Op::Basis: {
    const long double place = at(0)[0];
    if (!(place >= 1 && place <= n.shape.rows)) return Plain(r.size(), nothing);
    r[static_cast<std::size_t>(place - 1)] = 1;
    return r;
  }
  case Op::MatMul:
    return product(at(0), at(1), rows, static_cast<std::size_t>(shape(0).cols), cols);
  case Op::Transpose:
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < cols; ++j) r[i * cols + j] = at(0)[j * rows + i];
    return r;
  case Op::Inner:
    for (std::size_t k = 0; k < at(0).size(); ++k) r[0] += at(0)[k] * at(1)[k];
    return r;
  case Op::Cross: {
    const Plain &a = at(0), &b = at(1);
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  }
  case Op::Hat: {
    const Plain& a = at(0);
    return {0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0};
  }
  case Op::Unhat: {
    const Plain& a = at(0);
    return {a[7] - a[5], a[2] - a[6], a[3] - a[1]};
  }
  case Op::Outer:
    return product(at(0), at(1), rows, 1, cols);
  case Op::Trace:
    for (std::size_t i = 0; i < static_cast<std::size_t>(shape(0).rows); ++i)
      r[0] += at(0)[i * static_cast<std::size_t>(shape(0).cols) + i];
    return r;
  case Op::Det:
    return {determinant(at(0), static_cast<std::size_t>(shape(0).rows))};
  case Op::Inverse:
    return plainSolve(at(0), identity(rows), rows, rows);
  case Op::Exponential:
    return exponential(at(0), rows);
  case Op::Solve:
    return plainSolve(at(0), at(1), rows, cols);
  case Op::Component:
    return {component(at(0), shape(0), args)};
  case Op::Vector:
  case Op::Matrix:
    for (std::size_t k = 0; k < r.size(); ++k) r[k] = at(k)[0];
    return r;
  case Op::Diag:
    for (std::size_t i = 0; i < rows; ++i) r[i * cols + i] = at(0)[i];
    return r;
  case Op::DiagOf:
    for (std::size_t i = 0; i < rows; ++i) r[i] = at(0)[i * static_cast<std::size_t>(shape(0).cols) + i];
    return r;
  default:
    throw std::logic_error("an operation without a plain value");
  }
}

} // namespace

Plain plainSolve(Plain a, Plain b, std::size_t n, std::size_t columns) {
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t best = k;
    for (std::size_t i = k; i < n; ++i)
      if (std::abs(a[i * n + k]) > std::abs(a[best * n + k])) best = i;
    if (!(std::abs(a[best * n + k]) > 0)) return Plain(b.size(), nothing);
    for (std::size_t j = 0; j < n; ++j) std::swap(a[k * n + j], a[best * n + j]);
    for (std::size_t j = 0; j < columns; ++j) std::swap(b[k * columns + j], b[best * columns + j]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const long double f = a[i * n + k] / a[k * n + k];
      if (f == 0) continue;
      for (std::size_t j = k; j < n; ++j) a[i * n + j] -= f * a[k * n + j];
      for (std::size_t j = 0; j < columns; ++j) b[i * columns + j] -= f * b[k * columns + j];
    }
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = 0; j < columns; ++j) {
      for (std::size_t k = i + 1; k < n; ++k) b[i * columns + j] -= a[i * n + k] * b[k * columns + j];
      b[i * columns + j] /= a[i * n + i];
    }
  }
  return b;
}

Plain plainNode(const Node& n, const std::vector<const Plain*>& args) {
  switch (n.op) {
  case Op::Const:
    return {n.number.exact() ? static_cast<long double>(n.number.num()) / static_cast<long double>(n.number.den())
                             : static_cast<long double>(n.number.value())};
  case Op::Zero:
    return Plain(static_cast<std::size_t>(n.shape.size()), 0);
  case Op::Add: {
    Plain r = *args[0];
    for (std::size_t k = 1; k < args.size(); ++k)
      for (std::size_t e = 0; e < r.size(); ++e) r[e] += (*args[k])[e];
    return r;
  }
  case Op::Mul: {
    Plain r = *args[1];
    for (long double& x : r) x *= (*args[0])[0];
    return r;
  }
  case Op::Select:
    return (*args[0])[0] != 0 ? *args[1] : *args[2];
  default:
    break;
  }
  const bool scalars =
      n.shape.rank == 0 && std::all_of(n.args.begin(), n.args.end(), [](sym::Expr e) { return e->shape.rank == 0; });
  if (!scalars || n.op == Op::Inner) return tensor(n, args);
  if (args.size() == 1) return {scalar(n, (*args[0])[0])};
  if (args.size() == 2) return {binary(n.op, (*args[0])[0], (*args[1])[0])};
  throw std::logic_error("an operation without a plain value");
}

} // namespace lmc::checks
