// What the tool tells about itself and its library, and manifolds that a user declares.
#include "acceptance/Diagnostics.h"
#include "acceptance/Trajectory.h"

#include <cmath>
#include <gtest/gtest.h>
#include <sstream>

using namespace lmc::acceptance;

namespace {

/// The line that begins with a word and a blank; empty if there is none.
std::string lineOf(const std::string& text, const std::string& word) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(word + " ")) return line;
  }
  return {};
}

} // namespace

TEST(Library, ListsItsMethods) {
  const Workspace w;
  const Outcome outcome = w.lmc({"methods"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const std::vector<std::pair<std::string, char>> methods{
      {"LieEuler", '1'}, {"RKMK2", '2'}, {"RKMK3", '3'}, {"RKMK4", '4'}, {"RKMK4full", '4'}, {"CF2", '2'},
      {"CF3", '3'},      {"CF3b", '3'},  {"CF4", '4'},   {"CG3", '3'},   {"CG4", '4'},       {"RKMK5", '5'},
      {"RKMK6", '6'},    {"CF3N", '3'},  {"CF4N", '4'},  {"CF5", '5'},   {"CF6", '6'}};
  for (const auto& [name, order] : methods) {
    const std::string line = lineOf(outcome.out, name);
    ASSERT_FALSE(line.empty()) << name;
    EXPECT_EQ(line[line.find_first_not_of(' ', name.size())], order) << line;
  }
}

TEST(Library, ShowsAMethodAndAManifold) {
  const Workspace w;
  const Outcome method = w.lmc({"methods", "CF4"});
  ASSERT_EQ(method.status, 0) << method.err;
  EXPECT_NE(method.out.find("method CF4 order 4"), std::string::npos) << method.out;
  EXPECT_NE(method.out.find("Celledoni"), std::string::npos);
  const Outcome manifold = w.lmc({"manifolds", "SO(3)"});
  ASSERT_EQ(manifold.status, 0) << manifold.err;
  EXPECT_NE(manifold.out.find("group SO(3)"), std::string::npos) << manifold.out;
  const Outcome all = w.lmc({"manifolds"});
  for (const char* name : {"R^n", "SO(2)", "SO(3)", "S^2"}) EXPECT_FALSE(lineOf(all.out, name).empty()) << name;
  const Outcome unknown = w.lmc({"methods", "RKMK44"});
  EXPECT_NE(unknown.status, 0);
  EXPECT_NE(unknown.err.find("RKMK4"), std::string::npos) << unknown.err;
}

TEST(Library, ExplainsEveryCodeThatItReports) {
  const Workspace w;
  for (const char* name : {"unknown_name", "sum_of_shapes", "huge_number", "unknown_method", "singular_mass_matrix"}) {
    const std::string file = (errorFolder() / (std::string(name) + ".lie")).string();
    const auto reported = parseDiagnostics(w.lmc({"run", file}).err);
    ASSERT_FALSE(reported.empty()) << name;
    const Outcome outcome = w.lmc({"explain", reported.front().code});
    EXPECT_EQ(outcome.status, 0) << reported.front().code;
    EXPECT_GT(outcome.out.size(), 80U) << outcome.out;
  }
  EXPECT_NE(w.lmc({"explain", "LIE9999"}).status, 0);
}

TEST(Library, DumpsEveryStage) {
  const Workspace w;
  for (const char* stage : {"ast", "program", "model", "system", "step", "tape", "ir", "assembly"}) {
    const Outcome outcome = w.lmc({"dump", example("spherical_pendulum"), "--stage", stage});
    EXPECT_EQ(outcome.status, 0) << stage << "\n" << outcome.err;
    EXPECT_GT(outcome.out.size(), 20U) << stage;
    EXPECT_EQ(w.lmc({"dump", example("spherical_pendulum"), "--stage", stage}).out, outcome.out) << stage;
  }
}

TEST(Library, ChecksEveryExampleAndModel) {
  const Workspace w;
  for (const std::filesystem::path& folder : {std::filesystem::path(example("heavy_top")).parent_path(),
                                              std::filesystem::path(testModel("x")).parent_path()}) {
    Arguments arguments{"check"};
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".lie") arguments.push_back(entry.path().string());
    }
    ASSERT_GT(arguments.size(), 5U);
    const Outcome outcome = w.lmc(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
  }
}

TEST(UserManifolds, AGroupOfQuaternionsMovesTheTop) {
  const Workspace w;
  const Arguments arguments{"--time", "0..0.2", "--step", "1e-3", "--every", "0.1"};
  const Trajectory matrices = runModel(w, example("heavy_top"), arguments);
  const Trajectory quaternions = runModel(w, testModel("top_on_quaternions"), arguments);
  ASSERT_FALSE(matrices.rows.empty() || quaternions.rows.empty());
  for (std::size_t i = 0; i < matrices.rows.size(); ++i) {
    for (const char* c : {"tip[1]", "tip[2]", "tip[3]", "Omega[1]", "Omega[3]", "energy"}) {
      const double value = matrices.at(i, c); // equivariance: the same step, up to round-off
      EXPECT_NEAR(quaternions.at(i, c), value, 1e-9 * std::max(1.0, std::abs(value))) << c;
    }
    double norm = 0;
    for (const char* c : {"q[1]", "q[2]", "q[3]", "q[4]"}) norm += std::pow(quaternions.at(i, c), 2);
    EXPECT_NEAR(norm, 1, 1e-12);
  }
}

// The top with velocities in the body: on matrices and on quaternions a step is the same, up to round-off.
TEST(Library, UnitQuaternionsMoveTheTopAsMatricesDo) {
  const Workspace w;
  for (const char* method : {"RKMK4", "CF4", "VIMidpoint", "VLV"}) {
    const Arguments arguments{"--time", "0..0.2", "--step", "1e-3", "--every", "0.1", "--method", method};
    const Trajectory matrices = runModel(w, example("heavy_top"), arguments);
    const Trajectory quaternions = runModel(w, testModel("top_on_unit_quaternions"), arguments);
    ASSERT_FALSE(matrices.rows.empty() || quaternions.rows.empty()) << method;
    for (std::size_t i = 0; i < matrices.rows.size(); ++i) {
      for (const char* c : {"tip[1]", "tip[2]", "tip[3]", "Omega[1]", "Omega[3]", "energy"}) {
        const double value = matrices.at(i, c);
        EXPECT_NEAR(quaternions.at(i, c), value, 1e-9 * std::max(1.0, std::abs(value))) << method << " " << c;
      }
    }
  }
}

namespace {
/// The body in the plane, moved on a group, against plane_coordinates.lie.
void expectSameMotion(const Trajectory& group, const Trajectory& coordinates) {
  ASSERT_FALSE(group.rows.empty() || coordinates.rows.empty());
  ASSERT_EQ(group.rows.size(), coordinates.rows.size());
  for (std::size_t i = 0; i < group.rows.size(); ++i) {
    EXPECT_NEAR(group.at(i, "centre[1]"), coordinates.at(i, "p[1]"), 1e-9);
    EXPECT_NEAR(group.at(i, "centre[2]"), coordinates.at(i, "p[2]"), 1e-9);
    EXPECT_NEAR(group.at(i, "energy"), coordinates.at(i, "energy"), 1e-9);
  }
}
} // namespace

TEST(Library, MotionsOfThePlaneAgreeWithCoordinates) {
  const Workspace w;
  const Arguments arguments{"--every", "0.25"};
  const Trajectory group = runModel(w, testModel("plane_motion"), arguments);
  const Trajectory coordinates = runModel(w, testModel("plane_coordinates"), arguments);
  ASSERT_NO_FATAL_FAILURE(expectSameMotion(group, coordinates));
  for (std::size_t i = 0; i < group.rows.size(); ++i) {
    EXPECT_NEAR(group.at(i, "X.R[1][1]"), std::cos(coordinates.at(i, "phi")), 1e-9);
  }
  const std::pair<const char*, double> logarithms[] = {
      {"back.w", -1.3},      {"back.v[1]", 0.7},     {"back.v[2]", 2}, {"quaternion[1]", 0.3},
      {"quaternion[2]", -4}, {"quaternion[3]", 1.2}, {"rest[1]", 0},   {"rest[3]", 0}};
  for (const auto& [column, value] : logarithms) EXPECT_NEAR(group.at(0, column), value, 1e-14) << column;
}

TEST(UserManifolds, AnImportedGroupThatIsNeitherCompactNorAbelian) {
  const Workspace w;
  const Arguments arguments{"--every", "0.25"};
  const Trajectory group = runModel(w, testModel("plane_body"), arguments);
  const Trajectory coordinates = runModel(w, testModel("plane_coordinates"), arguments);
  ASSERT_NO_FATAL_FAILURE(expectSameMotion(group, coordinates));
  for (std::size_t i = 0; i < group.rows.size(); ++i) {
    EXPECT_NEAR(group.at(i, "X[3]"), coordinates.at(i, "phi"), 1e-9);
  }
}
