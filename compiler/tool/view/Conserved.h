// What the equations of a model conserve, along a run: momentum maps and linear functions of states, found and not
// given (checks/model/Symmetries.h).
#pragma once

#include "products/Pipeline.h"
#include "runtime/output/PassingSink.h"

#include <string>
#include <vector>

namespace lmc::tool {

/// Changes of conserved quantities over time.
struct ConservedPlot {
  std::vector<double> times;
  std::vector<std::string> names;
  std::vector<std::vector<double>> changes; ///< of each name, relative to the size of its terms
};

/// Keeps some states of a run and passes its samples on.
class StateRecorder final : public runtime::PassingSink {
public:
  /// The problem must outlive it; `next` may be null.
  StateRecorder(const runtime::Problem& problem, runtime::Sink* next)
      : PassingSink(next), problem_(problem), columns_(problem.columns()) {}
  void sample(double t, std::span<const double> values) override;

  /// Nothing where the model is too large to be asked while somebody waits.
  [[nodiscard]] ConservedPlot conserved(products::Pipeline& pipeline) const;

private:
  const runtime::Problem& problem_;
  std::vector<runtime::Column> columns_;
  std::size_t stride_ = 1, samples_ = 0;
  std::vector<double> times_;
  std::vector<std::vector<double>> states_;
};

} // namespace lmc::tool
