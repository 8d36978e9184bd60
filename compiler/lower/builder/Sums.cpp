#include "lower/builder/Sums.h"

#include "tape/TapeCost.h"
#include "tape/TapeOps.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

namespace lmc::lower {

using tape::Block;
using tape::Function;
using tape::Instr;
using tape::Op;
using tape::Type;
using tape::Value;

namespace {

/// Sums within sums are looked into so deep: longer chains of them are cut, as each piece is long enough.
constexpr int deepest = 32;

/// sign · factors · a · b; without b a plain value, without factors one of itself.
struct Term {
  bool minus = false;
  std::vector<Value> factors; ///< that do not change during a run, sorted
  Value a = tape::none;
  Value b = tape::none;
  Value joined = tape::none; ///< of the new function, in place of a: the sum of several with the same factors

  [[nodiscard]] bool isPlain() const { return factors.empty() && b == tape::none; }
};
using Terms = std::vector<Term>;

std::vector<Value> merged(std::vector<Value> a, const std::vector<Value>& b) {
  a.insert(a.end(), b.begin(), b.end());
  std::sort(a.begin(), a.end());
  return a;
}

/// What the terms of each sum are, and which values they replace.
class Collector {
public:
  Collector(const Function& f, const std::vector<tape::Buffer>& buffers)
      : buffers_(buffers), definition_(f.values), block_(f.values, -1), uses_(f.values), fixed_(f.values),
        absorbed_(f.values) {
    for (std::size_t b = 0; b < f.blocks.size(); ++b) {
      for (const Instr& i : f.blocks[b].code) {
        for (const Value a : i.args) ++uses_[a];
        if (i.result == tape::none) continue;
        definition_[i.result] = &i;
        block_[i.result] = static_cast<std::int32_t>(b);
      }
    }
    for (const Instr& i : f.blocks[0].code)
      if (i.result != tape::none) fixed_[i.result] = isFixed(i);
    for (const Block& b : f.blocks) {
      for (auto i = b.code.rbegin(); i != b.code.rend(); ++i)
        if (i->result != tape::none && i->type == Type::Real && !absorbed_[i->result]) findTerms(*i);
    }
  }

  [[nodiscard]] bool isAbsorbed(Value v) const { return absorbed_[v]; }
  /// Null if the value is not a sum that changes.
  [[nodiscard]] const Terms* terms(Value v) const {
    const auto found = sums_.find(v);
    return found == sums_.end() ? nullptr : &found->second;
  }

private:
  [[nodiscard]] bool isFixed(const Instr& i) const {
    switch (i.op) {
    case Op::ConstReal:
    case Op::ConstInt:
      return true;
    case Op::Argument:
      return i.imm > 0; // the first one is the time
    case Op::Load: {
      const runtime::Role role = buffers_[static_cast<std::size_t>(i.buffer)].role;
      return (role == runtime::Role::Params || role == runtime::Role::Constants) && fixed_[i.args[0]];
    }
    case Op::Add:
    case Op::Sub:
    case Op::Mul:
    case Op::Neg:
      return std::all_of(i.args.begin(), i.args.end(), [&](Value a) { return fixed_[a]; });
    default:
      return false;
    }
  }

  void findTerms(const Instr& root) {
    if (fixed_[root.result]) return;
    const bool sum = root.op == Op::Add || root.op == Op::Sub;
    const bool scaled = root.op == Op::Mul && (fixed_[root.args[0]] || fixed_[root.args[1]]);
    if (!sum && !scaled) return;
    home_ = block_[root.result];
    std::vector<Value> taken;
    Terms terms = sum ? sumOf(root, taken) : scaledOf(root, taken);
    for (const Value v : taken) absorbed_[v] = true;
    sums_.emplace(root.result, std::move(terms));
  }

  /// Has one user, which is the sum in work if it is among its terms.
  [[nodiscard]] bool isOwn(Value v) const { return uses_[v] == 1 && block_[v] == home_ && !fixed_[v]; }

  /// A multiple of a value that has other users: it has none whose sums would become part of it.
  [[nodiscard]] bool isSharedMultiple(const Instr& i) const {
    if (i.op != Op::Mul || fixed_[i.result] || block_[i.result] != home_) return false;
    return (fixed_[i.args[0]] && uses_[i.args[1]] > 1) || (fixed_[i.args[1]] && uses_[i.args[0]] > 1);
  }

  Terms sumOf(const Instr& i, std::vector<Value>& taken) {
    Terms all = termsOf(i.args[0], taken);
    for (Term& t : termsOf(i.args[1], taken)) {
      t.minus = t.minus != (i.op == Op::Sub);
      all.push_back(std::move(t));
    }
    return all;
  }

  /// factor · value: distributed over a sum if every term of it has a factor already.
  Terms scaledOf(const Instr& i, std::vector<Value>& taken) {
    const bool first = fixed_[i.args[0]];
    const Value factor = i.args[first ? 0 : 1];
    const Value x = i.args[first ? 1 : 0];
    std::vector<Value> inner;
    ++depth_;
    Terms terms = isOwn(x) && depth_ < deepest ? inside(*definition_[x], inner) : Terms{};
    --depth_;
    const auto hasFactor = [](const Term& t) { return !t.factors.empty(); };
    if (!terms.empty() && std::all_of(terms.begin(), terms.end(), hasFactor)) {
      taken.push_back(x);
      taken.insert(taken.end(), inner.begin(), inner.end());
    } else if (const Instr& d = *definition_[x]; isSharedMultiple(d)) {
      const bool left = fixed_[d.args[0]]; // the product need not wait for it
      terms = {{false, {d.args[left ? 0 : 1]}, d.args[left ? 1 : 0], tape::none}};
    } else if (isOwn(x) && d.op == Op::Mul) {
      taken.push_back(x);
      terms = {{false, {}, d.args[0], d.args[1]}};
    } else {
      terms = {{false, {}, x, tape::none}};
    }
    for (Term& t : terms) t.factors = merged(std::move(t.factors), {factor});
    return terms;
  }

  /// The terms of a value that has no other user; empty if it is no sum and no multiple.
  Terms inside(const Instr& i, std::vector<Value>& taken) {
    if (i.op == Op::Add || i.op == Op::Sub) return sumOf(i, taken);
    if (i.op == Op::Mul && (fixed_[i.args[0]] || fixed_[i.args[1]])) return scaledOf(i, taken);
    return {};
  }

  /// A value as terms of the sum in work.
  Terms termsOf(Value v, std::vector<Value>& taken) {
    if (!isOwn(v) || depth_ == deepest) return {{false, {}, v, tape::none}};
    ++depth_;
    Terms terms = termsInside(v, taken);
    --depth_;
    return terms;
  }
  Terms termsInside(Value v, std::vector<Value>& taken) {
    const Instr& i = *definition_[v];
    if (i.op == Op::Neg) {
      taken.push_back(v);
      Terms terms = termsOf(i.args[0], taken);
      for (Term& t : terms) t.minus = !t.minus;
      return terms;
    }
    std::vector<Value> inner;
    Terms terms = inside(i, inner);
    // A sum that starts with a plain value has no operation to save.
    const bool sum = i.op == Op::Add || i.op == Op::Sub;
    if (!terms.empty() &&
        (!sum || std::none_of(terms.begin(), terms.end(), [](const Term& t) { return t.isPlain(); }))) {
      taken.push_back(v);
      taken.insert(taken.end(), inner.begin(), inner.end());
      return terms;
    }
    if (i.op == Op::Mul) {
      taken.push_back(v);
      return {{false, {}, i.args[0], i.args[1]}};
    }
    return {{false, {}, v, tape::none}};
  }

  const std::vector<tape::Buffer>& buffers_;
  std::vector<const Instr*> definition_;
  std::vector<std::int32_t> block_;
  std::vector<int> uses_;
  std::vector<bool> fixed_;
  std::vector<bool> absorbed_;
  std::unordered_map<Value, Terms> sums_;
  int depth_ = 0;
  std::int32_t home_ = 0; ///< the block of the sum in work
};

/// Writes the function anew, of its instructions.
class SumWriter {
public:
  SumWriter(Function& f, const Collector& sums) : f_(f), sums_(sums), number_(f.values, tape::none) {
    out_.name = f.name;
    out_.arguments = f.arguments;
    out_.blocks.resize(f.blocks.size());
    out_.scratchNames = f.scratchNames;
    copy(0);
    std::vector<bool> used(out_.values, false); // products may be without, that all their users have made their own way
    tape::removeUnused(out_, 0, used);
    for (tape::Note& n : f.notes) {
      if (number_[n.value] == tape::none || !used[number_[n.value]]) continue;
      n.value = number_[n.value];
      out_.notes.push_back(std::move(n));
    }
  }
  Function take() { return std::move(out_); }

private:
  void copy(std::size_t block) {
    out_.blocks[block].code.reserve(f_.blocks[block].code.size());
    for (Instr& i : f_.blocks[block].code) {
      if (i.result != tape::none && sums_.isAbsorbed(i.result)) continue;
      if (const Terms* terms = i.result != tape::none ? sums_.terms(i.result) : nullptr) {
        number_[i.result] = sum(block, *terms);
        continue;
      }
      int ready = 0;
      for (Value& a : i.args) {
        a = number_[a];
        ready = std::max(ready, ready_[a]);
      }
      if (i.result != tape::none)
        i.result = number_[i.result] = define(ready + (isSource(i.op) ? 0 : tape::latencyOf(i.op)));
      if (i.block >= 0) copy(static_cast<std::size_t>(i.block));
      out_.blocks[block].code.push_back(std::move(i));
    }
  }

  static bool isSource(Op op) { return tape::isLeaf(op) || op == Op::Load || op == Op::Loop; }

  Value define(int ready) {
    ready_.push_back(ready);
    return out_.values++;
  }

  Value emit(std::size_t block, Op op, std::vector<Value> args, int ready) {
    Instr i;
    i.op = op;
    i.type = Type::Real;
    i.args = std::move(args);
    i.result = define(ready);
    out_.blocks[block].code.push_back(std::move(i));
    return out_.values - 1;
  }

  /// The product of fixed values, computed once, in the outermost block.
  Value product(const std::vector<Value>& factors) {
    std::vector<Value> key;
    Value result = tape::none;
    for (const Value f : factors) {
      key.push_back(f);
      if (result == tape::none) {
        result = number_[f];
        continue;
      }
      const auto found = products_.find(key);
      if (found != products_.end()) {
        result = found->second;
      } else {
        result = products_[key] = emit(0, Op::Mul, {result, number_[f]}, 0);
      }
    }
    return result;
  }

  /// A term as a product of two values, or one plain value.
  struct Ready {
    bool minus;
    Value a, b;
    int time;
  };
  Ready prepared(std::size_t block, const Term& t) {
    Value a = valueOf(t);
    Value b = t.b == tape::none ? tape::none : number_[t.b];
    if (!t.factors.empty()) {
      const Value c = product(t.factors);
      if (b == tape::none) {
        b = c;
      } else { // the factor joins what is ready first
        if (ready_[b] < ready_[a]) std::swap(a, b);
        a = emit(block, Op::Mul, {c, a}, ready_[a] + tape::latencyOf(Op::Mul));
      }
    }
    return {t.minus, a, b, b == tape::none ? ready_[a] : std::max(ready_[a], ready_[b])};
  }

  /// c x + c y = c (x + y): machines have room for additions beside multiplications. Not with what the sum waits for.
  Terms gathered(std::size_t block, const Terms& terms) {
    Terms result;
    int latest = 0;
    for (const Term& t : terms)
      latest = std::max({latest, ready_[number_[t.a]], t.b == tape::none ? 0 : ready_[number_[t.b]]});
    for (const Term& t : terms) {
      const auto joins = [&](const Term& r) {
        if (t.factors.empty() || t.b != tape::none || r.b != tape::none || r.factors != t.factors) return false;
        const int x = readyOf(r);
        const int y = readyOf(t);
        return x == y || std::max(x, y) + tape::latencyOf(Op::Add) <= latest;
      };
      const auto partner = std::find_if(result.begin(), result.end(), joins);
      if (partner == result.end()) {
        result.push_back(t);
        continue;
      }
      const Value x = valueOf(*partner);
      const Value y = number_[t.a];
      const int ready = std::max(ready_[x], ready_[y]) + tape::latencyOf(Op::Add);
      partner->joined = emit(block, t.minus != partner->minus ? Op::Sub : Op::Add, {x, y}, ready);
    }
    return result;
  }

  [[nodiscard]] Value valueOf(const Term& t) const { return t.joined != tape::none ? t.joined : number_[t.a]; }
  [[nodiscard]] int readyOf(const Term& t) const { return ready_[valueOf(t)]; }

  Value sum(std::size_t block, const Terms& terms) {
    std::vector<Ready> list;
    for (const Term& t : gathered(block, terms)) list.push_back(prepared(block, t));
    std::stable_sort(list.begin(), list.end(), [](const Ready& x, const Ready& y) { return x.time < y.time; });
    // The first one has no minus, if there is such a one; a plain value spares an operation, unless all wait for it.
    const auto plain = std::find_if(list.begin(), list.end(), [&](const Ready& t) {
      return !t.minus && t.b == tape::none && t.time <= list.back().time;
    });
    const auto positive = std::find_if(list.begin(), list.end(), [](const Ready& t) { return !t.minus; });
    const bool late =
        plain != list.end() && plain + 1 == list.end() && list.size() > 1 && (plain - 1)->time < plain->time;
    const auto start = plain == list.end() || late ? positive : plain;
    const bool negative = start == list.end();
    if (!negative) std::rotate(list.begin(), start, start + 1);
    Value total = tape::none;
    for (const Ready& t : list) {
      const auto two = [&](Op op, Value x, Value y, int latency) {
        return emit(block, op, {x, y}, std::max(ready_[x], ready_[y]) + latency);
      };
      const Value term = t.b == tape::none ? t.a : two(Op::Mul, t.a, t.b, tape::latencyOf(Op::Mul));
      if (total == tape::none) {
        total = term;
        continue;
      }
      const int ready = t.b == tape::none ? std::max(t.time, ready_[total]) + tape::latencyOf(Op::Add)
                                          : std::max(t.time, ready_[total]) + tape::fusedLatency;
      total = emit(block, t.minus != negative ? Op::Sub : Op::Add, {total, term}, ready);
    }
    return negative ? emit(block, Op::Neg, {total}, ready_[total] + 1) : total;
  }

  Function& f_;
  const Collector& sums_;
  Function out_;
  std::vector<Value> number_; ///< of the values of f
  std::vector<int> ready_;    ///< when a new value is known, in cycles after the start
  std::map<std::vector<Value>, Value> products_;
};

} // namespace

Function fuseSums(Function function, const std::vector<tape::Buffer>& buffers) {
  const Collector sums(function, buffers);
  return SumWriter(function, sums).take();
}

} // namespace lmc::lower
