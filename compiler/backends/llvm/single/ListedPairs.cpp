// Loops over the row of a list of near pairs, in three passes over at most 64 of its pairs, eight at a time.
//
// The first one reads the numbers of the second members that stand side by side in memory (lower/builder/PairRows.h),
// and turns the rows of eight members into eight numbers of each kind; and it begins with what takes long, roots and
// divisions, with what these need: while they are on their way the next rows are read. The second computes the terms of
// the pairs, with -0 for pairs that do not count: no sum is changed by that. Both compute in loops over eight pairs
// that are vectorised. The third turns eight terms of each kind into the rows of eight members again, and adds one row
// after the other.
#include "backends/llvm/single/FunctionEmitter.h"
#include "tape/Places.h"
#include "tape/TapeOps.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

namespace lmc::backends {

using tape::Instr;
using tape::Op;

namespace {

constexpr std::int64_t pairs = 8, pairsPower = 3, halfRow = 4;
using Vectors = std::vector<llvm::Value*>;

/// Rows of four or eight numbers in memory: that of an index begins at width·index + begin.
struct RowsAt {
  std::int32_t buffer = -1;
  std::int64_t width = 0, begin = 0;
  friend auto operator<=>(const RowsAt&, const RowsAt&) = default; // NOLINT(modernize-use-nullptr): no pointer
};

llvm::Value* shuffle(llvm::IRBuilder<>& b, llvm::Value* x, llvm::Value* y, llvm::ArrayRef<int> from) {
  return b.CreateShuffleVector(x, y, from);
}

/// In each half of four vectors of eight the transpose of 4 × 4 numbers.
void transposeHalves(llvm::IRBuilder<>& b, llvm::Value** v) {
  llvm::Value* const x0 = shuffle(b, v[0], v[1], {0, 8, 2, 10, 4, 12, 6, 14});
  llvm::Value* const x1 = shuffle(b, v[0], v[1], {1, 9, 3, 11, 5, 13, 7, 15});
  llvm::Value* const x2 = shuffle(b, v[2], v[3], {0, 8, 2, 10, 4, 12, 6, 14});
  llvm::Value* const x3 = shuffle(b, v[2], v[3], {1, 9, 3, 11, 5, 13, 7, 15});
  v[0] = shuffle(b, x0, x2, {0, 1, 8, 9, 4, 5, 12, 13});
  v[1] = shuffle(b, x1, x3, {0, 1, 8, 9, 4, 5, 12, 13});
  v[2] = shuffle(b, x0, x2, {2, 3, 10, 11, 6, 7, 14, 15});
  v[3] = shuffle(b, x1, x3, {2, 3, 10, 11, 6, 7, 14, 15});
}

/// Four numbers, from 4·part on, of vector k of those that stand in memory.
using HalfAt = std::function<llvm::Value*(std::size_t k, std::size_t part)>;

/// Of vectors k and k + 4 in memory, for k = 0 … 3, that part side by side. To load it costs less than to shuffle it.
Vectors sideBySide(llvm::IRBuilder<>& b, const HalfAt& at, std::size_t part) {
  Vectors v;
  for (std::size_t k = 0; k < 4; ++k) v.push_back(shuffle(b, at(k, part), at(k + 4, part), {0, 1, 2, 3, 4, 5, 6, 7}));
  return v;
}

/// Of eight rows in memory the vectors of their first numbers, of their second ones, …; of eight columns the rows.
Vectors columnsOf(llvm::IRBuilder<>& b, const HalfAt& at, std::int64_t width) {
  Vectors columns;
  for (std::size_t part = 0; 4 * part < static_cast<std::size_t>(width); ++part) {
    Vectors v = sideBySide(b, at, part);
    transposeHalves(b, v.data());
    columns.insert(columns.end(), v.begin(), v.end());
  }
  return columns;
}

/// The rows of four columns.
Vectors narrowRowsOf(llvm::IRBuilder<>& b, Vectors columns) {
  transposeHalves(b, columns.data());
  Vectors rows;
  for (const auto& part : {std::array{0, 1, 2, 3}, std::array{4, 5, 6, 7}})
    for (std::size_t k = 0; k < 4; ++k) rows.push_back(shuffle(b, columns[k], columns[k], part));
  return rows;
}

} // namespace

struct FunctionEmitter::Piece {
  llvm::Value *first, *last; ///< the position of its first pair, and how many follow that one
};

struct FunctionEmitter::ListedBody {
  const Instr& loop;
  const PairRow& row;
  const PairBody& body;
  llvm::AllocaInst* members = nullptr; ///< the inner index of each pair; behind the last one that of the last
  std::map<RowsAt, std::map<std::int64_t, llvm::AllocaInst*>> reads; ///< numbers of a row that pairs read
  std::map<const Instr*, llvm::AllocaInst*> numbers;                 ///< of these Loads
  std::vector<const Instr*> early, late;                             ///< what the two loops over terms compute
  std::map<const Instr*, llvm::AllocaInst*> between;                 ///< of the first one for the second one
  std::vector<llvm::AllocaInst*> terms;                              ///< by sum
  /// Sums side by side. A layer has a term for each of them, or none; the layers are added one after the other.
  struct Sums {
    std::int64_t width = 0;
    std::vector<Vectors> layers;
    void put(std::size_t column, llvm::Value* term) {
      const auto free = [&](const Vectors& layer) { return layer[column] == nullptr; };
      auto layer = std::find_if(layers.begin(), layers.end(), free);
      if (layer == layers.end()) layer = layers.insert(layer, Vectors(static_cast<std::size_t>(width)));
      (*layer)[column] = term;
    }
  };
  std::map<RowsAt, Sums> inMemory; ///< of inner members, by their rows
  struct Kept {
    Sums sums;
    std::vector<llvm::AllocaInst*> partial; ///< of sums that stay in registers during the loop
    llvm::AllocaInst* vector = nullptr;     ///< these, side by side
  };
  std::vector<Kept> kept;
  std::vector<std::size_t> others;
};

/// Roots and divisions take long, and what follows one of them waits for it: in a loop of their own, with what they
/// need, those of many pairs are on their way at the same time. No product that a sum may take (Fuse.h) is cut off from
/// it: what is handed over is needed in the first loop as well, or is a root or a quotient.
void FunctionEmitter::slowFirst(ListedBody& b) const {
  std::map<tape::Value, const Instr*> made;
  for (const Instr* x : b.body.plain) made[x->result] = x;
  const auto take = [&](const std::vector<tape::Value>& wanted, const auto& stops) {
    std::set<const Instr*> taken;
    std::vector<tape::Value> next = wanted;
    while (!next.empty()) {
      const auto x = made.find(next.back());
      next.pop_back();
      if (x == made.end() || !taken.insert(x->second).second || stops(*x->second)) continue;
      next.insert(next.end(), x->second->args.begin(), x->second->args.end());
    }
    std::vector<const Instr*> inOrder;
    std::copy_if(b.body.plain.begin(), b.body.plain.end(), std::back_inserter(inOrder),
                 [&](const Instr* x) { return taken.contains(x); });
    return inOrder;
  };
  const auto isConstant = [&](tape::Value v) { return frame_->definitions[v].instr->op == Op::ConstReal; };
  std::vector<tape::Value> slow, terms{b.body.branch->args[0]};
  for (const Instr* x : b.body.plain)
    if (x->op == Op::Sqrt || (x->op == Op::Div && !isConstant(x->args[1]))) slow.push_back(x->result);
  for (const Instr* x : b.body.sums) terms.push_back(x->args[1]);
  b.early = take(slow, [](const Instr&) { return false; });
  const std::set<const Instr*> early(b.early.begin(), b.early.end());
  const auto handedOver = [&](const Instr& x) {
    return early.contains(&x) && x.type == tape::Type::Real && x.op != Op::Load && !x.args.empty();
  };
  b.late = take(terms, handedOver);
  for (const Instr* x : b.late)
    if (handedOver(*x)) b.between[x] = nullptr;
}

void FunctionEmitter::listedPairs(const Instr& i, const PairRow& row, const PairBody& body) {
  const auto vectorType = [&](std::int64_t n) {
    return llvm::FixedVectorType::get(types_.real, static_cast<unsigned>(n));
  };
  const auto room = [&](llvm::Type* type) {
    llvm::AllocaInst* const a = local(llvm::ArrayType::get(type, static_cast<std::uint64_t>(pairPiece)));
    a->setAlignment(llvm::Align(8 * pairs));
    return a;
  };
  ListedBody b{i, row, body, room(types_.integer), {}, {}, {}, {}, {}, {}, {}, {}, {}};
  const auto known = places().in(i, {i.result});
  const auto rowsAt = [&](const Instr& x) -> std::optional<std::pair<RowsAt, std::int64_t>> {
    const auto place = known.find(x.args[0]);
    if (place == known.end() || place->second.low != place->second.high) return std::nullopt;
    const std::int64_t width = place->second.slope;
    if ((width != pairs && width != pairs / 2) || module_.buffer(x.buffer).size % width != 0) return std::nullopt;
    const std::int64_t column = lmc::floorMod(place->second.low, width);
    return std::pair(RowsAt{x.buffer, width, place->second.low - column}, column);
  };
  for (const Instr* x : body.plain)
    if (x->op == Op::Load)
      if (const auto at = rowsAt(*x)) {
        llvm::AllocaInst*& numbers = b.reads[at->first][at->second];
        if (numbers == nullptr) numbers = room(types_.real);
        b.numbers[x] = numbers;
      }
  slowFirst(b);
  for (auto& [x, array] : b.between) array = room(types_.real);
  std::vector<llvm::AllocaInst*> partials; // of sums that stay in registers, each once
  const auto partialOf = [&](const Instr& x) -> llvm::AllocaInst* {
    const auto it = frame_->sums.find({x.buffer, x.args[0]});
    return it == frame_->sums.end() ? nullptr : llvm::cast<llvm::AllocaInst>(it->second);
  };
  for (const Instr* x : body.sums)
    if (llvm::AllocaInst* const p = partialOf(*x);
        p && std::find(partials.begin(), partials.end(), p) == partials.end())
      partials.push_back(p);
  for (std::size_t k = 0; k < partials.size(); k += pairs) {
    ListedBody::Kept kept;
    kept.partial.assign(partials.begin() + static_cast<std::ptrdiff_t>(k),
                        partials.begin() + static_cast<std::ptrdiff_t>(std::min(k + pairs, partials.size())));
    kept.sums.width = kept.partial.size() > pairs / 2 ? pairs : pairs / 2;
    kept.vector = local(vectorType(kept.sums.width));
    b.kept.push_back(std::move(kept));
  }
  for (std::size_t s = 0; s < body.sums.size(); ++s) {
    const Instr& x = *body.sums[s];
    b.terms.push_back(room(types_.real));
    if (llvm::AllocaInst* const partial = partialOf(x)) {
      const auto at = static_cast<std::size_t>(std::find(partials.begin(), partials.end(), partial) - partials.begin());
      b.kept[at / pairs].sums.put(at % pairs, b.terms.back());
    } else if (const auto rows = rowsAt(x)) {
      ListedBody::Sums& sums = b.inMemory[rows->first];
      sums.width = rows->first.width;
      sums.put(static_cast<std::size_t>(rows->second), b.terms.back());
    } else {
      b.others.push_back(s);
    }
  }

  for (const ListedBody::Kept& kept : b.kept) {
    llvm::Value* v = llvm::ConstantFP::get(vectorType(kept.sums.width), -0.0);
    for (std::size_t k = 0; k < kept.partial.size(); ++k)
      v = builder_.CreateInsertElement(v, builder_.CreateAlignedLoad(types_.real, kept.partial[k], llvm::Align(8)), k);
    builder_.CreateStore(v, kept.vector);
  }
  eachPiece(row, [&](llvm::Value* first, llvm::Value* last) {
    const Piece piece{first, last};
    eachEight(piece, [&](llvm::Value* from) {
      readMembers(b, piece, from);
      computeSlow(b, from);
    });
    eachEight(piece, [&](llvm::Value* from) { computeTerms(b, piece, from); });
    if (!b.kept.empty() || !b.inMemory.empty()) eachEight(piece, [&](llvm::Value* from) { addTerms(b, from); });
    if (!b.others.empty()) addOtherTerms(b, piece);
  });
  for (const ListedBody::Kept& kept : b.kept) {
    llvm::Value* const v = builder_.CreateLoad(vectorType(kept.sums.width), kept.vector);
    for (std::size_t k = 0; k < kept.partial.size(); ++k)
      builder_.CreateAlignedStore(builder_.CreateExtractElement(v, k), kept.partial[k], llvm::Align(8));
  }
}

/// Where number k of such an array stands.
static llvm::Value* numberOf(llvm::IRBuilder<>& b, llvm::Type* type, llvm::Value* array, llvm::Value* k) {
  return b.CreateInBoundsGEP(type, array, k);
}

void FunctionEmitter::eachEight(const Piece& piece, const std::function<void(llvm::Value* from)>& make) {
  llvm::Value* const turns = builder_.CreateAShr(piece.last, types_.index(pairsPower));
  llvm::BranchInst* const latch = loop(types_.index(0), turns, false, [&](llvm::Value* turn, llvm::BasicBlock*) {
    make(builder_.CreateNSWMul(turn, types_.index(pairs)));
  });
  describe(latch, "llvm.loop.vectorize.enable", builder_.getFalse());
}

llvm::Value* FunctionEmitter::loadPairs(llvm::Type* type, llvm::Value* array, llvm::Value* first, std::int64_t count) {
  llvm::Type* const loaded = count == 1 ? type : llvm::FixedVectorType::get(type, static_cast<unsigned>(count));
  return builder_.CreateAlignedLoad(loaded, numberOf(builder_, type, array, first),
                                    llvm::Align(8 * static_cast<std::uint64_t>(count)));
}

void FunctionEmitter::readMembers(const ListedBody& b, const Piece& piece, llvm::Value* from) {
  Vectors members;
  for (std::int64_t lane = 0; lane < pairs; ++lane) {
    llvm::Value* const k = builder_.CreateNSWAdd(from, types_.index(lane));
    llvm::Value* const listed = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, k, piece.last);
    members.push_back(b.row.index(builder_, builder_.CreateNSWAdd(piece.first, listed)));
    builder_.CreateAlignedStore(members.back(), numberOf(builder_, types_.integer, b.members, k), llvm::Align(8));
  }
  for (const auto& [at, columns] : b.reads) {
    const Vectors found = columnsOf(
        builder_,
        [&, &rows = at](std::size_t k, std::size_t part) {
          return loadRow(rows.buffer, rows.width, rows.begin + halfRow * static_cast<std::int64_t>(part), members[k],
                         halfRow);
        },
        at.width);
    for (const auto& [column, numbers] : columns)
      builder_.CreateAlignedStore(found[static_cast<std::size_t>(column)],
                                  numberOf(builder_, types_.real, numbers, from), llvm::Align(8 * pairs));
  }
}

/// Emits a loop that is vectorised for eight pairs; `body` is given the number of the pair.
void FunctionEmitter::eightPairs(const ListedBody& b, llvm::Value* from,
                                 const std::function<void(llvm::Value* k)>& body) {
  // Whole vectors without masks: what is stored under a mask is not handed on to the next load.
  asOneVector(loop(types_.index(0), types_.index(pairs - 1), false,
                   [&](llvm::Value* lane, llvm::BasicBlock*) {
                     llvm::Value* const k = builder_.CreateNSWAdd(from, lane);
                     frame_->values[b.loop.result] = loadPairs(types_.integer, b.members, k, 1);
                     body(k);
                   }),
              pairs);
}

/// One instruction for pair k; what stands in a local array is read from there.
void FunctionEmitter::ofPair(const std::map<const Instr*, llvm::AllocaInst*>& arrays, const Instr& x, llvm::Value* k) {
  const auto array = arrays.find(&x);
  if (array == arrays.end()) return instruction(x);
  frame_->values[x.result] = loadPairs(types_.real, array->second, k, 1);
}

void FunctionEmitter::computeSlow(const ListedBody& b, llvm::Value* from) {
  if (b.early.empty()) return;
  eightPairs(b, from, [&](llvm::Value* k) {
    for (const Instr* x : b.early) ofPair(b.numbers, *x, k);
    for (const auto& [x, array] : b.between)
      builder_.CreateAlignedStore(value(x->result), numberOf(builder_, types_.real, array, k), llvm::Align(8));
  });
}

void FunctionEmitter::computeTerms(const ListedBody& b, const Piece& piece, llvm::Value* from) {
  eightPairs(b, from, [&](llvm::Value* k) {
    for (const Instr* x : b.late) ofPair(b.between.contains(x) ? b.between : b.numbers, *x, k);
    llvm::Value* const counts =
        builder_.CreateAnd(value(b.body.branch->args[0]), builder_.CreateICmpSLE(k, piece.last));
    for (std::size_t s = 0; s < b.terms.size(); ++s)
      builder_.CreateAlignedStore(builder_.CreateSelect(counts, value(b.body.sums[s]->args[1]), types_.constant(-0.0)),
                                  numberOf(builder_, types_.real, b.terms[s], k), llvm::Align(8));
  });
}

/// The rows of eight terms of each sum.
Vectors FunctionEmitter::rowsOfTerms(const Vectors& layer, double absent, llvm::Value* from) {
  const auto terms = [&](std::size_t column, std::int64_t begin, std::int64_t count) -> llvm::Value* {
    if (layer[column] == nullptr)
      return llvm::ConstantFP::get(llvm::FixedVectorType::get(types_.real, static_cast<unsigned>(count)), absent);
    return loadPairs(types_.real, layer[column], builder_.CreateNSWAdd(from, types_.index(begin)), count);
  };
  if (layer.size() == pairs)
    return columnsOf(
        builder_,
        [&](std::size_t k, std::size_t part) { return terms(k, halfRow * static_cast<std::int64_t>(part), halfRow); },
        pairs);
  Vectors columns;
  for (std::size_t k = 0; k < layer.size(); ++k) columns.push_back(terms(k, 0, pairs));
  return narrowRowsOf(builder_, std::move(columns));
}

void FunctionEmitter::addTerms(const ListedBody& b, llvm::Value* from) {
  const auto rowsOfSums = [&](const ListedBody::Sums& sums) {
    std::vector<Vectors> rows;
    // The first layer has a term for each column that is used; what is added to others does not matter, and zeros take
    // no shuffles.
    for (const Vectors& layer : sums.layers) rows.push_back(rowsOfTerms(layer, rows.empty() ? 0.0 : -0.0, from));
    return rows;
  };
  for (const ListedBody::Kept& kept : b.kept) {
    const std::vector<Vectors> rows = rowsOfSums(kept.sums);
    llvm::Value* sum = builder_.CreateLoad(kept.vector->getAllocatedType(), kept.vector);
    for (std::size_t lane = 0; lane < pairs; ++lane)
      for (const Vectors& layer : rows) sum = builder_.CreateFAdd(sum, layer[lane]);
    builder_.CreateStore(sum, kept.vector);
  }
  std::vector<std::pair<RowsAt, std::vector<Vectors>>> memory;
  for (const auto& [at, sums] : b.inMemory) memory.emplace_back(at, rowsOfSums(sums));
  for (std::int64_t lane = 0; lane < pairs && !memory.empty(); ++lane) {
    llvm::Value* const member =
        loadPairs(types_.integer, b.members, builder_.CreateNSWAdd(from, types_.index(lane)), 1);
    const auto add = [&] {
      for (const auto& [at, rows] : memory) {
        llvm::Value* sum = loadRow(at.buffer, at.width, at.begin, member, at.width);
        for (const Vectors& layer : rows) sum = builder_.CreateFAdd(sum, layer[static_cast<std::size_t>(lane)]);
        storeRow(sum, at.buffer, at.width, at.begin, member);
      }
    };
    owner_ ? where(owns(member), add) : add();
  }
}

llvm::Value* FunctionEmitter::rowOf(std::int32_t buffer, std::int64_t width, std::int64_t begins, llvm::Value* member) {
  llvm::Value* const place =
      builder_.CreateNSWAdd(builder_.CreateNSWMul(member, types_.index(width)), types_.index(begins));
  return builder_.CreateInBoundsGEP(types_.real, begin(buffer), place);
}

llvm::Value* FunctionEmitter::loadRow(std::int32_t buffer, std::int64_t width, std::int64_t begins, llvm::Value* member,
                                      std::int64_t count) {
  auto* const type = llvm::FixedVectorType::get(types_.real, static_cast<unsigned>(count));
  llvm::LoadInst* const row = builder_.CreateAlignedLoad(type, rowOf(buffer, width, begins, member), llvm::Align(8));
  row->setMetadata(llvm::LLVMContext::MD_tbaa, module_.aliasTag(buffer));
  return row;
}

void FunctionEmitter::storeRow(llvm::Value* row, std::int32_t buffer, std::int64_t width, std::int64_t begins,
                               llvm::Value* member) {
  builder_.CreateAlignedStore(row, rowOf(buffer, width, begins, member), llvm::Align(8))
      ->setMetadata(llvm::LLVMContext::MD_tbaa, module_.aliasTag(buffer));
}

/// What is added to an element here or there, a number after the other.
void FunctionEmitter::addOtherTerms(const ListedBody& b, const Piece& piece) {
  llvm::BranchInst* const latch = loop(types_.index(0), piece.last, false, [&](llvm::Value* k, llvm::BasicBlock*) {
    frame_->values[b.loop.result] =
        builder_.CreateAlignedLoad(types_.integer, numberOf(builder_, types_.integer, b.members, k), llvm::Align(8));
    for (const Instr* x : b.body.plain)
      if (x->type == tape::Type::Int) instruction(*x);
    const auto add = [&](std::size_t s) {
      addTerm(*b.body.sums[s],
              builder_.CreateAlignedLoad(types_.real, numberOf(builder_, types_.real, b.terms[s], k), llvm::Align(8)));
    };
    // one question for all sums of the pair that go to the element of the inner index
    std::vector<std::size_t> sums = b.others;
    const auto same = [&](std::size_t s) { return owner_ && owner_->sums.counters.at(b.body.sums[s]->args[0]) == 1; };
    std::stable_partition(sums.begin(), sums.end(), same);
    const auto rest = std::partition_point(sums.begin(), sums.end(), same);
    if (rest != sums.begin())
      whereOwned(b.body.sums[sums.front()]->args[0], [&] { std::for_each(sums.begin(), rest, add); });
    std::for_each(rest, sums.end(), add);
  });
  describe(latch, "llvm.loop.vectorize.enable", builder_.getFalse());
}

} // namespace lmc::backends
