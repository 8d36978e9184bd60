#include "tape/Rounds.h"

#include "tape/Shares.h"
#include "tape/TapeCost.h"
#include "tape/TapeOps.h"
#include "tape/Tiles.h"

#include <set>

namespace lmc::tape {

std::optional<std::vector<Touched>> touchedIn(const Function& f, std::int32_t block, int* listed, May may) {
  std::vector<Touched> all;
  for (const Instr& i : f.blocks[static_cast<std::size_t>(block)].code) {
    const bool list = i.op == Op::Loop && i.buffer >= 0;
    if (list && listed == nullptr) return std::nullopt;
    if (list) ++*listed;
    switch (i.op) {
    case Op::Load:
    case Op::Store:
    case Op::Accum:
      all.push_back({i.buffer, i.args[0], i.op != Op::Load, i.op == Op::Accum, i.op == Op::Accum && i.imm == 0});
      break;
    case Op::FailIf:
      if (may == May::Nothing) return std::nullopt;
      break;
    case Op::BreakIf:
      if (may != May::FailAndBreak) return std::nullopt;
      break;
    case Op::If:
      break;
    case Op::Loop:
      if (i.imm == independentTurns) return std::nullopt;
      break;
    default:
      if (!isPure(i.op)) return std::nullopt;
    }
    if (i.block < 0) continue;
    const auto inner = touchedIn(f, i.block, listed, i.op == Op::Loop && may == May::Fail ? May::FailAndBreak : may);
    if (!inner) return std::nullopt;
    all.insert(all.end(), inner->begin(), inner->end());
  }
  return all;
}

std::optional<std::int64_t> reachOf(const std::vector<Touched>& all, const std::map<Value, Place>& places,
                                    const Places& known, std::int64_t count) {
  std::map<std::int32_t, std::vector<Touched>> buffers;
  for (const Touched& t : all) {
    auto& list = buffers[t.buffer];
    const auto same = [&](const Touched& x) {
      return x.index == t.index && x.written == t.written && x.free == t.free;
    };
    if (std::none_of(list.begin(), list.end(), same)) list.push_back(t);
  }
  std::int64_t most = 0;
  for (const auto& [buffer, list] : buffers)
    for (const Touched& t : list) {
      if (!t.written) continue;
      const auto a = known.find(t.index, places);
      if (!a) return std::nullopt;
      for (const Touched& other : list) {
        const auto b = known.find(other.index, places);
        const auto far = b ? reach(*a, *b, count) : std::nullopt;
        if (!far || (*far != 0 && !(t.free && other.free))) return std::nullopt;
        most = std::max(most, *far);
      }
    }
  return most;
}

namespace {

bool someIsWritten(const std::vector<Touched>& all) {
  return std::any_of(all.begin(), all.end(), [](const Touched& t) { return t.written; });
}

/// Members of a group.
std::int64_t heaviest(const Round& round) {
  std::int64_t most = 1;
  for (const Member& m : round.members) most = std::max(most, m.weight);
  return most;
}

/// Of the turns of a tile, a part of this may wait for those of others.
constexpr std::int64_t reachWorth = 8;
/// So many numbers are a line of a cache, and a vector.
constexpr std::int64_t lineOfCache = 8;
/// Tiles become longer by a part of this at most for the sake of where they end.
constexpr std::int64_t grainWorth = 8;
/// A loop with a part of this of the work of a round may have nothing to do in most of its tiles.
constexpr double littleWork = 8;
/// Groups must be so many, or their members are not divided by groups.
constexpr std::int64_t fewestGroups = tileCount / 2;

/// Finds the rounds of a function.
class RoundFinder {
public:
  RoundFinder(const Module& module, std::size_t function, double bound)
      : f_(module.functions[function]), bound_(bound), costs_(loopCosts(module, static_cast<int>(function))),
        known_(f_) {
    inBlock(0);
    chooseGrains();
  }
  Rounds all;

private:
  void inBlock(std::int32_t block) {
    const std::vector<Instr>& code = f_.blocks[static_cast<std::size_t>(block)].code;
    Round round;
    std::set<std::size_t> taken;
    const auto close = [&] {
      if (divisible(round)) {
        all.cost += round.cost;
        for (const Member& m : round.members) taken.insert(m.at);
        while (!round.before.empty() && round.before.back() > round.members.back().at) round.before.pop_back();
        all.found[block].push_back(std::move(round));
      }
      round = {};
    };
    for (std::size_t k = 0; k < code.size(); ++k) {
      if (std::optional<Member> member = memberOf(code[k], k)) {
        if (round.members.empty() || !(join(round, *member) || joinRest(round, *member))) {
          close();
          round = alone(*member);
        }
      } else if (!round.members.empty() && mayGoBefore(code[k], round)) {
        round.before.push_back(k);
      } else {
        close();
      }
    }
    close();
    for (std::size_t k = 0; k < code.size(); ++k)
      if (code[k].block >= 0 && !taken.contains(k) && code[k].imm != independentTurns && code[k].imm != ownedTurns)
        inBlock(code[k].block);
  }

  [[nodiscard]] std::optional<Member> memberOf(const Instr& i, std::size_t at) const {
    if (i.op != Op::Loop || i.imm < 0 || i.imm == independentTurns || i.imm == ownedTurns || i.buffer >= 0)
      return std::nullopt;
    const auto low = known_.constant(i.args[0]), high = known_.constant(i.args[1]);
    if (!low || !high || *high <= *low) return std::nullopt;
    const auto touched = touchedIn(f_, i.block, nullptr, May::Fail);
    if (!touched || !someIsWritten(*touched)) return std::nullopt;
    const std::map<Value, Place> places = known_.in(i, {i.result});
    const auto far = reachOf(*touched, places, known_, *high - *low + 1);
    if (!far) return std::nullopt;
    Member m{at, *low, *high, 1, *low, *far, !touchedIn(f_, i.block, nullptr, May::Nothing), costs_[i.result], {}};
    for (const Touched& t : *touched) {
      const auto same = [&](const Access& a) {
        return a.what.buffer == t.buffer && a.what.index == t.index && a.what.written == t.written;
      };
      if (std::none_of(m.accesses.begin(), m.accesses.end(), same))
        m.accesses.push_back({t, known_.find(t.index, places)});
    }
    return m;
  }

  /// Units of the loop touch nothing that other units of the round write, and write nothing that those touch.
  static bool join(Round& round, const Member& m) {
    if (round.reach() != 0 || m.reach != 0) return false;
    if (m.fails && std::any_of(round.members.begin(), round.members.end(), [](const Member& o) { return o.fails; }))
      return false; // which failure is told would depend on the tiles
    const std::vector<Fit> fits = fitsOf(round, m);
    return std::any_of(fits.begin(), fits.end(), [&](const Fit& fit) { return joinAs(round, m, fit); });
  }

  static Round alone(Member m) {
    m.weight = 1;
    m.begin = m.low;
    return {{m}, {}, 0, m.high - m.low, m.cost};
  }
  /// Without the first loops of a round that is too small to be divided.
  bool joinRest(Round& round, const Member& m) const {
    Round tried = round;
    if (divisible(tried)) return false;
    for (std::size_t left = 1; left < round.members.size(); ++left) {
      Round rest = alone(round.members[left]);
      bool joined = true;
      for (std::size_t k = left + 1; k < round.members.size(); ++k) joined = joined && join(rest, round.members[k]);
      if (!joined || !join(rest, m)) continue;
      for (const std::size_t k : round.before)
        if (k > rest.members.front().at) rest.before.push_back(k);
      round = std::move(rest);
      return true;
    }
    return false;
  }

  /// How units of a loop may be counted so that they touch the elements of those of a round that have their numbers.
  struct Fit {
    std::int64_t group = 1; ///< so many units of the round become one
    std::int64_t back = 0;  ///< units by which the first group begins before unit 0
    std::int64_t weight = 1, begin = 0;
    bool operator==(const Fit&) const = default;
  };
  /// First those by what the loops write at its first place, then by elements that both touch, written ones first, and
  /// by the counters.
  static std::vector<Fit> fitsOf(const Round& round, const Member& m) {
    std::vector<Fit> fits;
    const auto propose = [&](const std::optional<Fit>& fit) {
      if (fit && std::find(fits.begin(), fits.end(), *fit) == fits.end()) fits.push_back(*fit);
    };
    const Member& first = round.members.front();
    if (const Place* a = first.home(), *b = m.home(); a != nullptr && b != nullptr && a->slope == b->slope)
      propose(fitOf(first, *a, *b));
    for (const bool written : {true, false})
      for (const Member& other : round.members)
        for (const Access& a : other.accesses)
          for (const Access& b : m.accesses)
            if (a.what.buffer == b.what.buffer && a.place && b.place && (a.what.written || b.what.written) == written)
              propose(fitOf(other, *a.place, *b.place));
    if (first.weight == 1) {
      propose(Fit{1, 0, 1, first.begin});
      propose(Fit{1, 0, 1, first.begin + m.low - first.low});
    }
    return fits;
  }
  /// So that units have the elements at `b` where those of another loop have theirs at `a`.
  static std::optional<Fit> fitOf(const Member& other, const Place& a, const Place& b) {
    if (a.slope <= 0 || b.slope <= 0) return std::nullopt;
    const std::int64_t unit = a.slope * other.weight, from = a.slope * other.begin + a.low;
    if (unit % b.slope == 0) return Fit{1, 0, unit / b.slope, -floorDiv(b.low - from, b.slope)};
    if (b.slope % unit != 0) return std::nullopt;
    // Groups begin where those of the loop do.
    const std::int64_t back = floorDiv(floorMod(from - b.low, b.slope), unit);
    return Fit{b.slope / unit, back, 1, floorDiv(from - back * unit - b.low, b.slope)};
  }
  static bool joinAs(Round& round, const Member& m, const Fit& fit) {
    if (fit.group == 1) return joinAt(round, m, fit.weight, fit.begin);
    Round grouped = round;
    for (Member& o : grouped.members) {
      o.begin -= fit.back * o.weight;
      o.weight *= fit.group;
    }
    grouped.low = floorDiv(round.low + fit.back, fit.group);
    grouped.high = floorDiv(round.high + fit.back, fit.group);
    if (grouped.high - grouped.low + 1 < fewestGroups || !joinAt(grouped, m, fit.weight, fit.begin)) return false;
    round = std::move(grouped);
    return true;
  }
  static bool joinAt(Round& round, Member m, std::int64_t weight, std::int64_t begin) {
    m.weight = weight;
    m.begin = begin;
    const std::int64_t first = m.firstUnit(), last = m.lastUnit();
    const std::int64_t low = std::min(round.low, first), high = std::max(round.high, last);
    const auto idle = [&](std::int64_t units, double work) {
      return 2 * units < high - low + 1 && littleWork * work > round.cost + m.cost;
    };
    // Tiles that are empty for a loop are no gain.
    if (idle(round.high - round.low + 1, round.cost) || idle(last - first + 1, m.cost)) return false;
    if (!std::all_of(round.members.begin(), round.members.end(), [&](const Member& o) { return apartFrom(o, m); }))
      return false;
    round.low = low;
    round.high = high;
    round.cost += m.cost;
    round.members.push_back(std::move(m));
    return true;
  }
  static bool apartFrom(const Member& one, const Member& other) {
    const std::int64_t units = std::max(one.lastUnit() - other.firstUnit(), other.lastUnit() - one.firstUnit()) + 1;
    for (const Access& a : one.accesses)
      for (const Access& b : other.accesses)
        if (a.what.buffer == b.what.buffer && (a.what.written || b.what.written) &&
            !(a.place && b.place && apart(inUnit(*a.place, one), inUnit(*b.place, other), units)))
          return false;
    return true;
  }
  /// Where a unit of a loop is, some turn of which is at `p`, by the number of the unit.
  static Place inUnit(Place p, const Member& m) {
    const std::int64_t further = p.slope * (m.weight - 1);
    p.terms.push_back({p.slope, std::min<std::int64_t>(further, 0), std::max<std::int64_t>(further, 0)});
    p.low += p.slope * m.begin + p.terms.back().low;
    p.high += p.slope * m.begin + p.terms.back().high;
    p.slope *= m.weight;
    return p;
  }

  /// Nothing that it reads or writes is touched by the loops of the round, but for what all of them only read.
  [[nodiscard]] bool mayGoBefore(const Instr& i, const Round& round) const {
    if (isPure(i.op)) return true;
    const bool reads = i.op == Op::Load;
    if (!reads && i.op != Op::Store && i.op != Op::Accum && i.op != Op::Fill) return false;
    const auto element = i.op == Op::Fill ? std::nullopt : known_.constant(i.args[0]);
    return std::all_of(round.members.begin(), round.members.end(), [&](const Member& m) {
      return std::all_of(m.accesses.begin(), m.accesses.end(), [&](const Access& a) {
        return a.what.buffer != i.buffer || (reads && !a.what.written) || (element && misses(a, m, *element));
      });
    });
  }
  static bool misses(const Access& a, const Member& m, std::int64_t element) {
    if (!a.place) return false;
    const std::int64_t first = a.place->slope * m.low, last = a.place->slope * m.high;
    return element < std::min(first, last) + a.place->low || element > std::max(first, last) + a.place->high;
  }

  /// Into how many tiles.
  bool divisible(Round& r) const {
    if (r.members.empty() || r.cost < bound_) return false;
    r.tiles = tileCount;
    while (r.tiles > 1 && (r.tiles > r.high - r.low + 1 || static_cast<double>(r.tiles) * bound_ / 2 > r.cost ||
                           r.length() < reachWorth * r.reach()))
      r.tiles /= 2;
    return r.tiles > 1;
  }

  /// Where loops over groups are in rounds, tiles of all rounds end where groups do, or at least lines of a cache: a
  /// thread then has the same numbers in each of them.
  void chooseGrains() {
    std::int64_t group = 1;
    for (const auto& [block, rounds] : all.found)
      for (const Round& r : rounds) group = std::max(group, heaviest(r));
    if (group == 1) return;
    for (auto& [block, rounds] : all.found)
      for (Round& r : rounds)
        for (const std::int64_t grain : {lineOfCache, group})
          if (const std::int64_t length = (r.high - r.low) / r.tiles + 1;
              heaviest(r) == 1 && grainWorth * (roundUp(length, grain) - length) <= length)
            r.grain = grain;
  }

  const Function& f_;
  double bound_;
  std::vector<double> costs_;
  Places known_;
};

} // namespace

Rounds roundsOf(const Module& module, std::size_t function, double bound) {
  return RoundFinder(module, function, bound).all;
}

} // namespace lmc::tape
