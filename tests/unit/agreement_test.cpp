// One model, three ways to machine code, one motion.
#include "Programs.h"

#include "products/exported/Exported.h"
#include "runtime/run/Workspace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>

namespace lmc::test {
namespace {

/// Rounding errors of one step. The three forms do the same operations but for what the compilers may choose: fused
/// multiplications, the order of sums over members, polynomials for quotients of Stumpff functions.
constexpr double perStep = 1e-14;

using Numbers = std::vector<double>;

void set(Loaded& l, const Numbers& state) {
  std::copy(state.begin(), state.end(), l.part(runtime::Role::State));
}

/// Largest difference of two states, each variable measured by its largest number on the whole motion.
class Distance {
public:
  Distance(const unit::Exported& unit, const std::vector<Numbers>& motion) {
    for (const runtime::Field& f : unit.fields()) {
      if (f.role != runtime::Role::State) continue;
      double most = 0;
      for (const Numbers& y : motion)
        for (std::int64_t k = 0; k < f.count(); ++k)
          most = std::max(most, std::abs(y[static_cast<std::size_t>(f.offset + k)]));
      for (std::int64_t k = 0; k < f.count(); ++k) scale_.push_back(most > 0 ? most : 1);
    }
  }
  double operator()(const double* a, const double* b) const {
    double most = 0;
    for (std::size_t k = 0; k < scale_.size(); ++k) {
      const double d = std::abs(a[k] - b[k]) / scale_[k];
      if (!(d <= most)) most = d;
    }
    return most;
  }

private:
  Numbers scale_;
};

/// n steps of the code in memory, all states.
std::vector<Numbers> motionOf(const runtime::Problem& p, double h, int n) {
  runtime::Workspace w(p);
  EXPECT_EQ(w.start(), 0);
  std::vector<Numbers> list{Numbers(w.state().begin(), w.state().end())};
  const double from = std::isnan(p.timeFrom) ? 0 : p.timeFrom;
  for (int k = 0; k < n; ++k) {
    std::int64_t done = 0;
    EXPECT_EQ(w.advance(from, h, k, 1, done), 0) << "step " << k;
    list.emplace_back(w.state().begin(), w.state().end());
  }
  return list;
}

void expectSameMotion(Loaded& l, const Forms& forms, const std::vector<Numbers>& motion, const std::string& what) {
  const Distance distance(*forms.unit, motion);
  const double from = std::isnan(forms.problem->timeFrom) ? 0 : forms.problem->timeFrom;
  ASSERT_EQ(l.init(), 0) << what;
  EXPECT_LE(distance(l.part(runtime::Role::State), motion[0].data()), 0) << what;
  double worst = 0;
  for (std::size_t k = 0; k + 1 < motion.size(); ++k) {
    set(l, motion[k]);
    ASSERT_EQ(l.step("_step", from + static_cast<double>(k) * forms.h, forms.h), 0) << what << ", step " << k;
    worst = std::max(worst, distance(l.part(runtime::Role::State), motion[k + 1].data()));
  }
  EXPECT_LE(worst, perStep) << what;
  std::ostringstream shown;
  shown << worst;
  ::testing::Test::RecordProperty(what, shown.str());
}

/// f, energy and observables against the code in memory, relative to the largest number of each output.
void expectSameOutputs(Loaded& a, Loaded& b, const Forms& forms, const Numbers& state, double t) {
  for (const char* function : {"_f", "_energy", "_observables", "_events"}) {
    EXPECT_EQ(a.has(function), b.has(function)) << function;
    if (!a.has(function)) continue;
    for (Loaded* l : {&a, &b}) {
      set(*l, state);
      EXPECT_EQ(l->at(function, t), 0) << function;
    }
  }
  for (const runtime::Field& f : forms.unit->fields()) {
    if (f.role != runtime::Role::Output || f.kind == runtime::FieldKind::Report || f.kind == runtime::FieldKind::Error)
      continue;
    const double* const x = a.part(f.role) + f.offset;
    const double* const y = b.part(f.role) + f.offset;
    double scale = f.kind == runtime::FieldKind::Defect ? 1 : 0;
    for (std::int64_t k = 0; k < f.count(); ++k) scale = std::max(scale, std::abs(x[k]));
    for (std::int64_t k = 0; k < f.count(); ++k) EXPECT_NEAR(x[k], y[k], 1e-12 * scale) << f.name << " " << k;
  }
}

/// A step with errors makes the same state as one without; errors are differences of two results, in units of 1e-6.
void expectSameTrial(Loaded& a, Loaded& b, const Forms& forms, const std::vector<Numbers>& motion) {
  if (forms.unit->problem().functions.trial < 0) return;
  const Distance distance(*forms.unit, motion);
  const double from = std::isnan(forms.problem->timeFrom) ? 0 : forms.problem->timeFrom;
  for (Loaded* l : {&a, &b}) {
    set(*l, motion[0]);
    EXPECT_EQ(l->step("_trial", from, forms.h), 0);
    EXPECT_LE(distance(l->part(runtime::Role::State), motion[1].data()), perStep);
  }
  EXPECT_TRUE(std::isfinite(a.error()));
  EXPECT_NEAR(a.error(), b.error(), 1e-8 * (1 + a.error()));
}

void expectOnlyMathematics(const std::vector<std::string>& symbols, const std::string& what) {
  static const std::set<std::string> allowed = {"acos",   "asin",
                                                "atan",   "atan2",
                                                "ceil",   "cos",
                                                "cosh",   "exp",
                                                "floor",  "fma",
                                                "frexp",  "hypot",
                                                "ldexp",  "log",
                                                "log2",   "pow",
                                                "scalbn", "sin",
                                                "sinh",   "sqrt",
                                                "tan",    "tanh",
                                                "sincos", "memcpy",
                                                "memset", "_GLOBAL_OFFSET_TABLE_"};
  for (const std::string& s : symbols) EXPECT_TRUE(allowed.contains(s)) << what << " needs " << s;
}

void expectAgreement(Forms& forms, const std::vector<std::string>& compilers, int steps = 12) {
  ASSERT_TRUE(forms.unit && forms.problem);
  const std::vector<Numbers> motion = motionOf(*forms.problem, forms.h, steps);
  const auto object = forms.object();
  ASSERT_NE(object, nullptr);
  expectSameMotion(*object, forms, motion, "object");
  expectOnlyMathematics(forms.undefined("object"), "the object");
  for (const std::string& compiler : compilers) {
    if (!installed(compiler)) continue;
    const auto source = forms.source(compiler);
    ASSERT_NE(source, nullptr);
    expectSameMotion(*source, forms, motion, compiler);
    expectOnlyMathematics(forms.undefined("source"), compiler);
    expectSameOutputs(*source, *object, forms, motion.back(), 0.1);
    expectSameTrial(*source, *object, forms, motion);
  }
}

std::string nameOf(const testing::TestParamInfo<Case>& info) {
  std::string text = info.param.file.substr(info.param.file.rfind('/') + 1) + "_" + info.param.method;
  for (const sema::Override& o : info.param.set) text += "_" + o.name + o.expression;
  for (char& ch : text)
    if (std::isalnum(static_cast<unsigned char>(ch)) == 0) ch = '_';
  return text + "_" + std::to_string(info.index);
}

class Agreement : public testing::TestWithParam<Case> {};

TEST_P(Agreement, InMemoryObjectAndSource) {
  Forms forms(GetParam());
  expectAgreement(forms, {"gcc"});
}

/// Mass matrices that are not positive definite: a small one, one for each member, one by a routine.
const char* const indefinite = R"(model Indefinite {
  config a : R velocity va;  config b : R velocity vb;  config x[9] : R^2 velocity u;  config z[9] : R^3 velocity v;
  lagrangian = va*vb*(1 + 0.1*a^2) - a*b + sum(i in 1..9: u[i][1]*u[i][2]*(2 + cos(x[i][1])) - x[i][1]*x[i][2])
             + sum(i in 1..9, j in 1..9: (0.3 + 0.1*cos(z[i][1]))*v[i][1]*v[j][2]) + sum(i in 1..9: 0.5*v[i][3]^2 - 0.2*v[i][1]^2
             - 0.3*v[i][2]^2 + z[i][1]*z[i][2]);
  initial a = 1;  initial vb = 1;  initial u[i in 1..9] = [0.1*i, 1];  initial z[i in 1..9] = [0.1*sin(i), 0.2, 0.3*i];
  simulate { method = RKMK4; time = 0..1; step = 1e-3; }
})";

// One of each kind: explicit, commutator-free, implicit by elimination, implicit by products, variational, a pair with
// an error estimate, a chain, a dense mass matrix, an exponential of matrices, a dual, momenta, sums over pairs.
INSTANTIATE_TEST_SUITE_P(
    Kinds, Agreement,
    testing::Values(Case{"heavy_top", "RKMK4", {}, 0, {}}, Case{"two_quadrotors", "CF4", {}, 0, {}},
                    Case{"heavy_top_hamiltonian", "", {}, 0, {}}, Case{"heavy_top", "VLV", {}, 0, {}},
                    Case{"spherical_pendulum", "", {}, 0, {}}, Case{"pendulum_chain", "RKMK4", {{"N", "12"}}, 0, {}},
                    Case{"pendulum_chain", "CF4", {{"N", "67"}}, 0, {}}, // its elimination is cut
                    Case{"heavy_top_basis", "", {}, 0, {}}, Case{"heavy_top_lie_poisson", "", {}, 0, {}},
                    Case{"planar_dipoles", "", {}, 0, {}}, Case{"humming_top", "", {}, 0, {}},
                    Case{"indefinite", "RKMK4", {}, 0, indefinite},
                    Case{"magnetic_dipoles", "RKMK4", {{"n", "3"}}, 0, {}},
                    Case{"dipolar_spheres", "RKMK4", {{"N", "450"}}, 0, {}}), // its sums are divided
    nameOf);

const char* const everything = R"(model Everything {
  param N : int = 10;  param k = 3;  param w0 : vec(3) = [0.2, 0, 1];
  input push = 0.5*sin(3*t);
  config R : SO(3) velocity w;
  config x[N] : R^1 velocity v;
  state z : SO(3);
  lagrangian = 0.5*dot(w, w) + 0.5*w[1]^2 + sum(i in 1..N: 0.5*v[i]^2*(1 + 0.1*exp(-x[i]^2)))
             - sum(i in 2..N: k*sqrt(1 + (x[i] - x[i-1])^2)) - sum(i in 1..N: cos(x[i])*R[1,1]);
  force on x[1] = push - 0.1*v[1];
  dissipation = 0.01*dot(w, w);
  flow z = w0*(1 + sin(t)) + w;
  event crossing = x[1] - 0.01;
  observe corner = R*[1, 0, 0];  observe spread = max(x[1], x[N]);
  initial R = SO(3).exp([0.3, 0.1, 0]);  initial w = [0.1, 0.5, 2];
  initial x[i in 1..N] = 0.1*i;  initial v[i in 1..N] = 0;  initial z = eye(3);
  simulate { method = RKMK4; time = 0..1; step = 0.01; }
})";

TEST(Agreement, InputsEventsTimeDissipationAndStates) {
  for (const char* method : {"RKMK4", "CF43"}) {
    Forms forms({"everything", method, {}, 0, everything});
    expectAgreement(forms, {"gcc", "clang"});
  }
}

TEST(Agreement, InputsAreReadAtEveryCall) {
  Forms forms({"everything", "RKMK4", {}, 0, everything});
  ASSERT_TRUE(forms.unit);
  Forms given({"everything", "RKMK4", {{"push", "2.5"}}, 0, everything});
  const auto motion = motionOf(*given.problem, given.h, 3);
  for (const auto& l : {forms.object(), forms.source("gcc")}) {
    ASSERT_NE(l, nullptr);
    ASSERT_EQ(l->init(), 0);
    for (const runtime::Field& f : forms.unit->fields()) {
      if (f.kind == runtime::FieldKind::InputGiven && f.of == "push") l->part(f.role)[f.offset] = 1;
      if (f.kind == runtime::FieldKind::InputValue && f.of == "push") l->part(f.role)[f.offset] = 2.5;
    }
    const Distance distance(*forms.unit, motion);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(l->step("_step", static_cast<double>(k) * forms.h, forms.h), 0);
    EXPECT_LE(distance(l->part(runtime::Role::State), motion[3].data()), 3 * perStep);
  }
}

TEST(Agreement, LargeAngles) {
  Forms forms({"heavy_top", "CF4", {}, 0.01, {}}); // three halves of a radian a step
  expectAgreement(forms, {"gcc", "clang"});
}

TEST(Agreement, SparseSystemsOfConstraints) {
  for (const char* method : {"RKMK4", "VITrapezoid"}) {
    Forms forms({"closed_chain", method, {{"N", "12"}}, 0, {}});
    expectAgreement(forms, {"gcc"});
  }
}

TEST(Agreement, ManyStepsAndFailures) {
  for (const Case& c :
       {Case{"heavy_top", "RKMK4", {}, 0, {}}, Case{"magnetic_dipoles", "LieEuler", {{"n", "5"}}, 0, {}}}) {
    Forms forms(c);
    ASSERT_TRUE(forms.unit);
    for (const auto& l : {forms.object(), forms.source("gcc")}) {
      ASSERT_NE(l, nullptr);
      ASSERT_EQ(l->init(), 0);
      const std::vector<double> begin = l->memory;
      double t = 0.5;
      EXPECT_EQ(l->steps(t, forms.h, 7), 0);
      EXPECT_DOUBLE_EQ(t, 0.5 + 7 * forms.h);
      const std::vector<double> end = l->memory;
      l->memory = begin;
      for (int k = 0; k < 7; ++k) EXPECT_EQ(l->step("_step", 0.5 + k * forms.h, forms.h), 0);
      const auto n = static_cast<std::ptrdiff_t>(forms.unit->problem().initialState.size());
      const auto y = static_cast<std::ptrdiff_t>(forms.unit->base[static_cast<std::size_t>(runtime::Role::State)]);
      EXPECT_TRUE(std::equal(end.begin() + y, end.begin() + y + n, l->memory.begin() + y));
      EXPECT_EQ(l->step("_step", 0, 1e200), runtime::NonFinite);
      EXPECT_EQ(l->steps(t, 1e200, 3), runtime::NonFinite);
      EXPECT_DOUBLE_EQ(t, 0.5 + 7 * forms.h);
      EXPECT_TRUE(std::equal(end.begin() + y, end.begin() + y + n, l->memory.begin() + y)) << "the state before";
    }
  }
}

/// Every example, and every model of the folder $LMC_MODELS, with every method that fits it (`./dev ahead`).
TEST(Sweep, DISABLED_EveryModelWithEveryMethod) {
  std::vector<std::string> models;
  std::vector<std::filesystem::path> folders = {std::filesystem::path(LMC_SOURCE_DIR) / "examples"};
  if (const char* const more = std::getenv("LMC_MODELS"); more != nullptr && *more != 0) folders.emplace_back(more);
  for (const auto& folder : folders)
    for (const auto& entry : std::filesystem::directory_iterator(folder)) models.push_back(entry.path().string());
  std::sort(models.begin(), models.end());
  std::istringstream list(shell(std::string(LMC_BINARY_DIR) + "/bin/lmc methods").output);
  std::vector<std::string> methods;
  std::string line;
  for (std::getline(list, line); std::getline(list, line);) methods.push_back(line.substr(0, line.find(' ')));
  ASSERT_GT(methods.size(), 40U);
  const char* const only = std::getenv("LMC_METHODS"); // names with commas; all without
  int pairs = 0;
  for (const std::string& model : models) {
    for (const std::string& method : methods) {
      if (only != nullptr && ("," + std::string(only) + ",").find("," + method + ",") == std::string::npos) continue;
      SCOPED_TRACE(model + " with " + method);
      Forms forms({model, method, {}, 0, {}}, false, Forms::IfWrong::Leave);
      if (!forms.problem) continue;
      ++pairs;
      std::printf("%s with %s\n", model.c_str(), method.c_str());
      std::fflush(stdout);
      expectAgreement(forms, {"gcc"}, 4);
    }
  }
  std::printf("%d pairs of a model and a method\n", pairs);
}

TEST(Agreement, SpecializedCodeAndProcessors) {
  Forms forms({"heavy_top", "RKMK4", {}, 0, {}}, true);
  ASSERT_TRUE(forms.unit && forms.problem);
  EXPECT_NE(backends::header(*forms.unit).find("must stay zero"), std::string::npos);
  const auto motion = motionOf(*forms.problem, forms.h, 5);
  for (const char* cpu : {"", "native"}) {
    const auto object = forms.object(cpu);
    ASSERT_NE(object, nullptr);
    expectSameMotion(*object, forms, motion, std::string("cpu ") + cpu);
  }
}

/// What the back ends take counts, too: a limit that is reached there is a diagnostic at the model, not an object.
TEST(Limits, EndTheMakingOfAnObject) {
  bool late = false;
  products::PipelineOptions options;
  options.compilation.libraryRoot = libraryRoot();
  options.limits.cancelled = [&late] { return late; };
  products::Pipeline pipeline(options);
  ASSERT_TRUE(pipeline.loadText("m.lie", "model M { config R : SO(3) velocity w; lagrangian = 0.5*dot(w, w); "
                                         "simulate { method = RKMK4; step = 0.1; time = 0..1; } }"));
  const auto unit = products::exportedUnit(pipeline, "m");
  ASSERT_TRUE(unit);
  late = true;
  EXPECT_FALSE(products::exportedObject(pipeline, *unit, ""));
  EXPECT_TRUE(pipeline.diagnostics().hasErrors());
  EXPECT_NE(pipeline.diagnostics().sorted().front().message.find("cancelled"), std::string::npos);
}

} // namespace
} // namespace lmc::test
