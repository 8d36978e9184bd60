// The functions of a LinearizedProblem: geometry of the tangent spaces, derivatives of f, of a step and of outputs.
#include "methods/derivatives/Linearization.h"
#include "products/Impl.h"
#include "runtime/contract/LinearizedProblem.h"

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
    p_.coordinates = methods::sizeOf(l_.coordinates);
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
  }

private:
  runtime::Field bind(const char* name, const sema::ArrayTuple& arrays) {
    const runtime::Field field = unit_.place(Role::State, name, arrays);
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
      for (const sym::Array* a : d.arrays) list.push_back({a, field.role, field.offset + layout_.of(a).offset});
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

std::unique_ptr<runtime::LinearizedProblem> Pipeline::Impl::buildLinearization(methods::LinearizationRequest request) {
  if (request.step && (!checkAll() || (!chosen && refusesChoice("the derivative of a step")))) return nullptr;
  const Prepared* const prepared = prepare(request.step);
  if (prepared == nullptr ||
      (request.step && (refusesImpulses("derivatives of steps") || refusesDerivatives("the linearization") ||
                        refusesResets("derivatives of steps"))))
    return nullptr;
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
    const methods::Linearization l = methods::linearize(product.layer, whole.step, request);
    product.bind(InputUse::Live);
    product.unit.report();
    if (request.step) product.unit.argument(whole.step->stepSize, 1);
    LinearizationBuilder(product.unit, *model, prepared->layout, l, *p).run(request);
  }
  p->problem = compiled(product);
  return p;
}

} // namespace lmc::products
