// Threads that help the one that makes a run, inside of its steps.
#pragma once

#include <cstdint>

namespace lmc::runtime {

/// While it lives, loops of compiled code that may be divided are worked on by up to `threads` threads, if the thread
/// that has made it runs them. The others are started when the first such loop comes, and sleep between loops. Where
/// fewer can be started, there are fewer: no bit of a result depends on it. `threads` <= 1: none are started. Teams of
/// one thread are nested: the last one works. Threads of ensembles have none. `loops`: from which number on they
/// are counted, for tests of runs so long that numbers begin again.
class Team {
public:
  explicit Team(int threads, std::uint32_t loops = 0);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  struct Members;

private:
  Members* members_;
  Members* outer_;
};

} // namespace lmc::runtime
