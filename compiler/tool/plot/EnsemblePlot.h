// A plot of an ensemble: `lmc ensemble --plot`.
#pragma once

#include "runtime/ensemble/Ensemble.h"
#include "tool/plot/Figure.h"
#include "tool/plot/RunPlot.h"

#include <vector>

namespace lmc::tool {

/// Takes the blocks of an ensemble and passes them on. Over time it keeps means, deviations and extremes; of ends the
/// ends themselves.
class EnsemblePlot final : public runtime::EnsembleSink {
public:
  /// Problem and plan must outlive it; `next` may be null.
  EnsemblePlot(const runtime::EnsembleProblem& problem, const runtime::EnsemblePlan& plan, runtime::EnsembleSink* next);
  void take(const runtime::EnsembleBlock& block) override;

  /// What is observed (else the state): mean, mean ± deviation and extremes over time, or ends against the first varied
  /// number.
  [[nodiscard]] Figure figure() const;

private:
  [[nodiscard]] Panel overTime(const ShownField& field) const;

  const runtime::EnsembleProblem& problem_;
  const runtime::EnsemblePlan& plan_;
  runtime::EnsembleSink* next_;
  std::vector<ShownField> fields_;
  std::vector<runtime::Moments> moments_; ///< times × columns
  std::vector<std::vector<Curve>> ends_;  ///< of each field
};

} // namespace lmc::tool
