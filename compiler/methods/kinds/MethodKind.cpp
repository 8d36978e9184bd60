// From the rows of the table of kinds to their classes, and what all of them count.
#include "methods/kinds/MethodKind.h"

#include <algorithm>
#include <stdexcept>
#include <unordered_set>

namespace lmc::methods {

namespace kinds {
#define LMC_METHOD_KIND(ID, ...) std::unique_ptr<MethodKind> ID(const KindContext& context, const ModelParts& parts);
#include "methods/checked/kinds.def"
#undef LMC_METHOD_KIND
} // namespace kinds

std::unique_ptr<MethodKind> makeKind(const KindContext& context, const KindOfMethod& row, const ModelParts& parts) {
#define LMC_METHOD_KIND(ID, ...)                                                                                       \
  if (row.id == #ID) return kinds::ID(context, parts);
#include "methods/checked/kinds.def"
#undef LMC_METHOD_KIND
  throw std::logic_error("a kind of methods without a class: " + row.id);
}

void countOwn(const sym::Program& program, Step& step, const std::vector<sema::Tuple>& fields) {
  const auto written = [&](const sema::ArrayTuple& roots) {
    std::unordered_set<const sym::Array*> arrays;
    for (const std::size_t k : program.slice(roots)) arrays.insert(program.equations()[k].array);
    return arrays;
  };
  sema::ArrayTuple others = step.embedded;
  others.insert(others.end(), step.embedded2.begin(), step.embedded2.end());
  const auto own = written(step.next), other = written(others);
  const auto uses = [](const sema::Tuple& f, const std::unordered_set<const sym::Array*>& arrays) {
    return std::any_of(f.begin(), f.end(), [&](sym::Expr part) {
      return sym::contains(part, [&](const sym::Node& n) { return arrays.contains(n.array); });
    });
  };
  for (const sema::Tuple& f : fields) step.ownEvaluations -= uses(f, other) && !uses(f, own) ? 1 : 0;
}

} // namespace lmc::methods
