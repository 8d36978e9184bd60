// The exponential of a general matrix: scaling and squaring of diagonal Padé approximants.
#include "lower/Tape.h"
#include "runtime/Kernels.h"

#include <Eigen/Core>

#include <array>
#include <cmath>

namespace {

using Map = Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

/// N. J. Higham, "The scaling and squaring method for the matrix exponential revisited", SIAM Journal on Matrix
/// Analysis and Applications 26 (2005) 1179-1193, table 2.3: the approximant of this degree is exact to round-off up to
/// this 1-norm.
struct Approximant {
  int degree;
  double norm;
};
constexpr std::array<Approximant, 4> approximants = {
    {{3, 1.495585217958292e-2}, {5, 2.539398330063230e-1}, {7, 9.504178996162932e-1}, {9, 2.097847961257068}}};

/// r = sum_k b_(2k + odd) s^k I by powers of the square, without allocation; b as of the numerator of degree m.
class Pade {
public:
  Pade(double* work, std::int64_t n) : work_(work), n_(n) {}

  /// a <- the approximant of exp(a). False if its denominator is singular.
  bool replace(Map& a, int degree, double* pivots) {
    std::array<double, 10> b{};
    b[0] = 1;
    for (int j = 0; j < degree; ++j) b[j + 1] = b[j] * (degree - j) / ((2.0 * degree - j) * (j + 1));
    Map odd = slot(0);
    Map even = slot(1);
    Map power = slot(2);
    Map square = slot(3);
    Map next = slot(4);
    square.noalias() = a.lazyProduct(a);
    odd.setZero();
    odd.diagonal().setConstant(b[1]);
    even.setZero();
    even.diagonal().setConstant(b[0]);
    power = square;
    for (int j = 2; j <= degree; j += 2) {
      even += b[j] * power;
      odd += b[j + 1] * power;
      if (j + 2 > degree) break;
      next.noalias() = power.lazyProduct(square);
      power = next;
    }
    next.noalias() = a.lazyProduct(odd);
    // (even - a odd)^-1 (even + a odd)
    a = even + next;
    even -= next;
    if (lmc_lu_factor(even.data(), pivots, n_) != lmc::tape::Ok) return false;
    lmc_lu_solve(even.data(), pivots, a.data(), n_, n_);
    return true;
  }

  Map slot(int k) { return {work_ + k * n_ * n_, n_, n_}; }

private:
  double* work_;
  std::int64_t n_;
};

} // namespace

std::int32_t lmc_matrix_exponential(double* a, double* work, double* pivots, std::int64_t n) noexcept {
  Map m(a, n, n);
  const double norm = m.cwiseAbs().colwise().sum().maxCoeff();
  if (!std::isfinite(norm)) {
    m.setConstant(std::nan("")); // the run reports a state that is not finite
    return lmc::tape::Ok;
  }
  Pade pade(work, n);
  int squarings = 0;
  int degree = approximants.back().degree;
  for (const Approximant& p : approximants) {
    if (norm > p.norm) continue;
    degree = p.degree;
    break;
  }
  if (norm > approximants.back().norm) {
    squarings = static_cast<int>(std::ceil(std::log2(norm / approximants.back().norm)));
    m *= std::ldexp(1.0, -squarings);
  }
  if (!pade.replace(m, degree, pivots)) return lmc::tape::SingularMatrix;
  Map square = pade.slot(0);
  for (int k = 0; k < squarings; ++k) {
    square.noalias() = m.lazyProduct(m);
    m = square;
  }
  return lmc::tape::Ok;
}
