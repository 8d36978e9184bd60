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

/// The buffer at a place, which it gets where it has none.
int bufferOf(tape::Module& module, RowPlace at, std::int64_t size) {
  const int existing = bufferAt(module, at.role, at.offset);
  return existing >= 0 ? existing : addBuffer(module, "stages", at.role, at.offset, size);
}

Value sum(Builder& b, Value x, Value y) {
  return b.pure(Op::IAdd, Type::Int, {x, y});
}

/// Of a number of a row the first of those of all stages.
Value firstOf(Builder& b, Value number, std::int64_t width) {
  return b.pure(Op::IMul, Type::Int, {number, b.integer(width)});
}

bool isAt(const tape::Module& module, std::int32_t buffer, RowPlace place) {
  const tape::Buffer& b = module.buffers[static_cast<std::size_t>(buffer)];
  return b.role == place.role && b.offset == place.offset;
}

/// What the loop over the stages makes of the function that evaluates one.
class StageWriter {
public:
  StageWriter(tape::Module& module, const std::string& name, const SideBySide& s, int function)
      : module_(module), s_(s), function_(function), b_(name, 2),
        points_(bufferOf(module, s.points, s.size * s.width())), rates_(bufferOf(module, s.rates, s.size * s.width())),
        coefficients_(bufferOf(module, s.coefficients, s.coefficientsOf())) {}

  tape::Function run() {
    const Value t = b_.argument(0), h = b_.argument(1);
    stage_ = b_.beginLoop(b_.integer(0), b_.integer(s_.width() - 1), false);
    const Value node = b_.load(coefficients_, sum(b_, b_.integer(s_.width() * s_.width()), stage_), false);
    const Value time = b_.add(t, b_.mul(node, h));
    isOneBlock() ? write(time, h) : call(time, h);
    b_.endLoop();
    return b_.finish();
  }

private:
  [[nodiscard]] const tape::Function& source() const { return module_.functions[static_cast<std::size_t>(function_)]; }

  [[nodiscard]] bool isAt(std::int32_t buffer, RowPlace place) const { return lower::isAt(module_, buffer, place); }

  /// Whether each stage can be evaluated beside the others: all that it writes are its rates.
  [[nodiscard]] bool isOneBlock() const {
    if (source().blocks.size() != 1) return false;
    const std::vector<Instr>& code = source().blocks[0].code;
    return std::all_of(code.begin(), code.end(), [&](const Instr& i) {
      return i.op <= Op::Load || i.op == Op::FailIf || (i.op == Op::Store && isAt(i.buffer, s_.rate));
    });
  }

  void write(Value time, Value h) {
    std::vector<Value> values(source().values, tape::none);
    const auto of = [&](Value v) { return values[v]; };
    for (const Instr& i : source().blocks[0].code) {
      std::vector<Value> args;
      std::transform(i.args.begin(), i.args.end(), std::back_inserter(args), of);
      if (i.op == Op::FailIf)
        b_.failIf(args[0], i.imm);
      else if (i.op != Op::Store)
        values[i.result] = result(i, args, time, h);
      else if (b_.constantInt(args[0]).value_or(0) < s_.size) // the others are zero
        b_.store(rates_, beside(args[0]), args[1]);
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
      return load(i, args[0]);
    default:
      return b_.pure(i.op, i.type, args, i.imm);
    }
  }

  Value load(const Instr& i, Value index) {
    if (isAt(i.buffer, s_.point)) return b_.load(points_, beside(index), false);
    if (isAt(i.buffer, s_.rate)) return b_.load(rates_, beside(index), true);
    return b_.load(i.buffer, index, false);
  }

  /// Where a number of the row of this stage stands.
  Value beside(Value number) { return sum(b_, firstOf(b_, number, s_.width()), stage_); }

  void call(Value time, Value h) {
    const auto each = [&](auto move) {
      const Value number = b_.beginLoop(b_.integer(0), b_.integer(s_.size - 1), false);
      move(number, beside(number));
      b_.endLoop();
    };
    const int point = bufferOf(module_, s_.point, s_.size), rate = bufferOf(module_, s_.rate, s_.size);
    each([&](Value one, Value all) { b_.store(point, one, b_.load(points_, all, true)); });
    b_.call(function_, {time, h});
    each([&](Value one, Value all) { b_.store(rates_, all, b_.load(rate, one, true)); });
    module_.functions[static_cast<std::size_t>(function_)].inner = true;
  }

  tape::Module& module_;
  const SideBySide& s_;
  int function_;
  Builder b_;
  int points_, rates_, coefficients_;
  Value stage_ = tape::none;
};

} // namespace

std::int64_t numbersOf(const tape::Module& module, const SideBySide& s, int function) {
  std::int64_t numbers = 0;
  for (const tape::Block& block : module.functions[static_cast<std::size_t>(function)].blocks) {
    std::unordered_map<Value, std::int64_t> places;
    std::unordered_set<Value> zeros;
    for (const Instr& i : block.code) {
      if (i.op == Op::ConstInt) places.emplace(i.result, i.imm);
      if (i.op == Op::ConstReal && i.real == 0) zeros.insert(i.result);
      if (i.op < Op::Store || i.buffer < 0 || !isAt(module, i.buffer, s.rate)) continue;
      const auto place = i.op == Op::Store ? places.find(i.args[0]) : places.end();
      if (place == places.end()) return s.size; // a loop writes
      if (!zeros.contains(i.args[1])) numbers = std::max(numbers, place->second + 1);
    }
  }
  return numbers;
}

tape::Function beginBlocks(tape::Module& module, const std::string& name, const SideBySide& s) {
  Builder b(name, 2);
  const int coefficients = bufferOf(module, s.coefficients, s.coefficientsOf());
  std::int64_t next = 0;
  const auto write = [&](double x) { b.store(coefficients, b.integer(next++), b.real(x)); };
  for (std::size_t j = 0; j < s.c.size(); ++j) // as vectors over the stages read them
    for (const std::vector<double>& row : s.a) write(row[j]);
  std::for_each(s.c.begin(), s.c.end(), write);
  const int begin = bufferOf(module, s.begin, s.size), points = bufferOf(module, s.points, s.size * s.width());
  const Value number = b.beginLoop(b.integer(0), b.integer(s.size - 1), false);
  const Value first = firstOf(b, number, s.width()), value = b.load(begin, number, false);
  const Value stage = b.beginLoop(b.integer(0), b.integer(s.width() - 1), false);
  b.store(points, sum(b, first, stage), value);
  b.endLoop();
  b.endLoop();
  return b.finish();
}

namespace {

/// points = begin + h a rates, for some numbers of a row at once: they have the coefficients of a stage in common.
class PointWriter {
public:
  PointWriter(tape::Module& module, const std::string& name, const SideBySide& s)
      : s_(s), b_(name, 2), coefficients_(bufferOf(module, s.coefficients, s.coefficientsOf())),
        begin_(bufferOf(module, s.begin, s.size)), points_(bufferOf(module, s.points, s.size * s.width())),
        rates_(bufferOf(module, s.rates, s.size * s.width())) {}

  tape::Function run() {
    // As many as registers hold beside the coefficients; a row that is a little longer needs no loop.
    constexpr std::int64_t together = 8, mostWithoutLoop = 16;
    const std::int64_t whole = s_.size <= mostWithoutLoop ? 0 : s_.size / together * together;
    if (whole > 0) {
      const Value turn = b_.beginLoop(b_.integer(0), b_.integer(whole / together - 1), false);
      write(firstOf(b_, turn, together), together);
      b_.endLoop();
    }
    if (whole < s_.size) write(b_.integer(whole), s_.size - whole);
    return b_.finish();
  }

private:
  void write(Value number, std::int64_t count) {
    const Value stage = b_.beginLoop(b_.integer(0), b_.integer(s_.width() - 1), false);
    for (std::int64_t k = 0; k < count; ++k) {
      const Value own = sum(b_, number, b_.integer(k)), first = firstOf(b_, own, s_.width());
      // Two sums, so that half as many operations wait for each other.
      Value sums[] = {b_.real(0), b_.real(0)};
      for (std::int64_t j = 0; j < s_.width(); ++j) {
        const Value rate = b_.load(rates_, sum(b_, first, b_.integer(j)), false);
        const Value a = b_.load(coefficients_, sum(b_, b_.integer(j * s_.width()), stage), false);
        sums[j % 2] = b_.add(sums[j % 2], b_.mul(a, rate));
      }
      const Value step = b_.mul(b_.argument(1), b_.add(sums[0], sums[1]));
      b_.store(points_, sum(b_, first, stage), b_.add(b_.load(begin_, own, false), step));
    }
    b_.endLoop();
  }

  const SideBySide& s_;
  Builder b_;
  int coefficients_, begin_, points_, rates_;
};

} // namespace

tape::Function pointsOfBlock(tape::Module& module, const std::string& name, const SideBySide& s) {
  return PointWriter(module, name, s).run();
}

tape::Function ratesOfBlock(tape::Module& module, const std::string& name, const SideBySide& s, int function) {
  return StageWriter(module, name, s, function).run();
}

tape::Function sumsOfBlock(tape::Module& module, const std::string& name, const SideBySide& s,
                           const std::vector<RowSums::Sum>& sums) {
  Builder b(name, 2);
  const Value h = b.argument(1);
  const int begin = bufferOf(module, s.begin, s.size), rates = bufferOf(module, s.rates, s.size * s.width());
  std::vector<int> to;
  for (const RowSums::Sum& one : sums) to.push_back(bufferOf(module, one.to, s.size));
  const Value number = b.beginLoop(b.integer(0), b.integer(s.size - 1), false);
  const Value first = firstOf(b, number, s.width()), value = b.load(begin, number, false);
  for (std::size_t k = 0; k < sums.size(); ++k) {
    Value total = b.real(0);
    for (std::int64_t j = 0; j < s.width(); ++j)
      total = b.add(total, b.mul(b.load(rates, sum(b, first, b.integer(j)), false),
                                 b.real(sums[k].coefficients[static_cast<std::size_t>(j)])));
    b.store(to[k], number, b.add(value, b.mul(h, total)));
  }
  b.endLoop();
  return b.finish();
}

} // namespace lmc::lower
