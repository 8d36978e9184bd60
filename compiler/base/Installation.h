// Where the parts of lmc are that are read or opened at run time.
//
// An installation, and a build folder, look alike from the folder `lib` on:
//
//   bin/lmc
//   lib/[…/]liblmc.so
//   lib/[lmc/]liblmc_codegen.so, and a module for each output format with a library of its own
//   share/lmc/stdlib, share/lmc/runtime
//
// Everything is found relative to the file that contains this code, a program or the shared library, so that an
// installation may be moved.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

namespace lmc {

/// Something that belongs to the installation is missing or cannot be used; `what()` is a sentence for the user.
class InstallationError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// The folder that holds stdlib/ and runtime/steppers/: $LMC_HOME, or share/lmc of the installation. Empty when there
/// is none.
[[nodiscard]] std::filesystem::path libraryRoot();

/// Opens a shared module of lmc by its file's name; returns dlopen's handle. Everything in it is bound at once and
/// nothing of it is offered to other libraries. `keep`: it is never unloaded (LLVM does not support that). Throws
/// InstallationError with the places that were looked at.
enum class ModuleLife { Counted, Forever };
[[nodiscard]] void* openModule(const std::string& fileName, ModuleLife life = ModuleLife::Counted);

} // namespace lmc
