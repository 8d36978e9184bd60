#include "tool/film/Child.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

extern char** environ; // NOLINT: of POSIX

namespace lmc::tool {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(what + ": " + std::strerror(errno));
}

/// A pipe whose ends are out of the way of the descriptors that a child wants; they close when a program is started.
std::array<int, 2> openPipe() {
  std::array<int, 2> low{}, ends{};
  if (pipe2(low.data(), O_CLOEXEC) != 0) fail("no pipe");
  constexpr int away = 20;
  for (std::size_t k = 0; k < 2; ++k) {
    ends.at(k) = fcntl(low.at(k), F_DUPFD_CLOEXEC, away);
    ::close(low.at(k));
    if (ends.at(k) < 0) fail("no pipe");
  }
  return ends;
}

void closeOnce(int& descriptor) {
  if (descriptor >= 0) ::close(std::exchange(descriptor, -1));
}

} // namespace

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (fs::temp_directory_path() / "lmc-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) fail("no temporary folder");
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

Child::Child(const std::vector<std::string>& command, int input, int output, const fs::path& errors) {
  std::array<int, 2> there = openPipe(), back{-1, -1};
  if (output >= 0) back = openPipe();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (input != STDIN_FILENO) posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (output != STDOUT_FILENO) posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, there[0], input);
  if (output >= 0) posix_spawn_file_actions_adddup2(&actions, back[1], output);
  std::vector<std::string> texts = command;
  std::vector<char*> arguments;
  for (std::string& text : texts) arguments.push_back(text.data());
  arguments.push_back(nullptr);
  const int failed = posix_spawnp(&process_, command.front().c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  closeOnce(there[0]);
  closeOnce(back[1]);
  to_ = there[1];
  from_ = back[0];
  if (failed == 0) return;
  process_ = -1;
  closeOnce(to_);
  closeOnce(from_);
  throw std::runtime_error("`" + command.front() + "` cannot be started: " + std::strerror(failed));
}

Child::~Child() {
  closeOnce(to_);
  closeOnce(from_);
  if (process_ < 0) return;
  ::kill(process_, SIGTERM);
  for (int k = 0; k < 100; ++k) { // five seconds
    if (waitpid(process_, nullptr, WNOHANG) != 0) return;
    usleep(50000);
  }
  ::kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
}

bool Child::write(const std::string& bytes) const {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = ::write(to_, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

std::string Child::read(double seconds) const {
  pollfd wanted{from_, POLLIN, 0};
  int ready = 0;
  do ready = poll(&wanted, 1, static_cast<int>(1000 * seconds));
  while (ready < 0 && errno == EINTR);
  if (ready <= 0) return {};
  std::string bytes(std::size_t{1} << 16U, '\0');
  ssize_t n = 0;
  do n = ::read(from_, bytes.data(), bytes.size());
  while (n < 0 && errno == EINTR);
  bytes.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return bytes;
}

int Child::finish() {
  closeOnce(to_);
  int status = 0;
  while (waitpid(process_, &status, 0) < 0)
    if (errno != EINTR) fail("a program is lost");
  process_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

} // namespace lmc::tool
