#include "tool/view/MeasuredBodies.h"

#include "checks/states/StateSpace.h"
#include "linear/Decompositions.h"
#include "runtime/run/Workspace.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <random>

namespace lmc::tool {

namespace {

using Matrix6 = Eigen::Matrix<double, 6, 6>;
using checks::Direction;
using checks::State;

constexpr int degrees = 6;
constexpr double difference = 1e-4, tolerance = 1e-6;

/// Reads energies and pictures at states.
class Observer {
public:
  explicit Observer(const runtime::Problem& problem)
      : problem_(problem), energy_(problem.field(runtime::FieldKind::Energy)), workspace_(problem) {
    for (const runtime::Column& c : problem.columns()) places_.push_back(workspace_.place(c));
    ready_ = energy_ != nullptr && workspace_.start() == runtime::Ok;
  }
  [[nodiscard]] bool ready() const { return ready_; }
  /// False where nothing can be computed.
  [[nodiscard]] bool at(const State& y) {
    std::copy(y.begin(), y.end(), workspace_.state().begin());
    return workspace_.observe(std::isfinite(problem_.timeFrom) ? problem_.timeFrom : 0) == runtime::Ok;
  }
  [[nodiscard]] double energy() const { return workspace_.output()[static_cast<std::size_t>(energy_->offset)]; }
  [[nodiscard]] Eigen::Vector3d place(const products::SceneColumns& c, std::size_t member) const {
    const double* const p = first(c, member);
    return {p[0], p[1], p[2]};
  }
  [[nodiscard]] Eigen::Matrix3d turn(const products::SceneColumns& c, std::size_t member) const {
    return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(first(c, member));
  }

private:
  /// The entries of one element stand one after the other.
  [[nodiscard]] const double* first(const products::SceneColumns& c, std::size_t member) const {
    scratch_.clear();
    const auto size = static_cast<std::size_t>(c.shape.size());
    for (std::size_t k = 0; k < size; ++k) scratch_.push_back(*places_[c.first + member * size + k]);
    return scratch_.data();
  }

  const runtime::Problem& problem_;
  const runtime::Field* energy_;
  runtime::Workspace workspace_;
  std::vector<const double*> places_;
  mutable std::vector<double> scratch_;
  bool ready_ = false;
};

Eigen::Vector3d vee(const Eigen::Matrix3d& m) {
  return Eigen::Vector3d(m(2, 1) - m(1, 2), m(0, 2) - m(2, 0), m(1, 0) - m(0, 1)) / 2;
}

class Measurement {
public:
  Measurement(checks::StateSpace& space, Observer& observer, const products::ShownShape& shape, std::size_t variable)
      : space_(space), observer_(observer), turned_(*shape.argument("turned")), at_(*shape.argument("at")),
        variable_(space.variables()[variable]) {
    for (const sym::Array* part : space.pointDirection(variable))
      partSizes_.push_back(static_cast<std::size_t>(part->shape.size()));
  }

  /// Nothing: it is no body.
  std::optional<MeasuredBody> body(const State& y, const State& elsewhere, std::size_t member) {
    const std::optional<Matrix6> here = massOf(y, member), there = massOf(elsewhere, member);
    if (!here || !there || (*here - *there).norm() > tolerance * here->norm()) return std::nullopt;
    MeasuredBody b;
    b.mass = here->bottomRightCorner<3, 3>().trace() / 3;
    if (!(b.mass > 0)) return std::nullopt;
    const Eigen::Matrix3d arm = here->bottomLeftCorner<3, 3>().transpose() / b.mass; // of omega and v
    b.centre = vee(arm);
    b.inertia = here->topLeftCorner<3, 3>() -
                b.mass * (b.centre.squaredNorm() * Eigen::Matrix3d::Identity() - b.centre * b.centre.transpose());
    const double size = here->norm();
    const bool even =
        (here->bottomRightCorner<3, 3>() - b.mass * Eigen::Matrix3d::Identity()).norm() < tolerance * size;
    const bool skew = (arm + arm.transpose()).norm() * b.mass < tolerance * size;
    if (!even || !skew || !b.inertia.allFinite()) return std::nullopt;
    return b;
  }

private:
  /// Where coordinate k of a member stands among those of its variable: by parts, then members.
  [[nodiscard]] std::size_t coordinate(std::size_t k, std::size_t member) const {
    std::size_t before = 0;
    for (const std::size_t size : partSizes_) {
      if (k < size) return before * static_cast<std::size_t>(variable_.members()) + member * size + k;
      k -= size;
      before += size;
    }
    return 0;
  }

  /// The kinetic energy in the rates of turning and moving in the frame of the picture: (omega, v).
  std::optional<Matrix6> massOf(const State& state, std::size_t member) {
    State rest = state;
    std::fill_n(rest.begin() + static_cast<std::ptrdiff_t>(variable_.fiberState), variable_.size, 0.0);
    const auto unit = [&](std::size_t base, std::initializer_list<std::size_t> coordinates) {
      Direction d(space_.directionSize(), 0.0);
      for (const std::size_t k : coordinates) d[base + coordinate(k, member)] += 1;
      return d;
    };
    const auto energy = [&](std::initializer_list<std::size_t> coordinates) {
      return observer_.at(space_.moved(rest, unit(variable_.fibers, coordinates))) ? observer_.energy() : std::nan("");
    };
    if (!observer_.at(rest)) return std::nullopt;
    const double none = observer_.energy();
    const Eigen::Matrix3d frame = observer_.turn(turned_, member);
    Matrix6 mass, rates;
    std::array<double, degrees> single{};
    for (std::size_t i = 0; i < degrees; ++i) single.at(i) = energy({i}) - none;
    for (std::size_t i = 0; i < degrees; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        const double both = i == j ? 2 * single.at(i) : energy({i, j}) - none - single.at(i) - single.at(j);
        mass(static_cast<int>(i), static_cast<int>(j)) = mass(static_cast<int>(j), static_cast<int>(i)) = both;
      }
    if (variable_.kind == methods::PhaseKind::Momentum) mass = linear::LU(mass).solve(Matrix6::Identity());
    for (std::size_t k = 0; k < degrees; ++k) {
      const Direction d = unit(variable_.points, {k});
      Eigen::Matrix3d turn = Eigen::Matrix3d::Zero();
      Eigen::Vector3d place = Eigen::Vector3d::Zero();
      for (const double sign : {1.0, -1.0}) {
        if (!observer_.at(space_.moved(rest, d, sign * difference))) return std::nullopt;
        turn += sign / (2 * difference) * observer_.turn(turned_, member);
        place += sign / (2 * difference) * observer_.place(at_, member);
      }
      rates.col(static_cast<int>(k)) << vee(frame.transpose() * turn), frame.transpose() * place;
    }
    const linear::PivotedQR factors(rates);
    if (factors.rank() < rates.cols() || !mass.allFinite()) return std::nullopt;
    const Matrix6 back = factors.solve(Matrix6::Identity());
    return Matrix6(back.transpose() * mass * back);
  }

  checks::StateSpace& space_;
  Observer& observer_;
  const products::SceneColumns &turned_, &at_;
  const checks::Variable& variable_;
  std::vector<std::size_t> partSizes_;
};

bool mayBeBodies(const products::ShownShape& s) {
  const products::SceneColumns *at = s.argument("at"), *turned = s.argument("turned");
  return !s.given && at != nullptr && turned != nullptr && s.argument("inertia") == nullptr && at->shape.size() == 3 &&
         turned->shape.size() == 9;
}

} // namespace

std::map<std::string, std::vector<MeasuredBody>> measureBodies(products::Pipeline& pipeline,
                                                               const runtime::Problem& problem) {
  std::map<std::string, std::vector<MeasuredBody>> all;
  const products::ShownScene& scene = *pipeline.scene();
  if (std::none_of(scene.shapes.begin(), scene.shapes.end(), mayBeBodies) || pipeline.system() == nullptr) return all;
  (void)pipeline.within([&] {
    checks::StateSpace space(*pipeline.system(), problem);
    space.prepare();
    Observer observer(problem);
    if (!observer.ready()) return;
    std::mt19937_64 engine(problem.seed);
    const double t = std::isfinite(problem.timeFrom) ? problem.timeFrom : 0;
    const State elsewhere = space.near(problem.initialState, t, engine);
    for (const products::ShownShape& s : scene.shapes) {
      if (!mayBeBodies(s)) continue;
      for (std::size_t v = 0; v < space.variables().size(); ++v) {
        const checks::Variable& variable = space.variables()[v];
        const auto members = static_cast<std::size_t>(variable.members());
        if (variable.name != s.name || !variable.isFactor() || variable.size != degrees * members) continue;
        Measurement measurement(space, observer, s, v);
        std::vector<MeasuredBody> bodies;
        for (std::size_t m = 0; m < members; ++m)
          if (const auto body = measurement.body(problem.initialState, elsewhere, m)) bodies.push_back(*body);
        if (bodies.size() == members) all[s.name] = std::move(bodies);
      }
    }
  });
  return all;
}

} // namespace lmc::tool
