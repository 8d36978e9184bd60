// The mass equation of a run as tapes of its own, by which the run looks at its accelerations now and then.
#include "mechanics/mass/Gauge.h"
#include "mechanics/system/Equations.h"
#include "mechanics/system/Regular.h"
#include "products/stages/ManifoldDefect.h"
#include "products/stages/Stages.h"
#include "runtime/mass/MassCheck.h"
#include "tape/TapeCost.h"

#include <algorithm>
#include <cmath>

namespace lmc::products {

namespace {

/// Part of a run's time that looking may take; more where only looking shows that the matrix changes its signs.
constexpr double share = 0.01, shareOfIndefinite = 0.5;
/// What an instruction costs the interpreter, in operations of compiled code.
constexpr double interpreted = 75;
/// Velocities up to which the signs of M are counted.
constexpr std::int64_t signLimit = 64;

void join(std::vector<const sym::Array*>& list, const std::vector<const sym::Array*>& more) {
  list.insert(list.end(), more.begin(), more.end());
}

/// Defines, for each factor, the change of the momentum along the seeded velocities, and r.
void defineSides(mechanics::Layer& layer, sym::Tangent& along, std::vector<const sym::Array*>& product,
                 std::vector<const sym::Array*>& rhs) {
  sym::Program& p = layer.program();
  const mechanics::System& s = layer.system;
  for (std::size_t k = 0; k < s.model->factors.size(); ++k) {
    const sema::Factor& f = s.model->factors[k];
    const mechanics::FactorEquations& e = s.factors[k];
    sema::Tuple change;
    for (const sym::Expr& mu : e.momentum) change.push_back(along.of(mu));
    join(product, mechanics::defineParts(p, "M v", f.manifold->algebra(), f.extent, e.index, change));
    sema::Tuple right = e.rhs;
    if (!e.reaction.empty()) right = sema::add(p.graph(), right, sema::loads(p.graph(), e.reaction, e.index));
    join(rhs, mechanics::defineParts(p, "r", f.manifold->algebra(), f.extent, e.index, right));
  }
}

/// Of each number of r, by factors, the sum of the sizes of its terms: that without forces of constraints and contacts,
/// and the push of each of them.
const sym::Array* termsOfSides(mechanics::Layer& layer) {
  sym::Program& p = layer.program();
  sym::Graph& g = p.graph();
  const mechanics::ConstraintEquations& c = *layer.system.constraints;
  const sym::Array* terms = g.newArray("terms of r", {c.columns}, sym::Shape::scalar(), sym::Role::Temp);
  const auto add = [&](std::vector<sym::Loop> loops, sym::Expr at, sym::Expr value) {
    sym::Equation e;
    e.kind = sym::EquationKind::Accumulate;
    e.array = terms;
    e.loops = std::move(loops);
    e.index = {at};
    e.value = g.function(sym::Op::Abs, value);
    p.append(std::move(e));
  };
  for (std::size_t k = 0; k < layer.model.factors.size(); ++k) {
    const sema::Factor& f = layer.model.factors[k];
    const mechanics::FactorEquations& e = layer.system.factors[k];
    const std::vector<sym::Expr> list = sema::entries(g, e.rhs);
    std::vector<sym::Loop> loops;
    sym::Expr before = g.integer(c.firstColumn[k]);
    if (f.extent > 0) {
      loops = mechanics::memberLoop(g, f.extent, e.index);
      const sym::Expr others = g.sub(e.index[0], g.integer(1));
      before = g.add(before, g.mul(g.integer(static_cast<std::int64_t>(list.size())), others));
    }
    for (std::size_t i = 0; i < list.size(); ++i)
      add(loops, g.add(before, g.integer(static_cast<std::int64_t>(i) + 1)), list[i]);
  }
  if (c.blocks) {
    for (const mechanics::ConstraintBlocks::Family& f : c.blocks->jacobian)
      for (int i = 0; i < f.rows; ++i)
        for (int a = 0; a < f.columns; ++a)
          add(f.loops, g.add(f.column, g.integer(a)),
              g.mul(g.load(c.blocks->matrix->values, {g.add(f.position, g.integer(i * f.columns + a))}),
                    g.load(c.multiplier, {g.add(f.row, g.integer(i))})));
    return terms;
  }
  const sym::Loop row = sym::fullLoop(g, "i", c.rows), column = sym::fullLoop(g, "a", c.columns);
  const sym::Array* const pushes = layer.system.contacts ? layer.system.contacts->jacobian : c.jacobian;
  add({row, column}, column.index, g.mul(g.load(pushes, {row.index, column.index}), g.load(c.multiplier, {row.index})));
  // What has no mass may feel no force at all: then multipliers are rounding of what each row alone would ask for.
  if (mechanics::isHeld(layer.system)) {
    const sym::Expr own = g.load(c.matrix, {row.index, row.index}), none = g.number(0);
    const sym::Expr alone = g.select(g.compare(sym::Op::Lt, none, own), g.div(g.load(c.bias, {row.index}), own), none);
    add({row, column}, column.index, g.mul(g.load(c.jacobian, {row.index, column.index}), alone));
  }
  return terms;
}

class MassEquationTapes {
public:
  MassEquationTapes(mechanics::Layer& layer, const Layout& layout, const MassKind& kind)
      : kind_(kind), l_(layer), s_(layer.system), m_(layer.model), p_(layer.program()), g_(p_.graph()), layout_(layout),
        check_(std::make_shared<runtime::MassCheck>()) {}

  std::shared_ptr<runtime::MassCheck> run() {
    defineProduct();
    unit::UnitBuilder unit(p_, false);
    choosePivots(unit, kind_);
    readModel(unit, m_, layout_);
    unit.reads(direction_, unit.place(runtime::Role::Constants, "direction", direction_));
    unit::UnitBuilder::Outputs equation;
    for (const auto& [name, list] : {std::pair{"xi'", &rates_}, {"r", &rhs_}})
      for (const lower::OutputBinding& o :
           unit::UnitBuilder::into(unit.place(runtime::Role::Output, name, *list), *list))
        equation.push_back(o);
    unit::UnitBuilder::Outputs product =
        unit::UnitBuilder::into(unit.place(runtime::Role::Output, "M v", product_), product_);
    // Bodies that drives move, at rest on others, and those without mass: forces that balance each other are seen
    // apart.
    if (s_.constraints) {
      const std::vector<const sym::Array*> terms{termsOfSides(l_)};
      const runtime::Field field = unit.place(runtime::Role::Output, "terms of r", terms);
      check_->terms = field.offset;
      for (const lower::OutputBinding& o : unit::UnitBuilder::into(field, terms)) equation.push_back(o);
    }
    // Of points on homogeneous manifolds the equation is one on the manifold: methods in storage coordinates leave it.
    for (const sema::Factor& f : m_.factors) {
      const sym::Array* off =
          f.manifold->isGroup() ? nullptr : defectArray(p_, *f.manifold, f.name, f.extent, f.point, &f);
      if (off == nullptr) continue;
      const runtime::Field field = unit.place(runtime::Role::Output, "off " + f.name, {off});
      check_->off.push_back(field.offset);
      for (const lower::OutputBinding& o : unit::UnitBuilder::into(field, {off})) equation.push_back(o);
    }
    check_->equation = unit.function("mass equation", 1, std::move(equation));
    check_->product = unit.function("mass product", 1, std::move(product));
    check_->module = unit.build().module;
    return check_;
  }

private:
  void defineProduct() {
    sym::Tangent along(p_);
    for (const sema::Factor& f : m_.factors) {
      for (const sym::Array* a : f.velocity) {
        const sym::Array* v = g_.newArray("direction(" + a->name + ")", a->extents, a->shape, sym::Role::Param);
        direction_.push_back(v);
        along.seed(a, [this, v](const std::vector<sym::Expr>& index) { return g_.load(v, index); });
      }
    }
    defineSides(l_, along, product_, rhs_);
    for (std::size_t k = 0; k < m_.factors.size(); ++k) {
      const sema::Factor& f = m_.factors[k];
      const mechanics::FactorEquations& e = s_.factors[k];
      check_->factors.push_back(static_cast<std::int64_t>(check_->names.size()));
      addNames(f);
      if (!f.manifold->isGroup())
        check_->gauges +=
            static_cast<std::int64_t>(mechanics::gaugesOf(l_, k, e.index, mechanics::MassUnknown::Velocity).size()) *
            std::max<std::int64_t>(f.extent, 1);
      join(rates_, e.acceleration);
    }
  }

  /// In the order of the arrays: part after part.
  void addNames(const sema::Factor& f) {
    const std::vector<sema::Part>& parts = f.manifold->algebra();
    for (std::size_t part = 0; part < parts.size(); ++part) {
      const runtime::Field field = unit::fieldOf(partName(f.velocityName, parts, part), *f.velocity[part]);
      for (const runtime::Entry& e : field.entries()) check_->names.push_back(e.name());
    }
  }

  const MassKind& kind_;
  mechanics::Layer& l_;
  const mechanics::System& s_;
  const sema::Model& m_;
  sym::Program& p_;
  sym::Graph& g_;
  const Layout& layout_;
  std::shared_ptr<runtime::MassCheck> check_;
  std::vector<const sym::Array*> direction_, rates_, rhs_, product_;
};

} // namespace

std::shared_ptr<runtime::MassCheck> massCheck(mechanics::Layer& layer, const Layout& layout, const MassKind& kind,
                                              double stepCost) {
  const mechanics::System& system = layer.system;
  if (system.groups.empty()) return nullptr;
  std::shared_ptr<runtime::MassCheck> check = MassEquationTapes(layer, layout, kind).run();
  const auto n = static_cast<double>(check->names.size());
  check->definite = kind.definite;
  check->constrained = system.constraints != nullptr;
  check->varies =
      !mechanics::isHeld(system) && // singular it may stay
      std::any_of(system.groups.begin(), system.groups.end(),
                  [&](const mechanics::MassGroup& g) { // definite multipliers: M is a part of a constant matrix
                    return !g.constant && (g.structure != mechanics::MassStructure::Multipliers || !kind.definite);
                  });
  const double product = tape::cost(check->module, check->product, interpreted);
  double look = tape::cost(check->module, check->equation, interpreted) + 3 * product;
  const bool counted = check->varies && n <= static_cast<double>(signLimit);
  if (counted) look += n * product + 20 * n * n * n;
  const double part = counted && !kind.definite ? shareOfIndefinite : share;
  check->every =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(look / (part * std::max(stepCost, 1.0)))));
  return check;
}

MassSides massSides(mechanics::Layer& layer) {
  const sema::Model& m = layer.model;
  sym::Graph& g = layer.program().graph();
  sym::Tangent along(layer.program());
  for (std::size_t k = 0; k < m.factors.size(); ++k) {
    const sema::ArrayTuple& velocity = m.factors[k].velocity;
    for (std::size_t part = 0; part < velocity.size(); ++part) {
      const sym::Array* rate = layer.system.factors[k].acceleration[part];
      along.seed(velocity[part], [&g, rate](const std::vector<sym::Expr>& index) { return g.load(rate, index); });
    }
  }
  MassSides sides;
  defineSides(layer, along, sides.product, sides.rhs);
  return sides;
}

bool massIsInDoubt(const mechanics::System& system, const MassKind& kind) {
  return !kind.definite || !kind.inspected ||
         std::any_of(system.groups.begin(), system.groups.end(), [](const mechanics::MassGroup& g) {
           return g.structure == mechanics::MassStructure::Chain ||
                  g.structure == mechanics::MassStructure::Multipliers;
         });
}

} // namespace lmc::products
