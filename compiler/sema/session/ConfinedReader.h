// Reading files for a model that somebody else has written: what is below its folder, and nothing else.
#pragma once

#include "sema/session/CompilationOptions.h"

#include <stdexcept>

namespace lmc::sema {

/// A file that a model may not read; `what()` says why, without a full stop.
class ReadRefused : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// For `CompilationOptions::readFile`.
class ConfinedReader {
public:
  using Reader = std::function<std::optional<std::string>(const std::filesystem::path&)>;

  /// Files below a folder, links followed, by `read`, or from the disk if it is empty.
  explicit ConfinedReader(const std::filesystem::path& folder, Reader read = {});
  /// Throws ReadRefused for a file that is elsewhere, whether there is one or not.
  std::optional<std::string> operator()(const std::filesystem::path& file) const;

private:
  std::filesystem::path folder_;
  Reader read_;
};

/// True if the model is not trusted: messages then do not show what is in its data files.
[[nodiscard]] bool confined(const CompilationOptions& options);

} // namespace lmc::sema
