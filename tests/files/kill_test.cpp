// Runs that are killed at random moments: what is on the disk, and a run that goes on from the checkpoint, are the
// whole run, to the bit. Runs that are asked to end, by any signal, end well.
#include "Files.h"

#include <csignal>
#include <gtest/gtest.h>
#include <random>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace lmc::acceptance;
using namespace lmc::files;
using lmc::acceptance::Workspace;
namespace fs = std::filesystem;

namespace {

/// Starts the tool in the folder of the workspace.
pid_t start(const Workspace& w, const std::vector<std::string>& arguments) {
  const pid_t child = fork();
  if (child != 0) return child;
  if (chdir(w.path("").c_str()) != 0) _exit(126);
  setenv("LMC_CACHE_DIR", w.path("cache").c_str(), 1);
  std::vector<char*> argv{const_cast<char*>("lmc")};
  for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  execv(tool().c_str(), argv.data());
  _exit(127);
}

/// Its exit status; nothing if it was killed.
std::optional<int> end(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? std::optional<int>(WEXITSTATUS(status)) : std::nullopt;
}

/// The pieces of a run one after the other: of each what lies before all later ones.
Rows joined(const std::vector<std::optional<Rows>>& pieces) {
  Rows whole;
  double from = INFINITY; // of the later ones
  for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece) {
    if (!*piece || (*piece)->empty()) continue;
    Rows here;
    for (const auto& row : **piece)
      if (row[0] < from) here.push_back(row);
    from = std::min(from, (*piece)->front()[0]);
    whole.insert(whole.begin(), here.begin(), here.end());
  }
  return whole;
}

struct Case {
  std::string name, ending;
  std::vector<std::string> options;
};

class Killed : public testing::TestWithParam<Case> {};

} // namespace

TEST_P(Killed, TheDiskAndAResumedRunAreTheWhole) {
  const Case& c = GetParam();
  const Workspace w;
  w.write("m.lie", topModel);
  const auto arguments = [&](const std::string& output, const std::vector<std::string>& more) {
    std::vector<std::string> all{"run", "m.lie", "--quiet", "--output", output};
    all.insert(all.end(), c.options.begin(), c.options.end());
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_EQ(end(start(w, arguments("whole" + c.ending, {}))), 0);
  const std::chrono::duration<double> once = std::chrono::steady_clock::now() - begin;
  const auto whole = rowsOf(w.path("whole" + c.ending));
  ASSERT_TRUE(whole && whole->size() > 1000);

  std::mt19937 random(7);
  std::uniform_real_distribution<double> moment(0.02, 0.4);
  constexpr int mostPieces = 12;
  std::vector<std::optional<Rows>> pieces;
  int resumed = 0;
  for (bool done = false; !done;) {
    std::vector<std::string> more{"--checkpoint", "c.json", "--checkpoint-every", "0"};
    if (fs::exists(w.path("c.json"))) {
      more.insert(more.end(), {"--resume", "c.json"});
      ++resumed;
    }
    const std::string output = "piece" + std::to_string(pieces.size()) + c.ending;
    const pid_t child = start(w, arguments(output, more));
    if (pieces.size() < mostPieces) {
      std::this_thread::sleep_for(moment(random) * once);
      kill(child, SIGKILL);
    }
    const std::optional<int> status = end(child);
    done = status.has_value();
    if (done) {
      EXPECT_EQ(*status, 0);
    }
    pieces.push_back(rowsOf(w.path(output)));
    ASSERT_LE(pieces.size(), 2U * mostPieces);
  }
  EXPECT_GT(resumed, 1) << "the test was too fast to see anything";
  const Rows got = joined(pieces);
  ASSERT_EQ(got.size(), whole->size());
  for (std::size_t k = 0; k < got.size(); ++k) ASSERT_EQ(got[k], (*whole)[k]) << "sample " << k;
}

INSTANTIATE_TEST_SUITE_P(
    Files, Killed,
    testing::Values(Case{"csv", ".csv", {"--time", "0..12"}}, Case{"npz", ".npz", {"--time", "0..12"}},
                    Case{"h5", ".h5", {"--time", "0..12"}},
                    Case{"csvAdaptive", ".csv", {"--method", "RKMK54", "--tolerance", "1e-12", "--time", "0..300"}},
                    Case{"npzEvery", ".npz", {"--every", "3.3e-4", "--time", "0..40"}}),
    [](const auto& p) { return p.param.name; });

TEST(Asked, ARunEndsWellAndGoesOn) {
  for (const auto& [signal, status] : {std::pair{SIGHUP, 129}, {SIGTERM, 143}, {SIGINT, 130}, {SIGXCPU, 152}}) {
    const Workspace w;
    w.write("m.lie", topModel);
    const std::vector<std::string> run{"run", "m.lie", "--quiet", "--every", "0.1", "--time", "0..300"};
    const auto with = [&](std::vector<std::string> more) {
      more.insert(more.begin(), run.begin(), run.end());
      return more;
    };
    ASSERT_EQ(end(start(w, with({"--output", "whole.csv"}))), 0);
    const pid_t child = start(w, with({"--output", "a.csv", "--checkpoint", "c.json"}));
    for (int k = 0; k < 500 && !fs::exists(w.path("a.csv")); ++k)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    kill(child, signal);
    EXPECT_EQ(end(child), status) << strsignal(signal);
    ASSERT_TRUE(fs::exists(w.path("c.json"))) << strsignal(signal);
    ASSERT_EQ(end(start(w, with({"--output", "b.csv", "--resume", "c.json"}))), 0);
    // Not only the rows before those of the second file: nothing else is in the first one.
    const auto first = rowsOf(w.path("a.csv")), second = rowsOf(w.path("b.csv")), whole = rowsOf(w.path("whole.csv"));
    ASSERT_TRUE(first && second && whole);
    Rows both = *first;
    both.insert(both.end(), second->begin(), second->end());
    EXPECT_EQ(both, *whole) << strsignal(signal);
  }
}

TEST(Asked, TheSameCommandAgainLosesNothing) {
  for (const char* ending : {".csv", ".npz", ".h5"}) {
    const Workspace w;
    w.write("m.lie", topModel);
    const std::string run = std::string("$LMC run m.lie --quiet --every 0.01 --checkpoint c.json --output a") + ending;
    ASSERT_EQ(shell(w, "$LMC run m.lie --quiet --every 0.01 --time 0..3 --output whole" + std::string(ending)).status,
              0);
    ASSERT_EQ(shell(w, run + " --time 0..1").status, 0);
    const Said said = shell(w, run + " --time 0..2 --resume c.json");
    EXPECT_EQ(said.status, 0) << said.err;
    EXPECT_NE(said.err.find("holds the samples before the checkpoint"), std::string::npos) << said.err;
    ASSERT_EQ(shell(w, run + " --time 0..3 --resume c.json").status, 0);
    const auto name = [&](const char* stem) { return rowsOf(w.path(std::string(stem) + ending)); };
    EXPECT_EQ(joined({name("a.1"), name("a.2"), name("a")}), *name("whole")) << ending;
  }
}

TEST(Asked, NohupOutlivesTheTerminal) {
  const Workspace w;
  w.write("m.lie", topModel);
  const Said said =
      shell(w, "nohup $LMC run m.lie --time 0..8 --output a.csv --quiet & pid=$!; for i in {1..500}; do [ -e "
               "a.csv ] && break; sleep 0.01; done; kill -HUP $pid; wait $pid");
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_EQ(rowsOf(w.path("a.csv"))->back()[0], 8);
}
