// Runs `lmc ensemble` and reads what it writes.
#pragma once

#include "acceptance/Trajectory.h"

#include <gtest/gtest.h>

namespace lmc::acceptance {

/// The text that `lmc ensemble FILE ARGUMENTS --output FILE.csv` writes; empty, and the test fails, if it fails.
inline std::string ensembleText(const Workspace& w, const std::string& file, const Arguments& arguments) {
  Arguments all = {"ensemble", file, "--output", "ensemble.csv", "--quiet"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  const Outcome outcome = w.lmc(all);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return outcome.status == 0 ? readFile(w.path("ensemble.csv")) : std::string();
}

/// The same as a table.
inline Trajectory ensemble(const Workspace& w, const std::string& file, const Arguments& arguments) {
  return parseCsv(ensembleText(w, file, arguments)).value_or(Trajectory{});
}

} // namespace lmc::acceptance
