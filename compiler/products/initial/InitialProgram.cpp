// What initial data are evaluated by: one function per parameter, one for the settings, one for the state, and one per
// variable that has conditions to satisfy.
#include "products/initial/Initial.h"
#include "sema/manifolds/Generator.h"
#include "sema/values/Tuples.h"

#include <algorithm>

namespace lmc::products {

namespace {

std::vector<std::pair<std::string, const sym::Array*>> settingArrays(const sema::Simulation& s) {
  std::vector<std::pair<std::string, const sym::Array*>> list;
  for (const auto& [name, array] : {std::pair{"time.from", s.timeFrom},
                                    {"time.to", s.timeTo},
                                    {"step", s.step},
                                    {"output.every", s.outputEvery},
                                    {"output.steps", s.outputSteps},
                                    {"seed", s.seed},
                                    {"safety", s.safety},
                                    {"accuracy", s.accuracy}}) {
    if (array != nullptr) list.emplace_back(name, array);
  }
  for (const sema::ToleranceSetting& t : s.tolerances) {
    if (t.absolute != nullptr) list.emplace_back("tolerance.absolute." + t.variable, t.absolute);
    if (t.relative != nullptr) list.emplace_back("tolerance.relative." + t.variable, t.relative);
  }
  return list;
}

void appendGradient(sym::Graph& g, sym::Expr residual, const sema::ArrayTuple& arrays, std::vector<sym::Expr>& out) {
  sema::Tuple row;
  for (const sym::Array* a : arrays) row.push_back(g.zero(a->shape));
  const auto wanted = [&](const sym::Node& n) {
    return std::find(arrays.begin(), arrays.end(), n.array) != arrays.end();
  };
  for (const auto& [load, w] : sym::pullback(g, residual, g.number(1), wanted)) {
    const auto k = static_cast<std::size_t>(std::find(arrays.begin(), arrays.end(), load->array) - arrays.begin());
    row[k] = g.add(row[k], w);
  }
  const std::vector<sym::Expr> list = sema::entries(g, row);
  out.insert(out.end(), list.begin(), list.end());
}

std::vector<sym::Loop> membersOf(sym::Graph& g, std::int64_t extent, std::vector<sym::Expr>& index) {
  if (extent == 0) return {};
  index = {g.newIndex("i")};
  return {{index[0], g.integer(1), g.integer(extent), false}};
}

} // namespace

InitialProgram::InitialProgram(mechanics::Layer& layer, const Layout& where, std::vector<VariedInitial> list)
    : model(layer.model), layout(where), varied(std::move(list)) {
  defineConditions(layer.program());
  addCarried(layer.program());
  chooseProjections();
  makeInputs(layer.program().graph());
  if (varied.empty()) {
    lower(layer.program(), {});
    return;
  }
  std::vector<const sym::Array*> roots;
  for (const sema::Parameter& p : model.parameters) roots.push_back(p.value);
  for (const auto& [name, array] : settingArrays(model.simulation)) roots.push_back(array);
  for (const sema::InitialValue& v : model.initials) roots.push_back(v.value);
  for (const InitialCondition& c : conditions)
    for (const lower::OutputBinding& o : c.outputs) roots.push_back(o.array);
  sym::Program copy(model.program.graph());
  const auto instead = vary(copy, layer.program(), roots);
  lower(copy, instead);
}

void InitialProgram::lower(const sym::Program& program, const std::map<const sym::Array*, const sym::Array*>& instead) {
  unit::UnitBuilder unit(program, false);
  readModel(unit, model, layout);
  const auto bind = [&](const sym::Array* a) {
    const runtime::Field field = unit.place(runtime::Role::Constants, a->name, {a});
    unit.reads(a, field);
    return field.offset;
  };
  for (const sema::RandomArray& r : model.randoms) bind(r.array);
  for (const sema::DataArray& a : model.data) bind(a.array);
  for (const VariedInitial& v : varied)
    for (const sema::ArrayTuple* tuple : {&v.keep, &v.delta})
      for (const sym::Array* a : *tuple) inputs[a->id] = bind(a);
  for (const sema::Parameter& p : model.parameters) {
    runtime::Field field = layout.of(p.array);
    field.role = runtime::Role::Output;
    parameters.push_back(unit.function("param " + p.name, 1, unit::UnitBuilder::into(unit.place(field), {p.value})));
  }
  unit::UnitBuilder::Outputs outputs;
  for (const auto& [name, array] : settingArrays(model.simulation)) {
    const runtime::Field field = unit.place(runtime::Role::Output, name, {array});
    if (settingNames.empty()) firstSetting = field.offset;
    outputs.push_back({array, field.role, field.offset});
    settingNames.push_back(name);
  }
  settings = unit.function("settings", 1, std::move(outputs));
  outputs.clear();
  for (const sema::InitialValue& v : model.initials) {
    const auto other = instead.find(v.value);
    outputs.push_back(
        {other == instead.end() ? v.value : other->second, runtime::Role::State, layout.of(v.state).offset});
  }
  initial = unit.function("initial", 1, std::move(outputs));
  for (InitialCondition& c : conditions) {
    const runtime::Field field =
        unit.place(unit::numbersField(runtime::Role::Output, c.name, (c.rows + c.rows * c.columns) * c.members));
    c.offset = field.offset;
    for (lower::OutputBinding& o : c.outputs) o.offset += field.offset;
    c.function = unit.function("conditions " + c.name, 1, c.outputs);
  }
  module = unit.build().module;
}

// --- values that differ between samples -------------------------------------------------------------------------

/// The velocity (momentum) at a point of a homogeneous manifold belongs to the point: it goes along when the point is
/// moved, unless its initial value follows from the point's anyway.
void InitialProgram::addCarried(const sym::Program& p) {
  std::map<const sym::Array*, const sym::Array*> valueOf;
  for (const sema::InitialValue& v : model.initials) valueOf[v.state] = v.value;
  const std::size_t given = varied.size();
  for (const sema::Factor& f : model.factors) {
    for (std::size_t n = 0; n < given; ++n) {
      const VariedInitial& point = varied[n];
      if (point.manifold == nullptr || point.manifold->isGroup() || point.state != f.point) continue;
      const auto follows = [&](const sema::ArrayTuple& these, const sema::ArrayTuple& those) {
        std::vector<const sym::Array*> roots;
        for (const sym::Array* a : these) roots.push_back(valueOf.at(a));
        for (const std::size_t k : p.slice(roots))
          for (const sym::Array* a : those)
            if (p.equation(k).array == valueOf.at(a)) return true;
        return false;
      };
      if (follows(f.velocity, f.point) || follows(f.point, f.velocity)) continue;
      VariedInitial v;
      v.state = f.velocity;
      v.manifold = point.manifold;
      v.frame = point.frame;
      v.extent = point.extent;
      v.with = n;
      v.momentum = f.fiber == sema::Fiber::Momentum;
      varied.push_back(std::move(v));
    }
  }
}

/// Random numbers are not horizontal: a velocity or momentum that is varied itself, or is not carried along with a
/// point that differs (one read from a table, one that is computed from the velocity), is projected.
void InitialProgram::chooseProjections() {
  for (InitialCondition& c : conditions) {
    if (c.kind.empty()) continue;
    for (const sema::Factor& f : model.factors) {
      if (c.arrays != &f.velocity) continue;
      bool moved = false, carried = false;
      for (const VariedInitial& v : varied) {
        moved = moved || (v.manifold != nullptr && v.state == f.point);
        carried = carried || (v.with != VariedInitial::none && v.state == f.velocity);
        for (const sema::ArrayTuple* arrays : {&f.point, &f.velocity})
          c.project = c.project ||
                      (v.manifold == nullptr && std::find(arrays->begin(), arrays->end(), v.state[0]) != arrays->end());
      }
      c.project = c.project || (moved && !carried);
    }
  }
}

void InitialProgram::makeInputs(sym::Graph& g) {
  for (VariedInitial& v : varied) {
    if (v.with != VariedInitial::none) continue;
    if (v.manifold == nullptr) {
      const sym::Array& a = *v.state[0];
      v.keep = {g.newArray("keep." + a.name, a.extents, a.shape, sym::Role::Data)};
      v.delta = {g.newArray("delta." + a.name, a.extents, a.shape, sym::Role::Data)};
      continue;
    }
    for (const sema::Part& part : v.manifold->algebra())
      v.delta.push_back(g.newArray("delta." + v.state[0]->name, v.state[0]->extents, part.shape, sym::Role::Data));
  }
}

sema::Tuple InitialProgram::variedValue(const VariedInitial& v, const sema::Tuple& value,
                                        const std::vector<sym::Expr>& index) {
  sym::Graph& g = model.program.graph();
  if (v.with != VariedInitial::none) {
    const sema::Manifold& group = v.manifold->group();
    const sema::Tuple turn = *group.apply("exp", {sema::loads(g, varied[v.with].delta, index)});
    if (!v.momentum) return *group.apply("Ad", {turn, value});
    return *group.apply("Adstar", {*group.apply("inverse", {turn}), value});
  }
  const sema::Tuple delta = sema::loads(g, v.delta, index);
  if (v.manifold == nullptr) {
    const std::vector<sym::Expr> x = sema::entries(g, value), k = sema::entries(g, sema::loads(g, v.keep, index)),
                                 d = sema::entries(g, delta);
    std::vector<sym::Expr> sum;
    for (std::size_t e = 0; e < x.size(); ++e) sum.push_back(g.add(g.mul(k[e], x[e]), d[e]));
    return sema::fromEntries(g, {{"", v.state[0]->shape}}, sum);
  }
  const sema::Tuple turn = *v.manifold->group().apply("exp", {delta});
  if (!v.manifold->isGroup()) return *v.manifold->apply("action", {turn, value});
  const bool body = v.frame == sema::Frame::Body;
  return *v.manifold->apply("product", {body ? value : turn, body ? turn : value});
}

/// False while another change of the same arrays is to come first: what is carried is carried as the model gives it.
bool InitialProgram::ready(std::size_t n, const std::vector<bool>& placed) const {
  const VariedInitial& v = varied[n];
  for (std::size_t k = 0; k < varied.size() && v.with == VariedInitial::none; ++k) {
    const sema::ArrayTuple& s = varied[k].state;
    if (varied[k].with != VariedInitial::none && !placed[k] && std::find(s.begin(), s.end(), v.state[0]) != s.end())
      return false;
  }
  return true;
}

/// Copies the equations that the roots need. Behind the values of the model stand the varied ones, and what follows
/// reads these. Returns the varied array of each.
std::map<const sym::Array*, const sym::Array*> InitialProgram::vary(sym::Program& to, const sym::Program& from,
                                                                    const std::vector<const sym::Array*>& roots) {
  sym::Graph& g = to.graph();
  std::map<const sym::Array*, const sym::Array*> valueOf, instead;
  for (const sema::InitialValue& v : model.initials) valueOf[v.state] = v.value;
  const std::vector<std::size_t> slice = from.slice(roots);
  std::map<const sym::Array*, std::size_t> last; // equation that completes an array
  for (const std::size_t k : slice) last[from.equation(k).array] = k;
  std::vector<bool> placed(varied.size(), false);
  const auto place = [&](std::size_t n) {
    const VariedInitial& v = varied[n];
    sema::ArrayTuple values;
    sema::ArrayTuple present; // what stands for them now
    for (const sym::Array* s : v.state) {
      values.push_back(valueOf.at(s));
      const auto changed = instead.find(values.back());
      present.push_back(changed == instead.end() ? values.back() : changed->second);
    }
    std::vector<sym::Expr> index;
    std::vector<sym::Loop> loops = membersOf(g, v.extent, index);
    const sema::Tuple result = variedValue(v, sema::loads(g, present, index), index);
    for (std::size_t p = 0; p < values.size(); ++p) {
      const sym::Array* a =
          g.newArray("varied." + v.state[p]->name, values[p]->extents, values[p]->shape, sym::Role::Temp);
      sym::Equation e;
      e.array = a;
      e.loops = loops;
      e.index = index;
      e.value = result[p];
      to.append(std::move(e));
      instead[values[p]] = a;
    }
    placed[n] = true;
  };
  sym::Substitution substitution(g, [&](const sym::Node& n, const std::vector<sym::Expr>& args) {
    if (n.op != sym::Op::Load) return sym::Expr();
    const auto found = instead.find(n.array);
    return found == instead.end() ? sym::Expr() : g.load(found->second, args);
  });
  for (const std::size_t k : slice) {
    sym::Equation e = from.equation(k);
    if (!instead.empty()) { // memoised: an expression seen before a value was varied does not need that value
      sym::Substitution now = substitution;
      if (e.value) e.value = now(e.value);
      if (e.guard) e.guard = now(e.guard);
    }
    to.append(std::move(e));
    for (std::size_t m = 0; m < varied.size(); ++m) {
      const std::size_t n = varied.size() - 1 - m; // what is carried stands behind what was asked for
      const sema::ArrayTuple& s = varied[n].state;
      const bool complete =
          std::all_of(s.begin(), s.end(), [&](const sym::Array* a) { return last.at(valueOf.at(a)) <= k; });
      if (!placed[n] && complete && ready(n, placed)) place(n);
    }
  }
  return instead;
}

// --- conditions -------------------------------------------------------------------------------------------------

void InitialProgram::defineConditions(sym::Program& p) {
  for (const sema::PhaseVariable& v : model.order) {
    if (v.isFactor) {
      const sema::Factor& f = model.factors[v.index];
      define(p, f.name, f.range, *f.manifold, f.point, nullptr);
      defineMembership(f.name, f.range, *f.manifold, f.point);
      if (!f.manifold->gives("horizontal")) continue;
      define(p, f.velocityName, f.range, *f.manifold, f.point, &f);
      if (!conditions.empty() && conditions.back().arrays == &f.velocity)
        conditions.back().kind = f.fiber == sema::Fiber::Momentum ? "momentum" : "velocity";
    } else if (const sema::StateVariable& z = model.states[v.index]; !z.dual) {
      define(p, z.name, z.range, *z.manifold, z.point, nullptr);
      defineMembership(z.name, z.range, *z.manifold, z.point);
    }
  }
  for (const sema::DiscreteVariable& d : model.discretes) {
    if (d.manifold == nullptr) continue;
    define(p, d.name, d.range, *d.manifold, d.arrays, nullptr);
    defineMembership(d.name, d.range, *d.manifold, d.arrays);
  }
}

/// Equations between entries do not tell an element from a singular matrix, and not always from others.
void InitialProgram::defineMembership(const std::string& name, Range range, const sema::Manifold& manifold,
                                      const sema::ArrayTuple& point) {
  const auto* declared = dynamic_cast<const sema::DeclaredManifold*>(&manifold);
  if (declared == nullptr || !declared->isGroup()) return;
  for (const auto& [variable, where] : model.initialRanges)
    if (variable == name) range = where;
  for (const sema::DeclaredManifold::BasisPart& p : declared->basisParts()) {
    const sema::ClosedEquations& e = p.group->basis()->equations();
    if (!p.group->declaresHolds() && e.missing == 0 && e.unimodular) continue;
    memberships.push_back({name, range, point[p.part]->count(), point[p.part], p.group});
  }
}

void InitialProgram::define(sym::Program& p, const std::string& name, Range range, const sema::Manifold& manifold,
                            const sema::ArrayTuple& point, const sema::Factor* factor) {
  sym::Graph& g = p.graph();
  const std::vector<std::int64_t>& extents = point.front()->extents;
  InitialCondition c;
  c.name = name;
  c.range = range;
  for (const auto& [variable, where] : model.initialRanges) {
    if (variable == name) c.range = where;
  }
  c.members = point.front()->count();
  c.arrays = factor != nullptr ? &factor->velocity : &point;
  for (const sema::Part& part : factor != nullptr ? manifold.algebra() : manifold.point()) c.parts.push_back(part.name);
  std::vector<sym::Expr> index;
  std::vector<sym::Loop> loops;
  for (const std::int64_t extent : extents) {
    index.push_back(g.newIndex("i"));
    loops.push_back({index.back(), g.integer(1), g.integer(extent), false});
  }
  const sema::Tuple q = sema::loads(g, point, index);
  std::vector<sym::Expr> residuals;
  const auto add = [&](const sym::Expr& equation) {
    const int number = c.equations.empty() ? 0 : c.equations.back() + 1;
    for (const sym::Expr& e : sema::entries(g, {equation})) {
      residuals.push_back(e);
      c.equations.push_back(number);
    }
  };
  bool parts = false; // the residuals are what is off itself, not conditions on it
  if (factor != nullptr) {
    c.at = &point;
    const sema::Tuple x = sema::loads(g, factor->velocity, index);
    const bool momentum = factor->fiber == sema::Fiber::Momentum;
    parts = !sema::isotropyIsNormal(p, manifold);
    const sema::Tuple off = !parts     ? *manifold.apply("horizontal", {q, x})
                            : momentum ? sema::momentumConditions(p, manifold, q, x)
                                       : sema::sub(g, x, sema::horizontalProjection(p, manifold, q, x));
    for (const sym::Expr& e : off) add(e);
  } else {
    for (const sema::HeldEquation& h : manifold.holds(q)) add(g.sub(h.left, h.right));
  }
  if (residuals.empty()) return;
  std::vector<sym::Expr> jacobian;
  for (std::size_t k = 0; k < residuals.size(); ++k) {
    if (!parts) appendGradient(g, residuals[k], *c.arrays, jacobian);
    for (std::size_t j = 0; parts && j < residuals.size(); ++j) jacobian.push_back(g.number(j == k ? 1 : 0));
  }
  c.rows = static_cast<std::int64_t>(residuals.size());
  c.columns = static_cast<std::int64_t>(jacobian.size()) / c.rows;
  const auto output = [&](const std::string& what, const std::vector<sym::Expr>& values, std::int64_t offset) {
    const sym::Array* a =
        g.newArray(what + name, extents, sym::Shape::vec(static_cast<int>(values.size())), sym::Role::Temp);
    sym::Equation e;
    e.array = a;
    e.loops = loops;
    e.index = index;
    e.value = g.vector(values);
    p.append(std::move(e));
    c.outputs.push_back({a, runtime::Role::Output, offset});
  };
  output("residual.", residuals, 0);
  output("jacobian.", jacobian, c.rows * c.members);
  conditions.push_back(std::move(c));
}

} // namespace lmc::products
