// Who makes the samples of an ensemble: lanes of this processor, a device, or runs one by one.
#include "runtime/ensemble/LaneWorkspace.h"
#include "runtime/ensemble/Runners.h"

#include <algorithm>
#include <limits>

namespace lmc::runtime {

namespace {

std::unique_ptr<BlockRunner> inLanes(EnsembleShared& shared, std::unique_ptr<LaneMachine> machine) {
  return shared.problem.problem.control ? adaptiveLanes(shared, std::move(machine))
                                        : fixedLanes(shared, std::move(machine));
}

std::unique_ptr<BlockRunner> inOwnLanes(EnsembleShared& shared) {
  const EnsembleProblem& e = shared.problem;
  return inLanes(shared, std::make_unique<LaneWorkspace>(e.problem, e.lanes, e.scratch));
}

/// Samples on a device. Those that it hands back are made again, from their begin, by the lanes of this processor.
class OnDevice final : public BlockRunner {
public:
  explicit OnDevice(EnsembleShared& shared)
      : shared_(shared), device_(inLanes(shared, shared.problem.device->machine())) {}

  bool run(OpenBatch& open) override {
    if (!device_->run(open)) return false;
    OpenBatch again(open.columns(), open.times());
    for (std::int64_t s = 0; s < open.count(); ++s) {
      if (open.status(s) != HandedBack) continue;
      open.status(s) = Ok;
      open.end(s) = shared_.problem.problem.timeFrom;
      for (std::size_t t = 0; t < open.times(); ++t)
        std::fill_n(open.row(s, t).begin(), open.columns(), std::numeric_limits<double>::quiet_NaN());
      again.add(open.block(s), static_cast<std::int64_t>(open.place(s)));
    }
    if (again.count() == 0) return true;
    shared_.handedBack += again.count();
    shared_.add(-static_cast<double>(again.count()));
    if (!own_) own_ = inOwnLanes(shared_);
    return own_->run(again);
  }

private:
  EnsembleShared& shared_;
  std::unique_ptr<BlockRunner> device_, own_;
};

} // namespace

std::unique_ptr<BlockRunner> runnerOf(EnsembleShared& shared) {
  if (shared.problem.lanes == 0) return singleRuns(shared);
  if (shared.problem.device) return std::make_unique<OnDevice>(shared);
  return inOwnLanes(shared);
}

} // namespace lmc::runtime
