#include "tape/LocalBuffers.h"

#include <numeric>
#include <unordered_map>

namespace lmc::tape {

namespace {

/// Numbers in a buffer; more would not find registers.
constexpr std::int64_t largest = 31;

class Finder {
public:
  Finder(const Module& module, std::size_t index)
      : function_(module.functions[index]), shared_(sharedWith(module, index)), candidate_(module.buffers.size()),
        written_(module.buffers.size()), read_(module.buffers.size(), false) {
    for (std::size_t b = 0; b < module.buffers.size(); ++b) {
      const Buffer& buffer = module.buffers[b];
      candidate_[b] = !(function_.part && shared_[b]) && buffer.role == runtime::Role::Work && buffer.size > 0 &&
                      buffer.size <= largest;
      if (candidate_[b]) written_[b].assign(static_cast<std::size_t>(buffer.size), false);
    }
  }

  std::vector<bool> run() {
    block(0);
    for (std::size_t b = 0; b < candidate_.size(); ++b) candidate_[b] = candidate_[b] && read_[b];
    return candidate_;
  }

private:
  /// By buffer: whether another function touches it that this one calls or is called by, or by way of others. Where
  /// nobody will ask, nothing is found.
  static std::vector<bool> sharedWith(const Module& module, std::size_t own) {
    std::vector<bool> shared(module.buffers.size(), false);
    const auto each = [&](std::size_t f, const auto& visit) {
      for (const Block& b : module.functions[f].blocks)
        for (const Instr& i : b.code) visit(i);
    };
    bool calls = module.functions[own].part;
    each(own, [&](const Instr& i) { calls = calls || i.op == Op::Call; });
    if (!calls) return shared;
    const std::size_t n = module.functions.size();
    std::vector<std::size_t> root(n); // of those that call each other
    std::iota(root.begin(), root.end(), std::size_t{0});
    const auto find = [&](std::size_t f) {
      while (root[f] != f) f = root[f] = root[root[f]];
      return f;
    };
    for (std::size_t f = 0; f < n; ++f)
      each(f, [&](const Instr& i) {
        if (i.op == Op::Call) root[find(f)] = find(static_cast<std::size_t>(i.imm));
      });
    for (std::size_t f = 0; f < n; ++f)
      if (f != own && find(f) == find(own))
        each(f, [&](const Instr& i) {
          if (i.buffer >= 0) shared[static_cast<std::size_t>(i.buffer)] = true;
          for (const std::int32_t b : i.buffers) shared[static_cast<std::size_t>(b)] = true;
        });
    return shared;
  }

  /// What a block writes is written for what follows in it, not for what follows the block.
  void block(std::int32_t index) {
    std::vector<std::pair<std::size_t, std::size_t>> here;
    for (const Instr& i : function_.blocks[static_cast<std::size_t>(index)].code) {
      if (i.op == Op::ConstInt) constants_[i.result] = i.imm;
      if (i.op == Op::Call)
        for (std::size_t b = 0; b < candidate_.size(); ++b) candidate_[b] = candidate_[b] && !shared_[b];
      for (const std::int32_t b : i.buffers) candidate_[static_cast<std::size_t>(b)] = false;
      if (i.buffer >= 0) access(i, static_cast<std::size_t>(i.buffer), here);
      if (i.block >= 0) block(i.block);
    }
    for (const auto& [b, k] : here) written_[b][k] = false;
  }

  void access(const Instr& i, std::size_t b, std::vector<std::pair<std::size_t, std::size_t>>& here) {
    if (!candidate_[b]) return;
    const auto write = [&](std::size_t k) {
      if (!written_[b][k]) here.emplace_back(b, k);
      written_[b][k] = true;
    };
    if (i.op == Op::Fill) {
      for (std::size_t k = 0; k < written_[b].size(); ++k) write(k);
      return;
    }
    const auto index = constants_.find(i.args[0]);
    if (index == constants_.end()) {
      candidate_[b] = false;
      return;
    }
    const auto k = static_cast<std::size_t>(index->second);
    if (i.op == Op::Store) {
      write(k);
      return;
    }
    read_[b] = true;
    if (!written_[b][k]) candidate_[b] = false;
  }

  const Function& function_;
  const std::vector<bool> shared_;
  std::vector<bool> candidate_;
  std::vector<std::vector<bool>> written_; ///< by buffer and element: on every way to the present instruction
  std::vector<bool> read_;
  std::unordered_map<Value, std::int64_t> constants_;
};

} // namespace

std::vector<bool> localBuffers(const Module& module, std::size_t function) {
  return Finder(module, function).run();
}

} // namespace lmc::tape
