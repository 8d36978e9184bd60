// Ranks of MPI write the bytes of one process; where MPI is not installed, what to install is told.
#include "Ensembles.h"
#include "Shell.h"

using namespace lmc::acceptance;

namespace {

const std::string longer = "$LMC ensemble '" + example("heavy_top") +
                           "' --quiet --samples 50000 --time 0..6 --vary 'm ~ normal(15, 1)' --threads 1";
const std::string many = "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1\n"
                         "ranks() { timeout 60 mpirun --oversubscribe -n \"$@\"; }\n";

class Ranks : public testing::Test {
protected:
  void SetUp() override {
    if (!std::filesystem::exists(LMC_BINARY_DIR "/lib/liblmc_mpi.so") || shell(w, "command -v mpirun").status != 0)
      GTEST_SKIP() << "there is no MPI here";
  }
  void expectGood(const std::string& line) const {
    const Outcome o = shell(w, "set -e\n" + many + line);
    EXPECT_EQ(o.status, 0) << line << "\n" << o.out << o.err;
  }
  void expectTold(const std::string& line, int status, const std::string& code, const std::string& words) const {
    const Outcome o = shell(w, many + line);
    EXPECT_EQ(o.status, status) << line << "\n" << o.err;
    EXPECT_NE(o.err.find(code), std::string::npos) << line << "\n" << o.err;
    EXPECT_NE(o.err.find(words), std::string::npos) << line << "\n" << o.err;
    // Once, whatever the number of ranks.
    EXPECT_EQ(o.err.find(words, o.err.find(words) + 1), std::string::npos) << o.err;
  }
  Workspace w;
};

} // namespace

// Ranks 1 to 4, each with few threads and with many, so that there are 1 to 8 of these and 1 to 16 lanes.
TEST_F(Ranks, WriteTheBytesOfOneProcess) {
  for (const auto& [base, keep, ending] : {std::tuple{study, "final", "csv"},
                                           {study, "all", "h5"},
                                           {study, "statistics", "npz"},
                                           {adaptive, "all", "npz"},
                                           {adaptive, "final", "csv"},
                                           {adaptive, "statistics", "h5"}}) {
    const std::string end = std::string(" --keep ") + keep + " --output ", file = std::string("r.") + ending;
    std::string line = base + end + "one." + ending + "\n";
    for (const int n : {1, 2, 3, 4})
      for (const int threads : {n, 9 - n})
        line += "ranks " + std::to_string(n) + " " + base + " --mpi --threads " + std::to_string(threads) +
                " --lanes " + std::to_string(1 << (n + threads) % 5) + end + file + "; cmp " + file + " one." + ending +
                "\n";
    expectGood(line);
  }
}

TEST_F(Ranks, AreResumedAfterOneWasKilled) {
  expectGood("for e in csv npz h5; do " + longer + " --output one.$e; done\nranks 3 " + longer +
             R"( --mpi --checkpoint c --output r.csv & p=$!
for i in {1..400}; do [ -e c ] && [ $(stat -c %s c) -gt 100000 ] && break; sleep 0.01; done
kill -9 $(pgrep -P $(pgrep -P $p) | tail -1)
wait $p && exit 9
for e in csv npz h5; do
  cp c d
  ranks 2 )" +
             longer + " --mpi --resume d --checkpoint d --output r.$e; cmp r.$e one.$e\n  cp c d\n  " + longer +
             " --resume d --output s.$e; cmp s.$e one.$e\ndone");
}

TEST_F(Ranks, StopTogether) {
  const Outcome o = shell(w, many + "ranks 3 " + longer + " --mpi --checkpoint c --max-seconds 0.2 --output r.csv");
  EXPECT_EQ(o.status, 3) << o.err;
  EXPECT_NE(o.err.find("--resume c goes on from there"), std::string::npos) << o.err;
  expectGood(longer + " --output one.csv; ranks 3 " + longer + " --mpi --resume c --output r.csv; cmp r.csv one.csv");
}

TEST_F(Ranks, WrongUseIsTold) {
  expectTold("ranks 3 " + study + " --output r.csv", 1, "LIE0682", "mpirun has started 3 processes");
  expectTold("ranks 3 " + study + " --mpi --set nothing=3 --output r.csv", 1, "nothing", "error[");
  expectTold("ranks 2 " + study + " --mpi --output no/such/r.csv", 2, "cannot write", "no/such/r.csv");
  expectTold("ranks 2 " + study + " --mpi --output r.csv --keep some", 2, "lmc", "--keep is final");
  expectTold("SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=0 " + study + " --mpi --output r.csv", 1, "LIE0682",
             "does not see as one job");
  // Places that cannot hold the file: only rank 0 writes, and all end.
  for (const char* e : {"csv", "npz", "h5"}) {
    const std::string full = std::string("full.") + e;
    expectTold("ln -sf /dev/full " + full + "; ranks 2 " + study + " --keep all --mpi --output " + full, 3, "lmc",
               "cannot write `" + full + "`: No space left on device");
  }
  if (shell(w, "mkdir fixed && mount -t tmpfs none fixed && mount -o remount,ro fixed").status == 0) {
    expectTold("ranks 2 " + study + " --mpi --output fixed/r.h5", 2, "lmc", "Read-only file system");
    EXPECT_EQ(shell(w, "umount fixed").status, 0);
  }
  // One rank computes another study.
  w.write("rank.sh",
          "if [ $OMPI_COMM_WORLD_RANK = 1 ]; then more='--seed 5'; fi\n" + study + " --mpi --output r.csv $more\n");
  expectTold("ranks 2 bash rank.sh", 1, "LIE0682", "rank 1 has another study than rank 0: its seed is 5");
  w.write("rank.sh", "if [ $OMPI_COMM_WORLD_RANK = 1 ]; then more='--set nothing=1'; fi\n" + study +
                         " --mpi --output r.csv $more\n");
  expectTold("ranks 2 bash rank.sh", 1, "LIE0682", "rank 1: ");
}

// Without a launcher one process makes everything, and says so.
TEST(RanksAlone, AreOne) {
  const Workspace w;
  const Outcome o =
      shell(w, "set -e\n" + study + " --output one.csv; " + study + " --mpi --output r.csv; cmp r.csv one.csv");
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_NE(o.err.find("LIE0682"), std::string::npos) << o.err;
  EXPECT_NE(o.err.find("no launcher"), std::string::npos) << o.err;
}

// An installation without the module.
TEST(RanksAlone, TellWhatToInstall) {
  const Workspace w;
  const Outcome o = shell(w, "mkdir -p i/bin i/lib && cp $LMC i/bin && cp " LMC_BINARY_DIR
                             "/lib/liblmc_co*.so i/lib && ln -s " LMC_BINARY_DIR
                             "/share i/share && LMC=i/bin/lmc && OMPI_COMM_WORLD_SIZE=1 " +
                                 study + " --mpi --output r.csv");
  EXPECT_EQ(o.status, 1) << o.err;
  EXPECT_NE(o.err.find("lmc-mpi"), std::string::npos) << o.err;
}
