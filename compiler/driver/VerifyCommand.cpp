// `lmc verify FILE`: the laws of the groups and manifolds that a file declares, tested; the orders of its methods,
// proved and measured; its model, checked.
#include "driver/Commands.h"

#include "driver/Options.h"
#include "driver/Report.h"
#include "driver/VerifyManifolds.h"
#include "driver/VerifyModel.h"
#include "orders/Declared.h"
#include "study/Verdict.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace lmc::tool {

namespace {

using nlohmann::ordered_json;
using orders::ProvedOrder;
using study::Verdict;

/// "f'(f) · f: 1/2 after a step, 1/3 in the solution"
std::string condition(const orders::FailedCondition& f) {
  return fmt::format("the condition of {} fails: the method has {}, the solution {}", f.tree, f.value, f.condition);
}

std::string describe(const ProvedOrder& p) {
  std::string text = fmt::format("order {}", p.order);
  if (p.numerical) text += fmt::format(", numerical (residual {:.1e})", p.residual);
  if (p.failure) text += "; " + condition(*p.failure);
  return text;
}

std::string describe(const Verdict& v) {
  std::string text = fmt::format("{}: order {} declared\n", v.method, v.declared);
  text += "  proved    " + (v.proof.proved() ? describe(v.proof.next) : "not proved: " + v.proof.reason) + "\n";
  if (v.proof.embedded) text += "  embedded  " + describe(*v.proof.embedded) + "\n";
  text += "  measured ";
  if (v.measured.empty()) text += " on no problem";
  for (const study::Measured& m : v.measured) {
    text += fmt::format("{} {} {}", &m == &v.measured.front() ? "" : ",",
                        m.convergence.order ? fmt::format("{:.2f}", *m.convergence.order) : "nothing", m.problem);
  }
  return text + "\n";
}

ordered_json toObject(const ProvedOrder& p) {
  ordered_json object = {{"order", p.order}, {"numerical", p.numerical}, {"residual", p.residual}};
  if (p.failure) {
    object["fails"] = {{"tree", p.failure->tree}, {"method", p.failure->value}, {"solution", p.failure->condition}};
  }
  return object;
}

ordered_json toObject(const Verdict& v) {
  ordered_json measured = ordered_json::array();
  for (const study::Measured& m : v.measured) {
    const auto& order = m.convergence.order;
    measured.push_back({{"problem", m.problem}, {"order", order ? ordered_json(*order) : ordered_json(nullptr)}});
  }
  ordered_json object = {{"method", v.method}, {"declared", v.declared}};
  object["proved"] = v.proof.proved() ? toObject(v.proof.next) : ordered_json(nullptr);
  if (!v.proof.proved()) object["reason"] = v.proof.reason;
  if (v.proof.embedded) object["embedded"] = toObject(*v.proof.embedded);
  object["measured"] = measured;
  object["verdict"] = v.holds() ? "PASS" : "FAIL";
  return object;
}

void reportFalse(Diagnostics& d, const ast::Declaration& method, const Verdict& v) {
  const bool proved = v.proof.proved() && v.proof.next.order < v.declared;
  const std::string found =
      proved ? fmt::format("it is {}", v.proof.next.order) : fmt::format("{:.2f} is measured", v.worst().value_or(0));
  auto r = d.error(Code::LIE0560, orders::orderRange(method),
                   fmt::format("the order of '{}' is not {}: {}", v.method, v.declared, found));
  if (proved && v.proof.next.failure) r.note(condition(*v.proof.next.failure));
}

/// The methods of the file itself.
std::vector<Found> methodsOf(Pipeline& pipeline) {
  std::vector<Found> list;
  const ast::File& file = *pipeline.compilation().files().front();
  for (const ast::Declaration& d : file.declarations) {
    if (d.kind == ast::DeclKind::Method || d.kind == ast::DeclKind::Variational) list.push_back({&d, file.source});
  }
  return list;
}

/// Judges all methods; one object for each with --json, else printed.
ordered_json verifyMethods(Pipeline& pipeline, const Invocation& call, const std::vector<Found>& methods) {
  PipelineOptions plain;
  plain.compilation.libraryRoot = pipeline.compilation().options().libraryRoot;
  plain.compilation.importPath = pipeline.compilation().options().importPath;
  plain.compile.useCache = !call.noCache;
  plain.limits = call.limits;
  study::Bench bench(plain, oneFile(call));
  ordered_json list = ordered_json::array();
  for (const Found& method : methods) {
    const Verdict verdict = study::judge(pipeline.compilation(), method, bench);
    if (!verdict.holds()) reportFalse(pipeline.compilation().diagnostics(), *method.declaration, verdict);
    if (call.json)
      list.push_back(toObject(verdict));
    else
      print(describe(verdict));
  }
  return list;
}

/// Prints the diagnostics, and with --json all findings; returns the exit status.
int finish(const Invocation& call, const Pipeline& pipeline, ordered_json& object) {
  const Diagnostics& found = pipeline.diagnostics();
  object["diagnostics"] = ordered_json::parse(toJson(found, pipeline.sources()));
  if (call.json)
    print(object.dump(2) + "\n");
  else
    printDiagnostics(call, found, pipeline.sources());
  return found.hasErrors() ? InputWrong : Done;
}

} // namespace

int verifyFile(Context& context) {
  const Invocation& call = context.call;
  const std::string& file = oneFile(call);
  context.stage = "checking '" + file + "'";
  PipelineOptions options = pipelineOptions(call);
  options.codeForAnyParameters = false; // nothing is run twice
  Pipeline pipeline(options);
  const auto refused = [&] { return refuseInput(call, pipeline.diagnostics(), pipeline.sources()); };
  if (!pipeline.load(file)) return refused();

  ordered_json object = {{"manifolds", ordered_json::array()}, {"methods", ordered_json::array()}};
  ManifoldFindings manifolds;
  if (!pipeline.diagnostics().hasErrors()) {
    context.stage = "testing the manifolds of '" + file + "'";
    if (!pipeline.within([&] { manifolds = verifyManifolds(pipeline.compilation(), call, object["manifolds"]); }))
      return refused();
    // What uses a wrong manifold is wrong, too: that would tell nothing new.
    if (!manifolds.lawsHold) return finish(call, pipeline, object);
  }
  if (!pipeline.check()) return refused();
  const std::vector<Found> methods = methodsOf(pipeline);
  const bool model = pipeline.system() != nullptr;
  if (methods.empty() && !model && manifolds.declared == 0)
    throw UsageError("'" + file + "' declares no manifold, no method and no model");

  if (!methods.empty()) {
    context.stage = "measuring the methods of '" + file + "'";
    if (!pipeline.within([&] { object["methods"] = verifyMethods(pipeline, call, methods); })) return refused();
  }
  if (model) {
    context.stage = "checking the model of '" + file + "'";
    bool checked = false;
    if (!pipeline.within([&] { checked = verifyModel(pipeline, call, object["model"]); }) || !checked) return refused();
  }
  return finish(call, pipeline, object);
}

} // namespace lmc::tool
