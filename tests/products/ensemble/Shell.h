// Lines of bash in the folder of a workspace, with $LMC the tool and a cache of its own.
#pragma once

#include "acceptance/Tool.h"

#include <cstdlib>
#include <string>
#include <sys/wait.h>

namespace lmc::acceptance {

/// Numbers for 500 samples, one a line, of which every seventh makes a motion that is not finite.
inline std::string numbersOfSamples() {
  std::string text;
  for (int k = 0; k < 500; ++k) text += k % 7 == 3 ? "1e200\n" : std::to_string(k) + "e-2\n";
  return text;
}

/// Of 500 samples in blocks of 64, of which one in seven fails; and adaptive steps.
inline const std::string study = "$LMC ensemble '" + example("heavy_top") +
                                 "' --quiet --samples 500 --time 0..0.02 --vary 'm ~ normal(15, 1)' --vary "
                                 "'Omega[1] ~ read(\"t.csv\")'";
inline const std::string adaptive =
    "$LMC ensemble '" + example("spherical_pendulum") +
    "' --quiet --samples 300 --time 0..0.3 --method RKMK54 --tolerance 1e-7 --every 0.05 "
    "--vary 'g ~ linspace(1, 300)'";

/// The exit status is that of the last command; 124 after two minutes.
inline Outcome shell(const Workspace& w, const std::string& line) {
  w.write("line.sh", "cd '" + w.path("").string() + "'\nexport LMC='" LMC_BINARY_DIR "/bin/lmc' LMC_CACHE_DIR='" +
                         w.path("cache").string() + "'\n" + line + "\n");
  w.write("t.csv", numbersOfSamples());
  const std::string at = w.path("").string();
  const int status =
      std::system(("timeout 120 bash '" + at + "/line.sh' >'" + at + "/out' 2>'" + at + "/err' </dev/null").c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), readFile(w.path("out")),
          readFile(w.path("err"))};
}

} // namespace lmc::acceptance
