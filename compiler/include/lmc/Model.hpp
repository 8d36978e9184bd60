/// @file
/// A compiled model and what is known about it.
#pragma once

#include "lmc/Base.hpp"
#include "lmc/Error.hpp"

#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace lmc {
LMC_INLINE namespace v1 {

  class Workspace;

  /// Shape and place of numbers: of all members of a family, one after the other, matrices by rows.
  struct Storage {
    std::string name;                  ///< of the part: "w", "R"; of what has one part, its own name
    std::int64_t offset = 0;           ///< of the first number, in doubles, in the array that it belongs to
    std::vector<std::int64_t> extents; ///< of a family: number of members per index; empty: no family
    std::vector<std::int64_t> first;   ///< of a family: the number of its first member, per index; empty: 1
    int rank = 0;                      ///< 0: scalars, 1: vectors, 2: matrices
    int rows = 1;                      ///< length of a vector, rows of a matrix
    int columns = 1;                   ///< of a matrix

    /// Number of members; 1 for what is no family.
    [[nodiscard]] std::int64_t members() const noexcept {
      std::int64_t n = 1;
      for (const std::int64_t e : extents) n *= e;
      return n;
    }
    /// Numbers of all members.
    [[nodiscard]] std::int64_t size() const noexcept { return members() * rows * columns; }
  };

  /// Where a velocity or momentum is measured.
  enum class Frame : std::int32_t {
    Body = 0,  ///< left trivialized: q' = q xi
    Space = 1, ///< right trivialized: q' = xi q; of a homogeneous manifold the generator of its group's action
  };

  /// What a variable of the phase manifold is.
  enum class VariableKind : std::int32_t {
    Velocity = 0, ///< `config q : M velocity w`: a configuration and its velocity
    Momentum = 1, ///< `config q : M momentum p`: a configuration and its momentum
    State = 2,    ///< `state z : M`: a point that a flow moves
    Dual = 3,     ///< `state mu : dual(G)`: an element of the dual of a Lie algebra
  };

  /// One variable of the phase manifold, in the order of declaration.
  ///
  /// Storage: what the manifold declares as its `element` (a 3 by 3 matrix, a unit vector, a quaternion, …), its parts
  /// one after the other; then, of a configuration, the velocity or momentum, by the parts of the Lie algebra.
  struct Variable {
    std::string name;                           ///< "q"
    VariableKind kind = VariableKind::Velocity; ///< what it is
    std::string fiber;                          ///< name of the velocity or momentum; empty for a state
    std::string manifold;                       ///< as written: "R^3"
    bool isGroup = true;                        ///< whether the manifold is a Lie group
    Frame frame = Frame::Body;                  ///< of the velocity, momentum, flow or dual element
    std::int64_t members = 0;                   ///< of a family; 0: a single one
    int dimension = 0;                          ///< of the manifold, of one member; -1: not known
    int algebraDimension = 0;                   ///< of the Lie algebra of the group that acts, of one member
    std::vector<Storage> point;                 ///< parts of the point, in the state
    std::vector<Storage> fiberParts;            ///< parts of the velocity or momentum, in the state
    std::int64_t algebraOffset = 0;             ///< of its part of Workspace::velocities, momenta, accelerations
    std::int64_t tangentOffset = 0;             ///< of its part of Workspace::field
    std::int64_t tangentSize = 0;               ///< numbers there
  };

  /// A parameter, an input, an observable, or a discrete variable.
  struct Quantity {
    std::string name; ///< as in the model; of a part of a discrete variable "X.R", of a column of a table "road.x"
    Storage storage;  ///< where it stands among all of its kind; of a discrete variable in the state
    std::vector<double> value; ///< of a parameter, or initial, as compiled; of an input: what it is set to as compiled
    bool hasDefault = true;    ///< of an input: whether it has a law that `releaseInput` goes back to
    bool isSet = false;        ///< of an input: whether it is set to `value` at the begin, instead of its law
  };

  /// An event: an expression at whose zero crossing a run stops, or, where it has a block, the state changes.
  struct EventInfo {
    std::string name;  ///< with the member's index: "hit[2]"
    int direction = 0; ///< 1: from negative to positive, -1: the other way, 0: both
  };

  /// A method that can step a model.
  struct MethodInfo {
    std::string name;        ///< as `Options::method` takes it
    std::string kind;        ///< "manifold", "cotangent", "lagrangian", "variational", …
    std::string order;       ///< as declared: "4", "5(4)"; empty where it depends on parameters or is not declared
    std::string description; ///< the first line of its documentation
  };

  /// The settings of `simulate`. What was not given is not a number.
  struct Settings {
    double timeFrom = std::numeric_limits<double>::quiet_NaN(); ///< begin of a run
    double timeTo = std::numeric_limits<double>::quiet_NaN();   ///< end of a run
    double step = std::numeric_limits<double>::quiet_NaN();     ///< length of a step; of adaptive steps, the first
    double every = std::numeric_limits<double>::quiet_NaN();    ///< time between samples
    std::int64_t everySteps = 0;                                ///< steps between samples; 0: not given
    bool adaptive = false;  ///< whether steps are chosen by an error estimate: the model has a tolerance for it
    std::uint64_t seed = 0; ///< of the random numbers that were drawn
  };

  /// Forms of Model::equations.
  enum class Format : std::int32_t {
    Text = 0,  ///< as a person writes them
    Latex = 1, ///< for a paper
    Json = 2,  ///< for a program
  };

  /// A compiled model: machine code and what is known about it. Immutable; any number of threads may use it. Copies
  /// share everything.
  class LMC_API Model {
  public:
    /// The model's name.
    [[nodiscard]] const std::string& name() const noexcept;
    /// The method of its steps, with its arguments; empty when none was chosen.
    [[nodiscard]] const std::string& method() const noexcept;
    /// The order that the method declares; 0 without a method.
    [[nodiscard]] int order() const noexcept;
    /// Whether the method estimates its error, so that adaptive steps are possible.
    [[nodiscard]] bool estimatesError() const noexcept;

    /// The variables of the phase manifold.
    [[nodiscard]] const std::vector<Variable>& variables() const noexcept;
    /// Real parameters. Their offsets belong to one array of all parameters.
    [[nodiscard]] const std::vector<Quantity>& parameters() const noexcept;
    /// Inputs.
    [[nodiscard]] const std::vector<Quantity>& inputs() const noexcept;
    /// Observables. Their offsets belong to Workspace::observables.
    [[nodiscard]] const std::vector<Quantity>& observables() const noexcept;
    /// Discrete variables, which resets alone change: parts of the state (Workspace::view), behind all variables.
    [[nodiscard]] const std::vector<Quantity>& discretes() const noexcept;
    /// Events.
    [[nodiscard]] const std::vector<EventInfo>& events() const noexcept;
    /// The blocks of `every`, in the order of declaration: "every 0.01" (Workspace::atEvery).
    [[nodiscard]] const std::vector<std::string>& samplings() const noexcept;
    /// Parameters of type `int` and `bool`, which are fixed.
    [[nodiscard]] const std::vector<std::pair<std::string, std::int64_t>>& constants() const noexcept;
    /// Whether it has an energy: a Lagrangian or a Hamiltonian.
    [[nodiscard]] bool hasEnergy() const noexcept;
    /// Whether it has a mass matrix: it has a Lagrangian.
    [[nodiscard]] bool hasMass() const noexcept;
    /// The settings of `simulate`, and of the options where they win.
    [[nodiscard]] const Settings& settings() const noexcept;

    /// Numbers of a state: storage of all variables, in the order of declaration.
    [[nodiscard]] std::size_t stateSize() const noexcept;
    /// Numbers of Workspace::velocities, momenta and accelerations: the dimensions of the Lie algebras of all
    /// configurations, members included.
    [[nodiscard]] std::size_t algebraSize() const noexcept;
    /// Numbers of Workspace::field.
    [[nodiscard]] std::size_t tangentSize() const noexcept;
    /// Numbers of Workspace::observables.
    [[nodiscard]] std::size_t observablesSize() const noexcept;
    /// Names of the columns of a sample: of each number of the state ("R[1][2]"), "energy" if there is one,
    /// observables.
    [[nodiscard]] const std::vector<std::string>& columns() const noexcept;
    /// The state at the begin, as compiled, on its manifold.
    [[nodiscard]] Span<const double> initialState() const noexcept;

    /// Memory for one thread to step and evaluate in.
    [[nodiscard]] Workspace workspace() const;

    /// The equations of motion, as `lmc derive` prints them. Throws Error of kind Unavailable after `release`.
    [[nodiscard]] std::string equations(Format format = Format::Text) const;
    /// The methods that can step this model: those of its own text and of the library, by name. Throws as `equations`.
    [[nodiscard]] std::vector<MethodInfo> methods() const;
    /// Seconds that each stage of compiling took, in order: "parse", "check", "derive", "lower", "compile", …
    [[nodiscard]] std::vector<std::pair<std::string, double>> timings() const;
    /// Whether the machine code of the steps came from the cache.
    [[nodiscard]] bool fromCache() const noexcept;

    /// Compiles now what is otherwise compiled when it is first used: evaluation (`field`, `momenta`, `massMatrix`, …)
    /// and, of a method that estimates its error, the kind of steps, fixed or adaptive, that the model does not choose.
    /// Derivatives (Linearization) are left out: the first of them compiles those of the model. Throws as `equations`.
    void prepare() const;
    /// Frees the equations that the machine code was made from, which are most of the memory of a model. What was
    /// compiled goes on working; what needs the equations throws Error of kind Unavailable from now on.
    void release() const;

  private:
    friend struct detail::Access;
    explicit Model(std::shared_ptr<const detail::ModelData> shared) noexcept;
    std::shared_ptr<const detail::ModelData> shared_;

  public:
    /// A copy shares everything.
    Model(const Model&) noexcept;
    /// A copy shares everything.
    Model& operator=(const Model&) noexcept;
    /// The other one cannot be used any more.
    Model(Model&&) noexcept;
    /// The other one cannot be used any more.
    Model& operator=(Model&&) noexcept;
    ~Model();
  };

} // namespace v1
} // namespace lmc
