// The bracket: that of a Lie algebra, and of the group that product and exp describe.
#include "checks/laws/GroupLaws.h"

namespace lmc::laws {

namespace {

/// Algebra elements of moderate size, for laws that are linear or polynomial in them.
std::vector<Vector> moderate(const Group& g) {
  std::vector<Vector> list;
  for (const Sample& u : g.algebraSamples())
    if (u.place == Place::Ordinary) list.push_back(u.value);
  list.push_back(g.algebraSamples().back().value); // of size 20
  return list;
}

void bilinear(Group& g, Tests& t) {
  const std::vector<Vector> all = moderate(g);
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < all.size(); ++j) {
      const Vector &u = all[i], &v = all[j], &w = all[(i + j + 1) % all.size()];
      const std::vector<Quantity> at = {g.algebra("u", u), g.algebra("v", v), g.algebra("w", w)};
      const double size = 5 * sizeOf(u) * sizeOf(v) * sizeOf(w);
      t.compare(Place::Ordinary, at, g.algebra("[2 u - 3 v, w]", g.bracket(2 * u - 3 * v, w)),
                g.algebra("2 [u, w] - 3 [v, w]", 2 * g.bracket(u, w) - 3 * g.bracket(v, w)), size);
      t.compare(Place::Ordinary, at, g.algebra("[w, 2 u - 3 v]", g.bracket(w, 2 * u - 3 * v)),
                g.algebra("2 [w, u] - 3 [w, v]", 2 * g.bracket(w, u) - 3 * g.bracket(w, v)), size);
    }
  }
}

void antisymmetric(Group& g, Tests& t) {
  for (const Vector& u : moderate(g))
    for (const Vector& v : moderate(g))
      t.compare(Place::Ordinary, {g.algebra("u", u), g.algebra("v", v)}, g.algebra("[u, v]", g.bracket(u, v)),
                g.algebra("-[v, u]", -g.bracket(v, u)), sizeOf(u) * sizeOf(v));
}

void jacobi(Group& g, Tests& t) {
  const std::vector<Vector> all = moderate(g);
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = i + 1; j < all.size(); ++j) {
      const Vector &u = all[i], &v = all[j], &w = all[(i + j + 1) % all.size()];
      const Vector sum = g.bracket(u, g.bracket(v, w)) + g.bracket(v, g.bracket(w, u)) + g.bracket(w, g.bracket(u, v));
      t.vanishes(Place::Ordinary, {g.algebra("u", u), g.algebra("v", v), g.algebra("w", w)},
                 g.algebra("[u, [v, w]] + [v, [w, u]] + [w, [u, v]]", sum), sizeOf(u) * sizeOf(v) * sizeOf(w));
    }
  }
}

/// The bracket against the commutator of the group; `sign` -1 tests the opposite bracket.
void commutator(Group& g, Tests& t, double sign) {
  for (int i = 0; i < g.dimension(); ++i) {
    for (int j = i; j < g.dimension(); ++j) {
      const Vector u = g.unit(i), v = g.unit(j), declared = g.bracket(u, v);
      t.compare(Place::Ordinary, {g.algebra("u", u), g.algebra("v", v)}, g.algebra("bracket(u, v)", declared),
                g.algebra("[u, v] of the group", sign * g.commutator(u, v)), sizeOf(declared));
    }
  }
}

bool isOpposite(Group& g) {
  Tests right, wrong;
  commutator(g, right, 1);
  commutator(g, wrong, -1);
  return !right.passed() && wrong.passed();
}

/// Ad as declared against conjugation by A, or by its inverse.
bool adIs(Group& g, bool inverted) {
  Tests t;
  const Vector v = g.algebraSamples().at(static_cast<std::size_t>(g.dimension()) + 1).value;
  for (const Sample& a : g.elements()) {
    const Vector by = inverted ? g.inverse(a.value) : a.value;
    const double size = sizeOf(a.value) * sizeOf(g.inverse(a.value));
    t.compare(a.place, {}, {"", g.operations().value("Ad", {a.value, v})}, {"", g.conjugate(by, v)}, size);
  }
  return t.passed();
}

/// dexp as declared against the derivative of exp at u, or at -u: the left-trivialized one.
bool dexpIs(Group& g, bool left) {
  Tests t;
  for (const Sample& u : g.algebraSamples()) {
    if (u.place == Place::Far) continue;
    const Vector v = g.algebraSamples().at(static_cast<std::size_t>(g.dimension()) + 1).value;
    t.compare(u.place, {}, {"", g.operations().value("dexp", {u.value, v})},
              {"", left ? g.derivative("exp", -u.value, v) : g.derivative("exp", u.value, v)}, 1);
  }
  return t.passed();
}

/// Where the bracket has the opposite sign, and Ad and dexp agree with it against the product, the product is reversed.
void orderOfProduct(Group& g, Tests& t) {
  const bool reversed = isOpposite(g) && (!g.declares("Ad") || (adIs(g, true) && !adIs(g, false))) &&
                        (!g.declares("dexp") || (dexpIs(g, true) && !dexpIs(g, false)));
  t.expect(!reversed, Place::Ordinary, {}, "they are those of the product in reverse order");
  if (reversed) t.hint("product(A, B) is the element that acts as B, then A: for matrices A*B");
}

void ofTheGroup(Group& g, Tests& t) {
  commutator(g, t, 1);
  if (t.passed() || !isOpposite(g)) return;
  t.hint("the bracket has the opposite sign. It is that of space velocities, the commutator X Y - Y X for matrices, "
         "whatever the frame of a model: what a body frame changes, the compiler changes");
  t.hint("or the product is written in reverse order");
}

} // namespace

std::vector<Law> bracketLaws(Group& g) {
  const auto law = [&g](auto test) { return [&g, test](Tests& t) { test(g, t); }; };
  const std::vector<std::string> group = {"inverse", "one-parameter groups", "coordinates of the algebra"};
  std::vector<Law> laws = {{"bilinearity",
                            "[a u + b v, w] = a [u, w] + b [v, w]",
                            "bracket",
                            Code::LIE0574,
                            "the bracket is not bilinear",
                            {smooth("bracket")},
                            law(bilinear)},
                           {"antisymmetry",
                            "[u, v] = -[v, u]",
                            "bracket",
                            Code::LIE0574,
                            "the bracket is not antisymmetric",
                            {"bilinearity"},
                            law(antisymmetric)},
                           {"Jacobi identity",
                            "[u, [v, w]] + [v, [w, u]] + [w, [u, v]] = 0",
                            "bracket",
                            Code::LIE0574,
                            "the bracket does not satisfy the Jacobi identity",
                            {"antisymmetry"},
                            law(jacobi)}};
  std::vector<std::string> needs = group;
  needs.emplace_back("Jacobi identity");
  if (g.declares("bracket") && (g.declares("Ad") || g.declares("dexp"))) {
    for (const char* clause : {"Ad", "dexp"})
      if (g.declares(clause)) needs.push_back(smooth(clause));
    laws.push_back({"order of the product", "bracket, Ad and dexp belong to product(A, B), not to product(B, A)",
                    "product", Code::LIE0570, "the bracket, Ad and dexp do not belong to this product", needs,
                    law(orderOfProduct)});
    needs.emplace_back("order of the product");
  }
  laws.push_back({"bracket of the group", "[u, v] = d/ds d/dt exp(s u) exp(t v) exp(-s u) at 0", "bracket",
                  Code::LIE0574, "the bracket is not that of the group", needs, law(ofTheGroup)});
  return laws;
}

} // namespace lmc::laws
