#include "tool/shared/VerifyModel.h"

#include "checks/laws/Verify.h"
#include "checks/model/ModelChecks.h"
#include "checks/study/Studies.h"
#include "runtime/run/Run.h"
#include "tool/support/Arguments.h"
#include "tool/support/Report.h"
#include "tool/support/SharedOptions.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace lmc::tool {

namespace {

using checks::Kept;
using checks::ModelChecks;
using nlohmann::ordered_json;

ordered_json number(double x) {
  return std::isfinite(x) ? ordered_json(x) : ordered_json(nullptr);
}

/// Why nothing is run; empty if something can be.
std::string obstacle(const runtime::Problem* run) {
  if (run == nullptr) return "no method is chosen";
  if (!runtime::checkSettings(*run).empty()) return "time and step, or a tolerance, are not given";
  return {};
}

/// The problem with fixed steps; nothing if that has errors.
std::unique_ptr<runtime::Problem> withFixedSteps(const runtime::Problem& problem, const Invocation& call,
                                                 std::unique_ptr<products::Pipeline>& pipeline) {
  if (!problem.control) return std::make_unique<runtime::Problem>(problem);
  const std::string& file = oneFile(call);
  study::Build b = study::build({pipelineOptions(call), [&file](products::Pipeline& p) { return p.load(file); }});
  pipeline = std::move(b.pipeline);
  return std::move(b.problem);
}

// --- text ---------------------------------------------------------------------------------------------------------

std::string equations(const ModelChecks& c, bool hamiltonian) {
  if (c.derivatives.empty()) return "  equations: given by flows, nothing is derived\n";
  std::string text = fmt::format("  equations against differences of the {}, at {} states\n",
                                 hamiltonian ? "Hamiltonian" : "Lagrangian", c.states);
  for (const checks::Disagreement& d : c.derivatives)
    text += fmt::format("    {:<12} {:>8.1e}  {}\n", d.variable, d.error, d.holds() ? "agree" : "DIFFER");
  return text;
}

/// Two ways to the values of f, and two to its derivatives.
std::string valuesAndDerivatives(const ModelChecks& c) {
  std::string text = fmt::format("  compiled code against the interpreter: {:.1e}, {}\n", c.compiled,
                                 c.compiled <= checks::compiledTolerance ? "agree" : "DIFFER");
  if (c.plain) {
    text += fmt::format("  interpreter against the plain reading of the equations: {:.1e}, {}\n", *c.plain,
                        *c.plain <= checks::compiledTolerance ? "agree" : "DIFFER");
  }
  if (c.dependent)
    text += "  derivatives of f and the order of steps: not examined, since equations of constraints depend on each "
            "other\n";
  if (c.field) {
    text += fmt::format("  derivatives of f against differences: forward {:.1e}, backward {:.1e}, {}\n",
                        c.field->forward, c.field->backward, c.field->holds() ? "agree" : "DIFFER");
  }
  return text;
}

/// How brackets add to the velocities that constraints permit.
std::string growth(const ModelChecks& c) {
  if (!c.growth) return {};
  const checks::DistributionGrowth& g = *c.growth;
  std::string text = fmt::format("  velocities under constraints: of dimension {} of {}", g.dimensions[0], g.whole);
  if (g.dimensions.size() > 1)
    text += fmt::format(", with brackets {}",
                        fmt::join(std::vector<std::size_t>(g.dimensions.begin() + 1, g.dimensions.end()), ", "));
  if (g.integrable())
    return text +
           "\n    brackets add nothing: the equations are derivatives of equations on positions; written as such "
           "these hold to round-off, and do not drift\n";
  if (g.dimensions.back() == g.whole)
    return text + (g.dimensions.size() > 1 ? fmt::format(": nonholonomic, of degree {}\n", g.dimensions.size()) : "\n");
  return text + (g.ends ? ": nonholonomic, and not every position can be reached\n"
                        : ": nonholonomic; longer brackets were not examined\n");
}

/// Quantities of which nobody knows whether they are conserved.
std::vector<std::string> undecided(const ModelChecks& c) {
  std::vector<std::string> list = c.undecided;
  if (c.energyRate && !c.energyRate->vanishes()) list.insert(list.begin(), "energy");
  return list;
}

std::string conserved(const ModelChecks& c) {
  std::string text = "  conserved by the equations\n";
  if (c.conservesEnergy()) text += "    energy\n";
  for (const checks::Conserved& found : c.conserved) text += "    " + found.name + "\n";
  if (c.hasDuals) text += "    (Casimir functions of duals are not looked for)\n";
  if (const std::vector<std::string> list = undecided(c); !list.empty())
    text += fmt::format("    undecided, round-off hides their changes: {}\n", fmt::join(list, ", "));
  if (!c.conservesEnergy() && c.conserved.empty())
    text += "    nothing that was looked for: energy, translations, rotations, linear functions of states\n";
  return text;
}

std::string line(const std::string& name, const Kept& k) {
  return fmt::format("    {:>12.4g}  {:>12.1e}  {:>12.1e}  {}\n", k.start, k.deviation, k.drift, name);
}

std::string kept(const ModelChecks& c, const std::string& method) {
  const checks::KeptAlong& k = *c.kept;
  std::string text = fmt::format("  {}: {} steps from t = {:.6g} to {:.6g}{}\n", method, k.steps, k.from, k.to,
                                 k.whole ? "" : ", not the whole interval");
  if (k.failure) text += fmt::format("    the run failed at t = {:.6g}: {}\n", k.failure->time, k.failure->cause);
  text += fmt::format("    {:>12}  {:>12}  {:>12}  {}\n", "start", "deviation", "drift", "relative to the size");
  if (k.energy)
    text += line(c.conservesEnergy()        ? "energy"
                 : c.energyRate->vanishes() ? "energy (not conserved)"
                                            : "energy (whether it is conserved is undecided)",
                 *k.energy);
  for (std::size_t i = 0; i < k.conserved.size(); ++i) text += line(c.conserved[i].name, k.conserved[i]);
  for (const lmc::runtime::Defect& d : k.defects)
    text += fmt::format("    what `{}` holds: largest defect {:.1e}\n", d.name, d.value);
  return text;
}

/// The order of steps, and that of what was tested of the library.
std::string order(const ModelChecks& c) {
  if (!c.order) return {};
  const std::string found = c.order->measured ? fmt::format("{:.2f} is measured", *c.order->measured)
                                              : std::string("nothing can be measured");
  return fmt::format("  order of steps on this model: {}, {} declared{}\n", found, c.order->declared,
                     c.order->holds() ? "" : ": WRONG");
}

std::string reversals(const ModelChecks& c) {
  std::string text;
  if (c.reversibility) {
    const std::optional<bool> reversible = c.reversibility->vanishes();
    text += fmt::format("  equations with reversed velocities: {:.1e}, {}\n", c.reversibility->value,
                        !reversible   ? fmt::format("undecided: round-off makes {:.1e}", c.reversibility->doubt)
                        : *reversible ? "reversible"
                                      : "not reversible");
  }
  if (c.reversals.empty()) return text;
  text += "  a step and back\n";
  for (const checks::Reversal& r : c.reversals)
    text += fmt::format("    h = {:<10.4g} defect {:.1e}, of a change of {:.1e} and an error of {:.1e}\n", r.step,
                        r.defect, r.change, r.error);
  const std::optional<bool> symmetric = c.timeSymmetric();
  return text + (!symmetric   ? "    undecided: no step shows an error of the method above that of round-off\n"
                 : *symmetric ? "    time-symmetric\n"
                              : "    not time-symmetric\n");
}

// --- JSON ---------------------------------------------------------------------------------------------------------

ordered_json toObject(const Kept& k) {
  return {{"start", number(k.start)}, {"deviation", number(k.deviation)}, {"drift", number(k.drift)}};
}

ordered_json toObject(const ModelChecks& c, const std::string& name, const std::string& method,
                      const std::string& obstacle) {
  ordered_json derivatives = ordered_json::array(), found = ordered_json::array();
  for (const checks::Disagreement& d : c.derivatives)
    derivatives.push_back(
        {{"variable", d.variable}, {"error", number(d.error)}, {"verdict", d.holds() ? "PASS" : "FAIL"}});
  for (std::size_t i = 0; i < c.conserved.size(); ++i) {
    ordered_json one = {{"name", c.conserved[i].name}};
    if (c.kept && i < c.kept->conserved.size()) one.update(toObject(c.kept->conserved[i]));
    found.push_back(std::move(one));
  }
  ordered_json object = {{"name", name}, {"derivatives", derivatives}, {"compiled", number(c.compiled)}};
  object["dependent_constraints"] = c.dependent;
  object["velocities"] = nullptr;
  if (c.growth)
    object["velocities"] = {
        {"positions", c.growth->whole}, {"brackets", c.growth->dimensions}, {"integrable", c.growth->integrable()}};
  object["plain"] = c.plain ? number(*c.plain) : ordered_json(nullptr);
  object["field_derivatives"] = nullptr;
  if (c.field) {
    object["field_derivatives"] = {{"forward", number(c.field->forward)},
                                   {"backward", number(c.field->backward)},
                                   {"verdict", c.field->holds() ? "PASS" : "FAIL"}};
  }
  object["energy"] = nullptr;
  const auto verdict = [](const checks::Deviation& d) {
    const std::optional<bool> vanishes = d.vanishes();
    return vanishes ? ordered_json(*vanishes) : ordered_json(nullptr);
  };
  if (c.energyRate) {
    object["energy"] = {{"conserved", verdict(*c.energyRate)}};
    if (c.kept && c.kept->energy) object["energy"].update(toObject(*c.kept->energy));
  }
  object["conserved"] = found;
  object["undecided"] = undecided(c);
  object["reversible"] = nullptr;
  if (c.reversibility)
    object["reversible"] = {{"defect", number(c.reversibility->value)}, {"verdict", verdict(*c.reversibility)}};
  object["run"] = nullptr;
  if (!obstacle.empty()) object["not_run"] = obstacle;
  if (!c.kept) return object;
  const checks::KeptAlong& k = *c.kept;
  object["run"] = {{"method", method}, {"from", k.from}, {"to", k.to}, {"whole", k.whole}, {"steps", k.steps}};
  object["run"]["defects"] = ordered_json::object();
  for (const lmc::runtime::Defect& d : k.defects) object["run"]["defects"][d.name] = number(d.value);
  object["run"]["failure"] = k.failure ? ordered_json(k.failure->cause) : ordered_json(nullptr);
  ordered_json steps = ordered_json::array();
  for (const checks::Reversal& r : c.reversals)
    steps.push_back({{"step", r.step}, {"defect", r.defect}, {"change", r.change}, {"error", r.error}});
  const std::optional<bool> symmetric = c.timeSymmetric();
  object["time_symmetric"] = {{"steps", steps},
                              {"verdict", symmetric ? ordered_json(*symmetric) : ordered_json(nullptr)}};
  return object;
}

void reportDifferences(products::Pipeline& pipeline, const ModelChecks& c) {
  const sema::Model& m = *pipeline.system()->model;
  for (const checks::Disagreement& d : c.derivatives) {
    if (d.holds()) continue;
    Range range = m.lagrangian ? m.lagrangianRange : m.range;
    for (const sema::Factor& f : m.factors)
      if (f.name == d.variable) range = f.range;
    std::string what =
        d.variable == "energy" ? "the change of the energy" : fmt::format("the motion of `{}`", d.variable);
    for (const sema::Constraint& k : m.constraints) {
      if (k.name != d.variable) continue;
      range = k.range;
      what = fmt::format("the motion under the constraint `{}`", k.name);
    }
    pipeline.compilation()
        .diagnostics()
        .error(Code::LIE0561, range,
               fmt::format("{} does not agree with differences of the {}: the relative error is {:.1e}", what,
                           m.lagrangian ? "lagrangian" : "hamiltonian", d.error))
        .note("it must be smooth near the initial state: floor, abs, min, max and if may have jumps in value or slope");
  }
}

void reportField(products::Pipeline& pipeline, const ModelChecks& c) {
  if (!c.field || c.field->holds()) return;
  const sema::Model& m = *pipeline.system()->model;
  pipeline.compilation()
      .diagnostics()
      .error(Code::LIE0561, m.range,
             fmt::format("the derivatives of the equations do not agree with differences: the relative error is {:.1e} "
                         "of a forward, {:.1e} of a backward pass",
                         c.field->forward, c.field->backward))
      .note("forces and flows must be smooth near most states: a function with jumps has the derivative of its pieces");
}

void reportOrder(products::Pipeline& pipeline, const ModelChecks& c, const std::string& method) {
  if (!c.order || c.order->holds()) return;
  const sema::Model& m = *pipeline.system()->model;
  std::string errors;
  for (const auto& [h, e] : c.order->errors)
    errors += fmt::format("{}{:.1e} with h = {:.3g}", errors.empty() ? "" : ", ", e, h);
  pipeline.compilation()
      .diagnostics()
      .error(Code::LIE0560, m.simulation.method ? m.simulation.method->range : m.range,
             fmt::format("the steps of `{}` do not have order {} on this model: {:.2f} is measured", method,
                         c.order->declared, c.order->measured.value_or(0)))
      .note("errors of single steps against the motion in storage coordinates: " + errors);
}

/// The laws of the library's manifolds that the model uses.
std::string testLibrary(products::Pipeline& pipeline, ordered_json& list) {
  constexpr int largestAlgebra = 10; // larger ones take longer than the rest
  const sema::Model& m = *pipeline.system()->model;
  std::vector<const sema::Manifold*> used;
  for (const sema::Factor& f : m.factors) used.push_back(f.manifold);
  for (const sema::StateVariable& z : m.states) used.push_back(z.manifold);
  const std::vector<laws::Verification> all = laws::Verifier(pipeline.compilation()).ofLibrary(used, largestAlgebra);
  laws::report(all, pipeline.compilation().diagnostics());
  std::string text;
  for (const laws::Verification& v : all)
    for (const laws::Member& tested : v.members) {
      double defect = 0;
      for (const laws::LawResult& r : tested.laws)
        if (r.outcome == laws::Outcome::Holds && r.tests.isMeasured()) defect = std::max(defect, r.tests.defect());
      text += fmt::format("  laws of {}: {}\n", tested.manifold->name(),
                          tested.holds() ? fmt::format("hold, largest difference {:.1e}", defect) : "FAIL");
      list.push_back({{"name", tested.manifold->name()}, {"verdict", tested.holds() ? "PASS" : "FAIL"}});
    }
  return text;
}

} // namespace

bool verifyModel(products::Pipeline& pipeline, const Invocation& call, ordered_json& object) {
  const sema::Model& model = *pipeline.system()->model;
  const std::unique_ptr<runtime::Problem> field = pipeline.build(false);
  if (!field) return false;
  const bool chosen = call[options::method] || model.simulation.method;
  const std::unique_ptr<runtime::Problem> run = chosen ? pipeline.build() : nullptr;
  if (chosen && !run) return false;
  const std::string why = obstacle(run.get());
  std::unique_ptr<products::Pipeline> other;
  std::unique_ptr<runtime::Problem> fixed;
  if (why.empty()) fixed = withFixedSteps(*run, call, other);

  const ModelChecks checks =
      checks::checkModel({pipeline.system(), field.get(), why.empty() ? run.get() : nullptr, fixed.get()}, {});
  constexpr double defectOfTheTool = 1e-3; // round-off never makes as much
  // Where a mass matrix is nearly singular, which has been said, accelerations may have no right digit at all.
  const std::vector<Diagnostic> said = pipeline.diagnostics().sorted();
  const bool doubtful =
      std::any_of(said.begin(), said.end(), [](const Diagnostic& d) { return d.code == Code::LIE0415; });
  if (!doubtful && checks.compiled > defectOfTheTool)
    throw std::logic_error(fmt::format("compiled code and interpreter differ by {:.1e}", checks.compiled));
  if (!doubtful && checks.plain && *checks.plain > defectOfTheTool)
    throw std::logic_error(fmt::format("interpreter and plain reading differ by {:.1e}", *checks.plain));
  reportDifferences(pipeline, checks);
  reportField(pipeline, checks);
  const std::string method = run ? run->method : "";
  reportOrder(pipeline, checks, method);
  ordered_json library = ordered_json::array();
  const std::string laws = testLibrary(pipeline, library);
  if (call[options::json]) {
    object = toObject(checks, model.name, method, why);
    object["library"] = library;
    object["order"] = nullptr;
    if (checks.order)
      object["order"] = {
          {"declared", checks.order->declared},
          {"measured", checks.order->measured ? ordered_json(*checks.order->measured) : ordered_json(nullptr)},
          {"verdict", checks.order->holds() ? "PASS" : "FAIL"}};
    return true;
  }
  std::string text = model.name + "\n" + laws + equations(checks, static_cast<bool>(model.hamiltonian));
  text += valuesAndDerivatives(checks) + growth(checks) + conserved(checks);
  text += checks.kept ? kept(checks, method) : "  not run: " + why + "\n";
  print(text + order(checks) + reversals(checks));
  return true;
}

} // namespace lmc::tool
