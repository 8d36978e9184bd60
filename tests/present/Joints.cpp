#include "Joints.h"

#include <gtest/gtest.h>

namespace lmc::test {

using nlohmann::json;
using Index = std::vector<std::int64_t>;

namespace {

/// "X", {2} of "X", ["at", "X", 2] or, from a text, ["entry", "X", 2].
std::pair<std::string, Index> memberOf(Values& v, const json& tree) {
  if (tree.is_string()) return {tree, {}};
  Index at;
  for (std::size_t k = 2; k < tree.size(); ++k) at.push_back(v.integer(tree.at(k)));
  return {tree.at(1), at};
}

Value element(const Values& v, const std::string& name, const Index& at) {
  const Numbers& n = v.arrays.at(name);
  std::int64_t member = 0;
  EXPECT_EQ(at.size(), n.extents.size()) << name;
  for (std::size_t k = 0; k < at.size(); ++k) member = member * n.extents.at(k) + at[k] - 1;
  Value x(n.rows, n.cols);
  for (Eigen::Index k = 0; k < x.size(); ++k)
    x(k / x.cols(), k % x.cols()) = n.values.at(static_cast<std::size_t>(member * x.size() + k));
  return x;
}

Numbers numbersOf(const Value& x) {
  Numbers n{{}, static_cast<int>(x.rows()), static_cast<int>(x.cols()), {}};
  for (Eigen::Index k = 0; k < x.size(); ++k) n.values.push_back(x(k / x.cols(), k % x.cols()));
  return n;
}

class Instances {
public:
  Instances(const sema::Model& model, const json& head, const json& lines, Values& v,
            const std::function<Values(double)>& at)
      : m_(model), head_(head), lines_(lines), v_(v), at_(at) {}

  void call(const json& line, std::size_t open) {
    const json& tree = line.at("tree");
    if (tree.contains("for") && tree.at("for").size() > open) {
      const json& range = tree.at("for").at(open);
      const std::int64_t to = v_.integer(range.at(2));
      for (std::int64_t i = v_.integer(range.at(1)); i <= to; ++i) {
        v_.bind(range.at(0), i);
        ASSERT_NO_FATAL_FAILURE(call(line, open + 1));
      }
      return;
    }
    instance(tree.at("left"), tree.at("right"));
  }

  std::map<std::string, Value> reactions; ///< by keys of instance, body and part
  std::size_t compared = 0;

  static std::string key(const std::pair<std::string, Index>& joint, const std::pair<std::string, Index>& body,
                         const std::string& part) {
    return json{joint.first, joint.second, body.first, body.second, part}.dump();
  }

private:
  /// A body is a factor (its parts are those of the arrays that begin with its name), or it rests.
  void body(Values& own, const std::string& parameter, const json& argument) {
    const auto [name, at] = memberOf(v_, argument);
    const bool rests = name == "world";
    for (const sema::Factor& f : m_.factors) {
      if (rests ? f.manifold->point().size() != 2 : f.name != name) continue;
      const auto& points = f.manifold->point();
      for (std::size_t k = 0; k < points.size(); ++k) {
        Value x;
        if (!rests)
          x = element(v_, f.point[k]->name, at);
        else if (points[k].shape.rank == 2)
          x = Value::Identity(points[k].shape.rows, points[k].shape.rows);
        else
          x = Value::Zero(points[k].shape.rows, 1);
        own.arrays[points.size() > 1 ? parameter + "." + points[k].name : parameter] = numbersOf(x);
      }
      const auto& algebra = f.manifold->algebra();
      for (std::size_t k = 0; k < algebra.size(); ++k)
        own.arrays[parameter + "." + algebra[k].name] = numbersOf(
            rests ? Value(Value::Zero(std::max(1, algebra[k].shape.rows), 1)) : element(v_, f.velocity[k]->name, at));
      return;
    }
    FAIL() << "no body " << argument;
  }

  [[nodiscard]] bool isBody(const json& argument) {
    const json& name = argument.is_array() && argument.size() > 1 ? argument.at(1) : argument;
    const bool plain =
        argument.is_string() || (argument.is_array() && (argument.at(0) == "at" || argument.at(0) == "entry"));
    return plain && name.is_string() &&
           (name == "world" ||
            std::any_of(m_.factors.begin(), m_.factors.end(), [&](const sema::Factor& f) { return name == f.name; }));
  }

  void instance(const json& left, const json& call) {
    const auto joint = memberOf(v_, left);
    Values own;
    own.arrays["t"] = v_.arrays.at("t");
    const double h = 1e-3;
    std::map<std::string, std::pair<std::string, Index>> bodies;
    for (std::size_t k = 0; k < head_.at("parameters").size(); ++k) {
      const std::string parameter = head_.at("parameters").at(k);
      const json& argument = call.at(k + 2);
      if (isBody(argument)) {
        ASSERT_NO_FATAL_FAILURE(body(own, parameter, argument));
        bodies[parameter] = memberOf(v_, argument);
        continue;
      }
      const auto value = [&](double dt) {
        Values there = at_(dt);
        there.indicesOf(v_);
        Value x = there(argument);
        if (x.rows() > 3 && x.cols() == 1) x = Value(x.topRows(dimension())); // of a text: a unit vector
        return x;
      };
      const Value here = value(0), near = value(h), back = value(-h), far = value(2 * h), farBack = value(-2 * h);
      own.arrays[parameter] = numbersOf(here);
      own.arrays[parameter + "'"] = numbersOf((8 * (near - back) - (far - farBack)) / (12 * h));
      own.arrays[parameter + "''"] = numbersOf((16 * (near + back) - (far + farBack) - 30 * here) / (12 * h * h));
    }
    for (const sema::Constraint& c : m_.constraints)
      if (c.joint == joint.first)
        own.arrays["lambda." + c.part] = numbersOf(element(v_, "lambda." + c.name, joint.second));
    for (const json& line : lines_)
      if (line.at("tree").at("left").is_string()) own.definitions.push_back(line);
    for (const json& line : lines_) ASSERT_NO_FATAL_FAILURE(compare(own, line, joint, bodies));
  }

  [[nodiscard]] Eigen::Index dimension() const {
    for (const sema::Factor& f : m_.factors)
      for (const sema::Part& p : f.manifold->point())
        if (p.shape.rank == 1) return p.shape.rows;
    return 3;
  }

  void compare(Values& own, const json& line, const std::pair<std::string, Index>& joint,
               const std::map<std::string, std::pair<std::string, Index>>& bodies) {
    const json& left = line.at("tree").at("left");
    Value right = own(line.at("tree").at("right"));
    if (left.is_array() && left.at(1) == "reaction") {
      const auto& body = bodies.at(left.at(2));
      const std::string part = left.size() > 3 ? left.at(3).get<std::string>() : "";
      Value& sum = reactions[key(joint, body, part)];
      sum = sum.size() == 0 ? right : Value(sum + right);
      ++compared;
      return;
    }
    const bool gamma = left.is_array() && left.at(1) == "gamma";
    const std::string shown = gamma ? left.at(2) : left;
    const std::string name = gamma ? "gamma(" + joint.first + "." + shown + ")" : joint.first + "." + shown;
    if (!v_.arrays.contains(name)) return; // a name that these lines give
    Value expected = element(v_, name, joint.second);
    fit(expected, right);
    ASSERT_EQ(expected.size(), right.size()) << line << expected;
    const double size = std::max({1.0, expected.cwiseAbs().maxCoeff(), right.cwiseAbs().maxCoeff()});
    ASSERT_LE((expected - right).cwiseAbs().maxCoeff(), 1e-5 * size) << name << line.at("right") << "\n"
                                                                     << expected.transpose() << "\n"
                                                                     << right.transpose();
    ++compared;
  }

  const sema::Model& m_;
  const json &head_, &lines_;
  Values& v_;
  const std::function<Values(double)>& at_;
};

} // namespace

bool isOfJoint(const json& printed, const std::string& title) {
  if (!printed.contains("joints")) return false;
  const json& heads = printed.at("joints");
  return std::any_of(heads.begin(), heads.end(), [&](const json& h) { return h.at("section") == title; });
}

void addJointNames(PrintedNames& names, const sema::Model& model, const json& printed) {
  if (!printed.contains("joints")) return;
  for (const sema::Factor& f : model.factors) names.families.try_emplace(f.name, f.extent > 0);
  addNames(names, printed.at("sections").at("Joints"));
}

std::size_t expectJoints(const sema::Model& model, const json& printed, const json& sections, Values& v,
                         const std::function<Values(double dt)>& at) {
  auto reactions = std::make_shared<std::map<std::string, Value>>();
  std::size_t compared = 0;
  if (printed.contains("joints"))
    for (const json& head : printed.at("joints")) {
      Instances instances(model, head, sections.at(head.at("section")), v, at);
      for (const json& line : sections.at("Joints"))
        if (line.at("tree").at("right").at(1) == head.at("name")) instances.call(line, 0);
      reactions->insert(instances.reactions.begin(), instances.reactions.end());
      compared += instances.compared;
    }
  v.reactionOf = [reactions](Values& of, const json& tree) {
    const std::string part = tree.size() > 4 ? tree.at(4).get<std::string>() : "";
    const std::string key = Instances::key(memberOf(of, tree.at(2)), memberOf(of, tree.at(3)), part);
    const auto found = reactions->find(key);
    if (found == reactions->end()) throw std::runtime_error("no joint does this: " + key);
    return found->second;
  };
  return compared;
}

} // namespace lmc::test
