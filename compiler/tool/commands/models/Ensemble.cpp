// `lmc ensemble`: many trajectories of one model, in one process, in a part of several, or in ranks.
#include "tool/support/Command.h"

#include "base/Cores.h"
#include "runtime/device/Device.h"
#include "runtime/ensemble/Checkpoint.h"
#include "runtime/ensemble/Output.h"
#include "runtime/parts/PartFile.h"
#include "runtime/ranks/RankRun.h"
#include "tool/ensemble/Bar.h"
#include "tool/ensemble/DeviceChoice.h"
#include "tool/ensemble/Launch.h"
#include "tool/ensemble/Report.h"
#include "tool/plot/Drawing.h"
#include "tool/plot/EnsemblePlot.h"
#include "tool/runs/RunChecks.h"
#include "tool/support/Arguments.h"

namespace lmc::tool {

namespace {

std::int64_t readLanes(const std::string& option, const std::string& text) {
  const std::int64_t lanes = readCount(option, text, 32);
  if ((lanes & (lanes - 1)) != 0) throw UsageError(option + " wants a power of two, not `" + text + "`");
  return lanes;
}

constexpr Option<std::int64_t> samplesOption("--samples", "N", "how many trajectories", readCountTo<1'000'000'000'000>);
constexpr List<>
    varyOption("--vary", "NAME~DISTRIBUTION",
               "what differs between them: normal(...), uniform(...), linspace(...), grid(...), read(FILE)");
constexpr Option<>
    keepOption("--keep", "final|statistics|all|begin",
               "what is written: the ends, mean and extremes at the sample times, whole trajectories, or "
               "the begins, without a run",
               {.completion = Completion::Words, .standard = "final"});
constexpr Option<std::int64_t> threadsOption("--threads", "N", "threads", readCountTo<4096>,
                                             {.standard = "one per core"});
constexpr Option<std::int64_t>
    lanesOption("--lanes", "1|2|4|8|16|32", "trajectories that a thread makes at once", readLanes,
                {.completion = Completion::Words, .standard = "as the vectors of the machine have"});
constexpr Option<> deviceOption("--device", "cpu|gpu|auto",
                                "who makes the samples: the processor, a graphics processor, or what is faster",
                                {.completion = Completion::Words, .standard = "cpu"});
constexpr Option<std::int64_t> blockOption("--block", "N", "samples that are handed out at once", readCountTo<65536>,
                                           {.standard = "64 to 1024, by their number"});
constexpr Option<>
    partOption("--part", "k/n|auto|auto/n",
               "makes the k-th of n parts, for lmc merge; auto: the task of a scheduler's array says it");
constexpr Flag mpiOption("--mpi", "shares the samples among the processes that mpirun has started");
constexpr Option<> ensembleOutput =
    options::output.as("FILE", "where the results go", {.completion = Completion::Output});
constexpr Option<> ensembleCheckpoint =
    options::checkpoint.as("FILE", "where finished samples are kept for --resume", {.completion = Completion::File});
constexpr Option<> ensembleResume =
    options::resume.as("FILE", "takes the finished samples of a checkpoint", {.completion = Completion::File});
constexpr Option<> ensembleEvery =
    options::every.as("DT", "time between two rows", {.standard = "a hundredth of the run"});

constexpr const char* beginWord = "begin"; ///< all rows, of which the first is left

runtime::EnsembleKeep keepOf(const Invocation& call) {
  const std::string word = call.orStandard(keepOption);
  for (const auto& [name, kept] : {std::pair{"final", runtime::EnsembleKeep::Final},
                                   {"statistics", runtime::EnsembleKeep::Statistics},
                                   {"all", runtime::EnsembleKeep::All},
                                   {beginWord, runtime::EnsembleKeep::All}})
    if (word == name) return kept;
  throw UsageError("--keep is final, statistics, all or begin, not `" + word + "`");
}

StudyRequest requestOf(const Invocation& call) {
  return {{call[varyOption], call[samplesOption], static_cast<int>(call[lanesOption].value_or(0))},
          keepOf(call),
          call[blockOption].value_or(0),
          call.orStandard(keepOption) == beginWord};
}

int refuse(const Context& context, Study& study) {
  return refuseInput(context.call, study.pipeline.diagnostics(), study.pipeline.sources());
}

/// Warnings, before it begins.
void tellWarnings(const Context& context, Study& study) {
  if (!context.call[options::json])
    printDiagnostics(context.call, study.pipeline.diagnostics(), study.pipeline.sources());
}

/// Files of finished blocks: those to take, and where new ones are kept.
class Blocks {
public:
  Blocks(const Invocation& call, const Study& study, std::optional<runtime::BlockReader> taken)
      : known_(std::move(taken)) {
    if (call[options::checkpoint])
      file_ = std::make_unique<runtime::EnsembleCheckpointFile>(*call[options::checkpoint], study.identity,
                                                                known_ ? &*known_ : nullptr);
  }
  void listen(runtime::EnsembleListeners& listeners) {
    if (known_)
      listeners.known = [this](std::int64_t index, runtime::EnsembleBlock& block) {
        if (!known_->has(index)) return false;
        block = known_->block(index);
        return true;
      };
    if (file_) listeners.finished = [this](const runtime::EnsembleBlock& block) { file_->add(block); };
  }

private:
  std::optional<runtime::BlockReader> known_;
  std::unique_ptr<runtime::EnsembleCheckpointFile> file_;
};

/// Whether the output can be as large as it must be; reported where it cannot. With a limit of seconds it is as large
/// as it gets by then.
bool placeIsGood(Study& study, const Invocation& call) {
  if (!call[options::output] || call[options::maxSeconds]) return true;
  refuseHopelessOutput(*call[options::output], study.shape.tableRows(), study.shape.tableColumns());
  checkLargest(study.pipeline, *call[options::output],
               leastBytes(*call[options::output], study.shape.tableRows(), study.shape.tableColumns()));
  return !study.pipeline.diagnostics().hasErrors();
}

/// Reads the checkpoint to resume, if there is one; false when it belongs to another ensemble (reported).
bool blocksToTake(Study& study, const Invocation& call, std::optional<runtime::BlockReader>& taken) {
  if (!call[options::resume]) return true;
  requireReadable(*call[options::resume]);
  try {
    taken.emplace(runtime::readEnsembleCheckpoint(*call[options::resume]));
  } catch (const runtime::CheckpointError& error) {
    throw UsageError(error.what());
  }
  const std::string why = runtime::ensembleMisfit(taken->line(), study.identity);
  if (why.empty()) return true;
  commandLineError(study.pipeline, Code::LIE0616, "--resume " + *call[options::resume],
                   "the checkpoint is of another ensemble: " + why);
  return false;
}

/// Who makes the samples; empty: nobody can, and it is reported.
std::string makerOf(Study& study, const Invocation& call, int threads) {
  return chooseDevice(study, deviceWish(call.orStandard(deviceOption)), threads);
}

/// A device has failed while it made samples.
int deviceFailed(const runtime::DeviceError& error) {
  complain(std::string(error.what()) + "; --device cpu makes the same file, in lanes of the processor");
  return RunFailed;
}

/// How all samples are made, by this process alone or with others.
using Make = std::function<runtime::EnsembleResult(const runtime::EnsembleListeners&)>;

/// A compiled study from its first block to its last one; the summary says who makes it.
struct Makers {
  int threads = 1, ranks = 1;
  std::string device;
};
int runWhole(Context& context, Study& study, std::optional<runtime::BlockReader> taken, const Make& make,
             const Makers& makers) {
  const Invocation& call = context.call;
  const std::optional<PlotFile> plot = PlotFile::of(call);
  runtime::EnsembleResult result;
  protectFiles(call, filesReadBy(study.pipeline));
  if (call[options::output])
    warn(largeOutput(*call[options::output], study.shape.tableRows(), study.shape.tableColumns()));
  try {
    std::unique_ptr<runtime::Sink> sink;
    if (call[options::output]) sink = runtime::openOutput(*call[options::output], &study.about);
    Blocks blocks(call, study, std::move(taken));
    std::unique_ptr<runtime::EnsembleTable> table;
    if (sink) table = std::make_unique<runtime::EnsembleTable>(study.shape, *sink);
    EnsembleBar bar(call, study.problem->samples);
    runtime::EnsembleListeners listeners;
    listeners.sink = table.get();
    std::optional<EnsemblePlot> curves;
    if (plot) listeners.sink = &curves.emplace(*study.problem, study.plan, table.get());
    listeners.progress = [&](double part) { return bar.reached(part); };
    blocks.listen(listeners);
    result = make(listeners);
    if (table) table->finish();
    if (plot && !plot->write(curves->figure())) return RunFailed;
  } catch (const runtime::OutputError& error) {
    if (error.fault() == runtime::OutputFault::Place) throw;
    complain(error.what());
    return RunFailed;
  } catch (const runtime::CheckpointError& error) {
    complain(error.what());
    return RunFailed;
  } catch (const runtime::DeviceError& error) {
    return deviceFailed(error);
  }
  const auto& checkpoint = call[options::checkpoint];
  return tellEnsemble(context, study.pipeline,
                      {*study.problem,
                       result,
                       makers.threads,
                       call[options::output].value_or(""),
                       study.compileSeconds,
                       makers.ranks,
                       {},
                       0,
                       makers.device},
                      checkpoint ? "--resume " + *checkpoint + " goes on from there" : std::string());
}

int runAlone(Context& context, Study& study) {
  const Invocation& call = context.call;
  const StudyRequest request = requestOf(call);
  compileStudy(study, context, request);
  std::optional<runtime::BlockReader> taken;
  if (study.problem == nullptr || !placeIsGood(study, call) || !blocksToTake(study, call, taken))
    return refuse(context, study);
  const int threads = call[threadsOption] ? static_cast<int>(*call[threadsOption]) : usableCores();
  const std::string device = makerOf(study, call, threads);
  if (device.empty()) return refuse(context, study);
  tellWarnings(context, study);
  const StopOnSignal guard; // from here on there is something to lose
  return runWhole(
      context, study, std::move(taken),
      [&](const auto& listeners) { return runtime::runEnsemble(*study.problem, study.plan, threads, listeners); },
      {threads, 1, device});
}

// --- parts

/// Which part; nothing, and it is reported, where that is wrong.
std::optional<runtime::PartNumber> partOf(Study& study, const Invocation& call) {
  const std::string& typed = *call[partOption];
  const auto wrong = [&](const std::string& what, const std::string& cure) {
    commandLineError(study.pipeline, Code::LIE0680, "--part " + typed, what).suggest(cure);
    return std::nullopt;
  };
  if (call[mpiOption]) return wrong("--part and --mpi are two ways to share an ensemble", "give one of them");
  if (call[options::checkpoint] || call[options::resume])
    return wrong("a part needs no --checkpoint and no --resume: it keeps every finished block",
                 "the same command again goes on with the part");
  if (call[options::plot])
    return wrong("--plot is not drawn from a part", "merge the parts, and plot the file that results: lmc plot");
  if (!call[options::output] || !call[options::output]->ends_with(runtime::partEnding))
    return wrong(fmt::format("a part goes to a file NAME{}, of which lmc merge makes {} files", runtime::partEnding,
                             runtime::outputEndings(", ", " and ")),
                 fmt::format("--output NAME{}, with another NAME for each part", runtime::partEnding));
  try {
    return runtime::readPartNumber(typed, environmentVariable);
  } catch (const runtime::PartError& error) {
    return wrong(error.what(), error.cure());
  }
}

/// Makes a part in its file, whose place is good.
int makePart(Context& context, Study& study, const runtime::PartHeader& header, int threads,
             const std::string& device) {
  const Invocation& call = context.call;
  const std::string& file = *call[options::output];
  const StopOnSignal guard;
  try {
    runtime::PartWriter part(file, header);
    if (!part.locked())
      commandLineWarning(study.pipeline, Code::LIE0683, "--output " + file,
                         "the place of `" + file + "` has no locks: two processes that make this part would spoil it");
    tellWarnings(context, study);
    EnsembleBar bar(call, part.samples());
    const auto done = [&](double made) {
      return (made + static_cast<double>(part.known())) /
             static_cast<double>(std::max<std::int64_t>(part.samples(), 1));
    };
    runtime::EnsembleResult run = runtime::runBlocks(*study.problem, study.plan, threads, part,
                                                     {.look = [&](double made) { return bar.reached(done(made)); }});
    part.finish();
    runtime::EnsembleResult result = part.counted();
    result.seconds = run.seconds;
    result.cpuSeconds = run.cpuSeconds;
    result.handedBack = run.handedBack;
    result.interrupted = run.interrupted && !part.complete();
    return tellEnsemble(context, study.pipeline,
                        {*study.problem, result, threads, file, study.compileSeconds, 1,
                         fmt::format("{} of {}", header.part.number, header.part.count), part.samples(), device},
                        "the same command again goes on from there");
  } catch (const runtime::OtherPart& error) {
    commandLineError(study.pipeline, Code::LIE0681, "--output " + file, error.what())
        .suggest("give the part another file, or remove that one if it is not needed");
    return refuse(context, study);
  } catch (const runtime::CheckpointError& error) {
    complain(error.what());
    return RunFailed;
  } catch (const runtime::DeviceError& error) {
    return deviceFailed(error);
  }
}

int runPart(Context& context, Study& study) {
  const Invocation& call = context.call;
  const StudyRequest request = requestOf(call);
  const auto number = partOf(study, call);
  if (!number) return refuse(context, study);
  compileStudy(study, context, request);
  if (study.problem == nullptr) return refuse(context, study);
  const std::int64_t blocks = number->blocks(study.shape.blocks());
  checkPlace(study.pipeline, *call[options::output], static_cast<double>(blocks) * study.shape.blockBytes(),
             call[partOption]->starts_with("auto"));
  if (study.pipeline.diagnostics().hasErrors()) return refuse(context, study);
  if (blocks == 0)
    commandLineWarning(study.pipeline, Code::LIE0680, "--part " + *call[partOption],
                       fmt::format("part {} of {} has no samples: there are {} blocks of {} samples", number->number,
                                   number->count, study.shape.blocks(), study.shape.block))
        .suggest("fewer parts, or smaller blocks (--block)");
  protectFiles(call, filesReadBy(study.pipeline));
  const int threads = call[threadsOption] ? static_cast<int>(*call[threadsOption]) : usableCores();
  const std::string device = makerOf(study, call, threads);
  if (device.empty()) return refuse(context, study);
  return makePart(context, study, runtime::partHeader(*number, study.identity, study.shape, study.about), threads,
                  device);
}

// --- ranks

/// Rank 0: what is wrong is told here, once.
int runLeader(Context& context, Study& study, runtime::Ranks& ranks) {
  const Invocation& call = context.call;
  bool met = false; // the others wait until they are met, or dismissed
  int status = RunFailed;
  try {
    compileStudy(study, context, requestOf(call));
    std::optional<runtime::BlockReader> taken;
    if (study.problem == nullptr || !placeIsGood(study, call) || !blocksToTake(study, call, taken)) {
      runtime::dismissRanks(ranks);
      return refuse(context, study);
    }
    tellWarnings(context, study);
    const int threads = call[threadsOption] ? static_cast<int>(*call[threadsOption]) : usableCores(ranks.neighbours());
    const StopOnSignal guard;
    status =
        runWhole(context, study, std::move(taken),
                 [&](const auto& listeners) {
                   met = true;
                   return runtime::leadRanks(ranks, *study.problem, study.plan, threads, study.identity, listeners);
                 },
                 {threads, ranks.size(), {}});
    if (!met) runtime::dismissRanks(ranks);
    return status;
  } catch (const runtime::RankFailure& error) {
    commandLineError(study.pipeline, Code::LIE0682, "--mpi", error.what())
        .suggest("start the same lmc with the same files on machines of one kind");
    return refuse(context, study);
  } catch (...) {
    if (!met) runtime::dismissRanks(ranks);
    throw;
  }
}

/// Any other rank is silent: what is wrong with it, rank 0 tells, with the exit status of the whole.
int runFollower(Context& context, Study& study, runtime::Ranks& ranks) {
  const Invocation& call = context.call;
  bool met = false;
  try {
    compileStudy(study, context, requestOf(call));
    if (study.problem == nullptr) {
      runtime::failRank(ranks, renderAll(study.pipeline.diagnostics(), study.pipeline.sources(), false));
      return Done;
    }
    const int threads = call[threadsOption] ? static_cast<int>(*call[threadsOption]) : usableCores(ranks.neighbours());
    const StopOnSignal guard;
    met = true;
    runtime::followRanks(ranks, *study.problem, study.plan, threads, study.identity, [] { return stopSignal() == 0; });
    return Done;
  } catch (const std::exception& error) {
    if (met) throw;
    runtime::failRank(ranks, error.what());
    return Done;
  }
}

int runRanks(Context& context, Study& study) {
  const auto refused = [&](const std::string& what, const std::string& cure) {
    commandLineError(study.pipeline, Code::LIE0682, "--mpi", what).suggest(cure);
    return refuse(context, study);
  };
  const std::optional<Launch> launch = launchOf(environmentVariable);
  if (!launch) {
    commandLineWarning(study.pipeline, Code::LIE0682, "--mpi",
                       "no launcher has started this process: it makes the whole ensemble alone")
        .suggest("mpirun -n 8 lmc ensemble …");
    return runAlone(context, study);
  }
  std::unique_ptr<runtime::Ranks> ranks;
  try {
    ranks = runtime::openRanks();
  } catch (const runtime::RanksError& error) {
    if (launch->rank != 0) return InputWrong;
    return refused(error.what(), "install the package lmc-mpi, or build lmc where libopenmpi-dev is installed");
  }
  int status = Done;
  try {
    if (ranks->size() == 1 && launch->size > 1) {
      if (launch->rank == 0)
        status = refused(fmt::format("{} has started {} processes, which MPI does not see as one job: each would make "
                                     "the whole ensemble",
                                     launch->launcher, launch->size),
                         "start them with mpirun, or srun --mpi=pmix");
      else
        status = InputWrong;
    } else {
      status = ranks->rank() == 0 ? runLeader(context, study, *ranks) : runFollower(context, study, *ranks);
    }
  } catch (...) {
    flushOutput();
    ranks->finish();
    throw;
  }
  flushOutput();
  ranks->finish();
  return status;
}

int runEnsembles(Context& context) {
  const Invocation& call = context.call;
  Study study(pipelineOptions(call));
  if (call[partOption]) {
    (void)oneFile(call);
    return runPart(context, study);
  }
  const bool ranks = call[mpiOption];
  if (ranks && deviceWish(call.orStandard(deviceOption)) != DeviceWish::Processor) {
    commandLineError(study.pipeline, Code::LIE0687, "--mpi --device " + *call[deviceOption],
                     "ranks are handed a few blocks at a time, which do not fill a device")
        .suggest("--part k/n with --device: a part for each device, then lmc merge");
    return refuse(context, study);
  }
  if (const auto launch = launchOf(environmentVariable); launch && launch->size > 1 && !ranks) {
    if (launch->rank != 0) return InputWrong;
    commandLineError(study.pipeline, Code::LIE0682, "lmc ensemble",
                     fmt::format("{} has started {} processes, and each would make the whole ensemble",
                                 launch->launcher, launch->size))
        .suggest("lmc ensemble --mpi shares it among them");
    return refuse(context, study);
  }
  checkOutputFormat(call);
  (void)PlotFile::of(call);
  protectFiles(call);
  return ranks ? runRanks(context, study) : runAlone(context, study);
}

} // namespace

extern const Command ensembleCommand = {
    .name = "ensemble",
    .place = 14,
    .argument = "FILE",
    .summary = "many trajectories at once, with varied parameters and initial values: one per SIMD lane, in threads, "
               "on many machines",
    .examples = "lmc ensemble top.lie --samples 10000 --vary \"m ~ normal(15, 0.5)\" --keep statistics --output e.csv\n"
                "lmc ensemble top.lie --samples 10000 --vary \"m ~ normal(15, 0.5)\" --part 1/2 --output e1.lmcpart",
    .usesCache = true,
    .options = OptionList(options::model, options::simulation, samplesOption, varyOption, keepOption, threadsOption,
                          lanesOption, deviceOption, blockOption, partOption, mpiOption, ensembleOutput, options::plot,
                          ensembleCheckpoint, ensembleResume, ensembleEvery, options::quiet, options::progress,
                          options::maxSeconds, options::compile, options::json),
    .run = runEnsembles,
};

} // namespace lmc::tool
