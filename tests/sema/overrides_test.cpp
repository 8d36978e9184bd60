// Values of the command line: --set, and the settings of a run.
#include "sema/Support.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace lmc::sema;
using namespace lmc::test;
using namespace lmc;

namespace {

const char* const model = "model M {\n"
                          "  param N : int = 3;\n"
                          "  param m = 1;\n"
                          "  param k[N] = 1;\n"
                          "  param chi : vec(3) = [1, 0, 0];\n"
                          "  param half = m/2;\n"
                          "  config R : SO(3) velocity w;\n"
                          "  config q[N] : R^2 velocity v;\n"
                          "  lagrangian = 0.5*dot(w, w) + sum(i in 1..N: 0.5*m*dot(v[i], v[i]));\n"
                          "  input u : vec(3) = -w;\n"
                          "  input s[i in 1..2] : real = i;\n"
                          "  force on R = u;\n"
                          "  initial q[i in 1..N] = [i, 0];\n"
                          "  observe force1 = u;\n"
                          "  observe both = s[1] + 10*s[2];\n"
                          "  simulate { method = RKMK4; time = 0..1; step = 0.1; output every 0.5; }\n"
                          "}\n";

struct Outcome {
  Checked checked;
  std::unique_ptr<Evaluate> values;

  Numbers parameter(const std::string& name) {
    for (const Parameter& p : checked.model->parameters) {
      if (p.name == name) return values->array(p.array);
    }
    return {};
  }
  Numbers observed(const std::string& name) { return values->array(observable(*checked.model, name)); }
};

Outcome set(const std::vector<Override>& overrides,
            const std::vector<std::pair<std::string, std::string>>& simulate = {}) {
  Outcome o{check(model, {overrides, {}, simulate}), nullptr};
  EXPECT_TRUE(o.checked.model) << o.checked.text();
  if (!o.checked.model) return o;
  o.values = std::make_unique<Evaluate>(o.checked.model->program);
  setInitials(*o.checked.model, *o.values);
  return o;
}

std::vector<std::string> errors(const std::string& name, const std::string& value) {
  return check(model, {{{name, value}}, {}, {}}).errors();
}

} // namespace

TEST(Overrides, OfParameters) {
  Outcome o = set({{"m", "3"}, {"chi", "[0, m, 0]"}, {"k[2]", "0.5"}});
  EXPECT_EQ(o.parameter("m"), (Numbers{3}));
  EXPECT_EQ(o.parameter("half"), (Numbers{1.5}));
  EXPECT_EQ(o.parameter("chi"), (Numbers{0, 3, 0}));
  EXPECT_EQ(o.parameter("k"), (Numbers{1, 0.5, 1}));
}

TEST(Overrides, OfFamiliesOfParameters) {
  EXPECT_EQ(set({{"k", "2"}}).parameter("k"), (Numbers{2, 2, 2}));
  EXPECT_EQ(set({{"k", "[1, 2, 3]"}, {"k[3]", "7"}}).parameter("k"), (Numbers{1, 2, 7}));
}

TEST(Overrides, OfSizes) {
  Outcome o = set({{"N", "5"}});
  EXPECT_EQ(o.parameter("k").size(), 5U);
  EXPECT_EQ(o.checked.model->factors[1].extent, 5);
}

TEST(Overrides, OfInitialValues) {
  Outcome o = set({{"R", "SO(3).exp([0, 0, pi/2])"}, {"w", "[1, 2, 3]"}, {"q[2]", "[7, 8]"}, {"v[1]", "q[2]"}});
  const Model& m = *o.checked.model;
  EXPECT_NEAR(o.values->array(m.factors[0].point[0])[3], 1, 1e-15);
  EXPECT_EQ(o.values->array(m.factors[0].velocity[0]), (Numbers{1, 2, 3}));
  EXPECT_EQ(o.values->array(m.factors[1].point[0]), (Numbers{1, 0, 7, 8, 3, 0}));
  EXPECT_EQ(o.values->array(m.factors[1].velocity[0]), (Numbers{7, 8, 0, 0, 0, 0}));
}

TEST(Overrides, OfInputs) {
  EXPECT_EQ(set({{"w", "[1, 2, 3]"}}).observed("force1"), (Numbers{-1, -2, -3}));
  Outcome constant = set({{"w", "[1, 2, 3]"}, {"u", "[1, 1, m]"}});
  EXPECT_EQ(constant.observed("force1"), (Numbers{1, 1, 1}));
  EXPECT_EQ(constant.parameter("u.given"), (Numbers{1}));
  Outcome law = set({{"w", "[1, 2, 3]"}, {"u", "-2*w"}});
  EXPECT_EQ(law.observed("force1"), (Numbers{-2, -4, -6}));
  EXPECT_EQ(law.parameter("u.given"), (Numbers{0}));
  EXPECT_EQ(set({}).observed("both"), (Numbers{21}));
  EXPECT_EQ(set({{"s", "4"}}).observed("both"), (Numbers{44}));
  EXPECT_EQ(set({{"s[2]", "4"}}).observed("both"), (Numbers{41}));
}

TEST(Overrides, OfSettings) {
  Outcome o = set({}, {{"time.to", "20"}, {"step", "1e-2"}, {"output.every", "0.1"}, {"seed", "7"}});
  const Simulation& run = o.checked.model->simulation;
  EXPECT_EQ(o.values->array(run.timeFrom), (Numbers{0}));
  EXPECT_EQ(o.values->array(run.timeTo), (Numbers{20}));
  EXPECT_EQ(o.values->array(run.step), (Numbers{0.01}));
  EXPECT_EQ(o.values->array(run.outputEvery), (Numbers{0.1}));
  EXPECT_EQ(o.values->array(run.seed), (Numbers{7}));
}

TEST(Overrides, OfEntriesOfInitialValues) {
  const auto initial = [](Outcome& o, const std::string& name) {
    for (const auto& [state, value] : o.checked.model->initials)
      if (state->name == name) return o.values->array(value);
    return Numbers{};
  };
  Outcome one = set({{"w[2]", "4"}});
  EXPECT_EQ(initial(one, "w"), (Numbers{0, 4, 0}));
  Outcome both = set({{"w[2]", "4"}, {"w", "[1, 2, 3]"}, {"w[1]", "m + 8"}, {"m", "2"}});
  EXPECT_EQ(initial(both, "w"), (Numbers{10, 4, 3}));
  Outcome point = set({{"R[2,1]", "0.5"}});
  EXPECT_EQ(initial(point, "R"), (Numbers{1, 0, 0, 0.5, 1, 0, 0, 0, 1}));
  EXPECT_EQ(errors("w[4]", "1"), (std::vector<std::string>{"LIE0181 1:1-4"}));
  EXPECT_EQ(errors("R[1]", "1"), (std::vector<std::string>{"LIE0181 1:1-4"}));
  EXPECT_EQ(errors("w[1]", "[1, 2]"), (std::vector<std::string>{"LIE0133 1:1-6"}));
}

TEST(Overrides, WithErrors) {
  EXPECT_EQ(errors("mm", "1"), (std::vector<std::string>{"LIE0180 1:1-2"}));
  EXPECT_EQ(errors("k[4]", "1"), (std::vector<std::string>{"LIE0181 1:1-4"}));
  EXPECT_EQ(errors("m[1]", "1"), (std::vector<std::string>{"LIE0181 1:1-4"}));
  EXPECT_EQ(errors("2m", "1"), (std::vector<std::string>{"LIE0181 1:1-2"}));
  EXPECT_EQ(errors("m", "1 + mm"), (std::vector<std::string>{"LIE0100 1:5-6"}));
  EXPECT_EQ(errors("chi", "[1, 2]"), (std::vector<std::string>{"LIE0133 1:1-6"}));
  EXPECT_EQ(errors("N", "2.5"), (std::vector<std::string>{"LIE0137 1:1-3"}));
  const Checked c = check(model, {{{"chii", "1"}}, {}, {}});
  EXPECT_NE(c.text().find("--set:1:1: error"), std::string::npos) << c.text();
  EXPECT_NE(c.text().find("chi"), std::string::npos);
}

TEST(Overrides, GiveValuesToParametersWithoutOne) {
  const std::string text = "model M { param m; config x : R velocity v; lagrangian = 0.5*m*v^2; }";
  EXPECT_EQ(check(text).codes(), (std::vector<std::string>{"LIE0160"}));
  const Checked c = check(text, {{{"m", "2"}}, {}, {}});
  EXPECT_TRUE(c.model) << c.text();
}
