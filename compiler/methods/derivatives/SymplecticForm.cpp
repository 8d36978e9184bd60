#include "methods/derivatives/SymplecticForm.h"

#include "mechanics/Cotangent.h"
#include "methods/phase/Phase.h"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_map>

namespace lmc::methods {

using sym::Expr;

namespace {

std::string refusalOf(const sema::Model& m) {
  const auto dual = [](const sema::StateVariable& z) { return z.dual; };
  const auto flow = std::find_if_not(m.states.begin(), m.states.end(), dual);
  if (flow != m.states.end())
    return fmt::format("`{}` is a first-order state, and such states carry no symplectic form", flow->name);
  if (!m.states.empty() && !m.factors.empty())
    return fmt::format("the model has configurations and the element `{}` of a dual: together they carry a Poisson "
                       "structure that is not measured yet",
                       m.states[0].name);
  if (m.factors.empty() && m.states.empty()) return "the model has no state";
  return {};
}

class FormBuilder {
public:
  FormBuilder(mechanics::Layer& layer, const Step& step, const StepTangent& tangent)
      : layer_(layer), system_(layer.system), step_(step), p_(layer.program()), g_(p_.graph()), phase_(layer),
        along_(p_) {
    for (std::size_t k = 0; k < step.state.size(); ++k) {
      const sym::Array* change = tangent.change[k];
      changeOf_[step.state[k]] = change;
      along_.seed(step.state[k], [this, change](const std::vector<Expr>& index) { return g_.load(change, index); });
    }
  }

  SymplecticForm run() {
    SymplecticForm f;
    f.poisson = system_.model->factors.empty();
    shifts(f);
    const std::vector<sema::ArrayTuple> momenta = mechanics::momentumArrays(layer_);
    for (std::size_t k = 0; k < phase_.slots().size(); ++k) {
      const PhaseSlot& s = phase_.slots()[k];
      if (s.kind == PhaseKind::Dual)
        structure(f, s);
      else
        form(f, s, sema::loads(g_, momenta[system_.model->order[k].index], s.index));
    }
    return f;
  }

private:
  /// The derivative of shifted(y, s u) at s = 0.
  void shifts(SymplecticForm& f) {
    const Space space = phase_.algebraSpace();
    sema::Tuple direction;
    sema::Tuple symbols;
    sema::ArrayTuple placeholders;
    for (const Component& c : space) {
      f.shift.push_back(g_.newArray("shift." + c.name, c.extents(), c.shape, sym::Role::State));
      direction.push_back(g_.load(f.shift.back(), c.index));
      placeholders.push_back(g_.newArray("u." + c.name, {}, c.shape, sym::Role::Temp));
      symbols.push_back(g_.load(placeholders.back()));
    }
    sema::Tuple none;
    for (const Component& c : space) none.push_back(g_.zero(c.shape));
    const sema::Tuple moved =
        sema::directional(p_, phase_.shifted(phase_.state(), symbols), placeholders, direction, none);
    const sema::ArrayTuple arrays = phase_.storePoint(moved, "moved");
    std::unordered_map<const sym::Array*, const sym::Array*> of;
    std::size_t next = 0;
    for (const PhaseSlot& s : phase_.slots())
      for (const sym::Array* a : s.state) of[a] = arrays[next++];
    for (const sym::Array* a : step_.state) f.change.push_back(of.at(a));
  }

  sema::Tuple change(const PhaseSlot& s, std::size_t first, std::size_t count) const {
    sema::Tuple r;
    for (std::size_t k = first; k < first + count; ++k) r.push_back(g_.load(changeOf_.at(s.state[k]), s.index));
    return r;
  }

  /// ± ad*_eta p, so that the bracket's term of the form is turned1·eta2: plus in body.
  sema::Tuple turned(const PhaseSlot& s, const sema::Tuple& eta, const sema::Tuple& momentum) {
    const sema::Tuple r = mechanics::adstar(p_, s.manifold->group(), eta, momentum);
    return s.handed == Handed::Opposite ? r : sema::scale(g_, sym::Number(-1), r);
  }

  void form(SymplecticForm& f, const PhaseSlot& s, const sema::Tuple& momentum) {
    const bool body = s.handed == Handed::Opposite;
    const sema::ArrayTuple place(s.state.begin(), s.state.begin() + static_cast<std::ptrdiff_t>(s.pointCount));
    const sema::Tuple point = sema::loads(g_, place, s.index);
    const sema::Tuple eta = mechanics::velocityOf(p_, *s.manifold, body, point, change(s, 0, s.pointCount));
    sema::Tuple dp;
    for (const Expr& part : momentum) dp.push_back(along_.of(part));
    store(f.eta, s, eta, "eta");
    store(f.dp, s, dp, "dp");
    store(f.turned, s, turned(s, eta, momentum), "turned");
  }

  void structure(SymplecticForm& f, const PhaseSlot& s) {
    const sema::Tuple gradient = change(s, 0, s.state.size());
    store(f.eta, s, gradient, "a");
    store(f.turned, s, turned(s, gradient, sema::loads(g_, s.state, s.index)), "turned");
  }

  void store(sema::ArrayTuple& list, const PhaseSlot& s, const sema::Tuple& value, const std::string& name) {
    Space space;
    for (const sema::Part& part : s.manifold->algebra())
      space.push_back({s.name + "." + part.name, part.shape, s.extent, s.index});
    const sema::ArrayTuple arrays = lmc::methods::store(p_, space, value, name);
    list.insert(list.end(), arrays.begin(), arrays.end());
  }

  mechanics::Layer& layer_;
  const mechanics::System& system_;
  const Step& step_;
  sym::Program& p_;
  sym::Graph& g_;
  Phase phase_;
  sym::Tangent along_;
  std::unordered_map<const sym::Array*, const sym::Array*> changeOf_;
};

} // namespace

SymplecticForm symplecticForm(mechanics::Layer& layer, const Step& step, const StepTangent& tangent) {
  SymplecticForm refused;
  refused.refusal = refusalOf(layer.model);
  if (!refused.refusal.empty()) return refused;
  return FormBuilder(layer, step, tangent).run();
}

} // namespace lmc::methods
