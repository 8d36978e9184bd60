// Energies, observables and events that are not a number: said, with the time, and failures unless the model expects
// it.
#include "Files.h"

#include <gtest/gtest.h>

using namespace lmc::acceptance;
using namespace lmc::files;
using lmc::acceptance::parseJson;
using lmc::acceptance::Workspace;

namespace {

/// x is cos(t): negative from t = pi/2 on.
std::string oscillator(const std::string& more, const std::string& energy = "", const std::string& settings = "") {
  return "model Oscillator {\n  config x : R velocity v;\n  lagrangian = 0.5*v^2 - 0.5*x^2" + energy +
         ";\n  initial x = 1;\n  " + more + "\n  simulate { method = RKMK4; time = 0..4; step = 0.25; " + settings +
         " }\n}\n";
}

struct Result {
  int status;
  std::string err;
  nlohmann::json j;
};

Result run(const Workspace& w, const std::string& text, const std::string& options = "") {
  w.write("m.lie", text);
  const Said said = shell(w, "$LMC run m.lie --json --output a.csv " + options);
  return {said.status, said.err, parseJson(said.out)};
}

} // namespace

TEST(Undefined, AnObservable) {
  const Workspace w;
  for (const char* options : {"", "--method RKMK54 --tolerance 1e-8 --every 0.25"}) {
    const Result r = run(w, oscillator("observe s = sqrt(x);"), options);
    EXPECT_EQ(r.status, 3);
    EXPECT_NE(r.err.find("the observable s is not a number"), std::string::npos) << r.err;
    EXPECT_EQ(r.j["failure"]["time"], 1.75);
    EXPECT_EQ(r.j["final_time"], 4) << "the motion goes on";
    EXPECT_EQ(rowsOf(w.path("a.csv"))->size(), 17U);
    ASSERT_EQ(r.j["undefined"].size(), 1U);
    EXPECT_EQ(r.j["undefined"][0]["name"], "s");
    EXPECT_EQ(r.j["undefined"][0]["time"], 1.75);
    EXPECT_EQ(r.j["undefined"][0]["samples"], 10); // 1.75 to 4
    EXPECT_TRUE(r.j["energy_error"].is_number());
  }
  EXPECT_EQ(shell(w, "$LMC run m.lie --quiet").status, 3) << "without an output, too";
}

TEST(Undefined, WhereTheModelSaysSo) {
  const Workspace w;
  for (const char* setting : {"undefined = s;", "undefined = [energy, s];"}) {
    const Result r = run(w, oscillator("observe s = sqrt(x); observe r = x;", "", setting));
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_EQ(r.err, "");
    EXPECT_EQ(r.j["undefined"][0]["expected"], true);
    EXPECT_TRUE(r.j["failure"].is_null());
  }
  const Said text = shell(w, "$LMC run m.lie");
  EXPECT_NE(text.out.find("not a number at 10 of 17 samples, from t = 1.75"), std::string::npos) << text.out;
  EXPECT_EQ(run(w, oscillator("observe s = sqrt(x); observe r = sqrt(x - 2);", "", "undefined = s;")).status, 3);
}

TEST(Undefined, EntriesOfVectorsAndMembersOfFamilies) {
  const Workspace w;
  const std::string vector = "observe s = [x, sqrt(x)];";
  const Result r = run(w, oscillator(vector));
  EXPECT_EQ(r.status, 3);
  EXPECT_NE(r.err.find("the observable s[2]"), std::string::npos) << r.err;
  EXPECT_EQ(run(w, oscillator(vector, "", "undefined = s;")).status, 0);
  const std::string family = "observe s[i in 1..3] = sqrt(x + i - 2);";
  EXPECT_NE(run(w, oscillator(family)).err.find("the observable s[1]"), std::string::npos);
  EXPECT_EQ(run(w, oscillator(family, "", "undefined = s;")).status, 0);
}

TEST(Undefined, TheEnergy) {
  const Workspace w;
  const Result r = run(w, oscillator("", " + sqrt(1 - t)")); // no force, and no number after t = 1
  EXPECT_EQ(r.status, 3);
  EXPECT_NE(r.err.find("the energy is not a number"), std::string::npos) << r.err;
  EXPECT_EQ(r.j["failure"]["time"], 1.25);
  EXPECT_TRUE(r.j["energy_error"].is_null());
  const Result said = run(w, oscillator("", " + sqrt(1 - t)", "undefined = energy;"));
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_EQ(said.j["undefined"][0]["name"], "energy") << "not like a model without an energy";
  const Result infinite = run(w, oscillator("", " - 1/(t - 1)^2"));
  EXPECT_EQ(infinite.status, 3);
  EXPECT_EQ(infinite.j["failure"]["time"], 1);
}

TEST(Undefined, AnEvent) {
  const Workspace w;
  for (const char* options : {"", "--method RKMK54 --tolerance 1e-8", "--every 0.1"}) {
    const Result r = run(w, oscillator("event hit = sqrt(x) - 2;"), options);
    EXPECT_EQ(r.status, 3);
    EXPECT_NE(r.err.find("the event hit is not a number"), std::string::npos) << r.err;
    EXPECT_TRUE(r.j["event"].is_null());
    EXPECT_GT(r.j["failure"]["time"].get<double>(), 1.57);
    EXPECT_LT(r.j["failure"]["time"].get<double>(), 2.2);
  }
  EXPECT_EQ(run(w, oscillator("event hit = sqrt(-1 - x^2);")).status, 3) << "from the begin";
  const Result said = run(w, oscillator("event hit = sqrt(x) - 2; event low = x + 0.5;", "", "undefined = hit;"));
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_EQ(said.j["event"]["name"], "low");
}

TEST(Undefined, OfAnEnsemble) {
  const Workspace w;
  w.write("m.lie", oscillator("param a = 3; observe s = sqrt(x + a);"));
  const std::string vary = "--samples 100 --vary 'a ~ linspace(0, 3)' ";
  for (const char* keep : {"final", "all", "statistics"}) {
    const Said said = shell(w, std::string("$LMC ensemble m.lie --json ") + vary + "--keep " + keep);
    const auto j = parseJson(said.out);
    // x(4) = cos(4) = -0.65: at the end undefined for a < 0.65; at some time for a < 1 (cos(pi), nearly).
    const double bound = std::string(keep) == "final" ? 0.6536 : 0.9997;
    const int expected = static_cast<int>(bound / 3 * 99) + 1;
    EXPECT_EQ(j["failed"], expected) << keep << said.err;
  }
  w.write("m.lie", oscillator("param a = 3; observe s = sqrt(x + a);", "", "undefined = s;"));
  EXPECT_EQ(parseJson(shell(w, "$LMC ensemble m.lie --json " + vary).out)["failed"], 0);
  w.write("m.lie", oscillator("param a = 3; observe s = sqrt(x + a); event hit = x - 5;"));
  EXPECT_EQ(parseJson(shell(w, "$LMC ensemble m.lie --json " + vary).out)["failed"], 22) << "one by one";
}

TEST(Undefined, AParameterIsNamed) {
  const Workspace w;
  const std::string model = oscillator("param b = 1; param c[2] = sqrt(b); force on x = -c[2]*x;");
  for (const char* options :
       {"--set b=-1", "--set b=-1 --method RKMK54 --tolerance 1e-8", "--set b=-1 --method VIMidpoint"}) {
    const Result r = run(w, model, options);
    EXPECT_EQ(r.status, 3);
    EXPECT_NE(r.err.find("the parameter c[1] is not a number: "), std::string::npos) << r.err;
  }
  EXPECT_EQ(run(w, model, "--set b=4").status, 0);
  const Result r = run(w, oscillator("param k = 1; param s = exp(k); observe z = s - s*x;"), "--set k=1e3");
  EXPECT_NE(r.err.find("the parameter s is infinite: the observable z is not a number"), std::string::npos) << r.err;
}

TEST(Undefined, IsKeptInCheckpoints) {
  const Workspace w;
  w.write("m.lie", oscillator("observe s = sqrt(x);"));
  EXPECT_EQ(shell(w, "$LMC run m.lie --quiet --time 0..2 --checkpoint c.json --output a.csv").status, 3);
  const Said said = shell(w, "$LMC run m.lie --json --time 0..4 --resume c.json --output b.csv");
  EXPECT_EQ(said.status, 3);
  const auto j = parseJson(said.out);
  EXPECT_EQ(j["undefined"][0]["time"], 1.75);
  EXPECT_EQ(j["undefined"][0]["samples"], 10);
}

TEST(Undefined, ValuesOfTheEquations) {
  const Workspace w;
  w.write("m.lie", "model M {\n  config x : R velocity v;\n  lagrangian = 0.5*v^2 - sqrt(x);\n  initial x = 1;\n}\n");
  w.write("good.csv", "t,x,v\n0,1,0\n");
  w.write("bad.csv", "t,x,v\n0,1,0\n0.5,-1,0\n1,-2,0\n");
  EXPECT_EQ(shell(w, "$LMC derive m.lie --at good.csv").status, 0);
  const Said said = shell(w, "$LMC derive m.lie --at bad.csv");
  EXPECT_EQ(said.status, 3);
  EXPECT_NE(said.err.find("row 2 (t = 0.5): v' is not a number"), std::string::npos) << said.err;
}

TEST(Undefined, NamesAreChecked) {
  const Workspace w;
  for (const char* setting : {"undefined = q;", "undefined = [s, energi];", "undefined = 1;", "undefined = [];",
                              "undefined = sqrt(s);", "undefined = x;", "undefined = s..s;"}) {
    const Result r = run(w, oscillator("observe s = sqrt(x);", "", setting));
    EXPECT_NE(r.status, 0) << setting;
    EXPECT_NE(r.status, 70) << setting;
  }
  const Said said = shell(w, "$LMC check m.lie");
  w.write("m.lie", oscillator("observe s = sqrt(x);", "", "undefined = energi;"));
  const Said near = shell(w, "$LMC check m.lie");
  EXPECT_EQ(near.status, 1);
  EXPECT_NE(near.err.find("did you mean `energy`"), std::string::npos) << near.err;
}
