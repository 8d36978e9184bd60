// Files, imports, the library, manifolds of the user.
#include "sema/Support.h"
#include "sema/session/Library.h"

#include <gtest/gtest.h>

using namespace lmc::sema;
using namespace lmc::test;
using namespace lmc;

namespace {

const char* const scaled = "  config x : R velocity v;\n  lagrangian = 0.5*twice(v)*v;\n}\n";

syntax::Type typeNamed(const std::string& name) {
  syntax::Type t;
  t.name = name;
  return t;
}

} // namespace

TEST(Files, ImportsBesideTheFileThenOnThePath) {
  const std::string text = std::string("import \"a.lie\";\nmodel M {\n") + scaled;
  EXPECT_TRUE(check(text, {{}, {{"a.lie", "fn twice(x) = 2*x;"}}, {}}).model);
  EXPECT_TRUE(check(text, {{}, {{"library/a.lie", "fn twice(x) = 2*x;"}}, {}}).model);
  EXPECT_EQ(check(text).errors(), (std::vector<std::string>{"LIE0104 1:8-14", "LIE0101 4:20-24"}));
  EXPECT_NE(check(text).text().find("library/a.lie"), std::string::npos);
}

TEST(Files, EachImportIsReadOnce) {
  const Checked c = check(std::string("import \"a.lie\"; import \"b.lie\";\nmodel M {\n") + scaled,
                          {{}, {{"a.lie", "import \"b.lie\";"}, {"b.lie", "fn twice(x) = 2*x;"}}, {}});
  EXPECT_TRUE(c.model) << c.text();
  EXPECT_EQ(c.compilation->files().size(), 3U);
}

TEST(Files, ACycleIsNamed) {
  const Checked c =
      check("import \"a.lie\";", {{}, {{"a.lie", "import \"b.lie\";"}, {"b.lie", "import \"a.lie\";"}}, {}});
  EXPECT_EQ(c.codes(), (std::vector<std::string>{"LIE0105"}));
  EXPECT_NE(c.text().find("a.lie -> b.lie -> a.lie"), std::string::npos) << c.text();
}

// Whatever answers imports may answer without end.
TEST(Files, ImportsNestSoDeepOnly) {
  Inputs inputs;
  const auto name = [](int k) { return "n" + std::to_string(k) + ".lie"; };
  for (int k = 0; k < 1000; ++k) inputs.files[name(k)] = "import \"" + name(k + 1) + "\";";
  const Checked c = check("import \"n0.lie\";", inputs);
  EXPECT_EQ(c.codes(), (std::vector<std::string>{"LIE0105"}));
  EXPECT_NE(c.text().find("n199.lie:1:8"), std::string::npos) << c.text();
  inputs.files[name(150)] = "fn twice(x) = 2*x;";
  EXPECT_TRUE(check(std::string("import \"n0.lie\";\nmodel M {\n") + scaled, inputs).model);
}

TEST(Files, ALetterThatIsNoneIsReportedOnce) {
  EXPECT_EQ(check("model M { config x : R velocity v; lagrangian = v^2*\u00e9; }").codes(),
            (std::vector<std::string>{"LIE0004"}));
  EXPECT_EQ(check("fn f(x) = x*\u00e9;").codes(), (std::vector<std::string>{"LIE0004"}));
}

TEST(Files, ATimeOfTheCommandLineHasAPlace) {
  const Checked c = check("model M { config x : R velocity v; lagrangian = v^2; simulate { time = 0..1; } }",
                          {{}, {}, {{"time.from", "1"}, {"time.to", "0"}}});
  EXPECT_EQ(c.codes(), (std::vector<std::string>{"LIE0169"}));
  EXPECT_NE(c.text().find("--time:1:1"), std::string::npos) << c.text();
}

TEST(Files, AMissingFileIsNamed) {
  const Checked c = checkFile("no_such_folder/model.lie");
  EXPECT_EQ(c.codes(), (std::vector<std::string>{"LIE0107"}));
}

TEST(Files, DataHasAPlace) {
  const std::string text =
      "model M { param a : vec(2) = read(\"d.csv\"); config x : R velocity v; lagrangian = a[2]*v^2; }";
  const Checked good = check(text, {{}, {{"d.csv", "# two numbers\n1.5, -2e1\n"}}, {}});
  ASSERT_TRUE(good.model) << good.text();
  ASSERT_EQ(good.model->data.size(), 1U);
  EXPECT_EQ(good.model->data[0].values, (std::vector<double>{1.5, -20}));
  const Checked word = check(text, {{}, {{"d.csv", "1, 2\n3, four\n"}}, {}});
  EXPECT_EQ(word.codes(), (std::vector<std::string>{"LIE0191"}));
  EXPECT_NE(word.text().find("line 2: `four`"), std::string::npos) << word.text();
  EXPECT_EQ(check(text, {{}, {{"d.csv", "1, 2\n3\n"}}, {}}).codes(), (std::vector<std::string>{"LIE0191"}));
  EXPECT_EQ(check(text, {{}, {{"d.csv", "1, 2, 3\n"}}, {}}).codes(), (std::vector<std::string>{"LIE0133"}));
}

TEST(Library, DeclarationsAreFoundWithoutParsing) {
  const auto found =
      scanDeclarations("// group A {}\ngroup SO(3) { exp(w) = {}; }\n/* manifold B {} */ manifold S^2 {}\n"
                       "fn f(x) = \"} group C\";\nmethod M = rkmk(T);\ntableau T { a = [0]; }");
  ASSERT_EQ(found.size(), 5U);
  EXPECT_EQ(found[0].head, "SO(3)");
  EXPECT_EQ(found[1].head, "S^2");
  EXPECT_EQ(found[2].name, "f");
  EXPECT_EQ(found[3].kind, syntax::DeclKind::Method);
  EXPECT_EQ(found[4].name, "T");
}

TEST(Library, MembersWinOverFamiliesAndTheUserOverTheLibrary) {
  const Checked c = check("group R^2 { element p : vec(2); algebra v : vec(2); identity = zeros(2);\n"
                          "  product(a, b) = a + b; inverse(a) = -a; bracket(u, v) = zeros(2); exp(v) = v; }\n");
  EXPECT_EQ(c.text(), "");
  syntax::Type two = typeNamed("R");
  syntax::Expr n;
  n.kind = syntax::ExprKind::Number;
  n.isInteger = true;
  n.number = 2;
  n.text = "2";
  two.exponent = std::make_shared<syntax::Expr>(n);
  const Manifold* m = c.compilation->manifold(two);
  ASSERT_NE(m, nullptr);
  EXPECT_EQ(m->point()[0].name, "p");
  n.number = 1;
  n.text = "1";
  two.exponent = std::make_shared<syntax::Expr>(n);
  const Manifold* line = c.compilation->manifold(two);
  ASSERT_NE(line, nullptr);
  EXPECT_EQ(line->point()[0].shape, sym::Shape::scalar());
  EXPECT_EQ(line, c.compilation->manifold(typeNamed("R")));
  n.number = 5;
  n.text = "5";
  two.exponent = std::make_shared<syntax::Expr>(n);
  const Manifold* five = c.compilation->manifold(two);
  ASSERT_NE(five, nullptr);
  EXPECT_EQ(five->name(), "R^5");
  EXPECT_EQ(five->algebraSize(), 5);
  EXPECT_TRUE(five->gives("dexpinv"));
  EXPECT_EQ(five->holds({c.compilation->graph().zero(sym::Shape::vec(5))}).size(), 0U);
}

TEST(Library, ListsMethodsAndManifolds) {
  const Checked c = check("method Mine order 1 { next y = exp(h*f(t, y))*y; }");
  const auto methods = c.compilation->methodNames();
  ASSERT_FALSE(methods.empty());
  EXPECT_EQ(methods[0], "Mine");
  EXPECT_GT(methods.size(), 5U);
  EXPECT_TRUE(c.compilation->findMethod(methods.back()));
  EXPECT_FALSE(c.compilation->findMethod("NoSuchMethod"));
  EXPECT_GE(c.compilation->manifoldNames().size(), 4U);
  EXPECT_GE(c.compilation->libraryDeclarations(syntax::DeclKind::Tableau).size(), 4U);
}

TEST(Manifolds, OfSeveralParts) {
  const Checked c =
      check("group Screw { element R : mat(3,3); element x : vec(3); algebra w : vec(3); algebra v : vec(3);\n"
            "  identity = (R = eye(3), x = zeros(3));\n"
            "  product(A, B) = (x = A.R*B.x + A.x, R = A.R*B.R);\n"
            "  inverse(A) = (R = transpose(A.R), x = -(transpose(A.R)*A.x));\n"
            "  bracket(a, b) = (w = cross(a.w, b.w), v = cross(a.w, b.v) - cross(b.w, a.v));\n"
            "  exp(a) = (R = SO(3).exp(a.w), x = SO(3).dexp(a.w, a.v));\n"
            "  holds transpose(R)*R = eye(3);\n}\n"
            "model M {\n"
            "  config X : Screw velocity xi;\n"
            "  lagrangian = 0.5*dot(xi.w, xi.w) + 0.5*dot(X'.x, X'.x) - dot(e3, X.x);\n"
            "  initial X = (R = eye(3), x = [1, 2, 3]);\n"
            "  initial xi.v = [4, 5, 6];\n"
            "  observe place = X.x;\n"
            "  observe X2 = Screw.product(X, X);\n"
            "}\n");
  ASSERT_TRUE(c.model) << c.text();
  EXPECT_EQ(c.model->observables.size(), 3U);
  EXPECT_EQ(c.model->observables[2].name, "X2.x");
  Evaluate values(c.model->program);
  setInitials(*c.model, values);
  EXPECT_EQ(values.array(observable(*c.model, "X2.x")), (Numbers{2, 4, 6}));
  EXPECT_EQ(values.scalar(c.model->lagrangian), 0.5 * 77 - 3);
}

TEST(Manifolds, FamiliesOfTheUser) {
  const Checked c =
      check("group T^n { element a : vec(n); algebra v : vec(n); identity = zeros(n); product(a, b) = a + b;\n"
            "  inverse(a) = -a; bracket(u, v) = 0*u; exp(v) = v; }\n"
            "model M { param n : int = 2; config q : T^n velocity w; config p : T^(n+1) velocity v;\n"
            "  lagrangian = 0.5*dot(w, w) + 0.5*dot(v, v); }\n");
  ASSERT_TRUE(c.model) << c.text();
  EXPECT_EQ(c.model->factors[0].manifold->name(), "T^2");
  EXPECT_EQ(c.model->factors[1].manifold->name(), "T^3");
}

TEST(Manifolds, WrongDeclarationsAreReportedOnce) {
  const Checked c =
      check("group G { element R : mat(3,3); algebra w : vec(3); identity = eye(2); product(A, B) = A*C;\n"
            "  inverse(A) = transpose(A); bracket(u, v) = cross(u, v); exp(w) = expm(w); }\n"
            "model M { config g : G velocity w; lagrangian = 0.5*dot(w, w); }\n");
  EXPECT_EQ(c.codes(), (std::vector<std::string>{"LIE0151", "LIE0100", "LIE0101"}));
}
