// Impulses of many contacts with Coulomb's law, each of which acts on few bodies.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lmc::runtime {

/// Contacts as rows between velocities whose mass matrix has blocks: u = u0 + H dv, dv = M^-1 H^T P. The first row of a
/// contact is the rate of its normal, up to two more are its slip.
///
/// u_N >= bound, P_N >= 0, one of both equal; |P_T| <= mu P_N, and P_T = -mu P_N u_T/|u_T| where u_T is not zero.
class ConeSweeps {
public:
  static constexpr std::size_t mostRows = 3;
  using Rows = std::array<double, mostRows>;

  /// The rows of a contact over the velocities of one block, and M^-1 times their transpose.
  struct Block {
    std::size_t column = 0, dimension = 0; ///< its velocities
    std::vector<double> rows;              ///< `rows` of the contact times dimension, row by row
    std::vector<double> response;          ///< likewise: row r is M^-1 times row r of `rows`
  };
  struct Contact {
    std::size_t rows = 1; ///< 1 without friction, 2 in the plane, 3 in space
    double friction = 0;  ///< mu
    Rows rate{};          ///< u0: without impulses
    double bound = 0;
    Rows impulse{}; ///< P: where the sweeps begin, and what they find
    std::vector<Block> blocks;
  };

  struct Result {
    std::int64_t sweeps = 0;
    /// The largest change of a rate that solving a contact again would make, in units of the largest rate that an
    /// impulse makes at its own contact; the last sweep has measured it.
    double residual = 0;
    double scale = 0; ///< that largest rate
    bool solved = false;
  };

  /// Sweeps over the contacts, each solved exactly with the others as they are, accelerated by directions that are
  /// conjugate as those of nonlinear conjugate gradients are (M. Silcowitz-Hansen, S. Niebe, K. Erleben, "A nonsmooth
  /// nonlinear conjugate gradient method for interactive contact force problems", The Visual Computer 26 (2010)
  /// 893-901), until `residual` is at most `tolerance`, or has not become smaller for a long time, or `most` sweeps are
  /// over. `change` is dv, of all velocities.
  static Result solve(std::vector<Contact>& contacts, std::vector<double>& change, double tolerance, std::int64_t most);

  /// The impulses of one contact alone: those with W P + b >= (bound, ·) and the laws above. W is the symmetric matrix
  /// that an impulse of its own acts by, row by row with `mostRows` numbers a row. In the sliding case
  /// (W + diag(0, s, s)) P = -b with the one s > 0 for which |P_T| = mu P_N.
  static Rows alone(std::size_t rows, const std::array<double, mostRows * mostRows>& w, const Rows& b, double friction);
};

} // namespace lmc::runtime
