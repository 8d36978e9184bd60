#include "tape/TapeCost.h"

#include "tape/TapeOps.h"

#include <algorithm>
#include <cmath>

namespace lmc::tape {

namespace {

/// Of an exponential or a division, in sums and products.
constexpr double functionCost = 15;
/// Turns of a loop with an exit that count.
constexpr double turnsToExit = 3;
/// As many as a vector has numbers.
constexpr double turnsOfVector = 8;
/// Turns of a loop over a list of pairs.
constexpr double turnsInList = 40;

class Counter {
public:
  Counter(const Module& m, const Function& f, double instruction, double vector)
      : module_(m), function_(f), instruction_(instruction), vector_(vector), guess_(f.values, 1.0),
        loops_(f.values, 0.0) {}

  double block(std::int32_t index) {
    double sum = 0;
    for (const Instr& i : function_.blocks[static_cast<std::size_t>(index)].code) sum += one(i);
    return sum;
  }

  /// By the value of a loop: what one run of it costs.
  [[nodiscard]] const std::vector<double>& loops() const { return loops_; }

private:
  double one(const Instr& i) {
    const auto at = [&](std::size_t k) { return guess_[i.args[k]]; };
    switch (i.op) {
    case Op::ConstInt:
      guess_[i.result] = static_cast<double>(i.imm);
      return 0;
    case Op::IAdd:
      guess_[i.result] = at(0) + at(1);
      break;
    case Op::ISub:
      guess_[i.result] = at(0) - at(1);
      break;
    case Op::IMul:
      guess_[i.result] = at(0) * at(1);
      break;
    case Op::IMin:
      guess_[i.result] = std::min(at(0), at(1));
      break;
    case Op::IMax:
      guess_[i.result] = std::max(at(0), at(1));
      break;
    case Op::Loop:
      return loop(i, at(0), at(1));
    case Op::If:
      return instruction_ + block(i.block);
    case Op::Call:
      return instruction_ + cost(module_, static_cast<int>(i.imm), instruction_, vector_);
    case Op::Kernel:
      return kernel(i, at(0));
    case Op::Fill:
      return static_cast<double>(module_.buffers[static_cast<std::size_t>(i.buffer)].size);
    default:
      break;
    }
    return instruction_ + (info(i.op).slow ? functionCost : 0);
  }

  double loop(const Instr& i, double low, double high) {
    double turns = std::max(0.0, high - low + 1);
    if (i.buffer >= 0) turns = std::min(turns, turnsInList);
    guess_[i.result] = (low + high) / 2;
    for (const Instr& inner : function_.blocks[static_cast<std::size_t>(i.block)].code)
      if (inner.op == Op::BreakIf) turns = std::min(turns, turnsToExit);
    if (turns == turnsOfVector ? isInnermost(i.block) : turns > turnsOfVector && isOfVectors(i.block))
      turns *= vector_ / turnsOfVector;
    return loops_[i.result] = turns * block(i.block);
  }

  [[nodiscard]] bool isInnermost(std::int32_t index) const {
    const std::vector<Instr>& code = function_.blocks[static_cast<std::size_t>(index)].code;
    return std::none_of(code.begin(), code.end(), [](const Instr& i) {
      return i.block >= 0 || i.op == Op::Call || i.op == Op::Kernel || i.op == Op::BreakIf;
    });
  }

  /// The same of a loop whose turns need nothing of each other: what it writes it does not read.
  [[nodiscard]] bool isOfVectors(std::int32_t index) const {
    if (!isInnermost(index)) return false;
    const std::vector<Instr>& code = function_.blocks[static_cast<std::size_t>(index)].code;
    const auto reads = [&](std::int32_t buffer) {
      return std::any_of(code.begin(), code.end(),
                         [&](const Instr& i) { return i.op == Op::Load && i.buffer == buffer; });
    };
    return std::none_of(code.begin(), code.end(), [&](const Instr& i) {
      return i.op == Op::Accum || (i.op == Op::Store && reads(i.buffer));
    });
  }

  [[nodiscard]] double kernel(const Instr& i, double n) const {
    switch (static_cast<KernelId>(i.imm)) {
    case KernelId::CholeskyFactor:
    case KernelId::LuFactor:
    case KernelId::NewtonChange:
    case KernelId::NewtonFactor:
      return instruction_ + n * n * n / 3;
    case KernelId::MatrixExponential:
      return instruction_ + 20 * n * n * n;
    case KernelId::NearUpdate:
      return instruction_ + 20 * n;
    default:
      return instruction_ + 2 * n * n;
    }
  }

  const Module& module_;
  const Function& function_;
  double instruction_, vector_;
  std::vector<double> guess_; ///< of integers
  std::vector<double> loops_;
};

} // namespace

double cost(const Module& module, int function, double instruction, double vector) {
  return Counter(module, module.functions[static_cast<std::size_t>(function)], instruction, vector).block(0);
}

std::vector<double> loopCosts(const Module& module, int function) {
  Counter counter(module, module.functions[static_cast<std::size_t>(function)], 1, turnsOfVector);
  (void)counter.block(0);
  return counter.loops();
}

std::size_t lengthOf(const Function& function) {
  std::size_t length = 0;
  for (const Block& b : function.blocks) length += b.code.size();
  return length;
}

} // namespace lmc::tape
