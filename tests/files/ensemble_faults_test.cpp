// Places that cannot hold what an ensemble or a merge writes: full, read-only, without renaming or syncing. What the
// tool says, and that nothing half-made stays under the name of a whole.
#include "Files.h"

#include <gtest/gtest.h>

using namespace lmc::acceptance;
using namespace lmc::files;
using lmc::acceptance::readFile;
using lmc::acceptance::Workspace;
namespace fs = std::filesystem;

namespace {

const std::string study = "$LMC ensemble m.lie --quiet --threads 1 --samples 700 --time 0..0.02 --keep all --vary "
                          "'m ~ normal(2, 0.1)' ";

std::string with(const std::string& fault, const std::string& file, const std::string& command) {
  return "LD_PRELOAD=" LMC_FAULT_SHIM " LMC_FAULT=" + fault + " LMC_FAULT_FILE=" + file + " " + command;
}

/// By the ending of the output: of a table, made by an ensemble or of parts, or of a part.
class Places : public testing::TestWithParam<const char*> {
protected:
  void SetUp() override {
    w.write("m.lie", topModel);
    const std::string parts = study + "--part 1/2 --output p1.lmcpart; " + study + "--part 2/2 --output p2.lmcpart";
    ASSERT_EQ(shell(w, parts).status, 0);
  }
  [[nodiscard]] bool isPart() const { return ending == ".lmcpart"; }
  /// Commands that write a file.
  [[nodiscard]] std::vector<std::string> commands() const {
    if (isPart()) return {study + "--part 1/1 --output "};
    return {study + "--output ", "$LMC merge p1.lmcpart p2.lmcpart --quiet --output "};
  }
  void expectTold(const std::string& line, int status, const std::string& file, const std::string& reason) const {
    const Said said = shell(w, line);
    EXPECT_EQ(said.status, status) << line << "\n" << said.err;
    EXPECT_NE(said.err.find("cannot write `" + file + "`: " + reason), std::string::npos) << line << "\n" << said.err;
    EXPECT_EQ(said.err.find("HDF5"), std::string::npos) << said.err;
    EXPECT_EQ(said.err.find("defect"), std::string::npos) << said.err;
  }
  Workspace w;
  const std::string ending = GetParam();
};

} // namespace

TEST_P(Places, ThatAreFull) {
  if (!fs::exists("/dev/full")) GTEST_SKIP();
  const std::string full = "full" + ending;
  fs::create_symlink("/dev/full", w.path(full));
  for (const std::string& command : commands()) {
    if (isPart())
      expectTold(command + full, 2, full, "a part is a file on a disk");
    else
      expectTold(command + full, 3, full, "No space left on device");
    EXPECT_TRUE(fs::is_symlink(w.path(full)));
    for (const char* bytes : {"0", "3000", "60000"}) {
      const std::string file = std::string("bad") + bytes + ending;
      expectTold(with(std::string("ENOSPC:") + bytes, "bad", command + file), 3, file, "No space left on device");
    }
  }
}

TEST_P(Places, ThatAreReadOnly) {
  fs::create_directories(w.path("fixed"));
  if (shell(w, "mount -t tmpfs none fixed && mount -o remount,ro fixed").status != 0)
    GTEST_SKIP() << "no right to mount";
  for (const std::string& command : commands())
    expectTold(command + "fixed/a" + ending, 2, "fixed/a" + ending, "Read-only file system");
  if (!isPart()) {
    const Said said = shell(w, study + "--checkpoint fixed/c --output b" + ending);
    EXPECT_EQ(said.status, 3) << said.err;
    EXPECT_NE(said.err.find("the checkpoint is not kept: cannot write `fixed/c`"), std::string::npos) << said.err;
  }
  EXPECT_EQ(shell(w, "umount fixed").status, 0);
}

TEST_P(Places, ThatDoNotRename) {
  // .npz and .h5 take their names when they are whole; .csv and parts grow under theirs, and need no renaming.
  const bool renamed = ending == ".npz" || ending == ".h5";
  for (const std::string& command : commands()) {
    const std::string file = "other" + ending, whole = "whole" + ending;
    ASSERT_EQ(shell(w, command + whole).status, 0);
    if (renamed)
      expectTold(with("rename", "other", command + file), 3, file, "Input/output error");
    else
      EXPECT_EQ(shell(w, with("rename", "other", command + file)).status, 0);
    EXPECT_EQ(fs::exists(w.path(file)), !renamed);
    if (!renamed) EXPECT_TRUE(readFile(w.path(file)) == readFile(w.path(whole)));
    fs::remove(w.path(whole));
    fs::remove(w.path(file));
  }
}

TEST_P(Places, ThatDoNotKeepWhatIsSynced) {
  // Parts, and checkpoints, promise that what they hold survives.
  if (isPart())
    expectTold(with("fsync", "lost", commands()[0] + "lost.lmcpart"), 3, "lost.lmcpart", "Input/output error");
  else
    expectTold(with("fsync", "lost", study + "--checkpoint lost.bin --output b" + ending), 3, "lost.bin",
               "Input/output error");
}

INSTANTIATE_TEST_SUITE_P(Ensembles, Places, testing::Values(".csv", ".npz", ".h5", ".lmcpart"),
                         [](const auto& p) { return std::string(p.param + 1); });
