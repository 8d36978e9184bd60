#include "tool/support/Programs.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <spawn.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ; // NOLINT: of POSIX

namespace lmc::tool {

namespace fs = std::filesystem;

namespace {

using TemporaryFile = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

TemporaryFile temporary() {
  TemporaryFile file(std::tmpfile(), std::fclose);
  if (file == nullptr) throw std::runtime_error(std::string("no temporary file: ") + std::strerror(errno));
  return file;
}

std::string contents(std::FILE* file) {
  std::string text;
  std::rewind(file);
  char buffer[1U << 16U];
  for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;) text.append(buffer, n);
  return text;
}

/// The environment of this process with some variables changed.
std::vector<std::string> changed(const std::vector<std::pair<std::string, std::string>>& variables) {
  std::vector<std::string> all;
  for (char** v = environ; *v != nullptr; ++v) {
    const std::string entry = *v;
    bool replaced = false;
    for (const auto& [name, value] : variables) replaced = replaced || entry.starts_with(name + "=");
    if (!replaced) all.push_back(entry);
  }
  for (const auto& [name, value] : variables)
    if (!value.empty()) all.emplace_back(name).append("=").append(value);
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  all.reserve(texts.size());
  for (std::string& t : texts) all.push_back(t.data());
  all.push_back(nullptr);
  return all;
}

} // namespace

fs::path findProgram(const std::string& name) {
  const auto runs = [](const fs::path& file) { return access(file.c_str(), X_OK) == 0 && fs::is_regular_file(file); };
  if (name.find('/') != std::string::npos) return runs(name) ? fs::path(name) : fs::path();
  const char* const path = std::getenv("PATH");
  std::string rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    fs::path file = fs::path(rest.substr(0, colon)) / name;
    if (runs(file)) return file;
    rest = colon == std::string::npos ? "" : rest.substr(colon + 1);
  }
  return {};
}

ProgramResult runProgram(const std::vector<std::string>& command, const std::string& input,
                         const std::vector<std::pair<std::string, std::string>>& environment) {
  const TemporaryFile in = temporary(), out = temporary(), error = temporary();
  if (std::fwrite(input.data(), 1, input.size(), in.get()) != input.size() || std::fflush(in.get()) != 0)
    throw std::runtime_error(std::string("no room for a temporary file: ") + std::strerror(errno));
  std::rewind(in.get());
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fileno(in.get()), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(out.get()), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(error.get()), STDERR_FILENO);
  std::vector<std::string> arguments = command, variables = changed(environment);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, command.front().c_str(), &actions, nullptr, pointers(arguments).data(),
                                  pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::runtime_error("`" + command.front() + "` cannot be started: " + std::strerror(failed));
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) throw std::runtime_error(std::string("`") + command.front() + "`: " + std::strerror(errno));
  ProgramResult result;
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.out = contents(out.get());
  result.error = contents(error.get());
  return result;
}

} // namespace lmc::tool
