// What liblmc_commands offers to the program (tool/runs/Module.h).
#include "tool/runs/Module.h"
#include "tool/support/Command.h"
#include "tool/view/RunPictures.h"

#include "tool/module/ProgramBuild.h"

namespace lmc::tool {

/// The table, which CMake makes (cmake/Tables.cmake).
[[nodiscard]] CommandTable moduleCommands();

} // namespace lmc::tool

extern "C" const lmc::tool::CommandsModule* lmc_commands() {
  static const lmc::tool::CommandsModule module{lmc::tool::programBuild, lmc::tool::moduleCommands(),
                                                lmc::tool::picturesOf};
  return &module;
}
