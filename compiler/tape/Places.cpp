#include "tape/Places.h"

#include "base/Integers.h"

#include <algorithm>

namespace lmc::tape {

Places::Places(const Function& function) : function_(function) {
  for (const Block& b : function.blocks)
    for (const Instr& i : b.code)
      if (i.op == Op::ConstInt) constants_[i.result] = i.imm;
}

std::optional<std::int64_t> Places::constant(Value v) const {
  const auto it = constants_.find(v);
  return it == constants_.end() ? std::nullopt : std::optional(it->second);
}

std::map<Value, Place> Places::in(const Instr& loop, const std::vector<Value>& counters) const {
  std::map<Value, Place> out;
  for (std::size_t k = 0; k < counters.size(); ++k) out[counters[k]] = {static_cast<int>(k), 1, 0, 0};
  scan(loop.block, counters, out);
  return out;
}

std::optional<Place> Places::find(Value v, const std::map<Value, Place>& known) const {
  if (const auto c = constant(v)) return Place{Place::noCounter, 0, *c, *c};
  const auto it = known.find(v);
  return it == known.end() ? std::nullopt : std::optional(it->second);
}

std::optional<Place> Places::combine(const Instr& i, const std::map<Value, Place>& known) const {
  const std::optional<Place> a = find(i.args[0], known), b = find(i.args[1], known);
  if (!a || !b) return std::nullopt;
  if (i.op == Op::IMul) {
    const Place& factor = a->counter == Place::noCounter && a->low == a->high ? *a : *b;
    const Place& other = &factor == &*a ? *b : *a;
    if (factor.counter != Place::noCounter || factor.low != factor.high) return std::nullopt;
    const std::int64_t f = factor.low;
    return Place{f == 0 ? Place::noCounter : other.counter, f * other.slope, std::min(f * other.low, f * other.high),
                 std::max(f * other.low, f * other.high)};
  }
  const bool minus = i.op == Op::ISub;
  if (a->counter >= 0 && b->counter >= 0 && a->counter != b->counter) return std::nullopt;
  Place sum{std::max(a->counter, b->counter), minus ? a->slope - b->slope : a->slope + b->slope,
            minus ? a->low - b->high : a->low + b->low, minus ? a->high - b->low : a->high + b->high};
  if (sum.slope == 0) sum.counter = Place::noCounter;
  return sum;
}

void Places::scan(std::int32_t block, const std::vector<Value>& counters, std::map<Value, Place>& out) const {
  for (const Instr& i : function_.blocks[static_cast<std::size_t>(block)].code) {
    if (i.op == Op::IAdd || i.op == Op::ISub || i.op == Op::IMul) {
      if (const auto place = combine(i, out)) out[i.result] = *place;
    } else if (i.op == Op::Loop && std::find(counters.begin(), counters.end(), i.result) == counters.end()) {
      const auto low = constant(i.args[0]), high = constant(i.args[1]);
      if (low && high) out[i.result] = {Place::noCounter, 0, *low, std::max(*low, *high)};
    }
    if (i.block >= 0) scan(i.block, counters, out);
  }
}

bool apart(const Place& a, const Place& b, std::int64_t count) {
  if (a.slope != b.slope || a.slope == 0) return false;
  // slope·m lies between these for two values of the counter whose difference is m
  const std::int64_t size = a.slope < 0 ? -a.slope : a.slope;
  const std::int64_t least = a.low - b.high, most = a.high - b.low;
  const std::int64_t from = std::max(-floorDiv(-least, size), 1 - count),
                     to = std::min(floorDiv(most, size), count - 1);
  return from > to || (from == 0 && to == 0);
}

} // namespace lmc::tape
