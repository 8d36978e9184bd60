#include "tool/runs/Certificate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace lmc::tool {

namespace {

constexpr double smallest = 1e-11; ///< that references at 1e-12 can tell, relative
constexpr std::size_t eventsKept = 1000;

/// A time within which an event happens in one of the runs and not yet in another.
struct Interval {
  double from = 0, to = 0;
};

/// Values at one sample: of the run, and what they are held against.
class Estimate {
public:
  explicit Estimate(int order) : part_(order > 0 ? 1 / (std::pow(2.0, order) - 1) : 0) {}
  [[nodiscard]] double best(double best, double other) const { return best + part_ * (best - other); }
  [[nodiscard]] double other(double other, double run) const { return other + part_ * (other - run); }

private:
  double part_;
};

/// Compares events in pairs, until their names differ. Returns the times at which samples say nothing.
std::vector<Interval> compareEvents(Certificate& c, const runtime::Trajectory& run, const References& r) {
  const std::array<const runtime::Trajectory*, 3> all = {&run, &r.best, &r.other};
  const Estimate estimate(r.order);
  std::vector<Interval> list;
  std::size_t most = 0;
  for (const runtime::Trajectory* t : all) most = std::max(most, t->events.size());
  for (std::size_t k = 0; k < most; ++k) {
    const bool same = std::all_of(all.begin(), all.end(), [&](const runtime::Trajectory* t) {
      return k < t->events.size() && k < run.events.size() && t->events[k].name == run.events[k].name;
    });
    if (!same || k + 1 == eventsKept) {
      for (const runtime::Trajectory* t : all)
        if (k < t->events.size()) c.until = std::min(c.until, t->events[k].time);
      if (!same)
        c.doubt = fmt::format("from t = {:.6g} on the run and the references do not have the same events", c.until);
      return list;
    }
    const double own = run.events[k].time, best = r.best.events[k].time, other = r.other.events[k].time;
    list.push_back({std::min({own, best, other}), std::max({own, best, other})});
    if (!c.eventTimes) c.eventTimes = CertifiedError{"the times of events"};
    const double e = std::abs(own - estimate.best(best, other));
    if (e >= c.eventTimes->error) c.eventTimes->error = e, c.eventTimes->time = own;
    c.eventTimes->disagreement =
        std::max(c.eventTimes->disagreement, std::abs(estimate.best(best, other) - estimate.other(other, own)));
    c.eventTimes->size = std::max(c.eventTimes->size, std::abs(own));
  }
  return list;
}

/// Where the numbers of a variable stand in a sample.
struct Place {
  std::size_t begin = 0, end = 0;
};

std::vector<Place> variables(Certificate& c, const runtime::Trajectory& run) {
  std::vector<Place> list;
  for (std::size_t k = 0; k < run.entries.size(); ++k) {
    if (list.empty() || run.entries[k].field != c.errors.back().name) {
      c.errors.push_back({run.entries[k].field});
      list.push_back({k, k});
    }
    list.back().end = k + 1;
  }
  return list;
}

/// A number that is none, or infinite, is larger than others, and stays.
double norm(double squares) {
  return std::isfinite(squares) ? std::sqrt(squares) : std::numeric_limits<double>::infinity();
}

using Row = std::span<const double>;

void compareSample(CertifiedError& e, const Place& p, const Estimate& estimate, double t,
                   const std::array<Row, 3>& rows) {
  double error = 0, disagreement = 0, size = 0;
  for (std::size_t k = p.begin; k < p.end; ++k) {
    const double best = estimate.best(rows[1][k], rows[2][k]), other = estimate.other(rows[2][k], rows[0][k]);
    error += (rows[0][k] - best) * (rows[0][k] - best);
    disagreement += (best - other) * (best - other);
    size += best * best;
  }
  if (norm(error) > e.error) e.error = norm(error), e.time = t;
  e.disagreement = std::max(e.disagreement, norm(disagreement));
  e.size = std::max(e.size, norm(size));
}

std::string phrase(const CertifiedError& e) {
  switch (e.certainty()) {
  case Certainty::Decided:
    return fmt::format("{:.2g} at t = {:.6g}, known to {:.1g}", e.error, e.time, e.disagreement);
  case Certainty::Bounded:
    return fmt::format("at most {:.2g}, too little for the references to tell", e.error + e.disagreement);
  case Certainty::Undecided:
    return fmt::format("undecided: the references differ by {:.2g}, the run from one of them by {:.2g}", e.disagreement,
                       e.error);
  }
  return {};
}

std::string word(Certainty certainty) {
  switch (certainty) {
  case Certainty::Decided:
    return "decided";
  case Certainty::Bounded:
    return "bounded";
  case Certainty::Undecided:
    return "undecided";
  }
  return {};
}

std::string line(const std::string& name, const std::string& value) {
  return fmt::format("  {:<14} {}\n", name, value);
}

nlohmann::ordered_json object(const CertifiedError& e) {
  const auto finite = [](double x) { return std::isfinite(x) ? nlohmann::ordered_json(x) : nlohmann::ordered_json(); };
  return {{"name", e.name},
          {"error", e.certainty() == Certainty::Undecided ? nlohmann::ordered_json() : finite(e.error)},
          {"difference", finite(e.error)},
          {"time", finite(e.time)},
          {"references_differ", finite(e.disagreement)},
          {"size", finite(e.size)},
          {"certainty", word(e.certainty())}};
}

} // namespace

Certainty CertifiedError::certainty() const {
  if (error + disagreement <= smallest * std::max(1.0, size)) return Certainty::Bounded;
  return std::isfinite(error) && disagreement <= error / 10 ? Certainty::Decided : Certainty::Undecided;
}

bool Certificate::undecided() const {
  const auto open = [](const CertifiedError& e) { return e.certainty() == Certainty::Undecided; };
  return !doubt.empty() || compared == 0 || std::any_of(errors.begin(), errors.end(), open) ||
         (eventTimes && open(*eventTimes));
}

std::vector<std::string> Certificate::missed() const {
  constexpr double factor = 100; // errors of steps add up, and grow on the way
  std::vector<std::string> list;
  for (const CertifiedError& e : errors)
    if (e.certainty() == Certainty::Decided &&
        e.error > (accuracy ? *accuracy * std::max(1.0, e.size) : factor * allowed * (1 + e.size)))
      list.push_back(e.name);
  return list;
}

std::string Certificate::verdict() const {
  if (!reason.empty()) return "none";
  if (undecided()) return "undecided";
  return missed().empty() ? "decided" : "missed";
}

std::string Certificate::text() const {
  if (!reason.empty()) return line("certified", "not: " + reason);
  std::string all = line("certified", fmt::format("{} samples up to t = {:.6g}, against {}{}", compared, until, against,
                                                  left == 0 ? "" : fmt::format("; {} are left out", left)));
  if (!dropped.empty()) all += line("not against", fmt::format("{}", fmt::join(dropped, "; ")));
  for (const CertifiedError& e : errors) all += line("error of " + e.name, phrase(e));
  if (eventTimes) all += line("error of times", phrase(*eventTimes) + " (of events)");
  if (!doubt.empty()) all += line("undecided", doubt);
  return all;
}

std::string Certificate::json() const {
  using nlohmann::ordered_json;
  ordered_json j;
  j["verdict"] = verdict();
  j["reason"] = reason.empty() ? ordered_json() : ordered_json(reason);
  if (reason.empty()) {
    j["against"] = against;
    j["independent"] = independent;
    j["dropped"] = dropped;
    j["samples"] = compared;
    j["left_out"] = left;
    j["until"] = until;
    j["errors"] = ordered_json::array();
    for (const CertifiedError& e : errors) j["errors"].push_back(object(e));
    j["event_times"] = eventTimes ? object(*eventTimes) : ordered_json();
    j["doubt"] = doubt.empty() ? ordered_json() : ordered_json(doubt);
    j["missed"] = missed();
  }
  return "\"certificate\": " + j.dump(2, ' ', false, ordered_json::error_handler_t::replace);
}

void compare(Certificate& c, const runtime::Trajectory& run, const References& r) {
  c.until = std::min({run.end, r.best.end, r.other.end});
  const std::vector<Interval> silent = compareEvents(c, run, r);
  const std::vector<std::ptrdiff_t> best = runtime::partners(run, r.best), other = runtime::partners(run, r.other);
  const std::vector<Place> places = variables(c, run);
  const Estimate estimate(r.order);
  const double near = 1e-13 * (std::abs(run.end) + std::abs(run.times.empty() ? 0 : run.times.front()));
  std::size_t next = 0;
  for (std::size_t i = 0; i < run.times.size(); ++i) {
    const double t = run.times[i];
    while (next < silent.size() && silent[next].to + near < t) ++next;
    const bool atEvent = next < silent.size() && silent[next].from - near <= t;
    if (atEvent || best[i] < 0 || other[i] < 0 || t > c.until + near) {
      ++c.left;
      continue;
    }
    ++c.compared;
    const std::array<Row, 3> rows = {run.at(i), r.best.at(static_cast<std::size_t>(best[i])),
                                     r.other.at(static_cast<std::size_t>(other[i]))};
    for (std::size_t k = 0; k < places.size(); ++k) compareSample(c.errors[k], places[k], estimate, t, rows);
  }
}

} // namespace lmc::tool
