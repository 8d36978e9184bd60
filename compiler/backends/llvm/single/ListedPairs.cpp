// Loops over the row of a list of near pairs, in three passes over at most 64 of its pairs.
//
// The first one reads the numbers of the second members that stand side by side in memory (lower/builder/PairRows.h),
// the rows of eight members at a time, and turns them into eight numbers of each kind. The second computes the terms of
// eight pairs at a time, in a loop that is vectorised, with -0 for pairs that do not count: no sum is changed by that.
// The third turns eight terms of each kind into the rows of eight members again, and adds one row after the other.
#include "backends/llvm/single/FunctionEmitter.h"
#include "tape/Places.h"
#include "tape/TapeOps.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace lmc::backends {

using tape::Instr;
using tape::Op;

namespace {

constexpr std::int64_t pairs = 8, pairsPower = 3;
using Vectors = std::vector<llvm::Value*>;

/// Rows of four or eight numbers in memory: that of an index begins at width·index + begin.
struct RowsAt {
  std::int32_t buffer = -1;
  std::int64_t width = 0, begin = 0;
  friend auto operator<=>(const RowsAt&, const RowsAt&) = default;
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

/// The transpose of 8 × 8 numbers.
void transpose(llvm::IRBuilder<>& b, Vectors& v) {
  transposeHalves(b, v.data());
  transposeHalves(b, v.data() + 4);
  for (std::size_t k = 0; k < 4; ++k) {
    llvm::Value* const low = shuffle(b, v[k], v[k + 4], {0, 1, 2, 3, 8, 9, 10, 11});
    v[k + 4] = shuffle(b, v[k], v[k + 4], {4, 5, 6, 7, 12, 13, 14, 15});
    v[k] = low;
  }
}

/// Of eight rows the vectors of their first numbers, of their second ones, …
Vectors columnsOf(llvm::IRBuilder<>& b, Vectors rows, std::int64_t width) {
  if (width == pairs) {
    transpose(b, rows);
    return rows;
  }
  Vectors v;
  for (std::size_t k = 0; k < 4; ++k) v.push_back(shuffle(b, rows[k], rows[k + 4], {0, 1, 2, 3, 4, 5, 6, 7}));
  transposeHalves(b, v.data());
  return v;
}

/// The other way round.
Vectors rowsOf(llvm::IRBuilder<>& b, Vectors columns, std::int64_t width) {
  if (width == pairs) {
    transpose(b, columns);
    return columns;
  }
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

void FunctionEmitter::listedPairs(const Instr& i, const PairRow& row, const PairBody& body) {
  const auto vectorType = [&](std::int64_t n) {
    return llvm::FixedVectorType::get(types_.real, static_cast<unsigned>(n));
  };
  const auto room = [&](llvm::Type* type) {
    llvm::AllocaInst* const a = local(llvm::ArrayType::get(type, static_cast<std::uint64_t>(pairPiece)));
    a->setAlignment(llvm::Align(8 * pairs));
    return a;
  };
  ListedBody b{i, row, body, room(types_.integer), {}, {}, {}, {}, {}, {}};
  const auto places = tape::Places(*frame_->function).in(i, {i.result});
  const auto rowsAt = [&](const Instr& x) -> std::optional<std::pair<RowsAt, std::int64_t>> {
    const auto place = places.find(x.args[0]);
    if (place == places.end() || place->second.low != place->second.high) return std::nullopt;
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
    readMembers(b, piece);
    computeTerms(b, piece);
    addTerms(b, piece);
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

void FunctionEmitter::readMembers(const ListedBody& b, const Piece& piece) {
  llvm::Value* const turns = builder_.CreateAShr(piece.last, types_.index(pairsPower));
  llvm::BranchInst* const latch = loop(types_.index(0), turns, false, [&](llvm::Value* turn, llvm::BasicBlock*) {
    llvm::Value* const from = builder_.CreateNSWMul(turn, types_.index(pairs));
    Vectors members;
    for (std::int64_t lane = 0; lane < pairs; ++lane) {
      llvm::Value* const k = builder_.CreateNSWAdd(from, types_.index(lane));
      llvm::Value* const listed = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, k, piece.last);
      members.push_back(b.row.index(builder_, builder_.CreateNSWAdd(piece.first, listed)));
      builder_.CreateAlignedStore(members.back(), numberOf(builder_, types_.integer, b.members, k), llvm::Align(8));
    }
    for (const auto& [at, columns] : b.reads) {
      Vectors rows;
      for (llvm::Value* const member : members) rows.push_back(loadRow(at.buffer, at.width, at.begin, member));
      const Vectors found = columnsOf(builder_, std::move(rows), at.width);
      for (const auto& [column, numbers] : columns)
        builder_.CreateAlignedStore(found[static_cast<std::size_t>(column)],
                                    numberOf(builder_, types_.real, numbers, from), llvm::Align(8 * pairs));
    }
  });
  describe(latch, "llvm.loop.vectorize.enable", builder_.getFalse());
}

void FunctionEmitter::computeTerms(const ListedBody& b, const Piece& piece) {
  llvm::Value* const turns = builder_.CreateAShr(piece.last, types_.index(pairsPower));
  loop(types_.index(0), turns, false, [&](llvm::Value* turn, llvm::BasicBlock*) {
    llvm::Value* const from = builder_.CreateNSWMul(turn, types_.index(pairs));
    // Whole vectors without masks: what is stored under a mask is not handed on to the next load.
    asOneVector(loop(types_.index(0), types_.index(pairs - 1), false,
                     [&](llvm::Value* lane, llvm::BasicBlock*) {
                       llvm::Value* const k = builder_.CreateNSWAdd(from, lane);
                       const auto read = [&](llvm::Type* type, llvm::Value* array) {
                         return builder_.CreateAlignedLoad(type, numberOf(builder_, type, array, k), llvm::Align(8));
                       };
                       frame_->values[b.loop.result] = read(types_.integer, b.members);
                       for (const Instr* x : b.body.plain)
                         if (const auto numbers = b.numbers.find(x); numbers != b.numbers.end())
                           frame_->values[x->result] = read(types_.real, numbers->second);
                         else
                           instruction(*x);
                       llvm::Value* const counts =
                           builder_.CreateAnd(value(b.body.branch->args[0]), builder_.CreateICmpSLE(k, piece.last));
                       for (std::size_t s = 0; s < b.terms.size(); ++s)
                         builder_.CreateAlignedStore(
                             builder_.CreateSelect(counts, value(b.body.sums[s]->args[1]), types_.constant(-0.0)),
                             numberOf(builder_, types_.real, b.terms[s], k), llvm::Align(8));
                     }),
                pairs);
  });
}

void FunctionEmitter::addTerms(const ListedBody& b, const Piece& piece) {
  if (b.kept.empty() && b.inMemory.empty()) return;
  llvm::Value* const turns = builder_.CreateAShr(piece.last, types_.index(pairsPower));
  llvm::BranchInst* const latch = loop(types_.index(0), turns, false, [&](llvm::Value* turn, llvm::BasicBlock*) {
    llvm::Value* const from = builder_.CreateNSWMul(turn, types_.index(pairs));
    auto* const vector = llvm::FixedVectorType::get(types_.real, static_cast<unsigned>(pairs));
    /// The rows of eight pairs, layer by layer.
    const auto rowsOfSums = [&](const ListedBody::Sums& sums) {
      std::vector<Vectors> rows;
      for (const Vectors& layer : sums.layers) {
        Vectors columns;
        for (llvm::Value* const terms : layer)
          columns.push_back(terms == nullptr
                                ? static_cast<llvm::Value*>(llvm::ConstantFP::get(vector, -0.0))
                                : builder_.CreateAlignedLoad(vector, numberOf(builder_, types_.real, terms, from),
                                                             llvm::Align(8 * pairs)));
        rows.push_back(rowsOf(builder_, std::move(columns), sums.width));
      }
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
      llvm::Value* const k = builder_.CreateNSWAdd(from, types_.index(lane));
      llvm::Value* const member =
          builder_.CreateAlignedLoad(types_.integer, numberOf(builder_, types_.integer, b.members, k), llvm::Align(8));
      const auto add = [&] {
        for (const auto& [at, rows] : memory) {
          llvm::Value* sum = loadRow(at.buffer, at.width, at.begin, member);
          for (const Vectors& layer : rows) sum = builder_.CreateFAdd(sum, layer[static_cast<std::size_t>(lane)]);
          storeRow(sum, at.buffer, at.width, at.begin, member);
        }
      };
      owner_ ? where(owns(member), add) : add();
    }
  });
  describe(latch, "llvm.loop.vectorize.enable", builder_.getFalse());
}

llvm::Value* FunctionEmitter::rowOf(std::int32_t buffer, std::int64_t width, std::int64_t begins, llvm::Value* member) {
  llvm::Value* const place =
      builder_.CreateNSWAdd(builder_.CreateNSWMul(member, types_.index(width)), types_.index(begins));
  return builder_.CreateInBoundsGEP(types_.real, begin(buffer), place);
}

llvm::Value* FunctionEmitter::loadRow(std::int32_t buffer, std::int64_t width, std::int64_t begins,
                                      llvm::Value* member) {
  auto* const type = llvm::FixedVectorType::get(types_.real, static_cast<unsigned>(width));
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
