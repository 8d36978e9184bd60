// What each stage has made, as text.
#include "jit/Device.h"
#include "products/Impl.h"
#include "sym/Print.h"
#include "syntax/Print.h"
#include "tape/TapeLanes.h"

#include <fmt/format.h>

namespace lmc::products {

const std::vector<std::string>& stageNames() {
  static const std::vector<std::string> names = {"ast",  "program", "model", "system",   "scene",
                                                 "step", "tape",    "ir",    "assembly", "nvptx"};
  return names;
}

namespace {

/// The code of a module for devices; empty, and a report, where they have none for it.
std::string deviceListing(const tape::Module& module, const jit::CompileOptions& options,
                          sema::Compilation& compilation, Diagnostics& diagnostics) {
  const std::string obstacle = tape::deviceObstacle(module);
  if (obstacle.empty()) return jit::deviceCode(module, options).ptx;
  const std::string typed = "--stage nvptx";
  const SourceId source = compilation.sources().add("command line", typed);
  diagnostics.error(Code::LIE0685, {source, 0, static_cast<std::uint32_t>(typed.size())},
                    "a graphics processor cannot make this model: " + obstacle);
  return {};
}

} // namespace

std::string Pipeline::Impl::dump(const std::string& stage) {
  if (stage == "ast") {
    std::string text;
    for (const syntax::File* f : compilation->files()) text += syntax::print(*f);
    return text;
  }
  if (!check() || !requireModel()) return {};
  if (stage == "program" || stage == "model") return listing(*system->program, {}, stage == "model");
  if (stage == "system") {
    std::vector<const sym::Array*> roots;
    for (const NamedOutput& rate : ratesOf(*system)) roots.push_back(rate.array);
    if (system->energy != nullptr) roots.push_back(system->energy);
    return listing(*system->program, roots, false);
  }
  if (stage == "scene") {
    const Prepared prepared(*system, nullptr);
    Product product(prepared, prepared.layer);
    product.defineOutputs(options.compilation.scene);
    return product.shown ? printScene(*product.shown) : std::string();
  }
  if (!checkAll() || !requireMethod()) return {};
  if (stage == "step") return stepListing();
  Prepared prepared(*system, this->stage());
  const sym::Graph::Work work = prepared.layer.work();
  Diagnostics ignored;
  unit::ZeroPattern zeros; // of the code that `run` uses
  if (auto data = evaluateInitialData(prepared.layer, prepared.layout, options.seed, ignored)) {
    (void)checkMass(prepared.layer, prepared.layout, *data, prepared.massKind, ignored);
    zeros = zerosOfCode(prepared.layout, *data);
    prepared.data = std::move(*data);
  }
  Product product(prepared, prepared.layer);
  product.defineOutputs(options.compilation.scene);
  if (options.pairLists && stage != "nvptx") product.unit.useLists();
  (void)addRun(product, stepsOf(true));
  const tape::Module module = product.unit.build(zeros, stage == "nvptx" ? 0 : longestOfRun).module;
  if (stage == "tape") return tape::print(module);
  if (stage == "nvptx") return deviceListing(module, options.compile, *compilation, diagnostics());
  jit::CompileOptions o = options.compile;
  o.keepIr = true;
  const auto code = jit::compile(module, o);
  return stage == "ir" ? code->ir() : code->assembly();
}

/// Of a composition whose parts share code its different steps, and what it makes of them.
std::string Pipeline::Impl::stepListing() const {
  const sym::Program& program = stage()->layer->program();
  if (!step()->sharesCode()) return listing(program, step()->next, false);
  std::string text;
  if (const auto& s = step()->stages) {
    text = "stages, from the state:\n" + listing(program, {s->begin}, false) + "one of them:\n" +
           listing(program, {s->rate}, false);
    for (std::size_t i = 0; i < s->c.size(); ++i)
      text += fmt::format("stage {} at t + {}*h with {}\n", i + 1, s->c[i],
                          fmt::join(s->a[i].begin(), s->a[i].begin() + static_cast<std::ptrdiff_t>(i), ", "));
    return text + fmt::format("end with {}:\n", fmt::join(s->weights[0], ", ")) + listing(program, step()->next, false);
  }
  if (const auto& c = step()->calls) {
    for (std::size_t k = 0; k < c->routines.size(); ++k)
      text += fmt::format("function {} = {}:\n", k + 1, c->routines[k].name) +
              listing(program, {c->routines[k].result}, false);
    for (const methods::SharedCalls::Piece& p : c->pieces) {
      sema::ArrayTuple written;
      for (const methods::SharedCalls::Write& w : p.writes) written.push_back(w.value);
      if (!written.empty()) text += "between calls:\n" + listing(program, written, false);
      if (p.routine) text += fmt::format("call of function {}\n", *p.routine + 1);
    }
    return text + "end:\n" + listing(program, step()->next, false);
  }
  for (std::size_t k = 0; k < step()->steps.size(); ++k)
    text += fmt::format("step {} of {}:\n{}", k + 1, step()->steps[k].method,
                        listing(program, step()->steps[k].next, false));
  text += fmt::format("{}:\n", step()->method);
  for (const methods::StepPart& p : step()->parts)
    text += fmt::format("step {} from t + {}*h over {}*h\n", p.step + 1, p.begin, p.length);
  return text;
}

std::string Pipeline::Impl::listing(const sym::Program& program, const std::vector<const sym::Array*>& roots,
                                    bool declarations) const {
  std::string text;
  if (declarations) {
    for (const sema::Parameter& p : model->parameters)
      text += fmt::format("param {} : {}\n", p.name, p.array->shape.text());
    for (const sema::Factor& f : model->factors) {
      text +=
          fmt::format("config {}{} : {} {} {}\n", f.name, f.extent > 0 ? fmt::format("[{}]", f.extent) : "",
                      f.manifold->name(), f.fiber == sema::Fiber::Momentum ? "momentum" : "velocity", f.velocityName);
    }
    for (const sema::StateVariable& z : model->states)
      text += fmt::format("state {} : {}{}{}\n", z.name, z.dual ? "dual(" : "", z.manifold->name(), z.dual ? ")" : "");
    if (model->lagrangian) text += fmt::format("lagrangian = {}\n", sym::print(model->lagrangian));
    if (model->hamiltonian) text += fmt::format("hamiltonian = {}\n", sym::print(model->hamiltonian));
  }
  sym::Program view = sym::Program::over(program); // whose loop indices are shown
  const sym::Graph::Work work = view.work();
  std::vector<const sym::Array*> all = roots;
  if (all.empty()) {
    for (const sym::Equation& e : program.equations()) all.push_back(e.array);
  }
  for (const std::size_t k : program.slice(all)) text += sym::print(program.equations()[k]) + "\n";
  return text;
}

} // namespace lmc::products
