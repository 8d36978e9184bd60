// The language server: answers an editor over two streams until it says `exit`.
//
// One thread reads and answers, from the text as it is; another one compiles (Checker.h) and tells diagnostics. What
// goes wrong in a request is the answer of this request; nothing but `exit` or the end of the stream ends the server.
#pragma once

#include "editor/Checker.h"
#include "editor/Messages.h"
#include "editor/features/Features.h"

#include <map>
#include <nlohmann/json.hpp>

namespace lmc::editor {

struct ServerOptions {
  std::string version;
  std::filesystem::path libraryRoot;
  std::vector<std::filesystem::path> importPath;
  std::chrono::milliseconds pause{50}; ///< after a change, before the text is compiled
  MessageWriter::Log log;
};

class Server {
public:
  Server(std::istream& in, std::ostream& out, ServerOptions options);
  /// Serves until the end; 0 if `shutdown` came before it, else 1.
  int run();
  /// Serves one message.
  void handle(const std::string& text);
  /// Waits until all texts are compiled.
  void settle() { checker_.settle(); }

private:
  using Answer = Json (Server::*)(const Json& params);
  static const std::map<std::string, Answer>& answers();

  void fail(const Json& id, int code, const std::string& message);
  void dispatch(const std::string& method, const Json& message);

  Json initialize(const Json& params);
  Json begun(const Json& params);
  Json shutdown(const Json& params);
  Json ignore(const Json& params);
  Json opened(const Json& params);
  Json changed(const Json& params);
  Json saved(const Json& params);
  Json closed(const Json& params);
  Json settled(const Json& params);
  template <Json (*feature)(const Question&)> Json at(const Json& params) { return feature(questionOf(params, true)); }
  template <Json (*feature)(const Question&)> Json ofText(const Json& params) {
    return feature(questionOf(params, false));
  }
  Json referencesAt(const Json& params);
  Json renameAt(const Json& params);
  Json hintsIn(const Json& params);
  Json fixesIn(const Json& params);
  Json execute(const Json& params);

  [[nodiscard]] Document& documentOf(const Json& params);
  [[nodiscard]] Question questionOf(const Json& params, bool placed);
  void compile(const Document& document);
  void compileThoseThatImport(const Document& document);
  /// Takes what the checker has found since.
  void collect();

  MessageReader reader_;
  MessageWriter writer_;
  ServerOptions options_;
  Workspace workspace_;
  bool initialized_ = false;
  bool shutdown_ = false;
  bool exit_ = false;
  std::mutex mutex_; ///< of what was found
  std::map<std::string, std::shared_ptr<const Facts>> found_;
  std::map<std::string, bool> open_; ///< texts whose diagnostics are wanted
  Checker checker_;                  ///< the last: its thread ends before the rest
};

} // namespace lmc::editor
