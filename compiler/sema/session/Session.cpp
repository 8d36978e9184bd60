#include "sema/session/Session.h"

namespace lmc::sema {

std::optional<FunctionRef> FileEnvironment::function(const std::string& name) {
  const auto found = session_.library.find({syntax::DeclKind::Function}, name, source_);
  // The library does not change the meaning of a built-in name.
  if (!found.empty() && session_.library.isLibrary(found.front().source) && session_.isBuiltin(name))
    return std::nullopt;
  if (found.empty() || found.front().declaration->body.empty()) return std::nullopt;
  // The names of its body are those of its own file.
  return FunctionRef{found.front().declaration->body.front().get(), &session_.file(found.front().source)};
}

void FileEnvironment::addFunctions(std::vector<std::string>& names) const {
  for (std::string& name : session_.library.names({syntax::DeclKind::Function})) names.push_back(std::move(name));
}

Session::Session(const CompilationOptions& o, Sources& s, Diagnostics& d, sym::Graph& g, Library& l,
                 bool (*builtin)(std::string_view name))
    : options(o), sources(s), diagnostics(d), graph(g), library(l), isBuiltin(builtin) {}

FileEnvironment& Session::file(SourceId source) {
  auto& slot = files_[source];
  if (!slot) slot = std::make_unique<FileEnvironment>(*this, source);
  return *slot;
}

std::optional<Value> Host::predefined(const std::string&, Range) {
  return std::nullopt;
}
std::optional<Value> Host::prime(const Value&, const syntax::Expr&) {
  return std::nullopt;
}
sym::Expr Host::draw(bool, const sym::Shape&, const LoopContext&) {
  return {};
}
std::optional<Value> Host::read(const std::string&, Range) {
  return std::nullopt;
}
void Host::lookUp(const std::string&, const LoopContext&, sym::Expr, sym::Expr, sym::Expr, sym::Expr) {}

std::optional<Value> Host::velocity(const std::string&, Range) {
  return std::nullopt;
}

std::optional<Value> Host::multiplier(const std::string&, Range) {
  return std::nullopt;
}

std::optional<Value> Host::reaction(const std::string&, const std::string&, Range) {
  return std::nullopt;
}

void Host::addConstraints(std::vector<std::string>&) const {}

std::optional<std::vector<std::string>> Host::jointConstraints(const std::string&) const {
  return std::nullopt;
}

std::optional<Value> Host::momentum(const std::string&, Range) {
  return std::nullopt;
}

} // namespace lmc::sema
