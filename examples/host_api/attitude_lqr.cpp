// A linear quadratic regulator on SO(3), from the linearization of a step.
//
// A rigid body is to be turned to a given attitude and held there by torques. The regulator is designed in the tangent
// space at the goal: the step of the method, linearized there, is z+ = Phi z + Gamma u, and u = -K z minimizes the sum
// of z·Q z + u·R u. In the loop z is the tangent vector at the goal that leads to the present state, so that large
// errors of attitude are rotations, too, and no chart has a singularity in the way.
#include <lmc/lmc.hpp>

#include <Eigen/Dense>

#include <cstdio>
#include <iostream>

namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

const char* const text = R"(
model Satellite {
  param J : mat(3,3) = diag(1, 2, 3);
  input torque : vec(3) = [0, 0, 0];
  config R : SO(3) velocity Omega;
  lagrangian = 0.5*dot(Omega, J*Omega);
  force on R = torque;
  initial R = SO(3).exp([1.4, -0.8, 0.9]);
  initial Omega = [0.2, 0.1, -0.3];
  simulate { method = RKMK4; step = 0.05; }
}
)";

/// The gain K of the regulator, by iterating Riccati's equation to its fixed point.
Matrix regulator(const Matrix& phi, const Matrix& gamma, const Matrix& q, const Matrix& r) {
  Matrix p = q, k;
  for (int turn = 0; turn < 10000; ++turn) {
    const Matrix s = r + gamma.transpose() * p * gamma;
    k = s.ldlt().solve(gamma.transpose() * p * phi);
    const Matrix next = q + phi.transpose() * p * (phi - gamma * k);
    const double change = (next - p).norm();
    p = next;
    if (change < 1e-12 * p.norm()) break;
  }
  return k;
}

Matrix columns(lmc::Span<const double> numbers, std::size_t rows) {
  return Eigen::Map<const Matrix>(numbers.data(), static_cast<Eigen::Index>(rows),
                                  static_cast<Eigen::Index>(numbers.size() / rows));
}

} // namespace

int main() {
  const lmc::Compilation c = lmc::compileText("satellite.lie", text);
  if (!c) {
    std::cerr << c.format();
    return 1;
  }
  const double h = c.model->settings().step;

  // The goal: upright and at rest. Its state is R by rows, then Omega.
  lmc::Linearization goal(*c.model);
  const double rest[] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
  std::copy(std::begin(rest), std::end(rest), goal.state().begin());
  const lmc::Jacobians j = goal.jacobians(lmc::Linearized::Step, h);
  const Matrix phi = columns(j.state, j.rows), gamma = columns(j.inputs, j.rows);
  const Matrix k = regulator(phi, gamma, Matrix::Identity(6, 6), 0.5 * Matrix::Identity(3, 3));
  const double radius = (phi - gamma * k).eigenvalues().cwiseAbs().maxCoeff();
  std::printf("largest eigenvalue of the closed loop: %.4f\n", radius);

  lmc::Workspace w = c.model->workspace();
  double error = 0;
  for (int step = 0; step <= 400; ++step) {
    const std::vector<double> z = goal.difference(w.state());
    const auto x = Eigen::Map<const Vector>(z.data(), 6);
    error = x.norm();
    if (step % 40 == 0)
      std::printf("t = %5.2f   angle %.6f   rate %.6f\n", w.time(), x.head(3).norm(), x.tail(3).norm());
    const Vector torque = -k * x;
    w.setInput("torque", torque);
    w.step(h);
  }
  return radius < 1 && error < 1e-4 ? 0 : 1;
}
