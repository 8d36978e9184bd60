#include "tool/view/DataRun.h"

#include "runtime/run/Sampler.h"
#include "tool/support/Option.h"

#include <cmath>
#include <filesystem>
#include <fmt/format.h>

namespace lmc::tool {

namespace {

/// The file of a run keeps the texts that it was made from.
void checkSources(const products::Pipeline& pipeline, const runtime::InputTable& table, const std::string& name) {
  for (const auto& [file, text] : table.sources) {
    const std::filesystem::path own = std::filesystem::path(file).filename();
    bool found = false, same = false;
    for (SourceId id = 0; id < pipeline.sources().size(); ++id) {
      const Source& source = pipeline.sources()[id];
      if (std::filesystem::path(source.name()).filename() != own) continue;
      found = true;
      same = same || source.text() == text;
    }
    if (found && same) continue;
    throw UsageError(fmt::format("`{}` is of another model: it was made from {} of `{}`", name,
                                 found ? "another text" : "a file by the name", own.string()));
  }
}

/// Where the numbers of a file go.
struct Places {
  const runtime::InputColumn* time = nullptr;
  std::vector<std::pair<const runtime::InputColumn*, std::size_t>> states;     ///< with their places in the state
  std::vector<std::pair<const runtime::InputColumn*, const double*>> observed; ///< that are compared
};

Places placesOf(const runtime::Problem& problem, const runtime::Workspace& workspace, const runtime::InputTable& table,
                const std::string& name) {
  Places p;
  p.time = table.find("t");
  if (p.time == nullptr) throw UsageError("`" + name + "` has no column `t`");
  for (const runtime::Column& c : problem.columns()) {
    const runtime::InputColumn* const column = table.find(c.entry.name());
    if (c.role == runtime::Role::State) {
      if (column == nullptr)
        throw UsageError(fmt::format("`{}` is of another model: it has no column `{}`", name, c.entry.name()));
      p.states.emplace_back(column, static_cast<std::size_t>(c.offset));
    } else if (column != nullptr) {
      p.observed.emplace_back(column, workspace.place(c));
    }
  }
  return p;
}

} // namespace

runtime::RunResult replay(const products::Pipeline& pipeline, const runtime::Problem& problem,
                          const runtime::InputTable& table, const std::string& name, runtime::Sink& sink) {
  checkSources(pipeline, table, name);
  runtime::Workspace workspace(problem);
  runtime::RunResult result;
  if (const std::int32_t status = workspace.start(); status != runtime::Ok) {
    result.failure = {problem.timeFrom, status, runtime::statusText(status)};
    return result;
  }
  const Places places = placesOf(problem, workspace, table, name);
  runtime::Sampler sampler(problem, workspace, &sink);
  sampler.begin();
  constexpr double tolerance = 1e-6;
  constexpr std::size_t mostJumps = 1000;
  for (std::size_t r = 0; r < table.rows(); ++r) {
    const double t = places.time->values[r];
    for (const auto& [column, at] : places.states) workspace.state()[at] = column->values[r];
    const std::int32_t status = workspace.finite() ? sampler.sample(t) : runtime::NonFinite;
    if (status != runtime::Ok) {
      result.failure = {r > 0 ? result.time : t, status, runtime::statusText(status)};
      break;
    }
    // Two samples of one time are before and behind a jump; the file does not say of which event.
    if (r > 0 && t == result.time && problem.jumps() && result.events.size() < mostJumps)
      result.events.push_back({"", t});
    result.time = t;
    for (const auto& [column, value] : places.observed) {
      const double there = column->values[r], size = std::max(1.0, std::abs(there));
      if (std::isfinite(there) && std::isfinite(*value) && std::abs(there - *value) > tolerance * size)
        throw UsageError(fmt::format("`{}` does not fit the model: at t = {} its {} is {}, the states give {}; was it "
                                     "made with other parameters? give the same --set",
                                     name, t, column->entry.name(), there, *value));
    }
  }
  sink.finish();
  result.samples = sampler.samples();
  result.energyError = sampler.energyError();
  result.defects = sampler.defects();
  result.undefined = sampler.undefined();
  return result;
}

} // namespace lmc::tool
