// Loops that copy memory.
#pragma once

#include "lower/builder/Builder.h"
#include "lower/builder/ShareMemory.h"
#include "sym/Expr.h"

#include <algorithm>
#include <string>

namespace lmc::lower {

inline void copyNumbers(Builder& b, int from, int to, std::int64_t n) {
  const tape::Value i = b.beginLoop(b.integer(0), b.integer(n - 1), false);
  b.store(to, i, b.load(from, i, true));
  b.endLoop();
}

/// Numbers between an entry and the next one in an array whose entries are separate.
[[nodiscard]] inline std::int64_t entryDistance(const sym::Array& a) {
  return withReadAhead(a.count());
}
/// What such an array takes.
[[nodiscard]] inline std::int64_t separateSize(const sym::Array& a) {
  return entryDistance(a) * a.shape.size();
}

/// Calls `move(joined, separate)` for each number of an array, in a loop over its elements: its place where entries
/// stand side by side, element after element, and where entries are separate.
template <typename F> void eachEntry(Builder& b, const sym::Array& a, F move) {
  const std::int64_t distance = entryDistance(a);
  const std::int64_t size = a.shape.size();
  const tape::Value i = b.beginLoop(b.integer(0), b.integer(a.count() - 1), false);
  const auto shifted = [&](tape::Value x, std::int64_t by) {
    return b.pure(tape::Op::IAdd, tape::Type::Int, {x, b.integer(by)});
  };
  const tape::Value first = b.pure(tape::Op::IMul, tape::Type::Int, {i, b.integer(size)});
  for (std::int64_t k = 0; k < size; ++k) move(shifted(first, k), shifted(i, k * distance));
  b.endLoop();
}

/// Copies an array whose entries are separate, element after element.
inline void joinEntries(Builder& b, int from, int to, const sym::Array& a) {
  eachEntry(b, a, [&](tape::Value joined, tape::Value separate) { b.store(to, joined, b.load(from, separate, true)); });
}

/// Copies an array that stands element after element so that its entries are separate.
inline void separateEntries(Builder& b, int from, int to, const sym::Array& a) {
  eachEntry(b, a, [&](tape::Value joined, tape::Value separate) { b.store(to, separate, b.load(from, joined, true)); });
}

/// A buffer more, whose role has room for it.
inline int addBuffer(tape::Module& module, const std::string& name, runtime::Role role, std::int64_t offset,
                     std::int64_t size) {
  module.buffers.push_back({name, role, offset, size});
  auto& total = module.roleSize[static_cast<std::size_t>(role)];
  total = std::max(total, offset + size);
  return static_cast<int>(module.buffers.size()) - 1;
}

/// The buffer at a place, or -1.
[[nodiscard]] inline int bufferAt(const tape::Module& module, runtime::Role role, std::int64_t offset) {
  for (std::size_t k = 0; k < module.buffers.size(); ++k) {
    const tape::Buffer& b = module.buffers[k];
    if (b.role == role && b.offset == offset && b.size > 0) return static_cast<int>(k);
  }
  return -1;
}

/// The buffer at a place, which gets one where there is none.
inline int bufferFor(tape::Module& module, const std::string& name, runtime::Role role, std::int64_t offset,
                     std::int64_t size) {
  const int existing = bufferAt(module, role, offset);
  return existing >= 0 ? existing : addBuffer(module, name, role, offset, size);
}

} // namespace lmc::lower
