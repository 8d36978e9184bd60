// Faults of the system while output is written: disks that fill, limits of files, broken disks, calls that write a part
// or are interrupted, memory that ends. Either everything is written, or the tool says so with status 3; what is on the
// disk can be read then, and is right.
#include "Files.h"

#include <fstream>
#include <gtest/gtest.h>

using namespace lmc::acceptance;
using namespace lmc::files;
using lmc::acceptance::readFile;
using lmc::acceptance::Workspace;
namespace fs = std::filesystem;

namespace {

struct Case {
  std::string name, ending;
};

const std::string run = "$LMC run m.lie --quiet --every 2e-4 --time 0..6 ";

/// The command with a fault on files whose names contain a text.
std::string with(const std::string& fault, const std::string& file, const std::string& command) {
  return "LD_PRELOAD=" LMC_FAULT_SHIM " LMC_FAULT=" + fault + " LMC_FAULT_FILE=" + file + " " + command;
}

class Faults : public testing::TestWithParam<Case> {
protected:
  void SetUp() override {
    w.write("m.lie", topModel);
    const Said said = shell(w, run + "--output good" + ending);
    ASSERT_EQ(said.status, 0) << said.err;
    good = rowsOf(w.path("good" + ending));
    ASSERT_TRUE(good && good->size() > 10000);
  }

  /// What is there can be read, and is the begin of the good file.
  void isBegin(const std::string& file) const {
    const auto rows = rowsOf(w.path(file));
    if (!rows) return;
    ASSERT_LE(rows->size(), good->size());
    for (std::size_t k = 0; k < rows->size(); ++k) ASSERT_EQ((*rows)[k], (*good)[k]) << k;
  }

  void isReported(const Said& said, const std::string& file, const std::string& reason) const {
    EXPECT_EQ(said.status, 3) << said.err;
    EXPECT_NE(said.err.find("cannot write `" + file + "`: " + reason), std::string::npos) << said.err;
    EXPECT_EQ(said.err.find("HDF5"), std::string::npos) << said.err;
    EXPECT_EQ(said.err.find("defect"), std::string::npos) << said.err;
  }

  /// Nothing stays beside the file.
  void isClean() const {
    for (const auto& e : fs::directory_iterator(w.path(""))) {
      EXPECT_NE(e.path().extension(), ".part") << e.path();
      EXPECT_NE(e.path().extension(), ".copy") << e.path();
    }
  }

  Workspace w;
  std::string ending = GetParam().ending;
  std::optional<Rows> good;
};

} // namespace

TEST_P(Faults, OfTheDisk) {
  for (const auto& [fault, reason] : {std::pair{"ENOSPC", "No space left on device"},
                                      {"EFBIG", "File too large"},
                                      {"EIO", "Input/output error"},
                                      {"EDQUOT", "Disk quota exceeded"}}) {
    for (const char* bytes : {"0", "3000", "100000", "1000000"}) {
      const std::string file = std::string("bad") + fault + bytes + ending;
      const Said said = shell(w, with(std::string(fault) + ":" + bytes, "bad", run + "--output " + file));
      isReported(said, file, reason);
      isBegin(file);
      isClean();
    }
  }
}

TEST_P(Faults, OfSingleCallsAreOvercome) {
  for (const char* fault : {"short", "EINTR"}) {
    const std::string file = std::string("whole") + fault + ending;
    const Said said =
        shell(w, with(fault, "whole", run + "--output " + file + " --checkpoint whole.json --checkpoint-every 0.05"));
    EXPECT_EQ(said.status, 0) << said.err;
    EXPECT_EQ(readFile(w.path(file)), readFile(w.path("good" + ending))) << fault;
    EXPECT_EQ(shell(w, "$LMC run m.lie --quiet --time 0..7 --every 2e-4 --resume whole.json").status, 0);
  }
}

TEST_P(Faults, OfMemory) {
  // The library of HDF5 files does not survive it while it opens one; so there it ends later.
  const std::vector<const char*> faults =
      ending == ".h5" ? std::vector{"ENOMEM:60000:8", "ENOMEM:60000:14", "ENOMEM:60000:40", "ENOMEM:30000:20"}
                      : std::vector{"ENOMEM:500000:3", "ENOMEM:60000:4", "ENOMEM:30000:12", "ENOMEM:300000:2"};
  for (const char* fault : faults) {
    const std::string file = "poor" + std::string(fault + 7) + ending;
    const Said said = shell(w, with(fault, "none", run + "--output " + file));
    // It may have been enough, and where memory ends before the run begins there is nothing to write.
    EXPECT_TRUE(said.status == 0 || said.status == 3) << said.status << " " << said.err;
    EXPECT_EQ(said.status == 3, !said.err.empty());
    EXPECT_EQ(said.err.find("HDF5-DIAG"), std::string::npos) << said.err;
    EXPECT_EQ(said.err.find("defect"), std::string::npos) << said.err;
    isBegin(file);
  }
}

TEST_P(Faults, ADeviceThatIsFull) {
  if (!fs::exists("/dev/full")) GTEST_SKIP();
  const std::string file = "full" + ending;
  fs::create_symlink("/dev/full", w.path(file));
  isReported(shell(w, run + "--output " + file), file, "No space left on device");
  EXPECT_TRUE(fs::is_symlink(w.path(file))); // and nothing stands in its place
}

TEST_P(Faults, ALimitOfTheShell) {
  const std::string file = "limited" + ending;
  isReported(shell(w, "ulimit -f 100; " + run + "--output " + file), file, "File too large");
  isBegin(file);
}

TEST_P(Faults, ASmallDisk) {
  fs::create_directories(w.path("disk"));
  if (shell(w, "mount -t tmpfs -o size=8m none disk").status != 0) GTEST_SKIP() << "no right to mount";
  // It could hold the file, but not beside what is there.
  ASSERT_EQ(shell(w, "head -c 8000000 /dev/zero > disk/rest").status, 0);
  const std::string file = "disk/a" + ending;
  isReported(shell(w, run + "--output " + file), file, "No space left on device");
  isBegin(file);
  // Also where there is no room for the first byte.
  const Said full = shell(w, "cat /dev/zero > disk/zero; " + run + "--output disk/b" + ending);
  EXPECT_EQ(full.status, 3) << full.err;
  EXPECT_EQ(shell(w, "umount disk").status, 0);
}

TEST_P(Faults, ACheckpointThatCannotBeKept) {
  for (const char* fault : {"ENOSPC:0", "ENOSPC:900", "fsync", "rename"}) {
    const std::string file = std::string("out") + fault[0] + ending;
    fs::remove(w.path("c.json"));
    w.write("c.json", "what was there before");
    const Said said =
        shell(w, with(fault, "c.json", run + "--output " + file + " --checkpoint c.json --checkpoint-every 0.05"));
    EXPECT_EQ(said.status, 3) << fault << said.err;
    EXPECT_NE(said.err.find("checkpoint is not kept: cannot write `c.json`"), std::string::npos) << said.err;
    EXPECT_EQ(readFile(w.path("c.json")), "what was there before");
    isBegin(file);
  }
}

TEST_P(Faults, AnOutputThatCannotBeSyncedStopsTheCheckpoint) {
  const std::string file = "out" + ending;
  const Said said =
      shell(w, with("fsync", "out", run + "--output " + file + " --checkpoint c.json --checkpoint-every 0.05"));
  EXPECT_EQ(said.status, 3) << said.err;
  EXPECT_FALSE(fs::exists(w.path("c.json"))); // it would speak of samples that are nowhere
}

INSTANTIATE_TEST_SUITE_P(Files, Faults, testing::Values(Case{"csv", ".csv"}, Case{"npz", ".npz"}, Case{"h5", ".h5"}),
                         [](const auto& p) { return p.param.name; });

TEST(FullDisks, OfOtherCommands) {
  const Workspace w;
  w.write("m.lie", topModel);
  for (const auto& [command, file] :
       {std::pair{"export --c m.lie -o made.c", "made"},
        {"build m.lie -o made.o", "made"},
        {"build m.lie -o made.a", "made"},
        {"ensemble m.lie --samples 300 --time 0..0.01 --vary 'm ~ normal(2, 0.1)' --output made.csv", "made"},
        {"ensemble m.lie --samples 300 --time 0..0.01 --vary 'm ~ normal(2, 0.1)' --output made.npz", "made"},
        {"ensemble m.lie --samples 300 --time 0..0.01 --vary 'm ~ normal(2, 0.1)' --checkpoint made.bin", "made"},
        {"run m.lie --time 0..0.1 --method RKMK54 --tolerance 1e-12 --steps-output made.csv", "made"}}) {
    const Said said = shell(w, with("ENOSPC:100", file, std::string("$LMC ") + command));
    EXPECT_EQ(said.status, 3) << command << "\n" << said.err;
    EXPECT_NE(said.err.find("No space left on device"), std::string::npos) << said.err;
  }
  for (const char* command : {"--help", "derive m.lie", "run m.lie --time 0..0.1", "run m.lie --time 0..0.1 --json",
                              "dump m.lie --stage tape", "methods", "manual", "completion bash", "check m.lie"})
    EXPECT_EQ(shell(w, std::string("$LMC ") + command + " > /dev/full").status, 3) << command;
}

TEST(FullDisks, OfTheCacheDoNotMatter) {
  const Workspace w;
  w.write("m.lie", topModel);
  const Said said = shell(w, with("ENOSPC:0", "/cache", "$LMC run m.lie --time 0..0.1 --quiet"));
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_EQ(said.err, "");
}
