#include "lower/steps/SideBySide.h"

#include "lower/builder/Builder.h"
#include "lower/builder/Copies.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace lmc::lower {

using tape::Instr;
using tape::Op;
using tape::Type;
using tape::Value;

namespace {

int bufferOf(tape::Module& module, RowPlace at, std::int64_t size) {
  return bufferFor(module, "stages", at.role, at.offset, size);
}

bool isAt(const tape::Module& module, std::int32_t buffer, RowPlace place) {
  const tape::Buffer& b = module.buffers[static_cast<std::size_t>(buffer)];
  return b.role == place.role && b.offset == place.offset;
}

/// Writes the parts of a function over the stages of a turn.
class TurnWriter {
public:
  TurnWriter(tape::Module& module, const std::string& name, const SideBySide& s)
      : module_(module), s_(s), b_(name, 2), coefficients_(bufferOf(module, s.coefficients, s.coefficientsOf())),
        begin_(bufferOf(module, s.begin, s.size)), points_(bufferOf(module, s.points, s.size * s.width())),
        rates_(bufferOf(module, s.rates, s.size * s.width())) {}

  tape::Function begin() {
    std::int64_t next = 0;
    const auto write = [&](double x) { b_.store(coefficients_, b_.integer(next++), b_.real(x)); };
    for (std::size_t j = 0; j < s_.c.size(); ++j) // as vectors over the stages read them
      for (const std::vector<double>& row : s_.a) write(row[j]);
    std::for_each(s_.c.begin(), s_.c.end(), write);
    const Value number = b_.beginLoop(b_.integer(0), b_.integer(s_.size - 1), false);
    const Value value = b_.load(begin_, number, false);
    eachStage([&](Value stage) { b_.store(points_, beside(number, stage), value); });
    b_.endLoop();
    return b_.finish();
  }

  tape::Function turns(int function, std::int64_t count, const std::vector<RowSums::Sum>& before) {
    function_ = function;
    const Value turn = b_.beginLoop(b_.integer(0), b_.integer(count), false);
    const Value isFirst = b_.pure(Op::IEq, Type::Bool, {turn, b_.integer(0)});
    b_.beginIf(b_.pure(Op::Not, Type::Bool, {isFirst}));
    if (!before.empty()) {
      b_.beginIf(b_.pure(Op::IEq, Type::Bool, {turn, b_.integer(count)}));
      sums(before);
      b_.endIf();
    }
    points();
    b_.endIf();
    rates(b_.select(isFirst, b_.real(0), b_.argument(1)));
    b_.endLoop();
    return b_.finish();
  }

  tape::Function sumsAlone(const std::vector<RowSums::Sum>& all) {
    sums(all);
    return b_.finish();
  }

private:
  Value sum(Value x, Value y) { return b_.pure(Op::IAdd, Type::Int, {x, y}); }
  Value times(Value x, std::int64_t n) { return b_.pure(Op::IMul, Type::Int, {x, b_.integer(n)}); }
  /// Where a number of the row of a stage stands.
  Value beside(Value number, Value stage) { return sum(times(number, s_.width()), stage); }
  Value beside(Value number, std::int64_t stage) { return beside(number, b_.integer(stage)); }

  template <typename Make> void eachStage(Make make) {
    make(b_.beginLoop(b_.integer(0), b_.integer(s_.width() - 1), false));
    b_.endLoop();
  }

  void sums(const std::vector<RowSums::Sum>& all) {
    std::vector<int> ends;
    for (const RowSums::Sum& one : all) ends.push_back(bufferOf(module_, one.to, s_.size));
    if (s_.moving < s_.size) {
      const Value resting = b_.beginLoop(b_.integer(s_.moving), b_.integer(s_.size - 1), false);
      for (const int end : ends) b_.store(end, resting, b_.load(begin_, resting, false));
      b_.endLoop();
    }
    const Value number = b_.beginLoop(b_.integer(0), b_.integer(s_.moving - 1), false);
    const Value value = b_.load(begin_, number, false);
    std::vector<Value> rates;
    for (std::int64_t j = 0; j < s_.width(); ++j) rates.push_back(b_.load(rates_, beside(number, j), true));
    for (std::size_t k = 0; k < all.size(); ++k) {
      Value total = b_.real(0);
      for (std::size_t j = 0; j < rates.size(); ++j)
        total = b_.add(total, b_.mul(rates[j], b_.real(all[k].coefficients[j])));
      b_.store(ends[k], number, b_.add(value, b_.mul(b_.argument(1), total)));
    }
    b_.endLoop();
  }

  void points() {
    // As many as registers hold beside the coefficients; a row that is a little longer needs no loop.
    constexpr std::int64_t together = 8, mostWithoutLoop = 16;
    const std::int64_t whole = s_.moving <= mostWithoutLoop ? 0 : s_.moving / together * together;
    if (whole > 0) {
      const Value turn = b_.beginLoop(b_.integer(0), b_.integer(whole / together - 1), false);
      points(times(turn, together), together);
      b_.endLoop();
    }
    if (whole < s_.moving) points(b_.integer(whole), s_.moving - whole);
  }

  /// Some numbers of a row at once: they have the coefficients of a stage in common.
  void points(Value first, std::int64_t count) {
    std::vector<std::vector<Value>> rates;
    for (std::int64_t k = 0; k < count; ++k) {
      rates.emplace_back();
      const Value number = sum(first, b_.integer(k));
      for (std::int64_t j = 0; j < s_.width(); ++j) rates.back().push_back(b_.load(rates_, beside(number, j), true));
    }
    eachStage([&](Value stage) {
      for (std::size_t k = 0; k < rates.size(); ++k) {
        const Value number = sum(first, b_.integer(static_cast<std::int64_t>(k)));
        // Two sums, so that half as many operations wait for each other.
        Value sums[] = {b_.real(0), b_.real(0)};
        for (std::size_t j = 0; j < rates[k].size(); ++j) {
          const auto column = static_cast<std::int64_t>(j) * s_.width();
          const Value a = b_.load(coefficients_, sum(b_.integer(column), stage), false);
          sums[j % 2] = b_.add(sums[j % 2], b_.mul(a, rates[k][j]));
        }
        const Value moved = b_.mul(b_.argument(1), b_.add(sums[0], sums[1]));
        b_.store(points_, beside(number, stage), b_.add(b_.load(begin_, number, false), moved));
      }
    });
  }

  void rates(Value h) {
    eachStage([&](Value stage) {
      stage_ = stage;
      const Value node = b_.load(coefficients_, sum(b_.integer(s_.width() * s_.width()), stage), false);
      const Value time = b_.add(b_.argument(0), b_.mul(node, h));
      isOneBlock() ? write(time, h) : call(time, h);
    });
  }

  [[nodiscard]] const tape::Function& source() const { return module_.functions[static_cast<std::size_t>(function_)]; }

  /// Whether each stage can be evaluated beside the others: all that it writes are its rates.
  [[nodiscard]] bool isOneBlock() const {
    if (source().blocks.size() != 1) return false;
    const std::vector<Instr>& code = source().blocks[0].code;
    return std::all_of(code.begin(), code.end(), [&](const Instr& i) {
      return i.op <= Op::Load || i.op == Op::FailIf || (i.op == Op::Store && isAt(module_, i.buffer, s_.rate));
    });
  }

  void write(Value time, Value h) {
    std::vector<Value> values(source().values, tape::none);
    for (const Instr& i : source().blocks[0].code) {
      std::vector<Value> args;
      for (const Value v : i.args) args.push_back(values[v]);
      if (i.op == Op::FailIf)
        b_.failIf(args[0], i.imm);
      else if (i.op != Op::Store)
        values[i.result] = result(i, args, time, h);
      else if (b_.constantInt(args[0]).value_or(0) < s_.moving)
        b_.store(rates_, beside(args[0], stage_), args[1]);
    }
  }

  Value result(const Instr& i, const std::vector<Value>& args, Value time, Value h) {
    switch (i.op) {
    case Op::ConstReal:
      return b_.real(i.real);
    case Op::ConstInt:
      return b_.integer(i.imm);
    case Op::ConstBool:
      return b_.boolean(i.imm != 0);
    case Op::Argument:
      return i.imm == 0 ? time : h;
    case Op::Add:
      return b_.add(args[0], args[1]);
    case Op::Sub:
      return b_.sub(args[0], args[1]);
    case Op::Mul:
      return b_.mul(args[0], args[1]);
    case Op::Div:
      return b_.div(args[0], args[1]);
    case Op::Neg:
      return b_.neg(args[0]);
    case Op::PowInt:
      return b_.powInt(args[0], i.imm);
    case Op::Select:
      return b_.select(args[0], args[1], args[2]);
    case Op::Load:
      if (isAt(module_, i.buffer, s_.point)) return b_.load(points_, beside(args[0], stage_), true);
      if (isAt(module_, i.buffer, s_.rate)) return b_.load(rates_, beside(args[0], stage_), true);
      return b_.load(i.buffer, args[0], false);
    default:
      return b_.pure(i.op, i.type, args, i.imm);
    }
  }

  void call(Value time, Value h) {
    const auto eachNumber = [&](auto move) {
      const Value number = b_.beginLoop(b_.integer(0), b_.integer(s_.size - 1), false);
      move(number, beside(number, stage_));
      b_.endLoop();
    };
    const int point = bufferOf(module_, s_.point, s_.size), rate = bufferOf(module_, s_.rate, s_.size);
    eachNumber([&](Value one, Value all) { b_.store(point, one, b_.load(points_, all, true)); });
    b_.call(function_, {time, h});
    eachNumber([&](Value one, Value all) { b_.store(rates_, all, b_.load(rate, one, true)); });
    module_.functions[static_cast<std::size_t>(function_)].inner = true;
  }

  tape::Module& module_;
  const SideBySide& s_;
  Builder b_;
  int coefficients_, begin_, points_, rates_;
  int function_ = -1;
  Value stage_ = tape::none;
};

} // namespace

std::int64_t movingOf(const tape::Module& module, const SideBySide& s, int function) {
  std::int64_t moving = 0;
  for (const tape::Block& block : module.functions[static_cast<std::size_t>(function)].blocks) {
    std::unordered_map<Value, std::int64_t> places;
    std::unordered_set<Value> zeros;
    for (const Instr& i : block.code) {
      if (i.op == Op::ConstInt) places.emplace(i.result, i.imm);
      if (i.op == Op::ConstReal && i.real == 0) zeros.insert(i.result);
      const auto isRate = [&](std::int32_t buffer) { return isAt(module, buffer, s.rate); };
      if (i.op == Op::Call || std::any_of(i.buffers.begin(), i.buffers.end(), isRate)) return s.size;
      if (i.op < Op::Store || i.buffer < 0 || !isRate(i.buffer)) continue;
      const auto place = i.op == Op::Store ? places.find(i.args[0]) : places.end();
      if (place == places.end()) return s.size; // a loop writes
      if (!zeros.contains(i.args[1])) moving = std::max(moving, place->second + 1);
    }
  }
  return moving;
}

tape::Function beginTurns(tape::Module& module, const std::string& name, const SideBySide& s) {
  return TurnWriter(module, name, s).begin();
}

tape::Function turns(tape::Module& module, const std::string& name, const SideBySide& s, int function,
                     std::int64_t count, const std::vector<RowSums::Sum>& before) {
  return TurnWriter(module, name, s).turns(function, count, before);
}

tape::Function sumsOfTurn(tape::Module& module, const std::string& name, const SideBySide& s,
                          const std::vector<RowSums::Sum>& sums) {
  return TurnWriter(module, name, s).sumsAlone(sums);
}

} // namespace lmc::lower
