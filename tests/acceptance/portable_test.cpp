// `lmc run --portable` has the bits of exported C: of all kinds of code, on steps that are powers of two, so that both
// count the same times.
#include "acceptance/Trajectory.h"

#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace lmc::acceptance;

namespace {

struct Portable {
  const char* name;
  const char* model;
  int inverseStep, steps;
  const char* method; ///< empty: that of the file
};

void PrintTo(const Portable& p, std::ostream* out) {
  *out << p.name;
}

class PortableRuns : public testing::TestWithParam<Portable> {};

} // namespace

TEST_P(PortableRuns, HaveTheBitsOfExportedCode) {
  const Portable& p = GetParam();
  const Workspace w;
  const double step = 1.0 / p.inverseStep;
  const std::string h = fmt::format("{:.17g}", step), end = fmt::format("{:.17g}", step * p.steps);
  Arguments method;
  if (*p.method != '\0') method = {"--method", p.method};
  Arguments how = {"--portable", "--step", h, "--time", "0.." + end, "--every", h};
  how.insert(how.end(), method.begin(), method.end());
  const Trajectory run = runModel(w, example(p.model), how);
  ASSERT_EQ(run.rows.size(), static_cast<std::size_t>(p.steps) + 1);
  Arguments call = {"export", example(p.model), "--c", "--main", "-o", w.path("m.c").string()};
  call.insert(call.end(), method.begin(), method.end());
  const Outcome exported = w.lmc(call);
  ASSERT_EQ(exported.status, 0) << exported.err;
  const std::string command =
      "cd '" + w.path("").string() + "' && cc -std=c99 -O1 m.c -lm -o m && ./m " + end + " " + h + " 1 > m.csv";
  ASSERT_EQ(std::system(command.c_str()), 0);
  const auto c = parseCsv(readFile(w.path("m.csv")));
  ASSERT_TRUE(c);
  ASSERT_EQ(run.columns, c->columns);
  ASSERT_GE(c->rows.size(), run.rows.size());
  for (std::size_t k = 0; k < run.rows.size(); ++k)
    for (std::size_t i = 0; i < run.columns.size(); ++i)
      ASSERT_EQ(run.rows[k][i], c->rows[k][i]) << run.columns[i] << ", step " << k;
}

INSTANTIATE_TEST_SUITE_P(Examples, PortableRuns,
                         testing::Values(Portable{"rotations", "heavy_top", 1024, 100, ""},
                                         Portable{"implicit", "heavy_top", 1024, 50, "SymmetricGL2"},
                                         Portable{"variational", "heavy_top", 1024, 50, "VIMidpoint"},
                                         Portable{"momenta", "heavy_top_hamiltonian", 1024, 50, ""},
                                         Portable{"orbits", "heavy_top_lie_poisson", 1024, 50, ""},
                                         Portable{"inputs", "two_quadrotors", 1024, 50, ""}, // long: cut into functions
                                         Portable{"chain", "pendulum_chain", 1024, 50, "RKMK4"},
                                         Portable{"families", "magnetic_dipoles", 1024, 20, ""},
                                         Portable{"neighbours", "lennard_jones", 1024, 5, ""},
                                         Portable{"constraints", "heavy_top_constrained", 1024, 50, ""},
                                         Portable{"sparse", "closed_chain", 1024, 5, ""}, // by routines
                                         Portable{"table", "measured_road", 1024, 100, ""}),
                         [](const auto& p) { return std::string(p.param.name); });
