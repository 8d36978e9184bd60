#include "sema/session/FoundManifold.h"

#include <algorithm>

namespace lmc::sema {

const std::vector<ClauseSignature>& clauseSignatures(bool group) {
  using enum ClauseKind;
  static const std::vector<ClauseSignature> ofGroups = {
      {"identity", {}, Point, false},
      {"product", {Point, Point}, Point, true},
      {"inverse", {Point}, Point, false},
      {"bracket", {Algebra, Algebra}, Algebra, false},
      {"exp", {Algebra}, Point, true},
      {"log", {Point}, Algebra, false},
      {"Ad", {Point, Algebra}, Algebra, false},
      {"dexp", {Algebra, Algebra}, Algebra, false},
      {"dexpinv", {Algebra, Algebra}, Algebra, false},
      {"cay", {Algebra}, Point, false},
      {"dcay", {Algebra, Algebra}, Algebra, false},
      {"dcayinv", {Algebra, Algebra}, Algebra, false},
      {"action", {Point, Vector}, Vector, false},
      {"random", {}, Point, false},
  };
  static const std::vector<ClauseSignature> ofManifolds = {
      {"action", {Point, Point}, Point, true},
      {"horizontal", {Point, Algebra}, Scalars, false},
      {"project", {Point, Algebra}, Algebra, false},
      {"base", {}, Point, false},
      {"random", {}, Point, false},
  };
  return group ? ofGroups : ofManifolds;
}

const std::vector<ClauseSignature>& operationSignatures(bool group) {
  using enum ClauseKind;
  static const std::vector<ClauseSignature> ofGroups = [] {
    std::vector<ClauseSignature> all = clauseSignatures(true);
    all.push_back({"hat", {Algebra}, Change, false});
    all.push_back({"vee", {Change}, Algebra, false});
    all.push_back({"ad", {Algebra, Algebra}, Algebra, false});
    all.push_back({"adstar", {Algebra, Dual}, Dual, false});
    all.push_back({"Adstar", {Point, Dual}, Dual, false});
    return all;
  }();
  return group ? ofGroups : clauseSignatures(false);
}

const ClauseSignature* signatureOf(bool group, std::string_view name) {
  const auto& all = clauseSignatures(group);
  const auto it = std::find_if(all.begin(), all.end(), [&](const ClauseSignature& s) { return s.name == name; });
  return it == all.end() ? nullptr : &*it;
}

} // namespace lmc::sema
