// Interpolated tables as functions with a name: what a run finds by a search for the row and a polynomial in it.
#pragma once

#include "present/writers/Document.h"
#include "sema/model/Model.h"
#include "sym/Program.h"

#include <map>
#include <set>

namespace lmc::present {

/// Values over nodes, joined by straight lines or by a cubic spline, at one argument.
struct Curve {
  enum class Ends : std::uint8_t { Strict, Hold, Extend, Periodic };
  std::string name;                       ///< by which it is shown: of the values, "road.height"
  const sym::Array* row = nullptr;        ///< k as a number, x_k <= u < x_{k+1}
  const sym::Array* before = nullptr;     ///< the step of the search before; null: a number
  sym::Expr found;                        ///< `row` as its last step finds it
  const sym::Array* nodes = nullptr;      ///< x
  std::vector<const sym::Array*> columns; ///< y, or its entries one by one
  const sym::Array* bends = nullptr;      ///< y'' at the nodes of a spline; null: straight lines
  std::int64_t rows = 0;
  sym::Shape shape; ///< of y
  Ends ends = Ends::Strict;
  sym::Expr argument;           ///< as it is written
  sym::Expr inside;             ///< as it is looked up: held, or brought into the period
  std::vector<sym::Expr> index; ///< of the loops around the search
};

/// The curves that expressions of a model read; geodesics between points of manifolds are none.
[[nodiscard]] std::vector<Curve> curvesOf(const sema::Model& model, const sym::Program& program);

/// What calls of `name` in a document are, for readers and for programs.
[[nodiscard]] CurveLine lineOf(const Curve& curve);

/// Arrays that count rows in a wrong order: conditions on them guard against bad data alone.
[[nodiscard]] std::set<const sym::Array*> disordersOf(const sema::Model& model, const sym::Program& program);

} // namespace lmc::present
