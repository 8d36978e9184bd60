// Evaluates initial data, and reports what is wrong with them.
#include "products/initial/Initial.h"

#include "products/initial/Consistency.h"

#include "base/Integers.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <random>

namespace lmc::products {

namespace {

void reportOffGroup(Diagnostics& d, const InitialEvaluator::Off& o) {
  const InitialMembership& m = *o.membership;
  const std::string& group = m.group->name();
  if (o.defect > 0) {
    d.error(Code::LIE0402, m.range,
            fmt::format("the initial value of `{}` was not found on {}: no exponentials of its algebra lead to it",
                        o.name(), group))
        .note(fmt::format("the equations that follow from the basis of {} do not describe it; `holds` in its "
                          "declaration can say what they miss, and decides then",
                          group));
    return;
  }
  d.error(Code::LIE0402, m.range,
          fmt::format("the initial value of `{}` is not on {}: its determinant is not positive", o.name(), group))
      .note("an exponential has a positive determinant, and elements of the group are products of exponentials");
}

/// The value of a variable as an `initial` says it: a number, a list, parts.
std::string shownValue(const InitialCondition& c, const std::vector<double>& numbers) {
  std::string text;
  std::size_t next = 0;
  for (std::size_t p = 0; p < c.arrays->size(); ++p) {
    const sym::Shape& shape = (*c.arrays)[p]->shape;
    std::vector<std::string> list;
    for (int k = 0; k < shape.size(); ++k) {
      const double x = numbers[next++];
      list.push_back(fmt::format("{:.15g}", x == 0 ? 0.0 : x)); // no -0
    }
    const std::string part = shape.rank == 0 ? list[0] : fmt::format("[{}]", fmt::join(list, ", "));
    text += (text.empty() ? "" : ", ") + (c.arrays->size() == 1 ? part : c.parts[p] + " = " + part);
  }
  return c.arrays->size() == 1 ? text : "(" + text + ")";
}

void reportOff(Diagnostics& d, const InitialEvaluator::Off& o) {
  if (o.condition == nullptr) return reportOffGroup(d, o);
  const InitialCondition& c = *o.condition;
  const std::string name = o.name();
  const double worst = o.defect;
  if (!c.kind.empty()) {
    auto report = d.error(
        Code::LIE0403, c.range,
        fmt::format("the initial {} `{}` is not horizontal: the condition is off by {:.3g}", c.kind, name, worst));
    report.note(fmt::format("the {} of a homogeneous manifold has no component along the isotropy", c.kind));
    if (!o.cure.empty()) report.suggest(fmt::format("without it: initial {} = {}", name, shownValue(c, o.cure)));
  } else {
    d.error(Code::LIE0402, c.range,
            fmt::format("the initial value of `{}` is not on its manifold: what `holds` is off by {:.3g}", name, worst))
        .note("a point that is rounded to nine digits or more is moved onto its manifold");
  }
}

void reportStuck(Diagnostics& d, const InitialEvaluator::Off& o) {
  d.warning(Code::LIE0584, o.condition->range,
            fmt::format("the initial value of `{}` misses what its manifold holds by {:.3g}, and {:.3g} of it stay: no "
                        "small change of the value takes them away (it was moved by {:.3g} of its size)",
                        o.name(), o.defect, o.left, o.moved));
}

} // namespace

std::map<std::string, double> InitialEvaluator::settings() {
  std::map<std::string, double> values;
  if (calculator_.run(program_.settings, 0) != 0) return values;
  auto next = static_cast<std::size_t>(program_.firstSetting);
  for (const std::string& name : program_.settingNames) values[name] = calculator_.at(runtime::Role::Output)[next++];
  return values;
}

void InitialEvaluator::draw(std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  std::vector<double>& memory = calculator_.at(runtime::Role::Constants);
  std::size_t next = 0;
  for (const sema::RandomArray& r : program_.model.randoms) {
    for (std::int64_t i = 0; i < r.array->size(); ++i) memory[next++] = r.uniform ? uniform(engine) : normal(engine);
  }
  for (const sema::DataArray& a : program_.model.data) {
    for (const double v : a.values) memory[next++] = v;
  }
}

void InitialEvaluator::drawNothing() {
  draw(0);
  std::size_t count = 0;
  for (const sema::RandomArray& r : program_.model.randoms) count += static_cast<std::size_t>(r.array->size());
  std::fill_n(calculator_.at(runtime::Role::Constants).begin(), count, std::numeric_limits<double>::quiet_NaN());
}

void InitialEvaluator::setInput(const sym::Array* array, std::int64_t number, double value) {
  calculator_.at(runtime::Role::Constants)[static_cast<std::size_t>(program_.inputs.at(array->id) + number)] = value;
}

const sema::Parameter* InitialEvaluator::evaluateParameters(const std::vector<Change>& changes) {
  std::vector<double>& params = calculator_.at(runtime::Role::Params);
  for (std::size_t k = 0; k < program_.parameters.size(); ++k) {
    const sema::Parameter& p = program_.model.parameters[k];
    if (calculator_.run(program_.parameters[k], 0) != 0) return &p;
    const auto first = static_cast<std::size_t>(layout_.of(p.array).offset);
    const auto size = static_cast<std::size_t>(p.array->size());
    for (std::size_t i = first; i < first + size; ++i) params[i] = calculator_.at(runtime::Role::Output)[i];
    for (const Change& c : changes) {
      const auto at = static_cast<std::size_t>(c.offset);
      if (at >= first && at < first + size) params[at] = c.keep == 0 ? c.value : c.keep * params[at] + c.value;
    }
  }
  return nullptr;
}

void InitialEvaluator::setParameters(const std::vector<double>& params) {
  std::copy(params.begin(), params.end(), calculator_.at(runtime::Role::Params).begin());
}

bool InitialEvaluator::evaluateState(double start) {
  std::vector<double>& memory = calculator_.at(runtime::Role::State);
  std::fill(memory.begin(), memory.end(), 0.0);
  if (calculator_.run(program_.initial, start) != 0) return false;
  settle();
  return true;
}

void InitialEvaluator::settleState(std::span<const double> state) {
  std::copy(state.begin(), state.end(), calculator_.at(runtime::Role::State).begin());
  settle();
}

namespace {

void reportSingular(Diagnostics& diagnostics, Range range, const std::string& what) {
  diagnostics.error(Code::LIE0404, range,
                    fmt::format("the value of `{}` cannot be computed: a matrix is singular", what));
}

/// The state for the parameters and random numbers that the evaluator holds.
std::optional<std::vector<double>> stateAt(InitialEvaluator& evaluator, const sema::Model& model, double start,
                                           Diagnostics& diagnostics) {
  if (!evaluator.evaluateState(start)) {
    reportSingular(diagnostics, model.range, model.name);
    return std::nullopt;
  }
  for (const InitialEvaluator::Off& o : evaluator.off()) reportOff(diagnostics, o);
  for (const InitialEvaluator::Off& o : evaluator.stuck()) reportStuck(diagnostics, o);
  if (!evaluator.off().empty()) return std::nullopt;
  return std::vector<double>(evaluator.state().begin(), evaluator.state().end());
}

/// Of settings that are formulas: what is no number would count as one that is left out.
bool settingsAreNumbers(const std::map<std::string, double>& settings, const sema::Model& model,
                        Diagnostics& diagnostics) {
  bool all = true;
  for (const auto& [name, value] : settings) {
    if (!std::isnan(value) || name == "seed") continue;
    std::string setting = name;
    for (const char* const whole : {"time", "output every", "tolerance"})
      if (name.starts_with(std::string(whole).substr(0, 4))) setting = whole;
    diagnostics.error(Code::LIE0169, model.simulation.range, fmt::format("the value of `{}` is not a number", setting))
        .suggest("look at the parameters that it is made of: a root or a logarithm of a negative number, 0/0");
    all = false;
  }
  return all;
}

} // namespace

std::optional<InitialData> evaluateInitialData(mechanics::Layer& layer, const Layout& layout,
                                               std::optional<std::uint64_t> seed, Diagnostics& diagnostics) {
  const InitialProgram program(layer, layout);
  InitialEvaluator evaluator(program);
  InitialData data;
  if (!seed && layer.model.simulation.seed != nullptr) { // it may use parameters, of which none that is random
    evaluator.drawNothing();
    (void)evaluator.evaluateParameters();
    data.settings = evaluator.settings();
  }
  const auto given = wholeNumber(data.settings.contains("seed") ? data.settings["seed"] : 0);
  if (!seed && (!given || *given < 0)) {
    diagnostics.error(Code::LIE0169, layer.model.range,
                      fmt::format("the seed is {}; it is a whole number from 0", data.settings["seed"]));
    return std::nullopt;
  }
  data.seed = seed ? *seed : static_cast<std::uint64_t>(*given);
  evaluator.draw(data.seed);
  if (const sema::Parameter* p = evaluator.evaluateParameters()) {
    reportSingular(diagnostics, p->range, p->name);
    return std::nullopt;
  }
  data.settings = evaluator.settings();
  if (!settingsAreNumbers(data.settings, layer.model, diagnostics)) return std::nullopt;
  data.params.assign(evaluator.params().begin(), evaluator.params().end());
  const double start = data.settings.contains("time.from") ? data.settings["time.from"] : 0;
  auto state = stateAt(evaluator, layer.model, start, diagnostics);
  if (!state) return std::nullopt;
  data.state = std::move(*state);
  if (layer.system.constraints) {
    const auto found = Consistency(layer, layout).settle(data.params, data.state, start, diagnostics);
    if (!found) return std::nullopt;
    data.redundant = found->redundant;
    data.dependent = found->dependent;
    data.freedoms = found->freedoms;
  }
  return data;
}

InitialProgram initialProgram(const mechanics::System& system, const Layout& layout) {
  mechanics::Layer layer(system);
  const sym::Graph::Work work = layer.work();
  return {layer, layout};
}

class InitialStates::Impl {
public:
  Impl(const mechanics::System& system, const Layout& layout)
      : program(initialProgram(system, layout)), evaluator(program) {
    if (!system.constraints) return;
    layer.emplace(system);
    const sym::Graph::Work work = layer->work();
    consistency.emplace(*layer, program.layout);
  }
  InitialProgram program;
  InitialEvaluator evaluator;
  std::optional<mechanics::Layer> layer; ///< of the constraints
  std::optional<Consistency> consistency;
};

InitialStates::InitialStates(const mechanics::System& system, const Layout& layout)
    : impl_(std::make_unique<Impl>(system, layout)) {}
InitialStates::~InitialStates() = default;

std::optional<std::vector<double>> InitialStates::operator()(const std::vector<double>& params, std::uint64_t seed,
                                                             double start, Diagnostics& diagnostics) {
  impl_->evaluator.draw(seed);
  impl_->evaluator.setParameters(params);
  auto state = stateAt(impl_->evaluator, impl_->program.model, start, diagnostics);
  if (state && impl_->consistency && !impl_->consistency->settle(params, *state, start, diagnostics))
    return std::nullopt;
  return state;
}

} // namespace lmc::products
