// The tapes of the examples: their size does not depend on the family, and they are the same every time.
#include "products/Pipeline.h"

#include <gtest/gtest.h>

#include <sstream>

using namespace lmc::products;
using namespace lmc::sema;
using namespace lmc;

namespace {

std::string tapeOf(const std::string& name, const std::vector<Override>& set, const std::string& stage = "tape",
                   const std::string& method = "RKMK4") {
  PipelineOptions options;
  options.compilation.libraryRoot = LMC_SOURCE_DIR;
  options.compilation.overrides = set;
  options.method = method;
  Pipeline pipeline(std::move(options));
  EXPECT_TRUE(pipeline.load(std::string(LMC_SOURCE_DIR) + "/examples/" + name + ".lie"));
  const std::string text = pipeline.dump(stage);
  EXPECT_FALSE(text.empty()) << renderAll(pipeline.diagnostics(), pipeline.sources(), false);
  return text;
}

/// Lines that do something: of the whole numbers that a tape lists, two may coincide for one size of a family.
auto lines(const std::string& text) {
  std::ptrdiff_t n = 0;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) n += line.find(" = int ") == std::string::npos ? 1 : 0;
  return n;
}

/// Lines of a tape without those that divide long loops over members among threads (tape/Shares.h): the loop over
/// tiles, and what it works out of the tile before the loops that it holds.
std::ptrdiff_t undivided(const std::string& text) {
  std::ptrdiff_t dividing = 0;
  std::vector<std::size_t> tiles; // how far loops over tiles that are open stand in
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    const std::size_t margin = line.find_first_not_of(' ');
    if (margin == std::string::npos) continue;
    if (!tiles.empty() && line[margin] == '}' && margin == tiles.back()) {
      tiles.pop_back();
      ++dividing;
      continue;
    }
    const bool counted = line.find(" = int ") == std::string::npos && line[margin] != '}';
    if (!tiles.empty() && margin == tiles.back() + 2 && counted && line.find(" = loop ") == std::string::npos)
      ++dividing;
    if (line.find(" = loop independent ") == std::string::npos) continue;
    tiles.push_back(margin);
    ++dividing;
  }
  return lines(text) - dividing;
}

} // namespace

TEST(FamilyOfTheExample, PendulumChain) {
  const auto size = lines(tapeOf("pendulum_chain", {{"N", "40"}}));
  EXPECT_GT(size, 100);
  EXPECT_EQ(lines(tapeOf("pendulum_chain", {{"N", "60"}})), size);
  // eliminated in eight segments, and in groups of such (mechanics/mass/Tridiagonal.h), of which the last one is filled
  const auto cut = undivided(tapeOf("pendulum_chain", {{"N", "80"}}));
  EXPECT_LT(cut, 2 * size);
  EXPECT_EQ(undivided(tapeOf("pendulum_chain", {{"N", "400"}})), cut);
  EXPECT_EQ(undivided(tapeOf("pendulum_chain", {{"N", "2400"}})), cut);
  const auto groups = undivided(tapeOf("pendulum_chain", {{"N", "4000"}}));
  EXPECT_LT(groups, 2 * cut);
  EXPECT_EQ(undivided(tapeOf("pendulum_chain", {{"N", "8000"}})), groups);
}

/// A stage has made its numbers where the sums behind it look for them; they were made elsewhere and copied.
TEST(FamilyOfTheExample, StagesAreMadeWhereTheyAreRead) {
  const std::string text = tapeOf("pendulum_chain", {{"N", "20"}}, "tape", "P853");
  const std::size_t begin = text.find("function stage("), end = text.find("\n}", begin);
  ASSERT_LT(begin, end);
  const std::string stage = text.substr(begin, end - begin);
  const std::size_t last = stage.rfind(" = loop ");
  ASSERT_NE(last, std::string::npos);
  EXPECT_NE(stage.find("store out.rate", last), std::string::npos);
  EXPECT_EQ(stage.find("load begin"), std::string::npos);
}

namespace {

/// Operations on vectors in the machine code's listing.
std::ptrdiff_t vectorOperations(const std::string& members) {
  const std::string text = tapeOf("pendulum_chain", {{"N", members}}, "ir");
  std::ptrdiff_t n = 0;
  for (std::size_t at = text.find("call <"); at != std::string::npos; at = text.find("call <", at + 1)) ++n;
  return n;
}

} // namespace

TEST(FamilyOfTheExample, IsVectorisedWhateverItsNumberOfMembers) {
  const std::ptrdiff_t even = vectorOperations("104"); // of vectors of two, four and eight numbers
  if (even == 0) GTEST_SKIP() << "this machine's vectors are not used";
  EXPECT_GT(even, 100);
  EXPECT_GE(vectorOperations("101"), even * 9 / 10);
  EXPECT_GE(vectorOperations("21"), even / 2);
  EXPECT_GE(vectorOperations("4000"), even * 9 / 10); // in tiles for threads, of which nobody knows the length
}

/// A row of the road is looked for three times a step, by halves, with the same operations. Were a turn of one and the
/// next turn of another one vector, each would wait for the other: a step took 1.4 of the time.
TEST(PairsOfTheExample, MeasuredRoadHasNoneThatWait) {
  const std::string text = tapeOf("measured_road", {}, "ir");
  const std::size_t begin = text.find("define internal i32 @core"), end = text.find("\n}", begin);
  ASSERT_LT(begin, end);
  EXPECT_EQ(text.substr(begin, end - begin).find("fcmp ole <2 x double>"), std::string::npos);
}

TEST(FamilyOfTheExample, MagneticDipoles) {
  const auto size = undivided(tapeOf("magnetic_dipoles", {{"n", "6"}}));
  EXPECT_GT(size, 100);
  EXPECT_EQ(undivided(tapeOf("magnetic_dipoles", {{"n", "20"}})), size);
  // long sums are divided (tape/Tiles.h), into a number of tiles that is the same for all sizes
  const auto divided = undivided(tapeOf("magnetic_dipoles", {{"n", "63"}}));
  EXPECT_GT(divided, size);
  EXPECT_EQ(undivided(tapeOf("magnetic_dipoles", {{"n", "51"}})), divided);
  EXPECT_EQ(undivided(tapeOf("magnetic_dipoles", {{"n", "90"}})), undivided(tapeOf("magnetic_dipoles", {{"n", "63"}})));
}

class SameBytes : public testing::TestWithParam<const char*> {};

TEST_P(SameBytes, ForTheSameInput) {
  for (const char* stage : {"step", "tape"}) EXPECT_EQ(tapeOf(GetParam(), {}, stage), tapeOf(GetParam(), {}, stage));
}

INSTANTIATE_TEST_SUITE_P(Examples, SameBytes,
                         testing::Values("heavy_top", "pendulum_chain", "two_quadrotors", "spherical_pendulum",
                                         "magnetic_dipoles", "humming_top", "energy_test"),
                         [](const auto& p) { return p.param; });
