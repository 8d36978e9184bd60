// Units are made here, and here alone: fields get their places, arrays of a program are bound to them, functions are
// added; then everything is lowered and verified.
#pragma once

#include "lower/Lower.h"
#include "unit/Unit.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace lmc::unit {

/// Entries of vector and matrix arrays that are zero in all members, by the array's id.
using ZeroPattern = std::map<std::uint32_t, std::vector<bool>>;

/// An array as a field without a place: the members of a family, then rows and columns. `first`: the index of the first
/// member per extent (1 where absent).
[[nodiscard]] runtime::Field fieldOf(std::string name, const sym::Array& array, std::vector<std::int64_t> first = {});
/// So many numbers as a field without a place.
[[nodiscard]] runtime::Field numbersField(runtime::Role role, std::string name, std::int64_t count);

/// Fields one after the other behind the bases of their roles.
class Placement {
public:
  /// The next free place of its role is the field's.
  runtime::Field place(runtime::Field field);
  [[nodiscard]] std::int64_t size(runtime::Role role) const { return size_[static_cast<std::size_t>(role)]; }
  /// In the order in which they got their places.
  std::vector<runtime::Field> fields;

private:
  std::array<std::int64_t, runtime::roleCount> size_{};
};

/// Describes a unit step by step: what functions read, what they write, where it stands. What is described can be built
/// any number of times. Order counts: memory is taken, and functions are lowered, in that of the calls.
class UnitBuilder {
public:
  using Arrays = std::vector<const sym::Array*>;
  using Outputs = std::vector<lower::OutputBinding>;

  /// With `setup`, function 0 computes from Params what depends on nothing else; without, every function computes all
  /// that it needs. The program is read when the unit is built, and must live until then.
  explicit UnitBuilder(const sym::Program& program, bool setup = true);

  // --- memory ---------------------------------------------------------------------------------------------------

  /// The next free place of its role is the field's; the unit lists it.
  runtime::Field place(runtime::Field field) { return memory_.place(std::move(field)); }
  /// The numbers of arrays, one array after the other, as one field.
  runtime::Field place(runtime::Role role, std::string name, const Arrays& arrays);
  /// What has its place next begins where a line of memory does, as its role does in a run: vectors are read from it.
  void beginLine(runtime::Role role);
  [[nodiscard]] const std::vector<runtime::Field>& fields() const { return memory_.fields; }
  [[nodiscard]] std::vector<runtime::Field>& fields() { return memory_.fields; }
  /// The numbers that a run writes out so far.
  [[nodiscard]] std::size_t columnCount() const;

  // --- what functions read --------------------------------------------------------------------------------------

  /// An array whose numbers stand in a field. Its zeros are those of the pattern of `build`.
  void reads(const sym::Array* array, const runtime::Field& field);
  /// Arrays one after the other in one field.
  void reads(const Arrays& arrays, const runtime::Field& field);
  /// An array in Params that is set at any time: nothing that depends on it is computed by `setup`.
  void readsLive(const sym::Array* array, const runtime::Field& field);
  void readsLive(const Arrays& arrays, const runtime::Field& field);
  /// A single number that is an argument of the functions.
  void argument(const sym::Array* array, int position);

  // --- what functions write -------------------------------------------------------------------------------------

  /// The numbers of arrays, one array after the other, into a field.
  [[nodiscard]] static Outputs into(const runtime::Field& field, const Arrays& arrays);
  /// Places what iterations tell (FieldKind::Report), and has functions write it.
  void report();
  /// Returns the number of the function.
  int function(std::string name, int arguments, Outputs outputs,
               lower::Lowering::Use use = lower::Lowering::Use::Alone);
  /// One of t and h that calls others, which nobody else calls, over parts of its step. Returns its number.
  int calls(std::string name, std::vector<lower::PartOfStep> parts);
  /// The same, not in a loop; with one argument of t alone, where h is zero.
  int callsInOrder(std::string name, std::vector<lower::PartOfStep> parts, int arguments = 2);
  /// One of t and h that adds up rows of numbers. Returns its number.
  int rowSums(std::string name, lower::RowSums sums);
  /// One that is made of the functions so far when the unit is built (lower/steps). Returns its number.
  using Make = std::function<tape::Function(tape::Module&)>;
  int later(Make make);
  /// What the functions do, for the readers of the unit. Of a `step` the code has a loop over it.
  runtime::Functions functions;

  // --- how ------------------------------------------------------------------------------------------------------

  /// See Lowering::usePivots.
  void usePivots(lower::Lowering::Pivots which, lower::Lowering::Rank rank = lower::Lowering::Rank::Full,
                 const lower::Lowering::Dependent& dependent = {});
  /// See Lowering::useLists.
  void useLists();
  /// Functions keep names and equations of their values, for a reader.
  void keepNotes();

  /// Lowers and verifies. The code is for parameters with these zeros; functions with more instructions than `longest`
  /// (0: any number) are cut into pieces.
  [[nodiscard]] Unit build(const ZeroPattern& zeros = {}, std::size_t longest = 0) const;

private:
  using Action = std::function<void(lower::Lowering&, const ZeroPattern&)>;
  const sym::Program& program_;
  bool setup_;
  Placement memory_;
  std::vector<Action> actions_;
  int next_; ///< number of the next function
};

} // namespace lmc::unit
