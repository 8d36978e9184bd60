#include "bench/Tool.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace lmc::bench {

namespace {

using Clock = std::chrono::steady_clock;

const std::string program = LMC_BINARY_DIR "/bin/lmc";

/// Reads to the end of the pipe; false if the time is up first.
bool collect(int fd, double limitSeconds, std::string& text) {
  const auto deadline = Clock::now() + std::chrono::duration<double>(limitSeconds);
  std::array<char, 16384> buffer{};
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd ready{fd, POLLIN, 0};
    if (::poll(&ready, 1, static_cast<int>(left)) <= 0) continue;
    const ssize_t n = ::read(fd, buffer.data(), buffer.size());
    if (n == 0) return true;
    if (n > 0) text.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

} // namespace

CacheFolder::CacheFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "lmc-bench-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  folder_ = pattern;
}

CacheFolder::~CacheFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

ToolRun runTool(const std::string& file, const std::vector<std::string>& arguments, const CacheFolder& cache,
                double limitSeconds, const std::string& command) {
  std::vector<std::string> words{program, command, file, "--json"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::array<int, 2> out{};
  if (::pipe2(out.data(), O_CLOEXEC) != 0) return {};
  ::setenv("LMC_CACHE_DIR", cache.path().c_str(), 1);
  const auto start = Clock::now();
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(out[1], STDOUT_FILENO);
    ::execv(program.c_str(), argv.data());
    ::_exit(127);
  }
  ::close(out[1]);
  std::string text;
  const bool complete = child > 0 && collect(out[0], limitSeconds, text);
  if (child > 0 && !complete) ::kill(child, SIGKILL);
  ::close(out[0]);
  int status = -1;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  ToolRun run;
  run.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (!complete || !WIFEXITED(status) || WEXITSTATUS(status) != 0) return run;
  run.summary = nlohmann::json::parse(text, nullptr, false);
  if (!run.summary.is_object()) run.summary = nullptr;
  return run;
}

bool toolExists() {
  return ::access(program.c_str(), X_OK) == 0;
}

std::string example(const std::string& name) {
  return LMC_SOURCE_DIR "/examples/" + name + ".lie";
}

} // namespace lmc::bench
