// `normal(…)`, `uniform(…)`, `linspace(…)`, `grid(…)`, `read("FILE")` as typed: their numbers.
#pragma once

#include "products/initial/Initial.h"
#include "runtime/ensemble/Draws.h"
#include "syntax/Ast.h"

namespace lmc::products {

/// Reads the distribution of one variation; what is wrong is reported (LIE0650) within `whole`, its text.
class DistributionReader {
public:
  DistributionReader(const sema::Model& model, const Layout& layout, const InitialData& nominal,
                     Diagnostics& diagnostics, Range whole)
      : m_(model), layout_(layout), nominal_(nominal), d_(diagnostics), whole_(whole) {}

  /// Whether a distribution has the right number of arguments, and says by how much a value differs; nothing if not.
  [[nodiscard]] std::optional<bool> isRelative(const syntax::Expr& call);
  /// Fills in a distribution of `v.numbers` numbers. `relative`: it says by how much a value differs.
  [[nodiscard]] bool read(const syntax::Expr& call, runtime::Variation& v, bool relative);

private:
  /// A number or a list of numbers, as typed.
  struct Typed {
    std::vector<double> values;
    bool list = false;
  };
  Diagnostics::Report error(Range range, std::string message);
  std::optional<double> number(const syntax::Expr& e);
  std::optional<Typed> evaluate(const syntax::Expr& e);
  std::optional<Typed> named(const syntax::Expr& e);
  std::optional<Typed> binary(const syntax::Expr& e);
  /// The rows of a table of numbers; a first line of names is passed over.
  bool readTable(const syntax::Expr& call, runtime::Variation& v);
  /// How many values a grid has.
  bool readGrid(const syntax::Expr& call, runtime::Variation& v);
  /// One value per number; a scalar serves all.
  bool spread(const syntax::Expr& e, std::size_t n, std::vector<double>& out);

  const sema::Model& m_;
  const Layout& layout_;
  const InitialData& nominal_;
  Diagnostics& d_;
  Range whole_;
};

} // namespace lmc::products
