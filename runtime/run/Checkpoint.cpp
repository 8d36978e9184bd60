#include "runtime/run/Checkpoint.h"

#include "runtime/output/OutputFile.h"
#include "runtime/run/Events.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>

namespace lmc::runtime {

namespace {

using nlohmann::ordered_json;

constexpr int version = 6;
constexpr const char* versionKey = "lmc_checkpoint";
constexpr const char* checksumKey = "checksum";

std::string text(double x) {
  return std::isfinite(x) ? fmt::format("{:a}", x) : fmt::format("{}", x);
}

double number(const ordered_json& j) {
  const std::string s = j.get<std::string>();
  char* end = nullptr;
  const double x = std::strtod(s.c_str(), &end);
  if (s.empty() || *end != '\0') throw CheckpointError("`" + s + "` is not a number");
  return x;
}

ordered_json texts(const std::vector<double>& numbers) {
  ordered_json list = ordered_json::array();
  for (const double x : numbers) list.push_back(text(x));
  return list;
}

std::vector<double> numbers(const ordered_json& list) {
  std::vector<double> result;
  for (const ordered_json& x : list) result.push_back(number(x));
  return result;
}

/// The members of a checkpoint, one after the other: to JSON and from it by the same list.
template <class Visitor, class Record> void visit(Visitor&& v, Record& c) {
  v("model", c.model);
  v("method", c.method);
  v("code", c.code);
  v("parameters", c.parameters);
  v("time_from", c.timeFrom);
  v("step", c.step);
  v("adaptive", c.adaptive);
  v("tolerances", c.tolerances);
  v("controller", c.controller);
  v("outputs", c.outputs);
  v("time", c.time);
  v("state", c.state);
  v("steps", c.steps);
  v("rejected", c.rejected);
  v("evaluations", c.evaluations);
  v("iterations", c.iterations);
  v("samples", c.samples.count);
  v("sampled", c.sampled);
  v("first_energy", c.samples.firstEnergy);
  v("energy_difference", c.samples.energyDifference);
  v("defects", c.samples.defects);
  v("undefined", c.samples.undefined);
  v("next_step", c.nextStep);
  v("begun", c.begun);
  v("last_square", c.controllerMemory.lastSquare);
  v("last_rejected", c.controllerMemory.rejected);
  v("first_step", c.firstStep);
  v("smallest_step", c.smallestStep);
  v("largest_step", c.largestStep);
  v("stiffness_looks", c.stiffness.looks);
  v("stiffness_signs", c.stiffness.signs);
  v("stiffness_balance", c.stiffness.balance);
  v("stiffness_highest", c.stiffness.highest);
  v("event_signs", c.signs);
  v("samplings", c.jumps.ticks);
  v("jumps", c.jumps.counts);
  v("last_event", c.jumps.last);
  v("crowding", c.jumps.crowd);
  v("contacts", c.contacts);
}

class Writer {
public:
  explicit Writer(ordered_json& j) : j_(j) {}
  void operator()(const char* name, const std::string& x) { j_[name] = x; }
  void operator()(const char* name, bool x) { j_[name] = x; }
  void operator()(const char* name, std::int64_t x) { j_[name] = x; }
  void operator()(const char* name, double x) { j_[name] = text(x); }
  void operator()(const char* name, const std::vector<double>& x) { j_[name] = texts(x); }
  void operator()(const char* name, const std::vector<NamedArray>& arrays) {
    j_[name] = ordered_json::object();
    for (const NamedArray& a : arrays) j_[name][a.name] = {{"shape", a.shape}, {"values", texts(a.values)}};
  }

private:
  ordered_json& j_;
};

class Reader {
public:
  explicit Reader(const ordered_json& j) : j_(j) {}
  void operator()(const char* name, std::string& x) { x = j_.at(name).get<std::string>(); }
  void operator()(const char* name, bool& x) { x = j_.at(name).get<bool>(); }
  void operator()(const char* name, std::int64_t& x) {
    if (!j_.at(name).is_number_integer())
      throw CheckpointError(fmt::format("its {} is {}, not a whole number", name, j_.at(name).dump()));
    x = j_.at(name).get<std::int64_t>();
  }
  void operator()(const char* name, double& x) { x = number(j_.at(name)); }
  void operator()(const char* name, std::vector<double>& x) { x = numbers(j_.at(name)); }
  void operator()(const char* name, std::vector<NamedArray>& arrays) {
    for (const auto& [key, value] : j_.at(name).items())
      arrays.push_back({key, value.at("shape").get<std::vector<std::int64_t>>(), numbers(value.at("values"))});
  }

private:
  const ordered_json& j_;
};

std::string textOf(const ordered_json& j, int indent) {
  return j.dump(indent, ' ', false, ordered_json::error_handler_t::replace);
}

std::string checksumText(const ordered_json& without) {
  return fmt::format("{:016x}", checksumOf(textOf(without, -1)));
}

/// Why no run can have been there; empty if one can.
std::string nonsense(const Checkpoint& c) {
  const auto wrong = [](const char* what, const auto& value) { return fmt::format("its {} is {}", what, value); };
  if (!std::isfinite(c.time) || c.time < c.timeFrom) return wrong("time", c.time);
  if (!std::isfinite(c.timeFrom)) return wrong("begin", c.timeFrom);
  if (!std::isfinite(c.sampled)) return wrong("time of the last sample", c.sampled);
  for (const auto& [what, n] : {std::pair{"number of steps", c.steps},
                                {"number of rejected steps", c.rejected},
                                {"number of evaluations", c.evaluations},
                                {"number of iterations", c.iterations},
                                {"number of samples", c.samples.count}})
    if (n < 0) return wrong(what, n);
  const auto finite = [](double x) { return std::isfinite(x); };
  if (!std::all_of(c.state.begin(), c.state.end(), finite)) return "its state is not finite";
  for (const double n : c.jumps.ticks)
    if (!(n >= 0 && n < 0x1p53)) return wrong("number of samplings", n);
  if (c.adaptive) {
    if (!finite(c.nextStep) || c.nextStep <= 0) return wrong("next step", c.nextStep);
    return {};
  }
  if (!finite(c.step) || c.step <= 0) return wrong("step", c.step);
  const double apart = std::abs(c.time - (c.timeFrom + static_cast<double>(c.steps) * c.step));
  if (apart > 1e-3 * c.step + 1e-9 * std::abs(c.time))
    return fmt::format("{} steps of {} do not lead from {} to {}", c.steps, c.step, c.timeFrom, c.time);
  return {};
}

bool same(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

/// The first parameter that differs, as a sentence; empty if none does.
std::string otherParameter(const std::vector<NamedArray>& then, const std::vector<NamedArray>& now) {
  if (then.size() != now.size()) return "it has other parameters";
  for (std::size_t k = 0; k < now.size(); ++k) {
    if (then[k].name != now[k].name || then[k].values.size() != now[k].values.size())
      return fmt::format("it has other parameters (`{}`)", then[k].name);
    for (std::size_t i = 0; i < now[k].values.size(); ++i) {
      if (same(then[k].values[i], now[k].values[i])) continue;
      const std::string entry = now[k].values.size() == 1 ? "" : fmt::format(" (number {} of it)", i + 1);
      return fmt::format("its parameter {} is {}{}, here it is {}", now[k].name, then[k].values[i], entry,
                         now[k].values[i]);
    }
  }
  return {};
}

} // namespace

Checkpoint checkpointOf(const Problem& problem) {
  Checkpoint c;
  c.model = problem.model;
  c.method = problem.method;
  c.code = problem.codeKey;
  c.parameters = problem.parameters();
  c.timeFrom = problem.timeFrom;
  c.adaptive = problem.control.has_value();
  // The step of adaptive ones is the first one only.
  c.step = c.adaptive ? 0 : problem.step;
  if (c.adaptive) {
    c.tolerances = problem.control->tolerances;
    c.controller = controllerText(problem.control->controller, problem.control->safety);
  }
  return c;
}

std::uint64_t checksumOf(std::string_view bytes) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return hash;
}

void writeCheckpoint(const std::filesystem::path& file, const Checkpoint& checkpoint) {
  ordered_json j;
  j[versionKey] = version;
  visit(Writer(j), checkpoint);
  j[checksumKey] = checksumText(j);
  try {
    writeWhole(file, textOf(j, 1) + '\n', true);
  } catch (const OutputError& error) {
    throw CheckpointError("the checkpoint is not kept: " + std::string(error.what()));
  }
}

Checkpoint readCheckpoint(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw CheckpointError("cannot read the checkpoint `" + file.string() + "`");
  const auto refuse = [&](const std::string& why) -> CheckpointError {
    return CheckpointError("`" + file.string() + "` is not a checkpoint that can be read: " + why);
  };
  try {
    ordered_json j = ordered_json::parse(in);
    if (!j.is_object() || !j.contains(versionKey)) throw refuse("it does not say that it is one");
    if (j.at(versionKey) != version)
      throw refuse(fmt::format("it is of version {}, this lmc reads version {}", j.at(versionKey).dump(), version));
    const std::string told = j.at(checksumKey).get<std::string>();
    j.erase(checksumKey);
    if (told != checksumText(j)) throw refuse("it was changed since it was written, or is damaged");
    Checkpoint c;
    try {
      visit(Reader(j), c);
    } catch (const CheckpointError& error) {
      throw refuse(error.what());
    }
    if (const std::string why = nonsense(c); !why.empty()) throw refuse(why);
    return c;
  } catch (const nlohmann::json::parse_error&) {
    throw refuse("it is another text, or cut off");
  } catch (const nlohmann::json::exception&) {
    throw refuse("it has not the entries of one");
  }
}

std::string misfit(const Checkpoint& c, const Problem& p) {
  const Checkpoint now = checkpointOf(p);
  const auto differs = [](const char* what, const auto& then, const auto& here) {
    return fmt::format("its {} is {}, here it is {}", what, then, here);
  };
  if (c.model != now.model) return differs("model", c.model, now.model);
  if (c.method != now.method) return differs("method", c.method, now.method);
  if (std::string other = otherParameter(c.parameters, now.parameters); !other.empty()) return other;
  if (c.adaptive != now.adaptive)
    return c.adaptive ? "its steps are adaptive, here they are fixed" : "its steps are fixed, here they are adaptive";
  if (!c.adaptive && c.step != now.step) return differs("step", c.step, now.step);
  if (c.controller != now.controller) return differs("controller", c.controller, now.controller);
  if (c.tolerances != now.tolerances) return "its tolerances are others";
  if (c.timeFrom != now.timeFrom) return differs("time at the begin", c.timeFrom, now.timeFrom);
  if (c.code != now.code || static_cast<std::int64_t>(c.state.size()) != p.sizes[static_cast<int>(Role::State)])
    return "its compiled step is another one: the text of the model or of the method, the version of lmc or the "
           "processor has changed";
  if (c.time > p.timeTo) return fmt::format("it has reached {} already, and the run is to end at {}", c.time, p.timeTo);
  return {};
}

// --- what a checkpoint knows of events ------------------------------------------------------------------------

std::int32_t EventWatch::begin(double t, const std::vector<double>& memory) {
  const std::int32_t status = begin(t);
  const std::size_t n = signs_.size();
  if (memory.size() != 4 * n + 1) return status;
  before_.values.assign(n, 0);
  before_.rates.assign(n, 0);
  for (std::size_t k = 0; k < n; ++k) {
    rounded_[k] = std::abs(memory[k]) == 4;
    signs_[k] = rounded_[k] && memory[k] > 0 ? 0 : (memory[k] > 0) - (memory[k] < 0);
    presumed_[k] = std::abs(memory[k]) == 3;
    armed_[k] = presumed_[k] || std::abs(memory[k]) == 2;
    largest_[k] = memory[n + k];
    before_.values[k] = memory[2 * n + k];
    before_.rates[k] = memory[3 * n + k];
  }
  stepBefore_ = memory.back();
  return status;
}

std::vector<double> EventWatch::memory() const {
  const auto signOfEvent = [&](std::size_t k) {
    if (leavesByRounding(k)) return signs_[k] < 0 ? -4 : 4;
    if (!armed_[k]) return signs_[k];
    return signs_[k] * (presumed_[k] ? 3 : 2);
  };
  std::vector<double> list;
  for (std::size_t k = 0; k < signs_.size(); ++k) list.push_back(signOfEvent(k));
  list.insert(list.end(), largest_.begin(), largest_.end());
  for (const std::vector<double>* numbers : {&before_.values, &before_.rates})
    for (std::size_t k = 0; k < signs_.size(); ++k) {
      const double number = stepBefore_ > 0 ? (*numbers)[k] : 0;
      list.push_back(std::isfinite(number) ? number : 0);
    }
  list.push_back(stepBefore_);
  return list;
}

} // namespace lmc::runtime
