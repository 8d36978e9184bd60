// One step of many contacts by impulses: which members act, and what their impulses do to the velocities of the step.
#pragma once

#include "runtime/contacts/ConeSweeps.h"
#include "runtime/contacts/ContactReport.h"
#include "runtime/contacts/ContactSteps.h"
#include "runtime/contract/Problem.h"

#include <functional>
#include <string>
#include <vector>

namespace lmc::runtime {

/// Moreau and Jean's time stepping (M. Jean, Computer Methods in Applied Mechanics and Engineering 177 (1999) 235-257;
/// V. Acary, B. Brogliato, Numerical Methods for Nonsmooth Dynamical Systems, Springer 2008, chapter 10). A member acts
/// in a step if its gap would be closed in the middle of it at the present rate, or if it touches and the step without
/// impulses would end behind it. Then, with the rows of the begin of the step,
///
///     M (v - v_free) = H^T P,   v_N + e v_N(begin) >= 0, P_N >= 0, one of both equal,   |P_T| <= mu P_N against v_T.
///
/// The compiled step makes the rest: v_free, and the positions. Impulses are kept from step to step, by contact and
/// indices: sweeps begin with them.
class ContactStepper {
public:
  /// `bases`: of the memory that the functions work on; both must outlive it.
  ContactStepper(const Problem& problem, double* const* bases);

  /// Steps that follow begin without the impulses of earlier ones.
  void forget() { known_.clear(); }
  /// Looks whether all members hold at the begin: ContactOverlap if not.
  [[nodiscard]] std::int32_t begin(double t);
  /// Finds the impulses of a step of length h from the present state at time t, and puts what they change into memory.
  /// `counts`: the step is one of the run, not a part of it that is only looked at; its impulses are kept.
  [[nodiscard]] std::int32_t prepare(double t, double h, bool counts);

  /// What a status other than Ok means, a sentence without a full stop; empty: nothing more than the status.
  [[nodiscard]] const std::string& cause() const { return cause_; }
  [[nodiscard]] ContactReport report() const;
  /// What the next step depends on beside the state, and the report, as numbers.
  [[nodiscard]] std::vector<double> memory() const;
  void restore(const std::vector<double>& memory);

private:
  struct Key {
    std::int64_t family = 0, first = 0, second = 0;
    auto operator<=>(const Key&) const = default; // NOLINT(modernize-use-nullptr): no pointer
  };
  struct Known {
    Key key;
    ConeSweeps::Rows impulse{};
  };
  using Visit = std::function<bool(const SteppedFamily&, const Key&)>;

  [[nodiscard]] std::int32_t call(int function, double t, double first, double second) const;
  [[nodiscard]] const double* numbers(const Field& f) const;
  [[nodiscard]] std::int32_t invertMasses(double t);
  /// All members that may act in a step of length h, in their order.
  [[nodiscard]] std::int32_t members(double t, double h, const Visit& visit);
  [[nodiscard]] double reach(const SteppedFamily& f, double h) const;
  [[nodiscard]] std::int32_t lawsOf(const SteppedFamily& f, const Key& key);
  [[nodiscard]] ConeSweeps::Contact contactOf(const SteppedFamily& f) const;
  [[nodiscard]] ConeSweeps::Rows impulseOf(const Key& key) const;
  [[nodiscard]] std::string nameOf(const SteppedFamily& f, const Key& key) const;
  void numberBlocks();
  void note(const std::vector<ConeSweeps::Contact>& contacts, const std::vector<double>& change,
            const ConeSweeps::Result& result, double tolerance);

  const Problem& problem_;
  const ContactSteps& steps_;
  double* const* bases_;
  /// Velocities whose masses are coupled; they stand together in the numbering of the sweeps.
  struct MassBlock {
    std::size_t begin = 0, size = 0;
    std::vector<double> inverse; ///< by rows
  };
  std::vector<MassBlock> blocks_;
  std::vector<std::size_t> blockOf_;  ///< of each column of velocities
  std::vector<std::size_t> position_; ///< of each column in the numbering of the sweeps
  std::vector<Known> known_;
  ContactReport report_; ///< without names
  Key deepest_;          ///< the member of ContactReport::deepest
  std::string cause_;
};

} // namespace lmc::runtime
