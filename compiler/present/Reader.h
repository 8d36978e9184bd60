// Expressions and array programs in the algebra of printed equations: sums become sums, recursions are resolved.
#pragma once

#include "present/Curves.h"
#include "present/DataNames.h"
#include "present/terms/Terms.h"
#include "sema/model/Model.h"
#include "sym/Program.h"

#include <set>

namespace lmc::present {

class Reader {
public:
  /// `projected`: arrays that stand for others on the phase manifold (the velocity as expressions read it).
  Reader(Terms& terms, const sema::Model& model, const sym::Program& program);

  /// Interpolated tables, which are read as functions: elements of nodes, values and bends at the row of a search are
  /// written in terms of the curve and its derivatives at the argument, where all that depends on the row cancels.
  void useCurves(Curves& curves);
  void findSplines(sym::Expr e);
  /// Vectors and matrices that data decide by a formula with conditions or roots get names. `show`: how it is said.
  void nameData(DataNames& names, std::function<TreePtr(const Poly&)> show);
  /// Whether something is left of a row that a search finds.
  [[nodiscard]] static bool readsRow(const Poly& p);

  [[nodiscard]] Poly operator()(sym::Expr e);
  /// The index of a member, wherever it is read: one name for all factors.
  void bind(const std::vector<sym::Expr>& index, Atom to);
  /// An element of an array.
  [[nodiscard]] Poly element(const sym::Array* array, const std::vector<Poly>& index);
  /// Arrays that equations define and that keep their names: inputs, and what has no closed form.
  static void namesIn(const Poly& p, std::set<const sym::Array*>& found);
  void keep(const sym::Array* array) { kept_.insert(array); }
  [[nodiscard]] const std::set<const sym::Array*>& kept() const { return kept_; }
  void stands(const sym::Array* array, const sym::Array* forOther) { projected_[array] = forOther; }
  void rename(const sym::Array* array, const std::string& name) { renamed_[array] = name; }
  void nameArrays(ArrayNames& names) { arrayNames_ = &names; }
  [[nodiscard]] const std::string& nameOf(const sym::Array* array) { return arrayNames_->of(array); }
  /// By what the indices of definitions are called: the last one, and those before it.
  void indices(Atom last, const std::vector<Atom>& outer) {
    last_ = last;
    outer_ = outer;
  }
  /// Whether an array is an input, by the law that is taken when it is not given.
  [[nodiscard]] bool isInput(const sym::Array* array) const { return inputs_.contains(array); }

  /// What defines a named array, piece by piece: for index = lo…hi.
  struct Piece {
    std::vector<Atom> index; ///< free, one for each extent
    std::vector<std::pair<Poly, Poly>> range;
    Poly value;
    bool added = false; ///< to what other pieces define
  };
  /// Nothing where a system or an iteration defines it.
  [[nodiscard]] std::optional<std::vector<Piece>> pieces(const sym::Array* array);
  /// The same of a family, with one piece for each part of its members: what is added there is in the sum. As given
  /// where bounds are not numbers, or the parts are many.
  [[nodiscard]] std::vector<Piece> apart(std::vector<Piece> pieces);

private:
  void keepRows(const sym::Equation& e);
  struct Closed {
    std::vector<Atom> index;
    Poly value;
  };
  Poly read(const sym::Node& n);
  Poly function(const sym::Node& n, const std::vector<Poly>& a);
  std::optional<Poly> adjointOf(const Poly& matrix);
  std::optional<Poly> coordinatesOf(const sym::Node& n, const std::vector<Poly>& entries);
  Poly load(const sym::Node& n);
  Poly symbol(const sym::Array* array, const std::vector<Poly>& index);
  struct FoundRow {
    std::vector<Atom> loops; ///< of which member
    int shift = 0;           ///< 1: the row after it
  };
  std::optional<FoundRow> rowOf(const Poly& index, const RowSearch& s);
  Poly atRow(const RowSearch& s, const FoundRow& row, sym::Expr e);
  std::optional<Poly> onCurve(const sym::Array* array, const std::vector<Poly>& index);
  const std::optional<Closed>& closed(const sym::Array* array);
  std::optional<Closed> close(const sym::Array* array);
  Poly lawOf(const sym::Equation& e);
  std::optional<Piece> piece(const sym::Equation& e, const std::vector<Atom>& index);
  bool solve(std::vector<std::pair<Atom, std::pair<Poly, Poly>>>& loops, const Poly& at, Atom index,
             std::pair<Poly, Poly>& range, Poly& value);
  std::optional<Poly> joined(std::vector<Piece> pieces, Atom index, std::int64_t extent);
  std::optional<Poly> resolved(const sym::Array* array, std::vector<Piece> pieces, Atom index);

  Terms& t_;
  const sema::Model& m_;
  const sym::Program& p_;
  std::unordered_map<const sym::Node*, Poly> memo_;
  std::unordered_map<const sym::Node*, Atom> indices_;
  std::map<const sym::Array*, std::optional<Closed>> closed_;
  std::unordered_map<const sym::Array*, const sym::Array*> projected_;
  std::unordered_map<const sym::Array*, std::string> renamed_;
  std::set<const sym::Array*> kept_, open_, inputs_;
  bool isData(const sym::Node& n);
  std::optional<Poly> named(const Poly& value);
  std::optional<Poly> byRows(const std::vector<Poly>& entries);
  DataNames* names_ = nullptr; ///< null: all is written out
  std::function<TreePtr(const Poly&)> show_;
  std::set<const sym::Array*> fixed_;                                ///< that parameters alone decide
  std::unordered_map<const sym::Node*, std::pair<bool, bool>> data_; ///< made of data; by a formula to be named
  ArrayNames* arrayNames_ = nullptr;
  Atom last_ = nullptr;
  std::vector<Atom> outer_;
  Curves* curves_ = nullptr;                                           ///< null: tables are read row by row
  std::set<std::pair<const sym::Array*, const sym::Array*>> onSpline_; ///< rows and the bends that are read there
  bool readingRow_ = false;
  std::unordered_map<const sym::Array*, const sym::Array*> inputOf_; ///< by the array that says whether it is given
};

} // namespace lmc::present
