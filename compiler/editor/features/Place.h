// Where in a text something is being written, read off its tokens: the text there is seldom whole.
#pragma once

#include "editor/documents/Snapshot.h"

#include <string>
#include <vector>

namespace lmc::editor {

/// What stands around a place, and before it in its statement.
struct WritingPlace {
  std::vector<syntax::Token> statement; ///< its tokens before the place, without comments and the word being written
  std::uint32_t wordBegin = 0;          ///< of the word being written; the place itself if there is none
  std::string declaration;              ///< the first word of the declaration around; empty: between declarations
  std::string block;                    ///< `simulate`, `view`, `for`: of a brace within the declaration
  bool inComment = false;               ///< or in a string

  /// The innermost call that is open: the tokens of its name, and how many arguments stand before the place.
  struct Call {
    std::size_t open = 0; ///< the `(` in `statement`
    std::size_t argument = 0;
    bool reduces = false; ///< a sum or product
  };
  [[nodiscard]] const Call* call() const { return calls.empty() ? nullptr : &calls.back(); }
  std::vector<Call> calls; ///< the innermost last; groups in parentheses and brackets are none
};

[[nodiscard]] WritingPlace writingPlace(const Snapshot& snapshot, std::uint32_t offset);

} // namespace lmc::editor
