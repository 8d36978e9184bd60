#include "tool/support/Arguments.h"

#include "base/Files.h"
#include "diagnostics/Diagnostics.h"
#include "jit/Cache.h"
#include "products/Pipeline.h"
#include "tool/support/Report.h"
#include "tool/support/SharedOptions.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <unistd.h>

namespace lmc::tool {

namespace fs = std::filesystem;

namespace {

void appendSearchPath(std::vector<fs::path>& path, const char* folders) {
  if (folders == nullptr) return;
  std::string folder;
  for (const char* c = folders;; ++c) {
    if (*c != ':' && *c != '\0') {
      folder += *c;
      continue;
    }
    if (!folder.empty()) path.emplace_back(folder);
    folder.clear();
    if (*c == '\0') return;
  }
}

/// A file of the same folder with a similar name, for a suggestion.
std::string similarFile(const fs::path& file) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  std::error_code error;
  std::vector<std::string> names;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (it->path().extension() == file.extension()) names.push_back(it->path().filename().string());
  const std::string near = nearest(file.filename().string(), names);
  return near.empty() ? near : (file.has_parent_path() ? (file.parent_path() / near).string() : near);
}

} // namespace

products::PipelineOptions pipelineOptions(const Invocation& call) {
  products::PipelineOptions options;
  sema::CompilationOptions& compilation = options.compilation;
  compilation.libraryRoot = libraryRoot();
  if (std::error_code ignored; !fs::exists(compilation.libraryRoot / "stdlib", ignored))
    throw InstallationError("the standard library is missing: there is no folder `stdlib` in " +
                            (compilation.libraryRoot.empty() ? std::string("share/lmc of this installation")
                                                             : "`" + compilation.libraryRoot.string() + "`") +
                            "\nthe environment variable LMC_HOME may name the folder that holds it");
  compilation.importPath.assign(call[options::importPath].begin(), call[options::importPath].end());
  appendSearchPath(compilation.importPath, std::getenv("LMC_PATH"));
  compilation.overrides = call[options::set];
  const auto setting = [&](const char* key, const std::optional<std::string>& value) {
    if (value) compilation.simulate.emplace_back(key, *value);
  };
  if (const auto& time = call[options::time]) {
    setting("time.from", time->from);
    setting("time.to", time->to);
  }
  setting("step", call[options::step]);
  setting("tolerance", call[options::tolerance]);
  setting("accuracy", call[options::accuracy]);
  setting("controller", call[options::controller]);
  setting("safety", call[options::safety]);
  setting("norm", call[options::norm]);
  setting("output.every", call[options::every]);
  options.compile.useCache = !call[options::noCache];
  options.method = call[options::method];
  options.seed = call[options::seed];
  options.limits = limitsOf(call);
  if (call[options::untrusted] && !call.arguments.empty())
    products::distrustModel(options, fs::path(identityOf(call.arguments.front())).parent_path());
  return options;
}

void warnOfCache(const Invocation& call) {
  if (call[options::noCache] || call[options::untrusted]) return;
  const fs::path cache = jit::cacheFolder({});
  if (const std::string why = jit::distrust(cache); !why.empty())
    warn("the cache `" + cache.string() + "` is not used: " + why +
         ", and what is in it would be executed; name another folder in LMC_CACHE_DIR, or give --no-cache");
}

const std::string& oneFile(const Invocation& call) {
  if (call.arguments.empty())
    throw UsageError("the file is missing: lmc " + call.command + " FILE.lie\n`lmc " + call.command +
                     " --help` tells more");
  if (call.arguments.size() > 1)
    throw UsageError("`lmc " + call.command + "` takes one file; `" + call.arguments[1] + "` is one too many");
  requireReadable(call.arguments.front());
  return call.arguments.front();
}

void requireReadable(const std::string& file) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (!fs::exists(status)) {
    const std::string near = similarFile(file);
    throw UsageError("cannot read `" + file + "`: there is no such file" +
                     (near.empty() ? std::string() : "; did you mean `" + near + "`?"));
  }
  if (fs::is_directory(status)) throw UsageError("cannot read `" + file + "`: it is a folder, not a file");
  if (access(file.c_str(), R_OK) != 0) throw UsageError("cannot read `" + file + "`: " + std::strerror(errno));
}

std::string oneName(const Invocation& call) {
  if (call.arguments.size() > 1)
    throw UsageError("`lmc " + call.command + "` takes one name; `" + call.arguments[1] + "` is one too many");
  return call.arguments.empty() ? std::string() : call.arguments.front();
}

} // namespace lmc::tool
