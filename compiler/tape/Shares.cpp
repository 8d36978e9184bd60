#include "tape/Shares.h"

#include "tape/Rounds.h"
#include "tape/TapeCost.h"
#include "tape/Tiles.h"
#include "tape/Writer.h"

#include <algorithm>
#include <functional>

namespace lmc::tape {

namespace {

/// Visits loops that are not inside of others that `take` took.
void eachLoop(Function& f, std::int32_t block, const std::function<bool(Instr&)>& take) {
  for (Instr& i : f.blocks[static_cast<std::size_t>(block)].code) {
    if (i.block < 0 || (i.op == Op::Loop && (i.imm == independentTurns || i.imm == ownedTurns || take(i)))) continue;
    eachLoop(f, i.block, take);
  }
}

/// Puts a loop over tiles in the place of the loops of a round.
class Dividing {
public:
  Dividing(Function& f, std::int32_t block, const Round& round) : f_(f), block_(block), r_(round) {}

  void run() {
    const Value zero = outside_.integer(0);
    Instr tiles = outside_.loop(zero, outside_.integer(r_.tilesMade() - 1), independentTurns);
    const std::int32_t ofTile = tiles.block;
    if (r_.reach() > 0)
      tiles = twice(zero, tiles);
    else
      for (const Member& m : r_.members) {
        const auto [begin, end] = turnsOf(m, tiles.result, r_.length() * m.weight);
        push(m, firstOf(m) < m.low ? inTile_.integer(Op::IMax, begin, loopOf(m).args[0]) : begin, end);
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
  /// The first turn of a member in the first tile, and the first and last of `most` turns in a tile.
  [[nodiscard]] std::int64_t firstOf(const Member& m) const { return m.begin + m.weight * r_.low; }
  std::pair<Value, Value> turnsOf(const Member& m, Value tile, std::int64_t most) {
    const Value skipped = inTile_.integer(Op::IMul, tile, inTile_.integer(r_.length() * m.weight));
    const Value begin = inTile_.integer(Op::IAdd, inTile_.integer(firstOf(m)), skipped);
    return {begin, inTile_.integer(Op::IAdd, begin, inTile_.integer(most - 1))};
  }
  /// The turns of a member from `begin` to `end`, no further than its last one.
  void push(const Member& m, Value begin, Value end) {
    Instr whole = loopOf(m);
    whole.args = {begin, inTile_.integer(Op::IMin, end, whole.args[1])};
    body_.push_back(whole);
  }
  /// Without the last turns of the tiles, and then with these alone, which are far from each other.
  Instr twice(Value zero, const Instr& tiles) {
    const Member& m = r_.members.front();
    const std::int64_t most = r_.length() - r_.reach();
    Instr both = outside_.loop(zero, outside_.integer(1), 1);
    const auto skip = [&](Value from, std::int64_t turns) {
      return inTile_.integer(Op::IAdd, from, inTile_.integer(Op::IMul, both.result, inTile_.integer(turns)));
    };
    const auto [begin, end] = turnsOf(m, tiles.result, most);
    push(m, skip(begin, most), skip(end, r_.reach()));
    f_.blocks[static_cast<std::size_t>(both.block)].code = {tiles};
    return both;
  }

  Function& f_;
  std::int32_t block_;
  const Round& r_;
  std::vector<Instr> before_, body_;
  Writer outside_{f_, before_}, inTile_{f_, body_};
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
  const auto countOf = [&](std::size_t n) {
    double rounds = 0;
    for (const auto& [block, list] : found[n]) rounds += static_cast<double>(list.size());
    return rounds;
  };
  const std::vector<double> shared = partsTogether([&](std::size_t n) {
    if (costs[n] < memberLoops * bound) return 0.0;
    Rounds rounds = tape::roundsOf(module, n, bound);
    found[n] = std::move(rounds.found);
    return rounds.cost;
  });
  const std::vector<double> rounds = partsTogether(countOf);
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
  OwnedSums sums;
  for (const Instr& i : f.blocks[static_cast<std::size_t>(loop.block)].code)
    if (i.op == Op::Loop && i.buffer >= 0) sums.inner = &i;
  if (sums.inner == nullptr) return std::nullopt;
  const Places known(f);
  const auto low = known.constant(loop.args[0]), high = known.constant(loop.args[1]);
  int listed = 0;
  const auto touched = touchedIn(f, loop.block, &listed, May::Nothing);
  if (!low || !high || *high < *low || listed != 1 || !touched) return std::nullopt;
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