// `lmc build`: an object, an archive or a shared library, and a header.
#include "backends/c/Source.h"
#include "jit/Ahead.h"
#include "products/exported/Exported.h"
#include "runtime/output/OutputFile.h"
#include "tool/shared/AheadFiles.h"
#include "tool/support/Arguments.h"
#include "tool/support/Command.h"
#include "tool/support/SharedOptions.h"

#include <cerrno>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace lmc::tool {

namespace fs = std::filesystem;

namespace {

constexpr Option<> objectOption =
    options::codeOutput.as("NAME.o|.a|.so", "what is written, beside NAME.h", {.completion = Completion::File});
constexpr Option<> cpuOption("--cpu", "native|x86-64|x86-64-v3|...", "processor that the code is for",
                             {.standard = "any of this machine's architecture"});

/// Runs a program; true if it ended well. False with `missing` if there is none.
bool runProgram(const std::vector<std::string>& words, bool& missing) {
  std::vector<char*> argv;
  argv.reserve(words.size());
  for (const std::string& w : words) argv.push_back(const_cast<char*>(w.c_str())); // posix_spawn leaves them alone
  argv.push_back(nullptr);
  pid_t child = 0;
  missing = posix_spawnp(&child, argv[0], nullptr, nullptr, argv.data(), environ) != 0;
  if (missing) return false;
  int status = 0;
  if (waitpid(child, &status, 0) < 0) return false;
  missing = WIFEXITED(status) && WEXITSTATUS(status) == 127;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// Links one object to a shared library with the system's compiler driver.
void linkShared(const std::string& code, const fs::path& file) {
  const fs::path part = fs::path(file).replace_extension(".lmc-part.o");
  writeFile(part, code);
  const char* const cc = std::getenv("CC");
  const std::string program = cc != nullptr && *cc != '\0' ? cc : "cc";
  bool missing = false;
  const bool good = runProgram({program, "-shared", "-Wl,-z,defs", "-o", file.string(), part.string(), "-lm"}, missing);
  std::error_code ignored;
  fs::remove(part, ignored);
  if (missing)
    throw UsageError(
        "a shared library needs a linker, and there is no program `" + program +
        "`; install a C compiler, name one with the variable CC, or write an object (.o) or an archive (.a), "
        "which need none");
  if (good) return;
  const fs::space_info space = fs::space(fs::absolute(file).parent_path(), ignored);
  if (!ignored && space.available < code.size()) throw runtime::cannotWrite(file.string(), ENOSPC);
  throw UsageError("the linker did not make `" + file.string() + "`");
}

std::optional<std::string> objectFor(products::Pipeline& pipeline, const unit::Exported& unit, const Invocation& call) {
  try {
    return products::exportedObject(pipeline, unit, call[cpuOption].value_or(std::string()));
  } catch (const std::invalid_argument& e) {
    throw UsageError(std::string(e.what()) + "; --cpu is native, or a name such as x86-64-v3");
  }
}

int buildModel(Context& context) {
  const Invocation& call = context.call;
  const std::string& file = oneFile(call);
  const AheadNames names = aheadNames(call, {".o", ".a", ".so"});
  context.stage = "building `" + file + "`";
  int status = Done;
  std::string code;
  const auto unit = aheadUnit(call, names, status, [&](products::Pipeline& pipeline, const unit::Exported& u) {
    std::optional<std::string> object = objectFor(pipeline, u, call);
    if (object) code = std::move(*object);
    return object.has_value();
  });
  if (!unit) return status;
  writeFile(names.header, backends::header(*unit));
  const std::string ending = names.file.extension().string();
  if (ending == ".so")
    linkShared(code, names.file);
  else
    writeFile(names.file, ending == ".a" ? jit::aheadArchive(code, names.file.stem().string() + ".o") : code);
  tellFiles(call, {names.file, names.header});
  return Done;
}

} // namespace

extern const Command buildCommand = {
    .name = "build",
    .place = 15,
    .argument = "FILE",
    .summary = "an object, an archive or a shared library with a C header, for programs without the compiler",
    .examples = "lmc build top.lie -o top.o",
    .options = OptionList(objectOption, options::prefix, options::specialize, cpuOption, options::model,
                          options::simulation, options::json),
    .run = buildModel,
};

} // namespace lmc::tool
