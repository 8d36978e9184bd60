// Parts that are merged give the bytes of one process; what is not the whole of one study is refused by name.
#include "Ensembles.h"
#include "Shell.h"

#include <fstream>

using namespace lmc::acceptance;

namespace {

class Kept : public testing::TestWithParam<const char*> {};

void expectRefused(const Workspace& w, const std::string& line, int status, const std::string& code,
                   const std::string& words) {
  const Outcome o = shell(w, line);
  EXPECT_EQ(o.status, status) << line << "\n" << o.err;
  EXPECT_NE(o.err.find(code), std::string::npos) << line << "\n" << o.err;
  EXPECT_NE(o.err.find(words), std::string::npos) << line << "\n" << o.err;
}

} // namespace

TEST_P(Kept, PartsAreTheWhole) {
  const Workspace w;
  const std::string keep = std::string(" --keep ") + GetParam();
  for (const std::string& base : {study, adaptive}) {
    const Outcome o =
        shell(w, "set -e\nfor e in csv npz h5; do " + base + keep + R"( --output one.$e; done
for n in 1 2 3 4 5 6 7; do
  for k in $(seq $n); do
    )" + base + keep +
                     R"( --part $k/$n --threads $(((n + k) % 8 + 1)) --lanes $((1 << (n + k) % 5)) --output p$k.lmcpart
  done
  $LMC merge p?.lmcpart --quiet
  for e in csv npz h5; do $LMC merge $(ls -r p?.lmcpart) --quiet --output all.$e; cmp all.$e one.$e; done
  rm p?.lmcpart
done)");
    EXPECT_EQ(o.status, 0) << o.out << o.err;
    const auto table = parseCsv(readFile(w.path("one.csv")));
    ASSERT_TRUE(table && !table->rows.empty());
    if (base != study || GetParam() != std::string("final")) continue;
    int failed = 0;
    for (std::size_t k = 0; k < table->rows.size(); ++k) failed += table->at(k, "status") != 0 ? 1 : 0;
    EXPECT_EQ(failed, 71);
  }
}

INSTANTIATE_TEST_SUITE_P(Parts, Kept, testing::Values("final", "statistics", "all"),
                         [](const auto& p) { return std::string(p.param); });

TEST(Parts, GoOnWhereTheyWereKilled) {
  const Workspace w;
  ASSERT_EQ(shell(w, "set -e\nfor e in csv npz h5; do " + study + " --keep all --output one.$e; done; " + study +
                         " --keep all --part 1/2 --output a.lmcpart; " + study +
                         " --keep all --part 2/2 --output b.lmcpart && cp b.lmcpart whole")
                .status,
            0);
  const std::string whole = readFile(w.path("whole"));
  // Cut off anywhere: in the first line, in the head, between two blocks, within one; or damaged, or with more behind.
  for (const double part : {0.0, 1e-4, 0.01, 0.3, 0.62, 0.999}) {
    std::ofstream(w.path("b.lmcpart"), std::ios::binary | std::ios::trunc)
        << whole.substr(0, static_cast<std::size_t>(part * static_cast<double>(whole.size())));
    EXPECT_EQ(shell(w, "$LMC merge a.lmcpart b.lmcpart --output x.csv").status, 1) << part;
    EXPECT_FALSE(std::filesystem::exists(w.path("x.csv"))) << "nothing is written of what is not whole";
    const Outcome o = shell(w, "set -e\n" + study +
                                   " --keep all --part 2/2 --threads 3 --output b.lmcpart\n"
                                   "for e in csv npz h5; do $LMC merge a.lmcpart b.lmcpart --quiet --output all.$e; "
                                   "cmp all.$e one.$e; done");
    EXPECT_EQ(o.status, 0) << part << o.out << o.err;
  }
  std::string damaged = whole;
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 1);
  std::ofstream(w.path("b.lmcpart"), std::ios::binary | std::ios::trunc) << damaged;
  expectRefused(w, "$LMC merge a.lmcpart b.lmcpart --output x.csv", 1, "LIE0681",
                "`b.lmcpart`, part 2 of 2, is damaged");
  EXPECT_EQ(shell(w, study + " --keep all --part 2/2 --output b.lmcpart && cmp b.lmcpart whole").status <= 1, true);
  EXPECT_EQ(shell(w, "$LMC merge a.lmcpart b.lmcpart --quiet --output all.csv && cmp all.csv one.csv").status, 0);
}

TEST(Parts, OfProcessesThatAreKilledGoOn) {
  const Workspace w;
  const std::string longer = "$LMC ensemble '" + example("heavy_top") +
                             "' --quiet --samples 20000 --time 0..1 --vary 'm ~ normal(15, 1)' --threads 2";
  const Outcome o = shell(w, "set -e\nfor e in csv npz h5; do " + longer + " --output one.$e; done\n" + longer +
                                 R"( --part 2/2 --output b.lmcpart
for t in 0.05 0.1 0.15 0.2; do timeout -s KILL $t )" +
                                 longer +
                                 R"( --part 1/2 --output a.lmcpart || true; done
)" + longer + R"( --part 1/2 --output a.lmcpart
for e in csv npz h5; do $LMC merge a.lmcpart b.lmcpart --quiet --output all.$e; cmp all.$e one.$e; done)");
  EXPECT_EQ(o.status, 0) << o.out << o.err;
}

TEST(Parts, OneMakerAPart) {
  const Workspace w;
  ASSERT_EQ(shell(w, study + " --part 1/2 --output a.lmcpart").status, 0);
  // The lock is held by another process: flock(1) has locks of another kind, so a second lmc it is.
  const std::string longer = "$LMC ensemble '" + example("heavy_top") +
                             "' --quiet --samples 100000 --time 0..10 --vary 'm ~ normal(15, 1)' --part 1/2 --output "
                             "c.lmcpart";
  const Outcome o = shell(w, longer + " & p=$!; for i in {1..400}; do [ -s c.lmcpart ] && break; sleep 0.02; done; " +
                                 longer + "; s=$?; kill $p; wait $p; exit $s");
  EXPECT_EQ(o.status, 3) << o.err;
  EXPECT_NE(o.err.find("another process is making `c.lmcpart`"), std::string::npos) << o.err;
}

TEST(Parts, WhatIsNotTheWholeIsNamed) {
  const Workspace w;
  ASSERT_EQ(shell(w, "for k in 1 2 3; do " + study + " --part $k/3 --output p$k.lmcpart; done; cp p2.lmcpart twice; " +
                         study + " --part 2/4 --output four.lmcpart; " + study +
                         " --set J='diag(0.2,0.5,0.2)' --part 3/3 --output j.lmcpart; " + study +
                         " --seed 7 --part 3/3 --output seed.lmcpart; sed 's/a fixed point/one fixed point/' '" +
                         example("heavy_top") + "' >m.lie")
                .status,
            0);
  const auto refused = [&](const std::string& files, const std::string& words) {
    expectRefused(w, "$LMC merge " + files + " --output x.csv", 1, "LIE0681", words);
    EXPECT_FALSE(std::filesystem::exists(w.path("x.csv")));
  };
  refused("p1.lmcpart p3.lmcpart", "part 2 of 3 is missing: samples 64..127, 256..319, 448..499");
  refused("p1.lmcpart p3.lmcpart", "--part 2/3");
  refused("p1.lmcpart p2.lmcpart p3.lmcpart twice", "`p2.lmcpart` and `twice` are both part 2 of 3");
  refused("p1.lmcpart four.lmcpart p3.lmcpart", "`four.lmcpart` is part 2 of 4");
  refused("p1.lmcpart p2.lmcpart j.lmcpart", "it has other parameters");
  refused("p1.lmcpart p2.lmcpart seed.lmcpart", "its seed is");
  refused("p1.lmcpart p2.lmcpart m.lie", "`m.lie` is not a part");
  const Outcome other = shell(w, "$LMC ensemble m.lie --quiet --samples 500 --time 0..0.02 --vary 'm ~ normal(15, 1)' "
                                 "--vary 'Omega[1] ~ read(\"t.csv\")' --part 3/3 --output text.lmcpart");
  ASSERT_EQ(other.status, 0) << other.err;
  refused("p1.lmcpart p2.lmcpart text.lmcpart", "the text of its model");
  // A part is not written over, and the files of a merge are not, either.
  expectRefused(w, study + " --part 2/3 --output p1.lmcpart", 1, "LIE0681", "is part 1 of 3 of this study");
  expectRefused(w, study + " --seed 7 --part 1/3 --output p1.lmcpart", 1, "LIE0681", "another study");
  expectRefused(
      w, study + " --part 1/3 --output m.lmcpart; cp m.lie n.lmcpart; " + study + " --part 1/3 --output n.lmcpart", 1,
      "LIE0681", "is not written over");
  EXPECT_EQ(readFile(w.path("n.lmcpart")), readFile(w.path("m.lie")));
  EXPECT_EQ(shell(w, "$LMC merge p1.lmcpart p2.lmcpart p3.lmcpart --output p1.lmcpart").status, 2);
  EXPECT_EQ(shell(w, "$LMC merge").status, 2);
  EXPECT_EQ(shell(w, "$LMC merge missing.lmcpart").status, 2);
}

TEST(Parts, WrongUseIsTold) {
  const Workspace w;
  expectRefused(w, study + " --part 5/4 --output a.lmcpart", 1, "LIE0680", "there is no part 5 of 4");
  expectRefused(w, study + " --part auto --output a.lmcpart", 1, "LIE0680", "SLURM_ARRAY_TASK_ID");
  expectRefused(w, study + " --part 1/4 --output a.h5", 1, "LIE0680", "NAME.lmcpart");
  expectRefused(w, study + " --part 1/4", 1, "LIE0680", "NAME.lmcpart");
  expectRefused(w, study + " --part 1/4 --mpi --output a.lmcpart", 1, "LIE0680", "two ways");
  expectRefused(w, study + " --part 1/4 --checkpoint c --output a.lmcpart", 1, "LIE0680", "keeps every finished block");
  expectRefused(w, study + " --part 1/4 --output no/such/a.lmcpart", 2, "cannot write", "no/such/a.lmcpart");
  expectRefused(w, "ulimit -f 8; " + study + " --part 1/1 --keep all --output a.lmcpart", 1, "LIE0683", "ulimit -f");
  EXPECT_FALSE(std::filesystem::exists(w.path("a.lmcpart")));
  expectRefused(w, "ulimit -f 8; " + study + " --keep all --output a.h5", 1, "LIE0683", "ulimit -f");
  EXPECT_FALSE(std::filesystem::exists(w.path("a.h5")));
  // More parts than blocks are no failure of a job: the part is there, without samples, and merges.
  expectRefused(w, study + " --part 11/11 --output p11.lmcpart", 0, "LIE0680", "part 11 of 11 has no samples");
  const Outcome o = shell(w, "set -e\nfor k in $(seq 10); do SLURM_ARRAY_TASK_ID=$k " + study +
                                 " --part auto/11 --output p$k.lmcpart; done; " + study +
                                 " --output one.csv; $LMC merge p*.lmcpart --output all.csv; cmp one.csv all.csv");
  EXPECT_EQ(o.status, 0) << o.err;
  if (std::filesystem::exists("/dev/shm")) {
    expectRefused(w,
                  "SGE_TASK_ID=1 SGE_TASK_FIRST=1 SGE_TASK_LAST=2 SGE_TASK_STEPSIZE=1 " + study +
                      " --part auto --output /dev/shm/lmc-$$.lmcpart; s=$?; rm -f /dev/shm/lmc-$$.lmcpart; exit $s",
                  0, "LIE0683", "the memory of this machine");
  }
}

// Rows that no memory holds and files that no disk holds are refused before anything is made.
TEST(Parts, WhatNeverFitsIsRefusedAtOnce) {
  const Workspace w;
  for (const char* keep : {"all", "statistics"})
    for (const char* files : {"--output a.csv", "--part 1/2 --output a.lmcpart"})
      expectRefused(w, study + " --every 1e-12 --keep " + keep + " " + files, 1, "LIE0607", "of memory");
  expectRefused(w,
                "$LMC ensemble '" + example("heavy_top") +
                    "' --samples 1000000000000 --vary 'm ~ normal(15, 1)' --keep all --output a.csv",
                2, "its whole disk has", "--every DT");
  expectRefused(w, "ulimit -v 4000000; " + study + " --every 2e-8 --keep all --output a.csv", 1, "LIE0607",
                "this process may have 4.1 GB");
  EXPECT_FALSE(std::filesystem::exists(w.path("a.csv")) || std::filesystem::exists(w.path("a.lmcpart")));
  // With a limit there is what is made by then.
  for (const char* const file : {"b.csv", "b.npz"}) {
    const Outcome brief = shell(w, "$LMC ensemble '" + example("heavy_top") +
                                       "' --samples 1000000000000 --vary 'm ~ normal(15, 1)' --keep all --max-seconds "
                                       "0.1 --output " +
                                       file);
    EXPECT_EQ(brief.status, 3) << brief.err;
    EXPECT_TRUE(std::filesystem::exists(w.path(file)));
  }
  // The ends alone need no rows.
  const Outcome ends = shell(w, study + " --every 1e-9 --output a.csv");
  EXPECT_EQ(ends.status, 0) << ends.err;
}

// Many small blocks instead of few: statistics may differ in their last digits, what is kept of samples does not.
TEST(Parts, TheSizeOfBlocksChangesNoSample) {
  const Workspace w;
  const Outcome o =
      shell(w, "set -e\n" + study + " --output a.csv; " + study + " --block 10 --output b.csv; cmp a.csv b.csv; " +
                   "for k in 1 2; do " + study + " --block 10 --part $k/2 --output p$k.lmcpart; done; " +
                   "$LMC merge p1.lmcpart p2.lmcpart --output c.csv; cmp a.csv c.csv");
  EXPECT_EQ(o.status, 0) << o.out << o.err;
}
