// Random valid tapes: every operation, nested loops, guards, accumulations, calls, kernels, failures.
#pragma once

#include "Builder.h"
#include "tape/LocalBuffers.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

namespace lmc::test {

/// Whether the tape may hold operations whose compiled form differs from the interpreter's by rounding.
enum class Exactness { Exact, Rounded };

/// Working memory that compiled functions keep in registers is left as it was: it is not compared.
inline void forgetScratch(const tape::Module& m, Memory& memory) {
  for (std::size_t f = 0; f < m.functions.size(); ++f) {
    const std::vector<bool> local = tape::localBuffers(m, f);
    for (std::size_t b = 0; b < local.size(); ++b) {
      const auto first = memory.of(runtime::Role::Work).begin() + m.buffers[b].offset;
      if (local[b]) std::fill(first, first + m.buffers[b].size, 0.0);
    }
  }
}

/// Memory with the same numbers for the same seed.
inline Memory filled(const tape::Module& m, unsigned seed) {
  Memory memory(m);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> number(-2, 2);
  for (auto& role : memory.data)
    for (double& x : role) x = number(random);
  return memory;
}

/// The bits of all memory that counts; those of a NaN mean nothing.
inline std::vector<std::uint64_t> bits(const tape::Module& m, Memory memory) {
  forgetScratch(m, memory);
  std::vector<std::uint64_t> all;
  for (const auto& role : memory.data)
    for (const double x : role) all.push_back(std::isnan(x) ? 0x7FF8U : std::bit_cast<std::uint64_t>(x));
  return all;
}

class RandomTape {
public:
  /// With functions that are about so many times as long as usual.
  RandomTape(unsigned seed, Exactness exactness, int longer = 1) : random_(seed), exactness_(exactness) {
    for (int r = 0; r < runtime::roleCount; ++r)
      for (int k = 0; k < 2; ++k)
        addBuffer(module, "b" + std::to_string(module.buffers.size()), static_cast<runtime::Role>(r),
                  size(static_cast<runtime::Role>(r)));
    addBuffer(module, "matrix", runtime::Role::Work, 16);
    addBuffer(module, "pivots", runtime::Role::Work, 8);
    addBuffer(module, "right", runtime::Role::Work, 8);
    const int functions = below(3) + 1;
    for (int k = 0; k < functions; ++k) function("f" + std::to_string(k), below(3), longer * (10 + below(60)));
    module.step = function("step", 2, longer * (10 + below(120)));
  }

  tape::Module module;

private:
  struct Pools {
    std::vector<V> reals;
    std::vector<V> ints;
    std::vector<V> bools;
  };

  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  bool chance(int oneIn) { return below(oneIn) == 0; }
  V pick(const std::vector<V>& pool) { return pool[static_cast<std::size_t>(below(static_cast<int>(pool.size())))]; }
  double number() { return std::uniform_real_distribution<double>(-2, 2)(random_); }

  std::int64_t size(runtime::Role role) {
    // States on both sides of what is kept in registers.
    if (role == runtime::Role::State) return 1 + (chance(4) ? 30 + below(50) : below(8));
    return 1 + below(40);
  }

  int function(const std::string& name, int arguments, int length) {
    FunctionBuilder f(module, name, arguments);
    f_ = &f;
    constantsWritable_ = name != "step" && chance(3);
    Pools p;
    for (int k = 0; k < arguments; ++k) p.reals.push_back(f.argument(k));
    for (int k = 0; k < 3; ++k) p.reals.push_back(f.real(number()));
    for (int k = 0; k < 3; ++k) p.ints.push_back(f.integer(below(9) - 4));
    p.bools.push_back(f.boolean(chance(2)));
    block(p, length, 0);
    for (int b = 4; b < 6; ++b) // the state depends on what was computed
      f.store(b, 0, f.op(tape::Op::Min, {f.op(tape::Op::Abs, {pick(p.reals)}), f.real(1e3)}));
    const int index = f.finish();
    writesConstants_.push_back(constantsWritable_);
    return index;
  }

  void block(Pools p, int length, int depth) {
    for (int k = 0; k < length; ++k) instruction(p, depth);
  }

  void instruction(Pools& p, int depth) {
    const int kind = below(20);
    if (kind < 9)
      p.reals.push_back(real(p));
    else if (kind < 11)
      p.ints.push_back(integer(p));
    else if (kind < 13)
      p.bools.push_back(logic(p));
    else if (kind < 17)
      memory(p);
    else
      structure(p, depth);
  }

  V real(const Pools& p) {
    using tape::Op;
    if (chance(8)) return f_->op(tape::Op::IntToReal, {pick(p.ints)});
    if (chance(8)) return f_->select(pick(p.bools), pick(p.reals), pick(p.reals));
    const auto first = static_cast<int>(tape::Op::Add);
    auto o = static_cast<tape::Op>(first + below(static_cast<int>(tape::Op::Stumpff) - first + 1));
    if (chance(2)) o = static_cast<tape::Op>(first + below(4)); // mostly sums and products
    if (o == tape::Op::Stumpff && exactness_ == Exactness::Exact) o = tape::Op::Add;
    std::int64_t imm = 0;
    if (o == tape::Op::PowInt) imm = below(13) - 4;
    if (o == tape::Op::Stumpff) imm = below(7);
    std::vector<V> args;
    for (std::size_t a = 0; a < tape::info(o).args.size(); ++a) args.push_back(pick(p.reals));
    return f_->op(o, args, imm);
  }

  V integer(const Pools& p) {
    using tape::Op;
    if (chance(6)) return f_->op(tape::Op::FloorToInt, {pick(p.reals)});
    if (chance(6)) return f_->integer(below(20) - 10);
    if (chance(6)) return f_->select(pick(p.bools), pick(p.ints), pick(p.ints), tape::Type::Int);
    const auto first = static_cast<int>(tape::Op::IAdd);
    const auto o = static_cast<tape::Op>(first + below(static_cast<int>(tape::Op::IAbs) - first + 1));
    std::vector<V> args;
    for (std::size_t a = 0; a < tape::info(o).args.size(); ++a) args.push_back(pick(p.ints));
    return f_->op(o, args);
  }

  V logic(const Pools& p) {
    using tape::Op;
    if (chance(8)) return f_->select(pick(p.bools), pick(p.bools), pick(p.bools), tape::Type::Bool);
    const auto first = static_cast<int>(tape::Op::Lt);
    const auto o = static_cast<tape::Op>(first + below(static_cast<int>(tape::Op::Not) - first + 1));
    std::vector<V> args;
    for (const char letter : tape::info(o).args)
      args.push_back(pick(letter == 'r' ? p.reals : letter == 'i' ? p.ints : p.bools));
    return f_->op(o, args);
  }

  V index(const Pools& p, int buffer) {
    const std::int64_t n = module.buffers[static_cast<std::size_t>(buffer)].size;
    if (chance(2)) return f_->integer(below(static_cast<int>(n)));
    return f_->op(tape::Op::IMod, {pick(p.ints), f_->integer(n)});
  }

  void memory(Pools& p) {
    const int buffer = below(10);
    const runtime::Role role = module.buffers[static_cast<std::size_t>(buffer)].role;
    const bool writable = role != runtime::Role::Params && (role != runtime::Role::Constants || constantsWritable_);
    if (!writable || chance(2)) {
      p.reals.push_back(f_->load(buffer, index(p, buffer)));
    } else if (chance(10)) {
      f_->fill(buffer);
    } else if (chance(2)) {
      f_->accum(buffer, index(p, buffer), pick(p.reals));
    } else {
      f_->store(buffer, index(p, buffer), pick(p.reals));
    }
  }

  void structure(Pools& p, int depth) {
    const int kind = below(8);
    if (kind < 3 && depth < 3) {
      const V low = chance(2) ? f_->integer(below(4) - 1) : f_->op(tape::Op::IMod, {pick(p.ints), f_->integer(5)});
      const V high = chance(2) ? f_->integer(below(12) - 1) : f_->op(tape::Op::IMod, {pick(p.ints), f_->integer(5)});
      f_->loop(
          low, high,
          [&](V counter) {
            Pools inner = p;
            inner.ints.push_back(counter);
            ++loops_;
            block(inner, 2 + below(8), depth + 1);
            --loops_;
          },
          chance(3));
    } else if (kind < 5 && depth < 3) {
      f_->when(pick(p.bools), [&] { block(p, 2 + below(6), depth + 1); });
    } else if (kind == 5 && !module.functions.empty() && depth < 2) {
      call(p);
    } else if (kind == 6 && depth < 2) {
      kernel(p);
    } else if (kind == 7) {
      const V rare = f_->op(tape::Op::Lt, {pick(p.reals), f_->real(-1.5)});
      if (loops_ > 0 && chance(2))
        f_->breakIf(rare);
      else
        f_->failIf(rare, 3 + below(5));
    }
  }

  void call(const Pools& p) {
    const int callee = below(static_cast<int>(module.functions.size()));
    if (writesConstants_[static_cast<std::size_t>(callee)] && !constantsWritable_) return;
    std::vector<V> args;
    for (int a = 0; a < module.functions[static_cast<std::size_t>(callee)].arguments; ++a)
      args.push_back(pick(p.reals));
    f_->call(callee, args);
  }

  void kernel(const Pools& p) {
    using tape::KernelId;
    const V n = f_->integer(4);
    for (int k = 0; k < 4; ++k) f_->store(matrix_, 5 * k, f_->real(4));
    f_->store(matrix_, 4, pick(p.reals));
    f_->store(right_, below(8), pick(p.reals));
    if (chance(2)) {
      f_->kernel(tape::KernelId::CholeskyFactor, {matrix_, pivots_}, {n, f_->integer(below(2))});
      f_->kernel(tape::KernelId::CholeskySolve, {matrix_, pivots_, right_}, {n, f_->integer(1)});
    } else {
      f_->kernel(tape::KernelId::LuFactor, {matrix_, pivots_}, {n});
      f_->kernel(tape::KernelId::LuSolve, {matrix_, pivots_, right_}, {n, f_->integer(2)});
      f_->kernel(tape::KernelId::LuDeterminant, {matrix_, pivots_, 8}, {n});
    }
  }

  static constexpr int matrix_ = 10;
  static constexpr int pivots_ = 11;
  static constexpr int right_ = 12;

  std::mt19937 random_;
  Exactness exactness_;
  FunctionBuilder* f_ = nullptr;
  bool constantsWritable_ = false;
  int loops_ = 0; ///< around what is made
  std::vector<bool> writesConstants_;
};

} // namespace lmc::test
