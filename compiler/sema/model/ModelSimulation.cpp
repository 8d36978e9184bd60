// `simulate { … }` and the values of the command line, and the checks that close a model.
#include "sema/model/ModelBuilder.h"

#include "sema/expressions/NameCheck.h"
#include "sema/session/Settings.h"
#include "sema/values/IndexMath.h"
#include "syntax/parser/Parser.h"

#include <algorithm>

namespace lmc::sema {

using sym::Expr;

namespace {

/// `undefined = slope`, or `undefined = [energy, slope, hit]`: names of what a run computes and that need not be a
/// number always. Who runs the model takes the names from the text.
void checkUndefined(const Model& model, const syntax::Expr& e, Diagnostics& out) {
  std::vector<std::string> names;
  if (model.lagrangian || model.hamiltonian) names.emplace_back("energy");
  for (const Observable& o : model.observables) names.push_back(o.name);
  for (const Event& event : model.events) names.push_back(event.name);
  const auto one = [&](const syntax::Expr& name) {
    if (name.kind == syntax::ExprKind::Name && std::find(names.begin(), names.end(), name.text) != names.end()) return;
    auto r = out.error(Code::LIE0169, name.range,
                       "`undefined` takes the energy, observables and events of the model, by their names");
    const std::string near = name.kind == syntax::ExprKind::Name ? nearest(name.text, names) : std::string();
    if (!near.empty())
      r.suggest(didYouMean(near));
    else if (!names.empty())
      r.note("they are " + listed(names));
  };
  if (e.kind != syntax::ExprKind::List) return one(e);
  for (const syntax::ExprPtr& name : e.args) one(*name);
}

} // namespace

void ModelBuilder::buildSimulation() {
  Simulation& run = model_->simulation;
  run.range = simulate_ != nullptr ? simulate_->keyword : declaration_.nameRange;
  run.present = simulate_ != nullptr;
  if (simulate_ != nullptr) {
    std::vector<const syntax::Setting*> seen;
    for (const syntax::Setting& s : simulate_->settings) {
      const auto twice = std::find_if(seen.begin(), seen.end(),
                                      [&](const syntax::Setting* k) { return k->key == s.key && k->word == s.word; });
      if (twice != seen.end()) {
        s_.diagnostics.error(Code::LIE0161, s.keyRange, "`" + s.key + "` is set twice")
            .note("first here", (*twice)->keyRange);
        continue;
      }
      seen.push_back(&s);
      setting(s);
    }
  }
  if (overrides_ != nullptr) commandLineSettings();
  checkTimes();
  checkNorm();
}

void ModelBuilder::setting(const syntax::Setting& s) {
  Simulation& run = model_->simulation;
  const auto& keys = settingKeys();
  if (std::find(keys.begin(), keys.end(), s.key) == keys.end()) {
    auto r = s_.diagnostics.error(Code::LIE0168, s.keyRange, "`simulate` has no setting `" + s.key + "`");
    const std::string near = nearest(s.key, keys);
    if (!near.empty())
      r.suggest(didYouMean(near));
    else
      r.note("its settings are " + listed(keys));
    return;
  }
  if (!s.value || s.value->kind == syntax::ExprKind::Error) return;
  if (s.to && s.key != "time") {
    s_.diagnostics.error(Code::LIE0169, s.to->range, "`" + s.key + "` is a single value, not a range");
    return;
  }
  if (s.key == "method") {
    const bool named = s.value->kind == syntax::ExprKind::Name || s.value->kind == syntax::ExprKind::Call;
    if (named)
      run.method = s.value;
    else
      s_.diagnostics.error(Code::LIE0169, s.value->range, "`method` takes the name of a method");
  } else if (s.key == "time") {
    if (!s.to) {
      s_.diagnostics.error(Code::LIE0169, s.value->range, "`time` takes the first and the last time")
          .suggest(didYouMean("time = 0.." + evaluator_.text(*s.value)));
      return;
    }
    run.timeFrom = settingValue("time", *s.value);
    run.timeTo = settingValue("time", *s.to);
  } else if (s.key == "output") {
    if (s.word == "every")
      run.outputEvery = settingValue("output every", *s.value);
    else if (s.word == "steps")
      run.outputSteps = settingValue("output steps", *s.value);
    else
      s_.diagnostics.error(Code::LIE0169, s.keyRange, "write `output every dt` or `output steps n`");
  } else if (s.key == "step") {
    run.stepRange = s.value->range;
    run.step = settingValue(s.key, *s.value);
  } else if (s.key == "tolerance") {
    run.toleranceRange = s.value->range;
    toleranceSetting(*s.value);
  } else if (s.key == "accuracy") {
    run.accuracyRange = s.value->range;
    run.accuracy = settingValue(s.key, *s.value);
  } else if (s.key == "controller") {
    controllerSetting(*s.value);
  } else if (s.key == "norm") {
    normSetting(*s.value);
  } else if (s.key == "safety") {
    run.safety = settingValue(s.key, *s.value);
  } else if (s.key == "simultaneous" || s.key == "law") {
    impactSetting(s.key, *s.value);
  } else if (s.key == "undefined") {
    checkUndefined(*model_, *s.value, s_.diagnostics);
  } else {
    run.seed = settingValue(s.key, *s.value);
  }
}

/// `simultaneous = sequential`, `law = poisson`.
void ModelBuilder::impactSetting(const std::string& key, const syntax::Expr& e) {
  const std::string word = e.kind == syntax::ExprKind::Name ? e.text : "";
  const std::vector<std::string>& words = impactWords(key);
  const bool law = key == "law";
  (law ? model_->simulation.poisson : model_->simulation.sequential) = word == words[1];
  if (word == words[0] || word == words[1]) return;
  auto report = s_.diagnostics.error(
      Code::LIE0169, e.range,
      law ? "`law` says how bodies come back from impacts: `newton`, by speeds, or `poisson`, by impulses"
          : "`simultaneous` says how contacts that close at one time are solved: `together` or `sequential`");
  report.note(law ? "without the setting it is Newton's law" : "without the setting they are solved together");
  if (const std::string near = nearest(word, words); !near.empty()) report.suggest(didYouMean(near));
}

bool ModelBuilder::checkSetting(const std::string& key, Expr value, const syntax::Expr& e) {
  if (dependence_.of(value) != 0) {
    s_.diagnostics.error(Code::LIE0169, e.range,
                         "`" + key + "` may use parameters only, nothing that changes during a run");
    return false;
  }
  if (!value->isConst()) return true; // known when the run begins
  const double x = value->number.value();
  const bool whole = key == "output steps" || key == "seed";
  if (whole && !value->number.isInteger()) {
    s_.diagnostics.error(Code::LIE0169, e.range, "`" + key + "` is a whole number");
    return false;
  }
  // Of the two bounds of a tolerance one may be 0; that not both are is seen when all are known.
  const bool mayVanish = key == "seed" || key == "absolute" || key == "relative";
  if (mayVanish ? !(x >= 0) : key != "time" && !(x > 0)) {
    s_.diagnostics.error(Code::LIE0169, e.range, "`" + key + "` must be " + (mayVanish ? "at least 0" : "positive"));
    return false;
  }
  if (key == "safety" && x > 1) {
    s_.diagnostics.error(Code::LIE0169, e.range,
                         "`safety` is at most 1: the part that is taken of the step which the error permits");
    return false;
  }
  return true;
}

const sym::Array* ModelBuilder::settingValue(const std::string& key, const syntax::Expr& e) {
  const Expr value = evaluator_.scalar(evaluator_.evaluate(e, topContext()), e);
  if (!value || !checkSetting(key, value, e)) return nullptr;
  const sym::Array* a = temp(key, {}, sym::Shape::scalar());
  model_->program.append({sym::EquationKind::Set, a, {}, {}, {}, value, nullptr, nullptr});
  return a;
}

/// `tolerance = 1e-6`, or `tolerance = (relative = 1e-6, absolute = 1e-9, R = 1e-8, w = (absolute = 1e-6))`.
void ModelBuilder::toleranceSetting(const syntax::Expr& e) {
  std::vector<ToleranceSetting>& list = model_->simulation.tolerances;
  list.clear();
  if (e.kind != syntax::ExprKind::Parts) {
    const sym::Array* both = settingValue("tolerance", e);
    if (both != nullptr) list.push_back({"", both, both});
    return;
  }
  ToleranceSetting all = bounds(e, "", &list);
  if (all.absolute == nullptr) all.absolute = all.relative;
  if (all.relative == nullptr) all.relative = all.absolute;
  if (all.absolute != nullptr) {
    list.insert(list.begin(), std::move(all));
  } else if (std::any_of(list.begin(), list.end(),
                         [](const ToleranceSetting& t) { return t.absolute == nullptr || t.relative == nullptr; }) ||
             !coverAll(list)) {
    s_.diagnostics.error(Code::LIE0169, e.range, "`tolerance` leaves variables without one")
        .suggest("say what holds for all others: (relative = 1e-6, …)");
  }
}

/// The bounds `absolute` and `relative` among named parts; what is named otherwise is a variable of its own.
ToleranceSetting ModelBuilder::bounds(const syntax::Expr& e, const std::string& variable,
                                      std::vector<ToleranceSetting>* others) {
  ToleranceSetting t;
  t.variable = variable;
  for (std::size_t k = 0; k < e.names.size(); ++k) {
    const std::string& name = e.names[k];
    const syntax::Expr& value = *e.args[k];
    if (name == "absolute" || name == "relative") {
      (name == "absolute" ? t.absolute : t.relative) = settingValue(name, value);
      continue;
    }
    const Symbol* symbol = others != nullptr ? find(name) : nullptr;
    const bool known =
        symbol != nullptr && (symbol->kind == Symbol::Kind::Factor || symbol->kind == Symbol::Kind::Velocity ||
                              symbol->kind == Symbol::Kind::State);
    if (!known) {
      unknownTolerance(name, e.nameRanges[k], others != nullptr);
      continue;
    }
    if (value.kind == syntax::ExprKind::Parts) {
      others->push_back(bounds(value, name, nullptr));
    } else if (const sym::Array* both = settingValue("tolerance", value); both != nullptr) {
      others->push_back({name, both, both});
    }
  }
  return t;
}

void ModelBuilder::unknownTolerance(const std::string& name, Range where, bool variables) {
  std::vector<std::string> names = {"absolute", "relative"};
  for (const auto& s : symbols_) {
    if (variables &&
        (s->kind == Symbol::Kind::Factor || s->kind == Symbol::Kind::Velocity || s->kind == Symbol::Kind::State))
      names.push_back(s->name);
  }
  auto r = s_.diagnostics.error(Code::LIE0169, where, "`" + name + "` has no tolerance");
  const std::string near = nearest(name, names);
  if (!near.empty())
    r.suggest(didYouMean(near));
  else
    r.note("a tolerance may be given for " + listed(names));
}

/// True if every variable has a tolerance of its own, or a velocity that of its configuration.
bool ModelBuilder::coverAll(const std::vector<ToleranceSetting>& list) const {
  const auto has = [&](const std::string& name) {
    return std::any_of(list.begin(), list.end(), [&](const ToleranceSetting& t) { return t.variable == name; });
  };
  return std::all_of(model_->factors.begin(), model_->factors.end(), [&](const Factor& f) { return has(f.name); }) &&
         std::all_of(model_->states.begin(), model_->states.end(), [&](const StateVariable& z) { return has(z.name); });
}

void ModelBuilder::controllerSetting(const syntax::Expr& e) {
  if (e.kind != syntax::ExprKind::Name) {
    s_.diagnostics.error(Code::LIE0169, e.range, "`controller` takes a name");
    return;
  }
  model_->simulation.controller = e.text;
  model_->simulation.controllerRange = e.range;
}

/// `norm = algebra` or `norm = embedding`: how the error of an adaptive step is measured.
void ModelBuilder::normSetting(const syntax::Expr& e) {
  const std::vector<std::string>& norms = settingNorms();
  if (e.kind != syntax::ExprKind::Name || std::find(norms.begin(), norms.end(), e.text) == norms.end()) {
    auto report = s_.diagnostics.error(Code::LIE0169, e.range, "`norm` is `algebra` or `embedding`");
    if (e.kind == syntax::ExprKind::Name) report.suggest(nearest(e.text, norms));
    return;
  }
  model_->simulation.embeddingNorm = e.text == "embedding";
}

/// In the embedding the state is one vector, and has one tolerance.
void ModelBuilder::checkNorm() {
  const Simulation& run = model_->simulation;
  if (!run.embeddingNorm) return;
  const bool own = std::any_of(run.tolerances.begin(), run.tolerances.end(),
                               [](const ToleranceSetting& t) { return !t.variable.empty(); });
  if (own)
    s_.diagnostics.error(Code::LIE0169, run.range, "with `norm = embedding` the whole state has one tolerance")
        .suggest("write `tolerance = (relative = …, absolute = …)` without variables, or `norm = algebra`");
}

void ModelBuilder::commandLineSettings() {
  Simulation& run = model_->simulation;
  for (const auto& [key, text] : s_.options.simulate) {
    const SourceId source = s_.sources.add("--" + (key.rfind("time", 0) == 0 ? "time"
                                                   : key == "output.every"   ? "every"
                                                                             : key),
                                           text);
    const std::size_t before = s_.diagnostics.errorCount();
    if (key == "tolerance" && text == "none") { // steps of fixed length, whatever the model says
      run.tolerances.clear();
      run.toleranceRange = {source, 0, static_cast<std::uint32_t>(text.size())};
      continue;
    }
    if (key == "method") {
      run.method = syntax::parseMethodReference(s_.sources, source, s_.diagnostics);
      if (s_.diagnostics.errorCount() > before) run.method = nullptr;
      continue;
    }
    const syntax::ExprPtr e = syntax::parseExpression(s_.sources, source, s_.diagnostics);
    if (s_.diagnostics.errorCount() > before || !e) continue;
    commandLine_.push_back(e);
    if (key == "step") run.stepRange = e->range;
    if (key == "tolerance") run.toleranceRange = e->range;
    if (key == "accuracy") run.accuracyRange = e->range;
    if (key == "time.from")
      run.timeFrom = settingValue("time", *e);
    else if (key == "time.to")
      run.timeTo = settingValue("time", *e);
    else if (key == "step")
      run.step = settingValue(key, *e);
    else if (key == "accuracy")
      run.accuracy = settingValue(key, *e);
    else if (key == "tolerance")
      toleranceSetting(*e);
    else if (key == "controller")
      controllerSetting(*e);
    else if (key == "norm")
      normSetting(*e);
    else if (key == "safety")
      run.safety = settingValue(key, *e);
    else if (key == "seed")
      run.seed = settingValue(key, *e);
    else if (key == "output.every") {
      run.outputEvery = settingValue("output every", *e);
      run.outputSteps = nullptr;
    }
  }
}

void ModelBuilder::checkTimes() {
  const Simulation& run = model_->simulation;
  const auto constantOf = [&](const sym::Array* a) -> std::optional<double> {
    if (a == nullptr) return std::nullopt;
    const Expr v = model_->program.equations()[model_->program.writers(a).front()].value;
    return v->isConst() ? std::optional(v->number.value()) : std::nullopt;
  };
  const auto from = constantOf(run.timeFrom);
  const auto to = constantOf(run.timeTo);
  if (!from || !to || *from < *to) return;
  Range where = run.range;
  if (simulate_ != nullptr) {
    for (const syntax::Setting& s : simulate_->settings) {
      if (s.key == "time" && s.value && s.to) where = Range::cover(s.value->range, s.to->range);
    }
  }
  for (const syntax::ExprPtr& e : commandLine_)
    if (s_.sources[e->range.source].name() == "--time") where = e->range; // the later one: the end
  s_.diagnostics.error(Code::LIE0169, where, "a run ends after it begins: `time = a..b` needs a < b");
}

void ModelBuilder::checkUnusedFunctions() {
  for (const auto& [name, s] : functions_) checkFunctionNames(s_, *s, *this);
}

void ModelBuilder::checkOverrides() {
  if (overrides_ == nullptr) return;
  for (const ParsedOverride& o : overrides_->all()) {
    const Symbol* symbol = find(o.name);
    if (o.used) continue;
    if (symbol != nullptr && symbol->kind != Symbol::Kind::Let) continue; // its declaration is wrong
    std::vector<std::string> names;
    for (const auto& s : symbols_) {
      if (s->kind != Symbol::Kind::Let) names.push_back(s->name);
    }
    auto r = s_.diagnostics.error(Code::LIE0180, o.nameRange,
                                  symbol != nullptr
                                      ? "`" + o.name + "` is a `let`: parameters, inputs and initial values can be set"
                                      : "there is nothing named `" + o.name + "` to set");
    const std::string near = nearest(o.name, names);
    if (!near.empty())
      r.suggest(didYouMean(near));
    else if (!names.empty())
      r.note("what can be set: " + listed(names));
  }
}

} // namespace lmc::sema
