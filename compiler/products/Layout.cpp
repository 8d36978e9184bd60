#include "products/stages/ManifoldDefect.h"
#include "products/stages/Stages.h"
#include "sym/Largest.h"

#include <algorithm>
#include <fmt/format.h>
#include <stdexcept>

namespace lmc::products {

namespace {

/// Fields of a model, one after the other.
class Fields {
public:
  explicit Fields(const sema::Model& model) : m_(model) {}

  Layout run() {
    for (const sema::Parameter& p : m_.parameters) {
      l_.params.push_back(place(p.array, parameter(p)));
    }
    for (const sema::PhaseVariable& v : m_.order) v.isFactor ? factor(m_.factors[v.index]) : state(m_.states[v.index]);
    for (const sema::DiscreteVariable& d : m_.discretes)
      add(d.name, d.arrays, d.parts, "discrete variable", d.shown, d.first);
    l_.paramSize = memory_.size(runtime::Role::Params);
    l_.stateSize = memory_.size(runtime::Role::State);
    return std::move(l_);
  }

private:
  static runtime::Field parameter(const sema::Parameter& p) {
    runtime::Field f = unit::fieldOf(p.name, *p.array);
    f.role = runtime::Role::Params;
    f.of = p.input;
    switch (p.use) {
    case sema::Parameter::Use::Parameter:
    case sema::Parameter::Use::Table:
      f.kind = runtime::FieldKind::Parameter;
      break;
    case sema::Parameter::Use::InputGiven:
      f.kind = runtime::FieldKind::InputGiven;
      f.comment = fmt::format("1: the input {} is {}_value, 0: it is the model's", p.input, p.input);
      break;
    case sema::Parameter::Use::InputValue:
      f.kind = runtime::FieldKind::InputValue;
      f.comment = fmt::format("the input {}", p.input);
      break;
    }
    return f;
  }

  static const char* frameName(sema::Frame frame) { return frame == sema::Frame::Body ? "body" : "space"; }

  void factor(const sema::Factor& f) {
    add(f.name, f.point, f.manifold->point(), f.manifold->name());
    add(f.velocityName, f.velocity, f.manifold->algebra(),
        fmt::format("{} of {}, {} frame", f.fiber == sema::Fiber::Velocity ? "velocity" : "momentum", f.name,
                    frameName(f.frame)));
  }

  void state(const sema::StateVariable& z) {
    add(z.name, z.point, z.parts(),
        z.dual ? fmt::format("dual of {}, {} frame", z.manifold->name(), frameName(z.frame)) : z.manifold->name());
  }

  void add(const std::string& name, const sema::ArrayTuple& arrays, const std::vector<sema::Part>& parts,
           const std::string& comment, bool written = true, const std::vector<std::int64_t>& first = {}) {
    for (std::size_t k = 0; k < arrays.size(); ++k) {
      runtime::Field f = unit::fieldOf(partName(name, parts, k), *arrays[k], first);
      f.role = runtime::Role::State;
      f.kind = runtime::FieldKind::State;
      f.written = written;
      f.of = name;
      f.comment = comment;
      l_.state.push_back(place(arrays[k], std::move(f)));
      l_.stateArrays.push_back(arrays[k]);
    }
  }

  runtime::Field place(const sym::Array* array, runtime::Field field) {
    return l_.byArray.emplace(array->id, memory_.place(std::move(field))).first->second;
  }

  const sema::Model& m_;
  Layout l_;
  unit::Placement memory_;
};

} // namespace

std::string partName(const std::string& name, const std::vector<sema::Part>& parts, std::size_t k) {
  return parts.size() == 1 ? name : name + "." + parts[k].name;
}

Layout layoutOf(const sema::Model& m) {
  return Fields(m).run();
}

unit::ZeroPattern zeroPattern(const sema::Model& m, const Layout& layout, const std::vector<double>& params) {
  unit::ZeroPattern pattern;
  for (const sema::Parameter& p : m.parameters) {
    const auto size = static_cast<std::size_t>(p.array->shape.size());
    // A single number is there to be varied; a table comes from a file that may be another one.
    if (p.array->shape.rank == 0 || p.use == sema::Parameter::Use::Table) continue;
    std::vector<bool> zeros(size, true);
    const auto first = static_cast<std::size_t>(layout.of(p.array).offset);
    for (std::size_t k = 0; k < static_cast<std::size_t>(p.array->size()); ++k) {
      zeros[k % size] = zeros[k % size] && params[first + k] == 0;
    }
    if (std::find(zeros.begin(), zeros.end(), true) != zeros.end()) pattern[p.array->id] = std::move(zeros);
  }
  return pattern;
}

void placeModel(unit::UnitBuilder& unit, const Layout& layout) {
  for (const auto* list : {&layout.params, &layout.state})
    for (const runtime::Field& f : *list)
      if (unit.place(f).offset != f.offset)
        throw std::logic_error("the memory of a unit begins with that of its model");
}

void bindModel(unit::UnitBuilder& unit, const sema::Model& m, const Layout& layout, InputUse inputs) {
  for (const sema::Parameter& p : m.parameters) {
    const bool value = p.use == sema::Parameter::Use::InputValue;
    if (value && inputs == InputUse::Exported) continue;
    if (inputs != InputUse::Fixed && (value || p.use == sema::Parameter::Use::InputGiven))
      unit.readsLive(p.array, layout.of(p.array));
    else
      unit.reads(p.array, layout.of(p.array));
  }
  for (const sym::Array* a : layout.stateArrays) unit.reads(a, layout.of(a));
  unit.argument(m.time, 0);
}

void bindGivenValues(unit::UnitBuilder& unit, sym::Program& p, const sema::Model& m, const Layout& layout) {
  sym::Graph& g = p.graph();
  for (const sema::Parameter& q : m.parameters) {
    if (q.use != sema::Parameter::Use::InputValue) continue;
    const sym::Array& given = *m.parameters[q.other].array;
    const sym::Array* const left = g.newArray(q.name + ".left", q.array->extents, q.array->shape, sym::Role::Param);
    unit.readsLive(left, layout.of(q.array));
    sym::Equation e;
    e.array = q.array;
    e.loops = sym::memberLoops(g, q.array->extents);
    e.index = sym::indicesOf(e.loops);
    e.value = g.select(g.compare(sym::Op::Ne, g.load(&given, e.index), g.number(0)), g.load(left, e.index),
                       g.zero(q.array->shape));
    p.append(std::move(e));
  }
}

void readModel(unit::UnitBuilder& unit, const sema::Model& m, const Layout& layout, InputUse inputs) {
  placeModel(unit, layout);
  bindModel(unit, m, layout, inputs);
}

unit::UnitBuilder::Outputs nextState(const methods::Step& step, const Layout& layout) {
  unit::UnitBuilder::Outputs next;
  for (std::size_t k = 0; k < step.next.size(); ++k)
    next.push_back({step.next[k], runtime::Role::State, layout.of(step.state[k]).offset});
  return next;
}

namespace {
/// The largest |c| and |dc/dt| of every constraint: what to add as defects.
template <class Add> void constraintDefects(mechanics::Layer& layer, const Add& add) {
  sym::Program& p = layer.program();
  sym::Graph& g = p.graph();
  const mechanics::ConstraintEquations& c = *layer.system.constraints;
  for (std::size_t k = 0; k < layer.model.constraints.size(); ++k) {
    const sema::Constraint& own = layer.model.constraints[k];
    const auto largest = [&](const sym::Array* rows, const std::string& name) {
      const sym::Expr index = g.newIndex("i");
      const sym::Expr row = g.load(rows, {g.add(g.integer(c.firstRow[k]), index)});
      add(name, sym::largest(p, "defect." + name, own.array->size(), index, g.function(sym::Op::Abs, row)));
    };
    if (!own.velocities) largest(c.value, own.name);
    largest(c.rate, own.velocities ? own.name : own.name + "'");
  }
}
} // namespace

Observation observe(mechanics::Layer& layer, unit::UnitBuilder& unit) {
  const mechanics::System& system = layer.system;
  const sema::Model& m = layer.model;
  Observation o;
  const auto add = [&](unit::UnitBuilder::Outputs& outputs, runtime::FieldKind kind, runtime::Field f,
                       const sym::Array* a, const char* comment) {
    f.kind = kind;
    f.written = kind == runtime::FieldKind::Energy || kind == runtime::FieldKind::Observable;
    if (f.comment.empty()) f.comment = comment;
    outputs.push_back({a, f.role, unit.place(f).offset});
  };
  if (system.energy != nullptr)
    add(o.outputs, runtime::FieldKind::Energy, unit::fieldOf("energy", *system.energy), system.energy, "");
  for (const sema::Observable& x : m.observables)
    add(o.outputs, runtime::FieldKind::Observable, unit::fieldOf(x.name, *x.array, x.first), x.array, "observable");
  for (const sema::PhaseVariable& v : m.order) {
    const bool factor = v.isFactor;
    if (!factor && m.states[v.index].dual) continue; // no conditions
    const sema::Factor* f = factor ? &m.factors[v.index] : nullptr;
    const sema::StateVariable* z = factor ? nullptr : &m.states[v.index];
    const std::string& name = factor ? f->name : z->name;
    const sym::Array* a = factor ? defectArray(layer.program(), *f->manifold, name, f->extent, f->point, f)
                                 : defectArray(layer.program(), *z->manifold, name, z->extent, z->point, nullptr);
    if (a == nullptr) continue;
    runtime::Field defect = unit::fieldOf("defect(" + name + ")", *a);
    defect.of = name;
    defect.comment = fmt::format("how far {} is off its manifold", name);
    add(o.outputs, runtime::FieldKind::Defect, std::move(defect), a, "");
  }
  if (system.constraints)
    constraintDefects(layer, [&](const std::string& name, const sym::Array* worst) {
      runtime::Field defect = unit::fieldOf("defect(" + name + ")", *worst);
      defect.of = name;
      defect.comment = "how far the constraint " + name + " is off";
      add(o.outputs, runtime::FieldKind::Defect, std::move(defect), worst, "");
    });
  for (const sema::Event& e : m.events) {
    add(o.events, runtime::FieldKind::Event, unit::fieldOf(e.name, *e.array, e.first), e.array, "event");
    runtime::EventRule rule;
    rule.direction = e.direction;
    rule.goesOn = e.goesOn;
    o.rules.push_back(std::move(rule));
  }
  return o;
}

std::vector<NamedOutput> ratesOf(const mechanics::System& system) {
  const sema::Model& m = *system.model;
  std::vector<NamedOutput> list;
  std::map<std::size_t, const mechanics::DualEquations*> duals;
  for (const mechanics::DualEquations& e : system.duals) duals[e.state] = &e;
  const auto add = [&](const std::string& name, const sema::ArrayTuple& arrays, const std::vector<sema::Part>& parts,
                       const std::string& comment) {
    for (std::size_t k = 0; k < arrays.size(); ++k) {
      runtime::Field f = unit::fieldOf(partName(name + "'", parts, k), *arrays[k]);
      f.kind = runtime::FieldKind::Rate;
      f.of = partName(name, parts, k);
      f.comment = comment;
      list.push_back({arrays[k], std::move(f)});
    }
  };
  for (const sema::PhaseVariable& v : m.order) {
    if (v.isFactor) {
      const sema::Factor& f = m.factors[v.index];
      add(f.velocityName, system.factors[v.index].acceleration, f.manifold->algebra(),
          "derivative of " + f.velocityName);
    } else {
      const sema::StateVariable& z = m.states[v.index];
      add(z.name, z.dual ? duals.at(v.index)->derivative : z.flow, z.manifold->algebra(),
          z.dual ? "derivative of " + z.name : fmt::format("flow of {}, an element of the algebra", z.name));
    }
  }
  return list;
}

} // namespace lmc::products
