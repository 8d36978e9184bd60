// What adaptive steps need of the compiled code: a trial step with its error, rates at the start, tolerances.
#include "products/stages/Stages.h"
#include "sym/Inline.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>

namespace lmc::products {

namespace {

unit::UnitBuilder::Outputs both(unit::UnitBuilder::Outputs first, const unit::UnitBuilder::Outputs& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// The bound of one kind (absolute or relative) for a piece: of the variable itself, of its configuration, of all.
double toleranceOf(const methods::ErrorPiece& piece, const std::string& kind,
                   const std::map<std::string, double>& settings) {
  for (const std::string& variable : {piece.variable, piece.factor, std::string()}) {
    const auto found = settings.find("tolerance." + kind + "." + variable);
    if (found != settings.end()) return found->second;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

} // namespace

AdaptiveOutputs adaptiveOutputs(mechanics::Layer& layer, const methods::Step& step, unit::UnitBuilder& unit) {
  AdaptiveOutputs a;
  a.estimate = methods::errorEstimate(layer, step);
  if (!step.series) a.start = methods::startRates(layer, step, a.estimate.tolerances);
  std::vector<std::string> names;
  for (const methods::ErrorPiece& p : a.estimate.pieces) names.push_back(p.name);
  const std::string of = fmt::format("of {}", fmt::join(names, ", "));
  const auto n = static_cast<std::int64_t>(names.size());
  const auto tolerance = [&](const char* name) {
    runtime::Field f = unit::numbersField(runtime::Role::Params, name, n);
    f.comment = of;
    return unit.place(std::move(f));
  };
  a.absolute = tolerance("tolerance.absolute");
  a.relative = tolerance("tolerance.relative");
  runtime::Field errors = unit::numbersField(runtime::Role::Output, "errors", n);
  errors.kind = runtime::FieldKind::Error;
  errors.comment = "squared, " + of;
  a.errors = unit.place(std::move(errors));
  return a;
}

unit::UnitBuilder::Outputs trialOutputs(unit::UnitBuilder& unit, const AdaptiveOutputs& a,
                                        const unit::UnitBuilder::Outputs& next) {
  const methods::ToleranceArrays& tolerances = a.estimate.tolerances;
  unit.reads(tolerances.absolute, a.absolute);
  unit.reads(tolerances.relative, a.relative);
  return both(next, unit::UnitBuilder::into(a.errors, a.estimate.squares));
}

namespace {

/// What has its place next begins where a line of memory does, as its role does in a run: vectors are read from it.
void beginLine(unit::UnitBuilder& unit, runtime::Role role) {
  constexpr std::int64_t line = 8; // numbers
  std::int64_t end = 0;
  for (const runtime::Field& f : unit.fields())
    if (f.role == role) end = std::max(end, f.offset + f.count());
  if (end % line == 0) return;
  runtime::Field rest = unit::numbersField(role, "unused", line - end % line);
  rest.comment = "the rest of a line of memory";
  (void)unit.place(std::move(rest));
}

} // namespace

SeriesFunctions addSeries(mechanics::Layer& layer, const methods::Step& step, unit::UnitBuilder& unit,
                          const AdaptiveOutputs& a,
                          const std::function<unit::UnitBuilder::Outputs(const methods::Step&)>& next) {
  const sym::Array* const coefficients = step.series->coefficients;
  const sym::Array* const given = layer.program().graph().newArray("given " + coefficients->name, coefficients->extents,
                                                                   sym::Shape::scalar(), sym::Role::State);
  runtime::Field field = unit::numbersField(runtime::Role::Output, "series", coefficients->size());
  field.comment = "coefficients of the motion as a power series of the time, order by order";
  beginLine(unit, field.role);
  field = unit.place(std::move(field));
  unit.reads(given, field);
  constexpr auto inStep = lower::Lowering::Use::InStep;
  SeriesFunctions f;
  f.series = unit.function("series", 2, trialOutputs(unit, a, unit::UnitBuilder::into(field, {coefficients})), inStep);
  methods::Step end = step;
  sym::Replacement replacement;
  replacement.arrays[coefficients] = given;
  end.next = sym::inlineCopy(layer.program(), step.next, replacement, "@series");
  f.trial = unit.function("trial", 2, next(end), inStep);
  return f;
}

void addStart(unit::UnitBuilder& unit, AdaptiveOutputs& a) {
  a.sizes = unit.place(runtime::Role::Output, "sizes", a.start.sizes);
  a.rates = unit.place(runtime::Role::Output, "rates", a.start.rates);
  a.changes = unit.place(runtime::Role::Output, "changes", a.start.changes);
  unit.functions.start = unit.function(
      "start", 2,
      both(both(unit::UnitBuilder::into(a.sizes, a.start.sizes), unit::UnitBuilder::into(a.rates, a.start.rates)),
           unit::UnitBuilder::into(a.changes, a.start.changes)));
}

runtime::ErrorControl errorControl(const sema::Model& model, const methods::Step& step, const AdaptiveOutputs& a,
                                   const std::map<std::string, double>& settings) {
  runtime::ErrorControl c;
  for (const methods::ErrorPiece& piece : a.estimate.pieces) c.pieces.push_back(piece.name);
  c.errors = a.errors;
  c.sizes = a.sizes;
  c.rates = a.rates;
  c.changes = a.changes;
  // Of a pair p(q) with no q the estimate is taken to be one order below; so is one that two results make together.
  const int second = step.embeddedOrder > 0 && step.embedded2.empty() ? step.embeddedOrder : step.order - 1;
  c.order = std::max(1, std::min(step.order, second));
  if (step.series) {
    c.order = step.series->first - 1;
    c.highestPower = step.series->last;
  }
  const auto& names = runtime::controllerNames();
  const auto named = std::find(names.begin(), names.end(), model.simulation.controller);
  if (named != names.end()) c.controller = static_cast<runtime::ControllerKind>(named - names.begin());
  if (const auto safety = settings.find("safety"); safety != settings.end()) c.safety = safety->second;
  for (const char* kind : {"absolute", "relative"}) {
    for (const methods::ErrorPiece& piece : a.estimate.pieces)
      c.tolerances.push_back(toleranceOf(piece, kind, settings));
  }
  c.evaluationsPerTrial = step.evaluations;
  c.evaluationsOfStart = a.start.evaluations;
  return c;
}

} // namespace lmc::products
