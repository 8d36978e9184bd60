// Executable code, as a run calls it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace lmc::runtime {

/// Executable functions of one tape module. May be called from many threads, each with its own State, Work and Output
/// memory. What the functions compute does not change; their addresses may, once, where code that was made quickly is
/// replaced by code that is faster: so who calls often asks for the address each time. All addresses stay valid.
class Compiled {
public:
  /// How code that was made quickly has been replaced.
  struct Settled {
    double seconds = 0;  ///< that it took; 0: there was nothing to replace
    std::string trouble; ///< why it could not be; the run goes on with what there is
  };

  /// Plain function: bases in the order of tape::Role, arguments as an array.
  using Function = std::int32_t (*)(double* const* bases, const double* arguments);
  /// The loop of steps: advances *t by n steps of h; stops early at a status != 0 or a non-finite state (status
  /// NonFinite; the state is then the last finite one); *done is on entry the index k0 of the first step, on return the
  /// number of completed ones. Step k begins at t0 + k*h, and *t after n steps is t0 + (k0 + n)*h: so the times of many
  /// steps do not depend on how they are divided among calls.
  using Advance = std::int32_t (*)(double* const* bases, double* t, double h, std::int64_t n, std::int64_t* done);

  /// Of code for lanes. The memory behind a base is a structure of vectors: number k of lane l at k*lanes + l, aligned
  /// to 64 bytes; Work has tape::kernelScratch(module) further doubles at its end. So have the arguments. `statuses`
  /// are one per lane, in and out: a lane whose status is not 0 at the begin counts for nothing. What a lane computes
  /// does not depend on the number of lanes nor on the others. Of a lane that fails, memory is left anyhow.
  using LaneFunction = void (*)(double* const* bases, const double* arguments, std::int32_t* statuses);
  /// Steps first, …, first + n - 1, of which step k begins at t0 + k*h. A lane that fails (as `Advance`) keeps its last
  /// valid state and says in `done` how many steps are before it; of the others it is first + n.
  using LaneAdvance = void (*)(double* const* bases, double t0, double h, std::int64_t first, std::int64_t n,
                               std::int32_t* statuses, std::int64_t* done);

  virtual ~Compiled() = default;
  [[nodiscard]] virtual Function function(int index) const = 0;
  [[nodiscard]] virtual Advance advance() const = 0; ///< nullptr if the module has no step
  [[nodiscard]] virtual LaneFunction laneFunction(int /*index*/) const { return nullptr; } ///< of code for lanes
  [[nodiscard]] virtual LaneAdvance laneAdvance() const { return nullptr; }                ///< likewise
  /// Waits until faster code, if some is being made, is in place and in the cache, or cannot be made.
  virtual Settled settle() const { return {}; }
  [[nodiscard]] virtual bool fromCache() const = 0;
  [[nodiscard]] virtual double compileSeconds() const = 0;
  [[nodiscard]] virtual std::size_t codeBytes() const = 0; ///< of the code that there was first
  [[nodiscard]] virtual const std::string& ir() const = 0;
  [[nodiscard]] virtual const std::string& assembly() const = 0;
};

} // namespace lmc::runtime
