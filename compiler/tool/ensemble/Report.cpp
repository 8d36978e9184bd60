#include "tool/ensemble/Report.h"

#include "tool/runs/RunParts.h"
#include "tool/support/Report.h"
#include "tool/support/SharedOptions.h"

#include <cstdio>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace lmc::tool {

namespace {

/// Nanoseconds per step and sample.
double nanoseconds(const Told& t) {
  return t.result.steps > 0 ? 1e9 * t.result.seconds / static_cast<double>(t.result.steps) : 0;
}

std::string counted(std::int64_t n, const char* noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

/// What is known of the first sample that has failed beyond its status; or empty.
std::string firstCause(const runtime::EnsembleResult& r) {
  return r.causeOf == r.firstFailure ? r.cause : std::string();
}

void printText(const Told& t) {
  const runtime::Problem& p = t.problem.problem;
  const runtime::EnsembleResult& r = t.result;
  std::string text = fmt::format("{}, {}, {}\n", p.model, p.method, counted(t.problem.samples, "sample"));
  const auto line = [&](const char* name, const std::string& value) {
    text += fmt::format("  {:<14} {}\n", name, value);
  };
  if (!t.part.empty()) line("part", fmt::format("{}, {}", t.part, counted(t.samples, "sample")));
  line("time", fmt::format("{} .. {}", p.timeFrom, p.timeTo));
  if (r.interrupted) line("interrupted", fmt::format("{} finished", counted(r.samples, "sample")));
  line("failed", r.failed == 0 ? "none" : fmt::format("{} of {}", r.failed, r.samples));
  for (const auto& [status, count] : r.failures)
    line("", fmt::format("{}: {}", count, runtime::sampleStatusText(status)));
  if (const std::string first = firstCause(r); !first.empty())
    line("", fmt::format("sample {}: {}", r.firstFailure, first));
  if (r.stopped > 0) line("stopped", fmt::format("{} by an event", r.stopped));
  if (r.doubtful > 0)
    line("doubtful", fmt::format("{}: {}", r.doubtful, runtime::sampleStatusText(runtime::ImpulsesMissed)));
  line("steps", fmt::format("{}", r.steps) + (p.control ? fmt::format(", {} rejected", r.rejected) : ""));
  if (!t.output.empty()) line("output", t.output);
  line("threads",
       fmt::format("{}{}, {}", t.threads, t.ranks > 1 ? fmt::format(" in each of {} ranks", t.ranks) : "",
                   t.problem.lanes > 0 ? counted(t.problem.lanes, "lane") + " each" : "one sample at a time"));
  if (!t.device.empty() && t.device != "the processor") line("device", t.device);
  if (r.handedBack > 0)
    line("", fmt::format("{} made by the processor, which has functions that the device has not",
                         counted(r.handedBack, "sample")));
  line("compile", fmt::format("{:.3g} s ({} bytes of code{})", t.compileSeconds, p.code->codeBytes(),
                              p.code->fromCache() ? ", from the cache" : ""));
  line("run", fmt::format("{:.3g} s ({:.3g} ns a step and sample)", r.seconds, nanoseconds(t)));
  print(text);
}

void printJson(const Told& t, const std::string& diagnostics) {
  using nlohmann::ordered_json;
  const runtime::Problem& p = t.problem.problem;
  const runtime::EnsembleResult& r = t.result;
  ordered_json j;
  j["model"] = p.model;
  j["method"] = p.method;
  j["step"] = p.control ? ordered_json(nullptr) : ordered_json(p.step);
  j["samples"] = t.problem.samples;
  j["finished"] = r.samples;
  j["failed"] = r.failed;
  j["failures"] = ordered_json::object();
  for (const auto& [status, count] : r.failures) j["failures"][runtime::sampleStatusText(status)] = count;
  j["first_failure"] = r.firstFailure < 0 ? ordered_json(nullptr) : ordered_json(r.firstFailure);
  j["first_cause"] = firstCause(r).empty() ? ordered_json(nullptr) : ordered_json(firstCause(r));
  j["stopped_by_events"] = r.stopped;
  j["doubtful"] = r.doubtful;
  j["steps"] = r.steps;
  j["rejected"] = r.rejected;
  j["threads"] = t.threads;
  j["ranks"] = t.ranks;
  j["part"] = t.part.empty() ? ordered_json(nullptr) : ordered_json(t.part);
  j["lanes"] = t.problem.lanes;
  j["device"] = t.device.empty() ? ordered_json("the processor") : ordered_json(t.device);
  j["handed_back"] = r.handedBack;
  j["compile_seconds"] = t.compileSeconds;
  j["run_seconds"] = r.seconds;
  j["cpu_seconds"] = r.cpuSeconds;
  j["nanoseconds_per_step"] = nanoseconds(t);
  j["from_cache"] = p.code->fromCache();
  j["output"] = t.output.empty() ? ordered_json(nullptr) : ordered_json(t.output);
  j["interrupted"] = r.interrupted;
  j["diagnostics"] = ordered_json::parse(diagnostics);
  print(j.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n");
}

} // namespace

int tellEnsemble(const Context& context, products::Pipeline& pipeline, const Told& told, const std::string& goesOn) {
  if (context.call[options::json])
    printJson(told, toJson(pipeline.diagnostics(), pipeline.sources()));
  else if (!context.call[options::quiet])
    printText(told);
  if (context.call[options::timings]) printTimings(pipeline.timings());
  const runtime::EnsembleResult& r = told.result;
  if (r.doubtful > 0) {
    const CodeInfo& code = info(Code::LIE0539);
    warn(fmt::format("{}: in {} of {} samples (lmc explain {})", code.title, r.doubtful, r.samples, code.name));
  }
  if (r.interrupted && stopSignal() == 0) {
    complain(fmt::format("the ensemble was stopped: the limit of {} seconds is reached with {} of {} samples{}",
                         *context.call[options::maxSeconds], r.samples,
                         told.samples > 0 ? told.samples : told.problem.samples, goesOn.empty() ? "" : "; " + goesOn));
    return RunFailed;
  }
  if (r.interrupted) return Interrupted + stopSignal();
  if (r.samples > 0 && r.failed == r.samples) {
    const std::string cause = firstCause(r);
    complain(fmt::format("all samples failed; the first: {}{}", runtime::sampleStatusText(r.failures.front().first),
                         cause.empty() ? "" : "; " + cause));
    return RunFailed;
  }
  return Done;
}

} // namespace lmc::tool
