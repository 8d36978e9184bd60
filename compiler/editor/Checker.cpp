#include "editor/Checker.h"

#include "base/DeepStack.h"

#include <algorithm>
#include <sys/resource.h>
#include <unistd.h>

namespace lmc::editor {

Checker::Checker(Tell tell, std::chrono::milliseconds pause)
    : tell_(std::move(tell)), pause_(pause), thread_([this] { onDeepStack([this] { loop(); }); }) {}

Checker::~Checker() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
    giveUp_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Checker::ask(Task task) {
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(waiting_, [&](const Waiting& w) { return w.task.uri == task.uri; });
    if (working_ == task.uri) giveUp_ = true;
    waiting_.push_back({std::move(task), std::chrono::steady_clock::now() + pause_});
  }
  changed_.notify_all();
}

void Checker::forget(const std::string& uri) {
  const std::lock_guard lock(mutex_);
  std::erase_if(waiting_, [&](const Waiting& w) { return w.task.uri == uri; });
  if (working_ == uri) giveUp_ = true;
  changed_.notify_all();
}

void Checker::settle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return ends_ || (waiting_.empty() && working_.empty()); });
}

void Checker::loop() {
  // On a busy machine answers come before compilations. On Linux a thread has a priority of its own.
  constexpr int nicer = 5;
  (void)setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), nicer);
  std::unique_lock lock(mutex_);
  while (!ends_) {
    if (waiting_.empty()) {
      changed_.wait(lock);
      continue;
    }
    const auto next = std::min_element(waiting_.begin(), waiting_.end(),
                                       [](const Waiting& a, const Waiting& b) { return a.due < b.due; });
    if (const auto due = next->due; due > std::chrono::steady_clock::now()) {
      changed_.wait_until(lock, due);
      continue;
    }
    Task task = std::move(next->task);
    waiting_.erase(next);
    working_ = task.uri;
    giveUp_ = false;
    lock.unlock();
    work(task);
    lock.lock();
    working_.clear();
    changed_.notify_all();
  }
}

void Checker::work(Task& task) {
  try {
    task.request.cancelled = [this] { return givenUp(); };
    FactFinder finder(task.request);
    auto facts = std::make_shared<Facts>();
    finder.check(*facts);
    if (givenUp()) return;
    tell_(task, facts, true, {});
    for (const auto stage : {&FactFinder::derive, &FactFinder::methods}) {
      auto more = std::make_shared<Facts>(*facts);
      (finder.*stage)(*more);
      if (givenUp()) return;
      facts = std::move(more);
      tell_(task, facts, false, {});
    }
  } catch (const std::exception& error) {
    tell_(task, nullptr, false, error.what());
  } catch (...) {
    tell_(task, nullptr, false, "an unknown exception");
  }
}

} // namespace lmc::editor
