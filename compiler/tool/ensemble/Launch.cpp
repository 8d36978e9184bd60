#include "tool/ensemble/Launch.h"

#include "runtime/output/OutputFile.h"
#include "tool/runs/RunChecks.h"

#include <array>
#include <charconv>
#include <cstdlib>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/vfs.h>

namespace lmc::tool {

namespace {

int whole(const std::optional<std::string>& text, int otherwise) {
  int x = otherwise;
  if (text) std::from_chars(text->data(), text->data() + text->size(), x);
  return x;
}

/// File systems by the numbers that statfs(2) lists.
constexpr unsigned long fatMagic = 0x4D44, tmpfsMagic = 0x01021994, ramfsMagic = 0x858458F6;
constexpr double gigabyte = 1e9, fatMost = 4294967295.0;

/// The file system of a file; nothing where its folder does not exist, which opening the file will tell.
std::optional<struct statfs> placeOf(const std::string& file) {
  struct statfs place {};
  const std::filesystem::path folder = runtime::followed(file).parent_path();
  return ::statfs(folder.c_str(), &place) == 0 ? std::optional(place) : std::nullopt;
}

} // namespace

std::optional<Launch> launchOf(const runtime::Environment& environment) {
  struct Known {
    const char *launcher, *size, *rank;
  };
  // Open MPI's, that of MPICH and others by PMI, Slurm's.
  constexpr std::array known = {Known{"mpirun", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                                Known{"mpiexec", "PMI_SIZE", "PMI_RANK"},
                                Known{"srun", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};
  for (const Known& k : known)
    if (const auto size = environment(k.size)) return Launch{k.launcher, whole(size, 1), whole(environment(k.rank), 0)};
  return std::nullopt;
}

std::optional<std::string> environmentVariable(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? std::nullopt : std::optional<std::string>(text);
}

void checkLargest(products::Pipeline& pipeline, const std::string& file, double bytes) {
  std::error_code none;
  if (std::filesystem::exists(file, none) && !std::filesystem::is_regular_file(file, none)) return; // a device, a pipe
  const auto tooSmall = [&](const std::string& what, double most) {
    commandLineError(pipeline, Code::LIE0683, "--output " + file,
                     fmt::format("`{}` will have at least {:.3g} GB, and {} {:.3g} GB", file, bytes / gigabyte, what,
                                 most / gigabyte))
        .suggest("choose another place, or more parts (--part): each of them is smaller");
  };
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      bytes > static_cast<double>(limit.rlim_cur))
    tooSmall("files of this process may have (ulimit -f)", static_cast<double>(limit.rlim_cur));
  else if (const auto place = placeOf(file);
           place && static_cast<unsigned long>(place->f_type) == fatMagic && bytes > fatMost)
    tooSmall("files of its file system (FAT) can have", fatMost);
}

void checkPlace(products::Pipeline& pipeline, const std::string& file, double bytes, bool elsewhere) {
  checkLargest(pipeline, file, bytes);
  const auto place = placeOf(file);
  if (!place) return;
  const std::string typed = "--output " + file;
  const auto kind = static_cast<unsigned long>(place->f_type) & 0xFFFFFFFFU;
  const double room = static_cast<double>(place->f_bavail) * static_cast<double>(place->f_bsize);
  if (bytes > room)
    commandLineWarning(pipeline, Code::LIE0683, typed,
                       fmt::format("`{}` will have about {:.3g} GB; its disk has room for {:.3g} GB", file,
                                   bytes / gigabyte, room / gigabyte));
  if (elsewhere && (kind == tmpfsMagic || kind == ramfsMagic))
    commandLineWarning(
        pipeline, Code::LIE0683, typed,
        fmt::format("`{}` lies in the memory of this machine: it ends with it, and no other machine sees it", file))
        .suggest("choose a place that all machines share");
}

} // namespace lmc::tool
