#include "differential/Spaces.h"

#include "differential/Tree.h"

#include <Eigen/LU>

#include <stdexcept>

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
  if (s.constant.size() == 0) s.constant = M::Zero(s.size, s.cols);
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
  s.complement = acts == Acts::ByConjugation ? Complement::Subspace
                 : cols > 1                  ? Complement::Frame
                                             : Complement::Orthogonal;
  s.base = M::Zero(n, cols);
  if (acts == Acts::ByConjugation)
    s.base(0, 0) = 1;
  else
    for (int k = 0; k < cols; ++k) s.base(cols == 1 ? n - 1 : k, k) = 1;
  finish(s);
  return s;
}

std::string textOf(const M& A) {
  std::string text = "[";
  for (Eigen::Index i = 0; i < A.rows(); ++i) {
    text += i == 0 ? "[" : ", [";
    for (Eigen::Index j = 0; j < A.cols(); ++j) text += (j == 0 ? "" : ", ") + exactly(static_cast<double>(A(i, j)));
    text += "]";
  }
  return text + "]";
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
  for (std::size_t k = 0; k < skewed.size(); ++k) text += (k == 0 ? "" : ",\n           ") + textOf(skewed[k]);
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

M mixed6() {
  M C = M::Identity(6, 6);
  C(0, 1) = C(3, 0) = 0.5L, C(1, 4) = -0.25L, C(2, 3) = 0.75L, C(4, 5) = -0.5L, C(5, 5) = 2;
  return C;
}

/// A manifold on which a group of the list acts: storage in the block of `rows` rows, what the model declares of it.
struct Orbit {
  std::string name, point, clauses;
  Acts acts = Acts::OnVectors;
  int rows = 1, cols = 1;
  Complement complement = Complement::Orthogonal;
  double slant = 0;
};

Space orbit(const Space& group, const Orbit& o, const M& base) {
  Space s;
  s.text = o.name;
  s.group = group.declaration;
  s.declaration =
      "manifold " + o.name + " {\n  point " + o.point + ";\n  group " + group.text + ";\n" + o.clauses + "}\n";
  s.acts = o.acts;
  s.complement = o.complement;
  s.slant = static_cast<Real>(o.slant);
  s.size = static_cast<int>(base.rows());
  s.cols = static_cast<int>(base.cols());
  s.point = {o.cols == 1 ? vec(o.rows) : mat(o.rows, o.cols)};
  s.algebra = group.algebra;
  s.basis = group.basis;
  s.base = base;
  block(s, 0, 0, o.rows, o.cols);
  if (o.rows < s.size) {
    s.constant = M::Zero(s.size, 1);
    s.constant(s.size - 1, 0) = 1;
  }
  finish(s);
  return s;
}

/// Manifolds whose velocities are not orthogonal to the isotropy, in the coordinates of the algebra.
void addOrbits(std::vector<Space>& list) {
  const auto group = [&](const std::string& text) {
    for (const Space& s : list)
      if (s.text == text) return s;
    throw std::logic_error("no group " + text);
  };
  const auto unitVector = [](int n) { return M(M::Identity(n, n).col(n - 1)); };
  const Space turned = group("Turned"), askew = group("Askew");
  list.push_back(
      orbit(turned,
            {"TurnedSphere", "q : vec(3)",
             "  fn axis(W) = [W[3,2], W[1,3], W[2,1]];\n  action(A, q) = A*q;\n"
             "  horizontal(q, w) = dot(q, axis(Turned.hat(w)));\n  base = [0, 0, 1];\n  holds dot(q, q) = 1;\n",
             Acts::OnVectors, 3, 1},
            unitVector(3)));
  const M S = stretched(), T = S.fullPivLu().inverse();
  list.push_back(orbit(askew,
                       {"Ellipsoid", "q : vec(3)",
                        "  fn back(q) = " + textOf(T) +
                            "*q;\n  fn axis(W) = [W[3,2], W[1,3], W[2,1]];\n"
                            "  action(A, q) = A*q;\n  horizontal(q, w) = dot(back(q), axis(" +
                            textOf(T) + "*Askew.hat(w)*" + textOf(S) +
                            "));\n  base = [0, 0, 0.5];\n  holds dot(back(q), back(q)) = 1;\n",
                        Acts::OnVectors, 3, 1},
                       S * unitVector(3)));
  list.back().carry = S;
  list.back().uncarry = T;
  for (const char* const name : {"SL(2)", "Sheared"}) {
    list.push_back(
        orbit(group(name),
              {name[1] == 'L' ? "Positive" : "ShearedPositive", "X : mat(2,2)",
               "  fn skew(B) = B[1,2] - B[2,1];\n  action(A, X) = A*X*transpose(A);\n  horizontal(X, w) = skew(" +
                   std::string(name) + ".hat(w)*X);\n  base = eye(2);\n  holds transpose(X) = X, det(X) = 1;\n",
               Acts::ByConjugation, 2, 2, Complement::Symmetric},
              M::Identity(2, 2)));
    list.back().reach = *name == 'S' && name[1] == 'L' ? 0.5L : 0.25L; // at 1 their coordinates lose all digits
  }
  list.push_back(orbit(group("SE(2)"),
                       {"Plane", "x : vec(2)",
                        "  action(A, x) = A.R*x + A.x;\n  horizontal(x, u) = u.w;\n  random = normal(0, 1, 2);\n",
                        Acts::OnVectors, 2, 1, Complement::Translation},
                       unitVector(3)));
  list.push_back(
      orbit(group("Planar"),
            {"SkewedPlane", "x : vec(2)",
             "  action(A, x) = [A[1,1]*x[1] + A[1,2]*x[2] + A[1,3], A[2,1]*x[1] + A[2,2]*x[2] + A[2,3]];\n"
             "  fn turn(W) = W[2,1];\n  horizontal(x, w) = turn(Planar.hat(w));\n  random = normal(0, 1, 2);\n",
             Acts::OnVectors, 2, 1, Complement::Translation},
            unitVector(3)));
  list.push_back(orbit(group("SE(3)"),
                       {"Screws", "x : vec(3)",
                        "  action(A, x) = A.R*x + A.x;\n  horizontal(x, u) = u.w - 0.3*(u.v + cross(u.w, x));\n"
                        "  random = normal(0, 1, 3);\n",
                        Acts::OnVectors, 3, 1, Complement::Screw, 0.3},
                       unitVector(4)));
  const Space rotations4 = group("SO(4)"), turned4 = declared("Turned4", rotations(4), mixed6(), M::Identity(4, 4));
  for (const Space& g : {rotations4, turned4}) {
    const std::string name = g.text == "SO(4)" ? "Slanted" : "TurnedSlanted",
                      slant = g.text == "SO(4)" ? "0.75" : "-0.5";
    list.push_back(orbit(g,
                         {name, "q : vec(4)",
                          "  fn plane(u, q) = outer(u, q) - outer(q, u);\n"
                          "  fn dual(B) = [[0, B[3,4], B[4,2], B[2,3]], [B[4,3], 0, B[1,4], B[3,1]],\n"
                          "                [B[2,4], B[4,1], 0, B[1,2]], [B[3,2], B[1,3], B[2,1], 0]];\n"
                          "  action(A, q) = A*q;\n  project(q, w) = " +
                              g.text + ".vee(plane(" + g.text + ".hat(w)*q, q) + (" + slant + ")*dual(plane(" + g.text +
                              ".hat(w)*q, q)));\n  base = [0, 0, 0, 1];\n  holds dot(q, q) = 1;\n",
                          Acts::OnVectors, 4, 1, Complement::Dual, std::stod(slant)},
                         unitVector(4)));
  }
  list.push_back(orbit(turned4,
                       {"TurnedFrames", "Q : mat(4,2)",
                        "  fn beside(Q) = eye(4) - Q*transpose(Q);\n  action(A, Q) = A*Q;\n"
                        "  project(Q, w) = w - Turned4.vee(beside(Q)*Turned4.hat(w)*beside(Q));\n"
                        "  base = [[1, 0], [0, 1], [0, 0], [0, 0]];\n  holds transpose(Q)*Q = eye(2);\n",
                        Acts::OnVectors, 4, 2, Complement::Frame},
                       M::Identity(4, 2)));
  list.push_back(orbit(turned,
                       {"TurnedLines", "P : mat(3,3)",
                        "  fn mixed(P, W) = P*W + W*P - 2*P*W*P;\n  action(A, P) = A*P*transpose(A);\n"
                        "  project(P, w) = Turned.vee(mixed(P, Turned.hat(w)));\n  base = diag(1, 0, 0);\n"
                        "  holds transpose(P) = P, P*P = P, trace(P) = 1;\n",
                        Acts::ByConjugation, 3, 3, Complement::Subspace},
                       M::Identity(3, 1) * M::Identity(1, 3)));
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
  addOrbits(list);
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
