// The functions of a TangentProblem: directions, the step with its tangent map, the symplectic form.
#include "products/Impl.h"

#include <fmt/format.h>

namespace lmc {

namespace {

/// Places arrays one after the other; returns their number of doubles.
std::int64_t bindAll(std::vector<OutputBinding>& list, const ArrayTuple& arrays, std::int64_t offset) {
  std::int64_t size = 0;
  for (const sym::Array* a : arrays) {
    list.push_back({a, tape::Role::Output, offset + size});
    size += a->size();
  }
  return size;
}

bool hasForces(const Model& m) {
  bool forced = !m.dissipations.empty() || !m.forcesAt.empty();
  for (const Factor& f : m.factors) forced = forced || !f.force.empty();
  return forced;
}

} // namespace

TangentOutputs tangentOutputs(Layer& layer, const Step& step) {
  TangentOutputs o;
  o.tangent = stepTangent(layer, step);
  o.form = symplecticForm(layer, step, o.tangent);
  return o;
}

void addTangent(Lowering& lowering, const System& system, const Step& step, const TangentOutputs& o,
                const Layout& layout, std::int64_t outputs, TangentProblem& p) {
  p.poisson = o.form.poisson;
  p.forced = hasForces(*system.model);
  p.stateSize = layout.stateSize;
  p.change = layout.stateSize;
  p.shift = 2 * layout.stateSize;
  lowering.bindArgument(step.stepSize, 1);
  std::vector<OutputBinding> advanced;
  std::vector<OutputBinding> direct;
  for (std::size_t k = 0; k < step.state.size(); ++k) {
    const std::int64_t place = layout.state.at(step.state[k]->id);
    lowering.bindInput(o.tangent.change[k], tape::Role::State, p.change + place);
    advanced.push_back({step.next[k], tape::Role::State, place});
    advanced.push_back({o.tangent.changed[k], tape::Role::State, p.change + place});
    direct.push_back({o.form.change[k], tape::Role::State, p.change + place});
  }
  for (const sym::Array* a : o.form.shift) {
    lowering.bindInput(a, tape::Role::State, p.shift + p.shiftSize);
    p.shiftSize += a->size();
  }
  std::vector<OutputBinding> form;
  p.eta = outputs;
  p.formSize = bindAll(form, o.form.eta, p.eta);
  p.turned = p.eta + p.formSize;
  p.dp = p.turned + bindAll(form, o.form.turned, p.turned);
  (void)bindAll(form, o.form.dp, p.dp);
  p.directFunction = lowering.addFunction("direct", 1, direct);
  p.formFunction = lowering.addFunction("form", 1, form);
  p.stepFunction = lowering.addFunction("step", 2, advanced);
}

std::unique_ptr<TangentProblem> Pipeline::Impl::buildTangent() {
  const Prepared* const prepared = prepare(true);
  if (prepared == nullptr || refusesConstraints("the tangent map of a step")) return nullptr;
  Product product(*prepared, prepared->layer);
  const Layout& layout = prepared->layout;
  const TangentOutputs outputs = tangentOutputs(product.layer, *step());
  if (!outputs.form.refusal.empty()) {
    diagnostics().error(Code::LIE0620, model->range,
                        fmt::format("'{}' has no symplectic form: {}", model->name, outputs.form.refusal));
    return nullptr;
  }
  auto p = std::make_unique<TangentProblem>();
  Lowered lowered;
  lowered.steps = Steps::Fixed;
  tape::Module& module = lowered.module;
  {
    const Stopwatch watch(timings, "lower");
    Lowering lowering(product.layer.program(), true);
    choosePivots(lowering, product.massKind);
    bindInputs(lowering, *model, layout, zeroPattern(*model, layout, prepared->data.params));
    lowering.bindReport(tape::Role::Output, 0);
    addTangent(lowering, *system, *step(), outputs, layout, reportSize, *p);
    module = lowering.finish(-1);
  }
  const std::string defect = tape::verify(module);
  if (!defect.empty()) throw std::logic_error("the tape is not well formed: " + defect);
  {
    const Stopwatch watch(timings, "compile");
    p->problem.code = compile(module, options.compile);
  }
  fill(p->problem, product, lowered);
  if (p->forced)
    diagnostics().warning(Code::LIE0621, model->range,
                          fmt::format("'{}' has forces or dissipation, which need not be symplectic: the defect "
                                      "is that of the forced motion too",
                                      model->name));
  return p;
}

} // namespace lmc
