// What wrong models are told: places, words, suggestions; everything once and nothing twice.
#include "sema/Support.h"

#include <gtest/gtest.h>

using namespace lmc;
using namespace lmc::test;

namespace {

using Errors = std::vector<std::string>;

Checked model(const std::string& statements) {
  return check("model M {\n  config x : R^3 velocity v;\n  lagrangian = 0.5*dot(v, v);\n" + statements + "\n}\n");
}

Errors errors(const std::string& statements) {
  return model(statements).errors();
}

/// The message has these words.
void expectWords(const std::string& statements, const std::vector<std::string>& words) {
  const std::string text = model(statements).text();
  for (const std::string& w : words) EXPECT_NE(text.find(w), std::string::npos) << "no `" << w << "` in\n" << text;
}

} // namespace

TEST(Errors, SpeakOfShapesInTheModellersLanguage) {
  expectWords(
      "observe a = eye(3)*[1, 2];",
      {"`eye(3)*[1, 2]`: mat(3,3) times vec(2): the columns of the left (3) must equal the length of the right (2)"});
  expectWords("observe a = x*v;", {"dot(x, v)", "cross(x, v)", "outer(x, v)"});
  expectWords("observe a = x + 1;", {"vec(3) plus real: both sides must have one shape"});
  expectWords("observe a = eye(3) + 1;", {"c*eye(3)"});
  expectWords("observe a = x*eye(3);", {"transpose(eye(3))*x"});
  expectWords("observe a = v^2;", {"did you mean", "dot(v, v)"});
  expectWords("observe a = dot(x, [1, 2]);", {"vec(3) and vec(2)"});
}

TEST(Errors, SuggestNearNames) {
  expectWords("param mass = 1; observe a = mss*x;", {"did you mean", "mass"});
  expectWords("observe a = nrom(x);", {"did you mean", "norm"});
  expectWords("simulate { methd = RKMK4; }", {"did you mean", "method"});
  expectWords("force on X = x;", {"did you mean", "x"});
  expectWords("observe a = x(1);", {"x[1]"});
}

TEST(Errors, NameTheIndexThatIsOutside) {
  expectWords("param c[4] = 1; observe a = sum(i in 1..4: c[i + 1]);",
              {"`i + 1` is 5 for i = 4", "the indices 1 to 4"});
  EXPECT_EQ(errors("param c[4] = 1;\nobserve a = sum(i in 1..4: c[i + 1]);"), (Errors{"LIE0125 5:30-34"}));
  EXPECT_EQ(errors("param c[4] = 1;\nobserve a = sum(i in 0..4: c[i]);"), (Errors{"LIE0125 5:30-30"}));
  EXPECT_EQ(errors("param c[4] = 1;\nobserve a = sum(i in 1..4 where i < 4: c[i + 1]);"), Errors{});
  EXPECT_EQ(errors("param c[4] = 1;\nobserve a = sum(i in 1..4: if i < 4 then c[i + 1] else 0);"), Errors{});
  EXPECT_EQ(errors("param c[4] = 1;\nobserve a = sum(i in 1..2, j in i..2: c[i*j]);"), Errors{});
}

TEST(Errors, DoNotCascade) {
  EXPECT_EQ(
      errors("let a = mm*2;\nlet b = a*v + a;\nlet c[i in 1..3] = b[i];\nobserve d = c[1] + sum(i in 1..3: c[i]);"),
      (Errors{"LIE0100 4:9-10"}));
  EXPECT_EQ(errors("fn f(a) = a*unknown;\nobserve d = f(1) + f(2);"), (Errors{"LIE0100 4:13-19"}));
  EXPECT_EQ(errors("config q : M^7 velocity w;\nobserve d = q + w;\nforce on q = w;\ninitial q = 1;"),
            (Errors{"LIE0102 4:12-14"}));
  EXPECT_EQ(errors("let a = b;\nlet b = a;\nobserve d = a + b;"), (Errors{"LIE0108 5:9-9"}));
  EXPECT_EQ(errors("param n : int = 0.5;\nparam c[n] = 1;\nobserve d = c[1];"), (Errors{"LIE0137 4:17-19"}));
}

TEST(Errors, AllOfAModelAreReported) {
  const Errors all =
      errors("param a = [1, 2];\nlet b = c;\nobserve d = x[4];\nflow x = 1;\ninitial z = 2;\nforce on x = [1, 2];\n"
             "simulate { step = 0; time = 1..0; }");
  EXPECT_EQ(all.size(), 8U)
      << model("param a = [1, 2];\nlet b = c;\nobserve d = x[4];\nflow x = 1;\ninitial z = 2;\nforce on x = [1, 2];\n"
               "simulate { step = 0; time = 1..0; }")
             .text();
}

TEST(Errors, InsideAFunctionNameTheCall) {
  expectWords("fn f(a) = a + [1, 2];\nobserve d = f(x);", {"in the call of `f` here"});
}

TEST(Errors, OfNamesThatNothingUses) {
  EXPECT_EQ(errors("fn f(a) = a + b;"), (Errors{"LIE0100 4:15-15"}));
  EXPECT_EQ(errors("fn f(a) = g(a);"), (Errors{"LIE0101 4:11-11"}));
  EXPECT_EQ(errors("let a = b;"), (Errors{"LIE0100 4:9-9"}));
  EXPECT_EQ(errors("param unused = 1; let alsoUnused = 2; fn f(a) = sum(i in 1..3: a[i]);"), Errors{});
}

TEST(Errors, OfCycles) {
  expectWords("let a = b; let b = c; let c = a;", {"a -> b -> c -> a"});
  expectWords("let a = a + 1;", {"`a` is defined by itself"});
  EXPECT_EQ(errors("initial x = v;\ninitial v = x;"), (Errors{"LIE0108 5:13-13"}));
}

TEST(Errors, OfTimeDerivatives) {
  EXPECT_EQ(errors("param m = 1; observe a = m';"), (Errors{"LIE0135 4:26-26"}));
  EXPECT_EQ(errors("observe a = x''; observe b = v'; observe c = dot(x', v)';"), Errors{});
  EXPECT_EQ(errors("observe a = x''';"), (Errors{"LIE0135 4:13-15"}));
  EXPECT_EQ(errors("observe a = energy';"), (Errors{"LIE0135 4:13-18"}));
  EXPECT_EQ(errors("force on x = v';"), (Errors{"LIE0136 4:14-15"}));
  EXPECT_EQ(errors("let a = v';\nflow z = a;\nstate z : R^3;"), (Errors{"LIE0136 5:10-10"}));
  EXPECT_EQ(errors("initial v = v';"), (Errors{"LIE0136 4:13-14"}));
  EXPECT_EQ(errors("constraint c : v' = zeros(3);"), (Errors{"LIE0420 4:16-17"}));
  EXPECT_EQ(errors("input u : real = 1; observe a = (u*x)';"), (Errors{"LIE0135 4:33-37"}));
  EXPECT_EQ(errors("observe a = sin(t)';"), Errors{});
}

TEST(Errors, OfThingsInTheWrongPlace) {
  EXPECT_EQ(errors("observe a = energy; observe b = momentum(x); observe c = momentum(v);"),
            (Errors{"LIE0122 4:67-67"}));
  EXPECT_EQ(errors("force on x = momentum(x);"), (Errors{"LIE0136 4:14-24"}));
  EXPECT_EQ(errors("initial x = energy*e1;"), (Errors{"LIE0136 4:13-21"}));
  EXPECT_EQ(errors("dissipation = dot(x, x);"), (Errors{"LIE0163 4:15-23"}));
  EXPECT_EQ(errors("force e1 at v;"), (Errors{"LIE0136 4:13-13"}));
  EXPECT_EQ(errors("for i in 1..2 { param a = 1; }").size(), 1U);
}

TEST(Errors, OfHamiltonianModels) {
  const auto of = [](const std::string& body) { return check("model M {" + body + "}").errors(); };
  EXPECT_EQ(of("config R : SO(3) momentum p; hamiltonian = dot(p, p);"), Errors{});
  EXPECT_EQ(of("state mu : dual(SO(3)); hamiltonian = dot(mu, mu);"), Errors{});
  EXPECT_EQ(of("state mu : dual(SO(3)); flow mu = e1;"), Errors{});
  EXPECT_EQ(of("config x : R velocity v; hamiltonian = v^2;"), (Errors{"LIE0173 1:32-32"}));
  EXPECT_EQ(of("config x : R momentum p; lagrangian = p^2;"), (Errors{"LIE0173 1:32-32"}));
  EXPECT_EQ(of("config x : R momentum p; lagrangian = p^2; hamiltonian = p^2;"), (Errors{"LIE0173 1:53-63"}));
  EXPECT_EQ(of("config x : R momentum p;"), (Errors{"LIE0162 1:17-17"}));
  EXPECT_EQ(of("config x : R momentum p; input u : real = 1; hamiltonian = p^2 + u;"), (Errors{"LIE0163 1:75-75"}));
  EXPECT_EQ(of("config x : R momentum p; hamiltonian = p^2 + velocity(x);"), (Errors{"LIE0163 1:55-65"}));
  EXPECT_EQ(of("config x : R momentum p; hamiltonian = p^2 + energy;"), (Errors{"LIE0163 1:55-60"}));
  EXPECT_EQ(of("config x : R momentum p; hamiltonian = p^2; force 1 at p;"), (Errors{"LIE0136 1:65-65"}));
  EXPECT_EQ(of("config x : dual(SO(3)) velocity v; lagrangian = 1;"), (Errors{"LIE0102 1:21-31"}));
  EXPECT_EQ(of("state mu : dual(SO(3), SO(3)); flow mu = 0;").size(), 1U);
  EXPECT_EQ(of("config x : R momentum p; hamiltonian = p^2; observe a = velocity(p);"), (Errors{"LIE0122 1:75-75"}));
  EXPECT_EQ(of("state mu : dual(SO(3)); hamiltonian = dot(mu, mu); let nu : dual(SO(3)) = mu; observe a = nu + mu;"),
            Errors{});
  EXPECT_EQ(of("state mu : dual(SO(3)); hamiltonian = dot(mu, mu); let nu : dual(SO(2)) = 1; observe a = nu + mu;"),
            (Errors{"LIE0131 1:99-105"}));
}

TEST(Errors, ShadowingIsAWarning) {
  const Checked c = model("param cross = 1; let e1 = 2; param h = 3;");
  EXPECT_TRUE(c.model);
  EXPECT_EQ(c.codes(), (Errors{"LIE0106", "LIE0106"}));
}

TEST(Errors, AModelWithoutSimulateIsFine) {
  const Checked c = model("");
  ASSERT_TRUE(c.model);
  EXPECT_FALSE(c.model->simulation.present);
  EXPECT_TRUE(check("fn f(x) = x^2;").errors().empty());
}
