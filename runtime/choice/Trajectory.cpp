#include "runtime/choice/Trajectory.h"

#include "runtime/run/Grid.h"

#include <algorithm>
#include <map>
#include <utility>

namespace lmc::runtime {

std::vector<Entry> stateEntries(const Problem& problem) {
  std::vector<Entry> list;
  for (const Column& c : problem.columns())
    if (c.role == Role::State) list.push_back(c.entry);
  return list;
}

TrajectoryKeeper::TrajectoryKeeper(std::vector<Entry> entries, Sink* next) : PassingSink(next) {
  kept_.entries = std::move(entries);
}

void TrajectoryKeeper::begin(const std::vector<Entry>& columns) {
  std::map<std::string, std::size_t> places;
  for (std::size_t k = 0; k < columns.size(); ++k) places.emplace(columns[k].name(), k);
  for (const Entry& e : kept_.entries) {
    const auto found = places.find(e.name());
    complete_ = complete_ && found != places.end();
    if (complete_) columns_.push_back(found->second);
  }
  PassingSink::begin(columns);
}

void TrajectoryKeeper::sample(double t, std::span<const double> values) {
  complete_ = complete_ && static_cast<double>(kept_.numbers.size() + columns_.size()) <= trajectoryLimit;
  if (complete_) {
    kept_.times.push_back(t);
    for (const std::size_t c : columns_) kept_.numbers.push_back(values[c]);
  }
  PassingSink::sample(t, values);
}

Trajectory TrajectoryKeeper::take(const RunResult& result) {
  kept_.events = result.events;
  kept_.end = result.time;
  const auto listed = [&] { return !kept_.events.empty() && kept_.events.back().time == result.event->time; };
  if (result.event && !listed()) kept_.events.push_back(*result.event);
  return std::exchange(kept_, {});
}

std::vector<std::ptrdiff_t> partners(const Trajectory& run, const Trajectory& other) {
  const auto groupEnd = [](const std::vector<double>& times, std::size_t begin) {
    std::size_t end = begin;
    while (end < times.size() && sameTime(times[end], times[begin])) ++end;
    return end;
  };
  std::vector<std::ptrdiff_t> list(run.times.size(), -1);
  std::size_t j = 0;
  for (std::size_t i = 0; i < run.times.size();) {
    const std::size_t after = groupEnd(run.times, i);
    while (j < other.times.size() && other.times[j] < run.times[i] && !sameTime(other.times[j], run.times[i])) ++j;
    if (j < other.times.size() && sameTime(other.times[j], run.times[i])) {
      const std::size_t end = groupEnd(other.times, j);
      if (end - j == after - i)
        for (std::size_t k = 0; i + k < after; ++k) list[i + k] = static_cast<std::ptrdiff_t>(j + k);
      else
        list[after - 1] = static_cast<std::ptrdiff_t>(end) - 1;
      j = end;
    }
    i = after;
  }
  return list;
}

} // namespace lmc::runtime
