// RKMK4 and CF4 for the three systems of Plain.h as an expert would tune them by hand: plain scalars, no calls, only
// what the right-hand sides need of each stage, factors folded into constants once per run, one test for large angles a
// step, forces in the rods instead of a mass matrix. The numbers of the models are constants of the programs.
#pragma once

namespace lmc::bench::tuned {

enum class System { Top, Chain, Quadrotors };
enum class Method { RKMK4, CF4 };

/// Makes so many steps of size h; returns the seconds that they took.
[[nodiscard]] double run(System system, Method method, int steps, double h);

/// The largest difference from the plain programs, over all systems and methods, after 200 steps that are small enough
/// for the polynomials and after 20 larger ones.
[[nodiscard]] double error();

} // namespace lmc::bench::tuned
