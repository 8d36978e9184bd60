// The functions of a LinearizedProblem: geometry of the tangent spaces, derivatives of f, of a step and of outputs.
#include "methods/derivatives/Linearization.h"
#include "products/Impl.h"
#include "runtime/contract/LinearizedProblem.h"

#include <stdexcept>

namespace lmc {

namespace {

/// Places data of a LinearizedProblem and adds its functions.
class LinearizationBuilder {
public:
  LinearizationBuilder(Lowering& lowering, const Model& model, const Layout& layout, const Linearization& l,
                       LinearizedProblem& p)
      : lowering_(lowering), model_(model), layout_(layout), l_(l), p_(p) {}

  void run(const LinearizationRequest& request) {
    p_.stateSize = layout_.stateSize;
    p_.coordinates = lmc::sizeOf(l_.coordinates);
    p_.outputs = sizeOf(l_.outputs);
    bindDirections();
    addNames();
    addGeometry();
    if (l_.ofField) {
      const std::vector<OutputBinding> value = place(p_.maps[0].value, l_.rate);
      p_.maps[0].values = p_.maps[0].size = p_.coordinates;
      addMap("field", *l_.ofField, value, p_.maps[0], request);
    }
    if (l_.ofStep) {
      const std::vector<OutputBinding> value = placeState(p_.maps[1].value, l_.next);
      p_.maps[1].values = p_.stateSize;
      p_.maps[1].size = p_.coordinates;
      addMap("step", *l_.ofStep, value, p_.maps[1], request);
    }
    if (l_.ofOutputs) {
      const std::vector<OutputBinding> value = place(p_.maps[2].value, l_.outputs);
      p_.maps[2].values = p_.maps[2].size = p_.outputs;
      addMap("outputs", *l_.ofOutputs, value, p_.maps[2], request);
    }
  }

private:
  std::int64_t bind(const ArrayTuple& arrays) {
    const std::int64_t first = state_;
    for (const sym::Array* a : arrays) {
      lowering_.bindInput(a, tape::Role::State, state_);
      state_ += a->size();
    }
    return first;
  }

  void bindDirections() {
    state_ = layout_.stateSize;
    p_.direction = bind(l_.direction);
    p_.inputDirection = bind(l_.inputDirection);
    p_.parameterDirection = bind(l_.parameterDirection);
    p_.covector = bind(l_.covector);
    p_.fieldCovector = bind(l_.fieldCovector);
    p_.outputCovector = bind(l_.outputCovector);
    p_.storageChange = state_;
    for (std::size_t k = 0; k < l_.state.size(); ++k)
      lowering_.bindInput(l_.storageChange[k], tape::Role::State, state_ + layout_.state.at(l_.state[k]->id));
    state_ += layout_.stateSize;
  }

  static void addNames(std::vector<std::string>& names, const std::string& name, const sym::Array& a,
                       const std::vector<std::int64_t>& first = {}) {
    for (const Entry& e : fieldOf(name, a, first).entries()) names.push_back(e.name());
  }

  /// A small change of a point is named after the point, that of a velocity after the velocity.
  void addNames() {
    std::size_t next = 0;
    const auto coordinate = [&](const std::string& name, const std::vector<Part>& parts) {
      for (const Part& part : parts)
        addNames(p_.coordinateNames, "d" + (parts.size() > 1 ? name + "." + part.name : name), *l_.direction[next++]);
    };
    for (const PhaseVariable& v : model_.order) {
      const Manifold& m = v.isFactor ? *model_.factors[v.index].manifold : *model_.states[v.index].manifold;
      coordinate(v.isFactor ? model_.factors[v.index].name : model_.states[v.index].name, m.algebra());
      if (v.isFactor) coordinate(model_.factors[v.index].velocityName, m.algebra());
    }
    for (const Parameter& q : model_.parameters) {
      const std::int64_t place = layout_.params.at(q.array->id);
      if (q.use == Parameter::Use::Parameter) {
        addNames(p_.parameterNames, q.name, *q.array);
        for (std::int64_t k = 0; k < q.array->size(); ++k) p_.parameterPlaces.push_back(place + k);
      } else if (q.use == Parameter::Use::InputValue) {
        addNames(p_.inputNames, q.name.substr(0, q.name.rfind('.')), *q.array);
        for (std::int64_t k = 0; k < q.array->size(); ++k) p_.inputValues.push_back(place + k);
        for (std::int64_t k = 0; k < q.array->size(); ++k) // the flag of the member stands in the parameter before
          p_.inputGiven.push_back(given_ + k / q.array->shape.size());
      } else {
        given_ = place;
      }
    }
    p_.inputs = static_cast<std::int64_t>(p_.inputValues.size());
    p_.parameters = static_cast<std::int64_t>(p_.parameterPlaces.size());
    std::size_t output = 0;
    if (l_.outputs.size() > model_.observables.size()) addNames(p_.outputNames, "energy", *l_.outputs[output++]);
    for (const Observable& o : model_.observables) addNames(p_.outputNames, o.name, *l_.outputs[output++], o.first);
  }

  /// A fresh place in Output for arrays, one after the other.
  std::vector<OutputBinding> place(std::int64_t& offset, const ArrayTuple& arrays) {
    std::vector<OutputBinding> list;
    offset = output_;
    for (const sym::Array* a : arrays) {
      list.push_back({a, tape::Role::Output, output_});
      output_ += a->size();
    }
    return list;
  }

  /// The same for arrays that are shaped like the state, in its layout.
  std::vector<OutputBinding> placeState(std::int64_t& offset, const ArrayTuple& arrays) {
    std::vector<OutputBinding> list;
    offset = output_;
    for (std::size_t k = 0; k < arrays.size(); ++k)
      list.push_back({arrays[k], tape::Role::Output, output_ + layout_.state.at(l_.state[k]->id)});
    output_ += layout_.stateSize;
    return list;
  }

  int function(const std::string& name, std::vector<OutputBinding> a, const std::vector<OutputBinding>& b = {}) {
    a.insert(a.end(), b.begin(), b.end());
    return lowering_.addFunction(name, 2, a);
  }

  void addGeometry() {
    p_.movedFunction = function("moved", placeState(p_.moved, l_.moved));
    p_.liftedFunction = function("lifted", placeState(p_.lifted, l_.lifted));
    p_.readFunction = function("coordinates", place(p_.read, l_.read));
  }

  void addMap(const std::string& name, const MapDerivative& d, const std::vector<OutputBinding>& value,
              LinearizedFunctions& f, const LinearizationRequest& request) {
    const auto add = [](std::vector<OutputBinding>& list, const std::vector<OutputBinding>& more) {
      list.insert(list.end(), more.begin(), more.end());
    };
    if (!d.change.empty()) {
      std::vector<OutputBinding> list = place(f.image, d.change);
      if (!d.fieldChange.empty()) add(list, place(f.fieldImage, d.fieldChange));
      f.forward = function(name + ".forward", value, list);
    }
    if (!d.byState.empty()) {
      std::vector<OutputBinding> list = place(f.byState, d.byState);
      add(list, place(f.byInputs, d.byInputs));
      add(list, place(f.byParameters, d.byParameters));
      f.adjoint = function(name + ".adjoint", value, list);
    }
    if (d.stateMatrix == nullptr || !request.matrices) return;
    std::vector<OutputBinding> list = place(f.stateMatrix, {d.stateMatrix});
    if (d.inputMatrix != nullptr) add(list, place(f.inputMatrix, {d.inputMatrix}));
    if (d.parameterMatrix != nullptr) add(list, place(f.parameterMatrix, {d.parameterMatrix}));
    if (d.fieldStateMatrix != nullptr) add(list, place(f.fieldStateMatrix, {d.fieldStateMatrix}));
    f.matrices = function(name + ".matrices", value, list);
  }

  Lowering& lowering_;
  const Model& model_;
  const Layout& layout_;
  const Linearization& l_;
  LinearizedProblem& p_;
  std::int64_t state_ = 0, given_ = 0;
  std::int64_t output_ = reportSize;
};

} // namespace

std::unique_ptr<LinearizedProblem> Pipeline::Impl::buildLinearization(LinearizationRequest request) {
  const Prepared* const prepared = prepare(request.step);
  if (prepared == nullptr || refusesConstraints("the linearization")) return nullptr;
  Product product(*prepared, prepared->layer);
  if (request.matrices && coordinateCount(product.layer) > request.largestMatrix) {
    request.matrices = false;
    request.forward = true; // of which they are put together
  }
  auto p = std::make_unique<LinearizedProblem>();
  Lowered lowered;
  lowered.steps = request.step ? Steps::Fixed : Steps::None;
  tape::Module& module = lowered.module;
  {
    const Stopwatch watch(timings, "lower");
    const Linearization l = linearize(product.layer, request.step ? step() : nullptr, request);
    Lowering lowering(product.layer.program(), true);
    choosePivots(lowering, product.massKind);
    bindInputs(lowering, *model, prepared->layout, {}, InputUse::Live);
    lowering.bindReport(tape::Role::Output, 0);
    if (request.step) lowering.bindArgument(step()->stepSize, 1);
    LinearizationBuilder(lowering, *model, prepared->layout, l, *p).run(request);
    module = lowering.finish(-1);
  }
  const std::string defect = tape::verify(module);
  if (!defect.empty()) throw std::logic_error("the tape is not well formed: " + defect);
  {
    const Stopwatch watch(timings, "compile");
    p->problem.code = compile(module, options.compile);
  }
  fill(p->problem, product, lowered);
  return p;
}

} // namespace lmc
