// What a person is told of sums with a bounded distance before they run: energies that jump at the bound, boxes that
// are too small for it.
#include "products/Impl.h"
#include "products/stages/Cutoffs.h"

#include <cmath>
#include <fmt/format.h>

namespace lmc::products {

namespace {

bool compares(const syntax::Expr& e) {
  using syntax::BinaryOp;
  if (e.kind != syntax::ExprKind::Binary) return false;
  if (e.op == BinaryOp::And) return compares(*e.args[0]) || compares(*e.args[1]);
  return e.op == BinaryOp::Lt || e.op == BinaryOp::Le || e.op == BinaryOp::Gt || e.op == BinaryOp::Ge;
}

/// Conditions of sums with a comparison, in the order in which they are evaluated.
void conditions(const syntax::Expr& e, std::vector<Range>& out) {
  const std::vector<const syntax::Expr*> spine = syntax::leftSpine(e);
  if (!spine.empty()) { // long chains are walked by a loop
    conditions(*spine.back()->args[0], out);
    for (auto node = spine.rbegin(); node != spine.rend(); ++node) conditions(*(*node)->args[1], out);
    return;
  }
  if (e.kind == syntax::ExprKind::Sum && e.where && compares(*e.where)) out.push_back(e.where->range);
  for (const syntax::ExprPtr& a : e.args)
    if (a) conditions(*a, out);
}

} // namespace

/// The conditions of as many sums in the model's text, or none where it is not clear which is which.
std::vector<Range> Pipeline::Impl::conditionsOfSums(std::size_t count) const {
  std::vector<Range> list;
  for (const syntax::File* f : compilation->files())
    for (const syntax::Declaration& d : f->declarations) {
      if (d.kind != syntax::DeclKind::Model || d.name != model->name) continue;
      for (const syntax::StatementPtr& s : d.body)
        if (s && s->value && s->kind != syntax::StatementKind::Observe && s->kind != syntax::StatementKind::Event)
          conditions(*s->value, list);
    }
  if (list.size() != count) list.clear();
  return list;
}

void Pipeline::Impl::lookAtCutoffs(const runtime::Problem& p, const Prepared& prepared) {
  const std::vector<Cutoff> list = cutoffs(prepared.layer, p);
  const std::vector<Range> places = conditionsOfSums(list.size());
  for (std::size_t k = 0; k < list.size(); ++k) {
    const Cutoff& c = list[k];
    const Range place = places.empty() ? modelPlace() : places[k];
    if (c.period > 0 && c.limit > c.period / 2)
      diagnostics()
          .warning(Code::LIE0591, place,
                   fmt::format("the limit {:.6g} is more than half of the period {:.6g}: pairs meet through several "
                               "images, of which one is counted",
                               c.limit, c.period))
          .note(fmt::format("take a limit of at most {:.6g}, or a larger box", c.period / 2));
    if (c.jumps())
      diagnostics()
          .warning(Code::LIE0590, place,
                   fmt::format("a summand is {:.6g} at the limit {:.6g}, and 0 beyond: the energy jumps when a pair "
                               "crosses it",
                               c.value, c.limit))
          .note(fmt::format("with V the summand and r the distance, take `V(r) - V(rc)`; its slope there is {:.6g}: "
                            "forces are continuous with `V(r) - V(rc) - (r - rc)*({:.6g})`",
                            c.slope, c.slope));
    else if (c.bends())
      diagnostics()
          .warning(Code::LIE0590, place,
                   fmt::format("the slope of a summand is {:.6g} at the limit {:.6g}, and 0 beyond: forces jump when "
                               "a pair crosses it",
                               c.slope, c.limit))
          .note(fmt::format("with V the summand and r the distance, take `V(r) - (r - rc)*({:.6g})`", c.slope));
  }
}

} // namespace lmc::products
