// What adaptive steps need of the compiled code: a trial step with its error, rates at the start, tolerances.
#include "methods/Parts.h"
#include "products/Impl.h"
#include "sym/Inline.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <numeric>

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
    const auto found = settings.find(fmt::format("tolerance.{}.{}", kind, variable));
    if (found != settings.end()) return found->second;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

/// Whether trials that hand on their last stage have less to do than those that work out both results. What passes from
/// the first function of a trial to the second one, and to the next trial, is written to memory and read again, for
/// which the second one waits. Stages that share code are long enough.
bool isWorthHanding(const sym::Program& program, const methods::Step& step, const methods::ErrorEstimate& atEnd,
                    const methods::ErrorEstimate& whole) {
  if (step.stages) return true;
  // Of the operations, by measurement; beside the loops of a family waiting for memory weighs little.
  constexpr std::int64_t writtenOut = 8;
  const bool loops = std::any_of(step.next.begin(), step.next.end(), [](auto* a) { return a->count() > writtenOut; });
  const double most = loops ? 0.93 : 0.89;
  constexpr double ofNumber = 2;       // operations
  constexpr std::int64_t ofLoops = 16; // members, as `operations` counts them
  methods::Step parts, both;
  parts.next = both.next = step.next;
  for (const methods::ErrorEstimate::Left& left : atEnd.left) parts.next.push_back(left.value);
  std::int64_t numbers = 0;
  for (const sema::ArrayTuple* list : std::initializer_list<const sema::ArrayTuple*>{&parts.next, &step.last->first})
    for (const sym::Array* a : *list) numbers += std::min(a->count(), ofLoops) * a->shape.size();
  parts.next.insert(parts.next.end(), atEnd.squares.begin(), atEnd.squares.end());
  both.next.insert(both.next.end(), whole.squares.begin(), whole.squares.end());
  const auto ofParts = static_cast<double>(methods::operations(program, parts));
  const auto ofBoth = static_cast<double>(methods::operations(program, both));
  return ofParts + ofNumber * static_cast<double>(numbers) < most * ofBoth;
}

} // namespace

AdaptiveOutputs adaptiveOutputs(mechanics::Layer& layer, const methods::Step& step, unit::UnitBuilder& unit,
                                Trials trials) {
  AdaptiveOutputs a;
  a.estimate = methods::errorEstimate(layer, step);
  if (step.last && trials == Trials::HandOn) {
    methods::ErrorEstimate atEnd = methods::estimateAtEnd(layer, step);
    a.handsOn = isWorthHanding(layer.program(), step, atEnd, a.estimate);
    if (a.handsOn) a.estimate = std::move(atEnd);
  }
  a.start = methods::startRates(layer, step, a.estimate.tolerances);
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

unit::UnitBuilder::Outputs Product::errorOutputs() {
  const methods::ToleranceArrays& tolerances = adaptive->estimate.tolerances;
  unit.reads(tolerances.absolute, adaptive->absolute);
  unit.reads(tolerances.relative, adaptive->relative);
  return unit::UnitBuilder::into(adaptive->errors, adaptive->estimate.squares);
}

int Product::wholeTrial() {
  if (step().series) {
    const SeriesFunctions f = addSeries();
    return unit.callsInOrder("trial", {{f.series, 0, 1}, {f.trial, 0, 1}});
  }
  unit::UnitBuilder::Outputs outputs = both(next(step()), errorOutputs());
  if (step().calls) return stageCode.add(unit, *step().calls, "trial", StageCode::Wanted::All, std::move(outputs));
  if (!step().stages) return unit.function("trial", 2, std::move(outputs));
  const methods::SharedStages& stages = *step().stages;
  std::vector<std::size_t> all(stages.c.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return stageCode.add(unit, stages, "trial", all, stages.ends.size(), std::move(outputs));
}

void Pipeline::Impl::lookAtEstimate() {
  if (stepsOf(true) != Steps::Adaptive || !step()->blindToTime) return;
  diagnostics()
      .warning(
          Code::LIE0541, stage()->reference->range,
          fmt::format("the motion depends on the time, and {} sees no error of what depends on it alone: steps may "
                      "be too long, whatever the tolerance",
                      step()->method))
      .suggest("take another pair (`lmc explain LIE0541` names some), or hold the run against others with --certify");
}

void Product::addAdaptiveSteps() {
  if (step().series) {
    const SeriesFunctions f = addSeries();
    unit.functions.series = f.series;
    unit.functions.trial = f.trial;
  } else if (adaptive->handsOn) {
    addHandingTrial();
  } else {
    unit.functions.trial = wholeTrial();
  }
  addStart(unit, *adaptive);
}

/// What is handed on stands behind the state: so it is kept, and put back, with it.
void Product::addHandingTrial() {
  const methods::LastStage& last = *step().last;
  std::int64_t count = 0;
  for (const sym::Array* a : last.first) count += a->size();
  runtime::Field first = unit::numbersField(runtime::Role::State, "first stage", count);
  first.comment = "f at the state, which a trial hands on to the next one";
  first = unit.place(std::move(first));
  unit::UnitBuilder::Outputs begin = next(step()),
                             end = both(unit::UnitBuilder::into(first, last.first), errorOutputs());
  for (const methods::ErrorEstimate::Left& left : adaptive->estimate.left) {
    runtime::Field field = unit.place(runtime::Role::Output, "left." + left.value->name, {left.value});
    unit.reads(left.given, field);
    begin.push_back({left.value, field.role, field.offset});
  }
  if (step().stages) {
    unit.functions.trial = stageCode.add(unit, *step().stages, first, std::move(begin), std::move(end));
    unit.functions.begin = stageCode.begin(unit);
    return;
  }
  const int atEnd = unit.function("end of trial", 2, std::move(end)); // finds f, and is not given it
  unit.reads(last.first, first);
  const int step = unit.function("step of trial", 2, std::move(begin));
  unit.functions.trial = unit.callsInOrder("trial", {{step, 0, 1}, {atEnd, 1, 1}});
  unit.functions.begin = unit.callsInOrder("begin", {{atEnd, 0, 1}});
}

Product::SeriesFunctions Product::addSeries() {
  const sym::Array* const coefficients = step().series->coefficients;
  const sym::Array* const given = layer.program().graph().newArray("given " + coefficients->name, coefficients->extents,
                                                                   sym::Shape::scalar(), sym::Role::State);
  runtime::Field field = unit::numbersField(runtime::Role::Output, "series", coefficients->size());
  field.comment = "coefficients of the motion as a power series of the time, order by order";
  unit.beginLine(field.role);
  field = unit.place(std::move(field));
  unit.reads(given, field);
  constexpr auto inStep = lower::Lowering::Use::InStep;
  SeriesFunctions f;
  f.series = unit.function("series", 2, both(unit::UnitBuilder::into(field, {coefficients}), errorOutputs()), inStep);
  methods::Step end = step();
  sym::Replacement replacement;
  replacement.arrays[coefficients] = given;
  end.next = sym::inlineCopy(layer.program(), step().next, replacement, "@series");
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
  c.evaluationsOfBegin = a.handsOn ? 1 : 0;
  c.evaluationsPerTrial = step.evaluations - c.evaluationsOfBegin;
  c.evaluationsOfStart = a.start.evaluations;
  return c;
}

} // namespace lmc::products
