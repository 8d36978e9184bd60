#include "tool/shared/AheadFiles.h"

#include "products/exported/Exported.h"
#include "runtime/output/OutputFile.h"
#include "tool/runs/RunParts.h"
#include "tool/support/Arguments.h"
#include "tool/support/Report.h"
#include "tool/support/SharedOptions.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace lmc::tool {

namespace fs = std::filesystem;

AheadNames aheadNames(const Invocation& call, const std::vector<std::string>& endings) {
  AheadNames names;
  names.file = call[options::output] ? fs::path(*call[options::output])
                                     : fs::path(oneFile(call)).filename().replace_extension(endings[0]);
  if (names.file.filename().empty() || names.file.filename() == "." || names.file.filename() == "..")
    throw UsageError("--output wants the name of a file, not `" + names.file.string() + "`");
  if (!names.file.has_extension()) names.file += endings[0];
  if (std::find(endings.begin(), endings.end(), names.file.extension().string()) == endings.end())
    throw UsageError(fmt::format("`lmc {}` does not write `{}`; the file's name ends in {}", call.command,
                                 names.file.extension().string(), fmt::join(endings, ", ")));
  names.header = fs::path(names.file).replace_extension(".h");
  names.prefix = call[options::prefix] ? *call[options::prefix] : names.file.stem().string();
  if (!unit::isIdentifier(names.prefix))
    throw UsageError(fmt::format("`{}` cannot begin names in C: it is no identifier, or has a meaning there; {}",
                                 names.prefix,
                                 call[options::prefix] ? "choose another --prefix" : "give one with --prefix NAME"));
  return names;
}

namespace {

void protectAhead(const Invocation& call, const AheadNames& names, const std::vector<std::string>& files) {
  std::vector<NamedFile> read{{"the model", oneFile(call)}};
  for (const std::string& f : files) read.push_back({"a file that the model is made from", f});
  protectFiles({{"`lmc " + call.command + "`", names.file}, {"the header", names.header}}, read);
}

} // namespace

std::optional<unit::Exported> aheadUnit(const Invocation& call, const AheadNames& names, int& status,
                                        const MakeOfUnit& make) {
  products::PipelineOptions options = pipelineOptions(call);
  options.presentZeros = call[options::specialize];
  products::Pipeline pipeline(options);
  std::optional<unit::Exported> unit;
  protectAhead(call, names, {});
  if (pipeline.load(oneFile(call))) unit = products::exportedUnit(pipeline, names.prefix);
  if (unit) unit->file = fs::path(oneFile(call)).filename().string();
  if (unit && make && !make(pipeline, *unit)) unit.reset();
  status = Done;
  if (!unit || pipeline.diagnostics().hasErrors()) {
    status = refuseInput(call, pipeline.diagnostics(), pipeline.sources());
    return std::nullopt;
  }
  protectAhead(call, names, filesReadBy(pipeline));
  printDiagnostics(call, pipeline.diagnostics(), pipeline.sources());
  return unit;
}

void writeFile(const fs::path& file, const std::string& content) {
  runtime::writeWhole(file, content, false);
}

void tellFiles(const Invocation& call, const std::vector<fs::path>& files) {
  if (!call[options::json]) return;
  nlohmann::json list = nlohmann::json::array();
  for (const fs::path& f : files) list.push_back(f.string());
  print(nlohmann::json{{"files", list}}.dump() + "\n");
}

} // namespace lmc::tool
