#include "runtime/contract/Controller.h"

#include <fmt/format.h>

namespace lmc::runtime {

const std::vector<std::string>& controllerNames() {
  static const std::vector<std::string> names = {"PI", "elementary", "clamped"};
  return names;
}

std::string controllerText(ControllerKind kind, double safety) {
  const std::string& name = controllerNames()[static_cast<std::size_t>(kind)];
  return safety == 0 ? name : fmt::format("{}, safety {}", name, safety);
}

} // namespace lmc::runtime
