// Fields and their entries: what a run writes keeps its shape without anybody reading its names.
#include "runtime/fields/Field.h"
#include "runtime/output/OutputArrays.h"
#include "runtime/run/Sampler.h"

#include <gtest/gtest.h>

using namespace lmc::runtime;
using namespace lmc;

using Names = std::vector<std::string>;
using Shape = std::vector<std::int64_t>;
using Places = std::vector<std::size_t>;

TEST(Fields, ListTheirEntriesInTheOrderOfMemory) {
  EXPECT_EQ(namesOf(Field{"m", {}, {}}.entries()), (Names{"m"}));
  EXPECT_EQ(namesOf(Field{"w", {3}, {}}.entries()), (Names{"w[1]", "w[2]", "w[3]"}));
  EXPECT_EQ(namesOf(Field{"X.R", {2, 1, 2}, {}}.entries()),
            (Names{"X.R[1][1][1]", "X.R[1][1][2]", "X.R[2][1][1]", "X.R[2][1][2]"}));
  // A family whose members begin at 0 and at -1; rows begin at 1, whatever the members do.
  const Field field{"d", {2, 2, 3}, {0, -1}};
  const std::vector<Entry> entries = field.entries();
  ASSERT_EQ(static_cast<std::int64_t>(entries.size()), field.count());
  std::size_t k = 0;
  for (std::int64_t i = 0; i <= 1; ++i)
    for (std::int64_t j = -1; j <= 0; ++j)
      for (std::int64_t row = 1; row <= 3; ++row) EXPECT_EQ(entries[k++].index, (Shape{i, j, row}));
  EXPECT_EQ(entries[3].name(), "d[0][0][1]");
}

TEST(Fields, OfNoExtentHaveNoEntries) {
  EXPECT_TRUE((Field{"q", {0, 3}, {}}.entries().empty()));
  EXPECT_EQ((Field{"q", {4, 0}, {}}.count()), 0);
}

TEST(Fields, AreTheArraysOfAFileWhateverTheirFirstIndices) {
  std::vector<Entry> columns = Field{"d", {2, 3}, {0}}.entries();
  for (const Entry& e : Field{"energy", {}, {}}.entries()) columns.push_back(e);
  const std::vector<OutputArray> arrays = arraysOf(columns);
  ASSERT_EQ(arrays.size(), 2U);
  EXPECT_EQ(arrays[0].name, "d");
  EXPECT_EQ(arrays[0].shape, (Shape{2, 3}));
  EXPECT_EQ(arrays[0].columns, (Places{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(arrays[1].shape, Shape{});
  EXPECT_EQ(arrays[1].columns, (Places{6}));
}

TEST(Fields, NamedLikeAnEntryAreNoPartOfAnother) {
  // Names of numbers, as of the runs in a picture, may end like an entry: they are numbers still.
  const std::vector<OutputArray> arrays = arraysOf({{"w[1]", {}}, {"w[2]", {}}, {"w", {1}}, {"w", {2}}});
  ASSERT_EQ(arrays.size(), 3U);
  EXPECT_EQ(arrays[0].name, "w[1]");
  EXPECT_EQ(arrays[0].shape, Shape{});
  EXPECT_EQ(arrays[1].name, "w[2]");
  EXPECT_EQ(arrays[2].name, "w");
  EXPECT_EQ(arrays[2].shape, (Shape{2}));
  EXPECT_EQ(arrays[2].columns, (Places{2, 3}));
}

TEST(Fields, OfWhichAPartIsWrittenKeepABoxTogetherAndNothingElse) {
  const std::vector<Entry> w = Field{"w", {3, 2}, {}}.entries();
  // Member 2 alone, its numbers in the other order: the array is by indices.
  std::vector<OutputArray> arrays = arraysOf({w[3], w[2]});
  ASSERT_EQ(arrays.size(), 1U);
  EXPECT_EQ(arrays[0].shape, (Shape{1, 2}));
  EXPECT_EQ(arrays[0].columns, (Places{1, 0}));
  arrays = arraysOf({w[0], w[3]}); // a diagonal
  ASSERT_EQ(arrays.size(), 2U);
  EXPECT_EQ(arrays[0].name, "w[1][1]");
  EXPECT_EQ(arrays[1].name, "w[2][2]");
  arrays = arraysOf({w[0], w[0]}); // one number twice
  EXPECT_EQ(arrays.size(), 2U);
}

TEST(Fields, AreNamedAsAWhole) {
  EXPECT_TRUE(names({"x"}, {"x", {}}));
  EXPECT_TRUE(names({"y", "x"}, {"x", {2, 1}}));
  EXPECT_FALSE(names({"x"}, {"xy", {}}));
  EXPECT_FALSE(names({"x"}, {"x.R", {1}}));
  EXPECT_FALSE(names({"x"}, {"x[2]", {}}));
  EXPECT_FALSE(names({}, {"x", {}}));
}
