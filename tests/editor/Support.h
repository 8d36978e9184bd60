// What the tests of the server share: a client in the same process.
#pragma once

#include "base/Installation.h"
#include "editor/Server.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace lmc::editor {

inline std::string readText(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Sends messages to a server and takes its answers apart again.
class TestClient {
public:
  explicit TestClient(std::chrono::milliseconds pause = std::chrono::milliseconds(0))
      : server_(in_, out_, {"test", std::filesystem::path(LMC_SOURCE_DIR), {}, pause, {}}) {
    (void)ask("initialize", Json::object());
  }

  Json ask(const std::string& method, const Json& params) {
    const int id = ++last_;
    server_.handle(Json{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}}.dump(
        -1, ' ', false, Json::error_handler_t::replace));
    for (Json& m : messages())
      if (m.contains("id") && m["id"] == id) return m;
    return nullptr;
  }
  void tell(const std::string& method, const Json& params) {
    server_.handle(Json{{"jsonrpc", "2.0"}, {"method", method}, {"params", params}}.dump(
        -1, ' ', false, Json::error_handler_t::replace));
  }
  void raw(const std::string& text) { server_.handle(text); }

  void open(const std::string& uri, const std::string& text) {
    tell("textDocument/didOpen",
         {{"textDocument", {{"uri", uri}, {"languageId", "lie"}, {"version", 1}, {"text", text}}}});
  }
  void settle() {
    server_.settle();
    (void)ask("lmc/settle", Json::object());
  }

  /// The latest diagnostics of a text.
  Json diagnostics(const std::string& uri) {
    (void)messages();
    const auto it = diagnostics_.find(uri);
    return it == diagnostics_.end() ? Json(nullptr) : it->second;
  }

private:
  /// What has arrived since; the checker's thread writes whole messages while this one waits for none.
  std::vector<Json> messages() {
    std::vector<Json> all;
    const std::string text = out_.take();
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t header = text.find("\r\n\r\n", at);
      const std::size_t length = std::stoul(text.substr(text.find(':', at) + 1));
      all.push_back(Json::parse(text.substr(header + 4, length)));
      if (all.back().value("method", "") == "textDocument/publishDiagnostics")
        diagnostics_[all.back()["params"]["uri"]] = all.back()["params"]["diagnostics"];
      at = header + 4 + length;
    }
    return all;
  }

  /// A stream to which two threads write whole messages.
  class Buffer : public std::stringbuf {
  public:
    std::string take() {
      const std::lock_guard lock(mutex_);
      std::string text = std::move(done_);
      done_.clear();
      return text;
    }

  protected:
    int sync() override {
      const std::lock_guard lock(mutex_);
      done_ += str();
      str("");
      return 0;
    }

  private:
    std::mutex mutex_;
    std::string done_;
  };
  struct Out : std::ostream {
    Out() : std::ostream(&buffer) {}
    std::string take() { return buffer.take(); }
    Buffer buffer;
  };

  std::istringstream in_;
  Out out_;
  int last_ = 0;
  std::map<std::string, Json> diagnostics_;
  Server server_;
};

} // namespace lmc::editor
