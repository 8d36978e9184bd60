// The whole compiler as one pipeline: each stage is a function of the one before, and each can be printed.
#pragma once

#include "base/Budget.h"
#include "base/Installation.h"
#include "jit/Compile.h"
#include "methods/derivatives/LinearizationRequest.h"
#include "runtime/contract/EvaluationProblem.h"
#include "runtime/contract/LinearizedProblem.h"
#include "runtime/contract/Problem.h"
#include "runtime/contract/TangentProblem.h"
#include "sema/Compilation.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lmc::mechanics {
struct System;
}

namespace lmc::products {

struct ShownScene;

struct PipelineOptions {
  sema::CompilationOptions compilation;
  jit::CompileOptions compile;
  std::optional<std::string> method; ///< `--method`, wins over the model's
  std::optional<std::uint64_t> seed;
  /// Code that serves any parameters is made in the background, for later runs with others.
  bool codeForAnyParameters = true;
  bool fixedSteps = false; ///< whatever the tolerance
  /// What the code takes for granted of the values that it is compiled with: that zeros of vectors and matrices among
  /// the parameters stay zero (a diagonal inertia is worth code of its own), and that inputs keep their laws. A host
  /// program that sets them later wants neither.
  bool presentZeros = true;
  bool liveInputs = false;
  /// Runs keep lists of near pairs for sums with a bounded distance. Without them they have the same bits.
  bool pairLists = true;
  /// Code of this key is taken where there is a choice (Problem::codeKey): for a run that goes on.
  std::string codeKey;
  Limits limits; ///< of everything that is compiled, together
};

/// The steps that a host program asks for: none (there is no method), those that the model's settings choose, of a
/// fixed length, or chosen by an error estimate.
enum class HostSteps : std::uint8_t { None, Default, Fixed, Adaptive };

/// Seconds spent per stage, in order ("parse", "check", "derive", …).
using Timings = std::vector<std::pair<std::string, double>>;

/// Stages in order: ast program model system scene step tape ir assembly nvptx. `scene` needs the option `scene`.
[[nodiscard]] const std::vector<std::string>& stageNames();

/// A method that can step a model.
struct MethodSummary {
  std::string name, kind; ///< the kind as the table of kinds names it
  std::string order;      ///< as declared, "4" or "5(4)"; empty where the declaration says none
  std::string summary;    ///< the first line of its documentation
};

/// Compiles one model. All findings about the user's input are in `diagnostics()`; a stage that finds errors makes
/// the later ones return null/empty.
class Pipeline {
public:
  explicit Pipeline(PipelineOptions options);
  ~Pipeline();
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  bool load(const std::filesystem::path& file);
  bool loadText(const std::string& name, const std::string& text);

  /// Parses, checks and derives (a structurally singular mass matrix is an error); no method, no code. False on errors.
  bool check();
  /// The listing of a stage (one of stageNames()); empty on errors.
  [[nodiscard]] std::string dump(const std::string& stage);
  /// Everything compiled and initialised, ready to run; null on errors. `needMethod` false: no step is compiled
  /// (for `derive --at`).
  [[nodiscard]] std::unique_ptr<runtime::Problem> build(bool needMethod = true);
  /// The step with its tangent map, for a fixed step size; null on errors, of which a model without a symplectic form
  /// is one. A model with forces has a warning.
  [[nodiscard]] std::unique_ptr<runtime::TangentProblem> buildTangent();
  /// Derivatives in coordinates of the tangent spaces, for any parameters and inputs; null on errors. A method is
  /// needed where those of its step are wanted.
  [[nodiscard]] std::unique_ptr<runtime::LinearizedProblem>
  buildLinearization(const methods::LinearizationRequest& request = {});

  /// As `build`, for a host program: without a method Default gives a problem without steps. Adaptive needs a method
  /// with an error estimate; tolerances that are not given are not numbers. Several kinds may be built one after the
  /// other.
  [[nodiscard]] std::unique_ptr<runtime::Problem> buildHost(HostSteps steps);
  /// The functions of the model at a state; after `buildHost`.
  [[nodiscard]] std::unique_ptr<runtime::EvaluationProblem> buildEvaluation();
  /// The initial state for given parameters (as Problem::params); after `buildHost`. Nothing, and a report in `found`,
  /// when it cannot be computed or is off its manifold.
  [[nodiscard]] std::optional<std::vector<double>> initialState(const std::vector<double>& params, Diagnostics& found);
  /// The mass equation of a model that has been built for hosts, whatever its method; null without one.
  [[nodiscard]] std::shared_ptr<const runtime::MassCheck> massEquation();
  /// Calls `body` within the limits, where it does work of its own with what the pipeline has made. False, and a
  /// report, when a limit is reached.
  bool within(const std::function<void()>& body);

  /// The methods of the model's files and of the library that can step it, by name; after `check`. None without a
  /// model.
  [[nodiscard]] std::vector<MethodSummary> methodsThatStep();

  /// What changes the energy of the model along its motions (`powerSources`); after `build`.
  [[nodiscard]] std::vector<std::string> energyChangedBy() const;

  /// What a picture shows, after `build` with the option `scene`: the problem then has columns for it behind its own.
  /// Null without the option.
  [[nodiscard]] const ShownScene* scene() const;

  [[nodiscard]] const Diagnostics& diagnostics() const;
  [[nodiscard]] const Sources& sources() const;
  [[nodiscard]] sema::Compilation& compilation();
  [[nodiscard]] const Timings& timings() const;
  /// The derived system, for studies of the model; after `check` or `build` without errors. Null without a model.
  /// The model has events that reset it, or samplings: its motion is not smooth.
  [[nodiscard]] bool jumps() const;
  [[nodiscard]] const mechanics::System* system() const;
  /// Of a model with constraints: how many velocities are free at its initial state; nothing without, or on errors.
  std::optional<std::int64_t> freedoms();

  /// What the stages have made (products/Impl.h), for products in folders of their own, which runs do without.
  struct Impl;
  [[nodiscard]] Impl& impl();

private:
  std::unique_ptr<Impl> impl_;
};

/// What `--untrusted`, and the same option of the interface, mean for the compilation of a model that somebody else has
/// written: `read` and `import` find files below the folder of the model only, messages do not show what is in them,
/// the cache is neither read nor written. Here is also where budgets of compilation are turned on.
///
/// `folder`: of the model. A reader that the options have already goes on to be asked, for files below it.
void distrustModel(PipelineOptions& options, const std::filesystem::path& folder);

} // namespace lmc::products
