// Where the samples of a run go.
#pragma once

#include "runtime/fields/Field.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace lmc::runtime {

/// Whose fault it is that a file cannot be written.
enum class OutputFault : std::uint8_t {
  Place,  ///< nothing can be written there: no such folder, no permission, a name without a format
  Device, ///< the disk is full or broken, a limit of the system is reached
};

/// A file that could not be written, with the reason; `what()` is a sentence for the user.
class OutputError : public std::runtime_error {
public:
  explicit OutputError(const std::string& what, OutputFault fault = OutputFault::Device)
      : std::runtime_error(what), fault_(fault) {}
  [[nodiscard]] OutputFault fault() const { return fault_; }

private:
  OutputFault fault_;
};

/// Takes the samples of one run. Every call may throw OutputError; what was on disk before stays readable then.
class Sink {
public:
  virtual ~Sink() = default;
  /// What the columns are, without `t`; once, before the first sample.
  virtual void begin(const std::vector<Entry>& columns) = 0;
  /// One number per column.
  virtual void sample(double t, std::span<const double> values) = 0;
  /// All samples so far are on the disk, and readable there, when this returns: whatever happens to the process. Called
  /// before a checkpoint is kept. What has no file keeps nothing.
  virtual void sync() {}
  /// Makes what was written so far complete and readable. No sample follows.
  virtual void finish() = 0;
  /// Asked after each sample: true ends the run there.
  [[nodiscard]] virtual bool enough() const { return false; }
};

/// Numbers with a name and a shape (empty: a single number), by rows.
struct NamedArray {
  std::string name;
  std::vector<std::int64_t> shape;
  std::vector<double> values;
};

/// What a run is made from, for formats that can tell. NaN: not given.
struct RunDescription {
  std::string model, method, version;
  std::vector<std::pair<std::string, std::string>> sources; ///< names and texts of all files, the model's first
  std::vector<NamedArray> parameters;
  double timeFrom = std::numeric_limits<double>::quiet_NaN(), timeTo = std::numeric_limits<double>::quiet_NaN();
  double step = std::numeric_limits<double>::quiet_NaN(), tolerance = std::numeric_limits<double>::quiet_NaN();
  std::uint64_t seed = 0;
};

/// A format of output files. Everything about one stands in one file, formats/NAME.cpp, which defines
/// `nameOutputFormat`; CMake makes the table from the names of the files (cmake/Tables.cmake). A writer whose library
/// would cost every start of the tool is a module, liblmc_NAME.so: that part of the file stands within
/// `#ifdef LMC_OUTPUT_MODULE` and defines `extern "C" lmc::Sink* lmc_open_output(const char* file, const
/// lmc::RunDescription* about)`, which returns an open writer, owned by the caller, or throws OutputError.
/// A run that goes on from a checkpoint begins a new file; no format is read back.
struct OutputFormat {
  using Open = std::unique_ptr<Sink> (*)(const std::filesystem::path& file, const RunDescription* about);
  using Stream = std::unique_ptr<Sink> (*)(int descriptor, const std::string& name);

  const char* name;                       ///< of its file, in small letters
  int place;                              ///< in lists, from 0
  std::array<const char*, 2> endings;     ///< of files, in small letters with the dot; one or two
  double numberBytes;                     ///< what a number takes in a file, about
  bool inMemory = false;                  ///< the samples stay in memory until the end
  std::array<const char*, 2> beside = {}; ///< suffixes of files that stand beside the file while it is written
  Open open = nullptr;                    ///< null: in the module
  Stream stream = nullptr;                ///< to an open descriptor, which stays open; null: it cannot
};

/// All formats, in the order of their places. CMake makes it.
[[nodiscard]] std::span<const OutputFormat* const> outputFormats();

/// By the ending of a file's name, in any case; null: there is none.
[[nodiscard]] const OutputFormat* outputFormat(const std::filesystem::path& file);

/// The endings of all formats in a sentence: outputEndings(", ", " or ") is ".csv, .npz or .h5". `inMemory`: of those
/// alone that keep their samples in memory, or do not.
[[nodiscard]] std::string outputEndings(const std::string& comma, const std::string& last,
                                        std::optional<bool> inMemory = std::nullopt);

/// Opens (and empties) a file for writing. Throws OutputError if it cannot be written, or if there is no writer for
/// its format. `about` is written where the format has a place for it. Links are followed. Equal samples make equal
/// bytes, whenever and however often they were brought to the disk.
[[nodiscard]] std::unique_ptr<Sink> openOutput(const std::filesystem::path& file,
                                               const RunDescription* about = nullptr);

/// Lines of text to an open file descriptor, which stays open, in the first format that can; `name` is for messages.
[[nodiscard]] std::unique_ptr<Sink> streamOutput(int descriptor, const std::string& name);

} // namespace lmc::runtime
