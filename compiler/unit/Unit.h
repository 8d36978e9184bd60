// A model with a method, ready to be written for programs without this compiler: as C99 source or as an object file.
//
// The caller owns one structure of doubles, NAME, in which everything stands: parameters, state, results, constants,
// scratch memory. Both forms have the same structure, the same functions and the same header.
#pragma once

#include "runtime/contract/Column.h"
#include "tape/Tape.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace lmc::ahead {

/// A field in the structure, a member of `parameters`, `state` or `output`. Its name is the model's: "Omega", "Omega'",
/// "X.R".
struct Field : lmc::Field {
  std::string comment; ///< for a reader
  tape::Role role = tape::Role::State;
  std::int64_t offset = 0; ///< in doubles, from the base of the role
  std::string member;      ///< the C identifier (`arrange`)
};

/// A zero crossing that would stop a run.
struct EventMember {
  std::string name;
  int direction = 0; ///< 1 rising, -1 falling, 0 both
};

/// Functions of the tape; -1: none.
struct Functions {
  int setup = -1, step = -1, field = -1, energy = -1, observe = -1, events = -1, trial = -1;
};

/// The name of the field with the squared errors of a trial step.
inline constexpr const char* errorsName = "errors";

struct Unit {
  std::string prefix; ///< of all names, a C identifier
  std::string model, method, file;
  std::string equations; ///< of motion, as text
  tape::Module module;
  Functions functions;
  std::vector<Field> fields;   ///< of parameters, state and output, in the order of memory, without gaps
  std::vector<Column> columns; ///< what a run writes out
  std::vector<EventMember> events;
  std::vector<double> parameters, state;     ///< default values
  int order = 0;                             ///< of the method
  int errorOrder = 0;                        ///< of the error estimate; 0: none
  bool specialized = false;                  ///< for the present zeros of parameters
  double timeFrom = 0, timeTo = 0, step = 0; ///< of `simulate`; NaN: not given

  // Where the parts of the structure stand, in doubles (`arrange`).
  std::array<std::int64_t, tape::roleCount> base{};
  std::int64_t before = 0; ///< the state before a step
  std::int64_t size = 0;

  [[nodiscard]] std::int64_t place(tape::Role role, std::int64_t offset) const {
    return base[static_cast<std::size_t>(role)] + offset;
  }
};

/// Gives the fields C identifiers that differ within their role, and places the parts of the structure.
void arrange(Unit& unit);

/// A text as a C identifier: "Omega'" is Omega_dot, "X.R" is X_R, letters of the Greek alphabet are spelt.
[[nodiscard]] std::string identifier(const std::string& text);
/// Whether names in C may begin with it: an identifier that is no keyword of C or C++ and no function of its libraries.
[[nodiscard]] bool isIdentifier(const std::string& text);

/// In capital letters.
[[nodiscard]] std::string upper(const std::string& text);

} // namespace lmc::ahead
