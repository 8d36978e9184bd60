// Brackets of the velocities that constraints permit, by differences (A. M. Bloch, "Nonholonomic Mechanics and
// Control", Springer 2003, section 4.1).
#include "checks/model/Balances.h"

#include "linear/Decompositions.h"

#include <functional>

namespace lmc::checks {

namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

constexpr std::size_t mostVelocities = 16; ///< velocities, of which derivatives are taken one by one
constexpr std::size_t longestBracket = 3;  ///< fields in a bracket
constexpr double bracketWidth = 1e-3;      ///< of differences
constexpr double dependentEquation = 1e-8; ///< of equations of length one
constexpr double newDirection = 1e-5; ///< of a bracket of fields of length one: differences of differences are worse

} // namespace

/// Fields of velocities as functions of the state: P(q) d with the projection P along the equations.
class DerivativeCheck::Distribution {
public:
  using Field = std::function<Vector(const State&)>;

  Distribution(DerivativeCheck& check, State y, double t) : c_(check), y_(std::move(y)), t_(t) {
    for (std::size_t v = 0; v < c_.s_.variables().size(); ++v) {
      const Variable& x = c_.s_.variables()[v];
      for (std::size_t k = 0; x.isFactor() && k < x.size; ++k) columns_.push_back({v, x.points + k, x.fiberState + k});
    }
  }

  [[nodiscard]] std::size_t size() const { return columns_.size(); }

  DistributionGrowth grow() {
    DistributionGrowth g;
    const auto n = static_cast<Eigen::Index>(size());
    const Matrix all = equations(y_);
    const auto positions = static_cast<Eigen::Index>(
        std::count_if(c_.rows_.begin(), c_.rows_.end(), [](const sema::Constraint* r) { return !r->velocities; }));
    g.whole = size() - static_cast<std::size_t>(rangeOf(all.topRows(positions)).cols());
    const Matrix across = rangeOf(all);
    Matrix span = linear::PivotedQR(Matrix::Identity(n, n) - across * across.transpose()).q(n - across.cols());
    std::vector<Field> first, last;
    for (const auto& column : span.colwise())
      first.emplace_back([this, d = Vector(column)](const State& q) -> Vector { return project(q, d); });
    last = first;
    g.dimensions = {first.size()};
    for (std::size_t length = 2; length <= longestBracket && g.dimensions.back() < g.whole; ++length) {
      std::vector<Field> added;
      for (const Field& a : first)
        for (const Field& b : last) {
          if (static_cast<std::size_t>(span.cols()) == g.whole) break;
          Field bracket = [this, a, b](const State& q) { return bracketOf(q, a, b); };
          Vector rest = bracket(y_);
          for (int pass = 0; pass < 2; ++pass) rest -= span * (span.transpose() * rest);
          if (!(rest.norm() > newDirection)) continue;
          span.conservativeResize(Eigen::NoChange, span.cols() + 1);
          span.rightCols(1) = rest.normalized();
          added.push_back(std::move(bracket));
        }
      if (added.empty()) return g;
      g.dimensions.push_back(static_cast<std::size_t>(span.cols()));
      last = std::move(added);
    }
    g.ends = g.dimensions.back() == g.whole;
    return g;
  }

private:
  struct Column {
    std::size_t variable, place, fiber;
  };

  /// Rows of length one that velocities are multiplied with, those of constraints on positions first.
  [[nodiscard]] Matrix equations(const State& q) {
    Point at{q, t_, {}, Direction(c_.s_.directionSize(), 0.0), 1, {}, {}};
    return c_.constraintRows(at, bracketWidth);
  }

  /// An orthonormal basis of the space that rows span, as columns.
  [[nodiscard]] static Matrix rangeOf(const Matrix& rows) {
    if (rows.rows() == 0) return Matrix(rows.cols(), 0);
    return linear::PivotedQR(rows.transpose(), dependentEquation).range();
  }

  [[nodiscard]] Vector project(const State& q, const Vector& d) {
    auto known = ranges_.find(q);
    if (known == ranges_.end()) known = ranges_.emplace(q, rangeOf(equations(q))).first;
    return d - known->second * (known->second.transpose() * d);
  }

  [[nodiscard]] State moved(const State& q, const Vector& d, double s) {
    Direction direction(c_.s_.directionSize(), 0.0);
    for (std::size_t k = 0; k < size(); ++k) direction[columns_[k].place] = d[static_cast<Eigen::Index>(k)];
    return c_.s_.moved(q, direction, s);
  }

  /// d/ds f(exp(s d) q)
  [[nodiscard]] Vector along(const State& q, const Vector& d, const Field& f) {
    const auto at = [&](double s) -> Vector { return f(moved(q, d, s)); };
    return (8 * (at(bracketWidth) - at(-bracketWidth)) - (at(2 * bracketWidth) - at(-2 * bracketWidth))) /
           (12 * bracketWidth);
  }

  /// Of fields in the frames of their factors: the bracket of the algebra counts positive in body.
  [[nodiscard]] Vector bracketOf(const State& q, const Field& a, const Field& b) {
    const Vector x = a(q), z = b(q);
    Vector bracket = along(q, x, b) - along(q, z, a);
    State at = q;
    Direction eta(c_.s_.directionSize(), 0.0);
    for (std::size_t k = 0; k < size(); ++k) {
      at[columns_[k].fiber] = x[static_cast<Eigen::Index>(k)];
      eta[columns_[k].place] = z[static_cast<Eigen::Index>(k)];
    }
    const std::vector<double> own = c_.s_.call(*c_.fiberBracket_, at, t_, eta);
    for (std::size_t k = 0; k < size(); ++k) {
      const bool body = c_.s_.variables()[columns_[k].variable].frame == sema::Frame::Body;
      bracket[static_cast<Eigen::Index>(k)] += (body ? 1 : -1) * own[k];
    }
    return bracket;
  }

  DerivativeCheck& c_;
  State y_;
  double t_;
  std::vector<Column> columns_;
  std::map<State, Matrix> ranges_;
};

std::optional<DistributionGrowth> DerivativeCheck::growth(const State& y, double t) {
  if (!rolledAlong_) return std::nullopt;
  for (std::size_t v = 0; v < s_.variables().size(); ++v)
    if (horizontals_.has(v)) return std::nullopt;
  Distribution distribution(*this, y, t);
  if (distribution.size() > mostVelocities) return std::nullopt;
  return distribution.grow();
}

} // namespace lmc::checks
