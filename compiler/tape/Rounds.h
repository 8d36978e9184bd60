// Loops over members that threads make together, before they wait for each other.
#pragma once

#include "base/Integers.h"
#include "tape/Places.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

namespace lmc::tape {

/// An element that the turns of a loop touch.
struct Touched {
  std::int32_t buffer = -1;
  Value index = none;
  bool written = false;
  bool sum = false;  ///< by an Accum
  bool free = false; ///< by one whose order does not matter
};

/// What the body of a loop may do beside memory.
enum class May : std::uint8_t {
  Nothing,
  Fail,
  FailAndBreak, ///< fail, and leave a loop that is inside of it
};

/// Everything that the body of a loop does to memory; nothing if it does anything else. `listed`: counts the loops over
/// lists in it, which there are none of if it is null.
[[nodiscard]] std::optional<std::vector<Touched>> touchedIn(const Function& f, std::int32_t block, int* listed,
                                                            May may);

/// Turns whose numbers differ by more than this do not touch what the other one writes; by less, both may add to one
/// element in any order, and no more. 0: no turn touches what another one writes. Nothing if neither is known.
[[nodiscard]] std::optional<std::int64_t> reachOf(const std::vector<Touched>& all, const std::map<Value, Place>& places,
                                                  const Places& known, std::int64_t count);

/// An element that a turn touches.
struct Access {
  Touched what;
  std::optional<Place> place; ///< nothing: not known
};

/// A loop over members, all turns of which may be made at the same time.
struct Member {
  std::size_t at = 0;             ///< its place in its block
  std::int64_t low = 0, high = 0; ///< of its counter
  std::int64_t weight = 1;        ///< so many turns of it are a unit of its round
  std::int64_t begin = 0;         ///< turn begin + weight k is the first one of unit k
  std::int64_t reach = 0;         ///< reachOf
  bool fails = false;             ///< a turn may fail
  double cost = 0;
  std::vector<Access> accesses;

  /// Where a turn writes first.
  [[nodiscard]] const Place* home() const {
    const Place* least = nullptr;
    for (const Access& a : accesses)
      if (a.what.written && a.place && (least == nullptr || a.place->low < least->low)) least = &*a.place;
    return least;
  }
  [[nodiscard]] std::int64_t firstUnit() const { return floorDiv(low - begin, weight); }
  [[nodiscard]] std::int64_t lastUnit() const { return floorDiv(high - begin, weight); }
};

/// Loops that are divided together: a tile has some units of each of them. Units with one number touch the same
/// elements: a unit is a turn of a loop over groups, and as many turns as a group has members of a loop over these.
struct Round {
  std::vector<Member> members;
  std::vector<std::size_t> before; ///< what stands between them, and can be done before all of them
  std::int64_t low = 0, high = 0;  ///< the units of all of them
  double cost = 0;
  std::int64_t tiles = 0;
  std::int64_t grain = 1; ///< the length of a tile is a multiple of it
  [[nodiscard]] std::int64_t reach() const { return members.front().reach; }
  [[nodiscard]] std::int64_t length() const { return roundUp((high - low) / tiles + 1, grain); }
  [[nodiscard]] std::int64_t tilesMade() const { return (high - low) / length() + 1; }
};

/// The rounds of a function, by block and in order, and the operations of all of them. Loops of fewer than `bound` that
/// stand alone are none.
struct Rounds {
  std::map<std::int32_t, std::vector<Round>> found;
  double cost = 0;
};
[[nodiscard]] Rounds roundsOf(const Module& module, std::size_t function, double bound);

} // namespace lmc::tape
