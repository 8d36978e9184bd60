#include "methods/TableauStep.h"

#include "methods/StepCalls.h"
#include "methods/solve/Newton.h"

#include <algorithm>

namespace lmc::methods {

using sym::Expr;
using sym::Number;

namespace {

/// An element of the algebra as it is used further on.
sema::Tuple held(ManifoldKind& kind, const sema::Tuple& value, const char* name) {
  Phase& phase = kind.phase();
  return phase.loadAlgebra(phase.storeAlgebra(value, kind.fresh(name)));
}

/// The solution of K = values(K), elements of the algebra, all at once.
template <typename Values>
std::vector<sema::Tuple> solved(ManifoldKind& kind, const KindContext& c, const std::vector<sema::Tuple>& starts,
                                Values values) {
  sym::Program& p = c.layer.program();
  const Space space = kind.phase().algebraSpace();
  Newton newton(p, std::vector<Space>(starts.size(), space));
  std::vector<sema::Tuple> k;
  for (std::size_t i = 0; i < starts.size(); ++i) k.push_back(newton.iterate(i));
  const int before = c.step.evaluations;
  const std::vector<sema::Tuple> wanted = values(k);
  Newton::Residuals residuals;
  for (std::size_t i = 0; i < k.size(); ++i) residuals.emplace_back(space, sema::sub(p.graph(), k[i], wanted[i]));
  if (c.joined != nullptr && c.joined->begun) {
    for (std::size_t i = 0; i < k.size(); ++i)
      c.joined->parts.push_back({space, newton.iterateArrays(i), residuals[i].second});
    return k;
  }
  Newton::Settings settings;
  settings.evaluations = std::exchange(c.step.evaluations, before) - before;
  newton.finish(starts, residuals, settings);
  for (std::size_t i = 0; i < k.size(); ++i) k[i] = newton.solution(i);
  if (c.joined != nullptr) c.joined->starts.insert(c.joined->starts.end(), k.begin(), k.end());
  return k;
}

/// Finds the stages K_1 … K_s of a tableau, where stage(i, K) is what K_i must be.
class Stages {
public:
  Stages(ManifoldKind& kind, const KindContext& c, const Tableau& t) : kind_(kind), c_(c), t_(t) {}

  template <typename Stage> std::vector<sema::Tuple> find(const sema::Tuple& start, Stage stage) {
    std::vector<sema::Tuple> k(t_.stages());
    if (!t_.isTriangular())
      return solved(kind_, c_, std::vector<sema::Tuple>(k.size(), start), [&](const std::vector<sema::Tuple>& all) {
        for (std::size_t i = 0; i < k.size(); ++i) k[i] = stage(i, all);
        return k;
      });
    for (std::size_t i = 0; i < t_.stages(); ++i) {
      if (t_.a[i][i].isZero()) {
        k[i] = held(kind_, stage(i, k), "K");
        continue;
      }
      const auto own = [&](const std::vector<sema::Tuple>& unknown) {
        k[i] = unknown[0];
        return std::vector<sema::Tuple>{stage(i, k)};
      };
      k[i] = solved(kind_, c_, {start}, own)[0];
    }
    return k;
  }

private:
  ManifoldKind& kind_;
  const KindContext& c_;
  const Tableau& t_;
};

/// sum of coefficients times algebra elements; empty when all coefficients vanish.
sema::Tuple combination(sym::Graph& g, const std::vector<Number>& coefficients,
                        const std::vector<sema::Tuple>& elements) {
  sema::Tuple sum;
  for (std::size_t j = 0; j < elements.size(); ++j) {
    if (coefficients[j].isZero()) continue;
    const sema::Tuple term = sema::scale(g, coefficients[j], elements[j]);
    sum = sum.empty() ? term : sema::add(g, sum, term);
  }
  return sum;
}

/// exp(c_s k_s)*…*exp(c_1 k_1)*y
sema::Tuple flows(ManifoldKind& kind, sym::Graph& g, const std::vector<Number>& coefficients,
                  const std::vector<sema::Tuple>& k, sema::Tuple y) {
  bool first = true;
  for (std::size_t j = 0; j < k.size(); ++j) {
    if (coefficients[j].isZero()) continue;
    if (!first) y = kind.phase().hold(y, kind.fresh("Y"));
    first = false;
    y = kind.flow(sema::scale(g, coefficients[j], k[j]), y);
  }
  return y;
}

} // namespace

template <typename Result> TableauStep::Results TableauStep::both(Result result) const {
  Results r;
  r.next = result(tableau_.b);
  const int exponentials = context_.step.exponentials; // those of `next` are counted
  if (!tableau_.bhat.empty()) r.embedded = result(tableau_.bhat);
  if (!tableau_.bhat2.empty()) r.embedded2 = result(tableau_.bhat2);
  context_.step.exponentials = exponentials;
  return r;
}

TableauStep::Results TableauStep::muntheKaas(const sema::Tuple& y, const DexpinvCut& cut) const {
  Phase& phase = kind_.phase();
  sym::Graph& g = context_.compilation.graph();
  Stages stages(kind_, context_, tableau_);
  sema::Tuple first; // f at the begin
  const auto own = [&](std::size_t i, const std::vector<sema::Tuple>& k) {
    return stage(combination(g, tableau_.a[i], k), y, stageTime(i), cut, i == 0 ? &first : nullptr);
  };
  const std::vector<sema::Tuple> k = stages.find(start(y), own);
  const auto sum = [&](const std::vector<Number>& weights) { return held(kind_, combination(g, weights, k), "v"); };
  sema::Tuple v; // of `next`
  Results results = both([&](const std::vector<Number>& weights) {
    const sema::Tuple own = sum(weights);
    if (&weights == &tableau_.b) v = own;
    return kind_.flow(own, y);
  });
  if (!tableau_.endsWithNext()) return results;
  const auto arrays = ownArrays(phase.program(), first);
  if (!arrays) return results;
  std::vector<Number> weights = tableau_.bhat;
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = weights[i] - tableau_.b[i];
  weights.back() = 0;
  results.last = handed(v, sum(weights), first);
  results.last->first = *arrays;
  return results;
}

sema::Tuple TableauStep::stage(const sema::Tuple& u, const sema::Tuple& y, const Expr& time, const DexpinvCut& cut,
                               sema::Tuple* f) const {
  const sema::Tuple by = u.empty() ? u : held(kind_, u, "u");
  const sema::Tuple rate = kind_.evaluate(u.empty() ? y : kind_.flow(by, y), time);
  if (f != nullptr) *f = rate;
  const sema::Tuple value = sema::scale(context_.compilation.graph(), h_, rate);
  return u.empty() ? value : kind_.phase().dexpinv(by, held(kind_, value, "k"), cut);
}

LastStage TableauStep::handed(const sema::Tuple& v, const sema::Tuple& difference, const sema::Tuple& f) const {
  Phase& phase = kind_.phase();
  sym::Graph& g = context_.compilation.graph();
  const int order = tableau_.embeddedOrder > 0 ? tableau_.embeddedOrder : tableau_.order - 1;
  sema::Tuple sum = difference;
  for (int k = std::max(order - 1, 2); k > 0; --k) {
    const sema::Tuple bracket = phase.bracket(v, sum);
    sum = sema::add(g, difference, sema::scale(g, Number::ratio(1, k + 1), bracket));
  }
  return lastStage(context_.layer.program(), phase.algebraSpace(), sum,
                   sema::scale(g, g.scale(tableau_.bhat.back(), h_), f));
}

TableauStep::Results TableauStep::muntheKaasShared(const sema::Tuple& y, const DexpinvCut& cut) const {
  Phase& phase = kind_.phase();
  sym::Program& p = context_.layer.program();
  sym::Graph& g = p.graph();
  const Space space = phase.algebraSpace();
  SharedStages s = sharedStages(g, tableau_, weightsOf(tableau_), rowOf(space));
  s.begin = flat(p, space, kind_.defaultStart().parts, "begin");
  const sema::Tuple u = held(kind_, unflat(g, space, s.point), "u");
  const sema::Tuple k = held(kind_, kind_.evaluate(kind_.flow(u, y), time_), "k");
  s.multipliers = leftMultipliers(g, context_.step);
  s.rate = flat(p, space, phase.dexpinv(u, k, cut), "rate");
  std::vector<sema::Tuple> ends, elements;
  const int exponentials = context_.step.exponentials; // those of `next` are counted
  for (const sym::Array* numbers : s.ends) {
    elements.push_back(held(kind_, unflat(g, space, numbers), "v"));
    ends.push_back(kind_.flow(elements.back(), y));
  }
  context_.step.exponentials = exponentials + 1;
  ends.resize(3);
  std::optional<LastStage> last;
  if (s.left != nullptr) {
    last = handed(elements[0], held(kind_, sema::sub(g, elements[1], elements[0]), "difference"),
                  unflat(g, space, s.left));
    last->first = {s.left};
  }
  kind_.shareStages(std::move(s), tableau_.stages());
  return {ends[0], ends[1], ends[2], std::move(last)};
}

TableauStep::Results TableauStep::muntheKaasCalls(const sema::Tuple& y, const DexpinvCut& cut) const {
  sym::Graph& g = context_.compilation.graph();
  StepCalls calls(context_, kind_);
  const sema::Value begin = calls.begin(ManifoldKind::point(y));
  std::vector<sema::Tuple> k;
  const auto sum = [&](const std::vector<Number>& coefficients) {
    const sema::Tuple u = combination(g, coefficients, k);
    return u.empty() ? sema::Value::error() : calls.hold(ManifoldKind::algebra(u), "u");
  };
  const auto flowed = [&](const sema::Value& u) {
    return calls.call("action", {u, begin}, [&](const StepCalls::Arguments& own) {
      return ManifoldKind::point(kind_.flow(own[0].parts, own[1].parts));
    });
  };
  sema::Value start; // of equations: h f(t, y)
  if (!tableau_.isExplicit()) start = scaledRate(calls, time_, begin);
  for (std::size_t i = 0; i < tableau_.stages(); ++i) {
    const sema::Value u = sum(tableau_.a[i]); // of the stages before; an error where it is zero
    const Number& part = tableau_.a[i][i];
    if (!part.isZero()) {
      const sema::Value before = u.isError() ? calls.hold(ManifoldKind::algebra({g.number(0)}), "u") : u;
      const auto equation = [&](const StepCalls::Arguments& given, const sema::Tuple& own) {
        return stage(sema::add(g, given[2].parts, sema::scale(g, part, own)), given[3].parts, given[1].parts[0], cut);
      };
      k.push_back(solution(calls, part, {start, sema::Value::tensor(stageTime(i)), before, begin}, equation).parts);
      continue;
    }
    if (u.isError() && tableau_.c[i].isZero() && !start.parts.empty()) {
      k.push_back(start.parts);
      continue;
    }
    sema::Value value = scaledRate(calls, stageTime(i), u.isError() ? begin : flowed(u));
    if (!u.isError())
      value = calls.call("dexpinv", {u, value}, [&](const StepCalls::Arguments& own) {
        return ManifoldKind::algebra(kind_.phase().dexpinv(own[0].parts, own[1].parts, cut));
      });
    k.push_back(value.parts);
  }
  Results results = both(
      [&](const std::vector<Number>& weights) { return endOf(calls, flowed(sum(weights)), &weights == &tableau_.b); });
  context_.step.calls = calls.finish();
  return results;
}

/// Of the result of the step, or of that for its estimate, which constraints need not hold.
sema::Tuple TableauStep::endOf(StepCalls& calls, const sema::Value& state, bool own) const {
  if (!own) return calls.end(state, false).parts;
  return calls.endOnConstraints(state, context_.compilation.graph().add(time_, h_)).parts;
}

template <typename Value>
sema::Value TableauStep::solution(StepCalls& calls, const Number& part, const std::vector<sema::Value>& args,
                                  Value value) const {
  return calls.call("equation " + part.text(), args, [&](const StepCalls::Arguments& given) {
    const auto equation = [&](const std::vector<sema::Tuple>& k) {
      return std::vector<sema::Tuple>{value(given, k[0])};
    };
    const sema::Tuple k = solved(kind_, context_, {given[0].parts}, equation)[0];
    context_.step.multipliers = nullptr; // those of a turn
    return ManifoldKind::algebra(k);
  });
}

sema::Value TableauStep::scaledRate(StepCalls& calls, const Expr& time, const sema::Value& state) const {
  const sema::Value f = rate(calls, time, state);
  return calls.hold(ManifoldKind::algebra(sema::scale(context_.compilation.graph(), h_, f.parts)), "k");
}

sema::Value TableauStep::rate(StepCalls& calls, const Expr& time, const sema::Value& state) const {
  return calls.rate("rate", {sema::Value::tensor(time), state}, [&](const StepCalls::Arguments& own) {
    return ManifoldKind::algebra(kind_.evaluate(own[1].parts, own[0].parts[0]));
  });
}

TableauStep::Results TableauStep::crouchGrossman(const sema::Tuple& y) const {
  sym::Graph& g = context_.compilation.graph();
  Stages stages(kind_, context_, tableau_);
  const auto own = [&](std::size_t i, const std::vector<sema::Tuple>& k) {
    return sema::scale(g, h_, kind_.evaluate(flows(kind_, g, tableau_.a[i], k, y), stageTime(i)));
  };
  const std::vector<sema::Tuple> k = stages.find(start(y), own);
  return both([&](const std::vector<Number>& weights) { return flows(kind_, g, weights, k, y); });
}

TableauStep::Results TableauStep::crouchGrossmanCalls(const sema::Tuple& y) const {
  sym::Graph& g = context_.compilation.graph();
  StepCalls calls(context_, kind_);
  const sema::Value begin = calls.begin(ManifoldKind::point(y));
  const auto flowed = [&](const std::vector<Number>& coefficients, const std::vector<sema::Value>& k) {
    sema::Value point = begin;
    for (std::size_t j = 0; j < k.size(); ++j) {
      if (coefficients[j].isZero()) continue;
      const sema::Value by = ManifoldKind::algebra(sema::scale(g, coefficients[j], k[j].parts));
      point = calls.call("action", {by, point}, [&](const StepCalls::Arguments& own) {
        return ManifoldKind::point(kind_.flow(own[0].parts, own[1].parts));
      });
    }
    return point;
  };
  std::vector<sema::Value> k;
  sema::Value start; // of equations: h f(t, y)
  if (!tableau_.isExplicit()) start = scaledRate(calls, time_, begin);
  for (std::size_t i = 0; i < tableau_.stages(); ++i) {
    const sema::Value before = flowed(tableau_.a[i], k); // by the stages so far
    const Number& part = tableau_.a[i][i];
    if (part.isZero()) {
      k.push_back(scaledRate(calls, stageTime(i), before));
      continue;
    }
    const auto equation = [&](const StepCalls::Arguments& given, const sema::Tuple& own) {
      const sema::Tuple point = kind_.flow(sema::scale(g, part, own), given[2].parts);
      return sema::scale(g, h_, kind_.evaluate(point, given[1].parts[0]));
    };
    k.push_back(solution(calls, part, {start, sema::Value::tensor(stageTime(i)), before}, equation));
  }
  Results results = both(
      [&](const std::vector<Number>& weights) { return endOf(calls, flowed(weights, k), &weights == &tableau_.b); });
  context_.step.calls = calls.finish();
  return results;
}

Expr TableauStep::stageTime(std::size_t i) const {
  sym::Graph& g = context_.compilation.graph();
  return g.add(time_, g.scale(tableau_.c[i], h_));
}

/// What implicit stages start from: h f(t, y).
sema::Tuple TableauStep::start(const sema::Tuple& y) const {
  return !tableau_.isExplicit() ? sema::scale(context_.compilation.graph(), h_, kind_.evaluate(y, time_))
                                : sema::Tuple{};
}

} // namespace lmc::methods
