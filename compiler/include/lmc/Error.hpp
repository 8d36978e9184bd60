/// @file
/// The one type of exception that the library throws.
#pragma once

#include "lmc/Base.hpp"

#include <limits>
#include <stdexcept>

namespace lmc {
LMC_INLINE namespace v1 {

  /// How a step or an evaluation ended. Numbers are those of the C interface.
  enum class Status : std::int32_t {
    Success = 0,        ///< all is well
    SingularMass = 1,   ///< the mass matrix is singular at the state
    SingularMatrix = 2, ///< a matrix that has to be inverted is singular
    NoConvergence = 3,  ///< the iteration of an implicit equation, or back onto the manifold, does not converge
    NonFinite = 4,      ///< the state is not finite any more
    StepTooSmall = 5,   ///< an adaptive step was rejected until it could not become shorter
    LimitReached = 6,   ///< the limit of steps or of seconds of RunSettings
    ResetFailed = 7,    ///< events happen without time between them, or a reset leads to no state of the model
  };

  /// A sentence about a status, without a full stop.
  [[nodiscard]] LMC_API std::string text(Status status);

  /// What the library throws, and nothing else. (Exceptions of your own callbacks pass through.) Errors in the text of
  /// a model are no exceptions: they are diagnostics.
  class LMC_API Error : public std::runtime_error {
  public:
    /// What kind of error.
    enum class Kind : std::int32_t {
      Misuse = 1,       ///< a name that there is not, a wrong number of values, settings that make no sense
      Unavailable = 2,  ///< the model has no such thing: no method, no energy, no mass matrix
      RunFailed = 3,    ///< a step or an evaluation failed; see `status` and `time`
      Installation = 4, ///< a part of lmc is missing or does not fit: the code generator, the standard library
      Internal = 5,     ///< a defect of lmc, or memory has run out
    };

    /// An error with its message.
    Error(Kind kind, const std::string& message);
    /// A failure at a time of a run.
    Error(Status status, double time, const std::string& message);
    ~Error() override;
    /// A copy.
    Error(const Error&);
    /// A copy.
    Error& operator=(const Error&);

    /// What kind of error.
    [[nodiscard]] Kind kind() const noexcept { return kind_; }
    /// Of `RunFailed`: what failed; otherwise Success.
    [[nodiscard]] Status status() const noexcept { return status_; }
    /// Of `RunFailed`: the time of the last valid state; otherwise not a number.
    [[nodiscard]] double time() const noexcept { return time_; }

  private:
    Kind kind_;
    Status status_ = Status::Success;
    double time_ = std::numeric_limits<double>::quiet_NaN();
  };

} // namespace v1
} // namespace lmc
