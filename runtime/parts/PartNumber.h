// Which part of an ensemble a process makes: `--part 3/64`, or what the scheduler of a cluster says.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

namespace lmc::runtime {

/// Part `number` of `count`, from 1. Its blocks are number - 1, number - 1 + count, and so on: what is dear lies side
/// by side (a parameter that grows with the sample), and so every part has its share of it.
struct PartNumber {
  std::int64_t number = 1, count = 1;
  /// Blocks of an ensemble of `blocks` that belong to it, and the k-th of them.
  [[nodiscard]] std::int64_t blocks(std::int64_t all) const { return all < number ? 0 : (all - number) / count + 1; }
  [[nodiscard]] std::int64_t block(std::int64_t k) const { return number - 1 + k * count; }
  friend bool operator==(const PartNumber&, const PartNumber&) = default;
};

/// What was typed, or what the scheduler says, names no part. `what()` is a sentence, `cure()` another one.
class PartError : public std::runtime_error {
public:
  PartError(const std::string& what, std::string cure) : std::runtime_error(what), cure_(std::move(cure)) {}
  [[nodiscard]] const std::string& cure() const { return cure_; }

private:
  std::string cure_;
};

/// The value of a variable of the environment; nothing where it is not set.
using Environment = std::function<std::optional<std::string>(const char*)>;

/// `k/n`; `auto`: both from the variables of a scheduler; `auto/n`: only k. Throws PartError.
[[nodiscard]] PartNumber readPartNumber(const std::string& text, const Environment& environment);

} // namespace lmc::runtime
