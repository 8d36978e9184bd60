// What goes wrong with a device is said once and clearly, ends with the right status, and leaves nothing behind.
#include "Stub.h"

#include <gtest/gtest.h>

using namespace lmc::acceptance;

namespace {

const std::string small =
    "$LMC ensemble '" + example("spherical_pendulum") +
    "' --quiet --samples 100 --time 0..0.3 --method RKMK54 --tolerance 1e-5 --every 0.1 --keep all "
    "--vary 'g ~ linspace(1, 300)' --threads 2 --device gpu --output g.csv";

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t n = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
  return n;
}

} // namespace

// One function after the other fails: at its first call, at its second, and so on, until a run no longer calls it so
// often.
TEST(DeviceFaults, EveryCallThatFailsIsOneMessage) {
  const Workspace w;
  ASSERT_EQ(onStub(w, small).status, 0);
  const std::string report = readFile(w.path("report"));
  for (const char* function : {"cuInit",
                               "cuDriverGetVersion",
                               "cuDeviceGetCount",
                               "cuDeviceGet",
                               "cuDeviceGetName",
                               "cuDeviceGetAttribute",
                               "cuDevicePrimaryCtxRetain",
                               "cuCtxSetCurrent",
                               "cuMemGetInfo_v2",
                               "cuModuleLoadDataEx",
                               "cuModuleGetFunction",
                               "cuFuncGetAttribute",
                               "cuMemAlloc_v2",
                               "cuMemsetD8Async",
                               "cuMemcpyHtoDAsync_v2",
                               "cuMemcpyDtoHAsync_v2",
                               "cuMemcpyDtoDAsync_v2",
                               "cuStreamCreate",
                               "cuStreamSynchronize",
                               "cuLaunchKernel"}) {
    ASSERT_NE(report.find(function), std::string::npos) << "a run does not call " << function;
    for (const int call : {1, 2, 3, 5, 9, 17}) {
      const Outcome o =
          onStub(w, "LMC_STUB_CUDA_FAIL=" + std::string(function) + ":" + std::to_string(call) + " " + small);
      const std::string what = std::string(function) + ", call " + std::to_string(call) + ":\n" + o.err;
      if (o.status == 0) {
        EXPECT_GT(call, 1) << what;
        break;
      }
      EXPECT_TRUE(o.status == 1 || o.status == 3) << o.status << what;
      std::string name = function;
      if (name.ends_with("_v2")) name.resize(name.size() - 3);
      EXPECT_EQ(count(o.err, "the driver of the graphics processor"), 1U) << what;
      EXPECT_NE(o.err.find("fails: " + name + ": unknown error (CUDA_ERROR_UNKNOWN)"), std::string::npos) << what;
      EXPECT_NE(o.err.find("--device cpu"), std::string::npos) << what;
      // A context that cannot be used any more takes its memory with it.
      if (std::string(function) != "cuCtxSetCurrent") EXPECT_EQ(notGivenBack(w), "") << what;
    }
  }
}

TEST(DeviceFaults, WhatCannotBeGivenBackSpoilsNothing) {
  const Workspace w;
  ASSERT_EQ(onStub(w, small + " && mv g.csv right.csv").status, 0);
  for (const char* function :
       {"cuMemFree_v2", "cuModuleUnload", "cuStreamDestroy_v2", "cuDevicePrimaryCtxRelease_v2"}) {
    const Outcome o =
        onStub(w, "LMC_STUB_CUDA_FAIL=" + std::string(function) + " " + small + " && cmp g.csv right.csv");
    EXPECT_EQ(o.status, 0) << function << o.err;
  }
}

TEST(DeviceFaults, AreNamed) {
  const Workspace w;
  const std::string run =
      "$LMC ensemble '" + example("heavy_top") + "' --samples 20 --vary 'm ~ normal(15, 1)' --time 0..0.01 ";
  const auto refused = [&](const std::string& before, const std::string& command, const char* code, const char* words) {
    const Outcome o = onStub(w, before + " " + command);
    EXPECT_EQ(o.status, 1) << o.err;
    EXPECT_NE(o.err.find(code), std::string::npos) << o.err;
    EXPECT_NE(o.err.find(words), std::string::npos) << o.err;
  };
  refused("LD_LIBRARY_PATH=", run + "--device gpu", "LIE0684", "libcuda.so.1 is not found");
  refused("LMC_STUB_CUDA_DEVICES=0", run + "--device gpu", "LIE0684", "sees none");
  refused("LMC_STUB_CUDA_CAPABILITY=6", run + "--device gpu", "LIE0684", "7.0 is needed");
  refused("LMC_STUB_CUDA_MEMORY=1000", run + "--device gpu", "LIE0686", "has no room");
  refused("",
          "$LMC ensemble '" + example("bouncing_ball") + "' --samples 20 --device gpu --vary 'g ~ normal(9.81, 0.1)'",
          "LIE0685", "events");
  refused("",
          "$LMC ensemble '" + example("closed_chain") + "' --samples 20 --device gpu --vary 'm ~ normal(0.01, 0.001)'",
          "LIE0685", "sparse system of constraints");
  refused("", run + "--device gpu --mpi", "LIE0687", "--part k/n");
  const Outcome o = onStub(w, run + "--device tpu");
  EXPECT_EQ(o.status, 2);
  EXPECT_NE(o.err.find("cpu, gpu or auto"), std::string::npos) << o.err;
}
