#include "tool/plot/Drawing.h"

#include "base/Installation.h"
#include "runtime/output/OutputFile.h"
#include "tool/support/Programs.h"
#include "tool/support/Report.h"
#include "tool/support/SharedOptions.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>

namespace lmc::tool {

namespace {

constexpr const char* program = "gnuplot";

void requireGnuplot() {
  if (findProgram(program).empty())
    throw InstallationError("plots are drawn by gnuplot, which is not installed\n`apt install gnuplot-nox` brings it");
}

/// The library that writes PDF says when it did; equal figures make equal bytes without it.
void forgetDate(std::string& pdf) {
  const std::string key = "/CreationDate (D:";
  const std::size_t at = pdf.find(key);
  if (at == std::string::npos) return;
  const std::string begin = "19700101000000";
  for (std::size_t k = 0; k < begin.size() && std::isdigit(static_cast<unsigned char>(pdf[at + key.size() + k])) != 0;
       ++k)
    pdf[at + key.size() + k] = begin[k];
}

} // namespace

std::optional<PlotKind> plotKind(const std::filesystem::path& file) {
  std::string ending = file.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (ending == ".svg") return PlotKind::Svg;
  if (ending == ".pdf") return PlotKind::Pdf;
  if (ending == ".png") return PlotKind::Png;
  return std::nullopt;
}

std::string draw(const Figure& figure, const Canvas& canvas) {
  requireGnuplot();
  // Nothing of the user's settings, language or clock reaches the picture.
  const ProgramResult result =
      runProgram({program, "--default-settings", "-"}, gnuplotScript(figure, canvas),
                 {{"LC_ALL", "C.UTF-8"}, {"TZ", "UTC0"}, {"GNUTERM", ""}, {"GNUPLOT_LIB", ""}});
  if (result.status != 0 || result.out.empty())
    throw std::runtime_error("gnuplot could not draw the plot: " + result.error);
  std::string bytes = result.out;
  if (canvas.kind == PlotKind::Pdf) forgetDate(bytes);
  return bytes;
}

PlotFile::PlotFile(std::filesystem::path file) : file_(std::move(file)), kind_(PlotKind::Svg) {
  const std::optional<PlotKind> kind = plotKind(file_);
  if (!kind) throw UsageError("a plot is a .svg, .pdf or .png file, not `" + file_.string() + "`");
  kind_ = *kind;
  requireGnuplot();
  runtime::requirePlace(file_);
}

std::optional<PlotFile> PlotFile::of(const Invocation& call) {
  if (!call[options::plot]) return std::nullopt;
  return PlotFile(*call[options::plot]);
}

bool PlotFile::write(const Figure& figure) const {
  if (figure.empty()) {
    complain("there is nothing to plot, so `" + file_.string() + "` is not written");
    return false;
  }
  runtime::writeWhole(file_, draw(figure, {kind_}), false);
  return true;
}

void printPlot(const Figure& figure) {
  Canvas canvas{PlotKind::Terminal};
  const bool terminal = isatty(STDOUT_FILENO) != 0;
  if (winsize size{}; terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    canvas.columns = std::clamp<int>(size.ws_col, 40, 200);
    canvas.lines = std::clamp<int>(size.ws_row, 16, 60);
  }
  std::string text = draw(figure, canvas);
  std::erase(text, '\f');
  print(text);
}

} // namespace lmc::tool
