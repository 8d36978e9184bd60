#include "backends/llvm/PackStores.h"

#include <algorithm>
#include <cstdint>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace lmc::backends {

namespace {

/// Numbers of a vector, which is as wide as the widest registers are; where they are narrower LLVM makes several of
/// one.
constexpr std::ptrdiff_t packed = 8;
constexpr std::int64_t numberBytes = 8;

/// A number that is stored, alone or as one of a vector.
struct Place {
  llvm::StoreInst* store;
  std::int64_t lane;
  std::int64_t offset; ///< in bytes, from what all are stored at
};

/// Where a load or a store of numbers is; nothing of other instructions.
struct Access {
  const llvm::Value* object;
  std::int64_t offset;
  std::int64_t numbers;
};
std::int64_t numbersOf(const llvm::Type* type) {
  if (type->isDoubleTy()) return 1;
  const auto* const vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector != nullptr && vector->getElementType()->isDoubleTy() ? vector->getNumElements() : 0;
}
std::optional<Access> accessOf(const llvm::Instruction& i) {
  const auto* const store = llvm::dyn_cast<llvm::StoreInst>(&i);
  const auto* const load = llvm::dyn_cast<llvm::LoadInst>(&i);
  const std::int64_t numbers = store != nullptr && store->isSimple() ? numbersOf(store->getValueOperand()->getType())
                               : load != nullptr && load->isSimple() ? numbersOf(load->getType())
                                                                     : 0;
  if (numbers == 0) return std::nullopt;
  const llvm::DataLayout& layout = i.getModule()->getDataLayout();
  const llvm::Value* const pointer = llvm::getLoadStorePointerOperand(&i);
  llvm::APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
  const llvm::Value* const object = pointer->stripAndAccumulateConstantOffsets(layout, offset, true);
  return Access{object, offset.getSExtValue(), numbers};
}

/// The stores of numbers to one object that end a block, by their places. What is read between them is read elsewhere
/// in the object, so that they may all stand behind it.
std::vector<Place> lastStores(llvm::BasicBlock& block) {
  std::vector<Place> places;
  std::set<std::int64_t> read, written;
  const llvm::Value* object = nullptr;
  for (llvm::Instruction& i : llvm::reverse(block)) {
    if (!i.mayReadOrWriteMemory() || i.hasMetadata(llvm::LLVMContext::MD_invariant_load)) continue;
    const std::optional<Access> access = accessOf(i);
    if (!access || (object != nullptr && access->object != object)) break;
    std::vector<std::int64_t> offsets;
    for (std::int64_t lane = 0; lane < access->numbers; ++lane) offsets.push_back(access->offset + lane * numberBytes);
    if (llvm::any_of(offsets, [&](std::int64_t o) { return read.contains(o) || written.contains(o); })) break;
    object = access->object;
    auto* const store = llvm::dyn_cast<llvm::StoreInst>(&i);
    (store == nullptr ? read : written).insert(offsets.begin(), offsets.end());
    if (store == nullptr) continue;
    for (std::int64_t lane = 0; lane < access->numbers; ++lane)
      places.push_back({store, lane, offsets[static_cast<std::size_t>(lane)]});
  }
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.offset < b.offset; });
  return places;
}

llvm::Value* valueAt(const Place& p, llvm::IRBuilder<>& b) {
  llvm::Value* const stored = p.store->getValueOperand();
  return stored->getType()->isVectorTy() ? b.CreateExtractElement(stored, p.lane) : stored;
}

/// One store of all, where the last of them stands.
void join(const std::vector<Place>& all, llvm::Instruction* last) {
  llvm::IRBuilder<> b(last);
  llvm::Value* vector =
      llvm::PoisonValue::get(llvm::FixedVectorType::get(b.getDoubleTy(), static_cast<unsigned>(all.size())));
  for (std::size_t k = 0; k < all.size(); ++k) vector = b.CreateInsertElement(vector, valueAt(all[k], b), k);
  const Place& first = all.front();
  llvm::Value* const begin =
      b.CreateConstInBoundsGEP1_64(b.getDoubleTy(), first.store->getPointerOperand(), first.lane);
  b.CreateAlignedStore(vector, begin, llvm::commonAlignment(first.store->getAlign(), first.lane * numberBytes));
}

void packBlock(llvm::BasicBlock& block) {
  const std::vector<Place> places = lastStores(block);
  if (places.size() < static_cast<std::size_t>(packed)) return;
  const auto isBehind = [](const Place& a, const Place& b) { return a.store->comesBefore(b.store); };
  llvm::Instruction* const last = std::max_element(places.begin(), places.end(), isBehind)->store->getNextNode();
  std::map<llvm::StoreInst*, std::int64_t> joined; // how many of its numbers are
  // Whole vectors from the first place on, as a loop loads them.
  for (auto begin = places.begin(); begin != places.end();) {
    constexpr std::int64_t bytes = static_cast<std::int64_t>(packed) * numberBytes;
    const std::int64_t vector = (begin->offset - places.front().offset) / bytes;
    const auto end = std::find_if(begin, places.end(),
                                  [&](const Place& p) { return (p.offset - places.front().offset) / bytes != vector; });
    if (end - begin == packed) {
      const std::vector<Place> own(begin, end);
      join(own, last);
      for (const Place& p : own) ++joined[p.store];
    }
    begin = end;
  }
  for (const auto& [store, numbers] : joined)
    if (numbers == numbersOf(store->getValueOperand()->getType())) store->eraseFromParent();
}

} // namespace

void packStores(llvm::Module& module) {
  for (llvm::Function& f : module)
    if (!f.isDeclaration() && (f.hasLocalLinkage() || f.hasHiddenVisibility())) // no entry
      for (llvm::BasicBlock& block : f) packBlock(block);
}

} // namespace lmc::backends
