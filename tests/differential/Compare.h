// A random model in lmc against the oracle, and lmc against itself.
#pragma once

#include "differential/Oracle.h"

#include <string>

namespace lmc::differential {

enum class Outcome : char {
  Agrees = 'a',
  Undecided = 'u', ///< the numbers are too ill-conditioned to tell
  Refused = 'r',   ///< lmc reports errors in the file
  Differs = 'd',
};

struct Verdict {
  Outcome outcome = Outcome::Agrees;
  std::string kind; ///< what differs, the same for the same defect: "rates", "energy", "lanes", "LIE0400", …
  std::string text; ///< with numbers
  double worst = 0; ///< largest difference from the oracle, relative to the size of its variable
};

/// What is compared besides values at the state; each compiles the model once more, or several times.
struct Extent {
  bool methods = false, lanes = false;
};

[[nodiscard]] Verdict compare(const RandomModel& m, const Extent& extent);

} // namespace lmc::differential
