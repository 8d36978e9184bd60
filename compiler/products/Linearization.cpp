// The functions of a LinearizedProblem: geometry of the tangent spaces, derivatives of f, of a step and of outputs.
#include "methods/derivatives/Linearization.h"
#include "products/Impl.h"
#include "runtime/contract/LinearizedProblem.h"

#include <algorithm>
#include <stdexcept>

namespace lmc::products {

namespace {

using runtime::Role;

/// Places the data of a LinearizedProblem and adds its functions.
class LinearizationBuilder {
public:
  LinearizationBuilder(unit::UnitBuilder& unit, const sema::Model& model, const Layout& layout,
                       const methods::Linearization& l, runtime::LinearizedProblem& p)
      : unit_(unit), model_(model), layout_(layout), l_(l), p_(p) {}

  void run(const methods::LinearizationRequest& request) {
    p_.stateSize = layout_.stateSize;
    bindDirections();
    p_.held = 0;
    for (const sym::Array* a : l_.held) p_.held += a->size();
    p_.coordinates = methods::sizeOf(l_.coordinates) + p_.held;
    addNames();
    addGeometry();
    if (l_.ofField) {
      const unit::UnitBuilder::Outputs value = place(p_.maps[0].value, "f", l_.rate);
      addMap("field", *l_.ofField, value, p_.maps[0], p_.coordinates, request);
    }
    if (l_.ofStep) {
      const unit::UnitBuilder::Outputs value = placeState(p_.maps[1].value, "next", l_.next);
      addMap("step", *l_.ofStep, value, p_.maps[1], p_.coordinates, request);
    }
    if (l_.ofOutputs) {
      const unit::UnitBuilder::Outputs value = place(p_.maps[2].value, "outputs", l_.outputs);
      addMap("outputs", *l_.ofOutputs, value, p_.maps[2], p_.outputs, request);
    }
    if (l_.ofConstraints) {
      const unit::UnitBuilder::Outputs value = place(p_.maps[3].value, "constraints", l_.constraints);
      addMap("constraints", *l_.ofConstraints, value, p_.maps[3], p_.maps[3].value.count(), request);
    }
    if (l_.jumps) addJumps(*l_.jumps, p_.jumps.emplace());
  }

private:
  runtime::Field bind(const char* name, const sema::ArrayTuple& arrays) {
    runtime::Field field = unit_.place(Role::State, name, arrays);
    unit_.reads(arrays, field);
    return field;
  }

  void bindDirections() {
    p_.direction = bind("direction", l_.direction);
    p_.inputDirection = bind("direction of inputs", l_.inputDirection);
    p_.parameterDirection = bind("direction of parameters", l_.parameterDirection);
    p_.covector = bind("covector", l_.covector);
    p_.fieldCovector = bind("covector of f", l_.fieldCovector);
    p_.outputCovector = bind("covector of outputs", l_.outputCovector);
    if (!l_.timeDirection.empty()) p_.timeDirection = bind("direction of time", l_.timeDirection);
    p_.storageChange = unit_.place(unit::numbersField(Role::State, "change of storage", layout_.stateSize));
    for (std::size_t k = 0; k < l_.state.size(); ++k) {
      runtime::Field change = layout_.of(l_.state[k]);
      change.offset += p_.storageChange.offset;
      unit_.reads(l_.storageChange[k], change);
    }
  }

  static void addNames(std::vector<std::string>& names, const runtime::Field& field) {
    for (const runtime::Entry& e : field.entries()) names.push_back(e.name());
  }

  /// A small change of a point is named after the point, that of a velocity after the velocity.
  void addNames() {
    std::size_t next = 0;
    const auto coordinate = [&](const std::string& name, const std::vector<sema::Part>& parts) {
      for (std::size_t k = 0; k < parts.size(); ++k)
        addNames(p_.coordinateNames, unit::fieldOf("d" + partName(name, parts, k), *l_.direction[next++]));
    };
    for (const sema::PhaseVariable& v : model_.order) {
      const sema::Manifold& m = v.isFactor ? *model_.factors[v.index].manifold : *model_.states[v.index].manifold;
      coordinate(v.isFactor ? model_.factors[v.index].name : model_.states[v.index].name, m.algebra());
      if (v.isFactor) coordinate(model_.factors[v.index].velocityName, m.algebra());
    }
    for (const sym::Array* a : l_.held) {
      runtime::Field field = layout_.of(a);
      field.name = "d" + field.name;
      addNames(p_.coordinateNames, field);
    }
    for (const sema::Parameter& q : model_.parameters) {
      const runtime::Field& field = layout_.of(q.array);
      if (q.use == sema::Parameter::Use::Parameter) {
        addNames(p_.parameterNames, field);
        for (std::int64_t k = 0; k < field.count(); ++k) p_.parameterPlaces.push_back(field.offset + k);
      } else if (q.use == sema::Parameter::Use::InputValue) {
        addInput(field, layout_.of(model_.parameters[q.other].array));
      }
    }
    p_.inputs = static_cast<std::int64_t>(p_.inputValues.size());
    p_.parameters = static_cast<std::int64_t>(p_.parameterPlaces.size());
    std::size_t output = 0;
    if (l_.outputs.size() > model_.observables.size())
      addNames(p_.outputNames, unit::fieldOf("energy", *l_.outputs[output++]));
    for (const sema::Observable& o : model_.observables)
      addNames(p_.outputNames, unit::fieldOf(o.name, *l_.outputs[output++], o.first));
    p_.outputs = static_cast<std::int64_t>(p_.outputNames.size());
  }

  void addInput(const runtime::Field& value, const runtime::Field& given) {
    runtime::Field named = value;
    named.name = value.of;
    addNames(p_.inputNames, named);
    const std::int64_t size = value.count() / value.members();
    for (std::int64_t k = 0; k < value.count(); ++k) {
      p_.inputValues.push_back(value.offset + k);
      p_.inputGiven.push_back(given.offset + k / size);
    }
  }

  unit::UnitBuilder::Outputs place(runtime::Field& field, const std::string& name, const sema::ArrayTuple& arrays) {
    field = unit_.place(Role::Output, name, arrays);
    return unit::UnitBuilder::into(field, arrays);
  }

  /// The same for arrays that are shaped like the state, in its layout.
  unit::UnitBuilder::Outputs placeState(runtime::Field& field, const std::string& name,
                                        const sema::ArrayTuple& arrays) {
    field = unit_.place(unit::numbersField(Role::Output, name, layout_.stateSize));
    unit::UnitBuilder::Outputs list;
    for (std::size_t k = 0; k < arrays.size(); ++k)
      list.push_back({arrays[k], field.role, field.offset + layout_.of(l_.state[k]).offset});
    for (const sema::DiscreteVariable& d : model_.discretes) // they stay
      for (const sym::Array* a : d.arrays)
        if (std::find(l_.held.begin(), l_.held.end(), a) == l_.held.end())
          list.push_back({a, field.role, field.offset + layout_.of(a).offset});
    return list;
  }

  static unit::UnitBuilder::Outputs both(unit::UnitBuilder::Outputs a, const unit::UnitBuilder::Outputs& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }

  void addGeometry() {
    const auto add = [&](runtime::Computed& c, const char* name, unit::UnitBuilder::Outputs outputs) {
      c.function = unit_.function(name, 2, std::move(outputs));
    };
    add(p_.moved, "moved", placeState(p_.moved.result, "moved", l_.moved));
    add(p_.lifted, "lifted", placeState(p_.lifted.result, "lifted", l_.lifted));
    add(p_.read, "coordinates", place(p_.read.result, "coordinates", l_.read));
  }

  /// The change of the storage, of what is no coordinate zero.
  unit::UnitBuilder::Outputs placeChange(runtime::Field& field, const std::string& name,
                                         const sema::ArrayTuple& arrays) {
    field = unit_.place(unit::numbersField(Role::Output, name, layout_.stateSize));
    unit::UnitBuilder::Outputs list;
    for (std::size_t k = 0; k < arrays.size(); ++k)
      list.push_back({arrays[k], field.role, field.offset + layout_.of(l_.state[k]).offset});
    return list;
  }

  void addJumps(const methods::JumpChanges& c, runtime::LinearizedJumps& j) {
    for (const sema::DiscreteVariable& d : model_.discretes)
      for (const sym::Array* a : d.arrays)
        for (std::int64_t k = 0; k < a->size(); ++k)
          if (std::find(l_.held.begin(), l_.held.end(), a) == l_.held.end())
            j.others.push_back(layout_.of(a).offset + k);
    if (!c.events.empty()) {
      unit::UnitBuilder::Outputs list = place(j.events.result, "events.image", c.events);
      j.events.function = unit_.function("events.forward", 1, std::move(list));
    }
    for (const sema::ArrayTuple& after : c.resets) {
      runtime::Computed& reset = j.resets.emplace_back();
      reset.function = unit_.function("reset.forward", 2, placeChange(reset.result, "reset.image", after));
    }
    unit::UnitBuilder::Outputs ticks;
    for (std::size_t k = 0; k < c.intervals.size(); ++k) {
      ticks = both(ticks, place(j.intervals.emplace_back(), "interval.image", {c.intervals[k]}));
      j.firsts.emplace_back();
      if (c.firsts[k] != nullptr) ticks = both(ticks, place(j.firsts.back(), "first.image", {c.firsts[k]}));
    }
    if (!ticks.empty()) j.ticks.function = unit_.function("ticks.forward", 1, std::move(ticks));
    if (c.contacts.empty()) return;
    unit::UnitBuilder::Outputs contacts;
    const auto add = [&](runtime::Field& field, const char* name, const sym::Array* a) {
      contacts = both(contacts, place(field, name, {a}));
    };
    add(j.rate, "rate.image", c.contacts[0]);
    add(j.jacobian, "jacobian.image", c.contacts[1]);
    add(j.response, "response.image", c.contacts[2]);
    const auto addLaw = [&](std::vector<std::int64_t>& places, const char* name, const sym::Array* a,
                            std::int64_t members) {
      runtime::Field field;
      if (a != nullptr) add(field, name, a);
      for (std::int64_t k = 0; k < members; ++k) places.push_back(a == nullptr ? -1 : field.offset + k);
    };
    for (std::size_t k = 0; k < model_.contacts.size(); ++k) {
      const std::int64_t members = model_.contacts[k].mode->count();
      addLaw(j.restitutions, "restitution.image", c.restitutions[k], members);
      addLaw(j.frictions, "friction.image", c.frictions[k], members);
    }
    j.contacts.function = unit_.function("contacts.forward", 1, std::move(contacts));
  }

  void addMap(const std::string& name, const methods::MapDerivative& d, const unit::UnitBuilder::Outputs& value,
              runtime::LinearizedFunctions& f, std::int64_t size, const methods::LinearizationRequest& request) {
    f.size = size;
    const auto add = [](unit::UnitBuilder::Outputs& list, const unit::UnitBuilder::Outputs& more) {
      list = both(list, more);
    };
    if (!d.change.empty()) {
      unit::UnitBuilder::Outputs list = place(f.image, name + ".image", d.change);
      if (!d.fieldChange.empty()) add(list, place(f.fieldImage, name + ".change", d.fieldChange));
      f.forward = unit_.function(name + ".forward", 2, both(value, list));
    }
    if (!d.byState.empty()) {
      unit::UnitBuilder::Outputs list = place(f.byState, name + ".by state", d.byState);
      add(list, place(f.byInputs, name + ".by inputs", d.byInputs));
      add(list, place(f.byParameters, name + ".by parameters", d.byParameters));
      f.adjoint = unit_.function(name + ".adjoint", 2, both(value, list));
    }
    if (d.stateMatrix == nullptr || !request.matrices) return;
    unit::UnitBuilder::Outputs list = place(f.stateMatrix, name + ".state matrix", {d.stateMatrix});
    if (d.inputMatrix != nullptr) add(list, place(f.inputMatrix, name + ".input matrix", {d.inputMatrix}));
    if (d.parameterMatrix != nullptr)
      add(list, place(f.parameterMatrix, name + ".parameter matrix", {d.parameterMatrix}));
    if (d.fieldStateMatrix != nullptr) add(list, place(f.fieldStateMatrix, name + ".matrix", {d.fieldStateMatrix}));
    f.matrices = unit_.function(name + ".matrices", 2, both(value, list));
  }

  unit::UnitBuilder& unit_;
  const sema::Model& model_;
  const Layout& layout_;
  const methods::Linearization& l_;
  runtime::LinearizedProblem& p_;
};

} // namespace

bool Pipeline::Impl::refusesJumpDerivatives() {
  const auto some = [](const auto& list) {
    return std::any_of(list.begin(), list.end(), [](const auto& e) { return !e.resets.empty(); });
  };
  if (model->adjusted.empty() || !(some(model->events) || some(model->samplings))) return false;
  diagnostics()
      .error(Code::LIE0652, model->range,
             "derivatives across resets are not known where `initial adjust` moves the state behind them")
      .note("a reset that gives values which satisfy the constraints by itself needs no adjustment");
  return true;
}

std::vector<std::string> Pipeline::Impl::realDiscretes() const {
  std::vector<std::string> names;
  for (const sema::DiscreteVariable& d : model->discretes)
    if (d.real) names.push_back(d.name);
  return names;
}

std::unique_ptr<runtime::LinearizedProblem> Pipeline::Impl::buildLinearization(methods::LinearizationRequest request) {
  if (request.step && (!checkAll() || (!chosen && refusesChoice("the derivative of a step")))) return nullptr;
  const Prepared* const prepared = prepare(request.step);
  if (prepared == nullptr ||
      (request.step && (refusesImpulses("derivatives of steps") || refusesDerivatives("the linearization"))))
    return nullptr;
  request.jumps = request.step && jumps();
  if (request.jumps) {
    if (refusesJumpDerivatives()) return nullptr;
    request.held = realDiscretes();
    request.matrices = false; // they are put together from images
    request.forward = true;
  }
  const Prepared& whole = request.step ? wholeStep() : *prepared;
  Product product(whole, whole.layer);
  if (request.matrices && methods::coordinateCount(product.layer) > request.largestMatrix) {
    request.matrices = false;
    request.forward = true; // of which they are put together
  }
  auto p = std::make_unique<runtime::LinearizedProblem>();
  product.steps = request.step ? Steps::Fixed : Steps::None;
  {
    const Stopwatch watch(timings, "lower");
    if (request.jumps) product.defineOutputs(false);
    const methods::Linearization l = methods::linearize(product.layer, whole.step, request);
    product.bind(InputUse::Live);
    product.unit.report();
    if (request.jumps) addJumps(product);
    if (request.step) product.unit.argument(whole.step->stepSize, 1);
    if (request.jumps) product.unit.functions.step = product.addStep();
    LinearizationBuilder(product.unit, *model, prepared->layout, l, *p).run(request);
  }
  p->problem = compiled(product);
  return p;
}

} // namespace lmc::products
