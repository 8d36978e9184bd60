// Loops that copy memory.
#pragma once

#include "lower/builder/Builder.h"
#include "sym/Expr.h"

namespace lmc::lower {

inline void copyNumbers(Builder& b, int from, int to, std::int64_t n) {
  const tape::Value i = b.beginLoop(b.integer(0), b.integer(n - 1), false);
  b.store(to, i, b.load(from, i, true));
  b.endLoop();
}

/// Copies an array whose entries are separate, element after element.
inline void joinEntries(Builder& b, int from, int to, const sym::Array& a) {
  const std::int64_t count = a.count();
  const std::int64_t size = a.shape.size();
  const tape::Value i = b.beginLoop(b.integer(0), b.integer(count - 1), false);
  const auto shifted = [&](tape::Value x, std::int64_t by) {
    return b.pure(tape::Op::IAdd, tape::Type::Int, {x, b.integer(by)});
  };
  const tape::Value first = b.pure(tape::Op::IMul, tape::Type::Int, {i, b.integer(size)});
  for (std::int64_t k = 0; k < size; ++k) b.store(to, shifted(first, k), b.load(from, shifted(i, k * count), true));
  b.endLoop();
}

/// The buffer at a place, or -1.
[[nodiscard]] inline int bufferAt(const tape::Module& module, runtime::Role role, std::int64_t offset) {
  for (std::size_t k = 0; k < module.buffers.size(); ++k) {
    const tape::Buffer& b = module.buffers[k];
    if (b.role == role && b.offset == offset && b.size > 0) return static_cast<int>(k);
  }
  return -1;
}

} // namespace lmc::lower
