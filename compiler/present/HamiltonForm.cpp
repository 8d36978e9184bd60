// Hamilton's equations of a Lagrangian system: momenta, the velocities that belong to them, q' and mu'.
#include "present/Forms.h"

#include "mechanics/system/Geometry.h"
#include "present/terms/Shown.h"

#include <algorithm>

namespace lmc::present {

/// xi of mu = M xi, where the M of one part is a number or one matrix; elsewhere the momenta are the equations of xi.
std::vector<Line> HamiltonForm::velocities() {
  std::vector<Line> lines;
  for (std::size_t k = 0; k < m_.factors.size(); ++k) {
    const sema::Factor& f = m_.factors[k];
    const mechanics::FactorEquations& e = s_.factors[k];
    if (f.velocity.size() != 1 || (show_.expands() && f.extent > 0)) continue;
    try {
      Engine& engine = show_.engine(Depth::Expanded);
      Terms& t = engine.terms();
      const Poly mu = engine.read(e.momentumValue[0], e.index);
      const Atom xi = t.seal(engine.read(e.velocity[0], e.index));
      if (mu.terms.empty()) continue;
      Poly number = Terms::zero(sym::Shape::scalar());
      std::vector<Atom> matrices;
      bool simple = true;
      for (const auto& [m, c] : mu.terms) {
        Monomial rest{m.powers, nullptr};
        const bool scalar = xi->shape.rank == 0;
        const auto own = std::find(rest.powers.begin(), rest.powers.end(), std::pair(xi, 1));
        const bool chain = m.core != nullptr && m.core->kind == Kind::Chain && m.core->kids.back() == xi;
        simple = simple && (scalar ? own != rest.powers.end() : m.core == xi || (chain && mu.terms.size() == 1));
        if (!simple) break;
        if (scalar) rest.powers.erase(own);
        if (chain) matrices.assign(m.core->kids.begin(), m.core->kids.end() - 1);
        for (const auto& [x, n] : rest.powers) simple = simple && x != xi;
        number.terms[rest] = c;
      }
      for (const auto& [m, c] : number.terms)
        for (const auto& [x, n] : m.powers)
          simple = simple && !t.isVelocity(x) && (x->kind == Kind::Symbol || x->kind == Kind::Call);
      if (!simple || matrices.size() > 1) continue;
      TreePtr value = momentumName(f, 0);
      auto shaped = std::make_shared<Tree>(*value);
      shaped->shape = xi->shape;
      shaped->order = Order::state;
      value = shaped;
      if (!matrices.empty()) value = matmulTree({engine.show(t.inverse(t.of(matrices[0]))), value});
      const TreePtr scale = engine.show(number);
      if (!(scale->op == Op::Number && scale->number.isOne())) value = tree(Op::Div, {value, scale}, xi->shape);
      lines.push_back(line(engine.show(t.of(xi)), value, f.extent));
    } catch (const TooLong&) {
      continue;
    }
  }
  return lines;
}

/// mu' = ± ad*_xi mu + T(g)^T dl/dg + F; plus in body, minus in space.
std::vector<Line> HamiltonForm::equations() {
  std::vector<Line> lines;
  sym::Graph& g = layer_.program().graph();
  for (std::size_t k = 0; k < m_.factors.size(); ++k) {
    const sema::Factor& f = m_.factors[k];
    const mechanics::FactorEquations& e = s_.factors[k];
    const sym::Number sign = f.frame == sema::Frame::Body ? 1 : -1;
    const sema::Tuple bracket =
        sema::scale(g, sign, mechanics::adstar(layer_.program(), *f.manifold, e.velocity, e.momentum));
    const sema::Tuple rate = layer_.simplified(sema::add(g, bracket, e.force));
    for (std::size_t part = 0; part < rate.size(); ++part) {
      putEquation(
          lines, [&] { return tree(Op::Call, {momentumName(f, part)}, {}, "rate"); }, rate[part], k, part);
    }
  }
  return lines;
}

Document HamiltonForm::document() {
  Document d;
  d.model = m_.name;
  d.form = "hamilton";
  d.sections.push_back({"Momenta", momenta()});
  if (std::vector<Line> xi = velocities(); !xi.empty()) d.sections.push_back({"Velocities", std::move(xi)});
  std::vector<Line> hamilton = motion();
  for (const Line& l : equations()) hamilton.push_back(l);
  d.sections.push_back({"Hamilton's equations", std::move(hamilton)});
  d.sections.push_back({"Energy", {energy()}});
  return d;
}

} // namespace lmc::present
