#include "Oscillator.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lmc::test {

namespace {

using tape::Op;
using tape::Type;
using tape::Value;

/// Appends instructions to the body of one function.
class Body {
public:
  Body(const char* name, int arguments) {
    function_.name = name;
    function_.arguments = arguments;
    function_.blocks.resize(1);
  }

  Value op(Op o, std::vector<Value> args, Type type = Type::Real, std::int64_t imm = 0, std::int32_t buffer = -1) {
    tape::Instr i;
    i.op = o;
    i.type = type;
    i.imm = imm;
    i.args = std::move(args);
    i.buffer = buffer;
    if (type != Type::Void) i.result = function_.values++;
    function_.blocks[0].code.push_back(i);
    return i.result;
  }
  Value real(double x) {
    const Value v = op(Op::ConstReal, {});
    function_.blocks[0].code.back().real = x;
    return v;
  }
  Value argument(int i) { return op(Op::Argument, {}, Type::Real, i); }
  Value load(std::int32_t buffer, int i) {
    return op(Op::Load, {op(Op::ConstInt, {}, Type::Int, i)}, Type::Real, 0, buffer);
  }
  void store(std::int32_t buffer, int i, Value x) {
    op(Op::Store, {op(Op::ConstInt, {}, Type::Int, i), x}, Type::Void, 0, buffer);
  }
  tape::Function take() { return std::move(function_); }

private:
  tape::Function function_;
};

enum Memory : std::int32_t { Parameters, State, Output };

tape::Function makeStep() {
  Body b("step", 2);
  const Value t = b.argument(0), h = b.argument(1);
  const Value late = b.op(Op::Lt, {b.load(Parameters, 1), t}, Type::Bool);
  b.op(Op::FailIf, {late}, Type::Void, runtime::SingularMass);
  const Value c = b.op(Op::Cos, {h}), s = b.op(Op::Sin, {h});
  const Value x = b.load(State, 0), v = b.load(State, 1);
  b.store(State, 0, b.op(Op::Add, {b.op(Op::Mul, {c, x}), b.op(Op::Mul, {s, v})}));
  b.store(State, 1, b.op(Op::Sub, {b.op(Op::Mul, {c, v}), b.op(Op::Mul, {s, x})}));
  b.store(State, 2, b.op(Op::Add, {b.load(State, 2), h}));
  b.store(State, 3, b.op(Op::Mul, {b.load(State, 3), b.load(Parameters, 0)}));
  return b.take();
}

tape::Function makeObserve() {
  Body b("observe", 1);
  const Value t = b.argument(0), x = b.load(State, 0), v = b.load(State, 1);
  const Value square = b.op(Op::Add, {b.op(Op::Mul, {x, x}), b.op(Op::Mul, {v, v})});
  b.store(Output, 0, b.op(Op::Mul, {b.real(0.5), square}));
  b.store(Output, 1, t);
  b.store(Output, 2, b.op(Op::Abs, {b.op(Op::Sub, {b.load(State, 2), t})}));
  return b.take();
}

tape::Module makeModule() {
  tape::Module m;
  m.buffers = {
      {"p", runtime::Role::Params, 0, 2}, {"y", runtime::Role::State, 0, 4}, {"out", runtime::Role::Output, 0, 3}};
  m.roleSize[static_cast<int>(runtime::Role::Params)] = 2;
  m.roleSize[static_cast<int>(runtime::Role::State)] = 4;
  m.roleSize[static_cast<int>(runtime::Role::Output)] = 3;
  m.functions = {makeStep(), makeObserve()};
  m.step = 0;
  return m;
}

const tape::Module& module() {
  return oscillatorTape();
}

std::int32_t interpreted(int function, double* const* bases, const double* arguments) {
  runtime::Bases b;
  std::copy_n(bases, runtime::roleCount, b.base);
  return tape::interpret(module(), function, b, arguments);
}

std::int32_t observe(double* const* bases, const double* arguments) {
  return interpreted(1, bases, arguments);
}
std::int32_t step(double* const* bases, const double* arguments) {
  return interpreted(0, bases, arguments);
}

std::int32_t advance(double* const* bases, double* t, double h, std::int64_t n, std::int64_t* done) {
  double* const y = bases[static_cast<int>(runtime::Role::State)];
  const double t0 = *t;
  const std::int64_t first = *done;
  *t = t0 + static_cast<double>(first) * h;
  for (*done = 0; *done < n;) {
    const std::vector<double> before(y, y + 4);
    const double arguments[2] = {*t, h};
    std::int32_t status = step(bases, arguments);
    if (status == runtime::Ok && !std::all_of(y, y + 4, [](double x) { return std::isfinite(x); }))
      status = runtime::NonFinite;
    if (status != runtime::Ok) {
      std::copy(before.begin(), before.end(), y);
      return status;
    }
    *t = t0 + static_cast<double>(first + ++*done) * h;
  }
  return runtime::Ok;
}

class Interpreted final : public WithoutCompiler {
public:
  [[nodiscard]] Function function(int index) const override { return index == 0 ? &step : &observe; }
  [[nodiscard]] Advance advance() const override { return &test::advance; }
};

} // namespace

const tape::Module& oscillatorTape() {
  static const tape::Module m = makeModule();
  return m;
}

runtime::Problem oscillator(const OscillatorOptions& options) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  runtime::Problem p;
  p.model = "Oscillator";
  p.method = "exact";
  p.code = std::make_shared<Interpreted>();
  for (int i = 0; i < runtime::roleCount; ++i) p.sizes[static_cast<std::size_t>(i)] = module().roleSize[i];
  p.params = {options.gain, options.limit};
  p.initialState = {1, 0, options.from, 1};
  p.functions.observe = 1;
  for (const char* const name : {"x", "v", "clock", "z"})
    p.fields.push_back({name,
                        {},
                        {},
                        0,
                        runtime::Role::State,
                        static_cast<std::int64_t>(p.fields.size()),
                        runtime::FieldKind::State,
                        true});
  p.fields.push_back({"energy", {}, {}, 0, runtime::Role::Output, 0, runtime::FieldKind::Energy, true});
  p.fields.push_back({"time", {}, {}, 0, runtime::Role::Output, 1, runtime::FieldKind::Observable, true});
  p.fields.push_back(
      {"defect(clock)", {}, {}, 0, runtime::Role::Output, 2, runtime::FieldKind::Defect, false, "clock"});
  p.evaluationsPerStep = 4;
  p.timeFrom = options.from;
  p.timeTo = options.to;
  p.step = options.step;
  p.outputEvery = options.every > 0 ? options.every : none;
  p.outputSteps = options.outputSteps;
  return p;
}

} // namespace lmc::test
