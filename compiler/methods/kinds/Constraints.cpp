#include "methods/kinds/Constraints.h"

#include "linear/Decompositions.h"
#include "linear/LeastChange.h"
#include "lower/Calculator.h"
#include "unit/builder/UnitBuilder.h"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace lmc::methods {

using sym::Expr;

namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

int sizeOfParts(const std::vector<sema::Part>& parts) {
  int n = 0;
  for (const sema::Part& p : parts) n += p.shape.size();
  return n;
}

/// Values and gradients of equations as numbers.
class Numbers {
public:
  Numbers(sym::Graph& g, const std::vector<const sym::Array*>& point, const std::vector<Expr>& equations,
          const std::vector<sema::Tuple>& gradients)
      : rows_(static_cast<int>(equations.size())), calculator_(lowered(g, point, equations, gradients)) {}

  void at(const Eigen::VectorXd& x) {
    std::copy(x.data(), x.data() + x.size(), calculator_.at(runtime::Role::State).begin());
    (void)calculator_.run(0, 0);
    const double* out = calculator_.at(runtime::Role::Output).data();
    values = Eigen::Map<const Eigen::VectorXd>(out, rows_);
    jacobian = Eigen::Map<const Matrix>(out + rows_, rows_, x.size());
  }
  Eigen::VectorXd values;
  Matrix jacobian;

private:
  static tape::Module lowered(sym::Graph& g, const std::vector<const sym::Array*>& point,
                              const std::vector<Expr>& equations, const std::vector<sema::Tuple>& gradients) {
    sym::Program program(g);
    std::vector<const sym::Array*> outputs;
    const auto emit = [&](Expr e) {
      const sym::Array* a = g.newArray("holds", {}, e->shape, sym::Role::Temp);
      sym::Equation q;
      q.array = a;
      q.value = e;
      program.append(std::move(q));
      outputs.push_back(a);
    };
    for (const Expr& e : equations) emit(e);
    for (const sema::Tuple& row : gradients)
      for (const Expr& part : row) emit(part);
    unit::UnitBuilder unit(program, false);
    unit.reads(point, unit.place(runtime::Role::State, "point", point));
    (void)unit.function("holds", 1,
                        unit::UnitBuilder::into(unit.place(runtime::Role::Output, "holds", outputs), outputs));
    return unit.build().module;
  }

  int rows_;
  lower::Calculator calculator_;
};

/// A point where all equations hold, from a start without symmetry, of which there are several; false if none is found.
bool findPoint(Numbers& numbers, Eigen::VectorXd& x, int start = 0) {
  constexpr int turns = 200;
  constexpr double near = 1e-12;
  for (Eigen::Index k = 0; k < x.size(); ++k) x[k] = std::cos((1.7 + 0.37 * start) * static_cast<double>(k + 1)) + 0.1;
  for (int turn = 0; turn < turns; ++turn) {
    numbers.at(x);
    if (!numbers.values.allFinite() || !numbers.jacobian.allFinite()) return false;
    if (numbers.values.norm() < near) return true;
    const Eigen::VectorXd change = linear::leastChange(numbers.jacobian, numbers.values);
    const double length = change.norm();
    x -= length > 1 ? Eigen::VectorXd(change / length) : change;
  }
  return false;
}

/// A number with a small denominator that is meant by one with rounding.
sym::Number rational(double x) {
  constexpr std::int64_t largest = 48;
  for (std::int64_t d = 1; d <= largest; ++d) {
    const double n = std::round(x * static_cast<double>(d));
    if (std::abs(x * static_cast<double>(d) - n) < 1e-9) return sym::Number::ratio(static_cast<std::int64_t>(n), d);
  }
  return sym::Number::real(x);
}

/// The products of the chosen rows with each other.
Matrix products(const Matrix& jacobian, const std::vector<std::size_t>& chosen) {
  Matrix rows(static_cast<Eigen::Index>(chosen.size()), jacobian.cols());
  for (std::size_t k = 0; k < chosen.size(); ++k)
    rows.row(static_cast<Eigen::Index>(k)) = jacobian.row(static_cast<Eigen::Index>(chosen[k]));
  return rows * rows.transpose();
}

/// The inverse of H H^T where it is the same at several points without symmetry, which are found; else empty.
std::vector<sym::Number> inverseOfProducts(Numbers& numbers, const std::vector<std::size_t>& chosen,
                                           Eigen::Index coordinates) {
  constexpr int points = 5;
  constexpr double same = 1e-9;
  Matrix first;
  for (int k = 0; k < points; ++k) {
    Eigen::VectorXd x(coordinates);
    if (!findPoint(numbers, x, k)) return {};
    const Matrix here = products(numbers.jacobian, chosen);
    if (k == 0) first = here;
    if (!((here - first).cwiseAbs().maxCoeff() <= same * first.cwiseAbs().maxCoeff())) return {};
  }
  const Matrix inverse = linear::LU(first).solve(Matrix::Identity(first.rows(), first.cols()));
  std::vector<sym::Number> list;
  for (Eigen::Index k = 0; k < inverse.size(); ++k) list.push_back(rational(inverse.data()[k]));
  return list;
}

} // namespace

Constraints::Constraints(sym::Program& program, const sema::Manifold& manifold)
    : p_(program), g_(program.graph()), m_(manifold), point_(sema::dummies(g_, manifold.point(), "q")) {
  const sema::Tuple q = sema::loads(g_, point_, {});
  for (const sema::HeldEquation& e : manifold.holds(q)) {
    const Expr difference = g_.sub(e.left, e.right);
    for (const Expr& c : sema::entries(g_, {difference})) {
      if (std::find(equations_.begin(), equations_.end(), c) == equations_.end() && !c->isZero())
        equations_.push_back(c);
    }
  }
  const auto dimension = manifold.dimension();
  if (dimension)
    choose(sizeOfParts(manifold.point()) - *dimension);
  else
    refusal_ = m_.name() + " has a dimension that its declaration does not tell";
}

void Constraints::choose(int wanted) {
  if (wanted <= 0) return;
  const auto refuse = [&](const std::string& found) {
    refusal_ = fmt::format("{} has {} more coordinates than dimensions, and {}", m_.name(), wanted, found);
    chosen_.clear();
  };
  if (equations_.empty()) return refuse("no `holds` that says how they depend on each other");
  const std::vector<sema::Tuple> rows = gradients();
  Numbers numbers(g_, point_, equations_, rows);
  Eigen::VectorXd x(sizeOfParts(m_.point()));
  if (!findPoint(numbers, x)) return refuse("no point was found where its `holds` is true");
  // Gram-Schmidt in the order of declaration. A row that is small beside all others is what round-off leaves of terms
  // that cancel.
  constexpr double independent = 1e-6, roundOff = 1e-10;
  const double largest = numbers.jacobian.rowwise().norm().maxCoeff();
  std::vector<Eigen::VectorXd> basis;
  for (std::size_t k = 0; k < equations_.size() && static_cast<int>(basis.size()) < wanted; ++k) {
    Eigen::VectorXd row = numbers.jacobian.row(static_cast<Eigen::Index>(k)).transpose();
    const double size = row.norm();
    for (const Eigen::VectorXd& b : basis) row -= b.dot(row) * b;
    if (!(row.norm() > independent * size && size > roundOff * largest)) continue;
    basis.push_back(row.normalized());
    chosen_.push_back(k);
  }
  const int found = count();
  if (found < wanted)
    return refuse(fmt::format("its `holds` has {} independent equation{}", found, found == 1 ? "" : "s"));
  inverse_ = inverseOfProducts(numbers, chosen_, x.size());
}

std::vector<sema::Tuple> Constraints::gradients() const {
  std::vector<sema::Tuple> rows;
  for (const Expr& c : equations_) rows.push_back(lmc::sema::transposed(p_, {c}, point_, {g_.number(1)}));
  return rows;
}

sym::Shape Constraints::shape() const {
  return count() == 1 ? sym::Shape::scalar() : sym::Shape::vec(count());
}

Expr Constraints::stacked(const std::vector<Expr>& values) const {
  return values.size() == 1 ? values[0] : g_.vector(values);
}

Expr Constraints::value(const sema::Tuple& point) const {
  std::vector<Expr> values;
  for (const std::size_t k : chosen_) values.push_back(sema::replaceArrays(g_, {equations_[k]}, point_, point)[0]);
  return stacked(values);
}

Expr Constraints::rate(const sema::Tuple& point, const sema::Tuple& velocity) const {
  std::vector<Expr> values;
  for (const std::size_t k : chosen_)
    values.push_back(sema::directional(p_, {equations_[k]}, point_, velocity, point)[0]);
  return stacked(values);
}

sema::Tuple Constraints::transposed(const sema::Tuple& point, Expr multiplier) const {
  sema::Tuple sum = sema::zero(g_, m_.point());
  for (std::size_t k = 0; k < chosen_.size(); ++k) {
    const Expr factor = chosen_.size() == 1 ? multiplier : g_.entry(multiplier, static_cast<int>(k));
    sum = sema::add(g_, sum, lmc::sema::transposed(p_, {equations_[chosen_[k]]}, point_, {factor}));
  }
  return sema::replaceArrays(g_, sum, point_, point);
}

} // namespace lmc::methods
