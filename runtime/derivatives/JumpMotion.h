// Steps of a model whose state jumps, carried out as a run does, with the derivative of each jump.
//
// A step is cut into pieces that end where an event happens or a sampling is due. With z the change of the state and
// tau that of the time at the begin of a piece, Phi the derivative of its step S(y; t, h):
//
//   z0   = Phi z + (S_t - S_h) tau                      its end stays where it is in time
//   tau+ = -(g_y z0 + g_u du + g_p dp)/(g_y S_h + g_t)  of an event g = 0; of a sampling that of its time; else 0
//   z+   = R_y (z0 + S_h tau+) + R_t tau+ + R_u du + R_p dp
//
// which is, for exact steps, the saltation matrix R_y + (f+ - R_y f- - R_t) g_y/(g_y f- + g_t); here it is the exact
// derivative of the steps that are taken. (M. A. Aizerman, F. R. Gantmakher, Quart. J. Mech. Appl. Math. 11 (1958)
// 338-346; P. C. Mueller, Chaos, Solitons and Fractals 5 (1995) 1671-1681.)
#pragma once

#include "runtime/derivatives/ImpactMap.h"
#include "runtime/steps/JumpSteps.h"

#include <optional>
#include <stdexcept>

namespace lmc::runtime {

/// There is no derivative: a sentence without a full stop, and when.
class NoDerivative : public std::runtime_error {
public:
  NoDerivative(double t, const std::string& why) : std::runtime_error(why), time(t) {}
  double time;
};

/// What ends a piece with a jump.
struct JumpLinear {
  double time = 0;
  std::string name;           ///< of the first event, or of the sampling
  std::vector<double> timing; ///< tau+ by the columns of JumpColumns (that of the time is 0) of z0
  std::vector<double> length; ///< S_h, coordinates before the jump; empty where there is no piece
  JumpMatrix map;             ///< R by coordinates before it, inputs, parameters, time
};

/// A piece of a step, or a jump alone, of length 0.
struct Passage {
  double from = 0, length = 0;
  std::vector<double> begin; ///< the state
  std::optional<JumpLinear> jump;
};

/// Steps the state of a workspace. All calls return a tape::Status; a jump without a derivative, and one that cannot be
/// carried out, throw NoDerivative.
class JumpMotion final : private JumpListener, private PieceListener {
public:
  explicit JumpMotion(LinearizedWorkspace& workspace, double t);

  /// The motion begins at the present state. Null: without derivatives.
  [[nodiscard]] std::int32_t begin(double t, JumpSteps::Begin how, std::vector<Passage>* passages);
  /// The step from time origin + k h; its pieces are added.
  [[nodiscard]] std::int32_t step(double origin, double h, std::int64_t k, std::vector<Passage>& passages);

  /// Inputs have changed between two steps, which may cause events. Null: without derivatives.
  [[nodiscard]] std::int32_t changed(double t, std::vector<Passage>* passages);
  /// A step without derivatives.
  [[nodiscard]] std::int32_t step(double origin, double h, std::int64_t k);
  [[nodiscard]] JumpSteps::Memory memory() const { return steps_.memory(); }
  [[nodiscard]] std::int32_t restore(double t, const JumpSteps::Memory& memory);

private:
  [[nodiscard]] std::int32_t beforeReset(int function, int member, double t) override;
  [[nodiscard]] std::int32_t afterReset(double t) override;
  [[nodiscard]] std::int32_t afterContacts(const std::vector<ContactImpact>& impacts, double t) override;
  [[nodiscard]] std::int32_t ended(const StepPiece& piece) override;
  [[nodiscard]] std::int32_t carriedOut(const StepPiece& piece) override;
  void add(const JumpMatrix& map);
  template <class Carry> [[nodiscard]] std::int32_t still(double t, Carry carry);
  [[nodiscard]] std::int32_t timeEvents(const StepPiece& piece);
  [[nodiscard]] std::int32_t timeSamplings(double t);
  [[nodiscard]] static std::int32_t statusOf(const JumpSteps::Outcome& o);

  LinearizedWorkspace& w_;
  const LinearizedProblem& p_;
  JumpColumns columns_;
  JumpSteps steps_;
  ImpactMap impacts_;
  JumpLinear jump_;                          ///< at the end of the present piece
  JumpMatrix total_;                         ///< of the jump so far
  std::vector<std::vector<double>> pending_; ///< changes of the storage by the columns, behind a reset
  std::vector<Passage>* passages_ = nullptr; ///< null: no derivatives are wanted
};

} // namespace lmc::runtime
