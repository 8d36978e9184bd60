// Tables of objects by open addressing: walks over expressions, and the question whether there is one already, are what
// deriving and lowering do most.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lmc {

/// A value for each object that is met, by its address. Small tables need no memory of their own. Nothing is taken out.
template <typename Object, typename T> class PointerTable {
public:
  /// The value of an object, T() at first; valid until the next call.
  T& operator[](const Object* o) {
    if (2 * used_ >= size_) grow();
    Slot& s = slots()[place(o)];
    if (s.object == nullptr) {
      s.object = o;
      ++used_;
    }
    return s.value;
  }
  /// The value of an object, or null; valid until the next call of operator[].
  [[nodiscard]] const T* find(const Object* o) const {
    const Slot& s = slots()[place(o)];
    return s.object == nullptr ? nullptr : &s.value;
  }
  [[nodiscard]] bool contains(const Object* o) const { return find(o) != nullptr; }

private:
  struct Slot {
    const Object* object = nullptr;
    T value{};
  };

  [[nodiscard]] const Slot* slots() const { return large_.empty() ? few_.data() : large_.data(); }
  [[nodiscard]] Slot* slots() { return large_.empty() ? few_.data() : large_.data(); }

  /// Where an object stands, or would.
  [[nodiscard]] std::size_t place(const Object* o) const {
    const Slot* const all = slots();
    std::size_t k = (reinterpret_cast<std::uintptr_t>(o) >> 4U) * 0x9E3779B97F4A7C15ULL >> 32U & (size_ - 1);
    while (all[k].object != nullptr && all[k].object != o) k = (k + 1) & (size_ - 1);
    return k;
  }

  void grow() {
    const std::vector<Slot> before(slots(), slots() + size_);
    size_ *= 4;
    large_.assign(size_, {});
    for (const Slot& s : before)
      if (s.object != nullptr) large_[place(s.object)] = s;
  }

  std::array<Slot, 16> few_{};
  std::vector<Slot> large_; ///< in the place of `few_` where there are more
  std::size_t size_ = 16;   ///< a power of two
  std::size_t used_ = 0;
};

/// Objects by a hash of what they are.
template <typename Object> class ObjectsByHash {
public:
  /// The object with this hash of which `same` holds, or null.
  template <typename Same> [[nodiscard]] const Object* find(std::uint64_t hash, Same same) const {
    if (slots_.empty()) return nullptr;
    for (std::size_t k = first(hash); slots_[k].object != nullptr; k = (k + 1) & (slots_.size() - 1))
      if (slots_[k].hash == hash && same(*slots_[k].object)) return slots_[k].object;
    return nullptr;
  }
  void add(std::uint64_t hash, const Object* object) {
    if (2 * used_ >= slots_.size()) grow();
    insert({hash, object});
    ++used_;
  }

private:
  struct Slot {
    std::uint64_t hash = 0;
    const Object* object = nullptr;
  };

  [[nodiscard]] std::size_t first(std::uint64_t hash) const { return hash >> 32U & (slots_.size() - 1); }
  void insert(const Slot& s) {
    std::size_t k = first(s.hash);
    while (slots_[k].object != nullptr) k = (k + 1) & (slots_.size() - 1);
    slots_[k] = s;
  }
  void grow() {
    const std::vector<Slot> before = std::move(slots_);
    slots_.assign(before.empty() ? 64 : 4 * before.size(), {}); // a power of two
    for (const Slot& s : before)
      if (s.object != nullptr) insert(s);
  }

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
};

} // namespace lmc
