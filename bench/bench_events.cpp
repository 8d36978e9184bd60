// What events cost: a run of a model without any over the compiled steps alone, the look for one that never happens,
// and one that happens, in units of the steps of the run. Ratios of runs that take turns.
#include "bench/Measure.h"

#include "lmc/lmc.hpp"

#include <array>
#include <chrono>
#include <cstdio>
#include <iostream>

namespace {

namespace bench = lmc::bench;

constexpr double h = 1e-3;
constexpr std::int64_t steps = 20'000;

/// Two quadrotors with a load, or the heavy top: `events` stands before the first initial value.
lmc::Model modelOf(const std::string& name, const std::string& events) {
  lmc::Options options;
  options.fixedSteps = true;
  options.method = "RKMK4";
  const std::string file = std::string(LMC_SOURCE_DIR "/examples/") + name + ".lie";
  std::string text;
  if (FILE* in = std::fopen(file.c_str(), "rb")) {
    for (int c = std::fgetc(in); c != EOF; c = std::fgetc(in)) text += static_cast<char>(c);
    std::fclose(in);
  }
  text.insert(text.find("\n  initial") + 1, events);
  const lmc::Compilation c = lmc::compileText(file, text, options);
  if (!c) throw std::runtime_error(c.format());
  return *c.model;
}

template <class Body> double seconds(Body body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The time of a run of all steps, and how many events there were.
double run(lmc::Workspace& w, std::int64_t& events) {
  w.reset();
  lmc::RunSettings settings;
  settings.to = w.time() + static_cast<double>(steps) * h;
  settings.step = h;
  settings.everySteps = steps; // the ends alone
  lmc::RunResult result;
  const double taken = seconds([&] { result = w.run(settings); });
  if (!result) throw std::runtime_error("the run fails");
  events = result.jumps.empty() ? 0 : result.jumps[0].count;
  return taken;
}

double compiled(lmc::Workspace& w) {
  w.reset();
  const lmc::StepFunction f = w.stepFunction();
  double t = w.time();
  std::int64_t done = 0;
  return seconds([&] { (void)f.function(f.memory, &t, h, steps, &done); });
}

struct Case {
  std::string name, never, often;
};

} // namespace

int main(int argc, char** argv) {
  const bench::Options options = bench::readOptions(argc, argv);
  nlohmann::json results{{"bench", "events"}, {"machine", bench::machine()}};
  std::vector<std::vector<std::string>> rows{
      {"", "run/steps alone", "", "with an event that never happens", "", "an event, in steps", "", "events"}};
  const std::array<Case, 2> cases{
      Case{"heavy_top", "  event never = falling(1e9 - dot(Omega, Omega));\n",
           "  discrete hits : int = 0;\n  event turns = dot(e1, R*e1) { reset hits = hits + 1; }\n"},
      Case{"two_quadrotors", "  event never = falling(1e9 - dot(v, v));\n",
           "  discrete hits : int = 0;\n  event turns = sin(20*t) { reset hits = hits + 1; }\n"}};
  for (const Case& c : cases) {
    lmc::Workspace plain = modelOf(c.name, "").workspace(), watched = modelOf(c.name, c.never).workspace(),
                   often = modelOf(c.name, c.often).workspace();
    std::vector<double> over, watching, event;
    std::int64_t events = 0, none = 0;
    for (int round = 0; round <= options.repeats; ++round) {
      const double alone = compiled(plain), whole = run(plain, none), looked = run(watched, none),
                   happened = run(often, events);
      if (round == 0) continue;
      over.push_back(whole / alone);
      watching.push_back(looked / whole);
      event.push_back((happened - looked) / static_cast<double>(events) / (whole / static_cast<double>(steps)));
    }
    std::vector<std::string> row{c.name};
    for (const auto& values : {over, watching, event}) {
      const bench::Spread s = bench::spreadOf(values);
      std::array<char, 32> text{};
      std::snprintf(text.data(), text.size(), "%.3f", s.median);
      row.insert(row.end(), {text.data(), bench::percent(s)});
    }
    row.push_back(std::to_string(events));
    rows.push_back(row);
    results[c.name] = {{"run_over_steps", bench::toJson(bench::spreadOf(over))},
                       {"watching_over_run", bench::toJson(bench::spreadOf(watching))},
                       {"event_in_steps", bench::toJson(bench::spreadOf(event))},
                       {"events", events}};
  }
  std::cout << bench::table(rows);
  bench::writeJson(options, results);
  return 0;
}
