// Shapes that can be drawn, and expressions that name them: `frame(turned = R)`, in clauses `picture` of manifolds and
// in the `view` of a model. What the shapes look like is no matter of the compiler (view/README.md).
#pragma once

#include "diagnostics/Diagnostics.h"
#include "sym/Expr.h"
#include "syntax/Ast.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lmc::sema {

/// What an argument of a shape is.
enum class ShapeForm : std::uint8_t {
  Place,   ///< a number, vec(2) or vec(3): the missing coordinates are 0
  Turn,    ///< mat(2,2) or mat(3,3): a rotation
  Lengths, ///< a number (all three) or vec(3)
  Length,  ///< a number
  Inertia, ///< mat(3,3), in the body's frame
  Truth,   ///< a condition
  Text,
  Color, ///< a text: a name of CSS or #rrggbb
};

struct ShapeArgument {
  std::string_view name;
  ShapeForm form = ShapeForm::Place;
  bool required = false;
};

/// A shape with its arguments, those that all shapes have included.
struct ShapeKind {
  std::string_view name;
  std::vector<ShapeArgument> arguments;
};

/// All of them.
[[nodiscard]] const std::vector<ShapeKind>& shapeKinds();

/// Whether a value of this shape serves as an argument of a form; never for texts.
[[nodiscard]] bool fits(ShapeForm form, const sym::Shape& shape);
/// "a place: a number, vec(2) or vec(3)"
[[nodiscard]] std::string_view describe(ShapeForm form);

/// A call of a shape, its arguments not evaluated.
struct Drawing {
  struct Argument {
    const ShapeArgument* argument = nullptr;
    syntax::ExprPtr value;
  };
  const ShapeKind* kind = nullptr;
  Range range;
  std::vector<Argument> arguments;
};

/// The shapes of an expression: a call of one, a list of such, `none`, or an `if` between such, whose condition
/// `holds` decides (nothing: it is no constant; reported). What is wrong is reported; nothing then.
using ConstantTruth = std::function<std::optional<bool>(const syntax::Expr& condition)>;
[[nodiscard]] std::optional<std::vector<Drawing>> readDrawings(const syntax::ExprPtr& e, const ConstantTruth& holds,
                                                               Diagnostics& diagnostics);

/// Reports a text that is no colour.
bool checkColor(const std::string& text, Range range, Diagnostics& diagnostics);

} // namespace lmc::sema
