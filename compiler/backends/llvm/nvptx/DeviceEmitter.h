// Code for graphics processors as LLVM IR for nvptx64-nvidia-cuda: one thread a trajectory.
//
// Memory is a structure of vectors, as for lanes: number k of trajectory l stands at k*trajectories + l from the base
// of its role, so that neighbouring threads read neighbouring numbers. There is no table of functions: those of the
// mathematical library are those of libdevice (__nv_exp), the routines of runtime/kernels, C99, go by their names.
// Kernels, with l < trajectories:
//   lmc_fK(params, constants, state, work, output, i64 trajectories, arguments, i32* statuses): function K of the tape;
//     argument k of trajectory l is arguments[k*trajectories + l];
//   lmc_advance(…, i64 trajectories, double t0, double h, i64 n, i64* done, i32* statuses): n steps; done[l] is the
//     index of the first one on entry, on return the number of steps that were made.
#pragma once

#include "backends/llvm/emit/Emitter.h"

namespace lmc::backends {

class DeviceModuleEmitter final : public ModuleEmitter {
public:
  DeviceModuleEmitter(const tape::Module& tape, llvm::LLVMContext& context, const Options& options);

  /// The module, not optimised, with triple and data layout. Nothing is left in the emitter.
  std::unique_ptr<llvm::Module> run();

  llvm::Value* externalAddress(llvm::IRBuilder<>& b, External f, llvm::FunctionType* type) override;

private:
  void emitFunction(std::size_t index);
  void emitAdvance();
  /// A kernel that leaves threads without a trajectory; `body` gets a builder, the kernel, the index of the trajectory
  /// and the bases of its memory.
  using Body = std::function<void(llvm::IRBuilder<>&, llvm::Function*, llvm::Value*, std::vector<llvm::Value*>&)>;
  void emitKernel(const std::string& name, const std::vector<llvm::Type*>& rest, const Body& body);
};

class DeviceEmitter final : public Emitter {
public:
  /// `stride`: the number of trajectories, between two numbers of one of them.
  DeviceEmitter(ModuleEmitter& module, llvm::Function* function, llvm::Value* stride);

  llvm::Value* address(llvm::Value* base, llvm::Value* k) override;
  llvm::Value* address(llvm::Value* base, std::int64_t k) override;

private:
  void kernel(const tape::Instr& i) override;

  llvm::Value* stride_;
};

} // namespace lmc::backends
