// How the contacts of a model are found whose method steps them by impulses: functions of the compiled code that give
// one member by its indices, the masses of members, the velocities of a step. A member costs nothing while nobody is
// near.
#pragma once

#include "runtime/fields/Field.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lmc::runtime {

/// The members of one clause of a contact, and its function of three arguments: the time and two indices, of which
/// those that the clause has not are zero.
struct SteppedFamily {
  std::string name;
  int function = -1;
  int indices = 0; ///< 0, 1 or 2
  /// A bound of an index: shift + follows · the first index.
  struct Bound {
    std::int64_t shift = 0, follows = 0;
    [[nodiscard]] std::int64_t at(std::int64_t outer) const { return shift + follows * outer; }
  };
  Bound low[2], high[2]; ///< both included
  /// A member of a variable that moves the contact: so many columns of velocities from `column` on, of the member whose
  /// number, from 1, the function writes.
  struct Touched {
    std::int64_t column = 0, dimension = 0, extent = 1;
  };
  std::vector<Touched> touched;
  std::int64_t tangents = 0; ///< numbers of the slip: 0, 1 or 2
  /// What the function writes, one number after the other: gap, |left| + |right|, restitution, friction, the speed of
  /// rest, the rate of the gap, the slip; then of each that is touched the number of the member and the derivatives of
  /// the rate and of the slip by its velocities, row by row.
  Field values;
  /// Of two indices, where the gap is the distance of a point of the first and one of the second, less what depends on
  /// one of both indices each: a function of the time that writes `pointNumbers` for each value of an index; -1: all
  /// members are looked at.
  int points = -1;
  Field first, second;
  bool squared = false; ///< the gap is the square of the distance, less …

  static constexpr std::int64_t beforeSlip = 6;
  /// Of a point: three coordinates, their rates, what is subtracted, its rate.
  static constexpr std::int64_t pointNumbers = 8;
};

/// The mass matrices of some variables, a block for each member.
struct SteppedMass {
  std::vector<SteppedFamily::Touched> columns; ///< of the variables, in the order of the rows
  std::int64_t extent = 1, size = 0;
  Field matrix; ///< extent blocks, row by row
};

struct ContactSteps {
  std::vector<SteppedFamily> families;
  std::vector<SteppedMass> masses;
  bool constantMasses = false;
  int massFunction = -1; ///< of the time: all masses
  int free = -1;         ///< of t and h: velocities before the impulses of the step, and the tolerance
  Field velocities;      ///< that it writes
  Field change;          ///< in State: what the impulses add to them; the step reads it
  Field tolerance;
  std::int64_t columns = 0;
  /// Of each column its place among `velocities` and `change`, and that of the velocity in State.
  std::vector<std::int64_t> place, state;
};

} // namespace lmc::runtime
