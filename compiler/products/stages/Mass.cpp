// Is the mass matrix regular at the initial state, and is it positive definite? If not, which coordinates are at fault?
#include "lower/Calculator.h"
#include "mechanics/system/Regular.h"
#include "products/stages/Stages.h"
#include "runtime/mass/Spectrum.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace lmc::products {

namespace {

/// From this condition number on a warning is due: four digits of an acceleration are left.
constexpr double nearlySingular = 1e12;
/// Larger dense matrices are not looked into before the run; their factorization reports them.
constexpr std::int64_t largest = 200;

} // namespace

class MassProbe::Impl {
public:
  Impl(mechanics::Layer& layer, const Layout& layout)
      : s_(layer.system), m_(layer.model), layout_(layout), calculator_(program(layer.program())) {}

  /// With `reports`, singular matrices and those that are nearly so are reported.
  MassKind look(std::span<const double> params, std::span<const double> state, double t, Diagnostics* reports) {
    std::copy(params.begin(), params.end(), calculator_.at(runtime::Role::Params).begin());
    std::copy(state.begin(), state.end(), calculator_.at(runtime::Role::State).begin());
    d_ = reports;
    kind_.definite = true;
    kind_.inspected = std::none_of(s_.groups.begin(), s_.groups.end(), [](const mechanics::MassGroup& g) {
      return g.structure == mechanics::MassStructure::Dense && g.size > largest;
    });
    for (const Task& task : tasks_) {
      if (calculator_.run(task.function, t) == 0)
        inspect(task, calculator_.at(runtime::Role::Output).data() + task.offset);
    }
    return kind_;
  }

private:
  struct Task {
    const mechanics::MassGroup* group = nullptr;
    bool mass = true; ///< else another matrix that is factored
    std::int64_t n = 0, members = 1, offset = 0;
    int function = -1;
  };

  tape::Module program(sym::Program& p) {
    std::vector<const sym::Array*> arrays;
    const auto add = [&](const mechanics::MassGroup& g, bool mass, const sym::Array* a, std::int64_t n,
                         std::int64_t members) {
      arrays.push_back(a);
      tasks_.push_back({&g, mass, n, members, 0, -1});
    };
    for (const mechanics::MassGroup& g : s_.groups) {
      if (!g.matrix && (g.dense == nullptr || g.size > largest)) continue;
      const sym::Array* a = g.matrix ? define(p, g, g.matrix) : g.dense;
      add(g, true, a, g.structure == mechanics::MassStructure::Scalar ? 1 : g.size, g.matrix ? a->count() : 1);
    }
    for (const sym::Array* a : factored(p)) add(s_.groups.front(), false, a, a->shape.rows, a->count());
    unit::UnitBuilder unit(p, false);
    unit.usePivots(lower::Lowering::Pivots::All);
    readModel(unit, m_, layout_);
    for (std::size_t k = 0; k < tasks_.size(); ++k) {
      const runtime::Field matrices = unit.place(runtime::Role::Output, "mass", {arrays[k]});
      tasks_[k].offset = matrices.offset;
      tasks_[k].function = unit.function("mass", 1, unit::UnitBuilder::into(matrices, {arrays[k]}));
    }
    return unit.build().module;
  }

  /// The symmetric matrices that the accelerations need factors of, which are not always mass matrices.
  std::vector<const sym::Array*> factored(sym::Program& p) const {
    std::vector<const sym::Array*> roots;
    for (const mechanics::FactorEquations& e : s_.factors)
      roots.insert(roots.end(), e.acceleration.begin(), e.acceleration.end());
    std::vector<const sym::Array*> list;
    for (const std::size_t k : p.slice(roots)) {
      const sym::Equation e = p.equations()[k];
      if (!e.value || e.loops.size() > 1 || e.array->extents.size() != e.loops.size()) continue;
      std::vector<sym::Expr> matrices;
      sym::visitPostOrder({e.value}, [&](const sym::Node& n) {
        if (n.op == sym::Op::Solve && n.imm == 1 &&
            std::find(matrices.begin(), matrices.end(), n.args[0]) == matrices.end())
          matrices.push_back(n.args[0]);
      });
      for (const sym::Expr& matrix : matrices) {
        sym::Equation copy = e;
        copy.array = p.graph().newArray("factored", e.array->extents, matrix->shape, sym::Role::Temp);
        copy.value = matrix;
        copy.kind = sym::EquationKind::Set;
        list.push_back(copy.array);
        p.append(std::move(copy));
      }
    }
    return list;
  }

  const sym::Array* define(sym::Program& p, const mechanics::MassGroup& g, sym::Expr matrix) const {
    sym::Graph& graph = p.graph();
    sym::Equation e;
    std::vector<std::int64_t> extents;
    if (!g.index.empty()) {
      extents = {m_.factors[g.factors[0]].extent};
      e.loops = {{g.index[0], graph.integer(1), graph.integer(extents[0]), false}};
      e.index = g.index;
    }
    e.array = graph.newArray("mass", extents, matrix->shape, sym::Role::Temp);
    e.value = matrix;
    p.append(e);
    return e.array;
  }

  /// The first singular member is reported, or the one nearest to that; else the first with a negative energy.
  void inspect(const Task& t, const double* values) {
    std::int64_t worst = -1, negative = -1;
    runtime::Spectrum found;
    std::vector<std::int64_t> below;
    for (std::int64_t member = 0; member < t.members; ++member) {
      runtime::Spectrum s = runtime::spectrumOf(values + member * t.n * t.n, t.n);
      if (!s.finite) continue;
      const double* own = values + member * t.n * t.n;
      if (!t.mass && std::all_of(own, own + t.n * t.n, [](double x) { return x == 0; })) continue; // of no member
      kind_.definite = kind_.definite && s.definite();
      if (!t.mass || d_ == nullptr) continue;
      if (s.singular()) return singular(t, t.members > 1 ? member + 1 : 0, s);
      if (negative < 0 && !s.below.empty()) {
        negative = member;
        below = s.below;
      }
      if (s.condition < nearlySingular || (worst >= 0 && s.condition <= found.condition)) continue;
      worst = member;
      found = std::move(s);
    }
    if (worst >= 0) warn(t, t.members > 1 ? worst + 1 : 0, found);
    if (negative >= 0) warnOfNegative(t, t.members > 1 ? negative + 1 : 0, below);
  }

  [[nodiscard]] const Range& place(const Task& t) const { return m_.factors[t.group->factors[0]].range; }

  void singular(const Task& t, std::int64_t member, const runtime::Spectrum& s) {
    const std::vector<std::string> names = components(*t.group, member, s.weakest);
    if (mechanics::isHeld(s_)) return notHeld(names, s.weakest);
    d_->error(Code::LIE0401, place(t),
              fmt::format("the mass matrix is singular at the initial state: {} {} no kinetic energy of {} own",
                          fmt::join(names, ", "), names.size() == 1 ? "has" : "together have",
                          names.size() == 1 ? "its" : "their"))
        .note("M = d2L/dxi dxi has no inverse there, so the accelerations are not determined" +
              (std::isinf(s.condition) || s.condition > 1e300
                   ? std::string()
                   : fmt::format("; its condition number is {:.2g}", s.condition)))
        .suggest("give it an inertia, which may be small beside the others, or a configuration without this velocity");
  }

  /// M is singular on the velocities that the constraints leave.
  void notHeld(const std::vector<std::string>& names, const std::vector<std::int64_t>& rows) {
    const sema::Factor* at = &m_.factors.front();
    std::int64_t next = 0;
    for (const sema::Factor& f : m_.factors) {
      if (!rows.empty() && rows.front() >= next) at = &f;
      next += std::max<std::int64_t>(f.extent, 1) * f.manifold->algebraSize();
    }
    d_->error(Code::LIE0401, at->range,
              fmt::format("the mass matrix is singular at the initial state, also between velocities that the "
                          "constraints permit: {} {} no kinetic energy, and {} free to change",
                          fmt::join(names, ", "), names.size() == 1 ? "has" : "together have",
                          names.size() == 1 ? "is" : "are"))
        .note("a velocity without kinetic energy is determined where the constraints leave no motion to it alone")
        .suggest("give it an inertia, which may be small beside the others, or a constraint that holds it");
  }

  void warn(const Task& t, std::int64_t member, const runtime::Spectrum& s) {
    const std::vector<std::string> names = components(*t.group, member, s.weakest);
    d_->warning(Code::LIE0415, place(t),
                fmt::format("the mass matrix is nearly singular at the initial state: its condition number is {:.2g}, "
                            "because of {}",
                            s.condition, fmt::join(names, ", ")))
        .note(fmt::format("accelerations may have no more than {} right digits",
                          std::max(0, static_cast<int>(15.5 - std::log10(s.condition)))));
  }

  void warnOfNegative(const Task& t, std::int64_t member, const std::vector<std::int64_t>& rows) {
    const std::vector<std::string> names = components(*t.group, member, rows);
    d_->warning(Code::LIE0416, place(t),
                fmt::format("the kinetic energy is negative for some velocities at the initial state: of {} {}",
                            fmt::join(names, ", "), names.size() == 1 ? "alone" : "together"))
        .note("M = d2L/dxi dxi is not positive definite there; a force accelerates such a motion against itself")
        .suggest("look at the signs of the Lagrangian's terms and at the entries of its inertias");
  }

  /// Unknowns of a group, named like columns: "w[2]", of a member "w[3][2]", of a part "V.v[1]".
  [[nodiscard]] std::vector<std::string> components(const mechanics::MassGroup& g, std::int64_t member,
                                                    const std::vector<std::int64_t>& rows) const {
    const bool whole = g.dense != nullptr; // the matrix of all members
    std::vector<std::string> names;
    for (const std::size_t k : g.factors) {
      const std::vector<std::string> own = velocityComponents(m_.factors[k]);
      const auto dim = static_cast<std::size_t>(m_.factors[k].manifold->algebraSize());
      const std::size_t first = whole || member == 0 ? 0 : static_cast<std::size_t>(member - 1) * dim;
      const std::size_t count = whole ? own.size() : dim;
      names.insert(names.end(), own.begin() + static_cast<std::ptrdiff_t>(first),
                   own.begin() + static_cast<std::ptrdiff_t>(first + count));
    }
    std::vector<std::string> list;
    constexpr std::size_t shown = 12;
    const bool scalar = g.structure == mechanics::MassStructure::Scalar && g.size > 1; // one number stands for all
    for (const std::int64_t row : rows) {
      if (list.size() == shown) {
        list.back() = "…";
        break;
      }
      list.push_back(scalar ? m_.factors[g.factors[0]].velocityName + (member > 0 ? fmt::format("[{}]", member) : "")
                            : names.at(static_cast<std::size_t>(row)));
    }
    return list;
  }

  const mechanics::System& s_;
  const sema::Model& m_;
  const Layout& layout_;
  std::vector<Task> tasks_;
  lower::Calculator calculator_;
  MassKind kind_;
  Diagnostics* d_ = nullptr;
};

MassProbe::MassProbe(mechanics::Layer& layer, const Layout& layout) : impl_(std::make_unique<Impl>(layer, layout)) {}
MassProbe::~MassProbe() = default;

MassKind MassProbe::operator()(std::span<const double> params, std::span<const double> state, double t) {
  return impl_->look(params, state, t, nullptr);
}

std::vector<std::string> velocityComponents(const sema::Factor& f) {
  const std::vector<sema::Part>& parts = f.manifold->algebra();
  std::vector<std::vector<runtime::Entry>> entries(parts.size()); // of a part: of all members
  for (std::size_t part = 0; part < parts.size(); ++part)
    entries[part] = unit::fieldOf(partName(f.velocityName, parts, part), *f.velocity[part]).entries();
  std::vector<std::string> names;
  const std::int64_t members = std::max<std::int64_t>(f.extent, 1);
  for (std::int64_t i = 0; i < members; ++i) {
    for (std::size_t part = 0; part < parts.size(); ++part) {
      const std::size_t size = entries[part].size() / static_cast<std::size_t>(members);
      for (std::size_t c = 0; c < size; ++c)
        names.push_back(entries[part][static_cast<std::size_t>(i) * size + c].name());
    }
  }
  return names;
}

void choosePivots(unit::UnitBuilder& unit, const MassKind& kind) {
  using Pivots = lower::Lowering::Pivots;
  unit.usePivots(!kind.definite    ? Pivots::All
                 : !kind.inspected ? Pivots::Routines
                                   : Pivots::None,
                 kind.redundant ? lower::Lowering::Rank::Any : lower::Lowering::Rank::Full, kind.dependent);
}

bool checkMass(mechanics::Layer& layer, const Layout& layout, const InitialData& data, MassKind& kind,
               Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.errorCount();
  const auto from = data.settings.find("time.from");
  kind = MassProbe::Impl(layer, layout)
             .look(data.params, data.state, from == data.settings.end() ? 0 : from->second, &diagnostics);
  return diagnostics.errorCount() == before;
}

} // namespace lmc::products
