// What a model's motion is at a state, by plain arithmetic and nothing of the compiler.
//
// Around the state every point has minimal coordinates θ: G exp(θ) or exp(θ) G on a group, exp(θ) X (or its conjugate)
// with θ horizontal on a homogeneous manifold. The Lagrangian is a function of θ, θ' and t; its derivatives come from
// dual numbers on a tape, and the classical Euler–Lagrange equations in θ are solved by a dense elimination with full
// pivoting. A Hamiltonian is a function of θ and of the momenta that are conjugate to them, and the equations are
// Hamilton's canonical ones. Exponentials are needed to second order only.
#pragma once

#include "differential/Model.h"

#include <map>

namespace lmc::differential {

/// Names of columns of a run with numbers: "X.R[2][1][3]".
using Columns = std::map<std::string, Real>;

struct Expected {
  Columns rates;       ///< of `lmc derive --at`: derivatives of velocities and momenta, flows
  Columns observables; ///< of the text, and "energy"
  Real skewness = 1;   ///< the square of the largest projection on velocities: what solving in algebras loses
  Real condition = 1;  ///< of the mass matrix, its rows and columns scaled, and this
  Real unscaled = 1;   ///< of the mass matrix as it is
};

/// The state of the file's text.
[[nodiscard]] Columns initialState(const RandomModel& m);

/// With numbers of kind R: double or long double. `state` has the columns of a run.
template <class R> Expected expected(const RandomModel& m, const Columns& state, Real time);

extern template Expected expected<double>(const RandomModel&, const Columns&, Real);
extern template Expected expected<long double>(const RandomModel&, const Columns&, Real);

} // namespace lmc::differential
