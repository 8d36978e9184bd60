// Memory may run out anywhere in a build: then there is a diagnostic, or the host's exception, and nothing is half
// done.
#include "products/Pipeline.h"

#include "diagnostics/Diagnostics.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

/// Allocations of the thread that counts: how many there were, and which one fails.
thread_local long long made = 0, failing = -1;

void* allocate(std::size_t size, std::size_t alignment) {
  if (++made == failing) throw std::bad_alloc();
  void* const memory = alignment == 0 ? std::malloc(size == 0 ? 1 : size)
                                      : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

} // namespace

void* operator new(std::size_t size) {
  return allocate(size, 0);
}
void* operator new[](std::size_t size) {
  return allocate(size, 0);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace lmc {
namespace {

const char* const pendulums = R"(model Pendulums {
  param N : int = 3;
  param m = 1;
  config q[N] : S^2 velocity w;
  let x[1] = q[1];
  let x[i in 2..N] = x[i-1] + q[i];
  lagrangian = sum(i in 1..N: 0.5*m*dot(x[i]', x[i]') - 9.81*m*x[i][3]);
  initial q[i in 1..N] = [1, 0, 0];
  simulate { method = RKMK54; time = 0..1; tolerance = 1e-6; step = 0.01; }
})";

/// Code comes from the cache: what LLVM does without memory is not ours.
products::PipelineOptions options() {
  products::PipelineOptions o;
  o.compilation.libraryRoot = libraryRoot();
  o.codeForAnyParameters = false;
  return o;
}

struct Attempt {
  std::string key; ///< of the code; empty: there is none
  std::string report;
  long long allocations = 0;
};

Attempt build(products::HostSteps steps, long long which) {
  Attempt a;
  products::Pipeline pipeline(options());
  made = 0;
  failing = which;
  try {
    if (pipeline.loadText("pendulums.lie", pendulums)) {
      const auto problem = pipeline.buildHost(steps);
      if (problem) a.key = problem->codeKey;
    }
  } catch (const std::bad_alloc&) {
    a.report = "exception";
  }
  failing = -1;
  a.allocations = made;
  if (pipeline.diagnostics().hasErrors()) a.report = pipeline.diagnostics().sorted().front().message;
  return a;
}

class Allocations : public testing::TestWithParam<products::HostSteps> {};

TEST_P(Allocations, MayFailAnywhere) {
  (void)build(GetParam(), -1); // the cache has the code, and what is made once is there
  const Attempt whole = build(GetParam(), -1);
  ASSERT_NE(whole.key, "") << whole.report;
  ASSERT_GT(whole.allocations, 1000);
  int refused = 0;
  long long at = 1;
  for (int k = 0; at < whole.allocations; ++k) {
    const Attempt a = build(GetParam(), at);
    if (a.key.empty()) {
      ++refused;
      EXPECT_NE(a.report, "") << "allocation " << at << " fails without a word";
    } else {
      EXPECT_EQ(a.key, whole.key) << at;
    }
    at += 1 + whole.allocations / 120 + (k * 7919LL) % 97;
  }
  EXPECT_GT(refused, 50);
  EXPECT_EQ(build(GetParam(), -1).key, whole.key);
}

INSTANTIATE_TEST_SUITE_P(Steps, Allocations,
                         testing::Values(products::HostSteps::Fixed, products::HostSteps::Adaptive));

} // namespace
} // namespace lmc
