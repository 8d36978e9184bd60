// `keep` in a method's body: numbers that a step hands to the next one.
#include "methods/Instantiation.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc::methods {

using sym::Expr;

namespace {
/// Beside what is kept stand the step size, the time and the state for which it holds. A step that begins with others
/// (the first one, one of another length for a sample or an event, one after a host program has changed the state)
/// begins anew. Times are sums of steps, so they may differ by rounding.
constexpr std::int64_t timeShare = 1'000'000;

sema::ArrayTuple stateArrays(const sema::Model& m) {
  sema::ArrayTuple all;
  const auto add = [&](const sema::ArrayTuple& arrays) { all.insert(all.end(), arrays.begin(), arrays.end()); };
  for (const sema::Factor& f : m.factors) {
    add(f.point);
    add(f.velocity);
  }
  for (const sema::StateVariable& z : m.states) add(z.point);
  return all;
}
} // namespace

/// A number that the next step is given: whether it differs from `now` by more than `change`, as 0 or 1.
Expr Instantiation::remembered(const std::string& name, Expr now, Expr next, Expr change) {
  const sym::Array* kept = g_.newArray(name, {}, sym::Shape::scalar(), sym::Role::State);
  const Space one{{name, sym::Shape::scalar(), 0, {}}};
  context_.step.kept.push_back({kept, store(context_.layer.program(), one, {next}, "next " + name)[0], nullptr});
  const Expr off = g_.function(sym::Op::Abs, g_.sub(now, g_.load(kept)));
  return g_.select(g_.compare(sym::Op::Le, off, change), g_.number(0), g_.number(1));
}

/// Whether what is kept does not hold at this step's begin.
Expr Instantiation::isFresh() {
  if (fresh_) return fresh_;
  sym::Program& p = context_.layer.program();
  const sym::Array* changes = g_.newArray("changes", {}, sym::Shape::scalar(), sym::Role::Temp);
  const auto add = [&](std::vector<sym::Loop> loops, Expr value) {
    sym::Equation e;
    e.kind = sym::EquationKind::Accumulate;
    e.array = changes;
    e.loops = std::move(loops);
    e.value = value;
    p.append(std::move(e));
  };
  const Expr length = g_.function(sym::Op::Abs, begin_.h);
  const Expr little = g_.mul(g_.number(sym::Number::ratio(1, timeShare)), length);
  // Zero, as in memory before the first step, is the size of no step.
  add({}, remembered("kept.h", begin_.h, begin_.h, g_.mul(g_.number(sym::Number::ratio(1, timeShare)), little)));
  add({}, remembered("kept.t", begin_.t, g_.add(begin_.t, begin_.h), little));
  for (const sym::Array* a : stateArrays(*context_.system.model)) {
    const sym::Array* copy = g_.newArray("kept." + a->name, a->extents, a->shape, sym::Role::State);
    context_.step.kept.push_back({copy, nullptr, a}); // `next` is known when the step is finished
    const std::vector<sym::Loop> loops = sym::memberLoops(g_, a->extents);
    const std::vector<Expr> index = sym::indicesOf(loops);
    const std::vector<Expr> now = sema::entries(g_, {g_.load(a, index)}),
                            then = sema::entries(g_, {g_.load(copy, index)});
    Expr total = g_.number(0);
    for (std::size_t k = 0; k < now.size(); ++k)
      total = g_.add(total, g_.select(g_.compare(sym::Op::Eq, now[k], then[k]), g_.number(0), g_.number(1)));
    add(loops, total);
  }
  fresh_ = g_.compare(sym::Op::Lt, g_.number(sym::Number::ratio(1, 2)), g_.load(changes));
  return fresh_;
}

/// What the last step has handed on where it holds, else the start.
bool Instantiation::keep(const CheckedStatement& s) {
  if (!values_.evaluate(s.terms)) return false;
  sema::Value value = values_[s.value];
  const std::string& name = method_.kept[s.variable].name;
  Kept kept;
  if (value.kind == sema::ValueKind::Tensor)
    kept.space = {{name, value.parts[0]->shape, 0, {}}};
  else
    kept.space = kind_.space(value).value();
  for (std::size_t k = 0; k < kept.space.size(); ++k) {
    const Component& c = kept.space[k];
    kept.now.push_back(g_.newArray(fmt::format("kept {}.{}", name, c.name), c.extents(), c.shape, sym::Role::State));
    value.parts[k] = g_.select(isFresh(), value.parts[k], g_.load(kept.now.back(), c.index));
  }
  kept_.resize(std::max(kept_.size(), s.variable + 1));
  kept_[s.variable] = std::move(kept);
  values_.give(method_.kept[s.variable].value, kind_.hold(value, name));
  return true;
}

void Instantiation::hand(const CheckedStatement& s) {
  const Kept& kept = kept_[s.variable];
  const sema::ArrayTuple next =
      store(context_.layer.program(), kept.space, values_[s.value].parts, "next " + method_.kept[s.variable].name);
  for (std::size_t k = 0; k < next.size(); ++k) context_.step.kept.push_back({kept.now[k], next[k], nullptr});
}

void Instantiation::finishKept(Step& step) {
  for (KeptNumbers& k : step.kept) {
    const auto own = std::find(step.state.begin(), step.state.end(), k.of);
    if (k.of != nullptr && own != step.state.end()) k.next = step.next[own - step.state.begin()];
  }
}

} // namespace lmc::methods
