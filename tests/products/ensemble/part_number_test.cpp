// Which part a process makes: what is typed, and what the schedulers say.
#include "runtime/parts/PartNumber.h"

#include <gtest/gtest.h>
#include <map>

using namespace lmc::runtime;

namespace {

using Variables = std::map<std::string, std::string>;

PartNumber read(const std::string& text, const Variables& variables = {}) {
  return readPartNumber(text, [&](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  });
}

Variables slurm(const char* id, const char* low, const char* high, const char* step, const char* count) {
  return {{"SLURM_ARRAY_TASK_ID", id},
          {"SLURM_ARRAY_TASK_MIN", low},
          {"SLURM_ARRAY_TASK_MAX", high},
          {"SLURM_ARRAY_TASK_STEP", step},
          {"SLURM_ARRAY_TASK_COUNT", count}};
}

} // namespace

TEST(PartNumber, IsTyped) {
  EXPECT_EQ(read("3/64"), (PartNumber{3, 64}));
  EXPECT_EQ(read("1/1"), (PartNumber{1, 1}));
  for (const char* wrong :
       {"5/4", "0/4", "-1/4", "1/0", "3", "a/4", "3/", "/4", "3/4/5", "", "auto/", "auto/0", " 1/2"})
    EXPECT_THROW((void)read(wrong), PartError) << wrong;
}

TEST(PartNumber, IsToldBySchedulers) {
  EXPECT_EQ(read("auto", slurm("5", "1", "64", "1", "64")), (PartNumber{5, 64}));
  EXPECT_EQ(read("auto", slurm("0", "0", "63", "1", "64")), (PartNumber{1, 64}));
  EXPECT_EQ(read("auto", slurm("30", "10", "50", "10", "5")), (PartNumber{3, 5}));
  EXPECT_EQ(read("auto", slurm("7", "1", "8", "2", "4")), (PartNumber{4, 4}));
  EXPECT_EQ(
      read("auto", {{"SGE_TASK_ID", "4"}, {"SGE_TASK_FIRST", "2"}, {"SGE_TASK_LAST", "9"}, {"SGE_TASK_STEPSIZE", "2"}}),
      (PartNumber{2, 4}));
  EXPECT_EQ(read("auto", {{"LSB_JOBINDEX", "3"}, {"LSB_JOBINDEX_END", "8"}, {"LSB_JOBINDEX_STEP", "1"}}),
            (PartNumber{3, 8}));
  EXPECT_EQ(read("auto", {{"AWS_BATCH_JOB_ARRAY_INDEX", "0"}, {"AWS_BATCH_JOB_ARRAY_SIZE", "10"}}),
            (PartNumber{1, 10}));
  EXPECT_EQ(read("auto/8", {{"PBS_ARRAY_INDEX", "8"}}), (PartNumber{8, 8}));
  EXPECT_EQ(read("auto/8", {{"PBS_ARRAYID", "2"}}), (PartNumber{2, 8}));
  EXPECT_EQ(read("auto/8", {{"JOB_COMPLETION_INDEX", "0"}}), (PartNumber{1, 8}));
  EXPECT_EQ(read("auto/64", slurm("17", "17", "17", "1", "1")), (PartNumber{17, 64}));
}

TEST(PartNumber, NothingIsGuessed) {
  // No array; tasks that were submitted again alone, whose numbers are not those of the study; no count.
  EXPECT_THROW((void)read("auto"), PartError);
  EXPECT_THROW((void)read("auto", {{"SGE_TASK_ID", "undefined"}}), PartError);
  EXPECT_THROW((void)read("auto", {{"LSB_JOBINDEX", "0"}}), PartError);
  EXPECT_THROW((void)read("auto", slurm("3", "3", "7", "1", "2")), PartError);
  EXPECT_THROW((void)read("auto", slurm("9", "1", "8", "1", "8")), PartError);
  EXPECT_THROW((void)read("auto", {{"PBS_ARRAY_INDEX", "8"}}), PartError);
  EXPECT_THROW((void)read("auto/8", {{"PBS_ARRAY_INDEX", "9"}}), PartError);
  EXPECT_THROW((void)read("auto/8", slurm("0", "0", "7", "1", "8")), PartError);
  try {
    (void)read("auto", slurm("3", "3", "7", "1", "2"));
  } catch (const PartError& error) {
    EXPECT_NE(error.cure().find("auto/n"), std::string::npos);
  }
}

// A variable that is no number is told with its text, not as one that is not set.
TEST(PartNumber, NonsenseOfASchedulerIsTold) {
  const auto refusal = [](const std::string& text, const Variables& variables) -> std::string {
    try {
      (void)read(text, variables);
    } catch (const PartError& error) {
      return error.what();
    }
    return "";
  };
  const std::string huge = "99999999999999999999";
  EXPECT_EQ(refusal("auto", slurm("abc", "1", "8", "1", "8")),
            "SLURM_ARRAY_TASK_ID is `abc`, which is no number of a task");
  EXPECT_EQ(refusal("auto/8", {{"PBS_ARRAY_INDEX", "3[]"}}), "PBS_ARRAY_INDEX is `3[]`, which is no number of a task");
  EXPECT_EQ(refusal("auto/8", {{"SGE_TASK_ID", huge}}), "SGE_TASK_ID is `" + huge + "`, which is no number of a task");
  EXPECT_EQ(refusal("auto", slurm("3", "1", "8.5", "1", "8")),
            "SLURM_ARRAY_TASK_MAX is `8.5`, which is no number of a task");
  // What Grid Engine says outside of arrays, and an empty one, are as if it were not set.
  EXPECT_EQ(read("auto/8", {{"SGE_TASK_ID", "undefined"}, {"PBS_ARRAYID", "2"}}), (PartNumber{2, 8}));
  EXPECT_EQ(read("auto/8", {{"SLURM_ARRAY_TASK_ID", ""}, {"PBS_ARRAYID", "2"}}), (PartNumber{2, 8}));
}

// Every block belongs to one part, whatever their numbers.
TEST(PartNumber, PartsShareAllBlocks) {
  for (std::int64_t count = 1; count <= 9; ++count)
    for (std::int64_t blocks = 1; blocks <= 20; ++blocks) {
      std::vector<int> owners(static_cast<std::size_t>(blocks), 0);
      for (std::int64_t n = 1; n <= count; ++n) {
        const PartNumber part{n, count};
        for (std::int64_t k = 0; k < part.blocks(blocks); ++k) ++owners.at(static_cast<std::size_t>(part.block(k)));
      }
      EXPECT_EQ(std::count(owners.begin(), owners.end(), 1), blocks) << count << " parts of " << blocks;
    }
}
