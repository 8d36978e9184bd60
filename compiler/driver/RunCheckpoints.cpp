#include "driver/RunCheckpoints.h"

#include "driver/Options.h"
#include "driver/RunChecks.h"

#include <charconv>
#include <chrono>

namespace lmc::tool {

namespace {

/// The file of `--checkpoint`, written every so often.
class CheckpointFile final : public CheckpointKeeper {
public:
  CheckpointFile(std::string file, double seconds) : file_(std::move(file)), seconds_(seconds) {}
  bool due() override {
    const auto now = std::chrono::steady_clock::now();
    if (std::chrono::duration<double>(now - last_).count() < seconds_) return false;
    last_ = now;
    return true;
  }
  void keep(const Checkpoint& checkpoint) override { writeCheckpoint(file_, checkpoint); }

private:
  std::string file_;
  double seconds_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

} // namespace

std::unique_ptr<CheckpointKeeper> checkpointFile(const Invocation& call) {
  double seconds = 60;
  if (call.checkpointEvery) {
    const std::string& text = *call.checkpointEvery;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (error != std::errc() || end != text.data() + text.size() || !(seconds >= 0))
      throw UsageError("--checkpoint-every wants a number of seconds, not '" + text + "'");
    if (!call.checkpoint) throw UsageError("--checkpoint-every needs --checkpoint FILE");
  }
  return call.checkpoint ? std::make_unique<CheckpointFile>(*call.checkpoint, seconds) : nullptr;
}

std::optional<Checkpoint> checkpointToResume(const Invocation& call) {
  if (!call.resume) return std::nullopt;
  requireReadable(*call.resume);
  try {
    return readCheckpoint(*call.resume);
  } catch (const CheckpointError& error) {
    throw UsageError(error.what());
  }
}

bool checkResume(Pipeline& pipeline, const Problem& problem, const Invocation& call, const Checkpoint& checkpoint) {
  const std::string why = misfit(checkpoint, problem);
  if (why.empty()) return true;
  commandLineError(pipeline, Code::LIE0616, "--resume " + *call.resume, "the checkpoint is of another run: " + why);
  return false;
}

} // namespace lmc::tool
