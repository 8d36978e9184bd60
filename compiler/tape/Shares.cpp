#include "tape/Shares.h"

#include "tape/TapeCost.h"
#include "tape/TapeOps.h"
#include "tape/Tiles.h"

#include <algorithm>
#include <functional>
#include <set>

namespace lmc::tape {

namespace {

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

/// Everything that the body of a loop does to memory; nothing if it does anything else.
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

/// Turns whose numbers differ by more than this do not touch what the other one writes; by less, both may add to one
/// element in any order, and no more. 0: no turn touches what another one writes. Nothing if neither is known.
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

bool someIsWritten(const std::vector<Touched>& all) {
  return std::any_of(all.begin(), all.end(), [](const Touched& t) { return t.written; });
}

/// Visits loops that are not inside of others that `take` took.
void eachLoop(Function& f, std::int32_t block, const std::function<bool(Instr&)>& take) {
  for (Instr& i : f.blocks[static_cast<std::size_t>(block)].code) {
    if (i.block < 0 || (i.op == Op::Loop && (i.imm == independentTurns || i.imm == ownedTurns || take(i)))) continue;
    eachLoop(f, i.block, take);
  }
}

/// An element that a turn touches, by the number of the turn in its round.
struct Access {
  Touched what;
  std::optional<Place> place; ///< nothing: not known
};

/// A loop over members, all turns of which may be made at the same time.
struct Member {
  std::size_t at = 0;             ///< its place in its block
  std::int64_t low = 0, high = 0; ///< of its counter
  std::int64_t shift = 0;         ///< the counter of turn k of the round is k + shift
  std::int64_t reach = 0;         ///< reachOf
  bool fails = false;             ///< a turn may fail
  double cost = 0;
  std::vector<Access> accesses;
};

/// Loops that are divided together: of each of them a tile has the same turns.
struct Round {
  std::vector<Member> members;
  std::vector<std::size_t> before; ///< what stands between them, and can be done before all of them
  std::int64_t low = 0, high = 0;  ///< the turns of all of them
  double cost = 0;
  std::int64_t tiles = 0;
  [[nodiscard]] std::int64_t reach() const { return members.front().reach; }
  [[nodiscard]] std::int64_t length() const { return (high - low) / tiles + 1; }
};

/// Of the turns of a tile, a part of this may wait for those of others.
constexpr std::int64_t reachWorth = 8;

/// Finds the rounds of a function.
class Rounds {
public:
  Rounds(const Module& module, std::size_t function, double bound)
      : f_(module.functions[function]), bound_(bound), costs_(loopCosts(module, static_cast<int>(function))),
        known_(f_) {
    inBlock(0);
  }
  std::map<std::int32_t, std::vector<Round>> found; ///< by block, in order
  double cost = 0;                                  ///< of all of them

private:
  void inBlock(std::int32_t block) {
    const std::vector<Instr>& code = f_.blocks[static_cast<std::size_t>(block)].code;
    Round round;
    std::set<std::size_t> taken;
    const auto close = [&] {
      if (divisible(round)) {
        cost += round.cost;
        for (const Member& m : round.members) taken.insert(m.at);
        while (!round.before.empty() && round.before.back() > round.members.back().at) round.before.pop_back();
        found[block].push_back(std::move(round));
      }
      round = {};
    };
    for (std::size_t k = 0; k < code.size(); ++k) {
      if (std::optional<Member> member = memberOf(code[k], k)) {
        if (round.members.empty() || !join(round, *member)) {
          close();
          round = {{*member}, {}, member->low, member->high, member->cost};
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
    Member m{at, *low, *high, 0, *far, !touchedIn(f_, i.block, nullptr, May::Nothing), costs_[i.result], {}};
    for (const Touched& t : *touched) {
      const auto same = [&](const Access& a) {
        return a.what.buffer == t.buffer && a.what.index == t.index && a.what.written == t.written;
      };
      if (std::none_of(m.accesses.begin(), m.accesses.end(), same))
        m.accesses.push_back({t, known_.find(t.index, places)});
    }
    return m;
  }

  /// Turns of the loop touch nothing that other turns of the round write, and write nothing that those touch.
  bool join(Round& round, Member m) const {
    const Member& first = round.members.front();
    if (round.reach() != 0 || m.reach != 0) return false;
    if (m.fails && std::any_of(round.members.begin(), round.members.end(), [](const Member& o) { return o.fails; }))
      return false; // which failure is told would depend on the tiles
    for (const std::int64_t shift : {std::int64_t{0}, m.low - first.low}) {
      // Tiles that are empty for a loop are no gain.
      const std::int64_t low = std::min(round.low, m.low - shift), high = std::max(round.high, m.high - shift);
      if (2 * (round.high - round.low) < high - low || 2 * (m.high - m.low) < high - low) continue;
      Member shifted = m;
      shifted.shift = shift;
      for (Access& a : shifted.accesses)
        if (a.place) {
          a.place->low += a.place->slope * shift;
          a.place->high += a.place->slope * shift;
        }
      if (!std::all_of(round.members.begin(), round.members.end(),
                       [&](const Member& o) { return apartFrom(o, shifted, high - low + 1); }))
        continue;
      round.low = low;
      round.high = high;
      round.cost += m.cost;
      round.members.push_back(std::move(shifted));
      return true;
    }
    return false;
  }
  static bool apartFrom(const Member& one, const Member& other, std::int64_t count) {
    for (const Access& a : one.accesses)
      for (const Access& b : other.accesses)
        if (a.what.buffer == b.what.buffer && (a.what.written || b.what.written) &&
            !(a.place && b.place && reach(*a.place, *b.place, count) == 0))
          return false;
    return true;
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
    const std::int64_t first = a.place->slope * (m.low - m.shift), last = a.place->slope * (m.high - m.shift);
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

  const Function& f_;
  double bound_;
  std::vector<double> costs_;
  Places known_;
};

/// Puts a loop over tiles in the place of the loops of a round.
class Dividing {
public:
  Dividing(Function& f, std::int32_t block, const Round& round) : f_(f), block_(block), r_(round) {}

  void run() {
    const Value zero = integer(before_, 0);
    Instr tiles = loopUpTo(zero, integer(before_, (r_.high - r_.low) / r_.length()), independentTurns);
    const std::int32_t ofTile = tiles.block;
    const Value skipped = op(body_, Op::IMul, tiles.result, integer(body_, r_.length()));
    if (r_.reach() > 0) {
      tiles = twice(zero, tiles, skipped);
    } else {
      for (const Member& m : r_.members) {
        const Value begin = op(body_, Op::IAdd, integer(body_, r_.low + m.shift), skipped);
        const Value end = op(body_, Op::IAdd, begin, integer(body_, r_.length() - 1));
        push(m, r_.low + m.shift < m.low ? op(body_, Op::IMax, begin, loopOf(m).args[0]) : begin, end);
      }
    }
    f_.blocks[static_cast<std::size_t>(ofTile)].code = std::move(body_);
    std::vector<Instr>& all = code();
    std::vector<Instr> now;
    const std::size_t first = r_.members.front().at, last = r_.members.back().at;
    now.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(first));
    for (const std::size_t k : r_.before) now.push_back(all[k]);
    now.insert(now.end(), before_.begin(), before_.end());
    now.push_back(tiles);
    now.insert(now.end(), all.begin() + static_cast<std::ptrdiff_t>(last) + 1, all.end());
    all = std::move(now);
  }

private:
  std::vector<Instr>& code() { return f_.blocks[static_cast<std::size_t>(block_)].code; }
  [[nodiscard]] const Instr& loopOf(const Member& m) { return code()[m.at]; }
  Value add(std::vector<Instr>& to, Op op, std::vector<Value> args, std::int64_t imm = 0) {
    Instr i;
    i.op = op;
    i.type = Type::Int;
    i.result = f_.values++;
    i.imm = imm;
    i.args = std::move(args);
    to.push_back(i);
    return i.result;
  }
  Value integer(std::vector<Instr>& to, std::int64_t x) { return add(to, Op::ConstInt, {}, x); }
  Value op(std::vector<Instr>& to, Op what, Value a, Value b) { return add(to, what, {a, b}); }
  Instr loopUpTo(Value low, Value high, std::int64_t direction) {
    Instr i;
    i.op = Op::Loop;
    i.type = Type::Int;
    i.result = f_.values++;
    i.args = {low, high};
    i.imm = direction;
    i.block = static_cast<std::int32_t>(f_.blocks.size());
    f_.blocks.emplace_back();
    return i;
  }
  /// The turns of a member from `begin` to `end`, no further than its last one.
  void push(const Member& m, Value begin, Value end) {
    Instr whole = loopOf(m);
    whole.args = {begin, op(body_, Op::IMin, end, whole.args[1])};
    body_.push_back(whole);
  }
  /// Without the last turns of the tiles, and then with these alone, which are far from each other.
  Instr twice(Value zero, const Instr& tiles, Value skipped) {
    const Member& m = r_.members.front();
    const std::int64_t most = r_.length() - r_.reach();
    const Instr both = loopUpTo(zero, integer(before_, 1), 1);
    const auto skip = [&](Value from, std::int64_t turns) {
      return op(body_, Op::IAdd, from, op(body_, Op::IMul, both.result, integer(body_, turns)));
    };
    const Value begin = op(body_, Op::IAdd, integer(body_, r_.low), skipped);
    const Value end = op(body_, Op::IAdd, begin, integer(body_, most - 1));
    push(m, skip(begin, most), skip(end, r_.reach()));
    f_.blocks[static_cast<std::size_t>(both.block)].code = {tiles};
    return both;
  }

  Function& f_;
  std::int32_t block_;
  const Round& r_;
  std::vector<Instr> before_, body_;
};

} // namespace

bool sharesLoops(const Function& f) {
  return std::any_of(f.blocks.begin(), f.blocks.end(), [](const Block& b) {
    return std::any_of(b.code.begin(), b.code.end(), [](const Instr& i) {
      return i.op == Op::Loop && (i.imm == independentTurns || i.imm == ownedTurns);
    });
  });
}

void divideMembers(Module& module, double bound) {
  const auto partsTogether = [&](const std::function<double(std::size_t)>& costOf) {
    std::vector<double> all;
    double parts = 0; // what a step that was split (Split.h) has in all of its parts
    for (std::size_t n = 0; n < module.functions.size(); ++n) {
      all.push_back(costOf(n));
      if (module.functions[n].part) parts += all[n];
    }
    for (std::size_t n = 0; n < module.functions.size(); ++n)
      if (module.functions[n].part) all[n] = parts;
    return all;
  };
  // Small functions are not looked at.
  const std::vector<double> costs =
      partsTogether([&](std::size_t n) { return tape::cost(module, static_cast<int>(n)); });
  std::vector<std::map<std::int32_t, std::vector<Round>>> found(module.functions.size());
  const auto roundsOf = [&](std::size_t n) {
    double rounds = 0;
    for (const auto& [block, list] : found[n]) rounds += static_cast<double>(list.size());
    return rounds;
  };
  const std::vector<double> shared = partsTogether([&](std::size_t n) {
    if (costs[n] < memberLoops * bound) return 0.0;
    Rounds rounds(module, n, bound);
    found[n] = std::move(rounds.found);
    return rounds.cost;
  });
  const std::vector<double> rounds = partsTogether(roundsOf);
  for (std::size_t n = 0; n < module.functions.size(); ++n) {
    if (shared[n] < memberLoops * bound) continue;
    if (shared[n] < memberRound * bound * rounds[n] && !sharesLoops(module.functions[n])) continue;
    for (auto& [block, list] : found[n])
      for (auto round = list.rbegin(); round != list.rend(); ++round)
        Dividing(module.functions[n], block, *round).run();
  }
}

std::optional<OwnedSums> ownedSums(const Function& f, const Instr& loop) {
  if (loop.op != Op::Loop || loop.imm < 0 || loop.imm == independentTurns || loop.buffer >= 0) return std::nullopt;
  const Places known(f);
  const auto low = known.constant(loop.args[0]), high = known.constant(loop.args[1]);
  OwnedSums sums;
  for (const Instr& i : f.blocks[static_cast<std::size_t>(loop.block)].code)
    if (i.op == Op::Loop && i.buffer >= 0) sums.inner = &i;
  int listed = 0;
  const auto touched = touchedIn(f, loop.block, &listed, May::Nothing);
  if (!low || !high || *high < *low || sums.inner == nullptr || listed != 1 || !touched) return std::nullopt;
  const std::map<Value, Place> places = known.in(loop, {loop.result, sums.inner->result});
  // The values of the inner index, which may begin or end with the outer one.
  const auto boundOf = [&](Value v) -> std::optional<Place> {
    const auto place = known.find(v, places);
    return place && place->counter <= 0 ? place : std::nullopt;
  };
  const auto first = boundOf(sums.inner->args[0]), last = boundOf(sums.inner->args[1]);
  if (!first || !last) return std::nullopt;
  sums.outerLow = *low;
  sums.outerHigh = *high;
  sums.innerLow = first->low + std::min(first->slope * *low, first->slope * *high);
  sums.innerHigh = last->high + std::max(last->slope * *low, last->slope * *high);
  const std::int64_t from = sums.low = std::min(sums.outerLow, sums.innerLow);
  const std::int64_t to = sums.high = std::max(sums.outerHigh, sums.innerHigh);
  for (const Touched& t : *touched) {
    const auto it = places.find(t.index);
    if (t.written && (!t.sum || it == places.end() || it->second.counter == Place::noCounter)) return std::nullopt;
    if (t.written) sums.counters[t.index] = it->second.counter;
  }
  const bool sum = std::all_of(touched->begin(), touched->end(), [&](const Touched& t) {
    return t.written || std::none_of(touched->begin(), touched->end(),
                                     [&](const Touched& w) { return w.written && w.buffer == t.buffer; });
  });
  if (!sum || sums.counters.empty() || reachOf(*touched, places, known, to - from + 1) != 0) return std::nullopt;
  return sums;
}

void markOwned(Module& module, double bound) {
  for (std::size_t n = 0; n < module.functions.size(); ++n) {
    Function& f = module.functions[n];
    const std::vector<double> costs = loopCosts(module, static_cast<int>(n));
    eachLoop(f, 0, [&](Instr& loop) {
      if (costs[loop.result] < bound || !ownedSums(f, loop)) return false;
      loop.imm = ownedTurns;
      return true;
    });
  }
}

} // namespace lmc::tape
