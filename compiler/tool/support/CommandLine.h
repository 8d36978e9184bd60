// What was typed: the command line as a value.
#pragma once

#include "base/Budget.h"
#include "sema/Compilation.h"

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace lmc::tool {

/// Exit statuses of the tool.
enum Exit : int {
  Done = 0,
  InputWrong = 1, ///< diagnostics were printed
  UsageWrong = 2,
  RunFailed = 3,     ///< what was written is kept
  Defect = 70,       ///< of the tool itself
  Interrupted = 128, ///< plus the number of the signal
};

enum class When : std::uint8_t { Auto, Always, Never };

/// One call of the tool. Options that were not given are empty; numbers stay text where they may be expressions.
struct Invocation {
  std::string command;
  std::vector<std::string> arguments; ///< FILE…, NAME or CODE
  std::optional<std::string> method, step, tolerance, controller, safety, norm, timeFrom, timeTo, output, every;
  std::vector<std::string> methods;                               ///< of a study: NAME or NAME(arg=value)
  std::vector<double> steps;                                      ///< of a study
  std::optional<std::string> expect;                              ///< of stability: the outcome of every method
  std::optional<std::string> stepsOutput;                         ///< of run: a table of the trial steps
  std::optional<std::string> checkpoint, resume, checkpointEvery; ///< of run
  std::optional<std::int64_t> maxSteps;                           ///< of run
  std::optional<double> maxSeconds;                               ///< of run, ensemble
  std::vector<std::string> vary;                                  ///< of ensemble
  std::optional<std::string> keep;                                ///< of ensemble
  std::optional<std::int64_t> samples;                            ///< of ensemble
  int threads = 0;                                                ///< of ensemble; 0: one per core
  int lanes = 0;                                                  ///< of ensemble; 0: as the machine has
  std::vector<Override> overrides;
  std::optional<std::uint64_t> seed;
  std::vector<std::string> importPath;
  std::string format = "text";            ///< of derive, methods
  std::optional<std::string> at;          ///< of derive, linearize
  bool discrete = false;                  ///< of linearize
  std::optional<std::string> stage;       ///< of dump
  bool measure = false;                   ///< of methods
  std::optional<std::string> prefix, cpu; ///< of build and export
  bool specialize = false;                ///< likewise
  bool exportC = false, withMain = false; ///< of export
  Limits limits;                          ///< of compilation
  bool quiet = false;
  bool json = false;
  bool timings = false;
  bool noCache = false;
  bool untrusted = false; ///< somebody else has written the model
  When color = When::Auto;
  When progress = When::Auto;
};

/// Wrong usage; `what()` tells what is wrong and what would be right.
class UsageError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Either a call to carry out, or a status to exit with (after `--help`, `--version`).
struct CommandLine {
  std::optional<Invocation> invocation;
  int status = Done;
};

/// What can be typed, for pages that are made of it.
struct OptionDescription {
  std::string name;  ///< "--method"
  std::string value; ///< "NAME[(arg=value)]", "text|latex|json"; empty for a flag
  std::string help;
};
struct CommandDescription {
  std::string name;
  std::string argument; ///< "FILE"; empty: none
  std::string help;
  std::vector<OptionDescription> options;
};
/// All commands, in the order of `lmc --help`.
[[nodiscard]] std::vector<CommandDescription> describeCommands();

/// Reads the arguments. Throws UsageError.
[[nodiscard]] CommandLine readCommandLine(int argc, const char* const* argv);

} // namespace lmc::tool
