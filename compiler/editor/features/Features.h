// What an editor asks about a text, answered as the Language Server Protocol 3.17 says (JSON). Each answer reads the
// text as it is now, with errors or not, and what the latest compilation has found.
#pragma once

#include "editor/documents/Workspace.h"

#include <nlohmann/json_fwd.hpp>

namespace lmc::editor {

using Json = nlohmann::json;

struct Question {
  Workspace& workspace;
  Document& document;
  std::uint32_t offset = 0; ///< of the place that is asked about, where there is one
};

/// A request that cannot be served; `what()` is a sentence for the user.
class Refused : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

// --- shared ---------------------------------------------------------------------------------------------------------

[[nodiscard]] Json rangeOf(const Snapshot& snapshot, std::uint32_t begin, std::uint32_t end);
[[nodiscard]] Json rangeOf(const Snapshot& snapshot, const Range& range);
[[nodiscard]] Json locationOf(const Snapshot& snapshot, const Range& range);
/// What a name means: a symbol of the text, of an import or of the library; nothing for built-in and unknown names.
[[nodiscard]] Declared meaning(const Question& question, const Occurrence& occurrence);
/// The head of a declaration as it is called: "fn f(x, y)", "joint hinge(A : SE(3), …)", "method RKMK4 order 4".
[[nodiscard]] std::string headOf(const Snapshot& snapshot, const Symbol& symbol);
/// The words `name(a, b)` that a method on a kind may say, by the kind's name.
struct KindWord {
  std::string name, call, means;
};
[[nodiscard]] std::vector<KindWord> kindWords(const syntax::Declaration& method);
/// The clauses of groups or manifolds as they are called: "exp(algebra)", with what they give.
[[nodiscard]] std::vector<KindWord> manifoldWords(bool group);
/// "dot(a, b)", "norm(a, b?)": a function or name of the language; empty if there is none.
[[nodiscard]] std::string builtinHead(const std::string& name);

// --- requests -------------------------------------------------------------------------------------------------------

[[nodiscard]] Json hover(const Question& question);
[[nodiscard]] Json definition(const Question& question);
[[nodiscard]] Json references(const Question& question, bool withDeclaration);
[[nodiscard]] Json highlights(const Question& question);
/// The name that would be renamed; null where there is none.
[[nodiscard]] Json renamed(const Question& question);
/// Throws Refused where the new name is none, or other names would change their meaning.
[[nodiscard]] Json rename(const Question& question, const std::string& name);
[[nodiscard]] Json completion(const Question& question);
[[nodiscard]] Json signatures(const Question& question);
[[nodiscard]] Json outline(const Question& question);
[[nodiscard]] Json folds(const Question& question);
[[nodiscard]] Json semanticTokens(const Question& question);
/// The names of its kinds and modifiers, in order.
[[nodiscard]] Json semanticLegend();
[[nodiscard]] Json hints(const Question& question, std::uint32_t begin, std::uint32_t end);
[[nodiscard]] Json lenses(const Question& question);
[[nodiscard]] Json fixes(const Question& question, std::uint32_t begin, std::uint32_t end);
[[nodiscard]] Json formatting(const Question& question);
/// The findings of a compilation, for `textDocument/publishDiagnostics`.
[[nodiscard]] Json diagnosticsOf(const Facts& facts, const std::string& file);

} // namespace lmc::editor
