#include "differential/Spaces.h"

#include "differential/Tree.h"

#include <Eigen/LU>

namespace lmc::differential {

namespace {

using M = Matrix<Real>;

M unit(int n, int i, int j) {
  M e = M::Zero(n, n);
  e(i, j) = 1;
  return e;
}

void finish(Space& s) {
  const int n = static_cast<int>(s.basis[0].rows());
  const int d = s.algebraSize();
  M columns(n * n, d);
  for (int k = 0; k < d; ++k)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) columns(i * n + j, k) = s.basis[static_cast<std::size_t>(k)](i, j);
  s.coordinates = (columns.transpose() * columns).fullPivLu().inverse() * columns.transpose();
  if (s.constant.size() == 0) s.constant = M::Zero(s.size, s.size);
}

/// All entries of a block of the matrix, by rows.
void block(Space& s, int row, int col, int rows, int cols) {
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j) s.entries.emplace_back(row + i, col + j);
}

std::vector<M> rotations(int n) {
  if (n == 3) return {unit(3, 2, 1) - unit(3, 1, 2), unit(3, 0, 2) - unit(3, 2, 0), unit(3, 1, 0) - unit(3, 0, 1)};
  std::vector<M> list;
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j) list.push_back(unit(n, j, i) - unit(n, i, j));
  return list;
}

Piece number(const std::string& name = "") {
  return {name, 1, 1, false};
}
Piece vec(int n, const std::string& name = "") {
  return {name, n, 1, true};
}
Piece mat(int m, int n, const std::string& name = "") {
  return {name, m, n, false};
}
std::string sized(const std::string& name, int n) {
  return name + "(" + std::to_string(n) + ")";
}

/// R^n or T^n: translations; n = 0: R.
Space line(const std::string& text, int n) {
  Space s;
  s.text = text;
  const int d = n == 0 ? 1 : n;
  s.point = s.algebra = {n == 0 ? number() : vec(n)};
  s.size = s.cols = d + 1;
  for (int k = 0; k < d; ++k) s.basis.push_back(unit(d + 1, k, d));
  block(s, 0, d, d, 1);
  s.constant = M::Identity(d + 1, d + 1);
  finish(s);
  return s;
}

/// A group of square matrices that are their own storage.
Space matrices(const std::string& text, std::vector<M> basis) {
  Space s;
  s.text = text;
  const int n = static_cast<int>(basis[0].rows());
  s.point = {mat(n, n)};
  s.algebra = {basis.size() == 1 ? number() : vec(static_cast<int>(basis.size()))};
  s.size = s.cols = n;
  s.basis = std::move(basis);
  block(s, 0, 0, n, n);
  finish(s);
  return s;
}

std::vector<M> areaPreserving(int n) {
  std::vector<M> list;
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n - 1; ++k) list.push_back(unit(n, i, k < i ? k : k + 1));
  for (int i = 0; i + 1 < n; ++i) list.push_back(unit(n, i, i) - unit(n, i + 1, i + 1));
  return list;
}

M grown(const M& A, int n) {
  M B = M::Zero(n, n);
  B.topLeftCorner(A.rows(), A.cols()) = A;
  return B;
}

/// Rotations of d dimensions with `k` vectors that they turn: SE(2), SE(3), SE_2(3), TangentBundle(SO(3)).
Space motions(const std::string& text, int d, std::vector<Piece> point, std::vector<Piece> algebra) {
  Space s;
  s.text = text;
  const int k = static_cast<int>(point.size()) - 1, n = d + k;
  s.point = std::move(point);
  s.algebra = std::move(algebra);
  s.size = s.cols = n;
  for (const M& E : rotations(d)) s.basis.push_back(grown(E, n));
  block(s, 0, 0, d, d);
  for (int p = 0; p < k; ++p) {
    for (int i = 0; i < d; ++i) s.basis.push_back(unit(n, i, d + p));
    block(s, 0, d + p, d, 1);
  }
  s.constant = M::Identity(n, n);
  finish(s);
  return s;
}

Space quaternions() {
  Space s;
  s.text = "SU(2)";
  s.point = {vec(4)};
  s.algebra = {vec(3)};
  s.size = s.cols = 4;
  block(s, 0, 0, 4, 1);
  s.constant = M::Zero(4, 4);
  for (std::size_t k = 1; k < 4; ++k) { // half the left multiplication by the k-th unit
    std::vector<Real> q(4, 0);
    q[k] = 1;
    const Values<Real> L = matrixOf(s, q);
    M E(4, 4);
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) E(i, j) = L(i, j) / 2;
    s.basis.push_back(E);
  }
  finish(s);
  return s;
}

Space heisenberg(int n) {
  Space s;
  s.text = sized("Heisenberg", n);
  s.point =
      n == 1 ? std::vector{number("x"), number("y"), number("z")} : std::vector{vec(n, "x"), vec(n, "y"), number("z")};
  s.algebra =
      n == 1 ? std::vector{number("a"), number("b"), number("c")} : std::vector{vec(n, "a"), vec(n, "b"), number("c")};
  s.size = s.cols = n + 2;
  for (int k = 0; k < n; ++k) s.basis.push_back(unit(n + 2, 0, 1 + k));
  for (int k = 0; k < n; ++k) s.basis.push_back(unit(n + 2, 1 + k, n + 1));
  s.basis.push_back(unit(n + 2, 0, n + 1));
  block(s, 0, 1, 1, n);
  block(s, 1, n + 1, n, 1);
  block(s, 0, n + 1, 1, 1);
  s.constant = M::Identity(n + 2, n + 2);
  finish(s);
  return s;
}

/// Pairs of two groups with one part each, as block matrices.
Space pairs(const Space& a, const Space& b) {
  Space s;
  s.text = "DirectProduct(" + a.text + ", " + b.text + ")";
  const auto named = [](std::vector<Piece> pieces, const std::string& name) {
    for (Piece& p : pieces) p.name = p.name.empty() ? name : name + "." + p.name;
    return pieces;
  };
  s.point = named(a.point, "g");
  for (const Piece& p : named(b.point, "h")) s.point.push_back(p);
  s.algebra = named(a.algebra, "u");
  for (const Piece& p : named(b.algebra, "v")) s.algebra.push_back(p);
  const int n = a.size, m = b.size;
  s.size = s.cols = n + m;
  const auto second = [&](const M& B) {
    M C = M::Zero(n + m, n + m);
    C.bottomRightCorner(m, m) = B;
    return C;
  };
  for (const M& E : a.basis) s.basis.push_back(grown(E, n + m));
  for (const M& E : b.basis) s.basis.push_back(second(E));
  s.entries = a.entries;
  for (const auto& [i, j] : b.entries) s.entries.emplace_back(n + i, n + j);
  s.constant = grown(a.constant, n + m) + second(b.constant);
  finish(s);
  return s;
}

Space moved(const std::string& text, int n, int cols, Acts acts) {
  Space s;
  s.text = text;
  s.acts = acts;
  s.size = n;
  s.cols = cols;
  s.point = {cols == 1 ? vec(n) : mat(n, cols)};
  s.basis = rotations(n);
  s.algebra = {s.basis.size() == 1 ? number() : vec(static_cast<int>(s.basis.size()))};
  block(s, 0, 0, n, cols);
  s.stiefel = acts == Acts::OnVectors && cols > 1;
  finish(s);
  return s;
}

/// A group that the model declares by a basis: other generators of a group of matrices, conjugated by S.
Space declared(const std::string& name, const std::vector<M>& basis, const M& mixed, const M& S) {
  std::vector<M> skewed;
  const M inverse = S.fullPivLu().inverse();
  for (Eigen::Index k = 0; k < mixed.rows(); ++k) {
    M E = M::Zero(S.rows(), S.cols());
    for (Eigen::Index l = 0; l < mixed.cols(); ++l)
      E += mixed(k, l) * (S * basis[static_cast<std::size_t>(l)] * inverse);
    skewed.push_back(E);
  }
  Space s = matrices(name, skewed);
  const int n = s.size;
  std::string text = "group " + name + " {\n  element A : mat(" + std::to_string(n) + "," + std::to_string(n) +
                     ");\n  algebra w : vec(" + std::to_string(s.algebraSize()) + ");\n  basis = [";
  for (std::size_t k = 0; k < skewed.size(); ++k) {
    text += k == 0 ? "[" : ",\n           [";
    for (int i = 0; i < n; ++i) {
      text += i == 0 ? "[" : ", [";
      for (int j = 0; j < n; ++j) text += (j == 0 ? "" : ", ") + exactly(static_cast<double>(skewed[k](i, j)));
      text += "]";
    }
    text += "]";
  }
  s.declaration = text + "];\n}\n";
  return s;
}

M mixed3() {
  M C(3, 3);
  C << 1, 0.5L, -0.25L, 0, 2, 0.5L, 0.5L, 0, -1;
  return C;
}
M stretched() {
  M S(3, 3);
  S << 1, 0, 0, 0.5L, 2, 0, 0, -0.25L, 0.5L;
  return S;
}

std::vector<Space> all() {
  std::vector<Space> list;
  list.push_back(line("R", 0));
  list.push_back(line("R^2", 2));
  list.push_back(line("R^3", 3));
  list.push_back(line("T^2", 2));
  list.push_back(matrices("SO(2)", rotations(2)));
  list.push_back(matrices("SO(3)", rotations(3)));
  list.push_back(matrices("SO(4)", rotations(4)));
  list.push_back(quaternions());
  list.push_back(motions("SE(2)", 2, {mat(2, 2, "R"), vec(2, "x")}, {number("w"), vec(2, "v")}));
  list.push_back(motions("SE(3)", 3, {mat(3, 3, "R"), vec(3, "x")}, {vec(3, "w"), vec(3, "v")}));
  list.push_back(
      motions("SE_2(3)", 3, {mat(3, 3, "R"), vec(3, "v"), vec(3, "x")}, {vec(3, "w"), vec(3, "a"), vec(3, "v")}));
  list.push_back(motions("TangentBundle(SO(3))", 3, {mat(3, 3, "g"), vec(3, "x")}, {vec(3, "u"), vec(3, "a")}));
  list.push_back(motions("CotangentBundle(SO(3))", 3, {mat(3, 3, "g"), vec(3, "m")}, {vec(3, "u"), vec(3, "a")}));
  M a(2, 2), b(2, 2), c(2, 2);
  a << 1, 0, 0, -1;
  b << 0, 1, 0, 0;
  c << 0, 0, 1, 0;
  list.push_back(matrices("SL(2)", {a, b, c}));
  list.push_back(matrices("SL(3)", areaPreserving(3)));
  list.push_back(heisenberg(1));
  list.push_back(heisenberg(2));
  list.push_back(pairs(list[5], list[2]));
  list.push_back(pairs(list[8], list[5]));
  list.push_back(moved("S^1", 2, 1, Acts::OnVectors));
  list.push_back(moved("S^2", 3, 1, Acts::OnVectors));
  list.push_back(moved("S^3", 4, 1, Acts::OnVectors));
  list.push_back(moved("Stiefel(3,2)", 3, 2, Acts::OnVectors));
  list.push_back(moved("Stiefel(4,2)", 4, 2, Acts::OnVectors));
  list.push_back(moved("Grassmann(3,1)", 3, 3, Acts::ByConjugation));
  list.push_back(declared("Turned", rotations(3), mixed3(), M::Identity(3, 3)));
  list.push_back(declared("Askew", rotations(3), mixed3(), stretched()));
  list.push_back(declared("Sheared", {a, b, c}, mixed3(), M::Identity(2, 2)));
  M plane(3, 3);
  plane << 0, -1, 0, 1, 0, 0, 0, 0, 0;
  list.push_back(declared("Planar", {plane, unit(3, 0, 2), unit(3, 1, 2)}, mixed3(), M::Identity(3, 3)));
  return list;
}

} // namespace

bool Space::flat() const {
  return declaration.empty() && (text[0] == 'R' || text[0] == 'T') && text.find('(') == std::string::npos;
}

const std::vector<Space>& spaces() {
  static const std::vector<Space> list = all();
  return list;
}

Matrix<Real> exponential(const Matrix<Real>& A) {
  Real size = A.cwiseAbs().maxCoeff();
  int halvings = 0;
  for (; size > 0.125L; size /= 2) ++halvings;
  const M B = A / std::pow(Real(2), halvings);
  M term = M::Identity(A.rows(), A.cols()), sum = term;
  for (int k = 1; k < 25; ++k) {
    term = term * B / Real(k);
    sum += term;
  }
  for (; halvings > 0; --halvings) sum = sum * sum;
  return sum;
}

} // namespace lmc::differential
