#include "api/Compile.h"
#include "api/Library.h"

#include "base/Files.h"
#include "base/Installation.h"
#include "products/Pipeline.h"
#include "products/stages/Stages.h"

#include <exception>
#include <filesystem>
#include <fmt/format.h>

namespace lmc::v1 {

namespace {

namespace fs = std::filesystem;

/// Where texts come from: those that are given, then what resolves, then the disk.
class Texts {
public:
  Texts(const std::vector<Source>& given, const Options& options) : options_(options) {
    for (const Source& s : given) given_[fs::path(s.name).lexically_normal().string()] = &s.text;
  }

  std::optional<std::string> read(const fs::path& path) {
    if (closed_ || failure_) return std::nullopt;
    if (const auto it = given_.find(path.lexically_normal().string()); it != given_.end()) return *it->second;
    if (!options_.resolve) return lmc::readFile(path);
    try {
      return options_.resolve(path.string());
    } catch (...) { // goes on when the compiler has been left
      failure_ = std::current_exception();
      return std::nullopt;
    }
  }

  /// No text is read any more: what was given may go away. An exception of the host goes on.
  void close() {
    closed_ = true;
    if (failure_) throw Passing{failure_};
  }

private:
  const Options& options_;
  std::map<std::string, const std::string*> given_;
  std::exception_ptr failure_;
  bool closed_ = false;
};

/// The question of the host whether to go on. A pipeline lives as long as its model, and compiles later, too; the host
/// is asked during its own call only, since behind it what it has given may be gone.
using Asking = std::shared_ptr<std::function<bool()>>;

products::PipelineOptions pipelineOptions(const Options& o, const std::shared_ptr<Texts>& texts,
                                          const std::string& name, const Asking& asking) {
  products::PipelineOptions p;
  sema::CompilationOptions& c = p.compilation;
  c.libraryRoot = libraryFolder(o.libraryRoot);
  c.importPath.assign(o.importPath.begin(), o.importPath.end());
  for (const auto& [target, expression] : o.set) c.overrides.push_back({target, expression});
  if (texts) c.readFile = [texts](const fs::path& path) { return texts->read(path); };
  const auto setting = [&](const char* key, const std::optional<double>& value) {
    if (value) c.simulate.emplace_back(key, fmt::format("{}", *value));
  };
  setting("time.from", o.timeFrom);
  setting("time.to", o.timeTo);
  setting("step", o.step);
  setting("tolerance", o.tolerance);
  if (o.fixedSteps) c.simulate.emplace_back("tolerance", "none");
  if (o.controller) c.simulate.emplace_back("controller", *o.controller);
  p.compile.optimization = o.optimization;
  p.compile.useCache = o.useCache;
  p.compile.cacheDirectory = o.cacheFolder;
  p.method = o.method;
  p.seed = o.seed;
  p.limits = {o.limitSeconds, o.limitNodes, o.limitMegabytes, {}};
  if (o.cancel) {
    *asking = o.cancel;
    p.limits.cancelled = [asking] {
      try {
        return *asking && (*asking)();
      } catch (...) {
        throw Passing{std::current_exception()};
      }
    };
  }
  p.codeForAnyParameters = false;
  p.presentZeros = o.keepZeros;
  p.liveInputs = true;
  if (o.untrusted) products::distrustModel(p, fs::path(identityOf(name)).parent_path());
  return p;
}

void checkOptions(const Options& o) {
  const auto require = [](bool condition, const char* message) {
    if (!condition) throw Error(Error::Kind::Misuse, message);
  };
  require(o.optimization >= 0 && o.optimization <= 3, "Options::optimization is 0, 1, 2 or 3");
  require(!std::isnan(o.limitSeconds), "Options::limitSeconds is not a number");
  require(o.timeFrom.has_value() == o.timeTo.has_value(), "Options::timeFrom and timeTo go together");
  for (const std::optional<double>& x : {o.timeFrom, o.timeTo, o.step, o.tolerance})
    require(!x || std::isfinite(*x), "a number in Options is not finite");
}

/// Numbers of the parameters that the code takes to be zero.
std::vector<bool> fixedZeros(products::Pipeline& pipeline, const runtime::Problem& problem) {
  const lmc::sema::Model& m = *pipeline.system()->model;
  const products::Layout layout = products::layoutOf(m);
  std::vector<bool> fixed(problem.params.size(), false);
  for (const auto& [id, zeros] : products::zeroPattern(m, layout, problem.params)) {
    const auto p = std::find_if(m.parameters.begin(), m.parameters.end(),
                                [wanted = id](const sema::Parameter& one) { return one.array->id == wanted; });
    if (p->use != sema::Parameter::Use::Parameter) continue; // inputs may have any value
    const auto first = static_cast<std::size_t>(layout.byArray.at(id).offset);
    for (std::size_t k = 0; k < static_cast<std::size_t>(p->array->size()); ++k)
      fixed[first + k] = zeros[k % zeros.size()];
  }
  return fixed;
}

template <class Load>
Compilation compileHere(const Options& options, const std::shared_ptr<Texts>& texts, const std::string& name,
                        const Load& load) {
  const auto asking = std::make_shared<std::function<bool()>>();
  auto pipeline = std::make_unique<products::Pipeline>(pipelineOptions(options, texts, name, asking));
  std::unique_ptr<runtime::Problem> problem;
  if (load(*pipeline)) problem = pipeline->buildHost(products::HostSteps::Default);
  *asking = nullptr;
  if (texts) texts->close();
  Compilation result;
  result.diagnostics = detail::Access::diagnostics(pipeline->diagnostics(), pipeline->sources());
  result.plain = renderAll(pipeline->diagnostics(), pipeline->sources(), false);
  result.colored = renderAll(pipeline->diagnostics(), pipeline->sources(), true);
  if (!problem) return result;
  auto shared = std::make_shared<detail::ModelData>();
  shared->problem = std::move(*problem);
  describe(*shared, *pipeline);
  shared->options = options;
  shared->options.resolve = nullptr;
  shared->options.cancel = nullptr;
  if (options.keepZeros) shared->fixedZeros = fixedZeros(*pipeline, shared->problem);
  shared->pipeline = std::move(pipeline);
  result.model = detail::Access::make(std::move(shared));
  return result;
}

/// Loads, compiles and describes; `load` reads the main text, whose name or path is `name`.
template <class Load>
Compilation compileWith(const Options& options, const std::shared_ptr<Texts>& texts, const std::string& name,
                        Load load) {
  checkOptions(options);
  return onDeepStack([&] { return compileHere(options, texts, name, load); });
}

} // namespace

Compilation compileFile(const std::string& path, const Options& options) {
  return translated([&] {
    // What imports need is read from disk unless somebody resolves; the file itself is read from disk.
    if (!options.resolve)
      return compileWith(options, nullptr, path, [&](products::Pipeline& p) { return p.load(path); });
    const auto text = lmc::readFile(path);
    if (!text) return compileWith(options, nullptr, path, [&](products::Pipeline& p) { return p.load(path); });
    const auto texts = std::make_shared<Texts>(std::vector<Source>{}, options);
    return compileWith(options, texts, path, [&](products::Pipeline& p) { return p.loadText(path, *text); });
  });
}

void withLoaded(const std::string& path, const std::vector<Source>& sources, const Options& options,
                const std::function<void(products::Pipeline&, bool)>& use) {
  checkOptions(options);
  onDeepStack([&] {
    const auto texts = sources.empty() && !options.resolve ? nullptr : std::make_shared<Texts>(sources, options);
    products::PipelineOptions adapted = pipelineOptions(options, texts, sources.empty() ? path : sources.front().name,
                                                        std::make_shared<std::function<bool()>>());
    adapted.presentZeros = true;
    adapted.liveInputs = false;
    adapted.fixedSteps = options.fixedSteps;
    products::Pipeline pipeline(adapted);
    const auto text = sources.empty() && texts ? lmc::readFile(path) : std::nullopt;
    const bool loaded = !sources.empty() ? pipeline.loadText(sources.front().name, sources.front().text)
                        : text           ? pipeline.loadText(path, *text)
                                         : pipeline.load(path);
    if (texts) texts->close();
    use(pipeline, loaded);
  });
}

Compilation compileText(const std::string& name, const std::string& text, const Options& options) {
  return compileSources({{name, text}}, options);
}

Compilation compileSources(const std::vector<Source>& sources, const Options& options) {
  return translated([&] {
    if (sources.empty()) throw Error(Error::Kind::Misuse, "there is no text to compile");
    const auto texts = std::make_shared<Texts>(sources, options);
    return compileWith(options, texts, sources.front().name,
                       [&](products::Pipeline& p) { return p.loadText(sources.front().name, sources.front().text); });
  });
}

} // namespace lmc::v1
