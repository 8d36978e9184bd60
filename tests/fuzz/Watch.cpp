#include "fuzz/Watch.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace lmc::fuzz {

namespace {

constexpr std::size_t mostText = std::size_t{256} << 10;

std::string beginningOf(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text(mostText, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

/// The child's side of a fork: never returns.
[[noreturn]] void become(const std::vector<std::string>& command, const std::string& folder, const std::string& cache,
                         const std::string& out, const std::string& err, const WatchLimits& limits) {
  const auto redirect = [](const std::string& file, int to) {
    const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(fd, to);
  };
  redirect(out, STDOUT_FILENO);
  redirect(err, STDERR_FILENO);
  ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
  if (::chdir(folder.c_str()) != 0) ::_exit(126);
  ::setenv("LMC_CACHE_DIR", cache.c_str(), 1);
  const auto most = [](int what, rlim_t soft, rlim_t hard) {
    const rlimit value{soft, hard};
    ::setrlimit(static_cast<__rlimit_resource>(what), &value);
  };
  // Of the processor's time, which others do not shorten; what a run takes beyond the limit is of interest, too.
  const auto seconds = static_cast<rlim_t>(2 * limits.seconds);
  most(RLIMIT_CPU, seconds, seconds + 2);
  const auto memory = static_cast<rlim_t>(4 * limits.megabytes) << 20;
  most(RLIMIT_DATA, memory, memory);
  most(RLIMIT_CORE, 0, 0);
  most(RLIMIT_FSIZE, rlim_t{64} << 20, rlim_t{64} << 20); // outputs that nobody wants
  ::signal(SIGXFSZ, SIG_IGN);
  std::vector<char*> argv;
  for (const std::string& a : command) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  ::execv(argv[0], argv.data());
  ::_exit(127);
}

double secondsOf(const rusage& used) {
  return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

bool contains(const std::string& text, const char* word) {
  return text.find(word) != std::string::npos;
}

} // namespace

Ending watch(const std::vector<std::string>& command, const std::string& folder, const std::string& cache,
             const WatchLimits& limits) {
  const std::string out = folder + "/.out";
  const std::string err = folder + "/.err";
  Ending ending;
  const pid_t child = ::fork();
  if (child == 0) become(command, folder, cache, out, err, limits);
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  int status = 0;
  rusage used{};
  // Other programs may have the processor: on the clock it may take far longer. Who sleeps for ever is ended, too.
  constexpr double patience = 60;
  for (auto pause = std::chrono::microseconds(500);; pause = std::min(pause * 2, std::chrono::microseconds(20000))) {
    const pid_t ended = ::wait4(child, &status, WNOHANG, &used);
    if (ended == child || (ended < 0 && errno != EINTR)) break;
    if (std::chrono::duration<double>(Clock::now() - start).count() > patience * limits.seconds && !ending.stopped) {
      ending.stopped = true;
      ::kill(child, SIGKILL);
    }
    std::this_thread::sleep_for(pause);
  }
  ending.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  ending.seconds = secondsOf(used);
  ending.megabytes = static_cast<double>(used.ru_maxrss) / 1024;
  ending.out = beginningOf(out);
  ending.err = beginningOf(err);
  return ending;
}

std::string fault(const Ending& e, const WatchLimits& limits) {
  if (e.stopped || e.seconds > limits.seconds || e.status == 128 + SIGXCPU) return "slow";
  if (e.status > 128) return "signal " + std::to_string(e.status - 128);
  if (e.status > 3) return "status " + std::to_string(e.status);
  if (e.megabytes > limits.megabytes) return "memory";
  const std::string all = e.out + e.err;
  if (e.status != 0 && all.empty()) return "silent";
  constexpr std::array internals = {
      "std::",           "basic_string", "bad_alloc", "bad_optional",   "_M_",      "__n",
      "Assertion",       ".cpp:",        "terminate", "logic_error",    "nullptr",  "defect of lmc",
      "not well formed", "vector::",     "map::at",   "runtime error:", "Sanitizer"};
  for (const char* word : internals)
    if (contains(all, word)) return "internals";
  // Errors of the text are shown at a place of it.
  std::istringstream lines(e.err);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find("error[LIE");
    if (at == std::string::npos) continue;
    const bool placed =
        at >= 5 && line.compare(at - 2, 2, ": ") == 0 && std::isdigit(static_cast<unsigned char>(line[at - 3])) != 0;
    if (!placed) return "no place";
  }
  return {};
}

} // namespace lmc::fuzz
