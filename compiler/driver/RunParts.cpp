#include "driver/RunParts.h"

#include <algorithm>

namespace lmc::tool {

namespace {

volatile std::sig_atomic_t stopped = 0;

void onStop(int signal) {
  stopped = signal;
}

} // namespace

int stopSignal() {
  return static_cast<int>(stopped);
}

StopOnSignal::StopOnSignal() {
  struct sigaction action = {};
  action.sa_handler = onStop;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &action, &before_[i]);
}

StopOnSignal::~StopOnSignal() {
  for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &before_[i], nullptr);
}

void checkOutputFormat(const Invocation& call) {
  if (call.output && outputFormat(*call.output) == OutputFormat::Unknown)
    throw UsageError("the format of '" + *call.output + "' is not known; the file's name ends in .csv, .npz or .h5");
}

RunDescription description(const Sources& sources, const Problem& problem) {
  RunDescription about;
  about.model = problem.model;
  about.method = problem.method;
  about.version = LMC_VERSION;
  for (SourceId id = 0; id < sources.size(); ++id) {
    if (sources[id].name().ends_with(".lie")) about.sources.emplace_back(sources[id].name(), sources[id].text());
  }
  about.parameters = problem.parameters;
  about.timeFrom = problem.timeFrom;
  about.timeTo = problem.timeTo;
  about.step = problem.step;
  about.seed = problem.seed;
  if (problem.control) { // one number where one tolerance holds for all
    const std::vector<double>& t = problem.control->tolerances;
    if (!t.empty() && std::all_of(t.begin(), t.end(), [&](double x) { return x == t[0]; })) about.tolerance = t[0];
  }
  return about;
}

} // namespace lmc::tool
