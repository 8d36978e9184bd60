// Every message: its place, its code, its words, its carets.
#include "Support.h"

namespace lmc::test {

namespace {

/// A text and what is reported for it: `LINE:COL-COL LIE####: message` lines, columns half-open.
struct Case {
  const char* text;
  const char* expected;
};

std::string listed(const Parsed& parsed) {
  std::string out;
  for (const Diagnostic& d : parsed.diagnostics.sorted()) {
    const Position begin = parsed.sources[0].position(d.range.begin);
    const Position end = parsed.sources[0].position(d.range.end);
    out += std::to_string(begin.line) + ":" + std::to_string(begin.column) + "-" + std::to_string(end.column) + " ";
    out += std::string(info(d.code).name) + ": " + d.message + "\n";
  }
  return out;
}

void expectAll(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    const Parsed parsed(c.text);
    EXPECT_EQ(listed(parsed), std::string(c.expected) + "\n") << c.text;
  }
}

TEST(Messages, missingSemicolon) {
  expectAll({
      {"model M {\n  param m = 15\n  param l = 2;\n}", "2:15-15 LIE0010: expected `;` after this param"},
      {"model M { param m = 15 param l = 2; }", "1:23-23 LIE0010: expected `;` after this param"},
      {"model M { lagrangian = 1 }", "1:25-25 LIE0010: expected `;` after this lagrangian"},
      {"model M {\n  lagrangian = 1\n  state z : R^2;\n}", "2:17-17 LIE0010: expected `;` after this lagrangian"},
      {"model M {\n  config q : R^3 velocity v\n  force on q = v;\n}",
       "2:28-28 LIE0010: expected `;` after this config"},
      {"method M {\n  k1 = h\n  next y = k1;\n}", "2:9-9 LIE0010: expected `;` after this definition"},
      {"method M {\n  next y = h*f(t, y)\n  k1 = 2;\n}", "2:21-21 LIE0010: expected `;` after this next"},
      {"group G {\n  element R : mat(3,3)\n  algebra w : vec(3);\n}",
       "2:23-23 LIE0010: expected `;` after this element"},
      {"model M { simulate { time = 0..1\n step = 3; } }", "1:33-33 LIE0010: expected `;` after this setting"},
      {"model M { simulate { time = 0..1 step = 3; } }", "1:33-33 LIE0010: expected `;` after this setting"},
      {"fn f(x) = x", "1:12-12 LIE0010: expected `;` after this fn"},
      {"fn f(x) = x\nmodel M { }", "1:12-12 LIE0010: expected `;` after this fn"},
      {"import \"a.lie\"\nmodel M { }", "1:15-15 LIE0010: expected `;` after this import"},
      {"method A = rkmk(T)\nmethod B = rkmk(T);", "1:19-19 LIE0010: expected `;` after this method"},
  });
}

TEST(Messages, whatCouldStandHere) {
  expectAll({
      {"model M { initial { q = 1; } }", "1:19-20 LIE0013: expected a name, found `{`"},
      {"model M { initial 3 = 1; }", "1:19-20 LIE0013: expected a name or `adjust`, found the number 3"},
      {"model M { param m = 1, l = 2; }", "1:22-23 LIE0010: expected `;` after this param, found `,`"},
      {"model M { config q[2] : R velocity v[i], w; }", "1:37-38 LIE0013: expected `;` after this config, found `[`"},
  });
}

TEST(Messages, brackets) {
  expectAll({
      {"fn f(x) = 2*(x + 1;", "1:19-19 LIE0011: missing `)` to match the `(` at line 1"},
      {"fn f(x) = [x, 1;", "1:16-16 LIE0011: missing `]` to match the `[` at line 1"},
      {"fn f(x) = g(x, 1;", "1:17-17 LIE0011: missing `)` to match the `(` at line 1"},
      {"fn f(x) = (x + 1];", "1:17-18 LIE0011: missing `)` to match the `(` at line 1"},
      {"fn f(x) = x[1);", "1:14-15 LIE0011: missing `]` to match the `[` at line 1"},
      {"fn f(x) = (\n  x + 1;", "2:8-8 LIE0011: missing `)` to match the `(` at line 1"},
      {"fn f(x) = ((x + 1);", "1:19-19 LIE0011: missing `)` to match the `(` at line 1"},
      {"fn f(x) = x + 1);", "1:16-17 LIE0012: this `)` closes nothing"},
      {"fn f(x) = x]];", "1:12-13 LIE0012: this `]` closes nothing"},
      {"model M {\n  param m = 1;\n", "2:15-15 LIE0011: missing `}` to match the `{` at line 1"},
      {"model M {\n  param m = 1;\nmodel N { }", "3:1-6 LIE0011: missing `}` to match the `{` at line 1"},
      {"model M {\n  param m = 1;\ngroup SO(2) { }", "3:1-6 LIE0011: missing `}` to match the `{` at line 1"},
      {"model M { }\n}\nmodel N { }", "2:1-2 LIE0012: this `}` closes nothing"},
      {"model M { param a = (1 2); }",
       "1:24-25 LIE0013: expected an operator, `,` or `)` to match the `(` at line 1, found the number 2"},
      {"model M { ) param a = 1; }", "1:11-12 LIE0012: this `)` closes nothing"},
  });
}

TEST(Messages, expressions) {
  expectAll({
      {"fn f(x) = x +;", "1:14-15 LIE0020: expected an expression after `+`, found `;`"},
      {"fn f(x) = * x;", "1:11-12 LIE0020: expected an expression after `=`, found `*`"},
      {"fn f(x) = ;", "1:11-12 LIE0020: expected an expression after `=`, found `;`"},
      {"fn f(x) = [];", "1:12-13 LIE0020: expected an expression after `[`, found `]`"},
      {"fn f(x) = ();", "1:12-13 LIE0020: expected an expression after `(`, found `)`"},
      {"fn f(x) = [1, ];", "1:15-16 LIE0020: expected an expression after `,`, found `]`"},
      {"fn f(x) = g(, x);", "1:13-14 LIE0020: expected an expression after `(`, found `,`"},
      {"fn f(x) = x + let;", "1:15-18 LIE0020: expected an expression after `+`, found the keyword `let`"},
      {"fn f(x) = x + ", "1:14-14 LIE0020: expected an expression after `+`, found the end of the text"},
      {"fn f(x) = x y;", "1:13-14 LIE0013: expected an operator or `;` after this fn, found `y`"},
      {"fn f(x) = 2(x);", "1:11-12 LIE0023: a number is not a function"},
      {"fn f(x) = [1, 2](x);", "1:11-17 LIE0023: this is not a function"},
      {"fn f(x) = (x, 2);", "1:11-17 LIE0021: values in parentheses are an element with named parts"},
      {"fn f(x) = g(a = 1, x);", "1:20-21 LIE0021: an argument without a name stands behind a named one"},
      {"fn f(x) = if x then 1;", "1:22-23 LIE0013: expected `else`: an `if` has both branches, found `;`"},
      {"fn f(x) = if x 1 else 2;", "1:16-17 LIE0013: expected `then` after this condition, found the number 1"},
      {"fn f(x) = a < b < c;", "1:17-18 LIE0017: comparisons do not chain"},
      {"fn f(x) = a == b != c;", "1:18-20 LIE0017: comparisons do not chain"},
      {"fn f(x) = 1 + not x;", "1:15-18 LIE0018: `not` inside an operator needs parentheses"},
      {"fn f(x) = a == not x;", "1:16-19 LIE0018: `not` inside an operator needs parentheses"},
      {"fn f(x) = 1 + if x then 1 else 2;", "1:15-17 LIE0018: an `if` inside an operator needs parentheses"},
      {"fn f(x) = sum(i in 1..3 x);", "1:25-26 LIE0013: expected `:` and the terms of this sum or product, found `x`"},
      {"fn f(x) = sum(i in 1: x);", "1:21-22 LIE0013: expected `..` and the end of this range, found `:`"},
      {"fn f(x) = x.;", "1:13-14 LIE0013: expected a name after `.`, found `;`"},
  });
}

TEST(Messages, equalSigns) {
  expectAll({
      {"fn f(x) = if x = 0 then 1 else 2;", "1:16-17 LIE0016: `=` gives a value; two values are compared with `==`"},
      {"fn f(x) = if (x = 0) then 1 else 2;", "1:17-18 LIE0016: `=` gives a value; two values are compared with `==`"},
      {"fn f(x) = sum(i in 1..2 where i = 1: x);",
       "1:33-34 LIE0016: `=` gives a value; two values are compared with `==`"},
      {"model M { param m == 3; }", "1:19-21 LIE0016: `==` compares; a value is given with `=`"},
      {"model M { lagrangian == 3; }", "1:22-24 LIE0016: `==` compares; a value is given with `=`"},
      {"method M { k == 3; }", "1:14-16 LIE0016: `==` compares; a value is given with `=`"},
      {"method M { solve W : a == b; }", "1:24-26 LIE0016: `==` compares; an equation is written with `=`"},
      {"group G { holds det(R) == 1; }", "1:24-26 LIE0016: `==` compares; an equation is written with `=`"},
      {"method M { solve W : a; }", "1:23-24 LIE0013: expected `=` between the sides of this equation, found `;`"},
  });
}

TEST(Messages, statements) {
  expectAll({
      {"model M { lagrangain = 3; }", "1:11-21 LIE0014: there is no statement `lagrangain`"},
      {"model M { confg q : R^3 velocity v; param a = 1; }", "1:11-16 LIE0014: there is no statement `confg`"},
      {"model M { parm m = 3; }", "1:11-15 LIE0014: there is no statement `parm`"},
      {"model M { simulat { time = 0..1; step = 1; } param a = 1; }",
       "1:11-18 LIE0014: there is no statement `simulat`"},
      {"model M { m = 3; }", "1:11-12 LIE0014: `m = …` is no statement of a model"},
      {"model M { V(x) = 3; }", "1:11-12 LIE0014: `V = …` is no statement of a model"},
      {"group G { embeded R = 3; }", "1:11-18 LIE0014: there is no statement `embeded`"},
      {"modle M { param a = 3; }", "1:1-6 LIE0014: there is no declaration `modle`"},
      {"modle M { group SO(3); }\nmodel N { }", "1:1-6 LIE0014: there is no declaration `modle`"},
      {"param m = 3;\nlet a = 2;\nmodel N { }", "1:1-6 LIE0019: `param` stands inside a declaration"},
      {"3 + 4;", "1:1-2 LIE0013: expected a declaration, found the number 3"},
      {"group G { param m = 1; }", "1:11-16 LIE0019: `param` does not stand in a group"},
      {"group G { state z : R^2; }", "1:11-16 LIE0019: `state` does not stand in a group"},
      {"method M { config q : R^2 velocity v; }", "1:12-18 LIE0019: `config` does not stand in a method"},
      {"model M { element R : mat(3,3); }", "1:11-18 LIE0019: `element` does not stand in a model"},
      {"model M { for i in 1..2 { param m = 1; } }", "1:27-32 LIE0019: this statement does not stand in `for`"},
      {"model M {\n  joint j(A) { constraint at : A = 0; }\n  lagrangian = 1;\n}",
       "2:3-8 LIE0019: `joint` does not stand in a model"},
      {"model M {\n  param a = 1;\n  method N on manifold { next y = y; }\n}",
       "3:3-9 LIE0019: `method` does not stand in a model"},
      {"model M {\n  param a = 1;\n  group G { element R : mat(3,3); }\n  force on a = 1;\n}",
       "3:3-8 LIE0019: `group` does not stand in a model"},
      {"model M {\n  param a = 1;\n\nmodel N { param a = 1; }",
       "4:1-6 LIE0011: missing `}` to match the `{` at line 1"},
      {"model M { ; }", "1:11-12 LIE0013: there is no statement before this `;`"},
      {"model M { 3 = x; param a = 1; }", "1:11-12 LIE0013: expected a statement, found the number 3"},
      {"model M { force F; }", "1:18-19 LIE0013: expected `at` and the point where the force acts (`force F at P;`, or "
                               "`force on q = …;`), found `;`"},
      {"model M { config R SO(3) velocity w; }",
       "1:20-22 LIE0013: expected `:` and a manifold after this name, found `SO`"},
      {"model M { config R : SO(3); }",
       "1:27-28 LIE0013: expected `velocity` or `momentum` and its name after this manifold, found `;`"},
      {"model M { config R : velocity w; }", "1:22-30 LIE0013: expected a type after `:`, found `velocity`"},
      {"model M { config R : SO(3) velocity w in spce; }",
       "1:42-46 LIE0022: expected `body` or `space` after `in`, found `spce`"},
      {"model M { simulate { output evry 3; } }",
       "1:29-33 LIE0022: expected `every` or `steps` after `output`, found `evry`"},
      {"model M { simulate { output = 3; } }", "1:22-28 LIE0022: `output` is followed by `every` or `steps`"},
      {"model M { simulate { step 3; } }", "1:27-28 LIE0013: expected `=` and a value, found the number 3"},
      {"model M { constraint c = 1; }",
       "1:24-25 LIE0013: expected `:` and an equation (`constraint rod : norm(q) = 1;`), found `=`"},
      {"model M { simulate = 3; param a = 1; }", "1:20-21 LIE0013: expected `{`, found `=`"},
      {"variational V { discrete force middle = 1; }",
       "1:32-38 LIE0022: expected `left` or `right` after `discrete force`, found `middle`"},
      {"import foo;", "1:8-11 LIE0013: expected the name of a file in quotes, found `foo`"},
      {"model { param a = 3; }", "1:7-8 LIE0013: expected a name after `model`, found `{`"},
      {"model M param a = 3; force F at P; }\nmodel N { }", "1:8-8 LIE0011: missing `{` after `M`"},
      {"model M { simulate step = 3; seed = 1; } }", "1:19-19 LIE0011: missing `{` after `simulate`"},
      {"model M { let = 3; }", "1:15-16 LIE0013: expected a name after `let`, found `=`"},
      {"model M { param model = 3; let a = 1; }", "1:17-22 LIE0015: `model` is a reserved word and cannot be a name"},
      {"model if { }", "1:7-9 LIE0015: `if` is a reserved word and cannot be a name"},
      {"model M { param\n  let a = 1; }", "1:16-16 LIE0013: expected a name after `param`, found the keyword `let`"},
  });
}

TEST(Messages, numbersAndStrings) {
  expectAll({
      {"fn f(x) = 1.;", "1:11-13 LIE0007: `1.` is not a number"},
      {"fn f(x) = .5;", "1:11-13 LIE0007: `.5` is not a number"},
      {"fn f(x) = 1.e5;", "1:11-15 LIE0007: `1.e5` is not a number"},
      {"fn f(x) = 1.2.3;", "1:11-16 LIE0007: `1.2.3` is not a number"},
      {"fn f(x) = 2x;", "1:11-13 LIE0007: `2x` is neither a number nor a name"},
      {"fn f(x) = 1e;", "1:11-13 LIE0007: `1e` is neither a number nor a name"},
      {"fn f(x) = 0x1F;", "1:11-15 LIE0007: `0x1F` is neither a number nor a name"},
      {"fn f(x) = x.5;", "1:12-14 LIE0007: after a point stands the name of a part, not a number"},
      {"fn f(x) = 1e999;", "1:11-16 LIE0008: the number 1e999 is too large"},
      {"import \"a.lie;\nfn f(x) = x;", "1:8-15 LIE0005: this string is not closed"},
      {"fn f(x) = x;\n/* model", "2:1-3 LIE0006: this comment is not closed"},
      {"model M { /* param a = 3; }", "1:11-13 LIE0006: this comment is not closed"},
  });
  const Parsed tiny("fn f(x) = 1e-999;");
  EXPECT_FALSE(tiny.diagnostics.hasErrors());
  EXPECT_EQ(tiny.diagnostics.warningCount(), 1U);
}

TEST(Messages, otherLanguages) {
  expectAll({
      {"fn f(x) = x**2;", "1:12-14 LIE0009: there is no operator `**`"},
      {"fn f(x) = a && b;", "1:13-15 LIE0009: there is no operator `&&`"},
      {"fn f(x) = a || b;", "1:13-15 LIE0009: there is no operator `||`"},
      {"fn f(x) = !a;", "1:11-12 LIE0009: there is no operator `!`"},
      {"fn f(x) := a;", "1:9-11 LIE0009: there is no operator `:=`"},
      {"method M { k += a; }", "1:14-16 LIE0009: there is no operator `+=`"},
      {"fn f(x) = a <> b;", "1:13-15 LIE0009: there is no operator `<>`"},
      {"fn f(x) = a % b;", "1:13-14 LIE0009: there is no operator `%`"},
      {"# comment\nfn f(x) = x;", "1:1-2 LIE0009: `#` does not begin a comment"},
  });
}

TEST(Messages, characters) {
  expectAll({
      {"fn f(µ) = µ;", "1:6-7 LIE0004: `µ` (U+00B5) is the micro sign, which no name may hold; `μ` is meant here\n"
                       "1:11-12 LIE0004: `µ` (U+00B5) is the micro sign, which no name may hold; `μ` is meant here"},
      {"fn f(\u2126) = 1;",
       "1:6-7 LIE0004: `\u2126` (U+2126) is the ohm sign, which no name may hold; `Ω` is meant here"},
      {"fn f(x₂) = 1;", "1:7-8 LIE0004: `₂` (U+2082) is a subscript, which no name may hold; `2` is meant here"},
      {"fn f(é1é) = 1;",
       "1:6-7 LIE0004: `é` (U+00E9) is a letter with an accent, which no name may hold; `e` is meant here"},
      {"fn f(х) = 1;", "1:6-7 LIE0004: `х` (U+0445) is a Cyrillic letter, which no name may hold; `x` is meant here"},
      {"fn f(ϕ) = 1;",
       "1:6-7 LIE0004: `ϕ` (U+03D5) is a variant of the letter phi, which no name may hold; `φ` is meant here"},
      {"fn f(𝑥) = 1;", "1:6-7 LIE0004: `𝑥` (U+1D465) is a letter of a mathematical alphabet, which no name may hold; "
                       "`x` is meant here"},
      {"fn f(x) = a − b;", "1:13-14 LIE0004: `−` (U+2212) is the typographic minus sign, not a sign of the language"},
      {"fn f(x) = a ⋅ b;", "1:13-14 LIE0004: `⋅` (U+22C5) is the dot operator, not a sign of the language"},
      {"fn f(x) = a ≤ b;", "1:13-14 LIE0004: `≤` (U+2264) is the less-or-equal sign, not a sign of the language"},
      {"fn f(x) = x²;", "1:12-13 LIE0004: `²` (U+00B2) is a superscript"},
      {"fn f(x) = x′;", "1:12-13 LIE0004: `′` (U+2032) is the typographic prime, not a sign of the language"},
      {"import “a.lie”;", "1:8-9 LIE0004: `“` (U+201C) does not enclose a string"},
      {"fn f(x) =\xC2\xA0x;", "1:10-11 LIE0004: U+00A0 is a no-break space"},
      {"fn f(x) = a §§ b;", "1:13-15 LIE0004: `§` (U+00A7) is not part of the language"},
      {"fn f(x) = x $ y;", "1:13-14 LIE0004: `$` (U+0024) is not part of the language"},
  });
  EXPECT_EQ(listed(Parsed(std::string("fn f(x) = x\0\0;", 14))), "1:12-14 LIE0004: the text holds a NUL character\n");
  EXPECT_EQ(listed(Parsed("fn f(x) = \xE9;")), "1:11-12 LIE0001: this is not UTF-8 text\n");
}

TEST(Messages, namesAreRepairedSoThatLaterPhasesFindThem) {
  const Parsed parsed("model M { param µ = 3; let a₁ = µ; }");
  const auto& body = parsed.file.declarations.at(0).body;
  EXPECT_EQ(body.at(0)->target.name, "μ");
  EXPECT_EQ(body.at(1)->target.name, "a1");
  EXPECT_EQ(body.at(1)->value->text, "μ");
}

TEST(Messages, severalErrorsOnceEach) {
  const Parsed parsed("model M {\n  param m = 15\n  param l = (1 + ;\n  config R : SO(3) velocity Omega;\n"
                      "  lagrangian = 0.5*dot(Omega, Omega;\n  observe tip == R;\n}\nmodel N {\n  param a = 1 2;\n}\n");
  EXPECT_EQ(parsed.codes(), "2:15 LIE0010\n3:18 LIE0020\n5:36 LIE0011\n6:15 LIE0016\n9:15 LIE0013\n");
  ASSERT_EQ(parsed.file.declarations.size(), 2U);
  // What could be read is in the tree, with its name.
  const auto& body = parsed.file.declarations[0].body;
  ASSERT_EQ(body.size(), 5U);
  EXPECT_EQ(body[0]->value->number, 15);
  EXPECT_EQ(body[1]->kind, syntax::StatementKind::Param);
  EXPECT_EQ(body[1]->target.name, "l");
  EXPECT_EQ(body[1]->value->kind, syntax::ExprKind::Error);
  EXPECT_EQ(body[4]->value->kind, syntax::ExprKind::Name);
}

TEST(Messages, oneMissingSemicolonIsOneError) {
  for (const auto& path : allFiles()) {
    const std::string text = readFile(path);
    const Parsed whole(text);
    for (const auto& d : whole.file.declarations) {
      for (const auto& s : d.body) {
        const std::uint32_t last = s->range.end - 1;
        if (text[last] != ';') continue;
        std::string changed = text;
        changed.erase(last, 1);
        const Parsed parsed(changed);
        ASSERT_EQ(parsed.diagnostics.errorCount(), 1U) << parsed.rendered();
        const Diagnostic error = parsed.diagnostics.sorted()[0];
        EXPECT_EQ(error.code, Code::LIE0010) << parsed.rendered();
        EXPECT_EQ(error.range.begin, last) << parsed.rendered();
        EXPECT_EQ(syntax::print(parsed.file), syntax::print(whole.file)) << path << parsed.rendered();
      }
    }
  }
}

TEST(Messages, oneMissingWordOrSignIsAtMostTwoErrors) {
  for (const auto& path : allFiles()) {
    if (path.parent_path().filename() != "examples") continue;
    const std::string text = readFile(path);
    // In an equation `=` stands outside of brackets: one that is not closed is told at both, and at its end.
    const bool isLong = text.find("constraint ") != std::string::npos || text.find("contact ") != std::string::npos;
    const std::size_t most = isLong ? 3 : 2;
    const auto isWord = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (std::isspace(static_cast<unsigned char>(text[at])) != 0) continue;
      if (text.substr(at, 2) == "//") at = std::min(text.find('\n', at), text.size() - 1);
      // Without the newline behind a comment the head of a block is part of the comment: each of its lines is
      // misplaced.
      if (text[at] == '\n' && text.substr(at + 1, text.find('\n', at + 1) - at - 1).find('{') != std::string::npos)
        continue;
      std::size_t end = at + 1;
      while (isWord(text[at]) && end < text.size() && isWord(text[end])) ++end;
      const Parsed parsed(text.substr(0, at) + text.substr(end));
      EXPECT_LE(parsed.diagnostics.errorCount(), most) << parsed.rendered();
      at = end - 1;
    }
  }
}

TEST(Messages, aContactWithoutItsBraceIsOneError) {
  for (const std::string settings : {"restitution = 0.5;", "friction = 0.3; slip = v;"}) {
    const Parsed parsed("model M {\n  config z : R velocity v;\n  contact floor : z >= 0 " + settings +
                        " }\n  view { ball = ball(at = [0, z], radius = 0.1); }\n  contact top : z <= 3 " + settings +
                        " }\n  initial z = 1;\n  simulate { step = 0.1; }\n}\nfn f(x) = x;\n");
    ASSERT_EQ(parsed.diagnostics.errorCount(), 2U) << parsed.rendered(); // one each
    for (const Diagnostic& d : parsed.diagnostics.sorted()) {
      EXPECT_EQ(d.code, Code::LIE0011);
      EXPECT_NE(d.message.find("missing `{` before"), std::string::npos) << d.message;
    }
    EXPECT_EQ(parsed.file.declarations.size(), 2U);
  }
}

TEST(Messages, rendered) {
  const Parsed parsed("fn f(x) = (\n\tα + 1];\nfn g(x) = lambda.;");
  EXPECT_EQ(parsed.rendered(), "test.lie:2:7: error[LIE0011]: missing `)` to match the `(` at line 1\n"
                               "\tα + 1];\n"
                               "\t     ^\n"
                               "test.lie:1:11: note: it is opened here\n"
                               "fn f(x) = (\n"
                               "          ^\n"
                               "test.lie:3:18: error[LIE0013]: expected a name after `.`, found `;`\n"
                               "fn g(x) = lambda.;\n"
                               "                 ^\n"
                               "2 errors\n");
}

TEST(Messages, loneExpressions) {
  const auto code = [](const std::string& text) {
    Sources sources;
    Diagnostics diagnostics;
    const auto e = syntax::parseExpression(sources, sources.add("--set", text), diagnostics);
    EXPECT_EQ(e->kind, syntax::ExprKind::Error) << text;
    EXPECT_EQ(diagnostics.errorCount(), 1U) << renderAll(diagnostics, sources, false);
    return std::string(info(diagnostics.sorted().at(0).code).name);
  };
  EXPECT_EQ(code(""), "LIE0020");
  EXPECT_EQ(code("1 +"), "LIE0020");
  EXPECT_EQ(code("1 2"), "LIE0013");
  EXPECT_EQ(code("1;"), "LIE0013");
  EXPECT_EQ(code("a = 2"), "LIE0013");
  EXPECT_EQ(code("\xFF"), "LIE0001");
}

} // namespace

} // namespace lmc::test
