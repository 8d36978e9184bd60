#include "editor/Server.h"

#include "base/Budget.h"
#include "base/Files.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace lmc::editor {

namespace {

/// Codes of errors of JSON-RPC and of the protocol.
enum Failure {
  NoJson = -32700,
  NoRequest = -32600,
  NoMethod = -32601,
  WrongParams = -32602,
  Internal = -32603,
  NotInitialized = -32002,
  RequestFailed = -32803
};

/// The parameters do not fit the request.
class WrongRequest : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

TextPosition positionOf(const Json& p) {
  return {p.at("line").get<std::size_t>(), p.at("character").get<std::size_t>()};
}

/// The text after a change: of a range, or of all.
std::string changedText(const std::string& text, const Json& change) {
  std::string now = change.at("text").get<std::string>();
  if (!change.contains("range") || change["range"].is_null()) return now;
  const Positions positions(text);
  const std::size_t begin = positions.offset(positionOf(change["range"].at("start")));
  const std::size_t end = std::max(begin, positions.offset(positionOf(change["range"].at("end"))));
  return text.substr(0, begin) + now + text.substr(end);
}

Json capabilities() {
  constexpr int incremental = 2;
  return {{"positionEncoding", "utf-16"},
          {"textDocumentSync", {{"openClose", true}, {"change", incremental}, {"save", {{"includeText", false}}}}},
          {"hoverProvider", true},
          {"definitionProvider", true},
          {"referencesProvider", true},
          {"documentHighlightProvider", true},
          {"renameProvider", {{"prepareProvider", true}}},
          {"completionProvider", {{"triggerCharacters", {".", "="}}}},
          {"signatureHelpProvider", {{"triggerCharacters", {"(", ","}}}},
          {"documentSymbolProvider", true},
          {"foldingRangeProvider", true},
          {"semanticTokensProvider", {{"legend", semanticLegend()}, {"full", true}, {"range", false}}},
          {"inlayHintProvider", true},
          {"codeLensProvider", {{"resolveProvider", false}}},
          {"codeActionProvider", {{"codeActionKinds", {"quickfix"}}}},
          {"documentFormattingProvider", true},
          {"executeCommandProvider", {{"commands", {"lmc.equations"}}}}};
}

} // namespace

Server::Server(std::istream& in, std::ostream& out, ServerOptions options)
    : reader_(in), writer_(out, options.log), options_(std::move(options)),
      workspace_(options_.libraryRoot, options_.importPath),
      checker_(
          [this](const Checker::Task& task, const std::shared_ptr<const Facts>& facts, bool first,
                 const std::string& defect) {
            if (!facts) return writer_.log("defect", "checking " + task.uri + ": " + defect);
            {
              const std::lock_guard lock(mutex_);
              if (!open_.contains(task.uri)) return;
              found_[task.uri] = facts;
            }
            if (!first) return;
            writer_.write({{"jsonrpc", "2.0"},
                           {"method", "textDocument/publishDiagnostics"},
                           {"params",
                            {{"uri", task.uri},
                             {"version", task.version},
                             {"diagnostics", diagnosticsOf(*facts, task.request.file)}}}});
          },
          options_.pause) {}

const std::map<std::string, Server::Answer>& Server::answers() {
  static const std::map<std::string, Answer> table = {
      {"initialize", &Server::initialize},
      {"initialized", &Server::begun},
      {"shutdown", &Server::shutdown},
      {"$/cancelRequest", &Server::ignore},
      {"$/setTrace", &Server::ignore},
      {"workspace/didChangeConfiguration", &Server::ignore},
      {"workspace/didChangeWatchedFiles", &Server::ignore},
      {"textDocument/didOpen", &Server::opened},
      {"textDocument/didChange", &Server::changed},
      {"textDocument/didSave", &Server::saved},
      {"textDocument/didClose", &Server::closed},
      {"lmc/settle", &Server::settled},
      {"textDocument/hover", &Server::at<hover>},
      {"textDocument/definition", &Server::at<definition>},
      {"textDocument/references", &Server::referencesAt},
      {"textDocument/documentHighlight", &Server::at<highlights>},
      {"textDocument/prepareRename", &Server::at<renamed>},
      {"textDocument/rename", &Server::renameAt},
      {"textDocument/completion", &Server::at<completion>},
      {"textDocument/signatureHelp", &Server::at<signatures>},
      {"textDocument/documentSymbol", &Server::ofText<outline>},
      {"textDocument/foldingRange", &Server::ofText<folds>},
      {"textDocument/semanticTokens/full", &Server::ofText<semanticTokens>},
      {"textDocument/inlayHint", &Server::hintsIn},
      {"textDocument/codeLens", &Server::ofText<lenses>},
      {"textDocument/codeAction", &Server::fixesIn},
      {"textDocument/formatting", &Server::ofText<formatting>},
      {"workspace/executeCommand", &Server::execute},
  };
  return table;
}

int Server::run() {
  while (!exit_) {
    const std::optional<std::string> text = reader_.next();
    if (!text) break;
    handle(*text);
  }
  return shutdown_ ? 0 : 1;
}

void Server::fail(const Json& id, int code, const std::string& message) {
  writer_.write({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", message}}}});
}

void Server::handle(const std::string& text) {
  writer_.log("in", text);
  const Json message = Json::parse(withWholeCharacters(text), nullptr, false);
  if (message.is_discarded()) return fail(nullptr, NoJson, "this is no JSON");
  if (!message.is_object()) return fail(nullptr, NoRequest, "a message is an object");
  const Json id = message.value("id", Json(nullptr));
  if (!message.contains("method")) return; // an answer; nothing was asked
  if (!message["method"].is_string()) return fail(id, NoRequest, "`method` is a text");
  const std::string method = message["method"].get<std::string>();
  const bool asked = message.contains("id");
  const auto refuse = [&](int code, const std::string& what) {
    if (asked)
      fail(id, code, what);
    else
      writer_.log("refused", method + ": " + what);
  };
  try {
    dispatch(method, message);
  } catch (const Json::exception& error) {
    refuse(WrongParams, error.what());
  } catch (const WrongRequest& error) {
    refuse(WrongParams, error.what());
  } catch (const Refused& error) {
    refuse(RequestFailed, error.what());
  } catch (const BudgetSpent&) {
    refuse(RequestFailed, "this text takes too long to be looked into");
  } catch (const std::exception& error) {
    writer_.log("defect", method + ": " + error.what());
    refuse(Internal, fmt::format("a defect of lmc: {}", error.what()));
  } catch (...) {
    writer_.log("defect", method);
    refuse(Internal, "a defect of lmc");
  }
}

void Server::dispatch(const std::string& method, const Json& message) {
  const bool asked = message.contains("id");
  if (method == "exit") {
    exit_ = true;
    return;
  }
  const auto it = answers().find(method);
  if (it == answers().end()) {
    if (asked) fail(message["id"], NoMethod, "there is no request `" + method + "`");
    return;
  }
  if (asked && !initialized_ && method != "initialize")
    return fail(message["id"], NotInitialized, "the first request is `initialize`");
  if (asked && shutdown_) return fail(message["id"], NoRequest, "behind `shutdown` there is `exit` alone");
  collect();
  // A request may take a moment, not minutes.
  Limits limits;
  limits.seconds = 10;
  limits.megabytes = 0;
  Budget budget(limits);
  const Budget::Scope scope(budget);
  const Json result = (this->*it->second)(message.value("params", Json::object()));
  if (asked) writer_.write({{"jsonrpc", "2.0"}, {"id", message["id"]}, {"result", result}});
}

Json Server::initialize(const Json& /*params*/) {
  initialized_ = true;
  return {{"capabilities", capabilities()}, {"serverInfo", {{"name", "lmc"}, {"version", options_.version}}}};
}

/// The library is read now, once, and not within a request that somebody waits for.
Json Server::begun(const Json& /*params*/) {
  (void)workspace_.library();
  return nullptr;
}

Json Server::shutdown(const Json& /*params*/) {
  shutdown_ = true;
  return nullptr;
}

Json Server::ignore(const Json& /*params*/) {
  return nullptr;
}

Json Server::settled(const Json& /*params*/) {
  settle();
  collect();
  return nullptr;
}

void Server::collect() {
  const std::lock_guard lock(mutex_);
  for (auto& [uri, facts] : found_) {
    Document* const d = workspace_.find(uri);
    if (d == nullptr) continue;
    // While a name is being typed the text has errors: the manifolds and methods are those of before.
    if (d->facts && (!facts->methods || facts->manifolds.empty() || facts->parameters.empty())) {
      auto kept = std::make_shared<Facts>(*facts);
      if (!kept->methods) kept->methods = d->facts->methods;
      if (kept->parameters.empty()) kept->parameters = d->facts->parameters;
      for (const auto& [type, manifold] : d->facts->manifolds) kept->manifolds.try_emplace(type, manifold);
      facts = std::move(kept);
    }
    d->facts = facts;
  }
  found_.clear();
}

Document& Server::documentOf(const Json& params) {
  const std::string uri = params.at("textDocument").at("uri").get<std::string>();
  Document* const d = workspace_.find(uri);
  if (d == nullptr) throw WrongRequest("`" + uri + "` is not open");
  return *d;
}

Question Server::questionOf(const Json& params, bool placed) {
  Document& document = documentOf(params);
  std::uint32_t offset = 0;
  if (placed)
    offset = static_cast<std::uint32_t>(document.snapshot()->positions().offset(positionOf(params.at("position"))));
  return {workspace_, document, offset};
}

void Server::compile(const Document& document) {
  FactFinder::Request request;
  request.file = document.file;
  request.text = document.text;
  request.libraryRoot = options_.libraryRoot;
  request.importPath = options_.importPath;
  // Of other files that are open their texts count, not those of the disk.
  std::map<std::string, std::string> others;
  for (const auto& [uri, d] : workspace_.documents())
    if (uri != document.uri) others[std::filesystem::path(d.file).lexically_normal().string()] = d.text;
  if (!others.empty() && document.text.find("import") != std::string::npos)
    request.readFile = [others = std::move(others)](const std::filesystem::path& path) -> std::optional<std::string> {
      if (const auto it = others.find(path.lexically_normal().string()); it != others.end()) return it->second;
      return readFile(path);
    };
  checker_.ask({document.uri, document.version, std::move(request)});
}

void Server::compileThoseThatImport(const Document& document) {
  const std::string name = std::filesystem::path(document.file).filename().string();
  for (const auto& [uri, d] : workspace_.documents())
    if (uri != document.uri && d.text.find(name + "\"") != std::string::npos) compile(d);
}

Json Server::opened(const Json& params) {
  const Json& item = params.at("textDocument");
  Document d;
  d.uri = item.at("uri").get<std::string>();
  d.file = fileOf(d.uri);
  d.change(item.at("text").get<std::string>(), item.value("version", std::int64_t{0}));
  {
    const std::lock_guard lock(mutex_);
    open_[d.uri] = true;
  }
  Document& known = workspace_.documents()[d.uri] = std::move(d);
  compile(known);
  compileThoseThatImport(known);
  return nullptr;
}

Json Server::changed(const Json& params) {
  Document& d = documentOf(params);
  std::string text = d.text;
  for (const Json& change : params.at("contentChanges")) text = changedText(text, change);
  d.change(std::move(text), params.at("textDocument").value("version", d.version + 1));
  compile(d);
  compileThoseThatImport(d);
  return nullptr;
}

Json Server::saved(const Json& params) {
  const Document& d = documentOf(params);
  compile(d);
  compileThoseThatImport(d);
  return nullptr;
}

Json Server::closed(const Json& params) {
  const std::string uri = documentOf(params).uri;
  checker_.forget(uri);
  {
    const std::lock_guard lock(mutex_);
    open_.erase(uri);
    found_.erase(uri);
  }
  workspace_.documents().erase(uri);
  writer_.write({{"jsonrpc", "2.0"},
                 {"method", "textDocument/publishDiagnostics"},
                 {"params", {{"uri", uri}, {"diagnostics", Json::array()}}}});
  return nullptr;
}

Json Server::referencesAt(const Json& params) {
  const bool with = params.value("context", Json::object()).value("includeDeclaration", true);
  return references(questionOf(params, true), with);
}

Json Server::renameAt(const Json& params) {
  return rename(questionOf(params, true), params.at("newName").get<std::string>());
}

Json Server::hintsIn(const Json& params) {
  const Question q = questionOf(params, false);
  const Positions& p = q.document.snapshot()->positions();
  const auto begin = static_cast<std::uint32_t>(p.offset(positionOf(params.at("range").at("start"))));
  const auto end = static_cast<std::uint32_t>(p.offset(positionOf(params.at("range").at("end"))));
  return hints(q, begin, end);
}

Json Server::fixesIn(const Json& params) {
  const Question q = questionOf(params, false);
  const Positions& p = q.document.snapshot()->positions();
  const auto begin = static_cast<std::uint32_t>(p.offset(positionOf(params.at("range").at("start"))));
  const auto end = static_cast<std::uint32_t>(p.offset(positionOf(params.at("range").at("end"))));
  return fixes(q, begin, end);
}

/// `lmc.equations URI`: the derived equations as text, for editors without a terminal of their own.
Json Server::execute(const Json& params) {
  const std::string command = params.at("command").get<std::string>();
  if (command != "lmc.equations") throw WrongRequest("there is no command `" + command + "`");
  const Json arguments = params.value("arguments", Json::array());
  if (arguments.empty() || !arguments[0].is_string())
    throw WrongRequest("`" + command + "` takes the address of a text");
  const Document* const d = workspace_.find(arguments[0].get<std::string>());
  if (d == nullptr) throw WrongRequest("`" + arguments[0].get<std::string>() + "` is not open");
  if (!d->facts || d->facts->equations.empty())
    throw Refused("there are no equations: the text has errors, or is being compiled");
  std::string text, section;
  for (const ShownEquation& e : d->facts->equations) {
    if (e.section != section) text += (section.empty() ? "" : "\n") + e.section + "\n";
    section = e.section;
    text += "  " + e.left + " = " + e.right + "\n";
  }
  return text;
}

} // namespace lmc::editor
