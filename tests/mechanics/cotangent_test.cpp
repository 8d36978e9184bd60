// The field on the cotangent bundle: velocities and forces as functions of momenta, of Lagrangian models by the
// Legendre transform and of Hamiltonian ones, against each other and against formulas.
#include "mechanics/Cotangent.h"
#include "mechanics/Derived.h"

using namespace lmc::mechanics;
using namespace lmc::sema;
using namespace lmc::test;
using namespace lmc;

namespace {

/// Velocity and force of factor k at a point and a momentum.
struct Values {
  Numbers velocity, force;
};

Values fieldAt(const Derived& d, const CotangentField& field, const Numbers& point, const Numbers& momentum) {
  Evaluate values = d.at({{d.factor().point[0], point}});
  const CotangentFactor& f = field.factors.at(0);
  values.set(f.momentum[0], momentum);
  Values r;
  r.velocity = values.array(f.velocity[0]);
  r.force = values.array(f.force[0]);
  return r;
}

void expectSame(const std::string& lagrangian, const std::string& hamiltonian, const Numbers& point,
                const Numbers& momentum) {
  Derived a(lagrangian);
  Derived b(hamiltonian);
  ASSERT_TRUE(a.good) << a.c.text();
  ASSERT_TRUE(b.good) << b.c.text();
  const CotangentField l = cotangentField(a.layer());
  const CotangentField h = cotangentField(b.layer());
  ASSERT_EQ(l.refusal, "");
  ASSERT_EQ(h.refusal, "");
  const Values x = fieldAt(a, l, point, momentum);
  const Values y = fieldAt(b, h, point, momentum);
  expectNear(x.velocity, y.velocity, 1e-14, "velocity");
  expectNear(x.force, y.force, 1e-14, "force");
}

const Numbers rotation = {0.36, 0.48, -0.8, -0.8, 0.6, 0, 0.48, 0.64, 0.6};

} // namespace

TEST(Cotangent, HeavyTopsInBothFormulations) {
  const std::string potential = "dot(e3, R*[0.5, 1, 0.3])";
  const std::string damping = "  dissipation = 0.1*dot(velocity(R), velocity(R));\n  force -e2 at R*e1;\n}\n";
  expectSame("model L {\n  config R : SO(3) velocity w;\n  lagrangian = 0.5*dot(w, diag(1, 2, 3)*w) - " + potential +
                 ";\n" + damping,
             "model H {\n  config R : SO(3) momentum p;\n  hamiltonian = 0.5*dot(p, inverse(diag(1, 2, 3))*p) + " +
                 potential + ";\n" + damping,
             rotation, {0.4, -1, 0.7});
  // In space the kinetic energy depends on R, and so does the force.
  expectSame("model L {\n  config R : SO(3) velocity w in space;\n  let W = transpose(R)*w;\n"
             "  lagrangian = 0.5*dot(W, diag(1, 2, 3)*W) - " +
                 potential + ";\n" + damping,
             "model H {\n  config R : SO(3) momentum p in space;\n  let P = transpose(R)*p;\n"
             "  hamiltonian = 0.5*dot(P, inverse(diag(1, 2, 3))*P) + " +
                 potential + ";\n" + damping,
             rotation, {0.4, -1, 0.7});
}

TEST(Cotangent, TermsThatAreLinearInTheVelocities) {
  // L = m |v|^2/2 + A(x)·v - U(x): p = m v + A
  const std::string field = "  fn A(x) = [x[2]^2, x[1]*x[3], 0];\n";
  expectSame("model L {\n" + field +
                 "  config x : R^3 velocity v;\n  lagrangian = dot(v, v) + dot(A(x), v) - x[1];\n}\n",
             "model H {\n" + field +
                 "  config x : R^3 momentum p;\n"
                 "  hamiltonian = dot(p - A(x), p - A(x))/4 + x[1];\n}\n",
             {0.3, -0.5, 0.9}, {1, 2, -0.4});
  // On the sphere, with a part along the isotropy.
  expectSame("model L {\n  config q : S^2 velocity w; initial q = e3;\n"
             "  lagrangian = 0.5*dot(w, w) + dot([1, -0.4, 2], w) - q[1]*q[2];\n}\n",
             "model H {\n  config q : S^2 momentum p; initial q = e3;\n  let a = p - [1, -0.4, 2];\n"
             "  hamiltonian = 0.5*(dot(a, a) - dot(q, a)^2) + q[1]*q[2];\n}\n",
             {0.6, 0, 0.8}, {-1.6, 0.5, 1.2});
}

TEST(Cotangent, MomentaOfCoupledFamiliesGiveTheirVelocities) {
  for (const char* name : {"pendulum_chain", "two_quadrotors", "spherical_pendulum", "magnetic_dipoles"}) {
    Derived d(checkFile(exampleFile(name)));
    ASSERT_TRUE(d.good) << d.c.text();
    const CotangentField field = cotangentField(d.layer());
    ASSERT_EQ(field.refusal, "") << name;
    const std::vector<ArrayTuple> momenta = momentumArrays(d.layer());
    Evaluate start = d.at();
    Evaluate values = d.at();
    for (std::size_t k = 0; k < momenta.size(); ++k) {
      for (std::size_t part = 0; part < momenta[k].size(); ++part)
        values.set(field.factors[k].momentum[part], start.array(momenta[k][part]));
    }
    for (std::size_t k = 0; k < momenta.size(); ++k) {
      for (std::size_t part = 0; part < momenta[k].size(); ++part) {
        expectNear(values.array(field.factors[k].velocity[part]), start.array(d.factor(k).velocity[part]), 1e-12, name);
        EXPECT_EQ(values.array(field.factors[k].force[part]).size(), start.array(d.factor(k).velocity[part]).size());
      }
    }
  }
}

TEST(Cotangent, IsRefusedWhenTheMassDependsOnTheVelocity) {
  Derived d("model Q {\n  config x : R velocity v;\n  lagrangian = v^4 + v^2 - x^2;\n}\n");
  ASSERT_TRUE(d.good) << d.c.text();
  EXPECT_NE(cotangentField(d.layer()).refusal.find("velocity `v`"), std::string::npos);
}
