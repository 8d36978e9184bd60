// What a declaration may give beyond the group: Ad, the derivatives of exp, log, an action on vectors.
#include "checks/laws/GroupLaws.h"

#include "linear/spectra/Spectra.h"

#include <algorithm>

namespace lmc::laws {

namespace {

const std::vector<std::string> wholeGroup = {"inverse", "one-parameter groups", "coordinates of the algebra"};

std::vector<std::string> with(std::vector<std::string> needs, const std::string& more) {
  needs.push_back(more);
  return needs;
}

std::vector<Sample> directionsOf(const Group& g) {
  std::vector<Sample> list;
  for (const Sample& u : g.algebraSamples())
    if (u.place == Place::Ordinary) list.push_back(u);
  return list;
}

void adHomomorphism(Group& g, Tests& t) {
  const auto Ad = [&](const Vector& a, const Vector& v) { return g.operations().value("Ad", {a, v}); };
  const Vector v = directionsOf(g).back().value;
  const std::vector<Sample> all = g.elements();
  for (const Sample& a : all) {
    for (const Sample& b : all) {
      const double size = sizeOf(a.value) * sizeOf(b.value) * sizeOf(g.inverse(a.value)) * sizeOf(g.inverse(b.value));
      t.compare(farther(a.place, b.place), {g.element("A", a.value), g.element("B", b.value), g.algebra("v", v)},
                g.algebra("Ad(A B, v)", Ad(g.product(a.value, b.value), v)),
                g.algebra("Ad(A, Ad(B, v))", Ad(a.value, Ad(b.value, v))), size);
    }
  }
  if (t.passed()) return;
  Tests reversed;
  for (const Sample& a : all)
    for (const Sample& b : all)
      reversed.compare(a.place, {}, {"", Ad(g.product(a.value, b.value), v)}, {"", Ad(b.value, Ad(a.value, v))},
                       sizeOf(a.value) * sizeOf(b.value) * sizeOf(g.inverse(a.value)) * sizeOf(g.inverse(b.value)));
  if (reversed.passed()) t.hint("it is Ad of the inverse of A: Ad(A B, v) = Ad(B, Ad(A, v))");
}

void adConjugation(Group& g, Tests& t) {
  Tests inverted;
  for (const Sample& a : g.elements()) {
    const Vector back = g.inverse(a.value);
    const double size = sizeOf(a.value) * sizeOf(back);
    for (const Sample& v : directionsOf(g)) {
      const Quantity declared = g.algebra("Ad(A, v)", g.operations().value("Ad", {a.value, v.value}));
      t.compare(a.place, {g.element("A", a.value), g.algebra("v", v.value)}, declared,
                g.algebra("d/ds A exp(s v) inverse(A)", g.conjugate(a.value, v.value)), size);
      inverted.compare(a.place, {}, declared, {"", g.conjugate(back, v.value)}, size);
    }
  }
  if (!t.passed() && inverted.passed()) t.hint("it is Ad of the inverse of A");
}

/// The size of right-trivialized derivatives of a map at u: they are computed from F(u) and its inverse.
double sizeAt(Group& g, const std::string& map, const Vector& u) {
  const Vector element = g.operations().value(map, {u});
  return sizeOf(element) * sizeOf(g.inverse(element)) * sizeOf(u);
}

const std::string leftHint = "it is the left-trivialized derivative, d/dt F(u) = F(u) (dF_u u'), with F the map; the "
                             "right-trivialized one has -u in place of u";

void explain(Tests& t, const Tests& left) {
  if (t.passed()) return;
  if (left.passed())
    t.hint(leftHint);
  else if (t.failedAt(Place::Near) && !t.failedAt(Place::Ordinary))
    t.hint("it holds for larger elements: the formula takes the difference of nearly equal numbers; "
           "stumpff(k, dot(w, w)) does not");
  else if (t.failedAt(Place::Ordinary) && t.passedAt(Place::Near))
    t.hint("it holds near 0: perhaps a series that is cut, or one of its coefficients");
}

/// A declared dF against the derivative of F.
void derivativeIs(Group& g, const std::string& map, Tests& t) {
  const std::string declared = "d" + map;
  Tests left;
  for (const Sample& u : g.algebraSamples()) {
    if (!isFinite(g.operations().value(map, {u.value}))) continue;
    const double size = sizeAt(g, map, u.value);
    for (const Sample& v : directionsOf(g)) {
      const Quantity value = g.algebra(declared + "(u, v)", g.operations().value(declared, {u.value, v.value}));
      t.compare(u.place, {g.algebra("u", u.value), g.algebra("v", v.value)}, value,
                g.algebra("d/ds " + map + "(u + s v) inverse(" + map + "(u))", g.derivative(map, u.value, v.value)),
                size);
      left.compare(u.place, {}, value, {"", g.derivative(map, -u.value, v.value)}, size);
    }
  }
  explain(t, left);
}

/// A declared dFinv against the derivative of F, where that has an inverse.
void inverseDerivativeIs(Group& g, const std::string& map, Tests& t) {
  constexpr double regular = 1e-6;
  const std::string declared = "d" + map + "inv";
  Tests left;
  for (const Sample& u : g.algebraSamples()) {
    if (!isFinite(g.operations().value(map, {u.value}))) continue;
    const Matrix d = g.derivative(map, u.value);
    if (!d.allFinite()) continue;
    const auto s = linear::singularValues(d);
    if (s(s.size() - 1) < regular * s(0)) continue;
    const double size = sizeAt(g, map, u.value) * std::max(1.0, 1 / s(s.size() - 1));
    const Matrix opposite = g.derivative(map, -u.value);
    for (const Sample& v : directionsOf(g)) {
      const auto inverse = [&](const Vector& x) {
        return g.algebra(declared + "(u, d" + map + "(u, v))", g.operations().value(declared, {u.value, x}));
      };
      t.compare(u.place, {g.algebra("u", u.value), g.algebra("v", v.value)}, inverse(d * v.value),
                g.algebra("v", v.value), size);
      left.compare(u.place, {}, inverse(opposite * v.value), g.algebra("v", v.value), size);
    }
  }
  explain(t, left);
}

void explainLog(Tests& t) {
  if (!t.passed() && t.failedAt(Place::Near) && !t.failedAt(Place::Ordinary))
    t.hint("it holds for larger elements: near the identity acos and differences of nearly equal numbers lose digits; "
           "atan2 of sine and cosine does not");
}

void expOfLog(Group& g, Tests& t) {
  for (const Sample& a : g.elements()) {
    const Vector u = g.operations().value("log", {a.value});
    // Not every element need have a logarithm; exponentials have one.
    const Vector back = g.exp(u);
    if (!isFinite(u) && (!a.fromExp || a.product)) continue;
    t.compare(a.place, {g.element("A", a.value), g.algebra("log(A)", u)}, g.element("exp(log(A))", back),
              g.element("A", a.value), sizeOf(a.value) * sizeOf(a.value) * sizeOf(u));
  }
  explainLog(t);
}

void logOfExp(Group& g, Tests& t) {
  for (const Sample& u : g.algebraSamples()) {
    if (u.place == Place::Far) continue; // beyond half a turn log is another element
    const Vector a = g.exp(u.value);
    t.compare(u.place, {g.algebra("u", u.value)}, g.algebra("log(exp(u))", g.operations().value("log", {a})),
              g.algebra("u", u.value), sizeOf(a) * sizeOf(a));
  }
  explainLog(t);
}

/// The action of a group on vectors.
void movesVectors(Group& g, Tests& t) {
  const int length = g.manifold().actsOn().value();
  const auto act = [&](const Vector& a, const Vector& x) { return g.operations().value("action", {a, x}); };
  const Vector x = Vector::LinSpaced(length, 1, 0.4), e = g.identity();
  Tests reversed;
  t.compare(Place::Origin, {{"x", x}}, {"action(e, x)", act(e, x)}, {"x", x}, sizeOf(e));
  const std::vector<Sample> all = g.elements();
  for (const Sample& a : all) {
    for (const Sample& b : all) {
      const Place place = farther(a.place, b.place);
      const double size = sizeOf(a.value) * sizeOf(b.value) * sizeOf(g.inverse(a.value)) * sizeOf(g.inverse(b.value));
      const Quantity whole{"action(A B, x)", act(g.product(a.value, b.value), x)};
      t.compare(place, {g.element("A", a.value), g.element("B", b.value), {"x", x}}, whole,
                {"action(A, action(B, x))", act(a.value, act(b.value, x))}, size);
      reversed.compare(place, {}, whole, {"", act(b.value, act(a.value, x))}, size);
    }
  }
  if (!t.passed() && reversed.passed())
    t.hint(
        "it is a right action, action(A B, x) = action(B, action(A, x)); action(inverse(A), x) makes a left action of "
        "it");
}

} // namespace

void addDerivativeLaws(Group& g, const std::string& map, const std::vector<std::string>& mapLaws,
                       std::vector<Law>& laws) {
  const auto given = [&](const std::string& name) {
    return g.declares(name) || g.manifold().functions().contains(name);
  };
  const std::string derivative = "d" + map, inverse = derivative + "inv";
  std::vector<std::string> needs = with(with(wholeGroup, smooth(map)), "order of the product");
  needs.insert(needs.end(), mapLaws.begin(), mapLaws.end());
  if (given(derivative))
    laws.push_back({derivative, derivative + "(u, v) = d/ds " + map + "(u + s v) inverse(" + map + "(u))", derivative,
                    Code::LIE0575, derivative + " is not the right-trivialized derivative of " + map,
                    with(needs, smooth(derivative)), [&g, map](Tests& t) { derivativeIs(g, map, t); }});
  if (given(inverse))
    laws.push_back({inverse, inverse + "(u, d/ds " + map + "(u + s v) inverse(" + map + "(u))) = v", inverse,
                    Code::LIE0575, inverse + " is not inverse to the right-trivialized derivative of " + map,
                    with(needs, smooth(inverse)), [&g, map](Tests& t) { inverseDerivativeIs(g, map, t); }});
}

std::vector<Law> calculusLaws(Group& g) {
  const auto law = [&g](auto test) { return [&g, test](Tests& t) { test(g, t); }; };
  std::vector<Law> laws;
  if (g.declares("Ad")) {
    const auto needs = with(with(wholeGroup, smooth("Ad")), "order of the product");
    laws.push_back({"Ad of products", "Ad(A B, v) = Ad(A, Ad(B, v))", "Ad", Code::LIE0575, "Ad is not a homomorphism",
                    needs, law(adHomomorphism)});
    laws.push_back({"Ad", "Ad(A, v) = d/ds A exp(s v) inverse(A)", "Ad", Code::LIE0575,
                    "Ad is not the derivative of conjugation", needs, law(adConjugation)});
  }
  addDerivativeLaws(g, "exp", {}, laws);
  if (g.declares("log")) {
    const auto needs = with(wholeGroup, smooth("log"));
    laws.push_back(
        {"exp of log", "exp(log(A)) = A", "log", Code::LIE0572, "exp(log(A)) is not A", needs, law(expOfLog)});
    laws.push_back({"log of exp", "log(exp(u)) = u for small u", "log", Code::LIE0572, "log(exp(u)) is not u", needs,
                    law(logOfExp)});
  }
  if (g.declares("action"))
    laws.push_back({"action on vectors",
                    "action(e, x) = x, action(A B, x) = action(A, action(B, x))",
                    "action",
                    Code::LIE0577,
                    "it is not a left action of the group",
                    {"inverse"},
                    law(movesVectors)});
  return laws;
}

} // namespace lmc::laws
