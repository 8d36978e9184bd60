// The mutation fuzzer of whole files: changes the texts of a corpus, calls the tool with them, keeps what went wrong.
#include "fuzz/Mutation.h"
#include "fuzz/Watch.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>

namespace {

namespace fs = std::filesystem;
using namespace lmc::fuzz;

constexpr const char* usage =
    R"(usage: lmc_mutate --tool LMC --out FOLDER [--seconds S] [--first N] [--cases N] FOLDER|FILE.lie ...

Changes the .lie files of the folders and calls the tool with them. A case is made from its number alone: --first N
--cases 1 repeats case N. What goes wrong is kept in the folder of --out: the text, and what the tool said.
)";

struct Options {
  std::string tool, out;
  double seconds = 60;
  std::uint64_t first = 0;
  std::optional<std::uint64_t> cases;
  std::vector<std::string> corpus;
};

std::optional<Options> read(int argc, char** argv) {
  Options o;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (!word.starts_with("--")) {
      o.corpus.push_back(word);
      continue;
    }
    if (i + 1 == argc) return std::nullopt;
    const char* const value = argv[++i];
    if (word == "--tool")
      o.tool = fs::absolute(value);
    else if (word == "--out")
      o.out = fs::absolute(value);
    else if (word == "--seconds")
      o.seconds = std::strtod(value, nullptr);
    else if (word == "--first")
      o.first = std::strtoull(value, nullptr, 10);
    else if (word == "--cases")
      o.cases = std::strtoull(value, nullptr, 10);
    else
      return std::nullopt;
  }
  if (o.tool.empty() || o.out.empty() || o.corpus.empty()) return std::nullopt;
  return o;
}

/// Calls of the tool with a file: what a user does with one.
const std::vector<std::vector<std::string>>& calls() {
  static const std::vector<std::vector<std::string>> list = {
      {"check"},
      {"derive"},
      {"run", "--time", "0..0.01", "--quiet", "--progress", "never", "--output", "run.csv"},
      {"verify"},
  };
  return list;
}

class Fuzzer {
public:
  explicit Fuzzer(Options options) : o_(std::move(options)), corpus_(o_.corpus) {
    fs::create_directories(work_ = fs::path(o_.out) / "work");
  }

  int run() {
    if (corpus_.size() == 0) {
      std::cerr << "there are no .lie files\n";
      return 2;
    }
    const auto start = std::chrono::steady_clock::now();
    const auto elapsed = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    double told = 0;
    for (std::uint64_t n = o_.first; o_.cases ? n < o_.first + *o_.cases : elapsed() < o_.seconds; ++n) {
      one(n);
      if (elapsed() < told + 60) continue;
      told = elapsed();
      report(told);
    }
    report(elapsed());
    return found_.empty() ? 0 : 1;
  }

private:
  void one(std::uint64_t number) {
    const Corpus::Case c = corpus_.make(number);
    // Beside the original its imports and data are found.
    const fs::path file = work_ / "case.lie";
    std::ofstream(file, std::ios::binary) << c.text;
    ++cases_;
    for (const std::vector<std::string>& call : calls()) {
      std::vector<std::string> command = {o_.tool};
      command.insert(command.end(), call.begin(), call.end());
      for (const char* word : {"--limit-seconds", "6", "--limit-memory", "1500", "--import-path"})
        command.emplace_back(word);
      command.push_back(fs::absolute(corpus_.path(c.from)).parent_path().string());
      command.push_back(file.string());
      const Ending ending = watch(command, work_.string(), (work_ / "cache").string(), limits_);
      ++calls_;
      cpu_ += ending.seconds;
      if (const std::string what = fault(ending, limits_); !what.empty()) keep(number, call.front(), what, c, ending);
      // A text that is wrong for one is wrong for all.
      if (call.front() == "check" && ending.status != 0) {
        ++refused_;
        break;
      }
    }
    std::error_code ignored;
    if (cases_ % 2000 == 0) fs::remove_all(work_ / "cache", ignored);
  }

  void keep(std::uint64_t number, const std::string& command, const std::string& what, const Corpus::Case& c,
            const Ending& ending) {
    const std::string kind = command + " " + what;
    if (++found_[kind] > mostOfAKind) return;
    std::string name = kind;
    for (char& ch : name)
      if (ch == ' ') ch = '-';
    const fs::path base = fs::path(o_.out) / fmt::format("{}-{}", name, number);
    std::ofstream(base.string() + ".lie", std::ios::binary) << c.text;
    std::ofstream(base.string() + ".txt", std::ios::binary)
        << fmt::format("{} of a change of {}\n{}: status {}, {:.1f} s, {:.0f} MB\n", command, corpus_.path(c.from),
                       what, ending.status, ending.seconds, ending.megabytes)
        << ending.err.substr(0, 4000) << ending.out.substr(0, 2000);
    fmt::print("case {}: {} ({:.1f} s, {:.0f} MB), a change of {}\n", number, kind, ending.seconds, ending.megabytes,
               corpus_.path(c.from));
    std::fflush(stdout);
  }

  void report(double elapsed) const {
    fmt::print("{:.0f} s, {:.0f} s of processor time: {} cases, {} calls, {} refused by check", elapsed, cpu_, cases_,
               calls_, refused_);
    for (const auto& [kind, count] : found_) fmt::print("; {}: {}", kind, count);
    fmt::print("\n");
    std::fflush(stdout);
  }

  static constexpr std::size_t mostOfAKind = 40;

  Options o_;
  Corpus corpus_;
  WatchLimits limits_;
  fs::path work_;
  std::size_t cases_ = 0, calls_ = 0, refused_ = 0;
  double cpu_ = 0;
  std::map<std::string, std::size_t> found_;
};

} // namespace

int main(int argc, char** argv) {
  auto options = read(argc, argv);
  if (!options) {
    std::cerr << usage;
    return 2;
  }
  return Fuzzer(std::move(*options)).run();
}
