#include "Values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <unsupported/Eigen/MatrixFunctions>

namespace lmc::test {

using nlohmann::json;

namespace {

Value scalar(double x) {
  return Value::Constant(1, 1, x);
}

Value crossed(const Value& a, const Value& b) {
  return Eigen::Vector3d(a).cross(Eigen::Vector3d(b));
}

/// n of skew matrices of n(n - 1)/2 coordinates.
int sizeOfSkew(Eigen::Index coordinates) {
  int n = 2;
  while (n * (n - 1) / 2 < coordinates) ++n;
  return n;
}

/// Of three coordinates the matrix of the vector product; of more the coordinate of the rotation from axis i to axis j,
/// i < j, in the order (1,2), (1,3), …, (2,3), …, stands at (j, i).
Value hatOf(const Value& v) {
  if (v.size() == 3) {
    Value m(3, 3);
    m << 0, -v(2), v(1), v(2), 0, -v(0), -v(1), v(0), 0;
    return m;
  }
  const int n = sizeOfSkew(v.size());
  Value m = Value::Zero(n, n);
  Eigen::Index k = 0;
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j, ++k) {
      m(j, i) = v(k);
      m(i, j) = -v(k);
    }
  return m;
}

/// The coordinates of a skew matrix.
Value veeOf(const Value& m) {
  if (m.rows() == 3) return Eigen::Vector3d(m(2, 1), m(0, 2), m(1, 0));
  Value v(m.rows() * (m.rows() - 1) / 2, 1);
  Eigen::Index k = 0;
  for (Eigen::Index i = 0; i < m.rows(); ++i)
    for (Eigen::Index j = i + 1; j < m.rows(); ++j) v(k++) = m(j, i);
  return v;
}

/// c_k(s), s = theta^2: sums of (-s)^n/(2 n + k)!.
double stumpff(int k, double s) {
  double term = 1, sum = 0;
  for (int j = 1; j <= k; ++j) term /= j;
  for (int n = 0; n < 60; ++n) {
    sum += term;
    term *= -s / ((2 * n + k + 1) * (2 * n + k + 2));
  }
  return sum;
}

} // namespace

std::int64_t Values::integer(const json& tree) {
  return std::llround((*this)(tree)(0));
}

Value Values::named(const std::string& name, const std::vector<std::int64_t>& index) {
  if (index.empty())
    if (const auto it = indices_.find(name); it != indices_.end()) return scalar(static_cast<double>(it->second));
  const auto it = arrays.find(name);
  if (it == arrays.end()) {
    if (auto value = defined(name, index)) return *value;
    throw std::runtime_error("nothing is known of `" + name + "`");
  }
  const Numbers& a = it->second;
  if (a.extents.size() != index.size()) throw std::runtime_error("`" + name + "` has another number of indices");
  std::int64_t at = 0;
  for (std::size_t k = 0; k < index.size(); ++k) {
    if (index[k] < 1 || index[k] > a.extents[k]) throw std::runtime_error("`" + name + "` is read outside");
    at = at * a.extents[k] + index[k] - 1;
  }
  Value v(a.rows, a.cols);
  for (int r = 0; r < a.rows; ++r)
    for (int c = 0; c < a.cols; ++c) v(r, c) = a.values.at(static_cast<std::size_t>((at * a.rows + r) * a.cols + c));
  return v;
}

/// Lines for parts of a family add to those before them: `a[i] = a[i] + …` for fewer i.
std::optional<Value> Values::defined(const json& name, const std::vector<std::int64_t>& index) {
  const std::pair<std::string, std::vector<std::int64_t>> key(name.dump(), index);
  if (const auto soFar = building_.find(key); soFar != building_.end()) return soFar->second;
  std::optional<Value> value;
  for (const json& line : definitions) {
    // What stands for all members is compared without its indices; of "reaction(q[i])" they are those of q.
    json bare = line.at("tree").at("left");
    const bool ofCall = bare.is_array() && bare.at(0) == "call" && bare.at(1) == "reaction";
    const json left = ofCall ? bare.at(2) : bare;
    const bool plain = left.is_string();
    if (ofCall && !plain) bare[2] = left.at(1);
    if ((ofCall ? bare : plain ? left : left.at(0) == "at" ? left.at(1) : left) != name) continue;
    const std::size_t count = plain ? 0 : left.size() - 2;
    if (count != index.size()) continue;
    const auto before = indices_;
    indices_.clear();
    bool fits = true;
    for (std::size_t k = 0; k < count; ++k) {
      const json& i = left.at(k + 2); // an index of the line, or the number of one member, as `N`
      const json& tree = line.at("tree");
      const bool bound = i.is_string() && tree.contains("for") &&
                         std::any_of(tree.at("for").begin(), tree.at("for").end(),
                                     [&](const json& range) { return range.at(0) == i; });
      if (bound || (i.is_string() && !arrays.contains(i.get<std::string>())))
        indices_[i] = index[k];
      else
        fits = fits && integer(i) == index[k];
    }
    if (fits && line.at("tree").contains("for"))
      for (const json& range : line.at("tree").at("for")) {
        const std::int64_t at = indices_.at(range.at(0));
        fits = fits && at >= integer(range.at(1)) && at <= integer(range.at(2));
      }
    if (fits) {
      building_[key] = value.value_or(Value()); // nothing yet: a zero of any shape
      value = (*this)(line.at("tree").at("right"));
      building_.erase(key);
    }
    indices_ = before;
  }
  return value;
}

Value Values::operator()(const json& tree) {
  if (tree.is_number()) return scalar(tree.get<double>());
  if (tree.is_string()) return named(tree, {});
  const std::string op = tree.at(0);
  if (op == "at") {
    std::vector<std::int64_t> index;
    for (std::size_t k = 2; k < tree.size(); ++k) index.push_back(integer(tree.at(k)));
    return named(tree.at(1), index);
  }
  if (op == "call") return called(tree);
  if (op == "if") return (*this)(tree.at(1))(0) != 0 ? (*this)(tree.at(2)) : (*this)(tree.at(3));
  if (op == "sum") {
    const std::string index = tree.at(1);
    const std::int64_t lo = integer(tree.at(2)), hi = integer(tree.at(3));
    const bool excepts = tree.size() > 5;
    const std::int64_t except = excepts ? integer(tree.at(5)) : 0;
    const auto before = indices_;
    Value sum;
    for (std::int64_t k = lo; k <= hi; ++k) {
      if (excepts && k == except) continue;
      indices_[index] = k;
      const Value v = (*this)(tree.at(4));
      sum = sum.size() == 0 ? v : Value(sum + v);
    }
    if (sum.size() == 0) { // of nothing: of the shape that a term would have
      indices_[index] = lo;
      Value v;
      try {
        v = (*this)(tree.at(4));
      } catch (const std::exception&) {
        indices_[index] = hi;
        v = (*this)(tree.at(4));
      }
      sum = Value::Zero(v.rows(), v.cols());
    }
    indices_ = before;
    return sum;
  }
  return operation(op, tree);
}

namespace {

/// A unit vector in a text has no size: it has so many entries until it meets something of another size.
constexpr Eigen::Index anySize = 64;

Value fitted(const Value& v, Eigen::Index rows, Eigen::Index cols) {
  return v.topLeftCorner(v.rows() == anySize && rows != anySize ? rows : v.rows(),
                         v.cols() == anySize && cols != anySize ? cols : v.cols());
}

void fitBoth(Value& a, Value& b) {
  if (a.size() == 0 || b.size() == 0) return;
  a = fitted(a, b.rows(), b.cols());
  b = fitted(b, a.rows(), a.cols());
}

Value product(Value a, Value b) {
  if (a.size() == 1) return a(0) * b;
  if (b.size() == 1 && !(a.cols() == 1 && b.rows() == 1 && a.rows() == 1)) return a * b(0);
  b = fitted(b, a.cols(), b.cols());
  a = fitted(a, a.rows(), b.rows());
  if (a.cols() != b.rows()) throw std::runtime_error("factors whose sizes do not fit");
  return a * b;
}

} // namespace

void fit(Value& a, Value& b) {
  fitBoth(a, b);
}

Value Values::operation(const std::string& op, const json& tree) {
  std::vector<Value> a;
  for (std::size_t k = 1; k < tree.size(); ++k) a.push_back((*this)(tree.at(k)));
  if (op == "unit") {
    Value e = Value::Zero(anySize, 1);
    e(std::llround(a[0](0)) - 1) = 1;
    return e;
  }
  if (op == "times") return product(a[0], a[1]);
  if (op == "dot" || (op == "add" && a.size() == 2)) fitBoth(a[0], a[1]);
  if (op == "cross")
    for (Value& v : a) v = fitted(v, 3, 1);
  if (op == "hat") a[0] = fitted(a[0], 3, 1);
  const auto number = [&](std::size_t k) { return static_cast<int>(std::llround(a[k](0))); };
  if (op == "zeros") return Value::Zero(number(0), std::max(1, number(1)));
  if (op == "eye") return Value::Identity(number(0), number(0));
  if (op == "basis") return Value::Identity(number(0), number(0)).col(number(1) - 1);
  if (op == "neg") return -a[0];
  if (op == "div") return a[0] / a[1](0);
  if (op == "pow") return scalar(std::pow(a[0](0), a[1](0)));
  if (op == "transpose") return a[0].transpose();
  if (op == "inverse") return a[0].inverse();
  if (op == "dot") return scalar((a[0].array() * a[1].array()).sum());
  if (op == "cross") return crossed(a[0], a[1]);
  if (op == "hat") return hatOf(a[0]);
  if (op == "outer") return a[0] * a[1].transpose();
  if (op == "entry") return scalar(a.size() == 2 ? a[0](number(1) - 1) : a[0](number(1) - 1, number(2) - 1));
  if (op == "vector") {
    Value v(static_cast<Eigen::Index>(a.size()), 1);
    for (std::size_t k = 0; k < a.size(); ++k) v(static_cast<Eigen::Index>(k)) = a[k](0);
    return v;
  }
  if (op == "matrix") {
    Value m(number(0), number(1));
    for (Eigen::Index k = 0; k < m.size(); ++k) m(k / m.cols(), k % m.cols()) = a[static_cast<std::size_t>(k) + 2](0);
    return m;
  }
  Value v = a.at(0);
  for (std::size_t k = 1; k < a.size(); ++k) {
    if (op == "add" && (v.size() == 0 || a[k].size() == 0))
      v = v.size() == 0 ? a[k] : v;
    else if (op == "add")
      v += a[k];
    else if (op == "mul")
      v = v.size() == 1 ? Value(v(0) * a[k]) : Value(v * a[k](0));
    else if (op == "matmul")
      v = v.rows() == a[k].rows() && v.cols() == 1 && a[k].cols() == 1 ? scalar(v.col(0).dot(a[k].col(0)))
                                                                       : Value(v * a[k]);
    else
      throw std::runtime_error("an operation that is not known: " + op);
  }
  return v;
}

namespace {

/// Slopes at the nodes of the C2 spline: from the continuity of y'' (compiled code solves for y'').
Eigen::VectorXd slopesOf(const Eigen::VectorXd& x, const Eigen::VectorXd& y, bool periodic) {
  const Eigen::Index n = x.size();
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(n, n);
  Eigen::VectorXd b(n);
  const auto width = [&](Eigen::Index k) { return x(k + 1) - x(k); };
  const auto chord = [&](Eigen::Index k) { return (y(k + 1) - y(k)) / width(k); };
  for (Eigen::Index k = 1; k + 1 < n; ++k) {
    a(k, k - 1) = width(k);
    a(k, k) = 2 * (width(k - 1) + width(k));
    a(k, k + 1) = width(k - 1);
    b(k) = 3 * (width(k) * chord(k - 1) + width(k - 1) * chord(k));
  }
  if (periodic) {
    a(0, n - 2) = width(0);
    a(0, 0) = 2 * (width(n - 2) + width(0));
    a(0, 1) = width(n - 2);
    b(0) = 3 * (width(0) * chord(n - 2) + width(n - 2) * chord(0));
    a(n - 1, n - 1) = 1;
    a(n - 1, 0) = -1;
    b(n - 1) = 0;
  } else {
    a(0, 0) = a(n - 1, n - 1) = 2;
    a(0, 1) = a(n - 1, n - 2) = 1;
    b(0) = 3 * chord(0);
    b(n - 1) = 3 * chord(n - 2);
  }
  return a.partialPivLu().solve(b);
}

} // namespace

/// With a prime for each derivative.
Value Values::curve(const std::string& shown, double at) {
  const std::string name = shown.substr(0, shown.find('\''));
  const auto order = static_cast<int>(shown.size() - name.size());
  const auto it = std::find_if(tables.begin(), tables.end(), [&](const json& t) { return t.at("name") == name; });
  if (it == tables.end()) throw std::runtime_error("no table is called `" + name + "`");
  const auto column = [&](const std::string& of) {
    const Numbers& c = arrays.at(of);
    return Eigen::VectorXd(
        Eigen::Map<const Eigen::VectorXd>(c.values.data(), static_cast<Eigen::Index>(c.values.size())));
  };
  const Eigen::VectorXd x = column(it->at("over"));
  const Eigen::Index n = x.size();
  const double period = x(n - 1) - x(0);
  if (it->at("ends") == "periodic") at -= period * std::floor((at - x(0)) / period);
  if (it->at("ends") == "hold" && (at < x(0) || at > x(n - 1))) {
    if (order > 0) return Value::Zero(static_cast<Eigen::Index>(it->at("columns").size()), 1);
    at = at < x(0) ? x(0) : x(n - 1);
  }
  Eigen::Index k = 0;
  while (k + 2 < n && x(k + 1) <= at) ++k;
  Value all(static_cast<Eigen::Index>(it->at("columns").size()), 1);
  for (Eigen::Index c = 0; c < all.size(); ++c) {
    const std::string of = it->at("columns").at(static_cast<std::size_t>(c));
    const Eigen::VectorXd y = column(of);
    const double h = x(k + 1) - x(k), s = at - x(k), chord = (y(k + 1) - y(k)) / h;
    std::array<double, 4> p = {y(k), chord, 0, 0}; // powers of s
    if (it->at("curve") == "cubic") {
      auto& slopes = slopes_[name + "/" + of];
      if (slopes.size() == 0) slopes = slopesOf(x, y, it->at("ends") == "periodic");
      p = {y(k), slopes(k), (3 * chord - 2 * slopes(k) - slopes(k + 1)) / h,
           (slopes(k) + slopes(k + 1) - 2 * chord) / (h * h)};
    }
    for (int d = 0; d < order; ++d) p = {p[1], 2 * p[2], 3 * p[3], 0};
    all(c) = p[0] + s * (p[1] + s * (p[2] + s * p[3]));
  }
  return all;
}

Value Values::called(const json& tree) {
  const std::string f = tree.at(1);
  if (f == "M" || f == "c" || f == "force") { // named parts of an equation, defined beside it
    for (const json& line : definitions)
      if (line.at("tree").at("left") == tree) return (*this)(line.at("tree").at("right"));
    throw std::runtime_error("nothing says what " + tree.dump() + " is");
  }
  if (f == "reaction_of") return reactionOf(*this, tree);
  if (f == "reaction") { // of q or q[i], perhaps a part: defined among the forces of constraints
    const json& of = tree.at(2);
    std::vector<std::int64_t> index;
    for (std::size_t k = 2; of.is_array() && k < of.size(); ++k) index.push_back(integer(of.at(k)));
    json name = tree;
    if (of.is_array()) name[2] = of.at(1);
    if (auto value = defined(name, index)) return *value;
    const std::string part = tree.size() > 3 ? ", " + tree.at(3).get<std::string>() : "";
    return named("reaction(" + name.at(2).get<std::string>() + part + ")", index);
  }
  if (f == "rate") {
    json of = tree.at(2);
    const std::string part = of.size() > 3 ? "." + of.at(3).get<std::string>() : "";
    const json& q = of.at(2);
    const std::string name =
        "momentum(" + (q.is_string() ? q.get<std::string>() : q.at(1).get<std::string>()) + ")" + part + "'";
    std::vector<std::int64_t> index;
    for (std::size_t k = 2; q.is_array() && k < q.size(); ++k) index.push_back(integer(q.at(k)));
    return named(name, index);
  }
  if (f == "momentum" || f == "f" || f == "gamma") { // of q[i], perhaps a part: an element of "momentum(q).w"
    const json& of = tree.at(2);
    const std::string part = tree.size() > 3 ? "." + tree.at(3).get<std::string>() : "";
    const std::string name =
        f + "(" + (of.is_string() ? of.get<std::string>() : of.at(1).get<std::string>()) + ")" + part;
    std::vector<std::int64_t> index;
    for (std::size_t k = 2; of.is_array() && k < of.size(); ++k) index.push_back(integer(of.at(k)));
    return named(name, index);
  }
  if (f == "curve") return curve(tree.at(2), (*this)(tree.at(3))(0));
  std::vector<Value> a;
  for (std::size_t k = 2; k < tree.size(); ++k) a.push_back((*this)(tree.at(k)));
  static const std::map<std::string, double (*)(double)> scalars = {
      {"sqrt", std::sqrt}, {"exp", std::exp},   {"log", std::log},   {"sin", std::sin},    {"cos", std::cos},
      {"tan", std::tan},   {"asin", std::asin}, {"acos", std::acos}, {"atan", std::atan},  {"sinh", std::sinh},
      {"cosh", std::cosh}, {"tanh", std::tanh}, {"abs", std::fabs},  {"floor", std::floor}};
  if (f == "vee") return veeOf(fitted(a[0], 3, 3));
  if (f == "norm") return scalar(a[0].norm());
  if (f == "exp" && a[0].size() > 1) return a[0].exp();
  if (const auto it = scalars.find(f); it != scalars.end()) return scalar(it->second(a[0](0)));
  if (f == "pow") return scalar(std::pow(a[0](0), a[1](0)));
  if (f == "atan2") return scalar(std::atan2(a[0](0), a[1](0)));
  if (f == "min") return scalar(std::min(a[0](0), a[1](0)));
  if (f == "max") return scalar(std::max(a[0](0), a[1](0)));
  if (f == "trace") return scalar(a[0].trace());
  if (f == "det") return scalar(a[0].determinant());
  if (f == "diag") return a[0].asDiagonal();
  if (f == "diagonal") return a[0].diagonal();
  if (f == "mod") return scalar(a[0](0) - a[1](0) * std::floor(a[0](0) / a[1](0)));
  if (f == "div") return scalar(std::floor(a[0](0) / a[1](0)));
  if (f == "stumpff") return scalar(stumpff(static_cast<int>(a[0](0)), a[1](0)));
  if (f == "axial") return veeOf(a[0] - a[0].transpose());
  if (f == "<") return scalar(a[0](0) < a[1](0) ? 1 : 0);
  if (f == "<=") return scalar(a[0](0) <= a[1](0) ? 1 : 0);
  if (f == "==") return scalar(a[0](0) == a[1](0) ? 1 : 0);
  if (f == "!=") return scalar(a[0](0) != a[1](0) ? 1 : 0);
  if (f == "and") return scalar(a[0](0) != 0 && a[1](0) != 0 ? 1 : 0);
  if (f == "or") return scalar(a[0](0) != 0 || a[1](0) != 0 ? 1 : 0);
  if (f == "not") return scalar(a[0](0) == 0 ? 1 : 0);
  throw std::runtime_error("a function that is not known: " + f);
}

} // namespace lmc::test
