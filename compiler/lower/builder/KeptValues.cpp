#include "lower/builder/KeptValues.h"

#include "base/Integers.h"
#include "tape/Places.h"
#include "tape/TapeOps.h"
#include "tape/Writer.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace lmc::lower {

namespace {

using tape::Instr;
using tape::Op;
using tape::Type;
using tape::Value;

/// A value that takes fewer operations is made again: a store and a load cost as much.
constexpr int worthKeeping = 5;
/// Operations that a slow one (tape::OpInfo) counts for.
constexpr int slowOperation = 8;

/// Equal in two loops: equal values in turns of equal number.
using Number = int;

/// The numbers that a counter runs through.
struct Range {
  std::int64_t low = 0, high = 0;
  bool descending = false;
  [[nodiscard]] std::int64_t count() const { return high - low + 1; }
  friend auto operator<=>(const Range&, const Range&) = default;
};

/// slope · counter + offset: a place (tape/Places.h) of which all is known.
struct Affine {
  std::int64_t slope = 0, offset = 0;
  static Affine least() { return {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::min()}; }
  friend auto operator<=>(const Affine&, const Affine&) = default; // NOLINT(modernize-use-nullptr): no pointer
};

/// Where the turns of a loop store into a buffer.
class StoredAt {
public:
  /// A place, for `count` values of the counter that follow each other.
  void add(const Affine& a, std::int64_t count) {
    apart_ = apart_ && a.slope != 0 && (places_.empty() || a.slope == slope_);
    if (!apart_) return;
    slope_ = a.slope;
    const std::int64_t size = std::abs(a.slope), remainder = floorMod(a.offset, size);
    const auto [at, isNew] = places_.insert({remainder, a.offset});
    if (!isNew) return;
    const auto meets = [&](const std::pair<std::int64_t, std::int64_t>& other) {
      return other.first == remainder && std::abs(other.second - a.offset) / size < count;
    };
    apart_ =
        (at == places_.begin() || !meets(*std::prev(at))) && (std::next(at) == places_.end() || !meets(*std::next(at)));
  }
  /// No turn stores where another one does.
  [[nodiscard]] bool apart() const { return apart_; }

private:
  bool apart_ = true;
  std::int64_t slope_ = 0;                                 ///< of all of them
  std::set<std::pair<std::int64_t, std::int64_t>> places_; ///< remainder of the offset by the slope, offset
};

/// Where the value of a turn stands.
struct Stored {
  std::int32_t buffer = -1;
  int version = 0;
  Affine index;
};

/// The instruction that makes a value, in a loop that is over.
struct Maker {
  std::int32_t block = -1;
  Value value = tape::none;
};

class Keeper {
public:
  Keeper(tape::Function& f, tape::Module& m) : f_(f), m_(m), known_(f) {}

  /// Loops that follow each other in a block, and what is in others.
  void walk(std::int32_t block) {
    numbers_.clear();
    versions_.clear();
    makers_.clear();
    stored_.clear();
    std::vector<std::int32_t> inner;
    for (std::size_t k = 0; k < code(block).size(); ++k) {
      const Instr& i = code(block)[k];
      if (const auto range = simple(i)) {
        loop(i, *range);
        continue;
      }
      if (i.block >= 0) inner.push_back(i.block);
      for (const std::int32_t b : written(i)) ++versions_[b];
    }
    for (const std::int32_t b : inner) walk(b);
  }

private:
  /// op, type, immediate, bits of the constant, buffer and its version, operands
  using Key = std::tuple<Op, Type, std::int64_t, std::uint64_t, std::int32_t, int, std::vector<Number>>;
  struct HashOfKey {
    std::size_t operator()(const Key& key) const {
      const auto& [op, type, imm, real, buffer, version, operands] = key;
      std::uint64_t h = static_cast<std::uint64_t>(op) << 8U | static_cast<std::uint64_t>(type);
      const auto mix = [&h](std::uint64_t v) { h = (h ^ h >> 32U ^ v) * 0x9E3779B97F4A7C15ULL; };
      mix(static_cast<std::uint64_t>(imm));
      mix(real);
      mix(static_cast<std::uint64_t>(buffer) << 32U ^ static_cast<std::uint64_t>(version));
      for (const Number n : operands) mix(static_cast<std::uint64_t>(n));
      return h ^ h >> 32U;
    }
  };

  [[nodiscard]] std::vector<Instr>& code(std::int32_t block) { return f_.blocks[static_cast<std::size_t>(block)].code; }

  /// A loop over a known range without blocks in it, which calls nothing and which nothing leaves but a failure.
  std::optional<Range> simple(const Instr& i) {
    if (i.op != Op::Loop || i.buffer >= 0) return std::nullopt;
    const auto low = known_.constant(i.args[0]), high = known_.constant(i.args[1]);
    if (!low || !high || *high <= *low) return std::nullopt;
    for (const Instr& x : code(i.block)) {
      const bool memory = x.op == Op::Load || x.op == Op::Store || x.op == Op::Accum;
      if (!tape::isPure(x.op) && !memory && x.op != Op::FailIf) return std::nullopt;
    }
    return Range{*low, *high, i.imm < 0};
  }

  /// The buffers that an instruction changes, or may change.
  std::set<std::int32_t> written(const Instr& i) {
    std::set<std::int32_t> list;
    if (i.op == Op::Store || i.op == Op::Accum || i.op == Op::Fill) list.insert(i.buffer);
    list.insert(i.buffers.begin(), i.buffers.end());
    if (i.op == Op::Call) // of any of them
      for (std::size_t b = 0; b < m_.buffers.size(); ++b) list.insert(static_cast<std::int32_t>(b));
    if (i.block >= 0)
      for (const Instr& x : code(i.block)) list.merge(written(x));
    return list;
  }

  Number numberOf(const Key& key) {
    return numbers_.try_emplace(key, static_cast<Number>(numbers_.size())).first->second;
  }
  /// A number that no other value has.
  Number alone(Value v) { return numberOf({Op::Load, Type::Void, static_cast<std::int64_t>(v), 0, -1, 0, {}}); }

  /// What is known of the loop in work.
  struct Turn {
    Range range;
    std::int32_t block = -1;
    Number counter = 0; ///< part of what defines the numbers of all others: they are of turns of this range
    std::map<Value, tape::Place> places; ///< of its integers; no loops are in it
    std::unordered_map<Value, Number> numbers;
    std::unordered_map<Value, std::size_t> position; ///< of the instruction
    std::set<std::int32_t> written;
    std::map<std::pair<std::int32_t, Affine>, Number> stores; ///< the last ones
    std::map<std::int32_t, StoredAt> storedAt;                ///< by all stores
    std::set<std::int32_t> unclear;                           ///< written in another way
  };

  void loop(const Instr& i, const Range& range) {
    Turn t{range, i.block, 0, known_.in(i, {i.result}), {}, {}, written(i), {}, {}, {}};
    counters_[i.block] = i.result;
    t.counter =
        numberOf({Op::Loop, Type::Int, range.low, static_cast<std::uint64_t>(range.high), -1, range.descending, {}});
    t.numbers[i.result] = t.counter;
    for (std::size_t k = 0; k < code(t.block).size(); ++k) number(t, code(t.block)[k], k);
    read(t, i.result);
    finish(t);
  }

  Number numberIn(const Turn& t, Value v) {
    const auto own = t.numbers.find(v);
    return own == t.numbers.end() ? alone(v) : own->second;
  }

  std::optional<Affine> affineIn(const Turn& t, Value v) const {
    const auto place = known_.find(v, t.places);
    return place && place->low == place->high ? std::optional(Affine{place->slope, place->low}) : std::nullopt;
  }

  void number(Turn& t, const Instr& i, std::size_t position) {
    if (i.op == Op::Store || i.op == Op::Accum) {
      const auto at = affineIn(t, i.args[0]);
      if (!at || i.op == Op::Accum) {
        t.unclear.insert(i.buffer);
        const auto first = t.stores.lower_bound({i.buffer, Affine::least()});
        t.stores.erase(first, t.stores.lower_bound({i.buffer + 1, Affine::least()}));
        return;
      }
      t.stores[{i.buffer, *at}] = numberIn(t, i.args[1]);
      t.storedAt[i.buffer].add(*at, t.range.count());
      return;
    }
    if (i.result == tape::none) return;
    t.position[i.result] = position;
    t.numbers[i.result] = i.op == Op::Load ? loaded(t, i) : computed(t, i);
  }

  Number loaded(Turn& t, const Instr& i) {
    const auto at = affineIn(t, i.args[0]);
    if (!t.written.contains(i.buffer)) return numberOf(loadKey(t, i.buffer, at, numberIn(t, i.args[0])));
    // What was stored at this place in the same turn, if nothing else has been written there since.
    const auto own = at ? t.stores.find({i.buffer, *at}) : t.stores.end();
    const bool known = own != t.stores.end() && !t.unclear.contains(i.buffer) && apart(t, i.buffer);
    return known ? own->second : alone(i.result);
  }

  /// Of what a buffer holds now; `index` is the number of an index that is not affine.
  Key loadKey(const Turn& t, std::int32_t buffer, const std::optional<Affine>& at, Number index) {
    if (!at) return {Op::Load, Type::Real, 0, 0, buffer, versions_[buffer], {t.counter, index}};
    const auto offset = static_cast<std::uint64_t>(at->offset);
    return {Op::Load, Type::Int, at->slope, offset, buffer, versions_[buffer], {t.counter}};
  }

  Number computed(Turn& t, const Instr& i) {
    std::vector<Number> args;
    for (const Value a : i.args) args.push_back(numberIn(t, a));
    args.push_back(t.counter);
    const bool commutes = i.op == Op::Add || i.op == Op::Mul || i.op == Op::IAdd || i.op == Op::IMul;
    if (commutes) std::sort(args.begin(), args.end() - 1);
    return numberOf({i.op, i.type, i.imm, std::bit_cast<std::uint64_t>(i.real), -1, 0, std::move(args)});
  }

  /// No turn writes to the buffer where another one does.
  static bool apart(const Turn& t, std::int32_t buffer) {
    const auto found = t.storedAt.find(buffer);
    return found == t.storedAt.end() || found->second.apart();
  }

  [[nodiscard]] bool isStored(Number n) {
    const auto s = stored_.find(n);
    return s != stored_.end() && versions_[s->second.buffer] == s->second.version;
  }
  /// Whether an earlier loop over the same range has made the value.
  [[nodiscard]] bool isThere(Number n) { return isStored(n) || makers_.contains(n); }

  /// Replaces what is there already and is worth it by loads.
  void read(Turn& t, Value counter) {
    std::vector<Instr>& body = code(t.block);
    std::unordered_set<Value> wanted; // by what is made here alone
    for (const Instr& i : body) {
      const bool again = i.result != tape::none && tape::isPure(i.op) && isThere(t.numbers.at(i.result));
      if (!again) wanted.insert(i.args.begin(), i.args.end());
    }
    std::vector<Instr> indices;
    tape::Writer outside(f_, indices);
    bool changed = false;
    for (std::size_t k = 0; k < body.size(); ++k) {
      Instr& i = body[k];
      if (i.type != Type::Real || !tape::isPure(i.op) || tape::isLeaf(i.op) || !wanted.contains(i.result)) continue;
      const Number n = t.numbers.at(i.result);
      if (!isThere(n) || (isStored(n) && t.written.contains(stored_.at(n).buffer))) continue;
      std::set<Value> seen;
      if (work(t, i.result, seen) < worthKeeping) continue;
      const Stored s = isStored(n) ? stored_.at(n) : keep(n, t.range);
      i = tape::Writer::make(Op::Load, Type::Real, i.result, {place(s.index, counter, outside)});
      i.buffer = s.buffer;
      changed = true;
    }
    if (!changed) return;
    std::vector<bool> used(static_cast<std::size_t>(f_.values), false);
    tape::removeUnused(f_, t.block, used);
    body.insert(body.begin(), indices.begin(), indices.end());
  }

  /// Operations by which the loop makes a value of numbers that it reads, as far as they are worth keeping.
  int work(const Turn& t, Value v, std::set<Value>& seen) {
    const auto at = t.position.find(v);
    if (at == t.position.end() || !seen.insert(v).second) return 0;
    const Instr& i = code(t.block)[at->second];
    if (!tape::isPure(i.op) || tape::isLeaf(i.op)) return 0;
    const tape::OpInfo& info = tape::info(i.op);
    const bool slow = info.slow || info.kind == tape::Kind::Library || i.op == Op::Stumpff;
    int sum = i.type != Type::Real ? 0 : slow ? slowOperation : 1;
    for (const Value a : i.args)
      if (sum < worthKeeping) sum += work(t, a, seen);
    return sum;
  }

  /// Has the loop that makes a value store it.
  Stored keep(Number n, const Range& range) {
    const Maker& m = makers_.at(n);
    std::vector<Instr>& body = code(m.block);
    m_.buffers.push_back(
        {"kept", runtime::Role::Work, m_.roleSize[static_cast<int>(runtime::Role::Work)], range.count()});
    m_.roleSize[static_cast<int>(runtime::Role::Work)] += range.count();
    const Stored s{static_cast<std::int32_t>(m_.buffers.size()) - 1, 0, {1, -range.low}};
    std::vector<Instr> added;
    tape::Writer behind(f_, added);
    behind.store(s.buffer, place(s.index, counters_.at(m.block), behind), m.value);
    const auto made = std::find_if(body.begin(), body.end(), [&](const Instr& i) { return i.result == m.value; });
    body.insert(made + 1, added.begin(), added.end());
    return stored_[n] = s;
  }

  static Value place(const Affine& a, Value counter, tape::Writer& w) {
    const Value v = a.slope == 1 ? counter : w.integer(Op::IMul, counter, w.integer(a.slope));
    if (a.offset < 0) return w.integer(Op::ISub, v, w.integer(-a.offset));
    return a.offset == 0 ? v : w.integer(Op::IAdd, v, w.integer(a.offset));
  }

  /// What later loops find of this one.
  void finish(const Turn& t) {
    for (const Instr& i : code(t.block)) {
      if (i.result == tape::none || i.type != Type::Real || !tape::isPure(i.op) || tape::isLeaf(i.op)) continue;
      if (const auto n = t.numbers.find(i.result); n != t.numbers.end())
        makers_.try_emplace(n->second, Maker{t.block, i.result});
    }
    for (const std::int32_t b : t.written) ++versions_[b];
    for (const auto& [place, n] : t.stores) {
      const auto& [buffer, at] = place;
      if (t.unclear.contains(buffer) || !apart(t, buffer)) continue;
      if (!isStored(n)) stored_[n] = {buffer, versions_[buffer], at};
      numbers_[loadKey(t, buffer, at, 0)] = n;
    }
  }

  tape::Function& f_;
  tape::Module& m_;
  const tape::Places known_;               ///< as the function was: nobody asks for what is added
  std::map<std::int32_t, Value> counters_; ///< of the loops, by their block
  std::unordered_map<Key, Number, HashOfKey> numbers_;
  std::map<std::int32_t, int> versions_; ///< of what stands in a buffer
  std::unordered_map<Number, Maker> makers_;
  std::unordered_map<Number, Stored> stored_;
};

} // namespace

tape::Function keepValues(tape::Function function, tape::Module& module) {
  Keeper(function, module).walk(0);
  return function;
}

} // namespace lmc::lower
