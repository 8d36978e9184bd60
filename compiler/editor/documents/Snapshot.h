// One text, read: what can be said of it without evaluating anything.
#pragma once

#include "editor/index/Index.h"
#include "editor/text/Positions.h"
#include "syntax/parser/Tokens.h"

#include <memory>

namespace lmc::editor {

/// Never changes. The file's name, its text, tree, tokens and names; a text with errors has what could be read of it.
class Snapshot {
public:
  /// `before`: of an earlier text of the same file, which spares reading what has not changed; may be null.
  Snapshot(std::string file, std::string text, const Snapshot* before = nullptr);
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

  [[nodiscard]] const std::string& file() const { return sources_[id_].name(); }
  [[nodiscard]] const std::string& text() const { return sources_[id_].text(); }
  [[nodiscard]] std::string_view text(const Range& range) const { return sources_.text(range); }
  [[nodiscard]] std::string_view text(const syntax::Token& t) const {
    return std::string_view(text()).substr(t.begin, t.end - t.begin);
  }
  [[nodiscard]] const Positions& positions() const { return positions_; }
  [[nodiscard]] const syntax::File& tree() const { return tree_; }
  [[nodiscard]] const std::vector<syntax::Token>& tokens() const { return tokens_; }
  [[nodiscard]] const Index& index() const { return index_; }
  [[nodiscard]] bool hasErrors() const { return diagnostics_.hasErrors(); }
  [[nodiscard]] std::size_t errors() const { return diagnostics_.errorCount(); }

private:
  [[nodiscard]] syntax::File read(const Snapshot* before);

  Sources sources_;
  SourceId id_;
  Diagnostics diagnostics_;
  Positions positions_;
  std::vector<syntax::Token> tokens_; // the parser fills them
  syntax::File tree_;
  Index index_;
};

using SnapshotPtr = std::shared_ptr<const Snapshot>;

/// A declared name and the text that declares it.
struct Declared {
  SnapshotPtr snapshot;
  const Symbol* symbol = nullptr;
  bool ofLibrary = false;
  explicit operator bool() const { return symbol != nullptr; }
};

/// The comment lines directly above a place, without their slashes; empty if there are none.
[[nodiscard]] std::string remarkAbove(const Snapshot& snapshot, std::uint32_t begin);

} // namespace lmc::editor
