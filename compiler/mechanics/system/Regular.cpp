#include "mechanics/system/Regular.h"

#include "sym/Fingerprint.h"

#include <fmt/format.h>

namespace lmc::mechanics {

using sym::Expr;

namespace {

class Regularity {
public:
  Regularity(Layer& s, Diagnostics& d) : s_(s), m_(s.model), p_(s.program()), g_(p_.graph()), diagnostics_(d) {}

  bool run() {
    bool regular = true;
    for (std::size_t k = 0; k < m_.factors.size(); ++k) {
      const sema::Factor& f = m_.factors[k];
      std::vector<std::string> missing;
      std::vector<std::string> common; // of all members together
      const std::vector<bool> seen = rows(k);
      for (int c = 0; c < f.manifold->algebraSize(); ++c) {
        if (seen[static_cast<std::size_t>(c)] || carriesEnergy(f, c, false)) continue;
        (f.extent > 1 && carriesEnergy(f, c, true) ? common : missing).push_back(component(f, c));
      }
      if (!missing.empty()) reportMissing(f, missing);
      if (!common.empty()) reportCommon(f, common);
      regular = regular && missing.empty() && common.empty();
    }
    return regular;
  }

private:
  /// Of a single factor: which components of M v are no zeros for a velocity v, in one pass. M is symmetric, so these
  /// carry energy; the others are looked into one by one.
  std::vector<bool> rows(std::size_t k) {
    const sema::Factor& f = m_.factors[k];
    std::vector<bool> result(static_cast<std::size_t>(f.manifold->algebraSize()), false);
    if (f.extent > 0) return result;
    sym::Tangent t(p_);
    for (std::size_t part = 0; part < f.velocity.size(); ++part) {
      t.seed(f.velocity[part],
             [this, k, part](const std::vector<Expr>& index) { return g_.load(s_.system.direction[k][part], index); });
    }
    sym::Fingerprint field{Expr(), 0};
    std::size_t c = 0;
    for (const Expr& mu : s_.system.factors[k].momentum) {
      for (const sym::Fingerprint::Value value : field.of(t.of(mu))) result.at(c++) = value != 0;
    }
    return result;
  }

  /// Whether a momentum depends on component c of the velocity: moved alike in all members, or differently in each.
  bool carriesEnergy(const sema::Factor& f, int c, bool differently) {
    const sym::Array* weight =
        differently ? g_.newArray("weight", {f.extent}, sym::Shape::scalar(), sym::Role::Temp) : nullptr;
    const sema::Tuple e = sema::unit(g_, f.manifold->algebra(), c);
    sym::Tangent t(p_);
    for (std::size_t part = 0; part < e.size(); ++part) {
      t.seed(f.velocity[part], [this, weight, value = e[part]](const std::vector<Expr>& index) {
        return weight == nullptr ? value : g_.mul(g_.load(weight, index), value);
      });
    }
    for (const FactorEquations& other : s_.system.factors) {
      for (const Expr& mu : other.momentum) {
        if (!t.of(mu)->isZero()) return true;
      }
    }
    return false;
  }

  /// Component c of a velocity, named like its column: "w[2]", "V.v[1]".
  static std::string component(const sema::Factor& f, int c) {
    const std::vector<sema::Part>& parts = f.manifold->algebra();
    for (const sema::Part& part : parts) {
      if (c >= part.shape.size()) {
        c -= part.shape.size();
        continue;
      }
      std::string name = f.velocityName + (parts.size() > 1 ? "." + part.name : "");
      if (part.shape.rank == 0) return name;
      if (part.shape.rank == 1) return fmt::format("{}[{}]", name, c + 1);
      return fmt::format("{}[{}][{}]", name, c / part.shape.cols + 1, c % part.shape.cols + 1);
    }
    return f.velocityName;
  }

  void reportMissing(const sema::Factor& f, const std::vector<std::string>& names) {
    diagnostics_
        .error(Code::LIE0400, f.range,
               fmt::format("the mass matrix is singular: the Lagrangian does not depend on {} of `{}`",
                           fmt::join(names, ", "), f.name))
        .note("an acceleration can be found only for velocities that carry kinetic energy")
        .suggest("add a kinetic energy for this velocity, a `constraint` that holds it, or declare a first-order "
                 "`state` with a `flow`");
  }

  void reportCommon(const sema::Factor& f, const std::vector<std::string>& names) {
    diagnostics_
        .error(
            Code::LIE0400, f.range,
            fmt::format("the mass matrix is singular: the kinetic energy does not change when the same {} is added to "
                        "all members of `{}`",
                        fmt::join(names, ", "), f.name))
        .note("it depends on differences between members only, so the acceleration that they have in common is not "
              "determined")
        .suggest("add a kinetic energy of the members themselves, or constraints that hold them");
  }

  Layer& s_;
  const sema::Model& m_;
  sym::Program& p_;
  sym::Graph& g_;
  Diagnostics& diagnostics_;
};

} // namespace

bool structurallyRegular(Layer& layer, Diagnostics& diagnostics) {
  return Regularity(layer, diagnostics).run();
}

bool isHeld(const System& system) {
  if (!system.constraints || system.groups.size() != 1) return false;
  const MassGroup& group = system.groups[0];
  if (group.dense != system.constraints->mass) return false;
  return group.dense != nullptr || (system.constraints->blocks && group.structure == MassStructure::Dense);
}

} // namespace lmc::mechanics
