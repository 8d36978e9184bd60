// The checked form of methods, and the table of kinds that it is checked against; no model is around.
#include "methods/Quadrature.h"
#include "methods/checked/CheckMethod.h"
#include "methods/checked/Kinds.h"
#include "products/Pipeline.h"
#include "sema/Support.h"

#include <gtest/gtest.h>
#include <set>

using namespace lmc::methods;
using namespace lmc::products;
using namespace lmc::sema;
using namespace lmc::test;
using namespace lmc;

namespace {

/// A value of each letter, as the body of a method on a kind can write it.
std::string valueOf(const KindOfMethod& kind, char letter) {
  const std::string point = kind.state[0].name;
  const std::string k = kind.tableaux               ? "h*f(t, y)"
                        : kind.name == "cotangent"  ? "f1(t, g, mu)"
                        : kind.name == "rigid_body" ? "Omega"
                                                    : "xi";
  const std::string m = kind.name == "cotangent" ? "mu" : kind.name == "rigid_body" ? "J(Omega)" : "momentum(q, xi, t)";
  switch (letter) {
  case 't':
  case 's':
    return "t";
  case 'n':
    return "7";
  case 'k':
    return k;
  case 'm':
    return m;
  case 'l':
    return "holds(q)";
  case 'c':
    return "holds(q, t)";
  case 'g':
    return "exp(" + k + ")*exp(2*" + k + ")";
  case 'e':
    return "exp(" + k + ")";
  default: // y, x
    return point;
  }
}

/// A method whose second line is the expression, from column 3 on (of a formula: behind `…(q, xi) = `).
std::string methodWith(const KindOfMethod& kind, const std::string& expression) {
  if (kind.isFormula)
    return "variational M order 1 { discrete lagrangian(q, xi) = h*L(q, xi, t); discrete force left(q, xi) =\n  " +
           expression + ";\n}\n";
  std::string text = "method M order 1 on " + kind.name + " { c =\n  " + expression + ";\n";
  for (const std::string& s : kind.stateNames()) text += "  next " + s + " = " + s + ";\n";
  return text + "}\n";
}

std::string callOf(const std::string& name, const std::vector<std::string>& args) {
  std::string text = name + "(";
  for (std::size_t k = 0; k < args.size(); ++k) text += (k == 0 ? "" : ", ") + args[k];
  return text + ")";
}

struct Result {
  std::shared_ptr<const CheckedMethod> method;
  std::vector<std::string> errors;
  std::string text;
};

Result checked(const std::string& text, const std::string& name = "M") {
  const Checked c = check(text);
  const Found found = c.compilation->findMethod(name);
  EXPECT_TRUE(bool(found)) << text;
  Result r;
  if (found) r.method = checkMethod(*c.compilation, found);
  r.errors = c.errors();
  r.text = text + c.text();
  EXPECT_EQ(r.method == nullptr, !r.errors.empty()) << r.text;
  // Once more says nothing new.
  const bool again = found && checkMethod(*c.compilation, found) != nullptr;
  EXPECT_EQ(again, r.method != nullptr) << r.text;
  EXPECT_EQ(c.errors(), r.errors) << r.text;
  r.method = nullptr; // belongs to the compilation
  return r;
}

std::string at(const std::string& code, const std::string& call) {
  return code + " 2:3-" + std::to_string(2 + call.size());
}

/// Each word of each kind, with its arguments.
template <typename Test> void forEachWord(Test test) {
  for (const KindOfMethod& kind : kindsOfMethods()) {
    for (const Word& word : kind.words) {
      std::vector<std::string> args;
      for (const char letter : word.takes) args.push_back(valueOf(kind, letter));
      test(kind, word, args);
    }
  }
}

/// What does not fit where a letter is wanted. A number has an exponential of its own.
std::string misfit(const KindOfMethod& kind, const Word& word, std::size_t k) {
  const char letter = word.takes[k];
  if (letter == 'n') return "2.5";
  return letter == 't' || letter == 's' || word.name == "exp" ? kind.state[0].name : "t";
}

} // namespace

TEST(Kinds, WordsTakeWhatTheTableSays) {
  forEachWord([](const KindOfMethod& kind, const Word& word, const std::vector<std::string>& args) {
    const std::string call = callOf(word.name, args);
    const Result r = checked(methodWith(kind, call));
    // A formula wants a momentum there; anything else is refused for what it is, not for its arguments.
    const bool refused = kind.isFormula && word.gives != 'm';
    EXPECT_EQ(r.errors, refused ? std::vector{at("LIE0513", call)} : std::vector<std::string>{}) << r.text;
  });
}

TEST(Kinds, WrongNumbersOfArgumentsAreReportedAtTheCall) {
  forEachWord([](const KindOfMethod& kind, const Word& word, std::vector<std::string> args) {
    args.emplace_back("t");
    const std::string more = callOf(word.name, args);
    EXPECT_EQ(checked(methodWith(kind, more)).errors, std::vector{at("LIE0505", more)}) << kind.id;
    args.resize(args.size() - 2);
    const std::string fewer = callOf(word.name, args);
    EXPECT_EQ(checked(methodWith(kind, fewer)).errors, std::vector{at("LIE0505", fewer)}) << kind.id;
  });
}

TEST(Kinds, WrongArgumentsAreReportedAtTheCall) {
  forEachWord([](const KindOfMethod& kind, const Word& word, const std::vector<std::string>& args) {
    for (std::size_t k = 0; k < args.size(); ++k) {
      std::vector<std::string> wrong = args;
      wrong[k] = misfit(kind, word, k);
      const std::string call = callOf(word.name, wrong);
      const Result r = checked(methodWith(kind, call));
      EXPECT_EQ(r.errors, std::vector{at("LIE0505", call)}) << r.text;
    }
  });
}

TEST(Kinds, UnknownWordsAreAnsweredWithTheNearest) {
  forEachWord([](const KindOfMethod& kind, const Word& word, const std::vector<std::string>& args) {
    if (word.name.size() < 4) return; // too short to guess
    const Result r = checked(methodWith(kind, callOf(word.name + "_", args)));
    ASSERT_EQ(r.errors.size(), 1U) << r.text;
    EXPECT_EQ(r.errors[0], "LIE0101 2:3-" + std::to_string(3 + word.name.size())) << r.text;
    EXPECT_NE(r.text.find("`" + word.name + "`"), std::string::npos) << r.text;
  });
}

TEST(Kinds, ArgumentsAreCountedAndNamed) {
  const KindOfMethod& first = kindsOfMethods().front();
  EXPECT_NE(checked(methodWith(first, "f(y)")).text.find("f takes the time and a point, not 1 argument"),
            std::string::npos);
  EXPECT_NE(checked(methodWith(first, "f(t, h*f(t, y))"))
                .text.find("the second argument of f is a point, not an element of the Lie algebra"),
            std::string::npos);
  EXPECT_NE(
      checked(methodWith(first, "dexp(y, h*f(t, y))")).text.find("the first argument of dexp is an algebra element"),
      std::string::npos);
}

TEST(Kinds, RowsAreWellFormed) {
  std::set<std::string> ids;
  for (const KindOfMethod& kind : kindsOfMethods()) {
    EXPECT_TRUE(ids.insert(kind.id).second) << kind.id;
    EXPECT_FALSE(kind.state.empty()) << kind.id;
    EXPECT_FALSE(kind.about.empty()) << kind.id;
    for (const Need need : kind.needs) EXPECT_FALSE(describe(need).empty()) << kind.id;
    std::set<std::pair<std::string, std::string>> forms;
    for (const Word& w : kind.words) {
      EXPECT_TRUE(forms.emplace(w.name, w.takes).second) << kind.id << " " << w.name;
      EXPECT_EQ(w.call.substr(0, w.name.size() + 1), w.name + "(") << kind.id;
      EXPECT_FALSE(w.means.empty()) << kind.id << " " << w.name;
      EXPECT_FALSE(noun(w.gives).empty());
    }
  }
}

TEST(Kinds, OfOneNameTheBodyChooses) {
  const Checked c = check("method A order 1 on embedding { next y = y; }\n"
                          "method B order 1 on embedding { next q = q; next v = v; }\n"
                          "method C = compose(adjoint(B); 1/2, 1/2);\n");
  const auto of = [&](const char* name) { return checkMethod(*c.compilation, c.compilation->findMethod(name)); };
  EXPECT_EQ(of("A")->kind->stateNames(), std::vector<std::string>{"y"});
  EXPECT_EQ(of("B")->kind->stateNames(), (std::vector<std::string>{"q", "v"}));
  EXPECT_EQ(of("C")->kind, of("B")->kind);
  EXPECT_EQ(checked("method M order 1 on embeding { next y = y; }").errors,
            std::vector<std::string>{"LIE0503 1:21-28"});
}

// --- the checked form ---------------------------------------------------------------------------------------------

TEST(CheckedMethods, ThoseOfTheLibraryHaveNoErrors) {
  const Checked c = check("");
  int count = 0;
  for (const syntax::DeclKind kind : {syntax::DeclKind::Method, syntax::DeclKind::Variational}) {
    for (const Found& found : c.compilation->libraryDeclarations(kind)) {
      const auto method = checkMethod(*c.compilation, found);
      ASSERT_NE(method, nullptr) << found.declaration->name << c.text();
      const int forms = int(method->tableau.has_value()) + int(method->composition.has_value()) +
                        int(method->formula.has_value()) + int(!method->body.empty() && !method->formula);
      EXPECT_EQ(forms, 1) << method->name;
      for (TermId t = 0; t < method->terms.size(); ++t) {
        for (const TermId a : method->terms[t].args) EXPECT_LT(a, t) << method->name;
      }
      ++count;
    }
  }
  EXPECT_GT(count, 40);
  EXPECT_TRUE(c.errors().empty()) << c.text();
}

/// Of each pair of the library whether its results differ where f is a function of time.
TEST(CheckedMethods, MostPairsSeeErrorsOfTheTime) {
  const Checked c = check("");
  std::set<std::string> blind, see;
  for (const Found& found : c.compilation->libraryDeclarations(syntax::DeclKind::Method)) {
    const auto method = checkMethod(*c.compilation, found);
    const std::optional<bool> sees = seesTime(c.compilation->graph(), *method);
    if (sees) (*sees ? see : blind).insert(method->name);
  }
  EXPECT_EQ(blind, (std::set<std::string>{"CF32b", "RKMK78"}));
  EXPECT_EQ(see, (std::set<std::string>{"CF32", "CF43", "CG23", "CG34", "P54", "P853", "PL14", "PL16", "RK32", "RK54",
                                        "RKMK32", "RKMK45", "RKMK54", "SDIRK43"}));
}

TEST(CheckedMethods, SeeErrorsOfTheTimeByTheirWeights) {
  const auto sees = [](const std::string& body) -> std::optional<bool> {
    const Checked c = check("method M order 2(1) " + body);
    const auto method = checkMethod(*c.compilation, c.compilation->findMethod("M"));
    EXPECT_NE(method, nullptr) << c.text();
    if (!method) return std::nullopt;
    return seesTime(c.compilation->graph(), *method);
  };
  EXPECT_EQ(sees("{ k = h*f(t, y); l = h*f(t + h, exp(k)*y);\n  next y = exp((k + l)/2)*y; embedded y = exp(k)*y; }"),
            true);
  // Both are the rule of the middle.
  EXPECT_EQ(sees("{ k = h*f(t, y); l = h*f(t + h/2, exp(k/2)*y);\n  m = h*f(t + h/2, exp(l/2)*y);\n"
                 "  next y = exp(m)*y; embedded y = exp(l/2)*exp(m/2 + [k, l])*y; }"),
            false);
  // The stages of a method in storage coordinates.
  EXPECT_EQ(sees("on embedding { k = ydot(t, y); l = ydot(t + h, y + h*k);\n"
                 "  next y = onto(y + h*(k + l)/2); embedded y = y + h*k; }"),
            true);
  // Nothing is said of one result, or of unknowns.
  EXPECT_EQ(sees("{ next y = exp(h*f(t, y))*y; }"), std::nullopt);
  EXPECT_EQ(sees("{ solve k : k = h*f(t + h, exp(k)*y);\n  next y = exp(k)*y; embedded y = y; }"), std::nullopt);
}

TEST(CheckedMethods, HaveTheValuesOfTheirParameters) {
  const Checked c = check("method M(a = 1/2) order if a == 1/2 then 2 else 1 {\n"
                          "  fn g(s) = exp(if a > 1 then s*h*f(t, y) else h*f(t, y));\n"
                          "  next y = g(a)*y;\n}\n"
                          "method Twice = compose(M(a = 2), M; 1/3, 2/3);\n");
  const auto m = checkMethod(*c.compilation, c.compilation->findMethod("M"));
  const auto twice = checkMethod(*c.compilation, c.compilation->findMethod("Twice"));
  ASSERT_TRUE(m && twice) << c.text();
  EXPECT_EQ(m->order, 2);
  EXPECT_TRUE(m->orderVaries);
  EXPECT_EQ(m->kind->name, "manifold");
  ASSERT_TRUE(twice->composition);
  ASSERT_EQ(twice->composition->parts.size(), 2U);
  EXPECT_EQ(twice->composition->parts[0].use.method->order, 1);
  EXPECT_EQ(twice->composition->parts[1].use.method->order, 2);
}

TEST(CheckedMethods, FunctionsAreWrittenOut) {
  const Checked c =
      check("method M order 1 {\n  fn k(s) = s*h*f(t + s*h, y);\n  next y = exp(k(1/3) + k(2/3))*y;\n}\n");
  const auto m = checkMethod(*c.compilation, c.compilation->findMethod("M"));
  ASSERT_TRUE(m) << c.text();
  EXPECT_EQ(m->calls("f"), 2);
  EXPECT_FALSE(m->isImplicit());
}

TEST(CheckedMethods, TableausAreExact) {
  const Checked c = check("tableau T { a = [[0, 0], [2/3, 0]]; b = [1/4, 3/4]; order 2; }\nmethod M = rkmk(T);\n");
  const auto m = checkMethod(*c.compilation, c.compilation->findMethod("M"));
  ASSERT_TRUE(m && m->tableau) << c.text();
  EXPECT_EQ(m->tableau->tableau.a[1][0].text(), "2/3");
  EXPECT_EQ(m->tableau->tableau.c[1].text(), "2/3");
  EXPECT_EQ(m->order, 2);
}

TEST(CheckedMethods, NoneIsAPartOfItself) {
  EXPECT_EQ(checked("method M = compose(M; 1/2, 1/2);").errors, std::vector<std::string>{"LIE0517 1:12-31"});
  EXPECT_EQ(
      checked("method M = compose(B; 1/2, 1/2);\nmethod B = adjoint(C);\nmethod C = compose(LieEuler, M; 1/2, 1/2);\n")
          .errors,
      std::vector<std::string>{"LIE0517 3:12-41"});
}

TEST(CheckedMethods, EquationsAreCountedWithoutAModel) {
  EXPECT_EQ(checked("method M order 1 {\n  solve k, l : k = h*f(t, exp(l)*y);\n  next y = exp(k)*y;\n}").errors,
            std::vector<std::string>{"LIE0511 2:3-7"});
  EXPECT_EQ(checked("method M order 1 {\n  solve a from 1 : a = 1, a = 2;\n  next y = y;\n}").errors,
            std::vector<std::string>{"LIE0511 2:3-7"});
}

namespace {

/// Codes that a whole check of a file reports.
std::vector<std::string> checkFileOf(const std::string& text) {
  PipelineOptions options;
  options.compilation.libraryRoot = LMC_SOURCE_DIR;
  Pipeline pipeline(options);
  EXPECT_TRUE(pipeline.loadText("test.lie", text));
  (void)pipeline.check();
  std::vector<std::string> list;
  for (const Diagnostic& d : pipeline.diagnostics().sorted()) list.emplace_back(info(d.code).name);
  return list;
}

} // namespace

TEST(CheckedMethods, FilesWithoutAModelAreChecked) {
  using Codes = std::vector<std::string>;
  const std::string rows = "tableau T { a = [[0, 0], [1/2, 0]]; b = ";
  EXPECT_EQ(checkFileOf(rows + "[0, 1]; order 2; }\n"), Codes{});
  EXPECT_EQ(checkFileOf(rows + "[0, 1/2]; order 2; }\n"), Codes{"LIE0510"});
  EXPECT_EQ(checkFileOf("method M order 1 on rigid_body { next Q = Q*exp(h*Omega); next Omega = J(Omega); }\n"),
            Codes{"LIE0505"});
  EXPECT_EQ(
      checkFileOf("method M order 2(1) on cotangent { next g = g; next mu = mu; embedded g = g; embedded mu = mu; }\n"),
      Codes{"LIE0501"});
}
