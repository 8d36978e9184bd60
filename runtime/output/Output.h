// Where the samples of a run go.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace lmc {

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
  /// Names of the columns, without `t`; once, before the first sample.
  virtual void begin(const std::vector<std::string>& columns) = 0;
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

enum class OutputFormat { Unknown, Csv, Npz, Hdf5 };

/// The endings of all formats in a sentence: outputEndings(", ", " or ") is ".csv, .npz or .h5".
[[nodiscard]] std::string outputEndings(const std::string& comma, const std::string& last);

/// By the extension of a file's name, in any case.
[[nodiscard]] OutputFormat outputFormat(const std::filesystem::path& file);

/// Opens (and empties) a file for writing. Throws OutputError if it cannot be written, or if there is no writer for
/// its format. `about` is written where the format has a place for it. Links are followed. Equal samples make equal
/// bytes, whenever and however often they were brought to the disk.
[[nodiscard]] std::unique_ptr<Sink> openOutput(const std::filesystem::path& file,
                                               const RunDescription* about = nullptr);

/// Lines of comma-separated numbers below a line of names. Numbers are the shortest that read back exactly. What is
/// older than half a second is in the file; where the disk is full it ends with a whole line.
[[nodiscard]] std::unique_ptr<Sink> openCsv(const std::filesystem::path& file);
/// The same, to an open file descriptor, which stays open; `name` is for messages.
[[nodiscard]] std::unique_ptr<Sink> csvTo(int descriptor, const std::string& name);

/// A numpy archive: `t` and one array per variable or observable, float64, shape (samples, …) with the variable's own
/// shape behind: `w[1]`, `w[2]`, `w[3]` become `w` of shape (samples, 3); a family `q[1][1]` … becomes one array too.
/// Samples are kept in memory; the file is replaced as a whole at the begin, at `sync`, at `finish`, and from time to
/// time, so that a twentieth of the run goes into it at most.
[[nodiscard]] std::unique_ptr<Sink> openNpz(const std::filesystem::path& file);

/// An HDF5 file with the same arrays as datasets, chunked along the samples. It is made beside its place, under the
/// name with `.part` behind it, and copied there as a whole: every half second, of large files less often, so that a
/// twentieth of the run goes into it at most. Attributes of the root: `model`, `method`, `lmc_version`, `source_files`
/// and `source_texts`, `time_from`, `time_to`, `step`, `tolerance`, `seed`; of the group `parameters`: one for each
/// parameter.
[[nodiscard]] std::unique_ptr<Sink> openHdf5(const std::filesystem::path& file, const RunDescription* about);

} // namespace lmc
