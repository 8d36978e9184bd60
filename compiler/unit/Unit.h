// A unit: what a product of a model is before it becomes code. Functions over named memory, lowered and verified.
//
// builder/UnitBuilder.h makes them; code in memory, objects, C source, the interpreter, columns of output, checkpoints
// and views of hosts read them.
#pragma once

#include "runtime/contract/Problem.h"
#include "tape/Tape.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace lmc::unit {

struct Unit {
  tape::Module module;
  /// The fields of the memory, the functions by what they do, values: what a run is told. Its code is not there yet.
  runtime::Problem problem;

  /// Of the functions that advance a state, of adaptive steps or of others, by tape::cost; 0: there are none.
  [[nodiscard]] double operationsPerStep() const;
};

/// A function of an exported unit that resets the state: NAME and `suffix`, (self, t) or (self, t, member).
struct ExportedReset {
  int function = -1;
  std::string suffix;  ///< "_reset_hit"
  std::string what;    ///< "the event hit", "every 0.01"
  bool member = false; ///< of a family: which one has happened, from 1
};

/// A unit for programs without this compiler, as C99 source or as an object file. The caller owns one structure of
/// doubles, PREFIX, in which everything stands: parameters, state, results, constants, scratch memory. Both forms have
/// the same structure, the same functions and the same header.
struct Exported {
  Unit unit;          ///< its fields have no gaps: each is a member of `parameters`, `state` or `output`
  std::string prefix; ///< of all names, a C identifier
  std::string file;
  std::string equations;          ///< of motion, as text
  std::vector<double> parameters; ///< default values of all that stands in Params
  bool specialized = false;       ///< for the present zeros of parameters
  std::vector<ExportedReset> resets;

  // What `arrange` adds.
  std::vector<std::string> members;                    ///< C identifiers of the fields
  std::array<std::int64_t, runtime::roleCount> base{}; ///< where the parts of the structure stand, in doubles
  std::int64_t before = 0;                             ///< the state before a step
  std::int64_t size = 0;

  [[nodiscard]] const runtime::Problem& problem() const { return unit.problem; }
  [[nodiscard]] const std::vector<runtime::Field>& fields() const { return unit.problem.fields; }
  [[nodiscard]] std::int64_t place(runtime::Role role, std::int64_t offset) const {
    return base[static_cast<std::size_t>(role)] + offset;
  }
};

/// Gives the fields C identifiers that differ within their role, and places the parts of the structure.
void arrange(Exported& unit);

/// A text as a C identifier: "Omega'" is Omega_dot, "X.R" is X_R, letters of the Greek alphabet are spelt.
[[nodiscard]] std::string identifier(const std::string& text);
/// Whether names in C may begin with it: an identifier that is no keyword of C or C++ and no function of its libraries.
[[nodiscard]] bool isIdentifier(const std::string& text);

/// In capital letters.
[[nodiscard]] std::string upper(const std::string& text);

} // namespace lmc::unit
