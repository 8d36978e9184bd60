// The tangent map of a step against differences of steps, for explicit and implicit methods.
#include "Stepper.h"
#include "methods/derivatives/StepTangent.h"

using namespace lmc::methods;
using namespace lmc::products;
using namespace lmc::runtime;
using namespace lmc::test;
using namespace lmc::unit;
using namespace lmc;

namespace {

/// A body hanging from a point on a sphere, and a point mass: a group, a homogeneous manifold, a vector space.
const char* const product = R"(
model P {
  config q : S^2 velocity w;
  config R : SO(3) velocity W;
  config x : R^2 velocity v;
  lagrangian = 0.5*dot(w, w) + 0.5*dot(W, diag(1, 2, 3)*W) + 0.5*dot(v, v) + dot(q', R*[0.1, 0.2, 0.1])
    - dot(e3, R*[0.5, 1, 0.3]) - 0.3*dot(x, x)*dot(e1, q);
  initial q = [0.6, 0, 0.8];  initial w = [0.4, 1, -0.3];
  initial W = [0.4, 1, -0.7];
  initial x = [1, 2];  initial v = [0, 1];
}
)";

/// Sixty numbers of velocities: an iteration by products with its Jacobian.
const char* const family = R"(
model S {
  param N : int = 10;
  config q[N] : S^2 velocity w;
  lagrangian = sum(i in 1..N: 0.5*dot(w[i], w[i])) + sum(i in 1..N, j in i+1..N: dot(q[i], q[j])^2/N);
  initial q[i in 1..N] = normalize([1, 0.1*i, 0.02*i^2]);
  initial w[1] = cross([1, 0.1, 0.02], [0.3, 0.2, 0.1]);
}
)";

/// The tangent map of one step of length h at time 0 on a direction, and the same by differences.
void expectTangent(const std::string& model, const std::string& method, double tolerance) {
  Derived d(model);
  ASSERT_TRUE(d.good) << d.c.text();
  const auto step = d.step(method);
  ASSERT_TRUE(step) << method << d.c.text();
  const StepTangent tangent = stepTangent(d.layer(), *step);
  constexpr double h = 0.05;

  const Layout layout = layoutOf(*d.c.model);
  UnitBuilder unit(d.program());
  readModel(unit, *d.c.model, layout);
  unit.argument(step->stepSize, 1);
  UnitBuilder::Outputs changed;
  for (std::size_t k = 0; k < step->state.size(); ++k) {
    Field change = layout.of(step->state[k]);
    change.offset += layout.stateSize;
    unit.reads(tangent.change[k], change);
    changed.push_back({tangent.changed[k], change.role, change.offset});
  }
  const int function = unit.function("tangent", 2, changed);
  const tape::Module module = unit.build().module;

  // A curve of states with a known tangent: the flow of another method, whose points are on the phase manifold.
  const auto flow = d.step("RKMK5");
  ASSERT_TRUE(flow);
  Stepper along(d, *flow), stepper(d, *step);
  const auto difference = [&](const auto& at) { // fourth order
    constexpr double e = 2e-3;
    const Numbers a = at(e), b = at(2 * e), c = at(-e), f = at(-2 * e);
    Numbers r;
    for (std::size_t k = 0; k < a.size(); ++k) r.push_back((8 * (a[k] - c[k]) - (b[k] - f[k])) / (12 * e));
    return r;
  };
  const Numbers start = along.start();
  const Numbers direction = difference([&](double e) { return along.run(e, 1); });
  const Numbers expected = difference([&](double e) { return stepper.run(h, 1, along.run(e, 1)); });

  std::vector<Numbers> memory;
  runtime::Bases bases;
  for (int r = 0; r < runtime::roleCount; ++r) memory.emplace_back(static_cast<std::size_t>(module.roleSize[r]) + 1);
  const auto data = evaluateInitialData(d.layer(), layout, std::nullopt, d.c.compilation->diagnostics());
  ASSERT_TRUE(data);
  std::copy(data->params.begin(), data->params.end(), memory[static_cast<int>(runtime::Role::Params)].begin());
  Numbers& state = memory[static_cast<int>(runtime::Role::State)];
  std::copy(start.begin(), start.end(), state.begin());
  std::copy(direction.begin(), direction.end(), state.begin() + static_cast<std::ptrdiff_t>(layout.stateSize));
  for (int r = 0; r < runtime::roleCount; ++r) bases.base[r] = memory[static_cast<std::size_t>(r)].data();
  ASSERT_EQ(tape::interpret(module, 0, bases, nullptr), runtime::Ok);
  const double arguments[] = {0, h};
  ASSERT_EQ(tape::interpret(module, function, bases, arguments), runtime::Ok) << method;
  const Numbers got(state.begin() + static_cast<std::ptrdiff_t>(layout.stateSize),
                    state.begin() + static_cast<std::ptrdiff_t>(2 * layout.stateSize));
  EXPECT_LT(distance(got, expected), tolerance) << method;
}

} // namespace

TEST(StepTangent, IsTheDerivativeOfExplicitSteps) {
  for (const char* method : {"RKMK4", "CF4", "CG4"}) expectTangent(product, method, 1e-9);
  expectTangent(family, "RKMK4", 1e-9);
}

TEST(StepTangent, IsTheDerivativeOfImplicitSteps) {
  expectTangent(product, "RKMKGL2", 1e-9); // 22 numbers and more: by products with the Jacobian
  expectTangent(product, "RKMKGL4", 1e-9);
  expectTangent(family, "RKMKGL4", 1e-9);
  const std::string top = "model T {\n  config R : SO(3) velocity w;\n"
                          "  lagrangian = 0.5*dot(w, diag(1, 2, 3)*w) - dot(e3, R*[0.5, 1, 0.3]);\n"
                          "  initial w = [0.4, 1, -0.7];\n}\n";
  for (const char* method : {"RKMKGL2", "RKMKGL4", "SLGI", "LSV", "SLGI4"}) expectTangent(top, method, 1e-9);
}
