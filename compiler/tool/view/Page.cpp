#include "tool/view/Page.h"

#include "base/Installation.h"
#include "products/equations/Equations.h"
#include "runtime/output/OutputFile.h"
#include "runtime/run/Sampler.h"
#include "tool/plot/Scales.h"
#include "tool/runs/RunParts.h"
#include "tool/support/Report.h"
#include "tool/view/Glb.h"
#include "tool/view/Texts.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <sstream>

namespace lmc::tool {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr double standardSize = 8e6, sizeOfPictures = 1e8, besidesNumbers = 1.5e5; // bytes
constexpr std::size_t longEquations = 300000;                                      // bytes
constexpr const char* placeOfData = "@LMC_DATA@";

std::string readShell() {
  const fs::path file = libraryRoot() / "view" / "page.html";
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in || text.view().find(placeOfData) == std::string_view::npos)
    throw InstallationError("the page's bundle is missing: there is no `" + file.string() +
                            "`\n`./dev page` in the sources of lmc makes it, with npm (the target lmc_view_page)");
  return std::move(text).str();
}

/// A curve in single precision: numbers that agree in their first digits as differences from the least of them
/// (`from`), those that single precision does not have in units of the largest (`unit`).
Json seriesOf(const std::string& name, std::vector<double> values, bool logarithmic) {
  constexpr double close = 1e-3, most32 = 1e37, least32 = 1e-30;
  Extent e;
  for (const double x : values)
    if (std::isfinite(x)) e.add(x);
  Json s;
  s["name"] = name;
  double from = 0, unit = 1;
  if (!logarithmic && !e.empty() && e.most / 2 - e.least / 2 < close / 2 * e.size()) from = e.least;
  if (const double size = std::max(std::abs(e.least - from), std::abs(e.most - from));
      std::isfinite(size) && size > 0 && (size > most32 || size < least32))
    unit = size;
  std::vector<float> numbers;
  numbers.reserve(values.size());
  for (const double x : values) numbers.push_back(static_cast<float>((x - from) / unit));
  if (from != 0) s["from"] = from;
  if (unit != 1) s["unit"] = unit;
  s["values"] = packed(numbers);
  return s;
}

Json plotsOf(const PageRecorder& record, const runtime::Problem& problem) {
  Json plots = Json::array();
  const double first = problem.field(runtime::FieldKind::Energy) != nullptr ? 1 : 0;
  for (const PagePlot& plot : record.plots()) {
    Json p;
    p["title"] = plot.energy && problem.energyChanges ? "energy" : plot.title;
    const bool error = plot.energy && !problem.energyChanges;
    if (plot.logarithmic && (error || !plot.energy)) p["log"] = true;
    if (!plot.note.empty() && (error || !plot.energy)) p["note"] = plot.note;
    p["series"] = Json::array();
    for (const auto& [name, column] : plot.series) {
      std::vector<double> values;
      const double start = record.rows() > 0 ? record.at(0, column) : first;
      for (std::size_t r = 0; r < record.rows(); ++r) {
        const double x = record.at(r, column);
        values.push_back(error ? std::abs(x - start) / runtime::energyScale(start) : x);
      }
      p["series"].push_back(seriesOf(error ? "error" : name, std::move(values), p.contains("log")));
    }
    plots.push_back(std::move(p));
  }
  if (record.steps().empty()) return plots;
  std::vector<double> times, steps;
  for (const auto& [t, h] : record.steps()) {
    times.push_back(t);
    steps.push_back(h);
  }
  Json p;
  p["title"] = "step size";
  p["log"] = true;
  p["times"] = packedTimes(times);
  p["series"] = Json::array({seriesOf("h", std::move(steps), true)});
  plots.push_back(std::move(p));
  return plots;
}

/// An energy far below 1 has absolute errors, which look small whatever they are.
void noteSmallEnergy(const PageRecorder& record, const runtime::Problem& problem, const runtime::RunResult& result,
                     std::vector<std::string>& notes) {
  constexpr double small = 1e-3;
  if (problem.energyChanges || !result.energyError || record.rows() == 0) return;
  for (const PagePlot& plot : record.plots()) {
    if (!plot.energy) continue;
    const double first = std::abs(record.at(0, plot.series.front().second));
    if (first > 0 && first < small)
      notes.push_back(
          fmt::format("energy errors are absolute; the energy is {:.2g} at the begin, the largest error {:.2g} "
                      "of it",
                      first, *result.energyError / first));
  }
}

/// Behind the energy and the defects.
void addConserved(Json& plots, const ConservedPlot& conserved) {
  if (conserved.names.empty()) return;
  Json p;
  p["title"] = "conserved quantities";
  p["note"] = "changes, relative to the sizes of their terms";
  p["log"] = true;
  p["times"] = packedTimes(conserved.times);
  p["series"] = Json::array();
  for (std::size_t k = 0; k < conserved.names.size(); ++k)
    p["series"].push_back(
        seriesOf(conserved.names[k], {conserved.changes[k].begin(), conserved.changes[k].end()}, true));
  plots.insert(plots.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(2, plots.size())), std::move(p));
}

/// The equations, unless they are too much to be read.
void addEquations(Json& page, products::Pipeline& pipeline, std::vector<std::string>& notes) {
  const std::string text = products::equations(pipeline, "latex");
  if (text.size() > longEquations)
    notes.push_back(fmt::format("the equations are left out: they take {:.0f} kB; `lmc derive` prints them",
                                static_cast<double>(text.size()) / 1000));
  else
    page["equations"] = text;
}

std::string textOf(const Json& page) {
  const std::string json = page.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string text;
  text.reserve(json.size());
  for (const char c : json) {
    if (c == '<')
      text += "\\u003c"; // no tag ends the script that holds the data
    else
      text += c;
  }
  return text;
}

} // namespace

PageWriter::PageWriter(const Invocation& call, fs::path file, PageUse use)
    : call_(call), file_(std::move(file)), use_(use), limit_(sizeOfPictures) {
  if (use == PageUse::Scene) return;
  if (use == PageUse::Page && file_.extension() != ".html" && file_.extension() != ".htm")
    throw UsageError("a page is an .html file, not `" + file_.string() + "`");
  if (use == PageUse::Page) runtime::requirePlace(file_);
  shell_ = readShell();
  if (use == PageUse::Pictures) return;
  limit_ = call[options::maxSize].value_or(standardSize);
  if (limit_ < static_cast<double>(shell_.size()) + besidesNumbers)
    throw UsageError(fmt::format("--max-size: a page takes {:.1f} MB without any numbers",
                                 (static_cast<double>(shell_.size()) + besidesNumbers) / 1e6));
}

std::unique_ptr<PageRecorder> PageWriter::recorder(const products::Pipeline& pipeline, const runtime::Problem& problem,
                                                   runtime::Sink* next) const {
  double texts = besidesNumbers;
  for (SourceId id = 0; id < pipeline.sources().size(); ++id)
    texts += static_cast<double>(pipeline.sources()[id].text().size());
  // Base64 of float32.
  const double numbers = (limit_ - static_cast<double>(shell_.size()) - texts) * 3 / 16;
  return std::make_unique<PageRecorder>(problem, *pipeline.scene(), std::max(numbers, 1e3), next);
}

Showing PageWriter::showing() const {
  Showing showing;
  showing.fps = call_.orStandard(options::fps);
  showing.speed = call_[options::speed];
  return showing;
}

std::optional<std::string> PageWriter::text(products::Pipeline& pipeline, const runtime::Problem& problem,
                                            const runtime::Summary& summary, const PageRecorder& record,
                                            const ConservedPlot& conserved) const {
  const products::ShownScene& scene = *pipeline.scene();
  const runtime::RunDescription about = description(pipeline.sources(), problem);
  std::vector<std::string> notes;
  Json page;
  page["version"] = 1;
  page["title"] = problem.model;
  page["file"] = call_.arguments.front();
  page["verdict"] = verdictOf(summary);
  for (const runtime::EventFound& e : summary.result.events)
    page["events"].push_back(Json{{"name", e.name}, {"time", e.time}});
  if (summary.result.failure)
    page["failure"] = Json{{"time", summary.result.failure->time},
                           {"text", fmt::format("The run failed at t = {}: {}.", summary.result.failure->time,
                                                summary.result.failure->cause)}};
  if (record.rows() < record.samples())
    notes.push_back(fmt::format("shown are {} of {} samples", grouped(static_cast<std::int64_t>(record.rows())),
                                grouped(static_cast<std::int64_t>(record.samples()))));
  if (!scene.without.empty() && !scene.off) {
    std::string names;
    for (const std::string& name : scene.without) names += (names.empty() ? "" : ", ") + name;
    notes.push_back("without a picture, in plots alone: " + names);
  }
  noteSmallEnergy(record, problem, summary.result, notes);
  Showing how = showing();
  how.bodies = measureBodies(pipeline, problem);
  Json picture = scenePage(record, scene, how, notes);
  if (!picture.is_null()) page["scene"] = std::move(picture);
  page["plotTimes"] = packedTimes(record.times());
  page["plots"] = plotsOf(record, problem);
  addConserved(page["plots"], conserved);
  if (use_ == PageUse::Page) addEquations(page, pipeline, notes);
  page["parameters"] = parameterTable(problem);
  page["initial"] = initialTable(problem);
  page["sources"] = Json::array();
  for (const syntax::File* f : pipeline.compilation().files()) {
    const Source& source = pipeline.sources()[f->source];
    page["sources"].push_back(Json{{"name", fs::path(source.name()).filename().string()}, {"text", source.text()}});
  }
  page["provenance"] = provenance(call_, problem, about);
  page["notes"] = notes;
  std::string text = shell_;
  text.replace(text.find(placeOfData), std::string_view(placeOfData).size(), textOf(page));
  if (static_cast<double>(text.size()) > limit_) {
    complain(fmt::format("the page would take {:.1f} MB, more than --max-size; fewer members, or a larger --max-size",
                         static_cast<double>(text.size()) / 1e6));
    return std::nullopt;
  }
  return text;
}

bool PageWriter::write(products::Pipeline& pipeline, const runtime::Problem& problem, const runtime::Summary& summary,
                       const PageRecorder& record, const ConservedPlot& conserved) const {
  const std::optional<std::string> page = text(pipeline, problem, summary, record, conserved);
  if (!page) return false;
  runtime::writeWhole(file_, *page, false);
  return true;
}

std::optional<std::string> PageWriter::glb(products::Pipeline& pipeline, const runtime::Problem& problem,
                                           const PageRecorder& record) const {
  std::vector<std::string> notes;
  Showing how = showing();
  how.bodies = measureBodies(pipeline, problem);
  const Json scene = scenePage(record, *pipeline.scene(), how, notes);
  for (const std::string& note : notes) warn(note);
  if (scene.is_null()) return std::nullopt;
  return glbOf(scene, problem.model);
}

} // namespace lmc::tool
