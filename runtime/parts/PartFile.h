// A part of an ensemble as a file, and parts put together.
//
// A part is a file of blocks (runtime/ensemble/Blocks.h). Its line is JSON: which part it is, and of which study; its
// head has all that writing the table needs, so that parts are merged without the model and without its compiler.
#pragma once

#include "runtime/ensemble/Blocks.h"
#include "runtime/output/Output.h"
#include "runtime/output/OutputFile.h"
#include "runtime/parts/PartNumber.h"

#include <atomic>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace lmc::runtime {

/// The ending of the names of parts.
constexpr const char* partEnding = ".lmcpart";

/// What stands in front of the blocks of a part.
struct PartHeader {
  PartNumber part;
  std::string study;     ///< JSON: everything that the results depend on, and the text of the model
  std::string processor; ///< on which it was begun; for messages
  EnsembleShape shape;
  RunDescription about;
};
/// Of a study: `identity` is that of runtime/ensemble/Checkpoint.h.
[[nodiscard]] PartHeader partHeader(PartNumber part, const std::string& identity, EnsembleShape shape,
                                    RunDescription about);

/// A part that is read.
struct PartFile {
  PartHeader header;
  BlockReader blocks;
  /// Blocks that it has and must have.
  [[nodiscard]] std::int64_t present() const { return static_cast<std::int64_t>(blocks.blocks().size()); }
  [[nodiscard]] std::int64_t needed() const { return header.part.blocks(header.shape.blocks()); }
};
/// Throws CheckpointError for what is no part that this lmc can read.
[[nodiscard]] PartFile readPart(const std::filesystem::path& file);

/// Something is wrong with a file of parts; sentences for the user.
struct PartFault {
  std::string file, message, cure;
};
/// What keeps parts from being the whole of one study: all that is wrong, each part by its name. None: they are.
[[nodiscard]] std::vector<PartFault> faultsOf(const std::vector<PartFile>& parts);

/// Writes all blocks of parts without faults as one table, in the order of the blocks. False from `progress`, which is
/// told which part of the blocks is written, stops; the result says so. One block at a time is in memory.
[[nodiscard]] EnsembleResult mergeParts(const std::vector<PartFile>& parts, Sink& sink,
                                        const std::function<bool(double)>& progress);

/// The file at the place is no part, or another one: it is not written over.
class OtherPart : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Makes a part: goes on with what is in its file.
class PartWriter final : public BlockDesk {
public:
  /// Opens the file or makes it; it is locked for as long as this lives. Throws OtherPart, CheckpointError (also where
  /// another process makes this part now), OutputError.
  PartWriter(const std::filesystem::path& file, const PartHeader& header);

  std::optional<std::int64_t> next() override;
  std::optional<std::int64_t> another() override { return next(); }
  void made(std::unique_ptr<EnsembleBlock> block) override;
  void stop() override { stopped_ = true; }
  /// Everything is on the disk when this returns.
  void finish() { file_.sync(); }

  /// Samples of the part, and those that were in the file at the begin.
  [[nodiscard]] std::int64_t samples() const { return samples_; }
  [[nodiscard]] std::int64_t known() const { return known_; }
  [[nodiscard]] bool complete() const { return counted_.samples == samples_; }
  /// Of all blocks in the file.
  [[nodiscard]] const EnsembleResult& counted() const { return counted_; }
  /// False where the place has no locks: that another process makes the same part would not be seen.
  [[nodiscard]] bool locked() const { return locked_; }

private:
  void open(const std::filesystem::path& file);
  void begin(const std::filesystem::path& file);

  PartHeader header_;
  OutputFile file_;
  bool locked_ = false;
  std::vector<bool> have_; ///< of the part's blocks
  std::int64_t samples_ = 0, known_ = 0, taken_ = 0;
  EnsembleResult counted_;
  std::mutex mutex_;
  std::atomic<bool> stopped_{false};
  Leisure syncing_{10};
};

} // namespace lmc::runtime
