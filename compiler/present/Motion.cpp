// The form M xi' = r: reconstruction, momenta, equations of motion, energy.
#include "present/Forms.h"

#include "sema/manifolds/Generator.h"
#include "sym/derivatives/Derivative.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc::present {

using sym::Expr;
void seedDirections(sym::Tangent& momenta, mechanics::Layer& layer) {
  for (std::size_t j = 0; j < layer.model.factors.size(); ++j) {
    const sema::Factor& f = layer.model.factors[j];
    if (f.fiber == sema::Fiber::Momentum) continue;
    for (std::size_t part = 0; part < f.velocity.size(); ++part)
      momenta.seed(f.velocity[part], [&layer, j, part](const std::vector<Expr>& index) {
        return layer.program().graph().load(layer.system.direction[j][part], index);
      });
  }
}

FormBase::FormBase(mechanics::Layer& layer, Shower& show)
    : s_(layer.system), layer_(layer), m_(layer.model), show_(show) {}

MotionForm::MotionForm(mechanics::Layer& layer, Shower& show) : FormBase(layer, show), momenta_(layer.program()) {
  seedDirections(momenta_, layer);
}

TreePtr FormBase::named(const std::string& text, std::int64_t extent) {
  std::vector<TreePtr> kids;
  if (extent > 0) kids.push_back(member_ > 0 ? show_.integer(member_) : tree(Op::Name, {}, {}, "i"));
  return tree(Op::Name, std::move(kids), {}, text);
}

Line FormBase::line(const TreePtr& left, const TreePtr& right, std::int64_t extent) {
  Line l{left, right, {}, nullptr, nullptr};
  if (extent > 0 && member_ == 0) {
    l.index = "i";
    l.from = numberTree(1);
    l.to = show_.integer(extent);
  }
  return l;
}

void FormBase::put(std::vector<Line>& lines, const std::function<TreePtr()>& left, Expr right,
                   const std::vector<Expr>& index, std::int64_t extent) {
  const bool each = show_.expands() && extent > 0;
  for (member_ = each ? 1 : 0; member_ <= (each ? extent : 0); ++member_)
    lines.push_back(line(left(), shown(right, index), extent));
  member_ = 0;
}

void FormBase::putEquation(std::vector<Line>& lines, const std::function<TreePtr()>& left, Expr right,
                           std::size_t factor, std::size_t part) {
  const std::size_t first = lines.size();
  const sema::Factor& f = m_.factors[factor];
  put(lines, left, right, s_.factors[factor].index, f.extent);
  const bool each = lines.size() > first + 1 || (show_.expands() && f.extent > 0);
  for (std::size_t k = first; k < lines.size(); ++k) {
    lines[k].factor = static_cast<int>(factor);
    lines[k].part = part;
    lines[k].member = each ? static_cast<std::int64_t>(k - first) + 1 : 0;
  }
}

/// momentum(q), or momentum(q).w where there are several parts.
TreePtr FormBase::partOf(const char* function, TreePtr of, const std::vector<sema::Part>& parts, std::size_t part) {
  std::vector<TreePtr> kids{std::move(of)};
  if (parts.size() > 1) kids.push_back(tree(Op::Name, {}, {}, parts[part].name));
  return tree(Op::Call, std::move(kids), {}, function);
}

std::vector<Line> FormBase::motion() {
  std::vector<Line> lines;
  sym::Graph& g = layer_.program().graph();
  for (std::size_t k = 0; k < m_.factors.size(); ++k) {
    const sema::Factor& f = m_.factors[k];
    const mechanics::FactorEquations& e = s_.factors[k];
    const sema::Tuple& xi = f.fiber == sema::Fiber::Momentum ? e.rate : e.velocity;
    const sema::Tuple change = layer_.simplified(sema::generator(layer_.program(), *f.manifold, f.frame, e.point, xi));
    for (std::size_t part = 0; part < change.size(); ++part)
      put(
          lines,
          [&] {
            return named(f.name + (change.size() > 1 ? "." + f.manifold->point()[part].name : "") + "'", f.extent);
          },
          change[part], e.index, f.extent);
  }
  for (const sema::StateVariable& z : m_.states) {
    if (z.dual) continue; // among the equations of motion
    std::vector<Expr> index;
    if (z.extent > 0) index.push_back(g.newIndex("i"));
    for (std::size_t part = 0; part < z.flow.size(); ++part)
      put(
          lines, [&] { return partOf("f", named(z.name, z.extent), z.manifold->group().algebra(), part); },
          g.load(z.flow[part], index), index, z.extent);
  }
  return lines;
}

/// Names of the parts of algebra elements or their duals: "mu", or "mu.w", "mu.v"; primed, "mu.w'".
TreePtr FormBase::partName(const std::string& base, const sema::Manifold& manifold, std::size_t part,
                           std::int64_t extent, const char* prime) {
  const std::vector<sema::Part>& parts = manifold.algebra();
  return named(base + (parts.size() > 1 ? "." + parts[part].name : "") + prime, extent);
}

/// xi = dH/dmu of factors with a momentum and of states in duals, or the flow that such a state is given.
std::vector<Line> MotionForm::rates() {
  std::vector<Line> lines;
  const auto add = [&](const std::string& name, const sema::Manifold& manifold, std::int64_t extent,
                       const sema::Tuple& xi, const std::vector<Expr>& index) {
    for (std::size_t part = 0; part < xi.size(); ++part)
      put(
          lines, [&] { return partName(name, manifold, part, extent); }, xi[part], index, extent);
  };
  for (std::size_t k = 0; k < m_.factors.size(); ++k) {
    const sema::Factor& f = m_.factors[k];
    if (f.fiber == sema::Fiber::Momentum)
      add("dH/d" + f.velocityName, *f.manifold, f.extent, s_.factors[k].rate, s_.factors[k].index);
  }
  for (const mechanics::DualEquations& e : s_.duals) {
    const sema::StateVariable& z = m_.states[e.state];
    if (!z.given) add("dH/d" + z.name, *z.manifold, z.extent, e.rate, e.index);
  }
  return lines;
}

/// mu' of factors with a momentum and of states in duals.
std::vector<Line> FormBase::momentumEquations() {
  std::vector<Line> lines;
  const auto add = [&](const std::string& name, const sema::Manifold& manifold, std::int64_t extent,
                       const sema::Tuple& rhs, const std::vector<Expr>& index) {
    for (std::size_t part = 0; part < rhs.size(); ++part)
      put(
          lines, [&] { return partName(name, manifold, part, extent, "'"); }, rhs[part], index, extent);
  };
  for (std::size_t k = 0; k < m_.factors.size(); ++k) {
    const sema::Factor& f = m_.factors[k];
    for (std::size_t part = 0; f.fiber == sema::Fiber::Momentum && part < s_.factors[k].rhs.size(); ++part)
      putEquation(
          lines, [&] { return partName(f.velocityName, *f.manifold, part, f.extent, "'"); }, s_.factors[k].rhs[part], k,
          part);
  }
  for (const mechanics::DualEquations& e : s_.duals) {
    const sema::StateVariable& z = m_.states[e.state];
    add(z.name, *z.manifold, z.extent, e.rhs, e.index);
  }
  return lines;
}

TreePtr FormBase::momentumName(const sema::Factor& f, std::size_t part) {
  return partOf("momentum", named(f.name, f.extent), f.manifold->algebra(), part);
}

std::vector<Line> FormBase::momenta() {
  std::vector<Line> lines;
  for (std::size_t k = 0; k < m_.factors.size(); ++k) {
    const sema::Factor& f = m_.factors[k];
    for (std::size_t part = 0; part < f.velocity.size(); ++part)
      put(
          lines, [&] { return momentumName(f, part); }, s_.factors[k].momentumValue[part], s_.factors[k].index,
          f.extent);
  }
  return lines;
}

/// M xi' = r, with all of M xi'.
std::vector<Line> MotionForm::equations() {
  std::vector<Line> lines;
  for (std::size_t k = 0; k < m_.factors.size(); ++k) {
    const mechanics::FactorEquations& e = s_.factors[k];
    for (std::size_t part = 0; part < e.rhs.size(); ++part) {
      const Expr left = layer_.simplify(momenta_.of(e.momentum[part]));
      putEquation(
          lines, [&] { return shown(left, e.index); }, e.rhs[part], k, part);
    }
  }
  return lines;
}

Line FormBase::energy() {
  return line(named("energy", 0), show_(s_.energyExpression), 0);
}

Document MotionForm::document() {
  Document d;
  d.model = m_.name;
  d.form = "motion";
  if (std::vector<Line> lines = motion(); !lines.empty())
    d.sections.push_back({"Motion (the map f, reconstructed)", std::move(lines)});
  if (m_.hamiltonian || !s_.duals.empty()) {
    if (std::vector<Line> slopes = rates(); !slopes.empty())
      d.sections.insert(d.sections.begin(), {"Velocities", std::move(slopes)});
    d.sections.push_back({"Equations of motion", momentumEquations()});
    if (m_.hamiltonian) d.sections.push_back({"Energy", {energy()}});
  }
  if (m_.lagrangian) {
    d.sections.push_back({"Momenta", momenta()});
    d.sections.push_back({"Equations of motion", equations()});
    d.sections.push_back({"Energy", {energy()}});
  }
  return d;
}

} // namespace lmc::present
