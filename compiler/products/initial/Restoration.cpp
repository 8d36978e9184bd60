#include "products/initial/Restoration.h"

#include "products/initial/Consistency.h"
#include "products/initial/Initial.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <fmt/format.h>
#include <set>

namespace lmc::products {

namespace {

/// Places of the state that something has to hold for: all but discrete variables that are on no manifold and that no
/// constraint and no contact reads.
std::vector<bool> heldPlaces(const sema::Model& model, const InitialProgram& program) {
  std::vector<const sym::Array*> roots;
  for (const sema::Constraint& c : model.constraints) {
    roots.push_back(c.array);
    if (c.active != nullptr) roots.push_back(c.active);
  }
  std::set<const sym::Array*> held;
  for (const std::size_t k : model.program.slice(roots))
    held.insert(model.program.reads(k).begin(), model.program.reads(k).end());
  for (const InitialCondition& c : program.conditions) held.insert(c.arrays->begin(), c.arrays->end());
  for (const InitialMembership& m : program.memberships) held.insert(m.array);
  std::vector<bool> places(static_cast<std::size_t>(program.layout.stateSize), true);
  for (const sema::DiscreteVariable& d : model.discretes)
    for (const sym::Array* a : d.arrays) {
      if (held.contains(a)) continue;
      std::fill_n(places.begin() + program.layout.of(a).offset, a->count() * a->shape.size(), false);
    }
  return places;
}

/// What all threads share.
struct Shared {
  Shared(const mechanics::System& system, const Layout& layout)
      : program(initialProgram(system, layout)), held(heldPlaces(*system.model, program)) {
    if (!system.constraints) return;
    layer.emplace(system);
    const sym::Graph::Work work = layer->work();
    consistency.emplace(*layer, program.layout);
  }
  InitialProgram program;
  std::vector<bool> held;
  std::optional<mechanics::Layer> layer; ///< of the constraints
  std::optional<Consistency> consistency;
};

class StateRestorer final : public runtime::Restorer {
public:
  explicit StateRestorer(std::shared_ptr<const Shared> shared)
      : shared_(std::move(shared)), evaluator_(shared_->program) {
    evaluator_.draw(0); // files are read as well; nothing that is random stands in what has to hold
    if (shared_->consistency) consistency_.emplace(*shared_->consistency);
  }

  bool concerns(std::span<const double> before, std::span<const double> after) const override {
    for (std::size_t k = 0; k < shared_->held.size(); ++k)
      if (shared_->held[k] && std::bit_cast<std::uint64_t>(before[k]) != std::bit_cast<std::uint64_t>(after[k]))
        return true;
    return false;
  }

  std::string restore(std::span<const double> params, std::span<double> state, double t) override {
    const std::vector<double> own(params.begin(), params.begin() + shared_->program.layout.paramSize);
    evaluator_.setParameters(own);
    evaluator_.settleState(state.first(static_cast<std::size_t>(shared_->program.layout.stateSize)));
    if (!evaluator_.off().empty()) {
      const InitialEvaluator::Off& off = evaluator_.off().front();
      const bool horizontal = off.condition != nullptr && !off.condition->kind.empty();
      return fmt::format("{} is {} (off by {:.3g})", off.name(), horizontal ? "not horizontal" : "not on its manifold",
                         off.defect);
    }
    std::vector<double> moved(evaluator_.state().begin(), evaluator_.state().end());
    if (consistency_) {
      Diagnostics found;
      if (!consistency_->settle(own, moved, t, found)) {
        const std::vector<Diagnostic> list = found.sorted();
        const auto error =
            std::find_if(list.begin(), list.end(), [](const Diagnostic& d) { return d.severity == Severity::Error; });
        return error == list.end() ? "the constraints do not hold there" : error->message;
      }
    }
    std::copy(moved.begin(), moved.end(), state.begin());
    return {};
  }

private:
  std::shared_ptr<const Shared> shared_;
  InitialEvaluator evaluator_;
  std::optional<Consistency> consistency_;
};

} // namespace

std::function<std::unique_ptr<runtime::Restorer>()> restoration(const mechanics::System& system, const Layout& layout) {
  const auto shared = std::make_shared<const Shared>(system, layout);
  if (shared->program.conditions.empty() && shared->program.memberships.empty() && !shared->consistency) return {};
  return [shared] { return std::make_unique<StateRestorer>(shared); };
}

} // namespace lmc::products
