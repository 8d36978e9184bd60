#include "lower/builder/Builder.h"

#include "base/Budget.h"
#include "tape/TapeOps.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_set>

namespace lmc::lower {

using tape::Instr;
using tape::Op;
using tape::Type;

Builder::Builder(std::string name, int arguments) {
  function_.name = std::move(name);
  function_.arguments = arguments;
  function_.blocks.emplace_back();
  open_.push_back({0, false, {}, {}});
}

bool Builder::Info::same(const Info& other) const {
  return op == other.op && imm == other.imm && buffer == other.buffer && count == other.count && args == other.args &&
         std::bit_cast<std::uint64_t>(real) == std::bit_cast<std::uint64_t>(other.real);
}

std::size_t Builder::Info::hash() const {
  std::uint64_t h = static_cast<std::uint64_t>(op) * 0x9E3779B97F4A7C15ULL + static_cast<std::uint64_t>(imm);
  h = (h ^ std::bit_cast<std::uint64_t>(real)) * 0xFF51AFD7ED558CCDULL + static_cast<std::uint64_t>(buffer + 1);
  for (std::size_t k = 0; k < count; ++k) h = (h ^ h >> 32U ^ args[k]) * 0xC4CEB9FE1A85EC53ULL;
  return h ^ h >> 29U;
}

Builder::Value Builder::Table::find(const std::vector<Info>& info, const Info& wanted, std::size_t hash) const {
  if (slots_.empty()) return tape::none;
  for (std::size_t k = hash & (slots_.size() - 1);; k = (k + 1) & (slots_.size() - 1))
    if (slots_[k] == tape::none || info[slots_[k]].same(wanted)) return slots_[k];
}

void Builder::Table::insert(const std::vector<Info>& info, Value v, std::size_t hash) {
  const auto put = [this](Value value, std::size_t at) {
    while (slots_[at & (slots_.size() - 1)] != tape::none) ++at;
    slots_[at & (slots_.size() - 1)] = value;
  };
  if (2 * ++used_ > slots_.size()) {
    const std::vector<Value> before = std::move(slots_);
    slots_.assign(std::max<std::size_t>(16, 4 * before.size()), tape::none);
    for (const Value old : before)
      if (old != tape::none) put(old, info[old].hash());
  }
  put(v, hash);
}

Builder::Value Builder::define(std::size_t depth, Info info) {
  spendNodes(1);
  const Value v = static_cast<Value>(info_.size());
  info.depth = static_cast<std::int32_t>(depth);
  info.block = open_[depth].block;
  Instr instr;
  instr.op = info.op;
  instr.type = info.type;
  instr.result = v;
  instr.imm = info.imm;
  instr.real = info.real;
  instr.buffer = info.buffer;
  instr.args.assign(info.args.begin(), info.args.begin() + info.count);
  function_.blocks[static_cast<std::size_t>(info.block)].code.push_back(std::move(instr));
  info_.push_back(info);
  return v;
}

std::size_t Builder::homeDepth(const Info& info) const {
  std::size_t depth = 0;
  for (std::size_t d = open_.size(); d-- > 0;) {
    if (open_[d].isIf) {
      depth = d;
      break;
    }
  }
  for (std::size_t k = 0; k < info.count; ++k)
    depth = std::max(depth, static_cast<std::size_t>(info_[info.args[k]].depth));
  return depth;
}

/// The one value of a pure instruction: an equal one in an open block, or a new one as far out as possible.
Builder::Value Builder::shared(Info info, std::size_t minimumDepth) {
  const std::size_t hash = info.hash();
  for (std::size_t d = open_.size(); d-- > 0;) {
    const Value found = open_[d].table.find(info_, info, hash);
    if (found != tape::none) return found;
  }
  const std::size_t depth = std::max(homeDepth(info), minimumDepth);
  const Value v = define(depth, info);
  open_[depth].table.insert(info_, v, hash);
  return v;
}

Builder::Value Builder::everywhere(const Info& info) {
  const std::size_t hash = info.hash();
  if (const Value found = open_[0].table.find(info_, info, hash); found != tape::none) return found;
  const Value v = define(0, info);
  open_[0].table.insert(info_, v, hash);
  return v;
}

void Builder::effect(Instr instr) {
  spendNodes(1);
  function_.blocks[open_.back().block].code.push_back(std::move(instr));
}

Builder::Value Builder::real(double v) {
  const bool isNought = std::bit_cast<std::uint64_t>(v) == 0;
  Value* const usual = isNought ? &zero_ : v == 1 ? &one_ : nullptr; // asked for again and again
  if (usual != nullptr && *usual != tape::none) return *usual;
  Info i;
  i.op = Op::ConstReal;
  i.type = Type::Real;
  i.real = v;
  const Value made = everywhere(i);
  if (usual != nullptr) *usual = made;
  return made;
}

Builder::Value Builder::integer(std::int64_t v) {
  constexpr std::int64_t most = 1024; // places in memory, of which most are small, are asked for again and again
  const bool small = v >= 0 && v < most;
  if (small && static_cast<std::size_t>(v) < integers_.size() && integers_[v] != tape::none) return integers_[v];
  Info i;
  i.op = Op::ConstInt;
  i.type = Type::Int;
  i.imm = v;
  const Value made = everywhere(i);
  if (small) {
    integers_.resize(std::max(integers_.size(), static_cast<std::size_t>(v) + 1), tape::none);
    integers_[v] = made;
  }
  return made;
}

Builder::Value Builder::boolean(bool v) {
  Info i;
  i.op = Op::ConstBool;
  i.type = Type::Bool;
  i.imm = v ? 1 : 0;
  return everywhere(i);
}

Builder::Value Builder::argument(int position) {
  Info i;
  i.op = Op::Argument;
  i.type = Type::Real;
  i.imm = position;
  return everywhere(i);
}

std::optional<double> Builder::constant(Value v) const {
  if (info_[v].op != Op::ConstReal) return std::nullopt;
  return info_[v].real;
}

std::optional<std::int64_t> Builder::constantInt(Value v) const {
  if (info_[v].op != Op::ConstInt && info_[v].op != Op::ConstBool) return std::nullopt;
  return info_[v].imm;
}

bool Builder::visible(Value v) const {
  const auto& i = info_[v];
  return static_cast<std::size_t>(i.depth) < open_.size() && open_[i.depth].block == i.block;
}

// --- memory and structure -------------------------------------------------------------------------------------

Builder::Value Builder::load(int buffer, Value index, bool pinned, std::size_t minimumDepth) {
  Info i;
  i.op = Op::Load;
  i.type = Type::Real;
  i.buffer = buffer;
  i.count = 1;
  i.args[0] = index;
  return pinned ? define(open_.size() - 1, i) : shared(i, minimumDepth);
}

void Builder::store(int buffer, Value index, Value value) {
  Instr i;
  i.op = Op::Store;
  i.buffer = buffer;
  i.args = {index, value};
  effect(std::move(i));
}

void Builder::accumulate(int buffer, Value index, Value value, bool inOrder) {
  if (isZero(value)) return;
  Instr i;
  i.op = Op::Accum;
  i.imm = inOrder ? 1 : 0;
  i.buffer = buffer;
  i.args = {index, value};
  effect(std::move(i));
}

void Builder::fill(int buffer) {
  Instr i;
  i.op = Op::Fill;
  i.buffer = buffer;
  effect(std::move(i));
}

void Builder::kernel(tape::KernelId id, std::vector<std::int32_t> buffers, std::vector<Value> args) {
  Instr i;
  i.op = Op::Kernel;
  i.imm = static_cast<std::int64_t>(id);
  i.buffers = std::move(buffers);
  i.args = std::move(args);
  effect(std::move(i));
}

void Builder::call(int function, std::vector<Value> args) {
  Instr i;
  i.op = Op::Call;
  i.imm = function;
  i.args = std::move(args);
  effect(std::move(i));
}

void Builder::failIf(Value condition, std::int64_t status) {
  if (constantInt(condition) == 0) return;
  Instr i;
  i.op = Op::FailIf;
  i.imm = status;
  i.args = {condition};
  effect(std::move(i));
}

void Builder::breakIf(Value condition) {
  Instr i;
  i.op = Op::BreakIf;
  i.args = {condition};
  effect(std::move(i));
}

Builder::Value Builder::beginLoop(Value lo, Value hi, bool descending) {
  Instr loop;
  loop.op = Op::Loop;
  loop.type = Type::Int;
  loop.imm = descending ? -1 : 1;
  loop.args = {lo, hi};
  loop.block = static_cast<std::int32_t>(function_.blocks.size());
  function_.blocks.emplace_back();
  const Value v = static_cast<Value>(info_.size());
  loop.result = v;
  Info info;
  info.op = Op::Loop;
  info.type = Type::Int;
  info.depth = static_cast<std::int32_t>(open_.size());
  info.block = loop.block;
  info_.push_back(info);
  open_.push_back({loop.block, false, {}, loop});
  return v;
}

Builder::Value Builder::beginListedLoop(Value lo, Value hi, int list, Value row) {
  const Value v = beginLoop(lo, hi, false);
  open_.back().closing.buffer = list;
  open_.back().closing.args.push_back(row);
  return v;
}

void Builder::endLoop() {
  Instr loop = std::move(open_.back().closing);
  open_.pop_back();
  effect(std::move(loop));
}

void Builder::beginIf(Value condition) {
  Instr branch;
  branch.op = Op::If;
  branch.args = {condition};
  branch.block = static_cast<std::int32_t>(function_.blocks.size());
  function_.blocks.emplace_back();
  open_.push_back({branch.block, true, {}, branch});
}

void Builder::endIf() {
  endLoop();
}

// --- dead code ------------------------------------------------------------------------------------------------

void Builder::removeUnread(const std::function<bool(std::int32_t)>& ownMemory) {
  const auto writes = [](const Instr& i) { return i.op == Op::Store || i.op == Op::Accum || i.op == Op::Fill; };
  std::unordered_set<std::int32_t> read;
  for (const tape::Block& block : function_.blocks) {
    for (const Instr& i : block.code) {
      if (!writes(i)) read.insert(i.buffer);
      read.insert(i.buffers.begin(), i.buffers.end());
    }
  }
  for (tape::Block& block : function_.blocks)
    std::erase_if(block.code,
                  [&](const Instr& i) { return writes(i) && !read.contains(i.buffer) && ownMemory(i.buffer); });
}

void Builder::note(Value v, std::string name, std::string equation) {
  notes_.emplace(v, tape::Note{v, std::move(name), std::move(equation)});
}

tape::Function Builder::finish(const std::function<bool(std::int32_t)>& ownMemory) {
  if (ownMemory) removeUnread(ownMemory);
  std::vector<bool> used(info_.size(), false);
  tape::removeUnused(function_, 0, used);
  // Renumber values in the order of their definitions and blocks in the order of their use.
  tape::Function out;
  out.name = function_.name;
  out.arguments = function_.arguments;
  std::vector<Value> number(info_.size(), tape::none);
  const auto copy = [&](auto&& self, std::int32_t from) -> std::int32_t {
    const auto to = static_cast<std::int32_t>(out.blocks.size());
    out.blocks.emplace_back();
    std::vector<Instr> code = std::move(function_.blocks[static_cast<std::size_t>(from)].code);
    for (Instr& i : code) {
      for (Value& a : i.args) a = number[a];
      if (i.result != tape::none) {
        number[i.result] = out.values;
        i.result = out.values++;
      }
      if (i.block >= 0) i.block = self(self, i.block);
    }
    out.blocks[to].code = std::move(code);
    return to;
  };
  copy(copy, 0);
  for (auto& [value, note] : notes_) {
    if (number[value] == tape::none) continue;
    note.value = number[value];
    out.notes.push_back(std::move(note));
  }
  return out;
}

} // namespace lmc::lower
