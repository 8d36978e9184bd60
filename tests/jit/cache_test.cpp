// The cache of objects, their loader, and many compilations at once.
#include "HeavyTop.h"
#include "RandomTape.h"
#include "jit/Cache.h"
#include "jit/Compile.h"
#include "jit/Key.h"
#include "jit/Library.h"
#include "jit/Loader.h"
#include "jit/Parts.h"
#include "tool/runs/RunArchive.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace lmc {
namespace {

namespace fs = std::filesystem;

std::string bytesOf(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write(const fs::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

/// A fresh folder, removed at the end.
class CacheTest : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "lmc-cache-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder = pattern;
    options.cacheDirectory = folder;
  }
  void TearDown() override {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
  [[nodiscard]] fs::path entry() const { return jit::Cache(folder).pathOf(jit::cacheKey(top.module, options)); }

  /// The state after ten steps.
  [[nodiscard]] std::vector<double> result(const runtime::Compiled& c) const {
    test::Memory memory(top.module);
    test::HeavyTop::start(memory);
    double t = 0;
    std::int64_t done = 0;
    EXPECT_EQ(c.advance()(memory.bases().base, &t, 1e-2, 10, &done), 0);
    return memory.of(runtime::Role::State);
  }

  fs::path folder;
  jit::CompileOptions options;
  test::HeavyTop top;
};

TEST_F(CacheTest, SecondTimeFromTheCache) {
  const auto first = jit::compile(top.module, options);
  const auto second = jit::compile(top.module, options);
  EXPECT_FALSE(first->fromCache());
  EXPECT_TRUE(second->fromCache());
  EXPECT_EQ(result(*first), result(*second));
  EXPECT_EQ(first->codeBytes(), second->codeBytes());
}

TEST_F(CacheTest, KeyDependsOnWhatMatters) {
  const jit::Digest key = jit::cacheKey(top.module, options);
  tape::Module changed = top.module;
  changed.functions[0].name = "other";
  changed.buffers[0].name = "other";
  EXPECT_EQ(jit::cacheKey(changed, options), key);
  changed.functions[0].blocks[0].code[0].imm ^= 1;
  EXPECT_NE(jit::cacheKey(changed, options), key);
  jit::CompileOptions other = options;
  other.optimization = 1;
  EXPECT_NE(jit::cacheKey(top.module, other), key);
  other = options;
  other.contract = false;
  EXPECT_NE(jit::cacheKey(top.module, other), key);
}

TEST_F(CacheTest, DamagedEntriesAreReplaced) {
  const std::vector<double> expected = result(*jit::compile(top.module, options));
  const std::string good = bytesOf(entry());
  ASSERT_GT(good.size(), 100U);
  std::vector<std::string> bad = {"", "x", good.substr(0, 40), good.substr(0, good.size() / 2), good + "x"};
  for (std::size_t at = 0; at < good.size(); at += good.size() / 37 + 1) {
    bad.push_back(good);
    bad.back()[at] = static_cast<char>(bad.back()[at] ^ 0x10);
  }
  options.optimization = 0; // quick
  const std::string quick = [&] {
    (void)jit::compile(top.module, options);
    return bytesOf(entry());
  }();
  for (const std::string& bytes : bad) {
    write(entry(), bytes);
    const auto compiled = jit::compile(top.module, options);
    EXPECT_FALSE(compiled->fromCache());
    EXPECT_EQ(bytesOf(entry()), quick);
    EXPECT_TRUE(jit::compile(top.module, options)->fromCache());
  }
  options.optimization = 2;
  EXPECT_EQ(result(*jit::compile(top.module, options)), expected);
}

TEST_F(CacheTest, UnusableDirectoriesDoNotMatter) {
  write(folder / "file", "not a directory");
  options.optimization = 0;
  for (const fs::path& p : {folder / "file", folder / "file" / "below", fs::path("/proc/lmc-no-such")}) {
    options.cacheDirectory = p;
    EXPECT_FALSE(jit::compile(top.module, options)->fromCache());
    EXPECT_FALSE(jit::compile(top.module, options)->fromCache());
  }
  options.cacheDirectory = folder / "a" / "b"; // made when needed
  (void)jit::compile(top.module, options);
  EXPECT_TRUE(jit::compile(top.module, options)->fromCache());
}

TEST_F(CacheTest, DirectoryFromTheEnvironment) {
  options.cacheDirectory.clear();
  options.optimization = 0;
  ::setenv("LMC_CACHE_DIR", (folder / "env").c_str(), 1);
  (void)jit::compile(top.module, options);
  EXPECT_TRUE(fs::exists(folder / "env"));
  ::unsetenv("LMC_CACHE_DIR");
  ::setenv("XDG_CACHE_HOME", (folder / "xdg").c_str(), 1);
  (void)jit::compile(top.module, options);
  EXPECT_TRUE(fs::exists(folder / "xdg" / "lmc"));
}

TEST_F(CacheTest, LeastRecentlyUsedGoFirst) {
  const jit::Cache cache(folder, 10000);
  const std::string object(3000, 'x');
  const auto now = fs::file_time_type::clock::now();
  for (std::uint64_t k = 0; k < 3; ++k) {
    cache.store({k, 0}, object);
    fs::last_write_time(cache.pathOf({k, 0}), now - std::chrono::hours(10 - static_cast<int>(k)));
  }
  EXPECT_TRUE(cache.find({0, 0})); // makes it the most recent one
  cache.store({3, 0}, object);
  EXPECT_TRUE(cache.find({0, 0}));
  EXPECT_FALSE(cache.find({1, 0}));
  EXPECT_TRUE(cache.find({3, 0}));
}

TEST_F(CacheTest, ManyThreads) {
  options.optimization = 1;
  std::vector<std::thread> threads;
  std::vector<std::vector<double>> results(8);
  for (std::size_t k = 0; k < results.size(); ++k)
    threads.emplace_back([&, k] { results[k] = result(*jit::compile(top.module, options)); });
  for (std::thread& t : threads) t.join();
  for (const auto& r : results) EXPECT_EQ(r, results[0]);
}

TEST_F(CacheTest, ManyProcesses) {
  options.optimization = 1;
  std::vector<pid_t> children;
  for (int k = 0; k < 6; ++k) {
    const pid_t child = ::fork();
    if (child == 0) {
      bool good = true;
      for (int turn = 0; turn < 5; ++turn) {
        if (turn % 2 == 1) fs::remove(entry());
        good = good && result(*jit::compile(top.module, options)).size() == 12;
      }
      ::_exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  for (const auto& file : fs::directory_iterator(folder)) EXPECT_EQ(file.path().extension(), ".lmco");
}

std::size_t residentPages() {
  std::ifstream file("/proc/self/statm");
  std::size_t total = 0;
  std::size_t resident = 0;
  file >> total >> resident;
  return resident;
}

TEST_F(CacheTest, ThousandCompilationsLeaveNothingBehind) {
  options.optimization = 0;
  jit::CompileOptions fresh = options;
  fresh.useCache = false;
  tape::Module small;
  test::FunctionBuilder f(small, "f", 1);
  f.failIf(f.op(tape::Op::Lt, {f.argument(0), f.real(0)}), 3);
  f.finish();
  const auto once = [&] {
    const double x = -1;
    test::Memory memory(small);
    EXPECT_EQ(jit::compile(small, fresh)->function(0)(memory.bases().base, &x), 3);
    (void)jit::compile(top.module, options);
  };
  for (int k = 0; k < 100; ++k) once();
  const std::size_t before = residentPages();
  for (int k = 0; k < 1000; ++k) once();
  EXPECT_LT(residentPages(), before + 1000); // 4 MiB; each compilation leaking a page would exceed it
}

TEST_F(CacheTest, WarmLoadsDoNotOpenLlvm) {
  (void)jit::compile(top.module, options);
  const pid_t child = ::fork();
  if (child == 0) { // this process has opened it already; a new program would not have
    ::setenv("LMC_TEST_FOLDER", folder.c_str(), 1);
    ::execl("/proc/self/exe", "self", "--gtest_also_run_disabled_tests", "--gtest_filter=*WarmLoadInANewProcess",
            nullptr);
    ::_exit(99);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(CacheTest, DISABLED_WarmLoadInANewProcess) {
  const char* const prepared = std::getenv("LMC_TEST_FOLDER");
  if (prepared == nullptr) GTEST_SKIP();
  options.cacheDirectory = prepared;
  const auto compiled = jit::compile(top.module, options);
  EXPECT_TRUE(compiled->fromCache());
  EXPECT_FALSE(jit::codegenOpened());
  EXPECT_EQ(result(*compiled).size(), 12U);
  EXPECT_LT(jit::compile(top.module, options)->compileSeconds(), 5e-3);
}

TEST_F(CacheTest, LoaderSurvivesAnyBytes) {
  if (!jit::elfSupported()) GTEST_SKIP();
  (void)jit::compile(top.module, options);
  const std::string object = jit::separated(*jit::Cache(folder).find(jit::cacheKey(top.module, options))).front();
  const std::vector<void*> table(64, nullptr);
  std::mt19937 random(1);
  for (int k = 0; k < 3000; ++k) {
    std::string bytes = object;
    if (k % 3 == 0) bytes.resize(random() % bytes.size());
    // Mostly in the headers, where numbers steer the loader.
    for (unsigned n = 0; n < 1 + random() % 4 && !bytes.empty(); ++n) {
      const std::size_t range = random() % 2 == 0 ? std::min<std::size_t>(bytes.size(), 64) : bytes.size();
      const std::size_t tail = random() % 2 == 0 ? bytes.size() - std::min<std::size_t>(bytes.size(), 2000) : 0;
      bytes[std::min(bytes.size() - 1, tail + random() % range)] = static_cast<char>(random());
    }
    try {
      (void)jit::loadElf({bytes}, {"lmc_advance"}, "lmc_table", table);
    } catch (const std::runtime_error&) { // the only way to fail
    }
  }
}

// What the cache keeps of a run, from any bytes. Of empty lists there is no address to copy to (a finding of the
// fuzzer, under UndefinedBehaviorSanitizer), and a truth value is 0 or 1.
TEST(RunArchive, EmptyListsAndTruthValues) {
  std::string text = "x";
  std::vector<double> none;
  std::vector<std::vector<double>> tables{{}, {1.5, -2}, {}};
  bool yes = true;
  tool::ArchiveWriter writer;
  tool::archiveAll(writer, text, none, tables, yes);

  std::string textBack;
  std::vector<double> noneBack{3};
  std::vector<std::vector<double>> tablesBack;
  bool yesBack = false;
  tool::ArchiveReader reader(writer.bytes);
  tool::archiveAll(reader, textBack, noneBack, tablesBack, yesBack);
  EXPECT_FALSE(reader.bad());
  EXPECT_TRUE(reader.atEnd());
  EXPECT_EQ(textBack, text);
  EXPECT_EQ(noneBack, none);
  EXPECT_EQ(tablesBack, tables);
  EXPECT_TRUE(yesBack);

  writer.bytes.back() = 3;
  tool::ArchiveReader wrong(writer.bytes);
  tool::archiveAll(wrong, textBack, noneBack, tablesBack, yesBack);
  EXPECT_TRUE(wrong.bad());

  // Ten tables are promised, and there is one byte.
  const std::string cut{"\x0a\0\0\0\0\0\0\0\x03", 9};
  tool::ArchiveReader little(cut);
  tool::archive(little, tablesBack);
  EXPECT_TRUE(little.bad());
  EXPECT_TRUE(tablesBack.empty());
}

} // namespace
} // namespace lmc
