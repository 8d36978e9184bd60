#include "tape/Tiles.h"

#include "base/Integers.h"
#include "tape/TapeCost.h"
#include "tape/TapeOps.h"
#include "tape/Writer.h"

#include <algorithm>
#include <map>
#include <set>

namespace lmc::tape {

namespace {

/// Memory of different tiles shares no line of a cache.
constexpr std::int64_t lineOfCache = 8;
/// Of the work of a loop, a part of this may be spent on adding up its tiles.
constexpr double worth = 64;

/// A loop that can be divided.
struct Sum {
  std::vector<std::int32_t> added; ///< buffers, in the order in which they are met
  std::set<std::int32_t> loaded;   ///< buffers
  std::set<Value> defined;         ///< in its turns
  bool divisible = true;
};

class Divider {
public:
  Divider(Module& module, double bound) : module_(module), bound_(bound) {}

  void run() {
    for (std::size_t f = 0; f < module_.functions.size(); ++f) {
      function_ = &module_.functions[f];
      costs_ = loopCosts(module_, static_cast<int>(f));
      visit(0);
    }
    place();
  }

private:
  [[nodiscard]] std::vector<Instr>& code(std::int32_t block) {
    return function_->blocks[static_cast<std::size_t>(block)].code;
  }
  [[nodiscard]] std::int64_t sizeOf(std::int32_t buffer) const {
    return module_.buffers[static_cast<std::size_t>(buffer)].size;
  }

  void scan(std::int32_t block, Sum& out) {
    for (const Instr& i : code(block)) {
      if (i.result != none) out.defined.insert(i.result);
      const bool list = i.op == Op::Loop && i.buffer >= 0;
      const bool known = isPure(i.op) || i.op == Op::Load || i.op == Op::Accum || i.op == Op::Loop || i.op == Op::If;
      if (!known || list || (i.op == Op::Accum && i.imm != 0)) out.divisible = false;
      if (i.op == Op::Load) out.loaded.insert(i.buffer);
      if (i.op == Op::Accum && std::find(out.added.begin(), out.added.end(), i.buffer) == out.added.end())
        out.added.push_back(i.buffer);
      if (i.block >= 0) scan(i.block, out);
    }
  }

  [[nodiscard]] bool pays(const Instr& loop, const Sum& sum) const {
    double numbers = 0;
    for (const std::int32_t b : sum.added) numbers += static_cast<double>(sizeOf(b));
    return costs_[loop.result] >= worth * static_cast<double>(tileCount) * numbers;
  }

  void visit(std::int32_t block) {
    for (std::size_t k = 0; k < code(block).size(); ++k) {
      const Instr i = code(block)[k];
      if (i.op == Op::Loop && i.imm >= 0 && i.imm != independentTurns && i.buffer < 0 && costs_[i.result] >= bound_) {
        Sum sum;
        sum.defined.insert(i.result);
        scan(i.block, sum);
        const auto read = [&](std::int32_t b) { return sum.loaded.contains(b); };
        if (sum.divisible && !sum.added.empty() && std::none_of(sum.added.begin(), sum.added.end(), read) &&
            pays(i, sum)) {
          k = divide(block, k, sum);
          continue;
        }
      }
      if (i.block >= 0) visit(i.block);
    }
  }

  // --- dividing -------------------------------------------------------------------------------------------------

  /// The k-th array of a sum has its tiles in the k-th of these buffers, whichever sum it is.
  std::int32_t tilesOf(std::size_t slot, std::int64_t size) {
    if (slot == slots_.size()) {
      slots_.push_back(static_cast<std::int32_t>(module_.buffers.size()));
      Buffer b;
      b.name = "tiles " + std::to_string(slot + 1);
      module_.buffers.push_back(b);
    }
    Buffer& b = module_.buffers[static_cast<std::size_t>(slots_[slot])];
    b.size = std::max(b.size, tileCount * strideOf(size));
    return slots_[slot];
  }
  static std::int64_t strideOf(std::int64_t size) { return roundUp(size, lineOfCache); }

  /// Where the arrays of one sum have their tiles.
  struct Tiles {
    std::map<std::int32_t, std::pair<std::int32_t, Value>>
        of;                                                 ///< by buffer: its tiles, and where the present one begins
    std::map<std::pair<Value, std::int32_t>, Value> places; ///< (index, buffer) → place in the tiles
  };

  /// Of the loop at place k of a block; returns the place of the last instruction that replaces it.
  std::size_t divide(std::int32_t block, std::size_t k, const Sum& sum) {
    const Instr whole = code(block)[k];
    std::vector<Instr> before, after, prelude, head;
    Writer outside(*function_, before), inTile(*function_, prelude);
    const Value zero = outside.integer(0);
    const Value last = outside.integer(tileCount - 1);
    const Value count = outside.integer(tileCount);
    const Instr tiles = outside.loop(zero, last, independentTurns);
    Tiles where;
    for (std::size_t slot = 0; slot < sum.added.size(); ++slot)
      clearTile(prelude, sum.added[slot], slot, tiles.result, zero, where);
    // turns t, t + tileCount, …: all tiles have about the same work where that of a turn grows or falls
    const Value first = inTile.integer(Op::IAdd, whole.args[0], tiles.result);
    const Value left = inTile.integer(Op::ISub, whole.args[1], first);
    const Value turns = inTile.integer(Op::IDiv, left, count);
    for (const Instr& i : places(whole.block, sum, where)) prelude.push_back(i);
    const Instr rows = inTile.loop(zero, turns, 1, whole.block);
    inTile.append(rows);
    code(tiles.block) = std::move(prelude);
    const Value skipped = Writer(*function_, head).integer(Op::IMul, rows.result, count);
    head.push_back(Writer::make(Op::IAdd, Type::Int, whole.result, {first, skipped}));
    addPlace(head, whole.result, where);
    std::vector<Instr>& body = code(whole.block);
    head.insert(head.end(), body.begin(), body.end());
    body = std::move(head);
    for (const std::int32_t b : sum.added) addUp(after, b, where.of[b].first, zero);
    std::vector<Instr>& here = code(block);
    here[k] = tiles;
    here.insert(here.begin() + static_cast<std::ptrdiff_t>(k) + 1, after.begin(), after.end());
    here.insert(here.begin() + static_cast<std::ptrdiff_t>(k), before.begin(), before.end());
    return k + before.size() + after.size();
  }

  void clearTile(std::vector<Instr>& to, std::int32_t buffer, std::size_t slot, Value tile, Value zero, Tiles& where) {
    const std::int64_t size = sizeOf(buffer);
    const std::int32_t tiles = tilesOf(slot, size);
    std::vector<Instr> inner;
    Writer outside(*function_, to), inLoop(*function_, inner);
    const Value begin = outside.integer(Op::IMul, tile, outside.integer(strideOf(size)));
    where.of[buffer] = {tiles, begin};
    const Instr clear = outside.loop(zero, outside.integer(size - 1));
    outside.append(clear);
    const Value at = inLoop.integer(Op::IAdd, begin, clear.result);
    inLoop.store(tiles, at, inLoop.real(0));
    code(clear.block) = std::move(inner);
  }

  /// Makes sums of the block go to the tiles. Returns instructions for the places whose indices are known outside.
  std::vector<Instr> places(std::int32_t block, const Sum& sum, Tiles& where) {
    indices_.clear();
    collect(block);
    std::vector<Instr> outside;
    for (const auto& [index, buffer] : indices_) {
      const Value place = function_->values++;
      where.places[{index, buffer}] = place;
      if (!sum.defined.contains(index))
        outside.push_back(Writer::make(Op::IAdd, Type::Int, place, {where.of[buffer].second, index}));
    }
    redirect(block, where);
    return outside;
  }
  void collect(std::int32_t block) {
    for (const Instr& i : code(block)) {
      if (i.op == Op::Accum) indices_.insert({i.args[0], i.buffer});
      if (i.block >= 0) collect(i.block);
    }
  }
  void redirect(std::int32_t block, Tiles& where) {
    std::vector<Instr> made;
    for (Instr i : std::vector<Instr>(code(block))) {
      if (i.op == Op::Accum) {
        const auto place = where.places.at({i.args[0], i.buffer});
        i.buffer = where.of.at(i.buffer).first;
        i.args[0] = place;
      }
      if (i.block >= 0) {
        redirect(i.block, where);
        if (i.op == Op::Loop) { // its counter may be an index itself
          std::vector<Instr> head;
          addPlace(head, i.result, where);
          std::vector<Instr>& body = code(i.block);
          body.insert(body.begin(), head.begin(), head.end());
        }
        made.push_back(i);
        continue;
      }
      made.push_back(i);
      if (i.result != none) addPlace(made, i.result, where);
    }
    code(block) = std::move(made);
  }
  /// The places that follow from an index that has just been defined.
  static void addPlace(std::vector<Instr>& to, Value index, const Tiles& where) {
    for (auto it = where.places.lower_bound({index, -1}); it != where.places.end() && it->first.first == index; ++it)
      to.push_back(Writer::make(Op::IAdd, Type::Int, it->second, {where.of.at(it->first.second).second, index}));
  }

  void addUp(std::vector<Instr>& to, std::int32_t buffer, std::int32_t tiles, Value zero) {
    std::vector<Instr> inner;
    Writer outside(*function_, to), inLoop(*function_, inner);
    const Instr all = outside.loop(zero, outside.integer(sizeOf(buffer) - 1));
    outside.append(all);
    std::vector<Value> level;
    for (std::int64_t t = 0; t < tileCount; ++t) {
      const Value begin = inLoop.integer(t * strideOf(sizeOf(buffer)));
      level.push_back(inLoop.load(tiles, inLoop.integer(Op::IAdd, all.result, begin)));
    }
    for (; level.size() > 1; level.resize(level.size() / 2))
      for (std::size_t n = 0; n < level.size() / 2; ++n)
        level[n] = inLoop.value(Op::Add, Type::Real, {level[2 * n], level[2 * n + 1]});
    inLoop.accumulate(buffer, all.result, level[0]);
    code(all.block) = std::move(inner);
  }

  /// Behind all other working memory.
  void place() {
    std::int64_t& end = module_.roleSize[static_cast<std::size_t>(runtime::Role::Work)];
    for (const std::int32_t b : slots_) {
      Buffer& buffer = module_.buffers[static_cast<std::size_t>(b)];
      end = strideOf(end);
      buffer.offset = end;
      end += buffer.size;
    }
  }

  Module& module_;
  double bound_;
  Function* function_ = nullptr;
  std::vector<double> costs_; ///< of loops, by their values
  std::vector<std::int32_t> slots_;
  std::set<std::pair<Value, std::int32_t>> indices_;
};

} // namespace

void divideSums(Module& module, double bound) {
  Divider(module, bound).run();
}

} // namespace lmc::tape
