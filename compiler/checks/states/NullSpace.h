// Linear algebra of conserved quantities: independent functions, null spaces, bases that a person can read.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace lmc::checks {

/// Columns are values of functions at many points, of size about one. A largest set of columns, earlier ones first, of
/// which no combination is constant up to `tolerance`.
[[nodiscard]] std::vector<Eigen::Index> independentFunctions(const Eigen::MatrixXd& values, double tolerance);

/// An orthonormal basis, by columns, of the vectors c with |A c| <= tolerance |c|, as far as singular values tell.
[[nodiscard]] Eigen::MatrixXd nullSpace(const Eigen::MatrixXd& a, double tolerance);

/// A basis of the space that the columns span, in reduced row echelon form: each vector has an entry 1 where all
/// others have 0. What is zero or a small fraction up to round-off is exactly that. `scales`: how large entries are,
/// where they have units of their own (a translation and a rotation of a planet); what is far below is zero. Of size 0:
/// all 1.
[[nodiscard]] std::vector<Eigen::VectorXd> readableBasis(const Eigen::MatrixXd& columns,
                                                         const Eigen::VectorXd& scales = {});

} // namespace lmc::checks
