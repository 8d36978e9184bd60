#include "runtime/run/Sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lmc::runtime {

namespace {

/// The larger of both; a value that is no number wins and stays.
double larger(double a, double b) {
  return a >= b || std::isnan(a) ? a : b;
}

/// How far a constraint is off that does not hold, where no number of the state is above 1. Its equation may be of any
/// degree: where numbers are larger, by their square.
constexpr double missedBy = 1e-6;

} // namespace

bool isOfConstraint(const Problem& problem, const Field& field) {
  if (field.kind != FieldKind::Defect || field.of.ends_with('\'')) return false;
  const auto has = [&](const Field& f) {
    return f.kind == FieldKind::State && (f.name == field.of || f.of == field.of);
  };
  return std::none_of(problem.fields.begin(), problem.fields.end(), has);
}

bool mayBeMissed(double defect) {
  return std::abs(defect) > missedBy;
}

bool isMissed(double defect, std::span<const double> state) {
  double size = 0;
  for (const double x : state) size = std::max(size, std::abs(x));
  return std::abs(defect) > missedBy * std::max(1.0, size * size);
}

Sampler::Sampler(const Problem& problem, Workspace& workspace, Sink* sink)
    : problem_(&problem), workspace_(&workspace), sink_(sink) {
  std::size_t columnCount = 0;
  for (const Field& f : problem.fields) {
    if (f.kind == FieldKind::Energy && energy_ == nullptr) energy_ = workspace.numbers(f).data();
    if (f.kind == FieldKind::Defect) {
      if (isOfConstraint(problem, f)) constraints_.push_back(defects_.size());
      defects_.push_back({f.of, 0});
      defectPlaces_.push_back(workspace.numbers(f).data());
    }
    if (!f.written) continue;
    places_.push_back(workspace.numbers(f));
    columnCount += places_.back().size();
    if (f.role == Role::Output) continue;
    observed_ = columnCount;
    observedField_ = places_.size();
  }
  if (sink != nullptr) row_.resize(columnCount);
}

const Entry& Sampler::entry(std::size_t column) {
  if (columns_.empty()) columns_ = problem_->columns();
  return columns_[column].entry;
}

void Sampler::begin() {
  if (sink_ == nullptr) return;
  std::vector<Entry> entries;
  entries.reserve(row_.size());
  for (std::size_t k = 0; k < row_.size(); ++k) entries.push_back(entry(k));
  sink_->begin(entries);
}

std::int32_t Sampler::sample(double t) {
  const std::int32_t status = workspace_->observe(t);
  if (status != Ok) return status;
  record(t);
  ++samples_;
  if (sink_ == nullptr) return Ok;
  double* next = row_.data();
  for (const std::span<const double> field : places_)
    for (const double x : field)
      *next++ = std::isnan(x) ? std::numeric_limits<double>::quiet_NaN() : x; // the bits of a NaN mean nothing
  sink_->sample(t, row_);
  return Ok;
}

void Sampler::findUndefined(double t) {
  std::size_t k = observed_;
  for (std::size_t i = observedField_; i < places_.size(); ++i) {
    for (const double& x : places_[i]) {
      const std::size_t column = k++;
      if (&x == energy_ ? std::isfinite(x) : !std::isnan(x)) continue;
      Undefined& u = undefined_[column];
      if (u.samples++ == 0) u = {entry(column).name(), t, 1, names(problem_->undefinable, entry(column))};
    }
  }
}

std::vector<Undefined> Sampler::undefined() const {
  std::vector<Undefined> list;
  for (const auto& [column, u] : undefined_) list.push_back(u);
  return list;
}

bool names(const std::vector<std::string>& list, const Entry& entry) {
  return std::find(list.begin(), list.end(), entry.field) != list.end();
}

void Sampler::findMissed(double t) {
  for (const std::size_t k : constraints_) {
    const double value = std::abs(*defectPlaces_[k]);
    if (!missed_ && mayBeMissed(value) && isMissed(value, workspace_->state()))
      missed_ = Missed{defects_[k].name, t, value};
  }
}

void Sampler::record(double t) {
  findUndefined(t);
  findMissed(t);
  if (energy_ != nullptr) {
    if (samples_ == 0) firstEnergy_ = *energy_;
    energyDifference_ = larger(energyDifference_, std::abs(*energy_ - firstEnergy_));
  }
  for (std::size_t i = 0; i < defects_.size(); ++i)
    defects_[i].value = larger(defects_[i].value, std::abs(*defectPlaces_[i]));
}

Sampler::Memory Sampler::memory() const {
  Memory m{samples_, firstEnergy_, energyDifference_, {}, {}};
  for (const Defect& d : defects_) m.defects.push_back(d.value);
  for (const auto& [column, u] : undefined_)
    m.undefined.push_back({u.name, {2}, {u.time, static_cast<double>(u.samples)}});
  return m;
}

void Sampler::restore(const Memory& m) {
  samples_ = m.count;
  firstEnergy_ = m.firstEnergy;
  energyDifference_ = m.energyDifference;
  for (std::size_t k = 0; k < std::min(defects_.size(), m.defects.size()); ++k) defects_[k].value = m.defects[k];
  for (std::size_t k = observed_; !m.undefined.empty() && k < problem_->columnCount(); ++k) {
    const std::string name = entry(k).name();
    for (const NamedArray& u : m.undefined)
      if (u.name == name && u.values.size() == 2)
        undefined_[k] = {name, u.values[0], static_cast<std::int64_t>(u.values[1]),
                         names(problem_->undefinable, entry(k))};
  }
}

std::optional<double> Sampler::energyError() const {
  if (energy_ == nullptr || samples_ == 0) return std::nullopt;
  return energyDifference_ / energyScale(firstEnergy_);
}

double energyScale(double first) {
  return std::max(1.0, std::abs(first));
}

} // namespace lmc::runtime
