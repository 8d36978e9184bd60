// Initial data: parameters in order, settings, the initial state, and its place on the manifold.
#include "driver/PipelineStages.h"
#include "lower/Calculator.h"
#include "sema/Generator.h"

#include <Eigen/Dense>
#include <cmath>
#include <fmt/format.h>
#include <random>

namespace lmc {

namespace {

/// Defects of initial values beyond this are errors, smaller ones are projected away (language.md, section 3).
constexpr double offManifold = 1e-8;
constexpr int projectionSteps = 4;

class InitialEvaluation {
public:
  InitialEvaluation(System& s, const Layout& layout) : m_(*s.model), layout_(layout), calculator_(program()) {}

  std::optional<InitialData> run(std::optional<std::uint64_t> seed, Diagnostics& diagnostics) {
    d_ = &diagnostics;
    Calculator& calculator = calculator_;
    InitialData data;
    settings(calculator, data); // once for the seed, which nothing random may define
    data.seed = seed ? *seed : data.settings.contains("seed") ? static_cast<std::uint64_t>(data.settings["seed"]) : 0;
    draw(calculator, data.seed);
    for (std::size_t k = 0; k < m_.parameters.size(); ++k) {
      if (calculator.run(parameters_[k], 0) != 0) return failed(m_.parameters[k].range, m_.parameters[k].name);
      const std::int64_t offset = layout_.params.at(m_.parameters[k].array->id);
      for (std::int64_t i = 0; i < m_.parameters[k].array->size(); ++i) {
        calculator.at(tape::Role::Params)[offset + i] = calculator.at(tape::Role::Output)[offset + i];
      }
    }
    settings(calculator, data);
    data.params = calculator.at(tape::Role::Params);
    data.params.resize(static_cast<std::size_t>(layout_.paramSize));
    const double start = data.settings.contains("time.from") ? data.settings["time.from"] : 0;
    auto y = initialState(start);
    if (!y) return std::nullopt;
    data.state = std::move(*y);
    return data;
  }

  std::optional<std::vector<double>> state(const std::vector<double>& params, std::uint64_t seed, double start,
                                           Diagnostics& diagnostics) {
    d_ = &diagnostics;
    draw(calculator_, seed);
    std::copy(params.begin(), params.end(), calculator_.at(tape::Role::Params).begin());
    return initialState(start);
  }

private:
  /// For the parameters and random numbers that the calculator holds.
  std::optional<std::vector<double>> initialState(double start) {
    std::vector<double>& memory = calculator_.at(tape::Role::State);
    std::fill(memory.begin(), memory.end(), 0.0);
    if (calculator_.run(initial_, start) != 0) {
      (void)failed(m_.range, m_.name);
      return std::nullopt;
    }
    const std::size_t before = d_->errorCount();
    settle(calculator_);
    if (d_->errorCount() > before) return std::nullopt;
    return std::vector<double>(memory.begin(), memory.begin() + layout_.stateSize);
  }

  std::optional<InitialData> failed(Range range, const std::string& what) {
    d_->error(Code::LIE0404, range, fmt::format("the value of '{}' cannot be computed: a matrix is singular", what));
    return std::nullopt;
  }

  /// One function per parameter (each reads those before), one for the settings, one for the state, two per variable
  /// that has conditions to satisfy.
  tape::Module program() {
    defineConditions();
    Lowering lowering(m_.program, false);
    bindInputs(lowering, m_, layout_);
    std::int64_t offset = 0;
    for (const RandomArray& r : m_.randoms) {
      lowering.bindInput(r.array, tape::Role::Constants, offset);
      offset += r.array->size();
    }
    for (const DataArray& a : m_.data) {
      lowering.bindInput(a.array, tape::Role::Constants, offset);
      offset += a.array->size();
    }
    for (const Parameter& p : m_.parameters) {
      parameters_.push_back(
          lowering.addFunction("param " + p.name, 1, {{p.value, tape::Role::Output, layout_.params.at(p.array->id)}}));
    }
    std::vector<OutputBinding> outputs;
    for (const auto& [name, array] : settingArrays()) {
      outputs.push_back({array, tape::Role::Output, layout_.paramSize + static_cast<std::int64_t>(outputs.size())});
    }
    settings_ = lowering.addFunction("settings", 1, outputs);
    std::int64_t free = layout_.paramSize + static_cast<std::int64_t>(outputs.size());
    outputs.clear();
    for (const InitialValue& v : m_.initials) {
      outputs.push_back({v.value, tape::Role::State, layout_.state.at(v.state->id)});
    }
    initial_ = lowering.addFunction("initial", 1, outputs);
    for (Condition& c : conditions_) {
      c.offset = free;
      for (OutputBinding& o : c.outputs) o.offset += free;
      free += (c.rows + c.rows * c.columns) * c.members;
      c.function = lowering.addFunction("conditions " + c.name, 1, c.outputs);
    }
    return lowering.finish();
  }

  std::vector<std::pair<std::string, const sym::Array*>> settingArrays() const {
    const Simulation& s = m_.simulation;
    std::vector<std::pair<std::string, const sym::Array*>> list;
    for (const auto& [name, array] : {std::pair{"time.from", s.timeFrom},
                                      {"time.to", s.timeTo},
                                      {"step", s.step},
                                      {"output.every", s.outputEvery},
                                      {"output.steps", s.outputSteps},
                                      {"seed", s.seed}}) {
      if (array != nullptr) list.emplace_back(name, array);
    }
    for (const ToleranceSetting& t : s.tolerances) {
      if (t.absolute != nullptr) list.emplace_back("tolerance.absolute." + t.variable, t.absolute);
      if (t.relative != nullptr) list.emplace_back("tolerance.relative." + t.variable, t.relative);
    }
    return list;
  }

  void settings(Calculator& calculator, InitialData& data) {
    if (calculator.run(settings_, 0) != 0) return;
    auto next = static_cast<std::size_t>(layout_.paramSize);
    for (const auto& [name, array] : settingArrays()) data.settings[name] = calculator.at(tape::Role::Output)[next++];
  }

  void draw(Calculator& calculator, std::uint64_t seed) {
    std::mt19937_64 engine(seed);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    std::vector<double>& memory = calculator.at(tape::Role::Constants);
    std::size_t next = 0;
    for (const RandomArray& r : m_.randoms) {
      for (std::int64_t i = 0; i < r.array->size(); ++i) memory[next++] = r.uniform ? uniform(engine) : normal(engine);
    }
    for (const DataArray& a : m_.data) {
      for (const double v : a.values) memory[next++] = v;
    }
  }

  // --- conditions on initial values ---------------------------------------------------------------------------

  /// c(x) = 0 for one variable, with its Jacobian: `holds` on the point, the horizontal condition on the velocity.
  struct Condition {
    std::string name;
    Range range;
    std::string kind; ///< "velocity" or "momentum"; empty for a point
    std::int64_t members = 1;
    std::int64_t rows = 0, columns = 0; ///< per member
    const ArrayTuple* arrays = nullptr;
    std::vector<OutputBinding> outputs; ///< residuals, then Jacobian
    std::int64_t offset = 0;            ///< of the residuals in Output
    int function = -1;
  };

  void defineConditions() {
    for (const PhaseVariable& v : m_.order) {
      if (v.isFactor) {
        const Factor& f = m_.factors[v.index];
        define(f.name, f.range, *f.manifold, f.extent, f.point, nullptr);
        if (!f.manifold->gives("horizontal")) continue;
        define(f.velocityName, f.range, *f.manifold, f.extent, f.point, &f.velocity);
        if (!conditions_.empty() && conditions_.back().arrays == &f.velocity)
          conditions_.back().kind = f.fiber == Fiber::Momentum ? "momentum" : "velocity";
      } else if (const StateVariable& z = m_.states[v.index]; !z.dual) {
        define(z.name, z.range, *z.manifold, z.extent, z.point, nullptr);
      }
    }
  }

  void define(const std::string& name, Range range, const Manifold& manifold, std::int64_t extent,
              const ArrayTuple& point, const ArrayTuple* velocity) {
    sym::Program& p = m_.program;
    sym::Graph& g = p.graph();
    Condition c;
    c.name = name;
    c.range = range;
    for (const auto& [variable, where] : m_.initialRanges) {
      if (variable == name) c.range = where;
    }
    c.members = std::max<std::int64_t>(extent, 1);
    c.arrays = velocity != nullptr ? velocity : &point;
    std::vector<sym::Expr> index;
    if (extent > 0) index.push_back(g.newIndex("i"));
    const Tuple q = loads(g, point, index);
    std::vector<sym::Expr> residuals;
    if (velocity != nullptr) {
      residuals = entries(g, *manifold.apply("horizontal", {q, loads(g, *velocity, index)}));
    } else {
      for (const HeldEquation& h : manifold.holds(q)) {
        for (const sym::Expr& e : entries(g, {g.sub(h.left, h.right)})) residuals.push_back(e);
      }
    }
    if (residuals.empty()) return;
    std::vector<sym::Expr> jacobian;
    for (const sym::Expr& r : residuals) appendGradient(g, r, *c.arrays, jacobian);
    c.rows = static_cast<std::int64_t>(residuals.size());
    c.columns = static_cast<std::int64_t>(jacobian.size()) / c.rows;
    const auto output = [&](const std::string& what, const std::vector<sym::Expr>& values, std::int64_t offset) {
      const std::vector<std::int64_t> extents =
          extent > 0 ? std::vector<std::int64_t>{extent} : std::vector<std::int64_t>{};
      const sym::Array* a =
          g.newArray(what + name, extents, sym::Shape::vec(static_cast<int>(values.size())), sym::Role::Temp);
      sym::Equation e;
      e.array = a;
      if (extent > 0) e.loops = {{index[0], g.integer(1), g.integer(extent), false}};
      e.index = index;
      e.value = g.vector(values);
      p.append(std::move(e));
      c.outputs.push_back({a, tape::Role::Output, offset});
    };
    output("residual.", residuals, 0);
    output("jacobian.", jacobian, c.rows * c.members);
    conditions_.push_back(std::move(c));
  }

  static void appendGradient(sym::Graph& g, sym::Expr residual, const ArrayTuple& arrays, std::vector<sym::Expr>& out) {
    Tuple row;
    for (const sym::Array* a : arrays) row.push_back(g.zero(a->shape));
    const auto wanted = [&](const sym::Node& n) {
      return std::find(arrays.begin(), arrays.end(), n.array) != arrays.end();
    };
    for (const auto& [load, w] : sym::pullback(g, residual, g.number(1), wanted)) {
      const auto k = static_cast<std::size_t>(std::find(arrays.begin(), arrays.end(), load->array) - arrays.begin());
      row[k] = g.add(row[k], w);
    }
    const std::vector<sym::Expr> list = entries(g, row);
    out.insert(out.end(), list.begin(), list.end());
  }

  /// Reports what is far off and moves the rest onto the manifold by Newton steps of least norm.
  void settle(Calculator& calculator) {
    for (const Condition& c : conditions_) {
      for (int step = 0; step < projectionSteps; ++step) {
        if (calculator.run(c.function, 0) != 0) break;
        double worst = 0;
        for (std::int64_t i = 0; i < c.members; ++i) worst = std::max(worst, correct(calculator, c, i, step == 0));
        if (worst < 1e-15 || worst > offManifold) break;
      }
    }
  }

  double correct(Calculator& calculator, const Condition& c, std::int64_t member, bool first) {
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const double* output = calculator.at(tape::Role::Output).data() + c.offset;
    const Eigen::Map<const Eigen::VectorXd> residual(output + member * c.rows, c.rows);
    const Eigen::Map<const RowMajor> jacobian(output + c.rows * c.members + member * c.rows * c.columns, c.rows,
                                              c.columns);
    const double worst = residual.cwiseAbs().maxCoeff();
    if (!(worst <= offManifold)) {
      if (first) reportOff(c, member, worst);
      return worst;
    }
    if (worst < 1e-15) return worst;
    const Eigen::VectorXd change = jacobian.completeOrthogonalDecomposition().solve(residual);
    std::int64_t next = 0;
    for (const sym::Array* a : *c.arrays) {
      double* x = calculator.at(tape::Role::State).data() + layout_.state.at(a->id) + member * a->shape.size();
      for (int k = 0; k < a->shape.size(); ++k) x[k] -= change[next++];
    }
    return worst;
  }

  void reportOff(const Condition& c, std::int64_t member, double worst) {
    const std::string name = c.members > 1 ? fmt::format("{}[{}]", c.name, member + 1) : c.name;
    if (!c.kind.empty()) {
      d_->error(
            Code::LIE0403, c.range,
            fmt::format("the initial {} '{}' is not horizontal: the condition is off by {:.3g}", c.kind, name, worst))
          .note(fmt::format("the {} of a homogeneous manifold has no component along the isotropy", c.kind));
    } else {
      d_->error(
            Code::LIE0402, c.range,
            fmt::format("the initial value of '{}' is not on its manifold: what `holds` is off by {:.3g}", name, worst))
          .note("defects up to 1e-8 are projected away");
    }
  }

  Model& m_;
  Layout layout_;
  Diagnostics* d_ = nullptr;
  std::vector<int> parameters_;
  int settings_ = -1;
  int initial_ = -1;
  std::vector<Condition> conditions_;
  Calculator calculator_; // last: made from all of the above
};

} // namespace

std::optional<InitialData> evaluateInitialData(System& system, const Layout& layout, std::optional<std::uint64_t> seed,
                                               Diagnostics& diagnostics) {
  return InitialEvaluation(system, layout).run(seed, diagnostics);
}

class InitialStates::Impl {
public:
  Impl(System& system, const Layout& layout) : evaluation(system, layout) {}
  InitialEvaluation evaluation;
};

InitialStates::InitialStates(System& system, const Layout& layout) : impl_(std::make_unique<Impl>(system, layout)) {}
InitialStates::~InitialStates() = default;

std::optional<std::vector<double>> InitialStates::operator()(const std::vector<double>& params, std::uint64_t seed,
                                                             double start, Diagnostics& diagnostics) {
  return impl_->evaluation.state(params, seed, start, diagnostics);
}

} // namespace lmc
