// Loops whose turns may be made at the same time without any change of what is computed.
#pragma once

#include "tape/Places.h"

#include <optional>

namespace lmc::tape {

/// Operations (tape/TapeCost.h) from which on a loop over the members of a family is shared among threads: some two
/// microseconds, where handing it out takes some tenths of one.
inline constexpr double memberBound = 4e4;
/// So many times these the loops of a function that can be shared must have together: below, a step has too little of
/// them for threads to be kept awake.
inline constexpr double memberLoops = 25;
/// So many times these a round of such loops must have in the mean, where nothing else keeps threads awake: they wait
/// two to five microseconds for each other before and behind it, by measurement.
inline constexpr double memberRound = 8;
/// Operations from which on a sum over a list of pairs is shared among owners.
inline constexpr double ownedBound = 1e6;

/// Divides loops of at least `bound` operations over members whose turns neither read nor write what others write into
/// at most tileCount loops (Tiles.h) of at least half the bound, one behind the other, which are the turns of a loop of
/// independentTurns. No operation and no order changes, but for the loop that an element is made in.
///
/// Turns may add to elements of members that are near by number: the last turns of each tile, so many as the members
/// are apart, are made after all others then, which decides about the order of these sums. A turn may fail: the
/// function fails as the first turn that does.
///
/// Left as they are: loops that end early, that call functions or routines, and those inside of loops that are divided
/// already.
void divideMembers(Module& module, double bound = memberBound);

/// The direction (`imm`) of a nest of two loops, the inner one over a list, that can be shared by owners (OwnedSums).
/// It goes upwards.
inline constexpr std::int64_t ownedTurns = 3;

/// Whether threads share loops of a function.
[[nodiscard]] bool sharesLoops(const Function& f);

/// Sums over the pairs of a list, each added to an element of its first index or of its second one. An owner has a
/// range of indices. He makes all pairs of which one index is his, in the order of the nest, and adds to his elements
/// alone. So every element gets the same terms in the same order, whatever the number of owners; a pair of two owners
/// is made twice.
struct OwnedSums {
  const Instr* inner = nullptr;   ///< the loop over the list
  std::int64_t low = 0, high = 0; ///< the indices that both counters have together
  std::int64_t innerLow = 0, innerHigh = 0, outerLow = 0, outerHigh = 0; ///< those that one of them has
  std::map<Value, int> counters; ///< by the place of an Accum: 0 of the outer index, 1 of the inner one
};
/// What a loop is as such a nest; nothing where it is none.
[[nodiscard]] std::optional<OwnedSums> ownedSums(const Function& function, const Instr& loop);

/// Marks nests of at least `bound` operations as ownedTurns.
void markOwned(Module& module, double bound = ownedBound);

} // namespace lmc::tape
