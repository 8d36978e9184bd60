// An ensemble whose blocks are made by many ranks.
//
// Rank 0 hands out the numbers of blocks as they are asked for, makes blocks itself, takes all blocks and passes them
// on in their order: what it writes is what one process would write, to the bit. A rank has more blocks
// than threads, so that none waits for an answer, until few are left; then one a thread, so that all end together. A
// rank that dies ends all (the standard of MPI wants it); finished blocks are kept by a checkpoint.
#pragma once

#include "runtime/ensemble/Ensemble.h"
#include "runtime/ranks/Ranks.h"

#include <string>

namespace lmc::runtime {

/// Ranks that do not belong together, or one that failed; `what()` names it.
class RankFailure : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Of rank 0: makes the ensemble with all ranks. `identity`: of the study, as ensembleIdentity gives it; all must have
/// the same. Throws RankFailure, and what the listeners throw; the others have ended their work then.
[[nodiscard]] EnsembleResult leadRanks(Ranks& ranks, const EnsembleProblem& problem, const EnsemblePlan& plan,
                                       int threads, const std::string& identity, const EnsembleListeners& listeners);

/// Of all other ranks: makes what rank 0 hands out, until it says that this is all. `goOn`: false when this process was
/// asked to stop, which then ends all.
void followRanks(Ranks& ranks, const EnsembleProblem& problem, const EnsemblePlan& plan, int threads,
                 const std::string& identity, const std::function<bool()>& goOn);

/// In place of these where a rank cannot begin. Of rank 0: lets the others go. Of others: says why, and waits for that.
void dismissRanks(Ranks& ranks);
void failRank(Ranks& ranks, const std::string& why);

} // namespace lmc::runtime
