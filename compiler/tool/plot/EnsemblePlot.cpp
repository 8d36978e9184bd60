#include "tool/plot/EnsemblePlot.h"

#include "tool/plot/Surface.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc::tool {

namespace {

constexpr std::size_t mostPanelsOfEnsemble = 4, mostBands = 3, mostEnds = 8;

} // namespace

EnsemblePlot::EnsemblePlot(const runtime::EnsembleProblem& problem, const runtime::EnsemblePlan& plan,
                           runtime::EnsembleSink* next)
    : problem_(problem), plan_(plan), next_(next) {
  const std::size_t columns = problem.problem.columnCount();
  const bool final = single();
  fields_ = shownFields(problem.problem, columns, mostPanelsOfEnsemble, final ? mostEnds : mostBands);
  if (!final) moments_.resize(plan.times.size() * columns);
  for (const ShownField& f : fields_) ends_.emplace_back(final ? f.columns.size() : 0);
}

void EnsemblePlot::take(const runtime::EnsembleBlock& block) {
  if (next_ != nullptr) next_->take(block);
  const std::size_t columns = problem_.problem.columnCount(), times = plan_.times.size();
  if (plan_.keep == runtime::EnsembleKeep::Statistics) {
    for (std::size_t k = 0; k < moments_.size(); ++k) moments_[k].add(block.moments[k]);
    return;
  }
  const std::size_t varied = problem_.varied.size();
  for (std::size_t s = 0; s < static_cast<std::size_t>(block.count); ++s) {
    if (!single()) {
      for (std::size_t k = 0; k < times * columns; ++k) moments_[k].add(block.rows[s * times * columns + k]);
      continue;
    }
    const double x = varied > 0 ? block.varied[s * varied] : static_cast<double>(block.first) + static_cast<double>(s);
    if (varied > 1) second_.push_back(block.varied[s * varied + 1]);
    for (std::size_t f = 0; f < fields_.size(); ++f)
      for (std::size_t k = 0; k < fields_[f].columns.size(); ++k) {
        ends_[f][k].x.push_back(x);
        ends_[f][k].y.push_back(block.rows[s * columns + fields_[f].columns[k]]);
      }
  }
}

Panel EnsemblePlot::overTime(const ShownField& field) const {
  const std::size_t columns = problem_.problem.columnCount();
  Panel p{"", {"t"}, {field.name + (field.note.empty() ? "" : " (" + field.note + ")")}, {}, {}};
  for (std::size_t k = 0; k < field.columns.size(); ++k) {
    const std::string name = field.names[k];
    Curve mean{"mean of " + name, {}, {}};
    Band deviation{k == 0 ? "± deviation" : "", {}, {}, {}, static_cast<int>(k)};
    Band extremes{k == 0 ? "extremes" : "", {}, {}, {}, static_cast<int>(k)};
    for (std::size_t t = 0; t < plan_.times.size(); ++t) {
      const runtime::Moments& m = moments_[t * columns + field.columns[k]];
      if (!m.finite()) continue;
      mean.x.push_back(plan_.times[t]);
      mean.y.push_back(m.mean);
      const double d = m.count > 1 ? m.deviation() : 0;
      deviation.low.push_back(m.mean - d);
      deviation.high.push_back(m.mean + d);
      extremes.low.push_back(m.least);
      extremes.high.push_back(m.most);
    }
    deviation.x = extremes.x = mean.x;
    p.bands.push_back(std::move(extremes));
    p.bands.push_back(std::move(deviation));
    p.curves.push_back(std::move(mean));
  }
  return p;
}

bool EnsemblePlot::overGrid() const {
  if (!single() || problem_.varied.size() != 2) return false;
  return std::all_of(problem_.variations.begin(), problem_.variations.end(), [](const std::string& typed) {
    const std::size_t at = typed.find('~');
    return at != std::string::npos && typed.find("grid(", at) != std::string::npos;
  });
}

Panel EnsemblePlot::scattered(std::size_t field) const {
  const ShownField& shown = fields_[field];
  Panel p{"", {problem_.varied.empty() ? "sample" : problem_.varied.front().name()}, {shown.name + where()}, {}, {}};
  for (std::size_t k = 0; k < shown.columns.size(); ++k) {
    Curve c = ends_[field][k];
    c.name = shown.columns.size() > 1 ? shown.names[k] : "";
    c.mark = Mark::Points;
    std::vector<std::size_t> order(c.x.size()); // so that thinning keeps what stands out
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return c.x[a] < c.x[b]; });
    Curve sorted = c;
    for (std::size_t i = 0; i < order.size(); ++i) {
      sorted.x[i] = c.x[order[i]];
      sorted.y[i] = c.y[order[i]];
    }
    thin(sorted);
    p.curves.push_back(std::move(sorted));
  }
  return p;
}

Figure EnsemblePlot::figure() const {
  const runtime::Problem& problem = problem_.problem;
  Figure figure{fmt::format("{}, {}, {} samples", problem.model, problem.method, problem_.samples), {}};
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    const ShownField& field = fields_[f];
    if (!single()) {
      figure.panels.push_back(overTime(field));
    } else if (overGrid()) {
      for (std::size_t k = 0; k < field.columns.size() && figure.panels.size() < mostPanelsOfEnsemble; ++k) {
        const std::string x = problem_.varied[0].name(), y = problem_.varied[1].name();
        Panel p{"", {x}, {y}, {}, {}};
        p.surface = surfaceOf(x, ends_[f][k].x, y, second_, field.names[k] + where(), ends_[f][k].y);
        figure.panels.push_back(std::move(p));
      }
    } else {
      figure.panels.push_back(scattered(f));
    }
  }
  return figure;
}

} // namespace lmc::tool
