#include "products/scene/SceneOutputs.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace lmc::products {

namespace {

class SceneBuilder {
public:
  SceneBuilder(mechanics::Layer& layer, Observation& observation, unit::UnitBuilder& unit)
      : layer_(layer), s_(layer.system), m_(layer.model), o_(observation), unit_(unit) {}

  ShownScene build(const sema::SceneDescription& scene) {
    ShownScene shown;
    shown.ownColumns = unit_.columnCount();
    shown.off = scene.off;
    shown.without = scene.without;
    for (runtime::Field& f : unit_.fields()) {
      if (f.kind != runtime::FieldKind::Defect) continue;
      shown.defects.push_back({f.of, sema::ShapeForm::Length, unit_.columnCount(), 1, sym::Shape::scalar()});
      f.written = true; // behind what is written without a picture: the defects are the last of these fields
    }
    if (scene.up != nullptr) shown.up.push_back(output("view", {"up", sema::ShapeForm::Place, scene.up}));
    std::vector<sema::SceneShape> shapes = scene.shapes;
    if (!scene.given) joinBodies(shapes);
    for (const sema::SceneShape& shape : shapes) shown.shapes.push_back(show(shape, scene.given));
    return shown;
  }

private:
  ShownShape show(const sema::SceneShape& shape, bool given) {
    ShownShape out{shape.name, shape.kind, shape.color, shape.text, shape.extent, shape.unscaled, given, false, {}};
    for (const sema::SceneArgument& a : shape.arguments) out.arguments.push_back(output(shape.name, a));
    const bool oriented = shape.argument("turned") != nullptr || shape.kind == "arrow" || shape.kind == "sphere";
    out.apart = !given && oriented && shape.factor != sema::SceneShape::none && shape.argument("at") == nullptr;
    if (given || shape.argument("turned") == nullptr) return out;
    if (const sym::Array* inertia = massBlock(shape.factor, 3))
      out.arguments.push_back(output(shape.name, {"inertia", sema::ShapeForm::Inertia, inertia}));
    if (const sym::Array* mass = massBlock(shape.placeFactor, 3))
      out.arguments.push_back(output(shape.name, {"mass", sema::ShapeForm::Length, mass}));
    return out;
  }

  SceneColumns output(const std::string& shape, const sema::SceneArgument& a) {
    SceneColumns columns{a.name, a.form, unit_.columnCount(), a.array->count(), a.array->shape};
    runtime::Field f = unit::fieldOf("view." + shape + "." + a.name, *a.array);
    f.written = true;
    f.comment = "of a picture";
    o_.outputs.push_back({a.array, f.role, unit_.place(f).offset});
    return columns;
  }

  /// Factors whose picture is a place alone, or an orientation alone; another of the same extent leaves it open which
  /// belong together.
  void joinBodies(std::vector<sema::SceneShape>& shapes) {
    const auto onlyPlace = [](const sema::SceneShape& x) {
      return x.factor != sema::SceneShape::none && x.argument("at") != nullptr && x.arguments.size() == 1;
    };
    const auto onlyTurn = [](const sema::SceneShape& x) {
      return x.factor != sema::SceneShape::none && x.argument("turned") != nullptr && x.argument("at") == nullptr;
    };
    std::vector<std::int64_t> extents;
    extents.reserve(shapes.size());
    for (const sema::SceneShape& x : shapes) extents.push_back(x.extent);
    std::sort(extents.begin(), extents.end());
    extents.erase(std::unique(extents.begin(), extents.end()), extents.end());
    for (const std::int64_t extent : extents) {
      sema::SceneShape* place = nullptr;
      sema::SceneShape* turn = nullptr;
      int places = 0, turns = 0;
      for (sema::SceneShape& x : shapes) {
        if (x.extent != extent) continue;
        if (onlyPlace(x)) place = &x, ++places;
        if (onlyTurn(x)) turn = &x, ++turns;
      }
      if (places != 1 || turns != 1) continue;
      turn->arguments.push_back(*place->argument("at"));
      turn->placeFactor = place->factor;
      turn->name = place->name + ", " + turn->name;
      shapes.erase(shapes.begin() + (place - shapes.data()));
    }
  }

  /// The mass matrix of a factor with so many velocities, where it is constant and couples it with no other factor; or
  /// the one number that stands for it.
  const sym::Array* massBlock(std::size_t factor, int size) {
    if (factor == sema::SceneShape::none || m_.factors[factor].manifold->algebraSize() != size) return nullptr;
    for (const mechanics::MassGroup& g : s_.groups) {
      if (g.factors != std::vector<std::size_t>{factor} || !g.constant || !g.matrix) continue;
      const std::int64_t extent = m_.factors[factor].extent;
      const bool members = !g.index.empty();
      if (extent > 0 && !members && g.structure != mechanics::MassStructure::Scalar) continue;
      return define(g, members ? extent : 0);
    }
    return nullptr;
  }

  const sym::Array* define(const mechanics::MassGroup& g, std::int64_t extent) {
    sym::Graph& graph = layer_.program().graph();
    sym::Equation e;
    std::vector<std::int64_t> extents;
    if (extent > 0) {
      extents = {extent};
      e.loops = {{g.index[0], graph.integer(1), graph.integer(extent), false}};
      e.index = g.index;
    }
    sym::Array* array = graph.newArray("mass", extents, g.matrix->shape, sym::Role::Temp);
    e.array = array;
    e.value = g.matrix;
    layer_.program().append(std::move(e));
    return array;
  }

  mechanics::Layer& layer_;
  const mechanics::System& s_;
  const sema::Model& m_;
  Observation& o_;
  unit::UnitBuilder& unit_;
};

nlohmann::ordered_json columnsJson(const SceneColumns& c) {
  nlohmann::ordered_json j;
  j["argument"] = c.name;
  j["column"] = c.first;
  j["members"] = c.members;
  j["type"] = c.shape.text();
  return j;
}

} // namespace

ShownScene addScene(mechanics::Layer& layer, Observation& observation, unit::UnitBuilder& unit) {
  static const sema::SceneDescription nothing;
  const sema::SceneDescription* scene = layer.model.scene.get();
  return SceneBuilder(layer, observation, unit).build(scene == nullptr ? nothing : *scene);
}

std::string printScene(const ShownScene& scene) {
  nlohmann::ordered_json j;
  j["columns_of_the_run"] = scene.ownColumns;
  j["shapes"] = nlohmann::ordered_json::array();
  for (const ShownShape& s : scene.shapes) {
    nlohmann::ordered_json shape;
    shape["name"] = s.name;
    shape["kind"] = s.kind;
    shape["members"] = s.extent == 0 ? 1 : s.extent;
    if (!s.color.empty()) shape["color"] = s.color;
    if (!s.text.empty()) shape["text"] = s.text;
    if (s.apart) shape["apart"] = true;
    shape["arguments"] = nlohmann::ordered_json::array();
    for (const SceneColumns& a : s.arguments) shape["arguments"].push_back(columnsJson(a));
    j["shapes"].push_back(std::move(shape));
  }
  if (!scene.up.empty()) j["up"] = columnsJson(scene.up.front());
  j["without"] = scene.without;
  if (scene.off) j["view"] = "none";
  return j.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

} // namespace lmc::products
