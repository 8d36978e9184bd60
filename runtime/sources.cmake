# What a run needs besides the compiled step: memory, the driver of fixed steps, writers, summary, progress.
find_package(Eigen3 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(ZLIB REQUIRED)

add_library(lmc_runtime STATIC
  Adaptive.cpp Checkpoint.cpp CsvWriter.cpp Ensemble.cpp EnsembleAdaptive.cpp EnsembleCheckpoint.cpp EnsembleDraws.cpp
  EnsembleFixed.cpp EnsembleOutput.cpp EnsembleSingle.cpp EnsembleStatistics.cpp Events.cpp FixedStep.cpp Grid.cpp
  LaneWorkspace.cpp LinearizedWorkspace.cpp MassMonitor.cpp Output.cpp OutputFile.cpp Progress.cpp RunCore.cpp Sampler.cpp Spectrum.cpp StepController.cpp
  Summary.cpp TrajectoryDerivatives.cpp Workspace.cpp)
target_link_libraries(lmc_runtime PUBLIC lmc_options PRIVATE lmc_base lmc_tape fmt::fmt
  nlohmann_json::nlohmann_json Eigen3::Eigen ${CMAKE_DL_LIBS})

# Writers of .npz and .h5 are opened when they are asked for: their libraries would cost every start of the tool
# milliseconds.
find_package(HDF5 REQUIRED COMPONENTS C)
add_library(lmc_npz MODULE NpzWriter.cpp OutputArrays.cpp OutputFile.cpp)
target_link_libraries(lmc_npz PRIVATE lmc_options fmt::fmt ZLIB::ZLIB)
add_library(lmc_hdf5 MODULE Hdf5Writer.cpp OutputArrays.cpp OutputFile.cpp)
target_link_libraries(lmc_hdf5 PRIVATE lmc_options fmt::fmt hdf5::hdf5)
add_dependencies(lmc_runtime lmc_npz lmc_hdf5)
