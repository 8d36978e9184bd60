#include "runtime/run/Summary.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace lmc::runtime {

namespace {

std::string duration(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.3g} us", 1e6 * seconds);
  if (seconds < 1) return fmt::format("{:.3g} ms", 1e3 * seconds);
  if (seconds < 60) return fmt::format("{:.3g} s", seconds);
  const auto whole = static_cast<long long>(seconds);
  return fmt::format("{} min {} s", whole / 60, whole % 60);
}

std::string counted(std::int64_t n, const char* noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

/// "12 times, from t = 0.5 to 3.5"
std::string happened(const JumpCount& j) {
  if (j.count == 1) return fmt::format("once, at t = {:.12g}", j.first);
  return fmt::format("{} times, from t = {:.12g} to {:.12g}", j.count, j.first, j.last);
}

std::string line(const std::string& name, const std::string& value) {
  return fmt::format("  {:<14} {}\n", name, value);
}

/// Of a method that steps contacts.
std::string contactLines(const ContactReport& c) {
  const auto perStep = [&](std::int64_t n) { return static_cast<double>(n) / static_cast<double>(c.steps); };
  if (c.steps == 0) return line("contacts", "none has acted");
  std::string text = line("contacts", fmt::format("{:.3g} act in a step, {} at most; {:.3g} sweeps over them",
                                                  perStep(c.acting), c.most, perStep(c.sweeps)));
  text += line("impulses", fmt::format("residual {:.3g} at most, of {:.3g}; {}", c.residual, c.tolerance,
                                       c.stalled == 0 ? "no step stalled" : counted(c.stalled, "step") + " stalled"));
  if (c.gains > 0)
    text += line("", fmt::format("those of {} added energy, {:.3g} at most", counted(c.gains, "step"), c.gain));
  return text + line("penetration",
                     c.penetration > 0 ? fmt::format("{:.3g} at most, of {}", c.penetration, c.deepest) : "none");
}

/// What is known of the error of a run whose method was chosen.
std::string expectation(const ChosenMethod& c, double end) {
  std::string text = fmt::format("{:.1e}, measured on trials ", c.expected);
  if (c.growth.empty()) return text + "of the whole run";
  return text + fmt::format("up to t = {:.6g}; from there to {:.6g} it grows {}", c.until, end, c.growth);
}

std::string othersTried(const ChosenMethod& c) {
  std::string names;
  for (const TriedMethod& t : c.tried)
    if (!t.why.empty()) names += (names.empty() ? "" : ", ") + t.name;
  return names.empty() ? names : " (tried, too: " + names + ")";
}

nlohmann::ordered_json chosenJson(const std::optional<ChosenMethod>& c) {
  using nlohmann::ordered_json;
  if (!c) return nullptr;
  const auto text = [](const std::string& s) { return s.empty() ? ordered_json() : ordered_json(s); };
  ordered_json tried = ordered_json::array();
  for (const TriedMethod& t : c->tried)
    tried.push_back({{"method", t.name},
                     {"operations", std::isfinite(t.operations) ? ordered_json(t.operations) : ordered_json()},
                     {"why", text(t.why)}});
  return {{"accuracy", c->accuracy},    {"tolerance", c->tolerance}, {"expected_error", c->expected},
          {"measured_until", c->until}, {"growth", text(c->growth)}, {"doubt", text(c->doubt)},
          {"tried", std::move(tried)}};
}

} // namespace

std::string summaryText(const Summary& s) {
  const RunResult& r = s.result;
  std::string text = fmt::format("{}, {}\n", s.model, s.method);
  text += line("time", fmt::format("{} .. {}", s.timeFrom, r.time) + (r.interrupted ? " (interrupted)" : ""));
  if (r.event) text += line("stopped", fmt::format("{} at t = {}", r.event->name, r.event->time));
  for (const JumpCount& j : r.jumps) text += line(j.name, happened(j));
  if (s.chosen) {
    text += line("chosen", fmt::format("{} at tolerance {:.1e} for an accuracy of {:.2g}{}", s.method,
                                       s.chosen->tolerance, s.chosen->accuracy, othersTried(*s.chosen)));
    text += line("expected error", expectation(*s.chosen, r.time));
    if (!s.chosen->doubt.empty()) text += line("unknown", s.chosen->doubt);
  }
  if (r.sizes) {
    text += line("steps", fmt::format("{}, {} rejected", r.steps, r.rejected));
    text += line("step size", fmt::format("{:.3g} at first, then {:.3g} .. {:.3g}", r.sizes->first, r.sizes->smallest,
                                          r.sizes->largest));
  } else {
    text += line("steps", fmt::format("{} of {}", r.steps, s.step));
  }
  text += line("evaluations", fmt::format("{}", r.evaluations));
  if (r.iterations > 0) {
    const auto trials = static_cast<double>(std::max<std::int64_t>(r.steps + r.rejected, 1));
    text +=
        line("iterations", fmt::format("{} ({:.3g} a step)", r.iterations, static_cast<double>(r.iterations) / trials));
  }
  if (looksStiff(r.stiffness))
    text += line("stiff", fmt::format("at {} of {} looks stability held the steps back, and not accuracy",
                                      r.stiffness.signs, r.stiffness.looks));
  constexpr std::size_t doubtsShown = 5;
  for (std::size_t k = 0; k < std::min(r.doubts.size(), doubtsShown); ++k) {
    const EventDoubt& d = r.doubts[k];
    text +=
        line("undecided", fmt::format("{} comes to {:.2g} at t = {:.12g}, nearer to zero than the error of the run; "
                                      "it was taken to {}",
                                      d.name, d.value, d.time, d.happened ? "cross it" : "stay on its side"));
  }
  if (r.doubts.size() > doubtsShown)
    text += line("", fmt::format("and so at {} more times", r.doubts.size() - doubtsShown));
  for (const Undefined& u : r.undefined)
    text += line(u.name, fmt::format("not a number at {} of {} samples, from t = {}", u.samples, r.samples, u.time));
  if (r.energyError && !std::isnan(*r.energyError))
    text += line(s.energyChanges ? "change of energy" : "energy error", fmt::format("{:.3g}", *r.energyError));
  if (r.contacts) text += contactLines(*r.contacts);
  for (const Defect& defect : r.defects) text += line("defect of " + defect.name, fmt::format("{:.3g}", defect.value));
  if (!s.output.empty()) text += line("output", fmt::format("{}, {}", s.output, counted(r.samples, "sample")));
  text += line("compile", duration(s.compileSeconds) +
                              fmt::format(" ({} bytes of code{})", s.codeBytes, s.fromCache ? ", from the cache" : ""));
  text += line("run", duration(r.seconds) +
                          (r.steps > 0 ? fmt::format(" ({} a step)", duration(r.seconds / double(r.steps))) : ""));
  return text;
}

std::string summaryJson(const Summary& s, const std::string& members) {
  using nlohmann::ordered_json;
  const RunResult& r = s.result;
  ordered_json j;
  j["model"] = s.model;
  j["method"] = s.method;
  j["step"] = r.sizes ? ordered_json(nullptr) : ordered_json(s.step);
  j["steps"] = r.steps;
  j["rejected"] = r.rejected;
  j["evaluations"] = r.evaluations;
  j["iterations"] = r.iterations;
  if (r.sizes) {
    j["first_step"] = r.sizes->first;
    j["smallest_step"] = r.sizes->smallest;
    j["largest_step"] = r.sizes->largest;
    j["stiff"] = looksStiff(r.stiffness);
  }
  j["chosen"] = chosenJson(s.chosen);
  j["samples"] = r.samples;
  j["final_time"] = r.time;
  j["energy_error"] = r.energyError ? ordered_json(*r.energyError) : ordered_json(nullptr);
  j["defects"] = ordered_json::object();
  for (const Defect& defect : r.defects) j["defects"][defect.name] = defect.value;
  j["compile_seconds"] = s.compileSeconds;
  j["run_seconds"] = r.seconds;
  j["from_cache"] = s.fromCache;
  j["code_bytes"] = s.codeBytes;
  j["output"] = s.output.empty() ? ordered_json(nullptr) : ordered_json(s.output);
  j["interrupted"] = r.interrupted;
  j["event"] = nullptr;
  if (r.event) j["event"] = {{"name", r.event->name}, {"time", r.event->time}};
  j["events"] = ordered_json::array();
  for (const EventFound& e : r.events) j["events"].push_back({{"name", e.name}, {"time", e.time}});
  j["jumps"] = ordered_json::array();
  for (const JumpCount& c : r.jumps)
    j["jumps"].push_back({{"name", c.name}, {"count", c.count}, {"first", c.first}, {"last", c.last}});
  if (r.contacts) {
    const ContactReport& c = *r.contacts;
    j["contacts"] = {
        {"steps", c.steps},         {"acting", c.acting},           {"most", c.most},       {"sweeps", c.sweeps},
        {"tolerance", c.tolerance}, {"residual", c.residual},       {"stalled", c.stalled}, {"gains", c.gains},
        {"gain", c.gain},           {"penetration", c.penetration}, {"deepest", c.deepest}};
  }
  j["undecided_events"] = ordered_json::array();
  for (const EventDoubt& d : r.doubts)
    j["undecided_events"].push_back({{"name", d.name}, {"time", d.time}, {"value", d.value}, {"happened", d.happened}});
  j["undefined"] = ordered_json::array();
  for (const Undefined& u : r.undefined)
    j["undefined"].push_back({{"name", u.name}, {"time", u.time}, {"samples", u.samples}, {"expected", u.expected}});
  j["failure"] = nullptr;
  if (r.failure) j["failure"] = {{"time", r.failure->time}, {"cause", r.failure->cause}};
  std::string text = j.dump(2, ' ', false, ordered_json::error_handler_t::replace);
  if (members.empty()) return text;
  text.erase(text.size() - 2); // "\n}"
  return text + ",\n  " + members + "\n}";
}

} // namespace lmc::runtime
