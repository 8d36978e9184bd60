// Linear systems, inverses and determinants: small ones written out, larger ones by routines.
#include "lower/LowerContext.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace lmc::lower {

using sym::Node;

namespace {
/// Size of a pivot, relative to its diagonal entry and by number of rows, below which it is round-off.
constexpr double pivotTolerance = 2.3e-16;
/// Largest general matrix that is inverted by its cofactors.
constexpr int cofactorLimit = 3;
} // namespace

std::vector<Scalar> ExpressionLowering::solve(const Node& n) {
  const int size = n.args[0]->shape.rows;
  const auto& a = value(n.args[0]);
  const auto& b = value(n.args[1]);
  spared_ = !isNeeded(n);
  const auto definite = static_cast<sym::Definite>(n.imm);
  if (definite == sym::Definite::No) return solveGeneral(a, b, size, n.shape.cols);
  if (definite == sym::Definite::Semi && leastNorm)
    return solveByRoutine(a, b, size, n.shape.cols, Factors::OfSemidefinite);
  return solveSymmetric(a, b, size, n.shape.cols);
}

/// LDL^T without square roots; the pivot with the fewest entries comes first, so that arrow and chain shapes stay
/// sparse. Backward stable exactly where all pivots are positive (N. J. Higham, "Accuracy and Stability of Numerical
/// Algorithms", 2nd ed., theorem 10.3), which is tested; a matrix that may be indefinite is solved with pivots.
std::vector<Scalar> ExpressionLowering::solveSymmetric(std::vector<Scalar> a, std::vector<Scalar> b, int n,
                                                       int columns) {
  const auto isSetup = [](const Scalar& x) { return x.setup; };
  if (std::all_of(a.begin(), a.end(), isSetup) && !std::all_of(b.begin(), b.end(), isSetup)) {
    // A matrix of parameters: inverted once per run. A product has a much shorter chain of dependent operations than
    // two triangular solves, and no division.
    std::vector<Scalar> unit;
    unit.reserve(a.size());
    for (int i = 0; i < n * n; ++i) unit.push_back(s_.real(i % (n + 1) == 0 ? 1 : 0));
    return product(solveSymmetric(a, unit, n, n), b, n, n, columns);
  }
  if (indefinite) return solveByRoutine(a, b, n, columns, Factors::WithPivots);
  const auto at = [&](int i, int j) -> Scalar& { return a[i >= j ? i * n + j : j * n + i]; };
  std::vector<Scalar> diagonal;
  diagonal.reserve(n);
  for (int i = 0; i < n; ++i) diagonal.push_back(at(i, i));
  std::vector<int> rest;
  rest.reserve(n);
  for (int i = 0; i < n; ++i) rest.push_back(i);
  std::vector<int> order;
  std::vector<Scalar> inverse(static_cast<std::size_t>(n));
  std::vector<std::vector<std::pair<int, Scalar>>> columnsOfL(static_cast<std::size_t>(n));
  Scalar regular = s_.boolean(true);
  while (!rest.empty()) {
    const auto count = [&](int i) {
      return std::count_if(rest.begin(), rest.end(), [&](int j) { return j != i && !s_.isZero(at(i, j)); });
    };
    const int k = *std::min_element(rest.begin(), rest.end(), [&](int x, int y) { return count(x) < count(y); });
    std::erase(rest, k);
    order.push_back(k);
    const Scalar pivot = at(k, k);
    const Scalar least = s_.mul(s_.real(pivotTolerance * n), diagonal[k]); // of a negative one: above the pivot
    regular =
        s_.pure(tape::Op::And, tape::Type::Bool, {regular, s_.pure(tape::Op::Lt, tape::Type::Bool, {least, pivot})});
    inverse[k] = s_.div(s_.real(1), pivot);
    for (const int i : rest) {
      if (s_.isZero(at(i, k))) continue;
      columnsOfL[k].emplace_back(i, s_.mul(at(i, k), inverse[k]));
    }
    for (const auto& [i, l] : columnsOfL[k]) {
      for (const int j : rest) {
        if (j <= i && !s_.isZero(at(j, k))) at(i, j) = s_.sub(at(i, j), s_.mul(l, at(j, k)));
      }
    }
  }
  requireRegular(regular);
  for (int c = 0; c < columns; ++c) {
    const auto x = [&](int i) -> Scalar& { return b[static_cast<std::size_t>(i) * columns + c]; };
    for (const int k : order) {
      for (const auto& [i, l] : columnsOfL[k]) x(i) = s_.sub(x(i), s_.mul(l, x(k)));
    }
    for (const int k : order) x(k) = s_.mul(x(k), inverse[k]);
    for (auto k = order.rbegin(); k != order.rend(); ++k) {
      for (const auto& [i, l] : columnsOfL[*k]) x(*k) = s_.sub(x(*k), s_.mul(l, x(i)));
    }
  }
  return b;
}

void ExpressionLowering::requirePositive(sym::Expr e, bool near) {
  // What is not a number is not found far away here, but in the state.
  if (near)
    requireRegular(
        s_.pure(tape::Op::Not, tape::Type::Bool, {s_.pure(tape::Op::Lt, tape::Type::Bool, {scalar(e), s_.real(0)})}),
        runtime::FarFromManifold);
  else
    requireRegular(s_.pure(tape::Op::Lt, tape::Type::Bool, {s_.real(0), scalar(e)}));
}

void ExpressionLowering::requireRegular(const Scalar& regular, std::int32_t otherwise) {
  const Scalar singular = s_.pure(tape::Op::Not, tape::Type::Bool, {regular});
  if (singular.setup && !s_.inSetup()) {
    s_.enterSetup();
    s_.builder().failIf(singular.id, otherwise);
    s_.leaveSetup();
  } else {
    s_.builder().failIf(s_.local(singular), otherwise);
  }
}

int ExpressionLowering::factorSymmetric(int matrix, std::int64_t n, Factors how) {
  const int work = scratch("pivots", 2 * n);
  auto definite = static_cast<std::int64_t>(how);
  if (const auto follow = dependent.find(n); how == Factors::OfSemidefinite && follow != dependent.end())
    definite += follow->second;
  s_.builder().kernel(tape::KernelId::CholeskyFactor, {matrix, work},
                      {s_.local(s_.integer(n)), s_.local(s_.integer(definite))});
  return work;
}

/// By the routine for large matrices; one of parameters is factored once per run.
std::vector<Scalar> ExpressionLowering::solveByRoutine(const std::vector<Scalar>& a, const std::vector<Scalar>& b,
                                                       int n, int columns, Factors how) {
  const bool once = !s_.inSetup() && std::all_of(a.begin(), a.end(), [](const Scalar& x) { return x.setup; });
  if (once) s_.enterSetup();
  const int matrix = scratch("symmetric", static_cast<std::int64_t>(n) * n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j)
      s_.builder().store(matrix, s_.local(s_.integer(i * n + j)), s_.local(a[i >= j ? i * n + j : j * n + i]));
  }
  const int work = factorSymmetric(matrix, n, how);
  if (once) s_.leaveSetup();
  const int rhs = scratch("symmetric.rhs", static_cast<std::int64_t>(n) * columns);
  const auto place = [&](int k) { return s_.local(s_.integer(k % columns * n + k / columns)); }; // column after column
  for (int k = 0; k < n * columns; ++k) s_.builder().store(rhs, place(k), s_.local(b[k]));
  s_.builder().kernel(tape::KernelId::CholeskySolve, {matrix, work, rhs},
                      {s_.local(s_.integer(n)), s_.local(s_.integer(columns))});
  std::vector<Scalar> r;
  r.reserve(b.size());
  for (int k = 0; k < n * columns; ++k) r.push_back({s_.builder().load(rhs, place(k), true), s_.inSetup()});
  return r;
}

namespace {
/// Entries beyond these are scaled by powers of two, which changes no digit, before they are squared.
constexpr double largeEntry = 0x1p500;
constexpr double smallEntry = 0x1p-400;
constexpr double scaleOfEntries = 0x1p600;
} // namespace

bool ExpressionLowering::takesCare(const std::vector<Scalar>& a) const {
  return careful || std::all_of(a.begin(), a.end(), [](const Scalar& x) { return x.setup; });
}

const std::vector<Scalar>* ExpressionLowering::known(sym::Expr e) {
  const std::vector<Scalar>* const found = (e->indexed ? indexed_ : free_).find(*e);
  return found != nullptr && usable(*found) ? found : nullptr;
}

/// |v| for the square v.v, which itself may over- or underflow. The same bits as sqrt(v.v) where it does not. With
/// factors: |s| |v| for s s v.v.
std::optional<Scalar> ExpressionLowering::length(sym::Expr square) {
  std::vector<sym::Expr> factors;
  std::vector<sym::Expr> rest{square};
  square = {};
  while (!rest.empty()) {
    const sym::Expr e = rest.back();
    rest.pop_back();
    if (e->op == sym::Op::Mul && e->shape.rank == 0)
      rest.insert(rest.end(), e->args.begin(), e->args.end());
    else if (!square && e->op == sym::Op::Inner && e->args[0] == e->args[1])
      square = e;
    else
      factors.push_back(e);
  }
  if (!square) return std::nullopt;
  const std::vector<Scalar>* const v = known(square->args[0]);
  if (v == nullptr || !takesCare(*v)) return std::nullopt;
  Scalar result = lengthOf(*v);
  while (!factors.empty()) {
    const sym::Expr f = factors.back();
    factors.pop_back();
    const auto twin = std::find(factors.begin(), factors.end(), f);
    const bool squared = twin != factors.end() || (f->op == sym::Op::PowInt && f->imm == 2);
    const std::vector<Scalar>* const x = known(f->op == sym::Op::PowInt && squared ? f->args[0] : f);
    if (x == nullptr) return std::nullopt;
    result = s_.mul(s_.pure(squared ? tape::Op::Abs : tape::Op::Sqrt, tape::Type::Real, {(*x)[0]}), result);
    if (twin != factors.end()) factors.erase(twin);
  }
  return result;
}

Scalar ExpressionLowering::lengthOf(const std::vector<Scalar>& entries) {
  const auto absolute = [&](Scalar x) { return s_.pure(tape::Op::Abs, tape::Type::Real, {x}); };
  Scalar largest = absolute(entries[0]);
  for (std::size_t k = 1; k < entries.size(); ++k)
    largest = s_.pure(tape::Op::Max, tape::Type::Real, {largest, absolute(entries[k])});
  const Scalar isLarge = s_.pure(tape::Op::Lt, tape::Type::Bool, {s_.real(largeEntry), largest});
  const Scalar isSmall = s_.pure(tape::Op::Lt, tape::Type::Bool, {largest, s_.real(smallEntry)});
  const auto chosen = [&](double large, double small) {
    return s_.select(isLarge, s_.real(large), s_.select(isSmall, s_.real(small), s_.real(1)));
  };
  const Scalar down = chosen(1 / scaleOfEntries, scaleOfEntries);
  std::vector<Scalar> scaled;
  scaled.reserve(entries.size());
  for (const Scalar& x : entries) scaled.push_back(s_.mul(down, x));
  const Scalar sum = product(scaled, scaled, 1, static_cast<int>(scaled.size()), 1)[0];
  return s_.mul(chosen(scaleOfEntries, 1 / scaleOfEntries), s_.pure(tape::Op::Sqrt, tape::Type::Real, {sum}));
}

/// What is being lowered needs this node whatever the conditions in it say.
bool ExpressionLowering::isNeeded(const Node& n) const {
  sym::NodeNumbers seen;
  std::vector<const Node*> stack{root_.node()};
  while (!stack.empty()) {
    const Node* const at = stack.back();
    stack.pop_back();
    if (at == &n) return true;
    if (!seen.add(*at)) continue;
    const std::size_t count = at->op == sym::Op::Select ? 1 : at->args.size();
    for (std::size_t k = 0; k < count; ++k) stack.push_back(at->args[k].node());
  }
  return false;
}

Scalar ExpressionLowering::determinant(const std::vector<Scalar>& a, int n) {
  const int matrix = scratch("det.matrix", static_cast<std::int64_t>(n) * n);
  const int pivots = scratch("det.pivots", n);
  const int result = scratch("det", 1);
  for (int k = 0; k < n * n; ++k) s_.builder().store(matrix, s_.local(s_.integer(k)), s_.local(a[k]));
  s_.builder().kernel(tape::KernelId::LuDeterminant, {matrix, pivots, result}, {s_.local(s_.integer(n))});
  return {s_.builder().load(result, s_.local(s_.integer(0)), true), s_.inSetup()};
}

std::vector<Scalar> ExpressionLowering::exponential(const std::vector<Scalar>& a, int n) {
  const int matrix = scratch("expm", static_cast<std::int64_t>(n) * n);
  const int work = scratch("expm.work", 5 * static_cast<std::int64_t>(n) * n);
  const int pivots = scratch("expm.pivots", n);
  for (int k = 0; k < n * n; ++k) s_.builder().store(matrix, s_.local(s_.integer(k)), s_.local(a[k]));
  s_.builder().kernel(tape::KernelId::MatrixExponential, {matrix, work, pivots}, {s_.local(s_.integer(n))});
  std::vector<Scalar> r;
  r.reserve(a.size());
  for (int k = 0; k < n * n; ++k) {
    r.push_back({s_.builder().load(matrix, s_.local(s_.integer(k)), true), s_.inSetup()});
  }
  return r;
}

/// Up to 3 x 3 written out (a singular matrix gives infinities, which the run reports); by a routine beyond.
std::vector<Scalar> ExpressionLowering::inverse(const std::vector<Scalar>& a, int n) {
  if (n > cofactorLimit) {
    std::vector<Scalar> unit;
    unit.reserve(a.size());
    for (int i = 0; i < n * n; ++i) unit.push_back(s_.real(i % (n + 1) == 0 ? 1 : 0));
    return solveGeneral(a, unit, n, n);
  }
  if (n == 1) return {s_.div(s_.real(1), a[0])};
  return takesCare(a) ? inverseByPivots(a, n) : inverseByCofactors(a, n);
}

/// Elimination with the largest pivots, rows exchanged by selections. Zeros that are known stay zeros.
std::vector<Scalar> ExpressionLowering::inverseByPivots(std::vector<Scalar> a, int n) {
  std::vector<Scalar> x;
  x.reserve(a.size());
  for (int i = 0; i < n * n; ++i) x.push_back(s_.real(i % (n + 1) == 0 ? 1 : 0));
  const auto absolute = [&](Scalar y) { return s_.pure(tape::Op::Abs, tape::Type::Real, {y}); };
  const auto exchange = [&](std::vector<Scalar>& m, int i, int k, const std::optional<Scalar>& condition) {
    for (int j = 0; j < n; ++j) {
      Scalar& upper = m[k * n + j];
      Scalar& lower = m[i * n + j];
      const Scalar first = condition ? s_.select(*condition, lower, upper) : lower;
      lower = condition ? s_.select(*condition, upper, lower) : upper;
      upper = first;
    }
  };
  for (int k = 0; k < n; ++k) {
    for (int i = k + 1; i < n; ++i) {
      const Scalar candidate = a[i * n + k];
      if (s_.isZero(candidate)) continue;
      std::optional<Scalar> larger;
      if (!s_.isZero(a[k * n + k]))
        larger = s_.pure(tape::Op::Lt, tape::Type::Bool, {absolute(a[k * n + k]), absolute(candidate)});
      exchange(a, i, k, larger);
      exchange(x, i, k, larger);
    }
    for (int i = k + 1; i < n; ++i) {
      if (s_.isZero(a[i * n + k])) continue;
      const Scalar factor = s_.div(a[i * n + k], a[k * n + k]);
      for (int j = k + 1; j < n; ++j) a[i * n + j] = s_.sub(a[i * n + j], s_.mul(factor, a[k * n + j]));
      for (int j = 0; j < n; ++j) x[i * n + j] = s_.sub(x[i * n + j], s_.mul(factor, x[k * n + j]));
    }
  }
  for (int i = n - 1; i >= 0; --i) {
    for (int j = 0; j < n; ++j) {
      Scalar& entry = x[i * n + j];
      for (int k = i + 1; k < n; ++k) entry = s_.sub(entry, s_.mul(a[i * n + k], x[k * n + j]));
      entry = s_.div(entry, a[i * n + i]);
    }
  }
  return x;
}

std::vector<Scalar> ExpressionLowering::inverseByCofactors(const std::vector<Scalar>& a, int n) {
  const auto minor = [&](int i, int j, int k, int l) {
    return s_.sub(s_.mul(a[i * n + k], a[j * n + l]), s_.mul(a[i * n + l], a[j * n + k]));
  };
  std::vector<Scalar> adjugate;
  if (n == 2) {
    adjugate = {a[3], s_.neg(a[1]), s_.neg(a[2]), a[0]};
  } else {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) adjugate.push_back(minor((j + 1) % 3, (j + 2) % 3, (i + 1) % 3, (i + 2) % 3));
    }
  }
  Scalar det = s_.real(0);
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) det = s_.add(det, s_.mul(a[i], adjugate[i * n]));
  const Scalar factor = s_.div(s_.real(1), det);
  std::vector<Scalar> r;
  r.reserve(adjugate.size());
  for (const Scalar& x : adjugate) r.push_back(s_.mul(factor, x));
  return r;
}

std::vector<Scalar> ExpressionLowering::solveGeneral(const std::vector<Scalar>& a, const std::vector<Scalar>& b, int n,
                                                     int columns) {
  if (n <= cofactorLimit) return product(inverse(a, n), b, n, n, columns);
  const int rhs = scratch("lu.rhs", static_cast<std::int64_t>(n) * columns);
  const auto at = [&](int k) { return s_.local(s_.integer(k)); };
  const bool spared = spared_;
  if (spared) {
    // In a branch that may not be taken a singular matrix is no failure, but a result that is no number.
    const Scalar size = s_.pure(tape::Op::Abs, tape::Type::Real, {determinant(a, n)});
    const Scalar none = s_.real(std::numeric_limits<double>::quiet_NaN());
    const Scalar regular = s_.pure(tape::Op::Lt, tape::Type::Bool, {s_.real(0), size});
    for (int k = 0; k < n * columns; ++k) s_.builder().store(rhs, at(k), s_.local(none));
    s_.builder().beginIf(s_.local(regular));
  }
  int pivots = -1;
  const int factored = factorize(a, n, pivots);
  for (int k = 0; k < n * columns; ++k) s_.builder().store(rhs, at(k), s_.local(b[k]));
  s_.builder().kernel(tape::KernelId::LuSolve, {factored, pivots, rhs},
                      {s_.local(s_.integer(n)), s_.local(s_.integer(columns))});
  if (spared) s_.builder().endIf();
  std::vector<Scalar> r;
  r.reserve(b.size());
  for (int k = 0; k < n * columns; ++k) r.push_back({s_.builder().load(rhs, at(k), true), s_.inSetup()});
  return r;
}

int ExpressionLowering::factorize(const std::vector<Scalar>& a, int n, int& pivots) {
  const int matrix = scratch("lu", static_cast<std::int64_t>(n) * n);
  pivots = scratch("lu.pivots", n);
  for (int k = 0; k < n * n; ++k) s_.builder().store(matrix, s_.local(s_.integer(k)), s_.local(a[k]));
  s_.builder().kernel(tape::KernelId::LuFactor, {matrix, pivots}, {s_.local(s_.integer(n))});
  return matrix;
}

} // namespace lmc::lower
