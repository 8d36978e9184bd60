// Horizontal velocities: one for each motion, chosen in the same way at all points.
//
// T(q) w is the change of q by w. Its kernel are the velocities that do nothing, the isotropy. `horizontal(q, w) = 0`
// must leave a complement of it; `project(q, w)` must be the projection onto such a complement along the isotropy.
#include "checks/laws/ActionLaws.h"

#include <cmath>

namespace lmc::laws {

namespace {

std::vector<Vector> velocities(Action& m) {
  std::vector<Vector> list;
  for (const Sample& u : m.group().algebraSamples())
    if (u.place == Place::Ordinary) list.push_back(u.value);
  return list;
}

Quantity velocity(Action& m, const std::string& name, const Vector& w) {
  return m.group().algebra(name, w);
}

double largest(const Vector& v) {
  return v.size() == 0 ? 0 : v.cwiseAbs().maxCoeff();
}

/// What a clause's value changes by, per unit of round-off, when the entries of its arguments are rounded: large where
/// terms of very different sizes meet, as far out on a manifold. A hundredth of it: `tolerance` leaves a million units
/// to sizes that are estimated, and ten thousand are enough where the condition is known.
double conditionOf(Action& m, const std::string& clause, const Vector& q, const Vector& w) {
  const Matrix byPoint = m.operations().jacobian(clause, {q, w}, 0);
  const Matrix byVelocity = m.operations().jacobian(clause, {q, w}, 1);
  const double c = largest(byPoint.cwiseAbs() * q.cwiseAbs() + byVelocity.cwiseAbs() * w.cwiseAbs());
  constexpr double known = 1e-2;
  return std::isfinite(c) ? known * c : 0;
}

/// How much a matrix enlarges the largest entry.
double enlargement(const Matrix& a) {
  return a.size() == 0 ? 0 : a.cwiseAbs().rowwise().sum().maxCoeff();
}

/// Compares two sides where a difference would be seen: not where round-off is as large as what they are.
void compareIfTold(Tests& t, Place place, const std::vector<Quantity>& at, const Quantity& left, const Quantity& right,
                   double size) {
  constexpr double visible = 1e-3; // part of the sides
  const double sides = std::max({largest(left.value), largest(right.value), 1.0});
  if (tolerance * size <= visible * sides || !left.value.allFinite() || !right.value.allFinite())
    t.compare(place, at, left, right, size);
}

/// A clause with values of any storage that must be linear in the velocity.
void linear(Action& m, const std::string& clause, Tests& t) {
  const std::vector<Vector> all = velocities(m);
  for (const Sample& q : m.points()) {
    const auto at = [&](const Vector& w) { return m.operations().value(clause, {q.value, w}); };
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {
      const Vector &u = all[i], &v = all[i + 1], sum = 2 * at(u) - 3 * at(v);
      const std::string f = clause + "(q, ";
      t.compare(q.place, {m.point("q", q.value), velocity(m, "u", u), velocity(m, "v", v)},
                {f + "2 u - 3 v)", at(2 * u - 3 * v)}, {"2 " + f + "u) - 3 " + f + "v)", sum},
                sizeOf(at(u)) + sizeOf(at(v)) + sizeOf(q.value) * sizeOf(q.value));
    }
  }
}

void smoothIn(Action& m, const std::string& clause, Tests& t) {
  for (const Sample& q : m.points()) {
    for (const Vector& w : velocities(m)) {
      const std::vector<Quantity> at = {m.point("q", q.value), velocity(m, "w", w)};
      t.expect(isFinite(m.operations().value(clause, {q.value, w})), q.place, at, "its value is not a number");
      t.expect(isFinite(m.operations().derivative(clause, {q.value, w}, {Vector::Ones(q.value.size()), w})), q.place,
               at, "its derivative is not a number");
    }
  }
}

void noIsotropy(Action& m, Tests& t) {
  for (const Sample& q : m.points()) {
    if (q.place == Place::Far) continue;
    const Matrix still = kernelOf(m.generator(q.value));
    const Vector w = still.cols() > 0 ? Vector(still.col(0)) : Vector::Zero(m.group().dimension());
    t.expect(still.cols() == 0, q.place, {m.point("q", q.value), velocity(m, "w", w)},
             "the isotropy has " + std::to_string(still.cols()) + " dimensions: w does not move q");
  }
  if (!t.passed())
    t.hint("`horizontal(q, w) = …;` is zero for the velocities to be used, or `project(q, w) = …;` is the one of them "
           "that moves q like w");
}

/// Horizontal velocities that move nothing.
void unique(Action& m, Tests& t) {
  for (const Sample& q : m.points()) {
    if (q.place == Place::Far) continue;
    const Matrix horizontal = kernelOf(m.conditions(q.value));
    const Matrix still = kernelOf(m.generator(q.value) * horizontal);
    const Vector w = still.cols() > 0 ? Vector(horizontal * still.col(0)) : Vector::Zero(m.group().dimension());
    t.expect(still.cols() == 0, q.place, {m.point("q", q.value), velocity(m, "w", w)},
             "w is horizontal and does not move q");
  }
}

/// Motions without a horizontal velocity.
void complete(Action& m, Tests& t) {
  for (const Sample& q : m.points()) {
    if (q.place == Place::Far) continue;
    const Matrix all = m.generator(q.value);
    const Eigen::Index motions = rankOf(all), reached = rankOf(all * kernelOf(m.conditions(q.value)));
    t.expect(reached == motions, q.place, {m.point("q", q.value)},
             "the group moves q in " + std::to_string(motions) + " directions, horizontal velocities in " +
                 std::to_string(reached));
  }
}

void independent(Action& m, Tests& t) {
  for (const Sample& q : m.points()) {
    if (q.place == Place::Far) continue;
    const Matrix c = m.conditions(q.value);
    t.expect(rankOf(c) == c.rows(), q.place, {m.point("q", q.value)},
             "of " + std::to_string(c.rows()) + " conditions only " + std::to_string(rankOf(c)) + " are independent");
  }
  if (!t.passed()) t.hint("`project(q, w) = …;` gives the horizontal part of w itself, without conditions");
}

/// Ad_A w is horizontal at A q for horizontal w at q.
void equivariant(Action& m, Tests& t) {
  Group& g = m.group();
  for (const Sample& a : g.elements()) {
    for (const Sample& q : m.points()) {
      const Vector moved = m.act(a.value, q.value);
      const Matrix horizontal = kernelOf(m.conditions(q.value)), there = m.conditions(moved);
      if (horizontal.cols() == 0) continue;
      const Vector w = horizontal.col(0), carried = g.conjugate(a.value, w);
      const double size =
          std::max(sizeOf(there.reshaped()) * sizeOf(a.value) * sizeOf(g.inverse(a.value)) * sizeOf(moved),
                   conditionOf(m, "horizontal", moved, carried));
      t.vanishes(farther(a.place, q.place), {g.element("A", a.value), m.point("q", q.value), velocity(m, "w", w)},
                 {"horizontal(action(A, q), Ad_A w)", there * carried}, size);
    }
  }
}

// --- project ------------------------------------------------------------------------------------------------------

Vector project(Action& m, const Vector& q, const Vector& w) {
  return m.operations().value("project", {q, w});
}

void idempotent(Action& m, Tests& t) {
  for (const Sample& q : m.points()) {
    for (const Vector& w : velocities(m)) {
      const Vector once = project(m, q.value, w);
      const double again = enlargement(m.operations().jacobian("project", {q.value, w}, 1));
      const double condition = conditionOf(m, "project", q.value, once) + again * conditionOf(m, "project", q.value, w);
      compareIfTold(t, q.place, {m.point("q", q.value), velocity(m, "w", w)},
                    velocity(m, "project(q, project(q, w))", project(m, q.value, once)),
                    velocity(m, "project(q, w)", once),
                    std::max(sizeOf(q.value) * sizeOf(q.value) * sizeOf(once), condition));
    }
  }
}

void sameMotion(Action& m, Tests& t) {
  for (const Sample& q : m.points()) {
    const Matrix motion = m.generator(q.value);
    for (const Vector& w : velocities(m))
      compareIfTold(t, q.place, {m.point("q", q.value), velocity(m, "w", w)},
                    m.point("the motion by project(q, w)", motion * project(m, q.value, w)),
                    m.point("the motion by w", motion * w),
                    std::max(sizeOf(motion.reshaped()) * sizeOf(q.value) * sizeOf(q.value),
                             enlargement(motion) * conditionOf(m, "project", q.value, w)));
  }
}

void projectsIsotropy(Action& m, Tests& t) {
  for (const Sample& q : m.points()) {
    const Matrix still = kernelOf(m.generator(q.value));
    t.expect(true, q.place, {}, ""); // where there is no isotropy, this is all
    for (Eigen::Index k = 0; k < still.cols() && q.place != Place::Far; ++k)
      t.vanishes(q.place, {m.point("q", q.value), velocity(m, "w", still.col(k))},
                 velocity(m, "project(q, w) of a w that does not move q", project(m, q.value, still.col(k))),
                 std::max(sizeOf(q.value) * sizeOf(q.value), conditionOf(m, "project", q.value, still.col(k))));
  }
}

void projectEquivariant(Action& m, Tests& t) {
  Group& g = m.group();
  for (const Sample& a : g.elements()) {
    for (const Sample& q : m.points()) {
      const Vector moved = m.act(a.value, q.value), w = velocities(m).back();
      const double carries = sizeOf(a.value) * sizeOf(g.inverse(a.value));
      const Vector carried = g.conjugate(a.value, w);
      const double condition =
          std::max(conditionOf(m, "project", moved, carried), carries * conditionOf(m, "project", q.value, w));
      compareIfTold(t, farther(a.place, q.place), {g.element("A", a.value), m.point("q", q.value), velocity(m, "w", w)},
                    velocity(m, "project(action(A, q), Ad_A w)", project(m, moved, carried)),
                    velocity(m, "Ad_A project(q, w)", g.conjugate(a.value, project(m, q.value, w))),
                    std::max(carries * sizeOf(moved) * sizeOf(moved), carries * condition));
    }
  }
}

void projectIsHorizontal(Action& m, Tests& t) {
  for (const Sample& q : m.points())
    for (const Vector& w : velocities(m))
      t.vanishes(
          q.place, {m.point("q", q.value), velocity(m, "w", w)},
          {"horizontal(q, project(q, w))", m.operations().value("horizontal", {q.value, project(m, q.value, w)})},
          std::max({sizeOf(q.value) * sizeOf(q.value), conditionOf(m, "horizontal", q.value, project(m, q.value, w)),
                    enlargement(m.operations().jacobian("horizontal", {q.value, w}, 1)) *
                        conditionOf(m, "project", q.value, w)}));
}

std::vector<Law> conditionLaws(Action& m) {
  const auto law = [&m](auto test) { return [&m, test](Tests& t) { test(m, t); }; };
  const std::vector<std::string> needs = {"horizontal is linear", "dimension"};
  return {
      {"smooth horizontal",
       "horizontal is smooth",
       "horizontal",
       Code::LIE0573,
       "horizontal is not smooth",
       {"points"},
       [&m](Tests& t) { smoothIn(m, "horizontal", t); }},
      {"horizontal is linear",
       "horizontal(q, a u + b v) = a horizontal(q, u) + b horizontal(q, v)",
       "horizontal",
       Code::LIE0578,
       "horizontal is not linear in the velocity",
       {"smooth horizontal"},
       [&m](Tests& t) { linear(m, "horizontal", t); }},
      {"unique velocities", "no horizontal velocity but 0 leaves q where it is", "horizontal", Code::LIE0578,
       "horizontal admits velocities that move nothing", needs, law(unique)},
      {"all motions", "every motion has a horizontal velocity", "horizontal", Code::LIE0578,
       "horizontal forbids motions", needs, law(complete)},
      {"equivariance",
       "horizontal(action(A, q), Ad_A w) = 0 where horizontal(q, w) = 0",
       "horizontal",
       Code::LIE0578,
       "horizontal is not equivariant: moved by the group, a horizontal velocity is not horizontal any more",
       {"unique velocities", "all motions", "products act"},
       law(equivariant)},
  };
}

std::vector<Law> projectLaws(Action& m) {
  const auto law = [&m](auto test) { return [&m, test](Tests& t) { test(m, t); }; };
  const std::vector<std::string> needs = {"project is linear", "dimension"};
  return {
      {"smooth project",
       "project is smooth",
       "project",
       Code::LIE0573,
       "project is not smooth",
       {"points"},
       [&m](Tests& t) { smoothIn(m, "project", t); }},
      {"project is linear",
       "project(q, a u + b v) = a project(q, u) + b project(q, v)",
       "project",
       Code::LIE0578,
       "project is not linear in the velocity",
       {"smooth project"},
       [&m](Tests& t) { linear(m, "project", t); }},
      {"same motion", "project(q, w) moves q like w", "project", Code::LIE0578, "project changes the motion", needs,
       law(sameMotion)},
      {"unique velocities",
       "project(q, w) = 0 where w does not move q",
       "project",
       Code::LIE0578,
       "project keeps velocities that move nothing",
       {"same motion"},
       law(projectsIsotropy)},
      {"projection",
       "project(q, project(q, w)) = project(q, w)",
       "project",
       Code::LIE0578,
       "project is not a projection",
       {"unique velocities"},
       law(idempotent)},
      {"equivariance",
       "project(action(A, q), Ad_A w) = Ad_A project(q, w)",
       "project",
       Code::LIE0578,
       "project is not equivariant: the group does not move horizontal velocities to horizontal ones",
       {"projection", "products act"},
       law(projectEquivariant)},
  };
}

} // namespace

std::vector<Law> horizontalLaws(Action& m) {
  const auto law = [&m](auto test) { return [&m, test](Tests& t) { test(m, t); }; };
  const bool conditions = m.declares("horizontal"), projection = m.declares("project");
  if (!conditions && !projection)
    return {{"unique velocities",
             "no velocity but 0 leaves q where it is",
             "",
             Code::LIE0578,
             "the action has an isotropy, and nothing says which velocities to use",
             {"products act", "dimension"},
             law(noIsotropy)}};
  std::vector<Law> laws;
  if (projection) laws = projectLaws(m);
  if (!conditions) return laws;
  if (!projection) {
    laws = conditionLaws(m);
    laws.insert(laws.begin() + 2, {"independent conditions",
                                   "the conditions of horizontal are independent",
                                   "horizontal",
                                   Code::LIE0578,
                                   "the conditions of horizontal are not independent",
                                   {"horizontal is linear"},
                                   law(independent)});
    return laws;
  }
  laws.push_back({"project is horizontal",
                  "horizontal(q, project(q, w)) = 0",
                  "horizontal",
                  Code::LIE0578,
                  "horizontal and project do not agree",
                  {"projection"},
                  law(projectIsHorizontal)});
  return laws;
}

} // namespace lmc::laws
