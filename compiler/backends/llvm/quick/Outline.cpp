#include "backends/llvm/quick/Outline.h"

#include "backends/llvm/quick/Uses.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/CodeExtractor.h>

#include <iterator>
#include <utility>
#include <vector>

namespace lmc::backends::quick {

namespace {

using Blocks = llvm::SetVector<llvm::BasicBlock*>;
using Values = llvm::SetVector<llvm::Value*>;

/// Blocks with one way in, to `entry`, and one way out, to `exit`, which is not among them.
struct Region {
  Blocks blocks;
  llvm::BasicBlock* entry = nullptr;
  llvm::BasicBlock* exit = nullptr;
};

/// What is left of a block beside instructions of vectors must be so long that it is worth a cut.
constexpr std::ptrdiff_t worthACut = 16;

class Outliner {
public:
  explicit Outliner(llvm::Function& f) : f_(f) {}

  void run() {
    cutBlocks();
    for (const Region& region : regions()) outline(region);
  }

private:
  [[nodiscard]] bool isOther(const llvm::Instruction& i) const {
    return !isSupported(i, f_.getParent()->getDataLayout());
  }
  [[nodiscard]] bool hasOthers(const llvm::BasicBlock& b) const {
    return llvm::any_of(b, [&](const llvm::Instruction& i) { return isOther(i); });
  }

  /// Blocks outside of innermost loops begin with the first of the other instructions, and end with the last.
  void cutBlocks() {
    llvm::DominatorTree dominators(f_);
    const llvm::LoopInfo loops(dominators);
    std::vector<llvm::BasicBlock*> blocks;
    for (llvm::BasicBlock& b : f_) {
      const llvm::Loop* const loop = loops.getLoopFor(&b);
      if ((loop == nullptr || !loop->isInnermost()) && hasOthers(b)) blocks.push_back(&b);
    }
    for (llvm::BasicBlock* b : blocks) {
      auto last = b->getTerminator()->getIterator();
      const auto body = b->getFirstNonPHIOrDbg()->getIterator();
      while (last != body && !isOther(*std::prev(last))) --last;
      const bool decides = b->getTerminator()->getNumSuccessors() > 1; // which would be two ways out
      if (decides || std::distance(last, b->end()) > worthACut) b->splitBasicBlock(last);
      auto first = body;
      const bool begins = llvm::any_of(b->phis(), [&](const llvm::PHINode& p) { return isOther(p); });
      while (!isOther(*first) && !first->isTerminator()) ++first;
      if (!begins && std::distance(b->begin(), first) > worthACut) b->splitBasicBlock(first);
    }
  }

  /// Blocks with other instructions, as far as they hang together, and the innermost loops that have such; the loops
  /// around these where there would be more than one way, or vectors would have to be handed over.
  [[nodiscard]] std::vector<Region> regions() const {
    llvm::DominatorTree dominators(f_);
    const llvm::LoopInfo loops(dominators);
    Blocks all;
    for (llvm::BasicBlock& b : f_) {
      if (!hasOthers(b)) continue;
      all.insert(&b);
      const llvm::Loop* const loop = loops.getLoopFor(&b);
      if (loop != nullptr && loop->isInnermost()) all.insert(loop->block_begin(), loop->block_end());
    }
    std::vector<Region> list;
    bool grows = true;
    while (std::exchange(grows, false)) {
      list.clear();
      llvm::SmallPtrSet<llvm::BasicBlock*, 16> seen;
      for (llvm::BasicBlock* b : all) {
        if (seen.contains(b)) continue;
        Region region = around(b, all, seen);
        if (hasOneWay(region) && handsNumbers(region)) {
          list.push_back(std::move(region));
        } else if (const llvm::Loop* const loop = loopAround(region.blocks, loops)) {
          all.insert(loop->block_begin(), loop->block_end());
          grows = true;
          break;
        }
      }
    }
    return list;
  }

  static Region around(llvm::BasicBlock* b, const Blocks& all, llvm::SmallPtrSetImpl<llvm::BasicBlock*>& seen) {
    Region region;
    std::vector<llvm::BasicBlock*> open{b};
    while (!open.empty()) {
      llvm::BasicBlock* const at = open.back();
      open.pop_back();
      if (!all.contains(at) || !seen.insert(at).second) continue;
      region.blocks.insert(at);
      open.insert(open.end(), llvm::succ_begin(at), llvm::succ_end(at));
      open.insert(open.end(), llvm::pred_begin(at), llvm::pred_end(at));
    }
    return region;
  }

  /// The smallest loop with all of the blocks, and others; null if there is none.
  static const llvm::Loop* loopAround(const Blocks& blocks, const llvm::LoopInfo& loops) {
    const llvm::Loop* loop = loops.getLoopFor(blocks[0]);
    while (loop != nullptr && (loop->getNumBlocks() <= blocks.size() ||
                               !llvm::all_of(blocks, [&](llvm::BasicBlock* b) { return loop->contains(b); })))
      loop = loop->getParentLoop();
    return loop;
  }

  static bool hasOneWay(Region& region) {
    Blocks entries, exits;
    for (llvm::BasicBlock* b : region.blocks) {
      const auto isOutside = [&](llvm::BasicBlock* other) { return !region.blocks.contains(other); };
      if (b->isEntryBlock()) return false;
      if (llvm::any_of(llvm::predecessors(b), isOutside)) entries.insert(b);
      for (llvm::BasicBlock* next : llvm::successors(b))
        if (isOutside(next)) exits.insert(next);
    }
    if (entries.size() != 1 || exits.size() != 1) return false;
    region.entry = entries[0];
    region.exit = exits[0];
    return true;
  }

  /// What blocks read of values from outside, and what others read of theirs.
  struct Handed {
    Values read, given;
  };

  static bool isInside(const Blocks& blocks, const llvm::Use& use) {
    auto* const user = llvm::cast<llvm::Instruction>(use.getUser());
    const auto* const phi = llvm::dyn_cast<llvm::PHINode>(user);
    return blocks.contains(phi != nullptr ? phi->getIncomingBlock(use) : user->getParent());
  }

  static Handed handed(const Blocks& blocks) {
    Handed h;
    for (llvm::BasicBlock* b : blocks)
      for (llvm::Instruction& i : *b) {
        for (const llvm::Use& use : i.operands()) {
          auto* const from = llvm::dyn_cast<llvm::Instruction>(use.get());
          const bool isValue = llvm::isa<llvm::Argument>(use.get()) || from != nullptr;
          if (isValue && isInside(blocks, use) && (from == nullptr || !blocks.contains(from->getParent())))
            h.read.insert(use.get());
        }
        if (llvm::any_of(i.uses(), [&](const llvm::Use& use) { return !isInside(blocks, use); })) h.given.insert(&i);
      }
    return h;
  }

  [[nodiscard]] bool handsNumbers(const Region& region) const {
    const llvm::DataLayout& layout = f_.getParent()->getDataLayout();
    const auto isNumber = [&](const llvm::Value* v) {
      return !v->getType()->isVectorTy() && layout.getTypeStoreSize(v->getType()) == sizeof(double);
    };
    const Handed h = handed(region.blocks);
    return llvm::all_of(h.read, isNumber) && llvm::all_of(h.given, isNumber);
  }

  /// A block of the region through which all ways into it, or out of it, go, with a branch from or to a block outside.
  static llvm::BasicBlock* gateOf(Region& region, llvm::BasicBlock* to, bool fromInside) {
    llvm::SmallVector<llvm::BasicBlock*> from;
    for (llvm::BasicBlock* b : llvm::predecessors(to))
      if (region.blocks.contains(b) == fromInside && !llvm::is_contained(from, b)) from.push_back(b);
    return llvm::SplitBlockPredecessors(to, from, "");
  }

  /// The function has one argument: a place in memory with what it reads, and what others read of it.
  void outline(Region region) {
    llvm::BasicBlock* const before = gateOf(region, region.entry, false);
    llvm::BasicBlock* const entry = llvm::SplitBlock(before, before->getTerminator());
    llvm::BasicBlock* const end = gateOf(region, region.exit, true);
    llvm::BasicBlock* const after = llvm::SplitBlock(end, end->getTerminator());
    Blocks blocks;
    blocks.insert(entry);
    blocks.insert(region.blocks.begin(), region.blocks.end());
    blocks.insert(end);
    const Handed h = handed(blocks);
    llvm::Type* const number = llvm::Type::getInt64Ty(f_.getContext());
    llvm::Instruction& first = *f_.getEntryBlock().getFirstInsertionPt();
    auto* const place =
        new llvm::AllocaInst(llvm::ArrayType::get(number, h.read.size() + h.given.size()), 0, "", first.getIterator());
    unsigned next = 0;
    // A value goes through memory, from the one block to the other.
    const auto hand = [&](llvm::Value* value, llvm::BasicBlock* from, llvm::BasicBlock* to, bool inside) {
      const auto at = [&](llvm::BasicBlock* block) {
        return llvm::GetElementPtrInst::Create(number, place, {llvm::ConstantInt::get(number, next)}, "",
                                               block->getTerminator()->getIterator());
      };
      new llvm::StoreInst(value, at(from), from->getTerminator()->getIterator());
      auto* const copy = new llvm::LoadInst(value->getType(), at(to), "", to->getTerminator()->getIterator());
      value->replaceUsesWithIf(copy, [&](llvm::Use& use) { return isInside(blocks, use) == inside; });
      ++next;
    };
    for (llvm::Value* v : h.read) hand(v, before, entry, true);
    for (llvm::Value* v : h.given) hand(v, end, after, false);
    llvm::DominatorTree dominators(f_);
    llvm::CodeExtractor extractor(blocks.getArrayRef(), &dominators);
    if (extractor.isEligible()) (void)extractor.extractCodeRegion(llvm::CodeExtractorAnalysisCache(f_));
  }

  llvm::Function& f_;
};

} // namespace

void outlineOthers(llvm::Module& module) {
  std::vector<llvm::Function*> functions;
  for (llvm::Function& f : module)
    if (!f.isDeclaration() && !isSupported(f)) functions.push_back(&f);
  for (llvm::Function* f : functions) Outliner(*f).run();
}

} // namespace lmc::backends::quick
