#include "products/initial/Restoration.h"

#include "products/initial/Consistency.h"
#include "products/initial/Initial.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc::products {

namespace {

/// What all threads share.
struct Shared {
  Shared(const mechanics::System& system, const Layout& layout) : program(initialProgram(system, layout)) {
    if (!system.constraints) return;
    layer.emplace(system);
    const sym::Graph::Work work = layer->work();
    consistency.emplace(*layer, program.layout);
  }
  InitialProgram program;
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
