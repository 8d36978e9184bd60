// What `build` and `export` have in common: names of files, the unit of a file, writing.
#pragma once

#include "products/Pipeline.h"
#include "tool/support/Invocation.h"
#include "unit/Unit.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace lmc::tool {

/// Where the files go and how their names begin.
struct AheadNames {
  std::filesystem::path file;   ///< the object or the source
  std::filesystem::path header; ///< beside it
  std::string prefix;
};
/// From --output and --prefix; without --output the model's file name in the current folder. A name without ending gets
/// the first of `endings`. Throws UsageError for other endings, and for a prefix that is no identifier of C.
[[nodiscard]] AheadNames aheadNames(const Invocation& call, const std::vector<std::string>& endings);

/// Makes something of a unit within the limits of its pipeline; false when one was reached.
using MakeOfUnit = std::function<bool(products::Pipeline&, const unit::Exported&)>;

/// The unit of the call's file, or nothing after its diagnostics were printed (`status` is what to exit with); `make`
/// is called before. Throws UsageError if what is to be written would overwrite what is read.
[[nodiscard]] std::optional<unit::Exported> aheadUnit(const Invocation& call, const AheadNames& names, int& status,
                                                      const MakeOfUnit& make = {});

/// Writes a file as a whole or not at all. Throws OutputError.
void writeFile(const std::filesystem::path& file, const std::string& content);

/// Tells what was written: on standard output with --json.
void tellFiles(const Invocation& call, const std::vector<std::filesystem::path>& files);

} // namespace lmc::tool
