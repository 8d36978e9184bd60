// Joints in printed equations: each once, with its bodies and points by the names of its parameters, how its instances
// are called, and what they do to the bodies of the model.
#pragma once

#include "present/Engine.h"

#include <set>
#include <tuple>

namespace lmc::present {

/// A configuration that an argument of a joint is: one of the model's factors, or a member of a family.
struct JointBody {
  std::size_t factor = 0;
  sym::Expr member; ///< empty: a single factor
};

/// Nothing where the argument is no element, rests, or is made of several configurations.
[[nodiscard]] std::optional<JointBody> bodyOf(const sema::Model& model, const sema::JointInstance::Argument& argument);

/// Whether an instance can be said by its arguments: its bodies are configurations whose velocities are in the frame of
/// the body, or rest, and all else is data and time.
[[nodiscard]] bool isSaidByArguments(const sema::Model& model, const sema::JointInstance& instance);

class JointLines {
public:
  JointLines(mechanics::Layer& layer, Shower& show, const Presentation& how);
  /// Constraints that shared joints have, into Model::constraints.
  [[nodiscard]] std::set<std::size_t> covered() const;
  /// "hinge[i] = revolute(X[i-1], …)" of all instances.
  [[nodiscard]] std::vector<Line> calls();

  /// What acts on some members of a factor: sums of reaction_of(instance, body).
  struct Share {
    std::int64_t from = 0, to = 0;                                                      ///< 0: a single factor
    std::vector<std::function<TreePtr(const TreePtr& member, std::size_t part)>> terms; ///< null: nothing on that part
  };
  /// All that joints do to a factor, for disjoint ranges of its members in order; empty where they do nothing; nothing
  /// where it is not seen which instances hold which member.
  [[nodiscard]] std::optional<std::vector<Share>> shares(std::size_t factor) const;

private:
  /// constant + member*i + sum of loops[k]*j_k
  struct Affine {
    std::int64_t constant = 0, member = 0;
    std::vector<std::int64_t> loops;
  };
  /// An instance, as it acts on the members from…to, with sums over what is left of its loops.
  struct Term {
    const sema::JointInstance* instance = nullptr;
    std::vector<std::size_t> bodies; ///< for which of its parameters the factor stands, into SharedJoint::places
    std::int64_t from = 0, to = 0;
    std::vector<Affine> at;
    std::vector<std::pair<std::int64_t, std::int64_t>> sums;
  };
  void addCall(std::vector<Line>& lines, const SharedJoint& joint, const sema::JointInstance& instance,
               const sema::JointInstance::Clause& clause, std::int64_t last);
  TreePtr argument(const sema::JointInstance::Argument& a, const std::vector<sym::Expr>& index, std::int64_t last);
  bool addRuns(std::vector<Term>& terms, const sema::JointInstance& instance, const sema::JointInstance::Clause& clause,
               const sym::Expr& member) const;
  bool addProduct(std::vector<Term>& terms, const sema::JointInstance& instance,
                  const sema::JointInstance::Clause& clause, const sym::Expr& member) const;
  [[nodiscard]] static bool alike(const Term& a, const Term& b, std::int64_t member);
  TreePtr affine(const Affine& a, const TreePtr& member) const;
  TreePtr term(const Term& t, std::size_t factor, const TreePtr& member, std::size_t part) const;
  [[nodiscard]] TreePtr whole(const sym::Expr& e, const std::vector<sym::Expr>& index, std::int64_t last);

  mechanics::Layer& layer_;
  const sema::Model& m_;
  Shower& show_;
  const Presentation& how_;
  /// What joints do to their bodies: names of joints and of parameters, parts of the velocities.
  std::set<std::tuple<std::string, std::string, std::size_t>> acts_;
};

/// The equations of a joint with its parameters: constraints, rates, what it does to its bodies, and what these name.
[[nodiscard]] std::vector<Line> sharedEquations(const SharedJoint& joint);

} // namespace lmc::present
