#include "products/stages/Stages.h"
#include "sema/manifolds/Generator.h"
#include "sym/Largest.h"

#include <algorithm>

namespace lmc {

namespace {
void place(Layout& layout, const ArrayTuple& arrays) {
  for (const sym::Array* a : arrays) {
    layout.state[a->id] = layout.stateSize;
    layout.stateSize += a->size();
    layout.stateArrays.push_back(a);
  }
}
} // namespace

std::string partName(const std::string& name, const std::vector<Part>& parts, std::size_t k) {
  return parts.size() == 1 ? name : name + "." + parts[k].name;
}

Layout layoutOf(const Model& m) {
  Layout layout;
  for (const Parameter& p : m.parameters) {
    layout.params[p.array->id] = layout.paramSize;
    layout.paramSize += p.array->size();
  }
  for (const PhaseVariable& v : m.order) {
    if (v.isFactor) {
      place(layout, m.factors[v.index].point);
      place(layout, m.factors[v.index].velocity);
    } else {
      place(layout, m.states[v.index].point);
    }
  }
  return layout;
}

std::vector<NamedArray> parameterValues(const Model& model, const Layout& layout, const std::vector<double>& params) {
  std::vector<NamedArray> list;
  for (const Parameter& p : model.parameters) {
    NamedArray a{p.name, fieldOf(p.name, *p.array).extents, {}};
    const double* first = params.data() + layout.params.at(p.array->id);
    a.values.assign(first, first + p.array->size());
    list.push_back(std::move(a));
  }
  for (const auto& [name, value] : model.constants) list.push_back({name, {}, {static_cast<double>(value)}});
  return list;
}

ZeroPattern zeroPattern(const Model& m, const Layout& layout, const std::vector<double>& params) {
  ZeroPattern pattern;
  for (const Parameter& p : m.parameters) {
    const auto size = static_cast<std::size_t>(p.array->shape.size());
    if (p.array->shape.rank == 0) continue; // a single number is there to be varied
    std::vector<bool> zeros(size, true);
    const auto first = static_cast<std::size_t>(layout.params.at(p.array->id));
    for (std::size_t k = 0; k < static_cast<std::size_t>(p.array->size()); ++k) {
      zeros[k % size] = zeros[k % size] && params[first + k] == 0;
    }
    if (std::find(zeros.begin(), zeros.end(), true) != zeros.end()) pattern[p.array->id] = std::move(zeros);
  }
  return pattern;
}

void bindInputs(Lowering& lowering, const Model& m, const Layout& layout, const ZeroPattern& zeros, InputUse inputs) {
  for (const Parameter& p : m.parameters) {
    if (inputs == InputUse::Live && p.use != Parameter::Use::Parameter) {
      lowering.bindLiveInput(p.array, layout.params.at(p.array->id));
      continue;
    }
    const auto z = zeros.find(p.array->id);
    lowering.bindInput(p.array, tape::Role::Params, layout.params.at(p.array->id),
                       z == zeros.end() ? std::vector<bool>{} : z->second);
  }
  for (const sym::Array* a : layout.stateArrays) lowering.bindInput(a, tape::Role::State, layout.state.at(a->id));
  lowering.bindArgument(m.time, 0);
}

Field fieldOf(std::string name, const sym::Array& a, std::vector<std::int64_t> first) {
  Field field{std::move(name), a.extents, std::move(first)};
  if (a.shape.rank > 0) field.extents.push_back(a.shape.rows);
  if (a.shape.rank > 1) field.extents.push_back(a.shape.cols);
  return field;
}

void addColumns(std::vector<Column>& columns, const Field& field, tape::Role role, std::int64_t offset) {
  for (Entry& entry : field.entries()) columns.push_back({std::move(entry), role, offset++});
}

std::vector<Column> stateColumns(const Model& m, const Layout& layout) {
  std::vector<Column> columns;
  const auto add = [&](const std::string& name, const ArrayTuple& arrays, const std::vector<Part>& parts) {
    for (std::size_t k = 0; k < arrays.size(); ++k) {
      addColumns(columns, fieldOf(partName(name, parts, k), *arrays[k]), tape::Role::State,
                 layout.state.at(arrays[k]->id));
    }
  };
  for (const PhaseVariable& v : m.order) {
    if (v.isFactor) {
      const Factor& f = m.factors[v.index];
      add(f.name, f.point, f.manifold->point());
      add(f.velocityName, f.velocity, f.manifold->algebra());
    } else {
      const StateVariable& z = m.states[v.index];
      add(z.name, z.point, z.parts());
    }
  }
  return columns;
}

namespace {
/// The largest violation of a variable's `holds` and horizontal conditions, over all members, as a single value.
const sym::Array* defectArray(sym::Program& p, const Manifold& m, const std::string& name, std::int64_t extent,
                              const ArrayTuple& point, const Factor* factor) {
  sym::Graph& g = p.graph();
  std::vector<sym::Expr> index;
  if (extent > 0) index.push_back(g.newIndex("i"));
  const Tuple q = loads(g, point, index);
  std::vector<sym::Expr> residuals;
  for (const HeldEquation& h : m.holds(q)) {
    for (const sym::Expr& e : entries(g, {g.sub(h.left, h.right)})) residuals.push_back(e);
  }
  if (factor != nullptr && m.gives("horizontal")) {
    const Tuple fiber = loads(g, factor->velocity, index);
    const Tuple c =
        factor->fiber == Fiber::Momentum ? momentumConditions(p, m, q, fiber) : *m.apply("horizontal", {q, fiber});
    for (const sym::Expr& e : entries(g, c)) residuals.push_back(e);
  }
  if (residuals.empty()) return nullptr;
  sym::Expr worst = g.number(0);
  for (const sym::Expr& e : residuals) {
    const sym::Expr size = g.function(sym::Op::Abs, e);
    worst = worst->isZero() ? size : g.function(sym::Op::Max, worst, size);
  }
  return sym::largest(p, "defect." + name, extent, extent > 0 ? index[0] : sym::Expr(), worst);
}
} // namespace

namespace {
/// The largest |c| and |dc/dt| of every constraint.
void constraintDefects(Layer& layer, std::vector<DefectOutput>& defects,
                       const std::function<std::int64_t(const sym::Array*)>& add) {
  sym::Program& p = layer.program();
  sym::Graph& g = p.graph();
  const ConstraintEquations& c = *layer.system.constraints;
  for (std::size_t k = 0; k < layer.model.constraints.size(); ++k) {
    const Constraint& own = layer.model.constraints[k];
    const auto largest = [&](const sym::Array* rows, const std::string& name) {
      const sym::Expr index = g.newIndex("i");
      const sym::Expr row = g.load(rows, {g.add(g.integer(c.firstRow[k]), index)});
      defects.push_back(
          {name, add(sym::largest(p, "defect." + name, own.array->size(), index, g.function(sym::Op::Abs, row)))});
    };
    if (!own.velocities) largest(c.value, own.name);
    largest(c.rate, own.velocities ? own.name : own.name + "'");
  }
}
} // namespace

Observation observe(Layer& layer) {
  const System& system = layer.system;
  const Model& m = layer.model;
  Observation o;
  const auto add = [&](const sym::Array* a) {
    o.outputs.push_back({a, tape::Role::Output, o.size});
    o.size += a->size();
    return o.size - a->size();
  };
  if (system.energy != nullptr) {
    o.energyOffset = add(system.energy);
    o.columns.push_back({{"energy", {}}, tape::Role::Output, o.energyOffset});
  }
  for (const Observable& x : m.observables)
    addColumns(o.columns, fieldOf(x.name, *x.array, x.first), tape::Role::Output, add(x.array));
  for (const PhaseVariable& v : m.order) {
    const bool factor = v.isFactor;
    if (!factor && m.states[v.index].dual) continue; // no conditions
    const Factor* f = factor ? &m.factors[v.index] : nullptr;
    const StateVariable* z = factor ? nullptr : &m.states[v.index];
    const std::string& name = factor ? f->name : z->name;
    const sym::Array* a = factor ? defectArray(layer.program(), *f->manifold, name, f->extent, f->point, f)
                                 : defectArray(layer.program(), *z->manifold, name, z->extent, z->point, nullptr);
    if (a != nullptr) o.defects.push_back({name, add(a)});
  }
  if (system.constraints) constraintDefects(layer, o.defects, add);
  for (const Event& e : m.events) {
    o.eventOutputs.push_back({e.array, tape::Role::Output, o.size});
    const Field members{e.name, e.array->extents, e.first};
    for (Entry& member : members.entries()) o.events.push_back({std::move(member), o.size++, e.direction});
  }
  return o;
}

FieldOutputs fieldOutputs(const System& system, std::int64_t base) {
  const Model& m = *system.model;
  FieldOutputs out;
  std::map<std::size_t, const DualEquations*> duals;
  for (const DualEquations& e : system.duals) duals[e.state] = &e;
  out.size = base;
  const auto add = [&](const std::string& name, const ArrayTuple& arrays, const std::vector<Part>& parts) {
    for (std::size_t k = 0; k < arrays.size(); ++k) {
      out.outputs.push_back({arrays[k], tape::Role::Output, out.size});
      addColumns(out.columns, fieldOf(partName(name, parts, k), *arrays[k]), tape::Role::Output, out.size);
      out.size += arrays[k]->size();
    }
  };
  for (const PhaseVariable& v : m.order) {
    if (v.isFactor) {
      const Factor& f = m.factors[v.index];
      add(f.velocityName + "'", system.factors[v.index].acceleration, f.manifold->algebra());
    } else {
      const StateVariable& z = m.states[v.index];
      add(z.name + "'", z.dual ? duals.at(v.index)->derivative : z.flow, z.manifold->algebra());
    }
  }
  return out;
}

} // namespace lmc
