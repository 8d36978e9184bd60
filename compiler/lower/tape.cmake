# The tape itself: listing, verifier, interpreter. No LLVM.
add_library(lmc_tape STATIC TapeOps.cpp TapePrint.cpp TapeVerify.cpp TapeInterpret.cpp TapeCost.cpp TapeLanes.cpp LocalBuffers.cpp)
target_link_libraries(lmc_tape PUBLIC lmc_options PRIVATE lmc_base lmc_kernels)
