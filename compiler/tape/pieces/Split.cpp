// A block is cut where few values are alive. Blocks are treated from within: first the bodies of loops and branches,
// then the list in which these stand, as short as they have become.
#include "tape/pieces/Split.h"

#include "tape/Shares.h"
#include "tape/TapeOps.h"
#include "tape/Tiles.h"
#include "tape/Writer.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace lmc::tape {

namespace {

/// A piece that is shorter than this part of the bound is not worth a call.
constexpr std::size_t leastPart = 8;
/// A piece may end anywhere in the last part of the bound, this many tenths of it.
constexpr std::size_t searchTenths = 4;
/// An integer passes as two real numbers that are exact.
constexpr std::int64_t halfRange = std::int64_t{1} << 32U;

class Splitter {
public:
  Splitter(Module& module, std::size_t index, std::size_t most)
      : module_(module), index_(index), most_(most), f_(std::move(module.functions[index])) {
    defined_.resize(f_.values);
    for (const Block& b : f_.blocks)
      for (const Instr& i : b.code)
        if (i.result != none) {
          defined_[i.result].type = i.type;
          if (isLeaf(i.op)) leaves_.emplace(i.result, i);
        }
    for (const Note& n : f_.notes) notes_.emplace(n.value, n);
  }

  void run() {
    if (length(0) > most_) {
      const std::int64_t slots = block(0);
      if (slots > 0) addBuffer(slots);
      dropMoved();
    }
    module_.functions[index_] = std::move(f_);
    for (Function& g : parts_) module_.functions.push_back(std::move(g));
  }

private:
  using Names = std::unordered_map<Value, Value>;
  struct Definition {
    Type type = Type::Void;
    std::int64_t slot = -1; ///< in the buffer of what passes between pieces
    std::int64_t high = -1; ///< of an integer: what it is above 2^32, so that all 64 bits pass
  };
  /// Pieces of the list of a block: [first, last).
  struct Piece {
    std::size_t first, last;
    std::size_t length;
    bool moves = false; ///< becomes a function
  };

  // --- what there is ----------------------------------------------------------------------------------------------

  Block& blockOf(std::int32_t b) { return f_.blocks[static_cast<std::size_t>(b)]; }
  [[nodiscard]] const Block& blockOf(std::int32_t b) const { return f_.blocks[static_cast<std::size_t>(b)]; }
  [[nodiscard]] bool leaf(Value v) const { return leaves_.contains(v); }

  [[nodiscard]] std::size_t length(const Instr& i) const {
    return isLeaf(i.op) ? 0 : 1 + (i.block >= 0 ? length(i.block) : 0);
  }
  [[nodiscard]] std::size_t length(std::int32_t b) const {
    std::size_t sum = 0;
    for (const Instr& i : blockOf(b).code) sum += length(i);
    return sum;
  }

  /// Whether it may leave a loop that stands around it.
  [[nodiscard]] bool leavesLoop(const Instr& i) const {
    if (i.op == Op::BreakIf) return true;
    if (i.op != Op::If) return false;
    const auto& code = blockOf(i.block).code;
    return std::any_of(code.begin(), code.end(), [&](const Instr& inner) { return leavesLoop(inner); });
  }

  /// All operands of an instruction and of what is nested in it.
  template <class Visit> void operands(const Instr& i, const Visit& visit) const {
    for (const Value a : i.args) visit(a);
    if (i.block >= 0)
      for (const Instr& inner : blockOf(i.block).code) operands(inner, visit);
  }

  /// Leaves out the blocks that stand in pieces now.
  void dropMoved() {
    std::vector<Block> kept;
    const std::function<std::int32_t(std::int32_t)> keep = [&](std::int32_t b) {
      const std::size_t place = kept.size();
      kept.emplace_back();
      std::vector<Instr> code = std::move(blockOf(b).code);
      for (Instr& i : code)
        if (i.block >= 0) i.block = keep(i.block);
      kept[place].code = std::move(code);
      return static_cast<std::int32_t>(place);
    };
    keep(0);
    f_.blocks = std::move(kept);
  }

  // --- one block --------------------------------------------------------------------------------------------------

  /// Returns how many slots its pieces and those within take.
  std::int64_t block(std::int32_t index) {
    std::int64_t inner = 0;
    for (std::size_t k = 0; k < blockOf(index).code.size(); ++k) {
      const Instr& i = blockOf(index).code[k];
      const std::int32_t nested = i.block;
      if (i.op == Op::Loop && (i.imm == independentTurns || i.imm == ownedTurns)) continue;
      if (nested >= 0 && length(nested) > most_) inner = std::max(inner, block(nested));
    }
    if (length(index) <= most_) return inner;
    std::vector<Piece> pieces = cut(index);
    for (Piece& p : pieces) p.moves = p.last > p.first + 1 && p.length >= std::max<std::size_t>(most_ / leastPart, 2);
    if (std::none_of(pieces.begin(), pieces.end(), [](const Piece& p) { return p.moves; })) return inner;
    return move(index, pieces, inner);
  }

  /// Values of the block that are needed behind position k, for all k.
  [[nodiscard]] std::vector<std::size_t> alive(std::int32_t index) const {
    const auto& code = blockOf(index).code;
    std::unordered_map<Value, std::size_t> at;
    std::unordered_map<Value, std::size_t> last;
    for (std::size_t k = 0; k < code.size(); ++k) {
      operands(code[k], [&](Value a) {
        if (at.contains(a)) last[a] = k;
      });
      if (code[k].result != none && code[k].op != Op::Loop && !isLeaf(code[k].op)) at[code[k].result] = k;
    }
    std::vector<std::ptrdiff_t> change(code.size() + 1, 0);
    for (const auto& [v, end] : last) {
      ++change[at.at(v) + 1];
      --change[end + 1];
    }
    std::vector<std::size_t> count(code.size() + 1, 0);
    std::ptrdiff_t sum = 0;
    for (std::size_t k = 0; k <= code.size(); ++k) count[k] = static_cast<std::size_t>(sum += change[k]);
    return count;
  }

  [[nodiscard]] std::vector<Piece> cut(std::int32_t index) const {
    const auto& code = blockOf(index).code;
    const std::vector<std::size_t> carried = alive(index);
    std::vector<Piece> pieces;
    for (std::size_t k = 0; k < code.size();) {
      if (leavesLoop(code[k])) {
        pieces.push_back({k, k + 1, 0});
        ++k;
        continue;
      }
      Piece p{k, k, 0};
      std::size_t bestEnd = k;
      std::size_t bestLength = 0;
      std::size_t least = std::numeric_limits<std::size_t>::max();
      while (p.last < code.size() && !leavesLoop(code[p.last])) {
        const std::size_t next = length(code[p.last]);
        if (p.length > 0 && p.length + next > most_) break;
        p.length += next;
        ++p.last;
        if (10 * p.length >= (10 - searchTenths) * most_ && carried[p.last] <= least) {
          least = carried[p.last];
          bestEnd = p.last;
          bestLength = p.length;
        }
      }
      const bool whole = p.last == code.size() || leavesLoop(code[p.last]);
      if (!whole && bestEnd > k) {
        p.last = bestEnd;
        p.length = bestLength;
      }
      pieces.push_back(p);
      k = p.last;
    }
    return pieces;
  }

  std::int64_t move(std::int32_t index, const std::vector<Piece>& pieces, std::int64_t firstSlot) {
    const std::vector<Instr> code = std::move(blockOf(index).code);
    const std::int64_t slots = assign(code, pieces, firstSlot);
    std::vector<Instr> rest;
    for (const Value v : outside_) store(f_, rest, v, defined_[v]);
    for (const Piece& p : pieces) {
      std::vector<Value> results; // that are needed elsewhere
      for (std::size_t k = p.first; k < p.last; ++k) {
        const Instr& i = code[k];
        if (!p.moves || (isLeaf(i.op) && stays_.contains(i.result))) rest.push_back(i);
        if (i.result == none || i.op == Op::Loop || isLeaf(i.op) || defined_[i.result].slot < 0) continue;
        if (p.moves)
          results.push_back(i.result);
        else
          store(f_, rest, i.result, defined_[i.result]);
      }
      if (!p.moves) continue;
      Instr call;
      call.op = Op::Call;
      call.imm = static_cast<std::int64_t>(module_.functions.size() + parts_.size());
      call.args = arguments(rest);
      rest.push_back(std::move(call));
      parts_.push_back(part(code, p, results));
      for (const Value v : results)
        if (stays_.contains(v)) load(f_, rest, v, defined_[v]);
    }
    for (Definition& d : defined_) d.slot = -1;
    blockOf(index).code = std::move(rest);
    return slots;
  }

  // --- what passes between pieces -----------------------------------------------------------------------------------

  /// Gives slots to values that are used in another piece than their own, where a function is on either side. Fills
  /// outside_ (needed from around the block) and stays_ (used by what stays).
  std::int64_t assign(const std::vector<Instr>& code, const std::vector<Piece>& pieces, std::int64_t first) {
    outside_.clear();
    stays_.clear();
    std::unordered_map<Value, std::size_t> home; // the piece
    std::unordered_map<Value, std::size_t> last; // the piece in which it is used last
    std::vector<Value> order;                    // in which they are met
    for (std::size_t p = 0; p < pieces.size(); ++p)
      for (std::size_t k = pieces[p].first; k < pieces[p].last; ++k) {
        std::vector<Value> within; // defined in what is nested
        collectResults(code[k], within);
        for (const Value v : within) home.emplace(v, p);
        operands(code[k], [&](Value a) {
          if (!pieces[p].moves) stays_.insert(a);
          if (leaf(a)) return;
          const auto from = home.find(a);
          const bool around = from == home.end();
          if (!around && from->second == p) return;
          if (!pieces[p].moves && (around || !pieces[from->second].moves)) return;
          if (!last.contains(a)) {
            order.push_back(a);
            if (around) outside_.push_back(a);
          }
          last[a] = p;
        });
      }
    // Slots of values that are needed no more are used again, from the next piece on.
    std::int64_t used = first;
    std::vector<std::int64_t> free;
    std::vector<std::vector<Value>> born(pieces.size()), ends(pieces.size());
    for (const Value v : order) {
      const auto from = home.find(v);
      born[from == home.end() ? 0 : from->second].push_back(v);
      ends[last.at(v)].push_back(v);
    }
    for (std::size_t p = 0; p < pieces.size(); ++p) {
      for (const Value v : born[p]) {
        const auto take = [&](std::int64_t& slot) {
          if (free.empty()) free.push_back(used++);
          slot = free.back();
          free.pop_back();
        };
        take(defined_[v].slot);
        if (defined_[v].type == Type::Int) take(defined_[v].high);
      }
      for (const Value v : ends[p]) {
        free.push_back(defined_[v].slot);
        if (defined_[v].type == Type::Int) free.push_back(defined_[v].high);
      }
    }
    return used;
  }

  void collectResults(const Instr& i, std::vector<Value>& out) const {
    if (i.result != none) out.push_back(i.result);
    if (i.block >= 0)
      for (const Instr& inner : blockOf(i.block).code) collectResults(inner, out);
  }

  /// The arguments of the function, for a call from it.
  std::vector<Value> arguments(std::vector<Instr>& code) {
    std::vector<Value> list;
    Writer w(f_, code);
    for (int a = 0; a < f_.arguments; ++a) list.push_back(w.value(Op::Argument, Type::Real, {}, a));
    return list;
  }

  void storeReal(Writer& w, Value number, std::int64_t slot) { w.store(buffer(), w.integer(slot), number); }

  /// slot = v, as real numbers
  void store(Function& g, std::vector<Instr>& code, Value v, const Definition& d) {
    Writer w(g, code);
    switch (d.type) {
    case Type::Int: {
      const Value unit = w.integer(halfRange);
      const Value high = w.integer(Op::IDiv, v, unit);
      const Value low = w.integer(Op::IMod, v, unit);
      storeReal(w, w.value(Op::IntToReal, Type::Real, {low}), d.slot);
      storeReal(w, w.value(Op::IntToReal, Type::Real, {high}), d.high);
      break;
    }
    case Type::Bool: {
      const Value yes = w.real(1);
      const Value no = w.real(0);
      storeReal(w, w.value(Op::Select, Type::Real, {v, yes, no}), d.slot);
      break;
    }
    default:
      storeReal(w, v, d.slot);
    }
  }

  Value loadReal(Writer& w, std::int64_t slot) { return w.load(buffer(), w.integer(slot)); }

  /// v = slot
  void load(Function& g, std::vector<Instr>& code, Value v, const Definition& d) {
    Writer w(g, code);
    const Value number = loadReal(w, d.slot);
    if (d.type == Type::Int) {
      const Value low = w.value(Op::FloorToInt, Type::Int, {number});
      const Value high = w.value(Op::FloorToInt, Type::Int, {loadReal(w, d.high)});
      const Value unit = w.integer(halfRange);
      w.integer(Op::IAdd, w.integer(Op::IMul, high, unit), low);
    }
    if (d.type == Type::Bool) w.value(Op::Ne, Type::Bool, {number, w.real(0)});
    code.back().result = v;
  }

  /// The buffer that comes into being if anything moves.
  [[nodiscard]] std::int32_t buffer() const { return static_cast<std::int32_t>(module_.buffers.size()); }

  void addBuffer(std::int64_t slots) {
    std::int64_t& end = module_.roleSize[static_cast<int>(runtime::Role::Work)];
    Buffer b;
    b.name = "carried";
    b.role = runtime::Role::Work;
    b.offset = end;
    b.size = slots;
    end += slots;
    module_.buffers.push_back(std::move(b));
  }

  // --- functions ----------------------------------------------------------------------------------------------------

  Function part(const std::vector<Instr>& code, const Piece& p, const std::vector<Value>& results) {
    Function g;
    g.name = f_.name + "." + std::to_string(parts_.size() + 1);
    g.arguments = f_.arguments;
    g.part = g.inner = true;
    g.scratchNames = f_.scratchNames;
    g.blocks.emplace_back();
    Names renamed;
    std::vector<Instr> body;
    for (std::size_t k = p.first; k < p.last; ++k) {
      std::vector<Value> within;
      collectResults(code[k], within);
      const std::unordered_set<Value> own(within.begin(), within.end());
      operands(code[k], [&](Value v) {
        if (!own.contains(v) && !renamed.contains(v)) renamed[v] = fetch(g, body, v);
      });
      copy(g, body, code[k], renamed);
    }
    for (const Value v : results) store(g, body, renamed.at(v), defined_[v]);
    g.blocks[0].code = std::move(body);
    for (const auto& [from, to] : renamed)
      if (const auto n = notes_.find(from); n != notes_.end()) {
        g.notes.push_back(n->second);
        g.notes.back().value = to;
      }
    std::sort(g.notes.begin(), g.notes.end(), [](const Note& a, const Note& b) { return a.value < b.value; });
    return g;
  }

  /// A value from elsewhere.
  Value fetch(Function& g, std::vector<Instr>& to, Value v) {
    const Value fresh = g.values++;
    if (const auto i = leaves_.find(v); i != leaves_.end()) {
      to.push_back(i->second);
      to.back().result = fresh;
    } else {
      load(g, to, fresh, defined_[v]);
    }
    return fresh;
  }

  /// Appends an instruction with the numbers of values that it has in g.
  void copy(Function& g, std::vector<Instr>& to, const Instr& i, Names& renamed) {
    Instr c = i;
    for (Value& a : c.args) a = renamed.at(a);
    if (c.result != none) renamed[i.result] = c.result = g.values++;
    if (i.block >= 0) {
      c.block = static_cast<std::int32_t>(g.blocks.size());
      g.blocks.emplace_back();
      std::vector<Instr> body;
      for (const Instr& k : blockOf(i.block).code) copy(g, body, k, renamed);
      g.blocks[static_cast<std::size_t>(c.block)].code = std::move(body);
    }
    to.push_back(std::move(c));
  }

  Module& module_;
  std::size_t index_;
  std::size_t most_;
  Function f_;
  std::vector<Definition> defined_;
  std::unordered_map<Value, Instr> leaves_;
  std::unordered_map<Value, Note> notes_;
  std::vector<Value> outside_;
  std::unordered_set<Value> stays_;
  std::vector<Function> parts_;
};

} // namespace

void split(Module& module, std::size_t most) {
  const std::size_t count = module.functions.size();
  for (std::size_t f = 0; f < count; ++f) Splitter(module, f, most).run();
}

} // namespace lmc::tape
