#include "jit/Ahead.h"

#include "base/Budget.h"
#include "jit/Library.h"

#include <stdexcept>

namespace lmc::jit {

std::string aheadObject(const unit::Exported& unit, const std::string& cpu) {
  backends::Result result;
  backends::Options options;
  options.stop = &budgetIsSpent;
  jit::codegenLibrary().generateAhead(unit, cpu, options, result);
  checkBudget();
  if (result.error.starts_with("there is no processor")) throw std::invalid_argument(result.error);
  if (!result.error.empty()) throw std::runtime_error("the code generator failed: " + result.error);
  return std::move(result.objects.front());
}

std::string aheadArchive(const std::string& object, const std::string& memberName) {
  backends::Result result;
  jit::codegenLibrary().archive(object, memberName, result);
  if (!result.error.empty()) throw std::runtime_error("the archive cannot be made: " + result.error);
  return std::move(result.objects.front());
}

} // namespace lmc::jit
