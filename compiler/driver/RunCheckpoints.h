// `--checkpoint`, `--checkpoint-every` and `--resume` of `lmc run`.
#pragma once

#include "driver/CommandLine.h"
#include "driver/Pipeline.h"
#include "runtime/Run.h"

#include <memory>
#include <optional>

namespace lmc::tool {

/// Writes to the file of `--checkpoint`, every minute or as `--checkpoint-every` says; null without the option.
[[nodiscard]] std::unique_ptr<CheckpointKeeper> checkpointFile(const Invocation& call);

/// The checkpoint of `--resume`; nothing without the option. A file that cannot be read is wrong usage (thrown).
[[nodiscard]] std::optional<Checkpoint> checkpointToResume(const Invocation& call);

/// Reports a checkpoint that is of another run into the pipeline's diagnostics. False if it is one.
[[nodiscard]] bool checkResume(Pipeline& pipeline, const Problem& problem, const Invocation& call,
                               const Checkpoint& checkpoint);

} // namespace lmc::tool
