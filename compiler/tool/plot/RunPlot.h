// A plot of one run: `lmc run --plot`.
#pragma once

#include "runtime/contract/Problem.h"
#include "runtime/output/PassingSink.h"
#include "tool/plot/Figure.h"

#include <string>
#include <vector>

namespace lmc::tool {

/// The columns of a field that are shown together.
struct ShownField {
  std::string name, note; ///< the note: what is left out
  std::vector<std::size_t> columns;
  std::vector<std::string> names; ///< of the columns
};

/// The observables among the first `own` columns of a run, or, where there are none, its state; the energy is not among
/// them. At most `fields` of them, of each at most `entries` columns.
[[nodiscard]] std::vector<ShownField> shownFields(const runtime::Problem& problem, std::size_t own, std::size_t fields,
                                                  std::size_t entries);

/// Takes the samples of a run, and passes them on; however long the run is, it keeps a picture of them.
class PlotRecorder final : public runtime::PassingSink {
public:
  /// The problem must outlive it; `next` may be null.
  PlotRecorder(const runtime::Problem& problem, runtime::Sink* next) : PassingSink(next), problem_(problem) {}
  void begin(const std::vector<runtime::Entry>& columns) override;
  void sample(double t, std::span<const double> values) override;

  /// The change of the energy, then what is observed, else the state.
  [[nodiscard]] Figure figure() const;

private:
  const runtime::Problem& problem_;
  std::vector<ShownField> fields_;
  std::vector<std::vector<Thinner>> curves_;          ///< of each field
  std::size_t energy_ = static_cast<std::size_t>(-1); ///< its column
  double firstEnergy_ = 0;
  Thinner energyCurve_;
  bool begun_ = false;
};

} // namespace lmc::tool
