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

  /// What is observed (else the state): mean, mean ± deviation and extremes over time; or ends (begins, where these
  /// alone are kept) against the first varied number, over a grid of two varied numbers as surfaces.
  [[nodiscard]] Figure figure() const;

private:
  [[nodiscard]] Panel overTime(const ShownField& field) const;
  /// A row of a sample alone is kept, not a motion.
  [[nodiscard]] bool single() const {
    return plan_.keep == runtime::EnsembleKeep::Final ||
           (plan_.keep == runtime::EnsembleKeep::All && plan_.times.size() == 1);
  }
  [[nodiscard]] const char* where() const {
    return plan_.keep == runtime::EnsembleKeep::Final ? " at the end" : " at the begin";
  }
  [[nodiscard]] Panel scattered(std::size_t field) const;
  /// The samples vary two numbers by grids.
  [[nodiscard]] bool overGrid() const;

  const runtime::EnsembleProblem& problem_;
  const runtime::EnsemblePlan& plan_;
  runtime::EnsembleSink* next_;
  std::vector<ShownField> fields_;
  std::vector<runtime::Moments> moments_; ///< times × columns
  std::vector<std::vector<Curve>> ends_;  ///< of each field
  std::vector<double> second_;            ///< the second varied number of each sample
};

} // namespace lmc::tool
