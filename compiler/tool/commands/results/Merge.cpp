// `lmc merge PART…`: the parts of an ensemble as one file.
#include "tool/support/Command.h"

#include "runtime/parts/PartFile.h"
#include "tool/runs/RunParts.h"
#include "tool/support/Arguments.h"
#include "tool/support/Report.h"
#include "tool/support/SharedOptions.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace lmc::tool {

namespace {

constexpr Option<> mergedOutput = options::output.as("FILE", "where the whole goes; without it the parts are checked",
                                                     {.completion = Completion::Output});

/// Where in the command line a file stands.
Range placeOf(Sources& sources, const std::string& file) {
  return {sources.add("<command line>", file), 0, static_cast<std::uint32_t>(file.size())};
}

/// Reads all parts; those that are none are reported.
std::vector<runtime::PartFile> readParts(const Invocation& call, Sources& sources, Diagnostics& diagnostics) {
  std::vector<runtime::PartFile> parts;
  for (const std::string& file : call.arguments) {
    requireReadable(file);
    try {
      parts.push_back(runtime::readPart(file));
    } catch (const runtime::CheckpointError& error) {
      diagnostics.error(Code::LIE0681, placeOf(sources, file), error.what())
          .suggest("the command that was to make this part makes it, where the file is not another one");
    }
  }
  // By their numbers, so that nothing depends on the order in which they were given.
  std::sort(parts.begin(), parts.end(), [](const auto& x, const auto& y) {
    return std::pair(x.header.part.number, x.blocks.name()) < std::pair(y.header.part.number, y.blocks.name());
  });
  if (diagnostics.hasErrors() || parts.empty()) return parts;
  for (const runtime::PartFault& fault : runtime::faultsOf(parts))
    diagnostics.error(Code::LIE0681, placeOf(sources, fault.file), fault.message).suggest(fault.cure);
  return parts;
}

void tell(const Invocation& call, const std::vector<runtime::PartFile>& parts, const runtime::EnsembleResult& result) {
  const runtime::PartHeader& first = parts.front().header;
  if (call[options::json]) {
    nlohmann::ordered_json j;
    j["model"] = first.about.model;
    j["method"] = first.about.method;
    j["parts"] = first.part.count;
    j["samples"] = first.shape.samples;
    j["finished"] = result.samples;
    j["failed"] = result.failed;
    j["steps"] = result.steps;
    j["output"] = call[options::output] ? nlohmann::ordered_json(*call[options::output]) : nullptr;
    j["diagnostics"] = nlohmann::ordered_json::array();
    print(j.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
    return;
  }
  if (call[options::quiet]) return;
  std::string text = fmt::format("{}, {}, {} samples in {} parts\n", first.about.model, first.about.method,
                                 first.shape.samples, first.part.count);
  const auto line = [&](const char* name, const std::string& value) {
    text += fmt::format("  {:<14} {}\n", name, value);
  };
  if (call[options::output]) {
    line("failed", result.failed == 0 ? "none" : fmt::format("{} of {}", result.failed, result.samples));
    for (const auto& [status, count] : result.failures)
      line("", fmt::format("{}: {}", count, runtime::sampleStatusText(status)));
    line("steps", fmt::format("{}", result.steps));
    line("output", *call[options::output]);
  } else {
    line("parts", "all are there, and whole");
  }
  print(text);
}

int mergeFiles(Context& context) {
  const Invocation& call = context.call;
  if (call.arguments.empty())
    throw UsageError(fmt::format(
        "the parts are missing: lmc merge PART{} … --output FILE\n`lmc merge --help` tells more", runtime::partEnding));
  checkOutputFormat(call);
  std::vector<NamedFile> written, read;
  if (call[options::output]) written.push_back({"--output", *call[options::output]});
  for (const std::string& file : call.arguments) read.push_back({"a part", file});
  protectFiles(written, read);
  context.stage = "reading the parts";
  Sources sources;
  Diagnostics diagnostics;
  const std::vector<runtime::PartFile> parts = readParts(call, sources, diagnostics);
  if (diagnostics.hasErrors()) return refuseInput(call, diagnostics, sources);
  runtime::EnsembleResult result;
  if (call[options::output]) {
    context.stage = "merging the parts";
    const runtime::PartHeader& first = parts.front().header;
    refuseHopelessOutput(*call[options::output], first.shape.tableRows(), first.shape.tableColumns());
    warn(largeOutput(*call[options::output], first.shape.tableRows(), first.shape.tableColumns()));
    const StopOnSignal guard;
    try {
      const auto sink = runtime::openOutput(*call[options::output], &first.about);
      result = runtime::mergeParts(parts, *sink, [](double) { return stopSignal() == 0; });
    } catch (const runtime::CheckpointError& error) {
      complain(error.what());
      return RunFailed;
    }
    if (result.interrupted) return Interrupted + stopSignal();
  }
  tell(call, parts, result);
  return Done;
}

} // namespace

extern const Command mergeCommand = {
    .name = "merge",
    .place = 15,
    .argument = "PART...",
    .summary = "the parts of an ensemble (lmc ensemble --part) as one file, or whether all are there",
    .examples = "lmc merge part*.lmcpart --output all.h5\n"
                "lmc merge part*.lmcpart",
    .options = OptionList(mergedOutput, options::quiet, options::json),
    .run = mergeFiles,
};

} // namespace lmc::tool
