#include "products/exported/Exported.h"
#include "jit/Ahead.h"
#include "present/Present.h"
#include "products/Impl.h"
#include "products/equations/Equations.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace lmc::products {

namespace {

/// Of steps with an error estimate, where the model gives no tolerance.
constexpr double defaultTolerance = 1e-6;
/// Instructions of a function that a compiler of C takes in its stride: with 38,000 gcc -O2 needed 13 s, most of it
/// for one function.
constexpr std::size_t longestFunction = 1500;

/// "J[0][1], J[0][2]": the entries of one member that are taken to be zero.
std::string zeroEntries(const sema::Parameter& p, const std::vector<bool>& zeros) {
  std::string text;
  for (std::size_t k = 0; k < zeros.size(); ++k) {
    if (!zeros[k]) continue;
    const auto cols = static_cast<std::size_t>(p.array->shape.cols);
    const std::string place =
        p.array->shape.rank == 2 ? fmt::format("[{}][{}]", k / cols, k % cols) : fmt::format("[{}]", k);
    text += (text.empty() ? "" : ", ") + place;
  }
  return text.empty() ? text : "zero: " + text;
}

/// Parameters are the first fields of a unit.
void noteZeros(std::vector<runtime::Field>& fields, const sema::Model& m, const unit::ZeroPattern& zeros) {
  for (std::size_t k = 0; k < m.parameters.size(); ++k) {
    const sema::Parameter& p = m.parameters[k];
    const auto z = zeros.find(p.array->id);
    if (z != zeros.end() && p.use == sema::Parameter::Use::Parameter) fields[k].comment = zeroEntries(p, z->second);
  }
}

/// Those of events, then those of samplings, by number.
std::vector<unit::ExportedReset> resetFunctions(const runtime::Problem& p) {
  std::vector<unit::ExportedReset> list;
  const std::vector<const runtime::Field*> events = p.all(runtime::FieldKind::Event);
  const auto number = [&](int k) { return p.functions.resets[static_cast<std::size_t>(k)]; };
  for (std::size_t k = 0; k < events.size(); ++k) {
    const runtime::EventRule& rule = p.eventRules[k];
    if (rule.reset < 0) continue;
    const std::string& name = events[k]->name;
    list.push_back(
        {number(rule.reset), "_reset_" + unit::identifier(name), "the event " + name, !events[k]->extents.empty()});
  }
  for (std::size_t k = 0; k < p.ticks.size(); ++k)
    if (p.ticks[k].reset >= 0)
      list.push_back({number(p.ticks[k].reset), fmt::format("_every_{}", k + 1), "`" + p.ticks[k].name + "`", false});
  return list;
}

/// The functions that a program calls by name.
void addExported(Pipeline::Impl& made, Product& product) {
  const Stopwatch watch(made.timings, "lower");
  const Place place(made.model->simulation.method ? made.model->simulation.method->range : made.modelPlace());
  const Observation& observation = product.observation;
  unit::UnitBuilder& unit = product.unit;
  product.steps = Steps::Fixed;
  unit.keepNotes();
  product.bind(InputUse::Exported);
  unit.report();
  // Who calls a trial may have changed anything since the last one.
  if (!product.step().embedded.empty())
    product.adaptive = adaptiveOutputs(product.layer, product.step(), unit, Trials::Alone);
  runtime::Functions& f = unit.functions;
  f.field = unit.function("derivatives", 1, product.rates);
  if (made.system->energy != nullptr) f.energy = unit.function("energy", 1, {observation.outputs.front()});
  if (!observation.outputs.empty()) f.observe = unit.function("observe", 1, observation.outputs);
  if (!observation.events.empty()) f.events = unit.function("events", 1, observation.events);
  made.addResets(product);
  unit.argument(product.step().stepSize, 1);
  f.step = product.addStep();
  if (product.adaptive) f.trial = product.wholeTrial();
}

std::optional<unit::Exported> exportedUnitOf(Pipeline::Impl& made, const std::string& prefix) {
  const Prepared* const prepared = made.prepare(true);
  if (prepared == nullptr) return std::nullopt;
  if (made.refusesImpulses("exported code")) return std::nullopt;
  if (!made.model->contacts.empty()) {
    made.diagnostics()
        .error(Code::LIE0653, made.model->contacts.front().range,
               "exported steps know no contacts: impacts and friction are decided while lmc runs a model")
        .suggest("a host program can run it with the library, liblmc");
    return std::nullopt;
  }
  if (made.jumps())
    made.diagnostics()
        .warning(Code::LIE0653, made.model->range,
                 "the exported steps carry out no resets: these are functions of their own")
        .note("the program that calls the code looks for events and keeps the times of samplings");
  const InitialData* const data = &prepared->data;
  unit::Exported exported;
  exported.prefix = prefix;
  present::Presentation presentation;
  presentation.symmetric = symmetricParameters(*made.model, *data);
  exported.equations = present::printEquations(*made.system, presentation);
  Product product(*prepared, prepared->layer);
  const unit::ZeroPattern zeros =
      made.options.presentZeros ? zeroPattern(*made.model, prepared->layout, data->params) : unit::ZeroPattern{};
  product.defineOutputs(made.options.compilation.scene);
  addExported(made, product);
  exported.unit = made.unitOf(product, zeros, longestFunction);
  exported.resets = resetFunctions(exported.unit.problem);
  noteZeros(exported.unit.problem.fields, *made.model, zeros);
  exported.specialized = !zeros.empty();
  exported.parameters = data->params;
  if (const auto& control = exported.unit.problem.control)
    for (const double x : control->tolerances) exported.parameters.push_back(std::isnan(x) ? defaultTolerance : x);
  unit::arrange(exported);
  return exported;
}

} // namespace

std::optional<unit::Exported> exportedUnit(Pipeline& pipeline, const std::string& prefix) {
  Pipeline::Impl& made = pipeline.impl();
  return made.limited([&] { return exportedUnitOf(made, prefix); });
}

std::optional<std::string> exportedObject(Pipeline& pipeline, const unit::Exported& unit, const std::string& cpu) {
  return pipeline.impl().limited([&] { return std::optional(jit::aheadObject(unit, cpu)); });
}

} // namespace lmc::products
