// Keeps what a page shows of a run: as many samples as a page has room for, evenly, however long the run is.
#pragma once

#include "products/scene/SceneOutputs.h"
#include "runtime/contract/Problem.h"
#include "runtime/output/PassingSink.h"
#include "runtime/run/Run.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lmc::tool {

/// One plot: names and columns of its series.
struct PagePlot {
  std::string title, note;
  std::vector<std::pair<std::string, std::size_t>> series; ///< columns of the run
  bool energy = false;                                     ///< its error is shown, not itself
  bool logarithmic = false;
};

/// Takes the samples of a run, and passes those of its own columns to another sink, if there is one.
class PageRecorder final : public runtime::PassingSink, public runtime::StepObserver {
public:
  /// `numbers`: that a page has room for. Problem and scene must outlive it; `next` may be null.
  PageRecorder(const runtime::Problem& problem, const products::ShownScene& scene, double numbers, runtime::Sink* next);

  void begin(const std::vector<runtime::Entry>& columns) override;
  void sample(double t, std::span<const double> values) override;
  void finish() override;
  void tried(const runtime::StepTrial& trial) override;

  [[nodiscard]] std::size_t rows() const { return times_.size(); }
  /// Of the run.
  [[nodiscard]] std::size_t samples() const { return samples_; }
  [[nodiscard]] const std::vector<double>& times() const { return times_; }
  /// The number of a column of the run in a row; the column must be one that is kept.
  [[nodiscard]] double at(std::size_t row, std::size_t column) const {
    return numbers_[row * kept_.size() + place_[column]];
  }
  [[nodiscard]] const std::vector<PagePlot>& plots() const { return plots_; }
  /// Begins and lengths of the accepted steps of an adaptive run.
  [[nodiscard]] const std::vector<std::pair<double, double>>& steps() const { return steps_; }

private:
  void choosePlots();
  void keep(std::size_t column);
  void halve();
  [[nodiscard]] double turnOver(std::size_t distance) const;

  const runtime::Problem& problem_;
  const products::ShownScene& scene_;
  std::vector<PagePlot> plots_;
  std::vector<std::size_t> kept_; ///< columns of the run
  std::vector<runtime::Column> columns_;
  std::vector<std::size_t> place_; ///< of each column of the run in a row
  std::size_t limit_ = 0;          ///< rows
  std::size_t stride_ = 1, samples_ = 0;
  std::vector<double> times_, numbers_;
  double lastTime_ = 0;
  std::vector<double> last_;
  std::vector<std::pair<double, double>> steps_;
  std::size_t stepStride_ = 1, stepCount_ = 0;
};

} // namespace lmc::tool
