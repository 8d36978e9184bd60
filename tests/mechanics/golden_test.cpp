// The printed equations of the examples, as text and LaTeX, against the files in golden/. LMC_UPDATE_GOLDEN=1 writes
// them anew: read the difference before committing it.
#include "products/Pipeline.h"
#include "products/equations/Equations.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace lmc::products;
using namespace lmc;

namespace {

std::string derived(const std::string& name, const std::string& format) {
  PipelineOptions options;
  options.compilation.libraryRoot = LMC_SOURCE_DIR;
  Pipeline pipeline(std::move(options));
  EXPECT_TRUE(pipeline.load(std::string(LMC_SOURCE_DIR) + "/examples/" + name + ".lie"));
  return products::equations(pipeline, format);
}

class DeriveGolden : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

} // namespace

TEST_P(DeriveGolden, OfAnExample) {
  const auto& [name, format] = GetParam();
  const std::string text = derived(name, format);
  ASSERT_FALSE(text.empty());
  const std::string file = std::string(LMC_SOURCE_DIR) + "/tests/mechanics/golden/" + name + "." + format;
  if (std::getenv("LMC_UPDATE_GOLDEN") != nullptr) std::ofstream(file, std::ios::binary) << text;
  std::ifstream in(file, std::ios::binary);
  std::ostringstream wanted;
  wanted << in.rdbuf();
  EXPECT_EQ(text, wanted.str());
}

INSTANTIATE_TEST_SUITE_P(Examples, DeriveGolden,
                         testing::Combine(testing::Values("heavy_top", "spherical_pendulum", "pendulum_chain",
                                                          "two_quadrotors", "humming_top", "heavy_top_hamiltonian",
                                                          "heavy_top_lie_poisson", "dipolar_spheres"),
                                          testing::Values("text", "latex")),
                         [](const auto& p) { return std::string(std::get<0>(p.param)) + "_" + std::get<1>(p.param); });
