#include "tool/view/GlbFile.h"

#include "base/Colors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>

namespace lmc::tool {

namespace {

using Eigen::Vector3d;

// Words of the specification.
constexpr int floats = 5126, shorts = 5123, vertices = 34962, indices = 34963, noTarget = 0, lineStrip = 3;

constexpr std::array<const char*, 8> palette = {"#0072B2", "#E69F00", "#007A5A", "#CC79A7",
                                                "#56B4E9", "#A8431A", "#B9A900", "#5B4E8C"};
constexpr std::array<const char*, 3> axisColors = {"#D55E00", "#009E73", "#0072B2"};

/// Colours of the format are linear.
double linear(std::uint32_t byte) {
  const double c = static_cast<double>(byte & 0xFFU) / 255;
  return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

/// Turned around y: radius and height of the outline, from below to above, with the normals of its parts.
template <typename Mesh> void addTurned(Mesh& m, double low, double high, double below, double above, int sides) {
  const auto first = [&] { return static_cast<std::uint16_t>(m.points.size() / 3); };
  const auto put = [&](const Vector3d& p, const Vector3d& n) {
    for (int k = 0; k < 3; ++k) m.points.push_back(static_cast<float>(p(k)));
    for (int k = 0; k < 3; ++k) m.normals.push_back(static_cast<float>(n(k)));
  };
  const auto triangle = [&](int a, int b, int c) {
    for (const int k : {a, b, c}) m.corners.push_back(static_cast<std::uint16_t>(k));
  };
  const auto round = [&](int k) {
    const double angle = 2 * std::numbers::pi * k / sides;
    return Vector3d(std::cos(angle), 0, std::sin(angle));
  };
  const int side = first();
  const double slope = (below - above) / (high - low);
  for (int k = 0; k <= sides; ++k) {
    const Vector3d normal = (round(k) + slope * Vector3d::UnitY()).normalized();
    put(below * round(k) + low * Vector3d::UnitY(), normal);
    put(above * round(k) + high * Vector3d::UnitY(), normal);
  }
  for (int k = 0; k < sides; ++k) {
    const int a = side + 2 * k;
    triangle(a, a + 1, a + 3);
    triangle(a, a + 3, a + 2);
  }
  for (const auto& [height, radius, sign] : {std::array{low, below, -1.0}, std::array{high, above, 1.0}}) {
    if (radius == 0) continue;
    const int centre = first();
    put(height * Vector3d::UnitY(), sign * Vector3d::UnitY());
    for (int k = 0; k <= sides; ++k) put(radius * round(k) + height * Vector3d::UnitY(), sign * Vector3d::UnitY());
    for (int k = 0; k < sides; ++k)
      sign > 0 ? triangle(centre, centre + k + 2, centre + k + 1) : triangle(centre, centre + k + 1, centre + k + 2);
  }
}

/// Turns the y axis into another one, the short way.
Eigen::Quaterniond fromY(int axis) {
  const double half = std::sqrt(0.5);
  if (axis == 1) return Eigen::Quaterniond::Identity();
  return axis == 0 ? Eigen::Quaterniond(half, 0, 0, -half) : Eigen::Quaterniond(half, half, 0, 0);
}

template <typename Mesh> void turnAll(Mesh& m, const Eigen::Quaterniond& turn) {
  for (std::vector<float>* list : {&m.points, &m.normals})
    for (std::size_t k = 0; k + 2 < list->size(); k += 3) {
      const Vector3d v = turn * Vector3d((*list)[k], (*list)[k + 1], (*list)[k + 2]);
      for (int d = 0; d < 3; ++d) (*list)[k + static_cast<std::size_t>(d)] = static_cast<float>(v(d));
    }
}

template <typename Mesh> void addBox(Mesh& m) {
  for (int axis = 0; axis < 3; ++axis)
    for (const double sign : {-1.0, 1.0}) {
      Vector3d n = Vector3d::Zero(), u = Vector3d::Zero();
      n(axis) = sign;
      u((axis + 1) % 3) = 1;
      const Vector3d v = n.cross(u);
      const auto at = static_cast<std::uint16_t>(m.points.size() / 3);
      for (const auto& [a, b] : {std::array{-1, -1}, std::array{1, -1}, std::array{1, 1}, std::array{-1, 1}}) {
        const Vector3d p = (n + a * u + b * v) / 2;
        for (int k = 0; k < 3; ++k) m.points.push_back(static_cast<float>(p(k)));
        for (int k = 0; k < 3; ++k) m.normals.push_back(static_cast<float>(n(k)));
      }
      for (const int k : {0, 1, 2, 0, 2, 3}) m.corners.push_back(static_cast<std::uint16_t>(at + k));
    }
}

template <typename Mesh> void addSphere(Mesh& m, int rings, int sides) {
  for (int i = 0; i <= rings; ++i)
    for (int k = 0; k <= sides; ++k) {
      const double down = std::numbers::pi * i / rings, around = 2 * std::numbers::pi * k / sides;
      const Vector3d p(std::sin(down) * std::cos(around), std::cos(down), std::sin(down) * std::sin(around));
      for (std::vector<float>* list : {&m.points, &m.normals})
        for (int d = 0; d < 3; ++d) list->push_back(static_cast<float>(p(d)));
    }
  for (int i = 0; i < rings; ++i)
    for (int k = 0; k < sides; ++k) {
      const int a = i * (sides + 1) + k, b = a + sides + 1;
      for (const int corner : {a, a + 1, b, a + 1, b + 1, b}) m.corners.push_back(static_cast<std::uint16_t>(corner));
    }
}

} // namespace

std::string pageColor(int number) {
  return palette.at(static_cast<std::size_t>(number) % palette.size());
}

int GlbFile::view(const void* data, std::size_t size, int target) {
  while (buffer_.size() % 4 != 0) buffer_.push_back(0);
  Json v;
  v["buffer"] = 0;
  v["byteOffset"] = buffer_.size();
  v["byteLength"] = size;
  if (target != noTarget) v["target"] = target;
  const auto* const bytes = static_cast<const unsigned char*>(data);
  buffer_.insert(buffer_.end(), bytes, bytes + size);
  views_.push_back(std::move(v));
  return static_cast<int>(views_.size()) - 1;
}

int GlbFile::accessor(const std::vector<float>& numbers, int width, int target, bool bounds) {
  static constexpr std::array<const char*, 5> types = {"", "SCALAR", "", "VEC3", "VEC4"};
  const auto n = static_cast<std::size_t>(width);
  Json a;
  a["bufferView"] = view(numbers.data(), numbers.size() * sizeof(float), target);
  a["componentType"] = floats;
  a["count"] = numbers.size() / n;
  a["type"] = types.at(n);
  if (bounds) {
    std::vector<float> low(n, std::numeric_limits<float>::infinity()), high(n, -low[0]);
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      low[k % n] = std::min(low[k % n], numbers[k]);
      high[k % n] = std::max(high[k % n], numbers[k]);
    }
    a["min"] = low;
    a["max"] = high;
  }
  accessors_.push_back(std::move(a));
  return static_cast<int>(accessors_.size()) - 1;
}

void GlbFile::setTimes(const std::vector<float>& seconds) {
  samples_ = seconds.size();
  if (samples_ > 1) times_ = accessor(seconds, 1, noTarget, true);
}

int GlbFile::material(const GlbLook& look, bool line) {
  const auto key = std::pair(look.color + (line ? " line" : ""), look.opacity);
  if (const auto found = materialOf_.find(key); found != materialOf_.end()) return found->second;
  const std::uint32_t rgb = colorOf(look.color).value_or(0x808080);
  Json m, surface;
  surface["baseColorFactor"] = {linear(rgb >> 16U), linear(rgb >> 8U), linear(rgb), look.opacity};
  surface["metallicFactor"] = 0.05;
  surface["roughnessFactor"] = 0.55;
  m["name"] = look.color;
  m["pbrMetallicRoughness"] = std::move(surface);
  if (look.opacity < 1) m["alphaMode"] = "BLEND";
  materials_.push_back(std::move(m));
  return materialOf_[key] = static_cast<int>(materials_.size()) - 1;
}

GlbFile::Json GlbFile::primitive(const Mesh& m, const GlbLook& look) {
  Json p;
  p["attributes"]["POSITION"] = accessor(m.points, 3, vertices, true);
  p["attributes"]["NORMAL"] = accessor(m.normals, 3, vertices, false);
  Json corners;
  corners["bufferView"] = view(m.corners.data(), m.corners.size() * sizeof(std::uint16_t), indices);
  corners["componentType"] = shorts;
  corners["count"] = m.corners.size();
  corners["type"] = "SCALAR";
  accessors_.push_back(std::move(corners));
  p["indices"] = accessors_.size() - 1;
  p["material"] = material(look, false);
  return p;
}

int GlbFile::mesh(GlbForm form, const GlbLook& look) {
  const bool frame = form == GlbForm::Frame;
  const auto key = std::pair(static_cast<int>(form), frame ? 0 : material(look, false));
  if (const auto found = meshOf_.find(key); found != meshOf_.end()) return found->second;
  constexpr int sides = 32, rings = 16;
  Json mesh;
  mesh["primitives"] = Json::array();
  if (frame) {
    for (int axis = 0; axis < 3; ++axis) {
      Mesh m;
      addTurned(m, 0, 0.82, 0.03, 0.03, 10);
      addTurned(m, 0.8, 1, 0.085, 0, 14);
      turnAll(m, fromY(axis));
      mesh["primitives"].push_back(primitive(m, {axisColors.at(static_cast<std::size_t>(axis)), 1}));
    }
  } else {
    Mesh m;
    if (form == GlbForm::Box) addBox(m);
    if (form == GlbForm::Sphere) addSphere(m, rings, sides);
    if (form == GlbForm::Bar) addTurned(m, 0, 1, 1, 1, sides / 2);
    if (form == GlbForm::Cone) addTurned(m, 0, 1, 1, 0, sides / 2);
    if (form == GlbForm::Cylinder) {
      addTurned(m, -0.5, 0.5, 0.5, 0.5, sides);
      turnAll(m, fromY(2));
    }
    mesh["primitives"].push_back(primitive(m, look));
  }
  meshes_.push_back(std::move(mesh));
  return meshOf_[key] = static_cast<int>(meshes_.size()) - 1;
}

/// What is the same at all samples stands in the node, anything else in the animation.
void GlbFile::animate(std::size_t node, const char* path, const std::vector<float>& numbers, int width, Json& target,
                      const char* member) {
  const auto n = static_cast<std::size_t>(width);
  bool constant = true;
  for (std::size_t k = n; k < numbers.size() && constant; ++k) constant = numbers[k] == numbers[k % n];
  target[member] = std::vector<float>(numbers.begin(), numbers.begin() + width);
  if (constant || times_ < 0) return;
  Json sampler, channel;
  sampler["input"] = times_;
  sampler["output"] = accessor(numbers, width, noTarget, false);
  sampler["interpolation"] = "LINEAR";
  samplers_.push_back(std::move(sampler));
  channel["sampler"] = samplers_.size() - 1;
  channel["target"]["node"] = node;
  channel["target"]["path"] = path;
  channels_.push_back(std::move(channel));
}

void GlbFile::addNode(const std::string& name, GlbForm form, const GlbLook& look, const std::vector<float>& translation,
                      const std::vector<float>& rotation, const std::vector<float>& scale) {
  const std::size_t number = nodes_.size() + 1; // behind the root
  Json node;
  node["name"] = name;
  if (form != GlbForm::Nothing) node["mesh"] = mesh(form, look);
  animate(number, "translation", translation, 3, node, "translation");
  animate(number, "rotation", rotation, 4, node, "rotation");
  animate(number, "scale", scale, 3, node, "scale");
  nodes_.push_back(std::move(node));
}

void GlbFile::addPath(const std::string& name, const std::vector<float>& points, const GlbLook& look) {
  if (points.size() < 6) return; // no line through one point
  Json p, mesh, node;
  p["attributes"]["POSITION"] = accessor(points, 3, vertices, true);
  p["mode"] = lineStrip;
  p["material"] = material(look, true);
  mesh["primitives"] = Json::array({std::move(p)});
  meshes_.push_back(std::move(mesh));
  node["name"] = name;
  node["mesh"] = meshes_.size() - 1;
  nodes_.push_back(std::move(node));
}

std::string GlbFile::bytes() {
  Json j, root, buffer, animation;
  j["asset"]["version"] = "2.0";
  j["asset"]["generator"] = "lmc " LMC_VERSION;
  j["scene"] = 0;
  j["scenes"] = Json::array({Json{{"name", title_}, {"nodes", {0}}}});
  root["name"] = title_;
  root["rotation"] = {root_.x(), root_.y(), root_.z(), root_.w()};
  Json children = Json::array();
  for (std::size_t k = 0; k < nodes_.size(); ++k) children.push_back(k + 1);
  if (!children.empty()) root["children"] = std::move(children);
  j["nodes"] = Json::array({std::move(root)});
  for (Json& node : nodes_) j["nodes"].push_back(std::move(node));
  for (const auto& [name, list] : {std::pair{"meshes", &meshes_},
                                   {"materials", &materials_},
                                   {"accessors", &accessors_},
                                   {"bufferViews", &views_}})
    if (!list->empty()) j[name] = *list;
  if (!channels_.empty()) {
    animation["name"] = "run";
    animation["channels"] = channels_;
    animation["samplers"] = samplers_;
    j["animations"] = Json::array({std::move(animation)});
  }
  while (buffer_.size() % 4 != 0) buffer_.push_back(0);
  if (!buffer_.empty()) {
    buffer["byteLength"] = buffer_.size();
    j["buffers"] = Json::array({std::move(buffer)});
  }
  std::string text = j.dump(-1, ' ', false, Json::error_handler_t::replace);
  while (text.size() % 4 != 0) text += ' ';
  std::string out;
  const auto word = [&](std::size_t x) {
    for (unsigned k = 0; k < 4; ++k) out += static_cast<char>(x >> (8 * k) & 0xFFU);
  };
  word(0x46546C67); // glTF
  word(2);
  word(12 + 8 + text.size() + (buffer_.empty() ? 0 : 8 + buffer_.size()));
  word(text.size());
  word(0x4E4F534A); // JSON
  out += text;
  if (buffer_.empty()) return out;
  word(buffer_.size());
  word(0x004E4942); // BIN
  out.append(buffer_.begin(), buffer_.end());
  return out;
}

} // namespace lmc::tool
