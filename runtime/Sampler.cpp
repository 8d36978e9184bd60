#include "runtime/Sampler.h"

#include <algorithm>
#include <cmath>

namespace lmc {

namespace {

/// The larger of both; a value that is no number wins and stays.
double larger(double a, double b) {
  return a >= b || std::isnan(a) ? a : b;
}

} // namespace

Sampler::Sampler(const Problem& problem, Workspace& workspace, Sink* sink)
    : problem_(&problem), workspace_(&workspace), sink_(sink), row_(problem.columns.size()) {
  for (const Column& column : problem.columns) places_.push_back(workspace.place(column));
  for (const DefectOutput& defect : problem.defects) defects_.push_back({defect.name, 0});
}

void Sampler::begin() {
  if (sink_ == nullptr) return;
  std::vector<std::string> names;
  names.reserve(problem_->columns.size());
  for (const Column& column : problem_->columns) names.push_back(column.name);
  sink_->begin(names);
}

std::int32_t Sampler::sample(double t) {
  const std::int32_t status = workspace_->observe(t);
  if (status != tape::Ok) return status;
  record();
  ++samples_;
  if (sink_ == nullptr) return tape::Ok;
  for (std::size_t i = 0; i < places_.size(); ++i) row_[i] = *places_[i];
  sink_->sample(t, row_);
  return tape::Ok;
}

void Sampler::record() {
  const std::span<const double> output = workspace_->output();
  if (problem_->energyOffset >= 0) {
    const double energy = output[static_cast<std::size_t>(problem_->energyOffset)];
    if (samples_ == 0) firstEnergy_ = energy;
    energyDifference_ = larger(energyDifference_, std::abs(energy - firstEnergy_));
  }
  for (std::size_t i = 0; i < defects_.size(); ++i)
    defects_[i].value =
        larger(defects_[i].value, std::abs(output[static_cast<std::size_t>(problem_->defects[i].offset)]));
}

Sampler::Memory Sampler::memory() const {
  Memory m{samples_, firstEnergy_, energyDifference_, {}};
  for (const Defect& d : defects_) m.defects.push_back(d.value);
  return m;
}

void Sampler::restore(const Memory& m) {
  samples_ = m.count;
  firstEnergy_ = m.firstEnergy;
  energyDifference_ = m.energyDifference;
  for (std::size_t k = 0; k < std::min(defects_.size(), m.defects.size()); ++k) defects_[k].value = m.defects[k];
}

std::optional<double> Sampler::energyError() const {
  if (problem_->energyOffset < 0 || samples_ == 0) return std::nullopt;
  return energyDifference_ / energyScale(firstEnergy_);
}

double energyScale(double first) {
  return std::max(1.0, std::abs(first));
}

} // namespace lmc
