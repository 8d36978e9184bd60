// Many threads: compiling, stepping, evaluating; and models that come and go.
#include "Support.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>
#include <unistd.h>

using namespace host;

namespace {

constexpr int threadCount = 8;

/// Calls `body` in threads that start together; what one throws is thrown here.
void inThreads(const std::function<void(int)>& body) {
  std::atomic<int> waiting{threadCount};
  std::vector<std::exception_ptr> failures(threadCount);
  std::vector<std::thread> threads;
  for (int k = 0; k < threadCount; ++k) {
    threads.emplace_back([&, k] {
      --waiting;
      while (waiting > 0) std::this_thread::yield();
      try {
        body(k);
      } catch (...) {
        failures[static_cast<std::size_t>(k)] = std::current_exception();
      }
    });
  }
  for (std::thread& t : threads) t.join();
  for (const std::exception_ptr& f : failures)
    if (f) std::rethrow_exception(f);
}

/// What a workspace computes that has its own parameters.
std::vector<double> workOf(const lmc::Model& m, int k) {
  lmc::Workspace w = m.workspace();
  w.set(m.parameters()[0].name,
        std::vector<double>(static_cast<std::size_t>(m.parameters()[0].storage.size()), 1.0 + k));
  w.step(1e-3, 50);
  std::vector<double> all = w.state().copy();
  for (const lmc::Span<const double>& s : {w.field(), w.momenta(), w.observables()})
    all.insert(all.end(), s.begin(), s.end());
  lmc::RunSettings settings;
  settings.to = w.time() + 0.02;
  settings.step = 1e-3;
  lmc::Trajectory t = w.record(settings);
  const lmc::Span<const double> y = t.sample(settings.to - 0.0105);
  all.insert(all.end(), y.begin(), y.end());
  return all;
}

const char* const names[] = {"heavy_top", "two_quadrotors"};

/// The memory of this process, in kilobytes.
long resident() {
  std::ifstream in("/proc/self/statm");
  long pages = 0, inMemory = 0;
  in >> pages >> inMemory;
  return inMemory * (sysconf(_SC_PAGESIZE) / 1024);
}

} // namespace

TEST(HostThreads, WorkspacesOfOneModelAreIndependent) {
  for (const char* name : names) {
    const lmc::Model m = ofExample(name);
    std::vector<std::vector<double>> results(threadCount);
    // The functions of the evaluation are compiled by whoever comes first.
    inThreads([&](int k) { results[static_cast<std::size_t>(k)] = workOf(m, k); });
    for (int k = 0; k < threadCount; ++k) EXPECT_EQ(results[static_cast<std::size_t>(k)], workOf(m, k)) << name << k;
  }
}

TEST(HostThreads, ManyMayCompileAtOnce) {
  std::vector<std::vector<double>> expected;
  for (const char* name : names) expected.push_back(workOf(ofExample(name), 3));
  const std::string folder = testing::TempDir() + "lmc_host_threads_" + std::to_string(getpid());
  inThreads([&](int k) {
    for (int turn = 0; turn < 2; ++turn) {
      const auto which = static_cast<std::size_t>((k + turn) % 2);
      lmc::Options options;
      options.cacheFolder = folder; // empty at first: threads make and read the same entries
      options.useCache = k < 6;     // two of them go without
      const lmc::Model m = ofExample(names[which], options);
      if (workOf(m, 3) != expected[which]) throw std::runtime_error("another result");
      if (m.equations().empty()) throw std::runtime_error("no equations");
    }
  });
  std::filesystem::remove_all(folder);
}

TEST(HostThreads, ErrorsAreFoundInAllThreads) {
  const std::string text = "model M { config R : SO(3) velocity w; lagrangian = dot(w, w)*a + [b; initial R = ω; }";
  const std::string expected = lmc::compileText("m.lie", text).format();
  inThreads([&](int) {
    for (int turn = 0; turn < 5; ++turn)
      if (lmc::compileText("m.lie", text).format() != expected) throw std::runtime_error("other diagnostics");
  });
}

TEST(HostThreads, OneModelIsAskedForEverything) {
  const lmc::Model m = ofExample("pendulum_chain");
  inThreads([&](int k) {
    switch (k % 4) {
    case 0:
      m.prepare();
      break;
    case 1:
      if (m.methods().empty()) throw std::runtime_error("no methods");
      break;
    case 2: {
      lmc::Workspace w(m);
      w.set("g", 5);
      w.resetInitial();
      w.step(1e-3); // compiles fixed steps
      w.run();
      break;
    }
    default:
      if (m.equations(lmc::Format::Json).empty()) throw std::runtime_error("no equations");
    }
  });
}

/// Memory returns: what a model takes is freed with it, code included. With `LMC_TEST_MODELS` as many as it says.
TEST(HostMemory, ModelsComeAndGo) {
  const char* const wanted = std::getenv("LMC_TEST_MODELS");
  const int count = wanted != nullptr ? std::atoi(wanted) : 60;
  long after = 0;
  for (int k = 0; k < count; ++k) {
    lmc::Options options;
    options.set = {{"m", std::to_string(k + 1)}};
    options.useCache = k % 20 != 0; // some are compiled, with LLVM
    const lmc::Model m = ofExample("heavy_top", options);
    lmc::Workspace w = m.workspace();
    w.step(1e-3, 10);
    (void)w.field();
    if (k == count / 4) after = resident();
  }
  const long end = resident();
  RecordProperty("kilobytes_after_a_quarter", std::to_string(after));
  RecordProperty("kilobytes_at_the_end", std::to_string(end));
  if (wanted != nullptr) std::printf("%ld kB after %d models, %ld kB after %d\n", after, count / 4 + 1, end, count);
  // A model is some megabytes while it lives: a leak of one a turn would show.
  EXPECT_LT(end - after, 30000);
}
