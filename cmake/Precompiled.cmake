# Headers of the standard library and of packages that most files include, read once for all targets whose flags agree.
#
# Who includes one of them still writes it down: g++ and builds with `-DLMC_PRECOMPILED=OFF` do without.
set(precompile OFF)
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  set(precompile ON)
endif()
option(LMC_PRECOMPILED "Read headers of the standard library and of packages once" ${precompile})

set(LMC_PRECOMPILED_HEADERS <algorithm> <array> <chrono> <cmath> <complex> <cstdint> <cstdio> <cstdlib> <cstring>
  <filesystem> <fstream> <functional> <iostream> <limits> <map> <memory> <numbers> <numeric> <optional> <random> <ranges>
  <set> <span> <sstream> <stdexcept> <string> <string_view> <thread> <tuple> <unordered_map> <unordered_set> <utility>
  <variant> <vector> <Eigen/Dense> <fmt/format.h> <nlohmann/json.hpp>)

# lmc_precompiled(TARGET PACKAGES … HEADERS …): what lmc_precompile lets other targets use; flags are those of the place.
function(lmc_precompiled name)
  cmake_parse_arguments(ARG "" "" "PACKAGES;HEADERS" ${ARGN})
  if(LMC_PRECOMPILED)
    file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/together/${name}.cpp CONTENT "" @ONLY)
    add_library(${name} OBJECT ${CMAKE_BINARY_DIR}/together/${name}.cpp)
    target_link_libraries(${name} PRIVATE lmc_options Eigen3::Eigen fmt::fmt
      nlohmann_json::nlohmann_json ${ARG_PACKAGES})
    target_precompile_headers(${name} PRIVATE ${LMC_PRECOMPILED_HEADERS} ${ARG_HEADERS})
    set_target_properties(${name} PROPERTIES PCH_INSTANTIATE_TEMPLATES ON)
    # Dates in it would make it another one for a compiler cache each time.
    target_compile_options(${name} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endfunction()

# lmc_precompile(TARGET FROM): TARGET uses the headers of FROM.
function(lmc_precompile name from)
  if(LMC_PRECOMPILED)
    target_precompile_headers(${name} REUSE_FROM ${from})
  endif()
endfunction()
