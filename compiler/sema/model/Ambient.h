// A model beside its manifold: the rates of its points as variables of their own.
#pragma once

#include "sema/model/Model.h"

#include <memory>
#include <vector>

namespace lmc {

/// The same model checked once more, with x' of an expression of points read as the derivative along free rates q' of
/// the points instead of along T(q) xi. Its arrays are its own; they correspond to those of the model in order.
struct AmbientModel {
  std::unique_ptr<const Model> model;
  const sym::Array* lagrangian = nullptr; ///< the Lagrangian as an array of its program
  std::vector<ArrayTuple> rates;          ///< q' of each factor, by parts of its point; no equations
};

} // namespace lmc
