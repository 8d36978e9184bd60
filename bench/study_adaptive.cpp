// Writes docs/studies/adaptive.md: errors of adaptive runs against tolerances, steps and evaluations. All numbers come
// from runs in this process; no time is measured.
#include "products/Pipeline.h"
#include "runtime/run/Run.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>

using namespace lmc::products;
using namespace lmc::runtime;
using namespace lmc::sema;
using namespace lmc;

namespace {

const std::string root = LMC_SOURCE_DIR;

/// A model with settings of the command line.
struct Setting {
  std::string file;
  std::vector<Override> overrides;
  double end = 1;
};

/// How a run chooses its steps.
struct Choice {
  std::string method;
  double tolerance = 0; ///< 0: fixed steps
  double step = 0;
  std::string controller = "PI";
};

class LastRow final : public Sink {
public:
  void begin(const std::vector<Entry>&) override {}
  void sample(double, std::span<const double> values) override { row.assign(values.begin(), values.end()); }
  void finish() override {}
  std::vector<double> row;
};

class Trials final : public StepObserver {
public:
  void tried(const StepTrial& trial) override { list.push_back(trial); }
  std::vector<StepTrial> list;
};

struct Outcome {
  RunResult result;
  std::vector<double> state;
  std::vector<StepTrial> trials;
};

Outcome runOf(const Setting& s, const Choice& c) {
  PipelineOptions options;
  options.compilation.libraryRoot = libraryRoot();
  options.compilation.overrides = s.overrides;
  options.codeForAnyParameters = false;
  const auto set = [&](const char* key, const std::string& text) {
    options.compilation.simulate.emplace_back(key, text);
  };
  set("time.from", "0");
  set("time.to", fmt::format("{}", s.end));
  set("tolerance", c.tolerance > 0 ? fmt::format("{}", c.tolerance) : "none");
  set("controller", c.controller);
  options.method = c.method;
  Pipeline pipeline(options);
  const auto problem = pipeline.load(s.file) ? pipeline.build() : nullptr;
  if (!problem) throw std::runtime_error("cannot compile " + s.file);
  problem->step = c.step > 0 ? c.step : std::nan("");
  problem->outputEvery = s.end;
  problem->outputSteps = 0;
  LastRow last;
  Trials trials;
  Outcome outcome{run(*problem, {&last, nullptr, &trials}), {}, {}};
  if (outcome.result.failure) throw std::runtime_error(s.file + ": " + outcome.result.failure->cause);
  // The state alone: energy and observables stand behind it.
  const std::vector<Column> columns = problem->columns();
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (columns[k].role == runtime::Role::State) outcome.state.push_back(last.row[k]);
  }
  outcome.trials = std::move(trials.list);
  return outcome;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return std::sqrt(sum);
}

std::vector<double> reference(const Setting& s) {
  return runOf(s, {"RKMK78", 1e-14}).state;
}

double slope(const std::vector<double>& x, const std::vector<double>& y) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t k = 0; k < x.size(); ++k, n += 1) {
    const double a = std::log10(x[k]), b = std::log10(y[k]);
    sx += a;
    sy += b;
    sxx += a * a;
    sxy += a * b;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

std::size_t columns(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

/// Paragraphs are filled to 100 columns, as in all pages; tables and headings stay.
void print(const std::string& text) {
  constexpr std::size_t most = 100;
  std::istringstream lines(text);
  std::string line, filled;
  const auto flush = [&] {
    if (!filled.empty()) std::cout << filled << '\n';
    filled.clear();
  };
  while (std::getline(lines, line)) {
    if (line.empty() || line.front() == '|' || line.front() == '#') {
      flush();
      std::cout << line << '\n';
      continue;
    }
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      if (!filled.empty() && columns(filled) + 1 + columns(word) > most) flush();
      filled += (filled.empty() ? "" : " ") + word;
    }
  }
  flush();
  if (text.empty() || text.back() == '\n') std::cout << '\n';
}

const Setting top{
    root + "/examples/heavy_top.lie",
    {{"m", "1"}, {"l", "0.5"}, {"J", "diag(0.5, 0.8, 1.1)"}, {"chi", "[0, 0.6, 0.8]"}, {"Omega", "[2, -3, 1]"}},
    1};
const Setting chain{root + "/examples/pendulum_chain.lie", {{"w[1]", "[0.5, 1, -0.5]"}, {"w[2]", "[-1, 0.5, 1]"}}, 1};
const Setting sphere{root + "/tests/acceptance/models/sphere_flow.lie", {}, 2};
const Setting pendulum{root + "/docs/studies/pendulum.lie", {}, 2.5};
const Setting humming{root + "/examples/humming_top.lie", {}, 10};

const std::vector<std::string> pairs = {"RKMK32", "RKMK45", "RKMK54", "RKMK78", "CF32",
                                        "CF32b",  "CF43",   "CG23",   "CG34"};

void tolerances() {
  print("## Error and tolerance\n\n"
        "The error at the end (the Euclidean norm over all coordinates of the state) against the tolerance, which is "
        "the absolute and the relative one of all variables, with the\n"
        "controller `PI`. The slope is that of log error over log tolerance, by least squares over all seven. Models: "
        "the heavy top in body with slow rotation (t = 1), the chain of two pendulums\n"
        "that is not planar (t = 1), the flow on the sphere with a part along the isotropy (t = 2).\n");
  for (const auto& [name, setting] :
       {std::pair{"heavy top", &top}, {"chain of two", &chain}, {"flow on the sphere", &sphere}}) {
    const std::vector<double> exact = reference(*setting);
    print(fmt::format(
        "| {} | 1e-4 | 1e-5 | 1e-6 | 1e-7 | 1e-8 | 1e-9 | 1e-10 | slope |\n|---|---|---|---|---|---|---|---|---|",
        name));
    for (const std::string& method : pairs) {
      std::vector<double> at, errors;
      std::string row = "| `" + method + "` |";
      for (int k = 4; k <= 10; ++k) {
        at.push_back(std::pow(10.0, -k));
        errors.push_back(distance(runOf(*setting, {method, at.back()}).state, exact));
        row += fmt::format(" {:.1e} |", errors.back());
      }
      print(row + fmt::format(" {:.2f} |", slope(at, errors)));
    }
    print("");
  }
}

Setting chainOf(int n, const std::string& lengths) {
  Setting s{root + "/examples/pendulum_chain.lie", {{"N", std::to_string(n)}}, 3};
  if (!lengths.empty()) s.overrides.push_back({"L", lengths});
  return s;
}

void chainTable(const std::string& lengths) {
  print("| N | steps | rejected | evaluations | smallest step | largest step | error | fixed, same steps | fixed, same "
        "evaluations |\n"
        "|---|---|---|---|---|---|---|---|---|");
  for (const int n : {2, 4, 6, 8, 10, 12, 14, 16, 18, 20}) {
    const std::string length = lengths.empty() ? "" : fmt::format("{}/{}", lengths, n);
    const Setting s = chainOf(n, length);
    const std::vector<double> exact = reference(s);
    const Outcome a = runOf(s, {"RKMK54", 1e-6});
    const auto steps = static_cast<double>(a.result.steps);
    const double few = s.end / steps;
    const double many = s.end / std::ceil(static_cast<double>(a.result.evaluations) / 6); // six a fixed step
    print(fmt::format("| {} | {} | {} | {} | {:.4f} | {:.4f} | {:.1e} | {:.1e} | {:.1e} |", n, a.result.steps,
                      a.result.rejected, a.result.evaluations, a.result.sizes->smallest, a.result.sizes->largest,
                      distance(a.state, exact), distance(runOf(s, {"RKMK54", 0, few}).state, exact),
                      distance(runOf(s, {"RKMK54", 0, many}).state, exact)));
  }
  print("");
}

void peak() {
  const Outcome a = runOf(chainOf(2, ""), {"RKMK54", 1e-6});
  print("Step sizes of the chain of two, accepted steps in intervals of time:\n\n| t | steps | smallest | largest "
        "|\n|---|---|---|---|");
  constexpr double width = 0.25;
  for (double from = 0; from < 3; from += width) {
    int count = 0;
    double smallest = INFINITY, largest = 0;
    for (const StepTrial& t : a.trials) {
      if (!t.accepted || t.time < from || t.time >= from + width) continue;
      ++count;
      smallest = std::min(smallest, t.step);
      largest = std::max(largest, t.step);
    }
    print(fmt::format("| {:.2f} … {:.2f} | {} | {:.4f} | {:.4f} |", from, from + width, count, smallest, largest));
  }
  print("");
}

void crouchGrossman() {
  for (const auto& [name, setting] : {std::pair{"pendulum, t = 2.5", &pendulum}, {"humming top, t = 10", &humming}}) {
    const std::vector<double> exact = reference(*setting);
    print(fmt::format("| {} | tolerance | steps | rejected | evaluations | error |\n|---|---|---|---|---|---|", name));
    for (const char* method : {"CG23", "CG34"}) {
      std::vector<double> at, errors;
      for (int k = 3; k <= 8; ++k) {
        at.push_back(std::pow(10.0, -k));
        const Outcome a = runOf(*setting, {method, at.back(), 0, "clamped"});
        errors.push_back(distance(a.state, exact));
        print(fmt::format("| `{}` | 1e-{} | {} | {} | {} | {:.1e} |", method, k, a.result.steps, a.result.rejected,
                          a.result.evaluations, errors.back()));
      }
      print(fmt::format("| | | | | slope | {:.2f} |", slope(at, errors)));
    }
    print("");
  }
}

void pendulumSteps() {
  print("| controller | accepted step sizes of `CG23`, tolerance 1e-4, t = 0 … 2.5 |\n|---|---|");
  for (const char* controller : {"PI", "elementary", "clamped"}) {
    const Outcome a = runOf(pendulum, {"CG23", 1e-4, 0, controller});
    double smallest = INFINITY, largest = 0;
    for (std::size_t k = 1; k + 1 < a.trials.size(); ++k) {
      if (!a.trials[k].accepted) continue;
      smallest = std::min(smallest, a.trials[k].step);
      largest = std::max(largest, a.trials[k].step);
    }
    print(fmt::format("| `{}` | {} steps, {} rejected, {:.4f} … {:.4f} |", controller, a.result.steps,
                      a.result.rejected, smallest, largest));
  }
  print("");
}

void study() {
  print("# Adaptive steps: what they do\n\n"
        "Written by `./dev study`; every number comes from a run. References are computed with `RKMK78` at tolerance "
        "1e-14. How errors are measured, and what a tolerance and a\n"
        "controller are, is in [tool.md](../tool.md#4-adaptive-steps).\n");
  tolerances();
  print("## The chain of pendulums\n\n"
        "`examples/pendulum_chain.lie` from 0 to 3 (section 5 of Celledoni, Cokaj, Leone, Murari, Owren, 2022) with "
        "`RKMK54`, tolerance 1e-6, N pendulums of length 1. Beside it the same method with\n"
        "fixed steps: with as many steps, and with as many evaluations of f (an adaptive step has seven, a fixed one "
        "six, and rejected steps count).\n");
  chainTable("");
  print("The same with lengths 5/N, so that the whole chain keeps its length:\n");
  chainTable("5");
  peak();
  print("The steps are smallest through the peak of the angular accelerations behind t = 2.2. Where the motion is "
        "smooth but for such peaks (N = 2; the short pendulums from N = 4 on) adaptive steps win,\n"
        "the more the sharper the peaks. In the long chains from N = 6 on nothing is smooth for long: fixed steps with "
        "as many evaluations are as good. The long chain of N = 4 is a case in which they lose.\n\n"
        "## Crouch–Grossman pairs with the controller of their paper\n\n"
        "`docs/studies/pendulum.lie` and `examples/humming_top.lie` with the controller `clamped` (Engø and "
        "Marthinsen, 1997, sections 3 and 4).\n");
  crouchGrossman();
  print("On the humming top the error of `CG34` at t = 10 falls like h^5, faster than the order that the controller "
        "counts on.\n");
  pendulumSteps();
}

} // namespace

int main() {
  try {
    study();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "study_adaptive: %s\n", error.what());
    return 1;
  }
  return 0;
}
