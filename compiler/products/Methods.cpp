// Which methods can step a model, and which one does it with the least work.
#include "products/Impl.h"

#include "runtime/choice/Choice.h"
#include "sema/LibraryManifolds.h"
#include "syntax/parser/Parser.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace lmc::products {

namespace {

/// The order as it is declared: of the method itself, else of the tableau that it is built from.
std::string orderOf(const methods::CheckedMethod& method) {
  if (method.order == 0 || method.orderVaries) return {};
  return method.embeddedOrder > 0 ? fmt::format("{}({})", method.order, method.embeddedOrder)
                                  : std::to_string(method.order);
}

/// Those of the model's files, then those of the library that they do not hide.
std::vector<sema::Found> declaredMethods(sema::Compilation& compilation) {
  std::vector<sema::Found> all;
  for (const syntax::File* file : compilation.files()) {
    for (const syntax::Declaration& d : file->declarations)
      if (d.kind == syntax::DeclKind::Method || d.kind == syntax::DeclKind::Variational)
        all.push_back({&d, file->source});
  }
  for (const syntax::DeclKind kind : {syntax::DeclKind::Method, syntax::DeclKind::Variational}) {
    for (const sema::Found& f : compilation.libraryDeclarations(kind)) {
      if (std::none_of(all.begin(), all.end(),
                       [&](const sema::Found& o) { return o.declaration->name == f.declaration->name; }))
        all.push_back(f);
    }
  }
  return all;
}

/// The word for a method that is chosen.
constexpr const char* automaticWord = "auto";

bool isAutomatic(const syntax::Expr* reference) {
  return reference != nullptr && reference->kind == syntax::ExprKind::Name && reference->text == automaticWord;
}

/// Whether a method chooses its steps by itself.
bool estimatesError(const methods::CheckedMethod& m) {
  const auto embedded = [](const methods::CheckedStatement& s) {
    return s.what == methods::CheckedStatement::What::Embedded;
  };
  return m.embeddedOrder > 0 || (m.tableau && !m.tableau->tableau.bhat.empty()) ||
         std::any_of(m.body.begin(), m.body.end(), embedded);
}

/// A method in storage coordinates whose steps leave the manifold.
bool leavesManifold(const methods::CheckedMethod& m) {
  const std::vector<methods::KindOfMethod>& kinds = methods::kindsOfMethods();
  const bool inStorage = std::any_of(kinds.begin(), kinds.end(), [&](const methods::KindOfMethod& k) {
    return k.projected && k.name == m.kind->name;
  });
  return inStorage && !m.endsOnManifold();
}

} // namespace

std::vector<MethodSummary> Pipeline::methodsThatStep() {
  return impl_->limited([&] {
    std::vector<MethodSummary> list;
    if (!impl_->system) return list;
    mechanics::Layer layer(*impl_->system); // of what is only tried
    const sym::Graph::Work work = layer.work();
    for (const sema::Found& f : declaredMethods(*impl_->compilation)) {
      const auto method = methods::checkMethod(*impl_->compilation, f);
      if (!method || !methods::steps(layer, *method)) continue;
      list.push_back({method->name, method->kind->name, orderOf(*method), sema::firstLine(f.declaration->doc)});
    }
    std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return list;
  });
}

// --- the choice ---------------------------------------------------------------------------------------------------

syntax::ExprPtr Pipeline::Impl::methodReference() {
  return options.method ? referenceTo("--method", *options.method) : model->simulation.method;
}

syntax::ExprPtr Pipeline::Impl::referenceTo(const std::string& where, const std::string& method) {
  Sources& sources = compilation->sources();
  return syntax::parseMethodReference(sources, sources.add(where, method), diagnostics());
}

bool Pipeline::Impl::automatic() {
  if (!model) return false;
  return options.method ? *options.method == automaticWord : isAutomatic(model->simulation.method.get());
}

namespace {
constexpr const char* accuracyAdvice =
    "write `accuracy = 1e-8;` beside `method = auto;` in `simulate`, or give --accuracy 1e-8";
}

void Pipeline::Impl::checkChoice() {
  const sema::Simulation& run = model->simulation;
  // Settings of the file belong to the method of the file: they go when another method is given on the command line.
  const auto holds = [&](const Range& r) {
    return !options.method || compilation->sources()[r.source].name().rfind("--", 0) == 0;
  };
  if (!automatic()) {
    if (run.accuracy != nullptr && holds(run.accuracyRange))
      diagnostics()
          .error(Code::LIE0617, run.accuracyRange,
                 "an accuracy of the whole run is for a method that is chosen, and the method is given")
          .suggest("write `method = auto;` or give --method auto; of a given method `tolerance` bounds the error of a "
                   "step");
    return;
  }
  const Range where = methodReference()->range;
  if (run.accuracy == nullptr)
    diagnostics()
        .error(Code::LIE0617, where, "`auto` chooses a method for an accuracy, and there is none")
        .suggest(accuracyAdvice);
  const bool tolerance = run.toleranceRange.end > run.toleranceRange.begin && holds(run.toleranceRange);
  const bool step = run.step != nullptr && holds(run.stepRange);
  for (const auto& [given, range, what] :
       {std::tuple{step, run.stepRange, "a step"}, std::tuple{tolerance, run.toleranceRange, "a tolerance"}})
    if (given)
      diagnostics()
          .error(Code::LIE0618, range, fmt::format("{} beside `method = auto`, which chooses its steps itself", what))
          .suggest("leave it out; `accuracy` bounds the error of the whole run");
}

bool Pipeline::Impl::refusesChoice(const std::string& what) {
  if (!automatic()) return false;
  diagnostics()
      .error(Code::LIE0622, methodReference()->range,
             fmt::format("{} needs a method by its name: `auto` chooses steps of different lengths", what))
      .suggest("give --method NAME, or --methods where there are several; `lmc run` tells what `auto` chooses");
  return true;
}

std::unique_ptr<runtime::Problem> Pipeline::Impl::tryMethod(const std::string& name, double mostOperations,
                                                            std::string& why) {
  const std::size_t mark = diagnostics().mark();
  const auto stage = stageOf(referenceTo("method = auto", name), methods::Parts::Shared);
  std::unique_ptr<runtime::Problem> problem;
  std::unique_ptr<const Prepared> prepared;
  if (stage->step && !stage->step->embedded.empty() && !diagnostics().hasErrors()) prepared = preparedOver(stage.get());
  if (prepared) {
    Product product(*prepared, prepared->layer);
    product.defineOutputs(options.compilation.scene);
    if (options.pairLists) product.unit.useLists();
    (void)addRun(product, Steps::Adaptive);
    unit::Unit unit = unitOf(product, zerosOfCode(prepared->layout, prepared->data), longestOfRun);
    if (unit.problem.operationsPerStep > mostOperations) {
      why = "a step takes more work than that of another method of its order";
    } else {
      jit::CompileOptions quick = options.compile;
      if (quick.tiers == jit::Tiers::QuickFirst) quick.tiers = jit::Tiers::Quick;
      compileUnit(unit, quick);
      problem = std::make_unique<runtime::Problem>(std::move(unit.problem));
    }
  }
  for (const Diagnostic& d : diagnostics().takeBack(mark))
    if (why.empty() && d.severity == Severity::Error) why = d.message;
  if (problem == nullptr && why.empty()) why = "it has no error estimate for this model";
  return problem;
}

bool Pipeline::Impl::choose() {
  if (options.fixedSteps) return !refusesChoice("a study with steps of a fixed length");
  const Stopwatch watch(timings, "choose");
  const Range where = methodReference()->range;
  const Prepared* const field = prepare(false);
  if (field == nullptr) return false;
  const std::map<std::string, double>& settings = field->data.settings;
  const auto setting = [&](const char* key) {
    const auto it = settings.find(key);
    return it == settings.end() ? std::numeric_limits<double>::quiet_NaN() : it->second;
  };
  const double from = setting("time.from"), to = setting("time.to"), accuracy = setting("accuracy");
  if (std::isnan(from) || std::isnan(to)) {
    diagnostics()
        .error(Code::LIE0601, where, "a method is chosen for an interval of time, and there is none")
        .suggest("write `time = 0..10;` in `simulate { ... }` of the model, or give `--time 0..10`");
    return false;
  }
  if (!std::isfinite(from) || !std::isfinite(to) || !(from < to)) {
    diagnostics().error(Code::LIE0603, where,
                        fmt::format("the time interval {}..{} is empty: it must begin before it ends", from, to));
    return false;
  }
  if (!std::isfinite(accuracy) || !(accuracy > 0)) {
    diagnostics().error(Code::LIE0613, model->simulation.accuracyRange,
                        fmt::format("the accuracy {} is not a positive number", accuracy));
    return false;
  }
  std::vector<runtime::MethodCandidate> candidates;
  {
    const std::size_t mark = diagnostics().mark();
    mechanics::Layer layer(*system); // of what is only tried
    const sym::Graph::Work work = layer.work();
    for (const sema::Found& f : declaredMethods(*compilation)) {
      const auto method = methods::checkMethod(*compilation, f);
      if (!method || !estimatesError(*method) || leavesManifold(*method) || !methods::steps(layer, *method)) continue;
      const bool implicit = method->isImplicit() || (method->tableau && !method->tableau->tableau.isExplicit());
      candidates.push_back(
          {method->name, method->order, implicit,
           [this, name = method->name](double most, std::string& why) { return tryMethod(name, most, why); }});
    }
    (void)diagnostics().takeBack(mark);
  }
  std::sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  runtime::MethodChoice choice = runtime::chooseMethod(std::move(candidates), accuracy);
  if (choice.method.empty()) {
    constexpr double largest = 0.01; // of an error that comes of rounding; a larger one follows no law
    const bool belowDoubles = choice.reachable > 0 && choice.reachable < largest;
    auto report = diagnostics().error(
        Code::LIE0619, belowDoubles ? model->simulation.accuracyRange : where,
        belowDoubles
            ? fmt::format(
                  "the accuracy {:.3g} is {} what doubles can do over this time: the best that was found has an "
                  "error of about {:.3g}",
                  accuracy, choice.reachable > accuracy ? "below" : "too close to", choice.reachable)
            : fmt::format("no method was found that steps the model with an accuracy of {:.3g}", accuracy));
    if (belowDoubles)
      report.suggest(fmt::format("ask for an accuracy of {:.2g} or more, or for a shorter time", 2 * choice.reachable));
    else
      report.note(choice.failure)
          .suggest("choose a method by its name, `lmc methods` lists them; where something lasts a short time alone, a "
                   "pulse say, a block `every DT { … }` makes steps as short");
    return false;
  }
  chosen = std::move(choice.how);
  const std::size_t mark = diagnostics().mark(); // it has been said before
  chosenMethods = stageOf(referenceTo("method = auto", choice.method), methods::Parts::Shared);
  preparedForSteps = preparedOver(chosenMethods.get());
  if (preparedForSteps != nullptr) (void)diagnostics().takeBack(mark);
  return preparedForSteps != nullptr;
}

} // namespace lmc::products
