// An ensemble that goes on later: its finished blocks, and whose they are.
//
// The file has one line of JSON, which says whose blocks they are, then the blocks one after the other as they were
// finished, each with a checksum. A block that was cut off by the end of the process does not count, nor what follows.
#pragma once

#include "runtime/ensemble/Ensemble.h"
#include "runtime/output/OutputFile.h"
#include "runtime/run/Checkpoint.h"

#include <filesystem>
#include <map>
#include <string>

namespace lmc::runtime {

/// Everything that the results depend on, as one JSON object.
[[nodiscard]] std::string ensembleIdentity(const EnsembleProblem& problem, const EnsemblePlan& plan);

struct EnsembleCheckpoint {
  std::string identity;
  std::map<std::int64_t, EnsembleBlock> blocks;
};
/// Throws CheckpointError for what is no such file.
[[nodiscard]] EnsembleCheckpoint readEnsembleCheckpoint(const std::filesystem::path& file);
/// Which member of two identities differs, as a sentence; empty if they are equal.
[[nodiscard]] std::string ensembleMisfit(const std::string& then, const std::string& now);

/// Adds blocks to a file. Throws CheckpointError.
class EnsembleCheckpointFile {
public:
  /// A new file in place of what was there; with these blocks.
  EnsembleCheckpointFile(const std::filesystem::path& file, const std::string& identity,
                         const std::map<std::int64_t, EnsembleBlock>& blocks);
  EnsembleCheckpointFile(const EnsembleCheckpointFile&) = delete;
  EnsembleCheckpointFile& operator=(const EnsembleCheckpointFile&) = delete;
  void add(const EnsembleBlock& block);

private:
  void write(const std::string& bytes);
  OutputFile out_;
};

} // namespace lmc::runtime
