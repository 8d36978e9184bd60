#include "runtime/ensemble/Output.h"

#include <algorithm>

namespace lmc::runtime {

EnsembleTable::EnsembleTable(EnsembleShape shape, Sink& sink) : shape_(std::move(shape)), sink_(sink) {
  if (shape_.keep == EnsembleKeep::Statistics) {
    moments_.resize(shape_.times.size() * shape_.columns.size());
    return; // which columns there are is known at the end
  }
  std::vector<Entry> entries = {{"sample", {}}, {"status", {}}};
  for (const Entry& v : shape_.varied) entries.push_back({"vary_" + v.field, v.index});
  entries.insert(entries.end(), shape_.columns.begin(), shape_.columns.end());
  sink_.begin(entries);
}

void EnsembleTable::take(const EnsembleBlock& block) {
  if (shape_.keep != EnsembleKeep::Statistics) return lines(block);
  for (std::size_t k = 0; k < moments_.size(); ++k) moments_[k].add(block.moments[k]);
}

void EnsembleTable::lines(const EnsembleBlock& block) {
  const std::size_t columns = shape_.columns.size(), times = shape_.times.size(), varied = shape_.varied.size();
  row_.resize(2 + varied + columns);
  for (std::size_t k = 0; k < static_cast<std::size_t>(block.count); ++k) {
    row_[0] = static_cast<double>(block.first) + static_cast<double>(k);
    row_[1] = block.statuses[k];
    std::copy_n(block.varied.begin() + static_cast<std::ptrdiff_t>(k * varied), varied, row_.begin() + 2);
    for (std::size_t t = 0; t < times; ++t) {
      std::copy_n(block.rows.begin() + static_cast<std::ptrdiff_t>((k * times + t) * columns), columns,
                  row_.begin() + 2 + static_cast<std::ptrdiff_t>(varied));
      sink_.sample(shape_.keep == EnsembleKeep::Final ? block.ends[k] : shape_.times[t], row_);
    }
  }
}

void EnsembleTable::finish() {
  if (shape_.keep == EnsembleKeep::Statistics) statistics();
  sink_.finish();
}

void EnsembleTable::statistics() {
  const std::size_t columns = shape_.columns.size(), times = shape_.times.size();
  const auto line = [&](std::size_t t) { return std::span(moments_).subspan(t * columns, columns); };
  std::vector<std::int64_t> counts(times, 0); // of samples that got there
  for (std::size_t t = 0; t < times; ++t)
    for (const Moments& m : line(t)) counts[t] = std::max(counts[t], m.count);

  std::vector<Entry> entries = {{"count", {}}};
  for (const char* suffix : {"_mean", "_deviation", "_min", "_max"})
    for (const Entry& c : shape_.columns) entries.push_back({c.field + suffix, c.index});
  std::vector<std::size_t> fewer; // columns that are not a number in some samples
  for (std::size_t k = 0; k < columns; ++k) {
    bool some = false;
    for (std::size_t t = 0; t < times; ++t) some = some || line(t)[k].count < counts[t];
    if (some) fewer.push_back(k);
  }
  for (const std::size_t k : fewer) entries.push_back({shape_.columns[k].field + "_count", shape_.columns[k].index});
  sink_.begin(entries);

  for (std::size_t t = 0; t < times; ++t) {
    row_ = {static_cast<double>(counts[t])};
    const double none = std::numeric_limits<double>::quiet_NaN();
    for (const Moments& m : line(t)) row_.push_back(m.average());
    for (const Moments& m : line(t)) row_.push_back(m.deviation());
    for (const Moments& m : line(t)) row_.push_back(m.count > 0 ? m.least : none);
    for (const Moments& m : line(t)) row_.push_back(m.count > 0 ? m.most : none);
    for (const std::size_t k : fewer) row_.push_back(static_cast<double>(line(t)[k].count));
    sink_.sample(shape_.times[t], row_);
  }
}

} // namespace lmc::runtime
