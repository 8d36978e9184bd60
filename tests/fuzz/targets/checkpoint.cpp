// Any bytes as a checkpoint.
#include "runtime/run/Checkpoint.h"

#include <fstream>
#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("lmc-fuzz-" + std::to_string(::getpid()) + ".checkpoint");
  std::ofstream(file, std::ios::binary).write(reinterpret_cast<const char*>(bytes), static_cast<std::streamsize>(size));
  try {
    (void)lmc::runtime::readCheckpoint(file);
  } catch (const lmc::runtime::CheckpointError&) { // which is what a wrong file ends in
  }
  return 0;
}
