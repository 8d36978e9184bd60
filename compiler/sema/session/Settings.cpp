#include "sema/session/Settings.h"

namespace lmc::sema {

const std::vector<std::string>& settingKeys() {
  static const std::vector<std::string> keys = {"method",       "time", "step",    "tolerance", "controller",
                                                "safety",       "norm", "output",  "undefined", "seed",
                                                "simultaneous", "law",  "accuracy"};
  return keys;
}

const std::vector<std::string>& settingNorms() {
  static const std::vector<std::string> norms = {"algebra", "embedding"};
  return norms;
}

const std::vector<std::string>& impactWords(const std::string& key) {
  static const std::vector<std::string> orders = {"together", "sequential"}, laws = {"newton", "poisson"};
  return key == "law" ? laws : orders;
}

} // namespace lmc::sema
