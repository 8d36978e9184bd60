#include "tool/view/Recorder.h"

#include "tool/plot/RunPlot.h"

#include <algorithm>
#include <cmath>

namespace lmc::tool {

namespace {

constexpr std::size_t seriesLimit = 8, plotLimit = 8, rowLimit = 20000, enoughRows = 3000, stepLimitOfPage = 4000;
constexpr double largestTurn = 0.3; // rad between two samples

} // namespace

PageRecorder::PageRecorder(const runtime::Problem& problem, const products::ShownScene& scene, double numbers,
                           runtime::Sink* next)
    : PassingSink(next), problem_(problem), scene_(scene), columns_(problem.columns()),
      place_(columns_.size(), static_cast<std::size_t>(-1)) {
  choosePlots();
  double shown = 1;
  const auto keepAll = [&](const products::SceneColumns& c) {
    const auto size = static_cast<std::size_t>(c.members) * static_cast<std::size_t>(c.shape.size());
    for (std::size_t k = 0; k < size; ++k) keep(c.first + k);
    const double width = c.form == sema::ShapeForm::Turn                                          ? 4
                         : c.form == sema::ShapeForm::Place || c.form == sema::ShapeForm::Lengths ? 3
                                                                                                  : 1;
    if (c.form != sema::ShapeForm::Inertia) shown += width * static_cast<double>(c.members);
  };
  for (const products::ShownShape& s : scene.shapes)
    for (const products::SceneColumns& a : s.arguments) keepAll(a);
  for (const products::SceneColumns& c : scene.up) keepAll(c);
  for (const PagePlot& p : plots_)
    for (const auto& [name, column] : p.series) {
      keep(column);
      shown += 1;
    }
  limit_ = static_cast<std::size_t>(std::clamp(numbers / shown, 2.0, static_cast<double>(rowLimit)));
}

void PageRecorder::keep(std::size_t column) {
  if (place_[column] != static_cast<std::size_t>(-1)) return;
  place_[column] = kept_.size();
  kept_.push_back(column);
}

void PageRecorder::choosePlots() {
  const runtime::Field* const energy = problem_.field(runtime::FieldKind::Energy);
  for (std::size_t k = 0; k < scene_.ownColumns; ++k) {
    const runtime::Column& c = columns_[k];
    if (energy != nullptr && c.role == runtime::Role::Output && c.offset == energy->offset)
      plots_.push_back({"energy error", "|E − E(0)| / max(1, |E(0)|)", {{"energy", k}}, true, true});
  }
  PagePlot defects{"defects", "how far the state is from its manifolds", {}, false, true};
  for (const products::SceneColumns& d : scene_.defects) defects.series.emplace_back(d.name, d.first);
  if (defects.series.size() > seriesLimit) defects.series.resize(seriesLimit);
  if (!defects.series.empty()) plots_.push_back(std::move(defects));
  for (const ShownField& field : shownFields(problem_, scene_.ownColumns, plotLimit - plots_.size(), seriesLimit)) {
    PagePlot plot{field.name, field.note, {}, false, false};
    for (std::size_t k = 0; k < field.columns.size(); ++k) plot.series.emplace_back(field.names[k], field.columns[k]);
    plots_.push_back(std::move(plot));
  }
}

void PageRecorder::begin(const std::vector<runtime::Entry>& columns) {
  PassingSink::begin({columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(scene_.ownColumns)});
}

void PageRecorder::halve() {
  const std::size_t width = kept_.size();
  const std::size_t half = (times_.size() + 1) / 2;
  for (std::size_t r = 1; r < half; ++r) {
    times_[r] = times_[2 * r];
    std::copy_n(numbers_.begin() + static_cast<std::ptrdiff_t>(2 * r * width), width,
                numbers_.begin() + static_cast<std::ptrdiff_t>(r * width));
  }
  times_.resize(half);
  numbers_.resize(half * width);
  stride_ *= 2;
}

void PageRecorder::sample(double t, std::span<const double> values) {
  PassingSink::sample(t, values.first(scene_.ownColumns));
  lastTime_ = t;
  last_.clear();
  for (const std::size_t column : kept_) last_.push_back(values[column]);
  if (samples_++ % stride_ != 0) return;
  if (times_.size() >= 2 * limit_) {
    halve();
    if ((samples_ - 1) % stride_ != 0) return;
  }
  times_.push_back(t);
  numbers_.insert(numbers_.end(), last_.begin(), last_.end());
}

/// The largest angle of an orientation between rows of this distance.
double PageRecorder::turnOver(std::size_t distance) const {
  double largest = 0;
  for (const products::ShownShape& s : scene_.shapes) {
    const products::SceneColumns* turned = s.argument("turned");
    if (turned == nullptr) continue;
    const auto n = static_cast<std::size_t>(turned->shape.rows);
    for (std::size_t r = distance; r < rows(); r += distance)
      for (std::size_t m = 0; m < static_cast<std::size_t>(turned->members); ++m) {
        double trace = 0; // of the rotation from one to the other
        for (std::size_t k = 0; k < n * n; ++k)
          trace += at(r - distance, turned->first + m * n * n + k) * at(r, turned->first + m * n * n + k);
        const double cosine = n == 3 ? (trace - 1) / 2 : trace / 2;
        if (cosine < 1) largest = std::max(largest, std::acos(std::max(-1.0, cosine)));
      }
  }
  return largest;
}

void PageRecorder::finish() {
  PassingSink::finish();
  while (times_.size() + 1 > std::max<std::size_t>(limit_, 3)) halve();
  while (times_.size() > enoughRows && turnOver(2) <= largestTurn) halve();
  if (times_.empty() || times_.back() >= lastTime_) return;
  times_.push_back(lastTime_); // the end belongs to the picture
  numbers_.insert(numbers_.end(), last_.begin(), last_.end());
}

void PageRecorder::tried(const runtime::StepTrial& trial) {
  if (!trial.accepted || stepCount_++ % stepStride_ != 0) return;
  if (steps_.size() >= stepLimitOfPage) {
    for (std::size_t k = 1; 2 * k < steps_.size(); ++k) steps_[k] = steps_[2 * k];
    steps_.resize((steps_.size() + 1) / 2);
    stepStride_ *= 2;
    if ((stepCount_ - 1) % stepStride_ != 0) return;
  }
  steps_.emplace_back(trial.time, trial.step);
}

} // namespace lmc::tool
