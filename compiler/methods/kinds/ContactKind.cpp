// Methods on `contacts`: those on configuration and velocity that leave the impulses of contacts to the run. What a
// step has computed before it stands in arrays that the run reads; what impulses change is a part of its memory.
#include "methods/kinds/LagrangianKind.h"

namespace lmc::methods {

namespace {

class ContactKind final : public LagrangianKind {
public:
  using LagrangianKind::LagrangianKind;

  sema::Value word(const Word& word, const std::vector<sema::Value>& args, Range where) override {
    if (word.name != "impulses") return LagrangianKind::word(word, args, where);
    // Without contacts there are no impulses; Needs sees to it that there is one call where there are.
    if (context_.layer.model.stepped.empty()) return args[0];
    return valueOf(sema::ValueKind::PhaseAlgebra, changed(args[0].parts, args[1].parts[0]));
  }

private:
  sema::Tuple changed(const sema::Tuple& free, sym::Expr tolerance) {
    Step& step = context_.step;
    step.free = store(p_, algebra_, free, "free");
    step.tolerance = g_.newArray("tolerance of impulses", {}, sym::Shape::scalar(), sym::Role::Temp);
    p_.append({sym::EquationKind::Set, step.tolerance, {}, {}, {}, tolerance, nullptr, nullptr});
    for (const sym::Array* a : step.free)
      step.change.push_back(g_.newArray("impulses on " + a->name, a->extents, a->shape, sym::Role::State));
    return sema::add(g_, load(g_, algebra_, step.free), load(g_, algebra_, step.change));
  }
};

} // namespace

namespace kinds {
std::unique_ptr<MethodKind> contacts(const KindContext& context, const ModelParts&) {
  return std::make_unique<ContactKind>(context);
}
} // namespace kinds

} // namespace lmc::methods
