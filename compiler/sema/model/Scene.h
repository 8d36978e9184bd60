// What a picture of a model shows: shapes whose arguments are computed with the run, like observables.
#pragma once

#include "sema/manifolds/Picture.h"
#include "sym/Program.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lmc::sema {

struct SceneArgument {
  std::string name;
  ShapeForm form = ShapeForm::Place;
  const sym::Array* array = nullptr; ///< Temp; of a family an element for each member
};

/// One shape, or a family of them.
struct SceneShape {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  std::string name;
  std::string kind; ///< of shapeKinds()
  std::vector<SceneArgument> arguments;
  std::int64_t extent = 0; ///< 0: a single shape
  std::string color, text; ///< empty: not given
  /// Of a shape that the model does not give: the factor that its orientation (or place, without one) belongs to, and
  /// the one of its place.
  std::size_t factor = none, placeFactor = none;
  bool unscaled = false; ///< an arrow whose length means nothing: as long as the picture wants

  [[nodiscard]] const SceneArgument* argument(std::string_view wanted) const {
    for (const SceneArgument& a : arguments)
      if (a.name == wanted) return &a;
    return nullptr;
  }
};

struct SceneDescription {
  bool off = false;   ///< view = none;
  bool given = false; ///< the model's `view` names shapes
  const sym::Array* up = nullptr;
  std::vector<SceneShape> shapes;
  std::vector<std::string> without; ///< variables that have no picture
};

} // namespace lmc::sema
