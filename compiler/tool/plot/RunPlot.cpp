#include "tool/plot/RunPlot.h"

#include "runtime/run/Sampler.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace lmc::tool {

namespace {

constexpr std::size_t none = static_cast<std::size_t>(-1), mostFields = 4, mostEntries = 8;

} // namespace

std::vector<ShownField> shownFields(const runtime::Problem& problem, std::size_t own, std::size_t fields,
                                    std::size_t entries) {
  std::vector<std::string> order;
  std::map<std::string, std::vector<std::size_t>> groups;
  const std::vector<runtime::Column> columns = problem.columns();
  const runtime::Field* const energy = problem.field(runtime::FieldKind::Energy);
  const auto take = [&](runtime::Role role) {
    for (std::size_t k = 0; k < own; ++k) {
      const runtime::Column& c = columns[k];
      if (c.role != role || (role == runtime::Role::Output && energy != nullptr && c.offset == energy->offset))
        continue;
      if (!groups.contains(c.entry.field)) order.push_back(c.entry.field);
      groups[c.entry.field].push_back(k);
    }
  };
  take(runtime::Role::Output);
  if (order.empty()) take(runtime::Role::State);
  std::vector<ShownField> shown;
  for (const std::string& name : order) {
    if (shown.size() == fields) break;
    ShownField f{name, "", groups[name], {}};
    if (f.columns.size() > entries) {
      f.note = fmt::format("the first {} of {}", entries, f.columns.size());
      f.columns.resize(entries);
    }
    for (const std::size_t k : f.columns) f.names.push_back(columns[k].entry.name());
    shown.push_back(std::move(f));
  }
  return shown;
}

void PlotRecorder::begin(const std::vector<runtime::Entry>& columns) {
  PassingSink::begin(columns);
  const std::size_t own = columns.size();
  fields_ = shownFields(problem_, own, mostFields, mostEntries);
  for (const ShownField& f : fields_) curves_.emplace_back(f.columns.size());
  const std::vector<runtime::Column> all = problem_.columns();
  if (const runtime::Field* const energy = problem_.field(runtime::FieldKind::Energy))
    for (std::size_t k = 0; k < own; ++k)
      if (all[k].role == runtime::Role::Output && all[k].offset == energy->offset) energy_ = k;
}

void PlotRecorder::sample(double t, std::span<const double> values) {
  PassingSink::sample(t, values);
  if (energy_ != none) {
    if (!begun_) firstEnergy_ = values[energy_];
    const double e = values[energy_];
    energyCurve_.add(t, problem_.energyChanges ? e : (e - firstEnergy_) / runtime::energyScale(firstEnergy_));
  }
  begun_ = true;
  for (std::size_t f = 0; f < fields_.size(); ++f)
    for (std::size_t k = 0; k < fields_[f].columns.size(); ++k) curves_[f][k].add(t, values[fields_[f].columns[k]]);
}

Figure PlotRecorder::figure() const {
  Figure figure{problem_.model + ", " + problem_.method, {}};
  if (energy_ != none) {
    Panel p{"", {"t"}, {problem_.energyChanges ? "energy" : "(E − E(0)) / max(1, |E(0)|)"}, {}, {}};
    Curve c;
    energyCurve_.give(c);
    p.curves.push_back(std::move(c));
    figure.panels.push_back(std::move(p));
  }
  for (std::size_t f = 0; f < fields_.size(); ++f) {
    const ShownField& field = fields_[f];
    Panel p{"", {"t"}, {field.name + (field.note.empty() ? "" : " (" + field.note + ")")}, {}, {}};
    for (std::size_t k = 0; k < field.columns.size(); ++k) {
      Curve c;
      if (field.columns.size() > 1) c.name = field.names[k];
      curves_[f][k].give(c);
      p.curves.push_back(std::move(c));
    }
    figure.panels.push_back(std::move(p));
  }
  return figure;
}

} // namespace lmc::tool
