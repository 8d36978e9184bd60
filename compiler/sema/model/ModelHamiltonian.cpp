// Hamiltonian models: which formulation a model has, the Hamiltonian, states in the dual of a Lie algebra.
#include "sema/model/ModelBuilder.h"

#include <algorithm>

namespace lmc::sema {

using sym::Expr;
using syntax::StatementKind;

/// Velocities belong to a Lagrangian, momenta to a Hamiltonian; a model has one of the two. False after an error.
bool ModelBuilder::checkFormulation() {
  if (lagrangian_ != nullptr && hamiltonian_ != nullptr) {
    s_.diagnostics
        .error(Code::LIE0173, hamiltonian_->keyword, "a model has a `lagrangian` or a `hamiltonian`, not both")
        .note("the Lagrangian is here", lagrangian_->keyword);
    return false;
  }
  bool fine = true;
  for (const syntax::Statement* s : phase_) {
    if (s->kind != StatementKind::Config || s->secondName.empty()) continue;
    if (s->momentum && lagrangian_ != nullptr) {
      s_.diagnostics
          .error(Code::LIE0173, s->secondRange,
                 "`" + s->secondName + "` is a momentum, but the model has a Lagrangian, a function of velocities")
          .suggest("declare `velocity " + s->secondName + "`, or give `hamiltonian = ...;` instead");
      fine = false;
    } else if (!s->momentum && hamiltonian_ != nullptr) {
      s_.diagnostics
          .error(Code::LIE0173, s->secondRange,
                 "`" + s->secondName + "` is a velocity, but the model has a Hamiltonian, a function of momenta")
          .suggest("declare `momentum " + s->secondName + "`, or give `lagrangian = ...;` instead");
      fine = false;
    }
  }
  return fine;
}

void ModelBuilder::buildHamiltonian() {
  if (hamiltonian_ == nullptr || !hamiltonian_->value) return;
  const syntax::Expr& e = *hamiltonian_->value;
  const Expr h = evaluator_.scalar(evaluator_.evaluate(e, topContext()), e);
  if (!h) return;
  const bool momenta = std::any_of(phase_.begin(), phase_.end(), [](const syntax::Statement* s) {
    return s->momentum || (s->type && s->type->name == "dual");
  });
  if (!momenta) {
    s_.diagnostics.error(Code::LIE0171, hamiltonian_->keyword,
                         "a Hamiltonian needs a `config` with a momentum or a `state` in a dual: there is none in this "
                         "model");
    return;
  }
  const std::size_t before = s_.diagnostics.errorCount();
  if (refuse(h, e, OnDerived | OnInputs | OnStates | OnVelocities | OnRandom, "a Hamiltonian", Code::LIE0163)) return;
  for (const StateVariable& z : model_->states) {
    if (!z.dual || !z.given) continue;
    const auto used = dependence_.arrays(h);
    if (std::none_of(z.point.begin(), z.point.end(), [&](const sym::Array* a) { return used.contains(a); })) continue;
    s_.diagnostics
        .error(Code::LIE0174, z.range,
               "the motion of `" + z.name + "` is given twice: by its `flow` and by the Hamiltonian")
        .note("a Hamiltonian that contains `" + z.name + "` moves it", hamiltonian_->keyword);
  }
  if (s_.diagnostics.errorCount() == before) model_->hamiltonian = h;
}

const FoundManifold* ModelBuilder::dualOf(const syntax::Type& type) {
  const std::string& word = type.name;
  std::optional<syntax::Type> of;
  if (type.types.size() == 1) of = *type.types[0];
  if (word == "algebra" && type.args.size() == 1) of = typeOf(*type.args[0]);
  if ((word != "dual" && word != "algebra") || !of || type.exponent) {
    s_.diagnostics.error(Code::LIE0110, type.range,
                         word == "algebra" ? "the Lie algebra of a group G is written `algebra(G)`"
                                           : "the dual of the algebra of a group G is written `dual(G)`");
    return nullptr;
  }
  const FoundManifold* m = evaluator_.manifold(*of, topContext());
  if (m == nullptr || m->isGroup()) return m;
  s_.diagnostics
      .error(Code::LIE0110, of->range,
             "`" + word + "` takes a group; " + m->name() + " is a manifold on which " + m->group().name() + " acts")
      .suggest(didYouMean(word + "(" + m->group().name() + ")"));
  return nullptr;
}

} // namespace lmc::sema
