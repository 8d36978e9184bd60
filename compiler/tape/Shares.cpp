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
  bool sum = false; ///< by an Accum
};

/// Everything that the body of a loop does to memory; nothing if it does anything else.
std::optional<std::vector<Touched>> touchedIn(const Function& f, std::int32_t block, int* listed) {
  std::vector<Touched> all;
  for (const Instr& i : f.blocks[static_cast<std::size_t>(block)].code) {
    const bool list = i.op == Op::Loop && i.buffer >= 0;
    if (list && listed == nullptr) return std::nullopt;
    if (list) ++*listed;
    if (i.op == Op::Load || i.op == Op::Store || i.op == Op::Accum)
      all.push_back({i.buffer, i.args[0], i.op != Op::Load, i.op == Op::Accum});
    else if (!isPure(i.op) && i.op != Op::If && (i.op != Op::Loop || i.imm == independentTurns))
      return std::nullopt;
    if (i.block < 0) continue;
    const auto inner = touchedIn(f, i.block, listed);
    if (!inner) return std::nullopt;
    all.insert(all.end(), inner->begin(), inner->end());
  }
  return all;
}

/// No turn touches what another one writes.
bool independent(const std::vector<Touched>& all, const std::map<Value, Place>& places, const Places& known,
                 std::int64_t count) {
  std::map<std::int32_t, std::vector<std::pair<Value, bool>>> buffers;
  for (const Touched& t : all) {
    auto& list = buffers[t.buffer];
    if (std::find(list.begin(), list.end(), std::pair{t.index, t.written}) == list.end())
      list.emplace_back(t.index, t.written);
  }
  for (const auto& [buffer, list] : buffers)
    for (const auto& [index, written] : list) {
      if (!written) continue;
      const auto a = known.find(index, places);
      if (!a) return false;
      for (const auto& other : list)
        if (const auto b = known.find(other.first, places); !b || !apart(*a, *b, count)) return false;
    }
  return true;
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

/// Puts the loop over tiles around the loop at place k of a block; returns how many instructions the block has up to
/// that loop, which is behind its constants then.
std::size_t divide(Function& f, std::int32_t block, std::size_t k, std::int64_t low, std::int64_t high) {
  Instr whole = f.blocks[static_cast<std::size_t>(block)].code[k];
  const std::int64_t length = (high - low) / tileCount + 1;
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
  const Value last = add(before, Op::ConstInt, {}, (high - low) / length);
  Instr tiles;
  tiles.op = Op::Loop;
  tiles.type = Type::Int;
  tiles.result = f.values++;
  tiles.args = {zero, last};
  tiles.imm = independentTurns;
  tiles.block = static_cast<std::int32_t>(f.blocks.size());
  const Value skipped = add(body, Op::IMul, {tiles.result, add(body, Op::ConstInt, {}, length)});
  const Value first = add(body, Op::IAdd, {whole.args[0], skipped});
  const Value end = add(body, Op::IAdd, {first, add(body, Op::ConstInt, {}, length - 1)});
  whole.args = {first, add(body, Op::IMin, {end, whole.args[1]})};
  body.push_back(whole);
  f.blocks.emplace_back();
  f.blocks.back().code = std::move(body);
  std::vector<Instr>& code = f.blocks[static_cast<std::size_t>(block)].code;
  code[k] = tiles;
  code.insert(code.begin() + static_cast<std::ptrdiff_t>(k), before.begin(), before.end());
  return k + before.size() + 1;
}

} // namespace

void divideMembers(Module& module, double bound) {
  for (std::size_t n = 0; n < module.functions.size(); ++n) {
    Function& f = module.functions[n];
    const std::vector<double> costs = loopCosts(module, static_cast<int>(n));
    eachLoop(f, 0, [&](std::int32_t block, std::size_t k) -> std::size_t {
      const Instr& loop = f.blocks[static_cast<std::size_t>(block)].code[k];
      if (loop.imm < 0 || loop.buffer >= 0 || costs[loop.result] < bound) return 0;
      const Places known(f);
      const auto low = known.constant(loop.args[0]), high = known.constant(loop.args[1]);
      if (!low || !high || *high - *low < tileCount) return 0;
      const auto touched = touchedIn(f, loop.block, nullptr);
      if (!touched || !someIsWritten(*touched)) return 0;
      if (!independent(*touched, known.in(loop, {loop.result}), known, *high - *low + 1)) return 0;
      return divide(f, block, k, *low, *high);
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
  const auto touched = touchedIn(f, loop.block, &listed);
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
  if (!sum || sums.counters.empty() || !independent(*touched, places, known, to - from + 1)) return std::nullopt;
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
