// What a step costs a host program, over the step itself: calls of the interface against calls of the compiled
// function.
#include "bench/Measure.h"

#include "lmc/lmc.h"
#include "lmc/lmc.hpp"

#include <array>
#include <chrono>
#include <cstdio>
#include <functional>
#include <iostream>

namespace {

namespace bench = lmc::bench;

constexpr double h = 1e-4;

/// Seconds per step of each way. They take turns, in bursts shorter than a slice of the scheduler, so that what the
/// machine does besides meets all of them alike, and few of the bursts.
std::vector<lmc::bench::Spread> timesOf(const std::vector<std::function<void(std::int64_t)>>& ways,
                                        const lmc::bench::Options& options) {
  const std::int64_t steps = 2'000;
  const int bursts = (options.quick ? 20 : 100) * options.repeats;
  std::vector<std::vector<double>> seconds(ways.size());
  for (int r = 0; r <= bursts; ++r) {
    for (std::size_t k = 0; k < ways.size(); ++k) {
      const auto start = std::chrono::steady_clock::now();
      ways[k](steps);
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
      if (r > 0) seconds[k].push_back(elapsed.count() / static_cast<double>(steps)); // the first one warms up
    }
  }
  std::vector<lmc::bench::Spread> result;
  for (auto& s : seconds) result.push_back(lmc::bench::spreadOf(std::move(s)));
  return result;
}

std::string over(const lmc::bench::Spread& one, const lmc::bench::Spread& many) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%+.1f ns", 1e9 * (one.median - many.median));
  return text.data();
}

} // namespace

int main(int argc, char** argv) {
  const lmc::bench::Options options = lmc::bench::readOptions(argc, argv);
  std::vector<std::vector<std::string>> rows{{"time per step", "the function", "", "step(h)", "over it", "tryStep(h)",
                                              "over it", "C", "over it", "input and step", "over it",
                                              "many in a call"}};
  nlohmann::json results{{"bench", "host"}, {"machine", lmc::bench::machine()}, {"unit", "seconds per step"}};
  for (const std::string name : {"heavy_top", "pendulum_chain", "two_quadrotors"}) {
    lmc::Options compile;
    compile.fixedSteps = true;
    compile.method = "RKMK4";
    const std::string file = std::string(LMC_SOURCE_DIR "/examples/") + name + ".lie";
    const lmc::Compilation c = lmc::compileFile(file, compile);
    if (!c) {
      std::cerr << c.format();
      return 1;
    }
    lmc::Workspace w = c.model->workspace();
    lmc_options* cOptions = lmc_options_new();
    (void)lmc_options_set_fixed_steps(cOptions, 1);
    (void)lmc_options_set_method(cOptions, "RKMK4");
    lmc_compilation* compiled = nullptr;
    (void)lmc_compile_file(file.c_str(), cOptions, &compiled);
    lmc_model* model = lmc_compilation_model(compiled);
    lmc_workspace* cw = nullptr;
    if (lmc_workspace_new(model, &cw) != LMC_OK) return 1;
    const bool input = !c.model->inputs().empty();
    const std::vector<double> value(input ? static_cast<std::size_t>(c.model->inputs()[0].storage.size()) : 0, 9.0);
    const auto each = [&](auto body) {
      return [&w, body](std::int64_t n) {
        w.reset();
        for (std::int64_t k = 0; k < n; ++k) body();
      };
    };
    const lmc::StepFunction raw = w.stepFunction();
    std::vector<std::function<void(std::int64_t)>> ways{[&](std::int64_t n) {
                                                          w.reset();
                                                          double t = 0;
                                                          std::int64_t done = 0;
                                                          for (std::int64_t k = 0; k < n; ++k) {
                                                            done = 0;
                                                            (void)raw.function(raw.memory, &t, h, 1, &done);
                                                          }
                                                        },
                                                        each([&] { w.step(h); }), each([&] { (void)w.tryStep(h); }),
                                                        [&](std::int64_t n) {
                                                          lmc_workspace_reset(cw);
                                                          for (std::int64_t k = 0; k < n; ++k)
                                                            (void)lmc_workspace_step(cw, h);
                                                        },
                                                        [&](std::int64_t n) {
                                                          w.reset();
                                                          w.step(h, n);
                                                        }};
    if (input)
      ways.emplace_back(each([&] {
        w.setInput(std::size_t{0}, value);
        w.step(h);
      }));
    const std::vector<lmc::bench::Spread> t = timesOf(ways, options);
    std::vector<std::string> row{name, lmc::bench::duration(t[0].median), lmc::bench::percent(t[0])};
    nlohmann::json result{
        {"model", name}, {"function", lmc::bench::toJson(t[0])}, {"in_one_call", lmc::bench::toJson(t[4])}};
    for (const auto& [k, key] : {std::pair{1, "step"}, {2, "try_step"}, {3, "c_step"}, {5, "input_and_step"}}) {
      const auto which = static_cast<std::size_t>(k);
      row.push_back(which < t.size() ? lmc::bench::duration(t[which].median) : "-");
      row.push_back(which < t.size() ? over(t[which], t[0]) : "-");
      if (which < t.size()) result[key] = lmc::bench::toJson(t[which]);
    }
    row.push_back(lmc::bench::duration(t[4].median));
    rows.push_back(row);
    results["results"].push_back(result);
    lmc_workspace_free(cw);
    lmc_model_free(model);
    lmc_compilation_free(compiled);
    lmc_options_free(cOptions);
  }
  std::cout << lmc::bench::table(rows);
  lmc::bench::writeJson(options, results);
  return 0;
}
