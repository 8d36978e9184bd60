// Messages of JSON-RPC over two streams, each behind a header that tells its length.
#pragma once

#include <functional>
#include <iosfwd>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace lmc::editor {

/// Reads messages; a header that makes no sense, or a message beyond any reason, ends the stream.
class MessageReader {
public:
  explicit MessageReader(std::istream& in) : in_(in) {}
  /// The next message as text; nothing at the end.
  [[nodiscard]] std::optional<std::string> next();

private:
  std::istream& in_;
};

/// JSON in which escapes of one half of a UTF-16 pair, which editors send while a character is half removed, are the
/// replacement character: one unit as well, so that places stay right.
[[nodiscard]] std::string withWholeCharacters(std::string json);

/// Writes messages, from any thread; each is seen by `log`, if there is one.
class MessageWriter {
public:
  using Log = std::function<void(const std::string& direction, const std::string& text)>;
  MessageWriter(std::ostream& out, Log log) : out_(out), log_(std::move(log)) {}
  void write(const nlohmann::json& message);
  void log(const std::string& direction, const std::string& text);

private:
  std::ostream& out_;
  Log log_;
  std::mutex mutex_;
};

} // namespace lmc::editor
