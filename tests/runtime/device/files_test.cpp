// Who makes an ensemble does not matter: a device and the processor write the same bytes, whatever is kept, in all
// formats, in parts, resumed, with any share of the device's memory, of samples that fail, too.
#include "Stub.h"
#include "acceptance/Trajectory.h"

#include <gtest/gtest.h>

using namespace lmc::acceptance;

namespace {

void expectDone(const Outcome& o) {
  EXPECT_EQ(o.status, 0) << o.out << o.err;
}

struct DeviceCase {
  const char* model;
  const char* arguments;
};

class Device : public testing::TestWithParam<DeviceCase> {};

} // namespace

TEST_P(Device, HasTheBytesOfTheProcessor) {
  const Workspace w;
  const DeviceCase& c = GetParam();
  const Outcome o = onStub(w, "set -e\nrun=\"$LMC ensemble '" + example(c.model) + "' --samples 70 " + c.arguments +
                                  "\"\neval \"$run --device gpu --json --output g.npz\"\neval \"$run --quiet --output "
                                  "c.npz\"\ncmp g.npz c.npz");
  expectDone(o);
  EXPECT_EQ(notGivenBack(w), "");
  const auto summary = parseJson(o.out);
  ASSERT_FALSE(summary.is_discarded()) << o.out;
  EXPECT_EQ(summary["finished"], 70);
  EXPECT_NE(summary["device"].get<std::string>().find("stub"), std::string::npos);
  EXPECT_EQ(summary["handed_back"], 0) << "all of it was made by the device";
}

// Lagrangian and Hamiltonian ones, iterations, masses of several kinds, families, a large state, adaptive steps.
INSTANTIATE_TEST_SUITE_P(
    Models, Device,
    testing::Values(
        DeviceCase{"heavy_top", "--time 0..0.02 --vary 'm ~ normal(15, 1)' --vary 'R ~ normal(0.1)' --keep all"},
        DeviceCase{"spherical_pendulum", "--time 0..0.05 --vary 'm ~ uniform(1, 2)'"},
        DeviceCase{
            "spherical_pendulum",
            "--time 0..0.4 --method RKMK54 --tolerance 1e-7 --every 0.07 --keep all --vary 'g ~ linspace(1, 300)'"},
        DeviceCase{"pendulum_chain",
                   "--time 0..0.03 --step 0.01 --method RKMK4 --set N=12 --vary 'g ~ uniform(9, 10)'"},
        DeviceCase{"two_quadrotors", "--time 0..0.01 --vary 'my ~ normal(0.5, 0.01)'"},
        DeviceCase{"humming_top", "--time 0..0.05 --vary 'm ~ linspace(0.9, 1.1)'"},
        DeviceCase{"energy_test", "--time 0..0.1 --method RKMKGL4 --vary 'alpha ~ normal(0.3, 0.01)'"},
        DeviceCase{"energy_test", "--time 0..0.1 --method VIMidpoint --vary 'alpha ~ normal(0.3, 0.01)'"},
        DeviceCase{"heavy_top_lie_poisson", "--time 0..0.02 --vary 'm ~ normal(15, 1)' --keep statistics"},
        DeviceCase{"heavy_top_hamiltonian", "--time 0..0.01 --vary 'm ~ normal(15, 1)'"}),
    [](const auto& p) { return p.param.model + std::to_string(p.index); });

TEST(DeviceFiles, AreTheSameWhateverIsKept) {
  for (const char* keep : {"final", "statistics", "all", "begin"}) {
    const Workspace w;
    const Outcome o = onStub(w, R"(set -e
for e in csv npz h5; do
  )" + study + " --keep " + keep + R"( --device gpu --threads 3 --output g.$e
  )" + study + " --keep " + keep + R"( --threads 1 --output c.$e
  cmp g.$e c.$e
done
)" + adaptive + " --keep " + keep + R"( --device gpu --threads 2 --output ga.csv
)" + adaptive + " --keep " + keep + R"( --output ca.csv
cmp ga.csv ca.csv)");
    expectDone(o);
    EXPECT_EQ(notGivenBack(w), "") << keep;
  }
}

// Lanes for 32 samples only: many rounds, refilled lanes.
TEST(DeviceFiles, AreTheSameWithLittleMemory) {
  const Workspace w;
  for (const std::string& base : {study, adaptive}) {
    const Outcome o =
        onStub(w, "set -e\nfor m in 60000 100000 1000000; do LMC_STUB_CUDA_MEMORY=$m " + base +
                      " --device gpu --threads 1 --output g.csv; " + base + " --output c.csv; cmp g.csv c.csv; done");
    expectDone(o);
    EXPECT_EQ(notGivenBack(w), "");
  }
}

TEST(DeviceFiles, AreTheSameInPartsAndResumed) {
  const Workspace w;
  const Outcome o = onStub(w, "set -e\n" + study + " --keep statistics --output one.csv\n" + study +
                                  " --keep statistics --device gpu --part 1/3 --output p1.lmcpart\n" + study +
                                  " --keep statistics --part 2/3 --output p2.lmcpart\n" + study +
                                  " --keep statistics --device gpu --part 3/3 --output p3.lmcpart\n" +
                                  "$LMC merge p?.lmcpart --quiet --output all.csv\ncmp all.csv one.csv\n" + study +
                                  " --keep statistics --device gpu --checkpoint c --output x.csv\ncmp x.csv one.csv\n" +
                                  "truncate -s $(($(stat -c %s c) * 6 / 10)) c\n" + study +
                                  " --keep statistics --resume c --checkpoint c --output y.csv\ncmp y.csv one.csv\n" +
                                  "truncate -s $(($(stat -c %s c) * 4 / 10)) c\n" + study +
                                  " --keep statistics --device gpu --resume c --output z.csv\ncmp z.csv one.csv");
  expectDone(o);
}

// Angles beyond a million, and turns of more than a radian a step, are for the library, which a device has not.
TEST(DeviceFiles, AreTheSameWhereTheProcessorHelps) {
  const Workspace w;
  w.write("m.lie", R"(model Far {
  param a = 1;
  state x : R^1;
  flow x = sin(a) + exp(-x*x)*log(1 + a) + a^0.3 + tanh(x);
  initial x = 0;
  observe y = atan2(x, a) + asin(0.5*sin(x));
  simulate { method = RKMK4; time = 0..1; step = 0.1; }
})");
  const Outcome o = onStub(w, R"(set -e
run="$LMC ensemble m.lie --samples 200"
$run --vary 'a ~ linspace(1, 2e6)' --device gpu --json --output g.csv
$run --vary 'a ~ linspace(1, 2e6)' --quiet --output c.csv
cmp g.csv c.csv)");
  expectDone(o);
  const auto summary = parseJson(o.out);
  ASSERT_FALSE(summary.is_discarded()) << o.out;
  EXPECT_GT(summary["handed_back"], 90);
  EXPECT_EQ(summary["failed"], 0);
}

TEST(DeviceChoice, SaysWhatItTakesAndWhy) {
  const Workspace w;
  const std::string run =
      "$LMC ensemble '" + example("heavy_top") + "' --time 0..0.003 --vary 'm ~ normal(15, 1)' --json ";
  const auto chosen = [&](const std::string& before, const std::string& samples) {
    const Outcome o = onStub(w, before + " " + run + "--device auto --samples " + samples);
    EXPECT_EQ(o.status, 0) << o.err;
    const auto summary = parseJson(o.out);
    return summary.is_discarded() ? std::string() : summary["device"].get<std::string>();
  };
  EXPECT_NE(chosen("", "9999").find("9999 samples are too few"), std::string::npos);
  EXPECT_NE(chosen("", "10000").find("chosen for 10000 samples"), std::string::npos);
  EXPECT_NE(chosen("LMC_STUB_CUDA_RATIO=64", "10000").find("64 times slower"), std::string::npos);
  EXPECT_NE(chosen("LMC_STUB_CUDA_DEVICES=0", "10000").find("sees none"), std::string::npos);
  EXPECT_NE(chosen("LD_LIBRARY_PATH=", "10000").find("libcuda.so.1 is not found"), std::string::npos);
}
