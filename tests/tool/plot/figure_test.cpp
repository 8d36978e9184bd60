// Figures: what is kept of long curves, what is computed of tables, and that names are texts alone.
#include "tool/plot/Drawing.h"
#include "tool/plot/Scales.h"
#include "tool/plot/TablePlot.h"
#include "tool/support/Programs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numbers>
#include <regex>

using namespace lmc::runtime;
using namespace lmc::tool;
using namespace lmc;

namespace {

NamedTable tableOf(const std::string& name, const std::vector<std::pair<Entry, std::vector<double>>>& columns) {
  NamedTable t{name, {}};
  for (const auto& [entry, values] : columns) t.table.columns.push_back({entry, values});
  return t;
}

/// (3, 4) t at t = 0, 1, 2, and a scalar.
NamedTable line(const std::string& name, double offset = 0) {
  return tableOf(name, {{{"t", {}}, {0, 1, 2}},
                        {{"w", {1}}, {0 + offset, 3 + offset, 6 + offset}},
                        {{"w", {2}}, {0, 4, 8}},
                        {{"energy", {}}, {7, 7.5, 6}},
                        {{"x", {}}, {1, 10, 100}}});
}

Figure figureOfLine(const TablePlot& plot) {
  return figureOf(plot, {line("a")});
}

bool hasGnuplot() {
  return !findProgram("gnuplot").empty();
}

} // namespace

TEST(Thinner, KeepsWhatStandsOut) {
  Thinner thinner;
  const std::size_t n = 1000003;
  for (std::size_t k = 0; k < n; ++k) {
    double y = std::sin(1e-3 * static_cast<double>(k));
    if (k == 777777) y = 40;
    if (k == 123456) y = -50;
    thinner.add(static_cast<double>(k), y);
  }
  Curve c;
  thinner.give(c);
  EXPECT_LE(c.x.size(), 2800U);
  EXPECT_GE(c.x.size(), 700U);
  EXPECT_TRUE(std::is_sorted(c.x.begin(), c.x.end()));
  EXPECT_EQ(c.x.front(), 0);
  EXPECT_EQ(c.x.back(), static_cast<double>(n - 1));
  const auto most = std::max_element(c.y.begin(), c.y.end()), least = std::min_element(c.y.begin(), c.y.end());
  EXPECT_EQ(*most, 40);
  EXPECT_EQ(c.x[static_cast<std::size_t>(most - c.y.begin())], 777777);
  EXPECT_EQ(*least, -50);
  EXPECT_EQ(c.x[static_cast<std::size_t>(least - c.y.begin())], 123456);
  // Every kept point is one of the run.
  for (std::size_t k = 0; k < c.x.size(); ++k)
    EXPECT_EQ(c.y[k], c.y[k] > 30 ? 40 : c.y[k] < -30 ? -50 : std::sin(1e-3 * c.x[k]));
}

TEST(Thinner, KeepsGaps) {
  Thinner thinner;
  for (int k = 0; k < 100000; ++k)
    thinner.add(k, k >= 40000 && k < 60000 ? std::numeric_limits<double>::quiet_NaN() : 1);
  Curve c;
  thinner.give(c);
  bool gap = false;
  for (std::size_t k = 0; k < c.x.size(); ++k) {
    gap = gap || std::isnan(c.y[k]);
    EXPECT_TRUE(std::isnan(c.y[k]) || c.x[k] < 40000 || c.x[k] >= 60000);
  }
  EXPECT_TRUE(gap);
}

// What is infinite, or no number, hides nothing that stands beside it.
TEST(Thinner, KeepsWhatStandsBesideGaps) {
  Thinner thinner;
  for (int k = 0; k < 100000; ++k) {
    double y = std::sin(1e-3 * k);
    if (k % 50 == 7) y = std::numeric_limits<double>::infinity();
    if (k % 50 == 9) y = -std::numeric_limits<double>::infinity();
    if (k % 50 == 11) y = std::numeric_limits<double>::quiet_NaN();
    thinner.add(k, k == 50006 ? 40 : k == 70008 ? -50 : y);
  }
  Curve c;
  thinner.give(c);
  EXPECT_EQ(std::count(c.y.begin(), c.y.end(), 40), 1);
  EXPECT_EQ(std::count(c.y.begin(), c.y.end(), -50), 1);
}

TEST(TablePlot, ChoosesTheEnergyAndWhatIsObserved) {
  const Figure f = figureOfLine({});
  ASSERT_EQ(f.panels.size(), 2U);
  EXPECT_EQ(f.panels[0].y.label, "energy − energy(0)");
  EXPECT_EQ(f.panels[0].curves.at(0).y, (std::vector<double>{0, 0.5, -1}));
  EXPECT_EQ(f.panels[1].y.label, "x");
  EXPECT_EQ(f.panels[1].x.label, "t");
}

TEST(TablePlot, TakesNormsChangesAndErrors) {
  TablePlot plot;
  plot.panels = {{"w"}};
  EXPECT_EQ(figureOfLine(plot).panels.at(0).curves.size(), 2U);
  plot.norm = true;
  EXPECT_EQ(figureOfLine(plot).panels.at(0).curves.at(0).y, (std::vector<double>{0, 5, 10}));
  plot.norm = false;
  plot.panels = {{"w[2]"}};
  plot.x = "x";
  const Figure phase = figureOfLine(plot);
  EXPECT_EQ(phase.panels.at(0).curves.at(0).x, (std::vector<double>{1, 10, 100}));
  EXPECT_EQ(phase.panels.at(0).curves.at(0).y, (std::vector<double>{0, 4, 8}));
  // A reference with twice the rows: w[1] differs by 0.25 everywhere.
  TablePlot error;
  const NamedTable fine = tableOf("fine", {{{"t", {}}, {0, 0.5, 1, 1.5, 2}},
                                           {{"w", {1}}, {0.25, 9, 3.25, 9, 6.25}},
                                           {{"w", {2}}, {0, 9, 4, 9, 8}},
                                           {{"energy", {}}, {7, 9, 7.5, 9, 6}},
                                           {{"x", {}}, {1, 9, 10, 9, 100}}});
  error.reference = &fine;
  const Figure errors = figureOfLine(error);
  ASSERT_EQ(errors.panels.size(), 1U);
  EXPECT_TRUE(errors.panels[0].y.logarithmic);
  ASSERT_EQ(errors.panels[0].curves.size(), 3U);
  EXPECT_EQ(errors.panels[0].curves[0].name, "w");
  EXPECT_EQ(errors.panels[0].curves[0].y, (std::vector<double>{0.25, 0.25, 0.25}));
  EXPECT_EQ(errors.panels[0].curves[1].y, (std::vector<double>{0, 0, 0}));
  const NamedTable apart = tableOf("apart", {{{"t", {}}, {0.1}}, {{"w", {1}}, {0}}, {{"w", {2}}, {0}}});
  error.panels = {{"w"}};
  error.reference = &apart;
  EXPECT_THROW((void)figureOfLine(error), UsageError);
}

// Squares would be 0, or infinite.
TEST(TablePlot, TakesNormsOfNumbersOfAnySize) {
  TablePlot plot;
  plot.panels = {{"w"}};
  plot.norm = true;
  for (const double size : {1e-300, 1e300}) {
    const NamedTable t = tableOf("a", {{{"t", {}}, {0, 1}}, {{"w", {1}}, {0, 3 * size}}, {{"w", {2}}, {0, 4 * size}}});
    const NamedTable zero = tableOf("b", {{{"t", {}}, {0, 1}}, {{"w", {1}}, {0, 0}}, {{"w", {2}}, {0, 0}}});
    EXPECT_DOUBLE_EQ(figureOf(plot, {t}).panels.at(0).curves.at(0).y.at(1), 5 * size);
    TablePlot error;
    error.reference = &zero;
    EXPECT_DOUBLE_EQ(figureOf(error, {t}).panels.at(0).curves.at(0).y.at(1), 5 * size);
  }
}

TEST(TablePlot, MakesSurfacesOfGrids) {
  // z = 10 x + y over x = -1, 0, 1 and y = 0.1, 0.2, the rows in any order.
  NamedTable t = tableOf("grid", {{{"x", {}}, {0, -1, 1, 1, -1, 0}},
                                  {{"y", {}}, {0.2, 0.1, 0.2, 0.1, 0.2, 0.1}},
                                  {{"z", {}}, {0.2, -9.9, 10.2, 10.1, -9.8, 0.1}}});
  TablePlot plot;
  plot.x = "x";
  plot.y = "y";
  const Figure f = figureOf(plot, {t});
  ASSERT_EQ(f.panels.size(), 1U);
  ASSERT_TRUE(f.panels[0].surface.has_value());
  EXPECT_EQ(f.panels[0].surface->x, (std::vector<double>{-1, 0, 1}));
  EXPECT_EQ(f.panels[0].surface->y, (std::vector<double>{0.1, 0.2}));
  EXPECT_EQ(f.panels[0].surface->z, (std::vector<double>{-9.9, -9.8, 0.1, 0.2, 10.1, 10.2}));
  EXPECT_FALSE(f.empty());
  // Values that differ by rounding are one line of the grid.
  t.table.columns[1].values = {0.2, 0.1, 0.1 + 0.1, 0.1, 0.30000000000000004 - 0.1, 0.1};
  EXPECT_EQ(figureOf(plot, {t}).panels[0].surface->y.size(), 2U);
  // No grids: a pair that comes twice, rows that are missing, one line.
  t.table.columns[0].values[0] = 1;
  EXPECT_THROW((void)figureOf(plot, {t}), UsageError);
  for (InputColumn& c : t.table.columns) c.values.resize(5);
  EXPECT_THROW((void)figureOf(plot, {t}), UsageError);
  plot.y = "x";
  EXPECT_THROW((void)figureOf(plot, {t}), UsageError);
}

TEST(TablePlot, ThinsLargeGridsAndKeepsTheirEdges) {
  NamedTable t = tableOf("grid", {{{"x", {}}, {}}, {{"y", {}}, {}}, {{"z", {}}, {}}});
  for (int i = 0; i < 500; ++i)
    for (int k = 0; k < 3; ++k) {
      t.table.columns[0].values.push_back(i);
      t.table.columns[1].values.push_back(k);
      t.table.columns[2].values.push_back(1000 * i + k);
    }
  TablePlot plot;
  plot.x = "x";
  plot.y = "y";
  const Surface s = *figureOf(plot, {t}).panels.at(0).surface;
  EXPECT_LE(s.x.size(), 202U);
  EXPECT_EQ(s.x.front(), 0);
  EXPECT_EQ(s.x.back(), 499);
  ASSERT_EQ(s.z.size(), s.x.size() * 3);
  for (std::size_t i = 0; i < s.x.size(); ++i) EXPECT_EQ(s.z[3 * i + 2], 1000 * s.x[i] + 2);
}

TEST(TablePlot, TakesMembersOfFamilies) {
  const NamedTable family = tableOf("f", {{{"t", {}}, {0, 1}},
                                          {{"q", {1, 1}}, {1, 2}},
                                          {{"q", {1, 2}}, {3, 4}},
                                          {{"q", {2, 1}}, {5, 6}},
                                          {{"q", {2, 2}}, {7, 8}}});
  TablePlot plot;
  plot.panels = {{"q[2]"}};
  const Figure f = figureOf(plot, {family});
  ASSERT_EQ(f.panels.at(0).curves.size(), 2U);
  EXPECT_EQ(f.panels[0].curves[0].name, "q[2][1]");
  EXPECT_EQ(f.panels[0].curves[1].y, (std::vector<double>{7, 8}));
}

TEST(TablePlot, LongLabelsAreShort) {
  const NamedTable t = tableOf("a", {{{"t", {}}, {0, 1}},
                                     {{"direction", {1, 1}}, {1, 2}},
                                     {{"direction", {2, 1}}, {1, 2}},
                                     {{"direction", {3, 1}}, {1, 2}},
                                     {{"a_first_long_name", {}}, {1, 2}},
                                     {{"another_long_name", {}}, {1, 2}}});
  const auto labelOf = [&](const std::vector<std::string>& names, bool change = false) {
    TablePlot plot;
    plot.panels = {names};
    plot.change = change;
    return figureOf(plot, {t}).panels.at(0).y.label;
  };
  EXPECT_EQ(labelOf({"direction[1]", "direction[2]"}), "direction[1], direction[2]");
  EXPECT_EQ(labelOf({"direction[1][1]", "direction[2][1]", "direction[3][1]"}), "direction");
  EXPECT_EQ(labelOf({"a_first_long_name", "another_long_name"}), "a_first_long_name, …");
  EXPECT_EQ(labelOf({"direction[1][1]", "direction[2][1]"}, true), "change of direction");
  EXPECT_EQ(labelOf({"a_first_long_name"}, true), "a_first_long_name − a_first_long_name(0)");
}

TEST(TablePlot, LegendsNameFiles) {
  TablePlot plot;
  plot.panels = {{"w"}, {"x"}};
  const Figure f = figureOf(plot, {line("a"), line("b", 1)});
  EXPECT_EQ(f.panels.at(0).curves.at(2).name, "b: w[1]");
  EXPECT_EQ(f.panels.at(1).curves.at(1).name, "b");
}

TEST(TablePlot, RefusesUnknownColumns) {
  TablePlot plot;
  plot.panels = {{"enrgy"}};
  try {
    (void)figureOfLine(plot);
    FAIL();
  } catch (const UsageError& e) {
    EXPECT_NE(std::string(e.what()).find("did you mean `energy`"), std::string::npos) << e.what();
  }
}

TEST(Gnuplot, NamesAreTextsAlone) {
  if (!hasGnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  const std::filesystem::path witness = std::filesystem::temp_directory_path() / "lmc_plot_test_witness";
  std::filesystem::remove(witness);
  const std::string evil =
      "it's `touch " + witness.string() + "` \"$(x)\" @a _b ^{c}\n; system 'touch " + witness.string() + "'";
  Panel p{evil, {evil}, {evil}, {{evil, {0, 1}, {0, 1}}}, {}};
  const std::string svg = draw({"", {p}}, {PlotKind::Svg});
  EXPECT_FALSE(std::filesystem::exists(witness));
  EXPECT_NE(svg.find("it's `touch"), std::string::npos);
  EXPECT_NE(svg.find("^{c}"), std::string::npos);
}

TEST(Gnuplot, DrawsWhatIsDifficult) {
  if (!hasGnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();
  const std::vector<Panel> panels = {
      {"constant", {"t"}, {"y"}, {{"c", {0, 1, 2}, {5, 5, 5}}}, {}},
      {"zero", {"t"}, {"y"}, {{"c", {0, 1, 2}, {0, 0, 0}}}, {}},
      {"round-off", {"t"}, {"y"}, {{"c", {0, 1, 2}, {1, 1 + 1e-16, 1 - 1e-16}}}, {}},
      {"no number", {"t"}, {"y"}, {{"c", {0, 1, 2}, {nan, infinite, nan}}}, {}},
      {"nothing on a logarithmic axis", {"t"}, {"y", true}, {{"c", {0, 1, 2}, {0, 0, -1}}}, {}},
      {"one curve of nothing", {"t"}, {"y", true}, {{"c", {0, 1}, {0, 0}}, {"d", {0, 1}, {1e-9, 1e3}}}, {}},
      {"one number on a logarithmic axis", {"t", true}, {"y", true}, {{"c", {1}, {1e-7}, Mark::Both}}, {}},
      {"gaps", {"t"}, {"y"}, {{"c", {0, 1, 2, 3}, {nan, 1, infinite, 2}}}, {}},
      {"large", {"t"}, {"y"}, {{"c", {0, 1}, {-1e300, 1e300}}}, {}},
      {"band", {"t"}, {"y"}, {{"mean", {0, 1}, {0, 1}}}, {{"", {0, 1}, {-1, 0}, {1, 2}, 0}}},
  };
  for (const Panel& p : panels)
    for (const PlotKind kind : {PlotKind::Svg, PlotKind::Terminal}) {
      const std::string drawn = draw({"", {p}}, {kind});
      EXPECT_NE(drawn.find(p.title), std::string::npos) << p.title;
      EXPECT_EQ(drawn, draw({"", {p}}, {kind})) << p.title;
    }
  // The same panels in one picture: what one of them sets does not spoil the next.
  const std::string together = draw({"all", panels}, {PlotKind::Svg});
  for (const Panel& p : panels) EXPECT_NE(together.find(p.title), std::string::npos) << p.title;
  EXPECT_TRUE((Figure{"", {{"", {}, {}, {{"", {0}, {nan}}, {"", {infinite}, {1}}}, {}}}}).empty());
}

namespace {

/// Where the points of the first curve lie in a picture, in pixels from the left and from below.
std::vector<std::pair<double, double>> pointsDrawn(const Panel& panel) {
  const std::string svg = draw({"", {panel}}, {PlotKind::Svg});
  const std::regex curve("<path stroke='rgb\\( *0, 114, 178\\)' +d='([^']*)'"), point("[ML]([-0-9.]+),([-0-9.]+)");
  std::vector<std::pair<double, double>> points;
  std::smatch found;
  if (!std::regex_search(svg, found, curve)) return points;
  const std::string path = found[1];
  for (std::sregex_iterator p(path.begin(), path.end(), point), end; p != end; ++p)
    points.emplace_back(std::stod((*p)[1]), -std::stod((*p)[2]));
  return points;
}

} // namespace

// The curve has the shape of its numbers, whatever their size is, and however close they are to each other.
TEST(Gnuplot, DrawsNumbersOfAnySize) {
  if (!hasGnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  struct Sizes {
    double offset, unit;
    std::string label;
  };
  const std::vector<Sizes> all = {{0, 1, "y"},
                                  {0, 0.9e308, "y (in 1e+308)"},
                                  {0, 1e307, "y (in 1e+307)"},
                                  {0, 1e300, "y (in 1e+300)"},
                                  {0, 1e-310, "y (in 1e-300)"},
                                  {0, 1e-300, "y (in 1e-300)"},
                                  {1, 1e-6, "y − 1"},
                                  {1, 1e-11, "y − 1"},
                                  {-12345.7, 0.1, "y + 12346"},
                                  {3e8, 1e-3, "y − 300000000"}};
  const std::vector<double> shape = {0.25, -1, 1.75, 0.5};
  for (const Sizes& s : all)
    for (const bool acrossX : {false, true}) {
      std::vector<double> sized, plain{0, 1, 2, 3};
      for (const double y : shape) sized.push_back(s.offset + s.unit * y);
      const Panel p = acrossX ? Panel{"", {"y"}, {"t"}, {{"", sized, plain}}, {}}
                              : Panel{"", {"t"}, {"y"}, {{"", plain, sized}}, {}};
      const Panel shown = readable({"", {p}}).panels.at(0);
      EXPECT_EQ(acrossX ? shown.x.label : shown.y.label, s.label);
      const auto points = pointsDrawn(p);
      ASSERT_EQ(points.size(), 4U) << s.label;
      const auto at = [&](std::size_t k) { return acrossX ? points[k].first : points[k].second; };
      for (std::size_t k = 0; k < 4; ++k)
        EXPECT_NEAR((at(k) - at(1)) / (at(2) - at(1)), (shape[k] + 1) / 2.75, 2e-3) << s.label;
    }
  // Decades.
  for (const double size : {1e-320, 1e-306, 1.0, 1e290, 1e306}) {
    const auto points = pointsDrawn({"", {"t"}, {"y", true}, {{"", {0, 1, 2}, {size, 10 * size, 100 * size}}}, {}});
    ASSERT_EQ(points.size(), 3U) << size;
    EXPECT_NEAR((points[1].second - points[0].second) / (points[2].second - points[0].second), 0.5, 2e-3) << size;
  }
  EXPECT_EQ(pointsDrawn({"", {"t"}, {"y", true}, {{"", {0, 1, 2}, {1e-322, 1e300, 1e308}}}, {}}).size(), 2U);
  // Heights of a surface.
  Panel p{"", {"x"}, {"y"}, {}, {}};
  p.surface = Surface{"z", {0, 1e308}, {5, 5.0001}, {-1e308, 0, 0, 1e308}};
  const Panel shown = readable({"", {p}}).panels.at(0);
  EXPECT_EQ(shown.surface->name, "z (in 1e+308)");
  EXPECT_EQ(shown.surface->z, (std::vector<double>{-1, 0, 0, 1}));
  EXPECT_EQ(shown.x.label, "x (in 1e+308)");
  EXPECT_EQ(shown.y.label, "y − 5");
  EXPECT_NE(draw({"", {p}}, {PlotKind::Svg}).find("z (in 1e+308)"), std::string::npos);
}
