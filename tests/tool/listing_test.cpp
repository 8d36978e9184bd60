// `lmc methods` and `lmc manifolds`: one line for each declaration of the library, and its source.
#include "acceptance/Tool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>

using namespace lmc::acceptance;

namespace {

long lines(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n');
}

bool isNumber(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

} // namespace

TEST(Methods, HaveOrderKindStagesAndSource) {
  const Workspace w;
  const auto json = parseJson(w.lmc({"methods", "--json"}).out);
  ASSERT_TRUE(json.is_object());
  const auto& methods = json.at("methods");
  ASSERT_GE(methods.size(), 11U);
  EXPECT_EQ(lines(w.lmc({"methods"}).out), static_cast<long>(methods.size()) + 1) << "with a head";
  for (const auto& method : methods) {
    const std::string name = method.at("name");
    EXPECT_TRUE(isNumber(method.at("order"))) << name;
    const std::string kind = method.at("kind");
    const std::set<std::string> kinds = {"manifold",    "cotangent",  "embedding", "lagrangian",
                                         "variational", "rigid_body", "contacts",  "jets"};
    EXPECT_TRUE(kinds.contains(kind)) << name << " " << kind;
    const std::string text = w.lmc({"methods", name}).out;
    const bool iterates = text.find("solve ") != std::string::npos || text.find("compose(") != std::string::npos ||
                          text.find("symmetric(") != std::string::npos || kind == "variational";
    EXPECT_TRUE(isNumber(method.at("stages")) || iterates) << name;
    EXPECT_GT(method.at("source").get<std::string>().size(), 10U) << name;
    const Outcome one = w.lmc({"methods", name});
    EXPECT_EQ(one.status, 0);
    const bool shown = one.out.find("\nmethod " + name) != std::string::npos ||
                       one.out.find("\nvariational " + name) != std::string::npos;
    EXPECT_TRUE(shown) << one.out;
    EXPECT_TRUE(one.out.starts_with("// runtime/steppers/")) << one.out;
  }
}

TEST(Methods, CountTheStages) {
  const Workspace w;
  const auto stages = [&](const std::string& name) {
    return parseJson(w.lmc({"methods", name, "--json"}).out).at("stages").get<std::string>();
  };
  EXPECT_EQ(stages("LieEuler"), "1");
  EXPECT_EQ(stages("RKMK4"), "4");
  EXPECT_EQ(stages("CG4"), "5") << "of its tableau";
}

TEST(Methods, OfATableauShowItToo) {
  const Workspace w;
  const std::string text = w.lmc({"methods", "CG3"}).out;
  EXPECT_NE(text.find("method CG3 ="), std::string::npos);
  EXPECT_NE(text.find("tableau CG3_tableau {"), std::string::npos);
}

TEST(Manifolds, HaveKindDimensionAndStorage) {
  const Workspace w;
  const auto json = parseJson(w.lmc({"manifolds", "--json"}).out);
  ASSERT_TRUE(json.is_object());
  const auto& manifolds = json.at("manifolds");
  EXPECT_EQ(lines(w.lmc({"manifolds"}).out), static_cast<long>(manifolds.size()) + 1) << "with a head";
  const auto entry = [&](const std::string& name) {
    for (const auto& m : manifolds)
      if (m.at("name") == name) return m;
    return nlohmann::ordered_json::object().get<nlohmann::json>();
  };
  EXPECT_EQ(entry("SO(3)").at("kind"), "group");
  EXPECT_EQ(entry("SO(3)").at("dimension"), "3");
  EXPECT_EQ(entry("SO(3)").at("storage"), "mat(3,3)");
  EXPECT_EQ(entry("S^2").at("kind"), "manifold");
  EXPECT_EQ(entry("S^2").at("dimension"), "2");
  EXPECT_EQ(entry("R").at("dimension"), "1");
}

TEST(Manifolds, AreFoundByHeadAndByName) {
  const Workspace w;
  EXPECT_NE(w.lmc({"manifolds", "SO(3)"}).out.find("group SO(3) {"), std::string::npos);
  EXPECT_NE(w.lmc({"manifolds", "SO( 3 )"}).out.find("group SO(3) {"), std::string::npos);
  const std::string both = w.lmc({"manifolds", "SO"}).out;
  EXPECT_NE(both.find("group SO(2) {"), std::string::npos);
  EXPECT_NE(both.find("group SO(3) {"), std::string::npos);
  EXPECT_EQ(w.lmc({"manifolds", "SO(3"}).status, 2);
  const std::string member = w.lmc({"manifolds", "SO(4)"}).out; // of a family
  EXPECT_NE(member.find("group SO(n) where n >= 2 {"), std::string::npos);
  EXPECT_EQ(member.find("group SO(3) {"), std::string::npos);
  EXPECT_NE(w.lmc({"manifolds", "S^7"}).out.find("manifold S^n"), std::string::npos);
}

TEST(Joints, HaveTheirCallAndADescription) {
  const Workspace w;
  const auto json = parseJson(w.lmc({"joints", "--json"}).out);
  ASSERT_TRUE(json.is_object());
  std::set<std::string> names;
  for (const auto& joint : json.at("joints")) {
    names.insert(joint.at("name").get<std::string>());
    EXPECT_TRUE(joint.at("call").get<std::string>().starts_with(joint.at("name").get<std::string>() + "("));
    EXPECT_GT(joint.at("description").get<std::string>().size(), 10U) << joint.at("name");
  }
  for (const char* name : {"weld", "spherical", "revolute", "universal", "prismatic", "cylindrical", "planar", "screw",
                           "gear", "rod", "point_on_line", "point_on_plane", "motor", "knife_edge", "rolling_disk",
                           "rolling_ball", "rolling_ellipsoid", "no_slip"})
    EXPECT_TRUE(names.contains(name)) << name;
  EXPECT_NE(w.lmc({"joints", "screw"}).out.find("constraint thread"), std::string::npos);
  EXPECT_NE(w.lmc({"joints", "scrow"}).err.find("did you mean `screw`"), std::string::npos);
}
