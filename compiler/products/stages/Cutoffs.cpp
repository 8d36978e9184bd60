#include "products/stages/Cutoffs.h"

#include "lower/builder/Distances.h"
#include "lower/builder/Schedule.h"
#include "products/stages/ModelFunctions.h"
#include "sym/Print.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <unordered_set>

namespace lmc::products {

namespace {

using sym::Expr;

constexpr double apart = 1e-4; ///< of the limit, to either side of it: slopes are differences
/// Where summands are looked at, in units of the limit.
constexpr std::array<double, 7> shares = {0.6, 0.7, 0.8, 0.9, 1 - apart, 1, 1 + apart};
/// Directions of a pair, none of them along an axis.
constexpr std::array<std::array<double, 3>, 3> directions = {
    {{0.48, 0.6, 0.64}, {-0.64, 0.48, 0.6}, {0.6, -0.64, 0.48}}};

/// The difference of two points whose length a distance is; nothing of other distances.
Expr differenceOf(Expr distance) {
  if (distance->op == sym::Op::Sqrt) distance = distance->args[0];
  const bool length = distance->op == sym::Op::Inner && distance->args[0] == distance->args[1];
  return length || distance->op == sym::Op::Abs ? distance->args[0] : Expr();
}

/// The summands of one equation at distances of its limit.
class Summand {
public:
  Summand(sym::Program& program, const sym::Equation& e, const lower::DistanceBound& bound)
      : p_(program), g_(program.graph()), e_(e), bound_(bound) {}

  /// Their numbers: limit, periods; then the summands, direction by direction.
  const sym::Array* define() {
    std::vector<Expr> numbers{limit()};
    for (const lower::DistanceBound::Axis& a : bound_.axis) numbers.push_back(a.period ? a.period : g_.number(0));
    numbers.resize(1 + lower::DistanceBound::axes, g_.number(0));
    const Expr difference = differenceOf(bound_.distance);
    if (difference && e_.value->shape.rank == 0)
      for (const auto& direction : directions) add(numbers, difference, direction);
    sym::Array* const array =
        g_.newArray("cut-off", {static_cast<std::int64_t>(numbers.size())}, sym::Shape::scalar(), sym::Role::Temp);
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      sym::Equation one;
      one.array = array;
      one.index = {g_.integer(static_cast<std::int64_t>(k) + 1)};
      one.value = atFirstPair(numbers[k]);
      p_.append(std::move(one));
    }
    return array;
  }

private:
  Expr limit() { return bound_.squared ? g_.function(sym::Op::Sqrt, bound_.limit) : bound_.limit; }

  void add(std::vector<Expr>& numbers, Expr difference, const std::array<double, 3>& direction) {
    const int n = difference->shape.size();
    std::vector<Expr> summands;
    const auto entry = [&](int k) { return direction.at(static_cast<std::size_t>(k % 3)); };
    double square = 0;
    for (int k = 0; k < n; ++k) square += entry(k) * entry(k);
    for (const double share : shares) {
      std::vector<Expr> entries;
      for (int k = 0; k < n; ++k)
        entries.push_back(g_.mul(g_.number(sym::Number::real(share * entry(k) / std::sqrt(square))), limit()));
      const Expr there = difference->shape.rank == 0 ? entries[0] : g_.vector(entries);
      const Expr summand = with(difference, there);
      if (readsPoints(summand, difference)) return;
      summands.push_back(summand);
    }
    numbers.insert(numbers.end(), summands.begin(), summands.end());
  }

  /// The summand for another difference of the two points.
  Expr with(Expr difference, Expr there) {
    const Expr opposite = g_.neg(difference);
    Expr turned = opposite; // the same, written from the other point
    if (difference->op == sym::Op::Add) {
      std::vector<Expr> terms;
      for (const Expr& t : difference->args) terms.push_back(g_.neg(t));
      turned = g_.sum(terms, difference->shape);
    }
    std::unordered_map<const sym::Node*, Expr> now;
    sym::visitPostOrder({e_.value}, [&](const sym::Node& n) {
      if (&n == difference.node() || &n == opposite.node() || &n == turned.node()) {
        now[&n] = &n == difference.node() ? there : g_.neg(there);
        return;
      }
      std::vector<Expr> args;
      bool changed = false;
      for (const Expr& arg : n.args) {
        args.push_back(now.at(arg.node()));
        changed = changed || args.back() != arg;
      }
      now[&n] = changed ? g_.rebuild(n, args) : Expr(&n);
    });
    return now.at(e_.value.node());
  }

  /// The summand depends on where the two points are otherwise, too.
  static bool readsPoints(Expr summand, Expr difference) {
    const auto points = sym::reads(difference);
    const auto read = sym::reads(summand);
    return std::any_of(read.begin(), read.end(),
                       [&](const sym::Array* a) { return a->role != sym::Role::Param && points.contains(a); });
  }

  /// With the indices of one pair.
  Expr atFirstPair(Expr x) {
    const std::int64_t i = bound_.outer.lo;
    const std::int64_t low = bound_.low.shift + bound_.low.follows * i;
    const std::int64_t j = std::min(bound_.inner.hi, std::max(low, i + 1));
    sym::Substitution pair(g_, [&](const sym::Node& leaf, const std::vector<Expr>&) {
      if (Expr(&leaf) == e_.loops[0].index) return g_.integer(i);
      if (Expr(&leaf) == e_.loops[1].index) return g_.integer(j);
      return Expr();
    });
    return pair(x);
  }

  sym::Program& p_;
  sym::Graph& g_;
  const sym::Equation& e_;
  const lower::DistanceBound& bound_;
};

/// The numbers of `Summand::define`.
void measure(Cutoff& c, const std::vector<double>& numbers) {
  c.limit = numbers[0];
  for (std::size_t k = 1; k <= lower::DistanceBound::axes; ++k)
    if (const double period = std::abs(numbers[k]); period > 0)
      c.period = c.period > 0 ? std::min(c.period, period) : period;
  c.value = c.slope = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t first = 1 + lower::DistanceBound::axes; first < numbers.size(); first += shares.size()) {
    const double* const v = numbers.data() + first;
    const double value = v[5], slope = (v[6] - v[4]) / (2 * apart * c.limit);
    if (!std::isfinite(value) || !std::isfinite(slope)) continue;
    if (!(std::abs(value) <= std::abs(c.value))) c.value = value;
    if (!(std::abs(slope) <= std::abs(c.slope))) c.slope = slope;
    for (std::size_t k = 0; k < 5; ++k) c.largest = std::max(c.largest, std::abs(v[k]));
    for (std::size_t k = 0; k < 3; ++k)
      c.steepest = std::max(c.steepest, std::abs(v[k + 1] - v[k]) / ((shares[k + 1] - shares[k]) * c.limit));
  }
}

} // namespace

bool Cutoff::jumps() const {
  constexpr double rounding = 1e-10;
  return std::isfinite(value) && std::abs(value) > rounding * largest;
}

bool Cutoff::bends() const {
  constexpr double ofDifferences = 1e-5;
  return std::isfinite(slope) && std::abs(slope) > ofDifferences * steepest;
}

std::vector<Cutoff> cutoffs(const mechanics::Layer& model, const runtime::Problem& problem) {
  std::vector<Cutoff> list;
  const sym::Array* const energy = model.system.energy;
  if (energy == nullptr) return list;
  mechanics::Layer own = mechanics::Layer::over(model);
  const sym::Graph::Work work = own.work();
  sym::Program& program = own.program();
  sema::ArrayTuple arrays;
  std::unordered_set<const sym::Node*> seen;
  std::vector<std::size_t> slice = program.slice({energy});
  std::sort(slice.begin(), slice.end()); // in the order of the text
  for (const std::size_t k : slice) {
    const sym::Equation& e = program.equation(k);
    if (e.kind != sym::EquationKind::Accumulate || e.value->shape.rank != 0) continue;
    const auto bound = lower::distanceBound(e);
    if (!bound || !seen.insert(e.value.node()).second) continue;
    Cutoff c;
    c.condition = sym::print(e.guard, sym::Notation::Text);
    list.push_back(std::move(c));
    arrays.push_back(Summand(program, e, *bound).define());
  }
  if (list.empty()) return list;
  constexpr std::int64_t most = 10'000'000; // turns that the interpreter may take
  for (const std::size_t k : program.slice(arrays))
    if (lower::tripCount(program.equation(k)) > most) return {};
  ModelFunctions functions(own, problem);
  const ModelFunctions::Function f = functions.function("cut-offs", arrays);
  functions.prepare();
  const std::vector<double> numbers = functions(f, problem.initialState, problem.timeFrom);
  std::size_t first = 0;
  for (std::size_t k = 0; k < list.size(); ++k) {
    const auto size = static_cast<std::size_t>(arrays[k]->size());
    const auto begin = numbers.begin() + static_cast<std::ptrdiff_t>(first);
    measure(list[k], {begin, begin + static_cast<std::ptrdiff_t>(size)});
    first += size;
  }
  return list;
}

} // namespace lmc::products
