// Contacts: what a model has of them, and messages about those that are none.
#include "sema/Support.h"
#include "sema/model/Model.h"

#include <gtest/gtest.h>

namespace lmc::test {

namespace {

std::string model(const std::string& statements) {
  return "model M {\n  config x : R^2 velocity v;\n  config y[3] : R velocity u;\n  state z : R;\n  flow z = -z;\n"
         "  input f : real = 0;\n  param mu = 0.3;\n"
         "  lagrangian = 0.5*dot(v, v) + sum(i in 1..3 : 0.5*u[i]^2) - 9.81*x[2];\n  force on x = [f, 0];\n" +
         statements + "}\n";
}

std::string codesOf(const std::string& statements) {
  const Checked c = check(model(statements));
  std::string list;
  for (const std::string& code : c.codes()) list += (list.empty() ? "" : " ") + code;
  return list;
}

} // namespace

TEST(Contacts, AreConstraintsWithAMode) {
  const Checked c = check(model("  contact floor : x[2] >= 0 { restitution = 0.8; friction = mu; slip = v[1]; }\n"
                                "  contact pair[i in 2..3] : y[i-1] <= y[i] { rest = 1e-4; }\n"
                                "  observe push = multiplier(floor);\n  observe pull = multiplier(floor.slip);\n"
                                "  observe between[i in 2..3] = multiplier(pair[i]);\n"
                                "  observe on_x = reaction(floor, x);\n"));
  ASSERT_TRUE(c.model) << c.text();
  const sema::Model& m = *c.model;
  ASSERT_EQ(m.contacts.size(), 2U);
  EXPECT_EQ(m.constraints.size(), 3U);
  EXPECT_EQ(m.constraints[m.contacts[0].normal].name, "floor");
  EXPECT_EQ(m.constraints[*m.contacts[0].slip].name, "floor.slip");
  EXPECT_TRUE(m.constraints[*m.contacts[0].slip].velocities);
  EXPECT_FALSE(m.contacts[1].slip);
  EXPECT_EQ(m.contacts[1].mode->count(), 2);
  EXPECT_EQ(m.constraints[m.contacts[1].normal].first, std::vector<std::int64_t>{2});
  std::vector<std::string> shown;
  for (const sema::DiscreteVariable& d : m.discretes)
    if (d.shown) shown.push_back(d.name);
  EXPECT_EQ(shown, (std::vector<std::string>{"floor.mode", "floor.impulse", "floor.slip.impulse", "pair.mode",
                                             "pair.impulse"}));
}

TEST(Contacts, SayWhatIsNoGap) {
  EXPECT_EQ(codesOf("  contact c : x[2] > 0;\n"), "LIE0445");
  EXPECT_EQ(codesOf("  contact c : x >= 0;\n").substr(0, 4), "LIE0");
  EXPECT_EQ(codesOf("  contact c : v[2] >= 0;\n"), "LIE0445");
  EXPECT_EQ(codesOf("  contact c : x[2] >= z;\n"), "LIE0445");
  EXPECT_EQ(codesOf("  contact c : x[2] >= f;\n"), "LIE0445");
  EXPECT_EQ(codesOf("  contact c : mu >= 0;\n"), "LIE0445");
  EXPECT_EQ(codesOf("  contact c : x[2] + 1;\n"), "LIE0445");
  EXPECT_EQ(codesOf("  contact x : x[2] >= 0;\n"), "LIE0103");
  EXPECT_EQ(codesOf("  contact c : x[2] >= 0;\n  contact c : x[1] >= 0;\n"), "LIE0161");
}

TEST(Contacts, SayWhichSettingsTheyHave) {
  const auto with = [](const std::string& block) { return codesOf("  contact c : x[2] >= 0 { " + block + " }\n"); };
  EXPECT_EQ(with("restitution = 0.5;"), "");
  EXPECT_EQ(with("restitutoin = 0.5;"), "LIE0446");
  EXPECT_EQ(with("restitution = 0.5; restitution = 0.6;"), "LIE0446");
  EXPECT_EQ(with("friction = 0.3;"), "LIE0446");
  EXPECT_EQ(with("slip = v[1];"), "LIE0446");
  EXPECT_EQ(with("friction = 0.3; slip = x[1];"), "LIE0446");
  EXPECT_EQ(with("friction = 0.3; slip = [v[1], 0, v[2]];"), "LIE0446");
  EXPECT_EQ(with("restitution = 1.5;"), "LIE0447");
  EXPECT_EQ(with("friction = -0.3; slip = v[1];"), "LIE0447");
  EXPECT_EQ(with("restitution = f;"), "LIE0445");
  EXPECT_EQ(with("restitution = if v[2] < -1 then 0.5 else 0.9;"), "");
  EXPECT_NE(check(model("  contact c : x[2] >= 0 { restitutoin = 0.5; }\n")).text().find("restitution"),
            std::string::npos);
}

/// LIE0448 is told where the equations are derived: tests/acceptance/contacts_test.cpp.
TEST(Contacts, AreForLagrangians) {
  const Checked c = check("model M {\n  config x : R momentum p;\n  hamiltonian = p^2/2 + x;\n"
                          "  contact floor : x >= 0;\n}\n");
  EXPECT_EQ(c.codes(), std::vector<std::string>{"LIE0446"}) << c.text();
}

} // namespace lmc::test
