#include "sema/LibraryManifolds.h"

#include <algorithm>
#include <sstream>

namespace lmc::sema {

namespace {

bool closed(const syntax::ExprPtr& e) {
  if (!e) return true;
  if (e->kind == syntax::ExprKind::Name) return false;
  return std::all_of(e->args.begin(), e->args.end(), closed);
}

/// The types of the statements of one kind, with a sign between them: "mat(3,3) + vec(3)".
std::string storage(Compilation& compilation, const syntax::Declaration& declaration, syntax::StatementKind kind) {
  std::string out;
  for (const syntax::StatementPtr& s : declaration.body)
    if (s && s->kind == kind && s->type)
      out += (out.empty() ? "" : " + ") + onOneLine(compilation.sources().text(s->type->range));
  return out.empty() ? "-" : out;
}

std::optional<int> dimensionOf(Compilation& compilation, const syntax::Declaration& declaration) {
  if (!declaration.head || namesFamily(*declaration.head)) return std::nullopt;
  const Manifold* manifold = compilation.manifold(*declaration.head);
  return manifold == nullptr ? std::nullopt : manifold->dimension();
}

} // namespace

std::string onOneLine(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!blank)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  return out;
}

std::string firstLine(const std::string& comment) {
  std::istringstream in(comment);
  std::string line;
  std::getline(in, line);
  return line.erase(0, std::min(line.find_first_not_of(" /"), line.size()));
}

bool namesFamily(const syntax::Type& head) {
  return !closed(head.exponent) || !std::all_of(head.args.begin(), head.args.end(), closed);
}

ManifoldSummary summaryOf(Compilation& compilation, const Found& found) {
  const syntax::Declaration& manifold = *found.declaration;
  const bool group = manifold.kind == syntax::DeclKind::Group;
  const syntax::StatementKind part = group ? syntax::StatementKind::Element : syntax::StatementKind::Point;
  return {.name = manifold.head ? onOneLine(compilation.sources().text(manifold.head->range)) : manifold.name,
          .isGroup = group,
          .dimension = dimensionOf(compilation, manifold),
          .storage = storage(compilation, manifold, part),
          .description = firstLine(manifold.doc)};
}

std::vector<ManifoldSummary> libraryManifolds(Compilation& compilation) {
  std::vector<ManifoldSummary> all;
  for (const syntax::DeclKind kind : {syntax::DeclKind::Group, syntax::DeclKind::Manifold})
    for (const Found& found : compilation.libraryDeclarations(kind)) all.push_back(summaryOf(compilation, found));
  return all;
}

} // namespace lmc::sema
