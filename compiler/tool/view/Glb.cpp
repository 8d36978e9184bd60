#include "tool/view/Glb.h"

#include "tool/view/GlbFile.h"
#include "tool/view/ScenePage.h"

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <map>
#include <numbers>

namespace lmc::tool {

namespace {

using Json = nlohmann::ordered_json;
using Eigen::Quaterniond;
using Eigen::Vector3d;

/// An argument of a shape, unpacked.
struct Values {
  std::size_t width = 1, members = 1;
  bool constant = true;
  std::vector<float> numbers;
  [[nodiscard]] const float* at(std::size_t row, std::size_t member) const {
    const std::size_t m = members > 1 ? member : 0;
    return numbers.data() + ((constant ? 0 : row) * members + m) * width;
  }
  [[nodiscard]] Vector3d vector(std::size_t row, std::size_t member) const {
    const float* const v = at(row, member);
    return {v[0], v[1], v[2]};
  }
  [[nodiscard]] Quaterniond turn(std::size_t row, std::size_t member) const {
    const float* const q = at(row, member);
    return Quaterniond(q[3], q[0], q[1], q[2]).normalized();
  }
};

/// A place, an orientation and lengths at every sample, as a node has them.
struct Motion {
  std::vector<float> translation, rotation, scale;
  void add(const Vector3d& at, Quaterniond turn, const Vector3d& lengths) {
    for (int k = 0; k < 3; ++k) translation.push_back(static_cast<float>(at(k)));
    if (const std::size_t n = rotation.size(); n >= 4) { // the shorter way from the one before
      const Quaterniond before(rotation[n - 1], rotation[n - 4], rotation[n - 3], rotation[n - 2]);
      if (before.dot(turn) < 0) turn.coeffs() *= -1;
    }
    for (int k = 0; k < 4; ++k) rotation.push_back(static_cast<float>(turn.coeffs()(k)));
    for (int k = 0; k < 3; ++k) scale.push_back(static_cast<float>(lengths(k)));
  }
};

/// The turn about the axis that stands on both. Quaterniond::FromTwoVectors means the same and takes three seconds to
/// compile, for a decomposition that it needs where the two are opposite.
Quaterniond shortestTurn(const Vector3d& from, const Vector3d& to) {
  const Vector3d cross = from.cross(to);
  const double sine = cross.norm();
  const Vector3d axis = sine > 0 ? Vector3d(cross / sine) : from.unitOrthogonal();
  return Quaterniond(Eigen::AngleAxisd(std::atan2(sine, from.dot(to)), axis));
}

Quaterniond fromUp(const Vector3d& direction) {
  return shortestTurn(Vector3d::UnitY(), direction);
}

constexpr double smallest = 1e-9; // lengths of 0 have no inverse

class GlbScene {
public:
  GlbScene(const Json& scene, const std::string& title) : scene_(scene), file_(title) {}

  std::string build() {
    times_ = unpackedTimes(scene_.at("times").get<std::string>());
    std::vector<float> seconds;
    const double speed = scene_.at("speed").get<double>();
    for (const double t : times_) seconds.push_back(static_cast<float>((t - times_.front()) / speed));
    file_.setTimes(seconds);
    measure();
    Vector3d up(0, 0, 1);
    if (scene_.value("flat", false)) up = Vector3d::UnitY();
    if (scene_.contains("up")) {
      const std::vector<double> v = scene_["up"].get<std::vector<double>>();
      up = Vector3d(v.at(0), v.at(1), v.at(2));
    }
    file_.setRoot(shortestTurn(up, Vector3d::UnitY()));
    int used = 0;
    for (const Json& shape : scene_.at("shapes")) add(shape, used);
    return file_.bytes();
  }

private:
  [[nodiscard]] static std::map<std::string, Values> argumentsOf(const Json& shape) {
    std::map<std::string, Values> all;
    const auto count = shape.at("count").get<std::size_t>();
    for (const auto& [name, a] : shape.at("arguments").items()) {
      Values v;
      v.width = a.at("width").get<std::size_t>();
      v.constant = a.value("constant", false);
      v.numbers = unpacked(a.at("values").get<std::string>());
      v.members = v.constant ? v.numbers.size() / v.width : count;
      all.emplace(name, std::move(v));
    }
    return all;
  }

  /// Half of what the picture spans: what has no length of its own gets one from it.
  void measure() {
    Eigen::AlignedBox3d box;
    for (const Json& shape : scene_.at("shapes"))
      for (const auto& [name, v] : argumentsOf(shape)) {
        if (name != "at" && name != "from" && name != "to" && name != "of") continue;
        for (std::size_t k = 0; k + 2 < v.numbers.size(); k += 3)
          box.extend(Vector3d(v.numbers[k], v.numbers[k + 1], v.numbers[k + 2]));
      }
    const double radius = box.isEmpty() ? 0 : box.diagonal().norm() / 2;
    unit_ = 0.4 * (radius > 0 ? radius : 1);
  }

  void add(const Json& shape, int& used) {
    const std::string kind = shape.at("kind").get<std::string>();
    if (kind == "ground") return;
    GlbLook look{shape.value("color", ""), shape.value("opacity", 1.0)};
    if (look.color.empty() && kind != "frame" && kind != "label") look.color = pageColor(used++);
    const std::string name = shape.at("name").get<std::string>();
    const std::map<std::string, Values> arguments = argumentsOf(shape);
    const auto count = shape.at("count").get<std::size_t>();
    for (std::size_t m = 0; m < count; ++m) {
      const std::string own = count > 1 ? name + " " + std::to_string(m + 1) : name;
      if (kind == "rod")
        rod(own, arguments, m, look);
      else if (kind == "arrow")
        arrow(own, arguments, m, look);
      else if (kind == "trail")
        file_.addPath(own, path(arguments.at("of"), m), look);
      else
        solid(kind == "label" ? shape.value("text", own) : own, kind, arguments, m, look);
    }
  }

  [[nodiscard]] std::vector<float> path(const Values& of, std::size_t member) const {
    std::vector<float> points;
    for (std::size_t r = 0; r < times_.size(); ++r) points.insert(points.end(), of.at(r, member), of.at(r, member) + 3);
    return points;
  }

  static const Values* find(const std::map<std::string, Values>& arguments, const char* name) {
    const auto found = arguments.find(name);
    return found == arguments.end() ? nullptr : &found->second;
  }

  void solid(const std::string& name, const std::string& kind, const std::map<std::string, Values>& arguments,
             std::size_t m, const GlbLook& look) {
    const Values *at = find(arguments, "at"), *turned = find(arguments, "turned"), *local = find(arguments, "local"),
                 *size = find(arguments, "size"), *radius = find(arguments, "radius");
    const bool round = kind == "ball" || kind == "sphere";
    Motion motion;
    for (std::size_t r = 0; r < times_.size(); ++r) {
      Quaterniond turn = turned == nullptr ? Quaterniond::Identity() : turned->turn(r, m);
      if (local != nullptr) turn = turn * local->turn(0, m);
      Vector3d lengths = Vector3d::Constant(kind == "frame" ? unit_ : unit_ / 2);
      if (round)
        lengths.setConstant(radius == nullptr ? 0.12 * unit_ : radius->at(r, m)[0]);
      else if (size != nullptr)
        lengths = size->vector(r, m);
      if (kind == "ellipsoid") lengths /= 2; // of a sphere of radius 1
      motion.add(at == nullptr ? Vector3d::Zero() : at->vector(r, m), turn, lengths.cwiseMax(smallest));
    }
    const GlbForm form = kind == "box"                  ? GlbForm::Box
                         : kind == "cylinder"           ? GlbForm::Cylinder
                         : kind == "frame"              ? GlbForm::Frame
                         : round || kind == "ellipsoid" ? GlbForm::Sphere
                                                        : GlbForm::Nothing;
    file_.addNode(name, form, look, motion.translation, motion.rotation, motion.scale);
  }

  /// A bar along y of length 1 and radius 1 between two places.
  void bar(const std::string& name, GlbForm form, const GlbLook& look, const std::vector<std::array<Vector3d, 2>>& ends,
           const std::vector<double>& radii) {
    Motion motion;
    for (std::size_t r = 0; r < ends.size(); ++r) {
      const Vector3d along = ends[r][1] - ends[r][0];
      const double length = along.norm();
      motion.add(ends[r][0], length > 0 ? fromUp(along) : Quaterniond::Identity(),
                 Vector3d(radii[r], length, radii[r]).cwiseMax(smallest));
    }
    file_.addNode(name, form, look, motion.translation, motion.rotation, motion.scale);
  }

  void rod(const std::string& name, const std::map<std::string, Values>& arguments, std::size_t m,
           const GlbLook& look) {
    const Values *from = find(arguments, "from"), *to = find(arguments, "to"), *radius = find(arguments, "radius");
    std::vector<std::array<Vector3d, 2>> ends;
    std::vector<double> radii;
    for (std::size_t r = 0; r < times_.size(); ++r) {
      ends.push_back({from == nullptr ? Vector3d::Zero() : from->vector(r, m),
                      to == nullptr ? Vector3d::Zero() : to->vector(r, m)});
      radii.push_back(radius == nullptr ? 0.035 * unit_ : radius->at(r, m)[0]);
    }
    bar(name, GlbForm::Bar, look, ends, radii);
  }

  void arrow(const std::string& name, const std::map<std::string, Values>& arguments, std::size_t m,
             const GlbLook& look) {
    const Values *at = find(arguments, "at"), *along = find(arguments, "along"), *scale = find(arguments, "scale");
    double factor = 1;
    if (find(arguments, "unscaled") != nullptr && along != nullptr) {
      double largest = 0;
      for (std::size_t k = 0; k + 2 < along->numbers.size(); k += 3)
        largest =
            std::max<double>(largest, std::hypot(along->numbers[k], along->numbers[k + 1], along->numbers[k + 2]));
      if (largest > 0) factor = unit_ / largest;
    }
    std::vector<std::array<Vector3d, 2>> shaft, head;
    std::vector<double> thin, thick;
    for (std::size_t r = 0; r < times_.size(); ++r) {
      const Vector3d begin = at == nullptr ? Vector3d::Zero() : at->vector(r, m);
      const Vector3d whole = (scale == nullptr ? factor : scale->at(r, m)[0]) *
                             (along == nullptr ? Vector3d::Zero() : along->vector(r, m));
      const double length = whole.norm(), width = 0.03 * unit_;
      const double point = std::min(length * 0.4, 5 * width);
      const Vector3d neck = begin + (length > 0 ? Vector3d(whole * ((length - point) / length)) : Vector3d::Zero());
      shaft.push_back({begin, neck});
      head.push_back({neck, begin + whole});
      thin.push_back(std::min(1.0, length / (8 * width)) * width);
      thick.push_back(2.4 * thin.back());
    }
    bar(name, GlbForm::Bar, look, shaft, thin);
    bar(name + " (head)", GlbForm::Cone, look, head, thick);
  }

  const Json& scene_;
  GlbFile file_;
  std::vector<double> times_;
  double unit_ = 1;
};

} // namespace

std::string glbOf(const nlohmann::ordered_json& scene, const std::string& title) {
  return GlbScene(scene, title).build();
}

} // namespace lmc::tool
