#include "runtime/ranks/RankRun.h"

#include "runtime/ensemble/Blocks.h"
#include "runtime/ensemble/Checkpoint.h"
#include "runtime/ensemble/Order.h"

#include <chrono>
#include <cstring>
#include <deque>
#include <fmt/format.h>
#include <thread>

namespace lmc::runtime {

namespace {

/// The first byte of a message.
enum class Word : char {
  Hello = 'h', ///< to 0: the number of threads, the study
  Fail = 'f',  ///< to 0: why this rank cannot go on
  Block = 'b', ///< to 0: a finished block
  Stop = 's',  ///< to 0: this process was asked to stop
  Bye = 'd',   ///< to 0: nothing follows
  Make = 'm',  ///< from 0: numbers of blocks
  End = 'e',   ///< from 0: there is nothing more to do; what is under way is not wanted
};

/// More blocks than one for each thread are handed out while there are as many for all threads together.
constexpr std::int64_t plenty = 4;
/// Then a rank has so many for each thread: what it has finished may wait for a look here, and one there.
constexpr std::int64_t depth = 3;

std::string spoken(Word word, std::string_view rest = {}) {
  std::string bytes(1, static_cast<char>(word));
  bytes += rest;
  return bytes;
}

Word wordOf(const RankMessage& m) {
  return m.bytes.empty() ? Word::Fail : static_cast<Word>(m.bytes.front());
}

std::string_view restOf(const RankMessage& m) {
  return m.bytes.empty() ? std::string_view() : std::string_view(m.bytes).substr(1);
}

/// The time between two looks for messages: a look costs some 25 microseconds, whether there is a message or not. It
/// grows while nothing happens.
class Pause {
public:
  void after(bool something) { seconds_ = something ? least : std::min(2 * seconds_, most); }
  [[nodiscard]] double seconds() const { return seconds_; }

private:
  static constexpr double least = 0.5e-3, most = 5e-3;
  double seconds_ = least;
};

/// Where nothing else is to be done.
void rest() {
  constexpr double brief = 1e-3;
  std::this_thread::sleep_for(std::chrono::duration<double>(brief));
}

// --- rank 0

class Lead final : public BlockDesk {
public:
  Lead(Ranks& ranks, const EnsembleShape& shape, int threads, const EnsembleListeners& listeners)
      : ranks_(ranks), shape_(shape), listeners_(listeners), others_(static_cast<std::size_t>(ranks.size())),
        allThreads_(threads) {
    others_.front().gone = true; // rank 0 itself
  }

  /// Waits until all ranks have said who they are.
  void meet(const std::string& identity) {
    for (int met = 1; met < ranks_.size();) {
      const std::optional<RankMessage> m = ranks_.receive();
      if (!m) {
        if (listeners_.progress && !listeners_.progress(0)) interrupted_ = true;
        rest();
        continue;
      }
      if (wordOf(*m) == Word::Stop) {
        interrupted_ = true;
        continue;
      }
      ++met;
      if (wordOf(*m) == Word::Fail) {
        failed(*m);
        continue;
      }
      std::int32_t threads = 0;
      const std::string_view body = restOf(*m);
      if (wordOf(*m) != Word::Hello || body.size() < sizeof threads)
        throw RankFailure("a rank speaks of something else");
      std::memcpy(&threads, body.data(), sizeof threads);
      others_[static_cast<std::size_t>(m->from)].threads = threads;
      allThreads_ += threads;
      const std::string why = ensembleMisfit(std::string(body.substr(sizeof threads)), identity);
      if (!why.empty() && failure_.empty())
        failure_ = fmt::format("rank {} has another study than rank 0: {}", m->from, why);
    }
    order_.emplace(shape_, static_cast<int>(std::min<std::int64_t>(depth * allThreads_, 1 << 30)), listeners_.sink);
  }

  EnsembleResult run(const EnsembleProblem& problem, const EnsemblePlan& plan, int threads) {
    EnsembleResult run;
    try {
      if (!interrupted_ && failure_.empty())
        run = runBlocks(problem, plan, threads, *this,
                        {[this] { return pause_.seconds(); }, [this](double made) { return look(made); }});
      while (!over()) {
        if (!look(0)) break;
        rest();
      }
    } catch (...) {
      end();
      throw;
    }
    end();
    if (!failure_.empty()) throw RankFailure(failure_);
    EnsembleResult result = order_->counted();
    result.seconds = run.seconds;
    result.cpuSeconds = run.cpuSeconds;
    result.interrupted = interrupted_ && !order_->complete();
    return result;
  }

  std::optional<std::int64_t> next() override { return unknown(true); }
  void made(std::unique_ptr<EnsembleBlock> block) override { take(std::move(block)); }
  void stop() override { order_->stop(); }

  /// Lets all others go, and waits until they have said so.
  void end() {
    if (order_) order_->stop();
    for (int r = 1; r < ranks_.size(); ++r) ranks_.send(r, spoken(Word::End));
    for (std::size_t gone = count(); gone < others_.size(); gone = count()) {
      if (const std::optional<RankMessage> m = ranks_.receive()) {
        if (wordOf(*m) == Word::Bye) others_[static_cast<std::size_t>(m->from)].gone = true;
      } else {
        rest();
      }
    }
  }

private:
  struct Other {
    std::int64_t threads = 0, open = 0; ///< blocks that it has and has not sent back
    bool gone = false;
  };

  [[nodiscard]] std::size_t count() const {
    std::size_t n = 0;
    for (const Other& o : others_) n += o.gone ? 1 : 0;
    return n;
  }
  [[nodiscard]] bool over() const { return interrupted_ || !failure_.empty() || order_->complete(); }

  void failed(const RankMessage& m) {
    if (failure_.empty()) failure_ = fmt::format("rank {}: {}", m.from, restOf(m));
  }

  /// A block that is not known; known ones are passed on.
  std::optional<std::int64_t> unknown(bool wait) {
    while (const std::optional<std::int64_t> index = wait ? order_->take() : order_->tryTake()) {
      auto block = std::make_unique<EnsembleBlock>();
      if (!listeners_.known || !listeners_.known(*index, *block)) return index;
      if (!block->fits(shape_, *index))
        throw CheckpointError("the checkpoint has a block of samples that does not belong to it");
      finished_ += block->count;
      order_->put(std::move(block));
    }
    return std::nullopt;
  }

  void take(std::unique_ptr<EnsembleBlock> block) {
    if (listeners_.finished) {
      const std::lock_guard lock(finishing_);
      listeners_.finished(*block);
    }
    order_->put(std::move(block));
  }

  /// Messages, and what follows from them. False: nothing more is to be made.
  bool look(double made) {
    bool heard = false;
    for (; const std::optional<RankMessage> m = ranks_.receive(); heard = true) hear(*m);
    pause_.after(heard);
    if (over()) return order_->complete();
    handOut();
    constexpr double tenth = 0.1;
    const auto now = std::chrono::steady_clock::now();
    if (!listeners_.progress || now - told_ < std::chrono::duration<double>(tenth)) return true;
    told_ = now;
    const double done = made + static_cast<double>(finished_);
    if (!listeners_.progress(done / static_cast<double>(shape_.samples))) interrupted_ = true;
    return !interrupted_;
  }

  void hear(const RankMessage& m) {
    Other& other = others_[static_cast<std::size_t>(m.from)];
    switch (wordOf(m)) {
    case Word::Block: {
      auto block = std::make_unique<EnsembleBlock>(blockOf(restOf(m)));
      if (!block->fits(shape_, block->index)) throw RankFailure(fmt::format("rank {} has made a wrong block", m.from));
      --other.open;
      finished_ += block->count;
      take(std::move(block));
      return;
    }
    case Word::Stop:
      interrupted_ = true;
      return;
    default:
      failed(m);
    }
  }

  /// In turn, so that each rank has something to do before one has two; then ahead of time, while there is plenty.
  void handOut() {
    std::vector<std::string> letters(others_.size());
    for (const bool ahead : {false, true}) {
      for (bool gave = true; gave;) {
        gave = false;
        for (std::size_t r = 1; r < others_.size(); ++r) {
          Other& o = others_[r];
          if (o.open >= (ahead ? depth : 1) * o.threads) continue;
          if (ahead && order_->left() < plenty * allThreads_) continue;
          const std::optional<std::int64_t> index = unknown(false);
          if (!index) break;
          letters[r].append(reinterpret_cast<const char*>(&*index), sizeof *index);
          ++o.open;
          gave = true;
        }
      }
    }
    for (std::size_t r = 1; r < letters.size(); ++r)
      if (!letters[r].empty()) ranks_.send(static_cast<int>(r), spoken(Word::Make, letters[r]));
  }

  Ranks& ranks_;
  const EnsembleShape& shape_;
  const EnsembleListeners& listeners_;
  std::vector<Other> others_;
  std::int64_t allThreads_;
  std::optional<BlockOrder> order_;
  std::mutex finishing_;
  std::atomic<std::int64_t> finished_{0}; ///< samples of known blocks and of other ranks
  Pause pause_;
  std::string failure_;
  bool interrupted_ = false;
  std::chrono::steady_clock::time_point told_ = std::chrono::steady_clock::now();
};

// --- the others

class Follower final : public BlockDesk {
public:
  explicit Follower(Ranks& ranks) : ranks_(ranks) {}

  std::optional<std::int64_t> next() override {
    std::unique_lock lock(mutex_);
    there_.wait(lock, [&] { return ended_ || !todo_.empty(); });
    if (ended_) return std::nullopt;
    const std::int64_t index = todo_.front();
    todo_.pop_front();
    return index;
  }
  void made(std::unique_ptr<EnsembleBlock> block) override {
    std::string bytes = spoken(Word::Block, recordOf(*block));
    const std::lock_guard lock(mutex_);
    done_.push_back(std::move(bytes));
  }
  void stop() override {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    there_.notify_all();
  }

  [[nodiscard]] double pause() const { return pause_.seconds(); }
  /// Sends what is finished, hears what is to do. False: it is over.
  bool look(bool goOn) {
    bool something = false;
    {
      const std::lock_guard lock(mutex_);
      something = !done_.empty();
      for (; !done_.empty(); done_.pop_front()) ranks_.send(0, std::move(done_.front()));
    }
    if (!goOn && !told_) {
      told_ = true;
      ranks_.send(0, spoken(Word::Stop));
    }
    for (; const std::optional<RankMessage> m = ranks_.receive(); something = true) {
      if (wordOf(*m) != Word::Make) return false;
      const std::string_view body = restOf(*m);
      {
        const std::lock_guard lock(mutex_);
        for (std::size_t at = 0; at + sizeof(std::int64_t) <= body.size(); at += sizeof(std::int64_t)) {
          std::int64_t index = 0;
          std::memcpy(&index, body.data() + at, sizeof index);
          todo_.push_back(index);
        }
      }
      there_.notify_all();
    }
    pause_.after(something);
    return true;
  }

private:
  Ranks& ranks_;
  Pause pause_;
  std::mutex mutex_;
  std::condition_variable there_;
  std::deque<std::int64_t> todo_;
  std::deque<std::string> done_;
  bool ended_ = false, told_ = false;
};

/// Until rank 0 lets this one go.
void waitForEnd(Ranks& ranks) {
  for (;;) {
    const std::optional<RankMessage> m = ranks.receive();
    if (m && wordOf(*m) == Word::End) return;
    if (!m) rest();
  }
}

} // namespace

EnsembleResult leadRanks(Ranks& ranks, const EnsembleProblem& problem, const EnsemblePlan& plan, int threads,
                         const std::string& identity, const EnsembleListeners& listeners) {
  const EnsembleShape shape = shapeOf(problem, plan);
  Lead lead(ranks, shape, threads, listeners);
  lead.meet(identity);
  const auto begin = std::chrono::steady_clock::now();
  EnsembleResult result = lead.run(problem, plan, threads);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

void followRanks(Ranks& ranks, const EnsembleProblem& problem, const EnsemblePlan& plan, int threads,
                 const std::string& identity, const std::function<bool()>& goOn) {
  const auto count = static_cast<std::int32_t>(threads);
  ranks.send(0, spoken(Word::Hello, std::string(reinterpret_cast<const char*>(&count), sizeof count) + identity));
  Follower follower(ranks);
  bool ended = false;
  try {
    const auto look = [&](double) {
      ended = ended || !follower.look(goOn());
      return !ended;
    };
    (void)runBlocks(problem, plan, threads, follower, {[&] { return follower.pause(); }, look});
  } catch (const std::exception& error) {
    ranks.send(0, spoken(Word::Fail, error.what()));
  }
  if (!ended) waitForEnd(ranks);
  ranks.send(0, spoken(Word::Bye));
}

void dismissRanks(Ranks& ranks) {
  EnsembleShape none;
  const EnsembleListeners nobody;
  Lead lead(ranks, none, 0, nobody);
  lead.end();
}

void failRank(Ranks& ranks, const std::string& why) {
  ranks.send(0, spoken(Word::Fail, why));
  waitForEnd(ranks);
  ranks.send(0, spoken(Word::Bye));
}

} // namespace lmc::runtime
