// From the rows of the table of kinds to their classes.
#include "methods/kinds/MethodKind.h"

#include <stdexcept>

namespace lmc::methods {

namespace kinds {
#define LMC_METHOD_KIND(ID, ...)                                                                                       \
  [[nodiscard]] std::unique_ptr<MethodKind> ID(const KindContext& context, const ModelParts& parts);
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

} // namespace lmc::methods
