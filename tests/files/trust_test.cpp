// Models of strangers, caches of strangers, and characters that would steer a terminal.
#include "Files.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>

using namespace lmc::acceptance;
using namespace lmc::files;
using lmc::acceptance::Workspace;
namespace fs = std::filesystem;

namespace {

constexpr const char* run = "$LMC run m.lie --quiet --time 0..1e-3";

unsigned modeOf(const fs::path& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? info.st_mode & 0777U : 0;
}

std::size_t entries(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

/// The folder of a stranger's model, with what it should not see beside and above it.
class Untrusted : public testing::Test {
protected:
  Untrusted() {
    fs::create_directories(w.path("theirs/below"));
    fs::create_directories(w.path("theirs-too"));
    w.write("secret.csv", "TOPSECRET\n");
    w.write("secret.lie", "fn secret(x) = TOPSECRET;\n");
    w.write("mine.csv", "1\n2\n3\n");
    w.write("theirs/below/d.csv", "1\n2\n3\n");
    w.write("theirs/below/f.lie", "fn one(x) = 1;\n");
    w.write("theirs/word.csv", "1\nWORDINSIDE\n");
    w.write("theirs-too/d.csv", "1\n2\n3\n");
    fs::create_symlink("../mine.csv", w.path("theirs/link.csv"));
    fs::create_symlink("..", w.path("theirs/up"));
  }
  Said with(const std::string& what, const std::string& options = "--untrusted") {
    const bool import = what.starts_with("import");
    std::string text = topModel;
    if (!import) text.insert(text.find("  param m"), "  param d : vec(3) = read(\"" + what + "\");\n");
    w.write("theirs/m.lie", (import ? what + "\n" : "") + text);
    return shell(w, "$LMC run theirs/m.lie --quiet --time 0..1e-3 " + options);
  }
  Workspace w;
};

} // namespace

TEST_F(Untrusted, ReadsBelowTheModelOnly) {
  EXPECT_EQ(with("below/d.csv").status, 0) << with("below/d.csv").err;
  EXPECT_EQ(with("below/../below/d.csv").status, 0);
  EXPECT_EQ(with("import \"below/f.lie\";").status, 0) << with("import \"below/f.lie\";").err;
  EXPECT_EQ(with("../mine.csv", "").status, 0) << "nothing is forbidden otherwise";
  const std::string above = w.path("mine.csv").string();
  for (const std::string& file :
       {std::string("../mine.csv"), std::string("link.csv"), std::string("up/mine.csv"), above,
        std::string("../theirs-too/d.csv"), std::string("/etc/passwd"), std::string("/proc/self/cmdline"),
        std::string("below/../../mine.csv"), std::string("import \"../secret.lie\";"),
        std::string("import \"up/secret.lie\";"), "import \"" + w.path("secret.lie").string() + "\";"}) {
    const Said said = with(file);
    EXPECT_EQ(said.status, 1) << file << said.err;
    EXPECT_NE(said.err.find("outside of the model's folder"), std::string::npos) << said.err;
  }
  // Whether there is such a file is not told either, nor what other files there are.
  EXPECT_EQ(with("import \"../secre.lie\";").err.find("secret.lie"), std::string::npos);
  EXPECT_NE(with("../nosuch.csv").err.find("outside"), std::string::npos);
}

TEST_F(Untrusted, HoldsForAllCommands) {
  (void)with("../mine.csv");
  for (const char* command :
       {"check", "derive", "linearize", "verify", "order", "stability", "symplecticity", "dump --stage ast",
        "ensemble --samples 2 --vary 'm ~ normal(1, 1)'", "build -o x.o", "export --c -o x.c"}) {
    const Said said = shell(w, std::string("$LMC ") + command + " theirs/m.lie --untrusted");
    if (std::string(command).starts_with("dump")) continue; // shows the text alone
    EXPECT_EQ(said.status, 1) << command << said.err;
    EXPECT_NE(said.err.find("outside of the model's folder"), std::string::npos) << command << said.err;
  }
}

TEST_F(Untrusted, MessagesDoNotShowContents) {
  const Said said = with("word.csv");
  EXPECT_EQ(said.status, 1);
  EXPECT_EQ(said.err.find("WORDINSIDE"), std::string::npos) << said.err;
  EXPECT_NE(said.err.find("line 2"), std::string::npos) << said.err;
  EXPECT_NE(with("word.csv", "").err.find("WORDINSIDE"), std::string::npos) << "one's own file is shown";
}

TEST_F(Untrusted, LeavesTheCacheAlone) {
  EXPECT_EQ(with("below/d.csv").status, 0);
  EXPECT_FALSE(fs::exists(w.path("cache")));
}

TEST(TheCache, IsForItsUserAlone) {
  const Workspace w;
  w.write("m.lie", topModel);
  ASSERT_EQ(shell(w, std::string("umask 0; ") + run).status, 0);
  EXPECT_EQ(modeOf(w.path("cache")), 0700U);
  for (const auto& e : fs::directory_iterator(w.path("cache"))) EXPECT_EQ(modeOf(e.path()), 0600U) << e.path();
}

TEST(TheCache, IsNotUsedIfOthersCanWriteIt) {
  for (const char* mode : {"777", "770", "702", "1777"}) {
    const Workspace w;
    w.write("m.lie", topModel);
    const Said said = shell(w, std::string("mkdir cache; chmod ") + mode + " cache; " + run);
    EXPECT_EQ(said.status, 0);
    EXPECT_NE(said.err.find("warning: the cache"), std::string::npos) << mode << said.err;
    EXPECT_NE(said.err.find("is not used"), std::string::npos) << said.err;
    EXPECT_EQ(entries(w.path("cache")), 0U);
    EXPECT_EQ(shell(w, std::string(run) + " --no-cache").err, "");
    EXPECT_EQ(shell(w, "$LMC check m.lie").err, "") << "which needs none";
    EXPECT_EQ(shell(w, std::string("chmod 755 cache; ") + run).err, "");
    EXPECT_GT(entries(w.path("cache")), 0U);
  }
}

TEST(TheCache, IsNotUsedIfItBelongsToAnother) {
  if (::geteuid() != 0) GTEST_SKIP() << "no right to give files away";
  const Workspace w;
  w.write("m.lie", topModel);
  const Said said = shell(w, std::string("mkdir -m 700 cache; chown 12345 cache; ") + run);
  EXPECT_EQ(said.status, 0);
  EXPECT_NE(said.err.find("it belongs to another user"), std::string::npos) << said.err;
  EXPECT_EQ(entries(w.path("cache")), 0U);
}

TEST(TheCache, EntriesOfOthersAreMadeAgain) {
  const Workspace w;
  w.write("m.lie", topModel);
  const std::string json = "$LMC run m.lie --json --time 0..1e-3 | grep from_cache";
  ASSERT_EQ(shell(w, run).status, 0);
  ASSERT_NE(shell(w, json).out.find("true"), std::string::npos);
  EXPECT_NE(shell(w, "chmod 666 cache/*; " + json).out.find("false"), std::string::npos);
  EXPECT_NE(shell(w, json).out.find("true"), std::string::npos);
  EXPECT_NE(shell(w, "mkdir o; mv cache/* o; for f in o/*; do ln -s ../$f cache/; done; " + json).out.find("false"),
            std::string::npos)
      << "links are not followed";
}

TEST(Terminals, GetNoCharactersThatSteerThem) {
  const Workspace w;
  const std::string escape = "\x1b]0;owned\x07", csi = "\xc2\x9b"
                                                       "31m";
  w.write("d.csv", "1\n" + escape + csi + "x\n");
  w.write("m.lie", std::string(topModel).insert(topModel.find("  param m"),
                                                "  param d : vec(3) = read(\"d.csv\"); // " + csi + escape + "\n"));
  w.write(escape + ".lie", topModel);
  const auto clean = [](const std::string& text) {
    EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
    EXPECT_EQ(text.find('\x07'), std::string::npos) << text;
    EXPECT_EQ(text.find("\xc2\x9b"), std::string::npos) << text;
  };
  const Said bad = shell(w, run);
  EXPECT_EQ(bad.status, 1);
  clean(bad.err);
  clean(shell(w, "$LMC run m.lie --json").out);
  clean(shell(w, "$LMC run $'\\e]0;owned\\a'.li").err);
  clean(shell(w, "$LMC run $'\\e]0;owned\\a'.lie --time x").err);
  clean(shell(w, "$LMC run $'\\e]0;owned\\a'.lie --output $'\\e[31m.csv' --checkpoint $'\\e[31m.csv'").err);
  w.write("e.lie", "import \"" + escape + "\";\nmodel M { config x : R velocity v; lagrangian = 0.5*v^2 + " + escape +
                       csi + "; }\n");
  clean(shell(w, "$LMC check e.lie").err);
  w.write("s.csv", "t," + escape + "\n" + escape + ",1\n");
  w.write("m.lie", topModel);
  clean(shell(w, "$LMC derive m.lie --at s.csv").err);
  clean(shell(w, "$LMC ensemble m.lie --samples 2 --vary 'm ~ read(\"s.csv\")'").err);
}
