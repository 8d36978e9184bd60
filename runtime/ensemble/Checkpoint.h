// An ensemble that goes on later: its finished blocks, and whose they are.
//
// The file is one of blocks (Blocks.h); its line is JSON that says whose they are.
#pragma once

#include "runtime/ensemble/Blocks.h"
#include "runtime/output/OutputFile.h"

#include <filesystem>
#include <string>

namespace lmc::runtime {

/// Everything that the results depend on, as one JSON object.
[[nodiscard]] std::string ensembleIdentity(const EnsembleProblem& problem, const EnsemblePlan& plan);

/// Opens a checkpoint. Throws CheckpointError for what is no such file.
[[nodiscard]] BlockReader readEnsembleCheckpoint(const std::filesystem::path& file);
/// Which member of two identities differs, as a sentence; empty if they are equal.
[[nodiscard]] std::string ensembleMisfit(const std::string& then, const std::string& now);

/// Adds blocks to a file. Throws CheckpointError.
class EnsembleCheckpointFile {
public:
  /// A new file in place of what was there; with the blocks of another one, unless that is null. Both may be the same
  /// file.
  EnsembleCheckpointFile(const std::filesystem::path& file, const std::string& identity, const BlockReader* known);
  EnsembleCheckpointFile(const EnsembleCheckpointFile&) = delete;
  EnsembleCheckpointFile& operator=(const EnsembleCheckpointFile&) = delete;
  void add(const EnsembleBlock& block);

private:
  OutputFile out_;
};

} // namespace lmc::runtime
