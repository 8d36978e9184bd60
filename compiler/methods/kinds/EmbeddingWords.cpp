// The words of methods on `embedding` and `jets`, and the steps that tableaux construct.
#include "methods/kinds/EmbeddingKind.h"
#include "sema/manifolds/Generator.h"
#include "sym/derivatives/Series.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc::methods {

using sym::Expr;

namespace {

/// y + h sum of coefficients times rates.
sema::Tuple moved(sym::Graph& g, const sema::Tuple& y, Expr h, const std::vector<sym::Number>& coefficients,
                  const std::vector<sema::Tuple>& k) {
  sema::Tuple r = y;
  for (std::size_t part = 0; part < y.size(); ++part) {
    std::vector<Expr> terms;
    for (std::size_t j = 0; j < k.size(); ++j)
      if (!coefficients[j].isZero()) terms.push_back(g.scale(coefficients[j], k[j][part]));
    if (!terms.empty()) r[part] = g.add(y[part], g.mul(h, g.sum(terms, y[part]->shape)));
  }
  return r;
}

/// h^k, k = 1 … degree.
const sym::Array* powersOf(sym::Program& p, Expr h, std::int64_t degree, const std::string& name) {
  sym::Graph& g = p.graph();
  const sym::Array* const powers = g.newArray(name + ".powers", {degree}, sym::Shape::scalar(), sym::Role::Temp);
  sym::Equation first;
  first.array = powers;
  first.index = {g.integer(1)};
  first.value = h;
  p.append(std::move(first));
  for (std::int64_t k = 2; k <= degree; ++k) { // of halves: who waits for h waits for few products
    sym::Equation further;
    further.array = powers;
    further.index = {g.integer(k)};
    further.value = g.mul(g.load(powers, {g.integer(k / 2)}), g.load(powers, {g.integer(k - k / 2)}));
    p.append(std::move(further));
  }
  return powers;
}

/// The sum of p_k x_k over k = 1 … degree, all numbers of x; the smallest terms of a polynomial first.
const sym::Array* sumOfOrders(sym::Program& p, const sym::Array* coefficients, const sym::Array* powers,
                              const std::string& name) {
  sym::Graph& g = p.graph();
  const std::int64_t d = coefficients->extents[1], degree = powers->extents[0];
  const sym::Array* const sum = g.newArray(name + ".sum", {d}, sym::Shape::scalar(), sym::Role::Temp);
  // Four orders at a time, from the last ones on: the sums are read and written more seldom.
  constexpr std::int64_t together = 4;
  const auto accumulate = [&](const sym::Loop& order, const auto& orders) {
    const sym::Loop i = sym::fullLoop(g, "i", d);
    sym::Equation e;
    e.kind = sym::EquationKind::Accumulate;
    e.array = sum;
    e.loops = {order, i};
    e.index = {i.index};
    std::vector<Expr> terms;
    terms.reserve(orders.size());
    for (const Expr& n : orders) terms.push_back(g.mul(g.load(powers, {n}), g.load(coefficients, {n, i.index})));
    e.value = g.sum(terms, sym::Shape::scalar());
    p.append(std::move(e));
  };
  const std::int64_t rest = degree % together;
  if (degree >= together) {
    const sym::Loop m{g.newIndex("m"), g.integer(1), g.integer(degree / together), true};
    std::vector<Expr> orders;
    for (std::int64_t s = 0; s < together; ++s)
      orders.push_back(g.add(g.mul(g.integer(together), m.index), g.integer(rest - s)));
    accumulate(m, orders);
  }
  if (rest > 0) {
    const sym::Loop n{g.newIndex("n"), g.integer(1), g.integer(rest), true};
    accumulate(n, std::vector{n.index});
  }
  return sum;
}

} // namespace

std::vector<sema::Value> EmbeddingKind::stages(const Tableau& tableau, Expr h, Expr time, Range where,
                                               const StageSum& sum) {
  std::vector<sema::Tuple> k;
  for (std::size_t i = 0; i < tableau.stages(); ++i) {
    const Expr at = g_.add(time, g_.scale(tableau.c[i], h));
    k.push_back(hold(vectorValue(ydot(at, sum(tableau.a[i], k))), "k").parts);
  }
  end_ = sum(tableau.b, k);
  std::vector<sema::Value> results = {vectorValue(onto(end_, where))};
  for (const std::vector<sym::Number>* weights : sumsOf(tableau))
    if (weights != &tableau.b) results.push_back(vectorValue(sum(*weights, k)));
  if (!tableau.endsWithNext()) return results;
  // The last stage of a trial is f at the end behind `onto`, by which the estimate changes less than by its own error.
  std::vector<sym::Number> weights = tableau.bhat;
  weights.back() = 0;
  handOn(sum(weights, k), k.front(), g_.scale(tableau.bhat.back(), h));
  if (const auto arrays = ownArrays(p_, fields_.front()))
    last_->first = *arrays;
  else
    last_.reset();
  return results;
}

std::vector<sema::Value> EmbeddingKind::runge(const Tableau& tableau, const sema::Tuple& y, Expr h, Expr time,
                                              Range where) {
  return stages(tableau, h, time, where,
                [&](const auto& coefficients, const auto& k) { return moved(g_, y, h, coefficients, k); });
}

void EmbeddingKind::handOn(const sema::Tuple& second, const sema::Tuple& rate, Expr weight) {
  last_ = lastStage(p_, all_, sema::sub(g_, second, end_), sema::scale(g_, weight, rate));
  last_->inStorage = true;
}

const sym::Array* EmbeddingKind::row(const sema::Tuple& y, const std::string& name) {
  const sym::Array* const numbers = flat(p_, all_, y, name);
  for (std::int64_t e = sizeOf(all_) + 1; e <= numbers->extents[0]; ++e) {
    sym::Equation rest; // of the last vector
    rest.array = numbers;
    rest.index = {g_.integer(e)};
    rest.value = g_.number(0);
    p_.append(std::move(rest));
  }
  return numbers;
}

std::vector<sema::Value> EmbeddingKind::rungeByRows(const Tableau& tableau, const sema::Tuple& y, Expr h, Expr time,
                                                    Range where) {
  std::vector<const sym::Array*> rows;
  const sym::Array* const begin = row(y, fmt::format("row{}", ++counter_));
  const auto sum = [&](const std::vector<sym::Number>& coefficients, const std::vector<sema::Tuple>& k) {
    while (rows.size() < k.size()) rows.push_back(row(k[rows.size()], fmt::format("row{}", ++counter_)));
    std::vector<std::size_t> early, late;
    for (std::size_t j = 0; j < k.size(); ++j)
      if (!coefficients[j].isZero()) (j + 2 < k.size() ? early : late).push_back(j);
    if (early.size() < 2) return moved(g_, y, h, coefficients, k);
    const sym::Loop e = sym::fullLoop(g_, "e", begin->extents[0]);
    sym::Equation partial;
    partial.array =
        g_.newArray(fmt::format("row{}", ++counter_), begin->extents, sym::Shape::scalar(), sym::Role::Temp);
    partial.loops = {e};
    partial.index = {e.index};
    std::vector<Expr> terms;
    terms.reserve(early.size());
    for (const std::size_t j : early) terms.push_back(g_.scale(coefficients[j], g_.load(rows[j], {e.index})));
    partial.value = g_.add(g_.load(begin, {e.index}), g_.mul(h, g_.sum(terms, sym::Shape::scalar())));
    const sema::Tuple total = unflat(g_, all_, partial.array);
    p_.append(std::move(partial));
    std::vector<sym::Number> rest(coefficients.size());
    for (const std::size_t j : late) rest[j] = coefficients[j];
    return moved(g_, total, h, rest, k);
  };
  return stages(tableau, h, time, where, sum);
}

sema::ArrayTuple EmbeddingKind::rateArrays() const {
  sema::ArrayTuple arrays;
  for (const Slot& s : slots_) {
    arrays.insert(arrays.end(), s.rate.begin(), s.rate.end());
    arrays.insert(arrays.end(), s.fiberRate.begin(), s.fiberRate.end());
  }
  return arrays;
}

std::vector<sema::Value> EmbeddingKind::rungeShared(const Tableau& tableau, const sema::Tuple& y, Expr time,
                                                    Range where) {
  SharedStages s = sharedStages(g_, tableau, sumsOf(tableau), rowOf(all_));
  s.begin = flat(p_, all_, y, "begin");
  s.rate = flat(p_, all_, ydot(time, unflat(g_, all_, s.point)), "rate");
  s.multipliers = leftMultipliers(g_, context_.step);
  std::vector<sema::Value> results;
  for (const sym::Array* numbers : s.ends) {
    const sema::Tuple end = unflat(g_, all_, numbers);
    if (results.empty()) end_ = end;
    results.push_back(vectorValue(results.empty() ? onto(end, where) : end));
  }
  if (s.left != nullptr) {
    handOn(unflat(g_, all_, s.ends[1]), unflat(g_, all_, s.left),
           g_.scale(tableau.bhat.back(), g_.load(context_.step.stepSize)));
    last_->first = {s.left};
  }
  context_.step.evaluations += static_cast<int>(tableau.stages()) - 1; // one has been counted
  fields_.clear();
  context_.step.stages = std::move(s);
  return results;
}

sema::Value EmbeddingKind::taylor(Expr time, const sema::Tuple& y, Expr h, std::int64_t degree, Range where) {
  const Series* found = nullptr;
  for (const Series& s : series_)
    if (s.time == time && s.y == y && s.degree >= degree) found = &s;
  const std::string name = fmt::format("S{}", ++counter_);
  if (found == nullptr) {
    sym::Equation now; // t as an array, which a series may depend on
    now.array = g_.newArray(name + ".t", {}, sym::Shape::scalar(), sym::Role::Temp);
    now.value = time;
    const sym::Array* const t = now.array;
    p_.append(std::move(now));
    const sema::ArrayTuple arrays = store(p_, all_, y, name);
    const sema::Tuple rates = ydot(g_.load(t), load(g_, all_, arrays));
    std::vector<sym::SeriesVariable> variables;
    for (std::size_t k = 0; k < all_.size(); ++k) variables.push_back({arrays[k], all_[k].index, rates[k]});
    const sym::TaylorSeries series = sym::taylorSeries(p_, variables, t, degree);
    if (!series.refusal.empty()) {
      d_.error(Code::LIE0512, where, "the method cannot step this model: " + series.refusal);
      return sema::Value::error();
    }
    series_.push_back({time, y, degree, series.coefficients});
    found = &series_.back();
  }
  const sym::Array* const sum = sumOfOrders(p_, found->coefficients, powersOf(p_, h, degree, name), name);
  sema::Tuple result = sema::add(g_, y, ofNumbers([&](Expr number) { return g_.load(sum, {number}); }));
  sums_.push_back({result, static_cast<std::size_t>(found - series_.data()), degree, h, false});
  return vectorValue(std::move(result));
}

sema::Tuple EmbeddingKind::ofNumbers(const std::function<Expr(Expr number)>& at) const {
  sema::Tuple result;
  std::int64_t first = 1;
  for (const Component& c : all_) {
    const int size = c.shape.size();
    const Expr member = c.index.empty() ? g_.integer(0) : g_.mul(g_.integer(size), g_.add(c.index[0], g_.integer(-1)));
    std::vector<Expr> entries;
    entries.reserve(size);
    for (int e = 0; e < size; ++e) entries.push_back(at(g_.add(member, g_.integer(first + e))));
    result.push_back(sym::tensorOf(g_, c.shape, std::move(entries)));
    first += c.size();
  }
  return result;
}

const EmbeddingKind::PartialSum* EmbeddingKind::sumOf(const sema::Tuple& value) const {
  const auto found = std::find_if(sums_.begin(), sums_.end(), [&](const PartialSum& s) { return s.value == value; });
  return found == sums_.end() ? nullptr : &*found;
}

std::optional<StepSeries> EmbeddingKind::differenceOfSums(const sema::Tuple& end, const sema::Tuple& second) {
  const PartialSum* const a = sumOf(end);
  const PartialSum* const b = sumOf(second);
  if (a == nullptr || b == nullptr || b->onManifold || a->series != b->series || a->degree <= b->degree)
    return std::nullopt;
  const Series& s = series_[a->series];
  const Expr h = g_.load(context_.step.stepSize);
  if (a->h != h || b->h != h || s.time != g_.load(context_.system.model->time) || s.y != state()[0].parts)
    return std::nullopt;
  StepSeries series;
  series.coefficients = s.coefficients;
  series.first = static_cast<int>(b->degree) + 1;
  series.last = static_cast<int>(a->degree);
  for (int n = series.first; n <= series.last; ++n) {
    const Expr power = g_.powInt(h, n);
    const sema::Tuple term = ofNumbers([&](Expr number) {
      return g_.mul(power, g_.load(s.coefficients, {g_.integer(n), number}));
    });
    series.terms.push_back(store(p_, all_, term, fmt::format("term{}", n)));
  }
  return series;
}

ListsOfWeights EmbeddingKind::sumsOf(const Tableau& tableau) const {
  ListsOfWeights lists = weightsOf(tableau);
  if (!tableau.edges.empty() && !hasBranches()) lists.pop_back();
  return lists;
}

bool EmbeddingKind::hasBranches() const {
  std::vector<const sym::Array*> variables = {context_.system.model->time};
  for (const Slot& s : slots_) {
    variables.insert(variables.end(), s.state.begin(), s.state.end());
    if (s.factor != nullptr)
      variables.insert(variables.end(), s.factor->usedVelocity.begin(), s.factor->usedVelocity.end());
  }
  return sym::hasBranches(p_, variables, rateArrays());
}

/// A curve S whose rate is off f by the defect S' - f is off the motion by the integral of that, to first order: by
/// Simpson's rule, since there is none at the begin, h (4 d(h/2) + d(h))/6. Of a smooth motion it is O(h^(p + 1)).
sema::Tuple EmbeddingKind::defect(const PartialSum& sum) {
  const Series s = series_[sum.series];
  const auto at = [&](const sym::Number& part) { // of the step, times h part
    const std::string name = fmt::format("D{}", ++counter_);
    const Expr h = g_.scale(part, sum.h);
    const sym::Array* const powers = powersOf(p_, h, sum.degree, name);
    const sym::Array* const rising =
        g_.newArray(name + ".rising", powers->extents, sym::Shape::scalar(), sym::Role::Temp);
    for (std::int64_t k = 1; k <= sum.degree; ++k) {
      sym::Equation e; // k h^k
      e.array = rising;
      e.index = {g_.integer(k)};
      e.value = g_.scale(sym::Number(k), g_.load(powers, e.index));
      p_.append(std::move(e));
    }
    const auto ofOrders = [&](const sym::Array* factors, const std::string& of) {
      const sym::Array* const total = sumOfOrders(p_, s.coefficients, factors, of);
      return ofNumbers([&](Expr number) { return g_.load(total, {number}); });
    };
    const sema::Tuple there = sema::add(g_, s.y, ofOrders(powers, name));
    const sema::Tuple rate = ofOrders(rising, name + "'");
    return sema::sub(g_, rate, sema::scale(g_, h, ydot(g_.add(s.time, h), there)));
  };
  const sema::Tuple middle = at(sym::Number::ratio(1, 2)), end = at(1);
  return sema::add(g_, sema::scale(g_, sym::Number::ratio(4, 3), middle),
                   sema::scale(g_, sym::Number::ratio(1, 6), end));
}

sema::Tuple EmbeddingKind::onto(const sema::Tuple& v, Range where) {
  if (nearest_.empty()) {
    lookBeside(where);
    for (const Slot& s : slots_) {
      const Space points(all_.begin() + static_cast<std::ptrdiff_t>(s.first),
                         all_.begin() + static_cast<std::ptrdiff_t>(s.first + s.points));
      nearest_.emplace_back(p_, *s.manifold, s.frame, points, context_.step.order);
    }
  }
  const std::string name = fmt::format("onto{}", ++counter_);
  const sema::Tuple held = load(g_, all_, store(p_, all_, v, name));
  sema::Tuple r;
  for (std::size_t k = 0; k < slots_.size(); ++k) {
    const Slot& s = slots_[k];
    const sema::Tuple begin = sema::part(sema::loads(g_, s.state, s.index), 0, s.points);
    sema::Tuple point = sema::part(held, s.first, s.points);
    sema::Tuple fiber = sema::part(held, s.first + s.points, s.state.size() - s.points);
    if (s.points > 0) point = nearest_[k].of(begin, point, name);
    if (s.factor != nullptr)
      fiber = s.factor->fiber == sema::Fiber::Momentum
                  ? sema::steadyMomentumProjection(p_, *s.manifold, point, fiber, true)
                  : sema::steadyProjection(p_, *s.manifold, point, fiber, true);
    r.insert(r.end(), point.begin(), point.end());
    r.insert(r.end(), fiber.begin(), fiber.end());
  }
  if (const PartialSum* const sum = sumOf(v)) {
    PartialSum put = *sum;
    put.value = r;
    put.onManifold = true;
    sums_.push_back(std::move(put));
  }
  return r;
}

void EmbeddingKind::lookBeside(Range where) {
  const sema::ArrayTuple roots = rateArrays();
  const auto ofPoint = [&](Expr e) -> const Slot* {
    const auto direct = sym::reads(e);
    const std::vector<const sym::Array*> arrays(direct.begin(), direct.end());
    for (const Slot& s : slots_) {
      if (s.manifold->holds(sema::part(sema::loads(g_, s.state, s.index), 0, s.manifold->point().size())).empty())
        continue;
      const auto isPoint = [&](const sym::Array* a) {
        return std::find(s.state.begin(), s.state.begin() + static_cast<std::ptrdiff_t>(s.points), a) !=
               s.state.begin() + static_cast<std::ptrdiff_t>(s.points);
      };
      if (std::any_of(arrays.begin(), arrays.end(), isPoint)) return &s;
      for (const std::size_t k : p_.slice(arrays))
        if (std::any_of(p_.reads(k).begin(), p_.reads(k).end(), isPoint)) return &s;
    }
    return nullptr;
  };
  for (const std::size_t k : p_.slice(roots)) {
    const sym::Equation& e = p_.equation(k);
    if (!e.value) continue;
    const Slot* found = nullptr;
    const char* function = nullptr;
    sym::visitPostOrder({e.value}, [&](const sym::Node& n) {
      const char* name = n.op == sym::Op::Acos   ? "acos"
                         : n.op == sym::Op::Asin ? "asin"
                         : n.op == sym::Op::Log  ? "log"
                                                 : nullptr;
      if (name == nullptr || found != nullptr) return;
      found = ofPoint(n.args[0]);
      function = name;
    });
    if (found == nullptr) continue;
    d_.warning(Code::LIE0531, where,
               fmt::format("the equations have `{}` of a point of {}, and inside of a step the method evaluates them "
                           "beside it, where that may not be defined",
                           function, found->manifold->name()))
        .suggest("atan2(norm(cross(a, b)), dot(a, b)) is an angle that is defined everywhere; methods on `manifold` "
                 "stay on it");
    return;
  }
}

sema::Value EmbeddingKind::word(const Word& word, const std::vector<sema::Value>& args, Range where) {
  if (word.name == "taylor")
    return taylor(args[0].parts[0], args[1].parts, args[2].parts[0], args[3].parts[0]->number.num(), where);
  if (word.name == "onto") return vectorValue(onto(args[0].parts, where));
  if (word.takes[0] == 'x') return constraint(word.name, args, where);
  if (word.name == "ydot") return vectorValue(ydot(args[0].parts[0], args[1].parts));
  if (word.name == "vdot") return vectorValue(vdot(args[0].parts[0], args[1].parts, args[2].parts));
  return mechanics(word.name, args);
}

sema::Value EmbeddingKind::mechanics(const std::string& name, const std::vector<sema::Value>& args) {
  if (!mechanics_) {
    std::vector<AmbientMechanics::Variable> variables;
    for (const Slot& s : slots_) variables.push_back({s.factor, s.index});
    mechanics_ = std::make_unique<AmbientMechanics>(context_, variables);
  }
  const Expr time = args[0].parts[0];
  const std::string suffix = fmt::format("E{}", ++counter_);
  const sema::ArrayTuple q = store(p_, points_, args[1].parts, suffix);
  const sema::ArrayTuple v = store(p_, points_, args[2].parts, suffix + "'");
  return vectorValue(name == "momentum" ? mechanics_->momentum(time, q, v, suffix)
                                        : mechanics_->force(time, q, v, suffix));
}

/// Chooses the constraints of every manifold; false when one has none that can be used (reported).
bool EmbeddingKind::prepareConstraints(Range where) {
  if (!constraints_.empty()) return true;
  std::vector<Constraints> all;
  Space space;
  for (const Slot& s : slots_) {
    all.emplace_back(p_, *s.manifold);
    if (!all.back().refusal().empty()) {
      d_.error(Code::LIE0512, where, "the method cannot step this model: " + all.back().refusal());
      return false;
    }
    if (all.back().count() > 0)
      space.push_back({s.factor->name + ".holds", all.back().shape(), s.factor->extent, s.index});
  }
  constraints_ = std::move(all);
  multipliers_ = std::move(space);
  return true;
}

sema::Value EmbeddingKind::constraint(const std::string& name, const std::vector<sema::Value>& args, Range where) {
  if (!prepareConstraints(where)) return sema::Value::error();
  sema::Tuple result;
  std::size_t first = 0, multiplier = 0;
  for (std::size_t k = 0; k < slots_.size(); ++k) {
    const Slot& s = slots_[k];
    const Constraints& c = constraints_[k];
    const sema::Tuple q = sema::part(args[0].parts, first, s.points);
    if (name == "holdsT") {
      const sema::Tuple own =
          c.count() > 0 ? c.transposed(q, args[1].parts[multiplier++]) : sema::zero(g_, s.manifold->point());
      result.insert(result.end(), own.begin(), own.end());
    } else if (c.count() > 0) {
      result.push_back(name == "holds" ? c.value(q) : c.rate(q, sema::part(args[1].parts, first, s.points)));
    }
    first += s.points;
  }
  sema::Value v = vectorValue(std::move(result));
  if (name != "holdsT") v.kind = sema::ValueKind::PhaseDual;
  return v;
}

} // namespace lmc::methods
