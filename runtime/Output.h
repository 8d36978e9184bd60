// Where the samples of a run go.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace lmc {

/// A file that could not be written, with the reason; `what()` is a sentence for the user.
class OutputError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Takes the samples of one run. Every call may throw OutputError.
class Sink {
public:
  virtual ~Sink() = default;
  /// Names of the columns, without `t`; once, before the first sample.
  virtual void begin(const std::vector<std::string>& columns) = 0;
  /// One number per column.
  virtual void sample(double t, std::span<const double> values) = 0;
  /// Makes what was written so far complete and readable. No sample follows.
  virtual void finish() = 0;
};

enum class OutputFormat { Unknown, Csv, Npz, Hdf5 };

/// By the extension of a file's name, in any case.
[[nodiscard]] OutputFormat outputFormat(const std::filesystem::path& file);

/// Opens (and empties) a file for writing. Throws OutputError if it cannot be written, or if there is no writer for
/// its format.
[[nodiscard]] std::unique_ptr<Sink> openOutput(const std::filesystem::path& file);

/// Lines of comma-separated numbers below a line of names. Numbers are the shortest that read back exactly.
[[nodiscard]] std::unique_ptr<Sink> openCsv(const std::filesystem::path& file);
/// The same, to an open file descriptor, which stays open; `name` is for messages.
[[nodiscard]] std::unique_ptr<Sink> csvTo(int descriptor, const std::string& name);

/// A numpy archive: `t` and one array per variable or observable, float64, shape (samples, …) with the variable's own
/// shape behind: `w[1]`, `w[2]`, `w[3]` become `w` of shape (samples, 3); a family `q[1][1]` … becomes one array too.
/// Arrays are kept in memory until `finish`.
[[nodiscard]] std::unique_ptr<Sink> openNpz(const std::filesystem::path& file);

} // namespace lmc
