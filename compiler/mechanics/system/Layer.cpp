#include "mechanics/system/Layer.h"

#include "mechanics/system/Knowledge.h"

namespace lmc::mechanics {

namespace {

/// Definitions of at most this many nodes are written out where they are used.
constexpr std::size_t unfoldingLimit = 12;

/// On the phase manifold the projected velocity is the velocity itself; small definitions are written out.
sym::Rewriter::Leaf leafOf(const sema::Model& m, const sym::Program& p) {
  std::unordered_map<const sym::Array*, const sym::Array*> projected;
  for (const sema::Factor& f : m.factors) {
    for (std::size_t part = 0; part < f.usedVelocity.size(); ++part) {
      if (f.usedVelocity[part] != f.velocity[part]) projected[f.usedVelocity[part]] = f.velocity[part];
    }
  }
  const auto unfold = std::make_shared<sym::Unfolding>(p, unfoldingLimit);
  return [&g = p.graph(), projected = std::move(projected), unfold](sym::Rewriter& self, const sym::Node& n,
                                                                    const std::vector<sym::Expr>& index) {
    if (const auto it = projected.find(n.array); it != projected.end()) return g.load(it->second, index);
    return (*unfold)(n.array, index, [&](sym::Expr e) { return self(e); });
  };
}

sym::Knowledge knowledgeOf(const System& s, sym::Program& p) {
  std::vector<KnownVariable> known;
  const sema::Model& m = *s.model;
  for (std::size_t k = 0; k < m.factors.size(); ++k) {
    const sema::Factor& f = m.factors[k];
    if (f.fiber == sema::Fiber::Momentum)
      known.push_back({f.manifold, f.point, {s.direction[k], f.rate}, {f.velocity}});
    else
      known.push_back({f.manifold, f.point, {f.velocity, s.direction[k]}, {}});
  }
  for (const sema::StateVariable& z : m.states) {
    if (!z.dual) known.push_back({z.manifold, z.point, {}, {}});
  }
  return manifoldKnowledge(p, std::move(known));
}

} // namespace

Layer::Layer(const System& of, const sym::Program& below, std::shared_ptr<const sym::Rewriter> known)
    : system(of), model(*of.model), program_(std::make_shared<sym::Program>(sym::Program::over(below))),
      known_(std::move(known)) {}

Layer Layer::over(const Layer& below) {
  return {below.system, *below.program_, below.rewriter_ ? below.rewriter_ : below.known_};
}

Layer Layer::ofDerivation(const System& beingMade) {
  return {beingMade, beingMade.model->program, nullptr};
}

const std::shared_ptr<sym::Rewriter>& Layer::rewriter() {
  if (!rewriter_) {
    sym::Rewriter::Leaf leaf = leafOf(model, *program_);
    rewriter_ =
        known_ ? std::make_shared<sym::Rewriter>(*known_, std::move(leaf))
               : std::make_shared<sym::Rewriter>(program_->graph(), std::move(leaf), knowledgeOf(system, *program_));
  }
  return rewriter_;
}

} // namespace lmc::mechanics
