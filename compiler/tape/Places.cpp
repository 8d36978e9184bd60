#include "tape/Places.h"

#include "base/Integers.h"

#include <algorithm>
#include <cstdlib>

namespace lmc::tape {

Places::Places(const Function& function) : function_(function) {
  for (const Block& b : function.blocks)
    for (const Instr& i : b.code)
      if (i.op == Op::ConstInt)
        constants_[i.result] = i.imm;
      else if (i.op == Op::IMin || i.op == Op::IMax)
        extremes_[i.result] = &i;
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

namespace {

Place times(const Place& a, std::int64_t f) {
  Place product{f == 0 ? Place::noCounter : a.counter, f * a.slope, std::min(f * a.low, f * a.high),
                std::max(f * a.low, f * a.high)};
  for (const Place::Term& t : a.terms)
    if (f != 0)
      product.terms.push_back({f * t.stride, std::min(f * t.low, f * t.high), std::max(f * t.low, f * t.high)});
  return product;
}

/// What is left of a place without the multiples of a number.
Place without(Place a, std::int64_t multiple) {
  for (const Place::Term& t : a.terms)
    if (t.stride % multiple == 0) {
      a.low -= t.low;
      a.high -= t.high;
    }
  return a;
}

/// By the intervals alone.
std::int64_t plainReach(const Place& a, const Place& b, std::int64_t count) {
  // slope·m lies between these for two values of the counter whose difference is m
  const std::int64_t size = a.slope < 0 ? -a.slope : a.slope;
  const std::int64_t least = a.low - b.high, most = a.high - b.low;
  const std::int64_t from = std::max(-floorDiv(-least, size), 1 - count),
                     to = std::min(floorDiv(most, size), count - 1);
  return from > to ? 0 : std::max(from < 0 ? -from : from, to < 0 ? -to : to);
}

} // namespace

std::optional<Place> Places::combine(const Instr& i, const std::map<Value, Place>& known) const {
  const std::optional<Place> a = find(i.args[0], known), b = find(i.args[1], known);
  if (!a || !b) return std::nullopt;
  if (i.op == Op::IMul) {
    const Place& factor = a->counter == Place::noCounter && a->low == a->high ? *a : *b;
    const Place& other = &factor == &*a ? *b : *a;
    if (factor.counter != Place::noCounter || factor.low != factor.high) return std::nullopt;
    return times(other, factor.low);
  }
  const bool minus = i.op == Op::ISub;
  if (a->counter >= 0 && b->counter >= 0 && a->counter != b->counter) return std::nullopt;
  const Place other = minus ? times(*b, -1) : *b;
  Place sum{std::max(a->counter, b->counter), a->slope + other.slope, a->low + other.low, a->high + other.high,
            a->terms};
  sum.terms.insert(sum.terms.end(), other.terms.begin(), other.terms.end());
  if (sum.slope == 0) sum.counter = Place::noCounter;
  return sum;
}

/// A place that the integer is not below (IMax) or not above (IMin).
std::optional<Place> Places::bound(Value v, Op smaller, const std::map<Value, Place>& known) const {
  if (auto place = find(v, known)) return place;
  const auto it = extremes_.find(v);
  if (it == extremes_.end() || it->second->op != smaller) return std::nullopt;
  const auto first = bound(it->second->args[0], smaller, known);
  return first && first->counter != Place::noCounter ? first : bound(it->second->args[1], smaller, known);
}

void Places::scan(std::int32_t block, const std::vector<Value>& counters, std::map<Value, Place>& out) const {
  for (const Instr& i : function_.blocks[static_cast<std::size_t>(block)].code) {
    if (i.op == Op::IAdd || i.op == Op::ISub || i.op == Op::IMul) {
      if (const auto place = combine(i, out)) out[i.result] = *place;
    } else if (i.op == Op::Loop && std::find(counters.begin(), counters.end(), i.result) == counters.end()) {
      const auto first = bound(i.args[0], Op::IMax, out), last = bound(i.args[1], Op::IMin, out);
      if (first && last && first->counter == last->counter && first->slope == last->slope) {
        const std::int64_t low = first->low, high = std::max(low, last->high);
        out[i.result] = {first->counter, first->slope, low, high, {{1, low, high}}};
      }
    }
    if (i.block >= 0) scan(i.block, counters, out);
  }
}

bool Places::turnsStandApart(const Instr& loop, const std::function<bool(const Instr&)>& elsewhere) const {
  const std::map<Value, Place> known = in(loop, {loop.result});
  const std::optional<std::int64_t> first = constant(loop.args[0]), last = constant(loop.args[1]);
  struct Touched {
    std::int64_t slope = 0;
    /// Of what stands beside the multiple of the counter: the rest and how many steps it is, and whether it is written.
    std::map<std::pair<std::int64_t, std::int64_t>, bool> written;
    bool any = false, unknown = false;
  };
  std::map<std::int32_t, Touched> buffers;
  for (const Instr& i : function_.blocks[static_cast<std::size_t>(loop.block)].code) {
    if (i.block >= 0 || i.op == Op::Call || i.op == Op::Kernel || i.op == Op::Fill) return false;
    if (i.op != Op::Load && i.op != Op::Store && i.op != Op::Accum) continue;
    if (elsewhere(i)) continue;
    const std::optional<Place> place = find(i.args[0], known);
    Touched& t = buffers[i.buffer];
    t.any = t.any || i.op != Op::Load;
    t.slope = t.slope == 0 && place ? place->slope : t.slope;
    if (!place || place->low != place->high || t.slope == 0 || place->slope != t.slope) {
      t.unknown = true;
      continue;
    }
    const std::int64_t step = std::abs(t.slope), whole = floorDiv(place->low, step);
    bool& written = t.written[{place->low - whole * step, whole}];
    written = written || i.op != Op::Load;
  }
  // Of elements with one rest the nearest ones decide.
  const auto meet = [&](const auto& a, const auto& b) {
    return a.first.first == b.first.first && (a.second || b.second) &&
           !(first && last && b.first.second - a.first.second > *last - *first);
  };
  return std::all_of(buffers.begin(), buffers.end(), [&](const auto& entry) {
    const Touched& t = entry.second;
    return !t.any || (!t.unknown && std::adjacent_find(t.written.begin(), t.written.end(), meet) == t.written.end());
  });
}

std::optional<std::int64_t> reach(const Place& a, const Place& b, std::int64_t count) {
  if (a.slope != b.slope || a.slope == 0) return std::nullopt;
  std::int64_t least = plainReach(a, b, count);
  // Places whose difference is a multiple of a stride, but less than it, are the same.
  for (const Place* p : {&a, &b})
    for (const Place::Term& t : p->terms) {
      const std::int64_t stride = t.stride < 0 ? -t.stride : t.stride;
      if (least == 0 || stride < 2) continue;
      const Place x = without(a, stride);
      Place y = without(b, stride);
      const std::int64_t whole = floorDiv(y.low - x.low + stride / 2, stride) * stride;
      y.low -= whole;
      y.high -= whole;
      const std::int64_t all =
          (a.slope < 0 ? -a.slope : a.slope) * (count - 1) + std::max(x.high, y.high) - std::min(x.low, y.low);
      if (all < stride) least = std::min(least, plainReach(x, y, count));
    }
  return least;
}

bool apart(const Place& a, const Place& b, std::int64_t count) {
  return reach(a, b, count) == 0;
}

} // namespace lmc::tape
