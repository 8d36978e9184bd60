#include "bench/Measure.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <limits>
#include <thread>

namespace lmc::bench {

namespace {

std::string number(double value, const char* unit) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g %s", value, unit);
  return text.data();
}

/// Characters, not bytes, of UTF-8 text.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

} // namespace

Spread spreadOf(std::vector<double> values) {
  Spread s;
  s.repeats = static_cast<int>(values.size());
  if (values.empty()) {
    s.median = s.low = s.high = std::numeric_limits<double>::quiet_NaN();
    return s;
  }
  std::sort(values.begin(), values.end());
  const auto quantile = [&](double p) {
    const double place = p * double(values.size() - 1);
    const auto k = static_cast<std::size_t>(place);
    const double next = values[std::min(k + 1, values.size() - 1)];
    return values[k] + (next - values[k]) * (place - double(k));
  };
  s.low = quantile(0.25);
  s.median = quantile(0.5);
  s.high = quantile(0.75);
  return s;
}

nlohmann::json toJson(const Candidate& c) {
  return {{"method", c.method}, {"setting", c.setting}, {"seconds", c.seconds}, {"error", c.error}};
}

std::map<std::string, Candidate> fastest(const std::vector<Candidate>& all, double target) {
  std::map<std::string, Candidate> best;
  for (const Candidate& c : all) {
    if (!(c.error <= target)) continue; // not a number, too
    const auto [it, fresh] = best.emplace(c.peer, c);
    if (!fresh && c.seconds < it->second.seconds) it->second = c;
  }
  return best;
}

nlohmann::json toJson(const Spread& s) {
  return {{"median", s.median}, {"low", s.low}, {"high", s.high}, {"repeats", s.repeats}};
}

std::string duration(double seconds) {
  if (!std::isfinite(seconds)) return "-";
  if (seconds < 1e-6) return number(1e9 * seconds, "ns");
  if (seconds < 1e-3) return number(1e6 * seconds, "µs");
  if (seconds < 1) return number(1e3 * seconds, "ms");
  return number(seconds, "s");
}

std::string percent(const Spread& s) {
  if (!std::isfinite(s.median)) return "";
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "±%.1f%%", 50 * s.relative());
  return text.data();
}

std::string table(const std::vector<std::vector<std::string>>& lines) {
  std::vector<std::size_t> widths;
  for (const auto& line : lines) {
    widths.resize(std::max(widths.size(), line.size()), 0);
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], width(line[i]));
  }
  std::string out;
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::string padding(widths[i] - width(line[i]), ' ');
      if (i > 0) out += "  ";
      out += i == 0 ? line[i] + padding : padding + line[i];
    }
    while (out.back() == ' ') out.pop_back();
    out += '\n';
  }
  return out;
}

nlohmann::json machine() {
  std::string model = "unknown";
  std::ifstream cpus("/proc/cpuinfo");
  for (std::string line; std::getline(cpus, line);) {
    if (!line.starts_with("model name")) continue;
    model = line.substr(line.find(':') + 2);
    break;
  }
  return {{"processor", model}, {"cores", std::thread::hardware_concurrency()}, {"compiler", __VERSION__}};
}

Options readOptions(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--quick") {
      options.quick = true;
      options.repeats = 3;
    } else if (word == "--repeats" && i + 1 < argc && std::atoi(argv[i + 1]) > 0) {
      options.repeats = std::atoi(argv[++i]);
    } else if (word == "--json" && i + 1 < argc) {
      options.json = argv[++i];
    } else {
      std::cerr << "usage: " << argv[0] << " [--repeats N] [--json FILE] [--quick]\n";
      std::exit(2);
    }
  }
  return options;
}

void writeJson(const Options& options, const nlohmann::json& results) {
  if (!options.json.empty()) std::ofstream(options.json) << results.dump(2) << '\n';
}

} // namespace lmc::bench
