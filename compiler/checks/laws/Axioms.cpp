// The axioms of a group, and exp as its one-parameter groups.
#include "checks/laws/GroupLaws.h"

namespace lmc::laws {

namespace {

void associativity(Group& g, Tests& t) {
  const std::vector<Sample> all = g.elements();
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < all.size(); ++j) {
      const Sample &a = all[i], &b = all[j], &c = all[(i + 2 * j + 1) % all.size()];
      const Place place = farther(farther(a.place, b.place), c.place);
      const double size = sizeOf(a.value) * sizeOf(b.value) * sizeOf(c.value);
      t.compare(place, {g.element("A", a.value), g.element("B", b.value), g.element("C", c.value)},
                g.element("(A B) C", g.product(g.product(a.value, b.value), c.value)),
                g.element("A (B C)", g.product(a.value, g.product(b.value, c.value))), size);
    }
  }
}

void identity(Group& g, Tests& t) {
  const Vector e = g.identity();
  for (const Sample& a : g.elements()) {
    const Quantity itself = g.element("A", a.value);
    const double size = sizeOf(a.value) * sizeOf(e);
    t.compare(a.place, {itself}, g.element("e A", g.product(e, a.value)), itself, size);
    t.compare(a.place, {itself}, g.element("A e", g.product(a.value, e)), itself, size);
  }
}

void inverse(Group& g, Tests& t) {
  const Quantity e = g.element("e", g.identity());
  for (const Sample& a : g.elements()) {
    const Vector back = g.inverse(a.value);
    const double size = sizeOf(a.value) * sizeOf(back);
    t.compare(a.place, {g.element("A", a.value)}, g.element("inverse(A) A", g.product(back, a.value)), e, size);
    t.compare(a.place, {g.element("A", a.value)}, g.element("A inverse(A)", g.product(a.value, back)), e, size);
  }
}

/// Of elements, and of terms of their products: larger ones leave the conditions of a group no digits.
constexpr double largestWithDigits = 1e6;

void holdsAt(Group& g, Tests& t, Place place, const std::vector<Quantity>& at, const std::string& what,
             const Vector& element, double size) {
  std::vector<Quantity> where = at;
  where.push_back(g.element(what, element));
  t.vanishes(place, where, {"left - right of `holds` at " + what, g.defect(element)}, size);
}

void holdsAt(Group& g, Tests& t, Place place, const std::vector<Quantity>& at, const std::string& what,
             const Vector& element) {
  holdsAt(g, t, place, at, what, element, g.defectSize(element));
}

void productHolds(Group& g, Tests& t) {
  const std::vector<Sample> all = g.elements();
  for (const Sample& a : all)
    for (const Sample& b : all)
      if (sizeOf(a.value) * sizeOf(b.value) <= largestWithDigits)
        holdsAt(g, t, farther(a.place, b.place), {g.element("A", a.value), g.element("B", b.value)}, "A B",
                g.product(a.value, b.value));
}

void inverseHolds(Group& g, Tests& t) {
  for (const Sample& a : g.elements())
    holdsAt(g, t, a.place, {g.element("A", a.value)}, "inverse(A)", g.inverse(a.value));
}

void randomHolds(Group& g, Tests& t) {
  for (const Sample& a : g.randomElements()) holdsAt(g, t, a.place, {}, "random", a.value);
}

void expOfZero(Group& g, Tests& t) {
  const Vector e = g.identity();
  t.compare(Place::Origin, {}, g.element("exp(0)", g.exp(Vector::Zero(g.dimension()))), g.element("e", e), sizeOf(e));
  if (!t.passed()) g.distrustExp();
}

struct Exponential {
  Vector u, value;
};

/// Of a sample of the algebra, nearer to 0 where exp would leave an element no digits, or be no number.
Exponential withDigits(Group& g, const Sample& u) {
  constexpr double shortest = 1e-3;
  Exponential e{u.value, g.exp(u.value)};
  while (e.u.norm() > shortest && !(isFinite(e.value) && sizeOf(e.value) <= largestWithDigits)) {
    e.u *= 0.5;
    e.value = g.exp(e.u);
  }
  return e;
}

void expHolds(Group& g, Tests& t) {
  for (const Sample& u : g.algebraSamples()) {
    const auto [w, element] = withDigits(g, u);
    holdsAt(g, t, u.place, {g.algebra("u", w)}, "exp(u)", element, g.defectSizeOfSums(element));
  }
  if (!t.passed()) g.distrustExp();
}

void oneParameterGroups(Group& g, Tests& t) {
  for (const Sample& u : g.algebraSamples()) {
    const auto [w, element] = withDigits(g, u);
    const Quantity whole = g.element("exp(u)", element);
    for (const double s : {0.3, 1.5}) {
      const Vector first = g.exp(s * w), second = g.exp((1 - s) * w);
      const std::string split = s < 1 ? "exp(0.3 u) exp(0.7 u)" : "exp(1.5 u) exp(-0.5 u)";
      t.compare(u.place, {g.algebra("u", w)}, whole, g.element(split, g.product(first, second)),
                sizeOf(first) * sizeOf(second));
    }
  }
  if (t.passed()) return;
  g.distrustExp();
  if (!t.failedAt(Place::Ordinary) && t.failedAt(Place::Far))
    t.hint("it holds for small elements: a series that is cut, or a formula that holds up to some angle only");
}

/// Coordinates of the algebra that move nothing.
void effective(Group& g, Tests& t) {
  const Matrix& b = g.tangents();
  const Matrix nothing = kernelOf(b);
  const Vector u = nothing.cols() > 0 ? Vector(nothing.col(0)) : Vector::Zero(g.dimension());
  t.expect(nothing.cols() == 0, Place::Origin, {g.algebra("u", u)}, "exp(s u) does not move as s grows from 0");
}

/// How many directions `holds` leaves at the identity, against the dimension of the group.
void holdsDimension(Group& g, Tests& t) {
  const Vector e = g.identity();
  const Matrix j = g.operations().jacobian("holds", {e}, 0);
  const auto left = static_cast<int>(j.cols() - rankOf(j));
  t.expect(left <= g.dimension(), Place::Origin, {},
           "it leaves " + std::to_string(left) + " directions at the identity, and the group has " +
               std::to_string(g.dimension()));
}

} // namespace

/// Long because it is a list: one entry a law.
std::vector<Law> axioms(Group& g) {
  const auto law = [&g](auto test) { return [&g, test](Tests& t) { test(g, t); }; };
  std::vector<Law> laws = {
      {"associativity",
       "(A B) C = A (B C)",
       "product",
       Code::LIE0570,
       "the product is not associative",
       {smooth("product")},
       law(associativity)},
      {"identity",
       "e A = A = A e",
       "identity",
       Code::LIE0570,
       "the identity is not neutral",
       {"associativity"},
       law(identity)},
  };
  if (g.hasHolds())
    laws.push_back({"identity satisfies holds",
                    "holds(e)",
                    "holds",
                    Code::LIE0571,
                    "the identity does not satisfy `holds`",
                    {"identity"},
                    [&g](Tests& t) { holdsAt(g, t, Place::Origin, {}, "e", g.identity()); }});
  const std::string held = "identity satisfies holds";
  laws.push_back({"exp(0)",
                  "exp(0) = e",
                  "exp",
                  Code::LIE0572,
                  "exp(0) is not the identity",
                  {"identity", smooth("exp")},
                  law(expOfZero)});
  if (g.hasHolds())
    laws.push_back({"exp satisfies holds",
                    "holds(exp(u))",
                    "exp",
                    Code::LIE0571,
                    "exp leaves the group: its values do not satisfy `holds`",
                    {held, smooth("exp")},
                    law(expHolds)});
  laws.push_back({"one-parameter groups",
                  "exp((s + t) u) = exp(s u) exp(t u)",
                  "exp",
                  Code::LIE0572,
                  "exp is not the exponential of the group",
                  {"exp(0)", "associativity"},
                  law(oneParameterGroups)});
  if (g.hasHolds() && g.declares("random"))
    laws.push_back({"random satisfies holds",
                    "holds(random)",
                    "random",
                    Code::LIE0571,
                    "random elements do not satisfy `holds`",
                    {held},
                    law(randomHolds)});
  if (g.hasHolds())
    laws.push_back({"product satisfies holds",
                    "holds(A B)",
                    "product",
                    Code::LIE0571,
                    "the product leaves the group: it does not satisfy `holds`",
                    {held, "associativity"},
                    law(productHolds)});
  laws.push_back({"inverse",
                  "inverse(A) A = e = A inverse(A)",
                  "inverse",
                  Code::LIE0570,
                  "the inverse is not inverse to the product",
                  {"identity", smooth("inverse")},
                  law(inverse)});
  if (g.hasHolds())
    laws.push_back({"inverse satisfies holds",
                    "holds(inverse(A))",
                    "inverse",
                    Code::LIE0571,
                    "the inverse leaves the group: it does not satisfy `holds`",
                    {held, "inverse"},
                    law(inverseHolds)});
  laws.push_back({"coordinates of the algebra",
                  "the derivative of exp at 0 is injective",
                  "exp",
                  Code::LIE0572,
                  "an element of the algebra moves nothing",
                  {"exp(0)"},
                  law(effective)});
  if (g.hasHolds())
    laws.push_back({"dimension of holds",
                    "as many directions as the algebra has",
                    "holds",
                    Code::LIE0579,
                    "`holds` has too few equations",
                    {held, "coordinates of the algebra"},
                    law(holdsDimension),
                    true});
  return laws;
}

std::vector<Law> groupLaws(Group& g) {
  std::vector<Law> all = smoothness(g);
  for (const auto& more : {closedForms(g), axioms(g), bracketLaws(g), calculusLaws(g), retractionLaws(g)})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

} // namespace lmc::laws
