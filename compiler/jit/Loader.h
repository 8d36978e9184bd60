// Puts an object file into executable memory.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace lmc::jit {

/// Code of one object file; the memory lives as long as the image.
class Image {
public:
  virtual ~Image() = default;
  /// Address of a symbol given to `load`, by its position there; nullptr if the object does not define it.
  [[nodiscard]] virtual void* address(std::size_t symbol) const = 0;
};

/// True where `loadElf` knows the format of the host's objects.
[[nodiscard]] bool elfSupported();

/// Loads a relocatable ELF64 object for x86-64, and fills its symbol `tableName` with `table`. Memory is never writable
/// and executable at once. Throws std::runtime_error for anything malformed or unknown; `object` may hold any bytes.
[[nodiscard]] std::unique_ptr<Image> loadElf(const std::string& object, const std::vector<std::string>& symbols,
                                             const std::string& tableName, const std::vector<void*>& table);

} // namespace lmc::jit
