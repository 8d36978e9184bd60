// Compiling for many samples: what they vary, code for lanes, and the data of each sample.
#include "products/ensembles/Ensemble.h"
#include "jit/Device.h"
#include "products/Impl.h"
#include "products/ensembles/Variations.h"
#include "products/initial/Consistency.h"
#include "tape/TapeCost.h"
#include "tape/TapeLanes.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace lmc::products {

namespace {

/// What all sources of samples share.
struct SampleData {
  SampleData(const Prepared& prepared, Variations v)
      : variations(std::move(v)), layer(mechanics::Layer::over(prepared.layer)), program(inLayer(prepared.layout)) {
    if (!layer.system.constraints) return;
    mechanics::Layer own = mechanics::Layer::over(prepared.layer);
    const sym::Graph::Work work = own.work();
    consistency.emplace(own, prepared.layout);
  }

  Variations variations;
  mechanics::Layer layer; ///< of what is varied
  InitialProgram program;
  std::optional<Consistency> consistency; ///< of a model with constraints
  std::uint64_t seed = 0;
  std::int64_t samples = 0;
  double start = 0;

private:
  InitialProgram inLayer(const Layout& layout) {
    const sym::Graph::Work work = layer.work();
    return {layer, layout, variations.initials};
  }
};

/// Sets what is the same in all samples: which initial values are kept.
void keepOrReplace(const SampleData& data, InitialEvaluator& evaluator) {
  const std::vector<VariedInitial>& varied = data.program.varied;
  for (const VariedInitial& v : varied)
    for (const sym::Array* keep : v.keep)
      for (std::int64_t k = 0; k < keep->size(); ++k) evaluator.setInput(keep, k, 1);
  for (const DeltaPlace& p : data.variations.replaced) evaluator.setInput(varied[p.initial].keep[0], p.entry, 0);
}

/// The varied numbers where they belong; returns the changes of parameters.
void distribute(const SampleData& data, std::span<const double> numbers, InitialEvaluator& evaluator,
                std::vector<InitialEvaluator::Change>& changes) {
  changes.clear();
  for (const PlacedVariation& v : data.variations.list) {
    for (std::size_t k = 0; k < v.draw.numbers; ++k) {
      const double x = numbers[v.first + k];
      if (v.params >= 0) {
        changes.push_back({v.params + static_cast<std::int64_t>(k), v.keep, v.shift.empty() ? x : x - v.shift[k]});
      } else {
        const DeltaPlace& p = v.delta[k];
        evaluator.setInput(data.program.varied[p.initial].delta[p.part], p.entry, x);
      }
    }
    for (const std::int64_t offset : v.given) changes.push_back({offset, 0, 1});
  }
}

class ModelSamples final : public runtime::SampleSource {
public:
  explicit ModelSamples(std::shared_ptr<const SampleData> data)
      : data_(std::move(data)), evaluator_(data_->program), consistency_(data_->consistency) {
    evaluator_.draw(data_->seed);
    keepOrReplace(*data_, evaluator_);
  }

  std::int32_t make(std::int64_t sample, std::span<double> params, std::span<double> state,
                    std::span<double> varied) override {
    for (const PlacedVariation& v : data_->variations.list)
      lmc::runtime::draw(v.draw, data_->seed, sample, data_->samples, varied.subspan(v.first, v.draw.numbers));
    // The model's own random numbers: those that a run with this seed would draw.
    if (!data_->program.model.randoms.empty()) evaluator_.draw(data_->seed + static_cast<std::uint64_t>(sample));
    distribute(*data_, varied, evaluator_, changes_);
    if (evaluator_.evaluateParameters(changes_) != nullptr || !evaluator_.evaluateState(data_->start) ||
        !evaluator_.off().empty())
      return runtime::InitialWrong;
    std::copy(evaluator_.params().begin(), evaluator_.params().end(), params.begin());
    std::copy(evaluator_.state().begin(), evaluator_.state().end(), state.begin());
    return consistency_ ? settled(params, state) : static_cast<std::int32_t>(runtime::Ok);
  }

private:
  /// What the initial state of one run is asked for, of every sample: that its constraints hold, or that what may be
  /// adjusted is.
  std::int32_t settled(std::span<const double> params, std::span<double> state) {
    numbers_.assign(params.begin(), params.end());
    settled_.assign(state.begin(), state.end());
    Diagnostics unsaid; // a sample is counted among those that do not start
    if (!consistency_->settle(numbers_, settled_, data_->start, unsaid)) return runtime::InitialWrong;
    std::copy(settled_.begin(), settled_.end(), state.begin());
    return runtime::Ok;
  }

  std::shared_ptr<const SampleData> data_;
  InitialEvaluator evaluator_;
  std::optional<Consistency> consistency_;
  std::vector<double> numbers_, settled_;
  std::vector<InitialEvaluator::Change> changes_;
};

/// True for operations that give NaN whenever an operand is NaN.
bool passesNaN(tape::Op op) {
  using tape::Op;
  if (op >= tape::Op::Lt && op <= tape::Op::Select) return false;
  switch (op) {
  case tape::Op::Min:
  case tape::Op::Max:
  case tape::Op::Pow:
  case tape::Op::FloorToInt:
  case tape::Op::If:
  case tape::Op::FailIf:
  case tape::Op::BreakIf:
  case tape::Op::Kernel:
    return false;
  default:
    return true;
  }
}

/// The zeros that parameters have in every sample. What is varied is replaced by NaN; what is then still zero is zero
/// always, if it was computed by nothing that could hide a NaN.
unit::ZeroPattern commonZeros(const sema::Model& model, const Layout& layout, const SampleData& data) {
  InitialEvaluator evaluator(data.program);
  evaluator.drawNothing();
  std::vector<double> numbers;
  for (const PlacedVariation& v : data.variations.list) numbers.resize(numbers.size() + v.draw.numbers, std::nan(""));
  std::vector<InitialEvaluator::Change> changes;
  distribute(data, numbers, evaluator, changes);
  if (evaluator.evaluateParameters(changes) != nullptr) return {};
  std::vector<double> params(evaluator.params().begin(), evaluator.params().end());
  bool transparent = true;
  for (std::size_t k = 0; k < model.parameters.size(); ++k) {
    const tape::Function& f = data.program.module.functions[static_cast<std::size_t>(data.program.parameters[k])];
    for (const tape::Block& b : f.blocks)
      for (const tape::Instr& i : b.code) transparent = transparent && passesNaN(i.op);
    if (transparent) continue; // later parameters may depend on one that is not
    const sym::Array& a = *model.parameters[k].array;
    const auto first = params.begin() + static_cast<std::ptrdiff_t>(layout.of(&a).offset);
    std::fill(first, first + static_cast<std::ptrdiff_t>(a.size()), std::nan(""));
  }
  return zeroPattern(model, layout, params);
}

/// Part of the time of steps in lanes that looking at the mass equation may take.
constexpr double lookingShare = 0.01;

/// Has every one of some samples, spread over all of them, a positive definite mass matrix at its begin? Code for
/// matrices of any signs serves all; which is taken may not depend on how samples are divided.
bool samplesAreDefinite(mechanics::Layer& layer, const Layout& layout, const runtime::EnsembleProblem& e,
                        double start) {
  constexpr std::int64_t most = 16;
  const std::int64_t looked = std::min(e.samples, most);
  const std::unique_ptr<runtime::SampleSource> source = e.source();
  std::vector<double> params(static_cast<std::size_t>(layout.paramSize)),
      state(static_cast<std::size_t>(layout.stateSize)), varied(e.varied.size());
  MassProbe probe(layer, layout);
  for (std::int64_t k = 0; k < looked; ++k) {
    const std::int64_t sample = looked == 1 ? 0 : k * (e.samples - 1) / (looked - 1);
    if (source->make(sample, params, state, varied) == runtime::Ok && !probe(params, state, start).definite)
      return false;
  }
  return true;
}

/// Lanes as the machine has them. Of short functions two vectors are in flight: one works while the other waits; of
/// long ones the numbers that both need would no longer fit into registers, and there is enough to do in one.
int usualLanes(const unit::Unit& unit) {
  constexpr std::size_t shortFunction = 1000; // instructions; of a step in two halves both count as the longer one
  const std::size_t halves = unit.problem.functions.series >= 0 ? 2 : 1;
  return jit::vectorWidth() * (halves * tape::longestFunction(unit.module) <= shortFunction ? 2 : 1);
}

/// The names of what differs between the samples, and what tells one ensemble from another.
void nameVariations(runtime::EnsembleProblem& e, const Variations& variations, const EnsembleRequest& request) {
  for (const PlacedVariation& v : variations.list) {
    e.varied.insert(e.varied.end(), v.columns.begin(), v.columns.end());
    double sum = 0; // tells tables with other numbers apart
    for (std::size_t k = 0; k < v.draw.table.size(); ++k) sum += v.draw.table[k] * static_cast<double>(k % 97 + 1);
    e.variations.push_back(v.draw.kind == runtime::Distribution::Table ? fmt::format("{} {:a}", v.draw.name, sum)
                                                                       : std::string());
  }
  for (std::size_t k = 0; k < request.vary.size(); ++k) e.variations[k] = request.vary[k] + e.variations[k];
}

/// What is varied, where it belongs.
Variations variationsOf(Pipeline::Impl& made, const Prepared& prepared, const EnsembleRequest& request) {
  mechanics::Layer layer = mechanics::Layer::over(prepared.layer);
  const sym::Graph::Work work = layer.work();
  return placeVariations(*made.model, prepared.layout, prepared.data, request.vary, made.compilation->sources(),
                         made.diagnostics());
}

std::unique_ptr<runtime::EnsembleProblem> build(Pipeline::Impl& made, const EnsembleRequest& request) {
  const Prepared* const prepared = made.prepare(true);
  if (prepared == nullptr) return nullptr;
  const InitialData& data = prepared->data;
  Variations variations = variationsOf(made, *prepared, request);
  if (made.diagnostics().hasErrors()) return nullptr;
  auto e = std::make_unique<runtime::EnsembleProblem>();
  e->samples = request.samples ? *request.samples : variations.rows;
  if (e->samples < 1 || (variations.rows >= 0 && e->samples > variations.rows)) {
    const std::string typed = request.samples ? std::to_string(*request.samples) : std::string();
    const SourceId source = made.compilation->sources().add("--samples", typed);
    made.diagnostics().error(Code::LIE0651, {source, 0, static_cast<std::uint32_t>(typed.size())},
                             e->samples < 1 ? std::string("the number of samples is not known: give --samples")
                                            : fmt::format("{} samples are asked for, and what varies has {} rows only",
                                                          e->samples, variations.rows));
    return nullptr;
  }
  nameVariations(*e, variations, request);
  auto samples = std::make_shared<SampleData>(*prepared, std::move(variations));
  Product product(*prepared, samples->layer);
  samples->seed = data.seed;
  samples->samples = e->samples;
  samples->start = data.settings.contains("time.from") ? data.settings.at("time.from") : 0;
  e->source = [samples = std::shared_ptr<const SampleData>(samples)] {
    return std::make_unique<ModelSamples>(samples);
  };
  product.massKind.definite =
      product.massKind.definite && samplesAreDefinite(product.layer, prepared->layout, *e, samples->start);
  product.defineOutputs(made.options.compilation.scene);
  // Each sample jumps, or ends, at times of its own, or has impulses that are found for it.
  const bool single =
      !product.observation.events.empty() || !made.model->samplings.empty() || !made.model->stepped.empty();
  std::optional<MassSides> sides;
  if (!single && made.solvesForAccelerations(product) && massIsInDoubt(*made.system, product.massKind))
    sides = massSides(product.layer);
  e->look = made.addRun(product, made.stepsOf(true), sides ? &*sides : nullptr);
  unit::Unit unit = made.unitOf(
      product, made.options.presentZeros ? commonZeros(*made.model, prepared->layout, *samples) : unit::ZeroPattern{},
      single ? longestOfRun : 0);
  const tape::Module& module = unit.module;
  e->lanes = single ? 0 : request.lanes > 0 ? request.lanes : usualLanes(unit);
  jit::CompileOptions o = made.options.compile;
  o.lanes = e->lanes;
  made.compileUnit(unit, o);
  e->deviceObstacle =
      single ? "events, at which each sample stops or jumps at a time of its own" : tape::deviceObstacle(module);
  if (e->deviceObstacle.empty())
    e->deviceCode = [tape = std::make_shared<const tape::Module>(module), o] { return jit::deviceCode(*tape, o).ptx; };
  e->problem = std::move(unit.problem);
  e->scratch = tape::kernelScratch(module);
  e->length = tape::longestFunction(module);
  if (single || sides || made.system->constraints) made.lookAtMass(e->problem, product, unit);
  if (sides) {
    const double cost = unit.operationsPerStep();
    const double look = tape::cost(module, e->look.function);
    e->look.every = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(look / (lookingShare * cost))));
    if (!product.massKind.definite) e->look.every = std::max(e->look.every, e->problem.mass->every);
  }
  return e;
}

} // namespace

std::unique_ptr<runtime::EnsembleProblem> buildEnsemble(Pipeline& pipeline, const EnsembleRequest& request) {
  Pipeline::Impl& made = pipeline.impl();
  return made.limited([&] { return build(made, request); });
}

} // namespace lmc::products
