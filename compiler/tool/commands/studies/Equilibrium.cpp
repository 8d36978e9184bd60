// `lmc equilibrium FILE`: states that rest, or move along symmetries, with their linearization and stability.
#include "tool/support/Command.h"

#include "checks/motions/Equilibrium.h"
#include "checks/motions/ValuesAt.h"
#include "runtime/run/Run.h"
#include "tool/runs/RunChecks.h"
#include "tool/shared/MotionText.h"
#include "tool/shared/StateText.h"
#include "tool/shared/StudyBuilds.h"
#include "tool/support/Arguments.h"
#include "tool/support/Report.h"
#include "tool/support/SharedOptions.h"

#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace lmc::tool {

namespace {

using checks::Eigenvalue;
using checks::Equilibrium;
using checks::EquilibriumSearch;
using checks::SearchEnd;
using nlohmann::ordered_json;
using Names = std::vector<std::string>;

constexpr Flag relativeFlag("--relative", "the state may move along the symmetries that the model has");
constexpr List<> freeOption("--free", "NAME", "an input or a parameter, or a number of one, that is sought too",
                            readText);
constexpr List<> fixOption("--fix", "NAME", "a point, a velocity or a state that keeps its initial value", readText);
constexpr Option<std::int64_t> startsOption("--starts", "N", "searches: from the initial state and from random ones",
                                            readCountTo<1'000'000>, {.standard = "1"});
constexpr Option<TimeSpan> momentOption = options::time.as("A..B", "of which the begin is the time of the equilibrium");

/// Everything that a search needs.
struct EquilibriumStudy {
  products::Pipeline& pipeline;
  const Invocation& call;
  const runtime::LinearizedProblem& problem;
  checks::MotionModel model{problem};
  checks::StateSpace space{*pipeline.system(), problem.problem};
  checks::Generators motions{space};
  std::vector<double> params = problem.problem.params;
  checks::Unknowns unknowns{};
  std::vector<const runtime::Field*> sought{}; ///< fields of the inputs and parameters that are unknown
  bool momentary = false;                      ///< f depends on time

  Diagnostics& diagnostics() { return pipeline.compilation().diagnostics(); }
};

struct Solution {
  Equilibrium at;
  std::int64_t starts = 1;
};

void refuseName(EquilibriumStudy& s, const char* option, const std::string& name, const std::string& what,
                const Names& names) {
  commandLineError(s.pipeline, Code::LIE0670, fmt::format("{} {}", option, name), what)
      .suggest(names.empty() ? "there is none in this model" : fmt::format("there are: {}", fmt::join(names, ", ")));
}

void readFixed(EquilibriumStudy& s) {
  s.unknowns.fixed.assign(static_cast<std::size_t>(s.problem.coordinates), false);
  for (const std::string& text : s.call[fixOption]) {
    const auto name = checks::readName(text);
    const auto list = name ? checks::coordinatesNamed(s.space, *name) : std::vector<std::size_t>{};
    if (list.empty())
      refuseName(s, "--fix", text, fmt::format("`{}` is no variable of the state, nor a member or entry of one", text),
                 checks::variableNames(s.space));
    for (const std::size_t k : list) s.unknowns.fixed[k] = true;
  }
}

/// Unknown inputs have values from now on, those at the initial state; the other numbers of a member keep them.
void freeInputs(EquilibriumStudy& s, const std::vector<std::size_t>& list) {
  const std::vector<double> values =
      checks::inputsAt(*s.pipeline.system(), s.problem.problem, s.problem.problem.initialState, s.unknowns.time);
  for (const std::size_t k : list) {
    const std::int64_t flag = s.problem.inputGiven[k];
    double& given = s.params[static_cast<std::size_t>(flag)];
    for (std::size_t other = 0; given == 0 && other < values.size(); ++other)
      if (s.problem.inputGiven[other] == flag)
        s.params[static_cast<std::size_t>(s.problem.inputValues[other])] = values[other];
    given = 1;
    s.unknowns.inputs.push_back(k);
  }
}

void readFree(EquilibriumStudy& s) {
  for (const std::string& text : s.call[freeOption]) {
    const auto name = checks::readName(text);
    const auto inputs = name ? checks::inputsNamed(s.problem, *name) : std::vector<std::size_t>{};
    const auto parameters = name ? checks::parametersNamed(s.problem, *name) : std::vector<std::size_t>{};
    if (inputs.empty() && parameters.empty())
      refuseName(s, "--free", text,
                 fmt::format("`{}` is no input and no parameter, nor a member or entry of one", text),
                 checks::dataNames(s.problem));
    freeInputs(s, inputs);
    s.unknowns.parameters.insert(s.unknowns.parameters.end(), parameters.begin(), parameters.end());
    for (const auto kind : {runtime::FieldKind::InputValue, runtime::FieldKind::Parameter})
      for (const runtime::Field* f : s.problem.problem.all(kind))
        if (name && (kind == runtime::FieldKind::InputValue ? f->of : f->name) == name->base) s.sought.push_back(f);
  }
}

std::string stabilityText(const std::vector<Eigenvalue>& values, const char* of) {
  const checks::Stability s = checks::stabilityOfFlow(values);
  std::string text = fmt::format("  {}: {}", of, checks::word(s));
  if (s == checks::Stability::Undecided)
    text += fmt::format(" by linearization: the real part of {} eigenvalue{} is zero within its error",
                        checks::onBorderOfFlow(values), checks::onBorderOfFlow(values) == 1 ? "" : "s");
  return text + "\n";
}

std::string rateText(const Eigenvalue& e) {
  return complexText(e.value) + fmt::format("  +- {:.1e}\n", e.error);
}

std::string describe(EquilibriumStudy& s, const Solution& solution, const std::vector<checks::Generator>& generators) {
  const Equilibrium& e = solution.at;
  std::string text = fmt::format("\nfound in {} turns, the largest rate that is left is {:.1e}", e.turns, e.residual);
  if (s.call.orStandard(startsOption) > 1) text += fmt::format("; by {} of the searches", solution.starts);
  text += "\n" + initialText(s.space, s.problem.problem, e.y, "  ");
  for (const runtime::Field* f : s.sought)
    text += "  " + setText(*f, f->kind == runtime::FieldKind::InputValue ? f->of : f->name, e.params) + "\n";
  if (s.unknowns.moving)
    for (std::size_t k = 0; k < generators.size(); ++k)
      text += fmt::format("  velocity of the {}: {:.17g}\n", generators[k].name,
                          e.velocities(static_cast<Eigen::Index>(k)) + 0.0);
  if (s.model.setParams(e.params)) text += outputsText(s.model, e.y, s.unknowns.time);
  for (const auto& m : checks::multipliersAt(s.space.system(), s.problem.problem, e.params, e.y, s.unknowns.time))
    text += fmt::format("  multiplier {} of `{}` = {:.12g}\n", m.number, m.constraint, m.value);
  if (e.family > 0)
    text += fmt::format("  one of a family with {} parameter{}{}; it changes {}\n", e.family, e.family == 1 ? "" : "s",
                        e.symmetries > 0 ? ", beside its images under the symmetries" : "", fmt::join(e.along, ", "));
  text += fmt::format("  eigenvalues on the tangent space{}, of dimension {}\n",
                      s.unknowns.moving ? ", seen along the motion" : "", e.values.size());
  for (const Eigenvalue& value : e.values) text += rateText(value);
  text += stabilityText(e.values, "stability");
  if (e.symmetries > 0) {
    text += fmt::format("  modulo the symmetries, of which {} move{} the state\n", e.symmetries,
                        e.symmetries == 1 ? "s" : "");
    for (const Eigenvalue& value : e.shape) text += rateText(value);
    text += stabilityText(e.shape, "stability up to symmetry");
  }
  return text;
}

ordered_json object(const std::vector<Eigenvalue>& values) {
  ordered_json list = ordered_json::array();
  for (const Eigenvalue& e : values)
    list.push_back({{"re", e.value.real()}, {"im", e.value.imag()}, {"error", e.error}});
  return list;
}

ordered_json object(EquilibriumStudy& s, const Solution& solution, const std::vector<checks::Generator>& generators) {
  const Equilibrium& e = solution.at;
  ordered_json o = {{"state", stateObject(s.problem.problem, e.y)},
                    {"residual", e.residual},
                    {"distance", e.distance},
                    {"turns", e.turns},
                    {"searches", solution.starts},
                    {"free", ordered_json::object()},
                    {"velocities", ordered_json::object()},
                    {"outputs", ordered_json::object()},
                    {"multipliers", ordered_json::object()}};
  for (const runtime::Field* f : s.sought)
    o["free"][f->kind == runtime::FieldKind::InputValue ? f->of : f->name] = fieldObject(*f, e.params);
  for (std::size_t k = 0; s.unknowns.moving && k < generators.size(); ++k)
    o["velocities"][generators[k].name] = e.velocities(static_cast<Eigen::Index>(k));
  if (s.model.setParams(e.params)) o["outputs"] = outputsObject(s.model, e.y, s.unknowns.time);
  for (const auto& m : checks::multipliersAt(s.space.system(), s.problem.problem, e.params, e.y, s.unknowns.time))
    o["multipliers"][m.constraint].push_back(m.value);
  o["family"] = e.family;
  o["along"] = e.along;
  o["eigenvalues"] = object(e.values);
  o["stability"] = checks::word(checks::stabilityOfFlow(e.values));
  o["eigenvalues_modulo_symmetries"] = object(e.shape);
  o["stability_modulo_symmetries"] = checks::word(checks::stabilityOfFlow(e.shape));
  return o;
}

void reportFailure(EquilibriumStudy& s, const Equilibrium& e, std::int64_t starts) {
  const std::string searches = starts > 1 ? fmt::format("of {} searches none ended; the last one: ", starts) : "";
  const Range where = modelRange(s.pipeline);
  const std::string left = fmt::format("{}", fmt::join(e.left, ", "));
  if (s.model.late()) return reportLate(s.pipeline, s.call, Code::LIE0671);
  switch (e.end) {
  case SearchEnd::Singular:
    s.diagnostics()
        .error(Code::LIE0672, where,
               fmt::format("{}no unknown acts on {}, of which {:.3g} is left (singular Jacobian)", searches, left,
                           e.residual))
        .suggest(s.unknowns.moving
                     ? "--free an input or a parameter that acts on it, --fix less, or begin elsewhere (--starts 50)"
                     : "--free an input or a parameter that acts on it, --fix less, begin elsewhere "
                       "(--starts 50), or --relative where the state is to move along a symmetry");
    return;
  case SearchEnd::LeftDomain:
    s.diagnostics()
        .error(Code::LIE0671, where,
               fmt::format("{}the search left the domain of the model: {}", searches, runtime::statusText(e.status)))
        .suggest("begin nearer to the equilibrium: other initial values (--set), or --starts 50");
    return;
  case SearchEnd::NotInvariant:
    s.diagnostics().error(Code::LIE0671, where,
                          searches + "the model is not invariant under the motion that was found, since data that are "
                                     "sought make the difference: nothing moves that way for long");
    return;
  default:
    s.diagnostics()
        .error(Code::LIE0671, where,
               fmt::format("{}the search stalled after {} turns, at {:.3g} of {}", searches, e.turns, e.residual, left))
        .suggest("begin elsewhere: other initial values (--set), or --starts 50");
  }
}

/// All solutions that differ, those that most searches found first.
std::vector<Solution> searchAll(EquilibriumStudy& s, EquilibriumSearch& search) {
  std::vector<Solution> found;
  Equilibrium last;
  const std::int64_t starts = s.call.orStandard(startsOption);
  std::mt19937_64 engine(s.call[options::seed].value_or(1));
  const checks::State& first = s.problem.problem.initialState;
  for (std::int64_t k = 0; k < starts && !s.model.late(); ++k) {
    Equilibrium e = search.from(k == 0 ? first : search.farFrom(first, engine), s.params);
    if (e.end != SearchEnd::Found) {
      last = std::move(e);
      continue;
    }
    const auto known =
        std::find_if(found.begin(), found.end(), [&](const Solution& other) { return search.same(other.at, e); });
    if (known != found.end())
      ++known->starts;
    else
      found.push_back({std::move(e), 1});
  }
  if (found.empty()) reportFailure(s, last, starts);
  s.model.limit(INFINITY); // what was found is shown
  return found;
}

int show(EquilibriumStudy& s, const std::vector<Solution>& found, const std::vector<checks::Generator>& generators) {
  Names names;
  for (const auto& g : generators) names.push_back(g.name);
  ordered_json list = ordered_json::array();
  std::string text;
  if (s.call[options::json]) {
    for (const Solution& solution : found) list.push_back(object(s, solution, generators));
  } else if (!found.empty()) {
    text = fmt::format("{}, {} at t = {:.9g}\n", s.problem.problem.model,
                       s.unknowns.moving ? "relative equilibria" : "equilibria", s.unknowns.time);
    text += names.empty() ? "no symmetry was found\n"
                          : fmt::format("symmetries of the equations: {}\n", fmt::join(names, "; "));
    for (const Solution& solution : found) text += describe(s, solution, generators);
  }
  printSearch(s.call, s.pipeline,
              {{"model", s.problem.problem.model},
               {"time", s.unknowns.time},
               {"relative", s.unknowns.moving},
               {"depends_on_time", s.momentary},
               {"symmetries", names},
               {"found", list}},
              text);
  return found.empty() ? RunFailed : Done;
}

int search(EquilibriumStudy& s) {
  s.space.prepare();
  s.model.limit(s.call.orStandard(searchSeconds));
  const runtime::Problem& p = s.problem.problem;
  s.unknowns.time = std::isfinite(p.timeFrom) ? p.timeFrom : 0.0;
  s.unknowns.moving = s.call[relativeFlag];
  readFixed(s);
  readFree(s);
  if (s.pipeline.diagnostics().hasErrors()) return refuseInput(s.call, s.pipeline.diagnostics(), s.pipeline.sources());
  s.momentary = checks::dependsOnTime(s.model, s.space, s.unknowns.time);
  std::mt19937_64 engine(1);
  const double to = std::isfinite(p.timeTo) ? std::max(p.timeTo, s.unknowns.time) : s.unknowns.time + 1;
  (void)s.model.setParams(s.params);
  const auto generators = s.motions.find(s.model, p.initialState, s.unknowns.time, to, engine);
  EquilibriumSearch search(s.model, s.space, s.motions, generators, s.unknowns);
  const std::vector<Solution> found = searchAll(s, search);
  if (s.momentary && !found.empty())
    s.diagnostics().warning(Code::LIE0673, modelRange(s.pipeline),
                            fmt::format("the equations depend on time: what is found holds at t = {:.9g}, and for no "
                                        "longer",
                                        s.unknowns.time));
  return show(s, found, generators);
}

int findEquilibria(Context& context) {
  const Invocation& call = context.call;
  const std::string& file = oneFile(call);
  context.stage = "compiling `" + file + "`";
  products::PipelineOptions options = pipelineOptions(call);
  options.compile.optimization = 0; // each function is called a few times
  products::Pipeline pipeline(options);
  methods::LinearizationRequest request;
  request.step = false;
  request.adjoint = false;
  const bool loaded = pipeline.load(file);
  const auto problem = loaded ? pipeline.buildLinearization(request) : nullptr;
  if (!problem) return refuseInput(call, pipeline.diagnostics(), pipeline.sources());
  warnOfResets(pipeline);
  if (call[options::timings]) printTimings(pipeline.timings());
  context.stage = "looking for equilibria";
  int status = Done;
  const bool within = pipeline.within([&] {
    EquilibriumStudy study{pipeline, call, *problem};
    status = search(study);
  });
  return within ? status : refuseInput(call, pipeline.diagnostics(), pipeline.sources());
}

} // namespace

extern const Command equilibriumCommand = {
    .name = "equilibrium",
    .place = 17,
    .argument = "FILE",
    .summary = "equilibria and relative equilibria of a model, with linearization and stability",
    .examples = "lmc equilibrium chain.lie --starts 20\n"
                "lmc equilibrium quadrotor.lie --free T --fix R\n"
                "lmc equilibrium top.lie --relative --fix R",
    .usesCache = true,
    .options = OptionList(options::model, momentOption, relativeFlag, freeOption, fixOption, startsOption,
                          searchSeconds, options::compile, options::json),
    .run = findEquilibria,
};

} // namespace lmc::tool
