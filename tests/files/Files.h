// Output files of any format as rows of numbers, and the tool under a shell.
#pragma once

#include "acceptance/Tool.h"

#include <optional>
#include <string>
#include <vector>

namespace lmc::files {

/// The time and the other numbers of each sample.
using Rows = std::vector<std::vector<double>>;

/// The samples of a .csv, .npz or .h5 file. A last line of text without its end does not count. Nothing if there is no
/// such file; a failure of the test, and nothing, if it cannot be read.
[[nodiscard]] std::optional<Rows> rowsOf(const std::filesystem::path& file);

/// The path of the tool.
[[nodiscard]] std::string tool();

struct Said {
  int status = -1; ///< of the shell's last command; 128 + n after signal n
  std::string out, err;
};
/// Runs a line of bash in the folder of the workspace, with $LMC the tool and a cache in the folder's `cache`.
[[nodiscard]] Said shell(const acceptance::Workspace& w, const std::string& line);

/// A pendulum in space with a group, so that a file has matrices, vectors and numbers.
extern const std::string topModel;

} // namespace lmc::files
