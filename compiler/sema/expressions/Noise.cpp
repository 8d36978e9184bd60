#include "sema/expressions/Noise.h"

#include <numbers>
#include <vector>

namespace lmc::sema {

using sym::Expr;
using sym::Graph;
using sym::Op;

namespace {

constexpr std::int64_t m1 = 4294967087, m2 = 4294944443;
constexpr std::int64_t a12 = 1403580, a13n = 810728, a21 = 527612, a23n = 1370589;
constexpr std::int64_t large = 9; ///< digits of a seed: all below both moduli

Expr at(Graph& g, Expr state, int k) {
  return g.entry(state, k, 0);
}

/// x modulo m for a whole x below 2^53 in size. The quotient may be off by one, by its rounding.
Expr modulo(Graph& g, Expr x, std::int64_t m) {
  const Expr modulus = g.number(m);
  const Expr rest = g.sub(x, g.mul(g.function(Op::Floor, g.div(x, modulus)), modulus));
  const Expr low = g.select(g.compare(Op::Lt, rest, g.number(0)), g.add(rest, modulus), rest);
  return g.select(g.compare(Op::Lt, low, modulus), low, g.sub(low, modulus));
}

} // namespace

Expr nextNoise(Graph& g, Expr s) {
  const Expr first = modulo(g, g.sub(g.mul(g.number(a12), at(g, s, 1)), g.mul(g.number(a13n), at(g, s, 0))), m1);
  const Expr second = modulo(g, g.sub(g.mul(g.number(a21), at(g, s, 5)), g.mul(g.number(a23n), at(g, s, 3))), m2);
  return g.vector({at(g, s, 1), at(g, s, 2), first, at(g, s, 4), at(g, s, 5), second});
}

Expr uniformNoise(Graph& g, Expr s) {
  const Expr difference = g.sub(at(g, s, 2), at(g, s, 5));
  const Expr whole = g.select(g.compare(Op::Lt, g.number(0), difference), difference, g.add(difference, g.number(m1)));
  return g.div(whole, g.number(m1 + 1));
}

Expr normalNoise(Graph& g, Expr first, Expr second) {
  const Expr radius = g.function(Op::Sqrt, g.mul(g.number(-2), g.function(Op::Log, first)));
  return g.mul(radius, g.function(Op::Cos, g.mul(g.number(sym::Number::real(2 * std::numbers::pi)), second)));
}

Expr noiseSeeds(Graph& g, Expr uniform) {
  std::int64_t size = 4;
  for (std::int64_t k = 0; k < large; ++k) size *= 10;
  std::vector<Expr> seeds;
  for (int k = 0; k < 6; ++k)
    seeds.push_back(g.add(g.number(1), g.function(Op::Floor, g.mul(g.number(size), at(g, uniform, k)))));
  return g.vector(seeds);
}

} // namespace lmc::sema
