// The state before a step and the look at that behind it: copies by the library, eight numbers looked at at once; of a
// large state in pieces, which threads share.
#include "backends/llvm/single/FunctionEmitter.h"
#include "tape/Places.h"
#include "tape/Shares.h"
#include "tape/Tiles.h"

#include <algorithm>
#include <functional>

namespace lmc::backends {

using runtime::Role;
using tape::Instr;
using tape::Op;

namespace {

/// From so many numbers on a state is shared: a copy takes a microsecond, as long as it takes to share it.
constexpr std::int64_t sharedState = 4096;
/// A state of more variables than this counts as one.
constexpr std::size_t mostParts = 32;
/// Numbers that are looked at at once.
constexpr std::int64_t lanes = 8;

/// How many numbers of a part of the state a tile of a function has, where all tiles that a share is made of have all
/// of them; 0 where no loop of tiles is known to touch it.
std::int64_t tileOf(const tape::Module& tape, const tape::Function& f, const SingleModuleEmitter::StatePart& part) {
  const tape::Places known(f);
  std::int64_t least = 0;
  for (const tape::Block& b : f.blocks)
    for (const Instr& loop : b.code) {
      if (loop.op != Op::Loop || loop.imm != tape::independentTurns) continue;
      const auto places = known.in(loop, {loop.result});
      const std::function<void(std::int32_t)> scan = [&](std::int32_t block) {
        for (const Instr& i : f.blocks[static_cast<std::size_t>(block)].code) {
          if (i.block >= 0) scan(i.block);
          if (i.op != Op::Load && i.op != Op::Store) continue;
          const tape::Buffer& touched = tape.buffers[static_cast<std::size_t>(i.buffer)];
          if (touched.role != Role::State || touched.offset != part.offset || touched.size != part.size) continue;
          const auto place = known.find(i.args[0], places);
          const std::int64_t ofTile = place && place->slope > 0 ? place->slope : 0;
          if (ofTile * tape::tileCount >= part.size && (least == 0 || ofTile < least)) least = ofTile;
        }
      };
      scan(loop.block);
    }
  return least;
}

} // namespace

void SingleModuleEmitter::findStateParts() {
  const std::int64_t size = tape_.roleSize[static_cast<std::size_t>(Role::State)];
  if (!hasTeam() || tape_.step < 0 || size < sharedState) return;
  const auto stepped = [&](const tape::Function& f) {
    return f.part || &f == &tape_.functions[static_cast<std::size_t>(tape_.step)];
  };
  if (std::none_of(tape_.functions.begin(), tape_.functions.end(),
                   [&](const tape::Function& f) { return stepped(f) && tape::sharesLoops(f); }))
    return;
  std::vector<std::int64_t> begins{0, size};
  for (const tape::Buffer& b : tape_.buffers)
    if (b.role == Role::State && b.size > 0) begins.insert(begins.end(), {b.offset, b.offset + b.size});
  std::sort(begins.begin(), begins.end());
  begins.erase(std::unique(begins.begin(), begins.end()), begins.end());
  if (begins.size() > mostParts + 1) begins = {0, size};
  for (std::size_t k = 1; k < begins.size(); ++k) {
    StatePart part{begins[k - 1], begins[k] - begins[k - 1], 0};
    part.share = (part.size + tape::tileCount - 1) / tape::tileCount;
    for (const tape::Function& f : tape_.functions)
      if (const std::int64_t ofTile = stepped(f) ? tileOf(tape_, f, part) : 0; ofTile > 0) part.share = ofTile;
    stateParts_.push_back(part);
  }
}

void FunctionEmitter::shareState(const std::vector<llvm::Value*>& wanted, const PieceBody& make) {
  llvm::Function* const turn = single_.turnFunction();
  FunctionEmitter inner(single_, turn);
  std::vector<llvm::Value*> values;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    llvm::Value* const place = inner.builder_.CreateConstInBoundsGEP1_64(types_.integer, turn->getArg(0), k);
    values.push_back(inner.builder_.CreateAlignedLoad(wanted[k]->getType(), place, llvm::Align(8)));
  }
  make(inner, turn->getArg(1), values);
  inner.builder_.CreateRetVoid();
  callTurns(turn, wanted, types_.index(tape::tileCount));
}

void FunctionEmitter::eachPart(llvm::Value* share,
                               const std::function<void(llvm::Value* begin, llvm::Value* length)>& each) {
  for (const auto& [offset, size, length] : single_.stateParts()) {
    llvm::Value* const from = builder_.CreateNSWMul(share, types_.index(length));
    llvm::Value* const left = builder_.CreateNSWSub(types_.index(size), from);
    llvm::Value* const own = intrinsic(llvm::Intrinsic::smin, {left, types_.index(length)});
    each(builder_.CreateNSWAdd(from, types_.index(offset)), intrinsic(llvm::Intrinsic::smax, {own, types_.index(0)}));
  }
}

void FunctionEmitter::copyNumbers(llvm::Value* to, llvm::Value* from, std::int64_t count) {
  const auto copy = [this](FunctionEmitter& e, llvm::Value* target, llvm::Value* source, llvm::Value* numbers) {
    e.callExternal(External::CopyMemory, types_.pointer,
                   {target, source, e.builder_.CreateNSWMul(numbers, types_.index(8))}, false);
  };
  if (!single_.sharesState()) return copy(*this, to, from, types_.index(count));
  shareState({to, from}, [&](FunctionEmitter& inner, llvm::Value* share, const std::vector<llvm::Value*>& both) {
    inner.eachPart(share, [&](llvm::Value* begin, llvm::Value* length) {
      copy(inner, inner.address(both[0], begin), inner.address(both[1], begin), length);
    });
  });
}

/// Zero where all of so many numbers are finite, otherwise not a number.
llvm::Value* FunctionEmitter::looksFinite(llvm::Value* memory, llvm::Value* count) {
  llvm::Type* const vector = llvm::FixedVectorType::get(types_.real, lanes);
  llvm::AllocaInst* const sums = local(vector);
  llvm::AllocaInst* const rest = local(1);
  builder_.CreateAlignedStore(llvm::Constant::getNullValue(vector), sums, llvm::Align(8));
  store(types_.constant(0), rest);
  llvm::Value* const chunks = builder_.CreateSDiv(count, types_.index(lanes));
  loop(types_.index(0), builder_.CreateNSWSub(chunks, types_.index(1)), false, [&](llvm::Value* k, llvm::BasicBlock*) {
    llvm::Value* const where = builder_.CreateInBoundsGEP(vector, memory, k);
    llvm::Value* const x = builder_.CreateAlignedLoad(vector, where, llvm::Align(8));
    llvm::Value* const sum = builder_.CreateAlignedLoad(vector, sums, llvm::Align(8));
    builder_.CreateAlignedStore(builder_.CreateFAdd(builder_.CreateFSub(x, x), sum), sums, llvm::Align(8));
  });
  loop(builder_.CreateNSWMul(chunks, types_.index(lanes)), builder_.CreateNSWSub(count, types_.index(1)), false,
       [&](llvm::Value* k, llvm::BasicBlock*) {
         llvm::Value* const x = load(address(memory, k));
         store(builder_.CreateFAdd(builder_.CreateFSub(x, x), load(rest)), rest);
       });
  return builder_.CreateFAdd(
      builder_.CreateFAddReduce(load(rest), builder_.CreateAlignedLoad(vector, sums, llvm::Align(8))),
      types_.constant(0));
}

llvm::Value* FunctionEmitter::anyNonFinite(llvm::Value* memory, std::int64_t count) {
  if (single_.sharesState()) return anyNonFiniteOfShares(memory);
  llvm::Type* const vector = llvm::FixedVectorType::get(types_.real, lanes);
  llvm::BasicBlock* const before = builder_.GetInsertBlock();
  llvm::Value* sum = llvm::Constant::getNullValue(vector);
  if (const std::int64_t chunks = count / lanes; chunks > 0) {
    llvm::PHINode* carried = nullptr;
    loop(types_.index(0), types_.index(chunks - 1), false, [&](llvm::Value* k, llvm::BasicBlock*) {
      carried = builder_.CreatePHI(vector, 2);
      carried->addIncoming(sum, before);
      llvm::Value* const where = builder_.CreateInBoundsGEP(vector, memory, k);
      llvm::Value* const x = builder_.CreateAlignedLoad(vector, where, llvm::Align(8));
      sum = builder_.CreateFAdd(builder_.CreateFSub(x, x), carried);
      carried->addIncoming(sum, builder_.GetInsertBlock());
    });
    // `loop` guards against an empty range, which this one never is; after the loop the guard's edge needs a value too.
    llvm::PHINode* const total = builder_.CreatePHI(vector, 2);
    total->addIncoming(llvm::Constant::getNullValue(vector), before);
    total->addIncoming(sum, carried->getParent());
    sum = total;
  }
  std::vector<llvm::Value*> rest;
  for (unsigned l = 0; l < lanes; ++l) rest.push_back(builder_.CreateExtractElement(sum, l));
  for (std::int64_t k = count / lanes * lanes; k < count; ++k)
    rest.push_back(builder_.CreateAlignedLoad(
        types_.real, builder_.CreateConstInBoundsGEP1_64(types_.real, memory, static_cast<std::uint64_t>(k)),
        llvm::Align(8)));
  return Emitter::anyNonFinite(rest);
}

llvm::Value* FunctionEmitter::anyNonFiniteOfShares(llvm::Value* memory) {
  llvm::AllocaInst* const found = local(tape::tileCount);
  shareState({memory, found}, [&](FunctionEmitter& inner, llvm::Value* share, const std::vector<llvm::Value*>& both) {
    llvm::Value* sum = types_.constant(0);
    inner.eachPart(share, [&](llvm::Value* begin, llvm::Value* length) {
      sum = inner.builder_.CreateFAdd(sum, inner.looksFinite(inner.address(both[0], begin), length));
    });
    inner.store(sum, inner.address(both[1], share));
  });
  std::vector<llvm::Value*> sums;
  for (std::int64_t k = 0; k < tape::tileCount; ++k) sums.push_back(load(address(found, k)));
  return Emitter::anyNonFinite(sums);
}

} // namespace lmc::backends
