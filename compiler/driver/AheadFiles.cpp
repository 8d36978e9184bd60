#include "driver/AheadFiles.h"

#include "driver/Options.h"
#include "driver/Report.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>

namespace lmc::tool {

namespace fs = std::filesystem;

AheadNames aheadNames(const Invocation& call, const std::vector<std::string>& endings) {
  AheadNames names;
  names.file = call.output ? fs::path(*call.output) : fs::path(oneFile(call)).filename().replace_extension(endings[0]);
  if (names.file.filename().empty() || names.file.filename() == "." || names.file.filename() == "..")
    throw UsageError("--output wants the name of a file, not '" + names.file.string() + "'");
  if (!names.file.has_extension()) names.file += endings[0];
  if (std::find(endings.begin(), endings.end(), names.file.extension().string()) == endings.end())
    throw UsageError(fmt::format("'lmc {}' does not write '{}'; the file's name ends in {}", call.command,
                                 names.file.extension().string(), fmt::join(endings, ", ")));
  names.header = fs::path(names.file).replace_extension(".h");
  names.prefix = call.prefix ? *call.prefix : names.file.stem().string();
  if (!ahead::isIdentifier(names.prefix))
    throw UsageError(fmt::format("'{}' cannot begin names in C: it is no identifier, or has a meaning there; {}",
                                 names.prefix,
                                 call.prefix ? "choose another --prefix" : "give one with --prefix NAME"));
  return names;
}

std::optional<ahead::Unit> aheadUnit(const Invocation& call, const std::string& prefix, int& status) {
  PipelineOptions options = pipelineOptions(call);
  options.presentZeros = call.specialize;
  Pipeline pipeline(options);
  std::optional<ahead::Unit> unit;
  if (pipeline.load(oneFile(call))) unit = pipeline.ahead(prefix);
  status = Done;
  if (!unit || pipeline.diagnostics().hasErrors()) {
    status = refuseInput(call, pipeline.diagnostics(), pipeline.sources());
    return std::nullopt;
  }
  printDiagnostics(call, pipeline.diagnostics(), pipeline.sources());
  unit->file = fs::path(oneFile(call)).filename().string();
  return unit;
}

void writeFile(const fs::path& file, const std::string& content) {
  errno = 0;
  std::ofstream out(file, std::ios::binary);
  out << content;
  out.close();
  if (!out) throw UsageError("cannot write '" + file.string() + "': " + std::strerror(errno != 0 ? errno : EIO));
}

void tellFiles(const Invocation& call, const std::vector<fs::path>& files) {
  if (!call.json) return;
  nlohmann::json list = nlohmann::json::array();
  for (const fs::path& f : files) list.push_back(f.string());
  print(nlohmann::json{{"files", list}}.dump() + "\n");
}

} // namespace lmc::tool
