// What adaptive steps need of the compiled code: a trial step with its error, rates at the start, tolerances.
#include "products/stages/Stages.h"

#include <algorithm>
#include <limits>

namespace lmc {

namespace {

std::vector<OutputBinding> bind(const std::vector<const sym::Array*>& arrays, std::int64_t offset) {
  std::vector<OutputBinding> list;
  for (const sym::Array* a : arrays) list.push_back({a, tape::Role::Output, offset++});
  return list;
}

void append(std::vector<OutputBinding>& to, const std::vector<OutputBinding>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

/// The bound of one kind (absolute or relative) for a piece: of the variable itself, of its configuration, of all.
double toleranceOf(const ErrorPiece& piece, const std::string& kind, const std::map<std::string, double>& settings) {
  for (const std::string& variable : {piece.variable, piece.factor, std::string()}) {
    const auto found = settings.find("tolerance." + kind + "." + variable);
    if (found != settings.end()) return found->second;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

} // namespace

AdaptiveOutputs adaptiveOutputs(Layer& layer, const Step& step, std::int64_t outputs, std::int64_t params) {
  AdaptiveOutputs a;
  a.estimate = errorEstimate(layer, step);
  a.start = startRates(layer, step, a.estimate.tolerances);
  const auto n = static_cast<std::int64_t>(a.estimate.pieces.size());
  a.errors = outputs;
  a.sizes = outputs + n;
  a.rates = outputs + 2 * n;
  a.changes = outputs + 3 * n;
  a.tolerances = params;
  return a;
}

int addTrial(Lowering& lowering, const AdaptiveOutputs& a, const std::vector<OutputBinding>& next) {
  const ToleranceArrays& tolerances = a.estimate.tolerances;
  lowering.bindInput(tolerances.absolute, tape::Role::Params, a.tolerances);
  lowering.bindInput(tolerances.relative, tape::Role::Params, a.tolerances + tolerances.absolute->size());
  std::vector<OutputBinding> trial = next;
  append(trial, bind(a.estimate.squares, a.errors));
  return lowering.addFunction("trial", 2, trial);
}

AdaptiveFunctions addAdaptive(Lowering& lowering, const AdaptiveOutputs& a, const std::vector<OutputBinding>& next) {
  AdaptiveFunctions f;
  f.trial = addTrial(lowering, a, next);
  std::vector<OutputBinding> start = bind(a.start.sizes, a.sizes);
  append(start, bind(a.start.rates, a.rates));
  append(start, bind(a.start.changes, a.changes));
  f.start = lowering.addFunction("start", 2, start);
  return f;
}

ErrorControl errorControl(const Model& model, const Step& step, const AdaptiveOutputs& a,
                          const AdaptiveFunctions& functions, const std::map<std::string, double>& settings) {
  ErrorControl c;
  c.trialFunction = functions.trial;
  c.startFunction = functions.start;
  for (const ErrorPiece& piece : a.estimate.pieces) c.pieces.push_back(piece.name);
  c.errors = a.errors;
  c.sizes = a.sizes;
  c.rates = a.rates;
  c.changes = a.changes;
  // Of a pair p(q) with no q the estimate is taken to be one order below.
  const int second = step.embeddedOrder > 0 ? step.embeddedOrder : step.order - 1;
  c.order = std::max(1, std::min(step.order, second));
  const auto& names = controllerNames();
  const auto named = std::find(names.begin(), names.end(), model.simulation.controller);
  if (named != names.end()) c.controller = static_cast<ControllerKind>(named - names.begin());
  if (const auto safety = settings.find("safety"); safety != settings.end()) c.safety = safety->second;
  for (const char* kind : {"absolute", "relative"}) {
    for (const ErrorPiece& piece : a.estimate.pieces) c.tolerances.push_back(toleranceOf(piece, kind, settings));
  }
  c.evaluationsPerTrial = step.evaluations;
  c.evaluationsOfStart = a.start.evaluations;
  return c;
}

} // namespace lmc
