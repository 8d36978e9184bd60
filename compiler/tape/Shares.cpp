#include "tape/Shares.h"

#include "tape/TapeCost.h"
#include "tape/TapeOps.h"
#include "tape/Tiles.h"

#include <algorithm>
#include <functional>

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
void eachLoop(Function& f, std::int32_t block, const std::function<std::size_t(std::int32_t, std::size_t)>& take) {
  for (std::size_t k = 0; k < f.blocks[static_cast<std::size_t>(block)].code.size(); ++k) {
    const Instr& i = f.blocks[static_cast<std::size_t>(block)].code[k];
    if (i.block < 0) continue;
    const std::int32_t inner = i.block;
    if (i.op == Op::Loop) {
      if (i.imm == independentTurns || i.imm == ownedTurns) continue;
      if (const std::size_t last = take(block, k); last != 0) {
        k = last - 1;
        continue;
      }
    }
    eachLoop(f, inner, take);
  }
}

/// A loop that can be divided.
struct Division {
  std::int64_t low = 0, high = 0; ///< of its counter
  std::int64_t tiles = 0;
  std::int64_t reach = 0; ///< reachOf
  [[nodiscard]] std::int64_t length() const { return (high - low) / tiles + 1; }
};

/// Of the turns of a tile, a part of this may wait for those of others.
constexpr std::int64_t reachWorth = 8;

std::optional<Division> divisionOf(const Function& f, const Instr& loop, const Places& known, double cost,
                                   double bound) {
  if (loop.imm < 0 || loop.buffer >= 0 || cost < bound) return std::nullopt;
  const auto low = known.constant(loop.args[0]), high = known.constant(loop.args[1]);
  if (!low || !high || *high <= *low) return std::nullopt;
  const auto touched = touchedIn(f, loop.block, nullptr, May::Fail);
  if (!touched || !someIsWritten(*touched)) return std::nullopt;
  const auto far = reachOf(*touched, known.in(loop, {loop.result}), known, *high - *low + 1);
  if (!far) return std::nullopt;
  Division d{*low, *high, tileCount, *far};
  while (d.tiles > 1 && (d.tiles > *high - *low + 1 || static_cast<double>(d.tiles) * bound / 2 > cost ||
                         d.length() < reachWorth * d.reach))
    d.tiles /= 2;
  return d.tiles > 1 ? std::optional(d) : std::nullopt;
}

/// Puts the loop over tiles around the loop at place k of a block; returns how many instructions the block has up to
/// that loop, which is behind its constants then.
std::size_t divide(Function& f, std::int32_t block, std::size_t k, const Division& d) {
  Instr whole = f.blocks[static_cast<std::size_t>(block)].code[k];
  const std::int64_t length = d.length();
  std::vector<Instr> before, body;
  const auto add = [&](std::vector<Instr>& to, Op op, std::vector<Value> args, std::int64_t imm = 0) {
    Instr i;
    i.op = op;
    i.type = Type::Int;
    i.result = f.values++;
    i.imm = imm;
    i.args = std::move(args);
    to.push_back(i);
    return i.result;
  };
  const Value zero = add(before, Op::ConstInt, {}, 0);
  const Value last = add(before, Op::ConstInt, {}, (d.high - d.low) / length);
  const auto loopUpTo = [&](Value end, std::int64_t direction) {
    Instr i;
    i.op = Op::Loop;
    i.type = Type::Int;
    i.result = f.values++;
    i.args = {zero, end};
    i.imm = direction;
    i.block = static_cast<std::int32_t>(f.blocks.size());
    f.blocks.emplace_back();
    return i;
  };
  Instr tiles = loopUpTo(last, independentTurns);
  const Value skipped = add(body, Op::IMul, {tiles.result, add(body, Op::ConstInt, {}, length)});
  Value first = add(body, Op::IAdd, {whole.args[0], skipped});
  Value end = add(body, Op::IAdd, {first, add(body, Op::ConstInt, {}, length - d.reach - 1)});
  const std::int32_t ofTile = tiles.block;
  if (d.reach > 0) {
    // twice: without the last turns of the tiles, and with these alone, which are far from each other
    const Instr twice = loopUpTo(add(before, Op::ConstInt, {}, 1), 1);
    const auto skip = [&](Value from, std::int64_t turns) {
      return add(body, Op::IAdd, {from, add(body, Op::IMul, {twice.result, add(body, Op::ConstInt, {}, turns)})});
    };
    first = skip(first, length - d.reach);
    end = skip(end, d.reach);
    f.blocks[static_cast<std::size_t>(twice.block)].code = {tiles};
    tiles = twice;
  }
  whole.args = {first, add(body, Op::IMin, {end, whole.args[1]})};
  body.push_back(whole);
  f.blocks[static_cast<std::size_t>(ofTile)].code = std::move(body);
  std::vector<Instr>& code = f.blocks[static_cast<std::size_t>(block)].code;
  code[k] = tiles;
  code.insert(code.begin() + static_cast<std::ptrdiff_t>(k), before.begin(), before.end());
  return k + before.size() + 1;
}

} // namespace

void divideMembers(Module& module, double bound) {
  std::vector<std::map<Value, Division>> found(module.functions.size());
  double ofParts = 0; // what a step that was split (Split.h) has in all of its parts
  std::vector<double> all(module.functions.size(), 0.0);
  for (std::size_t n = 0; n < module.functions.size(); ++n) {
    Function& f = module.functions[n];
    const std::vector<double> costs = loopCosts(module, static_cast<int>(n));
    const Places known(f);
    eachLoop(f, 0, [&](std::int32_t block, std::size_t k) -> std::size_t {
      const Instr& loop = f.blocks[static_cast<std::size_t>(block)].code[k];
      const auto division = divisionOf(f, loop, known, costs[loop.result], bound);
      if (!division) return 0;
      found[n][loop.result] = *division;
      (f.part ? ofParts : all[n]) += costs[loop.result];
      return k + 1;
    });
  }
  for (std::size_t n = 0; n < module.functions.size(); ++n) {
    Function& f = module.functions[n];
    if ((f.part ? ofParts : all[n]) < memberLoops * bound) continue;
    eachLoop(f, 0, [&](std::int32_t block, std::size_t k) -> std::size_t {
      const auto it = found[n].find(f.blocks[static_cast<std::size_t>(block)].code[k].result);
      return it == found[n].end() ? 0 : divide(f, block, k, it->second);
    });
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
  const std::int64_t from = std::min({*low, first->slope * *low + first->low, first->slope * *high + first->low});
  const std::int64_t to = std::max({*high, last->slope * *low + last->high, last->slope * *high + last->high});
  sums.low = from;
  sums.high = to;
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
    eachLoop(f, 0, [&](std::int32_t block, std::size_t k) -> std::size_t {
      Instr& loop = f.blocks[static_cast<std::size_t>(block)].code[k];
      if (costs[loop.result] < bound || !ownedSums(f, loop)) return 0;
      loop.imm = ownedTurns;
      return k + 1;
    });
  }
}

} // namespace lmc::tape
