#include "sema/Support.h"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace lmc::test {

namespace {

Checked checked(const Inputs& inputs, const std::function<void(sema::Compilation&)>& load) {
  sema::CompilationOptions options;
  options.libraryRoot = LMC_SOURCE_DIR;
  options.overrides = inputs.set;
  options.simulate = inputs.simulate;
  options.importPath = {"library"};
  options.readFile = [files = inputs.files](const std::filesystem::path& path) -> std::optional<std::string> {
    const auto it = files.find(path.lexically_normal().string());
    if (it != files.end()) return it->second;
    std::ifstream in(path, std::ios::binary);
    if (!in) return std::nullopt;
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  };
  Checked c;
  c.compilation = sema::makeCompilation(std::move(options));
  load(*c.compilation);
  c.model = c.compilation->check();
  return c;
}

} // namespace

std::vector<std::string> Checked::errors() const {
  std::vector<std::string> result;
  for (const Diagnostic& d : compilation->diagnostics().sorted()) {
    if (d.severity != Severity::Error) continue;
    const Source& source = compilation->sources()[d.range.source];
    const Position from = source.position(d.range.begin);
    const Position to = source.position(d.range.end);
    result.push_back(std::string(info(d.code).name) + " " + std::to_string(from.line) + ":" +
                     std::to_string(from.column) + "-" + std::to_string(to.column - 1));
  }
  return result;
}

std::vector<std::string> Checked::codes() const {
  std::vector<std::string> result;
  for (const Diagnostic& d : compilation->diagnostics().sorted()) result.emplace_back(info(d.code).name);
  return result;
}

std::string Checked::text() const {
  return renderAll(compilation->diagnostics(), compilation->sources(), false);
}

Checked check(const std::string& text, const Inputs& inputs) {
  return checked(inputs, [&](sema::Compilation& c) { c.loadText("test.lie", text); });
}

Checked checkFile(const std::string& path, const Inputs& inputs) {
  return checked(inputs, [&](sema::Compilation& c) { c.load(path); });
}

void setParameters(const sema::Model& model, Evaluate& values) {
  values.set(model.time, {0});
  for (const sema::RandomArray& r : model.randoms)
    values.set(r.array, Numbers(static_cast<std::size_t>(r.array->size()), 0.5));
  for (const sema::DataArray& d : model.data) values.set(d.array, d.values);
  for (const sema::Parameter& p : model.parameters) values.set(p.array, values.array(p.value));
}

void setInitials(const sema::Model& model, Evaluate& values) {
  setParameters(model, values);
  for (const sema::InitialValue& v : model.initials) values.set(v.state, values.array(v.value));
}

const sym::Array* observable(const sema::Model& model, const std::string& name) {
  const auto it = std::find_if(model.observables.begin(), model.observables.end(),
                               [&](const sema::Observable& o) { return o.name == name; });
  return it == model.observables.end() ? nullptr : it->array;
}

Numbers evaluateText(const std::string& expression, std::string* errors) {
  const Checked c = check("model M {\n"
                          "  param m = 2;\n"
                          "  param k : int = 2;\n"
                          "  param A : mat(3,3) = [[1, 2, 3], [4, 5, 6], [7, 8, 10]];\n"
                          "  param c[3] = [10, 20, 30];\n"
                          "  config x : R^3 velocity v;\n"
                          "  lagrangian = 0.5*dot(v, v);\n"
                          "  initial x = [1, 2, 3];\n"
                          "  initial v = [4, 5, 6];\n"
                          "  observe result = " +
                          expression + ";\n}\n");
  if (errors != nullptr) *errors = c.text();
  if (!c.model) return {};
  Evaluate values(c.model->program);
  setInitials(*c.model, values);
  return values.array(observable(*c.model, "result"));
}

} // namespace lmc::test
