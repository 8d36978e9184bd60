// From texts to models: diagnostics as data, imports, options.
#include "Support.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <pthread.h>

using namespace host;

TEST(HostCompile, GivesAModelOfAText) {
  const lmc::Compilation c = lmc::compileText("pendulum.lie", pendulum);
  ASSERT_TRUE(c) << c.format();
  EXPECT_TRUE(c.diagnostics.empty());
  EXPECT_EQ(c.model->name(), "Pendulum");
  EXPECT_STREQ(lmc::version(), "0.1.0");
}

TEST(HostCompile, AModelOfAStrangerReadsItsOwnFolderOnly) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("lmc-stranger-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder / "theirs");
  std::ofstream(folder / "mine.csv") << "1\nSECRET\n";
  std::ofstream(folder / "theirs" / "word.csv") << "1, SECRET\n";
  std::ofstream(folder / "theirs" / "good.csv") << "1\n2\n";
  const auto compiled = [&](const std::string& file, bool untrusted) {
    const std::string text = "model M { param d : vec(2) = read(\"" + file +
                             "\"); config x : R velocity v; lagrangian = 0.5*v^2 - d[1]*x; initial x = 1; }\n";
    const std::string path = (folder / "theirs" / "m.lie").string();
    std::ofstream(path) << text;
    lmc::Options options;
    options.untrusted = untrusted;
    const lmc::Compilation byFile = lmc::compileFile(path, options), byText = lmc::compileText(path, text, options);
    EXPECT_EQ(byFile.format(), byText.format());
    return byFile;
  };
  EXPECT_TRUE(compiled("good.csv", true)) << compiled("good.csv", true).format();
  EXPECT_NE(compiled("../mine.csv", false).format().find("SECRET"), std::string::npos);
  EXPECT_FALSE(compiled("../mine.csv", true));
  EXPECT_NE(compiled("../mine.csv", true).format().find("outside of the model's folder"), std::string::npos);
  EXPECT_EQ(compiled("../mine.csv", true).format().find("SECRET"), std::string::npos);
  EXPECT_EQ(compiled("word.csv", true).format().find("SECRET"), std::string::npos);
  std::filesystem::remove_all(folder);
}

TEST(HostCompile, LongExpressionsNeedLittleStackOfTheCaller) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the sanitizer's record of calls ends at 65,536, which this recursion passes";
#endif
  std::string sum = "x^2";
  for (int k = 1; k < 20000; ++k) sum += " + x^2*" + std::to_string(k);
  std::string functions = "fn f0(x) = x;\n";
  for (int k = 1; k < 2000; ++k)
    functions += "fn f" + std::to_string(k) + "(x) = f" + std::to_string(k - 1) + "(x) + 1;\n";
  const std::string text = functions + "model M { config x : R velocity v; lagrangian = 0.5*v^2 - 1e-9*(" + sum +
                           ") - f1999(x); initial x = 1; simulate { method = RKMK4; step = 0.1; } }\n";
  struct Result {
    const std::string& text;
    bool good = false;
    std::string message;
  } result{text, false, {}};
  pthread_attr_t little;
  ASSERT_EQ(pthread_attr_init(&little), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&little, std::size_t{256} << 10), 0);
  pthread_t thread{};
  const auto compile = [](void* data) -> void* {
    auto& r = *static_cast<Result*>(data);
    const lmc::Compilation c = lmc::compileText("long.lie", r.text);
    r.good = static_cast<bool>(c);
    r.message = c.format();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &little, compile, &result), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&little);
  EXPECT_TRUE(result.good) << result.message;
}

TEST(HostCompile, DiagnosticsAreData) {
  const std::string text =
      "model M {\n  param α = 1;\n  config q : S^2 velocity w;\n  lagrangian = dot(q', q')*masss;\n"
      "  initial q = [1, 0, 0];\n  param mass = 2;\n}\n";
  const lmc::Compilation c = lmc::compileText("m.lie", text);
  EXPECT_FALSE(c);
  ASSERT_EQ(c.diagnostics.size(), 1U) << c.format();
  const lmc::Diagnostic& d = c.diagnostics[0];
  EXPECT_EQ(d.code.substr(0, 3), "LIE");
  EXPECT_EQ(d.severity, lmc::Severity::Error);
  EXPECT_EQ(d.range.source, "m.lie");
  EXPECT_EQ(d.range.begin.line, 4U);
  EXPECT_EQ(text.substr(d.range.begin.offset, d.range.end.offset - d.range.begin.offset), "masss");
  EXPECT_EQ(d.range.end.column, d.range.begin.column + 5);
  EXPECT_NE((d.suggestion + d.message).find("mass"), std::string::npos);
  EXPECT_EQ(d.format().rfind("m.lie:4:", 0), 0U);
  EXPECT_NE(d.format(true).find("\033["), std::string::npos);
  EXPECT_EQ(c.format(), d.format() + "1 error\n");
}

TEST(HostCompile, WarningsComeWithTheModel) {
  const lmc::Compilation c = lmc::compileText("w.lie", "fn sin(x) = x;\n" + std::string(pendulum));
  ASSERT_TRUE(c) << c.format();
  ASSERT_EQ(c.diagnostics.size(), 1U);
  EXPECT_EQ(c.diagnostics[0].severity, lmc::Severity::Warning);
}

TEST(HostCompile, FilesThatCannotBeReadAreDiagnostics) {
  const lmc::Compilation c = lmc::compileFile("/nowhere/no.lie");
  EXPECT_FALSE(c);
  ASSERT_EQ(c.diagnostics.size(), 1U);
  EXPECT_NE(c.diagnostics[0].message.find("/nowhere/no.lie"), std::string::npos);
  // With the reason.
  for (const auto& [file, why] : {std::pair{"/nowhere/no.lie", "there is no such file"},
                                  {"/dev/null", "a pipe or a device"},
                                  {"/dev", "it is a folder"}})
    EXPECT_NE(lmc::compileFile(file).format().find(why), std::string::npos) << file;
}

TEST(HostCompile, TextsWithoutAModelAreDiagnostics) {
  const lmc::Compilation c = lmc::compileText("f.lie", "fn f(x) = x;\n");
  EXPECT_FALSE(c);
  ASSERT_EQ(c.diagnostics.size(), 1U);
}

TEST(HostCompile, SourcesImportEachOther) {
  const std::string main = "import \"parts/spring.lie\";\nmodel M { config x : R^1 velocity v; "
                           "lagrangian = 0.5*v^2 - spring(x); initial x = 1; }\n";
  const std::string spring = "import \"law.lie\";\nfn spring(x) = k()*x^2;\n";
  const lmc::Compilation c =
      lmc::compileSources({{"main.lie", main}, {"parts/spring.lie", spring}, {"parts/law.lie", "fn k() = 3;\n"}});
  ASSERT_TRUE(c) << c.format();
  EXPECT_DOUBLE_EQ(c.model->workspace().energy(), 3);

  lmc::Options options;
  std::vector<std::string> asked;
  options.resolve = [&](const std::string& path) -> std::optional<std::string> {
    asked.push_back(path);
    if (path == "parts/law.lie") return "fn k() = 5;\n";
    return std::nullopt;
  };
  const lmc::Compilation resolved = lmc::compileSources({{"main.lie", main}, {"parts/spring.lie", spring}}, options);
  ASSERT_TRUE(resolved) << resolved.format();
  EXPECT_EQ(asked, std::vector<std::string>{"parts/law.lie"});
  EXPECT_DOUBLE_EQ(resolved.model->workspace().energy(), 5);
  EXPECT_FALSE(resolved.model->methods().empty()); // asks for nothing any more
  EXPECT_EQ(asked.size(), 1U);

  options.resolve = [](const std::string&) { return std::optional<std::string>(); };
  EXPECT_FALSE(lmc::compileSources({{"main.lie", main}}, options));
}

TEST(HostCompile, ImportsComeFromDisk) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(testing::TempDir()) / "lmc_host_imports";
  fs::create_directories(folder / "lib");
  std::ofstream(folder / "lib" / "k.lie") << "fn k() = 7;\n";
  std::ofstream(folder / "main.lie") << "import \"k.lie\";\nmodel M { config x : R^1 velocity v; "
                                        "lagrangian = 0.5*v^2 - k()*x; initial x = 1; }\n";
  lmc::Options options;
  EXPECT_FALSE(lmc::compileFile(folder / "main.lie", options));
  options.importPath = {folder / "lib"};
  EXPECT_DOUBLE_EQ(model(lmc::compileFile(folder / "main.lie", options)).workspace().energy(), 7);
  // The same texts in memory, at that place.
  const std::string text = "import \"k.lie\";\nmodel M { config x : R^1 velocity v; lagrangian = k()*x + v^2; }\n";
  EXPECT_TRUE(lmc::compileText(folder / "lib" / "inner.lie", text));
  fs::remove_all(folder);
}

TEST(HostCompile, ExceptionsOfTheResolverPassThrough) {
  lmc::Options options;
  options.resolve = [](const std::string&) -> std::optional<std::string> { throw std::out_of_range("mine"); };
  EXPECT_THROW((void)lmc::compileText("m.lie", "import \"x.lie\";\n", options), std::out_of_range);
}

TEST(HostCompile, OptionsWin) {
  lmc::Options options;
  options.method = "CF4";
  options.set = {{"m", "3"}, {"q", "[0, 0, 1]"}};
  options.step = 0.002;
  options.timeFrom = -1;
  options.timeTo = 2.5;
  options.seed = 11;
  const lmc::Model m = compiled(pendulum, options);
  EXPECT_EQ(m.method(), "CF4");
  EXPECT_EQ(m.parameters()[0].value, std::vector<double>{3});
  EXPECT_EQ(m.initialState()[2], 1);
  EXPECT_EQ(m.settings().step, 0.002);
  EXPECT_EQ(m.settings().timeFrom, -1);
  EXPECT_EQ(m.settings().timeTo, 2.5);
  EXPECT_EQ(m.settings().seed, 11U);
  options.set = {{"mm", "3"}};
  EXPECT_FALSE(lmc::compileText("p.lie", pendulum, options));
  options.set.clear();
  options.method = "NoSuchMethod";
  const lmc::Compilation c = lmc::compileText("p.lie", pendulum, options);
  ASSERT_EQ(c.diagnostics.size(), 1U);
}

TEST(HostCompile, BadOptionsAreMisuse) {
  lmc::Options options;
  options.optimization = 7;
  EXPECT_EQ(kindOf([&] { (void)lmc::compileText("p.lie", pendulum, options); }), lmc::Error::Kind::Misuse);
  options = {};
  options.timeTo = 1;
  EXPECT_EQ(kindOf([&] { (void)lmc::compileText("p.lie", pendulum, options); }), lmc::Error::Kind::Misuse);
  EXPECT_EQ(kindOf([&] { (void)lmc::compileSources({}); }), lmc::Error::Kind::Misuse);
  options = {};
  options.libraryRoot = "/nowhere";
  EXPECT_EQ(kindOf([&] { (void)lmc::compileText("p.lie", pendulum, options); }), lmc::Error::Kind::Installation);
}

TEST(HostCompile, TheCacheMayBeElsewhereOrOff) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(testing::TempDir()) / "lmc_host_cache";
  fs::remove_all(folder);
  lmc::Options options;
  options.cacheFolder = folder;
  EXPECT_FALSE(compiled(pendulum, options).fromCache());
  EXPECT_TRUE(compiled(pendulum, options).fromCache());
  options.useCache = false;
  EXPECT_FALSE(compiled(pendulum, options).fromCache());
  fs::remove_all(folder);
}

/// The codes of the errors of a compilation.
std::vector<std::string> codesOf(const lmc::Compilation& c) {
  std::vector<std::string> codes;
  for (const lmc::Diagnostic& d : c.diagnostics) codes.push_back(d.code);
  return codes;
}

TEST(HostLimits, EndACompilationWithAnErrorOfTheText) {
  lmc::Options options;
  options.limitNodes = 100;
  const lmc::Compilation few = lmc::compileText("pendulum.lie", pendulum, options);
  EXPECT_FALSE(few);
  EXPECT_EQ(codesOf(few), std::vector<std::string>{"LIE0024"}) << few.format();
  options.limitNodes = 0; // none
  options.limitSeconds = 0;
  options.limitMegabytes = 0;
  EXPECT_TRUE(lmc::compileText("pendulum.lie", pendulum, options));
  options.limitSeconds = 1e-9;
  options.useCache = false;
  EXPECT_EQ(codesOf(lmc::compileText("pendulum.lie", pendulum, options)), std::vector<std::string>{"LIE0024"});
  options.limitSeconds = std::nan("");
  EXPECT_EQ(kindOf([&] { (void)lmc::compileText("p.lie", pendulum, options); }), lmc::Error::Kind::Misuse);
}

TEST(HostLimits, TheHostMayCancel) {
  lmc::Options options;
  options.useCache = false;
  int asked = 0;
  options.cancel = [&] { return ++asked > 1; };
  const lmc::Compilation c = lmc::compileText("pendulum.lie", pendulum, options);
  EXPECT_FALSE(c);
  EXPECT_EQ(codesOf(c), std::vector<std::string>{"LIE0025"}) << c.format();
  options.cancel = [] { return false; };
  EXPECT_TRUE(lmc::compileText("pendulum.lie", pendulum, options));
  options.cancel = []() -> bool { throw std::string("the host's own"); };
  EXPECT_THROW((void)lmc::compileText("pendulum.lie", pendulum, options), std::string);
}

TEST(HostLimits, WhatCancelsIsNotAskedBehindTheCall) {
  lmc::Options options;
  options.useCache = false;
  auto called = std::make_unique<int>(0);
  options.cancel = [&] { return ++*called < 0; };
  const lmc::Compilation c = lmc::compileText("pendulum.lie", pendulum, options);
  ASSERT_TRUE(c);
  EXPECT_GT(*called, 0);
  called.reset();     // what the host has asked with is gone
  c.model->prepare(); // compiles
  EXPECT_FALSE(c.model->workspace().momenta().empty());
}

TEST(HostEnsemble, IsThatOfTheModel) {
  lmc::Options options;
  options.set.emplace_back("m", "4");
  const std::vector<lmc::Source> texts = {
      {"main.lie",
       "import \"part.lie\";\nmodel M { param m = 2; param k = stiff(); config x : R^1 velocity v; lagrangian = "
       "0.5*m*v^2 - 0.5*k*x^2; initial x = 1; initial v = 0; simulate { method = RKMK4; time = 0..1; step = "
       "0.01; seed = 3; } }"},
      {"part.lie", "fn stiff() = 9;"}};
  const lmc::Compilation c = lmc::compileSources(texts, options);
  ASSERT_TRUE(c) << c.format();
  lmc::EnsembleSettings many;
  many.samples = 3;
  many.vary = {"k ~ uniform(8, 9)"};
  const lmc::Ensemble own = lmc::ensemble(*c.model, many);
  ASSERT_TRUE(own) << own.compilation.format();
  EXPECT_EQ(own.numbers, lmc::ensembleSources(texts, many, options).numbers);
  // A sample is a run of the model with its numbers.
  const auto column = [&](const std::string& name) {
    return static_cast<std::size_t>(std::find(own.columns.begin(), own.columns.end(), name) - own.columns.begin());
  };
  lmc::Workspace w = c.model->workspace();
  w.set("k", own.numbers.at(own.columns.size() + column("vary_k")));
  w.run();
  EXPECT_NEAR(w.view("x")[0], own.numbers.at(own.columns.size() + column("x")), 1e-12);
  many.seed = 4;
  EXPECT_NE(lmc::ensemble(*c.model, many).numbers, own.numbers);
  many.keep = lmc::Keep::All; // rows that no memory holds are refused before the first one is made
  many.every = 1e-11;
  EXPECT_EQ(kindOf([&] { (void)lmc::ensemble(*c.model, many); }), lmc::Error::Kind::Misuse);
  for (const lmc::Keep keep : {lmc::Keep::All, lmc::Keep::Final}) { // and so is the table
    many.keep = keep;
    many.every = 0.5;
    many.samples = 1'000'000'000'000;
    bool begun = false;
    many.progress = [&](double) { return !(begun = true); };
    EXPECT_EQ(kindOf([&] { (void)lmc::ensemble(*c.model, many); }), lmc::Error::Kind::Misuse);
    EXPECT_FALSE(begun);
    many.maxSeconds = 60; // then nobody knows
    EXPECT_TRUE(lmc::ensemble(*c.model, many).interrupted);
    many.maxSeconds = 0;
  }
  many.vary = {"kk ~ uniform(8, 9)"};
  EXPECT_EQ(codesOf(lmc::ensemble(*c.model, many).compilation), std::vector<std::string>{"LIE0650"});
  c.model->release();
  EXPECT_EQ(kindOf([&] { (void)lmc::ensemble(*c.model, many); }), lmc::Error::Kind::Unavailable);
}

TEST(HostLimits, TextsThatWouldHaveNoEndAreErrors) {
  for (const char* text : {"method A = rkmk();\n", "method A = compose(A; 1);\n", "method A = adjoint(adjoint(A));\n",
                           "method A = compose(B; 1/2, 1/2);\nmethod B = adjoint(A);\n"}) {
    const lmc::Compilation c = lmc::compileText("methods.lie", std::string(text) + pendulum);
    EXPECT_FALSE(c) << text;
    EXPECT_FALSE(c.diagnostics.empty()) << text;
  }
}
