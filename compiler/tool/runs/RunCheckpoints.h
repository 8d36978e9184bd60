// `--checkpoint`, `--checkpoint-every` and `--resume` of `lmc run`.
#pragma once

#include "products/Pipeline.h"
#include "runtime/run/Run.h"
#include "tool/support/Invocation.h"

#include <memory>
#include <optional>

namespace lmc::tool {

/// Writes to the file of `--checkpoint`, every minute or as `--checkpoint-every` says; null without the option.
/// `resume`: what the run goes on from, if it does.
[[nodiscard]] std::unique_ptr<runtime::CheckpointKeeper>
checkpointFile(const Invocation& call, const std::optional<runtime::Checkpoint>& resume);

/// The checkpoint of `--resume`; nothing without the option. A file that cannot be read is wrong usage (thrown).
[[nodiscard]] std::optional<runtime::Checkpoint> checkpointToResume(const Invocation& call);

/// Gives another name to outputs of the call that hold samples before the checkpoint, which the call would overwrite:
/// `a.csv` becomes `a.1.csv`, or the first such name that is free. Says so. Throws OutputError.
void setAside(const Invocation& call, const runtime::Checkpoint& resume);

/// Reports a checkpoint that is of another run into the pipeline's diagnostics. False if it is one.
[[nodiscard]] bool checkResume(products::Pipeline& pipeline, const runtime::Problem& problem, const Invocation& call,
                               const runtime::Checkpoint& checkpoint);

} // namespace lmc::tool
