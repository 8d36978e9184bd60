// Nothing that is written takes the place of what is read, or of something else that is written.
#include "Files.h"

#include <gtest/gtest.h>

using namespace lmc::acceptance;
using namespace lmc::files;
using lmc::acceptance::readFile;
using lmc::acceptance::Workspace;
namespace fs = std::filesystem;

namespace {

/// It imports a file, and reads another one.
std::string model() {
  std::string text = topModel;
  text.insert(text.find("  param m"), "  param d : vec(3) = read(\"d.csv\");\n");
  return "import \"part.lie\";\n" + text;
}

class Protected : public testing::Test {
protected:
  Protected() {
    texts = {{"m.lie", model()}, {"part.lie", "fn twice(x) = 2*x;\n"}, {"d.csv", "1\n2\n3\n"}, {"states.csv", "t,x\n"}};
    for (const auto& [name, text] : texts) w.write(name, text);
    EXPECT_EQ(shell(w, "$LMC run m.lie --quiet --time 0..0.01 --checkpoint c.json").status, 0);
    texts.emplace_back("c.json", readFile(w.path("c.json")));
    for (const char* name : {"m.lie", "part.lie", "d.csv", "c.json"}) {
      fs::create_symlink(w.path(name), w.path(std::string(name) + ".soft.csv"));
      fs::create_hard_link(w.path(name), w.path(std::string(name) + ".hard.csv"));
      fs::create_symlink(name, w.path(std::string(name) + ".soft.c"));
      fs::create_symlink(name, w.path(std::string(name) + ".soft.o"));
      fs::create_symlink(name, w.path(std::string(name) + ".soft.npz"));
      fs::create_hard_link(w.path(name), w.path(std::string(name) + ".hard.h5"));
    }
    fs::create_symlink("nowhere.csv", w.path("dangling.csv"));
    fs::create_symlink(".", w.path("here"));
  }

  void refused(const std::string& command) {
    const Said said = shell(w, "$LMC " + command);
    EXPECT_EQ(said.status, 2) << command << "\n" << said.err;
    EXPECT_TRUE(said.err.find("would overwrite") != std::string::npos ||
                said.err.find("would write the same file") != std::string::npos)
        << said.err;
    for (const auto& [name, text] : texts) EXPECT_EQ(readFile(w.path(name)), text) << command;
  }

  Workspace w;
  std::vector<std::pair<std::string, std::string>> texts;
};

} // namespace

TEST_F(Protected, WhatIsRead) {
  for (const std::string& name : {std::string("m.lie"), std::string("part.lie"), std::string("d.csv")})
    for (const char* link : {".soft.csv", ".hard.csv", ".soft.npz", ".hard.h5"})
      for (const char* command : {"run m.lie --quiet --time 0..0.01 --output ",
                                  "ensemble m.lie --samples 2 --time 0..0.01 --vary 'm ~ normal(2, 0.1)' --output "})
        refused(command + name + link);
  refused("run m.lie --quiet --time 0..0.01 --output d.csv");
  refused("run m.lie --quiet --time 0..0.01 --output here/here/d.csv");
  refused("run m.lie --quiet --time 0..0.01 --checkpoint m.lie");
  refused("run m.lie --quiet --time 0..0.01 --checkpoint part.lie.hard.csv");
  refused("run m.lie --quiet --time 0..0.01 --method RKMK54 --tolerance 1e-6 --steps-output d.csv");
  refused("run m.lie --quiet --time 0..0.02 --resume c.json --output c.json.soft.csv");
  refused("run m.lie --quiet --time 0..0.02 --resume c.json --output c.json.hard.csv");
  refused("export --c m.lie -o m.lie.soft.c --prefix x");
  refused("build m.lie -o m.lie.soft.o --prefix x");
  refused("export --c m.lie -o part.lie.soft.c --prefix x");
  refused("derive m.lie --at d.csv --output d.csv");
  refused("stability m.lie --output d.csv");
  fs::copy_file(w.path("m.lie"), w.path("top.h"));
  texts.emplace_back("top.h", model());
  refused("build top.h -o top.o"); // its header
  refused("export --c top.h -o top.c");
}

TEST_F(Protected, WhatIsWritten) {
  const std::string run = "run m.lie --quiet --time 0..0.01 --method RKMK54 --tolerance 1e-6 ";
  refused(run + "--output a.csv --checkpoint a.csv");
  refused(run + "--output a.csv --steps-output a.csv");
  refused(run + "--output a.csv --checkpoint ./here/../" + w.path("").parent_path().filename().string() + "/a.csv");
  refused(run + "--output dangling.csv --checkpoint nowhere.csv");
  refused(run + "--output a.npz --checkpoint a.npz.part");
  refused(run + "--steps-output here/a.csv --checkpoint a.csv");
  w.write("b.csv", "");
  fs::create_hard_link(w.path("b.csv"), w.path("b2.csv"));
  refused(run + "--output b.csv --steps-output b2.csv");
  for (const char* name : {"a.csv", "a.npz", "nowhere.csv", "a.npz.part"}) EXPECT_FALSE(fs::exists(w.path(name)));
}

TEST_F(Protected, WhatIsMeantIsDone) {
  EXPECT_EQ(
      shell(w, "$LMC run m.lie --quiet --time 0..0.02 --resume c.json --checkpoint c.json --output new.csv").status, 0);
  EXPECT_EQ(shell(w, "$LMC run m.lie --quiet --time 0..0.03 --resume c.json --output new.csv").status, 0);
  fs::create_symlink("/dev/null", w.path("nothing.csv"));
  EXPECT_EQ(shell(w, "$LMC run m.lie --quiet --time 0..0.01 --output nothing.csv --method RKMK54 --tolerance 1e-6 "
                     "--steps-output nothing.csv")
                .status,
            0);
  EXPECT_EQ(shell(w, "$LMC run m.lie --quiet --time 0..0.01 --output dangling.csv").status, 0);
  EXPECT_TRUE(fs::is_symlink(w.path("dangling.csv")));
  EXPECT_TRUE(fs::exists(w.path("nowhere.csv")));
  for (const char* ending : {".npz", ".h5"}) { // a link stays one
    fs::create_symlink(std::string("target") + ending, w.path(std::string("link") + ending));
    EXPECT_EQ(shell(w, std::string("$LMC run m.lie --quiet --time 0..0.01 --output link") + ending).status, 0);
    EXPECT_TRUE(fs::is_symlink(w.path(std::string("link") + ending)));
    EXPECT_EQ(rowsOf(w.path(std::string("target") + ending))->size(), 101U);
  }
}

TEST_F(Protected, PlacesWhereNothingCanBe) {
  fs::create_directories(w.path("folder.csv"));
  fs::create_directories(w.path("folder.npz"));
  fs::create_directories(w.path("folder.h5"));
  for (const char* name : {"none/a.csv", "none/a.npz", "none/a.h5", "folder.csv", "folder.npz", "folder.h5", "a.txt"})
    EXPECT_EQ(shell(w, std::string("$LMC run m.lie --quiet --time 0..0.01 --output ") + name).status, 2) << name;
}
