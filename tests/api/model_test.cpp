// What a host is told about a model.
#include "Support.h"

#include <algorithm>

using namespace host;

TEST(HostModel, DescribesVariables) {
  const lmc::Model m = ofExample("two_quadrotors");
  ASSERT_EQ(m.variables().size(), 3U);
  const lmc::Variable& R = m.variables()[1];
  EXPECT_EQ(R.name, "R");
  EXPECT_EQ(R.fiber, "Omega");
  EXPECT_EQ(R.manifold, "SO(3)");
  EXPECT_TRUE(R.isGroup);
  EXPECT_EQ(R.kind, lmc::VariableKind::Velocity);
  EXPECT_EQ(R.frame, lmc::Frame::Body);
  EXPECT_EQ(R.members, 2);
  EXPECT_EQ(R.dimension, 3);
  EXPECT_EQ(R.algebraDimension, 3);
  ASSERT_EQ(R.point.size(), 1U);
  EXPECT_EQ(R.point[0].offset, 6);
  EXPECT_EQ(R.point[0].rank, 2);
  EXPECT_EQ(R.point[0].rows, 3);
  EXPECT_EQ(R.point[0].columns, 3);
  EXPECT_EQ(R.point[0].size(), 18);
  EXPECT_EQ(R.fiberParts[0].offset, 24);
  EXPECT_EQ(R.algebraOffset, 3);
  EXPECT_EQ(R.tangentOffset, 6);
  EXPECT_EQ(R.tangentSize, 12);
  const lmc::Variable& q = m.variables()[2];
  EXPECT_FALSE(q.isGroup);
  EXPECT_EQ(q.dimension, 2);
  EXPECT_EQ(q.algebraDimension, 3);
  EXPECT_EQ(m.stateSize(), 6U + 18 + 6 + 12);
  EXPECT_EQ(m.algebraSize(), 15U);
  EXPECT_EQ(m.tangentSize(), 30U);
  EXPECT_EQ(m.columns().size(), m.stateSize() + 1 + m.observablesSize());
  EXPECT_EQ(m.columns()[6], "R[1][1][1]");
  EXPECT_TRUE(m.hasEnergy());
  EXPECT_TRUE(m.hasMass());
}

TEST(HostModel, DescribesParametersInputsAndObservables) {
  const lmc::Model m = ofExample("two_quadrotors");
  const auto named = [](const auto& list, const std::string& name) {
    return *std::find_if(list.begin(), list.end(), [&](const lmc::Quantity& q) { return q.name == name; });
  };
  EXPECT_EQ(m.parameters().size(), 5U);
  EXPECT_EQ(named(m.parameters(), "g").value, std::vector<double>{9.81});
  const lmc::Quantity J = named(m.parameters(), "J");
  EXPECT_EQ(J.storage.extents, std::vector<std::int64_t>{2});
  EXPECT_EQ(J.value.size(), 18U);
  ASSERT_EQ(m.inputs().size(), 2U);
  const lmc::Quantity M = named(m.inputs(), "M");
  EXPECT_TRUE(M.hasDefault);
  EXPECT_FALSE(M.isSet);
  EXPECT_EQ(M.storage.rank, 1);
  ASSERT_EQ(m.observables().size(), 2U);
  EXPECT_EQ(named(m.observables(), "right").storage.offset, 3);
  EXPECT_EQ(m.settings().step, 1e-3);
  EXPECT_EQ(m.settings().timeTo, 5);
  EXPECT_FALSE(m.settings().adaptive);
  EXPECT_EQ(m.order(), 4);
}

TEST(HostModel, DescribesOtherKindsOfVariables) {
  const lmc::Model top = ofExample("heavy_top_hamiltonian");
  EXPECT_EQ(top.variables()[0].kind, lmc::VariableKind::Momentum);
  EXPECT_EQ(top.variables()[0].frame, lmc::Frame::Space);
  EXPECT_FALSE(top.hasMass());
  const lmc::Model dual = ofExample("heavy_top_lie_poisson");
  EXPECT_EQ(dual.variables()[0].kind, lmc::VariableKind::Dual);
  ASSERT_EQ(dual.variables()[0].point.size(), 2U);
  EXPECT_EQ(dual.algebraSize(), 0U);
  EXPECT_EQ(dual.tangentSize(), 6U);
  const lmc::Model flow = ofExample("humming_top");
  EXPECT_EQ(flow.variables()[0].kind, lmc::VariableKind::State);
  EXPECT_FALSE(flow.hasEnergy());
  const lmc::Model chain = ofExample("pendulum_chain");
  EXPECT_TRUE(chain.settings().adaptive);
  EXPECT_TRUE(chain.estimatesError());
  EXPECT_EQ(chain.constants()[0].first, "N");
  EXPECT_EQ(chain.constants()[0].second, 2);
}

/// Of every homogeneous manifold of the library, and of one with conditions of its own: the tangent spaces have the
/// dimensions of the textbooks.
TEST(HostModel, TellsDimensionsOfHomogeneousManifolds) {
  const std::vector<std::pair<const char*, int>> all = {{"S^1", 1},
                                                        {"S^2", 2},
                                                        {"S^3", 3},
                                                        {"S^5", 5},
                                                        {"Stiefel(3,1)", 2},
                                                        {"Stiefel(3,2)", 3},
                                                        {"Stiefel(4,2)", 5},
                                                        {"Stiefel(5,3)", 9},
                                                        {"Grassmann(2,1)", 1},
                                                        {"Grassmann(3,1)", 2},
                                                        {"Grassmann(4,2)", 4},
                                                        {"Grassmann(5,2)", 6},
                                                        {"Pair", 4}};
  for (const auto& [name, dimension] : all) {
    const std::string manifold(name);
    const lmc::Model m = compiled(R"(
manifold Pair {
  point a : vec(3);  point b : vec(3);
  group DirectProduct(SO(3), SO(3));
  action(A, q) = (a = A.g*q.a, b = A.h*q.b);
  horizontal(q, w) = [dot(q.a, w.u), dot(q.b, w.v)];
  holds dot(a, a) = 1, dot(b, b) = 1;
}
model M {
  config q : )" + manifold + R"( velocity w;
  config y : R velocity v;
  lagrangian = 0.5*)" +
                                  (manifold == "Pair"  ? "dot(w.u, w.u) + 0.5*dot(w.v, w.v)"
                                   : manifold == "S^1" ? "w^2"
                                                       : "dot(w, w)") +
                                  R"( + 0.5*v^2;
  )" +
                                  (manifold == "S^2"    ? "initial q = e1;"
                                   : manifold == "S^1"  ? "initial q = [1, 0];"
                                   : manifold == "Pair" ? "initial q = (a = e1, b = e2);"
                                                        : "") +
                                  R"(
  simulate { method = RKMK4; time = 0..1; step = 0.1; }
})");
    EXPECT_EQ(m.variables()[0].dimension, dimension) << name;
  }
}

TEST(HostModel, ListsMethodsThatFit) {
  const lmc::Model m = compiled(pendulum);
  const auto methods = m.methods();
  const auto find = [&](const std::string& name) {
    return std::find_if(methods.begin(), methods.end(), [&](const lmc::MethodInfo& i) { return i.name == name; });
  };
  ASSERT_NE(find("RKMK4"), methods.end());
  EXPECT_EQ(find("RKMK4")->order, "4");
  EXPECT_EQ(find("RKMK4")->kind, "manifold");
  EXPECT_FALSE(find("RKMK4")->description.empty());
  ASSERT_NE(find("RKMK54"), methods.end());
  EXPECT_EQ(find("RKMK54")->order, "5(4)");
  // Each of them compiles.
  lmc::Options options;
  options.method = find("CF4")->name;
  EXPECT_TRUE(lmc::compileText("p.lie", pendulum, options));
}

TEST(HostLibrary, ListsManifolds) {
  const auto all = lmc::manifolds();
  EXPECT_GT(all.size(), 15U);
  const auto find = [&](const std::string& name) {
    const auto it = std::find_if(all.begin(), all.end(), [&](const auto& m) { return m.name == name; });
    return it == all.end() ? lmc::ManifoldInfo() : *it;
  };
  const lmc::ManifoldInfo rotations = find("SO(3)"), motions = find("SE(3)"), sphere = find("S^2"), space = find("R^n");
  EXPECT_EQ(rotations.dimension, 3);
  EXPECT_EQ(motions.dimension, 6);
  EXPECT_EQ(sphere.dimension, 2);
  EXPECT_EQ(space.dimension, std::nullopt);
  EXPECT_EQ(rotations.storage, "mat(3,3)");
  EXPECT_EQ(space.storage, "vec(n)");
  EXPECT_TRUE(rotations.isGroup && motions.isGroup && space.isGroup && !sphere.isGroup);
  for (const lmc::ManifoldInfo& m : all) EXPECT_FALSE(m.description.empty()) << m.name;
  // Those of one dimension are manifolds of models, of that dimension.
  const lmc::Compilation c =
      lmc::compileText("m.lie", "model M { config R : SO(3) velocity w; config q : S^2 velocity v; initial q = e3;"
                                " lagrangian = dot(w, w) + dot(v, v); }");
  ASSERT_TRUE(c) << c.format();
  for (const lmc::Variable& v : c.model->variables()) EXPECT_EQ(find(v.manifold).dimension, v.dimension) << v.manifold;
  EXPECT_EQ(kindOf([&] { (void)lmc::manifolds("/nowhere"); }), lmc::Error::Kind::Installation);
}

TEST(HostModel, PrintsEquations) {
  const lmc::Model m = compiled(pendulum);
  EXPECT_NE(m.equations().find("w'"), std::string::npos);
  EXPECT_NE(m.equations(lmc::Format::Latex).find("\\"), std::string::npos);
  EXPECT_EQ(m.equations(lmc::Format::Json).front(), '{');
  EXPECT_FALSE(m.timings().empty());
}

TEST(HostModel, GoesOnWithoutEquations) {
  const lmc::Model m = compiled(pendulum);
  lmc::Workspace w = m.workspace();
  (void)w.field();
  const auto timings = m.timings();
  m.release();
  m.release();
  EXPECT_EQ(kindOf([&] { (void)m.equations(); }), lmc::Error::Kind::Unavailable);
  EXPECT_EQ(kindOf([&] { (void)m.methods(); }), lmc::Error::Kind::Unavailable);
  EXPECT_EQ(kindOf([&] { w.resetInitial(); }), lmc::Error::Kind::Unavailable);
  w.step(0.01);
  lmc::Workspace other(m);
  EXPECT_EQ(other.field().size(), 6U); // was compiled before
  EXPECT_EQ(m.timings(), timings);
  const lmc::Model released = compiled(pendulum);
  released.release();
  EXPECT_EQ(kindOf([&] { (void)released.workspace().momenta(); }), lmc::Error::Kind::Unavailable);
}

TEST(HostModel, NeedsNoMethodToBeEvaluated) {
  const lmc::Model m = compiled("model M { config x : R^2 velocity v; lagrangian = 0.5*dot(v, v) - dot(x, x); }");
  EXPECT_EQ(m.method(), "");
  EXPECT_EQ(m.order(), 0);
  lmc::Workspace w = m.workspace();
  w.view("x")[0] = 3;
  EXPECT_DOUBLE_EQ(w.energy(), 9);
  EXPECT_DOUBLE_EQ(w.accelerations()[0], -6);
  EXPECT_EQ(kindOf([&] { w.step(0.1); }), lmc::Error::Kind::Unavailable);
  EXPECT_EQ(kindOf([&] { w.run(); }), lmc::Error::Kind::Unavailable);
}
