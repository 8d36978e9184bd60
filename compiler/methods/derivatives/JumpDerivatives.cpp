#include "methods/derivatives/JumpDerivatives.h"

#include <algorithm>

namespace lmc::methods {

void appendHeld(sym::Program& program, sema::ArrayTuple& list, const sema::ArrayTuple& held,
                const sema::ArrayTuple& directions, const std::string& name, Held what) {
  sym::Graph& g = program.graph();
  for (std::size_t k = 0; k < held.size(); ++k) {
    const sym::Array* const a = held[k];
    const sym::Array* const z = directions[directions.size() - held.size() + k];
    list.push_back(sym::defineLike(program, *a, name + "." + a->name, [&](const std::vector<sym::Expr>& index) {
      const sym::Expr change = what == Held::Zero ? g.zero(a->shape) : g.load(z, index);
      return what == Held::Moved ? g.add(g.load(a, index), change) : change;
    }));
  }
}

JumpChanges jumpChanges(mechanics::Layer& layer, sym::Tangent& along, const sema::ArrayTuple& state,
                        const sema::ArrayTuple& change) {
  const sema::Model& m = layer.model;
  sym::Program& p = layer.program();
  JumpChanges j;
  const auto of = [&](const sym::Array* a, const char* name) -> const sym::Array* {
    if (a == nullptr) return nullptr;
    return sym::defineLike(p, *a, std::string(name) + "." + a->name,
                           [&](const std::vector<sym::Expr>& index) { return along.of(p.graph().load(a, index)); });
  };
  for (const sema::Event& e : m.events) j.events.push_back(of(e.array, "event"));
  const auto addReset = [&](const std::vector<sema::ResetValue>& resets) {
    if (resets.empty()) return;
    sema::ArrayTuple after = change;
    for (const sema::ResetValue& r : resets) {
      const auto it = std::find(state.begin(), state.end(), r.state);
      if (it != state.end()) after[static_cast<std::size_t>(it - state.begin())] = of(r.after, "reset");
    }
    j.resets.push_back(std::move(after));
  };
  for (const sema::Event& e : m.events) addReset(e.resets);
  for (const sema::Sampling& s : m.samplings) {
    addReset(s.resets);
    j.intervals.push_back(of(s.interval, "interval"));
    j.firsts.push_back(of(s.first, "first"));
  }
  if (!layer.system.contacts || m.contacts.empty()) return j;
  const mechanics::ContactEquations& c = *layer.system.contacts;
  for (const sym::Array* a : {c.rate, c.jacobian, c.response}) j.contacts.push_back(of(a, "contacts"));
  for (const sema::Contact& contact : m.contacts) {
    j.restitutions.push_back(of(contact.restitution, "restitution"));
    j.frictions.push_back(of(contact.coefficient, "friction"));
  }
  return j;
}

} // namespace lmc::methods
