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

/// Times that are no powers of two, another begin than 0, and an input between two constraints: sums with the input
/// have the order that they have in exported code.
TEST(PortableRun, OfAPushedMechanismHasTheBitsOfExportedCode) {
  const Workspace w;
  const std::string file = w.write("rods.lie", R"(model Rods {
  param m : vec(2) = [1, 0.003]; param L : vec(2) = [0.7, 1.9]; param g = 9.81;
  input f : vec(2) = [0.5*cos(4*t), 0];
  config p : R^2 velocity v; config q : R^2 velocity w;
  lagrangian = 0.5*m[1]*dot(v,v) + 0.5*m[2]*dot(w,w) - g*(m[1]*p[2] + m[2]*q[2]);
  constraint rod1 : dot(p,p) = L[1]^2;
  constraint rod2 : dot(q-p,q-p) = L[2]^2;
  force on p = f;
  initial p = 0.7*[sin(0.4), -cos(0.4)]; initial q = p + 1.9*[sin(2), -cos(2)];
  simulate { method = RKMK4; time = 0.5..1.2; step = 1e-3; }
}
)")
                               .string();
  const Trajectory run = runModel(w, file, {"--portable"});
  const Outcome exported = w.lmc({"export", file, "--c", "--main", "-o", w.path("m.c").string()});
  ASSERT_EQ(exported.status, 0) << exported.err;
  ASSERT_EQ(std::system(("cd '" + w.path("").string() + "' && cc -std=c99 -O1 m.c -lm -o m && ./m > m.csv").c_str()),
            0);
  const auto c = parseCsv(readFile(w.path("m.csv")));
  ASSERT_TRUE(c);
  EXPECT_EQ(run.columns, c->columns);
  EXPECT_EQ(run.rows, c->rows);
}
