// Files as writers use them: every byte arrives, or there is an error that says why.
#pragma once

#include "runtime/output/Output.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

namespace lmc::runtime {

/// The error of a system call on the file `name`, by its errno.
[[nodiscard]] OutputError cannotWrite(const std::string& name, int error);

/// A file that is written from front to end. Moves leave nothing behind.
class OutputFile {
public:
  OutputFile() = default;
  /// A descriptor of somebody else (`owned` false: it stays open) or of nobody else; `name` is for messages.
  OutputFile(int descriptor, bool owned, std::string name);
  /// Makes a file, or empties it. Throws OutputError.
  [[nodiscard]] static OutputFile create(const std::filesystem::path& file);
  OutputFile(OutputFile&& o) noexcept;
  OutputFile& operator=(OutputFile&& o) noexcept;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  /// Writes what it can: less than everything only where there is an error, which `error` (an errno, else 0) tells.
  /// Goes on after interrupts and after calls that wrote a part.
  [[nodiscard]] std::size_t tryWrite(const void* data, std::size_t size, int& error);
  /// Writes everything or throws OutputError.
  void write(const void* data, std::size_t size);
  /// Bytes that were written.
  [[nodiscard]] std::uint64_t written() const { return written_; }
  /// Forgets all bytes but the first `size`; where that is not possible (a pipe) nothing happens.
  void cut(std::uint64_t size);
  /// The bytes are on the disk when this returns. Throws OutputError. Nothing to do for pipes and devices.
  void sync();
  /// Closes what is owned. Throws OutputError where bytes that were kept back could not be written.
  void close();

  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] bool owned() const { return owned_; }
  [[nodiscard]] const std::string& name() const { return name_; }

private:
  int descriptor_ = -1;
  bool owned_ = false;
  std::string name_;
  std::uint64_t written_ = 0;
};

/// A file that takes its place when it is whole: what was there before stays until then, whatever happens.
///
/// It is written beside its place, under the name with a suffix behind it. A link is followed; a device or a pipe is
/// written at once.
class WholeFile {
public:
  /// Throws OutputError if it cannot be written there.
  explicit WholeFile(const std::filesystem::path& file, const std::string& suffix = ".part");
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;
  /// What was not put into its place is removed.
  ~WholeFile();

  [[nodiscard]] OutputFile& out() { return out_; }
  /// It is a device or a pipe, which is written once.
  [[nodiscard]] bool inPlace() const { return part_.empty(); }
  /// Takes its place. With `durable` it is on the disk when this returns. Throws OutputError.
  void commit(bool durable);

private:
  std::string name_;
  std::filesystem::path target_, part_; ///< no part: written in place
  OutputFile out_;
};

/// Writes a file as a whole or not at all. Throws OutputError.
void writeWhole(const std::filesystem::path& file, const std::string& bytes, bool durable);

/// Throws OutputError where a file cannot be made at its place, which is left alone: said before the work whose result
/// it is to have. What can be told without making it is told.
void requirePlace(const std::filesystem::path& file);

/// Where a file is that a path names: links are followed, also those to what does not exist.
[[nodiscard]] std::filesystem::path followed(const std::filesystem::path& file);

/// When something is due again: after some time; if it takes more than a tenth of a second, not before twenty times as
/// long as it took the last time.
class Leisure {
public:
  explicit Leisure(double seconds) : seconds_(seconds) {}
  [[nodiscard]] bool due() const;
  /// It begins, and has ended, now.
  void begin();
  void end();

private:
  using Clock = std::chrono::steady_clock;
  double seconds_;
  double cost_ = 0;
  Clock::time_point begin_ = Clock::now(), end_ = begin_;
};

} // namespace lmc::runtime
