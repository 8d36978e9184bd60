// The words of methods on `embedding`.
#include "methods/kinds/EmbeddingKind.h"

#include <fmt/format.h>

namespace lmc::methods {

using sym::Expr;

sema::Value EmbeddingKind::word(const Word& word, const std::vector<sema::Value>& args, Range where) {
  if (word.takes[0] == 'x') return constraint(word.name, args, where);
  if (word.name == "ydot") return vectorValue(ydot(args[0].parts[0], args[1].parts));
  if (word.name == "vdot") return vectorValue(vdot(args[0].parts[0], args[1].parts, args[2].parts));
  return mechanics(word.name, args);
}

sema::Value EmbeddingKind::mechanics(const std::string& name, const std::vector<sema::Value>& args) {
  if (!mechanics_) {
    std::vector<AmbientMechanics::Variable> variables;
    for (const Slot& s : slots_) variables.push_back({s.factor, s.index});
    mechanics_ = std::make_unique<AmbientMechanics>(context_, variables);
  }
  const Expr time = args[0].parts[0];
  const std::string suffix = fmt::format("E{}", ++counter_);
  const sema::ArrayTuple q = store(p_, points_, args[1].parts, suffix);
  const sema::ArrayTuple v = store(p_, points_, args[2].parts, suffix + "'");
  return vectorValue(name == "momentum" ? mechanics_->momentum(time, q, v, suffix)
                                        : mechanics_->force(time, q, v, suffix));
}

/// Chooses the constraints of every manifold; false when one has none that can be used (reported).
bool EmbeddingKind::prepareConstraints(Range where) {
  if (!constraints_.empty()) return true;
  std::vector<Constraints> all;
  Space space;
  for (const Slot& s : slots_) {
    all.emplace_back(p_, *s.manifold);
    if (!all.back().refusal().empty()) {
      d_.error(Code::LIE0512, where, "the method cannot step this model: " + all.back().refusal());
      return false;
    }
    if (all.back().count() > 0)
      space.push_back({s.factor->name + ".holds", all.back().shape(), s.factor->extent, s.index});
  }
  constraints_ = std::move(all);
  multipliers_ = std::move(space);
  return true;
}

sema::Value EmbeddingKind::constraint(const std::string& name, const std::vector<sema::Value>& args, Range where) {
  if (!prepareConstraints(where)) return sema::Value::error();
  sema::Tuple result;
  std::size_t first = 0, multiplier = 0;
  for (std::size_t k = 0; k < slots_.size(); ++k) {
    const Slot& s = slots_[k];
    const Constraints& c = constraints_[k];
    const sema::Tuple q = part(args[0].parts, first, s.points);
    if (name == "holdsT") {
      const sema::Tuple own =
          c.count() > 0 ? c.transposed(q, args[1].parts[multiplier++]) : sema::zero(g_, s.manifold->point());
      result.insert(result.end(), own.begin(), own.end());
    } else if (c.count() > 0) {
      result.push_back(name == "holds" ? c.value(q) : c.rate(q, part(args[1].parts, first, s.points)));
    }
    first += s.points;
  }
  sema::Value v = vectorValue(std::move(result));
  if (name != "holdsT") v.kind = sema::ValueKind::PhaseDual;
  return v;
}

} // namespace lmc::methods
