// Rules that a tape must obey. Every pass may rely on them; debug builds check after each pass.
#include "tape/Shares.h"
#include "tape/TapeOps.h"
#include "tape/Tiles.h"

#include <algorithm>
#include <limits>

namespace lmc::tape {

namespace {

/// Where a value stands while the blocks are walked.
enum class Scope : std::uint8_t { Undefined, Visible, Left };

struct Known {
  Scope scope = Scope::Undefined;
  Type type = Type::Void;
  bool constant = false; ///< of type Int with the value below
  std::int64_t value = 0;
};

class FunctionVerifier {
public:
  FunctionVerifier(const Module& m, const Function& f)
      : module_(m), function_(f), values_(f.values), used_(f.blocks.size()) {}

  /// The first violated rule, or an empty string.
  std::string run() {
    if (function_.arguments < 0) return fail("negative number of arguments");
    if (function_.blocks.empty()) return fail("no body");
    used_[0] = true;
    block(0);
    return std::move(error_);
  }

private:
  std::string fail(const std::string& rule) {
    if (error_.empty()) {
      error_ = "function " + function_.name;
      if (instr_ != nullptr)
        error_ += ", block " + std::to_string(block_) + ", instruction " + std::to_string(position_) + " (" +
                  std::string(info(instr_->op).name) + ")";
      error_ += ": " + rule;
    }
    return error_;
  }

  void block(std::int32_t index) {
    const Block& b = function_.blocks[static_cast<std::size_t>(index)];
    std::vector<Value> mine;
    for (std::size_t p = 0; p < b.code.size() && error_.empty(); ++p) {
      const Instr& i = b.code[p];
      instr_ = &i;
      block_ = index;
      position_ = p;
      if (static_cast<int>(i.op) >= opCount) {
        instr_ = nullptr;
        fail("unknown operation");
        return;
      }
      operands(i);
      if (error_.empty()) specifics(i);
      if (error_.empty()) result(i, mine);
      if (error_.empty() && i.block >= 0) {
        const bool independent = i.op == Op::Loop && i.imm == independentTurns;
        loops_ += i.op == Op::Loop ? 1 : 0;
        turns_ += independent ? 1 : 0;
        const int around = turnsAt_;
        if (independent) turnsAt_ = loops_;
        block(i.block);
        turnsAt_ = around;
        loops_ -= i.op == Op::Loop ? 1 : 0;
        turns_ -= independent ? 1 : 0;
        if (i.op == Op::Loop) values_[i.result].scope = Scope::Left; // the counter lives in the body only
        if (error_.empty() && i.op == Op::Loop && i.imm == ownedTurns && !ownedSums(function_, i))
          fail("these are no sums that owners of their elements could make");
      }
    }
    for (const Value v : mine) values_[v].scope = Scope::Left;
  }

  void operands(const Instr& i) {
    if (i.op == Op::Kernel) return;
    const std::string_view types = i.op == Op::Loop && i.buffer >= 0 ? "iii" : info(i.op).args;
    if (types != "*" && types.size() != i.args.size()) {
      fail("takes " + std::to_string(types.size()) + " operands, not " + std::to_string(i.args.size()));
      return;
    }
    for (std::size_t a = 0; a < i.args.size() && error_.empty(); ++a) {
      const char letter = types == "*" ? 'r' : types[a];
      operand(i.args[a], letter == 'r' ? Type::Real : letter == 'i' ? Type::Int : letter == 'b' ? Type::Bool : i.type);
    }
  }

  void operand(Value v, Type expected) {
    if (v >= values_.size()) {
      fail("operand %" + std::to_string(v) + " does not exist");
    } else if (values_[v].scope == Scope::Undefined) {
      fail("operand %" + std::to_string(v) + " is used before its definition");
    } else if (values_[v].scope == Scope::Left) {
      fail("operand %" + std::to_string(v) + " is defined in a block that does not enclose its use");
    } else if (values_[v].type != expected) {
      fail("operand %" + std::to_string(v) + " is " + std::string(name(values_[v].type)) + ", not " +
           std::string(name(expected)));
    }
  }

  void result(const Instr& i, std::vector<Value>& mine) {
    const Type expected = i.op == Op::Select ? i.type : info(i.op).result;
    if (i.type != expected) {
      fail("its type is " + std::string(name(expected)) + ", not " + std::string(name(i.type)));
    } else if (expected == Type::Void) {
      if (i.result != none) fail("has no result");
    } else if (i.result == none || i.result >= values_.size()) {
      fail("its result is not one of the function's values");
    } else if (values_[i.result].scope != Scope::Undefined) {
      fail("value %" + std::to_string(i.result) + " is defined twice");
    } else {
      values_[i.result] = {Scope::Visible, i.type, i.op == Op::ConstInt, i.imm};
      mine.push_back(i.result);
    }
  }

  void specifics(const Instr& i) {
    const bool leaves = i.op == Op::BreakIf && loops_ == turnsAt_;
    if (turns_ > 0 && (i.op == Op::Call || i.op == Op::Kernel || leaves))
      fail("stands in a turn that may be made together with others");
    const bool structured = i.op == Op::Loop || i.op == Op::If;
    if (structured != (i.block >= 0)) {
      fail(structured ? "has no block" : "cannot have a block");
      return;
    }
    const bool memory = i.op >= Op::Load && i.op <= Op::Fill;
    if (memory) return access(i);
    if (structured) return ownBlock(i);
    switch (i.op) {
    case Op::Argument:
      if (i.imm < 0 || i.imm >= function_.arguments) fail("the function has no argument " + std::to_string(i.imm));
      break;
    case Op::Stumpff:
      if (i.imm < 0 || i.imm > maxStumpffOrder) fail("the order must be in 0.." + std::to_string(maxStumpffOrder));
      break;
    case Op::Select:
      if (i.type == Type::Void) fail("must have a type");
      break;
    case Op::FailIf:
      if (i.imm <= 0 || i.imm > std::numeric_limits<std::int32_t>::max()) fail("the status must be positive");
      break;
    case Op::BreakIf:
      if (loops_ == 0) fail("there is no loop around");
      break;
    case Op::Call:
      call(i);
      break;
    case Op::Kernel:
      kernel(i);
      break;
    default:
      break;
    }
  }

  void ownBlock(const Instr& i) {
    const auto b = static_cast<std::size_t>(i.block);
    if (b >= used_.size()) {
      fail("block " + std::to_string(i.block) + " does not exist");
    } else if (used_[b]) {
      fail("block " + std::to_string(i.block) + " is used twice");
    } else {
      used_[b] = true;
    }
    if (i.op == Op::Loop && (i.imm < -1 || i.imm > ownedTurns))
      fail("the direction must be 1 or -1, 2 of independent turns, or 3 of owned ones");
    if (i.op == Op::Loop && i.buffer >= 0 && usable(i.buffer, true) && i.imm < 0) fail("a list has ascending rows");
  }

  /// The buffer exists and, if it is to be written, may be written.
  bool usable(std::int32_t b, bool written) {
    if (b < 0 || static_cast<std::size_t>(b) >= module_.buffers.size()) {
      fail("buffer " + std::to_string(b) + " does not exist");
      return false;
    }
    const Buffer& buffer = module_.buffers[static_cast<std::size_t>(b)];
    if (written && buffer.role == runtime::Role::Params) {
      fail("parameters are read only, but " + buffer.name + " is written");
      return false;
    }
    return true;
  }

  void access(const Instr& i) {
    if (!usable(i.buffer, i.op != Op::Load) || i.op == Op::Fill) return;
    const Buffer& buffer = module_.buffers[static_cast<std::size_t>(i.buffer)];
    const Known& index = values_[i.args[0]];
    if (index.constant && (index.value < 0 || index.value >= buffer.size))
      fail("index " + std::to_string(index.value) + " is outside " + buffer.name + ", which has " +
           std::to_string(buffer.size) + " elements");
  }

  void call(const Instr& i) {
    if (i.imm < 0 || static_cast<std::size_t>(i.imm) >= module_.functions.size()) {
      fail("function " + std::to_string(i.imm) + " does not exist");
      return;
    }
    const Function& callee = module_.functions[static_cast<std::size_t>(i.imm)];
    if (i.args.size() != static_cast<std::size_t>(std::max(callee.arguments, 0)))
      fail(callee.name + " takes " + std::to_string(callee.arguments) + " arguments, not " +
           std::to_string(i.args.size()));
  }

  void kernel(const Instr& i) {
    if (i.imm < 0 || i.imm >= kernelCount) {
      fail("kernel " + std::to_string(i.imm) + " does not exist");
      return;
    }
    const KernelInfo& k = info(static_cast<KernelId>(i.imm));
    if (static_cast<int>(i.buffers.size()) != k.buffers || static_cast<int>(i.args.size()) != k.args) {
      fail(std::string(k.name) + " takes " + std::to_string(k.buffers) + " buffers and " + std::to_string(k.args) +
           " integers");
      return;
    }
    for (const Value a : i.args) operand(a, Type::Int);
    for (std::size_t b = 0; b < i.buffers.size() && error_.empty(); ++b) {
      if (!usable(i.buffers[b], k.written[b] == 'w')) return;
      const bool written = k.written[b] == 'w';
      if (written && std::count(i.buffers.begin(), i.buffers.end(), i.buffers[b]) > 1)
        fail("a buffer that it writes and its others must be different");
      if (error_.empty()) kernelSize(i, k.sizes[b], module_.buffers[static_cast<std::size_t>(i.buffers[b])]);
    }
  }

  /// The size of one array of a kernel, when its dimensions are constants.
  void kernelSize(const Instr& i, char kind, const Buffer& buffer) {
    const Known& n = values_[i.args[0]];
    const Known& second = values_[i.args.back()];
    std::int64_t need = 1;
    if (kind != '1') {
      if (!n.constant || (kind == 's' && !second.constant)) return;
      if (n.value < 0 || n.value > (1 << 20) || second.value < 0 || second.value > (1 << 20)) {
        fail("a dimension is out of range");
        return;
      }
      need = kind == 'm'   ? n.value * n.value
             : kind == 'w' ? 5 * n.value * n.value
             : kind == 's' ? n.value * second.value
             : kind == 'd' ? 2 * n.value
                           : n.value;
    }
    if (need > buffer.size)
      fail(buffer.name + " has " + std::to_string(buffer.size) + " elements, " + std::to_string(need) + " are needed");
  }

  const Module& module_;
  const Function& function_;
  std::vector<Known> values_;
  std::vector<bool> used_;
  int turns_ = 0;   ///< open loops of independent turns
  int turnsAt_ = 0; ///< of the innermost of them: the number of loops that it is of those that are open
  std::string error_;
  const Instr* instr_ = nullptr;
  std::int32_t block_ = 0;
  std::size_t position_ = 0;
  int loops_ = 0; ///< open around the instruction
};

/// Buffers lie within their role and do not overlap: generated code relies on it for reordering memory accesses.
std::string verifyBuffers(const Module& m) {
  std::vector<const Buffer*> order;
  for (const Buffer& b : m.buffers) {
    if (static_cast<int>(b.role) >= runtime::roleCount) return "buffer " + b.name + ": unknown role";
    const std::int64_t size = m.roleSize[static_cast<int>(b.role)];
    if (b.offset < 0 || b.size < 0 || b.offset > size || b.size > size - b.offset)
      return "buffer " + b.name + " lies outside its role";
    if (b.size > 0) order.push_back(&b);
  }
  std::sort(order.begin(), order.end(), [](const Buffer* a, const Buffer* b) {
    return a->role != b->role ? a->role < b->role : a->offset < b->offset;
  });
  for (std::size_t i = 1; i < order.size(); ++i)
    if (order[i]->role == order[i - 1]->role && order[i]->offset < order[i - 1]->offset + order[i - 1]->size)
      return "buffers " + order[i - 1]->name + " and " + order[i]->name + " overlap";
  return {};
}

/// No function calls itself, directly or through others; `step` leaves the constants alone.
class CallGraph {
public:
  explicit CallGraph(const Module& m) : module_(m), state_(m.functions.size(), 0), writes_(m.functions.size(), false) {}

  std::string run() {
    for (std::size_t f = 0; f < module_.functions.size(); ++f)
      if (!visit(f)) return "function " + module_.functions[f].name + " calls itself";
    if (module_.step >= 0 && writes_[static_cast<std::size_t>(module_.step)])
      return "function " + module_.functions[static_cast<std::size_t>(module_.step)].name +
             ": a step must not write constants";
    return {};
  }

private:
  bool visit(std::size_t f) {
    if (state_[f] != 0) return state_[f] == 2;
    state_[f] = 1;
    for (const Block& b : module_.functions[f].blocks)
      for (const Instr& i : b.code) {
        const bool store = i.op == Op::Store || i.op == Op::Accum || i.op == Op::Fill;
        if (store && constant(i.buffer)) writes_[f] = true;
        if (i.op == Op::Kernel && kernelWritesConstants(i)) writes_[f] = true;
        if (i.op != Op::Call) continue;
        const auto callee = static_cast<std::size_t>(i.imm);
        if (!visit(callee)) return false;
        if (writes_[callee]) writes_[f] = true;
      }
    state_[f] = 2;
    return true;
  }

  [[nodiscard]] bool constant(std::int32_t b) const {
    return module_.buffers[static_cast<std::size_t>(b)].role == runtime::Role::Constants;
  }

  [[nodiscard]] bool kernelWritesConstants(const Instr& i) const {
    const std::string_view written = info(static_cast<KernelId>(i.imm)).written;
    for (std::size_t b = 0; b < i.buffers.size(); ++b)
      if (written[b] == 'w' && constant(i.buffers[b])) return true;
    return false;
  }

  const Module& module_;
  std::vector<char> state_;
  std::vector<bool> writes_;
};

} // namespace

std::string verify(const Module& module) {
  if (std::string error = verifyBuffers(module); !error.empty()) return error;
  for (const Function& f : module.functions)
    if (std::string error = FunctionVerifier(module, f).run(); !error.empty()) return error;
  if (module.step >= 0) {
    if (static_cast<std::size_t>(module.step) >= module.functions.size()) return "the step function does not exist";
    const Function& step = module.functions[static_cast<std::size_t>(module.step)];
    if (step.arguments != 2) return "function " + step.name + ": a step takes the arguments t and h";
  }
  return CallGraph(module).run();
}

} // namespace lmc::tape
