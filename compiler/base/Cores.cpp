#include "base/Cores.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <sched.h>
#include <string>
#include <thread>

namespace lmc {

namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// `quota period` in microseconds; "max", or a negative quota, is no limit.
double limitOf(const std::string& quota, double period) {
  char* end = nullptr;
  const double time = std::strtod(quota.c_str(), &end);
  return end != quota.c_str() && time > 0 && period > 0 && std::isfinite(time) ? time / period : unlimited;
}

double limitIn(const std::filesystem::path& folder) {
  std::string quota;
  double period = 0;
  if (std::ifstream both(folder / "cpu.max"); both >> quota >> period) return limitOf(quota, period);
  if (std::ifstream(folder / "cpu.cfs_quota_us") >> quota && std::ifstream(folder / "cpu.cfs_period_us") >> period)
    return limitOf(quota, period);
  return unlimited;
}

/// Of a group and those above it. In a container the group's name may be one of the machine's, which has no folder
/// here.
double limitAbove(const std::filesystem::path& root, const std::filesystem::path& group) {
  double least = limitIn(root);
  std::filesystem::path folder = root;
  for (const auto& part : group.relative_path()) least = std::min(least, limitIn(folder /= part));
  return least;
}

/// Whether a list of words between commas has one.
bool lists(const std::string& words, const std::string& word) {
  return ("," + words + ",").find("," + word + ",") != std::string::npos;
}

} // namespace

double coresOfGroups(const std::filesystem::path& root, const std::filesystem::path& process) {
  double least = unlimited;
  std::ifstream groups(process);
  for (std::string line; std::getline(groups, line);) { // number:controllers:group
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1), group = line.substr(second + 1);
    if (controllers.empty())
      least = std::min(least, limitAbove(root, group));
    else if (lists(controllers, "cpu"))
      least = std::min({least, limitAbove(root / "cpu", group), limitAbove(root / "cpu,cpuacct", group)});
  }
  return least;
}

namespace {

/// Processors that the threads of this process may be on.
int boundCores() {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  if (sched_getaffinity(0, sizeof mine, &mine) == 0) return std::max(1, CPU_COUNT(&mine));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

/// Of so many no more than the time of their groups lets work: the others would wait for the end of its period.
int withinTime(int cores, int neighbours) {
  static const double time = coresOfGroups("/sys/fs/cgroup", "/proc/self/cgroup");
  return time / neighbours < cores ? std::max(1, static_cast<int>(std::lround(time / neighbours))) : cores;
}

} // namespace

int usableCores() {
  return withinTime(boundCores(), 1);
}

int usableCores(int neighbours) {
  // Ranks that are bound to processors of their own share none; those that may use all share all.
  const int mine = boundCores(), all = std::max(mine, static_cast<int>(std::thread::hardware_concurrency()));
  const int sharing = std::max(1, static_cast<int>(std::lround(static_cast<double>(neighbours) * mine / all)));
  return withinTime(std::max(1, mine / sharing), neighbours);
}

} // namespace lmc
