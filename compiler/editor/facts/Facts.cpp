#include "editor/facts/Facts.h"

#include "mechanics/system/System.h"
#include "products/equations/Equations.h"
#include "products/initial/Initial.h"
#include "sema/session/Watch.h"
#include "sema/values/Values.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace lmc::editor {

namespace {

products::PipelineOptions optionsOf(const FactFinder::Request& request) {
  products::PipelineOptions options;
  options.compilation.libraryRoot = request.libraryRoot;
  options.compilation.importPath = request.importPath;
  options.compilation.readFile = request.readFile;
  options.limits.seconds = request.seconds;
  options.limits.cancelled = request.cancelled;
  options.compile.useCache = false;
  return options;
}

std::string numberOf(const sema::Value& value) {
  if (value.kind != sema::ValueKind::Tensor || value.parts.size() != 1) return {};
  const sym::Expr e = value.parts.front();
  if (e->shape.rank != 0 || !e->isConst()) return {};
  return fmt::format("{:.12g}", e->number.value());
}

/// "vec(3)", "2 of vec(3)" of a family.
std::string typeOf(const runtime::Field& field) {
  const std::size_t family = field.extents.size() - static_cast<std::size_t>(field.rank);
  std::string type = field.rank == 0   ? "real"
                     : field.rank == 1 ? fmt::format("vec({})", field.extents[family])
                                       : fmt::format("mat({},{})", field.extents[family], field.extents[family + 1]);
  for (std::size_t k = family; k-- > 0;) type = fmt::format("{} of {}", field.extents[k], type);
  return type;
}

/// [[1, 2], [3, 4]] of numbers by rows.
std::string listOf(const std::vector<std::int64_t>& extents, const double* numbers, std::size_t dimension = 0) {
  if (dimension == extents.size()) return std::isnan(*numbers) ? "drawn" : fmt::format("{:.6g}", *numbers);
  std::int64_t each = 1;
  for (std::size_t k = dimension + 1; k < extents.size(); ++k) each *= extents[k];
  std::string list = "[";
  for (std::int64_t k = 0; k < extents[dimension]; ++k)
    list += (k > 0 ? ", " : "") + listOf(extents, numbers + k * each, dimension + 1);
  return list + "]";
}

std::string valueOf(const runtime::Field& field, const double* numbers) {
  constexpr std::int64_t most = 16;
  std::int64_t count = 1;
  for (const std::int64_t n : field.extents) count *= n;
  if (count == 0) return "none";
  if (count == 1 && field.extents.empty()) return std::isnan(*numbers) ? "drawn" : fmt::format("{:.12g}", *numbers);
  if (count <= most) return listOf(field.extents, numbers);
  return fmt::format("{} numbers, {:.6g} … {:.6g}", count, numbers[0], numbers[count - 1]);
}

/// Remembers what the expressions of the main text are.
class Recorder final : public sema::ExpressionWatch {
public:
  void saw(const syntax::Expr& e, const sema::Value& value) override {
    if (e.range.source != 0 || value.isError() || e.range.end <= e.range.begin) return;
    // The first of many evaluations, as of members of a family, says what all are.
    const auto key = std::pair(e.range.begin, e.range.end);
    if (const auto [it, fresh] = seen_.try_emplace(key); fresh) {
      it->second = {e.range.begin, e.range.end, sema::describe(value), numberOf(value)};
      if (value.kind == sema::ValueKind::Family) it->second.type = "a family";
    } else if (!it->second.value.empty() && it->second.value != numberOf(value)) {
      it->second.value.clear();
    }
  }

  [[nodiscard]] std::vector<Shown> shown() const {
    std::vector<Shown> all;
    for (const auto& [key, s] : seen_) all.push_back(s);
    return all;
  }

private:
  std::map<std::pair<std::uint32_t, std::uint32_t>, Shown> seen_;
};

/// The types of a model's text that name manifolds.
void typesOf(const std::vector<syntax::StatementPtr>& body, std::vector<const syntax::Type*>& types) {
  for (const auto& s : body) {
    const bool phase = s->kind == syntax::StatementKind::Config || s->kind == syntax::StatementKind::State;
    if (phase && s->type) types.push_back(s->type.get());
    typesOf(s->body, types);
  }
}

} // namespace

std::string withoutBlanks(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (c != ' ' && c != '\t' && c != '\n' && c != '\r') out += c;
  return out;
}

const ShownManifold* Facts::manifoldOf(std::string_view type) const {
  const auto it = manifolds.find(withoutBlanks(type));
  return it == manifolds.end() ? nullptr : &it->second;
}

const Shown* Facts::at(std::uint32_t begin, std::uint32_t end) const {
  const auto it = std::lower_bound(shown.begin(), shown.end(), std::pair(begin, end),
                                   [](const Shown& s, const auto& key) { return std::pair(s.begin, s.end) < key; });
  return it != shown.end() && it->begin == begin && it->end == end ? &*it : nullptr;
}

FactFinder::FactFinder(Request request) : request_(std::move(request)), pipeline_(optionsOf(request_)) {}

void FactFinder::check(Facts& facts) {
  facts.text = request_.text;
  {
    Recorder recorder;
    good_ =
        pipeline_.loadText(request_.file, request_.text) && pipeline_.check() && !pipeline_.diagnostics().hasErrors();
    facts.shown = recorder.shown();
  }
  manifolds(facts);
  findings(facts);
}

void FactFinder::findings(Facts& facts) const {
  const Sources& sources = pipeline_.sources();
  for (const Diagnostic& d : pipeline_.diagnostics().sorted()) {
    if (info(d.code).name == "LIE0025") continue; // it was cancelled
    Finding f{d.range.begin, d.range.end, d.severity == Severity::Error, std::string(info(d.code).name), d.message,
              d.suggestion,  {}};
    for (const Note& n : d.notes) {
      Finding::Note note{n.message, {}, 0, 0, n.range.has_value()};
      if (n.range) {
        note.begin = n.range->begin;
        note.end = n.range->end;
        if (n.range->source != 0) note.file = sources[n.range->source].name();
      }
      f.notes.push_back(std::move(note));
    }
    if (d.range.source != 0) {
      // In a file that the text imports, or in the library: shown at the import.
      const std::string& file = sources[d.range.source].name();
      f.notes.insert(f.notes.begin(), Finding::Note{"it is in this file", file, f.begin, f.end, true});
      f.begin = f.end = 0;
      f.suggestion.clear();
      const std::string name = std::filesystem::path(file).filename().string();
      f.message = name + ": " + f.message;
      if (const std::size_t at = facts.text.find("\"" + name + "\""); at != std::string::npos) {
        f.begin = static_cast<std::uint32_t>(at);
        f.end = static_cast<std::uint32_t>(at + name.size() + 2);
      }
    }
    facts.findings.push_back(std::move(f));
  }
}

void FactFinder::manifolds(Facts& facts) {
  sema::Compilation& compilation = pipeline_.compilation();
  if (compilation.files().empty()) return;
  std::vector<const syntax::Type*> types;
  for (const syntax::Declaration& d : compilation.files().front()->declarations)
    if (d.kind == syntax::DeclKind::Model) typesOf(d.body, types);
  Diagnostics& diagnostics = compilation.diagnostics();
  const std::size_t mark = diagnostics.mark();
  for (const syntax::Type* type : types) {
    const std::string written = withoutBlanks(compilation.sources().text(type->range));
    // Sizes that parameters give are evaluated with the model alone.
    if (facts.manifolds.contains(written)) continue;
    pipeline_.within([&] {
      const sema::Manifold* const m = compilation.manifold(*type);
      if (m == nullptr) return;
      facts.manifolds[written] = {m->name(), m->isGroup(), m->dimension(), sema::listParts(m->point()),
                                  sema::listParts(m->algebra())};
    });
  }
  (void)diagnostics.takeBack(mark);
}

void FactFinder::parameters(Facts& facts) {
  const sema::Model& model = *pipeline_.system()->model;
  for (const auto& [name, value] : model.constants) facts.parameters[name] = {"int", std::to_string(value)};
  pipeline_.within([&] {
    const products::InitialProgram program = products::initialProgram(*pipeline_.system(), products::layoutOf(model));
    products::InitialEvaluator evaluator(program);
    evaluator.drawNothing(); // what is drawn has other values with another seed
    if (evaluator.evaluateParameters() != nullptr) return;
    for (const sema::Parameter& p : model.parameters) {
      if (p.use != sema::Parameter::Use::Parameter && p.use != sema::Parameter::Use::Table) continue;
      const runtime::Field& field = program.layout.of(p.array);
      facts.parameters[p.name] = {typeOf(field), valueOf(field, evaluator.params().data() + field.offset)};
    }
  });
}

void FactFinder::derive(Facts& facts) {
  if (!good_ || pipeline_.system() == nullptr) return;
  parameters(facts);
  const std::string text = products::equations(pipeline_, "json");
  const nlohmann::ordered_json all = nlohmann::ordered_json::parse(text, nullptr, false);
  if (!all.is_object() || !all.contains("sections")) return;
  for (const auto& [section, equations] : all["sections"].items())
    for (const auto& e : equations)
      if (e.is_object() && e.contains("left") && e.contains("right"))
        facts.equations.push_back({section, e["left"].get<std::string>(), e["right"].get<std::string>()});
  if (all.contains("mass_matrix"))
    for (const auto& line : all["mass_matrix"])
      if (line.is_string()) facts.remarks.push_back(line.get<std::string>());
}

void FactFinder::methods(Facts& facts) {
  if (good_ && pipeline_.system() != nullptr) facts.methods = pipeline_.methodsThatStep();
}

} // namespace lmc::editor
