#include "sym/Constant.h"

#include <cmath>
#include <unordered_map>

namespace lmc::sym {

namespace {
std::optional<long double> value(Expr e) {
  if (e->isConst()) {
    if (!e->number.exact()) return static_cast<long double>(e->number.value());
    return static_cast<long double>(e->number.num()) / static_cast<long double>(e->number.den());
  }
  if (e->shape.rank != 0) return std::nullopt;
  std::vector<long double> args;
  for (const Expr& a : e->args) {
    const auto v = value(a);
    if (!v) return std::nullopt;
    args.push_back(*v);
  }
  long double r = 0;
  switch (e->op) {
  case Op::Add:
    for (const long double a : args) r += a;
    return r;
  case Op::Mul:
    r = 1;
    for (const long double a : args) r *= a;
    return r;
  case Op::Div:
    return args[0] / args[1];
  case Op::Sqrt:
    return std::sqrt(args[0]);
  case Op::Pow:
    return std::pow(args[0], args[1]);
  case Op::PowInt:
    return std::pow(args[0], static_cast<long double>(e->imm));
  case Op::ToReal:
    return args[0];
  default:
    return std::nullopt;
  }
}
} // namespace

std::optional<Number> constantValue(Expr e) {
  if (e->isConst()) return e->number;
  const auto v = value(e);
  if (!v || !std::isfinite(*v)) return std::nullopt;
  return Number::real(static_cast<double>(*v));
}

namespace {

using Numbers = std::vector<Number>;

/// Entries of constant tensors, each node worked out once.
class ConstantTensors {
public:
  std::optional<Numbers> of(Expr e) {
    const auto it = memo_.find(e.node());
    if (it != memo_.end()) return it->second;
    auto r = compute(*e);
    memo_.emplace(e.node(), r);
    return r;
  }

private:
  /// Long because it has one case an operation.
  std::optional<Numbers> compute(const Node& n) {
    const int rows = n.shape.rows;
    const int cols = n.shape.cols;
    Numbers r(static_cast<std::size_t>(n.shape.size()));
    const auto at = [](int i, int j, int columns) { return static_cast<std::size_t>(i) * columns + j; };
    if (n.op == Op::Const) return Numbers{n.number};
    if (n.op == Op::Zero) return r;
    if (n.op == Op::Identity) {
      for (int i = 0; i < rows; ++i) r[at(i, i, cols)] = Number(1);
      return r;
    }
    std::vector<Numbers> args;
    for (const Expr& a : n.args) {
      auto v = of(a);
      if (!v) return std::nullopt;
      args.push_back(std::move(*v));
    }
    const auto shape = [&](std::size_t k) { return n.args[k]->shape; };
    switch (n.op) {
    case Op::Basis:
      return unitAt(std::move(r), args[0][0].num() - 1);
    case Op::Add:
      for (const Numbers& a : args) {
        for (std::size_t k = 0; k < r.size(); ++k) r[k] = r[k] + a[k];
      }
      return r;
    case Op::Mul:
      for (std::size_t k = 0; k < r.size(); ++k) r[k] = args[0][0] * args[1][k];
      return r;
    case Op::Div:
      if (args[1][0].isZero()) return std::nullopt;
      return Numbers{args[0][0] / args[1][0]};
    case Op::PowInt:
      if (auto p = power(args[0][0], n.imm)) return Numbers{*p};
      return std::nullopt;
    case Op::Sqrt:
      if (args[0][0].negative()) return std::nullopt;
      return Numbers{Number::real(std::sqrt(args[0][0].value()))};
    case Op::ToReal:
      return args[0];
    case Op::MatMul:
      for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < cols; ++j) {
          for (int k = 0; k < shape(0).cols; ++k)
            r[at(i, j, cols)] = r[at(i, j, cols)] + args[0][at(i, k, shape(0).cols)] * args[1][at(k, j, cols)];
        }
      }
      return r;
    case Op::Outer:
      for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < cols; ++j) r[at(i, j, cols)] = args[0][at(i, 0, 1)] * args[1][at(j, 0, 1)];
      }
      return r;
    case Op::Transpose:
      for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < cols; ++j) r[at(i, j, cols)] = args[0][at(j, i, rows)];
      }
      return r;
    case Op::Inner:
      for (std::size_t k = 0; k < args[0].size(); ++k) r[0] = r[0] + args[0][k] * args[1][k];
      return r;
    case Op::Cross:
      for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t i = (k + 1) % 3;
        const std::size_t j = (k + 2) % 3;
        r[k] = args[0][i] * args[1][j] - args[0][j] * args[1][i];
      }
      return r;
    case Op::Hat: {
      const Numbers& a = args[0];
      return Numbers{Number(0), -a[2], a[1], a[2], Number(0), -a[0], -a[1], a[0], Number(0)};
    }
    case Op::Unhat: {
      const Numbers& a = args[0];
      return Numbers{a[7] - a[5], a[2] - a[6], a[3] - a[1]};
    }
    case Op::Trace:
      for (int i = 0; i < shape(0).rows; ++i) r[0] = r[0] + args[0][at(i, i, shape(0).cols)];
      return r;
    case Op::Component:
      return Numbers{args[0][args.size() == 2 ? at(static_cast<int>(args[1][0].num()) - 1, 0, 1)
                                              : at(static_cast<int>(args[1][0].num()) - 1,
                                                   static_cast<int>(args[2][0].num()) - 1, shape(0).cols)]};
    case Op::Vector:
    case Op::Matrix:
      for (std::size_t k = 0; k < r.size(); ++k) r[k] = args[k][0];
      return r;
    case Op::Exponential:
      return exponential(args[0], rows);
    case Op::Solve:
      return solved(args[0], args[1], shape(0).rows, cols);
    case Op::Inverse:
      for (int i = 0; i < rows; ++i) r[at(i, i, cols)] = Number(1);
      return solved(args[0], r, rows, cols);
    case Op::Diag:
      for (int i = 0; i < rows; ++i) r[at(i, i, cols)] = args[0][at(i, 0, 1)];
      return r;
    case Op::DiagOf:
      for (int i = 0; i < rows; ++i) r[at(i, 0, 1)] = args[0][at(i, i, shape(0).cols)];
      return r;
    default:
      return std::nullopt;
    }
  }

  /// exp(a) of a nilpotent matrix; nothing otherwise.
  static std::optional<Numbers> exponential(const Numbers& a, int n) {
    const auto at = [n](int i, int j) { return static_cast<std::size_t>(i) * n + j; };
    Numbers sum(a.size());
    for (int i = 0; i < n; ++i) sum[at(i, i)] = Number(1);
    Numbers term = sum;
    for (int k = 1; k <= n; ++k) {
      Numbers next(a.size());
      bool zero = true;
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
          Number& entry = next[at(i, j)];
          for (int l = 0; l < n; ++l) entry = entry + term[at(i, l)] * a[at(l, j)];
          entry = entry / Number(k);
          zero = zero && entry.isZero();
        }
      }
      if (zero) return sum;
      term = std::move(next);
      for (std::size_t e = 0; e < sum.size(); ++e) sum[e] = sum[e] + term[e];
    }
    return std::nullopt;
  }

  /// a^-1 b by elimination with the largest pivots; nothing where a is singular.
  static std::optional<Numbers> solved(Numbers a, Numbers b, int n, int columns) {
    const auto at = [](int i, int j, int width) { return static_cast<std::size_t>(i) * width + j; };
    for (int k = 0; k < n; ++k) {
      int best = k;
      for (int i = k; i < n; ++i) {
        if (std::abs(a[at(i, k, n)].value()) > std::abs(a[at(best, k, n)].value())) best = i;
      }
      if (a[at(best, k, n)].isZero()) return std::nullopt;
      for (int j = 0; j < n; ++j) std::swap(a[at(k, j, n)], a[at(best, j, n)]);
      for (int j = 0; j < columns; ++j) std::swap(b[at(k, j, columns)], b[at(best, j, columns)]);
      const Number pivot = Number(1) / a[at(k, k, n)];
      for (int j = 0; j < n; ++j) a[at(k, j, n)] = a[at(k, j, n)] * pivot;
      for (int j = 0; j < columns; ++j) b[at(k, j, columns)] = b[at(k, j, columns)] * pivot;
      for (int i = 0; i < n; ++i) {
        const Number f = a[at(i, k, n)];
        if (i == k || f.isZero()) continue;
        for (int j = 0; j < n; ++j) a[at(i, j, n)] = a[at(i, j, n)] - f * a[at(k, j, n)];
        for (int j = 0; j < columns; ++j) b[at(i, j, columns)] = b[at(i, j, columns)] - f * b[at(k, j, columns)];
      }
    }
    return b;
  }

  static Numbers unitAt(Numbers zeros, std::int64_t place) {
    zeros.at(static_cast<std::size_t>(place)) = Number(1);
    return zeros;
  }

  std::unordered_map<const Node*, std::optional<Numbers>> memo_;
};

} // namespace

std::optional<std::vector<Number>> constantEntries(Expr e) {
  return ConstantTensors().of(e);
}

} // namespace lmc::sym
