// Runs that have been prepared before. What the front end makes of a model, all but the machine code, is kept in the
// cache beside the code, so that a run that only repeats an earlier one begins with the first step: nothing is parsed,
// derived or lowered.
//
// What is kept is used for equal questions only: the same build of lmc, processor, command line, and the same answers
// of the disk, the library's included: every file that was read has the bytes that it had, every file that was looked
// for and missing is missing still. The bytes are compared, not times. A few runs are kept of each file, the newest for
// other options instead of an older one.
#pragma once

#include "jit/Cache.h"
#include "products/Pipeline.h"
#include "tool/support/Invocation.h"

#include <memory>
#include <string>
#include <vector>

namespace lmc::tool {

/// What a run needs of its compilation.
struct PreparedRun {
  runtime::Problem problem;
  Diagnostics diagnostics;        ///< warnings
  Sources sources;                ///< that `diagnostics` speak of, in the order of the compilation
  std::vector<std::string> files; ///< that were read
};

class RunStore {
public:
  /// Of the run of a file with the options of its pipeline. Keeps nothing when the cache is not used, or for a run that
  /// goes on from a checkpoint.
  RunStore(const std::string& file, const products::PipelineOptions& options);

  /// The run as it was prepared before, with its code; null if the question is new, or what is kept is damaged.
  [[nodiscard]] std::unique_ptr<PreparedRun> find() const;
  /// False when no run of the file is kept, whatever the options: its code has probably never been made.
  [[nodiscard]] bool knowsFile() const;
  /// Keeps a run that has been prepared without errors and is as it begins.
  void keep(products::Pipeline& pipeline, const runtime::Problem& problem) const;

private:
  bool used_;
  jit::CompileOptions compile_;
  jit::Cache cache_;
  jit::Digest question_{};          ///< of all but the files
  std::vector<jit::Digest> places_; ///< of the file in the cache
  std::size_t place_ = 0;           ///< the one of the question
};

} // namespace lmc::tool
