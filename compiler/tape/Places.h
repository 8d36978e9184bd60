// Which elements of memory the turns of a loop touch: places that are multiples of a counter and something beside.
#pragma once

#include "tape/Tape.h"

#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace lmc::tape {

/// An integer of a loop's body: slope · counter + something from `low` to `high`.
struct Place {
  static constexpr int noCounter = -1;
  int counter = noCounter; ///< which of the counters that were asked about
  std::int64_t slope = 0;
  std::int64_t low = 0, high = 0;
  /// Parts of that something: multiples of a stride.
  struct Term {
    std::int64_t stride = 1;
    std::int64_t low = 0, high = 0;
  };
  std::vector<Term> terms = {};
};

/// Of integers that are not such, nothing is known.
class Places {
public:
  explicit Places(const Function& function);

  /// In the body of a loop and the blocks in it. `counters`: values of loops, the first of which is this one; those of
  /// inner loops that are not among them count with all values that they have.
  [[nodiscard]] std::map<Value, Place> in(const Instr& loop, const std::vector<Value>& counters) const;
  [[nodiscard]] std::optional<std::int64_t> constant(Value v) const;
  /// What an integer is: a constant, or one of those that `in` has found.
  [[nodiscard]] std::optional<Place> find(Value v, const std::map<Value, Place>& known) const;
  /// Whether no turn of an innermost loop touches what another one writes; what is `elsewhere` than in memory does not
  /// count.
  [[nodiscard]] bool turnsStandApart(const Instr& loop, const std::function<bool(const Instr&)>& elsewhere) const;

private:
  void scan(std::int32_t block, const std::vector<Value>& counters, std::map<Value, Place>& out) const;
  [[nodiscard]] std::optional<Place> combine(const Instr& i, const std::map<Value, Place>& known) const;
  [[nodiscard]] std::optional<Place> bound(Value v, Op smaller, const std::map<Value, Place>& known) const;

  const Function& function_;
  std::map<Value, std::int64_t> constants_;
  std::map<Value, const Instr*> extremes_; ///< the smaller or larger one of two integers
};

/// An element that is at `a` for one value of the counter may be at `b` for another one, of `count` values that follow
/// each other, whose difference is at most this; 0: for none. Nothing if it is not known.
[[nodiscard]] std::optional<std::int64_t> reach(const Place& a, const Place& b, std::int64_t count);
/// Their reach is 0.
[[nodiscard]] bool apart(const Place& a, const Place& b, std::int64_t count);

} // namespace lmc::tape
