#include "tool/runs/RunCheckpoints.h"

#include "runtime/output/OutputFile.h"
#include "tool/runs/RunChecks.h"
#include "tool/support/Arguments.h"
#include "tool/support/Report.h"
#include "tool/support/SharedOptions.h"

#include <algorithm>
#include <chrono>

namespace lmc::tool {

namespace fs = std::filesystem;

namespace {

/// The file of `--checkpoint`, written every so often: not before nine times as long as it took the last time, with all
/// that is brought to the disk before it.
class CheckpointFile final : public runtime::CheckpointKeeper {
public:
  CheckpointFile(std::string file, double seconds, std::string outputs)
      : file_(std::move(file)), outputs_(std::move(outputs)), seconds_(seconds) {}
  bool due() override {
    constexpr double share = 9;
    const Clock::time_point now = Clock::now();
    if (std::chrono::duration<double>(now - end_).count() < std::max(seconds_, share * cost_)) return false;
    begin_ = now;
    return true;
  }
  void keep(const runtime::Checkpoint& checkpoint) override {
    runtime::Checkpoint whole = checkpoint;
    whole.outputs = outputs_;
    runtime::writeCheckpoint(file_, whole);
    end_ = Clock::now();
    cost_ = std::chrono::duration<double>(end_ - begin_).count();
  }

private:
  using Clock = std::chrono::steady_clock;
  std::string file_, outputs_;
  double seconds_, cost_ = 0;
  Clock::time_point begin_ = Clock::now(), end_ = begin_;
};

/// A line of its own in a list of files.
std::string lineOf(const std::string& file) {
  return runtime::followed(fs::absolute(file)).string() + "\n";
}

bool lists(const std::string& lines, const std::string& line) {
  return ("\n" + lines).find("\n" + line) != std::string::npos;
}

} // namespace

void setAside(const Invocation& call, const runtime::Checkpoint& resume) {
  for (const auto& output : {call[options::output], call[options::stepsOutput]}) {
    if (!output || !fs::exists(*output) || !lists(resume.outputs, lineOf(*output))) continue;
    const fs::path from = runtime::followed(*output);
    fs::path to;
    int number = 0;
    do to = fs::path(from).replace_extension("." + std::to_string(++number) + from.extension().string());
    while (fs::exists(fs::symlink_status(to)));
    std::error_code error;
    fs::rename(from, to, error);
    if (error) throw runtime::cannotWrite(*output, error.value());
    complain("`" + *output + "` holds the samples before the checkpoint; it is `" + to.string() + "` now");
  }
}

std::unique_ptr<runtime::CheckpointKeeper> checkpointFile(const Invocation& call,
                                                          const std::optional<runtime::Checkpoint>& resume) {
  if (call[options::checkpointEvery] && !call[options::checkpoint])
    throw UsageError("--checkpoint-every needs --checkpoint FILE");
  if (!call[options::checkpoint]) return nullptr;
  runtime::requirePlace(*call[options::checkpoint]);
  std::string outputs = resume ? resume->outputs : std::string();
  for (const auto& output : {call[options::output], call[options::stepsOutput]})
    if (output && !lists(outputs, lineOf(*output))) outputs += lineOf(*output);
  return std::make_unique<CheckpointFile>(*call[options::checkpoint], call.orStandard(options::checkpointEvery),
                                          std::move(outputs));
}

std::optional<runtime::Checkpoint> checkpointToResume(const Invocation& call) {
  if (!call[options::resume]) return std::nullopt;
  requireReadable(*call[options::resume]);
  try {
    return runtime::readCheckpoint(*call[options::resume]);
  } catch (const runtime::CheckpointError& error) {
    throw UsageError(error.what());
  }
}

bool checkResume(products::Pipeline& pipeline, const runtime::Problem& problem, const Invocation& call,
                 const runtime::Checkpoint& checkpoint) {
  const std::string why = runtime::misfit(checkpoint, problem);
  if (why.empty()) return true;
  commandLineError(pipeline, Code::LIE0616, "--resume " + *call[options::resume],
                   "the checkpoint is of another run: " + why);
  return false;
}

} // namespace lmc::tool
