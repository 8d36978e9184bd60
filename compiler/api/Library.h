// Where the standard library is.
#pragma once

#include <filesystem>
#include <string>

namespace lmc::v1 {

/// The folder that Options::libraryRoot names; empty: that of the installation. Throws Error of kind Installation where
/// there is no library in it.
[[nodiscard]] std::filesystem::path libraryFolder(const std::string& given);

} // namespace lmc::v1
