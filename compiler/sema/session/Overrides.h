// `--set NAME=EXPR`: values of parameters, inputs and initial points from the command line.
#pragma once

#include "sema/session/Session.h"

namespace lmc::sema {

struct ParsedOverride {
  std::string name;
  std::vector<std::int64_t> index; ///< of a member; empty: the whole
  std::string part;                ///< of an element; may be empty
  syntax::ExprPtr value;
  Range range;     ///< of the expression
  Range nameRange; ///< of the name, for what is wrong with that
  bool used = false;
};

/// All overrides of a compilation; what cannot be read is reported.
class Overrides {
public:
  explicit Overrides(Session& session);
  /// Those of one name, in order; marks them as used.
  [[nodiscard]] std::vector<const ParsedOverride*> of(const std::string& name);
  [[nodiscard]] const std::vector<ParsedOverride>& all() const { return list_; }

private:
  std::vector<ParsedOverride> list_;
};

} // namespace lmc::sema
