// Ensembles on threads without compiled code: samples one by one by the interpreter, and in lanes by a loop in C++, so
// that ThreadSanitizer sees what threads share (`./dev sanitize thread`). Every sample is known in closed form.
#include "Oscillator.h"
#include "runtime/ensemble/Ensemble.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

namespace lmc {
namespace {

using runtime::EnsembleBlock;
using runtime::EnsembleKeep;

constexpr int lanes = 4;
constexpr std::int64_t samples = 90;
constexpr double h = 0.125;

double gainOf(std::int64_t sample) {
  return 1 + 0.001 * static_cast<double>(sample);
}
/// A step that begins later is refused: this sample fails.
double limitOf(std::int64_t sample) {
  return sample == 37 || sample == 53 ? 0.5 : 1e300;
}

class Source final : public runtime::SampleSource {
public:
  std::int32_t make(std::int64_t sample, std::span<double> params, std::span<double> state,
                    std::span<double> varied) override {
    params[0] = gainOf(sample);
    params[1] = limitOf(sample);
    state[0] = 1;
    state[1] = state[2] = 0;
    state[3] = 1;
    varied[0] = params[0];
    return runtime::Ok;
  }
};

double& at(double* const* bases, runtime::Role role, int number, int lane) {
  return bases[static_cast<int>(role)][number * lanes + lane];
}

void observe(double* const* bases, const double* t, std::int32_t* /*statuses*/) {
  using enum runtime::Role;
  for (int l = 0; l < lanes; ++l) {
    const double x = at(bases, State, 0, l), v = at(bases, State, 1, l);
    at(bases, Output, 0, l) = 0.5 * (x * x + v * v);
    at(bases, Output, 1, l) = t[l];
    at(bases, Output, 2, l) = std::abs(at(bases, State, 2, l) - t[l]);
  }
}

void advance(double* const* bases, double t0, double step, std::int64_t first, std::int64_t n, std::int32_t* statuses,
             std::int64_t* done) {
  using enum runtime::Role;
  for (int l = 0; l < lanes; ++l)
    for (done[l] = first; statuses[l] == runtime::Ok && done[l] < first + n; ++done[l]) {
      if (t0 + static_cast<double>(done[l]) * step > at(bases, Params, 1, l)) {
        statuses[l] = runtime::SingularMass;
        break;
      }
      const double c = std::cos(step), s = std::sin(step);
      const double x = at(bases, State, 0, l), v = at(bases, State, 1, l);
      at(bases, State, 0, l) = c * x + s * v;
      at(bases, State, 1, l) = c * v - s * x;
      at(bases, State, 2, l) += step;
      at(bases, State, 3, l) *= at(bases, Params, 0, l);
    }
}

class InLanes final : public test::WithoutCompiler {
public:
  [[nodiscard]] Function function(int) const override { return nullptr; }
  [[nodiscard]] Advance advance() const override { return nullptr; }
  [[nodiscard]] LaneFunction laneFunction(int index) const override { return index == 1 ? &observe : nullptr; }
  [[nodiscard]] LaneAdvance laneAdvance() const override { return &lmc::advance; }
};

runtime::EnsembleProblem problem(bool inLanes) {
  runtime::EnsembleProblem e;
  e.problem = test::oscillator({.to = 2, .step = h, .outputSteps = 4});
  if (inLanes) {
    e.problem.code = std::make_shared<InLanes>();
    e.lanes = lanes;
  }
  e.length = 20;
  e.samples = samples;
  e.source = [] { return std::make_unique<Source>(); };
  e.varied = {{"gain", {}}};
  return e;
}

class Kept final : public runtime::EnsembleSink {
public:
  void take(const EnsembleBlock& block) override { blocks.push_back(block); }
  std::vector<EnsembleBlock> blocks;
};

void expectClosedForm(const EnsembleBlock& block, const runtime::EnsemblePlan& plan, std::size_t columns) {
  for (std::int64_t k = 0; k < block.count; ++k) {
    const std::int64_t sample = block.first + k;
    const bool fails = limitOf(sample) < 1;
    EXPECT_EQ(block.statuses[static_cast<std::size_t>(k)], fails ? runtime::SingularMass : runtime::Ok) << sample;
    EXPECT_EQ(block.varied[static_cast<std::size_t>(k)], gainOf(sample));
    for (std::size_t t = 0; t < plan.times.size(); ++t) {
      if (fails && plan.times[t] > 0.5) continue;
      const double* const row = &block.rows[(static_cast<std::size_t>(k) * plan.times.size() + t) * columns];
      EXPECT_NEAR(row[0], std::cos(plan.times[t]), 1e-14);
      EXPECT_NEAR(row[1], -std::sin(plan.times[t]), 1e-14);
      EXPECT_NEAR(row[3], std::pow(gainOf(sample), std::round(plan.times[t] / h)), 1e-13);
    }
  }
}

bool same(const EnsembleBlock& a, const EnsembleBlock& b) {
  const auto bits = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  return a.index == b.index && a.statuses == b.statuses && a.varied == b.varied && a.ends == b.ends &&
         a.moments.size() == b.moments.size() &&
         std::equal(a.rows.begin(), a.rows.end(), b.rows.begin(), b.rows.end(), bits) &&
         std::equal(a.moments.begin(), a.moments.end(), b.moments.begin(), [](const auto& x, const auto& y) {
           return x.count == y.count && x.mean == y.mean && x.squares == y.squares;
         });
}

} // namespace

TEST(EnsembleThreads, MakeTheSameBlocksInTheirOrder) {
  for (const bool inLanes : {false, true})
    for (const EnsembleKeep keep : {EnsembleKeep::All, EnsembleKeep::Statistics}) {
      const runtime::EnsembleProblem e = problem(inLanes);
      const runtime::EnsemblePlan plan = runtime::planEnsemble(e.problem, keep, samples, 7);
      Kept alone;
      for (const int threads : {1, 2, 5}) {
        Kept kept;
        std::atomic<int> finished = 0;
        std::atomic<double> seen = 0;
        runtime::EnsembleListeners listeners;
        listeners.sink = &kept;
        listeners.finished = [&](const EnsembleBlock&) { ++finished; };
        listeners.progress = [&](double part) {
          seen = part;
          return true;
        };
        const runtime::EnsembleResult result = runtime::runEnsemble(e, plan, threads, listeners);
        EXPECT_EQ(result.samples, samples);
        EXPECT_EQ(result.failed, 2);
        EXPECT_EQ(result.firstFailure, 37);
        EXPECT_LE(seen, 1);
        EXPECT_EQ(finished, plan.blocks(samples));
        ASSERT_EQ(kept.blocks.size(), static_cast<std::size_t>(plan.blocks(samples)));
        if (threads == 1) alone.blocks = kept.blocks;
        for (std::size_t k = 0; k < kept.blocks.size(); ++k) {
          EXPECT_EQ(kept.blocks[k].index, static_cast<std::int64_t>(k));
          EXPECT_TRUE(same(kept.blocks[k], alone.blocks[k])) << k << " with " << threads << " threads";
          if (keep == EnsembleKeep::All) expectClosedForm(kept.blocks[k], plan, e.problem.columnCount());
        }
      }
    }
}

TEST(EnsembleThreads, GoOnFromBlocksThatAreKnown) {
  for (const bool inLanes : {false, true}) {
    const runtime::EnsembleProblem e = problem(inLanes);
    const runtime::EnsemblePlan plan = runtime::planEnsemble(e.problem, EnsembleKeep::Final, samples, 7);
    Kept first, second;
    runtime::EnsembleListeners listeners;
    listeners.sink = &first;
    (void)runtime::runEnsemble(e, plan, 3, listeners);
    listeners.sink = &second;
    listeners.known = [&](std::int64_t index, EnsembleBlock& block) {
      if (index % 3 == 1) return false;
      block = first.blocks[static_cast<std::size_t>(index)];
      return true;
    };
    EXPECT_EQ(runtime::runEnsemble(e, plan, 3, listeners).samples, samples);
    ASSERT_EQ(first.blocks.size(), second.blocks.size());
    for (std::size_t k = 0; k < first.blocks.size(); ++k) EXPECT_TRUE(same(first.blocks[k], second.blocks[k])) << k;
  }
}

TEST(EnsembleThreads, StopWhereTheyAreToldTo) {
  for (const bool inLanes : {false, true}) {
    runtime::EnsembleProblem e = problem(inLanes);
    e.problem.timeTo = 1e6; // for ever
    const runtime::EnsemblePlan plan = runtime::planEnsemble(e.problem, EnsembleKeep::Final, samples, 7);
    Kept kept;
    runtime::EnsembleListeners listeners;
    listeners.sink = &kept;
    listeners.progress = [](double) { return false; };
    EXPECT_TRUE(runtime::runEnsemble(e, plan, 3, listeners).interrupted);
    EXPECT_LT(kept.blocks.size(), static_cast<std::size_t>(plan.blocks(samples)));
  }
}

TEST(EnsembleThreads, PassOnWhatASinkThrows) {
  class Full final : public runtime::EnsembleSink {
  public:
    void take(const EnsembleBlock& block) override {
      if (block.index == 4) throw runtime::OutputError("no space is left");
    }
  } full;
  const runtime::EnsembleProblem e = problem(true);
  const runtime::EnsemblePlan plan = runtime::planEnsemble(e.problem, EnsembleKeep::Final, samples, 7);
  runtime::EnsembleListeners listeners;
  listeners.sink = &full;
  EXPECT_THROW((void)runtime::runEnsemble(e, plan, 3, listeners), runtime::OutputError);
}

} // namespace lmc
