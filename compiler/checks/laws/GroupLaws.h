// The laws of groups, in the order in which they are tested: the most basic first.
#pragma once

#include "checks/laws/elements/Group.h"

namespace lmc::laws {

/// Operations are numbers, and differentiable at 0 and at the identity: all that are declared.
[[nodiscard]] std::vector<Law> smoothness(Group& g);
/// Closed forms that are given beside a basis or factors: they are what follows from these.
[[nodiscard]] std::vector<Law> closedForms(Group& g);
/// Associativity, identity, inverse; what `holds` says of all elements; exp is a one-parameter group.
[[nodiscard]] std::vector<Law> axioms(Group& g);
/// The bracket is that of a Lie algebra, and of this group.
[[nodiscard]] std::vector<Law> bracketLaws(Group& g);
/// Ad, dexp, dexpinv and log, where they are given.
[[nodiscard]] std::vector<Law> calculusLaws(Group& g);
/// Cayley's map and other retractions, with their derivatives.
[[nodiscard]] std::vector<Law> retractionLaws(Group& g);

/// All of them.
[[nodiscard]] std::vector<Law> groupLaws(Group& g);

/// Retractions other than exp: the clause `cay`, and functions F(w) whose derivative dF(u, v) or dFinv(u, v) is
/// declared.
[[nodiscard]] std::vector<std::string> retractions(const Group& g);
/// The laws of a declared derivative dF(u, v) of a map F and of its inverse dFinv(u, v), right trivialized; they need
/// the laws of F itself.
void addDerivativeLaws(Group& g, const std::string& map, const std::vector<std::string>& mapLaws,
                       std::vector<Law>& laws);

/// The name of the law that an operation is smooth, which laws of that operation need.
[[nodiscard]] inline std::string smooth(const std::string& operation) {
  return "smooth " + operation;
}

} // namespace lmc::laws
