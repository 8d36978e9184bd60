// What a host program is told about a model.
#include "api/Access.h"

#include "mechanics/system/System.h"
#include "products/stages/Stages.h"

namespace lmc::v1 {

namespace {

/// What hosts are told of a field.
Storage storageOf(const runtime::Field& f, const std::string& name) {
  Storage s;
  s.name = name;
  s.offset = f.offset;
  s.rank = f.rank;
  const std::size_t family = f.extents.size() - static_cast<std::size_t>(f.rank);
  s.extents.assign(f.extents.begin(), f.extents.begin() + static_cast<std::ptrdiff_t>(family));
  s.first = f.first;
  if (f.rank > 0) s.rows = static_cast<int>(f.extents[family]);
  if (f.rank > 1) s.columns = static_cast<int>(f.extents[family + 1]);
  return s;
}

class Description {
public:
  Description(detail::ModelData& shared, products::Pipeline& pipeline)
      : out_(shared), files_(pipeline.compilation().files()), m_(*pipeline.system()->model),
        program_(*pipeline.system()->program), layout_(products::layoutOf(m_)) {}

  void run() {
    for (const sema::PhaseVariable& v : m_.order) v.isFactor ? factor(m_.factors[v.index]) : state(m_.states[v.index]);
    for (const sema::Parameter& p : m_.parameters) {
      if (p.use == sema::Parameter::Use::Parameter || p.use == sema::Parameter::Use::Table) parameter(p);
      if (p.use == sema::Parameter::Use::InputValue) input(m_.parameters[p.other], p);
    }
    for (const sema::DiscreteVariable& d : m_.discretes) discrete(d);
    observables();
    for (const runtime::EventOutput& e : out_.problem.events()) out_.events.push_back({e.entry.name(), e.direction});
    out_.name = m_.name;
    out_.method = out_.problem.method;
    out_.constants = m_.constants;
    out_.hasEnergy = out_.problem.field(runtime::FieldKind::Energy) != nullptr;
    out_.hasMass = static_cast<bool>(m_.lagrangian);
    for (const runtime::Column& c : out_.problem.columns()) out_.columns.push_back(c.entry.name());
    settings();
    names();
  }

private:
  void factor(const sema::Factor& f) {
    Variable v = variable(f.name, *f.manifold, f.frame, f.extent);
    v.kind = f.fiber == sema::Fiber::Momentum ? VariableKind::Momentum : VariableKind::Velocity;
    v.fiber = f.velocityName;
    v.point = parts(f.point, f.manifold->point(), f.name);
    v.fiberParts = parts(f.velocity, f.manifold->algebra(), f.velocityName);
    const std::int64_t n = v.algebraDimension * std::max<std::int64_t>(f.extent, 1);
    v.algebraOffset = static_cast<std::int64_t>(out_.algebraSize);
    out_.algebraSize += static_cast<std::size_t>(n);
    add(std::move(v), 2 * n);
  }

  void state(const sema::StateVariable& z) {
    Variable v = variable(z.name, *z.manifold, z.frame, z.extent);
    v.kind = z.dual ? VariableKind::Dual : VariableKind::State;
    v.point = parts(z.point, z.parts(), z.name);
    if (z.dual) v.dimension = v.algebraDimension;
    const std::int64_t n = v.algebraDimension * std::max<std::int64_t>(z.extent, 1);
    add(std::move(v), n);
  }

  Variable variable(const std::string& name, const sema::Manifold& m, lmc::sema::Frame frame,
                    std::int64_t extent) const {
    Variable v;
    v.name = name;
    v.manifold = m.name();
    v.isGroup = m.isGroup();
    v.frame = frame == lmc::sema::Frame::Body ? Frame::Body : Frame::Space;
    v.members = extent;
    v.dimension = m.dimension().value_or(-1);
    v.algebraDimension = m.algebraSize();
    return v;
  }

  void add(Variable v, std::int64_t tangent) {
    v.tangentOffset = static_cast<std::int64_t>(out_.tangentSize);
    v.tangentSize = tangent;
    out_.tangentSize += static_cast<std::size_t>(tangent);
    out_.variables.push_back(std::move(v));
  }

  std::vector<Storage> parts(const sema::ArrayTuple& arrays, const std::vector<sema::Part>& declared,
                             const std::string& whole) const {
    std::vector<Storage> list;
    for (std::size_t k = 0; k < arrays.size(); ++k)
      list.push_back(storageOf(layout_.of(arrays[k]), declared.size() == 1 ? whole : declared[k].name));
    return list;
  }

  [[nodiscard]] std::vector<double> valuesOf(const Storage& s) const {
    const double* const first = out_.problem.params.data() + s.offset;
    return {first, first + s.size()};
  }

  void parameter(const sema::Parameter& p) {
    Quantity q;
    q.name = p.name;
    q.storage = storageOf(layout_.of(p.array), p.name);
    q.value = valuesOf(q.storage);
    out_.parameters.push_back(std::move(q));
  }

  void discrete(const sema::DiscreteVariable& d) {
    for (const Storage& s : parts(d.arrays, d.parts, d.name)) {
      Quantity q;
      q.name = d.arrays.size() == 1 ? d.name : d.name + "." + s.name;
      q.storage = s;
      const double* const first = out_.problem.initialState.data() + s.offset;
      q.value = {first, first + s.size()};
      out_.discretes.push_back(std::move(q));
    }
  }

  void input(const sema::Parameter& given, const sema::Parameter& value) {
    Quantity q;
    q.name = value.input;
    InputPlace place{storageOf(layout_.of(given.array), q.name), storageOf(layout_.of(value.array), q.name)};
    q.storage = place.value;
    q.storage.offset = inputOffset_;
    inputOffset_ += q.storage.size();
    q.value = valuesOf(place.value);
    // A law is in the model's text, or was set as one: then equations ask whether a value is given.
    q.hasDefault = declaresLaw(q.name) || read(given.array);
    q.isSet = !q.hasDefault;
    if (q.hasDefault) {
      const std::vector<double> held = valuesOf(place.given);
      q.isSet = std::all_of(held.begin(), held.end(), [](double x) { return x != 0; });
    }
    out_.inputs.push_back(std::move(q));
    out_.inputPlaces.push_back(std::move(place));
  }

  [[nodiscard]] bool declaresLaw(const std::string& input) const {
    for (const syntax::File* file : files_) {
      for (const syntax::Declaration& d : file->declarations) {
        if (d.kind != syntax::DeclKind::Model) continue;
        return std::any_of(d.body.begin(), d.body.end(), [&](const syntax::StatementPtr& s) {
          return s && s->kind == syntax::StatementKind::Input && s->target.name == input && s->value;
        });
      }
    }
    return false;
  }

  [[nodiscard]] bool read(const sym::Array* a) const {
    const sym::Program::Equations all = program_.equations();
    return std::any_of(all.begin(), all.end(), [&](const sym::Equation& e) { return sym::reads(e).contains(a); });
  }

  /// They stand one after the other.
  void observables() {
    for (const runtime::Field* f : out_.problem.all(runtime::FieldKind::Observable)) {
      Quantity q;
      q.name = f->name;
      q.storage = storageOf(*f, f->name);
      if (out_.observables.empty()) out_.observablesOffset = f->offset;
      q.storage.offset -= out_.observablesOffset;
      out_.observablesSize += static_cast<std::size_t>(q.storage.size());
      out_.observables.push_back(std::move(q));
    }
  }

  void settings() {
    const runtime::Problem& p = out_.problem;
    Settings& s = out_.settings;
    s.timeFrom = p.timeFrom;
    s.timeTo = p.timeTo;
    s.step = p.step;
    s.every = p.outputEvery;
    s.everySteps = p.outputSteps;
    s.adaptive = p.control.has_value();
    s.seed = p.seed;
    for (const runtime::Tick& tick : p.ticks) out_.samplings.push_back(tick.name);
  }

  void names() {
    for (const Variable& v : out_.variables) {
      addParts(v.name, v.point);
      addParts(v.fiber, v.fiberParts);
    }
    addAll(out_.stateNames, out_.discretes);
    addAll(out_.parameterNames, out_.parameters);
    addAll(out_.inputNames, out_.inputs);
    addAll(out_.observableNames, out_.observables);
  }

  void addParts(const std::string& whole, const std::vector<Storage>& list) {
    for (const Storage& s : list) out_.stateNames.add(list.size() == 1 ? whole : whole + "." + s.name, &s, 0);
  }

  static void addAll(Names& names, const std::vector<Quantity>& list) {
    for (std::size_t k = 0; k < list.size(); ++k) names.add(list[k].name, &list[k].storage, k);
  }

  detail::ModelData& out_;
  const std::vector<const syntax::File*>& files_;
  const lmc::sema::Model& m_;
  const sym::Program& program_;
  products::Layout layout_;
  std::int64_t inputOffset_ = 0;
};

} // namespace

void describe(detail::ModelData& shared, products::Pipeline& pipeline) {
  // Dimensions of manifolds are found with expressions, which end with this.
  sym::Graph& graph = pipeline.compilation().graph();
  sym::GraphLayer layer(graph.layer());
  const sym::Graph::Work work(graph, layer);
  Description(shared, pipeline).run();
}

} // namespace lmc::v1
