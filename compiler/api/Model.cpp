#include "api/Access.h"
#include "products/equations/Equations.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace lmc::v1 {

namespace {

std::vector<MethodInfo> methodsOf(products::Pipeline& pipeline) {
  std::vector<MethodInfo> list;
  for (products::MethodSummary& m : pipeline.methodsThatStep())
    list.push_back({std::move(m.name), std::move(m.kind), std::move(m.order), std::move(m.summary)});
  return list;
}

} // namespace

const runtime::Problem& detail::ModelData::steps(products::HostSteps kind) const {
  if (method.empty())
    throw Error(Error::Kind::Unavailable,
                "`" + name + "` has no method to step it: give one in `simulate`, or in Options::method");
  if (kind == products::HostSteps::Default || kind == ownSteps()) return problem;
  const std::lock_guard lock(mutex);
  if (!otherSteps) {
    if (kind == products::HostSteps::Adaptive && !problem.estimatesError)
      throw Error(Error::Kind::Unavailable, "the method " + method + " has no error estimate to choose steps by");
    requirePipeline();
    otherSteps = translated([&] { return pipeline->buildHost(kind); });
    if (!otherSteps) throw Error(Error::Kind::Internal, "a model that was compiled cannot be compiled again");
  }
  return *otherSteps;
}

const runtime::EvaluationProblem& detail::ModelData::evaluation() const {
  const std::lock_guard lock(mutex);
  if (!evaluated) {
    requirePipeline();
    evaluated = translated([&] { return pipeline->buildEvaluation(); });
    if (!evaluated) throw Error(Error::Kind::Internal, "a model that was compiled cannot be compiled again");
  }
  return *evaluated;
}

const runtime::LinearizedProblem& detail::ModelData::linearization() const {
  const std::lock_guard lock(mutex);
  if (!linearized) {
    requirePipeline();
    methods::LinearizationRequest request;
    request.step = !method.empty();
    linearized = translated([&] { return pipeline->buildLinearization(request); });
    if (!linearized) {
      for (const lmc::Diagnostic& d : pipeline->diagnostics().sorted())
        if (d.code == lmc::Code::LIE0652) throw Error(Error::Kind::Unavailable, d.message + " (LIE0652)");
      throw Error(Error::Kind::Internal, "a model that was compiled cannot be compiled again");
    }
  }
  return *linearized;
}

Model::Model(SharedModel shared) noexcept : shared_(std::move(shared)) {}
Model::Model(const Model&) noexcept = default;
Model& Model::operator=(const Model&) noexcept = default;
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;
Model::~Model() = default;

const std::string& Model::name() const noexcept {
  return shared_->name;
}
const std::string& Model::method() const noexcept {
  return shared_->method;
}
int Model::order() const noexcept {
  return shared_->problem.order;
}
bool Model::estimatesError() const noexcept {
  return shared_->problem.estimatesError;
}
const std::vector<Variable>& Model::variables() const noexcept {
  return shared_->variables;
}
const std::vector<Quantity>& Model::parameters() const noexcept {
  return shared_->parameters;
}
const std::vector<Quantity>& Model::inputs() const noexcept {
  return shared_->inputs;
}
const std::vector<Quantity>& Model::observables() const noexcept {
  return shared_->observables;
}
const std::vector<Quantity>& Model::discretes() const noexcept {
  return shared_->discretes;
}
const std::vector<EventInfo>& Model::events() const noexcept {
  return shared_->events;
}
const std::vector<std::pair<std::string, std::int64_t>>& Model::constants() const noexcept {
  return shared_->constants;
}
bool Model::hasEnergy() const noexcept {
  return shared_->hasEnergy;
}
bool Model::hasMass() const noexcept {
  return shared_->hasMass;
}
const Settings& Model::settings() const noexcept {
  return shared_->settings;
}
std::size_t Model::stateSize() const noexcept {
  return shared_->problem.initialState.size();
}
std::size_t Model::algebraSize() const noexcept {
  return shared_->algebraSize;
}
std::size_t Model::tangentSize() const noexcept {
  return shared_->tangentSize;
}
const std::vector<std::string>& Model::samplings() const noexcept {
  return shared_->samplings;
}
std::size_t Model::observablesSize() const noexcept {
  return shared_->observablesSize;
}
const std::vector<std::string>& Model::columns() const noexcept {
  return shared_->columns;
}
Span<const double> Model::initialState() const noexcept {
  return shared_->problem.initialState;
}
bool Model::fromCache() const noexcept {
  return shared_->problem.code->fromCache();
}

Workspace Model::workspace() const {
  return Workspace(*this);
}

std::string Model::equations(Format format) const {
  if (format != Format::Text && format != Format::Latex && format != Format::Json)
    throw Error(Error::Kind::Misuse, fmt::format("there is no format {} of equations", static_cast<int>(format)));
  const char* const name = format == Format::Latex ? "latex" : format == Format::Json ? "json" : "text";
  return shared_->withPipeline([&](products::Pipeline& p) { return products::equations(p, name); });
}

std::vector<MethodInfo> Model::methods() const {
  return shared_->withPipeline(methodsOf);
}

std::vector<std::pair<std::string, double>> Model::timings() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->pipeline ? shared_->pipeline->timings() : shared_->lastTimings;
}

void Model::prepare() const {
  (void)shared_->evaluation();
  if (shared_->method.empty() || !shared_->problem.estimatesError) return;
  (void)shared_->steps(shared_->ownSteps() == products::HostSteps::Adaptive ? products::HostSteps::Fixed
                                                                            : products::HostSteps::Adaptive);
}

void Model::release() const {
  const std::lock_guard lock(shared_->mutex);
  if (!shared_->pipeline) return;
  shared_->lastTimings = shared_->pipeline->timings();
  shared_->settler.reset();
  if (shared_->problem.restoration)
    shared_->restoring = std::move(shared_->pipeline);
  else
    shared_->pipeline.reset();
}

} // namespace lmc::v1
