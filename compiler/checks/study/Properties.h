// Properties of a method beyond its order, measured: is it symplectic, does it keep momentum maps, is it
// time-symmetric, does its energy error drift?
//
// The models are those of runtime/problems/invariants/. What one of them shows to be lost is not a property of the
// method; a yes means that all models that can be stepped by it agree.
#pragma once

#include "checks/study/Stability.h"
#include "checks/study/Studies.h"

#include <optional>
#include <string>
#include <vector>

namespace lmc::study {

/// Nothing where no problem can tell.
struct MethodProperties {
  std::optional<bool> symplectic;    ///< defect of the symplectic form at round-off (Symplecticity.h)
  std::optional<bool> momentum;      ///< momentum maps of symmetries stay at round-off
  std::optional<bool> timeSymmetric; ///< a step back undoes a step
  /// The long-time energy test on models with long runs: FAIL (it drifts) where one of them fails, PASS (it stays
  /// bounded) where all pass.
  std::optional<Outcome> energy;
};

/// "bounded", "drift", "unclear"; empty where nothing was measured.
[[nodiscard]] std::string energyWord(const MethodProperties& properties);

/// The texts of the models, one after the other.
[[nodiscard]] std::string propertyTexts(const std::filesystem::path& libraryRoot);

class PropertyBench {
public:
  explicit PropertyBench(const products::PipelineOptions& options);
  [[nodiscard]] MethodProperties measure(const std::string& method) const;

private:
  std::vector<NamedSubject> subjects_;
};

} // namespace lmc::study
