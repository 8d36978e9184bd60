// `lmc plot FILE…`: plots of files that runs have written.
#include "tool/support/Command.h"

#include "runtime/input/Input.h"
#include "tool/plot/Drawing.h"
#include "tool/plot/TablePlot.h"
#include "tool/runs/RunParts.h"
#include "tool/support/Arguments.h"
#include "tool/support/Report.h"
#include "tool/support/SharedOptions.h"

#include <algorithm>

namespace lmc::tool {

namespace {

constexpr List<std::vector<std::string>>
    columnsOption("--columns", "NAME,NAME...", "a panel with these columns; a variable's name means all of its columns",
                  readNames);
constexpr Option<> xOption("--x", "NAME", "the column of the horizontal axis", {.standard = "t"});
constexpr Option<> yOption("--y", "NAME",
                           "a second axis: the columns are surfaces over a grid of --x and --y, drawn as a map");
constexpr Option<> logOption("--log", "x|y|xy", "logarithmic axes", {.completion = Completion::Words});
constexpr Flag normOption("--norm", "the Euclidean norm of the columns of a panel");
constexpr Flag changeOption("--change", "differences from the first row");
constexpr Option<> referenceOption("--error-from", "FILE", "errors: norms of differences from a run that is better",
                                   {.completion = Completion::File});
constexpr Option<> titleOption("--title", "TEXT", "above the plot");
constexpr Option<> fileOption = options::codeOutput.as(
    "NAME.svg|NAME.pdf|NAME.png", "the plot", {.completion = Completion::File, .standard = "drawn in the terminal"});

NamedTable read(const std::string& file, bool whole) {
  return {whole ? file : std::filesystem::path(file).stem().string(), readRows(file)};
}

TablePlot plotOf(const Invocation& call) {
  TablePlot plot;
  plot.panels = call[columnsOption];
  plot.x = call[xOption];
  plot.y = call[yOption];
  plot.norm = call[normOption];
  plot.change = call[changeOption];
  plot.title = call[titleOption].value_or("");
  if (const auto& axes = call[logOption]) {
    if (axes->empty() || axes->size() > 2 || axes->find_first_not_of("xy") != std::string::npos)
      throw UsageError("--log is x, y or xy, not `" + *axes + "`");
    plot.logX = axes->find('x') != std::string::npos;
    plot.logY = axes->find('y') != std::string::npos;
  }
  if (!plot.y) return plot;
  if (!plot.x) throw UsageError("--y draws surfaces over two columns: give --x, too");
  if (call.arguments.size() > 1) throw UsageError("--y draws the surfaces of one file");
  for (const auto& [given, name] : {std::pair{plot.norm, "--norm"},
                                    {plot.change, "--change"},
                                    {call[logOption].has_value(), "--log"},
                                    {call[referenceOption].has_value(), "--error-from"}})
    if (given) throw UsageError(std::string(name) + " is for curves; --y draws surfaces");
  return plot;
}

int plotFiles(Context& context) {
  const Invocation& call = context.call;
  if (call.arguments.empty())
    throw UsageError("the file is missing: lmc plot RUN" + runtime::inputEndings("|", "|") +
                     "\n`lmc plot --help` tells more");
  TablePlot plot = plotOf(call);
  std::optional<PlotFile> to;
  if (call[fileOption]) to.emplace(*call[fileOption]);
  std::vector<NamedFile> inputs;
  for (const std::string& file : call.arguments) inputs.push_back({"a file that is plotted", file});
  if (call[referenceOption]) inputs.push_back({"the file of --error-from", *call[referenceOption]});
  if (to) protectFiles({{"the plot", to->path()}}, inputs);

  context.stage = "reading the files";
  std::vector<std::string> stems;
  for (const std::string& file : call.arguments) stems.push_back(std::filesystem::path(file).stem().string());
  std::sort(stems.begin(), stems.end());
  const bool alike = std::adjacent_find(stems.begin(), stems.end()) != stems.end();
  std::vector<NamedTable> tables;
  for (const std::string& file : call.arguments) tables.push_back(read(file, alike));
  std::optional<NamedTable> reference;
  if (call[referenceOption]) {
    reference = read(*call[referenceOption], false);
    plot.reference = &*reference;
  }
  context.stage = "drawing the plot";
  const Figure figure = figureOf(plot, tables);
  if (to) return to->write(figure) ? Done : RunFailed;
  if (figure.empty()) throw UsageError("there is nothing to plot: no row has numbers");
  printPlot(figure);
  return Done;
}

} // namespace

extern const Command plotCommand = {
    .name = "plot",
    .place = 1,
    .argument = "FILE...",
    .summary = "plots of files that runs have written, in a file or in the terminal",
    .examples = "lmc plot top.csv\n"
                "lmc plot top.csv --columns tip --columns energy -o top.pdf\n"
                "lmc plot coarse.csv middle.csv --error-from fine.csv -o errors.svg\n"
                "lmc plot top.csv --x \"tip[1]\" --columns \"tip[2]\"\n"
                "lmc plot grid.csv --x vary_a --y vary_b --columns energy -o surface.svg",
    .options = OptionList(columnsOption, xOption, yOption, logOption, normOption, changeOption, referenceOption,
                          titleOption, fileOption),
    .run = plotFiles,
};

} // namespace lmc::tool
