// Units are made here, and here alone: fields get their places, arrays of a program are bound to them, functions are
// added; then everything is lowered and verified.
#pragma once

#include "lower/Lower.h"
#include "unit/Unit.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace lmc {

/// Entries of vector and matrix arrays that are zero in all members, by the array's id.
using ZeroPattern = std::map<std::uint32_t, std::vector<bool>>;

/// An array as a field without a place: the members of a family, then rows and columns. `first`: the index of the first
/// member per extent (1 where absent).
[[nodiscard]] Field fieldOf(std::string name, const sym::Array& array, std::vector<std::int64_t> first = {});
/// So many numbers as a field without a place.
[[nodiscard]] Field numbersField(tape::Role role, std::string name, std::int64_t count);

/// Fields one after the other behind the bases of their roles.
class Placement {
public:
  /// The next free place of its role is the field's.
  Field place(Field field);
  [[nodiscard]] std::int64_t size(tape::Role role) const { return size_[static_cast<std::size_t>(role)]; }
  /// In the order in which they got their places.
  std::vector<Field> fields;

private:
  std::array<std::int64_t, tape::roleCount> size_{};
};

/// Describes a unit step by step: what functions read, what they write, where it stands. What is described can be built
/// any number of times. Order counts: memory is taken, and functions are lowered, in that of the calls.
class UnitBuilder {
public:
  using Arrays = std::vector<const sym::Array*>;
  using Outputs = std::vector<OutputBinding>;

  /// With `setup`, function 0 computes from Params what depends on nothing else; without, every function computes all
  /// that it needs. The program is read when the unit is built, and must live until then.
  explicit UnitBuilder(const sym::Program& program, bool setup = true);

  // --- memory ---------------------------------------------------------------------------------------------------

  /// The next free place of its role is the field's; the unit lists it.
  Field place(Field field) { return memory_.place(std::move(field)); }
  /// The numbers of arrays, one array after the other, as one field.
  Field place(tape::Role role, std::string name, const Arrays& arrays);
  [[nodiscard]] const std::vector<Field>& fields() const { return memory_.fields; }
  [[nodiscard]] std::vector<Field>& fields() { return memory_.fields; }
  /// The numbers that a run writes out so far.
  [[nodiscard]] std::size_t columnCount() const;

  // --- what functions read --------------------------------------------------------------------------------------

  /// An array whose numbers stand in a field. Its zeros are those of the pattern of `build`.
  void reads(const sym::Array* array, const Field& field);
  /// Arrays one after the other in one field.
  void reads(const Arrays& arrays, const Field& field);
  /// An array in Params that is set at any time: nothing that depends on it is computed by `setup`.
  void readsLive(const sym::Array* array, const Field& field);
  void readsLive(const Arrays& arrays, const Field& field);
  /// A single number that is an argument of the functions.
  void argument(const sym::Array* array, int position);

  // --- what functions write -------------------------------------------------------------------------------------

  /// The numbers of arrays, one array after the other, into a field.
  [[nodiscard]] static Outputs into(const Field& field, const Arrays& arrays);
  /// Places what iterations tell (FieldKind::Report), and has functions write it.
  void report();
  /// Returns the number of the function.
  int function(std::string name, int arguments, Outputs outputs);
  /// What the functions do, for the readers of the unit. Of a `step` the code has a loop over it.
  Functions functions;

  // --- how ------------------------------------------------------------------------------------------------------

  /// See Lowering::usePivots.
  void usePivots(Lowering::Pivots which, Lowering::Rank rank = Lowering::Rank::Full);
  /// Functions keep names and equations of their values, for a reader.
  void keepNotes();

  /// Lowers and verifies. The code is for parameters with these zeros.
  [[nodiscard]] Unit build(const ZeroPattern& zeros = {}) const;

private:
  using Action = std::function<void(Lowering&, const ZeroPattern&)>;
  const sym::Program& program_;
  bool setup_;
  Placement memory_;
  std::vector<Action> actions_;
  int next_; ///< number of the next function
};

} // namespace lmc
