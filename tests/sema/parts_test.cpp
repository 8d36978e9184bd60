// Values by parts: what is set changes and nothing else; flows by parts; elements in `let` and in semidirect products;
// numbers of files in the shape of their place.
#include "sema/Support.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace lmc::sema;
using namespace lmc::test;
using namespace lmc;

namespace {

struct Outcome {
  Checked checked;
  std::unique_ptr<Evaluate> values;

  /// The initial numbers of a state array, by its name.
  Numbers initial(const std::string& name) {
    if (!checked.model) return {};
    for (const InitialValue& v : checked.model->initials)
      if (v.state->name == name) return values->array(v.value);
    ADD_FAILURE() << "no state " << name;
    return {};
  }
  Numbers parameter(const std::string& name) {
    if (!checked.model) return {};
    for (const Parameter& p : checked.model->parameters)
      if (p.name == name) return values->array(p.array);
    return {};
  }
  Numbers observed(const std::string& name) {
    return checked.model ? values->array(observable(*checked.model, name)) : Numbers(3);
  }
};

Outcome outcome(const std::string& text, const Inputs& inputs = {}) {
  Outcome o{check(text, inputs), nullptr};
  EXPECT_TRUE(o.checked.model) << o.checked.text();
  if (!o.checked.model) return o;
  o.values = std::make_unique<Evaluate>(o.checked.model->program);
  setInitials(*o.checked.model, *o.values);
  return o;
}

const char* const bodies = "model M {\n"
                           "  config X : SE(3) velocity u;\n"
                           "  config Y[3] : SE(2) velocity y;\n"
                           "  state H : Heisenberg(2);\n"
                           "  state mu : dual(SE(3));\n"
                           "  flow H = (a = [0, 0], b = [0, 0], c = 0);\n"
                           "  flow mu = (w = [0, 0, 0], v = [0, 0, 0]);\n"
                           "  lagrangian = 0.5*dot(u.w, u.w) + 0.5*dot(u.v, u.v)\n"
                           "    + sum(i in 1..3: 0.5*y[i].w^2 + 0.5*dot(y[i].v, y[i].v));\n"
                           "  initial X = (R = SO(3).exp([0, 0, pi/2]), x = [1, 2, 3]);\n"
                           "  initial u = (w = [1, 2, 3], v = [4, 5, 6]);\n"
                           "  initial Y[i in 1..3] = (R = eye(2), x = [i, 10*i]);\n"
                           "  initial y = (w = 1, v = [2, 3]);\n"
                           "  initial mu = (w = [1, 2, 3], v = [4, 5, 6]);\n"
                           "  initial H = (x = [1, 2], y = [3, 4], z = 5);\n"
                           "}\n";

Outcome set(const std::vector<Override>& overrides) {
  return outcome(bodies, {overrides, {}, {}});
}

} // namespace

TEST(Parts, ThatAreSetChangeAloneInASingleElement) {
  const Outcome before = set({});
  for (const auto& [name, wanted] : std::vector<std::pair<std::string, Numbers>>{{"X.x", {5, 6, 7}},
                                                                                 {"u.w", {3, 3, 3}},
                                                                                 {"u.v", {8, 8, 9}},
                                                                                 {"mu.w", {0, 1, 0}},
                                                                                 {"mu.v", {7, 1, 0}},
                                                                                 {"H.y", {6, 7}}}) {
    std::string value = "[";
    for (const double x : wanted) value += (value.size() > 1 ? ", " : "") + std::to_string(int(x));
    Outcome after = set({{name, value + "]"}});
    ASSERT_TRUE(after.values);
    Outcome same = set({});
    for (const InitialValue& v : before.checked.model->initials) {
      if (v.state->name == name)
        EXPECT_EQ(after.initial(name), wanted) << name;
      else
        EXPECT_EQ(after.initial(v.state->name), same.initial(v.state->name)) << name << " changed " << v.state->name;
    }
  }
}

TEST(Parts, ThatAreSetChangeAloneInAFamily) {
  Outcome o = set({{"Y[2].x", "[7, 8]"}, {"y.v", "[0, 9]"}});
  EXPECT_EQ(o.initial("Y.x"), (Numbers{1, 10, 7, 8, 3, 30}));
  EXPECT_EQ(o.initial("Y.R"), (Numbers{1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1}));
  EXPECT_EQ(o.initial("y.v"), (Numbers{0, 9, 0, 9, 0, 9}));
  EXPECT_EQ(o.initial("y.w"), (Numbers{1, 1, 1}));
}

TEST(Parts, SayMoreThanWholesInAnyOrder) {
  const Override whole{"y", "(w = 5, v = [5, 5])"}, member{"y[2]", "(w = 6, v = [6, 6])"}, part{"y.v", "[7, 7]"},
      both{"y[2].v", "[8, 8]"};
  for (const std::vector<Override>& order :
       {std::vector{whole, member, part, both}, std::vector{both, part, whole, member},
        std::vector{member, both, whole, part}}) {
    Outcome o = set(order);
    EXPECT_EQ(o.initial("y.w"), (Numbers{5, 6, 5}));
    EXPECT_EQ(o.initial("y.v"), (Numbers{7, 7, 8, 8, 7, 7}));
  }
  EXPECT_EQ(set({{"u.w", "[1, 1, 1]"}, {"u.w", "[2, 2, 2]"}}).initial("u.w"), (Numbers{2, 2, 2})); // the later one
}

TEST(Parts, OfPartsOfProducts) {
  const std::string text = "model M {\n  config X : DirectProduct(SE(2), R^2) velocity u;\n"
                           "  lagrangian = 0.5*u.u.w^2 + 0.5*dot(u.u.v, u.u.v) + 0.5*dot(u.v, u.v);\n"
                           "  initial u = (u = (w = 1, v = [2, 3]), v = [4, 5]);\n}\n";
  Outcome o = outcome(text, {{{"u.u.v", "[8, 9]"}}, {}, {}});
  EXPECT_EQ(o.initial("u.u.v"), (Numbers{8, 9}));
  EXPECT_EQ(o.initial("u.u.w"), (Numbers{1}));
  EXPECT_EQ(o.initial("u.v"), (Numbers{4, 5}));
  Outcome inner = outcome(text, {{{"u.u", "(w = 6, v = [7, 7])"}}, {}, {}});
  EXPECT_EQ(inner.initial("u.u.w"), (Numbers{6}));
  EXPECT_EQ(inner.initial("u.v"), (Numbers{4, 5}));
}

TEST(Parts, OfWhatHasNoneAreErrors) {
  const std::string text = "model M {\n  param a = 1;\n  param n : int = 2;\n  param k[n] = 1;\n"
                           "  config x : R^2 velocity v;\n  lagrangian = 0.5*dot(v, v);\n  input f : vec(2) = -v;\n"
                           "  force on x = a*k[1]*f;\n}\n";
  for (const char* name : {"a.b", "n.b", "k.b", "k[1].b", "f.w"})
    EXPECT_EQ(check(text, {{{name, "3"}}, {}, {}}).codes(), std::vector<std::string>{"LIE0181"}) << name;
  EXPECT_EQ(check(text, {{{"x.w", "3"}}, {}, {}}).codes(), std::vector<std::string>{"LIE0128"});
}

TEST(Flows, ByParts) {
  const std::string begin = "model M {\n  state X : SE(3);\n  state Y[2] : SE(2);\n  param s = 2;\n"
                            "  flow Y[i in 1..2].v = [i, s];\n  flow Y[1].w = 4;\n  flow Y[2].w = 5;\n";
  const auto flow = [&](const std::string& statements) { return outcome(begin + statements + "}\n"); };
  Outcome o = flow("  flow X.w = [s, 0, 1];\n  flow X.v = [1, 2, 3];\n");
  ASSERT_TRUE(o.values);
  const auto& states = o.checked.model->states;
  EXPECT_EQ(o.values->array(states[0].flow[0]), (Numbers{2, 0, 1}));
  EXPECT_EQ(o.values->array(states[0].flow[1]), (Numbers{1, 2, 3}));
  EXPECT_EQ(o.values->array(states[1].flow[0]), (Numbers{4, 5}));
  EXPECT_EQ(o.values->array(states[1].flow[1]), (Numbers{1, 2, 2, 2}));
  const auto codes = [&](const std::string& statements) { return check(begin + statements + "}\n").codes(); };
  using Codes = std::vector<std::string>;
  EXPECT_EQ(codes("  flow X.w = [1, 2, 3];\n"), Codes{"LIE0165"}); // X.v is missing
  EXPECT_EQ(codes("  flow X.w = [1, 2, 3];\n  flow X = (w = [1, 2, 3], v = [1, 2, 3]);\n"), Codes{"LIE0140"});
  EXPECT_EQ(codes("  flow X.w = [1, 2, 3];\n  flow X.q = [1, 2, 3];\n"), Codes{"LIE0128"});
}

TEST(Let, NamesAnElementOfAnAlgebra) {
  Outcome o = outcome("model M {\n  config R : SO(3) velocity w;\n  let a : algebra(SO(3)) = [1, 2, 3];\n"
                      "  let b : algebra(SO(3)) = 2*w;\n  lagrangian = 0.5*dot(w, w);\n  initial w = [1, 0, 2];\n"
                      "  observe turned = SO(3).Ad(R, a + b);\n}\n");
  EXPECT_EQ(o.observed("turned"), (Numbers{3, 2, 7}));
  EXPECT_EQ(check("model M {\n  config R : SO(3) velocity w;\n  let a : algebra(S^2) = [1, 2, 3];\n"
                  "  lagrangian = 0.5*dot(w, w);\n}\n")
                .codes(),
            std::vector<std::string>{"LIE0110"});
}

TEST(Semidirect, ProductsByWhatActsOnVectors) {
  // (q, x)(p, y) = (q p, x + q y), with q a unit quaternion that turns by a right angle about e3.
  Outcome o = outcome(
      "group Screw {\n  element q : SU(2) velocity u;\n  element x : vec(3) velocity v;\n  semidirect(q, x) = q*x;\n}\n"
      "model M {\n  config r : R velocity v;\n  lagrangian = 0.5*v^2;\n"
      "  let a : Screw = (q = SU(2).exp([0, 0, pi/2]), x = [1, 2, 3]);\n"
      "  let b : Screw = (q = SU(2).exp([0, 0, 0]), x = [1, 0, 0]);\n"
      "  observe moved = Screw.product(a, b).x;\n}\n");
  ASSERT_TRUE(o.values);
  const Numbers moved = o.observed("moved"), wanted = {1, 3, 3};
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(moved[k], wanted[k], 1e-15);
}

TEST(Read, TakesTheShapeOfItsPlaceAndSkipsAHeader) {
  const auto parameter = [](const std::string& declaration, const std::string& file) {
    return outcome("model M {\n  param p" + declaration +
                       " = read(\"f.csv\");\n  config x : R velocity v;\n  lagrangian = 0.5*v^2;\n}\n",
                   {{}, {{"f.csv", file}}, {}})
        .parameter("p");
  };
  const Numbers eight = {1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_EQ(parameter("[2] : mat(2,2)", "1,2\n3,4\n5,6\n7,8\n"), eight); // one below the other
  EXPECT_EQ(parameter("[2] : mat(2,2)", "1,2,3,4\n5,6,7,8\n"), eight);   // one a row
  EXPECT_EQ(parameter("[2] : mat(2,2)", "1 2 3 4 5 6 7 8\n"), eight);    // all in a row
  EXPECT_EQ(parameter("[4] : vec(2)", "1,2,3,4\n5,6,7,8\n"), eight);
  EXPECT_EQ(parameter("[8]", "1,2,3,4\n5,6,7,8\n"), eight);
  EXPECT_EQ(parameter(" : mat(2,4)", "1\n2\n3\n4\n5\n6\n7\n8\n"), eight);
  EXPECT_EQ(parameter(" : vec(8)", "1,2\n3,4\n5,6\n7,8\n"), eight);
  EXPECT_EQ(parameter("", "7.5\n"), (Numbers{7.5}));
  EXPECT_EQ(parameter("[2] : mat(2,2)", "# made by hand\n\"J xx\",\"J [xy]\"\n1,2\n3,4\n5,6\n7,8\n"), eight);
  EXPECT_EQ(parameter(" : vec(2)", "time;angle\n1\n2\n"), (Numbers{1, 2}));
  const auto codes = [](const std::string& file) {
    return check("model M {\n  param p : vec(2) = read(\"f.csv\");\n  config x : R velocity v;\n"
                 "  lagrangian = 0.5*v^2;\n}\n",
                 {{}, {{"f.csv", file}}, {}})
        .codes();
  };
  using Codes = std::vector<std::string>;
  EXPECT_EQ(codes("1\nb\n"), Codes{"LIE0191"});      // only the first line has names
  EXPECT_EQ(codes("1.O\n1\n2\n"), Codes{"LIE0191"}); // a mistyped number is no name
  EXPECT_EQ(codes("a,1\n1\n2\n"), Codes{"LIE0191"});
  EXPECT_EQ(codes("a\nb\n1\n2\n"), Codes{"LIE0191"}); // one header
  EXPECT_EQ(codes("1\n2\n3\n"), Codes{"LIE0133"});    // as many numbers as the place has
}

TEST(Messages, HaveACure) {
  const auto text = [](const std::string& statements) { return check("model M {\n" + statements + "}\n").text(); };
  EXPECT_NE(text("  config x : vec(3) velocity v;\n  lagrangian = 0.5*dot(v, v);\n").find("R^3"), std::string::npos);
  EXPECT_NE(text("  config R : SO(3) velocity W;\n  config S : SU(2) velocity nu;\n"
                 "  lagrangian = 0.5*dot(W, W) + 0.5*dot(nu, nu);\n  observe o = W + nu;\n")
                .find("eye(3)*nu"),
            std::string::npos);
  const std::string comparison = text("  config q : R^3 velocity v;\n  lagrangian = 0.5*dot(v, v);\n"
                                      "  contact floor : q[3] = 0;\n");
  EXPECT_NE(comparison.find(">="), std::string::npos) << comparison;
}

TEST(Inputs, WithoutEffectGetAWarning) {
  const std::string begin = "model M {\n  config x : R^3 velocity v;\n  lagrangian = 0.5*dot(v, v);\n"
                            "  input u : vec(3) = -v;\n";
  const Checked unused = check(begin + "}\n");
  EXPECT_TRUE(unused.model); // a warning only
  EXPECT_NE(unused.text().find("nothing uses the input `u`"), std::string::npos) << unused.text();
  for (const char* use : {"force on x = u;", "let f = 2*u;", "observe o = u;"}) {
    const Checked used = check(begin + "  " + use + "\n}\n");
    EXPECT_EQ(used.text().find("nothing uses"), std::string::npos) << use;
  }
}
