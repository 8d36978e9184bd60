// Code for many trajectories at once.
//
// A lane is one trajectory. Every Real of the tape becomes a vector with one number per lane, and every lane does the
// arithmetic that it would do alone: which operations are fused is decided here, on the tape, and sine, cosine and the
// Stumpff functions are the same polynomials at every width. So the bits of a trajectory depend neither on the number
// of lanes nor on its neighbours. Vectors longer than the registers of the machine are several independent ones in
// flight, which hide each other's latency.
//
// Memory is a structure of vectors: number k of lane l stands at k*lanes + l from the base of its role. What all lanes
// have in common (indices, constants, the time of a fixed step) stays a scalar. A condition that differs between lanes
// becomes a mask: a block is run when some lane wants it, and stores keep what the others had.
#pragma once

#include "backends/llvm/emit/Emitter.h"

namespace lmc::backends {

class LaneModuleEmitter final : public ModuleEmitter {
public:
  /// With `fused`, the machine has fused multiply-add.
  LaneModuleEmitter(const tape::Module& tape, llvm::LLVMContext& context, const Options& options, bool fused);

  /// The module, not optimised. Nothing is left in the emitter.
  std::unique_ptr<llvm::Module> run();

  /// a*b + c is one operation.
  [[nodiscard]] bool fused() const { return fused_; }
  /// void f(in, out) or f(in, in2, out): a function of the table applied to the numbers of each lane in memory.
  llvm::Function* laneByLane(External function, int arguments);
  /// void f(in, highest, orders, out): Stumpff functions, number of order k and lane l at k*lanes + l.
  llvm::Function* stumpffByLane();

private:
  void emitEntry(std::size_t index);
  void emitAdvance();

  bool fused_;
  std::map<External, llvm::Function*> byLane_;
  llvm::Function* stumpff_ = nullptr;
};

class LaneEmitter final : public Emitter {
public:
  LaneEmitter(LaneModuleEmitter& module, llvm::Function* function);

  // Lanes that fail get a status; what they compute afterwards means nothing.
  /// One status per lane; set before `body`.
  void setStatus(llvm::Value* statuses) { builder_.CreateStore(statuses, status_); }
  llvm::Value* status() { return builder_.CreateLoad(types_.statuses, status_); }
  /// The lanes whose status is 0.
  llvm::Value* running();
  llvm::Value* any(llvm::Value* mask);

private:
  /// An open loop of the tape.
  struct LoopScope {
    llvm::BasicBlock* after = nullptr;
    llvm::AllocaInst* alive = nullptr; ///< lanes that have not left it; null: none leaves alone
  };

  // Fused operations are decided on the tape.
  llvm::Value* sum(const tape::Instr& i, bool minus) override;
  llvm::Value* polynomial(const std::vector<double>& coefficients, llvm::Value* x) override;
  llvm::Value* lessProduct(double c, llvm::Value* a, llvm::Value* b) override;
  llvm::Value* fma(llvm::Value* a, llvm::Value* b, llvm::Value* c);
  [[nodiscard]] const tape::Instr* product(tape::Value v) const;

  // Functions; their argument is a number or a vector, and so is the result.
  llvm::Value* call(External f, const std::vector<llvm::Value*>& args) override;
  void sineAndCosine(llvm::Value* x, bool sine, bool cosine, std::array<llvm::Value*, 2>& out) override;
  StumpffValues stumpffValues(const StumpffGroup& group) override;
  StumpffValues stumpffFar(const StumpffGroup& group) override;

  void familyLoop(const tape::Instr& i) override;
  void when(const tape::Instr& i) override;
  void breakIf(llvm::Value* condition) override;
  void failIf(llvm::Value* condition, llvm::Value* status) override;
  llvm::Value* read(const tape::Instr& i) override;
  void put(const tape::Instr& i, llvm::Value* x) override;
  void accumulate(const tape::Instr& i) override;
  void fill(const tape::Instr& i) override;
  void kernel(const tape::Instr& i) override;
  bool newtonChange(const tape::Instr& i);
  /// J x = r, in memory: J by rows, r becomes x.
  struct LinearSystem {
    std::int64_t size = 0;
    llvm::Value* matrix = nullptr;
    llvm::Value* right = nullptr;
    llvm::Value* last = nullptr;          ///< size - 1
    llvm::AllocaInst* best = nullptr;     ///< the largest number of a column so far, in each lane,
    llvm::AllocaInst* pivot = nullptr;    ///< and its row
    llvm::AllocaInst* singular = nullptr; ///< lanes without a pivot
  };
  llvm::Value* entry(const LinearSystem& s, llvm::Value* row, llvm::Value* column);
  llvm::Value* component(const LinearSystem& s, llvm::Value* row);
  /// where <- where - f x
  void less(llvm::Value* f, llvm::Value* x, llvm::Value* where);
  void choosePivot(const LinearSystem& s, llvm::Value* k);
  void exchangeRows(const LinearSystem& s, llvm::Value* k);
  void eliminateBelow(const LinearSystem& s, llvm::Value* k);
  void substituteBack(const LinearSystem& s);
  void copyLane(const tape::Buffer& buffer, llvm::Value* scratch, llvm::Value* lane, bool back);

  /// The lanes for which the present place is meant; null: all.
  llvm::Value* mask();
  /// Those of them that run.
  llvm::Value* meant();
  llvm::Value* allLanes();
  llvm::Value* addressesOf(const tape::Instr& i);

  LaneModuleEmitter& lanes_;
  llvm::AllocaInst* status_ = nullptr;
  std::vector<LoopScope> loops_;
  std::vector<llvm::Value*> conditions_; ///< masks of the open blocks
};

} // namespace lmc::backends
