#include "lower/steps/Calls.h"

#include "lower/builder/Builder.h"

#include <algorithm>
#include <optional>

namespace lmc::lower {

using tape::Op;
using tape::Type;
using tape::Value;

namespace {

class CallWriter {
public:
  CallWriter(const std::string& name, const std::vector<PartOfStep>& parts) : b_(name, 2), parts_(parts) {}

  tape::Function run() {
    const Value t = b_.argument(0), h = b_.argument(1);
    turn_ = b_.beginLoop(b_.integer(0), b_.integer(static_cast<std::int64_t>(parts_.size()) - 1), false);
    const Value begin = b_.add(t, b_.mul(ofTurn(&PartOfStep::begin), h));
    const Value length = b_.mul(ofTurn(&PartOfStep::length), h);
    std::vector<int> functions;
    for (const PartOfStep& p : parts_)
      if (std::find(functions.begin(), functions.end(), p.function) == functions.end()) functions.push_back(p.function);
    for (const int f : functions) {
      if (functions.size() > 1) b_.beginIf(isTurnOf(f));
      b_.call(f, {begin, length});
      if (functions.size() > 1) b_.endIf();
    }
    b_.endLoop();
    return b_.finish();
  }

private:
  Value isTurn(std::size_t k) {
    return b_.pure(Op::IEq, Type::Bool, {turn_, b_.integer(static_cast<std::int64_t>(k))});
  }

  /// The number of the present part: chosen by the loop's index, which all trajectories have in common.
  Value ofTurn(double PartOfStep::*number) {
    Value v = b_.real(parts_[0].*number);
    for (std::size_t k = 1; k < parts_.size(); ++k) v = b_.select(isTurn(k), b_.real(parts_[k].*number), v);
    return v;
  }

  Value isTurnOf(int function) {
    std::optional<Value> any;
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      if (parts_[k].function != function) continue;
      any = any ? b_.pure(Op::Or, Type::Bool, {*any, isTurn(k)}) : isTurn(k);
    }
    return any.value();
  }

  Builder b_;
  const std::vector<PartOfStep>& parts_;
  Value turn_ = tape::none;
};

/// The functions are no entries of the code.
void callOnly(tape::Module& module, const std::vector<PartOfStep>& parts) {
  for (const PartOfStep& p : parts) module.functions[static_cast<std::size_t>(p.function)].inner = true;
}

} // namespace

tape::Function callsInOrder(tape::Module& module, const std::string& name, const std::vector<PartOfStep>& parts,
                            int arguments) {
  callOnly(module, parts);
  Builder b(name, arguments);
  const Value t = b.argument(0), h = arguments > 1 ? b.argument(1) : b.real(0);
  for (const PartOfStep& p : parts)
    b.call(p.function, {b.add(t, b.mul(b.real(p.begin), h)), b.mul(b.real(p.length), h)});
  return b.finish();
}

tape::Function callsOverParts(tape::Module& module, const std::string& name, const std::vector<PartOfStep>& parts) {
  callOnly(module, parts);
  return CallWriter(name, parts).run();
}

} // namespace lmc::lower
