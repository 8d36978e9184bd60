#include "lower/builder/PairRows.h"

#include "tape/Shares.h"
#include "tape/Writer.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>

namespace lmc::lower {

namespace {

using tape::Instr;
using tape::Op;
using tape::Type;
using tape::Value;
using tape::Writer;

/// A number of each member from index `low` to `high`: that of index i stands in the buffer at place + i.
struct Column {
  std::int64_t low = 0, high = 0;
  std::int32_t buffer = -1;
  std::int64_t place = 0;
  friend auto operator<=>(const Column&, const Column&) = default; // NOLINT(modernize-use-nullptr): no pointer
};

/// Columns that share a row.
struct Rows {
  std::vector<Column> columns;
  std::int32_t buffer = -1;
  std::int64_t width = 0;
  [[nodiscard]] std::int64_t low() const { return columns.front().low; }
  [[nodiscard]] std::int64_t count() const { return columns.front().high - low() + 1; }
};

/// Where a column is found.
struct InRow {
  const Rows* rows = nullptr;
  std::int64_t number = 0;
};

/// The place of number k of a row.
Value placeIn(tape::Writer& w, Value row, const Rows& r, std::int64_t k) {
  const Value first = w.integer(Op::IMul, row, w.integer(r.width));
  return k == 0 ? first : w.integer(Op::IAdd, first, w.integer(k));
}

/// Rows for one nest of loops.
class Nest {
public:
  Nest(tape::Function& f, tape::Module& module, std::int32_t block, std::size_t at)
      : f_(f), module_(module), block_(block), at_(at), outer_(code()[at]) {}

  /// Whether the loop is such a nest.
  bool run() {
    const auto sums = tape::ownedSums(f_, outer_);
    if (!sums) return false;
    sums_ = *sums;
    inner_ = *sums->inner;
    places_ = tape::Places(f_).in(outer_, {outer_.result, inner_.result});
    look(inner_.block);
    reads_ = group(read_, "members of pairs");
    adds_ = group(added(), "sums of members");
    for (const Rows& r : reads_) note(r, Op::Load);
    for (const Rows& r : adds_) note(r, Op::Accum);
    if (!found_.empty()) rewrite();
    return true;
  }

private:
  std::vector<Instr>& code() { return f_.blocks[static_cast<std::size_t>(block_)].code; }

  /// The column that an instruction touches, and its counter.
  std::optional<std::pair<Column, int>> columnOf(const Instr& i) const {
    const auto it = places_.find(i.args[0]);
    if (it == places_.end()) return std::nullopt;
    const tape::Place& p = it->second;
    if (p.counter < 0 || p.slope != 1 || p.low != p.high) return std::nullopt;
    const bool second = p.counter == 1;
    return std::pair(
        Column{second ? sums_.innerLow : sums_.outerLow, second ? sums_.innerHigh : sums_.outerHigh, i.buffer, p.low},
        p.counter);
  }

  /// Notes what a pair reads of its second member and adds to its members.
  void look(std::int32_t block) {
    for (const Instr& i : f_.blocks[static_cast<std::size_t>(block)].code) {
      if (i.op == Op::Load || i.op == Op::Accum) {
        const auto column = columnOf(i);
        if (i.op == Op::Accum && !column) otherwise_.insert(i.buffer);
        if (column && i.op == Op::Load && column->second == 1) read_.insert(column->first);
        if (column && i.op == Op::Accum) addedBy_[{i.buffer, column->first.place}][column->second] = column->first;
      }
      if (i.block >= 0) look(i.block);
    }
  }

  /// Sums of second members, with what is added to first ones.
  [[nodiscard]] std::set<Column> added() const {
    std::set<Column> out;
    for (const auto& [key, by] : addedBy_) {
      if (!by.contains(1) || otherwise_.contains(key.first)) continue;
      Column all = by.at(1);
      if (const auto first = by.find(0); first != by.end()) {
        const Column& o = first->second;
        if (o.low > all.high + 1 || all.low > o.high + 1) continue; // a gap between them
        all.low = std::min(all.low, o.low);
        all.high = std::max(all.high, o.high);
      }
      out.insert(all);
    }
    return out;
  }

  /// As many columns of the same indices as have room in a row. One alone is not worth it.
  std::vector<Rows> group(const std::set<Column>& columns, const std::string& name) {
    std::vector<Rows> out;
    for (const Column& c : columns) {
      const std::int64_t size = module_.buffers[static_cast<std::size_t>(c.buffer)].size;
      if (c.place + c.low < 0 || c.place + c.high >= size) continue;
      const bool fits = !out.empty() && static_cast<std::int64_t>(out.back().columns.size()) < wideRow &&
                        out.back().low() == c.low && out.back().columns.front().high == c.high;
      if (!fits) out.emplace_back();
      out.back().columns.push_back(c);
    }
    std::erase_if(out, [](const Rows& r) { return r.columns.size() < 2; });
    for (Rows& r : out) {
      r.width = static_cast<std::int64_t>(r.columns.size()) > narrowRow ? wideRow : narrowRow;
      std::int64_t& end = module_.roleSize[static_cast<std::size_t>(runtime::Role::Work)];
      r.buffer = static_cast<std::int32_t>(module_.buffers.size());
      module_.buffers.push_back({name, runtime::Role::Work, end, r.width * r.count()});
      end += r.width * r.count();
    }
    return out;
  }

  void note(const Rows& r, Op op) {
    for (std::size_t k = 0; k < r.columns.size(); ++k)
      found_[{op, r.columns[k].buffer, r.columns[k].place}] = {&r, static_cast<std::int64_t>(k)};
  }

  void rewrite() {
    std::vector<Instr> before, after, outer, inner;
    const Value zero = Writer(f_, before).real(0);
    const auto copyIn = [&](const Rows& r, const std::set<std::int32_t>& empty) {
      eachMember(before, r, [&](Writer& w, Value member, std::int64_t k) {
        const bool has = k < static_cast<std::int64_t>(r.columns.size()) && !empty.contains(r.columns[k].buffer);
        const Value at = placeIn(w, member, r, k);
        w.store(r.buffer, at, has ? w.load(r.columns[k].buffer, element(w, r, member, k)) : zero);
      });
    };
    for (const Rows& r : reads_) copyIn(r, {});
    const std::set<std::int32_t> empty = emptyBefore();
    for (const Rows& r : adds_) {
      copyIn(r, empty);
      eachMember(after, r, [&](Writer& w, Value member, std::int64_t k) {
        if (k >= static_cast<std::int64_t>(r.columns.size())) return;
        const Value at = element(w, r, member, k);
        w.store(r.columns[k].buffer, at, w.load(r.buffer, placeIn(w, member, r, k)));
      });
    }
    Writer ofOuter(f_, outer), ofInner(f_, inner);
    redirect(inner_.block, ofOuter, ofInner);
    prepend(outer_.block, outer);
    prepend(inner_.block, inner);
    after.insert(after.begin(), code()[at_]);
    before.insert(before.end(), after.begin(), after.end());
    const auto at = code().begin() + static_cast<std::ptrdiff_t>(at_);
    code().insert(code().erase(at), before.begin(), before.end());
    clean(empty);
  }

  static Value element(Writer& w, const Rows& r, Value member, std::int64_t k) {
    return w.integer(Op::IAdd, member, w.integer(r.columns[static_cast<std::size_t>(k)].place + r.low()));
  }

  /// A loop over members, with what it does for each number of a row.
  template <typename F> void eachMember(std::vector<Instr>& out, const Rows& r, const F& body) {
    Writer w(f_, out);
    const Instr loop = w.loop(w.integer(0), w.integer(r.count() - 1));
    std::vector<Instr> turn;
    Writer inTurn(f_, turn);
    for (std::int64_t k = 0; k < r.width; ++k) body(inTurn, loop.result, k);
    f_.blocks[static_cast<std::size_t>(loop.block)].code = std::move(turn);
    w.append(loop);
  }

  /// What pairs read and add stands in rows; the places go to where the counters begin.
  void redirect(std::int32_t block, Writer& outer, Writer& inner) {
    for (Instr& i : f_.blocks[static_cast<std::size_t>(block)].code) {
      if (i.block >= 0) redirect(i.block, outer, inner);
      if (i.op != Op::Load && i.op != Op::Accum) continue;
      const auto column = columnOf(i);
      if (!column || (i.op == Op::Load && column->second == 0)) continue;
      const auto it = found_.find({i.op, i.buffer, column->first.place});
      if (it == found_.end()) continue;
      const InRow in = it->second;
      i.buffer = in.rows->buffer;
      i.args[0] = placeOf(in, column->second, column->second == 0 ? outer : inner);
    }
  }
  Value placeOf(const InRow& in, int counter, Writer& w) {
    const auto [it, fresh] = placesInRows_.try_emplace({in.rows, in.number, counter});
    if (fresh) {
      const Value member =
          w.integer(Op::ISub, counter == 0 ? outer_.result : inner_.result, w.integer(in.rows->columns.front().low));
      it->second = placeIn(w, member, *in.rows, in.number);
    }
    return it->second;
  }
  void prepend(std::int32_t block, const std::vector<Instr>& what) {
    std::vector<Instr>& all = f_.blocks[static_cast<std::size_t>(block)].code;
    all.insert(all.begin(), what.begin(), what.end());
  }

  [[nodiscard]] bool touches(const Instr& i, std::int32_t buffer) const {
    if (i.buffer == buffer || std::find(i.buffers.begin(), i.buffers.end(), buffer) != i.buffers.end()) return true;
    if (i.op == Op::Call) return true;
    if (i.block < 0) return false;
    const auto& inner = f_.blocks[static_cast<std::size_t>(i.block)].code;
    return std::any_of(inner.begin(), inner.end(), [&](const Instr& x) { return touches(x, buffer); });
  }

  /// The last instruction before the nest that touches a buffer.
  std::optional<std::size_t> lastBefore(std::int32_t buffer) {
    for (std::size_t k = at_; k-- > 0;)
      if (touches(code()[k], buffer)) return k;
    return std::nullopt;
  }

  /// Buffers that were filled with zeros before the nest.
  std::set<std::int32_t> emptyBefore() {
    std::set<std::int32_t> out;
    for (const Rows& r : adds_)
      for (const Column& c : r.columns)
        if (const auto k = lastBefore(c.buffer); k && code()[*k].op == Op::Fill) out.insert(c.buffer);
    return out;
  }

  /// What is written back behind the nest as a whole needs no zeros before.
  void clean(const std::set<std::int32_t>& empty) {
    std::map<std::int32_t, std::int64_t> written;
    for (const Rows& r : adds_)
      for (const Column& c : r.columns) written[c.buffer] += r.count();
    std::set<std::size_t> dead;
    for (const std::int32_t b : empty)
      if (written[b] == module_.buffers[static_cast<std::size_t>(b)].size) dead.insert(*lastBefore(b));
    for (auto k = dead.rbegin(); k != dead.rend(); ++k) code().erase(code().begin() + static_cast<std::ptrdiff_t>(*k));
  }

  tape::Function& f_;
  tape::Module& module_;
  std::int32_t block_;
  std::size_t at_;
  Instr outer_, inner_;
  tape::OwnedSums sums_;
  std::map<Value, tape::Place> places_;
  std::set<Column> read_;
  std::map<std::pair<std::int32_t, std::int64_t>, std::map<int, Column>> addedBy_; ///< by buffer and place; by counter
  std::set<std::int32_t> otherwise_; ///< buffers with sums of which nothing is known
  std::vector<Rows> reads_, adds_;
  std::map<std::tuple<Op, std::int32_t, std::int64_t>, InRow> found_; ///< by buffer and place
  std::map<std::tuple<const Rows*, std::int64_t, int>, Value> placesInRows_;
};

void inBlock(tape::Function& f, tape::Module& module, std::int32_t block) {
  const auto code = [&]() -> std::vector<Instr>& { return f.blocks[static_cast<std::size_t>(block)].code; };
  for (std::size_t k = code().size(); k-- > 0;) { // from behind: what is inserted has no such loops
    const Instr& i = code()[k];
    if (i.block < 0 || (i.op == Op::Loop && Nest(f, module, block, k).run())) continue;
    inBlock(f, module, i.block);
  }
}

} // namespace

tape::Function rowsOfPairs(tape::Function function, tape::Module& module) {
  inBlock(function, module, 0);
  return function;
}

} // namespace lmc::lower
