// Evaluates initial data, and reports what is wrong with them.
#include "driver/PipelineInitial.h"

#include "base/Integers.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <random>

namespace lmc {

namespace {

/// Defects of initial values beyond this are errors, smaller ones are projected away (language.md, section 3).
constexpr double offManifold = 1e-8;
constexpr int projectionSteps = 4;

/// The value of a variable as an `initial` says it: a number, a list, parts.
std::string shownValue(const InitialCondition& c, const std::vector<double>& numbers) {
  std::string text;
  std::size_t next = 0;
  for (const sym::Array* a : *c.arrays) {
    std::vector<std::string> list;
    for (int k = 0; k < a->shape.size(); ++k) {
      const double x = numbers[next++];
      list.push_back(fmt::format("{:.15g}", x == 0 ? 0.0 : x)); // no -0
    }
    const std::size_t dot = a->name.find('.');
    const std::string part = a->shape.rank == 0 ? list[0] : fmt::format("[{}]", fmt::join(list, ", "));
    text += (text.empty() ? "" : ", ") +
            (c.arrays->size() == 1 || dot == std::string::npos ? part : a->name.substr(dot + 1) + " = " + part);
  }
  return c.arrays->size() == 1 ? text : "(" + text + ")";
}

void reportOff(Diagnostics& d, const InitialEvaluator::Off& off) {
  const InitialCondition& c = *off.condition;
  const std::int64_t member = off.member;
  const double worst = off.defect;
  const std::string name = c.members > 1 ? fmt::format("{}[{}]", c.name, member + 1) : c.name;
  if (!c.kind.empty()) {
    d.error(Code::LIE0403, c.range,
            fmt::format("the initial {} '{}' is not horizontal: the condition is off by {:.3g}", c.kind, name, worst))
        .note(fmt::format("the {} of a homogeneous manifold has no component along the isotropy", c.kind))
        .suggest(fmt::format("without it: initial {} = {}", name, shownValue(c, off.cure)));
  } else {
    d.error(Code::LIE0402, c.range,
            fmt::format("the initial value of '{}' is not on its manifold: what `holds` is off by {:.3g}", name, worst))
        .note("defects up to 1e-8 are projected away");
  }
}

} // namespace

std::map<std::string, double> InitialEvaluator::settings() {
  std::map<std::string, double> values;
  if (calculator_.run(program_.settings, 0) != 0) return values;
  auto next = static_cast<std::size_t>(layout_.paramSize);
  for (const std::string& name : program_.settingNames) values[name] = calculator_.at(tape::Role::Output)[next++];
  return values;
}

void InitialEvaluator::draw(std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  std::vector<double>& memory = calculator_.at(tape::Role::Constants);
  std::size_t next = 0;
  for (const RandomArray& r : program_.model.randoms) {
    for (std::int64_t i = 0; i < r.array->size(); ++i) memory[next++] = r.uniform ? uniform(engine) : normal(engine);
  }
  for (const DataArray& a : program_.model.data) {
    for (const double v : a.values) memory[next++] = v;
  }
}

void InitialEvaluator::drawNothing() {
  draw(0);
  std::size_t count = 0;
  for (const RandomArray& r : program_.model.randoms) count += static_cast<std::size_t>(r.array->size());
  std::fill_n(calculator_.at(tape::Role::Constants).begin(), count, std::numeric_limits<double>::quiet_NaN());
}

void InitialEvaluator::setInput(const sym::Array* array, std::int64_t number, double value) {
  calculator_.at(tape::Role::Constants)[static_cast<std::size_t>(program_.inputs.at(array->id) + number)] = value;
}

const Parameter* InitialEvaluator::evaluateParameters(const std::vector<Change>& changes) {
  std::vector<double>& params = calculator_.at(tape::Role::Params);
  for (std::size_t k = 0; k < program_.parameters.size(); ++k) {
    const Parameter& p = program_.model.parameters[k];
    if (calculator_.run(program_.parameters[k], 0) != 0) return &p;
    const auto first = static_cast<std::size_t>(layout_.params.at(p.array->id));
    const auto size = static_cast<std::size_t>(p.array->size());
    for (std::size_t i = first; i < first + size; ++i) params[i] = calculator_.at(tape::Role::Output)[i];
    for (const Change& c : changes) {
      const auto at = static_cast<std::size_t>(c.offset);
      if (at >= first && at < first + size) params[at] = c.keep == 0 ? c.value : c.keep * params[at] + c.value;
    }
  }
  return nullptr;
}

void InitialEvaluator::setParameters(const std::vector<double>& params) {
  std::copy(params.begin(), params.end(), calculator_.at(tape::Role::Params).begin());
}

bool InitialEvaluator::evaluateState(double start) {
  off_.clear();
  std::vector<double>& memory = calculator_.at(tape::Role::State);
  std::fill(memory.begin(), memory.end(), 0.0);
  if (calculator_.run(program_.initial, start) != 0) return false;
  settle();
  return true;
}

void InitialEvaluator::settleState(std::span<const double> state) {
  off_.clear();
  std::copy(state.begin(), state.end(), calculator_.at(tape::Role::State).begin());
  settle();
}

/// Notes what is far off and moves the rest onto the manifold by Newton steps of least norm.
void InitialEvaluator::settle() {
  for (const InitialCondition& c : program_.conditions) {
    for (int step = 0; step < projectionSteps; ++step) {
      if (calculator_.run(c.function, 0) != 0) break;
      double worst = 0;
      for (std::int64_t i = 0; i < c.members; ++i) worst = std::max(worst, correct(c, i, step == 0));
      if (!c.project && !(worst >= 1e-15 && worst <= offManifold)) break;
      if (c.project && !(worst >= 1e-15)) break;
    }
  }
}

double InitialEvaluator::correct(const InitialCondition& c, std::int64_t member, bool first) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const double* output = calculator_.at(tape::Role::Output).data() + c.offset;
  const Eigen::Map<const Eigen::VectorXd> residual(output + member * c.rows, c.rows);
  const Eigen::Map<const RowMajor> jacobian(output + c.rows * c.members + member * c.rows * c.columns, c.rows,
                                            c.columns);
  const double worst = residual.cwiseAbs().maxCoeff();
  const bool off = !(worst <= (c.project ? std::numeric_limits<double>::max() : offManifold));
  if (off && first) off_.push_back({&c, member, worst, {}});
  if ((off && (!first || c.kind.empty())) || worst < 1e-15) return worst;
  const Eigen::VectorXd change = jacobian.completeOrthogonalDecomposition().solve(residual);
  std::int64_t next = 0;
  for (const sym::Array* a : *c.arrays) {
    double* x = calculator_.at(tape::Role::State).data() + layout_.state.at(a->id) + member * a->shape.size();
    for (int k = 0; k < a->shape.size(); ++k) {
      const double moved = x[k] - change[next++];
      if (off)
        off_.back().cure.push_back(moved);
      else
        x[k] = moved;
    }
  }
  return worst;
}

namespace {

void reportSingular(Diagnostics& diagnostics, Range range, const std::string& what) {
  diagnostics.error(Code::LIE0404, range,
                    fmt::format("the value of '{}' cannot be computed: a matrix is singular", what));
}

/// The state for the parameters and random numbers that the evaluator holds.
std::optional<std::vector<double>> stateAt(InitialEvaluator& evaluator, const Model& model, double start,
                                           Diagnostics& diagnostics) {
  if (!evaluator.evaluateState(start)) {
    reportSingular(diagnostics, model.range, model.name);
    return std::nullopt;
  }
  for (const InitialEvaluator::Off& o : evaluator.off()) reportOff(diagnostics, o);
  if (!evaluator.off().empty()) return std::nullopt;
  return std::vector<double>(evaluator.state().begin(), evaluator.state().end());
}

} // namespace

std::optional<InitialData> evaluateInitialData(System& system, const Layout& layout, std::optional<std::uint64_t> seed,
                                               Diagnostics& diagnostics) {
  const InitialProgram program(system, layout);
  InitialEvaluator evaluator(program);
  InitialData data;
  data.settings = evaluator.settings(); // once for the seed, which nothing random may define
  const auto given = wholeNumber(data.settings.contains("seed") ? data.settings["seed"] : 0);
  if (!seed && (!given || *given < 0)) {
    diagnostics.error(Code::LIE0169, system.model->range,
                      fmt::format("the seed is {}; it is a whole number from 0", data.settings["seed"]));
    return std::nullopt;
  }
  data.seed = seed ? *seed : static_cast<std::uint64_t>(*given);
  evaluator.draw(data.seed);
  if (const Parameter* p = evaluator.evaluateParameters()) {
    reportSingular(diagnostics, p->range, p->name);
    return std::nullopt;
  }
  data.settings = evaluator.settings();
  data.params.assign(evaluator.params().begin(), evaluator.params().end());
  auto state = stateAt(evaluator, *system.model, data.settings.contains("time.from") ? data.settings["time.from"] : 0,
                       diagnostics);
  if (!state) return std::nullopt;
  data.state = std::move(*state);
  return data;
}

class InitialStates::Impl {
public:
  Impl(const System& system, const Layout& layout) : program(system, layout), evaluator(program) {}
  InitialProgram program;
  InitialEvaluator evaluator;
};

InitialStates::InitialStates(System& system, const Layout& layout) : impl_(std::make_unique<Impl>(system, layout)) {}
InitialStates::~InitialStates() = default;

std::optional<std::vector<double>> InitialStates::operator()(const std::vector<double>& params, std::uint64_t seed,
                                                             double start, Diagnostics& diagnostics) {
  impl_->evaluator.draw(seed);
  impl_->evaluator.setParameters(params);
  return stateAt(impl_->evaluator, impl_->program.model, start, diagnostics);
}

} // namespace lmc
