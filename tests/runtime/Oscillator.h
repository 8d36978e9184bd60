// A problem that needs no compiler: an oscillator whose step is exact, as a tape made by hand.
#pragma once

#include "runtime/contract/Problem.h"
#include "runtime/output/Output.h"
#include "tape/Tape.h"

#include <string>
#include <vector>

namespace lmc::test {

/// State x, v, clock, z; x' = v, v' = -x by the exact rotation of a step; clock adds up the steps; z is multiplied by
/// the parameter `gain` in each step. A step that begins after `limit` returns SingularMass. Outputs: energy
/// (x^2 + v^2)/2, time (as passed to observe), defect |clock - t|.
struct OscillatorOptions {
  double from = 0, to = 1, step = 0.125;
  double every = 0; ///< 0: not given
  std::int64_t outputSteps = 0;
  double gain = 1;
  double limit = 1e300;
};
[[nodiscard]] runtime::Problem oscillator(const OscillatorOptions& options = {});

/// Functions that no compiler has made.
class WithoutCompiler : public runtime::Compiled {
public:
  [[nodiscard]] bool fromCache() const final { return false; }
  [[nodiscard]] double compileSeconds() const final { return 0; }
  [[nodiscard]] std::size_t codeBytes() const final { return 0; }
  [[nodiscard]] const std::string& ir() const final { return empty_; }
  [[nodiscard]] const std::string& assembly() const final { return empty_; }

private:
  std::string empty_;
};

/// The tape of that problem.
[[nodiscard]] const tape::Module& oscillatorTape();

/// A sink that keeps what it gets.
class Recorder final : public runtime::Sink {
public:
  void begin(const std::vector<runtime::Entry>& entries) override { columns = runtime::namesOf(entries); }
  void sample(double t, std::span<const double> values) override {
    times.push_back(t);
    rows.emplace_back(values.begin(), values.end());
  }
  void finish() override { ++finished; }

  std::vector<std::string> columns;
  std::vector<double> times;
  std::vector<std::vector<double>> rows;
  int finished = 0;
};

} // namespace lmc::test
