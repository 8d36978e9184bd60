// What `--vary` says, and where in a model's data it belongs.
#pragma once

#include "products/initial/Initial.h"
#include "runtime/ensemble/Draws.h"

namespace lmc::products {

/// A number of the inputs that change initial values.
struct DeltaPlace {
  std::size_t initial = 0; ///< into Variations::initials
  std::size_t part = 0;    ///< of its `delta`
  std::int64_t entry = 0;  ///< of that array
};

/// One `--vary`, placed.
struct PlacedVariation {
  runtime::Variation draw;
  std::vector<runtime::Entry> columns; ///< its numbers
  std::size_t first = 0;               ///< of its numbers among those of the sample
  /// Parameters: number k of the variation goes to params + k, kept `keep` times.
  std::int64_t params = -1;
  double keep = 0;
  std::vector<double> shift;       ///< of an input: subtracted from each number; empty: nothing
  std::vector<std::int64_t> given; ///< parameters that become 1: those inputs have the value, not their law
  std::vector<DeltaPlace> delta;   ///< of initial values: where each number goes
};

/// All variations of an ensemble.
struct Variations {
  std::vector<PlacedVariation> list;
  std::vector<VariedInitial> initials; ///< what InitialProgram is to be told
  std::vector<DeltaPlace> replaced;    ///< entries that do not keep the value of the model
  std::int64_t rows = -1;              ///< of the shortest table, or points of the grids; -1: there is none
};

/// The numbers of an input's law, those of member 1 first; nothing if it is not made of numbers alone.
[[nodiscard]] std::optional<std::vector<double>> constantLaw(const sema::Model& model, const sema::Parameter& value);

/// Reads and places the texts of `--vary`; what cannot be is reported (LIE0650).
[[nodiscard]] Variations placeVariations(const sema::Model& model, const Layout& layout, const InitialData& nominal,
                                         const std::vector<std::string>& texts, Sources& sources,
                                         Diagnostics& diagnostics);

} // namespace lmc::products
