// What host programs need: steps of either kind for any parameter values, and the functions of a model at a state.
#include "mechanics/Cotangent.h"
#include "mechanics/system/Equations.h"
#include "products/Impl.h"
#include "runtime/contract/EvaluationProblem.h"
#include "sym/derivatives/Derivative.h"

#include <stdexcept>
#include <utility>

namespace lmc::products {

namespace {

void append(std::vector<const sym::Array*>& list, const sema::ArrayTuple& more) {
  list.insert(list.end(), more.begin(), more.end());
}

/// The equations behind an EvaluationProblem.
class Evaluations {
public:
  explicit Evaluations(mechanics::Layer& layer)
      : l_(layer), s_(layer.system), m_(layer.model), p_(layer.program()), g_(p_.graph()) {}

  void define() {
    defineVelocities();
    for (const sema::ArrayTuple& a : mechanics::momentumArrays(l_)) momenta.insert(momenta.end(), a.begin(), a.end());
    for (const sym::Array*& a : momenta) a = copied(a);
    defineField();
    if (m_.lagrangian) defineMass();
  }

  std::vector<const sym::Array*> field, velocities, momenta, product, direction;

private:
  /// An array of its own for what may be an input of the program.
  const sym::Array* copied(const sym::Array* a) {
    if (a->role == sym::Role::Temp) return a;
    return sym::defineLike(p_, *a, "copy(" + a->name + ")",
                           [&](const std::vector<sym::Expr>& index) { return g_.load(a, index); });
  }

  void defineVelocities() {
    for (const sema::Factor& f : m_.factors) {
      sema::ArrayTuple own;
      for (const sym::Array* a : f.rate) own.push_back(copied(a));
      append(velocities, own);
      rates_.push_back(std::move(own));
    }
  }

  void defineField() {
    for (const sema::PhaseVariable& v : m_.order) {
      if (v.isFactor) {
        append(field, rates_[v.index]);
        append(field, s_.factors[v.index].acceleration);
        continue;
      }
      const sema::StateVariable& z = m_.states[v.index];
      append(field, z.dual ? dual(v.index).derivative : z.flow);
    }
    for (const sym::Array*& a : field) a = copied(a);
  }

  const mechanics::DualEquations& dual(std::size_t state) const {
    for (const mechanics::DualEquations& e : s_.duals) {
      if (e.state == state) return e;
    }
    throw std::logic_error("an element of a dual without equations");
  }

  /// The derivative of the momenta along a direction of the velocities.
  void defineMass() {
    sym::Tangent along(p_);
    for (const sema::Factor& f : m_.factors) {
      for (const sym::Array* a : f.velocity) {
        const sym::Array* v = g_.newArray("direction(" + a->name + ")", a->extents, a->shape, sym::Role::Param);
        direction.push_back(v);
        along.seed(a, [this, v](const std::vector<sym::Expr>& index) { return g_.load(v, index); });
      }
    }
    for (std::size_t k = 0; k < m_.factors.size(); ++k) {
      const sema::Factor& f = m_.factors[k];
      const mechanics::FactorEquations& e = s_.factors[k];
      sema::Tuple change;
      for (const sym::Expr& mu : e.momentum) change.push_back(along.of(mu));
      append(product, mechanics::defineParts(p_, "M v(" + f.velocityName + ")", f.manifold->algebra(), f.extent,
                                             e.index, l_.simplified(change)));
    }
  }

  mechanics::Layer& l_;
  const mechanics::System& s_;
  const sema::Model& m_;
  sym::Program& p_;
  sym::Graph& g_;
  std::vector<sema::ArrayTuple> rates_;
};

} // namespace

std::unique_ptr<runtime::Problem> Pipeline::Impl::buildHost(HostSteps steps) {
  if (steps == HostSteps::Default && (!checkAll() || (automatic() && prepare(true) == nullptr))) return nullptr;
  const Steps wanted = steps == HostSteps::Default ? stepsOf(true)
                       : steps == HostSteps::None  ? Steps::None
                       : steps == HostSteps::Fixed ? Steps::Fixed
                                                   : Steps::Adaptive;
  const bool needMethod = wanted != Steps::None;
  const Prepared* const prepared = needMethod || host() == nullptr ? prepare(needMethod) : host();
  if (prepared == nullptr) return nullptr;
  auto problem = problemOf(*prepared, wanted, MassLooks::Compiled);
  // A sample begins with the whole state, from which a host goes on: also with what contacts keep between steps and
  // files do not show.
  if (problem)
    for (runtime::Field& f : problem->fields)
      if (f.kind == runtime::FieldKind::State) f.written = true;
  return problem;
}

std::optional<std::vector<double>> Pipeline::Impl::initialState(const std::vector<double>& params, Diagnostics& found) {
  if (host() == nullptr) throw std::logic_error("initial states are for models that have been built");
  if (!initialStates) initialStates = std::make_unique<InitialStates>(*system, host()->layout);
  const InitialData& data = host()->data;
  const auto from = data.settings.find("time.from");
  return (*initialStates)(params, data.seed, from == data.settings.end() ? 0 : from->second, found);
}

std::unique_ptr<runtime::EvaluationProblem> Pipeline::Impl::buildEvaluation() {
  if (host() == nullptr) throw std::logic_error("evaluation is for models that have been built");
  auto p = std::make_unique<runtime::EvaluationProblem>();
  Product product(*host(), host()->layer);
  const Layout& layout = product.prepared.layout;
  Evaluations e(product.layer);
  e.define();
  unit::UnitBuilder& unit = product.unit;
  product.bind(inputUse());
  p->direction = unit.place(runtime::Role::Params, "direction", e.direction);
  unit.readsLive(e.direction, p->direction);
  p->field.result = unit.place(runtime::Role::Output, "f", e.field);
  p->velocities.result = unit.place(runtime::Role::Output, "velocities", e.velocities);
  p->momenta.result = unit.place(runtime::Role::Output, "momenta", e.momenta);
  if (!e.product.empty()) p->product.result = unit.place(runtime::Role::Output, "M v", e.product);
  unit.report();
  const auto compute = [&](const char* name, const unit::UnitBuilder::Arrays& arrays, runtime::Computed& c) {
    c.function = unit.function(name, 1, unit::UnitBuilder::into(c.result, arrays));
  };
  compute("field", e.field, p->field);
  if (!e.velocities.empty()) {
    compute("velocities", e.velocities, p->velocities);
    compute("momenta", e.momenta, p->momenta);
  }
  if (!e.product.empty()) compute("mass", e.product, p->product);
  p->problem =
      compiled(product, options.presentZeros ? zeroPattern(*model, layout, host()->data.params) : unit::ZeroPattern{});
  return p;
}

std::shared_ptr<const runtime::MassCheck> Pipeline::massEquation() {
  const Prepared* const prepared = impl_->host();
  if (prepared == nullptr) throw std::logic_error("the mass equation is that of models that have been built");
  Product product(*prepared, prepared->layer);
  return massCheck(product.layer, prepared->layout, prepared->massKind, 1);
}

} // namespace lmc::products
