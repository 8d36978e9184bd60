# Routines that generated code and the tape interpreter call: large linear algebra, Stumpff functions. C99, so that
# exported source and objects compiled ahead of time have the same.
set(LMC_KERNELS cholesky gmres lu matrix_exponential newton_change sincos stumpff)
list(TRANSFORM LMC_KERNELS REPLACE "(.+)" "${CMAKE_CURRENT_SOURCE_DIR}/kernels/\\1.c" OUTPUT_VARIABLE kernel_sources)
add_library(lmc_kernels STATIC ${kernel_sources} Scratch.cpp)
target_link_libraries(lmc_kernels PUBLIC lmc_options)
set_target_properties(lmc_kernels PROPERTIES C_STANDARD 99 C_EXTENSIONS OFF)
# No contraction: a compiler's choice of fused operations must not show in the results.
target_compile_options(lmc_kernels PRIVATE $<$<COMPILE_LANGUAGE:C>:-ffp-contract=off>)
