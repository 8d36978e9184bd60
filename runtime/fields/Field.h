// Fields: numbers that belong together under one name, what they are, where they stand, and their entries.
#pragma once

#include "runtime/fields/Role.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lmc::runtime {

/// One number of a field. What makes arrays, selects or compares reads `field` and `index`; `name` is for readers.
struct Entry {
  std::string field;               ///< the name of the whole: "R", "X.w", "energy"
  std::vector<std::int64_t> index; ///< one per extent of the field; none: the field is one number

  /// As a CSV header and messages have it: "energy", "w[3]", "R[1][2]". Nothing reads it back.
  [[nodiscard]] std::string name() const;
};

/// What the numbers of a field are, for those who look for them.
enum class FieldKind : std::uint8_t {
  Other,
  Parameter,
  InputGiven, ///< of each member of an input: not 0 where its value is given, in place of its law
  InputValue,
  State,
  Energy,
  Observable,
  Defect, ///< of the variable `of`: the largest violation of what its manifold holds
  Event,
  Rate,   ///< a derivative of a velocity or a momentum, a flow
  Report, ///< what iterations tell: a residual, evaluations of f, turns
  Error,  ///< squared errors of a trial step
};

/// A variable, a parameter, an observable: numbers by rows, the last index fastest, and their place in the memory of
/// compiled functions. It is the one description of memory: columns of output, checkpoints, views of hosts, members of
/// exported structures are made of fields.
struct Field {
  std::string name;
  std::vector<std::int64_t> extents; ///< members of a family, then rows and columns; none: one number
  std::vector<std::int64_t> first;   ///< the first index per extent, 1 where absent
  int rank = 0;                      ///< how many of the extents are those of one member: a vector has 1, a matrix 2
  Role role = Role::Output;
  std::int64_t offset = -1; ///< in doubles from the base of the role; -1: it has no place
  FieldKind kind = FieldKind::Other;
  bool written = false;  ///< a run writes it out
  std::string of{};      ///< the input or the variable that it belongs to, where its kind says so
  std::string comment{}; ///< for a reader

  [[nodiscard]] bool there() const { return offset >= 0; }
  [[nodiscard]] std::int64_t count() const;
  /// Of a family; 1 for what is none.
  [[nodiscard]] std::int64_t members() const;
  /// All of them, in the order of memory.
  [[nodiscard]] std::vector<Entry> entries() const;
  [[nodiscard]] Entry entry(std::int64_t k) const; ///< one of them, counted from 0
};

/// Names of entries, for readers.
[[nodiscard]] std::vector<std::string> namesOf(const std::vector<Entry>& entries);

} // namespace lmc::runtime
