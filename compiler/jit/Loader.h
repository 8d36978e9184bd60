// Puts object files into executable memory.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace lmc::jit {

/// Code of the object files of a module; the memory lives as long as the image.
class Image {
public:
  virtual ~Image() = default;
  /// Address of a symbol given to `load`, by its position there; nullptr if no object defines it.
  [[nodiscard]] virtual void* address(std::size_t symbol) const = 0;
};

/// True where `loadElf` knows the format of the host's objects.
[[nodiscard]] bool elfSupported();

/// Loads relocatable ELF64 objects for x86-64, which may call each other, and fills their symbol `tableName` with
/// `table`. Memory is never writable and executable at once. Throws std::runtime_error for anything malformed or
/// unknown; `objects` may hold any bytes.
[[nodiscard]] std::unique_ptr<Image> loadElf(const std::vector<std::string>& objects,
                                             const std::vector<std::string>& symbols, const std::string& tableName,
                                             const std::vector<void*>& table);

} // namespace lmc::jit
