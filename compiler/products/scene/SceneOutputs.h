// The arguments of a picture's shapes as outputs of the compiled code, and what they have to do with masses.
#pragma once

#include "products/stages/Stages.h"
#include "sema/model/Scene.h"

#include <string>
#include <vector>

namespace lmc::products {

/// Where an argument of a shape stands among the columns of a run: by members, then entries by rows.
struct SceneColumns {
  std::string name;
  sema::ShapeForm form = sema::ShapeForm::Place;
  std::size_t first = 0; ///< into Problem::columns()
  std::int64_t members = 1;
  sym::Shape shape;
};

struct ShownShape {
  std::string name, kind, color, text;
  std::int64_t extent = 0; ///< members of a family; 0: a single shape
  bool unscaled = false;
  bool given = false; ///< by the model's `view`
  bool apart = false; ///< it has no place of its own: it stands where there is room
  std::vector<SceneColumns> arguments;
  [[nodiscard]] const SceneColumns* argument(std::string_view wanted) const {
    for (const SceneColumns& a : arguments)
      if (a.name == wanted) return &a;
    return nullptr;
  }
};

/// What a page shows of a run besides its own columns.
struct ShownScene {
  std::size_t ownColumns = 0; ///< of the run, before those of the scene
  bool off = false;
  std::vector<SceneColumns> up;      ///< one or none
  std::vector<SceneColumns> defects; ///< of each variable with conditions
  std::vector<ShownShape> shapes;
  std::vector<std::string> without; ///< variables without a picture
};

/// Adds the outputs of the model's scene to what is observed, with equations of its own, and its fields to the unit.
/// Shapes that the model does not give are put together here: one family of places and one of orientations, of equal
/// extent, are bodies; orientations know the constant 3 x 3 block of the mass matrix that belongs to them.
[[nodiscard]] ShownScene addScene(mechanics::Layer& layer, Observation& observation, unit::UnitBuilder& unit);

/// As `lmc dump --stage scene` prints it, one JSON object.
[[nodiscard]] std::string printScene(const ShownScene& scene);

} // namespace lmc::products
