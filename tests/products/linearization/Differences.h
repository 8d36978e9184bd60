// Compiled derivatives of a model against central differences on the manifold, and against each other.
#pragma once

#include "products/Pipeline.h"
#include "runtime/derivatives/LinearizedWorkspace.h"

#include <Eigen/Dense>

#include <functional>
#include <memory>
#include <string>

namespace lmc::test {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// A model with a method, its derivatives compiled, at a state a few steps after its initial one.
class LinearizedModel {
public:
  /// A file of examples/, or the text of a model.
  static LinearizedModel ofExample(const std::string& file, const std::string& method,
                                   const methods::LinearizationRequest& request = {});
  static LinearizedModel ofText(const std::string& text, const std::string& method);

  [[nodiscard]] bool good() const { return workspace_ != nullptr; }
  [[nodiscard]] const std::string& errors() const { return errors_; }
  [[nodiscard]] runtime::LinearizedWorkspace& at() { return *workspace_; }
  [[nodiscard]] const runtime::LinearizedProblem& problem() const { return *problem_; }
  double t = 0, h = 1e-2;

  /// Takes n steps.
  void advance(int n);
  [[nodiscard]] Vector state();
  void setState(const Vector& y);
  /// The image of a map at the state: of a step the storage of the next state.
  [[nodiscard]] Vector value(runtime::LinearizedMap map);

  [[nodiscard]] Matrix stateMatrix(runtime::LinearizedMap map);
  [[nodiscard]] Matrix inputMatrix(runtime::LinearizedMap map);
  [[nodiscard]] Matrix parameterMatrix(runtime::LinearizedMap map);
  [[nodiscard]] Matrix fieldMatrix();
  /// The horizontal projection.
  [[nodiscard]] Matrix projection();

  /// The same by differences of sixth order: of a step by the coordinates of differences of storage at the next
  /// state.
  [[nodiscard]] Matrix stateDifferences(runtime::LinearizedMap map);
  [[nodiscard]] Matrix inputDifferences(runtime::LinearizedMap map);
  [[nodiscard]] Matrix parameterDifferences(runtime::LinearizedMap map);
  /// By how much parameters are changed for differences: by parts of these numbers.
  [[nodiscard]] Vector parameterSizes();
  /// A by differences in h of the matrix of the step: (Phi(h) - Phi(-h))/(2h) extrapolated to h = 0.
  [[nodiscard]] Matrix motionDifferences();

  /// The largest difference, relative to the largest entry, of images of all directions and of the columns of the
  /// matrices, and of covectors of all unit covectors and their rows.
  [[nodiscard]] double forwardError(runtime::LinearizedMap map);
  [[nodiscard]] double adjointError(runtime::LinearizedMap map);

private:
  void build(products::Pipeline& pipeline, bool loaded, const methods::LinearizationRequest& request);
  [[nodiscard]] Matrix differences(runtime::LinearizedMap map, Eigen::Index columns,
                                   const std::function<Vector(Eigen::Index column, double e)>& valueAt);
  [[nodiscard]] std::vector<double> params();

  std::unique_ptr<runtime::LinearizedProblem> problem_;
  std::unique_ptr<runtime::LinearizedWorkspace> workspace_;
  std::string errors_;
};

/// The largest error of a column, relative to the largest entry of that column. Columns below 1e-5 of the largest entry
/// of all, or of `least`, the size of the values whose differences were taken, are judged by that.
[[nodiscard]] double relativeError(const Matrix& got, const Matrix& expected, double least = 0);

} // namespace lmc::test
