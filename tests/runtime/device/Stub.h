// `lmc ensemble --device` with a driver that carries out PTX on this machine (stub/Cuda.cpp).
#pragma once

#include "tests/products/ensemble/Shell.h"

namespace lmc::acceptance {

/// Lines of bash whose programs find that driver, with $REPORT, where it tells what was not given back.
inline Outcome onStub(const Workspace& w, const std::string& line) {
  return shell(w, "export LD_LIBRARY_PATH='" LMC_STUB_CUDA "' LMC_STUB_CUDA_REPORT=report REPORT=report\n" + line);
}

/// What the driver told at its end: a line for each kind of thing.
inline std::string notGivenBack(const Workspace& w) {
  const std::string report = readFile(w.path("report"));
  std::string left;
  for (const char* kind : {"allocations", "contexts", "modules", "streams"})
    if (report.find(std::string(kind) + " 0\n") == std::string::npos) left += std::string(kind) + "\n";
  return left;
}

} // namespace lmc::acceptance
