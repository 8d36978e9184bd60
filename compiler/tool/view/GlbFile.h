// The parts of a glTF file: meshes, materials, nodes and an animation over one binary buffer.
#pragma once

#include <Eigen/Geometry>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace lmc::tool {

/// Meshes of unit size: a box and a cylinder (along z) of lengths 1, a sphere of radius 1, a bar and a cone along y of
/// length and radius 1, three axes of length 1.
enum class GlbForm : std::uint8_t { Nothing, Box, Cylinder, Sphere, Bar, Cone, Frame };

struct GlbLook {
  std::string color; ///< a name of CSS or "#rrggbb"
  double opacity = 1;
};

/// The colour of the page's palette for a shape without one of its own.
[[nodiscard]] std::string pageColor(int number);

class GlbFile {
public:
  explicit GlbFile(std::string title) : title_(std::move(title)) {}
  /// Of the samples, in seconds of showing; before any node.
  void setTimes(const std::vector<float>& seconds);
  /// What turns the scene so that up is y.
  void setRoot(const Eigen::Quaterniond& turn) { root_ = turn; }
  /// Places (3), orientations (4: x, y, z, w) and lengths (3) at the samples; what never changes is not animated.
  void addNode(const std::string& name, GlbForm form, const GlbLook& look, const std::vector<float>& translation,
               const std::vector<float>& rotation, const std::vector<float>& scale);
  /// A line through points.
  void addPath(const std::string& name, const std::vector<float>& points, const GlbLook& look);
  [[nodiscard]] std::string bytes();

private:
  using Json = nlohmann::ordered_json;
  struct Mesh {
    std::vector<float> points, normals;
    std::vector<std::uint16_t> corners;
  };
  int view(const void* data, std::size_t size, int target);
  int accessor(const std::vector<float>& numbers, int width, int target, bool bounds);
  int material(const GlbLook& look, bool line);
  int mesh(GlbForm form, const GlbLook& look);
  Json primitive(const Mesh& m, const GlbLook& look);
  void animate(std::size_t node, const char* path, const std::vector<float>& numbers, int width, Json& target,
               const char* member);

  std::string title_;
  Eigen::Quaterniond root_ = Eigen::Quaterniond::Identity();
  std::vector<unsigned char> buffer_;
  Json views_ = Json::array(), accessors_ = Json::array(), materials_ = Json::array(), meshes_ = Json::array(),
       nodes_ = Json::array(), samplers_ = Json::array(), channels_ = Json::array();
  std::map<std::pair<std::string, double>, int> materialOf_;
  std::map<std::pair<int, int>, int> meshOf_;
  std::size_t samples_ = 0;
  int times_ = -1;
};

} // namespace lmc::tool
