// The laws by which adaptive steps are chosen, by name (runtime/run/StepController.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lmc::runtime {

enum class ControllerKind : std::uint8_t { PI, Elementary, Clamped };

/// Names as in `controller = NAME`, in the order of ControllerKind.
[[nodiscard]] const std::vector<std::string>& controllerNames();
/// A controller as a person and a checkpoint tell it from others: its name, and its safety where one was chosen.
[[nodiscard]] std::string controllerText(ControllerKind kind, double safety);

} // namespace lmc::runtime
