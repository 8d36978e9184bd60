#include "methods/Parts.h"

#include "sym/Constant.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_set>

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

std::size_t operations(const sym::Program& program, const Step& step) {
  constexpr std::int64_t writtenOut = 8; // members of a family
  constexpr std::size_t ofLoops = 16;
  std::unordered_set<const sym::Node*> seen;
  std::size_t count = 0;
  const auto visit = [&](auto&& self, const sym::Expr& e, std::size_t times) -> void {
    if (!e || !seen.insert(e.node()).second) return;
    if (!e->parametric) count += times * static_cast<std::size_t>(e->shape.size());
    for (const sym::Expr& k : e->args) self(self, k, times);
  };
  for (const std::size_t k : program.slice(step.next)) {
    const sym::Equation& e = program.equation(k);
    visit(visit, e.value, !e.loops.empty() && e.array->count() > writtenOut ? ofLoops : 1);
  }
  return count;
}

} // namespace lmc::methods
