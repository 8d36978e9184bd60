// A run that goes on later: its state, what its next steps depend on, and whose run it is.
//
// The file is JSON. Numbers are hexadecimal texts ("0x1.8p+1"), so that they come back to the bit; a checksum tells
// whether anybody has changed them.
#pragma once

#include "runtime/contract/Problem.h"
#include "runtime/run/Jumps.h"
#include "runtime/run/Sampler.h"
#include "runtime/run/StepController.h"
#include "runtime/run/Stiffness.h"

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace lmc::runtime {

/// A checkpoint that cannot be read or written, or is damaged; `what()` is a sentence for the user.
class CheckpointError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

struct Checkpoint {
  // Whose.
  std::string model, method, code; ///< code: Problem::codeKey
  std::vector<NamedArray> parameters;
  double timeFrom = 0, step = 0;
  bool adaptive = false;
  std::vector<double> tolerances;
  std::string controller;
  /// The files that hold the samples before it, one a line, links followed; filled in by who keeps it.
  std::string outputs;

  // Where.
  double time = 0;
  std::vector<double> state;
  std::int64_t steps = 0, rejected = 0, evaluations = 0, iterations = 0;
  Sampler::Memory samples;
  double sampled = 0; ///< time of the last sample that does not belong to the end of the run

  // What the next steps depend on, and what the summary tells of adaptive steps.
  double nextStep = 0;
  bool begun = false; ///< f stands behind the state (Functions::begin)
  StepController::Memory controllerMemory;
  double firstStep = 0, smallestStep = 0, largestStep = 0;
  StiffnessMemory stiffness;
  std::vector<double> signs; ///< of events, and more (EventWatch::memory)
  Jumps::Memory jumps;
  std::vector<double> contacts; ///< of a method that steps contacts (ContactStepper::memory)
};

/// Fills in whose run it is.
[[nodiscard]] Checkpoint checkpointOf(const Problem& problem);

/// Writes the file as a whole or not at all; it is on the disk when this returns. Throws CheckpointError.
void writeCheckpoint(const std::filesystem::path& file, const Checkpoint& checkpoint);
/// Throws CheckpointError for what is no checkpoint of this version, was changed since it was written, or holds what no
/// run can have.
[[nodiscard]] Checkpoint readCheckpoint(const std::filesystem::path& file);

/// FNV-1a of 64 bits, for finding damage.
[[nodiscard]] std::uint64_t checksumOf(std::string_view bytes);

/// Why a problem cannot go on from a checkpoint; empty if it can. The end of the run and its samples may differ.
[[nodiscard]] std::string misfit(const Checkpoint& checkpoint, const Problem& problem);

} // namespace lmc::runtime
