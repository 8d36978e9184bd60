// Initial data: parameters in order, settings, the initial state, and its place on the manifold. For one run, or for
// many samples that differ in some of their numbers.
#pragma once

#include "lower/Calculator.h"
#include "products/stages/Stages.h"
#include "sema/manifolds/Manifolds.h"

namespace lmc::products {

/// An initial value that differs between samples.
///
/// Flat: of every entry of an array `keep` times the value that the model gives, plus `delta`. Moved: a point p becomes
/// exp(delta)*p, of a group with its velocity in body p*exp(delta). Carried: the velocity (momentum) of a point that is
/// moved on a homogeneous manifold, Ad (coadjoint) of exp(delta) of the point.
struct VariedInitial {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  sema::ArrayTuple state;                   ///< the parts of the point; flat: one array
  const sema::Manifold* manifold = nullptr; ///< of a moved point; null: flat
  sema::Frame frame = sema::Frame::Space;
  std::int64_t extent = 0;
  sema::ArrayTuple keep,
      delta;               ///< inputs; made by InitialProgram. Of a moved point `delta` has the parts of the algebra
  std::size_t with = none; ///< carried: the moved point, in the same list. Added by InitialProgram
  bool momentum = false;   ///< carried
};

/// c(x) = 0 for one variable, with its Jacobian: `holds` on the point; on the velocity (momentum) the horizontal
/// condition or, where the isotropy is not normal to it, x - P x with a projection along (across) the isotropy and the
/// unit matrix.
struct InitialCondition {
  std::string name;
  Range range;
  std::string kind; ///< "velocity" or "momentum"; empty for a point
  bool project =
      false; ///< a velocity or momentum whose numbers differ between samples: whatever is off is projected away
  std::int64_t members = 1;
  std::int64_t rows = 0, columns = 0; ///< per member
  std::vector<int> equations;         ///< of each row, the number of the equation that it is an entry of
  const sema::ArrayTuple* arrays = nullptr;
  std::vector<std::string> parts;            ///< names of these arrays
  const sema::ArrayTuple* at = nullptr;      ///< of a velocity or momentum: its point
  std::vector<lower::OutputBinding> outputs; ///< residuals, then Jacobian
  std::int64_t offset = 0;                   ///< of the residuals in Output
  int function = -1;
};

/// Matrices that have to be elements of a group that is given by a basis.
struct InitialMembership {
  std::string name;
  Range range;
  std::int64_t members = 1;
  const sym::Array* array = nullptr;
  const sema::DeclaredManifold* group = nullptr;
};

/// The functions that initial data are evaluated by, on the interpreter.
class InitialProgram {
public:
  /// The conditions are added to the layer. The model must outlive the program, and where there are varied values the
  /// layer, too.
  InitialProgram(mechanics::Layer& layer, const Layout& layout, std::vector<VariedInitial> varied = {});

  const sema::Model& model;
  Layout layout;
  std::vector<VariedInitial> varied;
  std::vector<int> parameters; ///< functions in the order of the model's parameters; each reads those before
  int settings = -1;
  std::vector<std::string> settingNames;
  std::int64_t firstSetting = 0; ///< offset in Output of their values
  int initial = -1;
  std::vector<InitialCondition> conditions;
  std::vector<InitialMembership> memberships;
  std::map<std::uint32_t, std::int64_t> inputs; ///< offsets in Constants of `keep` and `delta`, by array id
  tape::Module module;

private:
  void defineConditions(sym::Program& p);
  void define(sym::Program& p, const std::string& name, Range range, const sema::Manifold& manifold,
              const sema::ArrayTuple& point, const sema::Factor* factor);
  void defineMembership(const std::string& name, Range range, const sema::Manifold& manifold,
                        const sema::ArrayTuple& point);
  void lower(const sym::Program& program, const std::map<const sym::Array*, const sym::Array*>& instead);
  void makeInputs(sym::Graph& g);
  void addCarried(const sym::Program& p);
  void chooseProjections();
  std::map<const sym::Array*, const sym::Array*> vary(sym::Program& to, const sym::Program& from,
                                                      const std::vector<const sym::Array*>& roots);
  [[nodiscard]] bool ready(std::size_t n, const std::vector<bool>& placed) const;
  sema::Tuple variedValue(const VariedInitial& v, const sema::Tuple& value, const std::vector<sym::Expr>& index);
};

/// That of a system alone, without varied values.
[[nodiscard]] InitialProgram initialProgram(const mechanics::System& system, const Layout& layout);

/// Evaluates a program; one thread at a time.
class InitialEvaluator {
public:
  explicit InitialEvaluator(const InitialProgram& program)
      : program_(program), layout_(program.layout), calculator_(program.module) {}

  /// A condition that a member violates by more than can be projected away.
  struct Off {
    const InitialCondition* condition = nullptr; ///< null: an element that is on no group
    std::int64_t member = 0;
    double defect = 0;
    double left = 0;  ///< what is left of the defect where no small change takes it away; else 0
    double moved = 0; ///< how far the values were moved, in units of their size
    const InitialMembership* membership = nullptr;
    std::vector<double> cure{}; ///< of a velocity or momentum: what is left of it when it is projected
    /// "R", "R[2]"
    [[nodiscard]] std::string name() const;
    [[nodiscard]] Range range() const { return condition != nullptr ? condition->range : membership->range; }
  };

  /// Numbers of a sample: `value` to add to `keep` times what stands at an offset of the parameters.
  struct Change {
    std::int64_t offset = 0;
    double keep = 1, value = 0;
  };

  std::map<std::string, double> settings();
  /// Draws the model's own random numbers.
  void draw(std::uint64_t seed);
  /// NaN instead of them.
  void drawNothing();
  /// Sets a number of `keep` or `delta`.
  void setInput(const sym::Array* array, std::int64_t number, double value);
  /// The parameters in order, each changed before the next one reads it. Returns the first that cannot be computed, or
  /// null.
  const sema::Parameter* evaluateParameters(const std::vector<Change>& changes = {});
  /// Parameters from outside, instead of `evaluateParameters`.
  void setParameters(const std::vector<double>& params);
  /// The initial state at a time, moved onto its manifolds. False when a matrix in it is singular.
  bool evaluateState(double start);
  /// A given state instead, moved onto its manifolds where it is off by round-off only.
  void settleState(std::span<const double> state);
  [[nodiscard]] const std::vector<Off>& off() const { return off_; }
  /// Small defects that stay, because moving the point does not take them away.
  [[nodiscard]] const std::vector<Off>& stuck() const { return stuck_; }

  [[nodiscard]] std::span<const double> params() {
    return std::span(calculator_.at(runtime::Role::Params)).first(static_cast<std::size_t>(layout_.paramSize));
  }
  [[nodiscard]] std::span<const double> state() {
    return std::span(calculator_.at(runtime::Role::State)).first(static_cast<std::size_t>(layout_.stateSize));
  }

private:
  /// How far one member of a condition has come.
  struct Progress {
    bool done = false;
    int level = 0;               ///< of the thresholds for dependent equations
    double start = 0, worst = 0; ///< largest defect: as given, at the best values
    double scaled = 0;           ///< at the best values, in units of the equations
    double moved = 0;            ///< up to the best values, in units of their size
    double pending = 0;          ///< of a change that is to be judged
    std::vector<double> best;
  };
  void settle();
  void settle(const InitialCondition& c);
  void settle(const InitialMembership& m);
  struct Local; ///< a condition at the present values of a member
  bool improve(const InitialCondition& c, std::int64_t member, Progress& p);
  bool change(const InitialCondition& c, std::int64_t member, Progress& p, const Local& l, bool first);
  void giveUp(const InitialCondition& c, std::int64_t member, Progress& p, const Local& l);
  [[nodiscard]] double allowed(const InitialCondition& c, std::int64_t member) const;
  [[nodiscard]] std::vector<double> values(const InitialCondition& c, std::int64_t member);
  void assign(const InitialCondition& c, std::int64_t member, const std::vector<double>& values);

  const InitialProgram& program_;
  const Layout& layout_;
  lower::Calculator calculator_;
  std::vector<Off> off_, stuck_;
  std::map<const sema::ArrayTuple*, std::vector<double>> moved_; ///< points that were moved, by members
};

} // namespace lmc::products
