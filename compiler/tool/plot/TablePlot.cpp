#include "tool/plot/TablePlot.h"

#include "diagnostics/Diagnostics.h"
#include "tool/plot/Surface.h"
#include "tool/support/Arguments.h"
#include "tool/support/Option.h"
#include "tool/support/Report.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace lmc::tool {

runtime::InputTable readRows(const std::string& file) {
  requireReadable(file);
  try {
    runtime::InputTable table = runtime::readInput(file);
    warn(table.leftOut);
    if (table.rows() == 0) throw UsageError("`" + file + "` has no rows");
    return table;
  } catch (const runtime::InputError& error) {
    throw UsageError(error.what());
  }
}

namespace {

constexpr std::size_t mostPanels = 4, mostCurves = 8;
constexpr const char *timeName = "t", *energyName = "energy";

/// Columns of a table that one name means.
std::vector<const runtime::InputColumn*> columnsOf(const NamedTable& t, const std::string& name) {
  std::vector<const runtime::InputColumn*> found = t.table.field(name);
  if (!found.empty()) return found;
  if (const runtime::InputColumn* column = t.table.find(name)) return {column};
  for (const runtime::InputColumn& c : t.table.columns) // a member of a family, a row of a matrix
    for (std::size_t k = 1; k < c.entry.index.size(); ++k)
      if (runtime::Entry{c.entry.field, {c.entry.index.begin(), c.entry.index.begin() + static_cast<std::ptrdiff_t>(k)}}
              .name() == name)
        found.push_back(&c);
  if (!found.empty()) return found;
  std::vector<std::string> names = t.table.fields();
  for (const runtime::InputColumn& c : t.table.columns) names.push_back(c.entry.name());
  const std::string near = nearest(name, names);
  throw UsageError(fmt::format("`{}` has no column `{}`{}", t.name, name,
                               near.empty() ? "; it has " + fmt::format("{}", fmt::join(t.table.fields(), ", "))
                                            : "; did you mean `" + near + "`?"));
}

const runtime::InputColumn& axisOf(const NamedTable& t, const std::string& name, const char* option) {
  const auto found = columnsOf(t, name);
  if (found.size() > 1)
    throw UsageError(fmt::format("{} takes one column; `{}` has {}: {}, ...", option, name, found.size(),
                                 found.front()->entry.name()));
  return *found.front();
}

const runtime::InputColumn& xOf(const TablePlot& plot, const NamedTable& t) {
  if (plot.x) return axisOf(t, *plot.x, "--x");
  const runtime::InputColumn* const time = t.table.find(timeName);
  return time != nullptr ? *time : t.table.columns.front();
}

/// Panels for who asks for none: the energy, and the fields that were written behind it, else all.
std::vector<std::vector<std::string>> usualPanels(const TablePlot& plot, const NamedTable& t) {
  const std::string x = xOf(plot, t).entry.field;
  std::vector<std::string> all = t.table.fields();
  std::erase(all, x);
  const auto energy = std::find(all.begin(), all.end(), energyName);
  std::vector<std::vector<std::string>> panels;
  if (energy != all.end()) panels.push_back({energyName});
  const bool observed = energy != all.end() && energy + 1 != all.end();
  for (auto field = observed ? energy + 1 : all.begin(); field != all.end() && panels.size() < mostPanels; ++field)
    if (*field != energyName) panels.push_back({*field});
  return panels;
}

/// The norm of columns at each row, of themselves or of their differences from `from` (as many) at rows of `rows`.
std::vector<double> normOf(const std::vector<const runtime::InputColumn*>& columns, bool change) {
  std::vector<double> norm(columns.front()->values.size(), 0);
  for (const runtime::InputColumn* c : columns)
    for (std::size_t r = 0; r < norm.size(); ++r)
      norm[r] = std::hypot(norm[r], c->values[r] - (change ? c->values[0] : 0));
  return norm;
}

std::string joined(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

/// For each row of a table the row of the reference with the same x; -1: there is none.
std::vector<std::ptrdiff_t> rowsOfReference(const std::vector<double>& x, const std::vector<double>& of) {
  std::vector<std::ptrdiff_t> rows;
  std::size_t at = 0;
  const double length = of.empty() ? 0 : std::abs(of.back() - of.front());
  for (const double t : x) {
    while (at + 1 < of.size() && std::abs(of[at + 1] - t) <= std::abs(of[at] - t)) ++at;
    const bool same = at < of.size() && std::abs(of[at] - t) <= 1e-9 * std::max(length, std::abs(t));
    rows.push_back(same ? static_cast<std::ptrdiff_t>(at) : -1);
  }
  return rows;
}

class Plotter {
public:
  Plotter(const TablePlot& plot, const std::vector<NamedTable>& tables) : plot_(plot), tables_(tables) {}

  Figure figure() {
    Figure figure{plot_.title, {}};
    std::vector<std::vector<std::string>> panels = plot_.panels;
    const bool usual = panels.empty();
    if (usual) panels = usualPanels(plot_, tables_.front());
    if (plot_.y) return surfaces(std::move(figure), panels);
    if (usual && plot_.reference != nullptr) {
      figure.panels.push_back(errors(fieldsOf(tables_.front()), true));
      return figure;
    }
    for (const std::vector<std::string>& names : panels) {
      if (plot_.reference != nullptr)
        figure.panels.push_back(errors(names, false));
      else
        figure.panels.push_back(panel(names, usual && names.front() == energyName));
    }
    return figure;
  }

private:
  [[nodiscard]] std::vector<std::string> fieldsOf(const NamedTable& t) const {
    std::vector<std::string> all = t.table.fields();
    std::erase(all, xOf(plot_, t).entry.field);
    if (all.size() > mostCurves) all.resize(mostCurves);
    return all;
  }

  [[nodiscard]] std::string named(const NamedTable& t, const std::string& what) const {
    if (tables_.size() == 1) return what;
    return what.empty() ? t.name : t.name + ": " + what;
  }

  [[nodiscard]] Axis xAxis() const { return {xOf(plot_, tables_.front()).entry.name(), plot_.logX}; }

  /// Of an axis that is shorter than the names of many columns: the family of all, or the first; the legend has the
  /// rest. `longest`: characters.
  [[nodiscard]] std::string labelOf(const std::vector<std::string>& names, std::size_t longest) const {
    std::string all = joined(names);
    if (names.size() < 2 || all.size() <= longest) return all;
    std::set<std::string> families;
    for (const std::string& name : names)
      for (const runtime::InputColumn* c : columnsOf(tables_.front(), name)) families.insert(c->entry.field);
    return families.size() == 1 ? *families.begin() : names.front() + ", …";
  }

  Panel panel(const std::vector<std::string>& names, bool energy) {
    Panel p{"", xAxis(), {labelOf(names, 30), plot_.logY}, {}, {}};
    const bool change = plot_.change || energy;
    if (change && !plot_.norm && names.size() > 1)
      p.y.label = "change of " + labelOf(names, 20);
    else if (plot_.norm)
      p.y.label = change ? fmt::format("|{0} − {0}(0)|", p.y.label) : "|" + p.y.label + "|";
    else if (change)
      p.y.label = fmt::format("{0} − {0}(0)", p.y.label);
    std::size_t left = 0;
    for (const NamedTable& t : tables_) {
      const runtime::InputColumn& x = xOf(plot_, t);
      std::vector<const runtime::InputColumn*> columns;
      for (const std::string& name : names)
        for (const runtime::InputColumn* c : columnsOf(t, name)) columns.push_back(c);
      if (plot_.norm) {
        add(p, {named(t, ""), x.values, normOf(columns, change)});
        continue;
      }
      if (columns.size() > mostCurves) {
        left = columns.size();
        columns.resize(mostCurves);
      }
      for (const runtime::InputColumn* c : columns) {
        Curve curve{named(t, columns.size() > 1 ? c->entry.name() : ""), x.values, c->values};
        if (change)
          for (double& y : curve.y) y -= c->values.front();
        add(p, std::move(curve));
      }
    }
    if (left > 0) p.y.label += fmt::format(" (the first {} of {})", mostCurves, left);
    return p;
  }

  /// A panel for each column, seen from above.
  Figure surfaces(Figure figure, const std::vector<std::vector<std::string>>& panels) {
    const NamedTable& t = tables_.front();
    const runtime::InputColumn &x = xOf(plot_, t), &y = axisOf(t, *plot_.y, "--y");
    for (const std::vector<std::string>& names : panels)
      for (const std::string& name : names)
        for (const runtime::InputColumn* z : columnsOf(t, name)) {
          if (z == &x || z == &y || figure.panels.size() == mostPanels) continue;
          Panel p{"", {x.entry.name()}, {y.entry.name()}, {}, {}};
          p.surface = surfaceOf(x.entry.name(), x.values, y.entry.name(), y.values, z->entry.name(), z->values);
          figure.panels.push_back(std::move(p));
        }
    return figure;
  }

  /// Norms of differences from the reference: one of all names together, or one of each.
  Panel errors(const std::vector<std::string>& names, bool each) {
    Panel p{"", xAxis(), {each ? "error" : "|" + joined(names) + " − " + plot_.reference->name + "|", true}, {}, {}};
    const NamedTable& reference = *plot_.reference;
    for (const NamedTable& t : tables_) {
      const runtime::InputColumn& x = xOf(plot_, t);
      const std::vector<std::ptrdiff_t> rows = rowsOfReference(x.values, xOf(plot_, reference).values);
      if (std::all_of(rows.begin(), rows.end(), [](std::ptrdiff_t r) { return r < 0; }))
        throw UsageError(fmt::format("no row of `{}` has the {} of one of `{}`; sample both with the same --every",
                                     t.name, x.entry.name(), reference.name));
      std::vector<std::vector<std::string>> groups = {names};
      if (each) {
        groups.clear();
        for (const std::string& name : names) groups.push_back({name});
      }
      for (const std::vector<std::string>& group : groups) {
        Curve curve{named(t, each ? group.front() : ""), {}, {}};
        std::vector<double> norms(rows.size(), 0);
        for (const std::string& name : group) {
          const auto mine = columnsOf(t, name), other = columnsOf(reference, name);
          if (mine.size() != other.size())
            throw UsageError(fmt::format("`{}` has {} columns of `{}`, `{}` has {}", t.name, mine.size(), name,
                                         reference.name, other.size()));
          for (std::size_t k = 0; k < mine.size(); ++k)
            for (std::size_t r = 0; r < rows.size(); ++r)
              if (rows[r] >= 0)
                norms[r] =
                    std::hypot(norms[r], mine[k]->values[r] - other[k]->values[static_cast<std::size_t>(rows[r])]);
        }
        for (std::size_t r = 0; r < rows.size(); ++r)
          if (rows[r] >= 0) {
            curve.x.push_back(x.values[r]);
            curve.y.push_back(norms[r]);
          }
        add(p, std::move(curve));
      }
    }
    return p;
  }

  static void add(Panel& p, Curve curve) {
    thin(curve);
    p.curves.push_back(std::move(curve));
  }

  const TablePlot& plot_;
  const std::vector<NamedTable>& tables_;
};

} // namespace

Figure figureOf(const TablePlot& plot, const std::vector<NamedTable>& tables) {
  return Plotter(plot, tables).figure();
}

} // namespace lmc::tool
