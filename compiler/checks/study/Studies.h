// Studies of methods: one model with several methods, and the problems on which orders are measured.
#pragma once

#include "checks/study/Convergence.h"
#include "products/Pipeline.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lmc::study {

/// A model that is to be run with one method after the other.
struct Subject {
  products::PipelineOptions options;             ///< without a method
  std::function<bool(products::Pipeline&)> load; ///< reads the model
  bool adaptive = false;                         ///< steps by tolerances, where the method estimates its error
};

/// A model compiled with one method, or with the one that it names itself. The pipeline holds the diagnostics; the
/// problem is null if there are errors.
struct Build {
  std::unique_ptr<products::Pipeline> pipeline;
  std::unique_ptr<runtime::Problem> problem;
};
[[nodiscard]] Build build(const Subject& subject, const std::string& method = {});

/// The same with the tangent map of the step.
struct TangentBuild {
  std::unique_ptr<products::Pipeline> pipeline;
  std::unique_ptr<runtime::TangentProblem> problem;
};
[[nodiscard]] TangentBuild buildTangent(const Subject& subject, const std::string& method = {});

/// The state at the end of the subject's interval: by the two explicit methods of the library with the highest declared
/// orders, each with a step that is halved until the state settles. Nothing if the model does not run.
[[nodiscard]] std::optional<Reference> reference(const Subject& subject);

/// The `.lie` files of a folder, in alphabetical order; their texts, one after the other.
[[nodiscard]] std::vector<std::filesystem::path> lieFiles(const std::filesystem::path& folder);
[[nodiscard]] std::string textsOf(const std::vector<std::filesystem::path>& files);

/// The files of the problems on which orders are measured.
[[nodiscard]] std::vector<std::filesystem::path> problemFiles(const std::filesystem::path& libraryRoot);

/// Models of files, by name; those that ship for measuring orders (runtime/problems/). `imports`: a file with methods,
/// visible to them; empty for none.
struct NamedSubject {
  std::string name;
  Subject subject;
};
[[nodiscard]] std::vector<NamedSubject> subjectsOf(const std::vector<std::filesystem::path>& files,
                                                   const products::PipelineOptions& options,
                                                   const std::filesystem::path& imports);
[[nodiscard]] std::vector<NamedSubject> problems(const products::PipelineOptions& options,
                                                 const std::filesystem::path& imports);

} // namespace lmc::study
