// Which declaration a name means: the user's files, the import path, the library.
#include "acceptance/Diagnostics.h"
#include "acceptance/Trajectory.h"

#include <cstdlib>
#include <gtest/gtest.h>

using namespace lmc::acceptance;

namespace {

/// Rotations as quaternions, under the name that the library has for matrices.
const char* const quaternions = "group SO(3) {\n"
                                "  element p : vec(4);  algebra w : vec(3);\n"
                                "  identity = SU(2).identity();\n"
                                "  product(a, b) = SU(2).product(a, b);\n"
                                "  inverse(a) = SU(2).inverse(a);\n"
                                "  bracket(u, v) = cross(u, v);\n"
                                "  exp(w) = SU(2).exp(w);\n"
                                "  action(a, x) = SU(2).action(a, x);\n"
                                "  holds dot(p, p) = 1;\n"
                                "}\n";

/// A group of one angle.
std::string angle(const std::string& name, const std::string& exp) {
  return "group " + name +
         " { element a : real; algebra w : real; identity = 0; product(a, b) = a + b; inverse(a) = -a;\n"
         "  bracket(u, v) = 0; exp(w) = " +
         exp + "; }\n";
}

const char* const turning =
    "model M { config q : Angle velocity w; lagrangian = 0.5*w^2; initial w = 2; observe a = q + 0;\n"
    "  simulate { method = RKMK4; time = 0..1; step = 0.1; } }\n";

} // namespace

TEST(Names, AUsersManifoldStandsBesideTheModelInAnImportOrOnThePath) {
  const Workspace w;
  const std::string plain = angle("Angle", "w");
  EXPECT_NEAR(runModel(w, w.write("one.lie", plain + turning).string(), {}).last("a"), 2, 1e-14);
  w.write("angle.lie", plain);
  EXPECT_NEAR(runModel(w, w.write("two.lie", std::string("import \"angle.lie\";\n") + turning).string(), {}).last("a"),
              2, 1e-14);
  std::filesystem::create_directory(w.path("library"));
  w.write("library/away.lie", plain);
  const std::string away = w.write("three.lie", std::string("import \"away.lie\";\n") + turning).string();
  EXPECT_EQ(w.lmc({"check", away}).status, 1);
  EXPECT_NEAR(runModel(w, away, {"--import-path", w.path("library").string()}).last("a"), 2, 1e-14);
  ::setenv("LMC_PATH", ("/nowhere:" + w.path("library").string()).c_str(), 1);
  EXPECT_NEAR(runModel(w, away, {}).last("a"), 2, 1e-14);
  ::unsetenv("LMC_PATH");
}

TEST(Names, AMistypedImportNamesWhatWasLookedFor) {
  const Workspace w;
  w.write("quaternion.lie", angle("Angle", "w"));
  const Outcome outcome =
      w.lmc({"check", w.write("m.lie", "import \"quaternoin.lie\";\n").string(), "--import-path", "/no/such/folder"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.err.find("there is no file `quaternoin.lie`"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("looked for /no/such/folder/quaternoin.lie"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("did you mean \"quaternion.lie\"?"), std::string::npos) << outcome.err;
}

// No name is reserved: in the user's files SO(3) is the user's, in those of the library the library's.
TEST(Names, AUsersGroupWinsButTheLibraryKeepsItsOwn) {
  const Workspace w;
  const std::string file =
      w.write("m.lie",
              std::string(quaternions) +
                  "model M {\n"
                  "  config r : SO(3) velocity u;\n"
                  "  config X : SE(3) velocity v;\n"
                  "  config q : S^2 velocity s;\n"
                  "  lagrangian = 0.5*dot(u, diag(1, 2, 3)*u) + 0.5*dot(v.w, diag(1, 2, 3)*v.w) + 0.5*dot(v.v, v.v)\n"
                  "    + 0.5*dot(s, s);\n"
                  "  initial u = [0.3, 2, 0.1]; initial v.w = [0.3, 2, 0.1]; initial q = e1; initial s = e3;\n"
                  "  observe a = r*e1; observe b = X.R*e1;\n"
                  "  simulate { method = RKMK4; time = 0..1; step = 0.01; }\n"
                  "}\n")
          .string();
  const Trajectory t = runModel(w, file, {});
  ASSERT_FALSE(t.rows.empty());
  EXPECT_GE(t.find("r[4]"), 0);
  EXPECT_GE(t.find("X.R[3][3]"), 0);
  for (const char* k : {"[1]", "[2]", "[3]"})
    EXPECT_NEAR(t.last(std::string("a") + k), t.last(std::string("b") + k), 1e-12);
  EXPECT_NEAR(t.last("q[2]"), std::sin(1), 1e-12);
}

TEST(Names, TheLibraryDoesNotSeeTheUsersFunctionsAndTableaux) {
  const Workspace w;
  const std::string model = "model M { config R : SU(2) velocity w; lagrangian = 0.5*dot(w, diag(1, 2, 3)*w);\n"
                            "  initial w = [0.3, 2, 0.1]; observe a = R*e1;\n"
                            "  simulate { method = RKMK3; time = 0..1; step = 0.01; } }\n";
  const Trajectory plain = runModel(w, w.write("a.lie", model).string(), {});
  const Trajectory renamed = runModel(w,
                                      w.write("b.lie", "fn cross(u, v) = 0*u;\nfn make(s, v) = 7;\n"
                                                       "tableau Kutta3 { a = [[0]]; b = [1]; c = [0]; order 1; }\n" +
                                                           model)
                                          .string(),
                                      {});
  ASSERT_FALSE(plain.rows.empty() || renamed.rows.empty());
  EXPECT_EQ(plain.last("a[1]"), renamed.last("a[1]"));
}

// A file's own declaration comes before those of other files; of these the first import wins.
TEST(Names, OwnDeclarationsComeFirstThenImportsInOrder) {
  const Workspace w;
  w.write("one.lie", angle("Angle", "w"));
  w.write("two.lie", angle("Angle", "w + 0*w") + "fn two() = 2;\n");
  const std::string imports = "import \"one.lie\";\nimport \"two.lie\";\n";
  const std::string other = "group Angle { element b : real; algebra w : real; identity = 0; product(a, b) = a + b;\n"
                            "  inverse(a) = -a; bracket(u, v) = 0; exp(w) = 2*w; }\n";
  // The user's own exp goes twice as far for the same rate.
  EXPECT_NEAR(runModel(w, w.write("m.lie", imports + other + turning).string(), {}).last("a"), 4, 1e-13);
  EXPECT_NEAR(runModel(w, w.write("n.lie", imports + turning).string(), {}).last("a"), 2, 1e-13);
}

TEST(Names, AnImportedFileMayHoldAModelToo) {
  const Workspace w;
  w.write("angle.lie",
          angle("Angle", "w") + "model Demo { config q : Angle velocity w; lagrangian = 0.5*w^2; initial w = 5; }\n");
  const Outcome outcome =
      w.lmc({"run", w.write("m.lie", std::string("import \"angle.lie\";\n") + turning).string(), "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(parseJson(outcome.out).at("model"), "M");
}
