// Repeated measurements and their printing.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace lmc::bench {

/// The middle of several measurements, and how far apart they lie.
struct Spread {
  double median = 0;
  double low = 0, high = 0; ///< the quartiles
  int repeats = 0;

  /// (high − low)/median.
  [[nodiscard]] double relative() const { return median > 0 ? (high - low) / median : 0; }
};

/// Not a number if there are none.
[[nodiscard]] Spread spreadOf(std::vector<double> values);

[[nodiscard]] nlohmann::json toJson(const Spread& s);

/// One solver with one setting (a step size or a tolerance): what it took, and how far its result is off.
struct Candidate {
  std::string peer, method;
  double setting = 0, seconds = 0, error = 0;
};
[[nodiscard]] nlohmann::json toJson(const Candidate& c);
/// Of each peer the fastest one with an error of at most `target`.
[[nodiscard]] std::map<std::string, Candidate> fastest(const std::vector<Candidate>& all, double target);

/// "123 ns", "4.56 µs", "7.89 ms", "1.23 s", "-" for not a number.
[[nodiscard]] std::string duration(double seconds);
/// "±3%": half the distance of the quartiles.
[[nodiscard]] std::string percent(const Spread& s);

/// Lines of columns, aligned by the widest; the first column to the left, the others to the right.
[[nodiscard]] std::string table(const std::vector<std::vector<std::string>>& lines);

/// The processor, the compiler, the build, for the head of a report.
[[nodiscard]] nlohmann::json machine();

/// The options that both programs understand.
struct Options {
  int repeats = 9;
  std::string json; ///< file to write; empty: none
  bool quick = false;
};

/// Reads `--repeats N --json FILE --quick`; ends the program with status 2 on anything else.
[[nodiscard]] Options readOptions(int argc, char** argv);

/// Writes the results if a file was asked for.
void writeJson(const Options& options, const nlohmann::json& results);

} // namespace lmc::bench
