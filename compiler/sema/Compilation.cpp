// A compilation: its texts, its names, its checks.
#include "sema/Compilation.h"

#include "base/Budget.h"
#include "sema/JointReading.h"
#include "sema/expressions/ExpressionEvaluator.h"
#include "sema/expressions/NameCheck.h"
#include "sema/joints/Joints.h"
#include "sema/manifolds/Manifolds.h"
#include "sema/model/ModelBuilder.h"

#include <algorithm>

namespace lmc::sema {

namespace {

using syntax::DeclKind;

const std::set<DeclKind> methodKinds = {DeclKind::Method, DeclKind::Variational};

class CompilationOfFiles final : public Compilation {
public:
  explicit CompilationOfFiles(CompilationOptions options)
      : options_(std::move(options)), library_(options_, sources_, diagnostics_),
        session_(options_, sources_, diagnostics_, graph_, library_,
                 [](std::string_view name) { return findBuiltin(name) != nullptr; }),
        manifolds_(session_) {
    session_.manifolds = &manifolds_;
  }

  Sources& sources() override { return sources_; }
  Diagnostics& diagnostics() override { return diagnostics_; }
  sym::Graph& graph() override { return graph_; }
  const CompilationOptions& options() const override { return options_; }

  bool load(const std::filesystem::path& file) override { return library_.load(file); }
  bool loadText(const std::string& name, const std::string& text) override { return library_.loadText(name, text); }
  const std::vector<const syntax::File*>& files() const override { return library_.files(); }
  const FilesRead& filesRead() const override { return library_.filesRead(); }

  Found findMethod(const std::string& name, SourceId from) override { return first(methodKinds, name, from); }
  Found findTableau(const std::string& name, SourceId from) override { return first({DeclKind::Tableau}, name, from); }
  std::vector<std::string> methodNames() override { return library_.names(methodKinds); }
  std::vector<std::string> manifoldNames() override { return library_.names({DeclKind::Group, DeclKind::Manifold}); }
  std::vector<Found> libraryDeclarations(DeclKind kind) override { return library_.libraryDeclarations(kind); }

  std::unique_ptr<Model> check() override;
  AmbientModel ambient() override;
  JointReading readJoints();
  std::unique_ptr<Model> jointModel(const syntax::Declaration& joint, const std::vector<FormalParameter>& parameters,
                                    FormalJoint& written);
  const Manifold* manifold(const syntax::Type& type) override;
  const DeclaredManifold* manifold(const Found& found, const std::vector<int>& sizes) override;
  std::unique_ptr<Evaluator> methodEvaluator(MethodOperations& operations, SourceId source) override;

private:
  Found first(const std::set<DeclKind>& kinds, const std::string& name, SourceId from) {
    const auto found = library_.find(kinds, name, from);
    return found.empty() ? Found{} : found.front();
  }
  void checkNames(const syntax::File& file);
  void checkManifold(const syntax::Declaration& d, SourceId source);

  CompilationOptions options_;
  Sources sources_;
  Diagnostics diagnostics_;
  sym::Graph graph_;
  Library library_;
  Session session_;
  ManifoldTable manifolds_;
  Host noHost_;
  Found model_; ///< the one that is checked
  std::unique_ptr<Overrides> overrides_;
  std::vector<std::unique_ptr<ModelBuilder>> builders_; // families of a model keep references to its builder
};

/// Two declarations of one name in one file; names that hide built-in ones.
void CompilationOfFiles::checkNames(const syntax::File& file) {
  std::map<std::string, const syntax::Declaration*> seen;
  for (const syntax::Declaration& d : file.declarations) {
    if (d.kind == DeclKind::Import || d.kind == DeclKind::Error || d.name.empty()) continue;
    std::string key = d.name;
    if (d.head) key = std::string(sources_.text(d.head->range));
    const auto [it, fresh] = seen.emplace(key, &d);
    if (!fresh) {
      diagnostics_.error(Code::LIE0103, d.nameRange, "`" + key + "` is declared twice")
          .note("first here", it->second->nameRange);
    }
    if (d.kind == DeclKind::Function && findBuiltin(d.name) != nullptr) {
      diagnostics_.warning(Code::LIE0106, d.nameRange, "`" + d.name + "` hides the built-in function");
    }
  }
}

void CompilationOfFiles::checkManifold(const syntax::Declaration& d, SourceId source) {
  // A family of groups is looked into where it is used: what it needs of them, a group at random may not have.
  const std::vector<std::string> open = openSizes(d);
  if (std::any_of(open.begin(), open.end(), [&](const std::string& name) { return isGroupParameter(d, name); })) return;
  const Found found{&d, source};
  DeclaredManifold* m = manifolds_.instantiate(found, manifolds_.smallSizes(found));
  if (m != nullptr && m->usable()) m->check();
}

std::unique_ptr<Model> CompilationOfFiles::check() {
  std::unique_ptr<Model> result;
  bool sawModel = false;
  for (std::size_t k = 0; k < library_.files().size(); ++k) {
    const syntax::File& file = *library_.files()[k];
    checkNames(file);
    for (const syntax::Declaration& d : file.declarations) {
      const Place place(d.nameRange);
      if (d.kind == DeclKind::Group || d.kind == DeclKind::Manifold) checkManifold(d, file.source);
      if (d.kind == DeclKind::Joint) checkJoint(session_, {&d, file.source});
      if (d.kind == DeclKind::Function && !d.body.empty())
        checkFunctionNames(session_, *d.body.front(), session_.file(file.source));
    }
  }
  for (std::size_t k = 0; k < library_.files().size(); ++k) {
    const syntax::File& file = *library_.files()[k];
    for (const syntax::Declaration& d : file.declarations) {
      if (d.kind != DeclKind::Model) continue;
      const Place place(d.nameRange);
      const bool chosen = !sawModel;
      if (chosen) {
        overrides_ = std::make_unique<Overrides>(session_);
        model_ = {&d, file.source};
      }
      builders_.push_back(
          std::make_unique<ModelBuilder>(session_, d, file.source, chosen ? overrides_.get() : nullptr));
      auto model = builders_.back()->build();
      if (chosen) result = std::move(model);
      sawModel = true;
    }
  }
  return diagnostics_.hasErrors() ? nullptr : std::move(result);
}

AmbientModel CompilationOfFiles::ambient() {
  // What there is to report, `check` has reported.
  builders_.push_back(std::make_unique<ModelBuilder>(session_, *model_.declaration, model_.source, overrides_.get()));
  AmbientModel result = builders_.back()->buildAmbient();
  if (!result.model) throw std::logic_error("a model that was checked has errors");
  return result;
}

JointReading CompilationOfFiles::readJoints() {
  builders_.push_back(std::make_unique<ModelBuilder>(session_, *model_.declaration, model_.source, overrides_.get()));
  const std::size_t mark = diagnostics_.mark(); // what there is to report, `check` has reported
  JointReading result;
  result.model = builders_.back()->build(&result.joints);
  (void)diagnostics_.takeBack(mark);
  return result;
}

std::unique_ptr<Model> CompilationOfFiles::jointModel(const syntax::Declaration& joint,
                                                      const std::vector<FormalParameter>& parameters,
                                                      FormalJoint& written) {
  auto formal = formalJoint(sources_, joint, parameters);
  if (!formal) return nullptr;
  written = std::move(*formal);
  const std::size_t before = diagnostics_.errorCount(), mark = diagnostics_.mark();
  (void)library_.loadText("the joint " + joint.name, written.text);
  const syntax::File& file = *library_.files().back();
  std::unique_ptr<Model> model;
  if (diagnostics_.errorCount() == before && !file.declarations.empty()) {
    builders_.push_back(std::make_unique<ModelBuilder>(session_, file.declarations.front(), file.source, nullptr));
    model = builders_.back()->build();
  }
  (void)diagnostics_.takeBack(mark);
  return model;
}

const Manifold* CompilationOfFiles::manifold(const syntax::Type& type) {
  ExpressionEvaluator evaluator(session_, session_.file(type.range.source), noHost_);
  const Scope scope;
  const LoopContext loops;
  return evaluator.manifold(type, Context{&session_.file(type.range.source), &scope, &loops});
}

const DeclaredManifold* CompilationOfFiles::manifold(const Found& found, const std::vector<int>& sizes) {
  DeclaredManifold* m = manifolds_.instantiate(found, sizes);
  return m != nullptr && m->usable() && m->check() ? m : nullptr;
}

std::unique_ptr<Evaluator> CompilationOfFiles::methodEvaluator(MethodOperations& operations, SourceId source) {
  return std::make_unique<ExpressionEvaluator>(session_, session_.file(source), noHost_, &operations);
}

} // namespace

// Compilations are made here alone.
JointReading readJoints(Compilation& compilation) {
  return static_cast<CompilationOfFiles&>(compilation).readJoints();
}

std::unique_ptr<Model> jointModel(Compilation& compilation, const syntax::Declaration& joint,
                                  const std::vector<FormalParameter>& parameters, FormalJoint& written) {
  return static_cast<CompilationOfFiles&>(compilation).jointModel(joint, parameters, written);
}

std::unique_ptr<Compilation> makeCompilation(CompilationOptions options) {
  return std::make_unique<CompilationOfFiles>(std::move(options));
}

} // namespace lmc::sema
