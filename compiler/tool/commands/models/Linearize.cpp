// `lmc linearize FILE`: A, B, C, D at states, of the motion or of a step, with the eigenvalues on the tangent space.
#include "tool/support/Command.h"

#include "linear/spectra/Spectra.h"
#include "runtime/derivatives/JumpTrajectory.h"
#include "runtime/run/Run.h"
#include "tool/runs/RunChecks.h"
#include "tool/shared/StateTable.h"
#include "tool/support/Arguments.h"
#include "tool/support/Report.h"
#include "tool/support/SharedOptions.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

namespace lmc::tool {

namespace {

using nlohmann::ordered_json;
using Matrix = Eigen::MatrixXd;
using Names = std::vector<std::string>;

constexpr Option<> stateOption = options::at.as("STATES.csv", "at the states of a table with the columns of a run",
                                                {.completion = Completion::File, .standard = "the initial state"});
constexpr Flag discreteFlag("--discrete", "the derivatives of one step of the method");

/// Everything that is shown of one state.
struct Linearized {
  double t = 0;
  Matrix a, b, p; ///< of the motion, or of the step
  Matrix c, d, e; ///< of the outputs, by state, inputs and parameters
  Matrix basis;   ///< of the tangent space, its vectors as columns
  Eigen::VectorXd rate;
  Eigen::VectorXcd eigenvalues;
};

Matrix matrixOf(std::span<const double> x, std::int64_t rows, std::int64_t columns) {
  if (x.empty()) return Matrix::Zero(rows, columns);
  return Eigen::Map<const Matrix>(x.data(), rows, columns);
}

/// Reads all results at the state of the workspace; a status that is not Ok ends it.
std::int32_t linearizeAt(runtime::LinearizedWorkspace& w, runtime::LinearizedMap map, double h, Linearized& l) {
  const runtime::LinearizedProblem& p = w.problem();
  std::int32_t status = runtime::Ok;
  if (map == runtime::LinearizedMap::Step && p.jumps) {
    runtime::JumpedStep step;
    status = runtime::stepThroughJumps(w, {l.t, h, 1, {}}, step);
    const Matrix all = matrixOf(step.map.entries, p.coordinates, p.coordinates + p.inputs + p.parameters + 1);
    l.a = all.leftCols(p.coordinates);
    l.b = all.middleCols(p.coordinates, p.inputs);
    l.p = all.middleCols(p.coordinates + p.inputs, p.parameters);
  } else {
    status = w.matrices(map, l.t, h);
    l.a = matrixOf(w.stateMatrix(map), p.coordinates, p.coordinates);
    l.b = matrixOf(w.inputMatrix(map), p.coordinates, p.inputs);
    l.p = matrixOf(w.parameterMatrix(map), p.coordinates, p.parameters);
  }
  if (status != runtime::Ok) return status;
  status = w.forward(runtime::LinearizedMap::Field, l.t, h, {});
  if (status != runtime::Ok) return status;
  l.rate = matrixOf(w.value(runtime::LinearizedMap::Field), p.coordinates, 1);
  if (p.outputs > 0) {
    status = w.matrices(runtime::LinearizedMap::Outputs, l.t, h);
    l.c = matrixOf(w.stateMatrix(runtime::LinearizedMap::Outputs), p.outputs, p.coordinates);
    l.d = matrixOf(w.inputMatrix(runtime::LinearizedMap::Outputs), p.outputs, p.inputs);
    l.e = matrixOf(w.parameterMatrix(runtime::LinearizedMap::Outputs), p.outputs, p.parameters);
  }
  std::vector<double> basis;
  if (status == runtime::Ok) status = w.basis(l.t, basis);
  if (status != runtime::Ok) return status;
  l.basis = matrixOf(basis, p.coordinates, static_cast<std::int64_t>(basis.size()) / p.coordinates);
  const Matrix reduced = l.basis.transpose() * l.a * l.basis;
  if (!reduced.allFinite()) return runtime::NonFinite;
  l.eigenvalues = linear::eigenvalues(reduced);
  std::sort(l.eigenvalues.begin(), l.eigenvalues.end(), [](const auto& x, const auto& y) {
    return x.real() != y.real() ? x.real() > y.real() : x.imag() > y.imag();
  });
  return runtime::Ok;
}

std::string table(const std::string& title, const Matrix& m, const Names& rows, const Names& columns) {
  if (m.size() == 0) return {};
  std::size_t left = 0;
  for (const std::string& name : rows) left = std::max(left, name.size());
  std::string text = fmt::format("\n{}\n{:{}}", title, "", left + 2);
  const auto width = [](const std::string& name) { return std::max<std::size_t>(name.size(), 12); };
  for (const std::string& name : columns) text += fmt::format("  {:>{}}", name, width(name));
  text += "\n";
  for (Eigen::Index i = 0; i < m.rows(); ++i) {
    text += fmt::format("  {:<{}}", rows[static_cast<std::size_t>(i)], left);
    for (Eigen::Index j = 0; j < m.cols(); ++j)
      text += fmt::format("  {:>{}.6g}", m(i, j) + 0.0, width(columns[static_cast<std::size_t>(j)]));
    text += "\n";
  }
  return text;
}

std::string eigenvalueText(const std::complex<double>& x) {
  if (x.imag() == 0) return fmt::format("  {:.9g}\n", x.real());
  return fmt::format("  {:.9g} {} {:.9g}i\n", x.real(), x.imag() < 0 ? '-' : '+', std::abs(x.imag()));
}

std::string describe(const Linearized& l, const runtime::LinearizedProblem& p, bool ofStep) {
  const double rate = l.rate.size() > 0 ? l.rate.cwiseAbs().maxCoeff() : 0;
  std::string text = fmt::format("\nt = {:.9g}, the largest rate of change at this state is {:.3g}\n", l.t, rate);
  const Names& x = p.coordinateNames;
  text += ofStep ? table("Phi = dx(k+1)/dx(k)", l.a, x, x) : table("A: (dx)' = A dx + B du", l.a, x, x);
  text += table(ofStep ? "Gamma = dx(k+1)/du" : "B", l.b, x, p.inputNames);
  text += table("C: outputs by the state", l.c, p.outputNames, x);
  if (!l.d.isZero(0)) text += table("D: outputs by inputs", l.d, p.outputNames, p.inputNames);
  if (!l.p.isZero(0)) text += table("by parameters", l.p, x, p.parameterNames);
  if (l.basis.cols() == 0)
    return text + "\nconstraints determine the motion: no direction is free, none has an eigenvalue\n";
  text += fmt::format("\neigenvalues on the tangent space, of dimension {}\n", l.basis.cols());
  for (const auto& value : l.eigenvalues) text += eigenvalueText(value);
  return text;
}

/// By rows.
ordered_json object(const Matrix& m) {
  ordered_json rows = ordered_json::array();
  for (Eigen::Index i = 0; i < m.rows(); ++i) {
    ordered_json row = ordered_json::array();
    for (Eigen::Index j = 0; j < m.cols(); ++j) row.push_back(m(i, j) + 0.0);
    rows.push_back(std::move(row));
  }
  return rows;
}

ordered_json object(const Linearized& l, bool ofStep) {
  ordered_json values = ordered_json::array();
  for (const auto& x : l.eigenvalues) values.push_back({x.real(), x.imag()});
  return {{"t", l.t},
          {"rate", std::vector<double>(l.rate.begin(), l.rate.end())},
          {ofStep ? "Phi" : "A", object(l.a)},
          {ofStep ? "Gamma" : "B", object(l.b)},
          {"P", object(l.p)},
          {"C", object(l.c)},
          {"D", object(l.d)},
          {"E", object(l.e)},
          {"basis", object(l.basis)},
          {"eigenvalues", values}};
}

/// The states of the table, or the initial one.
StateTable statesOf(const Invocation& call, products::Pipeline& pipeline, const runtime::LinearizedProblem& p) {
  Names names = {"t"};
  for (const runtime::Column& column : p.problem.numbers(runtime::FieldKind::State))
    names.push_back(column.entry.name());
  if (!call[options::at]) {
    StateTable one;
    one.columns = names.size();
    one.rows = 1;
    one.values = {std::isfinite(p.problem.timeFrom) ? p.problem.timeFrom : 0.0};
    one.values.insert(one.values.end(), p.problem.initialState.begin(), p.problem.initialState.end());
    return one;
  }
  std::ifstream in(*call[options::at], std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  sema::Compilation& c = pipeline.compilation();
  return readStates(*call[options::at], std::move(text).str(), names, c.sources(), c.diagnostics(), true);
}

/// The columns of the state stand in the order of memory.
void setState(runtime::LinearizedWorkspace& w, const double* row) {
  std::copy_n(row + 1, w.state().size(), w.state().begin());
}

bool checkStep(products::Pipeline& pipeline, const runtime::Problem& problem) {
  if (std::isfinite(problem.step) && problem.step > 0) return true;
  const bool missing = std::isnan(problem.step);
  pipeline.compilation().diagnostics().error(
      missing ? Code::LIE0602 : Code::LIE0604, modelRange(pipeline),
      missing ? "the derivative of a step needs its size, and there is none: --step H, or `step` in `simulate`"
              : fmt::format("the step size {} is not a positive number", problem.step));
  return false;
}

int linearizeModel(Context& context) {
  const Invocation& call = context.call;
  const std::string& file = oneFile(call);
  if (call[options::at]) requireReadable(*call[options::at]);
  context.stage = "compiling `" + file + "`";
  products::PipelineOptions options = pipelineOptions(call);
  options.compile.optimization = 0; // each function is called a few times
  products::Pipeline pipeline(options);
  methods::LinearizationRequest request;
  request.step = call[discreteFlag];
  request.adjoint = false;
  const bool loaded = pipeline.load(file);
  const auto problem = loaded ? pipeline.buildLinearization(request) : nullptr;
  if (!problem) return refuseInput(call, pipeline.diagnostics(), pipeline.sources());
  StateTable states = statesOf(call, pipeline, *problem);
  if (call[discreteFlag]) (void)checkStep(pipeline, problem->problem);
  if (call[options::at] && !pipeline.diagnostics().hasErrors())
    settleStates(*call[options::at], pipeline, problem->problem.params, {}, states);
  if (pipeline.diagnostics().hasErrors()) return refuseInput(call, pipeline.diagnostics(), pipeline.sources());
  if (!call[options::json]) printDiagnostics(call, pipeline.diagnostics(), pipeline.sources());
  if (call[options::timings]) printTimings(pipeline.timings());
  context.stage = "evaluating derivatives";
  runtime::LinearizedWorkspace workspace(*problem);
  std::int32_t status = workspace.start();
  const runtime::LinearizedMap map = call[discreteFlag] ? runtime::LinearizedMap::Step : runtime::LinearizedMap::Field;
  std::string text = problem->problem.model;
  text += call[discreteFlag]
              ? fmt::format(", one step of {} with h = {:.9g}\n", problem->problem.method, problem->problem.step)
              : std::string(", linearized\n");
  ordered_json results = ordered_json::array();
  for (std::size_t i = 0; i < states.rows && status == runtime::Ok; ++i) {
    Linearized l;
    l.t = states.row(i)[0];
    setState(workspace, states.row(i));
    try {
      status = linearizeAt(workspace, map, problem->problem.step, l);
    } catch (const runtime::NoDerivative& e) {
      complain(fmt::format("at t = {:.9g}, {}", e.time, e.what()));
      return RunFailed;
    }
    if (status != runtime::Ok) break;
    if (call[options::json])
      results.push_back(object(l, call[discreteFlag]));
    else
      text += describe(l, *problem, call[discreteFlag]);
  }
  if (status != runtime::Ok) {
    complain(runtime::statusText(status));
    return RunFailed;
  }
  if (!call[options::json]) {
    print(text);
    return Done;
  }
  ordered_json all = {{"model", problem->problem.model}, {"states", problem->coordinateNames},
                      {"inputs", problem->inputNames},   {"parameters", problem->parameterNames},
                      {"outputs", problem->outputNames}, {"at", results}};
  if (call[discreteFlag]) all["method"] = problem->problem.method, all["step"] = problem->problem.step;
  print(all.dump(2) + "\n");
  return Done;
}

} // namespace

extern const Command linearizeCommand = {
    .name = "linearize",
    .place = 3,
    .argument = "FILE",
    .summary = "A, B, C, D at a state, in coordinates of the tangent space; or of one step of the method",
    .examples = "lmc linearize quadrotor.lie\n"
                "lmc linearize quadrotor.lie --discrete --step 1e-2",
    .usesCache = true,
    .options =
        OptionList(options::model, options::simulation, stateOption, discreteFlag, options::compile, options::json),
    .run = linearizeModel,
};

} // namespace lmc::tool
