/// @file
/// Derivatives of a model for control and estimation: linearization, sensitivities, gradients of trajectories.
#pragma once

#include "lmc/Workspace.hpp"

#include <functional>

namespace lmc {
LMC_INLINE namespace v1 {

  /// What is differentiated.
  enum class Linearized : std::int32_t {
    Motion = 0,  ///< the equations of motion x' = f(t, x, u, p)
    Step = 1,    ///< one step of the model's method, with a fixed length
    Outputs = 2, ///< energy (if there is one) and observables
  };

  /// All derivatives of a map. Matrices have their columns one after the other, as Eigen::MatrixXd: the entry in row i,
  /// column j is at i + j*rows.
  struct Jacobians {
    std::size_t rows = 0;          ///< coordinates, or outputs
    Span<const double> state;      ///< A, Phi, C: a column per coordinate
    Span<const double> inputs;     ///< B, Gamma, D: a column per number of the inputs
    Span<const double> parameters; ///< a column per number of the parameters
    Span<const double> field;      ///< of Motion: the change of f itself, without the motion of the coordinates
    Span<const double> value;      ///< x' in coordinates, the next state (its storage), or the outputs
  };

  /// Covectors of all that a map depends on; the pairing is the sum of products.
  struct Covectors {
    Span<const double> state;      ///< of the coordinates
    Span<const double> inputs;     ///< of the inputs
    Span<const double> parameters; ///< of the parameters
  };

  /// The gradient of a cost of a trajectory.
  struct CostGradient {
    std::vector<double> state;      ///< by the coordinates of the first state
    std::vector<double> inputs;     ///< by the inputs of each step, one step after the other
    std::vector<double> parameters; ///< by the parameters, with the first state held fixed
  };

  /// Given the outputs at the begin of step k (or, with k the number of steps, at the end): the derivative of the cost
  /// of this time by each output. Empty: there is no cost at this time.
  using OutputWeights = std::function<std::vector<double>(std::int64_t k, Span<const double> outputs)>;

  /// Exact derivatives of a model, compiled, at a state of its own.
  ///
  /// Tangent vectors are given in coordinates: per configuration the change delta of the point as an element of the Lie
  /// algebra (g exp(delta) in body, exp(delta) g in space) and the change nu of the velocity (momentum); per state
  /// delta; per element of a dual nu; in the order of declaration, of families the members one after the other. On
  /// homogeneous manifolds only their horizontal part counts. The guide docs/linearization.md has the formulas and
  /// signs.
  ///
  /// Derivatives by inputs are by values that are held during a step; while an input follows its law, the law is part
  /// of the motion. One thread uses it at a time. Results stay valid until the same derivatives are taken again. Errors
  /// are thrown as by Workspace.
  class LMC_API Linearization {
  public:
    /// Compiles the derivatives (once per model; those of a step if the model has a method), and starts at the model's
    /// initial state. Throws Error of kind Unavailable when they were not compiled before Model::release, and where
    /// resets have no derivative (LIE0652).
    explicit Linearization(const Model& model);
    /// The other one cannot be used any more.
    Linearization(Linearization&&) noexcept;
    /// The other one cannot be used any more.
    Linearization& operator=(Linearization&&) noexcept;
    ~Linearization();

    /// @name Names
    /// @{

    /// The model.
    [[nodiscard]] const Model& model() const noexcept;
    /// Of coordinates: "dR[1]", "dOmega[2]"; of a model whose state jumps also of its real discrete variables, "du".
    [[nodiscard]] const std::vector<std::string>& coordinates() const noexcept;
    /// Of the numbers of the inputs: "u[1]".
    [[nodiscard]] const std::vector<std::string>& inputs() const noexcept;
    /// Of the numbers of the parameters: "J[1][2]".
    [[nodiscard]] const std::vector<std::string>& parameters() const noexcept;
    /// Of the outputs: "energy", "tip[3]".
    [[nodiscard]] const std::vector<std::string>& outputs() const noexcept;
    /// @}

    /// @name Where derivatives are taken
    /// @{

    /// Takes over state, time, parameters and inputs of a workspace of the same model.
    void at(const Workspace& workspace);
    /// The time.
    [[nodiscard]] double time() const noexcept;
    /// Sets the time.
    void setTime(double t) noexcept;
    /// The storage of the state, to read and to write.
    [[nodiscard]] Span<double> state() noexcept;
    /// Holds all inputs at values, in the order of `inputs`.
    void setInputs(Span<const double> values);
    /// Sets all parameters, in the order of `parameters`.
    void setParameters(Span<const double> values);
    /// @}

    /// @name Derivatives; h is the length of a step, and of no importance otherwise
    /// Those of a step go through the events, resets, samplings and contacts in it. Where there is no derivative (an
    /// event that only grazes zero, for one) they throw Error of kind RunFailed, with the reason and its time; so do
    /// `propagate` and `gradient`.
    /// @{

    /// All matrices.
    [[nodiscard]] Jacobians jacobians(Linearized map, double h = 0);
    /// The image of a direction: coordinates, changes of inputs and of parameters. What is empty is zero.
    [[nodiscard]] Span<const double> forward(Linearized map, double h, Span<const double> direction,
                                             Span<const double> inputs = {}, Span<const double> parameters = {});
    /// The covectors that a covector of the image is pulled back to: the transpose of `forward`.
    [[nodiscard]] Covectors adjoint(Linearized map, double h, Span<const double> covector);
    /// @}

    /// @name Tangent spaces
    /// @{

    /// An orthonormal basis of the tangent space in coordinates, its vectors one after the other: unit vectors where
    /// there are only groups. Of a model with constraints, vectors along which these and their rates hold.
    [[nodiscard]] std::vector<double> basis();
    /// Moves the state along a tangent vector: exp(delta) acts on points, nu is added.
    void move(Span<const double> direction);
    /// The tangent vector along which `move` takes the state to another one nearby. Throws Error of kind RunFailed when
    /// it is too far away.
    [[nodiscard]] std::vector<double> difference(Span<const double> other);
    /// @}

    /// @name Trajectories
    /// @{

    /// Takes n steps of length h and carries tangent vectors along: vectors of coordinates one after the other, and for
    /// each the changes of inputs (the same in each step) and of parameters, or none. Returns the vectors at the last
    /// state, at which it stays.
    [[nodiscard]] std::vector<double> propagate(double h, std::int64_t n, Span<const double> directions,
                                                Span<const double> inputs = {}, Span<const double> parameters = {});
    /// The gradient of a cost that is a sum over times of functions of the outputs, along n steps of length h, by one
    /// run and one adjoint run. `inputs`: those of each step, one step after the other; empty: as they are. The state
    /// is the first one afterwards.
    [[nodiscard]] CostGradient gradient(double h, std::int64_t n, Span<const double> inputs, const OutputWeights& cost);
    /// @}

  private:
    std::unique_ptr<detail::LinearizationData> impl_;
  };

} // namespace v1
} // namespace lmc
