#include "methods/Parts.h"

#include "sym/Constant.h"

#include <algorithm>
#include <map>
#include <optional>

namespace lmc::methods {

namespace {

class Collector {
public:
  explicit Collector(bool constrained) : constrained_(constrained) {}

  bool add(const MethodUse& use, double begin, double length) {
    const auto& composition = use.method->composition;
    if (!composition || (composition->symmetric && constrained_)) {
      parts.push_back({use, begin, length});
      return true;
    }
    std::vector<PartOfMethod> own;
    std::map<std::size_t, double> clocks; // where the last step of each ended
    for (const CheckedComposition::Part& part : composition->parts) {
      const auto number = part.part ? sym::constantValue(part.part) : std::optional(sym::Number(1));
      if (!number) return false;
      double& clock = clocks[part.clock];
      own.push_back({part.use, clock, number->value()});
      clock += number->value();
    }
    // The inverse of a step over -h from the end: what came last comes first, and begins where it ended.
    if (use.adjoint) std::reverse(own.begin(), own.end());
    return std::all_of(own.begin(), own.end(), [&](const PartOfMethod& p) {
      const double first = use.adjoint ? 1 - (p.begin + p.length) : p.begin;
      return add({p.use.method, p.use.adjoint != use.adjoint}, begin + first * length, p.length * length);
    });
  }

  std::vector<PartOfMethod> parts;

private:
  bool constrained_;
};

} // namespace

std::vector<PartOfMethod> partsOf(const MethodUse& use, bool constrained) {
  Collector collector(constrained);
  if (!collector.add(use, 0, 1)) return {};
  return std::move(collector.parts);
}

namespace {

constexpr std::int64_t writtenOut = 8; // turns of a loop, members of a family
constexpr std::size_t ofLoops = 16;

/// Of an equation its expressions that no equation before it has, times what `times` says of it.
template <typename Times>
std::size_t operationsOf(const sym::Program& program, const std::vector<const sym::Array*>& arrays,
                         const Times& times) {
  sym::NodeNumbers seen;
  std::size_t count = 0;
  const auto visit = [&](auto&& self, const sym::Expr& e, std::size_t n) -> void {
    if (!e || !seen.add(*e)) return;
    if (!e->parametric) count += n * static_cast<std::size_t>(e->shape.size());
    for (const sym::Expr& k : e->args) self(self, k, n);
  };
  for (const std::size_t k : program.slice(arrays)) visit(visit, program.equation(k).value, times(program.equation(k)));
  return count;
}

/// How often the expressions of an equation stand in the code. Short loops around long ones are not written out.
std::size_t timesWrittenOut(const sym::Equation& e) {
  std::size_t times = 1;
  for (const sym::Loop& l : e.loops) {
    const auto lo = sym::bounds(l.lo, e.loops), hi = sym::bounds(l.hi, e.loops);
    const std::int64_t turns = lo && hi ? hi->hi - lo->lo + 1 : writtenOut + 1;
    if (turns > writtenOut) return ofLoops;
    times *= static_cast<std::size_t>(std::max<std::int64_t>(turns, 1));
  }
  return times;
}

} // namespace

std::size_t operations(const sym::Program& program, const Step& step) {
  return operationsOf(program, step.next, [](const sym::Equation& e) {
    return !e.loops.empty() && e.array->count() > writtenOut ? ofLoops : std::size_t{1};
  });
}

std::size_t operationsOfTurns(const sym::Program& program, const std::vector<const sym::Array*>& arrays) {
  return operationsOf(program, arrays, timesWrittenOut);
}

} // namespace lmc::methods
