// Code for graphics processors, nvptx64-nvidia-cuda: one thread a trajectory, with the bits of code for lanes.
//
// It is the code for lanes, with one lane: what is fused is decided on the tape, sine, cosine and the Stumpff functions
// are the same polynomials, quotients and roots are those of IEEE 754, and nothing has a licence to be contracted. So a
// trajectory has the bits that a lane of this machine gives it. Memory is that of as many lanes as there are threads:
// number k of lane l at k*lanes + l from the base of its role, so that neighbouring threads read neighbouring numbers.
//
// There is no library. Where code for lanes calls one, far from where its polynomials hold, a thread gives its
// trajectory back (runtime::HandedBack): the processor makes it again. Routines for arrays (runtime/kernels) there are
// none but the elimination of small systems; who compiles asks tape::deviceObstacle before.
//
// Kernels, for l < lanes; a lane whose status is not 0 takes no part:
//   lmc_fK(params, constants, state, work, output, i64 lanes, arguments, i32* statuses): function K of the tape;
//     argument k of lane l is arguments[k*lanes + l];
//   lmc_advance(…, i64 lanes, double t0, double h, i64 first, i64 n, i32* statuses, i64* done): as
//     Compiled::LaneAdvance. Work has room for a state behind its numbers;
//   lmc_finite(double* state, i64 lanes, i32* statuses): statuses of lanes whose state is not finite become NonFinite;
//   lmc_restore(double* to, double* from, i64 lanes, i32* statuses): copies the states of lanes whose status is 0.
#pragma once

#include "backends/llvm/lanes/LaneEmitter.h"

namespace lmc::backends {

class DeviceEmitter;

class DeviceModuleEmitter final : public LaneModuleEmitter {
public:
  /// With `fused`, the processor whose bits are wanted has fused multiply-add.
  DeviceModuleEmitter(const tape::Module& tape, llvm::LLVMContext& context, const Options& options, bool fused);

  /// The module, not optimised, with triple and data layout. Nothing is left in the emitter.
  std::unique_ptr<llvm::Module> run() override;
  llvm::Value* externalAddress(llvm::IRBuilder<>& b, External f, llvm::FunctionType* type) override;

protected:
  std::unique_ptr<LaneEmitter> emitterOf(llvm::Function* function) override;

private:
  void emitFunction(std::size_t index);
  void emitSteps();
  void emitFinite();
  void emitRestore();
  /// What a thread has: its lane, and the first `pointers` parameters moved to it.
  struct Thread {
    llvm::Value* lane = nullptr;
    std::vector<llvm::Value*> bases;
    llvm::Function* kernel = nullptr;
    llvm::Value* status = nullptr; ///< where its status stands
  };
  using Body = std::function<void(DeviceEmitter&, const Thread&)>;
  /// A kernel with `pointers` arrays of numbers of lanes, the number of lanes, and `rest`, of which `statuses` is the
  /// number of the array of statuses. Threads without a lane, or one whose status is not 0, leave it at once; others
  /// fall out of `body`, or return.
  void emitKernel(const std::string& name, unsigned pointers, const std::vector<llvm::Type*>& rest, unsigned statuses,
                  const Body& body);
};

class DeviceEmitter final : public LaneEmitter {
public:
  /// `stride`: the number of lanes, between two numbers of one of them; null: there is no memory of lanes.
  DeviceEmitter(DeviceModuleEmitter& module, llvm::Function* function, llvm::Value* stride);

  llvm::Value* address(llvm::Value* base, llvm::Value* k) override;
  llvm::Value* address(llvm::Value* base, std::int64_t k) override;
  llvm::Value* roomFor(std::int64_t count) override;
  void copyNumbers(llvm::Value* to, llvm::Value* from, std::int64_t count) override;
  /// Where the working memory begins, behind which states are kept.
  void setWork(llvm::Value* work) { work_ = work; }

protected:
  llvm::Value* byLibrary(External f, const std::vector<llvm::Value*>& args) override;
  StumpffValues stumpffByLibrary(const StumpffGroup& group) override;
  void kernel(const tape::Instr& i) override;
  llvm::Value* addresses(llvm::Value* begin, llvm::Value* index) override;

private:
  void handBack();

  llvm::Value* stride_;
  llvm::Value* work_ = nullptr;
};

} // namespace lmc::backends
