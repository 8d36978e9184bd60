#include "backends/llvm/Order.h"

#include "tape/TapeCost.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

namespace lmc::backends {

using tape::Block;
using tape::Function;
using tape::Instr;
using tape::Op;
using tape::Value;

namespace {

/// How many operations are in view: more would need more registers than there are.
constexpr std::size_t view = 160;
/// Multiplications, fused or not, that begin in one cycle; beside them as many additions.
constexpr int width = 2;
/// Longer blocks are left alone.
constexpr std::size_t longest = 20000;

bool hasEffect(const Instr& i) {
  return i.result == tape::none || tape::hasEffect(i.op);
}

/// Takes no time of its own: it goes in front of its first user.
bool isSource(const Instr& i) {
  return tape::isLeaf(i.op) || i.op == Op::Load;
}

/// Orders one block.
class BlockOrder {
public:
  BlockOrder(std::vector<Instr>& code, const std::vector<tape::Buffer>& buffers, const std::vector<int>& uses,
             const std::vector<std::optional<std::int64_t>>& constants)
      : code_(code), buffers_(buffers), uses_(uses), constants_(constants), at_(constants.size(), -1) {}

  void run() {
    for (std::size_t k = 0; k < code_.size(); ++k)
      if (code_[k].result != tape::none) at_[code_[k].result] = static_cast<std::int32_t>(k);
    if (!mayMove()) return;
    findFused();
    findLoads();
    const std::size_t n = code_.size();
    height_.assign(n, 0);
    findHeights();
    carryHeights();
    findHeights();
    schedule();
    code_ = std::move(result_);
  }

private:
  /// Loads must not pass what writes memory: a block that writes and reads again stays as it is.
  [[nodiscard]] bool mayMove() const {
    if (code_.size() > longest) return false;
    bool wrote = false;
    for (const Instr& i : code_) {
      if (i.op == Op::FailIf) continue;
      if (hasEffect(i)) {
        if (i.op != Op::Store) return false;
        wrote = true;
      } else if (wrote && i.op == Op::Load) {
        return false;
      }
    }
    return true;
  }

  [[nodiscard]] std::int32_t local(Value v) const { return at_[v]; }

  /// A product whose only user is a sum becomes one operation with it.
  void findFused() {
    fused_.assign(code_.size(), false);
    for (const Instr& i : code_) {
      if (i.op != Op::Add && i.op != Op::Sub) continue;
      for (auto a = i.args.rbegin(); a != i.args.rend(); ++a) {
        const std::int32_t k = local(*a);
        if (k < 0 || code_[static_cast<std::size_t>(k)].op != Op::Mul || uses_[*a] != 1) continue;
        fused_[static_cast<std::size_t>(k)] = true;
        break;
      }
    }
  }

  [[nodiscard]] int latency(std::size_t k) const {
    const Instr& i = code_[k];
    if (isSource(i) || fused_[k]) return 0;
    if (hasEffect(i)) return 1;
    if (i.op == Op::Add || i.op == Op::Sub) {
      const bool fuses = std::any_of(i.args.begin(), i.args.end(), [&](Value a) {
        return local(a) >= 0 && fused_[static_cast<std::size_t>(local(a))];
      });
      if (fuses) return tape::fusedLatency;
    }
    return tape::latencyOf(i.op);
  }

  /// An addition alone, for which there are units of its own.
  [[nodiscard]] std::size_t isAddition(std::size_t k) const {
    const Op op = code_[k].op;
    return (op == Op::Add || op == Op::Sub) && latency(k) != tape::fusedLatency ? 1 : 0;
  }

  void findHeights() {
    for (std::size_t k = code_.size(); k-- > 0;) {
      height_[k] += latency(k);
      for (const Value a : code_[k].args)
        if (const std::int32_t d = local(a); d >= 0)
          height_[static_cast<std::size_t>(d)] = std::max(height_[static_cast<std::size_t>(d)], height_[k]);
    }
  }

  /// What is stored where it was read from is as urgent as what the next step does with it.
  void carryHeights() {
    std::map<std::pair<std::int32_t, Value>, int> loads;
    for (std::size_t k = 0; k < code_.size(); ++k)
      if (code_[k].op == Op::Load) loads[{code_[k].buffer, code_[k].args[0]}] = height_[k];
    std::fill(height_.begin(), height_.end(), 0);
    for (std::size_t k = 0; k < code_.size(); ++k) {
      if (code_[k].op != Op::Store) continue;
      const auto found = loads.find({code_[k].buffer, code_[k].args[0]});
      if (found != loads.end()) height_[k] = found->second;
    }
  }

  /// Where a load or a store goes: a role and the place in it; no place where the index is not known.
  using Address = std::pair<runtime::Role, std::optional<std::int64_t>>;
  [[nodiscard]] Address addressOf(const Instr& i) const {
    const tape::Buffer& b = buffers_[static_cast<std::size_t>(i.buffer)];
    const std::optional<std::int64_t> index = constants_[i.args[0]];
    return {b.role, index ? std::optional(b.offset + *index) : std::nullopt};
  }
  void findLoads() {
    for (std::size_t k = 0; k < code_.size(); ++k)
      if (code_[k].op == Op::Load) loads_[addressOf(code_[k])].push_back(k);
  }
  /// What is read where a store goes is read before. (All loads of the block stand before its stores at first.)
  void readBefore(std::size_t store) {
    const Address address = addressOf(code_[store]);
    const auto all = [&](const std::vector<std::size_t>& loads) {
      for (const std::size_t k : loads)
        if (!done_[k]) put(k);
    };
    if (address.second) {
      if (const auto same = loads_.find(address); same != loads_.end()) all(same->second);
      if (const auto anywhere = loads_.find({address.first, std::nullopt}); anywhere != loads_.end())
        all(anywhere->second);
      return;
    }
    for (const auto& [place, loads] : loads_)
      if (place.first == address.first) all(loads);
  }

  /// Puts an operation down, and before it what takes no time and was not needed yet.
  void put(std::size_t k) {
    if (done_[k]) return; // the index of what had to be read before a store
    if (code_[k].op == Op::Store) readBefore(k);
    for (const Value a : code_[k].args)
      if (const std::int32_t d = local(a); d >= 0 && !done_[static_cast<std::size_t>(d)])
        put(static_cast<std::size_t>(d));
    done_[k] = true;
    result_.push_back(code_[k]);
  }

  /// Who waits for an operation; what is fused with it or takes no time is looked through.
  void findUsers() {
    users_.assign(code_.size(), {});
    pending_.assign(code_.size(), 0);
    ready_.assign(code_.size(), 0);
    for (std::size_t k = 0; k < code_.size(); ++k)
      if (!isSource(code_[k]) && !fused_[k]) waitFor(k, k);
  }
  void waitFor(std::size_t user, std::size_t k) {
    for (const Value a : code_[k].args) {
      const std::int32_t d = local(a);
      if (d < 0) continue;
      const auto o = static_cast<std::size_t>(d);
      if (fused_[o] || isSource(code_[o])) {
        waitFor(user, o);
      } else {
        users_[o].push_back(static_cast<std::uint32_t>(user));
        ++pending_[user];
      }
    }
  }
  void begin(std::size_t k, int time) {
    put(k);
    const int known = time + latency(k);
    for (const std::uint32_t user : users_[k]) {
      ready_[user] = std::max(ready_[user], known);
      --pending_[user];
    }
  }

  void schedule() {
    done_.assign(code_.size(), false);
    findUsers();
    std::vector<std::size_t> waiting; // in their first order: what is in view
    std::size_t next = 0;
    int time = 0;
    const auto fill = [&] {
      for (; next < code_.size() && waiting.size() < view; ++next)
        if (!isSource(code_[next]) && !fused_[next]) waiting.push_back(next);
    };
    for (fill(); !waiting.empty(); fill()) {
      std::array<int, 2> began{}; // multiplications, additions
      int soonest = never;
      while (began[0] < width || began[1] < width) {
        std::size_t best = waiting.size();
        bool effects = false; // one that came before has not been put down yet
        for (std::size_t w = 0; w < waiting.size(); ++w) {
          const std::size_t k = waiting[w];
          const bool effect = hasEffect(code_[k]);
          if (effect && effects) continue;
          effects = effects || effect;
          if (pending_[k] > 0) continue;
          const int ready = ready_[k];
          soonest = std::min(soonest, ready);
          if (ready > time || (!effect && began[isAddition(k)] == width)) continue;
          if (best == waiting.size() || height_[k] > height_[waiting[best]]) best = w;
        }
        if (best == waiting.size()) break;
        const std::size_t k = waiting[best];
        waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(best));
        begin(k, time);
        if (!hasEffect(code_[k])) ++began[isAddition(k)];
      }
      time = began[0] + began[1] > 0 || soonest <= time ? time + 1 : soonest;
    }
    for (std::size_t k = 0; k < code_.size(); ++k) // what nothing in this block uses
      if (!done_[k]) put(k);
  }

  static constexpr int never = 1 << 29;
  std::vector<Instr>& code_;
  const std::vector<tape::Buffer>& buffers_;
  const std::vector<int>& uses_;
  const std::vector<std::optional<std::int64_t>>& constants_; ///< whole numbers, by value
  std::map<Address, std::vector<std::size_t>> loads_;
  std::vector<std::int32_t> at_; ///< position of a value's instruction in this block, or -1
  std::vector<bool> fused_, done_;
  std::vector<int> height_, ready_, pending_;
  std::vector<std::vector<std::uint32_t>> users_;
  std::vector<Instr> result_;
};

} // namespace

void orderOperations(Function& function, const std::vector<tape::Buffer>& buffers) {
  std::vector<int> uses(function.values);
  std::vector<std::optional<std::int64_t>> constants(function.values);
  for (const Block& b : function.blocks)
    for (const Instr& i : b.code) {
      for (const Value a : i.args) ++uses[a];
      if (i.op == Op::ConstInt) constants[i.result] = i.imm;
    }
  for (Block& b : function.blocks) BlockOrder(b.code, buffers, uses, constants).run();
}

} // namespace lmc::backends
