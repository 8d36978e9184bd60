// Precedence, associativity and the printed forms of expressions.
#include "Support.h"

namespace lmc::test {

namespace {

struct Case {
  const char* text;
  const char* tree;
};

TEST(Expressions, precedence) {
  const Case cases[] = {
      {"a + b*c", "(+ a (* b c))"},
      {"a - b - c", "(- (- a b) c)"},
      {"a/b*c", "(* (/ a b) c)"},
      {"a^b^c", "(^ a (^ b c))"},
      {"-x^2", "(neg (^ x 2))"},
      {"(-x)^2", "(^ (neg x) 2)"},
      {"2^-x", "(^ 2 (neg x))"},
      {"2^-x^3", "(^ 2 (neg (^ x 3)))"},
      {"2^-x*y", "(* (^ 2 (neg x)) y)"},
      {"-a*b", "(* (neg a) b)"},
      {"-a + b", "(+ (neg a) b)"},
      {"a*-b", "(* a (neg b))"},
      {"a - -b", "(- a (neg b))"},
      {"- -a", "(neg (neg a))"},
      {"a × b · c", "(· (× a b) c)"},
      {"a + b × c", "(+ a (× b c))"},
      {"a < b + 1", "(< a (+ b 1))"},
      {"a == b and c != d", "(and (== a b) (!= c d))"},
      {"not a == b", "(not (== a b))"},
      {"not a and b", "(and (not a) b)"},
      {"a and not b", "(and a (not b))"},
      {"a or b and c", "(or a (and b c))"},
      {"not not a", "(not (not a))"},
      {"not -a < b", "(not (< (neg a) b))"},
      {"if a then b else c + 1", "(if a b (+ c 1))"},
      {"if a or b then c else if d then e else f", "(if (or a b) c (if d e f))"},
      {"x'", "(prime x)"},
      {"x[1]'^2", "(^ (prime (index x 1)) 2)"},
      {"-x'", "(neg (prime x))"},
      {"x.R[1,2].y", "(field (index (field x R) 1 2) y)"},
      {"f(a)(b)", "(call (call f a) b)"},
      {"f()", "(call f)"},
      {"SO(3).exp(w)", "(call (field (call SO 3) exp) w)"},
      {"(S^2).action(A, q)", "(call (field (^ S 2) action) A q)"},
      {"[a, [b, c]]", "(list a (list b c))"},
      {"(R = A, x = b)", "(parts R=A x=b)"},
      {"M(theta = 0.5)", "(call M (parts theta=0.5))"},
      {"M(a, theta = 0.5)", "(call M a (parts theta=0.5))"},
      {"compose(VLV; a, b)", "(call compose VLV a b)"},
      {"sum(i in 1..N: x[i])", "(sum [i in 1..N] (index x i))"},
      {"sum(i in 1..N, j in i+1..N where j != i: 1)", "(sum [i in 1..N, j in (+ i 1)..N] where (!= j i) 1)"},
      {"product(i in 1..3: i)", "(product [i in 1..3] i)"},
      {"product(A, B)", "(call product A B)"},
      {"SE(3).product(A, B)", "(call (field (call SE 3) product) A B)"},
      {"read(\"a b.csv\")", "(call read \"a b.csv\")"},
      {"1e-3 + 4E+2", "(+ 1e-3 4E+2)"},
      {"α + Ω_1", "(+ α Ω_1)"},
  };
  for (const Case& c : cases) EXPECT_EQ(treeOf(c.text), c.tree) << c.text;
}

TEST(Expressions, unparseGivesTheSameTreeWithNoMoreParentheses) {
  const char* same[] = {"a + b*c",
                        "a - b - c",
                        "a - (b - c)",
                        "a/b*c",
                        "a/(b*c)",
                        "a^b^c",
                        "(a^b)^c",
                        "-x^2",
                        "(-x)^2",
                        "2^-x",
                        "-a*b",
                        "-(a*b)",
                        "a*-b",
                        "a - -b",
                        "a×b·c",
                        "a < b + 1",
                        "a == b and c != d",
                        "not a == b",
                        "(not a) == b",
                        "(a or b) and c",
                        "not (a and b)",
                        "x[1]'^2",
                        "(a + b)'",
                        "f(a)(b)",
                        "(S^2).action(A, q)",
                        "[a, [b, c]]",
                        "(R = A, x = b)",
                        "M(a, theta = 0.5)",
                        "1 + (if a then b else c)",
                        "sum(i in 1..N, j in i + 1..N where j != i: -x[i])",
                        "if a then b else c",
                        "\"text\"",
                        "(a < b) == (c < d)"};
  for (const std::string text : same) {
    Sources sources;
    Diagnostics diagnostics;
    const syntax::ExprPtr e = syntax::parseExpression(sources, sources.add("test", text), diagnostics);
    EXPECT_FALSE(diagnostics.hasErrors()) << text;
    std::string again = syntax::unparse(*e);
    EXPECT_EQ(treeOf(again), syntax::printTree(*e)) << text << " became " << again;
    EXPECT_LE(std::count(again.begin(), again.end(), '('), std::count(text.begin(), text.end(), '(')) << again;
  }
  Sources sources;
  Diagnostics diagnostics;
  const auto e = syntax::parseExpression(sources, sources.add("test", "((a)*(b)) + (c^(d)) - ((2)*x)"), diagnostics);
  EXPECT_EQ(syntax::unparse(*e), "a*b + c^d - 2*x");
}

TEST(Expressions, numbers) {
  Sources sources;
  Diagnostics diagnostics;
  const auto e = syntax::parseExpression(sources, sources.add("test", "[7, 7.5, 1e-3, 2e3]"), diagnostics);
  EXPECT_TRUE(e->args[0]->isInteger);
  EXPECT_EQ(e->args[0]->number, 7);
  EXPECT_FALSE(e->args[1]->isInteger);
  EXPECT_EQ(e->args[1]->number, 7.5);
  EXPECT_EQ(e->args[2]->number, 1e-3);
  EXPECT_FALSE(e->args[3]->isInteger);
}

TEST(Expressions, methodReferences) {
  const auto reference = [](const std::string& text) {
    Sources sources;
    Diagnostics diagnostics;
    const auto e = syntax::parseMethodReference(sources, sources.add("test", text), diagnostics);
    return diagnostics.hasErrors() ? "error" : syntax::printTree(*e);
  };
  EXPECT_EQ(reference("RKMK4"), "RKMK4");
  EXPECT_EQ(reference("SLGI(theta = 0.5)"), "(call SLGI (parts theta=0.5))");
  EXPECT_EQ(reference("SLGI()"), "(call SLGI)");
  for (const char* bad : {"", "3", "SLGI(0.5)", "SLGI(theta = )", "a + b", "SLGI(theta = 1) x"})
    EXPECT_EQ(reference(bad), "error") << bad;
}

} // namespace

} // namespace lmc::test
