#include "Oscillator.h"
#include "runtime/run/FixedStep.h"

#include <gtest/gtest.h>
#include <zip.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <sstream>

using namespace lmc::runtime;
using namespace lmc::test;
using namespace lmc;
namespace fs = std::filesystem;

namespace {

/// A folder that goes away with the test.
class Writers : public testing::Test {
protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() / ("lmc_writers_" + std::string(info->name()) + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  [[nodiscard]] fs::path file(const std::string& name) const { return folder_ / name; }

  fs::path folder_;
};

std::vector<std::vector<std::string>> readCsv(const fs::path& file) {
  std::vector<std::vector<std::string>> rows;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    rows.emplace_back();
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
  }
  return rows;
}

struct Npy {
  std::string header;
  std::vector<double> data;
};

std::map<std::string, Npy> readNpz(const fs::path& file) {
  std::map<std::string, Npy> arrays;
  int code = 0;
  zip_t* archive = zip_open(file.c_str(), ZIP_RDONLY | ZIP_CHECKCONS, &code);
  EXPECT_NE(archive, nullptr) << "error " << code;
  if (archive == nullptr) return arrays;
  for (zip_int64_t i = 0; i < zip_get_num_entries(archive, 0); ++i) {
    zip_stat_t stat;
    zip_stat_index(archive, static_cast<zip_uint64_t>(i), 0, &stat);
    std::string bytes(stat.size, '\0');
    zip_file_t* entry = zip_fopen_index(archive, static_cast<zip_uint64_t>(i), 0);
    EXPECT_EQ(zip_fread(entry, bytes.data(), bytes.size()), static_cast<zip_int64_t>(bytes.size()));
    zip_fclose(entry);
    EXPECT_EQ(bytes.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
    const std::size_t size = static_cast<unsigned char>(bytes[8]) + 256U * static_cast<unsigned char>(bytes[9]);
    EXPECT_EQ((10 + size) % 64, 0U);
    EXPECT_EQ(bytes[9 + size], '\n');
    Npy array{bytes.substr(10, size), std::vector<double>((bytes.size() - 10 - size) / sizeof(double))};
    std::memcpy(array.data.data(), bytes.data() + 10 + size, array.data.size() * sizeof(double));
    arrays[stat.name] = std::move(array);
  }
  zip_discard(archive);
  return arrays;
}

const std::vector<Entry> columns = {{"R", {1, 1}}, {"R", {1, 2}}, {"R", {2, 1}}, {"R", {2, 2}}, {"q", {1, 1}},
                                    {"q", {1, 2}}, {"q", {2, 1}}, {"q", {2, 2}}, {"X.w", {1}},  {"X.w", {2}},
                                    {"s", {}},     {"odd", {1}},  {"odd", {3}}};

void writeTwoSamples(Sink& sink) {
  sink.begin(columns);
  std::vector<double> row(columns.size());
  for (int k = 0; k < 2; ++k) {
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = 100.0 * k + static_cast<double>(i);
    sink.sample(0.5 * k, row);
  }
  sink.finish();
}

bool hasShape(const Npy& array, const std::string& shape) {
  return array.header.find("{'descr': '<f8', 'fortran_order': False, 'shape': " + shape + ", }") == 0;
}

} // namespace

TEST_F(Writers, ChooseTheFormatByTheExtension) {
  const auto nameOf = [](const char* path) {
    const OutputFormat* const format = outputFormat(path);
    return format == nullptr ? std::string() : std::string(format->name);
  };
  EXPECT_EQ(nameOf("a.csv"), "csv");
  EXPECT_EQ(nameOf("b/a.NPZ"), "npz");
  EXPECT_EQ(nameOf("a.h5"), "hdf5");
  EXPECT_EQ(nameOf("a"), "");
  EXPECT_EQ(nameOf("csv"), "");
}

TEST_F(Writers, OfAllFormatsWriteSamples) {
  std::set<std::string> names, endings;
  for (const OutputFormat* format : outputFormats()) {
    EXPECT_TRUE(names.insert(format->name).second) << format->name;
    for (const char* const ending : format->endings) {
      if (ending == nullptr) continue;
      EXPECT_TRUE(endings.insert(ending).second) << ending << " has two formats";
      EXPECT_EQ(ending[0], '.');
      const std::string path = file("each" + std::string(ending)).string();
      writeTwoSamples(*openOutput(path));
      EXPECT_GT(fs::file_size(path), 0U) << ending;
      for (const char* const suffix : format->beside)
        EXPECT_FALSE(suffix != nullptr && fs::exists(path + suffix)) << path << suffix << " is left";
    }
  }
  EXPECT_EQ(outputEndings(", ", " or "), ".csv, .npz or .h5");
  EXPECT_EQ(outputEndings("|", "|", true), ".npz");
}

TEST_F(Writers, CsvNumbersReadBackExactly) {
  const std::vector<double> values = {0.1,
                                      -0.0,
                                      1.0 / 3,
                                      6.02214076e23,
                                      std::numeric_limits<double>::max(),
                                      std::numeric_limits<double>::denorm_min(),
                                      std::nextafter(1.0, 2.0),
                                      123456789012345678.0,
                                      -INFINITY};
  std::vector<Entry> names;
  for (std::size_t i = 0; i < values.size(); ++i) names.push_back({"c" + std::to_string(i), {}});
  const auto sink = openOutput(file("a.csv"));
  sink->begin(names);
  sink->sample(0.3, values);
  sink->finish();
  const auto rows = readCsv(file("a.csv"));
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0][0], "t");
  EXPECT_EQ(rows[0][3], "c2");
  EXPECT_EQ(rows[1][0], "0.3");
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double back = std::strtod(rows[1][i + 1].c_str(), nullptr);
    EXPECT_EQ(std::memcmp(&back, &values[i], sizeof back), 0) << rows[1][i + 1];
  }
}

TEST_F(Writers, CsvOfARun) {
  const auto sink = openOutput(file("a.csv"));
  const RunResult result = runFixedStep(oscillator({.to = 100.3, .step = 0.01}), {sink.get()});
  const auto rows = readCsv(file("a.csv"));
  ASSERT_EQ(rows.size(), static_cast<std::size_t>(result.samples) + 1);
  for (const auto& row : rows) EXPECT_EQ(row.size(), 7U);
  EXPECT_EQ(rows.back()[0], "100.3");
}

TEST_F(Writers, CsvOfAFailedRunIsValid) {
  const auto sink = openOutput(file("a.csv"));
  const RunResult result = runFixedStep(oscillator({.gain = 1e100}), {sink.get()});
  EXPECT_TRUE(result.failure);
  const auto rows = readCsv(file("a.csv"));
  ASSERT_EQ(rows.size(), 5U);
  for (const auto& row : rows) EXPECT_EQ(row.size(), 7U);
}

TEST_F(Writers, ReportWhatCannotBeWritten) {
  for (const char* name : {"none/a.csv", "none/a.npz", "none/a.h5"}) {
    try {
      (void)openOutput(file(name));
      FAIL() << name;
    } catch (const OutputError& error) {
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
    }
  }
  EXPECT_THROW((void)openOutput(file("a.xyz")), OutputError);
}

TEST_F(Writers, AFullDiskIsAnError) {
  if (!fs::exists("/dev/full")) GTEST_SKIP();
  const auto sink = outputFormat("a.csv")->open("/dev/full", nullptr);
  EXPECT_THROW((void)runFixedStep(oscillator(), {sink.get()}), OutputError);
}

TEST_F(Writers, NpzHasOneArrayForEachVariable) {
  writeTwoSamples(*openOutput(file("a.npz")));
  const auto arrays = readNpz(file("a.npz"));
  ASSERT_EQ(arrays.size(), 7U);
  EXPECT_TRUE(hasShape(arrays.at("t.npy"), "(2,)"));
  EXPECT_EQ(arrays.at("t.npy").data, (std::vector<double>{0, 0.5}));
  EXPECT_TRUE(hasShape(arrays.at("R.npy"), "(2, 2, 2)")) << arrays.at("R.npy").header;
  EXPECT_EQ(arrays.at("R.npy").data, (std::vector<double>{0, 1, 2, 3, 100, 101, 102, 103}));
  EXPECT_TRUE(hasShape(arrays.at("q.npy"), "(2, 2, 2)"));
  EXPECT_EQ(arrays.at("q.npy").data, (std::vector<double>{4, 5, 6, 7, 104, 105, 106, 107}));
  EXPECT_TRUE(hasShape(arrays.at("X.w.npy"), "(2, 2)"));
  EXPECT_TRUE(hasShape(arrays.at("s.npy"), "(2,)"));
  EXPECT_TRUE(hasShape(arrays.at("odd[1].npy"), "(2,)")) << "indices with gaps stay apart";
}

TEST_F(Writers, NpzOfAFailedRunIsValid) {
  const auto sink = openOutput(file("a.npz"));
  const RunResult result = runFixedStep(oscillator({.gain = 1e100}), {sink.get()});
  EXPECT_TRUE(result.failure);
  const auto arrays = readNpz(file("a.npz"));
  EXPECT_EQ(arrays.at("x.npy").data.size(), 4U);
  EXPECT_TRUE(hasShape(arrays.at("z.npy"), "(4,)"));
}
