#include "api/Access.h"

#include "runtime/run/Run.h"

#include <fmt/format.h>

namespace lmc::v1 {

const char* version() noexcept {
  return LMC_VERSION;
}

std::string text(Status status) {
  if (status == Status::StepTooSmall) return "a step is still rejected though it is as short as it can be";
  if (status == Status::ResetFailed)
    return "events happen without time between them, a reset leads to no state, or a contact to none";
  if (status == Status::LimitReached) return "the limit of steps or of seconds is reached";
  return runtime::statusText(static_cast<std::int32_t>(status));
}

Status statusOf(std::int32_t status) {
  switch (status) {
  case runtime::Ok:
    return Status::Success;
  case runtime::SingularMass:
    return Status::SingularMass;
  case runtime::SingularMatrix:
    return Status::SingularMatrix;
  case runtime::NoConvergence:
  case runtime::FarFromManifold:
    return Status::NoConvergence;
  case runtime::EventsCrowd:
  case runtime::ResetWrong:
  case runtime::ImpactEnergy:
  case runtime::ContactUndecided:
  case runtime::ContactLawWrong:
  case runtime::ContactOverlap:
    return Status::ResetFailed;
  default:
    return Status::NonFinite;
  }
}

Error::Error(Kind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
Error::Error(Status status, double time, const std::string& message)
    : std::runtime_error(message), kind_(Kind::RunFailed), status_(status), time_(time) {}
Error::~Error() = default;
Error::Error(const Error&) = default;
Error& Error::operator=(const Error&) = default;

} // namespace lmc::v1
