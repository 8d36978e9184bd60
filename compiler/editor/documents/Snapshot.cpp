#include "editor/documents/Snapshot.h"

#include "editor/documents/Splice.h"
#include "syntax/parser/Parser.h"

#include <algorithm>

namespace lmc::editor {

namespace {

/// Editors ask again with every key: what is larger is not looked into.
constexpr syntax::ParseLimits editorLimits = {1U << 20U, 200'000, 256};

} // namespace

Snapshot::Snapshot(std::string file, std::string text, const Snapshot* before)
    : id_(sources_.add(std::move(file), std::move(text))), positions_(sources_[id_].text()), tree_(read(before)),
      index_(indexOf(tree_)) {}

syntax::File Snapshot::read(const Snapshot* before) {
  if (before != nullptr && before->diagnostics_.errorCount() + before->diagnostics_.warningCount() == 0)
    if (auto tree = spliced(before->tree_, before->text(), text(), editorLimits)) {
      Diagnostics none; // as the statement that was read had none
      tokens_ = syntax::tokensOf(sources_, id_, none, editorLimits);
      return std::move(*tree);
    }
  return syntax::parse(sources_, id_, diagnostics_, tokens_, editorLimits);
}

std::string remarkAbove(const Snapshot& snapshot, std::uint32_t begin) {
  const std::vector<syntax::Token>& tokens = snapshot.tokens();
  auto at = std::lower_bound(tokens.begin(), tokens.end(), begin,
                             [](const syntax::Token& t, std::uint32_t o) { return t.begin < o; });
  std::vector<std::string_view> lines;
  std::size_t line = snapshot.positions().position(begin).line;
  while (at != tokens.begin()) {
    --at;
    std::string_view text = snapshot.text(*at);
    if (at->kind != syntax::TokenKind::Comment || !text.starts_with("//")) break;
    const std::size_t own = snapshot.positions().position(at->begin).line;
    const bool first = at == tokens.begin() || snapshot.positions().position((at - 1)->end).line != own;
    if (own + 1 != line || !first) break;
    line = own;
    text.remove_prefix(std::min(text.find_first_not_of('/'), text.size()));
    if (text.starts_with(' ')) text.remove_prefix(1);
    lines.push_back(text);
  }
  std::string remark;
  for (auto l = lines.rbegin(); l != lines.rend(); ++l) {
    remark += *l;
    remark += '\n';
  }
  return remark;
}

} // namespace lmc::editor
