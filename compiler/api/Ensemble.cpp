// Many trajectories of one model.
#include "api/Compile.h"

#include "base/Cores.h"
#include "base/Memory.h"
#include "products/ensembles/Ensemble.h"
#include "runtime/ensemble/Ensemble.h"
#include "runtime/ensemble/Output.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>

namespace lmc::v1 {

namespace {

/// Keeps the table in memory.
class KeptTable final : public runtime::Sink {
public:
  explicit KeptTable(Ensemble& out) : out_(out) {}
  void begin(const std::vector<runtime::Entry>& columns) override {
    out_.columns.assign(1, "t");
    for (const runtime::Entry& column : columns) out_.columns.push_back(column.name());
  }
  void sample(double t, std::span<const double> values) override {
    out_.numbers.push_back(t);
    out_.numbers.insert(out_.numbers.end(), values.begin(), values.end());
  }
  void finish() override {}

private:
  Ensemble& out_;
};

void checkEnsemble(const EnsembleSettings& s) {
  const auto require = [](bool condition, const char* message) {
    if (!condition) throw Error(Error::Kind::Misuse, message);
  };
  constexpr int mostThreads = 4096, mostLanes = 32;
  require(s.samples >= 0, "the number of samples of an ensemble is positive, or 0");
  require(s.keep == Keep::Final || s.keep == Keep::Statistics || s.keep == Keep::All,
          "an ensemble keeps the ends, statistics, or all");
  require(s.every >= 0 && std::isfinite(s.every), "the time between rows of an ensemble is a positive number, or 0");
  require(s.threads >= 0 && s.threads <= mostThreads, "an ensemble has 1 to 4096 threads, or 0: one per core");
  require(s.lanes >= 0 && s.lanes <= mostLanes && (s.lanes & (s.lanes - 1)) == 0,
          "the lanes of an ensemble are a power of two up to 32, or 0");
  require(s.maxSeconds >= 0, "the seconds of an ensemble are a positive number, or 0");
}

runtime::EnsembleKeep keepOf(Keep keep) {
  return keep == Keep::Final ? runtime::EnsembleKeep::Final
         : keep == Keep::All ? runtime::EnsembleKeep::All
                             : runtime::EnsembleKeep::Statistics;
}

void runSamples(runtime::EnsembleProblem& problem, const EnsembleSettings& s, Ensemble& out) {
  if (s.every > 0) {
    problem.problem.outputEvery = s.every;
    problem.problem.outputSteps = 0;
  }
  if (const std::string fault = settingsFault(problem.problem); !fault.empty()) throw Error(Error::Kind::Misuse, fault);
  if (runtime::leastBlockBytes(problem.problem, keepOf(s.keep), problem.samples) > usableMemory())
    throw Error(Error::Kind::Misuse, "the rows of a block of samples take more memory than there is: a larger time "
                                     "between them makes fewer");
  const runtime::EnsemblePlan plan = runtime::planEnsemble(problem.problem, keepOf(s.keep), problem.samples);
  const runtime::EnsembleShape shape = runtime::shapeOf(problem, plan);
  constexpr double number = sizeof(double);
  if (s.maxSeconds == 0 && shape.tableRows() * static_cast<double>(shape.tableColumns()) * number > usableMemory())
    throw Error(Error::Kind::Misuse,
                fmt::format("{:.3g} rows of {} numbers take more memory than there is: fewer samples, a larger time "
                            "between rows, or statistics alone",
                            shape.tableRows(), shape.tableColumns()));
  KeptTable kept(out);
  runtime::EnsembleTable table(shape, kept);
  runtime::EnsembleListeners listeners;
  listeners.sink = &table;
  const auto begin = std::chrono::steady_clock::now();
  listeners.progress = [&](double part) {
    const double passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (s.maxSeconds > 0 && passed > s.maxSeconds) return false;
    try {
      return !s.progress || s.progress(part);
    } catch (...) {
      throw Passing{std::current_exception()};
    }
  };
  const int threads = s.threads > 0 ? s.threads : usableCores();
  const runtime::EnsembleResult r = runtime::runEnsemble(problem, plan, threads, listeners);
  table.finish();
  out.made = true;
  out.samples = r.samples;
  out.failed = r.failed;
  out.stopped = r.stopped;
  out.doubtful = r.doubtful;
  out.firstFailure = r.firstFailure;
  out.steps = r.steps;
  out.rejected = r.rejected;
  out.interrupted = r.interrupted;
  out.seconds = r.seconds;
}

Ensemble ensembleOf(const std::string& path, const std::vector<Source>& sources, const EnsembleSettings& s,
                    const Options& given) {
  checkEnsemble(s);
  Ensemble out;
  Options options = given;
  if (s.seed) options.seed = s.seed;
  withLoaded(path, sources, options, [&](products::Pipeline& pipeline, bool loaded) {
    products::EnsembleRequest request;
    request.vary = s.vary;
    if (s.samples > 0) request.samples = s.samples;
    request.lanes = s.lanes;
    const std::unique_ptr<runtime::EnsembleProblem> problem =
        loaded ? products::buildEnsemble(pipeline, request) : nullptr;
    out.compilation.diagnostics = detail::Access::diagnostics(pipeline.diagnostics(), pipeline.sources());
    out.compilation.plain = renderAll(pipeline.diagnostics(), pipeline.sources(), false);
    out.compilation.colored = renderAll(pipeline.diagnostics(), pipeline.sources(), true);
    if (problem) runSamples(*problem, s, out);
  });
  return out;
}

/// All texts that a model was compiled from, the main one first.
std::vector<Source> textsOf(const ModelData& shared) {
  std::vector<Source> texts;
  shared.withPipeline([&](products::Pipeline& pipeline) {
    const Sources& all = pipeline.sources();
    for (SourceId id = 0; id < all.size(); ++id) texts.push_back({all[id].name(), std::string(all[id].text())});
  });
  return texts;
}

} // namespace

Ensemble ensemble(const Model& model, const EnsembleSettings& settings) {
  return translated([&] {
    const ModelData& shared = *Access::shared(model);
    return ensembleOf({}, textsOf(shared), settings, shared.options);
  });
}

Ensemble ensembleFile(const std::string& path, const EnsembleSettings& settings, const Options& options) {
  return translated([&] { return ensembleOf(path, {}, settings, options); });
}

Ensemble ensembleSources(const std::vector<Source>& sources, const EnsembleSettings& settings, const Options& options) {
  return translated([&] {
    if (sources.empty()) throw Error(Error::Kind::Misuse, "there is no text to compile");
    return ensembleOf(sources.front().name, sources, settings, options);
  });
}

} // namespace lmc::v1
