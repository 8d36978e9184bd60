#include "api/Library.h"

#include "api/Access.h"
#include "base/Installation.h"
#include "sema/LibraryManifolds.h"

#include <fmt/format.h>

namespace lmc::v1 {

std::filesystem::path libraryFolder(const std::string& given) {
  std::filesystem::path root = given.empty() ? lmc::libraryRoot() : std::filesystem::path(given);
  std::error_code ignored;
  if (root.empty()) throw Error(Error::Kind::Installation, "the standard library of lmc was not found");
  if (!std::filesystem::exists(root / "stdlib", ignored))
    throw Error(Error::Kind::Installation, fmt::format("there is no standard library in `{}`", root.string()));
  return root;
}

std::vector<ManifoldInfo> manifolds(const std::string& libraryRoot) {
  return translated([&] {
    return onDeepStack([&] {
      sema::CompilationOptions options;
      options.libraryRoot = libraryFolder(libraryRoot);
      const auto compilation = sema::makeCompilation(std::move(options));
      std::vector<ManifoldInfo> all;
      for (sema::ManifoldSummary& m : sema::libraryManifolds(*compilation))
        all.push_back({std::move(m.name), m.isGroup, m.dimension, std::move(m.storage), std::move(m.description)});
      if (all.empty()) // a folder of this name that holds something else
        throw Error(Error::Kind::Installation, fmt::format("the library in `{}` declares no manifolds",
                                                           compilation->options().libraryRoot.string()));
      return all;
    });
  });
}

} // namespace lmc::v1
