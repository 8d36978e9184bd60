// Interpolated tables as functions with a name: what a run finds by a search for the row and a polynomial in it.
#pragma once

#include "present/writers/Document.h"
#include "sema/model/Model.h"
#include "sym/Program.h"

#include <map>
#include <set>

namespace lmc::present {

/// A search among nodes x for the row k of an argument u, x_k <= u < x_{k+1}.
struct RowSearch {
  enum class Ends : std::uint8_t { Strict, Hold, Extend, Periodic };
  const sym::Array* row = nullptr;      ///< k as a number
  const sym::Array* before = nullptr;   ///< the step of the search before; null: a number
  std::vector<const sym::Array*> steps; ///< all, `row` first
  sym::Expr found;                      ///< `row` as its last step finds it
  const sym::Array* nodes = nullptr;    ///< x
  Ends ends = Ends::Strict;
  sym::Expr argument;           ///< as it is written
  sym::Expr inside;             ///< as it is looked up: held, or brought into the period
  std::vector<sym::Expr> index; ///< of the loops around the search
};

/// A cubic spline through values y over nodes x.
struct Spline {
  const sym::Array* bends = nullptr;      ///< y'' at the nodes
  const sym::Array* nodes = nullptr;      ///< x
  std::vector<const sym::Array*> columns; ///< y, or its entries one by one
};

/// What the tables of a model are, and the names of the curves that were shown.
class Curves {
public:
  Curves(const sema::Model& model, const sym::Program& program);
  [[nodiscard]] const std::vector<RowSearch>& searches() const { return searches_; }
  [[nodiscard]] const std::vector<Spline>& splines() const { return splines_; }
  /// Arrays that count rows in a wrong order: conditions on them guard against bad data alone.
  [[nodiscard]] const std::set<const sym::Array*>& disorders() const { return disorders_; }
  /// Of straight lines or of a spline, the same for the same curve: that of the values, "road.height".
  const std::string& nameOf(const RowSearch& search, const std::vector<const sym::Array*>& columns, bool cubic);
  /// Those that have a name, as documents say what they are.
  [[nodiscard]] const std::vector<CurveLine>& named() const { return named_; }

private:
  std::vector<RowSearch> searches_;
  std::vector<Spline> splines_;
  std::set<const sym::Array*> disorders_;
  std::vector<CurveLine> named_;
};

} // namespace lmc::present
