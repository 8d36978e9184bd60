// Only the reserved words are reserved: all other keywords are names wherever they are not in their place.
#include "Support.h"

namespace lmc::test {

namespace {

const std::vector<std::string> contextual = {
    "on",    "at",       "in",         "order",       "time",    "step",    "velocity",  "momentum", "output",
    "where", "next",     "solve",      "embedded",    "element", "algebra", "point",     "holds",    "discrete",
    "space", "body",     "sum",        "product",     "state",   "flow",    "input",     "force",    "method",
    "group", "manifold", "lagrangian", "hamiltonian", "event",   "from",    "tolerance", "limit",    "every",
    "steps", "seed",     "left",       "right",       "I",       "dual",    "compose",   "rkmk",     "identity",
    "basis", "random",   "inverse",    "keep",        "contact"};

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

/// The text with the word in place of each `@` parses, and gives the tree that an ordinary name gives.
void expectName(const std::string& text) {
  const std::string ordinary = "zz";
  const std::string tree = syntax::print(Parsed(replaced(text, "@", ordinary)).file);
  for (const std::string& word : contextual) {
    const std::string changed = replaced(text, "@", word);
    const Parsed parsed(changed);
    EXPECT_EQ(parsed.rendered(), "") << changed;
    EXPECT_EQ(syntax::print(parsed.file), replaced(tree, ordinary, word)) << changed;
  }
}

TEST(Names, parametersAndUses) {
  expectName("model M { param @ = 2; let a = @ + 1; let b = 2*@; let c = f(@, @); let d = [@, @]; let e = -@; }");
  expectName("model M { let a = @[1]; let b = @'; let c = a.@; let d = (@); let e = if @ then @ else @; }");
  expectName("model M { let @[i in 1..3] = i; fn f(@, a) = @*a; observe @ = 3; initial @ = 1; initial @.w = 2; }");
}

TEST(Names, configurations) {
  expectName("model M { config @ : R^3 velocity v; force on @ = 1; flow @ = 2; }");
  expectName("model M { config q : R^3 velocity @; config p : R^3 momentum @ in space; }");
  expectName("model M { state @ : R^3; input @ : real = 3; force 2*@ at @ + 1; }");
}

TEST(Names, bounds) {
  expectName("model M { let a = sum(@ in 1..3: @*2); for @ in 1..2 { force on q[@] = 0; } let x[@ in 1..2] = @; }");
  expectName("model M { let a = sum(i in @..@ where @ == i: @); }");
}

TEST(Names, declarations) {
  expectName("model @ { }  fn @(x) = x;  tableau @ { a = 1; }");
  expectName("method @ order 2 on cotangent { k = 1; }  method @(@ = 3) = rkmk(T);  variational @ { }");
  expectName("group @(n) { element @ : mat(3,3); algebra @ : vec(3); } manifold @ { point @ : vec(3); }");
}

TEST(Names, methodBodies) {
  expectName("method M { k = @ + 1; next @ = k; embedded @ = k; solve @ : a = b; l = [@, k]; keep @ from @; }");
  expectName("method M { let @ = 3; solve W from @ tolerance @ limit @ : @ = b, a = @; }");
}

TEST(Names, definitions) {
  expectName("method M { @ = 1; } group G { @ = 2; } tableau T { @ = 3; }");
}

TEST(Names, settings) {
  const Parsed parsed("model M { param step = 1; simulate { step = step; time = time..2*time; seed = seed; } }");
  EXPECT_EQ(parsed.rendered(), "");
}

TEST(Names, forcesNamedLikeTheirKeywords) {
  const Parsed parsed("model M { force on at P; force on on = 1; force force at at; force on at = 2; }");
  EXPECT_EQ(parsed.rendered(), "");
  EXPECT_EQ(syntax::print(parsed.file), "model M\n  force-at = on | P\n  force-on on = 1\n  force-at = force | at\n"
                                        "  force-on at = 2\n");
}

} // namespace

} // namespace lmc::test
