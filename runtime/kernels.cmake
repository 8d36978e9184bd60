# Routines that generated code and the tape interpreter call: large linear algebra, Stumpff functions.
find_package(Eigen3 REQUIRED NO_MODULE)
add_library(lmc_kernels STATIC Gmres.cpp Kernels.cpp MatrixExponential.cpp Stumpff.cpp)
target_link_libraries(lmc_kernels PUBLIC lmc_options PRIVATE Eigen3::Eigen)
# No contraction in the reference values: a compiler's choice of fused operations must not show in them.
set_source_files_properties(Stumpff.cpp PROPERTIES COMPILE_OPTIONS "-ffp-contract=off")
