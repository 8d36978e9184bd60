#include "methods/Instantiate.h"

#include "base/Budget.h"
#include "methods/Instantiation.h"
#include "methods/Parts.h"
#include "methods/Quadrature.h"
#include "methods/kinds/Needs.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lmc::methods {

namespace {

/// Says at the place where a method was chosen why it cannot step the model: errors of this attempt that stand in texts
/// of others (the library) become one, with the method's own line as a note.
class AtTheChoice {
public:
  AtTheChoice(sema::Compilation& c, const syntax::Expr& reference)
      : c_(c), reference_(reference), mark_(c.diagnostics().mark()) {}
  AtTheChoice(const AtTheChoice&) = delete;
  AtTheChoice& operator=(const AtTheChoice&) = delete;

  ~AtTheChoice() {
    const std::vector<Diagnostic> all = c_.diagnostics().takeBack(mark_);
    const Diagnostic* first = nullptr;
    for (const Diagnostic& d : all) {
      if (d.severity == Severity::Error && (d.code == Code::LIE0512 || !ofTheUser(d.range.source))) {
        if (first == nullptr) first = &d;
      } else { // warnings too stand where the user chose
        repeat(d, d.severity == Severity::Error || ofTheUser(d.range.source) ? d.range : reference_.range, d.message);
      }
    }
    if (first == nullptr) return;
    const std::string_view name = c_.sources().text(reference_.range);
    auto report =
        repeat(*first, reference_.range,
               first->code == Code::LIE0512 ? first->message
                                            : fmt::format("{} cannot step this model: {}", name, first->message));
    if (first->range.source != reference_.range.source || first->range.begin != reference_.range.begin)
      report.note("the method says so here", first->range);
  }

private:
  [[nodiscard]] bool ofTheUser(SourceId source) const {
    const auto& files = c_.files();
    return source == reference_.range.source ||
           std::any_of(files.begin(), files.end(), [&](const syntax::File* f) { return f->source == source; });
  }

  Diagnostics::Report repeat(const Diagnostic& d, Range where, const std::string& message) {
    auto report = d.severity == Severity::Error ? c_.diagnostics().error(d.code, where, message)
                                                : c_.diagnostics().warning(d.code, where, message);
    for (const Note& n : d.notes) n.range ? report.note(n.message, *n.range) : report.note(n.message);
    return report.suggest(d.suggestion);
  }

  sema::Compilation& c_;
  const syntax::Expr& reference_;
  std::size_t mark_;
};

/// Some methods of the library that a model permits, those of a kind first.
std::vector<std::string> methodsThatStep(sema::Compilation& c, mechanics::Layer& layer, const KindOfMethod& kind) {
  constexpr std::size_t enough = 3;
  std::vector<std::string> own, others;
  for (const syntax::DeclKind declared : {syntax::DeclKind::Variational, syntax::DeclKind::Method}) {
    for (const sema::Found& f : c.libraryDeclarations(declared)) {
      if (own.size() >= enough) break;
      const auto method = checkMethod(c, f);
      if (method && steps(layer, *method)) (method->kind == &kind ? own : others).push_back(method->name);
    }
  }
  own.insert(own.end(), others.begin(), others.end());
  own.resize(std::min(own.size(), enough));
  return own;
}

/// Whether the model cannot have the method's steps, and why (reported); else what they need of it.
bool isRefused(sema::Compilation& c, mechanics::Layer& layer, const CheckedMethod& method, bool adjoint,
               ModelParts& parts) {
  if (adjoint && !method.kept.empty()) {
    c.diagnostics().error(Code::LIE0435, method.nameRange,
                          fmt::format("{} keeps numbers from step to step, so its step has no adjoint", method.name));
    return true;
  }
  std::string reason = refusal(layer, method, parts);
  if (reason.empty() && adjoint) reason = withoutAdjoint(layer.system, method);
  if (reason.empty()) return false;
  auto report = c.diagnostics().error(Code::LIE0512, method.nameRange,
                                      fmt::format("{} cannot step this model: {}", method.name, reason));
  if (const auto others = methodsThatStep(c, layer, *method.kind); !others.empty())
    report.note(fmt::format("methods of the library that can are {}", fmt::join(others, ", ")));
  return true;
}

/// Whether what arrays hold, or expressions, depend on the time.
bool dependsOnTime(const mechanics::Layer& layer, const sema::ArrayTuple& arrays,
                   const std::vector<sym::Expr>& expressions = {}) {
  const sym::Program& p = layer.program();
  const sym::Array* const time = layer.model.time;
  const std::vector<std::size_t> slice = p.slice(arrays, expressions);
  return std::any_of(slice.begin(), slice.end(), [&](std::size_t k) { return p.reads(k, time); }) ||
         std::any_of(expressions.begin(), expressions.end(), [&](sym::Expr e) { return sym::reads(e).contains(time); });
}

/// The step of one method: its kind, its body, the arrays after it.
std::optional<Step> stepOf(sema::Compilation& c, mechanics::Layer& layer, const CheckedMethod& method, bool adjoint,
                           const std::string& name, Parts parts = Parts::WrittenOut) {
  sym::Graph& g = c.graph();
  Step step;
  step.method = name;
  step.stepSize = g.newArray("h", {}, sym::Shape::scalar(), sym::Role::StepSize);
  ModelParts needed;
  if (isRefused(c, layer, method, adjoint, needed)) return std::nullopt;
  const auto writtenOut = [&] {
    const std::size_t mark = c.diagnostics().mark();
    mechanics::Layer trial = mechanics::Layer::over(layer);
    const sym::Graph::Work work = trial.work();
    const auto whole = stepOf(c, trial, method, false, name);
    (void)c.diagnostics().takeBack(mark); // it will be said of the step itself
    return whole ? operations(trial.program(), *whole) : 0;
  };
  const KindContext context{c, layer, layer.system, step, parts == Parts::Shared && !adjoint, writtenOut};
  const std::unique_ptr<MethodKind> kind = makeKind(context, *method.kind, needed);
  const Instantiation::Begin begin{kind->state(), g.load(step.stepSize), g.load(layer.model.time)};
  Instantiation instance(context, *kind, method, begin);
  const auto next = adjoint ? Instantiation::adjointStep(context, *kind, method, begin) : instance.run();
  if (!next) return std::nullopt;
  kind->finish(*next);
  const auto needs = [&](Need n) {
    return std::find(method.kind->needs.begin(), method.kind->needs.end(), n) != method.kind->needs.end();
  };
  step.independent =
      step.independent || needs(Need::HolonomicAtMost) || (needs(Need::HeldByBody) && !method.alwaysCalls("idle"));
  Instantiation::finishKept(step);
  step.ownEvaluations = step.stages ? static_cast<int>(step.stages->own.size()) : step.evaluations;
  if (step.calls)
    for (const SharedCalls::Piece& p : step.calls->pieces)
      if (p.routine && !p.own) step.ownEvaluations -= p.evaluations;
  if (!instance.forEstimate().second.empty()) {
    kind->embed(instance.forEstimate());
    step.last = instance.last();
    step.blindToTime = dependsOnTime(layer, kind->rateArrays()) && !seesTime(g, method).value_or(true);
  }
  return step;
}

/// Compositions up to so many operations are written out (`operations`). The code of one is then up to about 60 kB, and
/// faster than a loop over its parts by 4 to 15 %: what the parts have in common is computed once, and momenta need not
/// become velocities between them. Longer ones grow out of caches, and the time to compile them with their length.
constexpr std::size_t longestWrittenOut = 7400;

/// Whether velocities are the same momenta at any time.
bool momentaKnowNoTime(const mechanics::Layer& layer) {
  std::vector<sym::Expr> momenta;
  for (const mechanics::FactorEquations& f : layer.system.factors)
    momenta.insert(momenta.end(), f.momentum.begin(), f.momentum.end());
  return !dependsOnTime(layer, {}, momenta);
}

/// Whether the state between two parts is one that a step may begin with. It is where each part begins when the one
/// before ends; parts of the equations that have a time of their own leave velocities that belong to two times.
bool goOnFromEachOther(const mechanics::Layer& layer, const std::vector<PartOfMethod>& parts) {
  double end = 0;
  for (const PartOfMethod& p : parts) {
    constexpr double roundOff = 1e-12;
    if (std::abs(p.begin - end) > roundOff) return layer.system.constraints == nullptr && momentaKnowNoTime(layer);
    end = p.begin + p.length;
  }
  return true;
}

/// Of a composition that repeats steps which are long: each of them once; nothing in it where the model cannot have it
/// (reported). Nothing for any other method.
std::optional<std::optional<Step>> sharedStep(sema::Compilation& c, mechanics::Layer& layer, const MethodUse& use,
                                              const std::string& name) {
  const Place place(use.method->bodyRange);
  Step whole;
  std::vector<MethodUse> different;
  const std::vector<PartOfMethod> parts = partsOf(use, layer.system.constraints != nullptr);
  if (!goOnFromEachOther(layer, parts)) return std::nullopt;
  for (const PartOfMethod& part : parts) {
    const auto found = std::find_if(different.begin(), different.end(), [&](const MethodUse& u) {
      return u.method == part.use.method && u.adjoint == part.use.adjoint;
    });
    whole.parts.push_back({static_cast<std::size_t>(found - different.begin()), part.begin, part.length});
    if (found == different.end()) different.push_back(part.use);
  }
  if (whole.parts.size() <= different.size()) return std::nullopt;
  for (const MethodUse& u : different) {
    auto step = stepOf(c, layer, *u.method, u.adjoint, u.method->name);
    if (!step) return std::optional<Step>();
    whole.steps.push_back(std::move(*step));
  }
  std::size_t writtenOut = 0;
  for (const StepPart& part : whole.parts) writtenOut += operations(layer.program(), whole.steps[part.step]);
  if (writtenOut <= longestWrittenOut) return std::nullopt;
  whole.method = name;
  whole.order = use.method->order;
  whole.stepSize = whole.steps.front().stepSize;
  whole.state = whole.steps.front().state;
  for (const StepPart& part : whole.parts) {
    const Step& s = whole.steps[part.step];
    whole.independent = whole.independent || s.independent;
    whole.evaluations += s.ownEvaluations;
    whole.exponentials += s.exponentials;
  }
  whole.ownEvaluations = whole.evaluations;
  return whole;
}

} // namespace

namespace {

/// The number of a single constant; nothing where parameters decide.
std::optional<double> constantOf(const sym::Program& p, const sym::Array* array) {
  if (array == nullptr || p.writers(array).size() != 1) return std::nullopt;
  const sym::Expr value = p.equation(p.writers(array).front()).value;
  if (!value || !value->isConst()) return std::nullopt;
  return value->number.value();
}

/// The degree of a series that costs least where errors are to be of the size of the smallest relative tolerance: A.
/// Jorba, M. Zou (2005), section 3.2, with multiples of four, from 8 to 24.
int automaticDegree(const mechanics::Layer& layer) {
  std::optional<double> smallest;
  for (const sema::ToleranceSetting& t : layer.model.simulation.tolerances) {
    const auto value = constantOf(layer.program(), t.relative != nullptr ? t.relative : t.absolute);
    if (value && *value > 0 && (!smallest || *value < *smallest)) smallest = value;
  }
  if (!smallest) return usualDegree;
  return std::clamp(4 * static_cast<int>(std::ceil((1 - std::log(*smallest) / 2) / 4)), 8, 24);
}

} // namespace

bool steps(mechanics::Layer& layer, const CheckedMethod& method) {
  ModelParts parts;
  return refusal(layer, method, parts).empty();
}

std::optional<Step> instantiate(sema::Compilation& c, mechanics::Layer& layer, const syntax::Expr& reference,
                                Parts parts) {
  const AtTheChoice places(c, reference);
  const auto use = checkMethod(c, reference, automaticDegree(layer));
  if (!use) return std::nullopt;
  const std::string name(c.sources().text(reference.range));
  if (parts == Parts::Shared) {
    ModelParts needed;
    if (isRefused(c, layer, *use->method, use->adjoint, needed)) return std::nullopt;
    if (auto step = sharedStep(c, layer, *use, name)) return std::move(*step);
  }
  return stepOf(c, layer, *use->method, use->adjoint, name, parts);
}

std::optional<Step> instantiate(sema::Compilation& c, mechanics::Layer& layer, const CheckedMethod& method) {
  return stepOf(c, layer, method, false, method.name);
}

} // namespace lmc::methods
