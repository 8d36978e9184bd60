// `lmc verify FILE`: the laws of the groups and manifolds that a file declares, tested; the orders of its tableaus and
// methods, proved and measured; its model, checked.
#include "tool/support/Command.h"

#include "checks/orders/TableauOrder.h"
#include "checks/study/Claims.h"
#include "methods/checked/Tableau.h"
#include "tool/shared/StudyBuilds.h"
#include "tool/shared/VerifyManifolds.h"
#include "tool/shared/VerifyModel.h"
#include "tool/support/Arguments.h"
#include "tool/support/Report.h"
#include "tool/support/SharedOptions.h"

#include <algorithm>
#include <fmt/format.h>
#include <initializer_list>
#include <nlohmann/json.hpp>

namespace lmc::tool {

namespace {

using nlohmann::ordered_json;
using orders::ProvedOrder;
using study::TableauClaim;
using study::Verdict;

std::string describe(const ProvedOrder& p) {
  std::string text = fmt::format("order {}", p.order);
  if (p.numerical) text += fmt::format(", numerical (residual {:.1e})", p.residual);
  if (p.failure) text += "; " + study::sentence(*p.failure);
  return text;
}

std::string describe(const Verdict& v) {
  std::string text = fmt::format("{}: order {} declared\n", v.method, v.declared);
  text += "  proved    " + (v.proof.proved() ? describe(v.proof.next) : "not proved: " + v.proof.reason) + "\n";
  if (v.proof.embedded) text += "  embedded  " + describe(*v.proof.embedded) + "\n";
  if (v.finding() == study::Finding::Undecided) text += "  undecided: " + v.reason() + "\n";
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
  object["verdict"] = study::word(v.finding());
  if (v.finding() != study::Finding::Pass) object["why"] = v.reason();
  return object;
}

// --- tableaus -----------------------------------------------------------------------------------------------------

ordered_json toObject(const TableauClaim& c) {
  ordered_json object = toObject(c.found);
  object["declared"] = c.declared > 0 ? ordered_json(c.declared) : ordered_json(nullptr);
  object["verdict"] = study::word(c.finding());
  return object;
}

/// The orders of the tableaus of the file, by the classical conditions; one object for each with --json, else printed.
ordered_json verifyTableaus(products::Pipeline& pipeline, const Invocation& call,
                            const std::vector<sema::Found>& tableaus) {
  ordered_json list = ordered_json::array();
  sema::Compilation& c = pipeline.compilation();
  for (const sema::Found& found : tableaus) {
    const std::optional<methods::Tableau> t = methods::readTableau(c, found);
    if (!t) continue; // reported
    const Range where = t->orderRange;
    const TableauClaim order{t->order, orders::orderOf(*t, t->b, std::max(t->order, 1) + 1)};
    study::report(c.diagnostics(), where, fmt::format("`{}`", t->name), order);
    ordered_json object = {{"tableau", t->name}, {"stages", t->stages()}, {"b", toObject(order)}};
    std::string text = fmt::format("{}: a tableau of {} stage{}, ", t->name, t->stages(), t->stages() == 1 ? "" : "s") +
                       (t->order > 0 ? fmt::format("order {} declared", t->order) : "no order declared") +
                       "\n  proved    " + describe(order.found) + "\n";
    if (!t->bhat.empty()) {
      const TableauClaim second{t->embeddedOrder,
                                orders::orderOf(*t, t->bhat, std::max(t->embeddedOrder, t->order) + 1)};
      study::report(c.diagnostics(), where, fmt::format("`bhat` of `{}`", t->name), second);
      object["bhat"] = toObject(second);
      text += "  embedded  " + describe(second.found) + "\n";
    }
    if (!t->bhat2.empty()) { // of which no order is declared
      const TableauClaim third{0, orders::orderOf(*t, t->bhat2, std::max(t->embeddedOrder, 1) + 1)};
      object["bhat2"] = toObject(third);
      text += "  beside it " + describe(third.found) + "\n";
    }
    if (call[options::json])
      list.push_back(object);
    else
      print(text);
  }
  return list;
}

/// Declarations of the file itself.
std::vector<sema::Found> declarationsOf(products::Pipeline& pipeline, std::initializer_list<syntax::DeclKind> kinds) {
  std::vector<sema::Found> list;
  const syntax::File& file = *pipeline.compilation().files().front();
  for (const syntax::Declaration& d : file.declarations)
    if (std::find(kinds.begin(), kinds.end(), d.kind) != kinds.end()) list.push_back({&d, file.source});
  return list;
}

/// Judges all methods; one object for each with --json, else printed.
ordered_json verifyMethods(products::Pipeline& pipeline, const Invocation& call,
                           const std::vector<sema::Found>& methods) {
  products::PipelineOptions plain;
  plain.compilation.libraryRoot = pipeline.compilation().options().libraryRoot;
  plain.compilation.importPath = pipeline.compilation().options().importPath;
  plain.compile.useCache = !call[options::noCache];
  plain.limits = limitsOf(call);
  study::Bench bench(plain, oneFile(call));
  ordered_json list = ordered_json::array();
  for (const sema::Found& method : methods) {
    const Verdict verdict = study::judge(pipeline.compilation(), method, bench);
    study::report(pipeline.compilation().diagnostics(), verdict);
    if (call[options::json])
      list.push_back(toObject(verdict));
    else
      print(describe(verdict));
  }
  return list;
}

/// Prints the diagnostics, and with --json all findings; returns the exit status.
int finish(const Invocation& call, const products::Pipeline& pipeline, ordered_json& object) {
  const Diagnostics& found = pipeline.diagnostics();
  object["diagnostics"] = ordered_json::parse(toJson(found, pipeline.sources()));
  if (call[options::json])
    print(object.dump(2) + "\n");
  else
    printDiagnostics(call, found, pipeline.sources());
  return found.hasErrors() ? InputWrong : Done;
}

int verifyFile(Context& context) {
  const Invocation& call = context.call;
  const std::string& file = oneFile(call);
  context.stage = "checking `" + file + "`";
  products::PipelineOptions options = pipelineOptions(call);
  options.codeForAnyParameters = false; // nothing is run twice
  products::Pipeline pipeline(options);
  const auto refused = [&] { return refuseInput(call, pipeline.diagnostics(), pipeline.sources()); };
  if (!pipeline.load(file)) return refused();

  ordered_json object = {
      {"manifolds", ordered_json::array()}, {"tableaus", ordered_json::array()}, {"methods", ordered_json::array()}};
  ManifoldFindings manifolds;
  if (!pipeline.diagnostics().hasErrors()) {
    context.stage = "testing the manifolds of `" + file + "`";
    if (!pipeline.within([&] { manifolds = verifyManifolds(pipeline.compilation(), call, object["manifolds"]); }))
      return refused();
    // What uses a wrong manifold is wrong, too: that would tell nothing new.
    if (!manifolds.lawsHold) return finish(call, pipeline, object);
  }
  if (!pipeline.check()) return refused();
  const std::vector<sema::Found> tableaus = declarationsOf(pipeline, {syntax::DeclKind::Tableau});
  const std::vector<sema::Found> methods =
      declarationsOf(pipeline, {syntax::DeclKind::Method, syntax::DeclKind::Variational});
  const bool model = pipeline.system() != nullptr;
  if (tableaus.empty() && methods.empty() && !model && manifolds.declared == 0)
    throw UsageError("`" + file + "` declares no manifold, no tableau, no method and no model");

  if (!tableaus.empty() && !pipeline.within([&] { object["tableaus"] = verifyTableaus(pipeline, call, tableaus); }))
    return refused();
  if (!methods.empty()) {
    context.stage = "measuring the methods of `" + file + "`";
    if (!pipeline.within([&] { object["methods"] = verifyMethods(pipeline, call, methods); })) return refused();
  }
  if (model) {
    context.stage = "checking the model of `" + file + "`";
    bool checked = false;
    if (!pipeline.within([&] { checked = verifyModel(pipeline, call, object["model"]); }) || !checked) return refused();
    warnOfResets(pipeline);
  }
  return finish(call, pipeline, object);
}

} // namespace

extern const Command verifyCommand = {
    .name = "verify",
    .place = 8,
    .argument = "FILE",
    .summary = "laws of the groups and manifolds in a file; orders of methods; of a model: equations, invariants, "
               "reversibility",
    .examples = "lmc verify top.lie",
    .usesCache = true,
    .options = OptionList(options::model, options::simulation, options::compile, options::json),
    .run = verifyFile,
};

} // namespace lmc::tool
