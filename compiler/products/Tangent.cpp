// The functions of a TangentProblem: directions, the step with its tangent map, the symplectic form.
#include "products/Impl.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc::products {

namespace {

bool hasForces(const sema::Model& m) {
  bool forced = !m.dissipations.empty() || !m.forcesAt.empty();
  for (const sema::Factor& f : m.factors) forced = forced || !f.force.empty();
  return forced;
}

} // namespace

TangentOutputs tangentOutputs(mechanics::Layer& layer, const methods::Step& step) {
  TangentOutputs o;
  o.tangent = methods::stepTangent(layer, step);
  o.form = methods::symplecticForm(layer, step, o.tangent);
  return o;
}

void addTangent(unit::UnitBuilder& unit, const mechanics::System& system, const methods::Step& step,
                const TangentOutputs& o, const Layout& layout, runtime::TangentProblem& p) {
  p.poisson = o.form.poisson;
  p.forced = hasForces(*system.model);
  p.stateSize = layout.stateSize;
  p.change = unit.place(unit::numbersField(runtime::Role::State, "change", layout.stateSize));
  p.shift = unit.place(runtime::Role::State, "shift", o.form.shift);
  unit.argument(step.stepSize, 1);
  unit::UnitBuilder::Outputs advanced, direct;
  for (std::size_t k = 0; k < step.state.size(); ++k) {
    const runtime::Field& here = layout.of(step.state[k]);
    runtime::Field change = here;
    change.offset += p.change.offset;
    unit.reads(o.tangent.change[k], change);
    advanced.push_back({step.next[k], here.role, here.offset});
    advanced.push_back({o.tangent.changed[k], change.role, change.offset});
    direct.push_back({o.form.change[k], change.role, change.offset});
  }
  unit.reads(o.form.shift, p.shift);
  p.eta = unit.place(runtime::Role::Output, "eta", o.form.eta);
  p.turned = unit.place(runtime::Role::Output, "turned", o.form.turned);
  p.dp = unit.place(runtime::Role::Output, "dp", o.form.dp);
  unit::UnitBuilder::Outputs form;
  for (const auto& [field, arrays] : {std::pair{&p.eta, &o.form.eta}, {&p.turned, &o.form.turned}, {&p.dp, &o.form.dp}})
    for (const lower::OutputBinding& b : unit::UnitBuilder::into(*field, *arrays)) form.push_back(b);
  p.directFunction = unit.function("direct", 1, std::move(direct));
  p.formFunction = unit.function("form", 1, std::move(form));
  if (!o.tangent.constraints.empty()) {
    p.held = unit.place(runtime::Role::Output, "held", o.tangent.constraints);
    p.holdFunction = unit.function("hold", 1, unit::UnitBuilder::into(p.held, o.tangent.constraints));
  }
  p.stepFunction = unit.function("step", 2, std::move(advanced));
}

std::unique_ptr<runtime::TangentProblem> Pipeline::Impl::buildTangent() {
  if (!checkAll() || (!chosen && refusesChoice("the tangent map of a step"))) return nullptr;
  const Prepared* const prepared = prepare(true);
  if (prepared == nullptr || refusesImpulses("derivatives of steps") || refusesDerivatives("the tangent map") ||
      refusesResets("the symplecticity of a step"))
    return nullptr;
  if (const auto& c = system->constraints; c && c->rows > c->positions) {
    const auto rolling = std::find_if(model->constraints.begin(), model->constraints.end(),
                                      [](const sema::Constraint& k) { return k.velocities; });
    diagnostics().error(Code::LIE0620, rolling->range,
                        fmt::format("`{}` has no symplectic form: `{}` is a constraint on velocities, and motions "
                                    "under such constraints keep none",
                                    model->name, rolling->name));
    return nullptr;
  }
  const Prepared& whole = wholeStep();
  Product product(whole, whole.layer);
  const Layout& layout = prepared->layout;
  const TangentOutputs outputs = tangentOutputs(product.layer, *whole.step);
  if (!outputs.form.refusal.empty()) {
    diagnostics().error(Code::LIE0620, model->range,
                        fmt::format("`{}` has no symplectic form: {}", model->name, outputs.form.refusal));
    return nullptr;
  }
  auto p = std::make_unique<runtime::TangentProblem>();
  product.steps = Steps::Fixed;
  product.bind(InputUse::Fixed);
  product.unit.report();
  addTangent(product.unit, *system, *whole.step, outputs, layout, *p);
  p->problem = compiled(product, zeroPattern(*model, layout, prepared->data.params));
  if (p->forced)
    diagnostics().warning(Code::LIE0621, model->range,
                          fmt::format("`{}` has forces or dissipation, which need not be symplectic: the defect "
                                      "is that of the forced motion too",
                                      model->name));
  return p;
}

} // namespace lmc::products
