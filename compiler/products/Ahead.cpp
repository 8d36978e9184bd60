// The functions of a model for programs without the compiler, and the names of everything that they work on.
#include "jit/Ahead.h"
#include "products/Impl.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace lmc {

namespace {

using tape::Role;

/// Of steps with an error estimate, where the model gives no tolerance.
constexpr double defaultTolerance = 1e-6;

/// Collects fields one after the other.
class Fields {
public:
  explicit Fields(std::vector<ahead::Field>& list) : list_(list) {}

  void add(Role role, const std::string& name, std::vector<std::int64_t> extents, const std::string& comment) {
    ahead::Field f;
    f.name = name;
    f.comment = comment;
    f.role = role;
    f.offset = next_[static_cast<std::size_t>(role)];
    f.extents = std::move(extents);
    next_[static_cast<std::size_t>(role)] += f.count();
    list_.push_back(std::move(f));
  }

  void add(Role role, const std::string& name, const sym::Array& a, const std::string& comment) {
    add(role, name, fieldOf(name, a).extents, comment);
  }

private:
  std::vector<ahead::Field>& list_;
  std::array<std::int64_t, tape::roleCount> next_{};
};

/// "J[0][1], J[0][2]": the entries of one member that are taken to be zero.
std::string zeroEntries(const Parameter& p, const std::vector<bool>& zeros) {
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

void addParameters(Fields& fields, const Model& m, const ZeroPattern& zeros) {
  for (const Parameter& p : m.parameters) {
    const std::string input = p.name.substr(0, p.name.find('.'));
    std::string what;
    if (p.use == Parameter::Use::InputGiven)
      what = fmt::format("1: the input {} is {}_value, 0: it is the model's", input, input);
    if (p.use == Parameter::Use::InputValue) what = fmt::format("the input {}", input);
    const auto z = zeros.find(p.array->id);
    if (z != zeros.end() && p.use == Parameter::Use::Parameter) what = zeroEntries(p, z->second);
    fields.add(Role::Params, p.name, *p.array, what);
  }
}

std::string frameName(const Manifold& m, Frame frame) {
  return fmt::format("{}, {} frame", m.name(), frame == Frame::Body ? "body" : "space");
}

void addState(Fields& fields, const Model& m) {
  const auto add = [&](const std::string& name, const ArrayTuple& arrays, const std::vector<Part>& parts,
                       const std::string& what) {
    for (std::size_t k = 0; k < arrays.size(); ++k) fields.add(Role::State, partName(name, parts, k), *arrays[k], what);
  };
  for (const PhaseVariable& v : m.order) {
    if (v.isFactor) {
      const Factor& f = m.factors[v.index];
      add(f.name, f.point, f.manifold->point(), f.manifold->name());
      add(f.velocityName, f.velocity, f.manifold->algebra(),
          fmt::format("{} of {}, {} frame", f.fiber == Fiber::Velocity ? "velocity" : "momentum", f.name,
                      f.frame == Frame::Body ? "body" : "space"));
    } else {
      const StateVariable& z = m.states[v.index];
      add(z.name, z.point, z.parts(), z.dual ? "dual of " + frameName(*z.manifold, z.frame) : z.manifold->name());
    }
  }
}

void addObservation(Fields& fields, const Model& m, const System& system, const Observation& o) {
  if (o.energyOffset >= 0) fields.add(Role::Output, "energy", *system.energy, "");
  for (const Observable& x : m.observables) fields.add(Role::Output, x.name, *x.array, "observable");
  for (const DefectOutput& d : o.defects)
    fields.add(Role::Output, "defect." + d.name, std::vector<std::int64_t>{},
               fmt::format("how far {} is off its manifold", d.name));
  for (const Event& e : m.events) fields.add(Role::Output, e.name, *e.array, "event");
}

/// In the order of fieldOutputs.
void addDerivatives(Fields& fields, const Model& m, const FieldOutputs& field) {
  std::size_t k = 0;
  const auto add = [&](const std::string& name, const std::vector<Part>& parts, const std::string& what) {
    for (std::size_t part = 0; part < parts.size(); ++part)
      fields.add(Role::Output, partName(name, parts, part) + "'", *field.outputs[k++].array, what);
  };
  for (const PhaseVariable& v : m.order) {
    if (v.isFactor) {
      const Factor& f = m.factors[v.index];
      add(f.velocityName, f.manifold->algebra(), "derivative of " + f.velocityName);
    } else {
      const StateVariable& z = m.states[v.index];
      add(z.name, z.manifold->algebra(),
          z.dual ? "derivative of " + z.name : fmt::format("flow of {}, an element of the algebra", z.name));
    }
  }
}

} // namespace

/// The functions of the unit, in one module.
void Pipeline::Impl::lowerAhead(ahead::Unit& unit, const Product& product, const ZeroPattern& zeros,
                                const std::optional<AdaptiveOutputs>& adaptive) {
  const Layout& layout = product.prepared.layout;
  const Observation& observation = product.observation;
  const FieldOutputs& field = product.field;
  const Stopwatch watch(timings, "lower");
  const Place place(model->simulation.method ? model->simulation.method->range : modelPlace());
  Lowering lowering(product.layer.program(), true);
  choosePivots(lowering, product.massKind);
  lowering.keepNotes();
  bindInputs(lowering, *model, layout, zeros, InputUse::Live);
  lowering.bindReport(Role::Output, field.size);
  ahead::Functions& f = unit.functions;
  f.setup = 0;
  f.field = lowering.addFunction("derivatives", 1, field.outputs);
  if (system->energy != nullptr)
    f.energy = lowering.addFunction("energy", 1, {{system->energy, Role::Output, observation.energyOffset}});
  if (!observation.outputs.empty()) f.observe = lowering.addFunction("observe", 1, observation.outputs);
  if (!observation.events.empty()) f.events = lowering.addFunction("events", 1, observation.eventOutputs);
  lowering.bindArgument(step()->stepSize, 1);
  std::vector<OutputBinding> next;
  for (std::size_t k = 0; k < step()->next.size(); ++k)
    next.push_back({step()->next[k], Role::State, layout.state.at(step()->state[k]->id)});
  f.step = lowering.addFunction("step", 2, next);
  if (adaptive) {
    f.trial = addTrial(lowering, *adaptive, next);
    const ErrorControl control =
        errorControl(*model, *step(), *adaptive, {f.trial, -1}, product.prepared.data.settings);
    for (const double x : control.tolerances) unit.parameters.push_back(std::isnan(x) ? defaultTolerance : x);
    unit.errorOrder = control.order;
  }
  unit.module = lowering.finish(f.step);
  const std::string defect = tape::verify(unit.module);
  if (!defect.empty()) throw std::logic_error("the tape is not well formed: " + defect);
}

std::optional<ahead::Unit> Pipeline::Impl::ahead(const std::string& prefix) {
  const Prepared* const prepared = prepare(true);
  if (prepared == nullptr) return std::nullopt;
  const InitialData* const data = &prepared->data;
  const Layout& layout = prepared->layout;
  Presentation shown;
  shown.symmetric = symmetricParameters(data);
  const std::string equations = printEquations(*system, shown);
  Product product(*prepared, prepared->layer);
  const ZeroPattern zeros = options.presentZeros ? zeroPattern(*model, layout, data->params) : ZeroPattern{};
  product.defineOutputs(options.compilation.scene);
  const Observation& observation = product.observation;
  const FieldOutputs& field = product.field;
  std::optional<AdaptiveOutputs> adaptive;
  if (!step()->embedded.empty())
    adaptive = adaptiveOutputs(product.layer, *step(), field.size + reportSize, layout.paramSize);
  ahead::Unit unit;
  unit.prefix = prefix;
  unit.model = model->name;
  unit.method = step()->method;
  unit.equations = equations;
  unit.parameters = data->params;
  unit.state = data->state;
  unit.order = step()->order;
  unit.specialized = !zeros.empty();
  lowerAhead(unit, product, zeros, adaptive);
  Fields fields(unit.fields);
  addParameters(fields, *model, zeros);
  addState(fields, *model);
  addObservation(fields, *model, *system, observation);
  addDerivatives(fields, *model, field);
  fields.add(Role::Output, "residual", std::vector<std::int64_t>{}, "of equations that were not solved");
  fields.add(Role::Output, "evaluations", std::vector<std::int64_t>{},
             "of the derivatives in implicit steps, added up");
  fields.add(Role::Output, "iterations", std::vector<std::int64_t>{}, "turns of Newton's method, added up");
  if (adaptive) {
    const std::vector<ErrorPiece>& pieces = adaptive->estimate.pieces;
    std::vector<std::string> names;
    for (const ErrorPiece& p : pieces) names.push_back(p.name);
    const std::vector<std::int64_t> size = {static_cast<std::int64_t>(pieces.size())};
    const std::string of = fmt::format("of {}", fmt::join(names, ", "));
    fields.add(Role::Params, "tolerance.absolute", size, of);
    fields.add(Role::Params, "tolerance.relative", size, of);
    fields.add(Role::Output, ahead::errorsName, size, "squared, " + of);
  }
  unit.columns = stateColumns(*model, layout);
  unit.columns.insert(unit.columns.end(), observation.columns.begin(), observation.columns.end());
  for (const EventOutput& e : observation.events) unit.events.push_back({e.entry.name(), e.direction});
  const auto setting = [&](const char* key) {
    const auto it = data->settings.find(key);
    return it == data->settings.end() ? std::numeric_limits<double>::quiet_NaN() : it->second;
  };
  unit.timeFrom = setting("time.from");
  unit.timeTo = setting("time.to");
  unit.step = setting("step");
  arrange(unit);
  return unit;
}

std::optional<ahead::Unit> Pipeline::ahead(const std::string& prefix) {
  return impl_->limited([&] { return impl_->ahead(prefix); });
}

std::optional<std::string> Pipeline::object(const ahead::Unit& unit, const std::string& cpu) {
  return impl_->limited([&] { return std::optional(aheadObject(unit, cpu)); });
}

} // namespace lmc
