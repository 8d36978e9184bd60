// The statement `view` of models and the clause `picture` of manifolds.
#include "Support.h"

#include "sema/model/Scene.h"

#include <gtest/gtest.h>

namespace lmc::test {

namespace {

/// A model of two particles and a body, with a view.
Checked viewed(const std::string& view) {
  return check("model M {\n"
               "  param N : int = 3;\n"
               "  config x[N] : R^3 velocity v;\n"
               "  config R : SO(3) velocity w;\n"
               "  lagrangian = sum(i in 1..N: 0.5*dot(v[i], v[i])) + 0.5*dot(w, w);\n"
               "  view " +
               view + "\n}\n");
}

using Codes = std::vector<std::string>;

TEST(View, ShapesAreFamiliesOfObservables) {
  const Checked c = viewed("{ up = -e3; a[i in 2..N] = rod(from = x[i-1], to = x[i], radius = 0.1, color = \"navy\");\n"
                           "  b = frame(turned = R); name = label(at = x[1], text = \"first\"); }");
  ASSERT_TRUE(c.model) << c.text();
  const sema::SceneDescription& scene = *c.model->scene;
  EXPECT_TRUE(scene.given);
  ASSERT_NE(scene.up, nullptr);
  ASSERT_EQ(scene.shapes.size(), 3U);
  EXPECT_EQ(scene.shapes[0].kind, "rod");
  EXPECT_EQ(scene.shapes[0].extent, 2);
  EXPECT_EQ(scene.shapes[0].color, "navy");
  ASSERT_EQ(scene.shapes[0].arguments.size(), 3U);
  EXPECT_EQ(scene.shapes[0].argument("to")->array->shape, sym::Shape::vec(3));
  EXPECT_EQ(scene.shapes[1].argument("turned")->array->shape, sym::Shape::mat(3, 3));
  EXPECT_EQ(scene.shapes[2].text, "first");
}

TEST(View, NoneIsNoPicture) {
  const Checked c = viewed("= none;");
  ASSERT_TRUE(c.model) << c.text();
  EXPECT_TRUE(c.model->scene->off);
}

TEST(View, MistakesAreReportedAtTheirPlace) {
  EXPECT_EQ(viewed("{ a = bal(at = x[1]); }").codes(), Codes{"LIE0195"});
  EXPECT_NE(viewed("{ a = bal(at = x[1]); }").text().find("did you mean `ball`"), std::string::npos);
  EXPECT_EQ(viewed("{ a = x[1]; }").codes(), Codes{"LIE0195"});
  EXPECT_EQ(viewed("= ball(at = x[1]);").codes(), Codes{"LIE0195"});
  EXPECT_EQ(viewed("{ a = ball(x[1]); }").codes(), Codes{"LIE0196"});
  EXPECT_EQ(viewed("{ a = ball(att = x[1]); }").codes(), Codes{"LIE0196"});
  EXPECT_EQ(viewed("{ a = ball(at = R); }").codes(), Codes{"LIE0196"});
  EXPECT_EQ(viewed("{ a = box(turned = x[1]); }").codes(), Codes{"LIE0196"});
  EXPECT_EQ(viewed("{ a = rod(from = x[1]); }").codes(), Codes{"LIE0196"});
  EXPECT_EQ(viewed("{ a = ball(at = x[1], color = 3); }").codes(), Codes{"LIE0196"});
  EXPECT_EQ(viewed("{ a = ball(at = x[1], color = \"stelblue\"); }").codes(), Codes{"LIE0197"});
  EXPECT_EQ(viewed("{ a = ball(at = y); }").codes(), Codes{"LIE0100"});
  EXPECT_EQ(viewed("{ a = ball(at = x[1]); a = ball(at = x[2]); }").codes(), Codes{"LIE0161"});
}

TEST(View, TheWordStaysFree) {
  const Checked c = check("model M {\n  param view = 2;\n  config x : R^3 velocity v;\n"
                          "  lagrangian = 0.5*view*dot(v, v);\n}\n");
  EXPECT_TRUE(c.model) << c.text();
}

TEST(View, PicturesOfDeclaredManifoldsAreChecked) {
  const auto manifold = [](const std::string& clause) {
    return check(
        "manifold Ring {\n  point q : vec(2);\n  group SO(2);\n  action(A, q) = A*q;\n  holds dot(q, q) = 1;\n" +
        clause + "}\n");
  };
  EXPECT_EQ(manifold("  picture(q) = arrow(along = 2*q);\n").codes(), Codes{});
  EXPECT_EQ(manifold("  picture(q) = if 1 < 2 then none else ball(at = q);\n").codes(), Codes{});
  EXPECT_EQ(manifold("  picture(q) = arow(along = q);\n").codes(), Codes{"LIE0195"});
  EXPECT_EQ(manifold("  picture(q) = frame(turned = q);\n").codes(), Codes{"LIE0196"});
  EXPECT_EQ(manifold("  picture = ball();\n").codes(), Codes{"LIE0155"});
}

} // namespace

} // namespace lmc::test
