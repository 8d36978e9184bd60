#include "runtime/ensemble/Output.h"

#include <algorithm>

namespace lmc::runtime {

EnsembleTable::EnsembleTable(const EnsembleProblem& problem, const EnsemblePlan& plan, Sink& sink)
    : problem_(problem), plan_(plan), sink_(sink) {
  std::vector<Entry> entries;
  const std::vector<Column> columns = problem.problem.columns();
  if (plan.keep == EnsembleKeep::Statistics) {
    entries.push_back({"count", {}});
    for (const char* suffix : {"_mean", "_deviation", "_min", "_max"})
      for (const Column& c : columns) entries.push_back({c.entry.field + suffix, c.entry.index});
    moments_.resize(plan.times.size() * columns.size());
  } else {
    entries = {{"sample", {}}, {"status", {}}};
    for (const Entry& v : problem.varied) entries.push_back({"vary_" + v.field, v.index});
    for (const Column& c : columns) entries.push_back(c.entry);
  }
  sink_.begin(entries);
}

void EnsembleTable::take(const EnsembleBlock& block) {
  if (plan_.keep != EnsembleKeep::Statistics) return lines(block);
  for (std::size_t k = 0; k < moments_.size(); ++k) moments_[k].add(block.moments[k]);
}

void EnsembleTable::lines(const EnsembleBlock& block) {
  const std::size_t columns = problem_.problem.columnCount(), times = plan_.times.size(),
                    varied = problem_.varied.size();
  row_.resize(2 + varied + columns);
  for (std::size_t k = 0; k < static_cast<std::size_t>(block.count); ++k) {
    row_[0] = static_cast<double>(block.first) + static_cast<double>(k);
    row_[1] = block.statuses[k];
    std::copy_n(block.varied.begin() + static_cast<std::ptrdiff_t>(k * varied), varied, row_.begin() + 2);
    for (std::size_t t = 0; t < times; ++t) {
      std::copy_n(block.rows.begin() + static_cast<std::ptrdiff_t>((k * times + t) * columns), columns,
                  row_.begin() + 2 + static_cast<std::ptrdiff_t>(varied));
      sink_.sample(plan_.keep == EnsembleKeep::Final ? block.ends[k] : plan_.times[t], row_);
    }
  }
}

void EnsembleTable::finish() {
  const std::size_t columns = problem_.problem.columnCount();
  for (std::size_t t = 0; plan_.keep == EnsembleKeep::Statistics && t < plan_.times.size(); ++t) {
    row_.clear();
    const std::span<const Moments> line = std::span(moments_).subspan(t * columns, columns);
    std::int64_t count = 0;
    for (const Moments& m : line) count = std::max(count, m.count);
    row_.push_back(static_cast<double>(count));
    const double none = std::numeric_limits<double>::quiet_NaN();
    for (const Moments& m : line) row_.push_back(m.count > 0 ? m.mean : none);
    for (const Moments& m : line) row_.push_back(m.deviation());
    for (const Moments& m : line) row_.push_back(m.count > 0 ? m.least : none);
    for (const Moments& m : line) row_.push_back(m.count > 0 ? m.most : none);
    sink_.sample(plan_.times[t], row_);
  }
  sink_.finish();
}

} // namespace lmc::runtime
