// A controller in the loop: a quadrotor follows a circle under the geometric tracking controller of T. Lee, M. Leok,
// N. H. McClamroch, "Geometric tracking control of a quadrotor UAV on SE(3)", CDC 2010. The controller reads the state
// a hundred times a second and sets thrust and moment, which are held in between.
#include <lmc/lmc.hpp>

#include <Eigen/Dense>
#include <cmath>
#include <cstdio>

namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using RowMatrix3d = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

const Vector3d e3(0, 0, 1);

Vector3d vee(const Matrix3d& A) {
  return {A(2, 1), A(0, 2), A(1, 0)};
}

/// Position, velocity and acceleration that are asked for: a circle of radius 2 in 5 s.
struct Target {
  explicit Target(double t) {
    const double r = 2, w = 2 * M_PI / 5;
    x = Vector3d(r * std::cos(w * t), r * std::sin(w * t), -1);
    v = Vector3d(-r * w * std::sin(w * t), r * w * std::cos(w * t), 0);
    a = Vector3d(-r * w * w * std::cos(w * t), -r * w * w * std::sin(w * t), 0);
  }
  Vector3d x, v, a;
};

struct Command {
  double thrust = 0;
  Vector3d moment;
};

class Controller {
public:
  Controller(double m, double g, const Matrix3d& J) : m_(m), g_(g), J_(J) {}

  Command operator()(double t, const Vector3d& x, const Vector3d& v, const Matrix3d& R, const Vector3d& Omega) const {
    const Target target(t);
    const Vector3d force = wantedForce(target, x, v);
    const double thrust = -force.dot(R * e3);
    const Matrix3d Rd = attitude(force);
    // The wanted angular velocity, by a difference along the wanted motion.
    const double h = 1e-4;
    const Target later(t + h);
    const Vector3d acceleration = g_ * e3 - thrust / m_ * (R * e3);
    const Matrix3d Rl = attitude(wantedForce(later, x + h * v, v + h * acceleration));
    const Vector3d Omegad = vee(Rd.transpose() * (Rl - Rd)) / h;
    const Vector3d eR = 0.5 * vee(Rd.transpose() * R - R.transpose() * Rd);
    const Vector3d eOmega = Omega - R.transpose() * Rd * Omegad;
    return {thrust, -8.81 * eR - 2.54 * eOmega + Omega.cross(J_ * Omega)};
  }

private:
  Vector3d wantedForce(const Target& target, const Vector3d& x, const Vector3d& v) const {
    return -16 * m_ * (x - target.x) - 5.6 * m_ * (v - target.v) + m_ * (target.a - g_ * e3);
  }

  /// The third axis against the force, the first one near that of space.
  static Matrix3d attitude(const Vector3d& force) {
    Matrix3d Rd;
    const Vector3d b3 = -force.normalized();
    const Vector3d b2 = b3.cross(Vector3d(1, 0, 0)).normalized();
    Rd << b2.cross(b3), b2, b3;
    return Rd;
  }

  double m_, g_;
  Matrix3d J_;
};

} // namespace

int main(int argc, char** argv) {
  const lmc::Compilation compilation = lmc::compileFile(argc > 1 ? argv[1] : "quadrotor.lie");
  if (!compilation) {
    std::fputs(compilation.format().c_str(), stderr);
    return 1;
  }
  lmc::Workspace quadrotor = compilation.model->workspace();
  // Views of the state and of parameters: they always show the present values.
  const Eigen::Map<const Vector3d> x(quadrotor.view("x").data), v(quadrotor.view("v").data);
  const Eigen::Map<const RowMatrix3d> R(quadrotor.view("R").data);
  const Eigen::Map<const Vector3d> Omega(quadrotor.view("Omega").data);
  const Eigen::Map<const RowMatrix3d> J(quadrotor.parameter("J").data);
  const Controller controller(quadrotor.parameter("m")[0], quadrotor.parameter("g")[0], J);

  double error = 0;
  for (int sample = 0; sample < 1000; ++sample) { // 10 s
    const double t = quadrotor.time();
    const Command command = controller(t, x, v, R, Omega);
    quadrotor.setInput("thrust", command.thrust);
    quadrotor.setInput("moment", command.moment);
    quadrotor.step(2e-3, 5);
    error = (x - Target(quadrotor.time()).x).norm();
    if (sample % 100 == 99) std::printf("t = %4.1f s: %.4f m off the circle\n", quadrotor.time(), error);
  }
  return error < 0.05 ? 0 : 1;
}
