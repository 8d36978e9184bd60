// How long printed equations are: what a textbook prints in a few terms is not longer here.
#include "products/Pipeline.h"
#include "products/equations/Equations.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using lmc::products::Pipeline;
using lmc::products::PipelineOptions;
using nlohmann::json;

namespace {

PipelineOptions measuredOptions() {
  PipelineOptions options;
  options.compilation.libraryRoot = LMC_SOURCE_DIR;
  return options;
}

} // namespace

/// What a book prints on half a page does not fill more here.
TEST(Sizes, AreThoseOfAPage) {
  const std::pair<const char*, std::size_t> most[] = {
      {"tests/present/models/three_sphere", 1000},
      {"tests/present/models/two_frame", 1000},
      {"tests/present/models/four_frame", 1000},
      {"tests/present/models/four_plane", 1000},
      {"examples/measured_road", 1000},
      {"tests/present/models/tables", 1500},
      {"examples/bricard", 2600},
  };
  for (const auto& [model, size] : most) {
    Pipeline pipeline(measuredOptions());
    ASSERT_TRUE(pipeline.load(std::string(LMC_SOURCE_DIR) + "/" + model + ".lie"));
    EXPECT_LE(lmc::products::equations(pipeline, "text").size(), size) << model;
  }
}

namespace {

/// Summands, those in brackets too: 1 for what has no sum in it.
std::size_t summands(const json& tree) {
  if (!tree.is_array() || tree.at(0) == "at") return 1;
  if (tree.at(0) == "sum") return summands(tree.at(4));
  std::size_t n = tree.at(0) == "add" ? tree.size() - 1 : 1;
  for (std::size_t k = 1; k < tree.size(); ++k)
    if (!tree.at(k).is_string()) n += summands(tree.at(k)) - 1;
  return n;
}

struct Measure {
  const char* file;
  const char* form;
  const char* sections; ///< that are counted, the equations and what they use
  std::size_t most;     ///< summands of the same equations in the book
  const char* book;
};

class Measures : public testing::TestWithParam<Measure> {};

} // namespace

// docs/equations.md names the books. A definition of a momentum or of a part counts, laws of inputs do not.
TEST_P(Measures, AreThoseOfATextbook) {
  const Measure& m = GetParam();
  Pipeline pipeline(measuredOptions());
  ASSERT_TRUE(pipeline.load(std::string(LMC_SOURCE_DIR) + "/" + m.file + ".lie"));
  const json sections = json::parse(lmc::products::equations(pipeline, "json", m.form)).at("sections");
  std::size_t n = 0;
  for (const auto& [title, list] : sections.items()) {
    if (std::string(m.sections).find(title) == std::string::npos) continue;
    for (const json& line : list) {
      const std::string left = line.at("left");
      if (title == "where" && (left == "tau" || left == "F" || left == "T[i]" || left == "M[i]")) continue;
      if (title == "where")
        n += summands(line.at("tree").at("right"));
      else
        n += summands(line.at("tree").at("left")) + summands(line.at("tree").at("right"));
    }
  }
  EXPECT_GT(n, 0U);
  EXPECT_LE(n, m.most) << m.book;
  EXPECT_LE(lmc::products::equations(pipeline, "text", m.form).size(), 3000U) << "more than a page";
}

INSTANTIATE_TEST_SUITE_P(
    Books, Measures,
    testing::Values(
        Measure{"examples/spherical_pendulum", "motion", "Equations of motion", 2, "Lee, Leok, McClamroch (2018)"},
        Measure{"examples/heavy_top", "motion", "Equations of motion", 3, "Marsden, Ratiu (1999)"},
        Measure{"tests/present/models/double_spherical_pendulum", "motion", "Equations of motion, where", 10,
                "Lee, Leok, McClamroch (2018)"},
        Measure{"examples/pendulum_chain", "motion", "Equations of motion, where", 5, "Lee, Leok, McClamroch (2018)"},
        Measure{"examples/two_quadrotors", "motion", "Equations of motion, where", 16, "Lee, Sreenath, Kumar (2013)"},
        Measure{"tests/present/models/furuta_pendulum", "motion", "Equations of motion, where", 12,
                "Cazzolato, Prime (2011)"},
        Measure{"tests/present/models/plane_double_pendulum", "motion", "Equations of motion, where", 14,
                "Landau, Lifshitz, section 5"},
        Measure{"tests/present/models/elastic_pendulum", "motion", "Equations of motion, where", 8,
                "Morin (2008), section 6.1: 5 for the length, 3 for the angle"},
        Measure{"tests/present/models/cart_pole", "motion", "Equations of motion, where", 8,
                "Astrom, Murray (2008), balance systems, without friction: 5 for the cart, 3 for the pole"},
        Measure{"tests/present/models/bead_on_hoop", "motion", "Equations of motion, where", 3,
                "Goldstein, Poole, Safko (2002), chapter 2"},
        Measure{"tests/present/models/swinging_atwood", "motion", "Equations of motion, where", 8,
                "Tufillaro, Abbott, Griffiths (1984): 5 for r, 3 for th"},
        Measure{"tests/present/models/wilberforce_pendulum", "motion", "Equations of motion, where", 6,
                "Berg, Marshall (1991)"},
        Measure{"tests/present/models/kirchhoff_vehicle", "hamilton", "Momenta, Hamilton's equations", 15,
                "Leonard (1997)"}),
    [](const auto& p) { return std::filesystem::path(p.param.file).stem().string(); });
