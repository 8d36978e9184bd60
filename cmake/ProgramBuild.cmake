# -DPROGRAM=FILE -DOUT=FILE: a header with the build id of the program, which `--version` prints.
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND ${PROGRAM} --version OUTPUT_VARIABLE version COMMAND_ERROR_IS_FATAL ANY)
set(build)
if(version MATCHES "build ([0-9a-f]+)")
  set(build ${CMAKE_MATCH_1})
endif()
file(CONFIGURE OUTPUT ${OUT} @ONLY CONTENT
"#pragma once

namespace lmc::tool {

inline constexpr const char* programBuild = \"@build@\";

} // namespace lmc::tool
")
file(TOUCH ${OUT})
