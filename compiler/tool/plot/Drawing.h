// Figures in files and in the terminal. They are drawn by gnuplot, a program of its own, which is looked for when a
// figure is asked for.
#pragma once

#include "tool/plot/Gnuplot.h"
#include "tool/support/Invocation.h"

#include <filesystem>
#include <optional>
#include <string>

namespace lmc::tool {

/// What a figure is written as, by the ending of the name; nothing: none of .svg, .pdf and .png.
[[nodiscard]] std::optional<PlotKind> plotKind(const std::filesystem::path& file);

/// Draws on a canvas; the bytes of the file. Equal figures make equal bytes. Throws InstallationError where gnuplot is
/// missing, std::runtime_error where it fails.
[[nodiscard]] std::string draw(const Figure& figure, const Canvas& canvas);

/// A file for a figure. Its ending, and that gnuplot is there, are looked at before anything is computed.
class PlotFile {
public:
  /// Throws UsageError, InstallationError.
  explicit PlotFile(std::filesystem::path file);
  /// That of `--plot`; nothing without it.
  [[nodiscard]] static std::optional<PlotFile> of(const Invocation& call);
  /// Writes the file, as a whole or not at all. A figure without a point is said and not written: false. Throws
  /// OutputError.
  [[nodiscard]] bool write(const Figure& figure) const;
  [[nodiscard]] const std::filesystem::path& path() const { return file_; }

private:
  std::filesystem::path file_;
  PlotKind kind_;
};

/// Prints a figure on standard output, as wide as the terminal is.
void printPlot(const Figure& figure);

} // namespace lmc::tool
