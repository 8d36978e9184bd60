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

class LaneEmitter;

class LaneModuleEmitter : public ModuleEmitter {
public:
  /// With `fused`, the machine has fused multiply-add.
  LaneModuleEmitter(const tape::Module& tape, llvm::LLVMContext& context, const Options& options, bool fused);

  /// The module, not optimised. Nothing is left in the emitter.
  virtual std::unique_ptr<llvm::Module> run();

  /// a*b + c is one operation.
  [[nodiscard]] bool fused() const { return fused_; }
  /// void f(in, out) or f(in, in2, out): a function of the table applied to the numbers of each lane in memory.
  llvm::Function* laneByLane(External function, int arguments);
  /// void f(in, out): Stumpff functions of the given orders, of any argument that is not huge; that of order k into
  /// number k of `out`.
  llvm::Function* stumpffFunction(std::uint64_t orders);
  /// void f(in, highest, orders, out): by the library, Stumpff functions, number of order k and lane l at k*lanes + l.
  llvm::Function* stumpffByLane();

protected:
  /// An emitter of a function that only computes with what its parameters point to.
  virtual std::unique_ptr<LaneEmitter> emitterOf(llvm::Function* function);

private:
  void emitEntry(std::size_t index);
  void emitAdvance();

  bool fused_;
  std::map<External, llvm::Function*> byLane_;
  llvm::Function* stumpff_ = nullptr;
  std::map<std::uint64_t, llvm::Function*> stumpffs_; ///< by orders
};

/// nvptx/ derives from it code for one lane, whose numbers stand elsewhere and which has no library.
class LaneEmitter : public Emitter {
public:
  LaneEmitter(LaneModuleEmitter& module, llvm::Function* function);

  // Lanes that fail get a status; what they compute afterwards means nothing.
  /// One status per lane; set before `body`.
  void setStatus(llvm::Value* statuses) { builder_.CreateStore(statuses, status_); }
  llvm::Value* status() { return builder_.CreateLoad(types_.statuses, status_); }
  /// The lanes whose status is 0.
  llvm::Value* running();
  llvm::Value* any(llvm::Value* mask);

  /// Makes the whole function of LaneModuleEmitter::stumpffFunction.
  void stumpffOfAnySize(std::uint64_t orders, llvm::Value* in, llvm::Value* out);
  llvm::Value* roomFor(std::int64_t count) override;
  void copyNumbers(llvm::Value* to, llvm::Value* from, std::int64_t count) override;

protected:
  // Functions; their argument is a number or a vector, and so is the result.
  llvm::Value* call(External f, const std::vector<llvm::Value*>& args) override;
  /// One that is made of sums, products, quotients and roots; null: there is none, the library has it.
  llvm::Value* elementary(External f, const std::vector<llvm::Value*>& args);
  /// One that the library has: of each lane, or of all where they have the same argument.
  virtual llvm::Value* byLibrary(External f, const std::vector<llvm::Value*>& args);
  StumpffValues stumpffFar(const StumpffGroup& group) override;
  /// The routine of the library, for one lane after the other.
  virtual StumpffValues stumpffByLibrary(const StumpffGroup& group);
  void failIf(llvm::Value* condition, llvm::Value* status) override;
  void kernel(const tape::Instr& i) override;
  /// The system of a turn of an iteration, in all lanes at once. False, and nothing emitted, where its size is not
  /// known or large.
  bool newtonChange(const tape::Instr& i);
  /// Where elements stand whose index differs between lanes, counted from where their buffer begins.
  virtual llvm::Value* addresses(llvm::Value* begin, llvm::Value* index);

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

  // Elementary.cpp: of numbers and of vectors.
  struct ReducedExponential {
    llvm::Value* n = nullptr; ///< a whole number
    llvm::Value* e = nullptr;
  };
  [[nodiscard]] llvm::Type* bitsOf(llvm::Value* like) const;
  llvm::Value* asBits(llvm::Value* x);
  llvm::Value* asReal(llvm::Value* bits, llvm::Value* like);
  llvm::Value* powerOfTwo(llvm::Value* n, llvm::Value* like);
  llvm::Value* withSignOf(llvm::Value* size, llvm::Value* x);
  llvm::Value* unlessNaN(llvm::Value* x, llvm::Value* y);
  llvm::Value* atMost(llvm::Value* x, double bound);
  ReducedExponential reducedExponential(llvm::Value* x);
  struct ReducedLogarithm {
    llvm::Value *k = nullptr, *f = nullptr;
  };
  struct TwoParts {
    llvm::Value *high = nullptr, *low = nullptr;
  };
  llvm::Value* scaled(llvm::Value* x, llvm::Value* n);
  llvm::Value* ofExponential(llvm::Value* x);
  ReducedLogarithm reducedLogarithm(llvm::Value* x);
  TwoParts exactSum(llvm::Value* a, llvm::Value* b);
  TwoParts exactProduct(llvm::Value* a, llvm::Value* b);
  TwoParts longLogarithm(llvm::Value* x);
  llvm::Value* power(llvm::Value* x, llvm::Value* y);
  llvm::Value* exponential(llvm::Value* x);
  llvm::Value* exponentialLessOne(llvm::Value* x);
  llvm::Value* logarithm(llvm::Value* x);
  llvm::Value* arctangent(llvm::Value* y, llvm::Value* x);
  llvm::Value* otherLeg(llvm::Value* x);
  llvm::Value* hyperbolic(External f, llvm::Value* x);

  void sineAndCosine(llvm::Value* x, bool sine, bool cosine, std::array<llvm::Value*, 2>& out) override;
  void nearSineAndCosine(llvm::Value* x, bool sine, bool cosine, std::array<llvm::Value*, 2>& out);
  void unlessFar(llvm::Value* far, const std::vector<External>& functions, const std::vector<llvm::Value*>& arguments,
                 const std::vector<llvm::Value**>& near);
  llvm::Value* beyond(llvm::Value* x, double limit);
  llvm::Value* tangent(llvm::Value* x);
  StumpffValues stumpffValues(const StumpffGroup& group) override;
  std::array<llvm::Value*, 2> circular(llvm::Value* s, double scale);

  void familyLoop(const tape::Instr& i) override;
  void when(const tape::Instr& i) override;
  void breakIf(llvm::Value* condition) override;
  llvm::Value* read(const tape::Instr& i) override;
  void put(const tape::Instr& i, llvm::Value* x) override;
  void accumulate(const tape::Instr& i) override;
  void fill(const tape::Instr& i) override;
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

  LaneModuleEmitter& lanes_;
  llvm::AllocaInst* status_ = nullptr;
  std::vector<LoopScope> loops_;
  std::vector<llvm::Value*> conditions_; ///< masks of the open blocks
};

/// What the loop over steps works on; the values are those of Compiled::LaneAdvance.
struct LaneSteps {
  BasePointers bases{};
  llvm::Value *t0 = nullptr, *h = nullptr, *first = nullptr, *n = nullptr;
  llvm::Value *statuses = nullptr, *done = nullptr; ///< in memory
};
/// Emits the loop over steps at the insertion point, and the return.
void emitLaneSteps(LaneEmitter& emitter, const tape::Module& tape, const LaneSteps& steps);

} // namespace lmc::backends
