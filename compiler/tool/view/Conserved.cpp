#include "tool/view/Conserved.h"

#include "checks/model/Symmetries.h"

#include <cmath>
#include <random>

namespace lmc::tool {

namespace {

constexpr std::size_t largestState = 48, mostStates = 240, mostQuantities = 8;

} // namespace

void StateRecorder::sample(double t, std::span<const double> values) {
  PassingSink::sample(t, values);
  if (problem_.initialState.size() > largestState || samples_++ % stride_ != 0) return;
  if (times_.size() == mostStates) {
    for (std::size_t k = 1; 2 * k < mostStates; ++k) {
      times_[k] = times_[2 * k];
      states_[k] = states_[2 * k];
    }
    times_.resize(mostStates / 2);
    states_.resize(mostStates / 2);
    stride_ *= 2;
    if ((samples_ - 1) % stride_ != 0) return;
  }
  std::vector<double> state(problem_.initialState.size());
  for (std::size_t k = 0; k < values.size(); ++k) { // those of a picture follow, and are not passed on
    const runtime::Column& c = columns_[k];
    if (c.role == runtime::Role::State) state[static_cast<std::size_t>(c.offset)] = values[k];
  }
  times_.push_back(t);
  states_.push_back(std::move(state));
}

ConservedPlot StateRecorder::conserved(products::Pipeline& pipeline) const {
  ConservedPlot plot;
  if (times_.size() < 2 || pipeline.system() == nullptr) return plot;
  (void)pipeline.within([&] {
    checks::StateSpace space(*pipeline.system(), problem_);
    checks::Symmetries symmetries(space);
    space.prepare();
    std::mt19937_64 engine(problem_.seed);
    std::vector<std::string> undecided;
    std::vector<checks::Conserved> list =
        symmetries.find(problem_.initialState, times_.front(), times_.back(), engine, undecided);
    if (list.size() > mostQuantities) list.resize(mostQuantities);
    if (list.empty()) return;
    std::vector<double> sizes;
    for (const checks::Conserved& c : list) {
      plot.names.push_back(c.name);
      sizes.push_back(c.size);
    }
    plot.changes.resize(list.size());
    std::vector<double> first;
    for (std::size_t r = 0; r < times_.size(); ++r) {
      const std::vector<checks::Reading> readings = symmetries.read(list, states_[r], times_[r]);
      plot.times.push_back(times_[r]);
      for (std::size_t k = 0; k < list.size(); ++k) {
        if (r == 0) first.push_back(readings[k].value);
        sizes[k] = std::max(sizes[k], readings[k].size);
        plot.changes[k].push_back(std::abs(readings[k].value - first[k]));
      }
    }
    for (std::size_t k = 0; k < list.size(); ++k)
      for (double& x : plot.changes[k]) x /= sizes[k] > 0 ? sizes[k] : 1;
  });
  return plot;
}

} // namespace lmc::tool
