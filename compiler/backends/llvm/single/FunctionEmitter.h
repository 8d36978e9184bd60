// Code for one trajectory that runs alone.
//
// SingleModuleEmitter makes the functions of a module; FunctionEmitter emits one LLVM function. Bodies of tape
// functions are emitted where they are needed (the step inside the loop of `advance`, small callees at their calls), so
// that no inliner has to run.
#pragma once

#include "backends/llvm/emit/Emitter.h"
#include "tape/Shares.h"
#include "unit/Unit.h"

#include <functional>
#include <optional>
#include <set>

namespace lmc::backends {

/// Attribute of a function that adds whole vectors to the same places in each turn of a loop: they can be kept in
/// registers, for which `optimizeLoops` (Optimize.h) takes its time.
inline constexpr const char* addsVectors = "lmc-adds-vectors";

class SingleModuleEmitter final : public ModuleEmitter {
public:
  /// With a unit, whose module the tape is, an object for other programs; else one for the loader of compiler/jit.
  SingleModuleEmitter(const tape::Module& tape, llvm::LLVMContext& context, const Options& options,
                      const unit::Exported* unit = nullptr);

  /// The module, not optimised. Nothing is left in the emitter.
  std::unique_ptr<llvm::Module> run();

  llvm::Value* externalAddress(llvm::IRBuilder<>& b, External f, llvm::FunctionType* type) override;
  [[nodiscard]] bool isInvariant(const tape::Buffer& buffer, std::size_t function) const override;
  /// The function of a tape function, made when first asked for.
  llvm::Function* internalFunction(std::size_t index);
  /// A function so short that it is emitted at its calls.
  [[nodiscard]] bool isInlined(std::size_t index) const;
  /// Stumpff functions of arguments that are not near zero.
  llvm::Function* stumpffHelper();
  /// A function of a frame and the number of a turn, without a body.
  llvm::Function* turnFunction();
  /// Its code may ask threads for help.
  [[nodiscard]] bool hasTeam() const { return unit_ == nullptr; }
  /// Of a large state that threads step together they also keep a copy and look at the numbers: each at those of the
  /// members that it steps, which its cache has.
  [[nodiscard]] bool sharesState() const { return !stateParts_.empty(); }
  /// Numbers of the state that stand behind each other, and how many of them a share has.
  struct StatePart {
    std::int64_t offset = 0, size = 0, share = 0;
  };
  /// What the state consists of; nothing unless it is shared.
  [[nodiscard]] const std::vector<StatePart>& stateParts() const { return stateParts_; }

private:
  void findConstantReaders();
  void findStateParts();
  void emitCalledByOtherParts();
  void emitEntry(std::size_t index);
  void emitStepEntry();
  void emitAdvance();
  void emitCore();
  void emitBody(std::size_t index);
  /// Memory of the caller for the state before a step; null if he provides none.
  llvm::Value* stateScratch(llvm::IRBuilder<>& b, llvm::Value* state);

  // of objects for other programs (Ahead.cpp)
  void emitAhead();
  void emitAheadFunction(std::size_t index, const char* suffix);
  void emitAheadStep();
  void emitAheadSteps();
  void emitAheadInit();
  void emitAheadError();
  void emitAheadTables();
  void appendRoutines();
  llvm::Value* placeIn(llvm::IRBuilder<>& b, llvm::Value* self, std::int64_t offset);
  std::vector<llvm::Value*> basesIn(llvm::IRBuilder<>& b, llvm::Value* self);
  llvm::GlobalVariable* constantData(llvm::Constant* data, const std::string& name, bool exported);

  std::vector<StatePart> stateParts_;
  std::vector<bool> constantsFixed_;       ///< by function: the Constants do not change while it runs
  std::vector<llvm::Function*> functions_; ///< internal functions, made when first called
  std::vector<std::size_t> pending_;       ///< those without a body
  llvm::Function* core_ = nullptr;         ///< the loop of `advance`
  llvm::Function* stumpff_ = nullptr;
  int turnFunctions_ = 0;
  const unit::Exported* unit_ = nullptr;
  std::set<std::string> routines_; ///< of runtime/kernels that are called by their names
};

class FunctionEmitter final : public Emitter {
public:
  FunctionEmitter(SingleModuleEmitter& module, llvm::Function* function);

  /// The body of the function for arguments of Stumpff functions that are not near zero.
  void stumpffBeyond();
  using Emitter::anyNonFinite;
  llvm::Value* anyNonFinite(llvm::Value* memory, std::int64_t count) override;
  void copyNumbers(llvm::Value* to, llvm::Value* from, std::int64_t count) override;
  llvm::Value* roomFor(std::int64_t count) override;

private:
  void sineAndCosine(llvm::Value* x, bool sine, bool cosine, std::array<llvm::Value*, 2>& out) override;
  [[nodiscard]] StumpffInterval intervalOf(tape::Value s) const override;
  [[nodiscard]] StumpffInterval intervalOfQuotients() const override;
  StumpffValues stumpffValues(const StumpffGroup& group) override;
  StumpffValues stumpffFar(const StumpffGroup& group) override;
  [[nodiscard]] bool isNonNegative(tape::Value v) const;

  void familyLoop(const tape::Instr& i) override;
  void independentLoop(const tape::Instr& i);
  void failingTurns(const tape::Instr& i, llvm::Value* count);
  [[nodiscard]] bool mayFail(std::int32_t block) const;
  void ownedLoop(const tape::Instr& i);
  void ownedRows(const tape::Instr& i, const tape::OwnedSums& sums, llvm::Value* owner, llvm::Value* owners);
  /// Makes a function of a frame and the number of a turn for what stands in a loop, and calls it for so many turns on
  /// threads. `make` emits a turn in it, with values of this function that it wants beside those of the tape.
  using TurnBody =
      std::function<void(FunctionEmitter& inner, llvm::Value* turn, const std::vector<llvm::Value*>& wanted)>;
  void shareTurns(const tape::Instr& i, llvm::Value* count, std::vector<llvm::Value*> wanted, const TurnBody& make);
  /// Calls the function of a turn so many times on threads, with these values in its frame.
  void callTurns(llvm::Function* turn, const std::vector<llvm::Value*>& kept, llvm::Value* count);
  using PieceBody = std::function<void(FunctionEmitter& inner, llvm::Value* share, const std::vector<llvm::Value*>&)>;
  void shareState(const std::vector<llvm::Value*>& wanted, const PieceBody& make);
  /// Calls `each` with where a part of the state begins that a share has, and with its length.
  void eachPart(llvm::Value* share, const std::function<void(llvm::Value* begin, llvm::Value* length)>& each);
  llvm::Value* anyNonFiniteOfShares(llvm::Value* memory);
  llvm::Value* looksFinite(llvm::Value* memory, llvm::Value* count);
  [[nodiscard]] std::vector<tape::Value> valuesFromOutside(const tape::Instr& i) const;
  llvm::BranchInst* turns(const tape::Instr& i);
  llvm::BranchInst* turns(const tape::Instr& i, llvm::Value* low, llvm::Value* high);
  void vectorTurns(const tape::Instr& i, const std::vector<tape::Value>& defined);
  void forget(const std::vector<tape::Value>& defined);
  void optimisticLoop(const tape::Instr& i, const std::vector<tape::Value>& defined);
  /// Of a loop: where each instruction that may fail notes the first turn in which it did.
  struct LateFailures {
    std::vector<llvm::Value*> turns;
  };
  LateFailures beginLate(std::size_t count);
  void endLate(const LateFailures& failures);
  void failIf(llvm::Value* condition, llvm::Value* status) override;
  void accumulate(const tape::Instr& i) override;
  /// The pairs that a turn of an outer loop has.
  struct PairRow {
    llvm::Value *low, *high;        ///< positions
    llvm::Value* entries = nullptr; ///< of a list; null: positions are the indices
    llvm::MDNode* tag = nullptr;
    llvm::Value* index(llvm::IRBuilder<>& b, llvm::Value* position) const;
  };
  /// What is computed for a pair.
  struct PairBody {
    const tape::Instr* branch = nullptr;
    std::vector<const tape::Instr*> plain, sums;
  };
  [[nodiscard]] std::optional<PairBody> pairBody(const tape::Instr& i) const;
  PairRow pairRow(const tape::Instr& i);
  void pairLoop(const tape::Instr& i);
  void splitPairs(const tape::Instr& i, const PairRow& row, const PairBody& body);
  /// Pairs whose terms are computed before they are added: 1 << pairPiecePower.
  static constexpr std::int64_t pairPiecePower = 6, pairPiece = std::int64_t{1} << pairPiecePower;
  void eachPiece(const PairRow& row, const std::function<void(llvm::Value* first, llvm::Value* last)>& make);
  // the same over a list (ListedPairs.cpp)
  struct ListedBody;
  struct Piece;
  void listedPairs(const tape::Instr& i, const PairRow& row, const PairBody& body);
  void slowFirst(ListedBody& b) const;
  void eachEight(const Piece& piece, const std::function<void(llvm::Value* from)>& make);
  llvm::Value* loadPairs(llvm::Type* type, llvm::Value* array, llvm::Value* first, std::int64_t count);
  void readMembers(const ListedBody& b, const Piece& piece, llvm::Value* from);
  void eightPairs(const ListedBody& b, llvm::Value* from, const std::function<void(llvm::Value* k)>& body);
  void ofPair(const std::map<const tape::Instr*, llvm::AllocaInst*>& arrays, const tape::Instr& x, llvm::Value* k);
  void computeSlow(const ListedBody& b, llvm::Value* from);
  void computeTerms(const ListedBody& b, const Piece& piece, llvm::Value* from);
  std::vector<llvm::Value*> rowsOfTerms(const std::vector<llvm::Value*>& layer, double absent, llvm::Value* from);
  void addTerms(const ListedBody& b, llvm::Value* from);
  void addOtherTerms(const ListedBody& b, const Piece& piece);
  /// `width` numbers of a buffer, from width·member + begins on.
  llvm::Value* rowOf(std::int32_t buffer, std::int64_t width, std::int64_t begins, llvm::Value* member);
  llvm::Value* loadRow(std::int32_t buffer, std::int64_t width, std::int64_t begins, llvm::Value* member,
                       std::int64_t count);
  void storeRow(llvm::Value* row, std::int32_t buffer, std::int64_t width, std::int64_t begins, llvm::Value* member);
  /// Whose elements sums go to, while a nest of ownedTurns is emitted (tape/Shares.h).
  struct Owner {
    tape::OwnedSums sums;
    llvm::Value *low, *count;                        ///< the first of his indices, and how many they are
    llvm::Value* row = nullptr;                      ///< the outer index is his
    llvm::Value *begin = nullptr, *behind = nullptr; ///< positions in the list of the row
  };
  [[nodiscard]] llvm::Value* owns(llvm::Value* index);
  /// Emits what adds to an element with this place, where it is the owner's.
  void whereOwned(tape::Value place, const std::function<void()>& add);
  /// Emits something for where a condition holds.
  void where(llvm::Value* condition, const std::function<void()>& make);
  void addTerm(const tape::Instr& i, llvm::Value* term);
  void maskTail(llvm::BranchInst* latch);
  [[nodiscard]] bool storesFarApart(const tape::Instr& i) const;
  bool isVector(const tape::Instr& i);
  void asOneVector(llvm::BranchInst* latch, std::int64_t turns);
  void describe(llvm::BranchInst* latch, const char* property, llvm::Constant* is);
  void describe(llvm::BranchInst* latch, const char* property, llvm::Metadata* is);
  void fill(const tape::Instr& i) override;
  void callFunction(const tape::Instr& i) override;

  SingleModuleEmitter& single_;
  llvm::Value* turn_ = nullptr;        ///< of the loop that was begun last
  std::vector<llvm::Value*> late_;     ///< where the next failures of a loop are noted; empty: they leave it
  std::vector<llvm::Value*> statuses_; ///< of those that have been noted
  std::optional<Owner> owner_;
  bool ownerKnown_ = false;         ///< sums that are emitted are the owner's
  llvm::Value* farthest_ = nullptr; ///< set: arguments of Stumpff functions are taken to be near zero; the largest one
};

} // namespace lmc::backends
