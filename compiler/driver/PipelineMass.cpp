// Is the mass matrix regular at the initial state? If not, which coordinates carry no kinetic energy there?
#include "driver/PipelineStages.h"
#include "lower/Calculator.h"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <fmt/format.h>

namespace lmc {

namespace {

/// Eigenvalues of the matrix, scaled to ones on its diagonal, below this count as zero.
constexpr double singular = 1e-12;
/// Larger dense matrices are not looked into before the run; their factorization reports them.
constexpr std::int64_t largest = 200;

class MassCheck {
public:
  MassCheck(System& s, const Layout& layout, Diagnostics& d) : s_(s), m_(*s.model), layout_(layout), d_(d) {}

  bool run(const InitialData& data) {
    Calculator calculator(program());
    std::copy(data.params.begin(), data.params.end(), calculator.at(tape::Role::Params).begin());
    std::copy(data.state.begin(), data.state.end(), calculator.at(tape::Role::State).begin());
    const double start = data.settings.contains("time.from") ? data.settings.at("time.from") : 0;
    const std::size_t before = d_.errorCount();
    for (const Task& t : tasks_) {
      if (calculator.run(t.function, start) == 0) inspect(t, calculator.at(tape::Role::Output).data() + t.offset);
    }
    return d_.errorCount() == before;
  }

private:
  struct Task {
    const MassGroup* group = nullptr;
    std::int64_t n = 0, members = 1, offset = 0;
    int function = -1;
  };

  tape::Module program() {
    std::vector<const sym::Array*> arrays;
    std::int64_t offset = 0;
    for (const MassGroup& g : s_.groups) {
      if (!g.matrix && (g.dense == nullptr || g.size > largest)) continue;
      arrays.push_back(g.matrix ? define(g) : g.dense);
      const std::int64_t n = g.structure == MassStructure::Scalar ? 1 : g.size;
      const std::int64_t members = g.matrix ? arrays.back()->count() : 1;
      tasks_.push_back({&g, n, members, offset, -1});
      offset += n * n * members;
    }
    Lowering lowering(m_.program, false);
    bindInputs(lowering, m_, layout_);
    for (std::size_t k = 0; k < tasks_.size(); ++k) {
      tasks_[k].function = lowering.addFunction("mass", 1, {{arrays[k], tape::Role::Output, tasks_[k].offset}});
    }
    return lowering.finish();
  }

  const sym::Array* define(const MassGroup& g) {
    sym::Graph& graph = m_.program.graph();
    sym::Equation e;
    std::vector<std::int64_t> extents;
    if (!g.index.empty()) {
      extents = {m_.factors[g.factors[0]].extent};
      e.loops = {{g.index[0], graph.integer(1), graph.integer(extents[0]), false}};
      e.index = g.index;
    }
    e.array = graph.newArray("mass", extents, g.matrix->shape, sym::Role::Temp);
    e.value = g.matrix;
    m_.program.append(e);
    return e.array;
  }

  void inspect(const Task& t, const double* values) {
    for (std::int64_t member = 0; member < t.members; ++member) {
      const Eigen::Map<const Eigen::MatrixXd> stored(values + member * t.n * t.n, t.n, t.n);
      const Eigen::MatrixXd m = stored.selfadjointView<Eigen::Upper>(); // stored by rows: its lower part
      if (!m.allFinite()) continue;
      std::vector<std::int64_t> lost;
      for (Eigen::Index i = 0; i < m.rows(); ++i) {
        if (m(i, i) == 0) lost.push_back(i);
      }
      if (lost.empty()) lost = nullCoordinates(m);
      if (lost.empty()) continue;
      report(*t.group, t.members > 1 ? member + 1 : 0, lost);
      return;
    }
  }

  static std::vector<std::int64_t> nullCoordinates(const Eigen::MatrixXd& m) {
    const Eigen::VectorXd scale = m.diagonal().cwiseAbs().cwiseSqrt().cwiseInverse();
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(scale.asDiagonal() * m * scale.asDiagonal());
    Eigen::Index smallest = 0;
    const double size = solver.eigenvalues().cwiseAbs().minCoeff(&smallest);
    std::vector<std::int64_t> lost;
    if (size > singular * solver.eigenvalues().cwiseAbs().maxCoeff()) return lost;
    const Eigen::VectorXd v = solver.eigenvectors().col(smallest).cwiseAbs();
    for (Eigen::Index i = 0; i < v.size(); ++i) {
      if (v(i) > 0.1 * v.maxCoeff()) lost.push_back(i);
    }
    return lost;
  }

  void report(const MassGroup& g, std::int64_t member, const std::vector<std::int64_t>& lost) {
    std::vector<std::string> names;
    for (const std::int64_t i : lost) names.push_back(coordinate(g, member, i));
    const Factor& first = m_.factors[g.factors[0]];
    d_.error(Code::LIE0401, first.range,
             fmt::format("the mass matrix is singular at the initial state: {} {} no kinetic energy of {} own",
                         fmt::join(names, ", "), names.size() == 1 ? "has" : "together have",
                         names.size() == 1 ? "its" : "their"))
        .note("M = d2L/dxi dxi has no inverse there, so the accelerations are not determined");
  }

  /// The name of the i-th unknown of a group: "w[2]", of a member "w[3][2]".
  std::string coordinate(const MassGroup& g, std::int64_t member, std::int64_t i) const {
    for (const std::size_t k : g.factors) {
      const Factor& f = m_.factors[k];
      const std::int64_t dim = f.manifold->algebraSize();
      const bool whole = g.dense != nullptr; // the matrix of all members
      const std::int64_t size = whole ? dim * std::max<std::int64_t>(f.extent, 1) : dim;
      if (i >= size) {
        i -= size;
        continue;
      }
      std::string name = f.velocityName;
      if (whole && f.extent > 0) name += fmt::format("[{}]", i / dim + 1);
      if (member > 0) name += fmt::format("[{}]", member);
      if (dim > 1) name += fmt::format("[{}]", i % dim + 1);
      return name;
    }
    return "?";
  }

  System& s_;
  Model& m_;
  const Layout& layout_;
  Diagnostics& d_;
  std::vector<Task> tasks_;
};

} // namespace

bool checkMass(System& system, const Layout& layout, const InitialData& data, Diagnostics& diagnostics) {
  return MassCheck(system, layout, diagnostics).run(data);
}

} // namespace lmc
