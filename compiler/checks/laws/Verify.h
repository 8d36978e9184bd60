// The laws of the groups and manifolds that a file declares, tested.
#pragma once

#include "checks/laws/elements/Law.h"
#include "sema/Compilation.h"
#include "sema/manifolds/Manifolds.h"

#include <map>
#include <memory>
#include <set>

namespace lmc::laws {

enum class Outcome : std::uint8_t { Holds, Fails, NotTested };

struct LawResult {
  Law law; ///< without its test
  Outcome outcome = Outcome::NotTested;
  Tests tests;
  std::string because; ///< NotTested: the name of the law that fails
};

/// Tests laws in their order. A law that needs one that fails is not tested, and neither is a second law of a clause
/// that is to blame already: what follows from a mistake tells nothing new.
[[nodiscard]] std::vector<LawResult> testAll(const std::vector<Law>& laws);

/// One group or manifold: a declaration with its sizes filled in.
struct Member {
  const sema::DeclaredManifold* manifold = nullptr;
  std::vector<LawResult> laws;
  std::string obstacle; ///< why nothing was tested; empty if it was
  /// True unless a law fails that is no advice.
  [[nodiscard]] bool holds() const;
};

/// A declaration with the members that were tested: one, or those of the first sizes of a family.
struct Verification {
  sema::Found declaration;
  std::vector<Member> members;
  [[nodiscard]] bool holds() const;
};

class Verifier {
public:
  /// Of a compilation whose files are loaded.
  explicit Verifier(sema::Compilation& compilation);
  ~Verifier();

  /// The groups and manifolds of the main file, in its order. Families are tested for all sizes from 1 to 4 that fit
  /// their declaration, with two sizes for all pairs, and families of groups with the four smallest groups of the
  /// library. The group that acts on a manifold is tested first if it is not of the library: where it fails, the
  /// manifold is not tested. Clauses with errors are reported, failing laws are not.
  [[nodiscard]] std::vector<Verification> run();

  /// Those of the library among the given manifolds, with the groups that act on them; each once. Those whose algebra
  /// has more numbers than `largest` are left out.
  [[nodiscard]] std::vector<Verification> ofLibrary(const std::vector<const sema::Manifold*>& used, int largest);

private:
  struct Trial;
  [[nodiscard]] std::vector<std::vector<int>> sizesOf(const sema::Found& found);
  [[nodiscard]] bool fits(const sema::Found& found, const std::vector<int>& sizes);
  [[nodiscard]] bool isOfUser(const sema::DeclaredManifold& m) const;
  const Member& member(const sema::DeclaredManifold& m);
  Member tested(const sema::DeclaredManifold& m);

  sema::Compilation& compilation_;
  sym::GraphLayer layer_; ///< of what is made for tests; it ends with them
  sym::Graph::Work work_;
  std::unique_ptr<Trial> trial_;
  std::map<const sema::DeclaredManifold*, Member> members_;
};

/// Reports the laws that fail at the clauses that are to blame.
void report(const std::vector<Verification>& verifications, Diagnostics& diagnostics);

} // namespace lmc::laws
