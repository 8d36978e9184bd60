// Long sums in pieces that may be worked on at the same time.
#pragma once

#include "tape/Tape.h"

namespace lmc::tape {

/// The direction (`imm`) of a loop upwards whose turns neither read nor write what others write: they may be made in
/// any order and at the same time.
inline constexpr std::int64_t independentTurns = 2;

/// Into so many pieces a sum is divided, whatever the number of threads: it is part of the order of additions.
inline constexpr std::int64_t tileCount = 16;

/// Operations (tape/TapeCost.h) from which on a loop is divided: about half a millisecond.
inline constexpr double tileBound = 8e6;

/// Divides loops of at least `bound` operations that do nothing but add to memory, such as those over pairs. Turns k,
/// k + tileCount, … of such a loop are tile k: it adds to memory of its own, which begins with zeros. What all tiles
/// have is then added up in a binary tree over k, and the sum is added to the memory that was meant. Tiles are turns
/// of a loop of independentTurns. So what is rounded where is said by the tape alone, and neither who runs it nor how
/// many threads do shows in its bits.
///
/// Left as they are: loops whose order of additions is fixed and loops over lists of pairs (both: Distances.h), and
/// loops for which adding up the tiles would cost more than a part in 64.
void divideSums(Module& module, double bound = tileBound);

} // namespace lmc::tape
