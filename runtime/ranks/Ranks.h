// Processes that were started together, on one machine or on many, and messages between them.
//
// What carries the messages is a module, which is loaded when ranks are asked for: the tool needs no MPI, and does not
// load it otherwise.
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

namespace lmc::runtime {

/// Ranks cannot be used; `what()` is a sentence for the user.
class RanksError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

struct RankMessage {
  int from = 0;
  std::string bytes;
};

/// All calls come from the thread that has opened it. Messages from one rank to another arrive in their order. An error
/// of the carrier ends all ranks, as its standard wants it.
class Ranks {
public:
  virtual ~Ranks() = default;
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  /// How many of the ranks run on this machine.
  [[nodiscard]] virtual int neighbours() const = 0;
  /// Begins to send, and returns at once.
  virtual void send(int to, std::string bytes) = 0;
  /// A message that has arrived as a whole; nothing: there is none.
  [[nodiscard]] virtual std::optional<RankMessage> receive() = 0;
  /// Sends what is under way, waits for all ranks, and ends. No call follows.
  virtual void finish() = 0;
};

/// Joins the other ranks. Throws RanksError where the module is not installed or does not start.
[[nodiscard]] std::unique_ptr<Ranks> openRanks();

} // namespace lmc::runtime
