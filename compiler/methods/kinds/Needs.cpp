#include "methods/kinds/Needs.h"

#include "sema/model/ModelContacts.h"
#include "sym/derivatives/Series.h"

#include <algorithm>
#include <fmt/format.h>

namespace lmc::methods {

namespace {

class Having {
public:
  Having(mechanics::Layer& layer, const CheckedMethod& method, ModelParts& parts)
      : layer_(layer), m_(layer.model), method_(method), parts_(parts) {}

  /// Why the model has not what is needed; empty if it has.
  std::string lacks(Need need) {
    switch (need) {
    case Need::Configurations:
      return m_.states.empty() ? "" : fmt::format("`{}` is a first-order state without a momentum", m_.states[0].name);
    case Need::Groups:
      return leavesGroups();
    case Need::Lagrangian:
      return momentum("`{}` has a momentum, and the method needs a Lagrangian");
    case Need::Rates:
      if (!m_.states.empty()) return "it has a first-order state, and the method steps q and q' of configurations only";
      return momentum("`{}` has a momentum, and the method steps q and q'");
    case Need::LegendreTransform:
      return cotangent().refusal;
    case Need::ConstantInertia: {
      const std::string what = dependence(&mechanics::CotangentFactor::velocity, true);
      return what.empty()
                 ? ""
                 : fmt::format("its kinetic energy depends on {}, and the method needs a constant inertia", what);
    }
    case Need::PositionForces: {
      const std::string what = dependence(&mechanics::CotangentFactor::force, false);
      return what.empty() ? "" : fmt::format("its forces depend on the velocity `{}`", what);
    }
    case Need::HeldByOnto:
      parts_.endsOnManifold = method_.endsOnManifold();
      if (parts_.endsOnManifold) return {};
      [[fallthrough]];
    case Need::Unconstrained:
      return m_.constraints.empty() ? "" : holdsNot(m_.constraints[0]);
    case Need::Series:
      parts_.endsOnManifold = method_.endsOnManifold();
      return series();
    case Need::HolonomicAtMost:
      return holonomic();
    case Need::HeldByBody:
      return heldByBody();
    }
    return {};
  }

  /// Why an adjoint of which the method is made is none.
  std::string backwards(const CheckedMethod& method) const {
    if (!method.composition) return {};
    for (const CheckedComposition::Part& p : method.composition->parts) {
      std::string reason = p.use.adjoint ? withoutAdjoint(layer_.system, *p.use.method) : backwards(*p.use.method);
      if (!reason.empty()) return reason;
    }
    return {};
  }

  /// Contacts hold for a part of the time, and friction is no force of a constraint: only the accelerations know of it.
  std::string takesNoContacts() const {
    if (!m_.stepped.empty()) return stepsNoContacts();
    if (m_.contacts.empty()) return {};
    if (method_.kind->name == contactKind)
      return fmt::format("it has the contact `{}`, which a method that is declared `on contacts` steps itself, but no "
                         "composition or adjoint of it",
                         m_.contacts[0].name);
    const auto holds = [&](Need n) { return n == Need::HeldByOnto && method_.endsOnManifold(); };
    const auto& needs = method_.kind->needs;
    const bool accelerations = std::all_of(needs.begin(), needs.end(), holds);
    if (accelerations && !isSymmetric(method_)) return {};
    return fmt::format("it has the contact `{}`, and only methods on `manifold` and projected ones step the "
                       "accelerations of contacts; those on `contacts` step them by impulses",
                       m_.contacts[0].name);
  }

  /// The unknowns of symmetric projection of a sparse system are those of configurations.
  std::string projectsNoStates() const {
    const auto& c = layer_.system.constraints;
    if (!c || !c->blocks || m_.states.empty() || !isSymmetric(method_)) return {};
    return fmt::format("it has {} equations of constraints, which are solved for as one sparse system, and symmetric "
                       "projection then takes no first-order states as `{}`",
                       c->rows, m_.states[0].name);
  }

private:
  static constexpr const char* contactKind = "contacts";

  /// Of a model whose contacts were read for a method that steps them.
  std::string stepsNoContacts() const {
    const std::string& name = m_.stepped[0]->name;
    if (method_.kind->name != contactKind || method_.composition)
      return fmt::format("the contact `{}` acts by impulses, which methods on `contacts` know alone", name);
    if (m_.simulation.sequential)
      return "it takes impacts one after the other (`simultaneous = sequential`), and the method finds the impulses of "
             "all contacts together";
    if (m_.simulation.poisson)
      return "it takes impacts by Poisson's law (`law = poisson`), and the method knows no compression: restitution is "
             "that of speeds";
    const int calls = method_.calls("impulses");
    if (calls == 1) return {};
    return fmt::format("it has the contact `{}`, and the method {}", name,
                       calls == 0 ? "has no `impulses` in its body" : "asks for `impulses` more than once");
  }

  std::string holdsNot(const sema::Constraint& c) const {
    return fmt::format("it has the constraint `{}`{}, for which the method has no equations{}", c.name,
                       c.velocities ? " on velocities" : "",
                       m_.stepped.empty() ? ""
                                          : "; methods on `manifold` and projected ones step constraints beside "
                                            "contacts, by events");
  }

  static bool isSymmetric(const CheckedMethod& method) {
    if (!method.composition) return false;
    const auto& parts = method.composition->parts;
    return method.composition->symmetric ||
           std::any_of(parts.begin(), parts.end(), [](const auto& p) { return isSymmetric(*p.use.method); });
  }

  std::string leavesGroups() const {
    for (const sema::Factor& f : m_.factors) {
      if (!f.manifold->isGroup()) return fmt::format("`{}` is on {}, which is not a group", f.name, f.manifold->name());
    }
    return {};
  }

  /// A body is for models with constraints where it has equations of its own for them.
  std::string heldByBody() const {
    for (const sema::Constraint& c : m_.constraints) {
      if (!method_.alwaysCalls(c.velocities ? "holdsdot" : "holds")) return holdsNot(c);
    }
    if (std::string reason = leavesRollingWithoutMass(); !reason.empty()) return reason;
    if (!method_.alwaysCalls("velocityinvT")) return {};
    return leavesGroups();
  }

  /// Displacements that follow from momenta, multipliers that are known, and constraints on positions alone.
  static bool movesByPositionsAlone(const CheckedMethod& method) {
    const auto calls = [&](const CheckedSolve& s, std::string_view word) {
      return std::any_of(s.equations.begin(), s.equations.end(), [&](const CheckedSolve::Equation& e) {
        const auto first = method.terms.begin() + static_cast<std::ptrdiff_t>(e.terms.first);
        const auto last = method.terms.begin() + static_cast<std::ptrdiff_t>(e.terms.last);
        return std::any_of(first, last, [&](const Term& t) { return t.op == TermOp::Word && t.word->name == word; });
      });
    };
    return std::any_of(method.body.begin(), method.body.end(), [&](const CheckedStatement& s) {
      return s.what == CheckedStatement::What::Solve && calls(s.solve, "momentum") && calls(s.solve, "holds") &&
             !calls(s.solve, "holdsdot");
    });
  }

  /// A configuration without kinetic energy that only constraints on velocities hold, as the wheel of a castor.
  std::string leavesRollingWithoutMass() const {
    if (!movesByPositionsAlone(method_)) return {};
    for (std::size_t k = 0; k < m_.factors.size(); ++k) {
      const sema::Factor& f = m_.factors[k];
      const sema::Tuple& momentum = layer_.system.factors[k].momentum;
      const bool massless = std::all_of(momentum.begin(), momentum.end(), [](sym::Expr e) { return e->isZero(); });
      const auto holds = [&](const sema::Constraint& c) {
        return !c.velocities && std::any_of(f.point.begin(), f.point.end(),
                                            [&](const sym::Array* a) { return dependsOn({c.array}, a); });
      };
      if (massless && std::none_of(m_.constraints.begin(), m_.constraints.end(), holds))
        return fmt::format("`{}` has no kinetic energy and is held by constraints on velocities alone, of which the "
                           "method takes the forces of the last step: they do not say where it moves",
                           f.name);
    }
    return {};
  }

  std::string series() const {
    std::vector<const sym::Array*> variables = {m_.time}, rates;
    const auto add = [](std::vector<const sym::Array*>& list, const sema::ArrayTuple& more) {
      list.insert(list.end(), more.begin(), more.end());
    };
    for (std::size_t k = 0; k < m_.factors.size(); ++k) {
      const sema::Factor& f = m_.factors[k];
      for (const auto* part : {&f.point, &f.velocity, &f.usedVelocity}) add(variables, *part);
      add(rates, layer_.system.factors[k].acceleration);
      if (f.fiber == sema::Fiber::Momentum) add(rates, f.rate);
    }
    for (const sema::StateVariable& z : m_.states) {
      add(variables, z.point);
      if (!z.dual) add(rates, z.flow);
    }
    for (const mechanics::DualEquations& d : layer_.system.duals) add(rates, d.derivative);
    const std::string reason = sym::lacksSeries(layer_.program(), variables, rates);
    return reason.empty() ? "" : fmt::format("{}, which has no power series here", reason);
  }

  std::string holonomic() {
    if (m_.constraints.empty()) return {};
    if (!method_.holdsAtNodes())
      return fmt::format("it has the constraint `{}`, which would have to hold at the inner points of the method, too, "
                         "for its order, and the method takes the Lagrangian elsewhere",
                         m_.constraints[0].name);
    for (const sema::Constraint& c : m_.constraints) {
      if (c.velocities)
        return fmt::format("`{}` is a constraint on velocities, which variational methods do not keep", c.name);
    }
    const std::string& reason = cotangent().refusal;
    return reason.empty() ? "" : fmt::format("it has constraints, and {}", reason);
  }

  std::string momentum(const char* message) const {
    for (const sema::Factor& f : m_.factors) {
      if (f.fiber == sema::Fiber::Momentum) return fmt::format(fmt::runtime(message), f.name);
    }
    return {};
  }

  const mechanics::CotangentField& cotangent() {
    if (!parts_.cotangent) parts_.cotangent = mechanics::cotangentField(layer_);
    return *parts_.cotangent;
  }

  /// What velocities (or forces) as functions of g and mu depend on, of what they must not; empty: nothing.
  std::string dependence(sema::ArrayTuple mechanics::CotangentFactor::*of, bool onConfiguration) {
    std::vector<const sym::Array*> arrays;
    for (const mechanics::CotangentFactor& f : cotangent().factors)
      arrays.insert(arrays.end(), (f.*of).begin(), (f.*of).end());
    for (std::size_t k = 0; k < m_.factors.size(); ++k) {
      const sema::Factor& f = m_.factors[k];
      const sema::ArrayTuple& other = onConfiguration ? f.point : cotangent().factors[k].momentum;
      for (const sym::Array* a : other) {
        if (dependsOn(arrays, a)) return onConfiguration ? fmt::format("`{}`", f.name) : f.velocityName;
      }
    }
    return onConfiguration && dependsOn(arrays, m_.time) ? "the time" : "";
  }

  [[nodiscard]] bool dependsOn(const std::vector<const sym::Array*>& arrays, const sym::Array* what) const {
    const sym::Program& p = layer_.program();
    const auto slice = p.slice(arrays);
    return std::any_of(slice.begin(), slice.end(),
                       [&](const std::size_t k) { return sym::reads(p.equation(k)).contains(what); });
  }

  mechanics::Layer& layer_;
  const sema::Model& m_;
  const CheckedMethod& method_;
  ModelParts& parts_;
};

/// Whether the equations of a step contain those of constraints. Methods of accelerations do not: what they step has
/// an adjoint, and its end is put onto the constraints afterwards.
bool holdsConstraintsItself(const CheckedMethod& method) {
  if (!method.composition) return method.formula || method.calls("holds") > 0 || method.calls("holdsdot") > 0;
  const auto& parts = method.composition->parts;
  return std::any_of(parts.begin(), parts.end(),
                     [](const CheckedComposition::Part& p) { return holdsConstraintsItself(*p.use.method); });
}

bool sumsSeries(const CheckedMethod& method) {
  if (!method.composition) return method.calls("taylor") > 0;
  const auto& parts = method.composition->parts;
  return std::any_of(parts.begin(), parts.end(),
                     [](const CheckedComposition::Part& p) { return sumsSeries(*p.use.method); });
}

} // namespace

std::string withoutAdjoint(const mechanics::System& system, const CheckedMethod& method) {
  if (sumsSeries(method))
    return fmt::format("a step of {} is a sum of a series, of whose derivatives its adjoint would be made",
                       method.name);
  if (!system.model->constraints.empty() && holdsConstraintsItself(method))
    return fmt::format("a step of {} ends on the constraints wherever it begins, so it has no adjoint", method.name);
  if (!method.endsOnManifold()) return {};
  const auto reason = [&](const std::string& name) {
    return fmt::format(
        "a step of {} ends on the manifold of `{}` wherever in the storage it begins, so it has no adjoint",
        method.name, name);
  };
  const auto isHeld = [](const sema::Manifold& m) {
    int numbers = 0;
    for (const sema::Part& p : m.point()) numbers += p.shape.size();
    return !m.dimension() || *m.dimension() < numbers;
  };
  for (const sema::Factor& f : system.model->factors)
    if (isHeld(*f.manifold)) return reason(f.name);
  for (const sema::StateVariable& z : system.model->states)
    if (!z.dual && isHeld(*z.manifold)) return reason(z.name);
  return {};
}

std::string refusal(mechanics::Layer& layer, const CheckedMethod& method, ModelParts& parts) {
  Having model(layer, method, parts);
  if (std::string reason = model.takesNoContacts(); !reason.empty()) return reason;
  if (std::string reason = model.backwards(method); !reason.empty()) return reason;
  for (const Need need : method.kind->needs) {
    if (std::string reason = model.lacks(need); !reason.empty()) return reason;
  }
  return model.projectsNoStates();
}

} // namespace lmc::methods
