// Which equations share a loop, which loops are unrolled, which arrays need memory.
#pragma once

#include "sym/Program.h"

#include <algorithm>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

namespace lmc::lower {

/// Loops of at most this many iterations in total are written out.
inline constexpr std::int64_t unrollLimit = 8;

/// Equations that are executed together: straight-line code one after the other, or the body of one loop nest.
struct Group {
  bool straight = true;
  std::string signature; ///< of the loops; groups of one signature have equal bounds
  std::vector<std::size_t> equations;
};

enum class ArrayStorage : std::uint8_t {
  Registers,  ///< every element is a value; all accesses are straight-line code
  Contracted, ///< a value of one iteration: written and read in one loop body only
  Memory,
};

struct Schedule {
  std::vector<Group> groups;
  std::unordered_map<const sym::Array*, ArrayStorage> storage; ///< of the Temp arrays that the equations write
  std::unordered_set<const sym::Array*> straight;              ///< of these, those that straight-line code alone writes
};

/// The equations inside of each iteration (Newton, Series), by the position of the iteration's own equation.
using Bodies = std::unordered_map<std::size_t, std::vector<std::size_t>>;

/// Takes the equations that depend on some arrays out of `equations`; the equation `except` stays. An iteration depends
/// on what its body depends on.
[[nodiscard]] std::vector<std::size_t> extractDependents(const sym::Program& program,
                                                         std::vector<std::size_t>& equations,
                                                         const std::vector<const sym::Array*>& sources,
                                                         const Bodies& bodies, std::size_t except = ~std::size_t{0});

/// Takes the equations inside of iterations out of `equations`. An iteration inside of another stands in the body of
/// the outer one, and has a body of its own.
[[nodiscard]] Bodies extractBodies(const sym::Program& program, std::vector<std::size_t>& equations);

/// Takes those of the equations that an array needs.
[[nodiscard]] std::vector<std::size_t> takeSlice(const sym::Program& program, const sym::Array* array,
                                                 std::vector<std::size_t>& equations);
/// The same for several arrays.
[[nodiscard]] std::vector<std::size_t> takeSlices(const sym::Program& program,
                                                  const std::vector<const sym::Array*>& arrays,
                                                  std::vector<std::size_t>& equations);
/// Whether one of the equations writes an array.
[[nodiscard]] inline bool writesArray(const sym::Program& program, const std::vector<std::size_t>& equations,
                                      const sym::Array* array) {
  return std::any_of(equations.begin(), equations.end(),
                     [&](std::size_t k) { return program.equation(k).array == array; });
}
/// The arrays that solvers see as n numbers one after the other.
[[nodiscard]] std::unordered_set<const sym::Array*> stackedArrays(const sym::Program& program,
                                                                  const std::vector<std::size_t>& slice);

/// Groups the equations of a slice; `outputs` are arrays that are read afterwards, `later` equations that are lowered
/// afterwards, in the same block or deeper.
[[nodiscard]] Schedule schedule(const sym::Program& program, const std::vector<std::size_t>& equations,
                                const std::vector<const sym::Array*>& outputs, bool contract, const Bodies& bodies,
                                const std::vector<std::size_t>& later = {});

/// An upper bound of the number of iterations of an equation's loops.
[[nodiscard]] std::int64_t tripCount(const sym::Equation& e);

/// What the roots need, without the equations of arrays that are given, and those that these alone need.
[[nodiscard]] std::vector<std::size_t> withoutGiven(const sym::Program& program,
                                                    const std::vector<const sym::Array*>& roots,
                                                    const std::function<bool(const sym::Array*)>& isGiven);

} // namespace lmc::lower
