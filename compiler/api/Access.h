// What the files of the host interface share. The interface's own types are in lmc::v1, those of the compiler in lmc:
// here the inner namespace is not inline, so that both can be told apart. The names in the object files are the same.
#pragma once

#define LMC_INLINE
#include "lmc/lmc.hpp"

#include "base/DeepStack.h"
#include "products/Pipeline.h"
#include "products/States.h"
#include "runtime/contract/EvaluationProblem.h"
#include "runtime/derivatives/LinearizedWorkspace.h"
#include "runtime/run/Workspace.h"

#include <exception>
#include <map>
#include <mutex>

namespace lmc::v1 {

/// Where the numbers of a name stand.
struct Place {
  const Storage* storage = nullptr;
  std::size_t index = 0; ///< of the parameter, input or observable
};

/// Names of one kind of things, to places; parts are "name.part".
class Names {
public:
  /// `what` names the kind in messages: "parameter".
  explicit Names(std::string what) : what_(std::move(what)) {}
  void add(const std::string& name, const Storage* storage, std::size_t index) { places_[name] = {storage, index}; }
  /// Splits off the index of a member, "q[2]" or "X[2].R"; member is -1 for the whole. Throws Error of kind Misuse.
  [[nodiscard]] Place find(std::string_view name, std::int64_t& member) const;

private:
  [[noreturn]] void unknown(const std::string& name) const;
  std::string what_;
  std::map<std::string, Place, std::less<>> places_;
};

/// The part of `storage` that a member is (-1: all members), in an array that begins at `base`.
template <class T> BasicView<T> viewOf(const Storage& storage, std::int64_t member, T* base) {
  const BasicView<T> all{base + storage.offset, storage.members(), storage.rows, storage.columns};
  return member < 0 ? all : all.member(member);
}

/// The two arrays behind an input: whether its members are held, and at what.
struct InputPlace {
  Storage given, value; ///< in Params
};

/// An exception of a callback of the host, on its way through.
struct Passing {
  std::exception_ptr exception;
};

/// Calls `body`; what the compiler throws becomes an Error. Errors of the interface, and what callbacks of the host
/// have thrown, pass through.
template <class Body> auto translated(Body body) -> decltype(body()) {
  try {
    return body();
  } catch (const Passing& p) {
    std::rethrow_exception(p.exception);
  } catch (const Error&) {
    throw;
  } catch (const InstallationError& e) {
    throw Error(Error::Kind::Installation, e.what());
  } catch (const std::exception& e) {
    throw Error(Error::Kind::Internal, e.what());
  }
}

namespace detail {

struct ModelData {
  std::string name, method;
  std::vector<Variable> variables;
  std::vector<Quantity> parameters, inputs, observables, discretes;
  std::vector<InputPlace> inputPlaces;
  std::vector<EventInfo> events;
  std::vector<std::pair<std::string, std::int64_t>> constants;
  std::vector<std::string> columns, samplings;
  Settings settings;
  bool hasEnergy = false, hasMass = false;
  std::size_t algebraSize = 0, tangentSize = 0, observablesSize = 0;
  std::int64_t observablesOffset = 0; ///< in Output
  Names stateNames{"part of the state"}, parameterNames{"parameter"}, inputNames{"input"},
      observableNames{"observable"};
  std::vector<bool> fixedZeros; ///< numbers of Params that the code takes to be zero; empty: none
  runtime::Problem problem;     ///< the model's own kind of steps
  Options options;              ///< that it was compiled with, without callbacks

  /// Build what is not there yet; it stays as long as the model. Throw Error of kind Unavailable when there is no
  /// method, or the equations have been released.
  [[nodiscard]] const runtime::Problem& steps(products::HostSteps kind) const;
  [[nodiscard]] const runtime::EvaluationProblem& evaluation() const;
  [[nodiscard]] const runtime::LinearizedProblem& linearization() const;
  /// The kind of steps that `problem` has.
  [[nodiscard]] products::HostSteps ownSteps() const {
    return method.empty()    ? products::HostSteps::None
           : problem.control ? products::HostSteps::Adaptive
                             : products::HostSteps::Fixed;
  }
  /// Calls `use(pipeline)`, one thread at a time.
  template <class Use> auto withPipeline(Use use) const {
    const std::lock_guard lock(mutex);
    requirePipeline();
    return translated([&] { return onDeepStack([&] { return use(*pipeline); }); });
  }
  ~ModelData() {
    settler.reset(); // it refers to the pipeline's model, as what restores states does
    problem.restoration = {};
    otherSteps.reset();
    linearized.reset();
    if (pipeline || restoring)
      onDeepStack([&] {
        pipeline.reset();
        restoring.reset();
      });
  }
  [[nodiscard]] bool hasEquations() const {
    const std::lock_guard lock(mutex);
    return pipeline != nullptr;
  }
  void requirePipeline() const {
    if (!pipeline)
      throw Error(Error::Kind::Unavailable, "the equations of `" + name + "` have been released (Model::release)");
  }

  mutable std::mutex mutex; ///< of what follows
  mutable std::unique_ptr<products::Pipeline> pipeline;
  mutable std::unique_ptr<products::Pipeline> restoring;   ///< released, but for what restores states behind resets
  mutable std::unique_ptr<products::StateSettler> settler; ///< when states have been set
  mutable std::shared_ptr<const runtime::MassCheck> mass;  ///< when a workspace has asked for it
  mutable std::unique_ptr<const runtime::Problem> otherSteps;
  mutable std::unique_ptr<const runtime::EvaluationProblem> evaluated;
  mutable std::unique_ptr<const runtime::LinearizedProblem> linearized;
  mutable products::Timings lastTimings; ///< when the pipeline was released
};

/// What only the implementation may do with the classes of the interface.
struct Access {
  static Model make(std::shared_ptr<const ModelData> shared) { return Model(std::move(shared)); }
  static Trajectory make(std::unique_ptr<TrajectoryData> data);
  static const std::shared_ptr<const ModelData>& shared(const Model& m) { return m.shared_; }
  static WorkspaceData& data(Workspace& w) { return *w.impl_; }
  static const WorkspaceData& data(const Workspace& w) { return *w.impl_; }
  /// Diagnostics as data.
  [[nodiscard]] static std::vector<Diagnostic> diagnostics(const Diagnostics& all, const Sources& sources);
};

} // namespace detail

using detail::Access;
using detail::ModelData;
using SharedModel = std::shared_ptr<const detail::ModelData>;

/// Names, shapes, values and settings of a compiled model.
void describe(detail::ModelData& shared, products::Pipeline& pipeline);

/// The status of a function of generated code, or of an adaptive run that gave up.
[[nodiscard]] Status statusOf(std::int32_t status);

} // namespace lmc::v1
