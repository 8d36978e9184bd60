#include "checks/study/Studies.h"

#include "base/Files.h"
#include "checks/orders/Prove.h"

#include <algorithm>

namespace lmc::study {

namespace fs = std::filesystem;

namespace {

/// Explicit methods of the library, those of the highest declared order first.
std::vector<std::string> byOrder(const sema::CompilationOptions& options) {
  sema::CompilationOptions plain;
  plain.libraryRoot = options.libraryRoot;
  const auto compilation = sema::makeCompilation(plain);
  std::vector<std::pair<int, std::string>> list;
  for (const sema::Found& method : compilation->libraryDeclarations(syntax::DeclKind::Method)) {
    const auto checked = methods::checkMethod(*compilation, method);
    const bool isExplicit =
        checked && checked->order > 0 && orders::proveOrder(compilation->graph(), *checked, 1).proved();
    if (isExplicit) list.emplace_back(-checked->order, checked->name);
  }
  std::sort(list.begin(), list.end());
  std::vector<std::string> names;
  for (auto& [order, name] : list) names.push_back(std::move(name));
  return names;
}

/// True when a file of the user declares a method of this name, which then hides the library's.
bool declaresMethod(products::Pipeline& pipeline, const std::string& name) {
  for (const syntax::File* file : pipeline.compilation().files()) {
    for (const syntax::Declaration& d : file->declarations) {
      const bool method = d.kind == syntax::DeclKind::Method || d.kind == syntax::DeclKind::Variational;
      if (method && d.name == name) return true;
    }
  }
  return false;
}

} // namespace

namespace {
std::unique_ptr<products::Pipeline> pipelineFor(const Subject& subject, const std::string& method) {
  products::PipelineOptions options = subject.options;
  if (!method.empty()) options.method = method;
  options.codeForAnyParameters = false;
  options.fixedSteps = !subject.adaptive;
  return std::make_unique<products::Pipeline>(std::move(options));
}
} // namespace

Build build(const Subject& subject, const std::string& method) {
  Build b{pipelineFor(subject, method), nullptr};
  if (subject.load(*b.pipeline)) b.problem = b.pipeline->build();
  return b;
}

TangentBuild buildTangent(const Subject& subject, const std::string& method) {
  TangentBuild b{pipelineFor(subject, method), nullptr};
  if (subject.load(*b.pipeline)) b.problem = b.pipeline->buildTangent();
  return b;
}

std::optional<Reference> reference(const Subject& subject) {
  constexpr std::size_t wanted = 2;
  std::vector<Build> builds;
  for (const std::string& name : byOrder(subject.options.compilation)) {
    Build b = build(subject, name);
    if (b.problem && !declaresMethod(*b.pipeline, name)) builds.push_back(std::move(b));
    if (builds.size() == wanted) break;
  }
  std::vector<const runtime::Problem*> list;
  for (const Build& b : builds) list.push_back(b.problem.get());
  return referenceOf(list);
}

std::vector<fs::path> lieFiles(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".lie") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string textsOf(const std::vector<fs::path>& files) {
  std::string texts;
  for (const fs::path& file : files) texts += readFile(file).value_or("");
  return texts;
}

std::vector<fs::path> problemFiles(const fs::path& libraryRoot) {
  return lieFiles(libraryRoot / "runtime" / "problems");
}

std::vector<NamedSubject> subjectsOf(const std::vector<fs::path>& files, const products::PipelineOptions& options,
                                     const fs::path& imports) {
  std::vector<NamedSubject> list;
  for (const fs::path& file : files) {
    std::string text = readFile(file).value_or("");
    if (!imports.empty()) text += "\nimport \"" + fs::absolute(imports).string() + "\";\n";
    list.push_back({file.stem().string(),
                    {options, [name = file.string(), text](products::Pipeline& p) { return p.loadText(name, text); }}});
  }
  return list;
}

std::vector<NamedSubject> problems(const products::PipelineOptions& options, const fs::path& imports) {
  return subjectsOf(problemFiles(options.compilation.libraryRoot), options, imports);
}

} // namespace lmc::study
