// What `lmc derive` prints, evaluated, against the compiled equations: every example, at random states.
#include "Joints.h"
#include "Printed.h"
#include "Values.h"

#include "checks/states/StateSpace.h"
#include "mechanics/system/Equations.h"
#include "products/Pipeline.h"
#include "products/equations/Equations.h"
#include "products/stages/Stages.h"
#include "sema/manifolds/Generator.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace lmc::mechanics;
using namespace lmc::products;
using namespace lmc::runtime;
using namespace lmc::sema;
using namespace lmc::test;
using namespace lmc;
using lmc::test::Numbers;
namespace test = lmc::test;
using lmc::test::Values;
using nlohmann::json;

namespace {

PipelineOptions optionsOf() {
  PipelineOptions options;
  options.compilation.libraryRoot = LMC_SOURCE_DIR;
  return options;
}

/// A model, its compiled equations, and what they are called where they are printed.
class Derived {
public:
  explicit Derived(const std::string& file) : pipeline(optionsOf()) {
    if (!pipeline.load(file)) throw std::runtime_error("it does not load");
    problem = pipeline.build(false);
    if (!problem) throw std::runtime_error("it does not compile");
    space = std::make_unique<checks::StateSpace>(*pipeline.system(), *problem);
    declare();
    space->prepare();
  }

  Pipeline pipeline;
  std::unique_ptr<Problem> problem;
  std::unique_ptr<checks::StateSpace> space;

  /// All names at a state: parameters, the state, xi', and what is derived beside it.
  Values at(const checks::State& y, double t) {
    Values v;
    const Model& m = *pipeline.system()->model;
    v.arrays["t"] = {{}, 1, 1, {t}};
    for (const auto& [name, n] : m.constants) v.arrays[name] = {{}, 1, 1, {static_cast<double>(n)}};
    for (const NamedArray& p : problem->parameters())
      for (const Parameter& q : m.parameters)
        if (q.name == p.name) v.arrays[p.name] = numbers(*q.array, p.values, 0);
    const auto put = [&](const ArrayTuple& arrays, const std::vector<double>& all, std::size_t at,
                         const std::function<std::string(std::size_t)>& name) {
      for (std::size_t part = 0; part < arrays.size(); ++part) {
        v.arrays[name(part)] = numbers(*arrays[part], all, at);
        at += static_cast<std::size_t>(arrays[part]->size());
      }
    };
    const checks::Direction f = space->field(y, t);
    for (const checks::Variable& x : space->variables()) {
      const auto own = [](const ArrayTuple& a) { return [&a](std::size_t part) { return a[part]->name; }; };
      const auto derived = [&](const std::string& base, const std::string& mark) {
        const auto& parts = x.manifold->group().algebra();
        return [base, mark, &parts](std::size_t part) {
          return base + (parts.size() > 1 ? "." + parts[part].name : "") + mark;
        };
      };
      if (x.isFactor()) {
        const Factor& q = m.factors[x.index];
        put(q.point, y, x.pointState, own(q.point));
        put(q.velocity, y, x.fiberState, own(q.velocity));
        put(q.velocity, f, x.fibers, derived(q.velocityName, "'"));
      } else {
        const StateVariable& z = m.states[x.index];
        put(z.point, y, z.dual ? x.fiberState : x.pointState, own(z.point));
        if (z.dual)
          put(z.point, f, x.fibers, derived(z.name, "'"));
        else
          put(z.flow, f, x.points, derived("f(" + z.name + ")", ""));
      }
    }
    const products::Layout layout = products::layoutOf(m);
    for (const DiscreteVariable& d : m.discretes)
      for (const sym::Array* a : d.arrays)
        put({a}, y, static_cast<std::size_t>(layout.of(a).offset), [a](std::size_t) { return a->name; });
    for (std::size_t k = 0; k < values_.size(); ++k) {
      const auto result = space->call(functions_[k], y, t);
      v.arrays[values_[k]->name] = numbers(*values_[k], result, 0);
    }
    return v;
  }

  /// Multipliers, and the equations of constraints with what they are at a state: their rates along its velocities and
  /// gamma, the rate of these without accelerations, by differences.
  void addConstraints(Values& v, const checks::State& y, double t) {
    const Model& m = *pipeline.system()->model;
    if (m.constraints.empty()) return;
    checks::Direction straight = space->field(y, t);
    for (const checks::Variable& x : space->variables())
      if (x.hasFiber()) std::fill_n(straight.begin() + static_cast<std::ptrdiff_t>(x.fibers), x.size, 0.0);
    const auto at = [&](double s) { return space->call(equations_, space->moved(y, straight, s), t + s); };
    double fastest = 1;
    for (const double x : straight) fastest = std::max(fastest, std::abs(x));
    const double h = 1e-3 / fastest;
    const std::vector<double> here = at(0), near = at(h), back = at(-h), far = at(2 * h), farBack = at(-2 * h);
    std::vector<double> slope(here.size()), bend(here.size());
    for (std::size_t k = 0; k < here.size(); ++k) {
      slope[k] = (8 * (near[k] - back[k]) - (far[k] - farBack[k])) / (12 * h);
      bend[k] = (16 * (near[k] + back[k]) - (far[k] + farBack[k]) - 30 * here[k]) / (12 * h * h);
    }
    const std::vector<double> multipliers = space->call(multipliers_, y, t);
    std::size_t first = 0;
    for (const Constraint& c : m.constraints) {
      v.arrays["lambda." + c.name] = numbers(*c.array, multipliers, first);
      v.arrays[c.name] = numbers(*c.array, here, first);
      if (!c.velocities) v.arrays[c.name + "'"] = numbers(*c.array, slope, first);
      v.arrays["gamma(" + c.name + ")"] = numbers(*c.array, c.velocities ? slope : bend, first);
      first += static_cast<std::size_t>(c.array->size());
    }
    // Of forces that are described only.
    const std::vector<double> forces = space->call(reactions_, y, t);
    first = 0;
    for (std::size_t k = 0; k < m.factors.size(); ++k) {
      const ArrayTuple& parts = pipeline.system()->factors[k].reaction;
      for (std::size_t part = 0; part < parts.size(); ++part) {
        const std::string suffix = parts.size() > 1 ? ", " + m.factors[k].manifold->algebra()[part].name : "";
        v.arrays["reaction(" + m.factors[k].name + suffix + ")"] = numbers(*parts[part], forces, first);
        first += static_cast<std::size_t>(parts[part]->size());
      }
    }
  }

  /// What is said of the forces of constraints on the factors, against the compiled ones.
  void expectReactions(Values& v) {
    const Model& m = *pipeline.system()->model;
    for (std::size_t k = 0; !m.constraints.empty() && k < m.factors.size(); ++k) {
      const std::vector<Part>& parts = m.factors[k].manifold->algebra();
      for (std::size_t part = 0; part < parts.size(); ++part) {
        const std::string suffix = parts.size() > 1 ? ", " + parts[part].name : "";
        const Numbers& all = v.arrays.at("reaction(" + m.factors[k].name + suffix + ")");
        const std::int64_t members = m.factors[k].extent;
        const std::size_t each = all.values.size() / static_cast<std::size_t>(std::max<std::int64_t>(1, members));
        for (std::int64_t i = members > 0 ? 1 : 0; i <= members; ++i) {
          const json of = members > 0 ? json{"at", m.factors[k].name, i} : json(m.factors[k].name);
          json tree = {"call", "reaction", of};
          if (parts.size() > 1) tree.push_back(parts[part].name);
          const test::Value said = v(tree);
          const double* own = all.values.data() + each * static_cast<std::size_t>(std::max<std::int64_t>(0, i - 1));
          double size = 1, apart = 0;
          for (std::size_t n = 0; n < each; ++n) {
            size = std::max(size, std::abs(own[n]));
            apart = std::max(apart, std::abs(own[n] - said(static_cast<Eigen::Index>(n))));
          }
          EXPECT_LE(apart, 1e-8 * size) << tree;
        }
      }
    }
  }

  /// Members of the largest family.
  std::int64_t members() {
    std::int64_t n = 0;
    for (const checks::Variable& x : space->variables()) n = std::max(n, x.extent);
    return n;
  }

  /// d/dt momentum(q) along the motion, by differences.
  void addMomentumRates(Values& v, const checks::State& y, double t) {
    checks::Direction f = space->field(y, t);
    const double h = 1e-5;
    const Values after = at(space->moved(y, f, h), t + h), before = at(space->moved(y, f, -h), t - h);
    for (const auto& [name, numbers] : after.arrays) {
      if (!name.starts_with("momentum(")) continue;
      Numbers rate = numbers;
      for (std::size_t k = 0; k < rate.values.size(); ++k)
        rate.values[k] = (numbers.values[k] - before.arrays.at(name).values[k]) / (2 * h);
      v.arrays[name + "'"] = std::move(rate);
    }
  }

private:
  static Numbers numbers(const sym::Array& a, const std::vector<double>& all, std::size_t from) {
    Numbers n{a.extents, a.shape.rows, a.shape.cols, {}};
    for (std::size_t k = 0; k < static_cast<std::size_t>(a.size()); ++k) n.values.push_back(all.at(from + k));
    return n;
  }

  void value(const std::string& name, std::int64_t extent, const std::vector<sym::Expr>& index, sym::Expr e) {
    sym::Program& p = space->layer().program();
    values_.push_back(p.graph().newArray(name, memberExtents(extent), e->shape, sym::Role::Temp));
    define(p, values_.back(), extent, index, e);
    functions_.push_back(space->functions().function("value" + std::to_string(values_.size()), {values_.back()}));
  }

  void declare() {
    const System& s = *pipeline.system();
    sym::Program& p = space->layer().program();
    for (std::size_t k = 0; k < s.model->factors.size(); ++k) {
      const Factor& f = s.model->factors[k];
      const FactorEquations& e = s.factors[k];
      const bool momentum = f.fiber == Fiber::Momentum;
      const Tuple change = generator(p, *f.manifold, f.frame, e.point, momentum ? e.rate : e.velocity);
      for (std::size_t part = 0; part < change.size(); ++part)
        value(f.name + (change.size() > 1 ? "." + f.manifold->point()[part].name : "") + "'", f.extent, e.index,
              change[part]);
      const Tuple& dual = momentum ? e.rate : e.momentumValue;
      for (std::size_t part = 0; part < dual.size(); ++part) {
        const std::string suffix = dual.size() > 1 ? "." + f.manifold->algebra()[part].name : "";
        value((momentum ? "dH/d" + f.velocityName : "momentum(" + f.name + ")") + suffix, f.extent, e.index,
              dual[part]);
      }
    }
    for (const DualEquations& d : s.duals) {
      const StateVariable& z = s.model->states[d.state];
      for (std::size_t part = 0; part < d.rate.size(); ++part)
        value("dH/d" + z.name + (d.rate.size() > 1 ? "." + z.manifold->algebra()[part].name : ""), z.extent, d.index,
              d.rate[part]);
    }
    if (s.energyExpression) value("energy", 0, {}, s.energyExpression);
    ArrayTuple equations, multipliers;
    for (const Constraint& c : s.model->constraints) {
      equations.push_back(c.array);
      multipliers.push_back(c.multiplier);
    }
    if (equations.empty()) return;
    equations_ = space->functions().function("equations", equations);
    multipliers_ = space->functions().function("multipliers", multipliers);
    ArrayTuple reactions;
    for (const FactorEquations& e : s.factors) reactions.insert(reactions.end(), e.reaction.begin(), e.reaction.end());
    reactions_ = space->functions().function("reactions", reactions);
  }

  std::vector<const sym::Array*> values_;
  std::vector<ModelFunctions::Function> functions_;
  ModelFunctions::Function equations_, multipliers_, reactions_; ///< of constraints
};

/// `open`: so many of the indices have their values.
void expectLine(const json& line, Values& v, const std::string& where, std::size_t open = 0) {
  const json& tree = line.at("tree");
  if (tree.contains("for") && tree.at("for").size() > open) { // the next index
    const json& range = tree.at("for").at(open);
    const std::int64_t to = v.integer(range.at(2));
    for (std::int64_t i = v.integer(range.at(1)); i <= to; ++i) {
      v.bind(range.at(0), i);
      ASSERT_NO_FATAL_FAILURE(expectLine(line, v, where, open + 1));
    }
    return;
  }
  test::Value left = v(tree.at("left")), right = v(tree.at("right"));
  test::fit(left, right);
  ASSERT_EQ(left.size(), right.size()) << where << line.at("left");
  const json& shown = tree.at("left"); // what stands for differences: see addMomentumRates, addConstraints
  const bool ofConstraint = where.starts_with("Constraints") || where.starts_with("Contacts");
  const bool difference = ofConstraint || (shown.is_array() && shown.at(1) == "rate");
  // On constraints both sides vanish.
  const double least = ofConstraint ? 1 : 1e-3;
  const double size = std::max({left.cwiseAbs().maxCoeff(), right.cwiseAbs().maxCoeff(), least});
  ASSERT_LE((left - right).cwiseAbs().maxCoeff(), (difference ? 1e-5 : 1e-8) * size)
      << where << line.at("left") << " = " << line.at("right") << "\n"
      << left.transpose() << "\n"
      << right.transpose();
}

std::vector<std::string> models() {
  std::vector<std::string> files;
  for (const char* folder : {"/examples", "/tests/present/models"})
    for (const auto& f : std::filesystem::directory_iterator(std::string(LMC_SOURCE_DIR) + folder))
      if (f.path().extension() == ".lie") files.push_back(f.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

class Forms : public testing::TestWithParam<std::string> {};

} // namespace

/// Every line of a form at some states.
void expectForm(Derived& d, const char* form, bool expand) {
  SCOPED_TRACE(std::string(form) + (expand ? ", expanded" : ""));
  std::mt19937_64 engine(7);
  const json printed = json::parse(products::equations(d.pipeline, "json", form, expand));
  for (int sample = 0; sample < 3; ++sample) {
    const double t = 0.3 * sample;
    const checks::State start(d.problem->initialState.begin(), d.problem->initialState.end());
    const checks::State y = d.space->near(start, t, engine);
    Values v = d.at(y, t);
    d.addMomentumRates(v, y, t);
    d.addConstraints(v, y, t);
    if (printed.contains("tables")) v.tables = printed.at("tables");
    json sections = printed.at("sections");
    if (sample > 0) { // once by the trees for programs, then by the text for a person
      PrintedNames names;
      for (const auto& [name, numbers] : v.arrays) names.families[name] = !numbers.extents.empty();
      for (const json& table : v.tables) names.curves.insert(table.at("name"));
      if (sections.contains("where")) addNames(names, sections.at("where"));
      addJointNames(names, *d.pipeline.system()->model, printed);
      for (auto& [title, lines] : sections.items()) {
        PrintedNames letters; // those of a joint are its own
        if (isOfJoint(printed, title)) addNames(letters, lines);
        lines = readAgain(lines, isOfJoint(printed, title) ? letters : names);
      }
    }
    for (const char* defining :
         {"where", "Mass matrix M", "Velocity terms c = C xi", "Forces", "Forces of the constraints"})
      if (sections.contains(defining))
        for (const json& line : sections.at(defining)) v.definitions.push_back(line);
    std::size_t lines = expectJoints(*d.pipeline.system()->model, printed, sections, v, [&](double dt) {
      Values there = v;
      there.arrays["t"].values[0] += dt;
      return there;
    });
    if (testing::Test::HasFatalFailure()) return;
    d.expectReactions(v);
    for (const auto& [title, list] : sections.items()) {
      if (title == "Joints" || isOfJoint(printed, title)) continue;
      if (title == "where" || title == "Mass matrix M" || title == "Velocity terms c = C xi" ||
          title.starts_with("Forces"))
        continue; // they say what stands in the others
      for (const json& line : list) {
        ASSERT_NO_FATAL_FAILURE(expectLine(line, v, title + ": ")) << "sample " << sample;
        ++lines;
      }
    }
    EXPECT_GT(lines, 1U);
  }
}

TEST_P(Forms, EqualTheCompiledEquations) {
  Derived d(GetParam());
  expectForm(d, "motion", false);
  expectForm(d, "hamilton", false);
  if (d.members() > 20) return; // written out, it is long
  expectForm(d, "motion", true);
  expectForm(d, "matrix", false);
}

/// What no person writes: a line that says nothing, factors of 1 and 0, signs in brackets.
TEST_P(Forms, ReadAsAPersonWrites) {
  Derived d(GetParam());
  const json printed = json::parse(products::equations(d.pipeline, "json"));
  for (const auto& [title, list] : printed.at("sections").items())
    for (const json& line : list) EXPECT_NE(line.at("left"), line.at("right")) << title;
  const std::string text = products::equations(d.pipeline, "text");
  for (const char* odd : {"(-1)", "sqrt(1)", "*1*", "(1*", " 1*", "*0*", "(0*", " 0*", "[0, 0, 0]", "zeros(3))*"})
    EXPECT_EQ(text.find(odd), std::string::npos) << odd << "\n" << text;
}

/// Numbers, parameters, velocities, functions, in this order; sums last, but those of parameters.
TEST(Factors, StandInTheOrderOfBooks) {
  const std::pair<const char*, std::vector<const char*>> all[] = {
      {"elastic_pendulum", {"m*r^2*w' = -m*r*(2*u*w + g*sin(th))\n", "m*u' = m*r*w^2 + k*(l0 - r) + m*g*cos(th)\n"}},
      {"cart_pole",
       {"m*l*w'*cos(th) + (M + m)*v' = m*l*w^2*sin(th) + F\n", "m*l*(l*w' + v'*cos(th)) = m*l*g*sin(th)\n"}},
      {"coupled_rotors", {"= a[2] - a[3]\n", "= a[2] - a[1]\n"}},
      {"swinging_atwood", {"(M + m)*u' = m*r*w^2 + g*(m*cos(th) - M)\n"}},
      {"wilberforce_pendulum", {"I*w' = -d*th - e*z/2\n"}},
      {"gyroscope_in_gimbals",
       {"(A + A1)*v' = u*cos(b)*(C*w + (C + C1 - A - B1)*u*sin(b))\n",
        "= (C + C1)*sin(b)^2 + (A + B1)*cos(b)^2 + C2\n"}},
  };
  for (const auto& [model, lines] : all) {
    Derived d(std::string(LMC_SOURCE_DIR) + "/tests/present/models/" + model + ".lie");
    const std::string text = products::equations(d.pipeline, "text");
    for (const char* line : lines) EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
}

/// docs/equations.md shows what is printed, but for the ends of long lines.
TEST(Documentation, ShowsWhatIsPrinted) {
  const std::map<std::string, std::pair<std::string, std::string>> models = {
      {"Spherical pendulum", {"examples/spherical_pendulum", "motion"}},
      {"Heavy top", {"examples/heavy_top", "motion"}},
      {"Double spherical pendulum", {"tests/present/models/double_spherical_pendulum", "motion"}},
      {"Chain of N spherical pendulums", {"examples/pendulum_chain", "motion"}},
      {"Two quadrotors with a load", {"examples/two_quadrotors", "motion"}},
      {"Furuta's pendulum", {"tests/present/models/furuta_pendulum", "motion"}},
      {"Plane double pendulum", {"tests/present/models/plane_double_pendulum", "motion"}},
      {"Kirchhoff's vehicle", {"tests/present/models/kirchhoff_vehicle", "hamilton"}},
      {"A point on the unit sphere of four dimensions", {"tests/present/models/three_sphere", "motion"}},
      {"A quarter of a car on a measured road", {"examples/measured_road", "motion"}},
      {"Elastic pendulum", {"tests/present/models/elastic_pendulum", "motion"}},
      {"Bricard's mechanism", {"examples/bricard", "motion"}},
      {"Chain of two, as matrices", {"examples/pendulum_chain", "matrix"}},
  };
  std::ifstream page(std::string(LMC_SOURCE_DIR) + "/docs/equations.md");
  std::string printed;
  std::vector<std::string> shown; // lines of the example that is being read, joined
  std::size_t compared = 0;
  const auto compare = [&] {
    for (const std::string& line : shown)
      EXPECT_NE(printed.find("\n" + line + "\n"), std::string::npos) << line << printed;
    compared += shown.size();
    shown.clear();
  };
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("### ")) {
      compare();
      ASSERT_TRUE(models.contains(line.substr(4))) << line;
      const auto& [file, form] = models.at(line.substr(4));
      PipelineOptions options = optionsOf();
      if (form == "matrix") options.compilation.overrides.push_back({"N", "2"});
      Pipeline pipeline(options);
      ASSERT_TRUE(pipeline.load(std::string(LMC_SOURCE_DIR) + "/" + file + ".lie"));
      printed = products::equations(pipeline, "text", form);
    } else if (!printed.empty() && line.starts_with("            ")) {
      ASSERT_FALSE(shown.empty());
      shown.back() += (line.substr(12).starts_with("(i = ") ? "   " : " ") + line.substr(12);
    } else if (!printed.empty() && line.starts_with("    ")) {
      shown.push_back(line.substr(4));
    }
  }
  compare();
  EXPECT_GT(compared, 60U);
}

/// Constraints of a family whose members differ are said member by member where they belong.
TEST(Constraints, ArePartByPart) {
  Derived d(std::string(LMC_SOURCE_DIR) + "/tests/present/models/hung_chain.lie");
  const json sections = json::parse(products::equations(d.pipeline, "json")).at("sections");
  std::set<std::string> lefts;
  for (const json& line : sections.at("Constraints (each is zero)")) lefts.insert(line.at("left"));
  for (const char* left : {"rod[1]", "rod[i]", "rod[4]", "rod'[i]"}) EXPECT_TRUE(lefts.contains(left)) << left;
}

/// A joint is said once, with its parameters; what it does to a body stands where its instances hold that.
TEST(Joints, AreSaidOnce) {
  Derived d(std::string(LMC_SOURCE_DIR) + "/examples/bricard.lie");
  const json printed = json::parse(products::equations(d.pipeline, "json"));
  const json& sections = printed.at("sections");
  ASSERT_EQ(printed.at("joints").size(), 1U);
  const json& joint = printed.at("joints").at(0);
  EXPECT_EQ(joint.at("parameters"), (json{"A", "a", "u", "B", "b", "w"}));
  EXPECT_TRUE(sections.contains(joint.at("section").get<std::string>()));
  EXPECT_FALSE(sections.contains("Constraints (each is zero)"));
  EXPECT_EQ(sections.at("Joints").size(), 3U); // the first, those between, the last
  const std::string text = products::equations(d.pipeline, "text");
  for (const char* line :
       {"reaction(X[i]).w = reaction(hinge[i], X[i]).w + reaction(hinge[i + 1], X[i]).w   (i = 1..5)\n",
        "at = A.x - B.x + A.R*a - B.R*b\n", "reaction(A).v = transpose(A.R)*lambda.at\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  // the inertias of the bars are symmetric by what defines them
  EXPECT_NE(products::equations(d.pipeline, "text").find("momentum(X[i]).w = J[i]*xi.w[i]   (i = 1..5)\n"),
            std::string::npos);
}

/// Sums over parts of a family are said part by part, not as sums that are added up.
TEST(Definitions, ArePartByPart) {
  Derived d(std::string(LMC_SOURCE_DIR) + "/tests/present/models/neighbours.lie");
  const std::string text = products::equations(d.pipeline, "text");
  for (const char* line :
       {"dL/dx[1] = k*(x[2] - x[1])\n", "dL/dx[i] = k*(x[i - 1] + x[i + 1] - 2*x[i])   (i = 2..N - 1)\n",
        "dL/dx[N] = k*(x[N - 1] - x[N])\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  EXPECT_EQ(text.find("dL/dv[i] = dL/dv[i]"), std::string::npos) << text;
}

/// Of several indices none is written out.
TEST(Quantifiers, AreThoseOfAllIndices) {
  Derived d(std::string(LMC_SOURCE_DIR) + "/tests/present/models/net.lie");
  const std::string text = products::equations(d.pipeline, "text");
  for (const char* line : {"rod'[n, i] = 2*dot(v[n], x[n] - a[n, i])   (n = 1..2, i = 1..2)\n",
                           "a[n, i] = 1/(i + n)*[n, i, 1]   (n = 1..3, i = 1..2)\n", "reaction(x[3]) = zeros(3)\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
}

/// Arrays that derivation gives one name are told apart.
TEST(Definitions, HaveNamesOfTheirOwn) {
  Derived d(std::string(LMC_SOURCE_DIR) + "/tests/present/models/half_planes.lie");
  std::set<std::string> lefts;
  for (const json& line : json::parse(products::equations(d.pipeline, "json")).at("sections").at("where"))
    EXPECT_TRUE(lefts.insert(line.at("left")).second) << line.at("left");
}

/// The gaps of contacts are no equations that hold always.
TEST(Contacts, HaveASectionOfTheirOwn) {
  Derived d(std::string(LMC_SOURCE_DIR) + "/examples/billiard_ball.lie");
  const json sections = json::parse(products::equations(d.pipeline, "json")).at("sections");
  EXPECT_TRUE(sections.contains("Contacts (gaps, never negative; zero while closed) and slips")) << sections;
  EXPECT_TRUE(sections.contains("Forces of the constraints")) << sections;
  EXPECT_FALSE(sections.contains("Constraints (each is zero)")) << sections;
}

INSTANTIATE_TEST_SUITE_P(Models, Forms, testing::ValuesIn(models()),
                         [](const auto& p) { return std::filesystem::path(p.param).stem().string(); });
