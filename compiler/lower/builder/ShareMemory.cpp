#include "lower/builder/ShareMemory.h"

#include "base/Integers.h"

#include <algorithm>
#include <map>
#include <vector>

namespace lmc::lower {

namespace {

/// Arrays of so many numbers are long.
constexpr std::int64_t longArray = 4096;
/// Arrays of so many numbers begin where a line of memory does: elsewhere each vector of 512 bits would be in two
/// lines.
constexpr std::int64_t alignedArray = 16;

/// First and last top-level instruction of a function that touches a buffer.
struct Lifetime {
  std::int32_t buffer;
  std::size_t first, last;
};

class Sharing {
public:
  explicit Sharing(tape::Module& m) : m_(m), slot_(m.buffers.size(), -1) {}

  void run() {
    for (const tape::Function& f : m_.functions) place(lifetimes(f));
    for (tape::Function& f : m_.functions) rename(f);
    pack();
  }

private:
  [[nodiscard]] bool isWork(std::int32_t buffer) const {
    return buffer >= 0 && m_.buffers[buffer].role == runtime::Role::Work;
  }

  /// Notes that the instruction, or a block of it, uses buffers at a top-level position.
  void touch(const tape::Function& f, const tape::Instr& instr, std::size_t position,
             std::map<std::int32_t, Lifetime>& out) const {
    const auto note = [&](std::int32_t b) {
      if (!isWork(b)) return;
      const auto [it, fresh] = out.emplace(b, Lifetime{b, position, position});
      if (!fresh) it->second.last = position;
    };
    note(instr.buffer);
    for (const std::int32_t b : instr.buffers) note(b);
    if (instr.block < 0) return;
    for (const tape::Instr& inner : f.blocks[instr.block].code) touch(f, inner, position, out);
  }

  std::vector<Lifetime> lifetimes(const tape::Function& f) const {
    std::map<std::int32_t, Lifetime> found;
    const auto& code = f.blocks[0].code;
    for (std::size_t k = 0; k < code.size(); ++k) touch(f, code[k], k, found);
    std::vector<Lifetime> list;
    list.reserve(found.size());
    for (const auto& [b, l] : found) list.push_back(l);
    extend(list, code);
    std::sort(list.begin(), list.end(), [](const Lifetime& a, const Lifetime& b) {
      return a.first != b.first ? a.first < b.first : a.buffer < b.buffer;
    });
    return list;
  }

  /// A long array keeps its memory for one more loop: so a loop that reads members beside its own is not followed by
  /// one that overwrites them, and threads may make both in one round (tape/Shares.h).
  void extend(std::vector<Lifetime>& list, const std::vector<tape::Instr>& code) const {
    for (Lifetime& l : list) {
      if (m_.buffers[l.buffer].size < longArray) continue;
      std::size_t next = l.last + 1;
      while (next < code.size() && code[next].op != tape::Op::Loop) ++next;
      if (next < code.size()) l.last = next;
    }
  }

  /// Greedy: free memory of the same size, or new memory.
  void place(const std::vector<Lifetime>& list) {
    std::map<std::int32_t, std::size_t> busyUntil; // slot -> last use; absent: free
    for (const Lifetime& l : list) {
      std::erase_if(busyUntil, [&](const auto& entry) { return entry.second < l.first; });
      const std::int64_t size = m_.buffers[l.buffer].size;
      std::int32_t best = slot_[l.buffer];
      if (m_.buffers[l.buffer].kept) { // alone where it stands
        if (best < 0) kept_.push_back(best = l.buffer);
        slot_[l.buffer] = best;
        continue;
      }
      for (const std::int32_t s : slots_) {
        if (best >= 0) break;
        if (!busyUntil.contains(s) && m_.buffers[s].size == size) best = s;
      }
      if (best < 0) {
        best = l.buffer;
        slots_.push_back(best);
      }
      slot_[l.buffer] = best;
      busyUntil[best] = l.last;
    }
  }

  void nameScratch(tape::Function& f) const {
    std::map<std::int32_t, std::string> names; // by slot
    for (const Lifetime& l : lifetimes(f)) {
      const std::string& name = m_.buffers[l.buffer].name;
      const auto [it, fresh] = names.emplace(slot_[l.buffer], name);
      if (!fresh && it->second != name) it->second.clear();
    }
    for (const auto& [slot, name] : names)
      if (name != m_.buffers[slot].name) f.scratchNames.emplace_back(slot, name);
  }

  void rename(tape::Function& f) const {
    if (!f.notes.empty()) nameScratch(f); // for a reader
    for (tape::Block& b : f.blocks) {
      for (tape::Instr& i : b.code) {
        if (isWork(i.buffer)) i.buffer = slot_[i.buffer];
        for (std::int32_t& k : i.buffers) {
          if (isWork(k)) k = slot_[k];
        }
      }
    }
  }

  /// Offsets of the memory that is used; buffers that nothing uses any more keep no memory.
  void pack() {
    std::int64_t offset = 0;
    for (std::size_t b = 0; b < m_.buffers.size(); ++b) {
      if (!isWork(static_cast<std::int32_t>(b))) continue;
      const auto among = [&](const std::vector<std::int32_t>& list) {
        return std::find(list.begin(), list.end(), static_cast<std::int32_t>(b)) != list.end();
      };
      const bool used = among(slots_) || among(kept_);
      if (!used) m_.buffers[b].size = 0;
      if (m_.buffers[b].size >= alignedArray) offset = roundUp(offset, lineOfMemory);
      m_.buffers[b].offset = offset;
      offset += withReadAhead(m_.buffers[b].size);
    }
    m_.roleSize[static_cast<int>(runtime::Role::Work)] = offset;
  }

  tape::Module& m_;
  std::vector<std::int32_t> slot_; ///< by buffer: the buffer whose memory it uses
  std::vector<std::int32_t> slots_;
  std::vector<std::int32_t> kept_; ///< that nothing shares
};

} // namespace

void shareWorkMemory(tape::Module& module) {
  Sharing(module).run();
}

} // namespace lmc::lower
