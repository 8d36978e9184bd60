// Blocks of an ensemble as bytes, and files of them.
//
// A file has one line of text, which says whose blocks they are, then records: 8 bytes of a mark, the size of the body,
// its checksum, the body. The first record may be a head; all others are blocks, in any order. The numbers are those of
// the machine. A record that was cut off by the end of a process does not count, nor what follows.
#pragma once

#include "runtime/ensemble/Ensemble.h"
#include "runtime/run/Checkpoint.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace lmc::runtime {

/// A block as a record.
[[nodiscard]] std::string recordOf(const EnsembleBlock& block);
/// The record of a head.
[[nodiscard]] std::string headRecord(const std::string& body);
/// The block of a whole record. Throws CheckpointError if it is damaged.
[[nodiscard]] EnsembleBlock blockOf(std::string_view record);

/// Reads a file of blocks: all of it once, for its checksums; then one block at a time.
class BlockReader {
public:
  /// Throws CheckpointError where it cannot be read.
  explicit BlockReader(const std::filesystem::path& file);
  BlockReader(BlockReader&& o) noexcept;
  BlockReader& operator=(BlockReader&& o) noexcept;
  BlockReader(const BlockReader&) = delete;
  BlockReader& operator=(const BlockReader&) = delete;
  ~BlockReader();

  /// Closes the file until something is read: a process may have only so many open ones.
  void release();

  [[nodiscard]] const std::string& name() const { return name_; }
  /// The first line; empty where there is no whole one.
  [[nodiscard]] const std::string& line() const { return line_; }
  /// The body of the head; empty: there is none.
  [[nodiscard]] const std::string& head() const { return head_; }
  /// The numbers of all whole blocks, in their order.
  [[nodiscard]] std::vector<std::int64_t> blocks() const;
  [[nodiscard]] bool has(std::int64_t index) const { return places_.contains(index); }
  /// The record of a block that is there, and the block. Throw CheckpointError where it cannot be read any more. Any
  /// number of threads may ask.
  [[nodiscard]] std::string record(std::int64_t index) const;
  [[nodiscard]] EnsembleBlock block(std::int64_t index) const { return blockOf(record(index)); }
  /// The bytes up to what is damaged or cut off, and all bytes.
  [[nodiscard]] std::uint64_t sound() const { return sound_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }

private:
  struct Place {
    std::uint64_t offset, size;
  };
  void scan();
  [[nodiscard]] int open() const;
  /// False at the end of the file.
  bool readAt(int descriptor, std::uint64_t offset, void* to, std::size_t count) const;

  std::string name_;
  int descriptor_ = -1;
  std::string line_, head_;
  std::map<std::int64_t, Place> places_; ///< of records
  std::uint64_t sound_ = 0, size_ = 0;
};

} // namespace lmc::runtime
