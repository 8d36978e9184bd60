// Derivatives across impacts and changes of contacts, against differences of runs.
#include "JumpDifferences.h"

using host::expectDifferences;

TEST(JumpContacts, OfContactsWithFrictionAndRotation) {
  // A disk that hits the floor obliquely: it sticks at the impact, then slides at others.
  const auto disk = [](const std::string& friction, const std::string& w) {
    return R"(
model Disk {
  param m = 1.2;  param r = 0.3;  param g = 9.81;  param mu = )" +
           friction + R"(;  param e = 0.7;
  config x : R^2 velocity v;
  config phi : R velocity w;
  lagrangian = 0.5*m*dot(v, v) + 0.25*m*r^2*w^2 - m*g*x[2] - 0.2*x[1]^2;
  contact floor : x[2] >= r + 0.05*x[1] { restitution = e; friction = mu; slip = v[1] + r*w; }
  initial x = [0, 0.8];
  initial v = [0.9, 0];
  initial w = )" +
           w + R"(;
  observe there = x[1] + x[2] + r*phi;
  simulate { method = RKMK4; time = 0..1; step = 0.01; }
}
)";
  };
  expectDifferences(disk("0.6", "0.5"), 0.01, 90); // sticks
  expectDifferences(disk("0.05", "8"), 0.01, 90);  // slides
}

TEST(JumpContacts, OfABallInSpaceWhoseSlipTurns) {
  const auto thrown = [](const std::string& friction) {
    return R"(
model Thrown {
  param m = 0.8;  param r = 0.25;  param mu = )" +
           friction + R"(;  param e = 0.75;
  config x : R^3 velocity v;
  config R : SO(3) velocity W in space;
  lagrangian = 0.5*m*dot(v, v) + 0.2*m*r^2*dot(W, W) - 9.81*m*x[3] - 0.3*dot(e1, R*e2);
  contact floor : x[3] >= r + 0.02*sin(x[1]) {
    restitution = e/(1 + 0.1*norm(v));
    friction = mu*(1 + 0.2*x[2]);
    slip = along_ground(v - r*cross(W, e3), e3);
  }
  initial x = [0, 0.3, 1];
  initial v = [0.7, -0.4, 0.2];
  initial W = [3, 1, -2];
  observe there = x[1] + W[2] + dot(e3, R*e1);
  simulate { method = RKMK4; time = 0..1; step = 0.01; }
}
)";
  };
  expectDifferences(thrown("0.08"), 0.01, 100); // slides
  expectDifferences(thrown("0.9"), 0.01, 100);  // sticks
}

/// Compression and expansion, that stick, slide and turn from one to the other.
TEST(JumpContacts, OfPoissonsLaw) {
  const auto rods = [](const std::string& mu, const std::string& w) {
    return R"(
model Rods {
  param mu = )" +
           mu + R"(;  param e = 0.6;  param g = 9.81;
  config p : R velocity u;
  config q : R velocity w;
  lagrangian = 2/3*u^2 + w^2/6 + 0.5*cos(p - q)*u*w + 1.5*g*cos(p) + 0.5*g*cos(q);
  contact floor : 1.83 >= cos(p) + cos(q) { restitution = e*(1 + 0.01*u); friction = mu; slip = cos(p)*u + cos(q)*w; }
  initial p = 0.6;
  initial q = 0.9;
  initial u = -0.2;
  initial w = )" +
           w + R"(;
  observe there = sin(p) + sin(q);
  simulate { method = RKMK4; time = 0..1; step = 0.01; law = poisson; }
}
)";
  };
  for (const std::string mu : {"0.05", "0.3", "0.8"})
    for (const std::string w : {"-1", "0.7"}) {
      SCOPED_TRACE(mu + " " + w);
      expectDifferences(rods(mu, w), 0.01, 50);
    }
  const std::string ball = R"(
model Thrown {
  param m = 0.8;  param r = 0.25;  param mu = 0.3;  param e = 0.75;
  config x : R^3 velocity v;
  config R : SO(3) velocity W in space;
  lagrangian = 0.5*m*dot(v, v) + 0.2*m*r^2*dot(W, W) - 9.81*m*x[3] - 0.3*dot(e1, R*e2) - 0.05*v[3]*W[1];
  contact floor : x[3] >= r + 0.02*sin(x[1]) {
    restitution = e; friction = mu; slip = along_ground(v - r*cross(W, e3), e3);
  }
  initial x = [0, 0.3, 1];
  initial v = [0.7, -0.4, 0.2];
  initial W = [3, 1, -2];
  observe there = x[1] + W[2] + dot(e3, R*e1);
  simulate { method = RKMK4; time = 0..1; step = 0.01; law = poisson; }
}
)";
  expectDifferences(ball, 0.01, 100);
}

TEST(JumpContacts, OfImpactsInTurnAndOfFamilies) {
  // A cradle of balls that touch: one after the other.
  expectDifferences(R"(
model Cradle {
  param N : int = 3;
  param d = 0.1;  param e = 0.9;
  config x[N] : R velocity v;
  lagrangian = sum(i in 1..N : 0.5*(1 + 0.2*i)*v[i]^2 - 2*(x[i] - d*i)^2);
  contact pair[i in 2..N] : x[i] - x[i-1] >= d { restitution = e; }
  initial x[i in 1..N] = d*i - (if i == 1 then 0.3 else 0.02*(3 - i));
  observe there = x[1] + 2*x[3];
  simulate { method = RKMK4; time = 0..1; step = 0.01; simultaneous = sequential; }
}
)",
                    0.01, 140);
  expectDifferences(R"(
model Family {
  param N : int = 3;
  param c = 0.8;
  config x[N] : R velocity v;
  lagrangian = sum(i in 1..N : 0.5*v[i]^2 - 0.5*i*x[i]^2);
  discrete kept[i in 1..N] = 0;
  event low[i in 1..N] = falling(x[i] + 0.1*i) {
    reset v[i] = -c*v[i] + 0.1*kept[i];
    reset kept[i] = x[i]*v[i] + c;
  }
  initial x[i in 1..N] = 1 + 0.1*i;
  observe there = x[1] + 2*x[3] + kept[2];
  simulate { method = RKMK4; time = 0..1; step = 0.02; }
}
)",
                    0.02, 300, 1e-5, 1e-6);
}

TEST(JumpContacts, OfAContactThatClosesAndSlidesToRest) {
  expectDifferences(R"(
model Block {
  param mu = 0.4;  param g = 9.81;
  config x : R^2 velocity v;
  lagrangian = 0.5*dot(v, v) - g*x[2];
  contact floor : x[2] >= 0 { friction = mu; slip = v[1]; }
  initial x = [0, 0.4];
  initial v = [2, 0.5];
  observe there = x[1];
  simulate { method = RKMK4; time = 0..2; step = 0.01; }
}
)",
                    0.01, 150);
}

TEST(JumpContacts, OfSeveralContactsTogether) {
  // Two balls between walls: one rests on the floor while the other falls on it.
  expectDifferences(R"(
model Two {
  param g = 9.81;  param e = 0.5;
  config a : R velocity va;
  config b : R velocity vb;
  config c : R velocity vc;
  lagrangian = 0.5*va^2 + vb^2 + 0.7*vc^2 - g*a - 2*g*b;
  contact floor : a >= 0;
  contact pair : b - a >= 0.3 { restitution = e; }
  contact wall : c + 0.2*b <= 1.4 { restitution = 0.9; }
  initial b = 1;
  initial vc = 2;
  observe there = a + 2*b + c;
  simulate { method = RKMK4; time = 0..1; step = 0.01; }
}
)",
                    0.01, 90, 1e-4, 1e-7, true);
}

TEST(JumpContacts, WithAConstraintBesideTheContact) {
  expectDifferences(R"(
model Pendulum {
  param g = 9.81;  param e = 0.9;
  config x : R^2 velocity v;
  lagrangian = 0.5*dot(v, v) - g*x[2];
  constraint rod : dot(x, x) = 1;
  contact wall : x[1] >= 0.1 { restitution = e; }
  initial x = [0.8, -0.6];
  observe there = x[1] + v[2];
  simulate { method = RKMK4; time = 0..1; step = 0.005; }
}
)",
                    0.005, 200);
}
