#include "tool/view/ScenePage.h"

#include "tool/view/Bodies.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>

namespace lmc::tool {

namespace {

using Json = nlohmann::ordered_json;
using Point = std::array<double, 3>;

/// One argument by samples, then members; of a constant one there is one sample.
struct Numbers {
  std::size_t width = 1, members = 1;
  bool constant = false;
  std::vector<float> values;
  [[nodiscard]] const float* at(std::size_t row, std::size_t member) const {
    return values.data() + ((constant ? 0 : row) * members + member) * width;
  }
};

struct Drawn {
  const products::ShownShape* shape = nullptr;
  std::string kind;
  std::map<std::string, Numbers> arguments;
  std::optional<double> opacity, last;
  bool hidden = false;
  [[nodiscard]] std::size_t count() const { return shape->extent > 0 ? static_cast<std::size_t>(shape->extent) : 1; }
};

class ScenePage {
public:
  ScenePage(const PageRecorder& record, const products::ShownScene& scene, const Showing& showing,
            std::vector<std::string>& notes)
      : record_(record), scene_(scene), showing_(showing), notes_(notes) {}

  Json build() {
    rows_ = validRows();
    if (scene_.off || rows_ == 0) return nullptr;
    for (const products::ShownShape& s : scene_.shapes) draw(s);
    std::erase_if(drawn_, [](const Drawn& d) { return d.hidden; });
    if (drawn_.empty()) return nullptr;
    dropFarTrails();
    standApart();
    enlarge();
    Json out;
    const std::vector<double> times(record_.times().begin(),
                                    record_.times().begin() + static_cast<std::ptrdiff_t>(rows_));
    out["times"] = packedTimes(times);
    out["speed"] = speed();
    out["fps"] = showing_.fps;
    if (const auto up = upward()) out["up"] = *up;
    if (flat()) out["flat"] = true;
    if (!caption_.empty()) out["caption"] = caption_;
    out["shapes"] = Json::array();
    for (const Drawn& d : drawn_) out["shapes"].push_back(shapeJson(d));
    return out;
  }

private:
  /// Samples up to the first in which a number of the picture is none.
  [[nodiscard]] std::size_t validRows() const {
    for (std::size_t r = 0; r < record_.rows(); ++r)
      for (const products::ShownShape& s : scene_.shapes)
        for (const products::SceneColumns& a : s.arguments) {
          const std::size_t size = sizeOf(a);
          for (std::size_t k = 0; k < size; ++k)
            if (!std::isfinite(record_.at(r, a.first + k))) return r;
        }
    return record_.rows();
  }

  static std::size_t sizeOf(const products::SceneColumns& a) {
    return static_cast<std::size_t>(a.members) * static_cast<std::size_t>(a.shape.size());
  }

  [[nodiscard]] Point point(const products::SceneColumns& a, std::size_t row, std::size_t member) const {
    Point p{};
    const auto size = static_cast<std::size_t>(a.shape.size());
    for (std::size_t k = 0; k < std::min<std::size_t>(3, size); ++k)
      p[k] = record_.at(row, a.first + member * size + k);
    return p;
  }

  [[nodiscard]] std::array<double, 9> matrix(const products::SceneColumns& a, std::size_t row,
                                             std::size_t member) const {
    const auto size = static_cast<std::size_t>(a.shape.size());
    const auto entry = [&](std::size_t k) { return record_.at(row, a.first + member * size + k); };
    if (size == 9) return {entry(0), entry(1), entry(2), entry(3), entry(4), entry(5), entry(6), entry(7), entry(8)};
    if (size == 4) return {entry(0), entry(1), 0, entry(2), entry(3), 0, 0, 0, 1};
    return {entry(0), 0, 0, 0, entry(0), 0, 0, 0, entry(0)};
  }

  void values(const products::SceneColumns& a, std::size_t row, std::size_t member, std::vector<float>& out) const {
    const auto add = [&](const auto& numbers) {
      for (const double x : numbers) out.push_back(static_cast<float>(x));
    };
    switch (a.form) {
    case sema::ShapeForm::Place:
      return add(point(a, row, member));
    case sema::ShapeForm::Turn:
      return add(quaternionOf(matrix(a, row, member)));
    case sema::ShapeForm::Lengths: {
      Point p = point(a, row, member);
      if (a.shape.size() == 1) p = {p[0], p[0], p[0]};
      return add(p);
    }
    default:
      return add(std::array{record_.at(row, a.first + member * static_cast<std::size_t>(a.shape.size()))});
    }
  }

  [[nodiscard]] Numbers numbers(const products::SceneColumns& a) const {
    Numbers n;
    n.members = static_cast<std::size_t>(a.members);
    for (std::size_t m = 0; m < n.members; ++m) values(a, 0, m, n.values);
    n.width = n.values.size() / n.members;
    const std::size_t size = sizeOf(a);
    n.constant = true;
    for (std::size_t r = 1; r < rows_ && n.constant; ++r)
      for (std::size_t k = 0; k < size && n.constant; ++k)
        n.constant = record_.at(r, a.first + k) == record_.at(0, a.first + k);
    if (n.constant) return n;
    n.values.reserve(rows_ * n.values.size());
    for (std::size_t r = 1; r < rows_; ++r)
      for (std::size_t m = 0; m < n.members; ++m) values(a, r, m, n.values);
    return n;
  }

  /// A number at the begin; one that makes no sense is put right, and a note says so.
  double within(const products::ShownShape& s, const products::SceneColumns& a, double least, double most) {
    const double x = record_.at(0, a.first);
    if (x >= least && x <= most) return x;
    const double cure = x > most ? most : least;
    notes_.push_back(fmt::format("{}: {} is {}, {} is taken", s.name, a.name, x, cure));
    return cure;
  }

  /// Lengths are not negative: their sizes are taken.
  void lengths(const products::ShownShape& s, const char* name, Numbers& n) {
    if (std::none_of(n.values.begin(), n.values.end(), [](float x) { return x < 0; })) return;
    for (float& x : n.values) x = std::abs(x);
    notes_.push_back(fmt::format("{}: {} is negative, and drawn without its sign", s.name, name));
  }

  /// Which way is up; nothing, where nothing is said, or no direction.
  std::optional<std::vector<double>> upward() {
    if (scene_.up.empty()) return std::nullopt;
    std::vector<double> up;
    double size = 0;
    for (const auto x : point(scene_.up.front(), 0, 0)) {
      up.push_back(static_cast<double>(x));
      size = std::max(size, std::abs(up.back()));
    }
    if (size > 0 && std::isfinite(size)) return up;
    notes_.push_back("`up` is no direction, so e3 is up");
    return std::nullopt;
  }

  void draw(const products::ShownShape& s) {
    Drawn d{&s, s.kind, {}, {}, {}, false};
    for (const products::SceneColumns& a : s.arguments) {
      if (a.name == "inertia" || a.name == "mass") continue;
      if (a.name == "shown")
        d.hidden = record_.at(0, a.first) == 0;
      else if (a.name == "opacity")
        d.opacity = within(s, a, 0, 1);
      else if (a.name == "last")
        d.last = within(s, a, 0, std::numeric_limits<double>::max());
      else
        d.arguments.emplace(a.name, numbers(a));
    }
    for (const char* name : {"radius", "size"})
      if (const auto found = d.arguments.find(name); found != d.arguments.end()) lengths(s, name, found->second);
    if (s.unscaled) d.arguments["unscaled"] = {1, 1, true, {1}};
    equalBodies(d);
    drawn_.push_back(std::move(d));
  }

  /// The boxes or cylinders of equal inertia of all members.
  void equalBodies(Drawn& d) {
    const products::SceneColumns* inertia = d.shape->argument("inertia");
    if (const auto measured = showing_.bodies.find(d.shape->name);
        inertia == nullptr && measured != showing_.bodies.end())
      return measuredBodies(d, measured->second);
    if (inertia == nullptr) return;
    if (d.kind == "body") d.kind = "frame";
    const products::SceneColumns* mass = d.shape->argument("mass");
    Numbers size{3, d.count(), true, {}}, local{4, d.count(), true, {}};
    std::string kind;
    for (std::size_t m = 0; m < d.count(); ++m) {
      const std::size_t of = inertia->members > 1 ? m : 0;
      const double weight =
          mass == nullptr
              ? 0
              : record_.at(0, mass->first + (mass->members > 1 ? m : 0) * static_cast<std::size_t>(mass->shape.size()));
      const auto body = equalBody(matrix(*inertia, 0, of), weight);
      if (!body) {
        notes_.push_back(fmt::format(
            "{}: one moment of inertia is larger than the sum of the two others, which no body has; its frame is shown",
            d.shape->name));
        return;
      }
      const std::string own = body->cylinder ? "cylinder" : "box";
      if (!kind.empty() && own != kind) return; // the frames of bodies that are not alike
      kind = own;
      for (const double x : body->size) size.values.push_back(static_cast<float>(x));
      for (const double x : body->local) local.values.push_back(static_cast<float>(x));
    }
    d.kind = kind;
    d.arguments["size"] = std::move(size);
    d.arguments["local"] = std::move(local);
    say(fmt::format("{}: a {} of equal inertia{}.", d.shape->name, kind,
                    mass == nullptr ? " up to its scale, as its mass is not known" : ""));
  }

  /// The same where mass, centre and inertia were measured: the shape stands at the centre of mass.
  void measuredBodies(Drawn& d, const std::vector<MeasuredBody>& bodies) {
    Numbers size{3, d.count(), true, {}}, local{4, d.count(), true, {}};
    std::string kind;
    bool aside = false;
    for (const MeasuredBody& b : bodies) {
      const Eigen::Matrix<double, 3, 3, Eigen::RowMajor> rows = b.inertia;
      const auto body = equalBody({rows.data(), 9}, b.mass);
      if (!body) return;
      const std::string own = body->cylinder ? "cylinder" : "box";
      if (!kind.empty() && own != kind) return;
      kind = own;
      aside = aside || b.centre.norm() > 1e-6 * std::sqrt(b.inertia.norm() / b.mass);
      for (const double x : body->size) size.values.push_back(static_cast<float>(x));
      for (const double x : body->local) local.values.push_back(static_cast<float>(x));
    }
    d.kind = kind;
    d.arguments["size"] = std::move(size);
    d.arguments["local"] = std::move(local);
    say(fmt::format("{}: a {} of equal mass and inertia{}.", d.shape->name, kind,
                    aside ? " at the centre of mass" : ""));
    if (!aside) return;
    const products::SceneColumns &at = *d.shape->argument("at"), &turned = *d.shape->argument("turned");
    Numbers centres{3, d.count(), false, {}};
    for (std::size_t r = 0; r < rows_; ++r)
      for (std::size_t m = 0; m < d.count(); ++m) {
        const std::array<double, 9> turn = matrix(turned, r, m);
        Point p = point(at, r, m);
        for (std::size_t i = 0; i < 3; ++i)
          for (std::size_t k = 0; k < 3; ++k) p[i] += turn[3 * i + k] * bodies[m].centre(static_cast<int>(k));
        for (const double x : p) centres.values.push_back(static_cast<float>(x));
      }
    d.arguments["at"] = std::move(centres);
  }

  void say(const std::string& sentence) { caption_ += (caption_.empty() ? "" : " ") + sentence; }

  /// Calls `visit` with the places of a shape.
  template <typename Visit> void places(const Drawn& d, Visit visit) const {
    for (const char* const name : {"at", "from", "to", "of"}) {
      const auto found = d.arguments.find(name);
      if (found == d.arguments.end()) continue;
      const Numbers& n = found->second;
      const std::size_t samples = n.constant ? 1 : rows_;
      for (std::size_t r = 0; r < samples; ++r)
        for (std::size_t m = 0; m < n.members; ++m) visit(n.at(r, m));
    }
  }

  struct Box {
    Point low{1, 1, 1}, high{-1, -1, -1};
    bool any = false;
    void add(const float* p) {
      for (std::size_t k = 0; k < 3; ++k) {
        low[k] = any ? std::min<double>(low[k], p[k]) : p[k];
        high[k] = any ? std::max<double>(high[k], p[k]) : p[k];
      }
      any = true;
    }
    [[nodiscard]] double radius() const {
      return any ? std::hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]) / 2 : 0;
    }
  };

  [[nodiscard]] Box boxOf(bool trails) const {
    Box box;
    for (const Drawn& d : drawn_)
      if (trails == (d.kind == "trail")) places(d, [&](const float* p) { box.add(p); });
    return box;
  }

  /// What is observed need not be a place: a vector far outside of everything else is no trail.
  void dropFarTrails() {
    const bool bodies = std::any_of(drawn_.begin(), drawn_.end(), [](const Drawn& d) { return d.kind != "trail"; });
    const Box box = boxOf(false);
    const double reach = std::max(1.0, box.radius()) * 20;
    std::erase_if(drawn_, [&](const Drawn& d) {
      if (d.shape->given || d.kind != "trail" || !bodies) return false;
      bool far = false;
      places(d, [&](const float* p) { far = far || std::hypot(p[0], p[1], p[2]) > reach; });
      if (far) notes_.push_back(fmt::format("{} is far outside of the picture and has no trail there", d.shape->name));
      return far;
    });
  }

  /// Shapes without a place of their own stand in rows beside the others.
  void standApart() {
    std::vector<std::string> names;
    std::size_t members = 0;
    for (const Drawn& d : drawn_)
      if (d.shape->apart && std::find(names.begin(), names.end(), d.shape->name) == names.end()) {
        names.push_back(d.shape->name);
        members += d.count();
      }
    if (names.empty()) return;
    const Box box = boxOf(false);
    if (members == 1 && !box.any) return; // alone, at the origin
    constexpr double gap = 2.6;
    const double beside = box.any ? box.high[0] + gap : 0;
    double row = 0;
    for (const std::string& name : names) {
      std::size_t lines = 1;
      for (Drawn& d : drawn_) {
        if (!d.shape->apart || d.shape->name != name) continue;
        const std::size_t n = d.count();
        const std::size_t columns =
            n <= 10 ? n : static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(n))));
        lines = (n + columns - 1) / columns;
        Numbers at{3, n, true, {}};
        for (std::size_t m = 0; m < n; ++m) {
          at.values.push_back(static_cast<float>(beside + gap * static_cast<double>(m % columns)));
          const std::size_t below = m / columns; // whole rows
          at.values.push_back(static_cast<float>(-gap * (row + static_cast<double>(below))));
          at.values.push_back(0);
        }
        d.arguments["at"] = std::move(at);
      }
      row += static_cast<double>(lines);
      say(name + (members > 1 ? " stand apart, as the model does not say where they are." : " stands apart."));
    }
  }

  /// Bodies that would be too small to be seen are drawn larger.
  void enlarge() {
    const double radius = std::max(boxOf(false).radius(), boxOf(true).radius());
    for (Drawn& d : drawn_) {
      const auto found = d.arguments.find("size");
      if (d.shape->given || found == d.arguments.end() || !found->second.constant) continue;
      std::vector<float>& size = found->second.values;
      const double largest = *std::max_element(size.begin(), size.end());
      if (!(largest > 0) || largest >= 0.02 * radius) continue;
      const double factor = 0.1 * radius / largest;
      for (float& x : size) x = static_cast<float>(x * factor);
      say(fmt::format("{} is drawn {:.2g} times larger than it is.", d.shape->name, factor));
    }
  }

  [[nodiscard]] bool flat() const {
    bool some = false;
    for (const Drawn& d : drawn_)
      for (const products::SceneColumns& a : d.shape->arguments) {
        if (a.form == sema::ShapeForm::Place && a.shape.size() > 2) return false;
        if (a.form == sema::ShapeForm::Turn && a.shape.rows > 2) return false;
        some = some || a.form == sema::ShapeForm::Place || a.form == sema::ShapeForm::Turn;
      }
    return some;
  }

  /// 12 s for all of it, but no frame turns anything by more than 0.3 rad.
  double speed() {
    const std::vector<double>& t = record_.times();
    const double length = t[rows_ - 1] - t[0];
    double fastest = 0, largest = 0; // rad per model second; rad between two samples
    for (const Drawn& d : drawn_) {
      const auto found = d.arguments.find("turned");
      if (found == d.arguments.end() || found->second.constant) continue;
      const Numbers& n = found->second;
      for (std::size_t r = 1; r < rows_; ++r)
        for (std::size_t m = 0; m < n.members; ++m) {
          const float* a = n.at(r - 1, m);
          const float* b = n.at(r, m);
          double dot = 0;
          for (std::size_t k = 0; k < 4; ++k) dot += static_cast<double>(a[k]) * static_cast<double>(b[k]);
          const double angle = 2 * std::acos(std::min(1.0, std::abs(dot)));
          largest = std::max(largest, angle);
          if (t[r] > t[r - 1]) fastest = std::max(fastest, angle / (t[r] - t[r - 1]));
        }
    }
    if (largest > 1.6)
      notes_.push_back(fmt::format("orientations turn by up to {:.2g} rad between two of the samples shown: the "
                                   "picture may turn another way than the motion",
                                   largest));
    if (showing_.speed) return *showing_.speed;
    if (!(length > 0)) return 1;
    const double even = length / 12;
    return fastest > 0 ? std::min(even, 0.3 * showing_.fps / fastest) : even;
  }

  [[nodiscard]] Json shapeJson(const Drawn& d) const {
    Json j;
    j["name"] = d.shape->name;
    j["kind"] = d.kind;
    j["count"] = d.count();
    if (!d.shape->color.empty()) j["color"] = d.shape->color;
    if (d.opacity) j["opacity"] = *d.opacity;
    if (!d.shape->text.empty()) j["text"] = d.shape->text;
    if (d.last) j["last"] = *d.last;
    j["arguments"] = Json::object();
    for (const auto& [name, n] : d.arguments) {
      Json a;
      a["width"] = n.width;
      a["values"] = packed(n.values);
      if (n.constant) a["constant"] = true;
      j["arguments"][name] = std::move(a);
    }
    return j;
  }

  const PageRecorder& record_;
  const products::ShownScene& scene_;
  const Showing& showing_;
  std::vector<std::string>& notes_;
  std::size_t rows_ = 0;
  std::vector<Drawn> drawn_;
  std::string caption_;
};

} // namespace

nlohmann::ordered_json scenePage(const PageRecorder& record, const products::ShownScene& scene, const Showing& showing,
                                 std::vector<std::string>& notes) {
  return ScenePage(record, scene, showing, notes).build();
}

} // namespace lmc::tool
