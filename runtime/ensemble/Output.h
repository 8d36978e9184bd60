// Where the results of an ensemble go: tables with the writers of runs.
#pragma once

#include "runtime/ensemble/Ensemble.h"
#include "runtime/output/Output.h"

namespace lmc::runtime {

/// Writes an ensemble as one table.
///
/// `final`: a line per sample: t is the time that it reached; then `sample` (from 0), `status` (SampleStatus), the
/// varied numbers as `vary_NAME`, the columns of a run, which are not numbers where the sample failed. `all`: the same
/// for every sample and every sample time, the samples one after the other. `statistics`: a line per sample time:
/// `count`, the number of samples that got there; then of every column X `X_mean`, `X_deviation` (of the sample, with
/// the divisor count - 1), `X_min`, `X_max`, of those samples where X is a number. Behind them stands `X_count`, how
/// many these are, of every X that is not always as many. The suffix stands before the indices: `R_mean[1][2]`.
class EnsembleTable final : public EnsembleSink {
public:
  EnsembleTable(EnsembleShape shape, Sink& sink);
  void take(const EnsembleBlock& block) override;
  /// Makes what was taken so far a complete file.
  void finish();

private:
  void lines(const EnsembleBlock& block);
  void statistics();

  EnsembleShape shape_;
  Sink& sink_;
  std::vector<Moments> moments_; ///< of statistics: times × columns
  std::vector<double> row_;
};

} // namespace lmc::runtime
