// The derived equations for a person: the map f, momenta, equations of motion, mass matrix, energy.
#include "sym/Print.h"
#include "mechanics/constraints/Shown.h"
#include "mechanics/system/Layer.h"
#include "sema/manifolds/Generator.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

namespace lmc {

using sym::Expr;
using sym::Notation;

namespace {

/// One printed equation: left = right, for all members of a family.
struct Line {
  std::string left, right, range;
};

struct Section {
  std::string title;
  std::vector<Line> lines;
};

class SystemPrinter {
public:
  SystemPrinter(const System& s, Notation n, const std::vector<const sym::Array*>& symmetric)
      : s_(s), layer_(s), work_(layer_.work()), m_(*s.model), n_(n), symmetric_(symmetric),
        symmetrize_(
            layer_.program().graph(), [](sym::Rewriter&, const sym::Node&, const std::vector<Expr>&) { return Expr(); },
            [this](const sym::Array* a, const std::vector<Expr>& index) { return symmetry(a, index); }) {}

  /// Parameters that are shown as symmetric matrices because their values are.
  std::string assumptions() const {
    std::string names;
    for (const sym::Array* a : symmetric_) names += (names.empty() ? "" : ", ") + a->name;
    return names.empty()
               ? ""
               : fmt::format("{} {} symmetric, as by {} present value{}", names, symmetric_.size() == 1 ? "is" : "are",
                             symmetric_.size() == 1 ? "its" : "their", symmetric_.size() == 1 ? "" : "s");
  }

  std::vector<Section> sections() {
    std::vector<Section> list;
    if (std::vector<Line> lines = motion(); !lines.empty())
      list.push_back({"Motion (the map f, reconstructed)", std::move(lines)});
    if (m_.hamiltonian || !s_.duals.empty()) {
      if (std::vector<Line> slopes = rates(); !slopes.empty()) list.insert(list.begin(), {"Velocities", slopes});
      list.push_back({"Equations of motion", momentumEquations()});
      if (m_.hamiltonian) list.push_back({"Energy", {{"energy", show(s_.energyExpression), ""}}});
    }
    if (m_.lagrangian) {
      list.push_back({"Momenta", momenta()});
      list.push_back({"Equations of motion", equations()});
      list.push_back({"Energy", {{"energy", show(s_.energyExpression), ""}}});
    }
    if (s_.constraints) constraints(list);
    std::vector<Line> where = definitions();
    if (!where.empty()) list.push_back({"where", std::move(where)});
    return list;
  }

  std::vector<std::string> masses() {
    std::vector<std::string> out;
    for (const MassGroup& g : s_.groups) {
      std::string names;
      for (const std::size_t k : g.factors) names += (names.empty() ? "" : ", ") + m_.factors[k].name;
      static const char* const kinds[] = {"scalar", "block", "block per member", "chain", "dense", "constraint forces"};
      out.push_back(fmt::format("{}: {}, {} unknown{}{}, {} ({})", names, kinds[static_cast<int>(g.structure)], g.size,
                                g.size == 1 ? "" : "s", unknownsNote(g),
                                g.constant ? "constant: factored once per run" : "factored at every evaluation",
                                g.reason));
    }
    if (s_.constraints) {
      const ConstraintEquations& c = *s_.constraints;
      out.push_back(fmt::format("constraints: {} equation{} between {} velocities, by S = {}, {}", c.rows,
                                c.rows == 1 ? "" : "s", c.columns, m_.hamiltonian ? "dd/dp B^T" : "B M^-1 B^T",
                                c.rows <= 24 ? "written out" : "factored by a routine"));
    }
    return out;
  }

private:
  /// Equations, their rates d and gamma, and the forces on every configuration.
  void constraints(std::vector<Section>& sections) {
    const ShownConstraints shown = shownConstraints(layer_);
    std::vector<Line> equations, forces;
    for (std::size_t k = 0; k < shown.list.size(); ++k) {
      const Constraint& c = m_.constraints[k];
      const ShownConstraint& s = shown.list[k];
      std::string range, at;
      for (std::size_t e = 0; e < c.array->extents.size(); ++e) {
        const std::int64_t first = c.first.empty() ? 1 : c.first[e];
        range += fmt::format("{}{} = {}..{}", e > 0 ? ", " : "", "i", 1, c.array->extents[e]);
        at += fmt::format("{}i{}", e > 0 ? ", " : "", first == 1 ? "" : fmt::format("+{}", first - 1));
      }
      const std::string own = at.empty() ? c.name : c.name + "[" + at + "]";
      for (const Expr& e : {s.value, s.rate, s.bias}) used_.push_back(e);
      if (!c.velocities) equations.push_back({own, show(s.value) + " = 0", range});
      equations.push_back({c.velocities ? own : own + "'", show(s.rate) + " = 0", range});
      equations.push_back({"gamma(" + own + ")", show(s.bias), range});
    }
    for (std::size_t k = 0; k < m_.factors.size(); ++k) {
      const Factor& f = m_.factors[k];
      for (std::size_t part = 0; part < shown.forces[k].size(); ++part) {
        if (shown.forces[k][part]->isZero()) continue;
        used_.push_back(shown.forces[k][part]);
        forces.push_back({fmt::format("(B^T lambda)[{}]{}", member(f.name, f.extent), partSuffix(f, part)),
                          show(shown.forces[k][part]), range(f.extent)});
      }
    }
    sections.push_back({"Constraints", std::move(equations)});
    sections.push_back({"Forces of the constraints, to be added to the right-hand sides", std::move(forces)});
  }

  static std::string unknownsNote(const MassGroup& g) {
    if (g.structure == MassStructure::Members) return " each";
    return g.structure == MassStructure::Multipliers
               ? fmt::format(" by {} force{}", g.multipliers, g.multipliers == 1 ? "" : "s")
               : "";
  }

  std::vector<std::pair<Expr, Expr>> symmetry(const sym::Array* a, const std::vector<Expr>& index) const {
    if (std::find(symmetric_.begin(), symmetric_.end(), a) == symmetric_.end()) return {};
    sym::Graph& g = layer_.program().graph();
    const Expr x = g.load(a, index);
    return {{g.transpose(x), x}, {g.transpose(g.inverse(x)), g.inverse(x)}};
  }

  std::string show(Expr e) { return sym::print(symmetrize_(e), n_); }

  std::string name(const std::string& text) const { return n_ == Notation::Latex ? sym::latexName(text) : text; }

  std::string member(const std::string& text, std::int64_t extent) const {
    if (extent == 0) return name(text);
    return n_ == Notation::Latex ? sym::latexName(text, "i") : text + "[i]";
  }

  static std::string range(std::int64_t extent) { return extent == 0 ? "" : fmt::format("i = 1..{}", extent); }

  std::vector<Line> motion() {
    std::vector<Line> lines;
    sym::Graph& g = layer_.program().graph();
    for (std::size_t k = 0; k < m_.factors.size(); ++k) {
      const Factor& f = m_.factors[k];
      const FactorEquations& e = s_.factors[k];
      const Tuple& xi = f.fiber == Fiber::Momentum ? e.rate : e.velocity;
      const Tuple change = layer_.simplified(generator(layer_.program(), *f.manifold, f.frame, e.point, xi));
      for (std::size_t part = 0; part < change.size(); ++part) {
        used_.push_back(change[part]);
        lines.push_back(
            {member(f.name + (change.size() > 1 ? "." + f.manifold->point()[part].name : "") + "'", f.extent),
             show(change[part]), range(f.extent)});
      }
    }
    for (const StateVariable& z : m_.states) {
      if (z.dual) continue; // among the equations of motion
      std::vector<Expr> index;
      if (z.extent > 0) index.push_back(g.newIndex("i"));
      for (std::size_t part = 0; part < z.flow.size(); ++part) {
        Expr value = g.load(z.flow[part], index);
        if (const auto& w = layer_.program().writers(z.flow[part]); w.size() == 1 && z.extent == 0) {
          value = layer_.program().equations()[w[0]].value;
        }
        used_.push_back(value);
        lines.push_back({fmt::format("f({})", member(z.name, z.extent)), show(value), range(z.extent)});
      }
    }
    return lines;
  }

  /// Names of the parts of algebra elements or their duals: "mu", or "mu.w", "mu.v"; primed, "mu.w'".
  std::string partName(const std::string& base, const Manifold& manifold, std::size_t part, std::int64_t extent,
                       const char* prime = "") const {
    const std::vector<Part>& parts = manifold.algebra();
    return member(base + (parts.size() > 1 ? "." + parts[part].name : "") + prime, extent);
  }

  /// xi = dH/dmu of factors with a momentum and of states in duals, or the flow that such a state is given.
  std::vector<Line> rates() {
    std::vector<Line> lines;
    const auto add = [&](const std::string& name, const Manifold& manifold, std::int64_t extent, const Tuple& xi) {
      for (std::size_t part = 0; part < xi.size(); ++part) {
        used_.push_back(xi[part]);
        lines.push_back({partName(name, manifold, part, extent), show(xi[part]), range(extent)});
      }
    };
    for (std::size_t k = 0; k < m_.factors.size(); ++k) {
      const Factor& f = m_.factors[k];
      if (f.fiber == Fiber::Momentum) add("dH/d" + f.velocityName, *f.manifold, f.extent, s_.factors[k].rate);
    }
    for (const DualEquations& e : s_.duals) {
      const StateVariable& z = m_.states[e.state];
      if (!z.given) add("dH/d" + z.name, *z.manifold, z.extent, e.rate);
    }
    return lines;
  }

  /// mu' of factors with a momentum and of states in duals.
  std::vector<Line> momentumEquations() {
    std::vector<Line> lines;
    const auto add = [&](const std::string& name, const Manifold& manifold, std::int64_t extent, const Tuple& rhs) {
      for (std::size_t part = 0; part < rhs.size(); ++part) {
        used_.push_back(rhs[part]);
        lines.push_back({partName(name, manifold, part, extent, "'"), show(rhs[part]), range(extent)});
      }
    };
    for (std::size_t k = 0; k < m_.factors.size(); ++k) {
      const Factor& f = m_.factors[k];
      if (f.fiber == Fiber::Momentum) add(f.velocityName, *f.manifold, f.extent, s_.factors[k].rhs);
    }
    for (const DualEquations& e : s_.duals) {
      const StateVariable& z = m_.states[e.state];
      add(z.name, *z.manifold, z.extent, e.rhs);
    }
    return lines;
  }

  /// ".v" for a part of an algebra of several parts.
  static std::string partSuffix(const Factor& f, std::size_t part) {
    return f.velocity.size() > 1 ? "." + f.manifold->algebra()[part].name : "";
  }

  std::vector<Line> momenta() {
    std::vector<Line> lines;
    for (std::size_t k = 0; k < m_.factors.size(); ++k) {
      const Factor& f = m_.factors[k];
      for (std::size_t part = 0; part < f.velocity.size(); ++part) {
        const Expr mu = s_.factors[k].momentumValue[part];
        used_.push_back(mu);
        lines.push_back(
            {fmt::format("momentum({}){}", member(f.name, f.extent), partSuffix(f, part)), show(mu), range(f.extent)});
      }
    }
    return lines;
  }

  std::vector<Line> equations() {
    std::vector<Line> lines;
    for (const MassGroup& group : s_.groups) {
      const bool alone = group.structure == MassStructure::Scalar || group.structure == MassStructure::Block;
      for (const std::size_t k : group.factors) {
        const Factor& f = m_.factors[k];
        const FactorEquations& e = s_.factors[k];
        for (std::size_t part = 0; part < e.rhs.size(); ++part) {
          used_.push_back(e.rhs[part]);
          std::string left = fmt::format("(M {})[{}]{}", name("xi'"), member(f.name, f.extent), partSuffix(f, part));
          if (group.factors.size() == 1 && (alone || group.structure == MassStructure::Members)) {
            used_.push_back(e.massTimes[part]);
            left = show(e.massTimes[part]);
          }
          lines.push_back({left, show(e.rhs[part]), range(f.extent)});
        }
      }
    }
    return lines;
  }

  /// The definitions, simplified like everything else, of the arrays that the printed expressions mention.
  std::vector<Line> definitions() {
    const sym::Program& p = layer_.program();
    std::vector<Expr> roots = used_;
    if (s_.energyExpression) roots.push_back(s_.energyExpression);
    std::map<std::size_t, sym::Equation> shown;
    while (!roots.empty()) {
      const Expr root = roots.back();
      roots.pop_back();
      for (const sym::Array* a : sym::reads(root)) {
        for (const std::size_t k : p.writers(a)) {
          if (shown.contains(k)) continue;
          sym::Equation e = p.equations()[k];
          if (e.value) e.value = layer_.simplify(e.value);
          if (e.value) e.value = symmetrize_(e.value);
          if (e.value) roots.push_back(e.value);
          shown.emplace(k, std::move(e));
        }
      }
    }
    std::vector<Line> lines;
    for (const std::size_t k : p.slice({}, used_.empty() ? roots : used_)) {
      if (shown.contains(k)) lines.push_back({"", sym::print(shown.at(k), n_), ""});
      shown.erase(k);
    }
    for (const auto& [k, e] : shown) lines.push_back({"", sym::print(e, n_), ""});
    return lines;
  }

  const System& s_;
  Layer layer_; ///< of what is shown only
  sym::Graph::Work work_;
  const Model& m_;
  Notation n_;
  const std::vector<const sym::Array*>& symmetric_;
  sym::Rewriter symmetrize_;
  std::vector<Expr> used_;
};

std::string text(SystemPrinter& printer, const std::string& name) {
  std::string out = fmt::format("model {}\n", name);
  for (const Section& s : printer.sections()) {
    out += fmt::format("\n{}\n", s.title);
    for (const Line& l : s.lines) {
      out += "  " + (l.left.empty() ? l.right : l.left + " = " + l.right) +
             (l.range.empty() ? "" : "   (" + l.range + ")") + "\n";
    }
  }
  const auto masses = printer.masses();
  if (!masses.empty()) out += "\nMass matrix\n";
  for (const std::string& m : masses) out += "  " + m + "\n";
  if (!printer.assumptions().empty()) out += "\n" + printer.assumptions() + "\n";
  return out;
}

std::string latex(SystemPrinter& printer, const std::string& name) {
  std::string out = fmt::format("% model {}\n", name);
  for (const Section& s : printer.sections()) {
    out += fmt::format("% {}\n\\begin{{align*}}\n", s.title);
    for (std::size_t k = 0; k < s.lines.size(); ++k) {
      const Line& l = s.lines[k];
      out += (l.left.empty() ? "  & " + l.right : "  " + l.left + " &= " + l.right) +
             (l.range.empty() ? "" : ",\\quad " + l.range) + (k + 1 < s.lines.size() ? " \\\\\n" : "\n");
    }
    out += "\\end{align*}\n";
  }
  for (const std::string& m : printer.masses()) out += "% mass matrix: " + m + "\n";
  if (!printer.assumptions().empty()) out += "% " + printer.assumptions() + "\n";
  return out;
}

std::string json(SystemPrinter& printer, const std::string& name) {
  nlohmann::ordered_json root;
  root["model"] = name;
  for (const Section& s : printer.sections()) {
    auto list = nlohmann::ordered_json::array();
    for (const Line& l : s.lines) {
      nlohmann::ordered_json line;
      if (!l.left.empty()) line["left"] = l.left;
      line["right"] = l.right;
      if (!l.range.empty()) line["for"] = l.range;
      list.push_back(std::move(line));
    }
    root["sections"][s.title] = std::move(list);
  }
  root["mass_matrix"] = printer.masses();
  if (!printer.assumptions().empty()) root["assumptions"] = printer.assumptions();
  return root.dump(2) + "\n";
}

} // namespace

std::string printSystem(const System& system, PrintFormat format, const std::vector<const sym::Array*>& symmetric) {
  SystemPrinter printer(system, format == PrintFormat::Latex ? Notation::Latex : Notation::Text, symmetric);
  switch (format) {
  case PrintFormat::Text:
    return text(printer, system.model->name);
  case PrintFormat::Latex:
    return latex(printer, system.model->name);
  default:
    return json(printer, system.model->name);
  }
}

} // namespace lmc
