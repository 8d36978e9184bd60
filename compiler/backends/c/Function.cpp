// Instructions become expressions where their value is used once, and variables with names where they mean something
// or are used more than once. A load is repeated in the text as long as nothing has written the buffer since.
#include "backends/c/Function.h"

#include "backends/c/Facts.h"
#include "backends/c/Operators.h"
#include "backends/c/Text.h"
#include "tape/TapeOps.h"

#include <algorithm>
#include <array>
#include <bit>
#include <fmt/format.h>
#include <map>
#include <unordered_map>
#include <utility>

namespace lmc::backends {

using runtime::Role;
using tape::Instr;
using tape::Op;
using tape::Value;
using unit::Exported;

namespace {

/// Longer expressions become variables.
constexpr std::size_t longest = 100;

/// A value as text that may be used where it stands.
struct Text {
  std::string code;
  int strength = Atom;
  std::set<std::int32_t> buffers; ///< that it reads and that the function writes
};

class Printer {
public:
  Printer(const Exported& unit, const tape::Function& f, Needs& needs)
      : u_(unit), f_(f), needs_(needs), facts_(unit.unit.module, f) {
    for (const tape::Note& n : f.notes) notes_[n.value] = &n;
    for (const char* word : {"self", "t", "h", "p", "y", "o", "c", "status"}) taken_.insert(word);
  }

  std::string run(const std::string& name) {
    block(0, 2);
    std::string text = fmt::format("static int {}({}* self", name, u_.prefix);
    constexpr std::array<const char*, 2> arguments = {"t", "h"};
    for (int a = 0; a < f_.arguments; ++a)
      text += fmt::format(", double {}", arguments.at(static_cast<std::size_t>(a)));
    text += ") {\n" + declarations();
    for (int a = 0; a < f_.arguments; ++a)
      if (!argumentUsed_[a]) text += fmt::format("  (void){};\n", arguments.at(static_cast<std::size_t>(a)));
    return text + body_ + fmt::format("  return {}_OK;\n}}\n", unit::upper(u_.prefix));
  }

private:
  // --- memory -------------------------------------------------------------------------------------------------

  const tape::Buffer& buffer(std::int32_t b) const { return u_.unit.module.buffers[static_cast<std::size_t>(b)]; }

  /// The field that holds a number of the role, and its member of the structure; null without one.
  std::pair<const runtime::Field*, std::string> fieldAt(Role role, std::int64_t offset) const {
    for (std::size_t k = 0; k < u_.fields().size(); ++k) {
      const runtime::Field& f = u_.fields()[k];
      if (f.role == role && offset >= f.offset && offset < f.offset + f.count()) return {&f, u_.members[k]};
    }
    return {nullptr, {}};
  }

  /// A pointer to the first number of a buffer, declared at the top of the function.
  std::string base(std::int32_t b) {
    const auto found = bases_.find(b);
    if (found != bases_.end()) return found->second;
    const tape::Buffer& at = buffer(b);
    std::string plain = unit::identifier(at.name.starts_with("out.") ? at.name.substr(4) : at.name);
    for (const auto& [scratch, name] : f_.scratchNames)
      if (scratch == b) plain = name.empty() ? "work" + std::to_string(++works_) : unit::identifier(name);
    if (at.role == Role::Constants && at.name == "constants") plain = "c";
    const std::string name =
        plain == "c" && at.role == Role::Constants && at.name == "constants" ? plain : unique(plain);
    std::string address;
    const std::string plus = at.offset > 0 ? fmt::format(" + {}", at.offset) : "";
    if (at.role == Role::Constants || at.role == Role::Work) {
      address = fmt::format("self->{}{}", at.role == Role::Work ? "work" : "constants", plus);
    } else {
      const auto [f, member] = fieldAt(at.role, at.offset);
      const char* part = at.role == Role::Params ? "parameters" : at.role == Role::State ? "state" : "output";
      address = fmt::format("&self->{}.{}", part, member);
      for (std::size_t d = 0; d < f->extents.size(); ++d) address += "[0]";
      if (at.offset != f->offset) address += fmt::format(" + {}", at.offset - f->offset);
    }
    const bool changes = facts_.writes(b);
    pointers_ += fmt::format("  {}double* const {} = {};\n", changes ? "" : "const ", name, address);
    return bases_[b] = name;
  }

  /// buffer[index] as text.
  std::string element(const Instr& i) {
    const tape::Buffer& b = buffer(i.buffer);
    const auto k = integers_.find(i.args[0]);
    if (k == integers_.end() || b.role == Role::Constants || b.role == Role::Work)
      return fmt::format("{}[{}]", base(i.buffer), take(i.args[0]).code);
    const std::int64_t offset = b.offset + k->second;
    const auto [f, member] = fieldAt(b.role, offset);
    rolesUsed_.insert(b.role);
    if (facts_.writes(i.buffer)) rolesWritten_.insert(b.role);
    std::string text = fmt::format("{}->{}", pointerTo(b.role), member);
    std::int64_t rest = offset - f->offset;
    std::int64_t stride = f->count();
    for (const std::int64_t n : f->extents) {
      stride /= n;
      text += fmt::format("[{}]", rest / stride);
      rest %= stride;
    }
    return text;
  }

  std::string declarations() const {
    std::string text;
    for (const auto& [role, part] :
         {std::pair{Role::Params, "parameters"}, {Role::State, "state"}, {Role::Output, "output"}}) {
      if (!rolesUsed_.contains(role)) continue;
      const char* constant = rolesWritten_.contains(role) ? "" : "const ";
      text += fmt::format("  {}{}_{}* const {} = &self->{};\n", constant, u_.prefix, part, pointerTo(role), part);
    }
    text += pointers_;
    if (statusUsed_) text += "  int status = 0;\n";
    if (text.empty()) text = "  (void)self;\n";
    return text;
  }

  // --- values -------------------------------------------------------------------------------------------------

  std::string unique(const std::string& wanted) {
    std::string name = wanted;
    for (int k = 2; !taken_.insert(name).second || functionLike(name); ++k) name = wanted + "_" + std::to_string(k);
    return name;
  }

  /// The text of an operand. Of a value that is used once this is its end.
  Text take(Value v) {
    const auto found = texts_.find(v);
    if (found == texts_.end()) return {"0.0", Atom, {}};
    return found->second;
  }

  std::string operand(Value v, int least) {
    const Text x = take(v);
    add(x);
    return x.strength < least ? "(" + x.code + ")" : x.code;
  }

  /// Buffers that the expression in work depends on.
  void add(const Text& x) { reads_.insert(x.buffers.begin(), x.buffers.end()); }

  Text expression(const Instr& i) {
    reads_.clear();
    Text out;
    switch (i.op) {
    case Op::ConstReal:
      out.code = literal(i.real);
      if (out.code.starts_with("-")) out.strength = Unary;
      break;
    case Op::ConstInt:
      integers_[i.result] = i.imm;
      out.code = std::to_string(i.imm);
      if (i.imm < 0) out.strength = Unary;
      break;
    case Op::ConstBool:
      out.code = i.imm != 0 ? "1" : "0";
      break;
    case Op::Argument:
      argumentUsed_[i.imm] |= facts_[i.result].uses > 0;
      out.code = i.imm == 0 ? "t" : "h";
      break;
    case Op::Neg:
    case Op::INeg:
      out.code = "-" + operand(i.args[0], Unary + 1);
      out.strength = Unary;
      break;
    case Op::Not:
      out.code = "!" + operand(i.args[0], Unary);
      out.strength = Unary;
      break;
    case Op::IntToReal:
      out.code = "(double)" + operand(i.args[0], Unary + 1);
      out.strength = Unary;
      break;
    case Op::Select: {
      const std::string condition = operand(i.args[0], Logic + 1);
      const std::string first = operand(i.args[1], Ternary + 1);
      out.code = condition + " ? " + first + " : " + operand(i.args[2], Ternary + 1);
      out.strength = Ternary;
      break;
    }
    case Op::Load:
      out.code = element(i);
      if (facts_.writes(i.buffer)) reads_.insert(i.buffer);
      if (!integers_.contains(i.args[0])) add(take(i.args[0]));
      break;
    case Op::PowInt:
      return powInt(i);
    default:
      if (operatorOf(i.op) != nullptr) {
        out.strength = strengthOf(i.op);
        const int more = out.strength == Logic || out.strength == Comparison ? 1 : 0;
        out.code = operand(i.args[0], out.strength + more) + operatorAndRight(i, out.strength);
      } else {
        out.code = call(i);
      }
    }
    out.buffers = reads_;
    return out;
  }

  /// " + b"; a number below zero changes the sign.
  std::string operatorAndRight(const Instr& i, int strength) {
    const Text x = take(i.args[1]);
    const bool sum = i.op == Op::Add || i.op == Op::IAdd;
    const bool number =
        x.code.size() > 1 && x.code[0] == '-' && x.code.find_first_not_of("0123456789.", 1) == std::string::npos;
    if (number && (sum || i.op == Op::Sub || i.op == Op::ISub)) return (sum ? " - " : " + ") + x.code.substr(1);
    return std::string(" ") + operatorOf(i.op) + " " + rightOperand(i.args[1], strength + 1);
  }

  std::string rightOperand(Value v, int least) {
    const Text x = take(v);
    add(x);
    return x.strength < least || x.code.starts_with("-") ? "(" + x.code + ")" : x.code;
  }

  Text powInt(const Instr& i) {
    Text out;
    const Text x = take(i.args[0]);
    if (i.imm == 2 && x.strength == Atom && x.code.size() < 30) {
      out.code = x.code + " * " + x.code;
      out.strength = Product;
    } else {
      needs_.helpers.insert("lmc_power");
      out.code = fmt::format("lmc_power({}, {})", x.code, i.imm);
    }
    out.buffers = x.buffers;
    return out;
  }

  std::string call(const Instr& i) {
    const std::string name = functionName(i.op);
    if (name.starts_with("lmc_")) needs_.helpers.insert(name);
    std::string text = name + "(";
    for (std::size_t a = 0; a < i.args.size(); ++a) {
      const Text x = take(i.args[a]);
      add(x);
      text += (a > 0 ? ", " : "") + x.code;
    }
    return text + ")";
  }

  /// True if the text may stand wherever the value is used.
  bool repeats(const Instr& i) const {
    switch (i.op) {
    case Op::ConstReal:
    case Op::ConstInt:
    case Op::ConstBool:
    case Op::Argument:
      return true;
    case Op::Load:
      return integers_.contains(i.args[0]) && (!facts_.writes(i.buffer) || !facts_[i.result].elsewhere);
    default:
      return false;
    }
  }

  void define(const Instr& i, int indent) {
    Text text = expression(i);
    const ValueFacts& facts = facts_[i.result];
    const auto note = notes_.find(i.result);
    const bool named = note != notes_.end() && i.op != Op::Load;
    const bool inlined = repeats(i) || (!named && facts.uses == 1 && !facts.elsewhere && text.code.size() <= longest);
    if (inlined) {
      if (!text.buffers.empty()) pending_[i.result] = i.type;
      texts_[i.result] = std::move(text);
      return;
    }
    declare(i.result, i.type, text, indent);
  }

  /// const double name = text;
  void declare(Value v, tape::Type type, const Text& text, int indent) {
    const auto note = notes_.find(v);
    std::string wanted = type == tape::Type::Real ? "a" : "k";
    if (note != notes_.end()) {
      if (!note->second->equation.empty()) say(note->second->equation, indent);
      wanted = unit::identifier(note->second->name);
    } else {
      wanted += std::to_string(++count_);
    }
    const std::string name = unique(wanted);
    body_ += statement(fmt::format("const {} {} = {};", typeName(type), name, text.code), indent);
    pending_.erase(v);
    texts_[v] = {name, Atom, {}};
  }

  /// A comment, in one line.
  void say(const std::string& equation, int indent) {
    constexpr std::size_t most = 90;
    body_ += std::string(static_cast<std::size_t>(indent), ' ') + "/* " + beginning(safe(equation), most) + " */\n";
  }

  /// Texts that read what the instruction writes become variables before it.
  void settle(const std::set<std::int32_t>& buffers, int indent) {
    std::vector<std::pair<Value, tape::Type>> ready;
    for (const auto& [v, type] : pending_) {
      const std::set<std::int32_t>& reads = texts_.at(v).buffers;
      if (std::any_of(reads.begin(), reads.end(), [&](std::int32_t b) { return buffers.contains(b); }))
        ready.emplace_back(v, type);
    }
    for (const auto& [v, type] : ready) {
      if (left(v) > 0)
        declare(v, type, Text(texts_.at(v)), indent);
      else
        pending_.erase(v);
    }
  }

  /// Uses of a value that are still to come.
  std::size_t left(Value v) const {
    const auto used = used_.find(v);
    return facts_[v].uses - (used == used_.end() ? 0 : used->second);
  }

  // --- statements ---------------------------------------------------------------------------------------------

  void block(std::int32_t index, int indent) {
    const auto outerStumpff = stumpffs_;
    const auto outerFailed = failed_;
    const auto outerPending = std::exchange(pending_, {});
    const auto& code = f_.blocks[static_cast<std::size_t>(index)].code;
    std::map<Value, std::uint64_t> orders;
    for (const Instr& i : code)
      if (i.op == Op::Stumpff) orders[i.args[0]] |= std::uint64_t{1} << static_cast<unsigned>(i.imm);
    for (const Instr& i : code) {
      if (i.op == Op::Stumpff)
        stumpff(i, orders.at(i.args[0]), indent);
      else if (i.op <= Op::Load)
        define(i, indent);
      else
        effect(i, indent);
      for (const Value a : i.args) ++used_[a];
    }
    pending_ = outerPending;
    stumpffs_ = outerStumpff;
    failed_ = outerFailed;
  }

  /// What outer blocks have of them is not made again: so code in memory does, and `highest` decides about bits.
  void stumpff(const Instr& i, std::uint64_t orders, int indent) {
    auto& known = stumpffs_[i.args[0]];
    if (!known.contains(i.imm)) {
      needs_.kernels.insert("stumpff");
      const std::string name = unique("stumpff" + std::to_string(++groups_));
      for (const auto& [order, text] : known) orders &= ~(std::uint64_t{1} << static_cast<unsigned>(order));
      const int top = std::bit_width(orders) - 1;
      line(fmt::format("double {}[{}]; /* c_0 .. c_{} of the square of an angle */", name, top + 1, top), indent);
      line(fmt::format("lmc_stumpff({}, {}, 0x{:x}U, {});", take(i.args[0]).code, top, orders, name), indent);
      for (int k = 0; k <= top; ++k)
        if ((orders >> static_cast<unsigned>(k) & 1U) != 0) known[k] = fmt::format("{}[{}]", name, k);
    }
    texts_[i.result] = {known.at(i.imm), Atom, {}};
  }

  void line(const std::string& text, int indent) { body_ += statement(text, indent); }

  void effect(const Instr& i, int indent) {
    std::set<std::int32_t> changed;
    facts_.addWrittenBy(i, changed);
    if (i.op != Op::Store && i.op != Op::Accum) {
      settle(changed, indent);
      return structure(i, indent);
    }
    // The value itself may read what the store overwrites.
    ++used_[i.args[0]];
    ++used_[i.args[1]];
    settle(changed, indent);
    --used_[i.args[0]];
    --used_[i.args[1]];
    line(fmt::format("{} {} {};", element(i), i.op == Op::Store ? "=" : "+=", take(i.args[1]).code), indent);
  }

  void structure(const Instr& i, int indent) {
    switch (i.op) {
    case Op::Fill:
      clear(i, indent);
      break;
    case Op::Loop:
      loop(i, indent);
      break;
    case Op::If:
      line(fmt::format("if ({}) {{", take(i.args[0]).code), indent);
      block(i.block, indent + 2);
      line("}", indent);
      break;
    case Op::Kernel:
      kernel(i, indent);
      break;
    case Op::Call:
      callPart(i, indent);
      break;
    case Op::FailIf:
      if (!failed_.insert({i.args[0], i.imm}).second) break; // the function has been left
      line(fmt::format("if ({}) return {};", take(i.args[0]).code, statusName(i.imm)), indent);
      break;
    default:
      line(fmt::format("if ({}) break;", take(i.args[0]).code), indent);
      break;
    }
  }

  void clear(const Instr& i, int indent) {
    const std::string k = unique("k");
    line(fmt::format("for (long {0} = 0; {0} < {1}; ++{0}) {2}[{0}] = 0.0;", k, buffer(i.buffer).size, base(i.buffer)),
         indent);
    taken_.erase(k);
  }

  void loop(const Instr& i, int indent) {
    const std::string low = take(i.args[0]).code;
    const std::string high = take(i.args[1]).code;
    const std::string k = unique(std::string(1, "ijkn"[std::min<std::size_t>(depth_, 3)]));
    texts_[i.result] = {k, Atom, {}};
    ++depth_;
    if (i.imm < 0)
      line(fmt::format("for (long {0} = {2}; {0} >= {1}; --{0}) {{", k, low, high), indent);
    else
      line(fmt::format("for (long {0} = {1}; {0} <= {2}; ++{0}) {{", k, low, high), indent);
    block(i.block, indent + 2);
    line("}", indent);
    --depth_;
    taken_.erase(k);
  }

  void kernel(const Instr& i, int indent) {
    const auto id = static_cast<tape::KernelId>(i.imm);
    needs_.kernels.emplace(tape::info(id).file);
    std::string text = fmt::format("status = {}(", tape::info(id).symbol);
    for (std::size_t b = 0; b < i.buffers.size(); ++b) text += (b > 0 ? ", " : "") + base(i.buffers[b]);
    for (const Value a : i.args) text += ", " + take(a).code;
    returnStatus(text + ");", indent);
  }

  void callPart(const Instr& i, int indent) {
    std::string text = "status = " + needs_.called.at(i.imm) + "(self";
    for (const Value a : i.args) text += ", " + take(a).code;
    returnStatus(text + ");", indent);
  }

  /// A statement that sets `status`, and what follows where that is none to go on with.
  void returnStatus(const std::string& text, int indent) {
    statusUsed_ = true;
    line(text, indent);
    line(fmt::format("if (status != {}_OK) return status;", unit::upper(u_.prefix)), indent);
  }

  [[nodiscard]] std::string statusName(std::int64_t status) const {
    constexpr std::array<const char*, 6> names = {"OK",         "SINGULAR_MASS",    "SINGULAR_MATRIX", "NO_CONVERGENCE",
                                                  "NON_FINITE", "FAR_FROM_MANIFOLD"};
    return unit::upper(u_.prefix) + "_" + names.at(static_cast<std::size_t>(status));
  }

  const Exported& u_;
  const tape::Function& f_;
  Needs& needs_;
  FunctionFacts facts_;
  std::unordered_map<Value, const tape::Note*> notes_;
  std::unordered_map<Value, Text> texts_;
  std::unordered_map<Value, std::int64_t> integers_;
  std::map<Value, tape::Type> pending_; ///< texts of this block that read memory which the function writes
  std::unordered_map<Value, std::size_t> used_;
  std::map<Value, std::map<std::int64_t, std::string>> stumpffs_; ///< by argument and order
  std::set<std::pair<Value, std::int64_t>> failed_;               ///< conditions of failure that have been tested
  std::set<std::int32_t> reads_;
  std::set<std::string> taken_;
  std::map<std::int32_t, std::string> bases_;
  std::set<Role> rolesUsed_, rolesWritten_;
  std::string pointers_, body_;
  std::map<std::int64_t, bool> argumentUsed_;
  int count_ = 0, groups_ = 0, works_ = 0;
  std::size_t depth_ = 0;
  bool statusUsed_ = false;
};

} // namespace

std::string function(const Exported& unit, int index, const std::string& name, Needs& needs) {
  const tape::Function& f = unit.unit.module.functions[static_cast<std::size_t>(index)];
  return Printer(unit, f, needs).run(name);
}

} // namespace lmc::backends
