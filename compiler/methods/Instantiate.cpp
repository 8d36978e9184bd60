#include "methods/Instantiate.h"

#include "methods/Instantiation.h"
#include "methods/NumbersOnly.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc {

namespace {

/// Named arguments of a method: numbers, and expressions of numbers.
bool readArguments(Compilation& c, const ast::Expr& a, const ast::Declaration& method,
                   Instantiation::Arguments& arguments) {
  Diagnostics& d = c.diagnostics();
  if (a.kind != ast::ExprKind::Parts) {
    d.error(Code::LIE0502, a.range, "arguments of a method are named: NAME(theta = 0.5)");
    return false;
  }
  for (std::size_t j = 0; j < a.names.size(); ++j) {
    std::vector<std::string> names;
    for (const ast::Target& p : method.params) names.push_back(p.name);
    if (std::find(names.begin(), names.end(), a.names[j]) == names.end()) {
      auto report = d.error(Code::LIE0502, a.nameRanges[j],
                            fmt::format("method '{}' has no parameter '{}'", method.name, a.names[j]));
      if (!names.empty()) report.note(fmt::format("it has {}", fmt::join(names, ", ")));
      return false;
    }
    if (a.names[j] == retractionParameter) {
      if (a.args[j]->kind != ast::ExprKind::Name) {
        d.error(Code::LIE0502, a.args[j]->range, "a retraction is given by its name: retract = cay");
        return false;
      }
      Value name;
      name.kind = ValueKind::String;
      name.text = a.args[j]->text;
      arguments.emplace_back(a.names[j], std::move(name));
      continue;
    }
    NumbersOnly none; // nothing of a method is around
    const auto evaluator = c.methodEvaluator(none, a.range.source);
    Value v = evaluator->evaluate(*a.args[j], Scope(), {});
    if (v.isError()) return false;
    if (v.kind != ValueKind::Tensor || v.parts[0]->shape.rank != 0 || !v.parts[0]->isConst()) {
      d.error(Code::LIE0502, a.args[j]->range, "an argument of a method is a number");
      return false;
    }
    arguments.emplace_back(a.names[j], std::move(v));
  }
  return true;
}

void reportUnknown(Compilation& c, const std::string& name, Range where) {
  std::vector<std::string> names = c.methodNames();
  std::sort(names.begin(), names.end());
  c.diagnostics()
      .error(Code::LIE0500, where, fmt::format("there is no method '{}'", name))
      .note(fmt::format("there are {}", fmt::join(names, ", ")))
      .suggest(nearest(name, names));
}

/// Says at the place where a method was chosen why it cannot step the model: errors of this attempt that stand in texts
/// of others (the library) become one, with the method's own line as a note.
class AtTheChoice {
public:
  AtTheChoice(Compilation& c, const ast::Expr& reference)
      : c_(c), reference_(reference), mark_(c.diagnostics().mark()) {}
  AtTheChoice(const AtTheChoice&) = delete;
  AtTheChoice& operator=(const AtTheChoice&) = delete;

  ~AtTheChoice() {
    const std::vector<Diagnostic> all = c_.diagnostics().takeBack(mark_);
    const Diagnostic* first = nullptr;
    for (const Diagnostic& d : all) {
      if (d.severity == Severity::Error && (d.code == Code::LIE0512 || !ofTheUser(d.range.source))) {
        if (first == nullptr) first = &d;
      } else {
        repeat(d, d.range, d.message);
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
           std::any_of(files.begin(), files.end(), [&](const ast::File* f) { return f->source == source; });
  }

  Diagnostics::Report repeat(const Diagnostic& d, Range where, const std::string& message) {
    auto report = d.severity == Severity::Error ? c_.diagnostics().error(d.code, where, message)
                                                : c_.diagnostics().warning(d.code, where, message);
    for (const Note& n : d.notes) n.range ? report.note(n.message, *n.range) : report.note(n.message);
    return report.suggest(d.suggestion);
  }

  Compilation& c_;
  const ast::Expr& reference_;
  std::size_t mark_;
};

/// The step of one method: its kind, its body, the arrays after it.
std::optional<Step> stepOf(Compilation& c, System& system, const MethodReference& reference, const std::string& name) {
  const Found& method = reference.found;
  const ast::Declaration& decl = *method.declaration;
  sym::Graph& g = c.graph();
  Step step;
  step.method = name;
  step.stepSize = g.newArray("h", {}, sym::Shape::scalar(), sym::Role::StepSize);
  const KindContext context{c, system, step};
  const std::unique_ptr<MethodKind> kind = makeKind(context, method);
  if (!kind) return std::nullopt;
  if (const std::string reason = kind->refusal(); !reason.empty()) {
    c.diagnostics().error(Code::LIE0512, decl.nameRange,
                          fmt::format("{} cannot step this model: {}", decl.name, reason));
    return std::nullopt;
  }
  Instantiation instance(context, *kind, method);
  const Instantiation::Begin begin{kind->state(), g.load(step.stepSize), g.load(system.model->time)};
  const auto next =
      reference.adjoint ? instance.adjointStep(reference, begin) : instance.run(begin, reference.arguments);
  if (!next) return std::nullopt;
  kind->finish(*next);
  step.ownEvaluations = step.evaluations;
  if (!instance.embedded().empty() && !kind->embed(instance.embedded())) {
    c.diagnostics().error(Code::LIE0501, decl.nameRange,
                          fmt::format("error estimates of methods on '{}' are not supported yet", decl.kindName));
    return std::nullopt;
  }
  return step;
}

} // namespace

std::string kindOf(Compilation& c, const ast::Declaration& method) {
  for (const ast::Declaration* m : composedOf(c, method)) {
    if (m->kind == ast::DeclKind::Variational) return "variational";
    if (!m->kindName.empty()) return m->kindName;
  }
  return "manifold";
}

bool steps(Compilation& c, System& system, const Found& method) {
  Step step;
  const auto kind = makeKind({c, system, step}, method);
  return !kind || kind->refusal().empty();
}

std::unique_ptr<MethodKind> makeKind(const KindContext& context, const Found& method) {
  const ast::Declaration& decl = *method.declaration;
  static const std::vector<std::string> kinds = {"manifold", "cotangent", "lagrangian", "rigid_body", "embedding"};
  const std::string name = kindOf(context.compilation, decl);
  Diagnostics& d = context.compilation.diagnostics();
  if (name == "manifold") return manifoldKind(context);
  if (name == "cotangent") return cotangentKind(context);
  if (name == "lagrangian") return lagrangianKind(context);
  if (name == "variational") return variationalKind(context);
  if (name == "rigid_body") return rigidBodyKind(context);
  if (name == "embedding") return embeddingKind(context, decl);
  d.error(Code::LIE0503, decl.kindRange,
          fmt::format("there is no kind of method '{}'; the kinds are {}", name, fmt::join(kinds, ", ")))
      .suggest(nearest(name, kinds));
  return nullptr;
}

std::optional<MethodReference> resolveMethod(Compilation& c, const ast::Expr& reference) {
  if (reference.kind == ast::ExprKind::Error) return std::nullopt;
  const bool isCall = reference.kind == ast::ExprKind::Call;
  const ast::Expr& name = isCall ? *reference.args[0] : reference;
  if (isCall && name.text == "adjoint") {
    if (reference.args.size() != 2) {
      c.diagnostics().error(Code::LIE0506, reference.range, "adjoint takes a method: adjoint(M)");
      return std::nullopt;
    }
    auto method = resolveMethod(c, *reference.args[1]);
    if (method) method->adjoint = !method->adjoint;
    return method;
  }
  if (name.kind != ast::ExprKind::Name) {
    c.diagnostics().error(Code::LIE0500, reference.range,
                          "a method is given by its name, perhaps with arguments: NAME(theta = 0.5)");
    return std::nullopt;
  }
  MethodReference r;
  r.found = c.findMethod(name.text, name.range.source);
  if (!r.found) {
    reportUnknown(c, name.text, name.range);
    return std::nullopt;
  }
  for (std::size_t k = 1; isCall && k < reference.args.size(); ++k) {
    if (!readArguments(c, *reference.args[k], *r.found.declaration, r.arguments)) return std::nullopt;
  }
  return r;
}

std::optional<Step> instantiate(Compilation& c, System& system, const ast::Expr& reference) {
  const auto method = resolveMethod(c, reference);
  if (!method) return std::nullopt;
  const AtTheChoice places(c, reference);
  return stepOf(c, system, *method, std::string(c.sources().text(reference.range)));
}

std::optional<Step> instantiate(Compilation& c, System& system, const Found& method) {
  return stepOf(c, system, {method, {}}, method.declaration->name);
}

} // namespace lmc
