// Compilations in the background: of the texts that have changed, a moment after the last change, one at a time.
#pragma once

#include "editor/documents/Workspace.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace lmc::editor {

class Checker {
public:
  /// A text to be compiled, with the texts of the other files that are open.
  struct Task {
    std::string uri;
    std::int64_t version = 0;
    FactFinder::Request request;
  };
  /// Is told what was found, by the thread of the checker: of each task first what a check finds, then the same with
  /// equations, then with methods. `defect`: what went wrong instead; then there are no facts.
  using Tell =
      std::function<void(const Task& task, std::shared_ptr<const Facts> facts, bool first, const std::string& defect)>;

  Checker(Tell tell, std::chrono::milliseconds pause);
  ~Checker();
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;

  /// Compiles a text soon; what is under way or waits for the same text is given up.
  void ask(Task task);
  /// Gives up what is under way or waits for a text.
  void forget(const std::string& uri);
  /// Waits until nothing is left to do.
  void settle();

private:
  struct Waiting {
    Task task;
    std::chrono::steady_clock::time_point due;
  };
  void loop();
  void work(Task& task);
  [[nodiscard]] bool givenUp() const { return giveUp_.load(std::memory_order_relaxed); }

  Tell tell_;
  std::chrono::milliseconds pause_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Waiting> waiting_;
  std::string working_; ///< on the text of this address; empty: on none
  std::atomic<bool> giveUp_{false};
  bool ends_ = false;
  std::thread thread_;
};

} // namespace lmc::editor
