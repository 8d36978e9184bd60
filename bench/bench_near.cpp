// Time per pair and evaluation of forces with a cut-off, beside LAMMPS (Debian package `lammps`): Lennard-Jones atoms,
// and dipolar spheres that turn, in a periodic box; the same potential, density, neighbours, length of steps; lists are
// made anew as either program likes.
#include "bench/Measure.h"
#include "bench/Tool.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

using namespace lmc::bench;

namespace {

constexpr double density = 0.8442, temperature = 1.0;
/// Within which an atom has 40 neighbours.
const double limit = std::cbrt(40 * 3 / (4 * M_PI * density));

/// What is measured: a model for n^3 members and the input of LAMMPS for as many and so many steps.
struct System {
  std::string name;
  std::string (*model)(int n);
  std::string (*script)(int n, int steps);
  double step;
  double evaluations; ///< of all forces in a step of the tool; LAMMPS has one
};

constexpr double atomStep = 0.003, dipoleStep = 0.001;

std::string atomModel(int n) {
  std::ostringstream text;
  text.precision(17);
  text << "model Atoms {\n  param n : int = " << n << ";\n  param rc = " << limit
       << ";\n  param side = " << n / std::cbrt(density)
       << ";\n  let box : vec(3) = [side, side, side];\n  config q[n^3] : R^3 momentum p;\n"
          "  fn V(s) = 4*(s^(-6) - s^(-3));\n  fn pair(d) = V(dot(d, d));\n  fn near(d) = dot(d, d) < rc^2;\n"
          "  hamiltonian = sum(i in 1..n^3: dot(p[i], p[i])/2) + sum(i in 1..n^3, j in i+1..n^3\n"
          "    where near(minimum_image(q[i] - q[j], box)): pair(minimum_image(q[i] - q[j], box)));\n"
          "  initial q[i in 1..n^3] = side/n*[mod(i - 1, n), mod(div(i - 1, n), n), div(i - 1, n^2)];\n"
          "  initial p[i in 1..n^3] = normal(0, "
       << std::sqrt(temperature)
       << ", 3);\n  observe neighbours = sum(i in 1..n^3, j in i+1..n^3\n"
          "    where near(minimum_image(q[i] - q[j], box)): 1);\n"
          "  simulate { method = LSV; time = 0..1; step = "
       << atomStep << "; seed = 1; }\n}\n";
  return text.str();
}

/// Potential, force and torque end at zero at the limit, as `lj/sf/dipole/sf` of LAMMPS has them (its manual
/// gives the formulas).
std::string dipoleModel(int n) {
  std::ostringstream text;
  text.precision(17);
  text << "model Dipoles {\n  param n : int = " << n << ";\n  param rc = " << limit
       << ";\n  param side = " << n / std::cbrt(density)
       << ";\n  param mu0 : vec(3) = [0, 0, 1];\n  let box : vec(3) = [side, side, side];\n"
          "  config q[n^3] : R^3 momentum p;\n  config Q[n^3] : SO(3) momentum Pi;\n"
          "  let mu[i in 1..n^3] = Q[i]*mu0;\n"
          "  fn LJ(s) = 4*(s^(-6) - s^(-3) + (6*rc^(-12) - 3*rc^(-6))*s/rc^2 - 7*rc^(-12) + 4*rc^(-6));\n"
          "  fn DD(d, s, a, b) = (1 - 4*(sqrt(s)/rc)^3 + 3*(sqrt(s)/rc)^4)\n"
          "    *(dot(a, b) - 3*dot(a, d)*dot(b, d)/s)/(s*sqrt(s));\n"
          "  fn pair(d, a, b) = LJ(dot(d, d)) + DD(d, dot(d, d), a, b);\n  fn near(d) = dot(d, d) < rc^2;\n"
          "  hamiltonian = sum(i in 1..n^3: dot(p[i], p[i])/2 + 5*dot(Pi[i], Pi[i])) + sum(i in 1..n^3, j in i+1..n^3\n"
          "    where near(minimum_image(q[i] - q[j], box)): pair(minimum_image(q[i] - q[j], box), mu[i], mu[j]));\n"
          "  initial q[i in 1..n^3] = side/n*[mod(i - 1, n), mod(div(i - 1, n), n), div(i - 1, n^2)];\n"
          "  initial p[i in 1..n^3] = normal(0, "
       << std::sqrt(temperature)
       << ", 3);\n  observe neighbours = sum(i in 1..n^3, j in i+1..n^3\n"
          "    where near(minimum_image(q[i] - q[j], box)): 1);\n"
          "  simulate { method = RKMK4; time = 0..1; step = "
       << dipoleStep << "; seed = 1; }\n}\n";
  return text.str();
}

std::string atomScript(int n, int steps) {
  std::ostringstream text;
  text.precision(17);
  text << "units lj\natom_style atomic\nlattice sc " << density << "\nregion box block 0 " << n << " 0 " << n << " 0 "
       << n << "\ncreate_box 1 box\ncreate_atoms 1 box\nmass 1 1.0\nvelocity all create " << temperature
       << " 87287 loop geom\npair_style lj/cut " << limit
       << "\npair_coeff 1 1 1.0 1.0\nneighbor 0.3 bin\nneigh_modify delay 0 every 1 check yes\nfix 1 all nve\ntimestep "
       << atomStep << "\nthermo_style custom step pe etotal\nthermo_modify norm no format float %.15g\nrun " << steps
       << "\n";
  return text.str();
}

/// Spheres of diameter 1, so that their moment of inertia is 1/10.
std::string dipoleScript(int n, int steps) {
  std::ostringstream text;
  text.precision(17);
  text << "units lj\natom_style hybrid sphere dipole\nlattice sc " << density << "\nregion box block 0 " << n << " 0 "
       << n << " 0 " << n
       << "\ncreate_box 1 box\ncreate_atoms 1 box\nset type 1 mass 1.0\nset type 1 diameter 1.0\n"
          "set type 1 dipole 0 0 1\nvelocity all create "
       << temperature << " 87287 loop geom\npair_style lj/sf/dipole/sf " << limit
       << "\npair_coeff 1 1 1.0 1.0\nneighbor 0.3 bin\nneigh_modify delay 0 every 1 check yes\n"
          "fix 1 all nve/sphere update dipole\ntimestep "
       << dipoleStep << "\nthermo_style custom step pe etotal\nthermo_modify norm no format float %.15g\nrun " << steps
       << "\n";
  return text.str();
}

const std::vector<System>& systems() {
  static const std::vector<System> all{{"Lennard-Jones", atomModel, atomScript, atomStep, 2},
                                       {"dipoles", dipoleModel, dipoleScript, dipoleStep, 4}};
  return all;
}

/// What LAMMPS says of a run.
struct Peer {
  double seconds = NAN, pairs = NAN, rebuilds = NAN, energy = NAN;
};

Peer lammps(const System& system, int n, int steps, const CacheFolder& folder) {
  const std::string script = (folder.path() / "in.near").string(), log = (folder.path() / "log.near").string();
  std::ofstream(script) << system.script(n, steps);
  const std::string command = "OMP_NUM_THREADS=1 lmp -in " + script + " -log " + log + " -screen none > /dev/null 2>&1";
  Peer peer;
  if (std::system(command.c_str()) != 0) return peer;
  std::ifstream in(log);
  bool table = false;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string first;
    words >> first;
    if (table && std::isnan(peer.energy)) words >> peer.energy;
    table = first == "Step" || (table && std::isnan(peer.energy));
    (void)std::sscanf(line.c_str(), "Loop time of %lf", &peer.seconds);
    (void)std::sscanf(line.c_str(), "Total # of neighbors = %lf", &peer.pairs);
    (void)std::sscanf(line.c_str(), "Neighbor list builds = %lf", &peer.rebuilds);
  }
  return peer;
}

/// The potential energy at the begin, and the pairs within the limit when the lattice has melted.
struct First {
  double potential = NAN, pairs = NAN;
};

ToolRun toolRun(const std::string& model, double end, const CacheFolder& cache, const std::string& file = "") {
  std::vector<std::string> arguments{"--time", "0.." + std::to_string(end), "--every", std::to_string(end), "--threads",
                                     "1"};
  if (!file.empty()) arguments.insert(arguments.end(), {"--output", file});
  return runTool(model, arguments, cache, 600);
}

First firstOf(const std::string& model, double step, const CacheFolder& cache) {
  const std::string file = (cache.path() / "near.csv").string();
  (void)toolRun(model, 100 * step, cache, file);
  std::ifstream in(file);
  std::string head, line;
  std::getline(in, head);
  First first;
  double energy = NAN;
  for (bool begin = true; std::getline(in, line); begin = false) {
    std::istringstream names(head), cells(line);
    double kinetic = 0;
    for (std::string name, cell; std::getline(names, name, ',') && std::getline(cells, cell, ',');) {
      const double x = std::stod(cell);
      if (name.starts_with("p[")) kinetic += x * x / 2;
      if (name == "energy") energy = x;
      if (name == "neighbours") first.pairs = x;
    }
    if (begin) first.potential = energy - kinetic;
  }
  return first;
}

std::string text(const char* format, double x) {
  std::array<char, 32> out{};
  std::snprintf(out.data(), out.size(), format, x);
  return out.data();
}

} // namespace

int main(int argc, char** argv) {
  const Options options = readOptions(argc, argv);
  if (!toolExists()) {
    std::cerr << "the tool is not built\n";
    return 1;
  }
  const CacheFolder cache;
  nlohmann::json results{{"bench", "near"}, {"machine", machine()}, {"unit", "seconds per pair and evaluation"}};
  results["results"] = nlohmann::json::array();
  std::vector<std::vector<std::string>> rows{{"", "members", "pairs within the limit", "lmc, an evaluation", "a pair",
                                              "", "LAMMPS, a pair", "", "lmc/LAMMPS"}};
  bool good = true;
  for (const System& system : systems())
    for (const int n : options.quick ? std::vector<int>{10, 20} : std::vector<int>{10, 20, 46}) {
      const std::string model = (cache.path() / "members.lie").string();
      std::ofstream(model) << system.model(n);
      const double members = std::pow(n, 3);
      const First first = firstOf(model, system.step, cache);
      const Peer look = lammps(system, n, 0, cache);
      if (std::abs(first.potential - look.energy) > 1e-9 * std::abs(first.potential)) {
        std::cerr << "potential energies differ: " << first.potential << ", of LAMMPS " << look.energy << '\n';
        good = !std::isnan(look.energy) ? false : good; // LAMMPS may not be there
      }
      const int steps = static_cast<int>((options.quick ? 4e5 : 4e6) / members) + 20;
      std::vector<double> own, other, ratios;
      for (int r = 0; r <= options.repeats; ++r) { // the programs take turns
        const ToolRun run = toolRun(model, steps * system.step, cache);
        const Peer peer = lammps(system, n, steps, cache);
        if (run.summary.is_null() || r == 0) continue;
        own.push_back(run.summary.at("run_seconds").get<double>() / steps / system.evaluations / first.pairs);
        other.push_back(peer.seconds / steps / first.pairs);
        ratios.push_back(own.back() / other.back());
      }
      const Spread a = spreadOf(own), b = spreadOf(other), ratio = spreadOf(ratios);
      rows.push_back({system.name, text("%.0f", members), text("%.3g", first.pairs), duration(a.median * first.pairs),
                      duration(a.median), percent(a), duration(b.median), percent(b), text("%.2f", ratio.median)});
      results["results"].push_back({{"system", system.name},
                                    {"members", members},
                                    {"lmc", toJson(a)},
                                    {"lammps", toJson(b)},
                                    {"ratio", ratio.median}});
    }
  std::cout << table(rows);
  writeJson(options, results);
  return good ? 0 : 1;
}
