#include "acceptance/Tool.h"

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <poll.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace lmc::acceptance {

namespace {

constexpr auto limit = std::chrono::seconds(120);

/// The child's side of a fork: never returns.
[[noreturn]] void become(const std::string& program, const Arguments& arguments, const std::string& folder,
                         const std::string& cache, int out, int err) {
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, STDIN_FILENO);
  if (::chdir(folder.c_str()) != 0) ::_exit(126);
  ::setenv("LMC_CACHE_DIR", cache.c_str(), 1);
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  ::execv(program.c_str(), argv.data());
  ::_exit(127);
}

/// Reads both pipes to their ends, or until the time is up.
bool collect(int out, int err, Outcome& outcome) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  std::array<pollfd, 2> fds{pollfd{out, POLLIN, 0}, pollfd{err, POLLIN, 0}};
  std::array<std::string*, 2> texts{&outcome.out, &outcome.err};
  std::array<char, 65536> buffer{};
  while (fds[0].fd >= 0 || fds[1].fd >= 0) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    if (::poll(fds.data(), fds.size(), static_cast<int>(left.count())) < 0 && errno != EINTR) return false;
    for (std::size_t i = 0; i < fds.size(); ++i) {
      if (fds[i].fd < 0 || fds[i].revents == 0) continue;
      const ssize_t n = ::read(fds[i].fd, buffer.data(), buffer.size());
      if (n > 0) {
        texts[i]->append(buffer.data(), static_cast<std::size_t>(n));
      } else if (n == 0 || errno != EINTR) {
        fds[i].fd = -1;
      }
    }
  }
  return true;
}

} // namespace

Workspace::Workspace() : cache_(std::filesystem::path(LMC_BINARY_DIR) / "acceptance_cache") {
  std::string pattern = (std::filesystem::temp_directory_path() / "lmc-acceptance-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  folder_ = pattern;
}

Workspace::~Workspace() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::filesystem::path Workspace::write(const std::string& name, const std::string& text) const {
  std::ofstream(path(name), std::ios::binary) << text;
  return path(name);
}

Outcome Workspace::lmc(const Arguments& arguments) const {
  const std::string program = LMC_BINARY_DIR "/bin/lmc";
  std::array<int, 2> out{}, err{};
  Outcome outcome;
  if (::pipe2(out.data(), O_CLOEXEC) != 0 || ::pipe2(err.data(), O_CLOEXEC) != 0) return outcome;
  const pid_t child = ::fork();
  if (child < 0) return outcome;
  if (child == 0) become(program, arguments, folder_.string(), cache_.string(), out[1], err[1]);
  ::close(out[1]);
  ::close(err[1]);
  const bool complete = collect(out[0], err[0], outcome);
  if (!complete) ::kill(child, SIGKILL);
  ::close(out[0]);
  ::close(err[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (complete) outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome;
}

std::string example(const std::string& name) {
  return LMC_SOURCE_DIR "/examples/" + name + ".lie";
}

std::string testModel(const std::string& name) {
  return LMC_SOURCE_DIR "/tests/acceptance/models/" + name + ".lie";
}

std::filesystem::path errorFolder() {
  return LMC_SOURCE_DIR "/tests/acceptance/errors";
}

std::string readFile(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

nlohmann::json parseJson(const std::string& text) {
  return nlohmann::json::parse(text, nullptr, false);
}

} // namespace lmc::acceptance
