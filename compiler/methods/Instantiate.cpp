#include "methods/Instantiate.h"

#include "methods/Instantiation.h"

#include <algorithm>
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

/// The step of one method: its kind, its body, the arrays after it.
std::optional<Step> stepOf(sema::Compilation& c, mechanics::Layer& layer, const CheckedMethod& method, bool adjoint,
                           const std::string& name) {
  sym::Graph& g = c.graph();
  Step step;
  step.method = name;
  step.stepSize = g.newArray("h", {}, sym::Shape::scalar(), sym::Role::StepSize);
  ModelParts parts;
  if (adjoint && !method.kept.empty()) {
    c.diagnostics().error(Code::LIE0435, method.nameRange,
                          fmt::format("{} keeps numbers from step to step, so its step has no adjoint", method.name));
    return std::nullopt;
  }
  if (const std::string reason = refusal(layer, method, parts); !reason.empty()) {
    auto report = c.diagnostics().error(Code::LIE0512, method.nameRange,
                                        fmt::format("{} cannot step this model: {}", method.name, reason));
    if (const auto others = methodsThatStep(c, layer, *method.kind); !others.empty())
      report.note(fmt::format("methods of the library that can are {}", fmt::join(others, ", ")));
    return std::nullopt;
  }
  const KindContext context{c, layer, layer.system, step};
  const std::unique_ptr<MethodKind> kind = makeKind(context, *method.kind, parts);
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
  step.ownEvaluations = step.evaluations;
  if (!instance.embedded().empty()) kind->embed(instance.embedded(), instance.embedded2());
  return step;
}

} // namespace

bool steps(mechanics::Layer& layer, const CheckedMethod& method) {
  ModelParts parts;
  return refusal(layer, method, parts).empty();
}

std::optional<Step> instantiate(sema::Compilation& c, mechanics::Layer& layer, const syntax::Expr& reference) {
  const AtTheChoice places(c, reference);
  const auto use = checkMethod(c, reference);
  if (!use) return std::nullopt;
  return stepOf(c, layer, *use->method, use->adjoint, std::string(c.sources().text(reference.range)));
}

std::optional<Step> instantiate(sema::Compilation& c, mechanics::Layer& layer, const CheckedMethod& method) {
  return stepOf(c, layer, method, false, method.name);
}

} // namespace lmc::methods
