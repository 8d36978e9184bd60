#include "tool/runs/RunChecks.h"

#include "base/Memory.h"
#include "runtime/run/Run.h"
#include "runtime/run/StepController.h"
#include "tool/support/SharedOptions.h"

#include <fmt/format.h>

namespace lmc::tool {

namespace {

/// A place in a text that was typed on the command line.
Range commandLine(products::Pipeline& pipeline, const std::string& text) {
  const SourceId id = pipeline.compilation().sources().add("<command line>", text);
  return {id, 0, static_cast<std::uint32_t>(text.size())};
}

const syntax::Declaration* modelOf(products::Pipeline& pipeline) {
  for (const syntax::File* file : pipeline.compilation().files())
    for (const syntax::Declaration& declaration : file->declarations)
      if (declaration.kind == syntax::DeclKind::Model) return &declaration;
  return nullptr;
}

/// Finds where settings were given: on the command line, else in the model's `simulate`.
class Places {
public:
  Places(products::Pipeline& pipeline, const Invocation& call)
      : pipeline_(pipeline), call_(call), model_(modelOf(pipeline)) {
    if (model_ == nullptr) return;
    for (const syntax::StatementPtr& statement : model_->body)
      if (statement && statement->kind == syntax::StatementKind::Simulate) simulate_ = statement.get();
  }

  /// Where something that is missing should stand.
  [[nodiscard]] Range missing() const {
    if (simulate_ != nullptr) return simulate_->keyword;
    return model_ != nullptr ? model_->nameRange : Range{};
  }

  /// `--tolerance none`.
  [[nodiscard]] bool refused(const std::string& key) const {
    return key == "tolerance" && call_[options::tolerance] == "none";
  }

  [[nodiscard]] bool given(const std::string& key, const std::string& word = {}) const {
    if (refused(key)) return false;
    return typed(key, word).has_value() || setting(key, word) != nullptr;
  }

  [[nodiscard]] Range of(const std::string& key, const std::string& word = {}) const {
    if (const auto text = typed(key, word)) return commandLine(pipeline_, *text);
    const syntax::Setting* found = setting(key, word);
    if (found == nullptr) return missing();
    if (!found->value) return found->keyRange;
    return found->to ? Range::cover(found->value->range, found->to->range) : found->value->range;
  }

private:
  [[nodiscard]] std::optional<std::string> typed(const std::string& key, const std::string& word) const {
    if (key == "time" && call_[options::time])
      return "--time " + call_[options::time]->from + ".." + call_[options::time]->to;
    if (key == "step" && call_[options::step]) return "--step " + *call_[options::step];
    if (key == "tolerance" && call_[options::tolerance] && *call_[options::tolerance] != "none")
      return "--tolerance " + *call_[options::tolerance];
    if (key == "output" && word == "every" && call_[options::every]) return "--every " + *call_[options::every];
    return std::nullopt;
  }

  [[nodiscard]] const syntax::Setting* setting(const std::string& key, const std::string& word) const {
    if (simulate_ == nullptr) return nullptr;
    for (const syntax::Setting& candidate : simulate_->settings)
      if (candidate.key == key && (word.empty() || candidate.word == word)) return &candidate;
    return nullptr;
  }

  products::Pipeline& pipeline_;
  const Invocation& call_;
  const syntax::Declaration* model_;
  const syntax::Statement* simulate_ = nullptr;
};

constexpr const char* timeAdvice = "write `time = 0..10;` in `simulate { ... }` of the model, or give `--time 0..10`";
constexpr const char* stepAdvice =
    "write `step = 0.01;` in `simulate { ... }` of the model, or give `--step 0.01`; a method that estimates its error "
    "takes `tolerance = 1e-8;` or `--tolerance 1e-8` instead";

void report(Diagnostics& out, runtime::SettingFault fault, const runtime::Problem& p, const Places& places) {
  const double length = p.timeTo - p.timeFrom;
  switch (fault) {
  case runtime::SettingFault::TimeMissing:
    out.error(Code::LIE0601, places.missing(), "a run needs a time interval, and there is none").suggest(timeAdvice);
    return;
  case runtime::SettingFault::TimeEmpty:
    out.error(Code::LIE0603, places.of("time"),
              fmt::format("the time interval {}..{} is empty: it must begin before it ends", p.timeFrom, p.timeTo));
    return;
  case runtime::SettingFault::StepMissing: {
    auto error = out.error(Code::LIE0602, places.missing(), "a run needs a step size, and there is none");
    error.suggest(stepAdvice);
    if (places.given("tolerance") && !p.estimatesError)
      error.note(fmt::format("{} has a fixed step and no error estimate that the tolerance could govern", p.method));
    return;
  }
  case runtime::SettingFault::StepNotPositive:
    out.error(Code::LIE0604, places.of("step"), fmt::format("the step size {} is not a positive number", p.step));
    return;
  case runtime::SettingFault::StepTooSmall:
    out.error(Code::LIE0605, places.of("step"),
              fmt::format("the step {} is too small: it does not change the time between {} and {}", p.step, p.timeFrom,
                          p.timeTo));
    return;
  case runtime::SettingFault::TooManySteps:
    out.error(Code::LIE0606, places.of("step"),
              fmt::format("a step of {} makes {:.3g} steps; the limit is {:.0e}", p.step, length / p.step,
                          runtime::stepLimit));
    return;
  case runtime::SettingFault::EveryNotPositive:
    out.error(Code::LIE0607, places.of("output", "every"),
              fmt::format("the time {} between two samples is not a positive number", p.outputEvery));
    return;
  case runtime::SettingFault::TooManySamples:
    out.error(Code::LIE0607, places.of("output", "every"),
              fmt::format("sampling every {} makes {:.3g} samples; the limit is {:.0e}", p.outputEvery,
                          length / p.outputEvery, runtime::stepLimit));
    return;
  case runtime::SettingFault::ToleranceNotPositive:
    out.error(Code::LIE0613, places.of("tolerance"), "a tolerance is not a positive number");
    return;
  case runtime::SettingFault::SafetyOutside:
    out.error(Code::LIE0613, places.of("safety"),
              fmt::format("the safety factor {} is not in (0, 1]", p.control->safety));
    return;
  }
}

/// What is given and has no effect, or another one than expected.
void warn(Diagnostics& out, const runtime::Problem& p, const Places& places) {
  if (p.chosen) return; // those of the file belong to another method
  const bool tolerance = places.given("tolerance"), step = places.given("step");
  if (p.control && runtime::roundingOf(p.control->tolerances, p.initialState) >= 1)
    out.warning(Code::LIE0613, places.of("tolerance"),
                "the tolerance is below the rounding of the state's numbers, from which errors of steps cannot be told")
        .suggest(
            "give at least ten times as much as numbers of the state are rounded by, `1e-14` relative to their size");
  if (tolerance && step && !p.estimatesError)
    out.warning(Code::LIE0608, places.of("tolerance"),
                fmt::format("{} has a fixed step and no error estimate; the tolerance has no effect", p.method));
  else if (p.control && step)
    out.warning(Code::LIE0614, places.of("step"),
                fmt::format("with a tolerance {} chooses its steps; this is the first one only", p.method));
  else if (p.estimatesError && !tolerance && step && !places.refused("tolerance"))
    out.warning(Code::LIE0615, places.of("step"),
                fmt::format("{} estimates its error, but there is no tolerance: its step stays fixed", p.method))
        .suggest(
            "give `tolerance = 1e-6;` or `--tolerance 1e-6` for steps chosen by the error; `--tolerance none` says "
            "that they are to be fixed");
}

} // namespace

bool checkRun(products::Pipeline& pipeline, const runtime::Problem& problem, const Invocation& call) {
  const Places places(pipeline, call);
  Diagnostics& out = pipeline.compilation().diagnostics();
  for (const runtime::SettingFault fault : runtime::checkSettings(problem)) report(out, fault, problem, places);
  if (problem.outputEvery == 0 && places.given("output", "every"))
    out.error(Code::LIE0607, places.of("output", "every"), "the time 0 between two samples is not a positive number");
  if (!call[options::every] && problem.outputSteps < 1 && places.given("output", "steps"))
    out.error(Code::LIE0607, places.of("output", "steps"),
              "the number of steps between two samples must be at least 1");
  warn(out, problem, places);
  return !out.hasErrors();
}

bool checkRows(products::Pipeline& pipeline, const runtime::Problem& problem, const Invocation& call, double bytes) {
  constexpr double gigabyte = 1e9;
  const double room = usableMemory();
  if (bytes <= room) return true;
  const Places places(pipeline, call);
  pipeline.compilation()
      .diagnostics()
      .error(Code::LIE0607, places.of("output", problem.outputSteps == 0 ? "every" : "steps"),
             fmt::format("the rows of a block of samples take at least {:.3g} GB of memory; this process may have "
                         "{:.3g} GB",
                         bytes / gigabyte, room / gigabyte))
      .suggest("a larger `--every`; or `--keep final`, which looks at the end alone");
  return false;
}

Range modelRange(products::Pipeline& pipeline) {
  const syntax::Declaration* const model = modelOf(pipeline);
  return model != nullptr ? model->nameRange : Range{};
}

Diagnostics::Report commandLineError(products::Pipeline& pipeline, Code code, const std::string& text,
                                     std::string message) {
  return pipeline.compilation().diagnostics().error(code, commandLine(pipeline, text), std::move(message));
}

Diagnostics::Report commandLineWarning(products::Pipeline& pipeline, Code code, const std::string& text,
                                       std::string message) {
  return pipeline.compilation().diagnostics().warning(code, commandLine(pipeline, text), std::move(message));
}

} // namespace lmc::tool
