// lmc_differential: random models in lmc against an oracle that shares no formula with it.
//
// Each model is tried in a process of its own, so that a crash is a finding like any other. A model that differs is
// made smaller as long as it differs in the same way, and written to a file.
#include "differential/Compare.h"

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <poll.h>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace lmc::differential;
using Clock = std::chrono::steady_clock;

struct Settings {
  std::uint64_t seed = 1;
  long cases = 0; ///< 0: until the time is up
  double seconds = 60;
  bool values = false; ///< values at the state alone: no methods, no lanes
  bool reduce = true;
  std::filesystem::path folder = "differential";
};

constexpr rlim_t patience = 120; // seconds of the processor for one model

/// What a child tells, in one line each.
void tell(int out, const Verdict& v) {
  std::array<char, 64> worst{};
  std::snprintf(worst.data(), worst.size(), "%.3e", v.worst);
  const std::string line =
      std::string(1, static_cast<char>(v.outcome)) + "\n" + v.kind + "\n" + worst.data() + "\n" + v.text;
  if (::write(out, line.data(), line.size()) < 0) ::_exit(1);
}

[[noreturn]] void work(const RandomModel& m, const Extent& extent, int out) {
  constexpr rlim_t memory = 6UL << 30U;
  const rlimit limit{memory, memory};
  ::setrlimit(RLIMIT_AS, &limit);
  const rlimit time{patience, patience};
  ::setrlimit(RLIMIT_CPU, &time);
  try {
    tell(out, compare(m, extent));
  } catch (const std::exception& e) {
    tell(out, {Outcome::Differs, "exception", e.what(), 0});
  }
  ::_exit(0);
}

Verdict heard(const std::string& text, int status) {
  if (WIFSIGNALED(status)) {
    const int s = WTERMSIG(status);
    const bool late = s == SIGXCPU || s == SIGKILL;
    return {Outcome::Differs, late ? "time" : "signal", late ? "no end in sight" : ::strsignal(s), 0};
  }
  std::array<std::string, 4> parts;
  std::size_t at = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    const std::size_t end = k < 3 ? text.find('\n', at) : text.size();
    if (end == std::string::npos) return {Outcome::Differs, "silence", text, 0};
    parts[k] = text.substr(at, end - at);
    at = end + 1;
  }
  return {static_cast<Outcome>(parts[0].at(0)), parts[1], parts[3], std::atof(parts[2].c_str())};
}

Verdict tryOne(const RandomModel& m, const Extent& extent) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
  std::cout.flush();
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("no process");
  if (child == 0) {
    ::close(ends[0]);
    work(m, extent, ends[1]);
  }
  ::close(ends[1]);
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t n; (n = ::read(ends[0], buffer.data(), buffer.size())) != 0;) {
    if (n < 0 && errno != EINTR) break;
    if (n > 0) text.append(buffer.data(), static_cast<std::size_t>(n));
  }
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return heard(text, status);
}

bool finding(const Verdict& v) {
  return v.outcome == Outcome::Differs;
}

/// The smallest model on the way down that still differs in the same way.
RandomModel reduced(RandomModel m, const Verdict& found, const Extent& extent) {
  constexpr int tries = 150;
  int left = tries;
  for (bool again = true; again && left > 0;) {
    again = false;
    for (const RandomModel& s : smaller(m)) {
      if (--left < 0) break;
      const Verdict v = tryOne(s, extent);
      if (v.outcome != found.outcome || v.kind != found.kind) continue;
      m = s;
      again = true;
      break;
    }
  }
  return m;
}

struct Counts {
  long cases = 0, agree = 0, undecided = 0, refused = 0, differ = 0;
  double worst = 0;
  std::map<std::string, long> kinds;
};

void keep(const Settings& s, const RandomModel& m, const Verdict& v, const Extent& extent) {
  const RandomModel small = s.reduce ? reduced(m, v, extent) : m;
  std::filesystem::create_directories(s.folder);
  const std::filesystem::path file = s.folder / ("seed_" + std::to_string(m.seed) + ".lie");
  std::ofstream(file) << "// " << v.kind << ": " << v.text << "\n" << textOf(small);
  std::cout << "seed " << m.seed << ": " << v.kind << ": " << v.text << "\n  " << file.string() << "\n" << std::flush;
}

Extent extentOf(const Settings& s, std::uint64_t seed) {
  return {!s.values && seed % 4 == 0, !s.values && seed % 8 == 1};
}

int runAll(const Settings& s) {
  Counts c;
  const auto begin = Clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  for (std::uint64_t seed = s.seed; s.cases > 0 ? c.cases < s.cases : elapsed() < s.seconds; ++seed) {
    const RandomModel m = generate(seed);
    const Extent extent = extentOf(s, seed);
    const Verdict v = tryOne(m, extent);
    ++c.cases;
    c.worst = std::max(c.worst, v.worst);
    c.agree += v.outcome == Outcome::Agrees ? 1 : 0;
    c.undecided += v.outcome == Outcome::Undecided ? 1 : 0;
    c.refused += v.outcome == Outcome::Refused ? 1 : 0;
    if (v.outcome == Outcome::Refused && ++c.kinds[v.kind] == 1)
      std::cout << "seed " << seed << ": refused: " << v.kind << " " << v.text << "\n";
    if (!finding(v)) continue;
    ++c.differ;
    // Of one kind the first few are enough to look at.
    if (++c.kinds[v.kind] <= 12) keep(s, m, v, extent);
  }
  std::cout << c.cases << " models, " << c.agree << " agree, " << c.undecided << " undecided, " << c.refused
            << " refused, " << c.differ << " differ, largest relative error " << c.worst << ", " << elapsed() << " s\n";
  for (const auto& [kind, count] : c.kinds) std::cout << "  " << count << " × " << kind << "\n";
  return c.differ > 0 ? 1 : 0;
}

int writeAll(const Settings& s, long count) {
  std::filesystem::create_directories(s.folder);
  for (std::uint64_t seed = s.seed; seed < s.seed + static_cast<std::uint64_t>(count); ++seed)
    std::ofstream(s.folder / ("seed_" + std::to_string(seed) + ".lie")) << textOf(generate(seed));
  return 0;
}

int usage() {
  std::cerr << "usage: lmc_differential [--seed S] [--cases N | --seconds T] [--values] [--whole] [--folder DIR]\n"
               "       lmc_differential --print S | --one S | --write DIR N [--seed S]\n"
               "  --values  values at a state alone, no methods and no lanes\n"
               "  --whole   models that differ are not made smaller\n"
               "  --print   the model of a seed; --one: its verdict, in this process; --write: N models as files\n";
  return 2;
}

} // namespace

int main(int argc, char** argv) {
  Settings s;
  long written = 0; // models as files
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    const auto next = [&]() -> std::string { return i + 1 < argc ? argv[++i] : ""; };
    if (option == "--seed") {
      s.seed = std::strtoull(next().c_str(), nullptr, 10);
    } else if (option == "--cases") {
      s.cases = std::atol(next().c_str());
    } else if (option == "--seconds") {
      s.seconds = std::atof(next().c_str());
    } else if (option == "--values") {
      s.values = true;
    } else if (option == "--whole") {
      s.reduce = false;
    } else if (option == "--folder") {
      s.folder = next();
    } else if (option == "--print") {
      std::cout << textOf(generate(std::strtoull(next().c_str(), nullptr, 10)));
      return 0;
    } else if (option == "--one") {
      const std::uint64_t seed = std::strtoull(next().c_str(), nullptr, 10);
      const Verdict v = compare(generate(seed), extentOf(s, seed));
      std::cout << static_cast<char>(v.outcome) << " " << v.kind << " " << v.text << " " << v.worst << "\n";
      return finding(v) ? 1 : 0;
    } else if (option == "--write") {
      s.folder = next();
      written = std::atol(next().c_str());
    } else {
      return usage();
    }
  }
  return written > 0 ? writeAll(s, written) : runAll(s);
}
