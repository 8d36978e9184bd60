#include "tool/runs/RunParts.h"

#include "base/Files.h"
#include "base/Memory.h"
#include "runtime/output/OutputFile.h"
#include "runtime/run/Grid.h"
#include "tool/support/SharedOptions.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <sys/stat.h>

namespace lmc::tool {

namespace fs = std::filesystem;

namespace {

volatile std::sig_atomic_t stopped = 0;

void onStop(int signal) {
  stopped = signal;
}

} // namespace

int stopSignal() {
  return static_cast<int>(stopped);
}

StopOnSignal::StopOnSignal() {
  struct sigaction action = {};
  action.sa_handler = onStop;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < signals.size(); ++i) {
    sigaction(signals[i], &action, &before_[i]);
    // Who has asked that a run outlives its terminal (nohup) means it.
    if (signals[i] == SIGHUP && before_[i].sa_handler == SIG_IGN) sigaction(SIGHUP, &before_[i], nullptr);
  }
}

StopOnSignal::~StopOnSignal() {
  for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &before_[i], nullptr);
}

void checkOutputFormat(const Invocation& call) {
  for (const auto& output : {call[options::output], call[options::stepsOutput]})
    if (output && runtime::outputFormat(*output) == nullptr)
      throw UsageError("the format of `" + *output + "` is not known; the file's name ends in " +
                       runtime::outputEndings(", ", " or "));
}

namespace {

/// Two names of one regular file, or of a place where there is none yet.
bool same(const fs::path& a, const fs::path& b) {
  struct stat x {
  }, y{};
  const bool there = ::stat(a.c_str(), &x) == 0, also = ::stat(b.c_str(), &y) == 0;
  if (there && also) return S_ISREG(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
  return !there && !also && runtime::followed(a) == runtime::followed(b);
}

fs::path beside(const fs::path& file, const char* suffix) {
  fs::path path = runtime::followed(file);
  path += suffix;
  return path;
}

} // namespace

void protectFiles(const std::vector<NamedFile>& written, const std::vector<NamedFile>& read) {
  for (auto w = written.begin(); w != written.end(); ++w) {
    for (auto other = written.begin(); other != w; ++other)
      if (same(w->path, other->path))
        throw UsageError(
            fmt::format("{} and {} would write the same file, `{}`", other->what, w->what, w->path.string()));
    for (const NamedFile& r : read)
      if (same(w->path, r.path))
        throw UsageError(
            fmt::format("{} would overwrite {}, `{}`; give it another name", w->what, r.what, r.path.string()));
  }
}

void protectFiles(const Invocation& call, const std::vector<std::string>& files) {
  std::vector<NamedFile> written, read;
  const auto output = [&](const char* option, const std::optional<std::string>& file) {
    if (!file) return;
    written.push_back({option, *file});
    const runtime::OutputFormat* const format = runtime::outputFormat(*file);
    if (format == nullptr) return;
    for (const char* const suffix : format->beside)
      if (suffix != nullptr) written.push_back({std::string(option) + " (while it is written)", beside(*file, suffix)});
  };
  output("--output", call[options::output]);
  output("--steps-output", call[options::stepsOutput]);
  output("--checkpoint", call[options::checkpoint]);
  output("--plot", call[options::plot]);
  output("--report", call[options::report]);
  for (const std::string& file : call.arguments) read.push_back({"the model", file});
  if (call[options::at]) read.push_back({"the table of --at", *call[options::at]});
  // A checkpoint may take the place of the one that it goes on from: it does so as a whole.
  if (call[options::resume] && !(call[options::checkpoint] && same(*call[options::checkpoint], *call[options::resume])))
    read.push_back({"the checkpoint of --resume", *call[options::resume]});
  for (const std::string& file : files) read.push_back({"a file that the model is made from", file});
  protectFiles(written, read);
}

std::vector<std::string> filesReadBy(products::Pipeline& pipeline) {
  std::vector<std::string> files;
  for (const FilesRead::File& f : pipeline.compilation().filesRead().files)
    if (f.text) files.push_back(f.path.string());
  return files;
}

namespace {

constexpr double gigabyte = 1e9;

/// Not a device, nor a pipe.
bool isRegular(const std::string& file) {
  struct stat info {};
  return ::stat(file.c_str(), &info) != 0 || S_ISREG(info.st_mode);
}

/// Of the file system of a file; nothing where it is not known.
std::optional<fs::space_info> diskOf(const std::string& file) {
  std::error_code unknown;
  const fs::path folder = runtime::followed(file).parent_path();
  const fs::space_info space = fs::space(folder.empty() ? fs::path(".") : folder, unknown);
  return unknown ? std::nullopt : std::optional(space);
}

/// Refuses samples that are kept until the end, more than there is memory for.
void refuseHopelessMemory(const std::string& file, double rows, std::size_t numbers) {
  const runtime::OutputFormat* const format = runtime::outputFormat(file);
  if (format == nullptr || !format->inMemory) return;
  const double bytes = rows * static_cast<double>(numbers * sizeof(double));
  if (bytes <= usableMemory()) return;
  throw UsageError(fmt::format(
      "`{}` would have {:.3g} GB: {:.3g} samples of {} numbers, which are kept in memory until "
      "the end; there are {:.3g} GB of it\n--every DT makes fewer samples; {} files grow on "
      "the disk",
      file, bytes / gigabyte, rows, numbers, usableMemory() / gigabyte, runtime::outputEndings(", ", " and ", false)));
}

} // namespace

double leastBytes(const std::string& file, double rows, std::size_t numbers) {
  constexpr double binary = 8, text = 2; // bytes that a number has at least: a digit and a comma
  const runtime::OutputFormat* const format = runtime::outputFormat(file);
  if (format == nullptr) return 0;
  return rows * static_cast<double>(numbers) * (format->numberBytes == binary ? binary : text);
}

void refuseHopelessOutput(const std::string& file, double rows, std::size_t numbers) {
  refuseHopelessMemory(file, rows, numbers);
  const auto disk = diskOf(file);
  if (!disk || !isRegular(file)) return;
  const double bytes = leastBytes(file, rows, numbers);
  const auto capacity = static_cast<double>(disk->capacity);
  if (capacity > 0 && bytes > capacity)
    throw UsageError(fmt::format("`{}` would have at least {:.3g} GB: {:.3g} samples of {} numbers; its whole disk has "
                                 "{:.3g} GB\n--every DT makes fewer samples",
                                 file, bytes / gigabyte, rows, numbers, capacity / gigabyte));
}

std::string largeOutput(const std::string& file, double rows, std::size_t numbers) {
  const runtime::OutputFormat* const format = runtime::outputFormat(file);
  if (format == nullptr) return {};
  const double bytes = rows * static_cast<double>(numbers) * format->numberBytes;
  const auto space = diskOf(file);
  const bool room = !space || bytes <= static_cast<double>(space->available);
  if (!isRegular(file) || (bytes <= gigabyte && (room || bytes < 1e6))) return {};
  std::string sentence = fmt::format("`{}` will have about {:.3g} GB: {:.3g} samples of {} numbers", file,
                                     bytes / gigabyte, rows, numbers);
  if (!room)
    sentence += fmt::format("; its disk has room for {:.3g} GB", static_cast<double>(space->available) / gigabyte);
  if (format->inMemory)
    sentence += "; they are kept in memory until then, " + runtime::outputEndings(", ", " and ", false) +
                " files grow on the disk";
  return sentence + "; --every DT makes fewer samples";
}

runtime::RunDescription description(const Sources& sources, const runtime::Problem& problem) {
  runtime::RunDescription about;
  about.model = problem.model;
  about.method = problem.method;
  about.version = LMC_VERSION;
  for (SourceId id = 0; id < sources.size(); ++id) {
    if (sources[id].name().ends_with(".lie")) about.sources.emplace_back(sources[id].name(), sources[id].text());
  }
  about.parameters = problem.parameters();
  about.timeFrom = problem.timeFrom;
  about.timeTo = problem.timeTo;
  about.step = problem.step;
  about.seed = problem.seed;
  if (problem.control) { // one number where one tolerance holds for all
    const std::vector<double>& t = problem.control->tolerances;
    if (!t.empty() && std::all_of(t.begin(), t.end(), [&](double x) { return x == t[0]; })) about.tolerance = t[0];
  }
  return about;
}

} // namespace lmc::tool
