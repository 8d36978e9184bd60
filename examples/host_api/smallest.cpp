// The smallest program: a model in a text, compiled and stepped.
#include <lmc/lmc.hpp>

#include <iostream>

int main() {
  const lmc::Compilation compilation = lmc::compileText("top.lie", R"(
    model Top {
      param J : mat(3,3) = diag(0.234375, 0.46875, 0.234375);
      config R : SO(3) velocity Omega;
      lagrangian = 0.5*dot(Omega, J*Omega) + 30*dot([0, 0, -9.81], R*[0, 1, 0]);
      initial Omega = [0, 150, -4.61538];
      simulate { method = RKMK4; }
    })");
  if (!compilation) {
    std::cerr << compilation.format();
    return 1;
  }
  lmc::Workspace top = compilation.model->workspace();
  const double before = top.energy();
  top.step(1e-3, 1000); // a thousand steps of a millisecond

  const lmc::View R = top.view("R"); // the state itself, not a copy
  std::cout << "axis at t = " << top.time() << ": " << R(0, 1) << ' ' << R(1, 1) << ' ' << R(2, 1) << '\n'
            << "relative energy error: " << (top.energy() - before) / before << '\n';
}
