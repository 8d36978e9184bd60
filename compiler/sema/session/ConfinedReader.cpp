#include "sema/session/ConfinedReader.h"

#include "base/Files.h"

#include <algorithm>

namespace lmc::sema {

namespace fs = std::filesystem;

ConfinedReader::ConfinedReader(const fs::path& folder, Reader read)
    : folder_(identityOf(fs::absolute(folder.empty() ? fs::path(".") : folder))), read_(std::move(read)) {}

std::optional<std::string> ConfinedReader::operator()(const fs::path& file) const {
  const fs::path place = identityOf(fs::absolute(file));
  const auto [end, rest] = std::mismatch(folder_.begin(), folder_.end(), place.begin(), place.end());
  // A folder that is named with a slash at its end has an empty last part.
  if (end != folder_.end() && !end->empty())
    throw ReadRefused("not from outside of the model's folder: the model is not trusted");
  return read_ ? read_(file) : readFile(file);
}

bool confined(const CompilationOptions& options) {
  return options.readFile.target<ConfinedReader>() != nullptr;
}

} // namespace lmc::sema
