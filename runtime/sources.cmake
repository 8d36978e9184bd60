# What a run needs besides the compiled step: memory, the driver of fixed steps, writers, summary, progress.
find_package(nlohmann_json REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(LIBZIP REQUIRED IMPORTED_TARGET libzip)

add_library(lmc_runtime STATIC
  CsvWriter.cpp FixedStep.cpp Grid.cpp Output.cpp Progress.cpp Sampler.cpp Summary.cpp Workspace.cpp)
target_link_libraries(lmc_runtime PUBLIC lmc_options PRIVATE fmt::fmt nlohmann_json::nlohmann_json ${CMAKE_DL_LIBS})
target_link_options(lmc_runtime INTERFACE "LINKER:-rpath,$ORIGIN/../lib:${CMAKE_LIBRARY_OUTPUT_DIRECTORY}")

# The writer of .npz is opened when it is asked for: libzip would cost every start of the tool a millisecond.
add_library(lmc_npz MODULE NpzWriter.cpp)
target_link_libraries(lmc_npz PRIVATE lmc_options fmt::fmt PkgConfig::LIBZIP)
add_dependencies(lmc_runtime lmc_npz)
install(TARGETS lmc_npz LIBRARY DESTINATION lib)
