// Values of the trees that `derive --format json` prints, by an evaluator that shares nothing with the compiler.
#pragma once

#include <Eigen/Dense>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace lmc::test {

using Value = Eigen::MatrixXd;

/// An array: members by their indices, the last fastest, each a matrix by rows.
struct Numbers {
  std::vector<std::int64_t> extents;
  int rows = 1, cols = 1;
  std::vector<double> values;
};

/// Gives unit vectors of texts, which have no size, that of the other side.
void fit(Value& a, Value& b);

class Values {
public:
  std::map<std::string, Numbers> arrays;
  /// What `where` defines: lines of the section, looked up when an array is not there.
  nlohmann::json definitions = nlohmann::json::array();

  /// What joints do to bodies, ["call", "reaction_of", joint, body] and perhaps a part of the velocity.
  std::function<Value(Values& at, const nlohmann::json& tree)> reactionOf;

  /// What `derive` says of interpolated tables.
  nlohmann::json tables = nlohmann::json::array();

  [[nodiscard]] Value operator()(const nlohmann::json& tree);
  void bind(const std::string& index, std::int64_t value) { indices_[index] = value; }
  [[nodiscard]] std::int64_t integer(const nlohmann::json& tree);
  /// Indices have the values that they have there.
  void indicesOf(const Values& other) { indices_ = other.indices_; }

private:
  Value named(const std::string& name, const std::vector<std::int64_t>& index);
  std::optional<Value> defined(const nlohmann::json& name, const std::vector<std::int64_t>& index);
  Value called(const nlohmann::json& tree);
  Value curve(const std::string& name, double at);
  Value operation(const std::string& op, const nlohmann::json& tree);

  std::map<std::string, std::int64_t> indices_;
  std::map<std::string, Eigen::VectorXd> slopes_;                               ///< of splines, at their nodes
  std::map<std::pair<std::string, std::vector<std::int64_t>>, Value> building_; ///< what lines so far say
};

} // namespace lmc::test
