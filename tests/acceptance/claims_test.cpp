// Verdicts of `lmc verify` have a scale: right claims are not refused, wrong ones are, and what cannot be told is said
// to be undecided. What is right is known from the literature or by hand.
#include "acceptance/Tool.h"

#include <gtest/gtest.h>

using namespace lmc::acceptance;
using nlohmann::json;

namespace {

json verified(const Workspace& w, const std::string& text, int status, const Arguments& more = {}) {
  Arguments all = {"verify", w.write("file.lie", text).string(), "--json"};
  all.insert(all.end(), more.begin(), more.end());
  const Outcome outcome = w.lmc(all);
  EXPECT_EQ(outcome.status, status) << outcome.out << outcome.err;
  return parseJson(outcome.out);
}

int diagnostics(const json& object, const std::string& code) {
  int count = 0;
  for (const json& d : object["diagnostics"]) count += d["code"] == code ? 1 : 0;
  return count;
}

// Ch. Tsitouras, "Runge-Kutta pairs of order 5(4) satisfying only the first column simplifying assumption", Computers
// and Mathematics with Applications 62 (2011) 770-775, with the second weights as b - (b - bhat).
const std::string Tsitouras = R"(
tableau Tsitouras {
  a = [[0, 0, 0, 0, 0, 0, 0],
       [0.161, 0, 0, 0, 0, 0, 0],
       [-0.008480655492356989, 0.335480655492357, 0, 0, 0, 0, 0],
       [2.8971530571054935, -6.359448489975075, 4.3622954328695815, 0, 0, 0, 0],
       [5.325864828439257, -11.748883564062828, 7.4955393428898365, -0.09249506636175525, 0, 0, 0],
       [5.86145544294642, -12.92096931784711, 8.159367898576159, -0.071584973281401, -0.028269050394068383, 0, 0],
       [0.09646076681806523, 0.01, 0.4798896504144996, 1.379008574103742, -3.290069515436081, 2.324710524099774, 0]];
  b = [0.09646076681806523, 0.01, 0.4798896504144996, 1.379008574103742, -3.290069515436081, 2.324710524099774, 0];
  bhat = [0.09646076681806523 - 0.00178001105222577714, 0.01 - 0.0008164344596567469,
          0.4798896504144996 + 0.007880878010261995, 1.379008574103742 - 0.1447110071732629,
          -3.290069515436081 + 0.5823571654525552, 2.324710524099774 - 0.45808210592918697, 0.015151515151515152];
  order 5(4);
}
)";

} // namespace

TEST(Claims, APairOfTsitourasIsWhatItSays) {
  const Workspace w;
  const json object = verified(w, Tsitouras + "method RKMKT54 = rkmk(Tsitouras);\n", 0);
  ASSERT_EQ(object["methods"].size(), 1U);
  EXPECT_EQ(object["methods"][0]["verdict"], "PASS");
  ASSERT_EQ(object["tableaus"].size(), 1U);
  EXPECT_EQ(object["tableaus"][0]["b"]["order"], 5);
  EXPECT_EQ(object["tableaus"][0]["b"]["verdict"], "PASS");
  EXPECT_EQ(object["tableaus"][0]["bhat"]["order"], 4);
  EXPECT_EQ(object["tableaus"][0]["bhat"]["verdict"], "PASS");
}

TEST(Claims, TableausAloneAreVerified) {
  const Workspace w;
  const std::string gauss =
      "tableau Gauss {\n  a = [[1/4, 1/4 - sqrt(3)/6], [1/4 + sqrt(3)/6, 1/4]];\n  b = [1/2, 1/2];\n";
  EXPECT_EQ(verified(w, gauss + "  order 4;\n}\n", 0)["tableaus"][0]["b"]["order"], 4); // implicit, too
  const json high = verified(w, gauss + "  order 5;\n}\n", 1);
  EXPECT_EQ(high["tableaus"][0]["b"]["verdict"], "FAIL");
  EXPECT_EQ(diagnostics(high, "LIE0560"), 1);
  const json open = verified(w, gauss + "}\n", 0); // nothing is claimed
  EXPECT_TRUE(open["tableaus"][0]["b"]["declared"].is_null());
  // The second order of a pair is a claim as well.
  const std::string heun = "tableau Heun {\n  a = [[0, 0], [1, 0]];\n  b = [1/2, 1/2];\n  bhat = [1, 0];\n";
  EXPECT_EQ(verified(w, heun + "  order 2(1);\n}\n", 0)["tableaus"][0]["bhat"]["order"], 1);
  EXPECT_EQ(verified(w, heun + "  order 2(2);\n}\n", 1)["tableaus"][0]["bhat"]["verdict"], "FAIL");
}

TEST(Claims, RoundedCoefficientsLeaveAnOrderUndecided) {
  const Workspace w;
  const std::string rounded = "tableau Third {\n  a = [[0, 0], [0.66666667, 0]];\n  b = [0.25, 0.75];\n  order 2;\n}\n";
  const json object = verified(w, rounded, 0);
  EXPECT_EQ(object["tableaus"][0]["b"]["verdict"], "UNDECIDED");
  EXPECT_EQ(diagnostics(object, "LIE0585"), 1);
  EXPECT_EQ(diagnostics(object, "LIE0560"), 0);
  // A hundredth is no rounding.
  const std::string wrong = "tableau Third {\n  a = [[0, 0], [0.67, 0]];\n  b = [0.25, 0.75];\n  order 2;\n}\n";
  EXPECT_EQ(verified(w, wrong, 1)["tableaus"][0]["b"]["verdict"], "FAIL");
}

TEST(Claims, TableausThatDoNotFitAreErrorsWithoutAMethod) {
  const Workspace w;
  for (const char* text : {"tableau T {\n  a = [[0, 0], [1/2, 0]];\n  b = [1/6, 2/3, 1/6];\n  order 3;\n}\n",
                           "tableau T {\n  a = [[0, 0], [1/2, 0]];\n  b = [0, 1];\n  c = [0, 1/2, 1];\n}\n",
                           "tableau T {\n  a = [[0, 0], [1/2, 0]];\n  b = [0, 1];\n  bhat = [1];\n}\n",
                           "tableau T {\n  a = [[0, 0, 0], [1/2, 0, 0]];\n  b = [0, 1];\n}\n",
                           "tableau T {\n  b = [0, 1];\n}\n", "tableau T {\n  a = [0, 1];\n  b = [0, 1];\n}\n",
                           "tableau T {\n  a = [[0, 0], [1/2, 0]];\n  b = [0, 2];\n}\n"}) {
    const std::string file = w.write("tableau.lie", text).string();
    for (const char* command : {"check", "verify"}) {
      const Outcome outcome = w.lmc({command, file});
      EXPECT_EQ(outcome.status, 1) << command << text << outcome.out << outcome.err;
      EXPECT_NE((outcome.err + outcome.out).find("LIE0510"), std::string::npos) << text << outcome.err;
    }
  }
}

// A step of order 8 that is undone up to 1e-12 because its error is below that.
TEST(Claims, AccurateMethodsAreNotTimeSymmetric) {
  const Workspace w;
  for (const char* method : {"RKMK78", "RKMK6", "RKMK4"}) {
    for (const char* step : {"1e-5", "1e-3"}) {
      const Outcome outcome = w.lmc({"verify", example("heavy_top"), "--json", "--tolerance", "none", "--method",
                                     method, "--step", step, "--time", "0..0.01"});
      EXPECT_EQ(outcome.status, 0) << outcome.err;
      const json symmetric = parseJson(outcome.out)["model"]["time_symmetric"];
      EXPECT_EQ(symmetric["verdict"], false) << method << " " << step << symmetric;
    }
  }
}

// At such steps defect and error are round-off for all methods: larger ones have to tell them apart.
TEST(Claims, SymplecticityIsToldWhereErrorsAreVisible) {
  const Workspace w;
  const Outcome outcome = w.lmc({"symplecticity", example("heavy_top_hamiltonian"), "--json", "--methods",
                                 "RKMK4,CF6,SLGI,SLGI6", "--steps", "1e-6"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const json overall = parseJson(outcome.out)["overall"];
  for (const char* name : {"RKMK4", "CF6"}) EXPECT_EQ(overall[name]["verdict"], "NOT SYMPLECTIC") << name << overall;
  for (const char* name : {"SLGI", "SLGI6"}) EXPECT_EQ(overall[name]["verdict"], "SYMPLECTIC") << name << overall;
}

TEST(Claims, AngularMomentaOfThePlaneAreThoseOfRotations) {
  const Workspace w;
  const std::string body = R"(
model Body {
  config g : SE(2) velocity u;
  lagrangian = 0.5*(2*u.w^2 + dot(u.v, u.v)) - 0.5*dot(g.x, g.x);
  initial u = (w = 1, v = [0.3, 0.2]);
  initial g = (R = eye(2), x = [1, 0]);
  simulate { method = RKMK4; time = 0..1; step = 0.01; }
}
)";
  std::vector<std::string> names;
  const json found = verified(w, body, 0);
  for (const json& one : found["model"]["conserved"]) names.push_back(one["name"]);
  EXPECT_EQ(names, (std::vector<std::string>{"rotation of g (body)", "rotation of g (space)"}));
  // A group of one parameter may be none of these: growth is neither a rotation nor a translation.
  const std::string growth = R"(
group Growth {
  element s : real;  algebra w : real;
  identity = 1;  product(a, b) = a*b;  inverse(a) = 1/a;  bracket(u, v) = 0;  exp(w) = exp(w);
}
model Free {
  config s : Growth velocity w;
  lagrangian = 0.5*w^2;
  initial w = 0.2;
  simulate { method = RKMK4; time = 0..1; step = 0.01; }
}
)";
  const json free = verified(w, growth, 0)["model"]["conserved"];
  ASSERT_EQ(free.size(), 1U) << free;
  EXPECT_EQ(free[0]["name"].get<std::string>().find("motion of s"), 0U) << free;
}

// Two sides that are differences of large numbers print alike and differ by 1e-7: that is round-off.
TEST(Claims, IllConditionedProjectionsAreRight) {
  const Workspace w;
  const std::string half = R"(
manifold HalfPlane {
  point z : vec(2);  group SL(2);
  fn den(A, z) = (A[2,1]*z[1] + A[2,2])^2 + (A[2,1]*z[2])^2;
  action(A, z) = [(A[1,1]*z[1] + A[1,2])*(A[2,1]*z[1] + A[2,2]) + A[1,1]*A[2,1]*z[2]^2, z[2]]/den(A, z);
  fn still(z) = [z[1], -(z[1]^2 + z[2]^2), 1];
  fn form(z, w) = (2*w[1]*z[1] + w[2] - w[3]*(z[1]^2 + z[2]^2))/(-2*z[2]^2);
  project(z, w) = w - form(z, w)*still(z);
  base = [0, 1];  random = [normal(0, 100), exp(normal(-3, 2))];
}
)";
  const json object = verified(w, half, 0);
  EXPECT_EQ(object["manifolds"][0]["verdict"], "PASS") << object;
  for (const json& law : object["manifolds"][0]["laws"]) EXPECT_EQ(law["verdict"], "PASS") << law;
}
