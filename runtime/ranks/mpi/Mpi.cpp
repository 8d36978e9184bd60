// Ranks of MPI: the module liblmc_mpi.so.
#include "runtime/ranks/Ranks.h"

#include <algorithm>
#include <dlfcn.h>
#include <list>
#include <mpi.h>
#include <vector>

namespace lmc::runtime {

namespace {

/// Messages are cut into pieces, whose lengths MPI counts in an `int`.
constexpr std::size_t pieceBytes = std::size_t{1} << 28U;
/// Of a piece after which others follow, and of the last one.
constexpr int moreTag = 1, lastTag = 2;

class MpiRanks final : public Ranks {
public:
  MpiRanks() {
    // Open MPI opens parts of itself, which look for its symbols in the whole process.
    (void)dlopen("libmpi.so.40", RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
    int provided = MPI_THREAD_SINGLE;
    if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS ||
        provided < MPI_THREAD_FUNNELED)
      throw RanksError("MPI does not start, or does not allow threads beside the one that sends messages");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    MPI_Comm here = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    MPI_Comm_size(here, &neighbours_);
    MPI_Comm_free(&here);
    parts_.resize(static_cast<std::size_t>(size_));
  }

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }
  [[nodiscard]] int neighbours() const override { return neighbours_; }

  void send(int to, std::string bytes) override {
    Sent& sent = sent_.emplace_back();
    sent.bytes = std::move(bytes);
    for (std::size_t at = 0; at == 0 || at < sent.bytes.size(); at += pieceBytes) {
      const std::size_t count = std::min(pieceBytes, sent.bytes.size() - at);
      const bool last = at + count == sent.bytes.size();
      MPI_Isend(sent.bytes.data() + at, static_cast<int>(count), MPI_BYTE, to, last ? lastTag : moreTag, MPI_COMM_WORLD,
                &sent.requests.emplace_back());
    }
    forgetSent();
  }

  std::optional<RankMessage> receive() override {
    forgetSent();
    for (;;) {
      int there = 0;
      MPI_Message piece = MPI_MESSAGE_NULL;
      MPI_Status status;
      MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &piece, &status);
      if (there == 0) return std::nullopt;
      int count = 0;
      MPI_Get_count(&status, MPI_BYTE, &count);
      std::string& part = parts_[static_cast<std::size_t>(status.MPI_SOURCE)];
      const std::size_t before = part.size();
      part.resize(before + static_cast<std::size_t>(count));
      MPI_Mrecv(part.data() + before, count, MPI_BYTE, &piece, MPI_STATUS_IGNORE);
      if (status.MPI_TAG != lastTag) continue;
      RankMessage message{status.MPI_SOURCE, std::move(part)};
      part.clear();
      return message;
    }
  }

  void finish() override {
    for (Sent& sent : sent_)
      MPI_Waitall(static_cast<int>(sent.requests.size()), sent.requests.data(), MPI_STATUSES_IGNORE);
    sent_.clear();
    MPI_Finalize();
  }

private:
  struct Sent {
    std::string bytes;
    std::vector<MPI_Request> requests;
  };

  /// Frees the memory of messages that have left.
  void forgetSent() {
    sent_.remove_if([](Sent& s) {
      int done = 0;
      MPI_Testall(static_cast<int>(s.requests.size()), s.requests.data(), &done, MPI_STATUSES_IGNORE);
      return done != 0;
    });
  }

  int rank_ = 0, size_ = 1, neighbours_ = 1;
  std::list<Sent> sent_;
  std::vector<std::string> parts_; ///< of messages, by the rank that sends them
};

} // namespace

} // namespace lmc::runtime

extern "C" lmc::runtime::Ranks* lmc_open_ranks() {
  return new lmc::runtime::MpiRanks();
}
